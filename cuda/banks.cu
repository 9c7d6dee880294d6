// Twin of kernels/banks.ptx: the 32 banks of shared memory. G 536-592, 687-742.

// Figure 15. Volatile, so that the load stays in the loop.
extern "C" __global__ void bank_stride(float *out, int stride, int iters)
{
    __shared__ float s[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        s[i] = i;
    __syncthreads();
    float v = 0;
    int j = (threadIdx.x * stride) & 4095;
    for (int k = 0; k < iters; k++)
        v += ((volatile float *)s)[j];
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

// Figure 16: a permutation, five lanes on one word, all lanes on one word.
extern "C" __global__ void bank_fig16(float *out, int which)
{
    __shared__ float s[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        s[i] = i * 0.5f;
    __syncthreads();
    int t = threadIdx.x & 31;
    bool five = t == 3 || t == 4 || t == 6 || t == 7 || t == 9;
    int j = which == 0 ? (t * 13 + 7) & 31 : which == 1 ? (five ? 5 : t) : 17;
    out[threadIdx.x] = ((volatile float *)s)[j];
}

// Figures 17 and 18: a tile whose rows are `pitch` words apart, read along a row or down a column.
extern "C" __global__ void __launch_bounds__(1024) tile_access(unsigned *out, unsigned pitch, unsigned by_column)
{
    __shared__ unsigned tile[32 * 33];
    unsigned x = threadIdx.x, y = threadIdx.y;
    tile[y * pitch + x] = 100 * y + x;
    __syncthreads();
    unsigned row = by_column ? x : y, column = by_column ? y : x;
    out[y * blockDim.x + x] = tile[row * pitch + column];
}

// Several lanes write one word; one of the writes stays, so all write the same value.
extern "C" __global__ void bank_same_word(unsigned *out)
{
    __shared__ unsigned word;
    *(volatile unsigned *)&word = 77;
    __syncthreads();
    out[threadIdx.x] = word;
}
