/* The variants of the H200's record (validate/records/h200/ops, README.md there) as modules. */
#ifndef TESTS_OPS_RECORD_H
#define TESTS_OPS_RECORD_H

#include "isa/isa.h"
#include "sim/exec.h"

#include <stdbool.h>

#define OPS_RECORD "validate/records/h200/ops/"

/* The tiny kernel of a variant's text (the last field of a line of index.txt), read; NULL when the reader refuses it.
 */
struct isa_module *ops_record_module(const char *variant);

/* Whether this version computes all its instructions. */
bool ops_record_is_covered(const struct isa_function *f, enum sim_level level);

bool ops_record_is_atomic(const struct isa_insn *insn);

#endif
