/* The lane functions: what one instruction computes, for all 32 lanes at once.
 *
 * A row is 32 consecutive 32-bit words, one a lane, aligned to 64 bytes. A 64-bit value is two consecutive rows: the
 * low words at p[0..31], the high words at p[32..63]; a 128-bit value is four. Values narrower than 32 bits are
 * zero-extended in their row; a function extends the sign itself where the type is signed, and writes zero-extended
 * results. Packed types (f16x2 ...) hold element 0 in the low bits. Predicates are masks: bit i is lane i.
 *
 * A function computes all 32 lanes, wanted or not, so it is total: any input has a defined result and no undefined
 * behaviour. The engine merges under the active mask afterwards. `d` may be the same rows as a source, but never
 * overlaps one partly. Unused sources are NULL. Results are bit-identical to the GPU but for the .approx functions of
 * sim/exec_approx.h.
 */
#ifndef SIM_EXEC_H
#define SIM_EXEC_H

#include "isa/isa.h"

#include <stdint.h>

#define SIM_WARP_SIZE 32

/* d: destination rows (NULL for setp and testp). a, b, c, e: source rows in operand order.
 * mask_in: selp: the selector; addc, subc, madc: the carry of each lane.
 * set writes the compare's result as if there were no boolean combination, cvt its result without extension to a wider
 * register: both are the engine's. The caller's floating-point environment must be the default one.
 * Returns: setp, testp: the compare's result (bits 0-31; for packed halves bits 32-63 hold that of element 1), without
 * the boolean combination, which the engine does; add.cc, sub.cc, mad.cc, addc.cc ...: the carry (borrow) out;
 * otherwise 0. */
typedef uint64_t sim_lane_fn(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c, const uint32_t *e,
                             uint32_t mask_in);

/* Instruction sets the lane functions are compiled for; all give the same bits. */
enum sim_level { SIM_LEVEL_BASE, SIM_LEVEL_AVX2, SIM_LEVEL_AVX512, SIM_LEVEL_COUNT };

/* The best level this processor and this build have. */
enum sim_level sim_exec_best_level(void);

/* The function of an instruction, by its op, types and modifiers; NULL when this version has none for them ("is not
 * supported"). Covers everything that is computed lane by lane from registers: arithmetic, logic, comparison,
 * selection, conversion, and mov between registers of one size. Not memory, control, barriers, warp-wide instructions,
 * cvta/isspacep/mapa, vector moves. A level that was not built answers as the next lower one. */
sim_lane_fn *sim_exec_find(const struct isa_insn *insn, enum sim_level level);

/* One atomic step on a value in memory, for atom, red and redux: the new value of a cell that holds `old`, for
 * operation `mode` (enum isa_atom) on `type`; `a` is the operand, `b` cas's new value. Values lie in the low bits;
 * those of 128 bits do not fit, the engine exchanges them itself.
 * Floating add is IEEE round-to-nearest; f32 global atomics flush subnormals only where the H200 does (see
 * docs/model.md). */
bool sim_atom_supported(uint8_t mode, uint8_t type);
uint64_t sim_atom_apply(uint8_t mode, uint8_t type, uint64_t old, uint64_t a, uint64_t b);

#endif
