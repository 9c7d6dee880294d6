// Own microbenchmarks: who waits for whom in the memory pipe. Prints CSV.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <algorithm>
namespace cg = cooperative_groups;
typedef unsigned u; typedef unsigned long long ull;
#define TURNS 12
__device__ __forceinline__ ull now() { unsigned long long t; asm volatile("mov.u64 %0,%%clock64;" : "=l"(t)::"memory"); return t; }
__device__ __forceinline__ void until(ull t) { while ((long long)(now() - t) < 0) ; }
// kind: what warp 0 measures, `at` cycles after the start; the others store `count` times with `ways` conflicts at `burst`.
// same: only warps of warp 0's scheduler store (1), only those of others (2), all (0)
template <int KIND> __global__ void behind(ull *out, u *chase, int at, int burst, int warps, int count, int ways, int same)
{
    extern __shared__ u s[];
    u warp = threadIdx.x / 32, lane = threadIdx.x % 32, x = 0, sum = 0;
    u *p = chase + lane;
    s[threadIdx.x] = 0;
    u slot = (lane * ways) & 1023;
    if (KIND == 1) asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(x) : "l"(p) : "memory");
    for (int turn = 0; turn < TURNS; turn++) {
        if (KIND == 0) asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(x) : "l"(p) : "memory");
        sum += x;
        __syncthreads();
        ull start = now() + 400;
        // everybody's own start: barrier leaves together within some cycles
        bool mine = warp > 0 && warp <= (u)warps;
        if (same == 1) mine = mine && warp % 4 == 0;
        if (same == 2) mine = mine && warp % 4 != 0;
        if (warp == 0) {
            until(start + at);
            ull t0 = now();
            if (KIND == 0) asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(x) : "l"(p) : "memory");
            if (KIND == 1) asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(x) : "l"(p) : "memory");
            if (KIND == 2) asm volatile("ld.shared.u32 %0,[%1];" : "=r"(x) : "r"(lane * 4) : "memory");
            if (KIND == 3) asm volatile("mov.u32 %0,%%smid;" : "=r"(x) :: "memory");
            if (KIND == 4) asm volatile("st.global.u32 [%0],%1;" :: "l"(p + 4096), "r"(sum) : "memory");
            if (KIND == 5) asm volatile("shfl.sync.idx.b32 %0,%1,0,31,-1;" : "=r"(x) : "r"(sum) : "memory");
            ull ti = now();
            asm volatile("{.reg .pred q; setp.eq.u32 q,%0,0x7fffffff; @q trap;}" :: "r"(x) : "memory");
            ull t1 = now();
            sum += x;
            if (lane == 0) { out[turn * 4] = t0 - start; out[turn * 4 + 1] = ti - t0; out[turn * 4 + 2] = t1 - t0; }
        } else if (mine) {
            until(start + burst);
            ull t0 = now();
            for (int i = 0; i < count; i++) asm volatile("st.shared.u32 [%0],%1;" :: "r"(slot * 4 + i * 4), "r"(sum) : "memory");
            ull t1 = now();
            if (lane == 0 && warp == 1) out[turn * 4 + 3] = t1 - t0;
        }
        __syncthreads();
    }
    if (sum == 0x12345) out[1000] = sum;
}
// When each warp's atomics have issued. kind 0: red, 1: atom whose value is used at the end, 2: generic atom, 3: store
template <int KIND> __global__ void backlog(ull *out, float *target, int count, int lanes, int spread)
{
    u warp = threadIdx.x / 32, lane = threadIdx.x % 32, id = blockIdx.x * (blockDim.x / 32) + warp;
    ull stamps[8];
    float old = 0, all = 0;
    float *p = target + (spread ? (size_t)id * 1024 + lane * spread : 0);
    __syncthreads();
    ull t0 = now();
    #pragma unroll
    for (int i = 0; i < 6; i++) {
        if (i < count && lane < lanes) {
            if (KIND == 0) asm volatile("red.relaxed.gpu.global.add.f32 [%0],%1;" :: "l"(p), "f"(1.f) : "memory");
            if (KIND == 1) { asm volatile("atom.relaxed.gpu.global.add.f32 %0,[%1],%2;" : "=f"(old) : "l"(p), "f"(1.f) : "memory"); all += i + 1 < count ? 0 : old; }
            if (KIND == 3) asm volatile("st.global.f32 [%0],%1;" :: "l"(p), "f"(1.f) : "memory");
        }
        stamps[i] = now();
    }
    asm volatile("{.reg .pred q; setp.eq.f32 q,%0,0f12345678; @q trap;}" :: "f"(all) : "memory");
    ull t1 = now();
    if (lane == 0) {
        u smid; asm volatile("mov.u32 %0,%%smid;" : "=r"(smid));
        ull *o = out + id * 10;
        o[0] = t0; o[1] = t1; o[2] = smid;
        for (int i = 0; i < 6; i++) o[3 + i] = stamps[i];
    }
}
__global__ void backlog_generic(ull *out, float *target)
{
    u warp = threadIdx.x / 32, lane = threadIdx.x % 32, id = blockIdx.x * (blockDim.x / 32) + warp;
    float old;
    __syncthreads();
    ull t0 = now();
    asm volatile("atom.relaxed.gpu.add.f32 %0,[%1],%2;" : "=f"(old) : "l"(target), "f"(1.f) : "memory");
    ull t1 = now();
    if (lane == 0) { ull *o = out + id * 10; o[0] = t0; o[1] = t1; }
}
// A tile through shared memory, four rows a thread, with `pad` words between rows; no guide's kernel.
template <int PAD> __global__ void tile(const float *in, float *out, int width, int turns)
{
    __shared__ float s[32 * (32 + PAD)];
    int tx = threadIdx.x, ty = threadIdx.y;
    for (int t = 0; t < turns; t++) {
        const float *from = in + (size_t)(blockIdx.x + t * gridDim.x) * 1024;
        float v[4];
        for (int i = 0; i < 4; i++) v[i] = from[(ty + 8 * i) * 32 + tx];
        for (int i = 0; i < 4; i++) s[tx * (32 + PAD) + ty + 8 * i] = v[i];
        __syncthreads();
        float *to = out + (size_t)(blockIdx.x + t * gridDim.x) * 1024;
        for (int i = 0; i < 4; i++) to[(ty + 8 * i) * 32 + tx] = s[(ty + 8 * i) * (32 + PAD) + tx];
        __syncthreads();
    }
}
// Each thread adds to words of the cluster's blocks: `turns` loads of global memory, each with an atomic behind it.
__global__ void __cluster_dims__(8) far_add(const int *in, int *out, int turns)
{
    extern __shared__ int t[];
    auto c = cg::this_cluster();
    for (int i = threadIdx.x; i < 128; i += blockDim.x) t[i] = 0;
    c.sync();
    for (int k = 0; k < turns; k++) {
        int v = in[(k * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x];
        atomicAdd(c.map_shared_rank(t, v & 7) + (v >> 3 & 127), 1);
    }
    c.sync();
    for (int i = threadIdx.x; i < 128; i += blockDim.x) out[blockIdx.x * 128 + i] = t[i];
}
// The same, only the atomics, only the loads.
__global__ void __cluster_dims__(8) far_only(int *out, int turns)
{
    extern __shared__ int t[];
    auto c = cg::this_cluster();
    for (int i = threadIdx.x; i < 128; i += blockDim.x) t[i] = 0;
    c.sync();
    u v = threadIdx.x * 2654435761u + blockIdx.x;
    for (int k = 0; k < turns; k++) {
        v = v * 1664525u + 1013904223u;
        atomicAdd(c.map_shared_rank(t, v >> 20 & 7) + (v >> 24 & 127), 1);
    }
    c.sync();
    for (int i = threadIdx.x; i < 128; i += blockDim.x) out[blockIdx.x * 128 + i] = t[i];
}
static ull host[1 << 18], *out;
static float *buf;
static int check() { cudaError_t e = cudaDeviceSynchronize(); if (e) { printf("error,%s\n", cudaGetErrorString(e)); exit(1); } return 0; }
template <int K> static void b(const char *name, int at, int burst, int warps, int count, int ways, int same)
{
    cudaMemset(out, 0, 8192);
    behind<K><<<1, 1024, 16384>>>(out, (u *)buf, at, burst, warps, count, ways, same);
    check();
    cudaMemcpy(host, out, 8 * 64, cudaMemcpyDeviceToHost);
    u m[4][TURNS];
    for (int i = 0; i < TURNS; i++) for (int k = 0; k < 4; k++) m[k][i] = host[i * 4 + k];
    printf("behind,%s,%d,%d,%d,%d,%d,%d", name, at, burst, warps, count, ways, same);
    for (int k = 0; k < 4; k++) { std::sort(m[k], m[k] + TURNS); printf(",%d,%d,%d", (int)m[k][1], (int)m[k][TURNS / 2], (int)m[k][TURNS - 2]); }
    printf("\n");
}
static void bl(const char *name, int kind, int blocks, int threads, int count, int lanes, int spread)
{
    cudaMemset(out, 0, 1 << 20); cudaMemset(buf, 0, 1 << 20);
    int small = blocks <= 2;
    (void)small;
    if (kind == 0) backlog<0><<<blocks, threads>>>(out, buf, count, lanes, spread);
    if (kind == 1) backlog<1><<<blocks, threads>>>(out, buf, count, lanes, spread);
    if (kind == 2) backlog_generic<<<blocks, threads>>>(out, buf);
    if (kind == 3) backlog<3><<<blocks, threads>>>(out, buf, count, lanes, spread);
    check();
    int n = threads / 32;
    cudaMemcpy(host, out, 8 * 10 * n, cudaMemcpyDeviceToHost);
    ull base = ~0ull;
    for (int i = 0; i < n; i++) base = std::min(base, host[i * 10]);
    for (int i = 0; i < n; i++) {
        printf("backlog,%s,%d,%d,%d,%d,%d,%d,%llu,%llu", name, blocks, threads, count, lanes, spread, i, host[i * 10] - base, host[i * 10 + 1] - base);
        for (int k = 0; k < count && kind != 2; k++) printf(",%llu", host[i * 10 + 3 + k] - base);
        printf("\n");
    }
}
int main(int argc, char **argv)
{
    cudaMalloc(&out, 4 << 20); cudaMalloc(&buf, 64 << 20); cudaMemset(buf, 0, 64 << 20);
    int once = argc > 1;
    if (!once) {
        static const int ats[] = {-390, -300, -250, -200, -150, -100, -50, 0, 40, 100, 200, 400, 800};
        for (int w : {0, 8, 31}) for (int at : ats) {
            if (w == 0 && at != 0 && at != 100) continue;
            b<0>("cg", at, 0, w, 1, 32, 0); b<1>("ca", at, 0, w, 1, 32, 0);
            if (at >= -50) { b<2>("lds", at, 0, w, 1, 32, 0); b<3>("s2r", at, 0, w, 1, 32, 0); b<4>("stg", at, 0, w, 1, 32, 0); b<5>("shfl", at, 0, w, 1, 32, 0); }
        }
        for (int same : {1, 2}) for (int at : {-200, 0, 40, 100}) {
            b<0>("cg", at, 0, 31, 1, 32, same); b<1>("ca", at, 0, 31, 1, 32, same); b<2>("lds", at, 0, 31, 1, 32, same); b<3>("s2r", at, 0, 31, 1, 32, same); b<5>("shfl", at, 0, 31, 1, 32, same);
        }
        for (int c : {2, 4, 6, 8, 12, 16}) { b<0>("cg", 100, 0, 31, c, 32, 0); b<2>("lds", 100, 0, 31, c, 32, 0); b<3>("s2r", 100, 0, 31, c, 32, 0); b<4>("stg", 100, 0, 31, c, 32, 0); }
        for (int threads : {256, 512, 1024}) for (int kind : {0, 1, 3}) for (int count : {1, 2, 4}) bl(kind == 0 ? "red" : kind == 1 ? "atom" : "stg", kind, 1, threads, count, 32, 0);
        for (int kind : {0, 1}) for (int count : {1, 4}) { bl(kind ? "atom" : "red", kind, 132, 1024, count, 32, 0); bl(kind ? "atom" : "red", kind, 1, 1024, count, 32, 1); bl(kind ? "atom" : "red", kind, 1, 1024, count, 32, 8); bl(kind ? "atom" : "red", kind, 1, 1024, count, 1, 0); }
        bl("generic", 2, 1, 1024, 1, 32, 0); bl("generic", 2, 132, 1024, 1, 32, 0); bl("generic", 2, 264, 1024, 1, 32, 0);
        return 0;
    }
    // under ncu
    tile<0><<<264 * 4, dim3(32, 8)>>>(buf, buf + (8 << 20), 0, 4);
    tile<1><<<264 * 4, dim3(32, 8)>>>(buf, buf + (8 << 20), 0, 4);
    tile<0><<<132, dim3(32, 8)>>>(buf, buf + (8 << 20), 0, 8);
    far_add<<<128, 256, 512>>>((int *)buf, (int *)out, 4);
    far_only<<<128, 256, 512>>>((int *)out, 8);
    backlog<0><<<132, 1024>>>(out, buf, 1, 32, 0);
    backlog<0><<<264, 1024>>>(out, buf, 1, 32, 0);
    backlog<1><<<132, 1024>>>(out, buf, 1, 32, 0);
    backlog<1><<<264, 1024>>>(out, buf, 1, 32, 0);
    backlog<1><<<264, 1024>>>(out, buf, 4, 32, 0);
    backlog<0><<<264, 1024>>>(out, buf, 4, 32, 0);
    backlog_generic<<<132, 1024>>>(out, buf);
    backlog_generic<<<264, 1024>>>(out, buf);
    check();
}
