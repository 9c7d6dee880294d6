/* The H200's record of instructions (validate/records/h200/ops, README.md there): its variants, their operands and
 * results, and the variants as modules. */
#ifndef TESTS_OPS_RECORD_H
#define TESTS_OPS_RECORD_H

#include "isa/isa.h"
#include "sim/exec.h"
#include "validate/ops/operands.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPS_RECORD "validate/records/h200/ops/"

struct ops_variant {
    uint64_t offset, hash;
    unsigned stored, total;
    char classes[64], outputs[32], text[400];
};

struct operand_set {
    const char *classes;
    uint64_t (*tuples)[VALIDATE_OPS_SLOTS];
};

struct ops_record { /* the whole of it, in memory */
    uint8_t *data;
    size_t size;
    struct ops_variant *variants;
    size_t count;
    struct operand_set sets[256];
    size_t set_count;
};

/* Where a file of the record lies. */
void ops_record_path(const char *name, char *path, size_t size);

/* A gzip file, unpacked: to be freed. Fails the test when it cannot be read. */
uint8_t *ops_read_gz(const char *path, size_t *size);

void ops_record_read(struct ops_record *record);
void ops_record_free(struct ops_record *record);

/* A variant's outputs are a list ("d32,o"): the width of the first of them, and the rest of the list or NULL. */
unsigned ops_output_bits(const char *output);
const char *ops_next_output(const char *output);

/* The operand tuples of a variant, rounded up to whole warps; made once, for many variants share them. */
const uint64_t (*ops_operands(struct ops_record *record, const struct ops_variant *v))[VALIDATE_OPS_SLOTS];

/* What the card gave: output number output_index for tuple i. */
uint64_t ops_recorded(const struct ops_record *record, const struct ops_variant *v, unsigned output_index, uint32_t i);

/* What the PTX ISA states of an approximate instruction's error. NULL: its bits must be the card's. */
struct ops_bound {
    const char *prefix;
    unsigned mantissa_bits, exponent_bits; /* of the result */
    unsigned count;                        /* elements */
    double absolute, reach, relative, ulp;
};

const struct ops_bound *ops_bound_of(const char *text);
size_t ops_bound_count(void);
const struct ops_bound *ops_bound_at(size_t i);

/* Elements of a variant's operands and results: 2 where they are packed. */
unsigned ops_parts(const char *text);

/* Element `part` of a result against the true value. SPECIAL: the PTX ISA states no error there. */
enum ops_verdict { OPS_WITHIN, OPS_BEYOND, OPS_SPECIAL };
enum ops_verdict ops_judge(const char *text, const struct ops_bound *b, const uint64_t *slots, unsigned part,
                           uint64_t got);

/* An element of an approximate result: the card's bits, or near enough to the true value. */
bool ops_is_near(const struct ops_variant *v, const struct ops_bound *b, const uint64_t *slots, uint64_t got,
                 uint64_t want);

/* The tiny kernel of a variant's text (the last field of a line of index.txt), read; NULL when the reader refuses it.
 */
struct isa_module *ops_record_module(const char *variant);

/* Whether this version computes all its instructions. */
bool ops_record_is_covered(const struct isa_function *f, enum sim_level level);

bool ops_record_is_atomic(const struct isa_insn *insn);

#endif
