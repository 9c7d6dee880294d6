// Memory accesses: vectors, bytes, shorts, structures, constant, local and generic memory, caching hints, shared
// layouts.
#include "kernel.h"

KERNEL copy_vec4(const float4 *in, float4 *out, int n)
{
    for (int i = global_thread(); i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i];
}

KERNEL add_vec2(const int2 *a, const int2 *b, int2 *out, int n)
{
    int i = global_thread();
    if (i < n)
        out[i] = make_int2(a[i].x + b[i].y, a[i].y - b[i].x);
}

KERNEL split_vec(const longlong2 *in, long long *low, ushort4 *shorts, uchar4 *bytes, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    longlong2 pair = in[i];
    low[i] = pair.x ^ pair.y;
    shorts[i] = make_ushort4(pair.x, pair.x >> 16, pair.y, pair.y >> 16);
    bytes[i] = make_uchar4(pair.x, pair.x >> 8, pair.y >> 24, pair.y >> 32);
}

// Three bytes a pixel: loads that no vector fits.
KERNEL rgb_to_gray(const unsigned char *rgb, unsigned char *gray, int pixels)
{
    int i = global_thread();
    if (i >= pixels)
        return;
    gray[i] = (unsigned char)((rgb[3 * i] * 77 + rgb[3 * i + 1] * 150 + rgb[3 * i + 2] * 29) >> 8);
}

// Signed 16-bit samples, saturated; signed bytes besides.
KERNEL mix_audio(const short *a, const short *b, const signed char *gain, short *out, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    int mixed = a[i] + (b[i] * gain[i] >> 6);
    out[i] = (short)max(-32768, min(32767, mixed));
}

// ASCII letters to upper case, four to a word.
KERNEL upper_case(char *text, int n)
{
    int i = global_thread();
    if (4 * i + 3 >= n)
        return;
    char4 c = ((char4 *)text)[i];
    char *letter = (char *)&c;
    for (int k = 0; k < 4; k++)
        if (letter[k] >= 'a' && letter[k] <= 'z')
            letter[k] -= 32;
    ((char4 *)text)[i] = c;
}

// Structures of 20 bytes to separate arrays.
struct particle {
    float x, y, z;
    int id;
    short kind;
    unsigned char flags[2];
};
KERNEL aos_to_soa(const particle *in, float *x, float *y, int *id, short *kind, unsigned char *flags, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    particle p = in[i];
    x[i] = p.x;
    y[i] = p.y + p.z;
    id[i] = p.id;
    kind[i] = p.kind;
    flags[i] = p.flags[0] | p.flags[1];
}

// A sum over neighbours through shared memory, with a border on both sides.
#define RADIUS 3
KERNEL stencil(const int *in, int *out, int n)
{
    __shared__ int tile[128 + 2 * RADIUS];
    int i = global_thread(), at = threadIdx.x + RADIUS;
    tile[at] = i < n ? in[i] : 0;
    if (threadIdx.x < RADIUS) {
        tile[at - RADIUS] = i >= RADIUS ? in[i - RADIUS] : 0;
        tile[at + 128] = i + 128 < n ? in[i + 128] : 0;
    }
    __syncthreads();
    int sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += tile[at + k] * (k + RADIUS + 1);
    if (i < n)
        out[i] = sum;
}

// Constant memory: one address for all lanes, and one for each.
__constant__ int weights[64] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
__constant__ double factors[4] = {0.5, 0.25, 2.0, 8.0};
KERNEL constant_reads(const int *in, double *out, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    int sum = 0;
    for (int k = 0; k < 16; k++)
        sum += weights[k] * k;
    sum += weights[in[i] & 63] + weights[i & 15];
    out[i] = sum * factors[i & 3];
}

// An array that is indexed by data lies in local memory.
KERNEL local_histogram(const unsigned char *in, int *out, int each)
{
    int i = global_thread();
    unsigned short bins[16] = {0};
    for (int k = 0; k < each; k++)
        bins[in[i * each + k] & 15]++;
    int most = 0;
    for (int b = 1; b < 16; b++)
        if (bins[b] > bins[most])
            most = b;
    out[i] = most * 1000 + bins[most];
}

// A pointer that points to shared or to global memory, as the data say: generic loads and stores.
__device__ __noinline__ int sum_of(const int *from, int *to, int count)
{
    int sum = 0;
    for (int k = 0; k < count; k++)
        sum += from[k];
    *to = sum;
    return sum;
}
KERNEL generic_pointers(int *data, int *out)
{
    __shared__ int own[256];
    int i = global_thread(), t = threadIdx.x;
    own[t] = data[i] * 2;
    own[t + 128] = t;
    __syncthreads();
    int kept = 0;
    int *to = t % 3 ? &out[i] : &kept;
    int *from = data[i] & 1 ? &own[t] : &data[blockIdx.x * 128 + t / 2];
    int sum = sum_of(from, to, 4);
    out[128 * gridDim.x + i] =
        sum + kept + (__isShared(from) ? 1 : 0) + (__isGlobal(to) ? 2 : 0) + (__isLocal(to) ? 4 : 0);
}

// Loads and stores with caching hints, through the read-only path, volatile, and a prefetch.
KERNEL cache_hints(const int *__restrict__ a, const int4 *b, volatile int *c, int *out, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    asm volatile("prefetch.global.L2 [%0];" ::"l"(a + i));
    int sum = __ldg(a + i) + __ldcg(a + (i + 1) % n) + __ldcs(a + (i + 2) % n) + __ldca(a + (i + 3) % n) +
              __ldcv(a + (i + 4) % n);
    int4 quad = __ldlu(b + i);
    sum += quad.x + quad.w + c[i];
    c[i] = sum;
    __threadfence_block();
    __stcg(out + i, sum);
    __stcs(out + n + i, sum + 1);
    __stwt(out + 2 * n + i, sum + 2);
}

// Bytes, shorts, doubles and vectors in shared memory, with and without conflicts of banks.
KERNEL shared_layouts(const int *in, int *out, int stride)
{
    __shared__ unsigned char bytes[1024];
    __shared__ short shorts[1024];
    __shared__ double doubles[256];
    __shared__ float4 quads[256];
    __shared__ int2 pairs[256];
    int i = global_thread(), t = threadIdx.x;
    bytes[(t * stride) & 1023] = (unsigned char)in[i];
    shorts[(t * stride * 3) & 1023] = (short)in[i];
    doubles[(t * stride) & 255] = in[i];
    quads[(t * 5) & 255] = make_float4(in[i], t, 1, 2);
    pairs[255 - t] = make_int2(in[i], i);
    __syncthreads();
    int j = (t * stride) & 255;
    float4 q = quads[j];
    int2 p = pairs[(j + t / 2) & 255];
    int sum = (int)q.x + (int)q.y * 3 + p.x - p.y;
    if (stride & 1)
        sum += bytes[(j * stride) & 1023] + shorts[(j * stride * 3) & 1023] + (int)doubles[(j * stride) & 255];
    out[i] = sum;
}

// A matrix turned by way of dynamic shared memory, its row length given at launch.
KERNEL transpose_dynamic(const short *in, short *out, int n, int pitch)
{
    extern __shared__ short tile[];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 32, row = blockIdx.y * 32;
    for (int k = y; k < 32; k += blockDim.y)
        tile[k * pitch + x] = in[(row + k) * n + column + x];
    __syncthreads();
    for (int k = y; k < 32; k += blockDim.y)
        out[(column + k) * n + row + x] = tile[x * pitch + k];
}

// More shared memory than a launch gets unasked.
KERNEL big_shared(const int *in, int *out, int words)
{
    extern __shared__ int table[];
    for (int w = threadIdx.x; w < words; w += blockDim.x)
        table[w] = w * 7 + blockIdx.x;
    __syncthreads();
    int i = global_thread();
    out[i] = table[in[i] % words] + table[(threadIdx.x * 127) % words];
}

// A grid and blocks of three dimensions.
KERNEL volume(const int *in, int *out, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= nx || y >= ny || z >= nz)
        return;
    int i = (z * ny + y) * nx + x, sum = 6 * in[i];
    sum -= (x > 0 ? in[i - 1] : 0) + (x + 1 < nx ? in[i + 1] : 0) + (y > 0 ? in[i - nx] : 0);
    sum -= (y + 1 < ny ? in[i + nx] : 0) + (z > 0 ? in[i - nx * ny] : 0) + (z + 1 < nz ? in[i + nx * ny] : 0);
    out[i] = sum + warpSize + (int)(gridDim.z * 100 + blockDim.y * 10);
}

// Gathers and scatters through a permutation, 64-bit elements.
KERNEL permute(const unsigned long long *in, const int *order, unsigned long long *out, int n)
{
    int i = global_thread();
    if (i < n)
        out[(order[i] * 2 + 1) % n] = in[order[i] % n] + in[i];
}

// A parameter larger than a register pair, passed by value; a copy of it by memcpy.
struct filter {
    int taps[9];
    short shift, bias;
};
KERNEL convolve_3x3(const unsigned char *in, int *out, filter f, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    int sum = f.bias;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += f.taps[(dy + 1) * 3 + dx + 1] * in[(y + dy) * width + x + dx];
    out[y * width + x] = sum >> f.shift;
}

// Module variables: read, written, and one that is only declared with a value.
__device__ int offsets[4] = {10, 20, 30, 40};
__device__ int touched[32];
KERNEL module_variables(int *out)
{
    int t = threadIdx.x;
    touched[t] = offsets[t % 4] + t;
    __syncthreads();
    out[t] = touched[31 - t] * 2;
}
