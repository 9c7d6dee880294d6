/* The operands of the instruction records: what thread i of a recorded kernel loaded into its registers.
 *
 * The records (validate/records/h200/ops) hold results only; both the program that recorded them
 * (validate/ops/record.c) and the replay (tests/test_ops.c) make the operands with this file. Changing a value here
 * invalidates the records. */
#ifndef VALIDATE_OPS_OPERANDS_H
#define VALIDATE_OPS_OPERANDS_H

#include <stdbool.h>
#include <stdint.h>

#define VALIDATE_OPS_SLOTS 4

/* Tuples of a variant: the first `stored` results are kept bit for bit, all `total` go into its hash. */
struct validate_ops_counts {
    uint32_t stored, total;
};

/* classes: the comma-separated classes of slots a, b, c, e.g. "f32,f32" or "b32,shift". A class is the name of a PTX
 * type, or "shift" (a count), "nib" (a prmt selector). False: an unknown class, or more than three. */
bool validate_ops_counts(const char *classes, struct validate_ops_counts *counts);

/* slot[0..2] of tuple i: a, b, c (0 where there is no class); slot[3]: bit 0 is predicate q, bit 1 predicate r. */
bool validate_ops_operands(const char *classes, uint32_t i, uint64_t slot[VALIDATE_OPS_SLOTS]);

/* One step of the hash over the results: start with VALIDATE_OPS_HASH_BASIS, add each output of each tuple in turn. */
#define VALIDATE_OPS_HASH_BASIS UINT64_C(0xcbf29ce484222325)
uint64_t validate_ops_hash(uint64_t hash, uint64_t value);

#endif
