// Runs k0 .. of order.cubin on 4 blocks of 128 threads; writes, for each warp, the places in the order of their clocks with the lanes
// that were there: "KERNEL WARP PLACE:MASK ...".
// build: nvcc -o record record.cu -lcuda; usage: record order.cubin
#include <algorithm>
#include <cuda.h>
#include <stdio.h>
#include <vector>

#define OK(x) do { CUresult r_ = (x); if (r_) { fprintf(stderr, "%s: %d\n", #x, (int)r_); return 1; } } while (0)

struct Event {
    unsigned clock, place, lane;
};

static std::vector<Event> events_of(const unsigned *words)
{
    std::vector<Event> events;
    for (unsigned n = 0; n < 64; n++)
        for (unsigned lane = 0; lane < 32; lane++)
            if (words[n * 64 + lane])
                events.push_back({words[n * 64 + 32 + lane], words[n * 64 + lane], lane});
    unsigned first = events.empty() ? 0 : events[0].clock; // the clock may wrap: nothing runs for 2^31 cycles
    for (auto &e : events)
        if ((int)(e.clock - first) < 0)
            first = e.clock;
    for (auto &e : events)
        e.clock -= first;
    std::sort(events.begin(), events.end(), [](const Event &a, const Event &b) {
        return a.clock != b.clock ? a.clock < b.clock : a.place != b.place ? a.place < b.place : a.lane < b.lane;
    });
    return events;
}

int main(int, char **argv)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUdeviceptr in, out;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoad(&module, argv[1]));
    const size_t words = 16 * 128 * 32;
    std::vector<unsigned> host(1024), back(words);
    unsigned long long seed = 12345;
    for (auto &w : host)
        w = (unsigned)((seed = seed * 6364136223846793005ull + 1442695040888963407ull) >> 32);
    OK(cuMemAlloc(&in, 4096));
    OK(cuMemAlloc(&out, words * 4));
    OK(cuMemcpyHtoD(in, host.data(), 4096));
    for (int k = 0;; k++) {
        char name[16];
        CUfunction function;
        snprintf(name, sizeof name, "k%d", k);
        if (cuModuleGetFunction(&function, module, name))
            return 0;
        void *args[] = {&in, &out};
        OK(cuMemsetD32(out, 0, words));
        OK(cuLaunchKernel(function, 4, 1, 1, 128, 1, 1, 0, 0, args, 0));
        OK(cuCtxSynchronize());
        OK(cuMemcpyDtoH(back.data(), out, words * 4));
        for (int warp = 0; warp < 16; warp++) {
            const std::vector<Event> e = events_of(&back[warp * 4096]);
            printf("%s %d", name, warp);
            for (size_t i = 0, j; i < e.size(); i = j) {
                unsigned mask = 0;
                for (j = i; j < e.size() && e[j].clock == e[i].clock && e[j].place == e[i].place; j++)
                    mask |= 1u << e[j].lane;
                printf(" %u:%08x", e[i].place, mask);
            }
            printf("\n");
        }
    }
}
