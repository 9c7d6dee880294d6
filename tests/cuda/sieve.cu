// Marks composites in a bit field, and tests random 64-bit numbers by trial division.
extern "C" __global__ void sieve(unsigned *composite, int n)
{
    int p = 2 + blockIdx.x * blockDim.x + threadIdx.x;
    if (p * p > n)
        return;
    for (int m = p * p; m <= n; m += p)
        atomicOr(&composite[m / 32], 1u << (m % 32));
}

extern "C" __global__ void lcg(long long *values, unsigned char *divisor, unsigned long long seed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned long long state = seed + i;
    for (int k = 0; k <= i % 7; k++)
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    long long v = (long long)(state >> 3) - (1LL << 60);
    values[i] = v;
    long long m = v < 0 ? -v : v;
    int d = 2;
    while (d < 100 && m % d != 0)
        d++;
    divisor[i] = (unsigned char)d;
}
