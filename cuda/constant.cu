// Twin of kernels/constant.ptx: constant memory, which the host fills by cudaMemcpyToSymbol. G 251-300.
__constant__ float coeffs[4];
__constant__ float const_array[128];

extern "C" __global__ void constcompute(float *out)
{
    int idx = threadIdx.x;
    out[idx] = coeffs[0] * idx + coeffs[1];
}

// What constant memory is for: all lanes read the same word.
extern "C" __global__ void const_uniform(float *in, float *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    out[i] = ((coeffs[3] * x + coeffs[2]) * x + coeffs[1]) * x + coeffs[0];
}

// 32 lanes read 32 different words, one after the other.
extern "C" __global__ void const_lane(float *out)
{
    out[threadIdx.x] = const_array[threadIdx.x];
}
