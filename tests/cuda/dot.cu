// A double-precision dot product, the sum by compare and swap as on devices before sm_60.
__device__ double atomic_add_double(double *address, double val)
{
    unsigned long long int *address_as_ull = (unsigned long long int *)address;
    unsigned long long int old = *address_as_ull, assumed;
    do {
        assumed = old;
        old = atomicCAS(address_as_ull, assumed, __double_as_longlong(val + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}

extern "C" __global__ void dot(const double *a, const double *b, double *result, int n)
{
    __shared__ double cache[96];
    double temp = 0;
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x)
        temp += a[i] * b[i];
    cache[threadIdx.x] = temp;
    __syncthreads();
    if (threadIdx.x < 32) {
        double v = cache[threadIdx.x] + cache[threadIdx.x + 32] + cache[threadIdx.x + 64];
        for (int o = 16; o > 0; o >>= 1)
            v += __shfl_down_sync(~0u, v, o);
        if (threadIdx.x == 0)
            atomic_add_double(result, v);
    }
}
