// What becomes, in L1, of sectors that a thread writes in part and reads again: arrays of 16 elements of each thread, in
// its local memory, in global memory side by side, and in global memory laid out like local memory.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CLOCK(t) asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory")
enum { ELEMENTS = 16, LOCAL = 0, ROW = 1, WOVEN = 2 };
__device__ __forceinline__ uint32_t scatter(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}
template <typename T, int SPACE> struct own {
    T local[SPACE == LOCAL ? ELEMENTS : 1];
    T *at;
    __device__ own(T *p)
    {
        uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
        at = SPACE == ROW ? p + thread * ELEMENTS : p + thread / 32 * 32 * ELEMENTS + thread % 32 * (4 / sizeof(T));
    }
    __device__ __forceinline__ T &operator[](uint32_t i)
    {
        if (SPACE == LOCAL)
            return local[i];
        return SPACE == ROW ? at[i] : at[i / (4 / sizeof(T)) * (128 / sizeof(T)) + i % (4 / sizeof(T))];
    }
};
// turns: so many elements are read (does & 1) and written (does & 2), one by one, in an order of this kind:
// 0 one after another; 1 the same, each lane one further; 2 scattered; 3 by what is loaded; 4 each lane its own, always;
// 5 scattered, one for all lanes.
// first: 1: all are written before, 2: all are read before. lanes: mask. wait: additions between a load and its store,
// behind: after the store.
template <typename T, int SPACE, int DOES>
__global__ void turns(T *p, uint32_t *out, const uint8_t *in, int count, int order, int first, uint32_t lanes, int wait,
                      int behind, uint32_t zero)
{
    own<T, SPACE> mine(p);
    uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, t0, t1, sum = 0;
    if (SPACE == LOCAL && (first & 1) == 0 && zero != 0)
        mine[zero & 15] = (T)zero;
    if (first & 1)
#pragma unroll
        for (int i = 0; i < ELEMENTS; i++)
            mine[i] = (T)zero;
    if (first & 2)
#pragma unroll 1
        for (int i = 0; i < ELEMENTS; i++)
            sum += mine[i ^ zero];
    CLOCK(t0);
    sum &= zero;
    if (lanes >> lane & 1) {
#pragma unroll 1
        for (int k = 0; k < count; k++) {
            uint32_t i = k + sum;
            if (order == 1)
                i = k + lane;
            else if (order == 2)
                i = scatter(k * 32 + lane);
            else if (order == 3)
                i = scatter(k * 32 + lane) + in[thread * count + k];
            else if (order == 4)
                i = lane;
            else if (order == 5)
                i = scatter(k);
            i &= ELEMENTS - 1;
            uint32_t x = k;
            if (DOES & 1)
                x = mine[i];
            for (int w = 0; w < wait; w++)
                asm volatile("add.u32 %0, %0, %1;" : "+r"(x) : "r"(zero));
            if (DOES & 2)
                mine[i] = (T)(x + 1);
            else
                sum += x;
            for (int w = 0; w < behind; w++)
                asm volatile("add.u32 %0, %0, %1;" : "+r"(x) : "r"(zero));
            sum += x & zero;
        }
    }
    CLOCK(t1);
    if (DOES & 2)
#pragma unroll 1
        for (int i = 0; i < ELEMENTS; i++)
            sum += mine[i ^ zero] * i;
    out[thread * 2] = t1 - t0;
    out[thread * 2 + 1] = sum;
}
// How the elements to be sorted come to be there: 0: they are in global memory; 1: they are written; 2: and read again.
template <typename T, int SPACE, int FROM>
__global__ void sort(T *p, uint32_t *out, int count, uint32_t lanes, int wait, int together, uint32_t zero)
{
    own<T, SPACE> mine(p);
    uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, t0, t1, sum = 0;
    if (FROM >= 1)
#pragma unroll 1
        for (int i = 0; i < count; i++)
            mine[i] = (T)(scatter(i * 1024 + thread) >> 8);
    if (FROM == 2)
#pragma unroll 1
        for (int i = 0; i < count; i++)
            sum += mine[i];
    CLOCK(t0);
    if (lanes >> lane & 1) {
#pragma unroll 1
        for (int i = 1; i < count; i++) {
            T x = mine[i];
            int j = i - 1;
#pragma unroll 1
            while (j >= 0 && mine[j] > x) {
                mine[j + 1] = mine[j];
                j--;
                for (int w = 0; w < wait; w++)
                    asm volatile("add.u32 %0, %0, %1;" : "+r"(sum) : "r"(zero));
                if (together)
                    __syncwarp(__activemask());
            }
            mine[j + 1] = x;
        }
    }
    CLOCK(t1);
    for (int i = 0; i < count; i++)
        sum += mine[i] * i;
    out[thread * 2] = t1 - t0;
    out[thread * 2 + 1] = sum;
}
static char *p, *in;
static uint32_t *out;
static int listing;
static void ready()
{
    std::vector<uint8_t> data(1 << 20);
    uint64_t state = 7;
    for (size_t i = 0; i < data.size(); i++) {
        uint64_t z = state += 0x9e3779b97f4a7c15ull;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ z >> 27) * 0x94d049bb133111ebull;
        data[i] = (uint8_t)(z ^ z >> 31);
    }
    cudaMemcpy(p, data.data(), data.size(), cudaMemcpyHostToDevice);
    cudaMemset(in, 0, 1 << 16);
}
static void tell(const char *name, int warps, int grid)
{
    std::vector<uint32_t> o(warps * grid * 64);
    cudaMemcpy(o.data(), out, o.size() * 4, cudaMemcpyDeviceToHost);
    uint32_t most = 0, check = 0;
    for (size_t i = 0; i < o.size(); i += 2)
        most = o[i] > most ? o[i] : most, check = check * 31 + o[i + 1];
    printf("%s,%u,%u,%u\n", name, o[0], most, check);
}
template <typename T, int SPACE, int DOES>
static void turn(const char *name, const char *mangled, int warps, int grid, int count, int order, int first, uint32_t lanes, int wait, int behind)
{
    char full[100];
    sprintf(full, "%s_n%d_o%d_f%d_l%x_a%d_b%d_w%d_g%d", name, count, order, first, lanes, wait, behind, warps, grid);
    if (listing) {
        printf("%s l1_own.cubin %s grid=%d block=%d u8[%d]=rand:7 u32[%d]=zero u8[65536]=zero s32=%d s32=%d s32=%d u32=%u s32=%d s32=%d u32=0\n", full,
               mangled, grid, warps * 32, (int)(warps * grid * 512 * sizeof(T)), warps * grid * 64, count, order, first, lanes, wait, behind);
        return;
    }
    ready();
    turns<T, SPACE, DOES><<<grid, warps * 32>>>((T *)p, out, (uint8_t *)in, count, order, first, lanes, wait, behind, 0);
    tell(full, warps, grid);
}
template <typename T, int SPACE, int FROM>
static void order(const char *name, const char *mangled, int warps, int grid, int count, uint32_t lanes, int wait, int together)
{
    char full[100];
    sprintf(full, "%s_n%d_l%x_a%d_t%d_w%d_g%d", name, count, lanes, wait, together, warps, grid);
    if (listing) {
        printf("%s l1_own.cubin %s grid=%d block=%d u8[%d]=rand:7 u32[%d]=zero s32=%d u32=%u s32=%d s32=%d u32=0\n", full, mangled, grid, warps * 32,
               (int)(warps * grid * 512 * sizeof(T)), warps * grid * 64, count, lanes, wait, together);
        return;
    }
    ready();
    sort<T, SPACE, FROM><<<grid, warps * 32>>>((T *)p, out, count, lanes, wait, together, 0);
    tell(full, warps, grid);
}
#define TURN(T, TN, SPACE, DOES, name, ...) turn<T, SPACE, DOES>(name, "_Z5turnsI" TN "Li" #SPACE "ELi" #DOES "EEvPT_PjPKhiiijiij", __VA_ARGS__)
#define SORT(T, TN, SPACE, FROM, name, ...) order<T, SPACE, FROM>(name, "_Z4sortI" TN "Li" #SPACE "ELi" #FROM "EEvPT_Pjijiij", __VA_ARGS__)
#define ALL 0xffffffffu
int main(int argc, char **argv)
{
    listing = argc > 1 && argv[1][0] == 'l';
    if (!listing) {
        cudaMalloc(&p, 1 << 22);
        cudaMalloc(&in, 1 << 16);
        cudaMalloc(&out, 1 << 20);
    }
    // read, add, write: each space, each width
#define SPACES(T, TN, n)                                                   \
    for (int o = 0; o < 6; o++)                                            \
        for (int f = 0; f < 4; f++) {                                      \
            if (f != 1 && o != 2 && o != 3)                                \
                continue;                                                  \
            if (f & 1) TURN(T, TN, 0, 3, "rmw_local_" n, 1, 1, 32, o, f, ALL, 0, 0); \
            TURN(T, TN, 1, 3, "rmw_row_" n, 1, 1, 32, o, f, ALL, 0, 0);       \
            TURN(T, TN, 2, 3, "rmw_woven_" n, 1, 1, 32, o, f, ALL, 0, 0);     \
        }
    SPACES(uint16_t, "t", "u16")
    SPACES(uint8_t, "h", "u8")
    SPACES(uint32_t, "j", "u32")
    // one thing at a time, of u16, scattered
#define VARY(SPACE, n, ...)                                      \
    TURN(uint16_t, "t", SPACE, 3, "rmw_" n, __VA_ARGS__);         \
    TURN(uint16_t, "t", SPACE, 2, "write_" n, __VA_ARGS__);       \
    TURN(uint16_t, "t", SPACE, 1, "read_" n, __VA_ARGS__);
#define BOTH(...)                         \
    VARY(0, "local_u16", __VA_ARGS__)       \
    VARY(2, "woven_u16", __VA_ARGS__)
    BOTH(1, 1, 32, 2, 1, 1u, 0, 0)
    BOTH(1, 1, 32, 2, 1, 0x11111111u, 0, 0)
    BOTH(1, 1, 32, 2, 1, 0xffu, 0, 0)
    BOTH(1, 1, 32, 2, 1, ALL, 0, 100)
    BOTH(1, 1, 32, 2, 1, ALL, 100, 0)
    BOTH(1, 1, 1, 2, 1, ALL, 0, 0)
    BOTH(1, 1, 2, 2, 1, ALL, 0, 0)
    BOTH(1, 1, 4, 2, 1, ALL, 0, 0)
    BOTH(1, 1, 8, 2, 1, ALL, 0, 0)
    BOTH(1, 1, 128, 2, 1, ALL, 0, 0)
    BOTH(4, 1, 32, 2, 1, ALL, 0, 0)
    BOTH(4, 1, 32, 3, 1, ALL, 0, 0)
    BOTH(4, 132, 32, 2, 1, ALL, 0, 0)
    BOTH(8, 1, 128, 2, 1, ALL, 0, 0)
#define SORTS(T, TN, n, ...)                                  \
    SORT(T, TN, 0, 1, "sort_local_" n, __VA_ARGS__);           \
    SORT(T, TN, 1, 0, "sort_row_given_" n, __VA_ARGS__);       \
    SORT(T, TN, 1, 1, "sort_row_" n, __VA_ARGS__);             \
    SORT(T, TN, 1, 2, "sort_row_read_" n, __VA_ARGS__);        \
    SORT(T, TN, 2, 0, "sort_woven_given_" n, __VA_ARGS__);     \
    SORT(T, TN, 2, 1, "sort_woven_" n, __VA_ARGS__);           \
    SORT(T, TN, 2, 2, "sort_woven_read_" n, __VA_ARGS__);
    SORTS(uint32_t, "j", "u32", 1, 1, 16, ALL, 0, 0)
    SORTS(uint32_t, "j", "u32", 1, 1, 16, 1u, 0, 0)
    SORTS(uint32_t, "j", "u32", 1, 1, 2, ALL, 0, 0)
    SORTS(uint32_t, "j", "u32", 1, 1, 4, ALL, 0, 0)
    SORTS(uint32_t, "j", "u32", 1, 1, 16, ALL, 100, 0)
    SORTS(uint32_t, "j", "u32", 1, 1, 16, ALL, 0, 1)
    SORTS(uint32_t, "j", "u32", 4, 4, 16, ALL, 0, 0)
    SORTS(uint16_t, "t", "u16", 1, 1, 16, ALL, 0, 0)
    SORTS(uint8_t, "h", "u8", 1, 1, 16, ALL, 0, 0)
    if (!listing)
        fprintf(stderr, "%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
