// Global memory, within a block and between blocks.

// A sum over all blocks without an atomic.
//! total_bad | races | race between blocks | @total.add
extern "C" __global__ void total_bad(int *out, const int *in)
{
    if (threadIdx.x == 0)
        *out += in[blockIdx.x]; // @total.add
}

extern "C" __global__ void total_good(int *out, const int *in)
{
    if (threadIdx.x == 0)
        atomicAdd(out, in[blockIdx.x]);
}

// Each block writes one element too many: the next block's first.
//! edge_bad | races | race between blocks | @edge.write
extern "C" __global__ void edge_bad(int *out, const int *in)
{
    unsigned first = blockIdx.x * blockDim.x;
    for (unsigned i = threadIdx.x; i <= blockDim.x; i += blockDim.x)
        out[first + i] = in[first + i] + blockIdx.x + 1; // @edge.write
}

extern "C" __global__ void edge_good(int *out, const int *in)
{
    unsigned first = blockIdx.x * blockDim.x;
    for (unsigned i = threadIdx.x; i < blockDim.x; i += blockDim.x)
        out[first + i] = in[first + i] + blockIdx.x + 1;
}

// A stencil that overwrites its input: neighbours at the edges of blocks are read too early or too late.
//! stencil_bad | races | race between blocks | @stencil.read @stencil.write
extern "C" __global__ void stencil_bad(int *data, int *, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int right = data[i + 1 < n ? i + 1 : i]; // @stencil.read
    __syncthreads();
    data[i] += right + 1; // @stencil.write
}

extern "C" __global__ void stencil_good(int *data, int *result, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int right = data[i + 1 < n ? i + 1 : i];
    __syncthreads();
    result[i] = data[i] + right + 1;
}

// A transpose in place, by blocks that each believe to be alone.
//! turn_bad | races | race between blocks | @turn.read @turn.write
extern "C" __global__ void turn_bad(int *data, int *, int n)
{
    int row = blockIdx.x, column = threadIdx.x;
    int v = data[row * n + column]; // @turn.read
    data[column * n + row] = v; // @turn.write
}

extern "C" __global__ void turn_good(int *data, int *result, int n)
{
    int row = blockIdx.x, column = threadIdx.x;
    int v = data[row * n + column];
    result[column * n + row] = v;
}

// Atomics for one block's threads only, used by all blocks.
//! scope_bad | races | race between blocks | @scope.add
extern "C" __global__ void scope_bad(int *out, const int *in)
{
    atomicAdd_block(out, in[blockIdx.x * blockDim.x + threadIdx.x]); // @scope.add
}

extern "C" __global__ void scope_good(int *out, const int *in)
{
    atomicAdd(out, in[blockIdx.x * blockDim.x + threadIdx.x]);
}

// Threads of a block exchange values through global memory.
//! through_bad | races | race in a block | @through.write @through.read
extern "C" __global__ void through_bad(int *buffer, int *out, const int *in)
{
    int first = blockIdx.x * 128, t = threadIdx.x;
    buffer[first + t] = in[first + t]; // @through.write
    out[first + t] = buffer[first + 127 - t]; // @through.read
}

extern "C" __global__ void through_good(int *buffer, int *out, const int *in)
{
    int first = blockIdx.x * 128, t = threadIdx.x;
    buffer[first + t] = in[first + t];
    __syncthreads();
    out[first + t] = buffer[first + 127 - t];
}

// A compare-and-swap sum is right; to read the sum before all have added is not.
//! swap_sum_bad | races | race between blocks | @swap_sum.cas @swap_sum.read
__device__ void add_double(double *sum, double x)
{
    unsigned long long *bits = (unsigned long long *)sum, old = *bits, seen;
    do {
        seen = old;
        old = atomicCAS(bits, seen, __double_as_longlong(x + __longlong_as_double(seen))); // @swap_sum.cas
    } while (seen != old);
}

extern "C" __global__ void swap_sum_bad(double *sum, double *out, const double *in)
{
    if (threadIdx.x == 0)
        add_double(sum, in[blockIdx.x]);
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = *sum; // @swap_sum.read
}

extern "C" __global__ void swap_sum_good(double *sum, double *out, const double *in)
{
    if (threadIdx.x == 0)
        add_double(sum, in[blockIdx.x]);
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x];
}
