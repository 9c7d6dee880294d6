/* Writes tests/vectors/occupancy.csv: what NVIDIA's cuda_occupancy.h says of 2,000 random configurations.
 *
 *     cc -I. -isystem /usr/local/cuda/include tests/make-occupancy-vectors.c -o make-occupancy-vectors
 *     ./make-occupancy-vectors > tests/vectors/occupancy.csv
 */
#include "tests/occupancy_reference.h"

#include <stdio.h>

int main(void)
{
    uint64_t state = 2026;
    printf("device,threads,registers,shared_static,shared_dynamic,carveout,barriers,blocks,"
           "limit_warps,limit_blocks,limit_registers,limit_shared,limit_barriers,shared_allocated\n");
    for (int i = 0; i < 2000;) {
        const struct reference_device *device = &reference_devices[(size_t)i % REFERENCE_DEVICES];
        struct reference_query q = reference_random(&state);
        cudaOccResult r;
        if (reference_occupancy(device, &q, &r))
            continue;
        printf("%s,%u,%u,%u,%u,%d,%u,%d,%d,%d,%d,%d,%d,%zu\n", device->name, q.threads, q.registers, q.shared_static,
               q.shared_dynamic, q.carveout, q.barriers, r.activeBlocksPerMultiprocessor, r.blockLimitWarps,
               r.blockLimitBlocks, r.blockLimitRegs, r.blockLimitSharedMem, r.blockLimitBarriers,
               r.allocatedSharedMemPerBlock);
        i++;
    }
    return 0;
}
