// Memory that is read before it was written.

#define BLOCK 128

// The tile is filled only where there is input, and read everywhere.
//! tile_bad | init | uninitialised shared memory | @tile.read
extern "C" __global__ void tile_bad(float *out, const float *in, int n)
{
    __shared__ float s[BLOCK];
    if (threadIdx.x < n)
        s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[BLOCK - 1 - threadIdx.x]; // @tile.read
}

extern "C" __global__ void tile_good(float *out, const float *in, int n)
{
    __shared__ float s[BLOCK];
    s[threadIdx.x] = threadIdx.x < n ? in[threadIdx.x] : 0;
    __syncthreads();
    out[threadIdx.x] = s[BLOCK - 1 - threadIdx.x];
}

// A counter in shared memory that nobody sets to zero.
//! zero_bad | init | uninitialised shared memory | @zero.add
extern "C" __global__ void zero_bad(int *out, const int *in)
{
    __shared__ int count;
    if (in[threadIdx.x] % 3 == 0)
        atomicAdd(&count, 1); // @zero.add
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = count;
}

extern "C" __global__ void zero_good(int *out, const int *in)
{
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    if (in[threadIdx.x] % 3 == 0)
        atomicAdd(&count, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = count;
}

// What one block leaves in shared memory is not there for the next.
//! left_bad | init | uninitialised shared memory | @left.read
extern "C" __global__ void left_bad(int *out, const int *in)
{
    extern __shared__ int s[];
    if (blockIdx.x == 0)
        s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x ^ 1]; // @left.read
}

extern "C" __global__ void left_good(int *out, const int *in)
{
    extern __shared__ int s[];
    s[threadIdx.x] = in[threadIdx.x] + blockIdx.x;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x ^ 1];
}

// A local array, filled to n and read past it.
//! local_bad | init | uninitialised local memory | @local.read
extern "C" __global__ void local_bad(int *out, const int *in, int n)
{
    int a[16];
    for (int i = 0; i < n; i++)
        a[in[i] & 15] = in[i + threadIdx.x];
    int sum = 0;
    for (int i = 0; i <= n; i++)
        sum += a[in[i] & 15]; // @local.read
    out[threadIdx.x] = sum;
}

extern "C" __global__ void local_good(int *out, const int *in, int n)
{
    int a[16];
    for (int i = 0; i < n; i++)
        a[in[i] & 15] = in[i + threadIdx.x];
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[in[i] & 15];
    out[threadIdx.x] = sum;
}

// The result is added to what cudaMalloc gave.
//! buffer_bad | init | uninitialised global memory | @buffer.read
extern "C" __global__ void buffer_bad(int *out, const int *in)
{
    out[threadIdx.x] += in[threadIdx.x]; // @buffer.read
}

extern "C" __global__ void buffer_good(int *out, const int *in)
{
    out[threadIdx.x] = in[threadIdx.x];
}

// Memory from malloc() is as undefined as any.
//! heap_bad | init | uninitialised global memory | @heap.read
extern "C" __global__ void heap_bad(int *out, const int *in, int n)
{
    int *list = (int *)malloc(16 * sizeof(int));
    if (!list)
        return;
    for (int i = 0; i < n; i++)
        list[i] = in[i];
    int sum = 0;
    for (int i = 0; i < 16; i++)
        sum += list[i]; // @heap.read
    out[threadIdx.x] = sum;
    free(list);
}

extern "C" __global__ void heap_good(int *out, const int *in, int n)
{
    int *list = (int *)malloc(16 * sizeof(int));
    if (!list)
        return;
    for (int i = 0; i < 16; i++)
        list[i] = i < n ? in[i] : 0;
    int sum = 0;
    for (int i = 0; i < 16; i++)
        sum += list[i];
    out[threadIdx.x] = sum;
    free(list);
}
