// Twin of kernels/registers.ptx: registers, the fastest memory, and the one that runs out. G 233-237, A4 section 4.
static __device__ float forty(const float *in)
{
    float r[40], s = 0;
#pragma unroll
    for (int i = 0; i < 40; i++)
        r[i] = in[256 * i];
#pragma unroll 1
    for (int round = 0; round < 40; round++) {
#pragma unroll
        for (int i = 0; i < 40; i++)
            r[i] = r[i] * r[(i + 7) % 40] + r[(i + 13) % 40];
    }
#pragma unroll
    for (int i = 0; i < 40; i++)
        s += r[i] * i;
    return s;
}

// 40 values alive at once under a cap of 65,536 / (8 * 256) = 32 registers: ptxas spills.
extern "C" __global__ void __launch_bounds__(256, 8) spill(const float *in, float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = forty(in + t);
}

// The same without the cap.
extern "C" __global__ void spill_free(const float *in, float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = forty(in + t);
}

// The article's "bad": four variables. Its kernel stores nothing, so a compiler removes all of it; this one stores.
extern "C" __global__ void temps_many(const float *data, float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float a = data[4 * t], b = data[4 * t + 1], c = data[4 * t + 2], d = data[4 * t + 3];
    float sum = a + b, product = sum * c, quotient = product / d;
    out[t] = quotient;
}

// Its "good": one variable, used again and again. A compiler gives registers to values, not to names.
extern "C" __global__ void temps_reused(const float *data, float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[4 * t];
    x = x + data[4 * t + 1];
    x = x * data[4 * t + 2];
    x = x / data[4 * t + 3];
    out[t] = x;
}
