// Own microbenchmarks: what warps of atomics and of tile copies wait for, and what loads take beside other traffic. Prints CSV.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
typedef unsigned u;
__device__ __forceinline__ u now() { u t; asm volatile("mov.u32 %0,%%clock;" : "=r"(t)::"memory"); return t; }
__device__ __forceinline__ u smid() { u s; asm("mov.u32 %0,%%smid;" : "=r"(s)); return s; }
// KIND 0: generic f32, nobody reads the old value; 1: the same that acquires; 2: red of global memory; 3: atom whose value is used at the end; 4, 5, 6: 0, 2, 3 of s32.
template <int KIND, int N, int STAMP> __global__ void atoms(u *out, float *target, int lanes, int spread, int apart)
{
    u warp = threadIdx.x / 32, lane = threadIdx.x % 32, id = blockIdx.x * (blockDim.x / 32) + warp, t[N + 1];
    float *p = target + (size_t)id * apart + lane * spread, all = 0;
    int sum = 0;
    if (STAMP) { __syncthreads(); t[0] = now(); }
#pragma unroll
    for (int i = 0; i < N; i++) {
        if (lane < lanes) {
            float old = 0;
            int was = 0;
            if (KIND == 0) asm volatile("atom.relaxed.gpu.add.f32 %0,[%1],%2;" : "=f"(old) : "l"(p), "f"(1.f) : "memory");
            if (KIND == 1) asm volatile("atom.acquire.gpu.add.f32 %0,[%1],%2;" : "=f"(old) : "l"(p), "f"(1.f) : "memory");
            if (KIND == 2) asm volatile("red.relaxed.gpu.global.add.f32 [%0],%1;" :: "l"(p), "f"(1.f) : "memory");
            if (KIND == 3) { asm volatile("atom.relaxed.gpu.global.add.f32 %0,[%1],%2;" : "=f"(old) : "l"(p), "f"(1.f) : "memory"); all += old; }
            if (KIND == 4) asm volatile("atom.relaxed.gpu.add.s32 %0,[%1],%2;" : "=r"(was) : "l"(p), "r"(1) : "memory");
            if (KIND == 5) asm volatile("red.relaxed.gpu.global.add.s32 [%0],%1;" :: "l"(p), "r"(lane) : "memory");
            if (KIND == 6) { asm volatile("atom.relaxed.gpu.global.add.s32 %0,[%1],%2;" : "=r"(was) : "l"(p), "r"(lane) : "memory"); sum += was; }
        }
        if (STAMP) t[i + 1] = now();
    }
    if (KIND == 3 || KIND == 6) asm volatile("{.reg .pred q; setp.eq.f32 q,%0,0f12345678; setp.eq.or.u32 q,%1,0x76543210,q; @q trap;}" :: "f"(all), "r"(sum) : "memory");
    if (STAMP && lane == 0) {
        u *o = out + id * 8;
        o[0] = smid();
        for (int i = 0; i <= N; i++) o[i + 1] = t[i];
        o[7] = now();
    }
}
// A load, and an atomic behind a fence, as of a sequentially consistent one; N of them.
template <int N> __global__ void fenced(const float *in, float *target, int n)
{
    for (int i = 0; i < N; i++) {
        float v = in[(i * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x], old;
        asm volatile("fence.sc.gpu;" ::: "memory");
        asm volatile("atom.acquire.gpu.add.f32 %0,[%1],%2;" : "=f"(old) : "l"(target), "f"(v) : "memory");
    }
}
// One lane's loads of lines that nobody has, one after another, in some SMs; beside it, the other SMs' stream: 0 none 1 reads 2 writes 3 copies.
#define PROBES 48
__global__ void probe(u *out, const float *cold, float *in, float *to, int mode, int pause, u lines)
{
    u warp = threadIdx.x / 32, lane = threadIdx.x % 32, t0 = now();
    const u limit = 50000;
    if (blockIdx.x % 16 == 5) {
        if (warp >= 4) return;
        u id = blockIdx.x / 16 * 4 + warp, x = id * 7919 + 12345;
        while (now() - t0 < 6000) ;
        for (int i = 0; i < PROBES; i++) {
            x = x * 1664525u + 1013904223u;
            u a = now(), v;
            asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(v) : "l"(cold + (size_t)((x >> 8) % lines) * 32) : "memory");
            asm volatile("{.reg .pred q; setp.eq.u32 q,%0,0x7fffffff; @q trap;}" :: "r"(v) : "memory");
            u b = now();
            if (lane == 0) { out[(id * PROBES + i) * 2] = b - a; out[(id * PROBES + i) * 2 + 1] = a - t0; }
            if (b - t0 > limit) break;
        }
        return;
    }
    u warps = blockDim.x / 32 * gridDim.x, me = blockIdx.x * (blockDim.x / 32) + warp, turn = 0, next = t0 + me * 2654435761u % (u)(pause + 1);
    if (mode == 0) return;
    for (; now() - t0 < limit + 4000; turn++) {
        float v[8];
        size_t at = ((size_t)(turn * warps + me) * 256 % ((size_t)lines * 32)) + lane;
        while ((int)(now() - next) < 0) ;
        next += pause;
#pragma unroll
        for (int k = 0; k < 8; k++)
            if (mode & 1) asm volatile("ld.global.cg.f32 %0,[%1];" : "=f"(v[k]) : "l"(in + at + k * 32) : "memory");
            else v[k] = turn;
#pragma unroll
        for (int k = 0; k < 8; k++)
            if (mode & 2) asm volatile("st.global.f32 [%0],%1;" :: "l"(to + at + k * 32), "f"(v[k]) : "memory");
            else asm volatile("{.reg .pred q; setp.eq.f32 q,%0,0f12345678; @q trap;}" :: "f"(v[k]) : "memory");
    }
    if (lane == 0) out[8 * 4 * PROBES * 2 * 2 + me] = turn;
}
// Tiles of 32 x 32 words, R rows a thread; SHARED: through shared memory, with a barrier. Tile i of the input goes to `other` of the output.
template <int R, int SHARED, int STAMP> __global__ void tiles(const float *in, float *to, u *out, u across, u pitch, int swap)
{
    __shared__ float s[32][33];
    u t0 = STAMP ? now() : 0, t1 = 0, t2 = 0;
    u x = threadIdx.x, y = threadIdx.y, bx = blockIdx.x % across, by = blockIdx.x / across;
    const float *from = in + (size_t)(by * 32 + y) * pitch + bx * 32 + x;
    u ox = swap ? by : bx, oy = swap ? bx : by;
    float *there = to + (size_t)(oy * 32 + y) * pitch + ox * 32 + x, v[R];
#pragma unroll
    for (int i = 0; i < R; i++) v[i] = from[(size_t)i * (32 / R) * pitch];
    if (SHARED) {
#pragma unroll
        for (int i = 0; i < R; i++) s[y + i * (32 / R)][x] = v[i];
        if (STAMP) t1 = now();
        __syncthreads();
        if (STAMP) t2 = now();
#pragma unroll
        for (int i = 0; i < R; i++) v[i] = s[y + i * (32 / R)][31 - x];
    }
#pragma unroll
    for (int i = 0; i < R; i++) there[(size_t)i * (32 / R) * pitch] = v[i];
    if (STAMP && x == 0 && blockIdx.x % 64 == 17) {
        u *o = out + (blockIdx.x / 64 * (32 / R) + y) * 4;
        o[0] = t0; o[1] = t1; o[2] = t2; o[3] = now();
    }
}
__global__ void sweep(const float4 *in, size_t count, u *out)
{
    float sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) sum += in[i].x;
    if (sum == 123.f) out[0] = 1;
}
static u *out, host[1 << 20];
static float *in, *to;
static void check(const char *what) { cudaError_t e = cudaDeviceSynchronize(); if (e) { printf("error,%s,%s\n", what, cudaGetErrorString(e)); exit(1); } }
template <int KIND, int N> static void a(int once, int blocks, int threads, int lanes, int spread, int apart)
{
    cudaMemset(out, 0, 1 << 21);
    if (once) { atoms<KIND, N, 0><<<blocks, threads>>>(out, to, lanes, spread, apart); check("atoms"); return; }
    atoms<KIND, N, 1><<<blocks, threads>>>(out, to, lanes, spread, apart);
    check("atoms");
    int warps = threads / 32 * blocks;
    cudaMemcpy(host, out, warps * 32, cudaMemcpyDeviceToHost);
    for (int b = 0; b < blocks; b += 97) {
        u base = ~0u;
        for (int w = 0; w < threads / 32; w++) base = std::min(base, host[(b * threads / 32 + w) * 8 + 1]);
        for (int w = 0; w < threads / 32; w++) {
            u *o = host + (b * threads / 32 + w) * 8;
            printf("atoms,%d,%d,%d,%d,%d,%d,%d,%d,%u,%d", KIND, N, blocks, threads, lanes, spread, apart, b, o[0], w);
            for (int i = 0; i <= N; i++) printf(",%d", (int)(o[i + 1] - base));
            printf(",%d\n", (int)(o[7] - base));
        }
    }
}
static void p(int mode, int pause, int threads)
{
    const u lines = 1 << 20;
    cudaMemset(out, 0, 1 << 21);
    cudaMemset(to, 0, 128 << 20);
    sweep<<<264, 1024>>>((float4 *)(in + (192 << 20)), 12 << 20, out); // L2 is full of unchanged lines
    probe<<<132, threads, 120000>>>(out, in, in + (96 << 20), to, mode, pause, lines);
    check("probe");
    cudaMemcpy(host, out, 1 << 21, cudaMemcpyDeviceToHost);
    std::vector<u> l;
    for (int i = 0; i < 8 * 4 * PROBES; i++) if (host[i * 2]) l.push_back(host[i * 2]);
    std::sort(l.begin(), l.end());
    double turns = 0, sum = 0;
    for (int i = 0; i < 132 * threads / 32; i++) turns += host[8 * 4 * PROBES * 2 * 2 + i];
    for (u v : l) sum += v;
    size_t n = l.size();
    printf("probe,%d,%d,%d,%zu,%.1f,%.1f", mode, pause, threads, n, turns * 1024 / 54000, sum / n);
    for (double q : {0.0, .05, .1, .25, .5, .75, .9, .95, .99, 1.0}) printf(",%u", l[std::min(n - 1, (size_t)(q * n))]);
    printf("\n");
}
template <int R, int SHARED> static void t(int once, u across, u down, u pitch, int swap)
{
    dim3 block(32, 32 / R);
    cudaMemset(in, 0, 110 << 20);
    cudaMemset(to, 0, 110 << 20);
    sweep<<<264, 1024>>>((float4 *)(in + (192 << 20)), 12 << 20, out);
    check("tiles");
    if (once) { tiles<R, SHARED, 0><<<across * down, block>>>(in, to, out, across, pitch, swap); check("tiles"); return; }
    tiles<R, SHARED, 1><<<across * down, block>>>(in, to, out, across, pitch, swap);
    check("tiles");
    cudaMemcpy(host, out, 1 << 21, cudaMemcpyDeviceToHost);
    std::vector<u> load, first, last, held, rest, whole;
    for (u b = 17; b < across * down; b += 64) {
        u *o = host + b / 64 * (32 / R) * 4, lo = ~0u, hi = 0, begin = o[0], s0 = ~0u;
        for (int w = 0; w < 32 / R; w++) s0 = std::min(s0, o[w * 4] - begin + 100000);
        for (int w = 0; w < 32 / R; w++) {
            u *q = o + w * 4;
            load.push_back(q[1] - q[0]);
            held.push_back(q[2] - q[1]);
            rest.push_back(q[3] - q[2]);
            whole.push_back(q[3] - q[0]);
            lo = std::min(lo, q[1] - begin + 100000), hi = std::max(hi, q[1] - begin + 100000);
        }
        first.push_back(lo - s0);
        last.push_back(hi - s0);
    }
    std::vector<u> *all[] = {&load, &first, &last, &held, &rest, &whole};
    const char *names[] = {"load", "first", "last", "held", "rest", "whole"};
    for (int i = 0; i < 6; i++) {
        std::vector<u> &v = *all[i];
        std::sort(v.begin(), v.end());
        double sum = 0;
        for (u x : v) sum += x;
        printf("tiles,%d,%d,%u,%u,%u,%d,%s,%.1f", R, SHARED, across, down, pitch, swap, names[i], sum / v.size());
        for (double q : {0.0, .05, .1, .25, .5, .75, .9, .95, .99, 1.0}) printf(",%u", v[std::min(v.size() - 1, (size_t)(q * v.size()))]);
        printf("\n");
    }
}
static void all_atoms(int once)
{
    a<0, 1>(once, 1, 1024, 32, 0, 0); a<0, 1>(once, 1, 256, 32, 0, 0); a<0, 4>(once, 1, 256, 32, 0, 0); a<0, 1>(once, 1, 1024, 8, 0, 0); a<0, 1>(once, 1, 1024, 1, 0, 0);
    a<0, 4>(once, 1, 1024, 1, 0, 0); a<0, 1>(once, 1, 1024, 32, 1, 0); a<0, 1>(once, 1, 1024, 32, 32, 0); a<0, 1>(once, 1, 1024, 32, 0, 32); a<0, 1>(once, 1, 1024, 32, 32, 1024);
    a<0, 1>(once, 132, 256, 32, 0, 0); a<0, 1>(once, 528, 256, 32, 0, 0); a<0, 1>(once, 1056, 256, 32, 0, 0); a<0, 4>(once, 132, 256, 32, 0, 0); a<0, 1>(once, 132, 1024, 32, 0, 0);
    a<0, 1>(once, 264, 1024, 32, 0, 0); a<0, 1>(once, 264, 1024, 8, 0, 0); a<0, 1>(once, 264, 1024, 1, 0, 0); a<1, 1>(once, 264, 1024, 32, 0, 0); a<1, 1>(once, 1056, 256, 32, 0, 0);
    a<1, 2>(once, 528, 256, 32, 0, 0); a<0, 1>(once, 1056, 512, 32, 0, 0);
    a<2, 2>(once, 1, 1024, 32, 0, 0); a<2, 2>(once, 264, 1024, 32, 0, 0); a<2, 1>(once, 1056, 256, 32, 0, 0);
    a<3, 2>(once, 1, 1024, 32, 0, 0); a<3, 1>(once, 1056, 256, 32, 0, 0); a<3, 2>(once, 1, 1024, 32, 32, 1024);
    a<4, 1>(once, 1, 1024, 32, 0, 0); a<4, 1>(once, 264, 1024, 32, 0, 0); a<4, 2>(once, 1, 1024, 32, 32, 1024);
    a<5, 4>(once, 1, 1024, 32, 0, 0); a<5, 2>(once, 264, 1024, 32, 0, 0); a<6, 2>(once, 1, 1024, 32, 0, 0); a<6, 2>(once, 1, 1024, 32, 1, 0); a<6, 2>(once, 264, 1024, 32, 0, 0);
}
static void all_tiles(int once)
{
    t<1, 1>(once, 160, 160, 5120, 0); t<1, 1>(once, 160, 160, 5120, 1); t<2, 1>(once, 160, 160, 5120, 1); t<4, 1>(once, 160, 160, 5120, 1); t<4, 1>(once, 160, 160, 5120, 0);
    t<1, 1>(once, 1, 25600, 32, 0); t<1, 1>(once, 32, 32, 1024, 0); t<1, 1>(once, 32, 32, 1024, 1); t<4, 1>(once, 1, 25600, 32, 0);
    if (once) { t<1, 0>(once, 160, 160, 5120, 0); t<1, 0>(once, 160, 160, 5120, 1); t<4, 0>(once, 160, 160, 5120, 1); t<1, 0>(once, 1, 25600, 32, 0); }
}
int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int once = argc > 2;
    cudaMalloc(&out, 4 << 20); cudaMalloc(&in, (size_t)1 << 30); cudaMalloc(&to, 128 << 20);
    cudaMemset(in, 0, (size_t)1 << 30); cudaMemset(to, 0, 128 << 20);
    cudaFuncSetAttribute(probe, cudaFuncAttributeMaxDynamicSharedMemorySize, 120000);
    if (!strcmp(what, "atoms")) all_atoms(once);
    if (!strcmp(what, "fenced")) { fenced<1><<<1056, 256>>>(in, to, 0); fenced<1><<<264, 1024>>>(in, to, 0); fenced<2><<<528, 128>>>(in, to, 0); fenced<1><<<132, 256>>>(in, to, 0); check("fenced"); }
    if (!strcmp(what, "tiles")) all_tiles(once);
    if (!strcmp(what, "probe"))
        for (int mode : {0, 1, 2, 3})
            for (int pause : {0, 1270, 1693, 2540, 5080, 10160}) {
                if (mode == 0 && pause) continue;
                p(mode, pause, 512);
                if (pause == 0) p(mode, pause, 1024);
            }
    check("end");
}
