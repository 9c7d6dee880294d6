/* The control flow of a function, whichever form it was read from. */
#ifndef ADVISE_FLOW_H
#define ADVISE_FLOW_H

#include "isa/isa.h"

/* As isa_cfg_build(); of machine code too. There, places that are named in registers alone are not followed: a function
 * with such branches gives BASE_UNSUPPORTED. */
enum base_status advise_flow_build(const struct isa_function *function, struct base_arena *arena, struct isa_cfg *cfg);

#endif
