// Twin of kernels/coalesce.ptx: how a warp's addresses become sectors. G 438-485.
extern "C" __global__ void copy_stride(const float *in, float *out, int stride, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[((long long)i * stride) % n];
}

extern "C" __global__ void copy_offset(const float *in, float *out, int shift)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + shift];
}

// The lanes of a warp shuffled: "out of order" costs nothing within the same sectors.
extern "C" __global__ void permuted(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + (threadIdx.x ^ 21);
    out[i] = in[i];
}

// Four words a lane in one access: a quarter of the requests for the same sectors.
extern "C" __global__ void copy_wide(const float4 *in, float4 *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}
