// Copies from global to shared memory without registers (cp.async), matrix loads (ldmatrix) and products.
#include "kernel.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>
namespace cg = cooperative_groups;

// Two tiles in turn: while one is summed, the next is on its way. 16 bytes a thread.
KERNEL double_buffer(const int4 *in, int *out, int tiles)
{
    __shared__ int4 tile[2][128];
    int t = threadIdx.x, sum = 0;
    in += (size_t)blockIdx.x * tiles * 128;
    __pipeline_memcpy_async(&tile[0][t], &in[t], 16);
    __pipeline_commit();
    for (int k = 0; k < tiles; k++) {
        if (k + 1 < tiles)
            __pipeline_memcpy_async(&tile[(k + 1) & 1][t], &in[(k + 1) * 128 + t], 16);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        int4 other = tile[k & 1][127 - t];
        sum += other.x + 2 * other.y + 3 * other.z + 5 * other.w;
        __syncthreads();
    }
    out[global_thread()] = sum;
}

// 4 and 8 bytes; the tail of a row is filled with zeros by the copy itself.
KERNEL async_small(const int *in, const double *wide, int *out, double *out_wide, int n)
{
    __shared__ int ints[256];
    __shared__ double doubles[256];
    int t = threadIdx.x, i = global_thread();
    int left = n - i, bytes = left > 0 ? 4 : 0;
    __pipeline_memcpy_async(&ints[t], &in[left > 0 ? i : 0], 4, 4 - bytes);
    __pipeline_memcpy_async(&doubles[t], &wide[left > 0 ? i : 0], 8, left > 0 ? 0 : 8);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[i] = ints[t ^ 31];
    out_wide[i] = doubles[255 - t];
}

// The block copies its tile together.
KERNEL group_copy(const int *in, int *out)
{
    __shared__ int tile[512];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in + blockIdx.x * 512, sizeof(int) * 512);
    cg::wait(block);
    for (int k = threadIdx.x; k < 512; k += blockDim.x)
        out[blockIdx.x * 512 + k] = tile[511 - k] + 1;
}

// Matrices of 8 x 8 16-bit elements: one, two and four at once, as they are and turned.
KERNEL load_matrix(const unsigned short *in, unsigned *out)
{
    __shared__ __align__(16) unsigned short tile[32 * 8];
    int lane = threadIdx.x;
    for (int k = lane; k < 256; k += 32)
        tile[k] = in[blockIdx.x * 256 + k];
    __syncwarp();
    unsigned row = (unsigned)__cvta_generic_to_shared(&tile[lane * 8]), r[4], s[2], t, u[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(s[0]), "=r"(s[1]) : "r"(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(t) : "r"(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(u[0]), "=r"(u[1]), "=r"(u[2]), "=r"(u[3])
                 : "r"(row));
    unsigned *to = out + (blockIdx.x * 32 + lane) * 11;
    for (int k = 0; k < 4; k++) {
        to[k] = r[k];
        to[7 + k] = u[k];
    }
    to[4] = s[0];
    to[5] = s[1];
    to[6] = t;
}

// A row of 128 shorts each: reads by ldmatrix whose rows fall on the same banks, or, swizzled, on different ones.
KERNEL load_matrix_pitch(const uint4 *in, unsigned *out, int swizzle)
{
    __shared__ uint4 tile[32 * 16];
    int lane = threadIdx.x;
    for (int k = 0; k < 16; k++) {
        int row = k * 2 + lane / 16, column = lane % 16;
        tile[row * 16 + (swizzle ? column ^ row % 8 : column)] = in[row * 16 + column];
    }
    __syncwarp();
    unsigned sum = 0;
    for (int column = 0; column < 16; column++) {
        unsigned address =
                     (unsigned)__cvta_generic_to_shared(&tile[lane * 16 + (swizzle ? column ^ lane % 8 : column)]),
                 a, b, c, d;
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "r"(address));
        sum = sum * 33 + (a ^ b) + (c ^ d);
    }
    out[blockIdx.x * 32 + lane] = sum;
}

// A 16 x 8 x 16 product of half-precision whole numbers by one warp.
KERNEL mma_product(const __half *a, const __half *b, float *c)
{
    int lane = threadIdx.x, group = lane / 4, pair = lane % 4;
    const unsigned *row = (const unsigned *)(a + blockIdx.x * 256), *column = (const unsigned *)(b + blockIdx.x * 128);
    unsigned a0 = row[group * 8 + pair], a1 = row[(group + 8) * 8 + pair], a2 = row[group * 8 + pair + 4],
             a3 = row[(group + 8) * 8 + pair + 4], b0 = column[group * 8 + pair], b1 = column[group * 8 + pair + 4];
    float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    float *to = c + blockIdx.x * 128;
    to[group * 8 + pair * 2] = d0;
    to[group * 8 + pair * 2 + 1] = d1;
    to[(group + 8) * 8 + pair * 2] = d2;
    to[(group + 8) * 8 + pair * 2 + 1] = d3;
}

// The same by the library's fragments, a row of tiles.
KERNEL wmma_product(const __half *a, const __half *b, float *c, int n)
{
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, __half, col_major> fb;
    fragment<accumulator, 16, 16, 16, float> fc;
    fill_fragment(fc, 0.0f);
    int row = blockIdx.y * 16, column = blockIdx.x * 16;
    for (int k = 0; k < n; k += 16) {
        load_matrix_sync(fa, a + row * n + k, n);
        load_matrix_sync(fb, b + column * n + k, n);
        mma_sync(fc, fa, fb, fc);
    }
    store_matrix_sync(c + row * n + column, fc, n, mem_row_major);
}
