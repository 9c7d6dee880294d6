/* What fuzz/cubin.sass and the cubins of fuzz/corpus/cubin are made from: a little of everything that a cubin can hold.
 *     nvcc -arch=sm_90 -cubin -lineinfo -o fuzz/corpus/cubin/lines cubin.cu; cuobjdump -sass lines >fuzz/cubin.sass
 *     nvcc -arch=sm_90 -cubin -o fuzz/corpus/cubin/plain cubin.cu */
__constant__ float table[4] = {1, 2, 3, 4};
__device__ int counter = 7;
__device__ int *where = &counter;
struct pair {
    int a;
    double b;
};

__device__ __noinline__ int twice(int x)
{
    return 2 * x + counter;
}

__device__ int (*chosen)(int) = twice;

__global__ void small(float *out, struct pair p, int c)
{
    __shared__ float tile[64];
    tile[threadIdx.x] = table[threadIdx.x & 3] + (float)p.b + (float)c;
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x] + (float)chosen(p.a) + (float)*where;
}
