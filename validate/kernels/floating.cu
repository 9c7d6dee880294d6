// Single, double, half and bfloat16 arithmetic, and the conversions between them.
//
// sinf, cosf, logf, division and square root are built of exact operations (or corrected after an approximate start),
// so their last digit is the same on every machine that does IEEE arithmetic. Where a kernel uses an approximate
// instruction, it rounds the result to a few bits.
#include "kernel.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

KERNEL saxpy(int n, float a, const float *x, float *y)
{
    int i = global_thread();
    if (i < n)
        y[i] = a * x[i] + y[i];
}

// A polynomial by Horner's rule, four values a thread.
KERNEL horner(const float *in, float *out, int n)
{
    for (int i = global_thread(); i < n; i += gridDim.x * blockDim.x) {
        float x = in[i], p = 0.0078125f;
#pragma unroll
        for (int k = 0; k < 12; k++)
            p = fmaf(p, x, 1.0f / (k + 3));
        out[i] = p;
    }
}

// Division and square root in single precision, special values among the operands.
KERNEL divide_sqrt(const float *a, const float *b, float *out, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    float x = (a[i] - 0.5f) * 1e3f, y = i % 61 == 0 ? 0.0f : i % 67 == 0 ? 1e-42f : b[i] - 0.25f;
    float quotient = x / y, root = sqrtf(fabsf(x)), inverse = 1.0f / (y + 2.0f);
    out[3 * i] = quotient;
    out[3 * i + 1] = root;
    out[3 * i + 2] = inverse * __fdiv_rz(x, 3.0f) + __fsqrt_ru(y + 1.0f);
}

KERNEL double_divide_sqrt(const double *a, const double *b, double *out, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    double x = (a[i] - 0.5) * 1e6, y = i % 53 == 0 ? 0.0 : b[i] - 0.25;
    out[2 * i] = x / y;
    out[2 * i + 1] = sqrt(fabs(x)) + __dadd_ru(x, y) * __dmul_rd(x, 1.0 / 3.0);
}

// A tile of a matrix product in double precision.
KERNEL dgemm(const double *a, const double *b, double *c, int n)
{
    __shared__ double ta[16][17], tb[16][17];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    double sum = 0;
    for (int k = 0; k < n; k += 16) {
        ta[y][x] = a[row * n + k + x];
        tb[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int j = 0; j < 16; j++)
            sum = fma(ta[y][j], tb[j][x], sum);
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// Comparisons, minimum, maximum, selection, classes of numbers.
KERNEL double_select(const double *in, double *out, int *classes, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    double x = in[i] * 8 - 4, y = in[n - 1 - i] * 8 - 4;
    if (i % 97 == 0)
        x = copysign(__longlong_as_double(0x7ff0000000000000), x);
    if (i % 89 == 0)
        y = sqrt(-1.0 - fabs(y));
    out[i] = fmax(x, 0.0) + fmin(y, 2.0) - (x < y ? x : y) * (x == y) + copysign(1.5, x);
    classes[i] = isnan(y) | isinf(x) << 1 | signbit(x) << 2 | (x <= y) << 3 | (x != y) << 4 | !(x >= y) << 5;
}

// Between integers and floating point, every rounding.
KERNEL convert(const float *in, int *ints, long long *longs, float *floats, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    float x = (in[i] - 0.5f) * 5e9f;
    double d = (double)x * 1.7;
    ints[4 * i] = (int)x;
    ints[4 * i + 1] = __float2int_rn(x * 1e-3f) + __float2int_ru(x * 1e-4f) + __float2int_rd(x * 1e-5f);
    ints[4 * i + 2] = (int)__float2uint_rz(x);
    ints[4 * i + 3] = __double2int_rn(d * 1e-2) + (int)(short)(x * 1e-6f) + (int)(unsigned char)(x * 1e-8f);
    longs[2 * i] = (long long)(d * 1e6);
    longs[2 * i + 1] = (long long)__float2ull_rn(fabsf(x) * 1e8f);
    floats[3 * i] = (float)ints[4 * i] + (float)(unsigned)ints[4 * i + 1];
    floats[3 * i + 1] = (float)longs[2 * i] + __ll2float_rz(longs[2 * i + 1]);
    floats[3 * i + 2] =
        __double2float_ru(d) + floorf(x * 1e-7f) + ceilf(x * 1e-8f) + rintf(x * 1e-6f) + truncf(x * 1e-5f);
}

// logf, sinf and cosf: series of exact multiplications. Large angles take the slow way through a table in local memory.
KERNEL elementary(const float *in, float *out, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    float x = in[i] * 50.0f, big = i % 128 == 5 ? x * 1e6f : x;
    out[i] = sinf(big) + cosf(x) * logf(x + 0.125f);
}

// Powers by multiplication, remainder, rounding to a whole number; exp of double, a series too.
KERNEL double_elementary(const double *in, double *out, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    double x = in[i] * 20 - 10;
    out[2 * i] = exp(x) + floor(x * 3) + rint(x * 5) * trunc(x);
    out[2 * i + 1] = sin(x) * x + fabs(ldexp(x, i % 20));
}

// Approximate instructions and flushed subnormals where the compiler is told --use_fast_math; rounded to 1/16.
KERNEL gaussian_blur_weights(const float *in, int *out, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    float x = in[i] * 3.0f, weight = __expf(-x * x * 0.5f) / (1.0f + x);
    float norm = rsqrtf(x * x + 1.0f) + __sinf(x) + __log2f(x + 1.0f) + sqrtf(x) + __fdividef(x, 7.0f);
    out[i] = (int)rintf((weight + norm) * 16.0f);
}

// Half precision, two numbers at a time.
KERNEL half_axpy(const __half2 *x, const __half2 *y, __half2 *out, float a, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    __half2 scale = __float2half2_rn(a), u = x[i], v = y[i];
    __half2 sum = __hfma2(scale, u, v), product = __hmul2(u, v), difference = __hsub2(u, v);
    __half2 most = __hmax2(sum, product), least = __hmin2(sum, difference);
    __half2 bigger = __hgt2(u, v); // 1 or 0 in each half
    out[i] = __hadd2(__hadd2(__hmul2(most, bigger), least), __habs2(__hneg2(difference)));
}

KERNEL half_scalar(const unsigned short *in, float *out, unsigned short *bits, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    __half x = __ushort_as_half(in[i] & 0x7bff), y = __float2half_rn((float)(i % 100) * 0.25f);
    __half sum = __hadd(x, y), product = __hfma(x, y, sum);
    float f = __half2float(product);
    if (__hlt(x, y))
        f += __half2float(__hsub(y, x));
    out[i] = f + (float)__half2int_rn(y) + __half2float(__float2half_rd(f));
    bits[i] = __half_as_ushort(__hdiv(y, __float2half(8.0f)));
}

KERNEL bfloat(const __nv_bfloat162 *x, const float *y, __nv_bfloat162 *out, float *sums, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    __nv_bfloat162 u = x[i], v = __floats2bfloat162_rn(y[2 * i], y[2 * i + 1]);
    __nv_bfloat162 sum = __hfma2(u, v, v);
    out[i] = __hmax2(__hadd2(sum, u), v);
    float2 wide = __bfloat1622float2(sum);
    sums[i] = wide.x + wide.y;
}

// Escape times; the branch out of the loop depends on each bit of the arithmetic.
KERNEL mandelbrot(int *out, int width, int height, int limit)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float cr = x * 3.0f / width - 2.25f, ci = y * 2.5f / height - 1.25f, zr = 0, zi = 0;
    int turns = 0;
    while (turns < limit && zr * zr + zi * zi < 4.0f) {
        float next = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = next;
        turns++;
    }
    out[y * width + x] = turns;
}

// Forces between bodies, softened; positions pass through shared memory.
KERNEL nbody(const float4 *body, float4 *force, int n)
{
    __shared__ float4 tile[64];
    int i = global_thread();
    float4 me = body[i], sum = make_float4(0, 0, 0, 0);
    for (int start = 0; start < n; start += 64) {
        tile[threadIdx.x] = body[start + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < 64; k++) {
            float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            float d2 = dx * dx + dy * dy + dz * dz + 0.01f;
            float strength = tile[k].w / (d2 * d2);
            sum.x += dx * strength;
            sum.y += dy * strength;
            sum.z += dz * strength;
        }
        __syncthreads();
    }
    sum.w = me.w;
    force[i] = sum;
}
