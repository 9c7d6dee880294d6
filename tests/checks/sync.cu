// Barriers that not all threads come to, and masks that do not name who is there.

#define BLOCK 128
#define FULL 0xffffffffu

// Two of four warps execute the barrier, the other two go on without it.
//! part_bad | sync | barrier in divergent code | @part.barrier
extern "C" __global__ void part_bad(float *out, const float *in)
{
    __shared__ float s[BLOCK];
    float v = in[threadIdx.x];
    if (threadIdx.x < 64) {
        s[threadIdx.x] = v;
        __syncthreads(); // @part.barrier
        v += s[63 - threadIdx.x];
    }
    out[threadIdx.x] = v * 2;
}

extern "C" __global__ void part_good(float *out, const float *in)
{
    __shared__ float s[BLOCK];
    float v = in[threadIdx.x];
    if (threadIdx.x < 64)
        s[threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.x < 64)
        v += s[63 - threadIdx.x];
    out[threadIdx.x] = v * 2;
}

// Half of a warp executes the barrier.
//! half_bad | fault | deadlock | @half.barrier
extern "C" __global__ void half_bad(float *out, const float *in)
{
    __shared__ float s[BLOCK];
    float v = in[threadIdx.x];
    s[threadIdx.x] = v;
    if (threadIdx.x % 32 < 16) {
        __syncthreads(); // @half.barrier
        v += s[threadIdx.x ^ 1];
    }
    out[threadIdx.x] = v * 2;
    __threadfence();
    out[threadIdx.x + BLOCK] = v * 3;
}

extern "C" __global__ void half_good(float *out, const float *in)
{
    __shared__ float s[BLOCK];
    float v = in[threadIdx.x];
    s[threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.x % 32 < 16)
        v += s[threadIdx.x ^ 1];
    out[threadIdx.x] = v * 2;
    __threadfence();
    out[threadIdx.x + BLOCK] = v * 3;
}

// Each side of a condition has a barrier of its own.
//! sides_bad | sync | barrier met at different places | @sides.one @sides.other
extern "C" __global__ void sides_bad(float *out, const float *in)
{
    __shared__ float s[BLOCK];
    float v;
    if (threadIdx.x < 32) {
        s[threadIdx.x] = in[threadIdx.x];
        __syncthreads(); // @sides.one
        v = s[threadIdx.x + 32];
    } else {
        s[threadIdx.x] = -in[threadIdx.x];
        __syncthreads(); // @sides.other
        v = s[threadIdx.x % 32];
    }
    out[threadIdx.x] = v;
}

extern "C" __global__ void sides_good(float *out, const float *in)
{
    __shared__ float s[BLOCK];
    float v;
    if (threadIdx.x < 32)
        s[threadIdx.x] = in[threadIdx.x];
    else
        s[threadIdx.x] = -in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 32)
        v = s[threadIdx.x + 32];
    else
        v = s[threadIdx.x % 32];
    out[threadIdx.x] = v;
}

// A loop with a barrier in it, which some warps leave earlier than others.
//! loop_bad | sync | barrier in divergent code | @loop.barrier
extern "C" __global__ void loop_bad(float *out, const float *in, int n)
{
    __shared__ float s[BLOCK];
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += BLOCK) {
        s[threadIdx.x] = in[i];
        __syncthreads(); // @loop.barrier
        sum += s[threadIdx.x ^ 1];
        __syncthreads(); // @loop.end
    }
    out[threadIdx.x] = sum;
}

extern "C" __global__ void loop_good(float *out, const float *in, int n)
{
    __shared__ float s[BLOCK];
    float sum = 0;
    for (int first = 0; first < n; first += BLOCK) {
        int i = first + threadIdx.x;
        s[threadIdx.x] = i < n ? in[i] : 0;
        __syncthreads();
        sum += s[threadIdx.x ^ 1];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

// A mask for half of the lanes, used by all.
//! self_bad | sync | lane not in its own mask | @self.shuffle
extern "C" __global__ void self_bad(int *out, const int *in)
{
    int v = in[threadIdx.x];
    for (int step = 8; step > 0; step /= 2)
        v += __shfl_xor_sync(0xffff, v, step); // @self.shuffle
    out[threadIdx.x] = v;
}

extern "C" __global__ void self_good(int *out, const int *in)
{
    int v = in[threadIdx.x];
    unsigned mask = threadIdx.x % 32 < 16 ? 0xffff : 0xffff0000;
    for (int step = 8; step > 0; step /= 2)
        v += __shfl_xor_sync(mask, v, step);
    out[threadIdx.x] = v;
}

// Half of the lanes are named and never come.
//! missing_bad | sync | lane of the mask missing | @missing.shuffle
extern "C" __global__ void missing_bad(int *out, const int *in)
{
    int v = in[threadIdx.x];
    if (threadIdx.x % 32 < 16)
        v += __shfl_down_sync(FULL, v, 8); // @missing.shuffle
    else
        v *= in[v];
    out[threadIdx.x] = v;
    __threadfence();
    out[threadIdx.x + BLOCK] = v * 3;
}

extern "C" __global__ void missing_good(int *out, const int *in)
{
    int v = in[threadIdx.x];
    if (threadIdx.x % 32 < 16)
        v += __shfl_down_sync(0xffff, v, 8, 16);
    else
        v *= in[v];
    out[threadIdx.x] = v;
    __threadfence();
    out[threadIdx.x + BLOCK] = v * 3;
}

// Odd and even lanes vote together, each with the mask of the others' tile.
//! masks_bad | sync | lanes with different masks | @masks.vote
extern "C" __global__ void masks_bad(unsigned *out, const int *in)
{
    unsigned lane = threadIdx.x % 32;
    unsigned mask = lane < 8 ? 0x0000ffff : lane < 16 ? 0x000000ff << 8 : 0xffff0000;
    out[threadIdx.x] = __ballot_sync(mask, in[threadIdx.x] > 40); // @masks.vote
}

extern "C" __global__ void masks_good(unsigned *out, const int *in)
{
    unsigned lane = threadIdx.x % 32;
    unsigned mask = lane < 8 ? 0x000000ff : lane < 16 ? 0x000000ff << 8 : 0xffff0000;
    out[threadIdx.x] = __ballot_sync(mask, in[threadIdx.x] > 40);
}

// A full mask, computed once, and used after lanes have gone: what activemask() is not for.
//! any_bad | sync | lane of the mask missing | @any.vote
extern "C" __global__ void any_bad(int *out, const int *in)
{
    int v = in[threadIdx.x], found = 0;
    if (v % 4 != 0) {
        found = __any_sync(FULL, v > 100); // @any.vote
        out[threadIdx.x] = found + 7;
    }
    out[threadIdx.x + BLOCK] = found;
}

extern "C" __global__ void any_good(int *out, const int *in)
{
    int v = in[threadIdx.x], found = 0;
    unsigned mask = __ballot_sync(FULL, v % 4 != 0);
    if (v % 4 != 0) {
        found = __any_sync(mask, v > 100);
        out[threadIdx.x] = found + 7;
    }
    out[threadIdx.x + BLOCK] = found;
}

// Three warps meet at a barrier for two.
//! count_bad | fault | deadlock | @count.barrier
extern "C" __global__ void count_bad(int *out, const int *in)
{
    __shared__ int s[BLOCK];
    s[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x < 96)
        asm volatile("bar.sync 1, 64;" ::: "memory"); // @count.barrier
    out[threadIdx.x] = s[threadIdx.x];
}

extern "C" __global__ void count_good(int *out, const int *in)
{
    __shared__ int s[BLOCK];
    s[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x < 96)
        asm volatile("bar.sync 1, 96;" ::: "memory");
    out[threadIdx.x] = s[threadIdx.x];
}

// Two warps say that they have arrived; the one that should wait for them does not.
//! arrive_bad | sync | barrier left incomplete | @arrive.arrive
//! arrive_bad | races | race in a block | @arrive.write @arrive.read
extern "C" __global__ void arrive_bad(int *out, const int *in)
{
    __shared__ int s[64];
    if (threadIdx.x < 64) {
        s[threadIdx.x] = in[threadIdx.x]; // @arrive.write
        asm volatile("bar.arrive 1, 96;" ::: "memory"); // @arrive.arrive
    } else if (threadIdx.x < 96) {
        out[threadIdx.x] = s[threadIdx.x - 64] + s[threadIdx.x - 32]; // @arrive.read
    }
}

extern "C" __global__ void arrive_good(int *out, const int *in)
{
    __shared__ int s[64];
    if (threadIdx.x < 64) {
        s[threadIdx.x] = in[threadIdx.x];
        asm volatile("bar.arrive 1, 96;" ::: "memory");
    } else if (threadIdx.x < 96) {
        asm volatile("bar.sync 1, 96;" ::: "memory");
        out[threadIdx.x] = s[threadIdx.x - 64] + s[threadIdx.x - 32];
    }
}

// Threads that have nothing to do leave before the barrier: they are not waited for. Both are right.
//! leave_bad | races | race in a block | @leave.write @leave.read
//! leave_bad | races | race in a warp | @leave.write @leave.read
extern "C" __global__ void leave_bad(int *out, const int *in, int n)
{
    __shared__ int s[BLOCK];
    if (threadIdx.x >= n)
        return;
    s[threadIdx.x] = in[threadIdx.x]; // @leave.write
    out[threadIdx.x] = s[n - 1 - threadIdx.x]; // @leave.read
}

extern "C" __global__ void leave_good(int *out, const int *in, int n)
{
    __shared__ int s[BLOCK];
    if (threadIdx.x >= n)
        return;
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[n - 1 - threadIdx.x];
}
