// What stores and atomics do to what L1 has of a line.
#include <cstdio>
#include <cstdint>
enum { TURNS = 64 };
#define CLOCK(t) asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory")
__device__ uint32_t ld(uint32_t *p) { uint32_t x; asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(p) : "memory"); return x; }
__device__ void st(uint32_t *p, uint32_t x) { asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(x) : "memory"); }
// kind: what is done to word `other` (of the lane's 8 words) before word `at` is read again
template <int KIND> __global__ void turn(uint32_t *p, uint32_t *out, uint32_t mask, int moving, int stride, int half, int wait)
{
    uint32_t *mine = p + threadIdx.x * stride, t0, t1, x = 0, y = 0;
    for (int i = 0; i < 8; i++) y += ld(mine + i);
    y &= mask;
    CLOCK(t0);
#pragma unroll 1
    for (int k = 0; k < TURNS; k++) {
        int at = moving & 1 ? (k * 5 + threadIdx.x) & 7 : 0, other = moving & 2 ? (k * 3 + 2 * threadIdx.x + 1) & 7 : 1;
        if (half == 0 || ((threadIdx.x >> (half - 1)) ^ k) & 1) {
            if (KIND == 1) st(mine + other + y, x);
            if (KIND == 2) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(mine + other + y), "r"(x) : "memory");
            if (KIND == 3) { uint32_t z; asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(z) : "l"(mine + other + y), "r"(x) : "memory"); y = z & mask; }
            if (KIND == 4) asm volatile("st.global.u8 [%0], %1;" ::"l"(mine + other + y), "r"(x) : "memory");
        }
        for (int w = 0; w < wait; w++) { asm volatile("add.u32 %0, %0, %1;" : "+r"(y) : "r"(mask)); }
        x = ld(mine + at + (y & mask)) & mask;
        y = (y & mask) + x;
    }
    CLOCK(t1);
    if (threadIdx.x == 0) out[0] = t1 - t0, out[1] = x + y;
}
static void show(const char *name, uint32_t *p, uint32_t *out, void (*f)(uint32_t *, uint32_t *, uint32_t, int, int, int, int), int moving, int stride, int half, int wait)
{
    uint32_t o[2];
    cudaMemset(p, 0, 1 << 16);
    f<<<1, 32>>>(p, out, 0, moving, stride, half, wait);
    cudaMemcpy(o, out, 8, cudaMemcpyDeviceToHost);
    printf("%s,moving=%d,stride=%d,half=%d,wait=%d,%.2f\n", name, moving, stride, half, wait, o[0] / (double)TURNS);
}
int main()
{
    uint32_t *p, *out;
    cudaMalloc(&p, 1 << 16);
    cudaMalloc(&out, 8);
    int strides[] = {8, 32};
    for (int s = 0; s < 2; s++)
        for (int moving = 0; moving < 4; moving++)
            for (int half = 0; half < 3; half++) {
                show("load", p, out, turn<0>, moving, strides[s], half, 0);
                show("store", p, out, turn<1>, moving, strides[s], half, 0);
                show("byte", p, out, turn<4>, moving, strides[s], half, 0);
                show("store", p, out, turn<1>, moving, strides[s], half, 64);
                show("store", p, out, turn<1>, moving, strides[s], half, 300);
                if (half == 0 && moving < 2) {
                    show("red", p, out, turn<2>, moving, strides[s], half, 0);
                    show("atom", p, out, turn<3>, moving, strides[s], half, 0);
                }
            }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
