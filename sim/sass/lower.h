/* Inside sim/sass: from decoded machine instructions to the engine's operations.
 *
 * sim_sass_build() is the machine-code twin of sim_program_build(). Each opcode has a function here that fills one
 * struct sim_op. Whatever such a function does not use up, a word or an operand, makes the instruction unsupported: so
 * an instruction runs only when all of it is understood.
 *
 * Registers: R0 ... are the first rows of the frame, UR0 ... follow; a uniform register is a row whose lanes are all
 * the same. Predicates: P0-P6, then UP0-UP6, then convergence barriers. There is one frame: machine code passes
 * everything in registers. A value of 64 bits is two rows, as everywhere.
 */
#ifndef SIM_SASS_LOWER_H
#define SIM_SASS_LOWER_H

#include "isa/sass/sass.h"
#include "sim/engine.h"
#include "sim/matrix.h"
#include "sim/sass/bank.h"
#include "sim/sass/op.h"

#include "base/vec.h"

struct sim_sass_builder {
    struct sim_program *program;
    const struct isa_module *module;
    const struct isa_linked *linked;
    const struct sim_device *device;
    struct base_arena *arena;
    struct base_diags *diags;
    enum sim_level level;
    BASE_VEC(struct sim_op) ops;
    BASE_VEC(struct sim_matrix) matrices;
    BASE_VEC(struct sim_op) seconds;
    struct sim_constants *constants;
    uint32_t register_rows; /* R0 ... */
    uint32_t uniform_rows;
    bool failed, unsupported;
    /* of the function being lowered */
    uint32_t function_index, op_first;
    const struct isa_function *function;
    /* of the instruction */
    const struct isa_insn *insn;
    const struct isa_sass_insn *sass;
    struct sim_op *op;
    struct sim_sass_op *more; /* its op->machine */
    struct isa_insn spare;    /* written to when memory is out: nothing will run */
    uint32_t words_used;      /* mask over sass->words */
    uint32_t next;            /* operand to be taken */
    bool refused;
};

typedef void sim_sass_lower(struct sim_sass_builder *b);

/* ---- Words and operands ---- */

/* Uses up a word: true when the instruction has it. */
bool sim_sass_word(struct sim_sass_builder *b, enum isa_sass_word word);
/* Uses up the first of `words` (ended by ISA_SASS_W_NONE) that is there; otherwise ISA_SASS_W_NONE. */
enum isa_sass_word sim_sass_word_of(struct sim_sass_builder *b, const uint8_t *words);
/* The instruction is not supported: `what` of it is not. */
void sim_sass_refuse(struct sim_sass_builder *b, const char *what);

/* The operand that would be taken next; NULL: there is none. */
const struct isa_sass_operand *sim_sass_peek(const struct sim_sass_builder *b);
const struct isa_sass_operand *sim_sass_take(struct sim_sass_builder *b);
bool sim_sass_next_is_pred(const struct sim_sass_builder *b);

/* Takes a destination register of `rows` rows: op->dst. RZ: none. */
void sim_sass_dst(struct sim_sass_builder *b, uint32_t rows);
/* Takes up to `most` destination predicates that stand here: more->pdst. */
void sim_sass_pdst(struct sim_sass_builder *b, unsigned most);
/* Takes a source of `rows` rows into op->src[n], with its sign and part noted for type `type` (enum isa_type: what "-",
 * "|..|" and "~" mean, and how an immediate fills the rows). */
void sim_sass_src(struct sim_sass_builder *b, unsigned n, uint32_t rows, uint8_t type);
/* Takes a source predicate, when one stands here, into more->psrc[n]. */
void sim_sass_psrc(struct sim_sass_builder *b, unsigned n);
/* Takes an immediate: its value. */
int64_t sim_sass_immediate(struct sim_sass_builder *b);
/* Row of a register, constant ... without a change (sign and part are refused). */
uint32_t sim_sass_row(struct sim_sass_builder *b, const struct isa_sass_operand *o, uint32_t rows);
uint32_t sim_sass_constant_row(struct sim_sass_builder *b, uint64_t value, uint32_t rows);
uint32_t sim_sass_special_row(struct sim_sass_builder *b, enum isa_sreg sreg);
/* Number of a predicate operand among the frame's; -1: PT. */
int8_t sim_sass_pred_number(const struct isa_sass_operand *o);

/* Takes an address: op->address and its kin. `wide`: 64 bits unless it says otherwise (.E). */
void sim_sass_take_address(struct sim_sass_builder *b, bool wide);
/* Uses up words that say in which order others see the access, and hints. */
void sim_sass_use_order_words(struct sim_sass_builder *b);
/* Bytes of the access: 1, 2, 4, 8, 16; op->type says how narrow ones are extended. */
uint32_t sim_sass_take_width(struct sim_sass_builder *b);

/* ---- What the operation becomes ---- */

/* The operation will be run by the engine's handler of a PTX instruction: op->insn becomes a copy of the listed one
 * with `op`, to be filled in as far as that handler looks at it. */
struct isa_insn *sim_sass_act_as(struct sim_sass_builder *b, enum isa_op op);

/* The lane function of a PTX instruction that computes the same; refuses when there is none. */
sim_lane_fn *sim_sass_like(struct sim_sass_builder *b, enum isa_op op, enum isa_type type, enum isa_type type2,
                           const struct isa_mods *mods);
/* d = fn(sources): straight to the engine's own ALU operation when no source changes and nothing is predicated. */
void sim_sass_alu(struct sim_sass_builder *b, sim_lane_fn *fn, uint32_t rows);
/* Through `run`. */
void sim_sass_through(struct sim_sass_builder *b, sim_sass_run *run);
/* The run function of sim_sass_alu: sources changed, lane function, result, predicates. */
sim_sass_run sim_sass_run_alu;

/* Two lane functions, min and max, by more->psrc[0]: fixed when that is PT. */
void sim_sass_min_or_max(struct sim_sass_builder *b, enum isa_type type, const struct isa_mods *mods, uint32_t rows);
sim_sass_run sim_sass_run_choose;
void sim_sass_signs_as_given(struct sim_sass_builder *b, const struct isa_mods *mods);
/* Comparisons: the words, and the operation (op->fn, op->boolop, more->psrc[0]). */
enum isa_cmp sim_sass_comparison(struct sim_sass_builder *b);
uint32_t sim_sass_combine(uint8_t boolop, uint32_t a, uint32_t b);
uint8_t sim_sass_boolean(struct sim_sass_builder *b);
sim_sass_run sim_sass_run_setp;
/* FSET, HSET2: a comparison's truth as bits: more->immediate in each half (of two) or in the whole register. */
sim_sass_run sim_sass_run_set;

/* Sources of an operation as the lane function wants them: changed into `space` where need be. */
struct sim_sass_sources {
    const uint32_t *row[4];
    uint32_t space[4][4][32] __attribute__((aligned(64)));
};
void sim_sass_fetch(const struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                    const struct sim_op *op, struct sim_sass_sources *s);
/* The rows of source n, with what is done to them. */
void sim_sass_change(const struct sim_sass_op *more, unsigned n, const uint32_t *from, uint32_t to[4][32]);
/* A source predicate's lanes. */
uint32_t sim_sass_pred_lanes(const struct sim_warp *warp, const struct sim_group *group, struct sim_sass_pred p);
/* Writes the result rows and predicates of lanes `mask` (of all lanes when the operation is uniform). */
void sim_sass_write(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                    const uint32_t *rows, uint32_t row_count, uint32_t mask);
void sim_sass_write_pred(struct sim_warp *warp, const struct sim_group *group, const struct sim_op *op, unsigned n,
                         uint32_t value, uint32_t mask);

/* The opcodes' functions: sim_sass_lower_iadd3 ... */
#define SASS(id, mnemonic, unit, flags, lower, meaning) sim_sass_lower sim_sass_lower_##lower;
#include "isa/sass/opcode.def"
#undef SASS

#endif
