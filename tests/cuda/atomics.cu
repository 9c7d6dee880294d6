// Every atomic function on every type that it takes: 200 threads on a few words.
extern "C" __global__ void atomics(int *i, unsigned *u, unsigned long long *l, long long *s, float *f, double *d, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    atomicAdd(&i[0], t);
    atomicSub(&i[1], t);
    atomicMin(&i[2], 50 - t);
    atomicMax(&i[3], t - 50);
    atomicAnd(&i[4], ~(1 << t % 31));
    atomicOr(&i[5], 1 << t % 29);
    atomicXor(&i[6], t * 77);
    atomicExch(&i[7], 5);
    atomicCAS(&i[8], t, t + 1000);
    atomicAdd(&u[0], (unsigned)t);
    atomicSub(&u[1], (unsigned)t);
    atomicMin(&u[2], 4000000000u - (unsigned)t);
    atomicMax(&u[3], 4000000000u + (unsigned)t);
    atomicAnd(&u[4], ~(1u << t % 32));
    atomicOr(&u[5], 1u << t % 30);
    atomicXor(&u[6], (unsigned)t * 99);
    atomicExch(&u[7], 6u);
    atomicCAS(&u[8], (unsigned)t, 77u);
    atomicInc(&u[9], 16u);
    atomicDec(&u[10], 12u);
    atomicAdd(&l[0], (unsigned long long)t << 33);
    atomicMin(&l[1], (1ULL << 63) - t);
    atomicMax(&l[2], (1ULL << 63) + t);
    atomicAnd(&l[3], ~(1ULL << t % 64));
    atomicOr(&l[4], 1ULL << t % 61);
    atomicXor(&l[5], t * 0x123456789aULL);
    atomicExch(&l[6], 7ULL);
    atomicCAS(&l[7], (unsigned long long)t, 88ULL);
    atomicMin(&s[0], -(long long)t << 40);
    atomicMax(&s[1], (long long)t << 40);
    atomicAdd(&f[0], t * 0.5f);
    atomicExch(&f[1], 2.5f);
    atomicAdd(&d[0], t * 0.25);
    __shared__ int block_total;
    if (threadIdx.x == 0)
        block_total = 0;
    __syncthreads();
    atomicAdd(&block_total, atomicAdd(&i[9], 1) >= 0);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(&i[10], block_total);
}
