// The sum of an array by shuffles, one atomic add a block.
#define FULL 0xffffffff

__inline__ __device__ float warp_sum(float v)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        v += __shfl_down_sync(FULL, v, offset);
    return v;
}

extern "C" __global__ void warp_reduce(const float *in, float *total, int n)
{
    static __shared__ float partial[32];
    int lane = threadIdx.x % warpSize, wid = threadIdx.x / warpSize;
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        v += in[i];
    v = warp_sum(v);
    if (lane == 0)
        partial[wid] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / warpSize ? partial[lane] : 0;
    if (wid == 0)
        v = warp_sum(v);
    if (threadIdx.x == 0)
        atomicAdd(total, v);
}
