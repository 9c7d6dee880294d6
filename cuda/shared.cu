// Twin of kernels/shared.ptx: static and dynamic shared memory. G 182-231, 899.
extern "C" __global__ void __launch_bounds__(1024) static_reverse(float *in, float *out)
{
    __shared__ float sharedArray[1024];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    sharedArray[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = sharedArray[blockDim.x - 1 - threadIdx.x];
}

// All dynamic arrays of a kernel are this one.
extern __shared__ float array[];

// More than 49,152 bytes of it need the attribute cudaFuncAttributeMaxDynamicSharedMemorySize.
extern "C" __global__ void dynsmem100k(float *out)
{
    array[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = array[blockDim.x - 1 - threadIdx.x];
}

// Three arrays in one. With good = 0 array1 begins at byte 254: not a multiple of 4, and the first store is a fault.
extern "C" __global__ void dyn_partition(float *out, int good)
{
    short *array0 = (short *)array;
    float *array1 = (float *)&array0[good ? 128 : 127];
    int *array2 = (int *)&((float *)&array0[128])[64];
    int t = threadIdx.x;
    if (t < 128)
        array0[t] = (short)t;
    __syncthreads();
    if (t < 64)
        array1[t] = t * 0.5f;
    __syncthreads();
    array2[t] = 3 * t;
    __syncthreads();
    float sum = t < 64 ? array1[t] : 0.0f;
    sum += t < 128 ? array0[t & 127] : 0;
    out[t] = sum + array2[t];
}

// Declaring two dynamic arrays does not make two: both names are the same memory.
extern __shared__ unsigned second[];

extern "C" __global__ void dyn_alias(unsigned *out)
{
    volatile unsigned *one = (volatile unsigned *)array, *other = second;
    one[threadIdx.x] = threadIdx.x;
    other[threadIdx.x] = 1000 + threadIdx.x;
    out[threadIdx.x] = one[threadIdx.x];
}
