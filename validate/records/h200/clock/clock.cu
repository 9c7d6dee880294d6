// What the clock needs and no document gives for this card. Every kernel here is of its own kind: none is a kernel of
// the guide. Prints: name, parameter, value, in SM clocks unless said.
#include <cstdio>
#include <cuda_runtime.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
typedef unsigned long long u64;
typedef long long i64;
#define SMS 132
__global__ void flush(float *p, size_t n) { for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) p[i] += 1; }
// One lane follows pointers laid out `step` bytes apart, `n` of them, `rounds` times.
__global__ void chase(u64 *p, int n, u64 *out) { u64 a = (u64)p; i64 t = clock64(); for (int i = 0; i < n; i++) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(a)); out[0] = (clock64() - t) / n; out[1] = a; }
__global__ void chase_ca(u64 *p, int n, u64 *out) { u64 a = (u64)p; for (int i = 0; i < n; i++) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(a)); i64 t = clock64(); for (int i = 0; i < n; i++) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(a)); out[0] = (clock64() - t) / n; out[1] = a; }
// Every warp stores `rounds` times; lanes are spread over 32/per lines.
__global__ void store_lines(float *p, int per, int rounds, size_t mask, u64 *out) {
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5; size_t w = blockIdx.x * (blockDim.x >> 5) + warp, W = gridDim.x * (blockDim.x >> 5); int lines = 32 / per;
    __syncthreads(); i64 t = clock64();
    for (int r = 0; r < rounds; r++) { size_t line = (w + W * r) * lines + lane / per; asm volatile("st.global.f32 [%0], %1;" ::"l"((char *)p + ((line * 128 + (lane % per) * (128 / per)) & mask)), "f"(1.f)); }
    __syncthreads(); __threadfence(); i64 e = clock64(); if (threadIdx.x == 0) out[blockIdx.x] = e - t; }
__global__ void load_lines(float *p, int per, int rounds, size_t mask, u64 *out) {
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5; size_t w = blockIdx.x * (blockDim.x >> 5) + warp, W = gridDim.x * (blockDim.x >> 5); int lines = 32 / per; float s = 0;
    __syncthreads(); i64 t = clock64();
    for (int r = 0; r < rounds; r += 4) { float v[4];
#pragma unroll
        for (int k = 0; k < 4; k++) { size_t line = (w + W * (r + k)) * lines + lane / per; asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v[k]) : "l"((char *)p + ((line * 128 + (lane % per) * (128 / per)) & mask))); }
        s += v[0] + v[1] + v[2] + v[3]; }
    __syncthreads(); i64 e = clock64(); if (threadIdx.x == 0) out[blockIdx.x] = e - t; if (s == 1e30f) p[0] = s; }
__global__ void red_f(float *p, int stride, int wstride, int rounds, u64 *out) { int lane = threadIdx.x & 31, w = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5); __syncthreads(); i64 t = clock64(); for (int r = 0; r < rounds; r++) asm volatile("red.global.add.f32 [%0], %1;" ::"l"(p + lane * stride + (size_t)w * wstride), "f"(1.f)); __syncthreads(); __threadfence(); i64 e = clock64(); if (threadIdx.x == 0) out[blockIdx.x] = e - t; }
__global__ void red_i(int *p, int stride, int wstride, int rounds, u64 *out) { int lane = threadIdx.x & 31, w = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5); __syncthreads(); i64 t = clock64(); for (int r = 0; r < rounds; r++) asm volatile("red.global.add.s32 [%0], %1;" ::"l"(p + lane * stride + (size_t)w * wstride), "r"(1)); __syncthreads(); __threadfence(); i64 e = clock64(); if (threadIdx.x == 0) out[blockIdx.x] = e - t; }
__global__ void atom_chain(int *p, int n, u64 *out) { int v = 0; i64 t = clock64(); for (int i = 0; i < n; i++) v = atomicAdd(p + (v & 1), v & 1); out[0] = (clock64() - t) / n; out[1] = v; }
__global__ void bar(int n, u64 *out) { __syncthreads(); i64 t = clock64(); for (int i = 0; i < n; i++) __syncthreads(); i64 e = clock64(); if (threadIdx.x == 0) out[0] = (e - t) / n; }
__global__ void atoms(int n, int stride, u64 *out) { __shared__ int s[1024]; for (int i = threadIdx.x; i < 1024; i += blockDim.x) s[i] = 0; __syncthreads(); i64 t = clock64(); for (int i = 0; i < n; i++) atomicAdd(&s[(threadIdx.x & 31) * stride], 1); __syncthreads(); i64 e = clock64(); if (threadIdx.x == 0) out[0] = (e - t) * 100 / n; if (s[5] == -1) out[1] = 1; }
__global__ void dsmem_red(int n, int spread, u64 *out) { __shared__ int s[1024]; cg::cluster_group c = cg::this_cluster(); for (int i = threadIdx.x; i < 1024; i += blockDim.x) s[i] = 0; c.sync(); i64 t = clock64(); int *d = c.map_shared_rank(s, (c.block_rank() + 1) % c.num_blocks()); for (int i = 0; i < n; i++) atomicAdd(&d[(threadIdx.x * spread + i * 7) & 1023], 1); c.sync(); i64 e = clock64(); if (threadIdx.x == 0) out[blockIdx.x] = e - t; }
__global__ void dsmem_chase(int n, u64 *out) { __shared__ int s[1024]; cg::cluster_group c = cg::this_cluster(); for (int i = threadIdx.x; i < 1024; i += blockDim.x) s[i] = i; c.sync(); volatile int *d = c.map_shared_rank(s, (c.block_rank() + 1) % c.num_blocks()); int a = 0; i64 t = clock64(); for (int i = 0; i < n; i++) a = d[a]; i64 e = clock64(); c.sync(); i64 f = clock64(); for (int i = 0; i < 20; i++) c.sync(); i64 g = clock64(); if (threadIdx.x == 0) { out[0] = (e - t) / n; out[1] = (g - f) / 20; out[2] = a; } }
// All blocks at once: the time from before a load of one word a thread until it is there. Cold: nothing in L2.
__global__ void burst(float *p, u64 *out) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i64 t = clock64(); float v; asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(p + i)); asm volatile("{.reg .pred q; setp.eq.f32 q, %0, 0f7149F2CA; @q trap; }" ::"f"(v)); i64 e = clock64(); atomicMax(&out[blockIdx.x], (u64)(e - t)); }
// Blocks of one warp after another on each SM, each with nothing but two reads of the clock: the gap between them.
__global__ void empty_blocks(int never, float *p) { if (never) p[threadIdx.x] = 1; }
__global__ void loop_branch(int n, u64 *out) { int v = threadIdx.x; i64 t = clock64(); for (int i = 0; i < n; i++) { asm volatile("{.reg .pred p; setp.gt.s32 p, %0, 1000000; @p bra L%=; add.s32 %0, %0, 1; L%=: }" : "+r"(v)); } i64 e = clock64(); if (threadIdx.x == 0) { out[0] = (e - t) * 100 / n; out[1] = v; } }
__global__ void first_touch(char *p, size_t step, int n, u64 *out) { for (int i = 0; i < n; i++) { i64 t = clock64(); unsigned v; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p + i * step)); asm volatile("{.reg .pred q; setp.eq.u32 q, %0, 12345; @q trap; }" ::"r"(v)); if (v == 12345) out[4000] = 1; asm volatile("" ::: "memory"); t = clock64() - t; out[i] = t; } }
static u64 *out, host[4096];
static float *big; static size_t big_bytes = (size_t)2 << 30;
static u64 most(int n) { cudaError_t e = cudaDeviceSynchronize(); if (e) printf("error %s\n", cudaGetErrorString(e)); cudaMemcpy(host, out, n * 8, cudaMemcpyDeviceToHost); u64 m = 0; for (int i = 0; i < n; i++) if (host[i] > m) m = host[i]; return m; }
static void build_chase(size_t step, size_t n) { u64 *h = (u64 *)calloc(n * step / 8 + 1, 8); for (size_t i = 0; i < n; i++) h[i * step / 8] = (u64)big + (i * 2654435761ull + 1013) % n * step; 
    // a full cycle by a permutation
    size_t *perm = (size_t *)malloc(n * sizeof(size_t)); for (size_t i = 0; i < n; i++) perm[i] = i; u64 s = 88172645463325252ull; for (size_t i = n - 1; i > 0; i--) { s ^= s << 13; s ^= s >> 7; s ^= s << 17; size_t j = s % i; size_t t = perm[i]; perm[i] = perm[j]; perm[j] = t; }
    for (size_t i = 0; i < n; i++) h[i * step / 8] = (u64)big + perm[i] * step; cudaMemcpy(big, h, n * step, cudaMemcpyHostToDevice); free(h); free(perm); }
static void clear() { flush<<<1024, 256>>>(big + (big_bytes / 8), big_bytes / 8); cudaDeviceSynchronize(); }
template <class F> static float ms(F f) { cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b); f(); cudaDeviceSynchronize(); cudaEventRecord(a); f(); cudaEventRecord(b); cudaEventSynchronize(b); float t; cudaEventElapsedTime(&t, a, b); return t; }
int main() {
    cudaMalloc(&big, big_bytes); cudaMemset(big, 0, big_bytes); cudaMalloc(&out, sizeof(host));
    for (int i = 0; i < 20; i++) flush<<<1024, 256>>>(big, big_bytes / 4); cudaDeviceSynchronize();
    struct { size_t step, n; const char *w; } ch[] = {{128, 256, "chase_32KiB"}, {128, 65536, "chase_8MiB"}, {256, 98304, "chase_24MiB"}, {512, 98304, "chase_48MiB"}, {4096, 65536, "chase_256MiB_dram"}, {8192, 131072, "chase_1GiB_dram"}};
    for (auto &c : ch) { build_chase(c.step, c.n); if (c.step < 4096) chase<<<1, 1>>>((u64 *)big, c.n < 4096 ? 4096 : c.n, out); else clear(); chase<<<1, 1>>>((u64 *)big, 20000, out); most(1); printf("%s_cg,%zu,%llu\n", c.w, c.step, host[0]); }
    build_chase(128, 128); chase_ca<<<1, 1>>>((u64 *)big, 1024, out); most(1); printf("chase_L1,128,%llu\n", host[0]);
    for (int k = 0; k < 3; k++) { size_t steps[] = {2 << 20, 65536, 4096}; clear(); first_touch<<<1, 1>>>((char *)big, steps[k], 64, out); most(64); printf("first_touch_step,%zu", steps[k]); for (int i = 0; i < 16; i++) printf(",%llu", host[i]); printf("\n"); }
    for (int per = 1; per <= 32; per *= 2) for (int wide = 0; wide < 2; wide++) { int grid = wide ? SMS : 1, rounds = 64; for (int k = 0; k < 2; k++) { clear(); store_lines<<<grid, 1024>>>(big, per, rounds, (16u << 20) - 1, out); } u64 c = most(grid); printf("store_lanes_per_line%s,%d,%.3f per line per SM\n", wide ? "_all" : "_one", per, (double)c / (32.0 * rounds * 32 / per)); }
    for (int per = 1; per <= 32; per *= 2) for (int wide = 0; wide < 2; wide++) { int grid = wide ? SMS : 1, rounds = 64; for (int k = 0; k < 3; k++) load_lines<<<grid, 1024>>>(big, per, rounds, (16u << 20) - 1, out); u64 c = most(grid); printf("load_L2_lanes_per_line%s,%d,%.3f per line per SM\n", wide ? "_all" : "_one", per, (double)c / (32.0 * rounds * 32 / per)); }
    { clear(); load_lines<<<SMS * 2, 1024>>>(big, 32, 512, big_bytes - 1, out); u64 c = most(SMS * 2); printf("load_dram_stream,128,%.2f bytes per clock\n", SMS * 2 * 32.0 * 512 * 128 / c); }
    { clear(); load_lines<<<SMS * 2, 1024>>>(big, 1, 64, big_bytes - 1, out); u64 c = most(SMS * 2); printf("load_dram_1_sector_per_line,32,%.2f useful bytes per clock\n", SMS * 2 * 32.0 * 64 * 32 * 32 / c); }
    { clear(); store_lines<<<SMS * 2, 1024>>>(big, 32, 512, big_bytes - 1, out); u64 c = most(SMS * 2); printf("store_dram_stream,128,%.2f bytes per clock (a word a lane: full lines)\n", SMS * 2 * 32.0 * 512 * 128 / c); }
    for (int grid = 1; grid <= SMS; grid += SMS - 1) { struct { int s, w; const char *n; } a[] = {{0, 0, "one_address"}, {1, 0, "one_line"}, {0, 32, "own_address_of_warp"}, {1, 32, "own_line_of_warp"}, {32, 1024, "own_lines_of_lane"}};
        for (auto &x : a) { red_f<<<grid, 256>>>(big, x.s, x.w, 64, out); red_f<<<grid, 256>>>(big, x.s, x.w, 64, out); u64 f = most(grid); red_i<<<grid, 256>>>((int *)big, x.s, x.w, 64, out); u64 i = most(grid); printf("red_%s,%d,f32 %.3f s32 %.3f per warp instruction of the grid\n", x.n, grid, (double)f / (8.0 * 64 * grid), (double)i / (8.0 * 64 * grid)); } }
    atom_chain<<<1, 1>>>((int *)big, 1000, out); most(1); printf("atom_chain,1,%llu\n", host[0]);
    for (int t = 32; t <= 1024; t *= 2) { bar<<<1, t>>>(1000, out); most(1); printf("barrier_warps,%d,%llu\n", t / 32, host[0]); }
    for (int st = 0; st <= 2; st++) for (int t = 32; t <= 256; t *= 8) { atoms<<<1, t>>>(1000, st, out); most(1); printf("shared_atomic_stride_%d_warps,%d,%.2f\n", st, t / 32, host[0] / 100.0); }
    for (int cl = 1; cl <= 8; cl *= 2) for (int grid = cl; grid <= 128; grid += 128 - cl) for (int sp = 0; sp < 2; sp++) { cudaLaunchConfig_t cfg = {}; cfg.gridDim = grid; cfg.blockDim = 256; cudaLaunchAttribute at; at.id = cudaLaunchAttributeClusterDimension; at.val.clusterDim.x = cl; at.val.clusterDim.y = at.val.clusterDim.z = 1; cfg.attrs = &at; cfg.numAttrs = 1; cudaLaunchKernelEx(&cfg, dsmem_red, 64, sp, out); cudaLaunchKernelEx(&cfg, dsmem_red, 64, sp, out); u64 m = most(grid); printf("dsmem_red_cluster_%d_spread_%d_grid,%d,%.2f per warp instruction of a block\n", cl, sp, grid, m / (8.0 * 64)); if (grid == 128 && cl == 128) break; if (sp == 0 && grid == cl) { cudaLaunchKernelEx(&cfg, dsmem_chase, 200, out); most(3); printf("dsmem_load,%d,%llu\ncluster_barrier,%d,%llu\n", cl, host[0], cl, host[1]); } }
    for (int t = 32; t <= 1024; t *= 2) { int n = 132 * 400; float m = ms([&] { empty_blocks<<<n, t>>>(0, big); }), m2 = ms([&] { empty_blocks<<<n * 3, t>>>(0, big); }); printf("empty_block_threads,%d,%.1f clocks a block of an SM at 1.98 GHz\n", t, (m2 - m) * 1e-3 * 1.98e9 / (n * 2 / 132.0)); }
    for (int cold = 1; cold >= 0; cold--) for (int th = 32; th <= 1024; th *= 2) for (int per = 1; per <= 2; per++) { int g = SMS * per; cudaMemset(out, 0, sizeof(host)); if (!cold) burst<<<g, th>>>(big, out); else clear(); cudaMemset(out, 0, sizeof(host)); burst<<<g, th>>>(big, out); u64 m = most(g), s = 0; for (int i = 0; i < g; i++) s += host[i]; printf("burst_%s_threads_%d_blocks,%d,slowest %llu mean of blocks' slowest %llu\n", cold ? "dram" : "l2", th, g, m, s / g); }
    loop_branch<<<1, 32>>>(1000, out); most(1); printf("setp_branch_add,1,%.2f\n", host[0] / 100.0);
    return 0;
}
