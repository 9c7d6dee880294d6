/* Inside the reader of machine code: the listing's functions. */
#ifndef ISA_SASS_LISTING_H
#define ISA_SASS_LISTING_H

#include "isa/sass/sass.h"

/* Fills module->functions and module->target from module->source. */
enum base_status sass_listing_read(struct isa_module *module, struct base_diags *diags);

/* Adds what the cubin says: kernels and their parameters, registers, stack, shared memory, constant banks, global
 * variables, source lines. Functions of the cubin that the listing lacks are told. */
enum base_status sass_cubin_apply(struct isa_module *module, const char *name, const uint8_t *data, size_t size_bytes,
                                  struct base_diags *diags);

#endif
