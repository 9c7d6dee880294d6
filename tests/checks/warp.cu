// Lanes of a warp that exchange values through memory: they need __syncwarp(), though in step they seem not to.

#define FULL 0xffffffffu

// A lane reads what its neighbour has just written.
//! swap_bad | races | race in a warp | @swap.write @swap.read
extern "C" __global__ void swap_bad(int *out, const int *in)
{
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x]; // @swap.write
    out[threadIdx.x] = s[threadIdx.x ^ 1]; // @swap.read
}

extern "C" __global__ void swap_good(int *out, const int *in)
{
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    out[threadIdx.x] = s[threadIdx.x ^ 1];
}

// The end of a tree as it was written before Volta: volatile, and no synchronisation.
//! tail_bad | races | race in a warp | @tail.16 @tail.8
//! tail_bad | races | race in a warp | @tail.load @tail.16
//! tail_bad | races | race in a warp | @tail.8 @tail.4
extern "C" __global__ void tail_bad(int *out, const int *in)
{
    __shared__ volatile int s[64];
    unsigned t = threadIdx.x;
    s[t] = in[t] + in[t + 32]; // @tail.load
    if (t < 16) {
        s[t] += s[t + 16]; // @tail.16
        if (t < 8)
            s[t] += s[t + 8]; // @tail.8
        if (t < 4)
            s[t] += s[t + 4]; // @tail.4
    }
    if (t < 4)
        out[t] = s[t];
}

extern "C" __global__ void tail_good(int *out, const int *in)
{
    __shared__ volatile int s[64];
    unsigned t = threadIdx.x;
    s[t] = in[t] + in[t + 32];
    __syncwarp();
    for (int step = 16; step >= 4; step /= 2) {
        int other = t < step ? s[t + step] : 0;
        __syncwarp();
        s[t] += other;
        __syncwarp();
    }
    if (t < 4)
        out[t] = s[t];
}

// Each half waits for itself, and reads the other half's words.
//! halves_bad | races | race in a warp | @halves.write @halves.read
extern "C" __global__ void halves_bad(int *out, const int *in)
{
    __shared__ int s[32];
    s[threadIdx.x] = in[threadIdx.x]; // @halves.write
    __syncwarp(threadIdx.x < 16 ? 0xffff : 0xffff0000);
    out[threadIdx.x] = s[threadIdx.x ^ 16]; // @halves.read
}

extern "C" __global__ void halves_good(int *out, const int *in)
{
    __shared__ int s[32];
    s[threadIdx.x] = in[threadIdx.x];
    __syncwarp(threadIdx.x < 16 ? 0xffff : 0xffff0000);
    out[threadIdx.x] = s[threadIdx.x ^ 8];
}

// One side of a condition writes what the other side reads.
//! sides_bad2 | races | race in a warp | @branch.write @branch.read
extern "C" __global__ void sides_bad2(int *out, const int *in)
{
    __shared__ int s[32];
    s[threadIdx.x] = 0;
    __syncwarp();
    if (threadIdx.x < 16)
        s[threadIdx.x] = in[threadIdx.x]; // @branch.write
    else
        out[threadIdx.x] = s[threadIdx.x - 16]; // @branch.read
}

extern "C" __global__ void sides_good2(int *out, const int *in)
{
    __shared__ int s[32];
    s[threadIdx.x] = 0;
    __syncwarp();
    if (threadIdx.x < 16)
        s[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    if (threadIdx.x >= 16)
        out[threadIdx.x] = s[threadIdx.x - 16];
}

// All lanes write one word, each its own value. When all have the same one it does not matter which stays.
//! same_bad | races | lanes write different values | @same.write
extern "C" __global__ void same_bad(int *out, const int *in)
{
    __shared__ int s[2];
    s[threadIdx.x / 32] = in[threadIdx.x]; // @same.write
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x / 32 ^ 1];
}

extern "C" __global__ void same_good(int *out, const int *in)
{
    __shared__ int s[2];
    s[threadIdx.x / 32] = in[threadIdx.x / 32];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x / 32 ^ 1];
}

// A shuffle stands between the two, but only for lanes that its mask names.
//! exchange_bad | races | race in a warp | @exchange.write @exchange.read
extern "C" __global__ void exchange_bad(int *out, const int *in)
{
    __shared__ int s[32];
    unsigned lane = threadIdx.x, v = in[lane];
    unsigned tile = 0xffu << (lane & 24);
    s[lane] = v; // @exchange.write
    v += __shfl_xor_sync(tile, v, 4);
    out[lane] = v + s[31 - lane]; // @exchange.read
}

extern "C" __global__ void exchange_good(int *out, const int *in)
{
    __shared__ int s[32];
    unsigned lane = threadIdx.x, v = in[lane];
    unsigned tile = 0xffu << (lane & 24);
    s[lane] = v;
    v += __shfl_xor_sync(tile, v, 4);
    out[lane] = v + s[lane ^ 3];
}
