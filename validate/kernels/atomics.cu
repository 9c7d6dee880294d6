// Atomics of every type and operation, on global memory and on shared memory.
//
// Results do not depend on the order: the operations commute, floating-point sums are of small whole numbers, and what
// an exchange leaves is the same from all threads. Operations that nvcc makes a loop of compare-and-swap have an
// address of their own for each thread that could disturb another, so that the number of turns is the same each time.
#include "kernel.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

KERNEL global_s32(int *a, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    atomicAdd(&a[0], i - 40);
    atomicSub(&a[1], i);
    atomicMin(&a[2], 77 - i);
    atomicMax(&a[3], i - 77);
    atomicAnd(&a[4], ~(1 << i % 30));
    atomicOr(&a[5], 1 << i % 29);
    atomicXor(&a[6], i * 2654435);
    atomicExch(&a[7], 1234);
    atomicCAS(&a[8], 0, 99);
    atomicAdd(&a[32 + i % 64], i);
}

KERNEL global_u32(unsigned *a, int n)
{
    unsigned i = global_thread();
    if (i >= n)
        return;
    atomicAdd(&a[0], i);
    atomicSub(&a[1], i);
    atomicMin(&a[2], 4000000000u - i);
    atomicMax(&a[3], 4000000000u + i);
    atomicInc(&a[4], 1000u);
    atomicDec(&a[5], 700u);
    atomicAnd(&a[6], ~(1u << i % 31));
    atomicOr(&a[7], 1u << i % 27);
    atomicXor(&a[8], i * 40503u);
}

KERNEL global_u64(unsigned long long *a, long long *s, int n)
{
    unsigned long long i = global_thread();
    if (i >= n)
        return;
    atomicAdd(&a[0], i << 33);
    atomicMin(&a[1], (1ull << 63) - i);
    atomicMax(&a[2], (1ull << 63) + i);
    atomicAnd(&a[3], ~(1ull << i % 60));
    atomicOr(&a[4], 1ull << i % 59);
    atomicXor(&a[5], i * 0x9e3779b97f4a7c15ull);
    atomicExch(&a[6], 0x123456789abcdefull);
    atomicCAS(&a[7], 0ull, 0xfedcba987654321ull);
    atomicMin(&s[0], -(long long)(i << 40));
    atomicMax(&s[1], (long long)(i << 40));
    atomicAdd(&a[16 + i % 32], i);
}

// Sums of whole numbers, exact in every order.
KERNEL global_floats(float *f, double *d, __half2 *h, __nv_bfloat162 *b, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    atomicAdd(&f[i % 5], (float)(i % 16));
    atomicAdd(&d[i % 3], (double)i);
    atomicAdd(&h[i % 64], __floats2half2_rn(1.0f, 2.0f));
    atomicAdd(&b[i % 128], __floats2bfloat162_rn(1.0f, 3.0f));
    atomicExch(&f[8], 6.5f);
}

// What an atomic returns is used: every thread takes a ticket, and each ticket is taken once. A ticket's cell has a
// sector of its own, so that the number of sectors is the same whoever takes which.
KERNEL tickets(unsigned *next, unsigned *taken, unsigned long long *sum, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    unsigned ticket = atomicAdd(next, 1u);
    atomicAdd(&taken[8 * ticket], 1u);
    unsigned wrapped = atomicInc(&next[1], 63u), stepped = atomicDec(&next[2], 15u);
    atomicAdd(sum, (unsigned long long)wrapped * 3 + stepped);
}

// Operations that the hardware does not have, by compare-and-swap: each thread on its own cell.
KERNEL cas_loops(float *most, unsigned *product, double *least, const float *in, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    for (int k = 0; k < 4; k++) {
        float value = in[(i + k * 37) % n];
        int seen = __float_as_int(most[i]), expected;
        while (value > __int_as_float(seen)) {
            expected = seen;
            seen = atomicCAS((int *)&most[i], expected, __float_as_int(value));
            if (seen == expected)
                break;
        }
        unsigned before = product[i], assumed;
        do {
            assumed = before;
            before = atomicCAS(&product[i], assumed, assumed * (2 * k + 3));
        } while (before != assumed);
        unsigned long long *cell = (unsigned long long *)&least[i], old = *cell, was;
        do {
            was = old;
            double low = fmin(__longlong_as_double((long long)was), (double)value);
            old = atomicCAS(cell, was, (unsigned long long)__double_as_longlong(low));
        } while (old != was);
    }
}

// A scope wider or narrower than the device; 16-bit compare-and-swap.
KERNEL scoped(int *block_sum, int *system_sum, unsigned short *shorts, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    atomicAdd_block(&block_sum[blockIdx.x], i);
    atomicMax_block(&block_sum[gridDim.x + blockIdx.x], i);
    atomicAdd_system(&system_sum[0], i);
    atomicOr_system(&system_sum[1], 1 << i % 32);
    unsigned short old = atomicCAS(&shorts[i], (unsigned short)0, (unsigned short)(i * 3));
    if (old != 0)
        shorts[i] = 0;
}

// 256 bins in global memory, uneven.
KERNEL histogram_global(const unsigned char *in, unsigned *bins, int n)
{
    for (int i = global_thread(); i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i] & in[n - 1 - i]], 1u);
}

// The same in the block's shared memory first.
KERNEL histogram_shared(const unsigned char *in, unsigned *bins, int n)
{
    __shared__ unsigned own[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        own[b] = 0;
    __syncthreads();
    for (int i = global_thread(); i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[in[i] & in[n - 1 - i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        if (own[b])
            atomicAdd(&bins[b], own[b]);
}

KERNEL shared_s32(int *out)
{
    __shared__ int a[64];
    int i = threadIdx.x;
    if (i < 64)
        a[i] = i == 4 ? -1 : 0;
    __syncthreads();
    atomicAdd(&a[0], i - 40);
    atomicSub(&a[1], i);
    atomicMin(&a[2], 77 - i);
    atomicMax(&a[3], i - 77);
    atomicAnd(&a[4], ~(1 << i % 30));
    atomicOr(&a[5], 1 << i % 29);
    atomicXor(&a[6], i * 2654435);
    atomicExch(&a[7], 1234);
    atomicCAS(&a[8], 0, 99);
    atomicInc((unsigned *)&a[9], 50u);
    atomicDec((unsigned *)&a[10], 70u);
    atomicMin((unsigned *)&a[11], (unsigned)i);
    atomicMax((unsigned *)&a[12], 0x80000000u + i);
    int seen = atomicAdd(&a[16 + i % 48], 1);
    atomicAdd(&a[13], seen);
    __syncthreads();
    if (i < 64)
        out[blockIdx.x * 64 + i] = a[i];
}

// One warp a block: turns of a compare-and-swap loop then depend on the warp's own lanes alone.
KERNEL shared_u64(unsigned long long *out)
{
    __shared__ unsigned long long a[40];
    int i = threadIdx.x;
    a[i] = i == 3 ? ~0ull : 0;
    if (i < 8)
        a[32 + i] = 0;
    __syncthreads();
    atomicAdd(&a[i], (unsigned long long)i << 33);
    atomicExch(&a[32], 7ull);
    atomicCAS(&a[33], 0ull, 88ull);
    __syncthreads();
    atomicMax(&a[i], 1ull << 34);
    atomicMin(&a[i], 1ull << 37);
    atomicXor(&a[i], 0x5555ull);
    atomicOr(&a[i], 1ull << 60);
    atomicAnd(&a[i], ~1ull);
    atomicAdd(&a[34 + i / 16], 1ull);
    __syncthreads();
    out[blockIdx.x * 40 + i] = a[i];
    if (i < 8)
        out[blockIdx.x * 40 + 32 + i] = a[32 + i];
}

KERNEL shared_floats(float *out, double *out_double)
{
    __shared__ float f[32];
    __shared__ double d[32];
    __shared__ __half2 h[32];
    int i = threadIdx.x;
    f[i] = 0;
    d[i] = 0;
    h[i] = __floats2half2_rn(0, 0);
    __syncthreads();
    atomicAdd(&f[i], 1.5f);
    atomicAdd(&f[i / 8], (float)i);
    atomicAdd(&d[i], 2.25);
    atomicAdd(&d[i / 16], (double)i);
    atomicAdd(&h[i], __floats2half2_rn(1.0f, 0.5f));
    atomicExch(&f[31], 3.5f);
    __syncthreads();
    float2 pair = __half22float2(h[i]);
    out[blockIdx.x * 32 + i] = f[i] + pair.x + 2 * pair.y;
    out_double[blockIdx.x * 32 + i] = d[i];
}

// The sum of all blocks, finished by the last block to arrive.
__device__ unsigned arrived;
KERNEL last_block_sum(const int *in, int *partial, int *total, int n)
{
    __shared__ int sum;
    __shared__ bool last;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    int mine = 0;
    for (int i = global_thread(); i < n; i += gridDim.x * blockDim.x)
        mine += in[i];
    atomicAdd(&sum, mine);
    __syncthreads();
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;
    int all = 0;
    for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x)
        all += ((volatile int *)partial)[b];
    atomicAdd(total, all);
}
