/* NVIDIA's own occupancy calculation, for comparison: only where cuda_occupancy.h is installed.
 *
 * The devices' properties are written out here again, from the tables of the CUDA C++ Programming Guide, so that the
 * profiles are tested as well. Random configurations lean to the values where rules change.
 */
#ifndef TESTS_OCCUPANCY_REFERENCE_H
#define TESTS_OCCUPANCY_REFERENCE_H

#include <cuda_occupancy.h>
#include <stdint.h>

struct reference_device {
    const char *name;
    int major, minor, threads_per_sm;
    size_t shared_per_sm, shared_optin, reserved;
};

static const struct reference_device reference_devices[] = {
    {"v100", 7, 0, 2048, 98304, 98304, 0},         {"rtx2080", 7, 5, 1024, 65536, 65536, 0},
    {"a100", 8, 0, 2048, 167936, 166912, 1024},    {"rtx3090", 8, 6, 1536, 102400, 101376, 1024},
    {"rtx4090", 8, 9, 1536, 102400, 101376, 1024}, {"h200", 9, 0, 2048, 233472, 232448, 1024},
    {"b200", 10, 0, 2048, 233472, 232448, 1024},   {"rtx5090", 12, 0, 1536, 102400, 101376, 1024},
};
#define REFERENCE_DEVICES (sizeof reference_devices / sizeof reference_devices[0])

struct reference_query {
    uint32_t threads, registers, shared_static, shared_dynamic, barriers;
    int32_t carveout;
};

/* splitmix64. */
static uint64_t reference_draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static struct reference_query reference_random(uint64_t *state)
{
    static const uint32_t sizes[] = {32, 64, 96, 128, 192, 256, 384, 512, 768, 1024};
    uint64_t a = reference_draw(state), b = reference_draw(state), c = reference_draw(state);
    struct reference_query q = {.carveout = -1, .barriers = 1};
    q.threads = a % 3 ? sizes[a / 8 % 10] : (uint32_t)(1 + a / 8 % 1040);
    q.registers = (uint32_t)(a >> 32) % 5 ? (uint32_t)(1 + (a >> 40) % 255) : 16 + (uint32_t)(a >> 40) % 50;
    q.shared_static = b % 2 ? 0 : (uint32_t)(b / 4 % 49153);
    q.shared_dynamic = (b >> 32) % 3 == 0   ? 0
                       : (b >> 32) % 3 == 1 ? (uint32_t)((b >> 40) % 16384)
                                            : (uint32_t)((b >> 40) % 240000);
    if (c % 4 == 0)
        q.carveout = (int32_t)(c / 8 % 101);
    if ((c >> 32) % 8 == 0)
        q.barriers = (uint32_t)(1 + (c >> 40) % 16);
    return q;
}

/* Nonzero when the header refuses the configuration. */
static int reference_occupancy(const struct reference_device *device, const struct reference_query *query,
                               cudaOccResult *result)
{
    cudaOccDeviceProp prop = {.computeMajor = device->major,
                              .computeMinor = device->minor,
                              .maxThreadsPerBlock = 1024,
                              .maxThreadsPerMultiprocessor = device->threads_per_sm,
                              .regsPerBlock = 65536,
                              .regsPerMultiprocessor = 65536,
                              .warpSize = 32,
                              .sharedMemPerBlock = 49152,
                              .sharedMemPerMultiprocessor = device->shared_per_sm,
                              .numSms = 1,
                              .sharedMemPerBlockOptin = device->shared_optin,
                              .reservedSharedMemPerBlock = device->reserved};
    cudaOccFuncAttributes function = {.maxThreadsPerBlock = 1024,
                                      .numRegs = (int)query->registers,
                                      .sharedSizeBytes = query->shared_static,
                                      .partitionedGCConfig = PARTITIONED_GC_OFF,
                                      .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
                                      .maxDynamicSharedSizeBytes = query->shared_dynamic,
                                      .numBlockBarriers = (int)query->barriers};
    cudaOccDeviceState state = {.cacheConfig = CACHE_PREFER_NONE, .carveoutConfig = query->carveout};
    return cudaOccMaxActiveBlocksPerMultiprocessor(result, &prop, &function, &state, (int)query->threads,
                                                   query->shared_dynamic) != CUDA_OCC_SUCCESS;
}

#endif
