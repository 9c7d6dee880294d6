/* The constant banks of a kernel of machine code, laid out one behind another in program->const_data. */
#ifndef SIM_SASS_BANK_H
#define SIM_SASS_BANK_H

#include "sim/sass/sass.h"

/* Fills program->const_data and bank_offset, and the addresses of variables: global ones are allocated in `memory` and
 * given their first contents. */
enum base_status sim_sass_banks_fill(struct sim_program *program, const struct isa_module *module, uint32_t kernel,
                                     const struct sim_bound *bound, const struct sim_sass_launch *launch,
                                     const struct sim_device *device, struct sim_memory *memory,
                                     struct base_arena *arena);
/* Local memory of a thread. */
uint64_t sim_sass_stack_bytes(const struct isa_module *module, const struct isa_linked *linked);
/* The address of a variable, or of a function's code. */
uint64_t sim_sass_address_of(const struct sim_program *program, bool is_function, uint32_t ref);
/* `bytes` (4 or 8; of more only the first 8 are read) of a bank; false: past its end. */
bool sim_sass_constant(const struct sim_program *program, uint8_t bank, int64_t offset, uint32_t bytes,
                       uint64_t *value);

#endif
