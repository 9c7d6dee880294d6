/* The operands of the tensor records: what the registers of warp i of a recorded kernel hold.
 *
 * The records (validate/records/h200/tensor) hold results only; the program that recorded them (record.c there) and the
 * replay (tests/test_tensor.c) make the operands with this file. Changing a value here invalidates the records. */
#ifndef TESTS_TENSOR_OPERANDS_H
#define TESTS_TENSOR_OPERANDS_H

#include <stdbool.h>
#include <stdint.h>

#define TENSOR_WORDS 40 /* 32-bit registers of a lane at most */

/* Kinds of tuples, in turn: tuple i is of kind i % TENSOR_KINDS. The first TENSOR_STORED results of a variant are kept
 * bit for bit, all TENSOR_TOTAL go into its hash. */
enum { TENSOR_KINDS = 11, TENSOR_STORED = 2 * TENSOR_KINDS, TENSOR_TOTAL = 96 * TENSOR_KINDS };

/* classes: "CLASS:N,..." gives N registers of that class each, e.g. "f16x2:4,f16x2:2,f32:4". f64 takes two words a
 * value (low, high). Returns the number of words of a lane, 0 for an unknown class. */
uint32_t tensor_operand_words(const char *classes);

/* word[r][lane] of tuple i. */
bool tensor_operands(const char *classes, uint32_t i, uint32_t word[TENSOR_WORDS][32]);

/* One step of the hash over the results, begun with TENSOR_HASH_BASIS: words in the order register, lane. */
#define TENSOR_HASH_BASIS UINT64_C(0xcbf29ce484222325)
static inline uint64_t tensor_hash(uint64_t hash, uint32_t word)
{
    return (hash ^ word) * UINT64_C(0x100000001b3);
}

#endif
