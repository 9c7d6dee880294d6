// Microbenchmarks of an SM's front end and of its memory queue, by the clock after each few instructions.
//
//     nvcc -O3 -arch=sm_90 -std=c++17 pipe.cu -o pipe
//     ./pipe > pipe.csv              runs all launches of the table below on the GPU
//     ./pipe --list > pipe.cases     the same launches for simtlab
//
// A line of the output is: launch, run, and what every warp wrote, one word a stamp: cycles since the first stamp of
// the block. None of these kernels is a kernel of the guide.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

typedef uint32_t u32;
typedef unsigned long long u64;
typedef long long i64;

#define ARGS u32 *out, char *data, u32 few, u32 many, u32 step, u32 reps
#define KERNEL(NAME) extern "C" __global__ void __launch_bounds__(1024) NAME(ARGS)

__device__ __forceinline__ u32 now()
{
    u32 t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return t;
}

template <int N, class F> __device__ __forceinline__ void times(F f)
{
#pragma unroll
    for (int i = 0; i < N; i++)
        f(i);
}

template <int N> __device__ __forceinline__ void tell(u32 *out, const u32 (&t)[N])
{
    if (threadIdx.x % 32 == 0)
        times<N>([&](int i) { out[(blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * N + i] = t[i]; });
}

// Long enough for all that is under way to be done, without memory.
__device__ __forceinline__ void settle(u32 &x, u32 step)
{
    times<100>([&](int) { asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(x) : "r"(step)); });
}

// ---- Whose turn it is: the clock after every few instructions ----

#define ORDER(NAME, ...)                                                                                               \
    KERNEL(NAME)                                                                                                       \
    {                                                                                                                  \
        [[maybe_unused]] u32 t[32], x = threadIdx.x, a[8];                                                                              \
        [[maybe_unused]] float f[8], g = (float)step;                                                                                   \
        times<8>([&](int i) { a[i] = x + i, f[i] = (float)(x + i); });                                                 \
        auto body = [&](int i) { __VA_ARGS__; };                                                                       \
        for (u32 r = 0; r < reps; r++) {                                                                               \
            __syncthreads();                                                                                           \
            settle(x, step);                                                                                           \
            times<32>([&](int k) { t[k] = now(); times<8>(body); });                                                   \
        }                                                                                                              \
        tell(out, t);                                                                                                  \
        if (reps == 77)                                                                                                \
            times<8>([&](int i) { ((u32 *)data)[i] = a[i] + (u32)f[i] + x; });                                         \
    }

ORDER(order_ffma, asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(f[i % 8]) : "f"(g)))
ORDER(order_imad, asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(a[i % 8]) : "r"(step)))
ORDER(order_chain, asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(a[0]) : "r"(step)))
ORDER(order_mix, asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(a[i % 4]) : "r"(step)); asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(f[i % 8]) : "f"(g)))

// ---- The memory queue: one to twenty of an instruction, from the clock before them to the clock after them ----

__shared__ __align__(16) char shared_bytes[40960];

#define QUEUE(NAME, ...)                                                                                               \
    extern "C" __global__ void __launch_bounds__(512) NAME(ARGS)                                                       \
    {                                                                                                                  \
        u32 t[40], x = threadIdx.x, v[20], w = 0, sum = 0;                                                             \
        u32 base = (u32)__cvta_generic_to_shared(shared_bytes) + threadIdx.x % 32 * step;                              \
        char *p = data + threadIdx.x % 32 * step;                                                                      \
        for (u32 i = threadIdx.x; i < sizeof(shared_bytes) / 4; i += blockDim.x)                                       \
            ((u32 *)shared_bytes)[i] = 0;                                                                              \
        for (u32 r = 0; r < reps; r++)                                                                                 \
            times<20>([&](int n) {                                                                                     \
                __syncthreads();                                                                                       \
                settle(x, step);                                                                                       \
                t[2 * n] = now();                                                                                      \
                times<20>([&](int i) {                                                                                 \
                    if (i <= n) {                                                                                      \
                        v[i] = 0;                                                                                      \
                        __VA_ARGS__;                                                                                   \
                    }                                                                                                  \
                });                                                                                                    \
                t[2 * n + 1] = now();                                                                                  \
                times<20>([&](int i) {                                                                                 \
                    if (i <= n)                                                                                        \
                        asm volatile("add.u32 %0, %0, %1;" : "+r"(sum) : "r"(v[i]));                                   \
                });                                                                                                    \
            });                                                                                                        \
        tell(out, t);                                                                                                  \
        if (reps == 77)                                                                                                \
            *(u32 *)data = sum + x + base + w + *p;                                                                    \
    }

QUEUE(queue_lds, asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v[i]) : "r"(base)))
QUEUE(queue_lds128, asm volatile("{.reg .u32 a, b, c; ld.volatile.shared.v4.u32 {%0, a, b, c}, [%1];}" : "=r"(v[i]) : "r"(base)))
QUEUE(queue_sts, asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(base), "r"(x) : "memory"))
QUEUE(queue_sts128, asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(base), "r"(x) : "memory"))
QUEUE(queue_ldg, asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v[i]) : "l"(p)))
QUEUE(queue_stg, asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(p), "r"(x) : "memory"))
QUEUE(queue_lds_stg, asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v[i]) : "r"(base)); asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(p), "r"(x) : "memory"))
QUEUE(queue_lds_imad, asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v[i]) : "r"(base)); asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(x) : "r"(step)))

// ---- Fetching: the clock after each 16 instructions of straight code that has run once, and that has not ----

extern "C" __global__ void __launch_bounds__(512) fetch_line(ARGS)
{
    u32 t[96], a[8];
    times<8>([&](int i) { a[i] = threadIdx.x + i; });
    for (u32 r = 0; r < reps; r++) {
        __syncthreads();
        times<96>([&](int k) {
            t[k] = now();
            times<15>([&](int i) { asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(a[i % 8]) : "r"(step)); });
        });
    }
    tell(out, t);
    if (reps == 77)
        times<8>([&](int i) { ((u32 *)data)[i] = a[i]; });
}

// Functions that lie apart: each skips most of itself.
template <int N> __device__ __noinline__ u32 apart(u32 x, u32 step, u32 *t)
{
    u32 s = now();
    if (step == 77)
        times<180>([&](int) { asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(x) : "r"(step)); });
    return s + x * 0 + (step == 78 ? *t : 0) + N * 0;
}
KERNEL(fetch_calls)
{
    u32 t[32];
    for (u32 r = 0; r < reps; r++) {
        __syncthreads();
        t[0] = apart<0>(r, step, out), t[1] = apart<5>(r, step, out), t[2] = apart<2>(r, step, out), t[3] = apart<9>(r, step, out);
        t[4] = apart<1>(r, step, out), t[5] = apart<11>(r, step, out), t[6] = apart<7>(r, step, out), t[7] = apart<3>(r, step, out);
        t[8] = apart<12>(r, step, out), t[9] = apart<8>(r, step, out), t[10] = apart<15>(r, step, out), t[11] = apart<4>(r, step, out);
        t[12] = apart<10>(r, step, out), t[13] = apart<6>(r, step, out), t[14] = apart<14>(r, step, out), t[15] = apart<13>(r, step, out);
        times<16>([&](int i) { t[16 + i] = apart<1>(i, step, out); });
    }
    tell(out, t);
}

// ---- Calls, tables of branches, and divergence: the clock after each turn of a loop ----

__device__ __noinline__ u32 one(u32 x, u32 y) { asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(x) : "r"(y)); return x; }
__device__ __noinline__ u32 two(u32 x, u32 y) { asm volatile("xor.b32 %0, %0, %1;" : "+r"(x) : "r"(y)); return x; }
__device__ __noinline__ u32 down(u32 n, u32 y)
{
    return n == 0 ? y : down(n - 1, y) * 3 + one(n, y);
}
typedef u32 (*function)(u32, u32);
__device__ function table_of[2] = {one, two};

#define TURNS(NAME, ...)                                                                                               \
    KERNEL(NAME)                                                                                                       \
    {                                                                                                                  \
        u32 t[16], x = threadIdx.x;                                                                                    \
        function f = table_of[few % 2], g = table_of[(few + threadIdx.x) % 2];                                         \
        for (u32 r = 0; r < reps; r++) {                                                                               \
            __syncthreads();                                                                                           \
            settle(x, step);                                                                                           \
            _Pragma("unroll") for (u32 k = 0; k < 16; k++) {                                                           \
                t[k] = now();                                                                                          \
                _Pragma("unroll 1") for (u32 i = 0; i < many; i++)                                                     \
                {                                                                                                      \
                    __VA_ARGS__;                                                                                       \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
        tell(out, t);                                                                                                  \
        if (reps == 77)                                                                                                \
            *(u64 *)data = x + (u64)f + (u64)g;                                                                        \
    }
TURNS(turn_plain, asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(x) : "r"(step)))
TURNS(turn_call, x = one(x, step))
TURNS(turn_pointer, x = f(x, step))
TURNS(turn_pointers, x = g(x, step))
TURNS(turn_recurse, x += down(4, step))
TURNS(turn_table, switch (i + few & 7) {
    case 0: asm volatile("mad.lo.u32 %0, %0, 5, 1;" : "+r"(x)); break;
    case 1: asm volatile("xor.b32 %0, %0, 9;" : "+r"(x)); break;
    case 2: asm volatile("add.u32 %0, %0, 7;" : "+r"(x)); break;
    case 3: asm volatile("shl.b32 %0, %0, 1;" : "+r"(x)); break;
    case 4: asm volatile("popc.b32 %0, %0;" : "+r"(x)); break;
    case 5: asm volatile("not.b32 %0, %0;" : "+r"(x)); break;
    case 6: asm volatile("brev.b32 %0, %0;" : "+r"(x)); break;
    default: asm volatile("min.u32 %0, %0, 7;" : "+r"(x)); break;
})
TURNS(turn_half, if (threadIdx.x & 1) { times<12>([&](int) { asm volatile("mad.lo.u32 %0, %0, 5, 1;" : "+r"(x)); }); } else { times<12>([&](int) { asm volatile("xor.b32 %0, %0, 9;" : "+r"(x)); }); })
TURNS(turn_lane, for (u32 j = 0; j < threadIdx.x % 32; j++) asm volatile("mad.lo.u32 %0, %0, 5, 1;" : "+r"(x)))
TURNS(turn_skip, if (threadIdx.x == few + 31) { times<12>([&](int) { asm volatile("mad.lo.u32 %0, %0, 5, 1;" : "+r"(x)); }); })

// ---- Constant memory: a chain of loads whose lanes read `few` addresses, step bytes apart ----

__constant__ u32 constants[8192];
KERNEL(constant_lanes)
{
    u32 t[16], at = threadIdx.x % few * step / 4;
    for (u32 r = 0; r < reps; r++) {
        __syncthreads();
        times<16>([&](int k) {
            t[k] = now();
            times<4>([&](int) { at += constants[at]; asm volatile("" : "+r"(at)::"memory"); });
        });
    }
    tell(out, t);
    if (reps == 77)
        *(u32 *)data = at;
}

// ---- A barrier: the clock of a warp that is early, and of the last one ----

KERNEL(barrier_slip)
{
    u32 t[16], x = threadIdx.x;
    for (u32 r = 0; r < reps; r++) {
        __syncthreads();
        settle(x, step);
        if (threadIdx.x / 32 == blockDim.x / 32 - 1)
            settle(x, step);
        t[0] = now();
        __syncthreads();
        times<15>([&](int k) {
            t[k + 1] = now();
            asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(x) : "r"(step));
        });
    }
    tell(out, t);
    if (reps == 77)
        *(u32 *)data = x;
}

// ---- The launches ----

struct launch {
    std::string name, kernel;
    void *function;
    u32 block, few, many, step, reps, words;
};
static std::vector<launch> launches;
#define K(name) #name, (void *)name

static void add(std::string name, const char *kernel, void *f, u32 warps, u32 few, u32 many, u32 step, u32 reps, u32 words)
{
    launches.push_back({name + "_w" + std::to_string(warps), kernel, f, warps * 32, few, many, step, reps, words});
}

static void list()
{
    for (u32 w : {1u, 4u, 8u, 16u, 32u}) {
        add("order_ffma", K(order_ffma), w, 1, 1, 3, 2, 32);
        add("order_imad", K(order_imad), w, 1, 1, 3, 2, 32);
        add("order_chain", K(order_chain), w, 1, 1, 3, 2, 32);
        add("order_mix", K(order_mix), w, 1, 1, 3, 2, 32);
    }
    for (u32 w : {1u, 4u, 8u, 16u}) {
#define Q(name, step) add(#name "_s" #step, K(name), w, 1, 1, step, 2, 40)
        Q(queue_lds, 4), Q(queue_lds, 32), Q(queue_lds128, 16), Q(queue_lds128, 64), Q(queue_sts, 4), Q(queue_sts, 32), Q(queue_sts128, 16);
        Q(queue_ldg, 4), Q(queue_ldg, 32), Q(queue_stg, 4);
        Q(queue_lds_stg, 4), Q(queue_lds_imad, 4), Q(queue_lds_imad, 32);
    }
    for (u32 w : {1u, 4u, 16u}) {
        add("fetch_line_cold", K(fetch_line), w, 1, 1, 3, 1, 96);
        add("fetch_line_warm", K(fetch_line), w, 1, 1, 3, 2, 96);
        add("fetch_calls_cold", K(fetch_calls), w, 1, 1, 3, 1, 32);
        add("fetch_calls_warm", K(fetch_calls), w, 1, 1, 3, 2, 32);
    }
    for (u32 w : {1u, 4u, 16u}) {
#define T(name) add(#name, K(name), w, 0, 8, 3, 2, 16)
        T(turn_plain), T(turn_call), T(turn_pointer), T(turn_pointers), T(turn_recurse), T(turn_table), T(turn_half), T(turn_lane), T(turn_skip);
    }
    for (u32 w : {1u, 4u, 16u})
        for (u32 few : {1u, 2u, 4u, 8u, 16u, 32u})
            for (u32 step : {4u, 64u, 256u})
                add("constant_" + std::to_string(few) + "_s" + std::to_string(step), K(constant_lanes), w, few, 1, step, 2, 16);
    for (u32 w : {1u, 2u, 4u, 8u, 16u})
        add("barrier_slip", K(barrier_slip), w, 1, 1, 3, 2, 16);
}

static __global__ void sweep(u32 *p, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        p[i] += 1;
}

int main(int argc, char **argv)
{
    list();
    if (argc > 1 && strcmp(argv[1], "--list") == 0) {
        printf("# Made by `pipe --list`.\n");
        for (auto &l : launches)
            printf("%s pipe.cubin %s grid=1 block=%u u32[%u]=zero u8[65536]=zero u32=%u u32=%u u32=%u u32=%u\n", l.name.c_str(), l.kernel.c_str(),
                   l.block, l.block / 32 * l.words, l.few, l.many, l.step, l.reps);
        return 0;
    }
    const char *only = argc > 1 ? argv[1] : "";
    const size_t other = (size_t)256 << 20;
    char *data;
    u32 *out, *filler;
    if (cudaMalloc(&data, 1 << 20) || cudaMalloc(&out, 1 << 20) || cudaMalloc(&filler, other))
        return 1;
    cudaMemset(data, 0, 1 << 20);
    cudaMemset(filler, 0, other);
    std::vector<u32> words(1 << 18);
    sweep<<<1024, 256>>>(filler, other / 4);
    for (auto &l : launches)
        for (u32 run = 0; run < 3; run++) {
            if (l.name.compare(0, strlen(only), only) != 0)
                continue;
            void *args[] = {&out, &data, &l.few, &l.many, &l.step, &l.reps};
            cudaError_t e = cudaLaunchKernel(l.function, dim3(1), dim3(l.block), args, 0, 0);
            if (!e)
                e = cudaDeviceSynchronize();
            if (e) {
                fprintf(stderr, "%s: %s\n", l.name.c_str(), cudaGetErrorString(e));
                return 1;
            }
            u32 count = l.block / 32 * l.words, first;
            cudaMemcpy(words.data(), out, count * 4, cudaMemcpyDeviceToHost);
            first = words[0];
            for (u32 i = 0; i < count; i += l.words)
                first = (int)(words[i] - first) < 0 ? words[i] : first;
            printf("%s,%u", l.name.c_str(), run);
            for (u32 i = 0; i < count; i++)
                printf(",%d", (int)(words[i] - first));
            printf("\n");
        }
    return 0;
}
