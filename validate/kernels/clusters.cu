// Thread-block clusters: blocks that read and add to each other's shared memory.
#include "kernel.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// Each block reads its right neighbour's tile.
KERNEL cluster_ring(const int *in, int *out)
{
    __shared__ int tile[128];
    auto cluster = cg::this_cluster();
    int i = global_thread(), t = threadIdx.x;
    tile[t] = in[i];
    cluster.sync();
    unsigned right = (cluster.block_rank() + 1) % cluster.num_blocks();
    const int *theirs = cluster.map_shared_rank(tile, right);
    out[i] = theirs[127 - t] * 2 + tile[t] + (int)cluster.block_rank();
    cluster.sync();
}

// A cluster's sum: every block adds to the first block's memory.
KERNEL cluster_sum(const int *in, int *out)
{
    __shared__ int sum;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        sum = 0;
    cluster.sync();
    int mine = __reduce_add_sync(FULL_MASK, in[global_thread()]);
    if (threadIdx.x % 32 == 0)
        atomicAdd(cluster.map_shared_rank(&sum, 0), mine);
    cluster.sync();
    if (cluster.block_rank() == 0 && threadIdx.x == 0)
        out[blockIdx.x / cluster.num_blocks()] = sum;
}

// The cluster's size stands in the code; the two halves of the barrier are apart, with work between.
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_exchange(const int *in, int *out)
{
    __shared__ int box[128];
    auto cluster = cg::this_cluster();
    int i = global_thread(), t = threadIdx.x;
    *cluster.map_shared_rank(&box[t], cluster.block_rank() ^ 1) = in[i] * 5;
    auto token = cluster.barrier_arrive();
    int work = 0;
    for (int k = 0; k < 8; k++)
        work += in[(i + k * 128) % (int)(gridDim.x * 128)];
    cluster.barrier_wait(cuda::std::move(token));
    out[i] = box[t] + work;
}

// A histogram spread over a cluster's blocks.
KERNEL cluster_histogram(const unsigned char *in, int *bins, int bins_each, int n)
{
    extern __shared__ int own[];
    auto cluster = cg::this_cluster();
    for (int b = threadIdx.x; b < bins_each; b += blockDim.x)
        own[b] = 0;
    cluster.sync();
    for (int i = global_thread(); i < n; i += gridDim.x * blockDim.x) {
        int bin = in[i] % (bins_each * (int)cluster.num_blocks());
        atomicAdd(cluster.map_shared_rank(own, bin / bins_each) + bin % bins_each, 1);
    }
    cluster.sync();
    for (int b = threadIdx.x; b < bins_each; b += blockDim.x)
        atomicAdd(&bins[cluster.block_rank() * bins_each + b], own[b]);
}

// Clusters of two dimensions.
KERNEL cluster_plane(int *out)
{
    __shared__ int mark;
    auto cluster = cg::this_cluster();
    dim3 at = cluster.block_index();
    if (threadIdx.x == 0)
        mark = (int)(blockIdx.y * gridDim.x + blockIdx.x);
    cluster.sync();
    int sum = 0;
    for (unsigned r = 0; r < cluster.num_blocks(); r++)
        sum += *cluster.map_shared_rank(&mark, r);
    cluster.sync();
    if (threadIdx.x == 0)
        out[blockIdx.y * gridDim.x + blockIdx.x] = sum * 100 + (int)(at.y * 10 + at.x);
}
