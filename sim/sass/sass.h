/* Running machine code: the door to sim/sass. What the engine does with the result is the same for both forms. */
#ifndef SIM_SASS_SASS_H
#define SIM_SASS_SASS_H

#include "isa/sass/sass.h"
#include "sim/program.h"

struct sim_sass_launch {                    /* what constant bank 0 tells of a launch */
    const uint32_t *grid, *block, *cluster; /* three each */
    bool explicit_cluster;
    uint64_t shared_dynamic_bytes;
    uint64_t workspace; /* of a cooperative launch, else 0 */
};

/* As sim_program_build(). Banks: constant bank 0 as the ABI of sm_90 lays it out (docs/sass.md tells how it was read),
 * others as the cubin has them. */
enum base_status sim_sass_build(struct sim_program *program, const struct isa_module *module,
                                const struct isa_linked *linked, const struct sim_bound *bound,
                                const struct sim_sass_launch *launch, const struct sim_device *device,
                                struct sim_memory *memory, enum sim_level level, struct base_arena *arena,
                                struct base_diags *diags);

#endif
