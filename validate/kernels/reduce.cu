// Reductions and scans.
#include "kernel.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

// A tree in shared memory, the last warp without barriers.
template <int THREADS> __device__ void block_tree(volatile int *s, int t)
{
#pragma unroll
    for (int half = THREADS / 2; half >= 32; half /= 2) {
        if (t < half)
            s[t] = s[t] + s[t + half];
        __syncthreads();
    }
    if (t < 32) {
#pragma unroll
        for (int half = 16; half > 0; half /= 2) {
            int sum = s[t] + s[t + half];
            __syncwarp();
            s[t] = sum;
            __syncwarp();
        }
    }
}
template <int THREADS> __global__ void reduce_tree(const int *in, int *out, int n)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x, sum = 0;
    for (int i = blockIdx.x * THREADS * 2 + t; i < n; i += gridDim.x * THREADS * 2)
        sum += in[i] + (i + THREADS < n ? in[i + THREADS] : 0);
    s[t] = sum;
    __syncthreads();
    block_tree<THREADS>(s, t);
    if (t == 0)
        out[blockIdx.x] = s[0];
}
template __global__ void reduce_tree<128>(const int *, int *, int);

// Interleaved addressing, as it is first taught: conflicts of banks and divergence.
KERNEL reduce_interleaved(const int *in, int *out)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[global_thread()];
    __syncthreads();
    for (int step = 1; step < blockDim.x; step *= 2) {
        int at = 2 * step * t;
        if (at < blockDim.x)
            s[at] += s[at + step];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(out, s[0]);
}

KERNEL reduce_group(const int *in, int *sums, int *scans)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int i = global_thread();
    int sum = cg::reduce(warp, in[i], cg::plus<int>());
    int top = cg::reduce(warp, in[i], cg::greater<int>());
    scans[i] = cg::inclusive_scan(warp, in[i], cg::plus<int>());
    if (warp.thread_rank() == 0)
        sums[i / 32] = sum + 3 * top;
}

// The dot product in double precision; a fixed order, so one result.
KERNEL dot_double(const double *a, const double *b, double *out, int n)
{
    __shared__ double s[128];
    double sum = 0;
    for (int i = global_thread(); i < n; i += gridDim.x * blockDim.x)
        sum += a[i] * b[i];
    s[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half)
            s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = s[0];
}

// Blelloch's scan with padding against conflicts of banks.
#define PADDED(i) ((i) + (i) / 32)
KERNEL scan_blelloch(const int *in, int *out)
{
    __shared__ int s[PADDED(512)];
    int t = threadIdx.x, base = blockIdx.x * 512, offset = 1;
    s[PADDED(2 * t)] = in[base + 2 * t];
    s[PADDED(2 * t + 1)] = in[base + 2 * t + 1];
    for (int active = 256; active > 0; active /= 2) {
        __syncthreads();
        if (t < active) {
            int a = PADDED(offset * (2 * t + 1) - 1), b = PADDED(offset * (2 * t + 2) - 1);
            s[b] += s[a];
        }
        offset *= 2;
    }
    if (t == 0)
        s[PADDED(511)] = 0;
    for (int active = 1; active < 512; active *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < active) {
            int a = PADDED(offset * (2 * t + 1) - 1), b = PADDED(offset * (2 * t + 2) - 1), kept = s[a];
            s[a] = s[b];
            s[b] += kept;
        }
    }
    __syncthreads();
    out[base + 2 * t] = s[PADDED(2 * t)];
    out[base + 2 * t + 1] = s[PADDED(2 * t + 1)];
}

// Sums between flags, each thread its own stretch.
KERNEL segmented_sum(const int *in, const unsigned char *flag, int *out, int n)
{
    int i = global_thread();
    if (i >= n || flag[i] % 8)
        return;
    int sum = in[i];
    for (int k = i + 1; k < n && flag[k] % 8; k++)
        sum += in[k];
    out[i] = sum;
}

// Rows of a matrix times a vector, a warp for each row, and the row's largest value with it.
KERNEL matvec_rows(const float *matrix, const float *vector, float *out, int columns)
{
    int row = global_thread() / 32, lane = threadIdx.x % 32;
    float sum = 0, top = -1e30f;
    for (int k = lane; k < columns; k += 32) {
        float product = matrix[row * columns + k] * vector[k];
        sum += product;
        top = fmaxf(top, product);
    }
    for (int mask = 16; mask > 0; mask /= 2) {
        sum += __shfl_xor_sync(FULL_MASK, sum, mask);
        top = fmaxf(top, __shfl_xor_sync(FULL_MASK, top, mask));
    }
    if (lane == 0)
        out[row] = sum / top;
}
