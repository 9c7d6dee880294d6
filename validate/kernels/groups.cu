// Cooperative groups of parts of a warp and of the grid; barriers in all their forms.
#include "kernel.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

// Tiles of 16, 8 and 4 threads.
KERNEL small_tiles(const int *in, int *out)
{
    auto block = cg::this_thread_block();
    auto tile16 = cg::tiled_partition<16>(block);
    auto tile4 = cg::tiled_partition<4>(tile16);
    auto tile8 = cg::tiled_partition<8>(block);
    int i = global_thread(), value = in[i];
    int sum = cg::reduce(tile16, value, cg::plus<int>());
    int low = cg::reduce(tile4, value, cg::less<int>());
    int next = tile8.shfl(value, (tile8.thread_rank() + 3) % 8);
    int any = tile4.any(value > 90) + 2 * tile8.all(value > 5) + 4 * __popc(tile16.ballot(value & 1));
    out[i] = sum + 100 * low + next + any * 10000 + (int)tile4.meta_group_rank();
}

// Only threads with odd values; the first of them sends the group's atomic. Each place has a sector of its own.
KERNEL coalesced_append(const int *in, int *count, int *seen)
{
    int i = global_thread();
    if (in[i] & 1) {
        auto active = cg::coalesced_threads();
        int first = 0;
        if (active.thread_rank() == 0)
            first = atomicAdd(count, (int)active.size());
        first = active.shfl(first, 0);
        atomicAdd(&seen[8 * (first + (int)active.thread_rank())], 1);
    }
}

// Groups by the threads' own values.
KERNEL labeled_groups(const int *in, int *out)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int i = global_thread(), label = in[i] % 5;
    auto alike = cg::labeled_partition(warp, label);
    int sum = cg::reduce(alike, in[i], cg::plus<int>());
    auto half = cg::binary_partition(warp, in[i] > 50);
    out[i] = sum * 64 + (int)half.size() + (int)alike.thread_rank() * 100000;
}

// All blocks meet between two phases (a cooperative launch).
KERNEL grid_phases(const int *in, int *between, int *out, int n)
{
    auto grid = cg::this_grid();
    for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size())
        between[i] = in[i] * 3 + 1;
    grid.sync();
    for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size())
        out[i] = between[n - 1 - i] + between[(i * 7) % n];
}

// Barriers that count and vote.
KERNEL barrier_votes(const int *in, int *out)
{
    int i = global_thread(), value = in[i];
    int odd = __syncthreads_count(value & 1);
    int all = __syncthreads_and(value < 95), any = __syncthreads_or(value > 97);
    out[i] = odd * 4 + all * 2 + any;
}

// Producers and consumers, half a block each, meet at named barriers.
KERNEL named_barriers(const int *in, int *out, int rounds)
{
    __shared__ int box[64];
    int t = threadIdx.x % 64, sum = 0;
    bool producer = threadIdx.x < 64;
    for (int k = 0; k < rounds; k++) {
        if (producer) {
            asm volatile("bar.sync 1, 128;" ::: "memory"); // the box is empty
            box[t] = in[(blockIdx.x * rounds + k) * 64 + t];
            __threadfence_block();
            asm volatile("bar.arrive 2, 128;" ::: "memory"); // the box is full
        } else {
            asm volatile("bar.arrive 1, 128;" ::: "memory");
            asm volatile("bar.sync 2, 128;" ::: "memory");
            sum += box[63 - t] * (k + 1);
        }
    }
    if (!producer)
        out[blockIdx.x * 64 + t] = sum;
}

// A block of several warps in which one warp leaves early.
KERNEL early_warps(const int *in, int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    if (t / 32 == 3 && in[blockIdx.x * 128 + t] >= 0)
        return;
    s[t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    out[blockIdx.x * 128 + t] = s[95 - t % 96];
}
