/* See kernel_reference.h. One function a kernel or family of kernels, in the order of kernels/kernels.cases; the table
 * is at the end. */
#include "tests/kernel_reference.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static float *floats(const struct reference_call *call, size_t buffer)
{
    return call->buffers[buffer].data;
}

static double *doubles(const struct reference_call *call, size_t buffer)
{
    return call->buffers[buffer].data;
}

static int32_t *ints(const struct reference_call *call, size_t buffer)
{
    return call->buffers[buffer].data;
}

static uint32_t *words(const struct reference_call *call, size_t buffer)
{
    return call->buffers[buffer].data;
}

static size_t all_threads(const struct reference_call *call)
{
    return (size_t)(call->blocks * call->threads);
}

/* ---- Threads ---- */

static void vec_add(struct reference_call *call)
{
    for (size_t i = 0; i < call->buffers[2].count; i++)
        floats(call, 2)[i] = floats(call, 0)[i] + floats(call, 1)[i];
}

static void thread_place(struct reference_call *call)
{
    uint32_t *out = words(call, 0);
    for (uint32_t block = 0; block < call->blocks; block++) {
        for (uint32_t thread = 0; thread < call->threads; thread++) {
            *out++ = block;
            *out++ = thread;
            *out++ = thread / 32;
            *out++ = thread % 32;
        }
    }
}

static void ones(struct reference_call *call)
{
    for (size_t i = 0; i < call->buffers[0].count; i++)
        words(call, 0)[i] = 1;
}

/* ---- Shared memory ---- */

static void sum_as_float(struct reference_call *call)
{
    for (size_t block = 0; block < call->blocks; block++) {
        float sum = 0;
        for (size_t t = 0; t < call->threads; t++)
            sum += (float)ints(call, 0)[block * call->threads + t];
        ints(call, 1)[block] = (int32_t)sum;
    }
}

static void sum_as_double(struct reference_call *call)
{
    for (size_t block = 0; block < call->blocks; block++) {
        double sum = 0;
        for (size_t i = block * call->threads; i < (block + 1) * call->threads && i < call->buffers[0].count; i++)
            sum += (double)ints(call, 0)[i];
        ints(call, 1)[block] = (int32_t)sum;
    }
}

static void reverse_blocks(struct reference_call *call)
{
    for (size_t i = 0; i < all_threads(call); i++) {
        size_t block = i / call->threads, t = i % call->threads;
        floats(call, 1)[i] = floats(call, 0)[block * call->threads + call->threads - 1 - t];
    }
}

static void count_down(struct reference_call *call)
{
    for (size_t i = 0; i < all_threads(call); i++)
        floats(call, 0)[i] = (float)(call->threads - 1 - i % call->threads);
}

static void partition(struct reference_call *call)
{
    for (size_t t = 0; t < 256; t++)
        floats(call, 0)[t] = (t < 64 ? (float)t * 0.5F : 0) + (t < 128 ? (float)t : 0) + (float)(3 * t);
}

static void alias(struct reference_call *call)
{
    for (uint32_t t = 0; t < call->threads; t++)
        words(call, 0)[t] = 1000 + t;
}

/* ---- Constant and local memory ---- */

static void line(struct reference_call *call)
{
    for (size_t t = 0; t < call->threads; t++)
        floats(call, 0)[t] = 1.0F * (float)t + 2.0F;
}

static void polynomial(struct reference_call *call)
{
    for (size_t i = 0; i < all_threads(call); i++) {
        float x = floats(call, 0)[i];
        floats(call, 1)[i] = fmaf(fmaf(fmaf(4.0F, x, 3.0F), x, 2.0F), x, 1.0F);
    }
}

static void own_number(struct reference_call *call)
{
    for (size_t t = 0; t < call->buffers[0].count; t++)
        floats(call, 0)[t] = (float)(t % call->threads);
}

static void local_array(struct reference_call *call)
{
    const int32_t *idx = ints(call, 0);
    int32_t n = (int32_t)call->scalars[0];
    for (size_t i = 0; i < all_threads(call); i++) {
        float a[64], v = 0;
        for (size_t j = 0; j < 64; j++)
            a[j] = (float)j * 0.25F + (float)(i % call->threads);
        for (int32_t k = 0; k < n; k++) {
            int32_t j = idx[k] & 63;
            a[j] += 1.0F;
            v += a[(j * 7 + k) & 63];
        }
        floats(call, 1)[i] = v;
    }
}

static void sum_of_64(struct reference_call *call)
{
    for (size_t t = 0; t < call->threads; t++)
        words(call, 0)[t] = 64 * 63 / 2;
}

static void large_struct(struct reference_call *call)
{
    for (size_t t = 0; t < call->threads; t++)
        doubles(call, 0)[t] = (double)call->scalars[0] * 1.5 + (double)t - 1;
}

/* ---- Coalescing ---- */

static void copy_stride(struct reference_call *call)
{
    for (size_t i = 0; i < all_threads(call); i++)
        floats(call, 1)[i] = floats(call, 0)[i * call->scalars[0] % call->scalars[1]];
}

static void copy_offset(struct reference_call *call)
{
    for (size_t i = 0; i < all_threads(call); i++)
        floats(call, 1)[i] = floats(call, 0)[i + call->scalars[0]];
}

static void copy_all(struct reference_call *call)
{
    memcpy(call->buffers[1].data, call->buffers[0].data, (size_t)call->buffers[1].size_bytes);
}

/* ---- Banks ---- */

static void bank_stride(struct reference_call *call)
{
    for (size_t i = 0; i < all_threads(call); i++) {
        float x = (float)(i % call->threads * call->scalars[0] % 4096), v = 0;
        for (uint64_t k = 0; k < call->scalars[1]; k++)
            v += x;
        floats(call, 0)[i] = v;
    }
}

static void bank_fig16(struct reference_call *call)
{
    for (size_t t = 0; t < 32; t++) {
        size_t word = 17;
        if (call->scalars[0] == 0)
            word = (t * 13 + 7) % 32;
        else if (call->scalars[0] == 1)
            word = t == 3 || t == 4 || t == 6 || t == 7 || t == 9 ? 5 : t;
        floats(call, 0)[t] = (float)word * 0.5F;
    }
}

static void same_word(struct reference_call *call)
{
    for (size_t t = 0; t < call->threads; t++)
        words(call, 0)[t] = 77;
}

static void tile_access(struct reference_call *call)
{
    for (uint32_t y = 0; y < call->block[1]; y++) {
        for (uint32_t x = 0; x < call->block[0]; x++)
            words(call, 0)[y * call->block[0] + x] = call->scalars[1] != 0 ? 100 * x + y : 100 * y + x;
    }
}

/* ---- Transposes ---- */

static void transpose_floats(struct reference_call *call)
{
    size_t m = (size_t)sqrt((double)call->buffers[0].count);
    for (size_t row = 0; row < m; row++) {
        for (size_t column = 0; column < m; column++)
            floats(call, 1)[column * m + row] = floats(call, 0)[row * m + column];
    }
}

/* ---- Sums ---- */

/* Of whole numbers below 2^24: exact in any order. */
static void sum_floats(struct reference_call *call)
{
    double sum = 0;
    for (size_t i = 0; i < call->buffers[0].count; i++)
        sum += call->buffers[0].size_bytes / call->buffers[0].count == 8 ? doubles(call, 0)[i]
                                                                         : (double)floats(call, 0)[i];
    floats(call, 1)[0] = (float)sum;
}

static void tree_sum(struct reference_call *call)
{
    for (size_t block = 0; block < call->blocks; block++) {
        float s[256];
        memcpy(s, floats(call, 0) + block * call->threads, call->threads * sizeof(float));
        for (size_t stride = call->threads / 2; stride > 0; stride /= 2) {
            for (size_t t = 0; t < stride; t++)
                s[t] += s[t + stride];
        }
        floats(call, 1)[block] = s[0];
    }
}

static void histogram(struct reference_call *call)
{
    int32_t bins = (int32_t)call->scalars[0];
    for (size_t i = 0; i < call->buffers[1].count; i++) {
        int32_t value = ints(call, 1)[i];
        ints(call, 0)[value < 0 ? 0 : value >= bins ? bins - 1 : value]++;
    }
}

/* ---- Cooperative groups ---- */

static void sum_ints(struct reference_call *call)
{
    for (size_t i = 0; i < call->buffers[0].count; i++)
        ints(call, 1)[0] += ints(call, 0)[i];
}

static void sum_eights(struct reference_call *call)
{
    for (size_t i = 0; i < call->buffers[0].count; i++)
        ints(call, 1)[i / 8] += ints(call, 0)[i];
}

/* Lane 0's value after shuffles down by 16, 8, 4, 2 and 1. */
static float warp_sum(const float *values)
{
    float v[32];
    memcpy(v, values, sizeof(v));
    for (size_t k = 16; k > 0; k /= 2) {
        for (size_t lane = 0; lane < k; lane++)
            v[lane] += v[lane + k];
    }
    return v[0];
}

static void shuffle_sum(struct reference_call *call)
{
    for (size_t block = 0; block < call->blocks; block++) {
        float sums[32] = {0};
        for (size_t warp = 0; warp < call->threads / 32; warp++)
            sums[warp] = warp_sum(floats(call, 0) + block * call->threads + 32 * warp);
        floats(call, 1)[block] = warp_sum(sums);
    }
}

static void turn_round(struct reference_call *call)
{
    size_t n = all_threads(call);
    for (uint32_t round = 0; round < call->scalars[0]; round++) {
        for (size_t i = 0; i < n; i++)
            words(call, 1 - round % 2)[i] = words(call, round % 2)[(i + call->threads) % n] + 1;
    }
    if (call->buffer_count > 2)
        words(call, 2)[0] = (uint32_t)(call->blocks * call->scalars[0]);
}

/* ---- Products ---- */

void reference_product(const float *a, const float *b, float *c, size_t rows, size_t columns, size_t n, size_t k)
{
    for (size_t row = 0; row < rows; row++) {
        for (size_t column = 0; column < columns; column++) {
            float value = 0;
            for (size_t i = 0; i < k; i++)
                value = fmaf(a[row * k + i], b[i * n + column], value);
            c[row * n + column] = value;
        }
    }
}

static void product(struct reference_call *call)
{
    size_t m = (size_t)call->scalars[0], n = (size_t)call->scalars[1], k = (size_t)call->scalars[2];
    reference_product(floats(call, 0), floats(call, 1), floats(call, 2), m, n, n, k);
}

/* ---- Divergence ---- */

static float iterate(float v, bool first, uint64_t count)
{
    for (uint64_t k = 0; k < count; k++)
        v = first ? fmaf(v, 1.0001F, 0.5F) : fmaf(v, v, 0.25F);
    return v;
}

static void by_half_warps(struct reference_call *call)
{
    for (size_t i = 0; i < all_threads(call); i++)
        floats(call, 0)[i] = iterate(floats(call, 0)[i], i % call->threads % 32 < 16, call->scalars[0]);
}

static void by_warps(struct reference_call *call)
{
    for (size_t i = 0; i < all_threads(call); i++)
        floats(call, 0)[i] = iterate(floats(call, 0)[i], i % call->threads / 32 % 2 != 0, call->scalars[0]);
}

/* ---- Registers and occupancy ---- */

static void forty_values(struct reference_call *call)
{
    for (size_t t = 0; t < all_threads(call); t++) {
        float r[40], s = 0;
        for (size_t i = 0; i < 40; i++)
            r[i] = floats(call, 0)[t + 256 * i];
        for (size_t round = 0; round < 40; round++) {
            for (size_t i = 0; i < 40; i++)
                r[i] = fmaf(r[i], r[(i + 7) % 40], r[(i + 13) % 40]);
        }
        for (size_t i = 0; i < 40; i++)
            s = fmaf(r[i], (float)i, s);
        floats(call, 1)[t] = s;
        if (isnan(s))
            words(call, 1)[t] = 0x7fffffff; /* the only NaN that the hardware makes */
    }
}

static void four_values(struct reference_call *call)
{
    for (size_t t = 0; t < all_threads(call); t++) {
        const float *d = floats(call, 0) + 4 * t;
        floats(call, 1)[t] = (d[0] + d[1]) * d[2] / d[3];
    }
}

static void neighbours(struct reference_call *call)
{
    for (size_t t = 0; t < all_threads(call); t++) {
        float r[128], s = 0;
        memcpy(r, floats(call, 0) + t, sizeof(r));
        for (uint64_t round = 0; round < call->scalars[0]; round++) {
            for (size_t i = 0; i < 128; i++)
                r[i] = fmaf(r[(i + 1) % 128], 0.5F, r[i]);
        }
        for (size_t i = 0; i < 128; i++)
            s += r[i];
        floats(call, 1)[t] = s;
    }
}

/* ---- Numba's ---- */

static void float_ones(struct reference_call *call)
{
    for (size_t i = 0; i < call->buffers[0].count; i++)
        floats(call, 0)[i] = 1.0F;
}

static void three_views(struct reference_call *call)
{
    for (size_t t = 0; t < call->threads; t++)
        floats(call, 0)[t] = (float)(t % 128 + t % 64 + t);
}

/* ---- The table ---- */

static const struct {
    const char *kernel;
    reference_function *function;
} references[] = {
    {"vecAdd", vec_add},
    {"thread_place", thread_place},
    {"which_sm", ones},
    {"example_syncthreads", sum_as_float},
    {"example_syncthreads_v4", sum_as_float},
    {"block_sum_any", sum_as_double},
    {"static_reverse", reverse_blocks},
    {"dynsmem100k", count_down},
    {"dyn_partition", partition},
    {"dyn_alias", alias},
    {"constcompute", line},
    {"const_uniform", polynomial},
    {"const_lane", own_number},
    {"local_array", local_array},
    {"local_lanes", sum_of_64},
    {"large_struct", large_struct},
    {"copy_stride", copy_stride},
    {"copy_offset", copy_offset},
    {"permuted", copy_all},
    {"copy_wide", copy_all},
    {"bank_stride", bank_stride},
    {"bank_fig16", bank_fig16},
    {"bank_same_word", same_word},
    {"tile_access", tile_access},
    {"cuda_transpose", transpose_floats},
    {"smem_transpose", transpose_floats},
    {"smem_transpose_pad", transpose_floats},
    {"sumReduction", sum_floats},
    {"sum_relaxed", sum_floats},
    {"sum_reduce", sum_floats},
    {"sum_reduce_any", sum_floats},
    {"reduceSum", tree_sum},
    {"clusterHist", histogram},
    {"cg_tile_reduce", sum_ints},
    {"tile8_reduce", sum_eights},
    {"shfl_reduce", shuffle_sum},
    {"grid_sync", turn_round},
    {"grid_sync_counter", turn_round},
    {"matMulNaive", product},
    {"matMul16", product},
    {"matMul32", product},
    {"matMul32_v4", product},
    {"divergent", by_half_warps},
    {"uniformbranch", by_warps},
    {"spill", forty_values},
    {"spill_free", forty_values},
    {"temps_many", four_values},
    {"temps_reused", four_values},
    {"block768", own_number},
    {"filter", neighbours},
    {"vecadd", vec_add},
    {"dyn_dtype", float_ones},
    {"dyn_views", three_views},
    {"constk", own_number},
    {"transpose", transpose_floats},
};

reference_function *reference_find(const char *kernel)
{
    for (size_t i = 0; i < sizeof(references) / sizeof(references[0]); i++) {
        if (strcmp(references[i].kernel, kernel) == 0)
            return references[i].function;
    }
    return NULL;
}
