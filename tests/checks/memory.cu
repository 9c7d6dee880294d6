// Shared memory that is there, but not this access's; and other blocks' shared memory.

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// One element too many, which is another array's.
//! past_bad | memory | outside a shared array | @past.read
extern "C" __global__ void past_bad(int *out, const int *in)
{
    __shared__ int a[64];
    __shared__ int b[64];
    a[threadIdx.x] = in[threadIdx.x];
    b[threadIdx.x] = in[threadIdx.x] + 100;
    __syncthreads();
    int sum = 0;
    for (int i = threadIdx.x; i <= 64; i += 16)
        sum += a[i] - b[63 - threadIdx.x]; // @past.read
    out[threadIdx.x] = sum;
}

extern "C" __global__ void past_good(int *out, const int *in)
{
    __shared__ int a[64];
    __shared__ int b[64];
    a[threadIdx.x] = in[threadIdx.x];
    b[threadIdx.x] = in[threadIdx.x] + 100;
    __syncthreads();
    int sum = 0;
    for (int i = threadIdx.x; i < 64; i += 16)
        sum += a[i] - b[63 - threadIdx.x];
    out[threadIdx.x] = sum;
}

// The left neighbour of the first element.
//! before_bad | memory | outside a shared array | @before.read
extern "C" __global__ void before_bad(float *out, const float *in)
{
    __shared__ float a[64];
    __shared__ float b[64];
    a[threadIdx.x] = in[threadIdx.x];
    b[threadIdx.x] = -in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = a[threadIdx.x] * b[(int)threadIdx.x - 1]; // @before.read
    out[threadIdx.x + 64] = b[threadIdx.x] * a[threadIdx.x > 0 ? threadIdx.x - 1 : 0];
}

extern "C" __global__ void before_good(float *out, const float *in)
{
    __shared__ float a[64];
    __shared__ float b[64];
    a[threadIdx.x] = in[threadIdx.x];
    b[threadIdx.x] = -in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = a[threadIdx.x] * b[threadIdx.x > 0 ? threadIdx.x - 1 : 0];
    out[threadIdx.x + 64] = b[threadIdx.x] * a[threadIdx.x > 0 ? threadIdx.x - 1 : 0];
}

// A tile of 16 rows, used as one of 32.
//! rows_bad | memory | outside a shared array | @rows.write
extern "C" __global__ void rows_bad(int *out, const int *in)
{
    __shared__ int tile[16][17];
    __shared__ int more[16][17];
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    more[y % 16][x] = 0;
    __syncthreads();
    if (y < 16 || in[0] == 0)
        tile[y][x] = in[threadIdx.x]; // @rows.write
    __syncthreads();
    out[threadIdx.x] = tile[x][y % 16] + more[y % 16][x];
}

extern "C" __global__ void rows_good(int *out, const int *in)
{
    __shared__ int tile[16][17];
    __shared__ int more[16][17];
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    more[y % 16][x] = 0;
    __syncthreads();
    if (y < 16)
        tile[y][x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[x][y % 16] + more[y % 16][x];
}

// A block reads another one's shared memory, and that one may have ended.
//! ended_bad | memory | shared memory of a block that may have ended | @ended.read
extern "C" __global__ void __cluster_dims__(2, 1, 1) ended_bad(int *out, const int *in)
{
    __shared__ int s[64];
    cg::cluster_group cluster = cg::this_cluster();
    s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    cluster.sync();
    int *other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
    out[blockIdx.x * 64 + threadIdx.x] = other[threadIdx.x]; // @ended.read
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) ended_good(int *out, const int *in)
{
    __shared__ int s[64];
    cg::cluster_group cluster = cg::this_cluster();
    s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    cluster.sync();
    int *other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
    out[blockIdx.x * 64 + threadIdx.x] = other[threadIdx.x];
    cluster.sync();
}

// The other block has perhaps not written yet.
//! peer_bad | races | race between blocks | @peer.write @peer.read
extern "C" __global__ void __cluster_dims__(2, 1, 1) peer_bad(int *out, const int *in)
{
    __shared__ int s[64];
    cg::cluster_group cluster = cg::this_cluster();
    s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x]; // @peer.write
    __syncthreads();
    int *other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
    out[blockIdx.x * 64 + threadIdx.x] = other[threadIdx.x]; // @peer.read
    cluster.sync();
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) peer_good(int *out, const int *in)
{
    __shared__ int s[64];
    cg::cluster_group cluster = cg::this_cluster();
    s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    cluster.sync();
    int *other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
    out[blockIdx.x * 64 + threadIdx.x] = other[threadIdx.x];
    cluster.sync();
}
