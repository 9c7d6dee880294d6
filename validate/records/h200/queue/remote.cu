// A load of global memory beside atomics on the shared memory of other SMs; loads and stores around a barrier. Prints CSV.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <algorithm>
namespace cg = cooperative_groups;
typedef unsigned u; typedef unsigned long long ull;
enum { STAMPS = 16, TURNS = 6 };
__device__ __forceinline__ ull now() { ull t; asm volatile("mov.u64 %0,%%clock64;" : "=l"(t)::"memory"); return t; }
__device__ __forceinline__ u load(const u *p) { u x; asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(x) : "l"(p) : "memory"); return x; }
__device__ __forceinline__ void put(u a, u x) { asm volatile("st.shared.u32 [%0],%1;" :: "r"(a), "r"(x) : "memory"); }
__device__ __forceinline__ u get(u a) { u x; asm volatile("ld.shared.u32 %0,[%1];" : "=r"(x) : "r"(a) : "memory"); return x; }
__device__ __forceinline__ void use(u x, u &all) { asm volatile("lop3.b32 %0,%1,%2,%0,0x6a;" : "+r"(all) : "r"(x), "r"(x) : "memory"); }
// Stamps: 0 start, 1..4 values of four loads there, 5 after the last store issued, 6 behind the barrier, 7 a load from shared memory there.
// stores: 0: none. ways: words between lanes. With `first` all of a warp's loads are waited for before the first store.
template <int STORES, int LINES> __global__ void back(ull *out, const u *in, int ways, int turns)
{
    extern __shared__ u s[];
    u warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const u *p = in + warp * 32 * 4 + lane;
    u a = (lane * ways + warp) % 1024 * 4 + (ways == 1 ? 0 : 0), b = threadIdx.x * 4;
    ull t[8];
    u all = 0;
    for (int turn = 0; turn < turns; turn++) {
        __syncthreads();
        __syncthreads();
        t[0] = now();
        u x[4];
#pragma unroll
        for (int i = 0; i < LINES; i++) x[i] = load(p + i * 32 + turn * 4096);
#pragma unroll
        for (int i = 0; i < LINES; i++) {
            use(x[i], all);
            t[1 + i] = now();
            if (STORES) put(a + i * 128 * (ways == 1), x[i] + i);
        }
        t[5] = now();
        __syncthreads();
        asm volatile("" ::: "memory");
        t[6] = now();
        u y = get(b);
        use(y, all);
        t[7] = now();
        __syncthreads();
        if (lane == 0)
            for (int i = 0; i < 8; i++) out[(turn * 32 + warp) * 8 + i] = i > LINES && i < 5 ? t[LINES] : t[i];
    }
    if (all == 0x7ffffff1) out[0] = all;
}
// Each warp: `count` stores of `ways` words between lanes, then a barrier, then a load, a shuffle, a load of global memory.
__global__ void stored(ull *out, const u *in, int ways, int count, int turns)
{
    extern __shared__ u s[];
    u warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    u a = (lane * ways + warp) % 1024 * 4, b = threadIdx.x * 4, all = 0;
    for (int turn = 0; turn < turns; turn++) {
        ull t[8];
        __syncthreads();
        __syncthreads();
        t[0] = now();
        for (int i = 0; i < count; i++) { put(a, lane + i); a = (a + 4) & 4095; }
        t[1] = now();
        __syncthreads();
        asm volatile("" ::: "memory");
        t[2] = now();
        u y = get(b);
        t[3] = now();
        use(y, all);
        t[4] = now();
        __syncthreads();
        t[5] = t[6] = t[7] = 0;
        if (lane == 0) for (int i = 0; i < 8; i++) out[(turn * 32 + warp) * 8 + i] = t[i];
    }
    if (all == 0x7ffffff1) out[0] = all;
}
// A cluster of 8: warp 0 of each block loads from global memory (L2) `at` cycles after the warps beside it have begun to add to words of the cluster.
// own: warp 0 also adds, before it loads. Stamps: 1 issue of the add, 2 sources of it read, 3 load there; warps beside: 4 after their adds issued, 5 fence done.
__global__ void __cluster_dims__(8) far_load(ull *out, const u *in, int warps, int adds, int at, int own, int one, int turns)
{
    extern __shared__ u s[];
    auto c = cg::this_cluster();
    u warp = threadIdx.x / 32, lane = threadIdx.x % 32, all = 0;
    for (int turn = 0; turn < turns; turn++) {
        ull t[8] = {0, 0, 0, 0, 0, 0, 0, 0};
        u x = load(in + lane);
        use(x, all);
        c.sync();
        __syncthreads();
        ull start = now();
        u v = threadIdx.x * 2654435761u + blockIdx.x * 40503u + turn * 977u;
        if (warp == 0) {
            while ((long long)(now() - start - at) < 0) ;
            t[0] = now() - start;
            if (own) {
                v = v * 1664525u + 1013904223u;
                u *p = (u *)c.map_shared_rank(s, one ? 0 : v >> 20 & 7) + (one ? 0 : v >> 24 & 127);
                asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0],%1;" :: "r"((u)__cvta_generic_to_shared(p)), "r"(v) : "memory");
                t[1] = now() - start;
            }
            u y = load(in + lane);
            t[2] = now() - start;
            use(y, all);
            t[3] = now() - start;
        } else if (warp <= (u)warps) {
            for (int i = 0; i < adds; i++) {
                v = v * 1664525u + 1013904223u;
                atomicAdd(c.map_shared_rank(s, one ? 0 : v >> 20 & 7) + (one ? 0 : v >> 24 & 127), 1);
            }
            t[4] = now() - start;
            asm volatile("fence.acq_rel.gpu;" ::: "memory");
            t[5] = now() - start;
        }
        c.sync();
        t[6] = now() - start;
        if (lane == 0 && blockIdx.x < 8) for (int i = 0; i < 8; i++) out[((turn * 8 + blockIdx.x) * 8 + warp) * 8 + i] = t[i];
    }
    if (all == 0x7ffffff1) out[0] = all;
}
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
static ull host[1 << 16], *out;
static u *buf;
static void check() { cudaError_t e = cudaDeviceSynchronize(); if (e) { printf("error,%s\n", cudaGetErrorString(e)); exit(1); } }
template <int S, int L> static void show(const char *name, int warps, int ways)
{
    for (int again = 0; again < 2; again++) {
        back<S, L><<<1, warps * 32, 16384>>>(out, buf, ways, TURNS); check();
    }
    cudaMemcpy(host, out, TURNS * 32 * 8 * 8, cudaMemcpyDeviceToHost);
    for (int turn = 3; turn < 5; turn++) {
        ull base = ~0ull;
        for (int w = 0; w < warps; w++) base = std::min(base, host[(turn * 32 + w) * 8]);
        for (int w = 0; w < warps; w++) {
            printf("back,%s,%d,%d,%d,%d", name, warps, ways, turn, w);
            for (int i = 0; i < 8; i++) printf(",%llu", host[(turn * 32 + w) * 8 + i] - base);
            printf("\n");
        }
    }
}
int main(int argc, char **argv)
{
    cudaMalloc(&out, 4 << 20); cudaMalloc(&buf, 128 << 20); cudaMemset(buf, 0, 128 << 20);
    if (argc == 1) {
        for (int warps : {4, 8, 16, 32}) {
            show<0, 4>("none", warps, 1);
            show<1, 4>("store", warps, 1); show<1, 4>("store", warps, 8); show<1, 4>("store", warps, 32);
        }
        for (int warps : {8, 32}) { show<0, 1>("none1", warps, 1); show<1, 1>("store1", warps, 1); show<1, 1>("store1", warps, 32); }
        for (int warps : {1, 4, 8, 16, 32}) for (int count : {1, 2, 4, 8}) {
            stored<<<1, warps * 32, 16384>>>(out, buf, 32, count, TURNS); check();
            cudaMemcpy(host, out, TURNS * 32 * 8 * 8, cudaMemcpyDeviceToHost);
            for (int turn = 3; turn < 4; turn++) {
                ull base = ~0ull;
                for (int w = 0; w < warps; w++) base = std::min(base, host[(turn * 32 + w) * 8]);
                for (int w = 0; w < warps; w++) { printf("stored,%d,%d,%d,%d", warps, count, turn, w); for (int i = 0; i < 5; i++) printf(",%llu", host[(turn * 32 + w) * 8 + i] - base); printf("\n"); }
            }
        }
        for (int blocks : {8, 128}) for (int one : {0, 1}) for (int own : {0, 1}) for (int warps : {0, 1, 3, 7}) for (int adds : {1, 2, 4}) for (int at : {0, 100, 200, 400, 800}) {
            if (warps == 0 && adds > 1) continue;
            if (blocks == 8 && (one || adds == 2)) continue;
            far_load<<<blocks, 256, 512>>>(out, buf, warps, adds, at, own, one, TURNS); check();
            cudaMemcpy(host, out, TURNS * 8 * 8 * 8 * 8, cudaMemcpyDeviceToHost);
            for (int turn = 2; turn < 6; turn += 3) for (int b = 0; b < 8; b += 5) {
                ull *h = host + ((turn * 8 + b) * 8) * 8;
                printf("far,%d,%d,%d,%d,%d,%d,%d,%d,", blocks, one, own, warps, adds, at, turn, b);
                for (int i = 0; i < 4; i++) printf(",%llu", h[i]);
                for (int w = 1; w <= warps; w += 2) printf(",,%llu,%llu", h[w * 8 + 4], h[w * 8 + 5]);
                printf(",,%llu\n", h[6]);
            }
        }
        return 0;
    }
    for (int k = 0; k < 2; k++) {
        tile<0><<<132, dim3(32, 8)>>>((float *)buf, (float *)buf + (8 << 20), 0, 8);
        tile<1><<<132, dim3(32, 8)>>>((float *)buf, (float *)buf + (8 << 20), 0, 8);
        tile<0><<<264, dim3(32, 8)>>>((float *)buf, (float *)buf + (8 << 20), 0, 8);
        tile<1><<<264, dim3(32, 8)>>>((float *)buf, (float *)buf + (8 << 20), 0, 8);
    }
    check();
}
