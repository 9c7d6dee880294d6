/* What the fuzzers of machine code share. */
#ifndef FUZZ_MACHINE_H
#define FUZZ_MACHINE_H

#include "isa/isa.h"

#include <stddef.h>

/* Links, prints and runs every kernel of a module, with little memory and few instructions; `choice` decides by which
 * of the engine's ways. */
void fuzz_machine_run(const struct isa_module *module, size_t choice);

#endif
