// What a kernel asks of the device without any library, and narrow constants at an index that is the same in all lanes.
#include <cstdio>
#include <cstdlib>

__constant__ signed char small_signed[8] = {-128, 127, -1, 0, 5, -77, 33, -2};
__constant__ unsigned char small_unsigned[8] = {0, 255, 128, 127, 5, 200, 33, 254};
__constant__ short short_signed[8] = {-32768, 32767, -1, 0, 513, -777, 3333, -2};
__constant__ unsigned short short_unsigned[8] = {0, 65535, 32768, 32767, 513, 40000, 3333, 65534};

/* out: 8 sums a lane would have in C. */
extern "C" __global__ void narrow_constants(long long *out, int count)
{
    long long sum = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < count; i++)
        sum = sum * 7 + small_signed[i] + 3 * (long long)small_unsigned[i] - 5 * (long long)short_signed[i] +
              11 * (long long)short_unsigned[i];
    out[threadIdx.x] = sum;
}

/* One warp prints; some lanes do not. */
extern "C" __global__ void say(float scale, const char *name, int *returned)
{
    const int lane = (int)threadIdx.x;
    if (lane == 0)
        printf("%s begins: %u lanes, %p\n", name, blockDim.x, (void *)0);
    __syncwarp();
    if (lane % 3 != 1)
        returned[lane] = printf("%2d|%-6d|%+05d|%#x|%o|%8.3f|%e|%g|%c|%lld|%llu|%%|%s\n", lane, lane * -11, lane * 37, lane * 255,
                                lane * 9, lane * scale, lane * 1e-3, lane / 3.0, 'a' + lane % 26,
                                (long long)lane << 40, ~0ull - lane, lane % 2 ? "odd" : "even");
    __syncwarp();
    if (lane == 31)
        printf("no arguments\n");
}

/* A list of `count` numbers in the heap for each lane, summed and given back. */
extern "C" __global__ void heap(int *out, int count)
{
    int *list = (int *)malloc(sizeof(int) * count), sum = 0;
    if (list == NULL) {
        out[threadIdx.x] = -1;
        return;
    }
    for (int i = 0; i < count; i++)
        list[i] = (int)threadIdx.x * i;
    for (int i = 0; i < count; i++)
        sum += list[i];
    free(list);
    out[threadIdx.x] = sum;
}
