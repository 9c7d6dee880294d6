// Twin of kernels/occupancy.ptx: what limits the warps on an SM. G 833-901, A4 section 5.
extern "C" __global__ void block768(float *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
}

// A register-heavy image filter: 128 neighbours of one element are kept in registers, smoothed, and added up.
extern "C" __global__ void filter(const float *in, float *out, unsigned rounds)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    float r[128], s = 0;
#pragma unroll
    for (int i = 0; i < 128; i++)
        r[i] = in[t + i];
#pragma unroll 1
    for (unsigned round = 0; round < rounds; round++) {
#pragma unroll
        for (int i = 0; i < 128; i++)
            r[i] = r[(i + 1) % 128] * 0.5f + r[i];
    }
#pragma unroll
    for (int i = 0; i < 128; i++)
        s += r[i];
    out[t] = s;
}
