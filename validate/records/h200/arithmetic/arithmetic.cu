// Additions, products and both in one, some for a part of the lanes: what ncu counts of them (README.md).
#include <cstdio>
extern "C" __global__ void mixed32(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = x[i], b = a + 1.5f, c = b * 3.0f, d = c * a + b;
    if (threadIdx.x % 3 == 0)
        d = d + b;
    if (i < n) {
        d = fmaf(d, c, a);
        for (int k = 0; k < (i & 7); k++)
            d = d * 1.25f - c;
    }
    d += sqrtf(fabsf(d)) / (fabsf(c) + 1.0f);
    x[i] = d;
}
extern "C" __global__ void mixed64(double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double a = x[i], b = a + 1.5, c = b * 3.0, d = c * a + b;
    if (i < n)
        d = fma(d, c, a) + b;
    x[i] = d / (c * c + 1.0);
}
int main()
{
    void *p;
    cudaMalloc(&p, 1 << 20);
    cudaMemset(p, 0, 1 << 20);
    mixed32<<<8, 128>>>((float *)p, 1000);
    cudaMemset(p, 0, 1 << 20);
    mixed64<<<8, 128>>>((double *)p, 1000);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
