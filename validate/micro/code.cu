// Runs the kernels of code.py and prints their stamps: the cycles from each to the next, in the order in which the
// lines are visited. Built and run in the folder where code.py has written its files:
//     nvcc -arch=sm_90 -O1 -o code code.cu -lcuda && ./code >stamps.csv
// State "first" is the launch behind the loading of the module; "warm" the next one; before "l2" a kernel of 512 KB of
// other code has run on all SMs; before "memory" L2 has been filled with other data, too.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <string>
#include <vector>

struct config {
    const char *kernel;
    uint32_t words, passes, blocks, apart;
    std::vector<uint32_t> order;
};

static const config configs[] = {
#include "configs.h"
};

static void check(CUresult result, int line)
{
    const char *text = "";
    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorString(result, &text);
    fprintf(stderr, "line %d: %s\n", line, text);
    exit(1);
}
#define CHECK(CALL) check(CALL, __LINE__)

__global__ void fill(uint4 *p, size_t count)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
        p[i].x++;
}

static CUfunction load(CUmodule *module, const std::string &name, uint32_t shared)
{
    CUfunction kernel;
    CHECK(cuModuleLoad(module, (name + ".cubin").c_str()));
    CHECK(cuModuleGetFunction(&kernel, *module, "k"));
    CHECK(cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared));
    return kernel;
}

static void launch(CUfunction kernel, uint32_t blocks, uint32_t threads, uint32_t shared, CUdeviceptr out,
                   uint32_t passes, uint32_t apart)
{
    uint32_t of_warps = 0;
    void *args[] = {&out, &passes, &apart, &of_warps};
    CHECK(cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, shared, 0, args, NULL));
    CHECK(cuCtxSynchronize());
}

static void print(const config &c, const char *state, const std::vector<uint32_t> &stamps)
{
    for (uint32_t block = 0; block < c.blocks; block++)
        for (uint32_t pass = 0; pass < c.passes; pass++) {
            const uint32_t *s = &stamps[(block * c.passes + pass) * (size_t)c.words];
            printf("%s,%u,%u,%s,%u", c.kernel, c.blocks, block, state, pass + 1);
            for (size_t i = 1; i < c.order.size(); i++)
                printf(",%u", s[c.order[i]] - s[c.order[i - 1]]);
            printf("\n");
        }
}

int main()
{
    const size_t area_bytes = (size_t)256 << 20, out_bytes = (size_t)64 << 20;
    uint4 *area;
    CUdeviceptr out;
    CUmodule other, module;
    cudaMalloc(&area, area_bytes);
    cudaMemset(area, 0, area_bytes);
    CHECK(cuMemAlloc(&out, out_bytes));
    CUfunction evict = load(&other, "evict", 65536);
    for (const config &c : configs) {
        uint32_t shared = c.passes * c.words * 4;
        CUfunction kernel = load(&module, c.kernel, shared);
        std::vector<uint32_t> stamps((size_t)c.passes * c.words * c.blocks);
        for (const char *state : {"first", "warm", "l2", "memory"}) {
            if (state[0] == 'l' || state[0] == 'm')
                launch(evict, 132, 128, 65536, out, 1, 0);
            if (state[0] == 'm')
                fill<<<1056, 256>>>(area, area_bytes / sizeof(*area));
            launch(kernel, c.blocks, 32, shared, out, c.passes, c.apart);
            CHECK(cuMemcpyDtoH(stamps.data(), out, stamps.size() * 4));
            print(c, state, stamps);
        }
        CHECK(cuModuleUnload(module));
    }
    return 0;
}
