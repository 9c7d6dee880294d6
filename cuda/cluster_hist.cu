// Twin of kernels/cluster_hist.ptx: a histogram spread over the shared memory of a cluster of blocks. G 326-430.
// The guide drops the remainder of nbins / cluster size, and with it the last bins. Here bins_per_block is rounded up by
// the host, the last block owns fewer, and a launch that does not fit traps.
#include <cooperative_groups.h>

extern __shared__ int smem[];

extern "C" __global__ void clusterHist(int *bins, const int nbins, const int bins_per_block,
                                       const int *__restrict__ input, unsigned long long array_size)
{
    namespace cg = cooperative_groups;
    unsigned long long tid = threadIdx.x + (unsigned long long)blockIdx.x * blockDim.x;
    unsigned long long threads = (unsigned long long)blockDim.x * gridDim.x;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned bytes;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    if (bins_per_block * (int)cluster.num_blocks() < nbins || bytes < 4u * bins_per_block)
        __trap();

    for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x)
        smem[i] = 0;

    // All blocks run, and all bins are zero, before anyone adds.
    cluster.sync();

    for (unsigned long long i = tid; i < array_size; i += threads) {
        int ldata = input[i], binid = ldata;
        if (ldata < 0)
            binid = 0;
        else if (ldata >= nbins)
            binid = nbins - 1;
        int dst_block_rank = binid / bins_per_block;
        int dst_offset = binid % bins_per_block;
        int *dst_smem = cluster.map_shared_rank(smem, dst_block_rank);
        atomicAdd(dst_smem + dst_offset, 1);
    }

    // All additions are done before bins are read, and no block leaves while another still adds in its memory.
    cluster.sync();

    int first = cluster.block_rank() * bins_per_block;
    for (int i = threadIdx.x; i < bins_per_block && first + i < nbins; i += blockDim.x)
        atomicAdd(&bins[first + i], smem[i]);
}
