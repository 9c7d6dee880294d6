/* What a launch may ask of a device: block, cluster, shared memory, registers. Grids are sim/run.c's. */
#include "sim/limits.h"

#include <inttypes.h>
#include <string.h>

/* ptxas of CUDA 13.0 raises a smaller --maxrregcount to this, for compute capabilities 7.5 to 12.0. */
#define LEAST_REGISTER_CAP 24

#define REFUSE(diags, ...) base_diag_add(diags, BASE_ERROR, NULL, 0, 0, __VA_ARGS__)

uint64_t sim_limits_product(const uint32_t dim[3])
{
    uint64_t area = (uint64_t)dim[0] * dim[1], volume;
    return __builtin_mul_overflow(area, (uint64_t)dim[2], &volume) ? UINT64_MAX : volume;
}

static uint32_t at_least_1(uint32_t value)
{
    return value == 0 ? 1 : value;
}

static bool block_fits_device(const struct sim_device *device, const uint32_t block[3], struct base_diags *diags)
{
    const uint32_t limit[3] = {device->max_block_x, device->max_block_y, device->max_block_z};
    uint64_t threads = sim_limits_product(block);
    if (threads > device->max_threads_per_block) {
        REFUSE(diags,
               "a block of %u x %u x %u has %" PRIu64 " threads; the device takes up to %u (maxThreadsPerBlock of %s)",
               block[0], block[1], block[2], threads, device->max_threads_per_block, device->name);
        return false;
    }
    for (unsigned d = 0; d < 3; d++) {
        if (block[d] == 0 || block[d] > limit[d]) {
            REFUSE(diags, "block %c is %u; the device takes 1 to %u (maxThreadsDim of %s)", "xyz"[d], block[d],
                   limit[d], device -> name);
            return false;
        }
    }
    return true;
}

bool sim_limits_block(const struct sim_device *device, const struct isa_function *kernel, const uint32_t block[3],
                      struct base_diags *diags)
{
    bool good = block_fits_device(device, block, diags);
    if (!good || kernel == NULL)
        return good;
    const uint32_t *required = kernel->reqntid, *most = kernel->maxntid;
    for (unsigned d = 0; d < 3 && required[0] != 0; d++) {
        if (block[d] == at_least_1(required[d]))
            continue;
        REFUSE(diags, "the kernel requires blocks of %u x %u x %u threads (.reqntid)", required[0],
               at_least_1(required[1]), at_least_1(required[2]));
        good = false;
        break;
    }
    const uint32_t allowed[3] = {most[0], at_least_1(most[1]), at_least_1(most[2])};
    if (most[0] != 0 && sim_limits_product(block) > sim_limits_product(allowed)) {
        REFUSE(diags, "the kernel takes blocks of up to %" PRIu64 " threads (.maxntid), the launch has %" PRIu64,
               sim_limits_product(allowed), sim_limits_product(block));
        good = false;
    }
    return good;
}

bool sim_limits_cluster(const struct sim_device *device, const struct isa_function *kernel, bool has_cluster,
                        uint32_t cluster[3], struct base_diags *diags)
{
    if (kernel != NULL && kernel->reqnctapercluster[0] != 0) {
        const uint32_t *declared = kernel->reqnctapercluster;
        const uint32_t want[3] = {declared[0], at_least_1(declared[1]), at_least_1(declared[2])};
        if (has_cluster && memcmp(want, cluster, sizeof(want)) != 0) {
            REFUSE(diags, "the kernel requires clusters of %u x %u x %u blocks (.reqnctapercluster)", want[0], want[1],
                   want[2]);
            return false;
        }
        memcpy(cluster, want, sizeof(want));
    }
    uint64_t blocks = sim_limits_product(cluster);
    if (blocks == 1)
        return true;
    if (device->max_cluster_blocks_nonportable < 2) {
        REFUSE(diags, "%s has no clusters; they come with compute capability 9.0", device->name);
        return false;
    }
    if (blocks == 0 || blocks > device->max_cluster_blocks_nonportable) {
        REFUSE(diags, "a cluster of %" PRIu64 " blocks; %s takes up to %u", blocks, device->name,
               device->max_cluster_blocks_nonportable);
        return false;
    }
    return true;
}

bool sim_limits_shared(const struct sim_device *device, uint64_t static_bytes, uint64_t dynamic_bytes,
                       struct base_diags *diags)
{
    uint64_t most = device->shared_per_block_optin_bytes > device->shared_per_block_bytes
                        ? device->shared_per_block_optin_bytes
                        : device->shared_per_block_bytes;
    bool good = true;
    if (static_bytes > most || dynamic_bytes > most - static_bytes) {
        REFUSE(diags,
               "%" PRIu64 " bytes of static and %" PRIu64 " of dynamic shared memory; a block has up to %" PRIu64
               " (sharedMemPerBlockOptin of %s)",
               static_bytes, dynamic_bytes, most, device->name);
        good = false;
    }
    if (static_bytes > device->shared_per_block_bytes) {
        REFUSE(diags, "%" PRIu64 " bytes of static shared memory; more than %u (sharedMemPerBlock) must be dynamic",
               static_bytes, device->shared_per_block_bytes);
        good = false;
    }
    return good;
}

bool sim_limits_registers(const struct sim_device *device, uint32_t registers_per_thread, struct base_diags *diags)
{
    if (registers_per_thread <= device->max_registers_per_thread)
        return true;
    REFUSE(diags, "%u registers a thread; %s has up to %u", registers_per_thread, device->name,
           device->max_registers_per_thread);
    return false;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

uint32_t sim_launch_registers(const struct sim_device *device, const struct isa_function *kernel,
                              const struct isa_linked *linked, uint32_t given, uint32_t cap)
{
    if (given != 0)
        return larger(given, device->min_registers_per_thread);
    uint32_t registers = smaller(linked->registers_estimate, device->max_registers_per_thread);
    if (kernel->maxnreg != 0)
        registers = smaller(registers, kernel->maxnreg);
    else if (cap != 0 && kernel->maxntid[0] == 0)
        registers = smaller(registers, larger(cap, LEAST_REGISTER_CAP));
    return larger(registers, device->min_registers_per_thread);
}
