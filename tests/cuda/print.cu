// Prints, and asserts.
#include <assert.h>
#include <stdio.h>

extern "C" __global__ void print(float scale, const char *name)
{
    if (threadIdx.x == 0)
        printf("block %d of %u: %s\n", blockIdx.x, gridDim.x, name);
    printf("%3u %08.3f %lld %c%%\n", threadIdx.x, threadIdx.x * scale, (long long)threadIdx.x << 33,
           (char)('a' + threadIdx.x));
}

extern "C" __global__ void check(const int *data, int n)
{
    int i = threadIdx.x;
    if (i < n)
        assert(data[i] < 40 && "small enough");
}
