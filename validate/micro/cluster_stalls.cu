// 200 barriers of a cluster of 8 blocks of 128 threads, and 200 of each block: what the warps wait for.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(8) sync_only(int *out, int n)
{
    auto c = cg::this_cluster();
    for (int i = 0; i < n; i++)
        c.sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] = n;
}
__global__ void block_only(int *out, int n)
{
    for (int i = 0; i < n; i++)
        __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = n;
}
int main()
{
    int *out;
    cudaMalloc(&out, 4096);
    sync_only<<<16, 128>>>(out, 200);
    block_only<<<16, 128>>>(out, 200);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
