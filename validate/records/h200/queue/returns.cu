// When what global memory sends back is there, while shared memory is stored to. Prints CSV.
#include <cstdio>
#include <cstdlib>
#include <algorithm>
typedef unsigned u; typedef unsigned long long ull;
enum { STAMPS = 16, TURNS = 6 };
__device__ __forceinline__ ull now() { ull t; asm volatile("mov.u64 %0,%%clock64;" : "=l"(t)::"memory"); return t; }
__device__ __forceinline__ u load_ca(const u *p) { u x; asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(x) : "l"(p) : "memory"); return x; }
__device__ __forceinline__ u load(const u *p) { u x; asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(x) : "l"(p) : "memory"); return x; }
__device__ __forceinline__ void put(u a, u x) { asm volatile("st.shared.u32 [%0],%1;" :: "r"(a), "r"(x) : "memory"); }
__device__ __forceinline__ u get(u a) { u x; asm volatile("ld.shared.u32 %0,[%1];" : "=r"(x) : "r"(a) : "memory"); return x; }
__device__ __forceinline__ void use(u x, u &all) { asm volatile("lop3.b32 %0,%1,%2,%0,0x6a;" : "+r"(all) : "r"(x), "r"(x) : "memory"); }
// Stamps: 0 start, 1..4 values of four loads there, 5 after the last store issued, 6 behind the barrier, 7 a load from shared memory there.
// stores: 0: none. ways: words between lanes. With `first` all of a warp's loads are waited for before the first store.
template <int STORES, int LINES, int CA> __global__ void back(ull *out, const u *in, int ways, int turns)
{
    extern __shared__ u s[];
    u warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const u *p = in + warp * 32 * 4 + lane + blockIdx.x * 4096 * turns;
    u a = (lane * ways + warp) % 1024 * 4 + (ways == 1 ? 0 : 0), b = threadIdx.x * 4;
    ull t[8];
    u all = 0;
    for (int turn = 0; turn < turns; turn++) {
        __syncthreads();
        __syncthreads();
        t[0] = now();
        u x[4];
#pragma unroll
        for (int i = 0; i < LINES; i++) x[i] = CA ? load_ca(p + i * 32 + turn * 4096) : load(p + i * 32 + turn * 4096);
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
        if (lane == 0 && blockIdx.x == 5 % gridDim.x)
            for (int i = 0; i < 8; i++) out[(turn * 32 + warp) * 8 + i] = i > LINES && i < 5 ? t[LINES] : t[i];
    }
    if (all == 0x7ffffff1) out[0] = all;
}
static ull host[1 << 16], *out;
static u *buf;
static void check() { cudaError_t e = cudaDeviceSynchronize(); if (e) { printf("error,%s\n", cudaGetErrorString(e)); exit(1); } }
template <int S, int L, int CA> static void show(const char *name, int warps, int ways, int blocks)
{
    for (int again = 0; again < 2; again++) {
        back<S, L, CA><<<blocks, warps * 32, 16384>>>(out, buf, ways, TURNS); check();
    }
    cudaMemcpy(host, out, TURNS * 32 * 8 * 8, cudaMemcpyDeviceToHost);
    for (int turn = 3; turn < 5; turn++) {
        ull base = ~0ull;
        for (int w = 0; w < warps; w++) base = std::min(base, host[(turn * 32 + w) * 8]);
        for (int w = 0; w < warps; w++) {
            printf("back,%s,%d,%d,%d,%d,%d", name, blocks, warps, ways, turn, w);
            for (int i = 0; i < 8; i++) printf(",%llu", host[(turn * 32 + w) * 8 + i] - base);
            printf("\n");
        }
    }
}
int main(int argc, char **argv)
{
    cudaMalloc(&out, 4 << 20); cudaMalloc(&buf, 128 << 20); cudaMemset(buf, 0, 128 << 20);
    for (int blocks : {1, 132})
        for (int warps : {2, 4, 8, 16, 32}) {
            show<0, 4, 1>("none_ca", warps, 1, blocks);
            show<1, 4, 1>("ca", warps, 1, blocks); show<1, 4, 1>("ca", warps, 8, blocks); show<1, 4, 1>("ca", warps, 32, blocks);
            show<1, 4, 0>("cg", warps, 32, blocks);
            show<1, 1, 1>("ca1", warps, 32, blocks);
        }
}
