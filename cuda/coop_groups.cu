// Twin of kernels/coop_groups.ptx: groups smaller than a block, and as large as the grid. G 748, 827-831.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// Each warp adds its values with shuffles; its first thread adds the sum to out.
extern "C" __global__ void cg_tile_reduce(const int *in, int *out)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int k = 16; k > 0; k >>= 1)
        v += tile.shfl_down(v, k);
    if (tile.thread_rank() == 0)
        atomicAdd(out, v);
}

// Four tiles in a warp; out[tile] = the tile's sum.
extern "C" __global__ void tile8_reduce(const int *in, int *out)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = in[i];
    for (int k = 4; k > 0; k >>= 1)
        v += tile.shfl_down(v, k);
    if (tile.thread_rank() == 0)
        out[i / 8] = v;
}

// A block's sum: each warp by shuffles, then the first warp adds the warps' sums.
extern "C" __global__ void __launch_bounds__(1024) shfl_reduce(const float *in, float *out)
{
    __shared__ float sums[32];
    unsigned t = threadIdx.x;
    float v = in[blockIdx.x * blockDim.x + t];
    for (int k = 16; k > 0; k >>= 1)
        v += __shfl_down_sync(~0u, v, k);
    if (t % 32 == 0)
        sums[t / 32] = v;
    __syncthreads();
    if (t < 32) {
        v = t < blockDim.x / 32 ? sums[t] : 0.0f;
        for (int k = 16; k > 0; k >>= 1)
            v += __shfl_down_sync(~0u, v, k);
        if (t == 0)
            out[blockIdx.x] = v;
    }
}

// Turns an array round the grid: in each round every thread takes what the next block has just written, and adds one.
template <class Barrier> static __device__ void turn(unsigned *a, unsigned *b, unsigned rounds, Barrier barrier)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, next = i + blockDim.x;
    if (next >= n)
        next -= n;
    for (unsigned round = 0; round < rounds; round++) {
        b[i] = a[next] + 1;
        barrier(round);
        unsigned *swap = a;
        a = b;
        b = swap;
    }
}

struct grid_barrier {
    __device__ void operator()(unsigned) const { cg::this_grid().sync(); }
};

extern "C" __global__ void grid_sync(unsigned *a, unsigned *b, unsigned rounds)
{
    turn(a, b, rounds, grid_barrier());
}

// A counter of one's own, which the host has set to 0 and which grows by the number of blocks each round.
struct counted_barrier {
    unsigned *counter;
    __device__ void operator()(unsigned round) const
    {
        __syncthreads();
        if (threadIdx.x == 0) {
            unsigned now;
            __threadfence();
            atomicAdd(counter, 1);
            do {
                asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(counter) : "memory");
            } while (now < (round + 1) * gridDim.x);
        }
        __syncthreads();
    }
};

extern "C" __global__ void grid_sync_counter(unsigned *a, unsigned *b, unsigned rounds, unsigned *counter)
{
    turn(a, b, rounds, counted_barrier{counter});
}
