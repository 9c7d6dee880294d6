// Twin of kernels/divergence.ptx: a branch that splits every warp, and one that does not. A4 section 2.
static __device__ float first(float v, int iters)
{
    for (int k = 0; k < iters; k++)
        v = v * 1.0001f + 0.5f;
    return v;
}

static __device__ float second(float v, int iters)
{
    for (int k = 0; k < iters; k++)
        v = v * v + 0.25f;
    return v;
}

extern "C" __global__ void divergent(float *data, int iters)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = threadIdx.x % 32 < 16 ? first(data[i], iters) : second(data[i], iters);
}

// Odd warps run the first loop, even warps the second: no warp splits.
extern "C" __global__ void uniformbranch(float *data, int iters)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = threadIdx.x / 32 % 2 ? first(data[i], iters) : second(data[i], iters);
}
