/* From PTX to machine code: what an instruction costs, by kind.
 *
 * PTX is not what runs. nvcc drops moves and address-space conversions, folds a widening multiplication into the
 * addition behind it, turns short forward branches into guards, and expands what the machine does not have. The rules
 * here are the table of docs/clock.md; each is about a kind of instruction, none about a kernel. */
#include "sim/timing/timing.h"

#include <stdlib.h>

#define UNROLL_INSTRUCTIONS 64u   /* the largest loop that is unrolled */
#define LOOP_OPS            1024u /* a loop of more ops is not looked at */
#define MERGE_INSTRUCTIONS  32u   /* shared loads are merged over so many instructions at most */
#define GUARD_INSTRUCTIONS  8u    /* a forward branch over so many instructions at most becomes guards */

/* What the machine does not have is made of several instructions: how many, and cycles from the first to the use of the
 * result. ptxas 13.0's code for sm_90, the usual path: validate/micro/expansions.py assembles a chain of each and runs
 * the machine code. */
struct expansion {
    uint8_t slots;
    uint16_t cycles;
};

enum {
    DIV_U32,
    DIV_S32,
    DIV_U32_INVARIANT,
    DIV_S32_INVARIANT,
    DIV_U64,
    DIV_S64,
    DIV_F32,
    DIV_F32_APPROX,
    DIV_F32_FTZ,
    DIV_F64
};
static const struct expansion divisions[] = {
    [DIV_U32] = {18, 120},      [DIV_S32] = {22, 130},   [DIV_U32_INVARIANT] = {7, 45}, [DIV_S32_INVARIANT] = {10, 54},
    [DIV_U64] = {70, 225},      [DIV_S64] = {84, 255},   [DIV_F32] = {8, 45},           [DIV_F64] = {14, 111},
    [DIV_F32_APPROX] = {5, 41}, [DIV_F32_FTZ] = {2, 21},
};

/* Functions of the special-function unit: with .ftz the instruction alone; without, what is subnormal is scaled. Exact
 * ones have steps of Newton's method behind it. */
struct function_expansion {
    enum isa_op op;
    struct expansion ftz, approx, exact, f64;
};
static const struct function_expansion functions[] = {
    {ISA_OP_RCP, {1, 17}, {7, 41}, {8, 64}, {9, 65}},    {ISA_OP_SQRT, {2, 21}, {4, 39}, {8, 42}, {16, 83}},
    {ISA_OP_RSQRT, {1, 17}, {4, 39}, {4, 39}, {12, 59}}, {ISA_OP_EX2, {1, 17}, {4, 25}, {4, 25}, {4, 25}},
    {ISA_OP_LG2, {1, 17}, {4, 39}, {4, 39}, {4, 39}},    {ISA_OP_SIN, {2, 23}, {2, 23}, {2, 23}, {2, 23}},
    {ISA_OP_COS, {2, 23}, {2, 23}, {2, 23}, {2, 23}},    {ISA_OP_TANH, {1, 17}, {1, 17}, {1, 17}, {1, 17}},
};

/* 64-bit integers. */
static const struct expansion mul64 = {4, 15}, mul64_high = {7, 24}, min64 = {4, 12};
/* The rest: least and greatest of f64, leading zeros. */
static const struct expansion min_f64 = {8, 25}, leading_zeros = {2, 23};

struct builder {
    const struct sim_engine *engine;
    const struct sim_program *program;
    const struct sim_device *device;
    uint32_t *writer; /* by row: the op that wrote it last, in the order of the text */
    uint32_t writer_rows;
};

static bool is_float(uint8_t type)
{
    return isa_types[type].class == ISA_CLASS_FLOAT || isa_types[type].class == ISA_CLASS_PACKED;
}

static void set(struct timing_cost *cost, enum timing_unit unit, uint32_t slots, uint32_t latency,
                enum sim_stall reason)
{
    cost->unit = (uint8_t)unit;
    cost->slots = (uint8_t)slots;
    cost->latency = (uint16_t)latency;
    cost->reason = (uint8_t)reason;
}

/* `slots` instructions, each of which needs the one before. */
static void set_chain(const struct sim_device *d, struct timing_cost *cost, enum timing_unit unit, uint32_t slots)
{
    set(cost, unit, slots, d->alu_latency_cycles * slots, SIM_STALL_WAIT);
}

static void set_sfu(const struct sim_device *d, struct timing_cost *cost)
{
    set(cost, TIMING_U_SFU, 1, d->sfu_latency_cycles, SIM_STALL_SHORT_SCOREBOARD);
}

static void set_expansion(struct timing_cost *cost, enum timing_unit unit, const struct expansion *expansion)
{
    set(cost, unit, expansion->slots, expansion->cycles,
        unit == TIMING_U_SFU ? SIM_STALL_SHORT_SCOREBOARD : SIM_STALL_WAIT);
}

static void cost_arithmetic(const struct sim_device *d, struct timing_cost *cost, const struct sim_op *op)
{
    bool multiplies = isa_insn_unit(op->insn) == ISA_UNIT_FMA;
    uint32_t bits = isa_types[op->type].bits;
    const bool chooses = op->insn->op == ISA_OP_MIN || op->insn->op == ISA_OP_MAX;
    if (op->type == ISA_TYPE_F64 && chooses)
        set_expansion(cost, TIMING_U_FP64, &min_f64);
    else if (op->type == ISA_TYPE_F64)
        set(cost, TIMING_U_FP64, 1, d->fp64_latency_cycles, SIM_STALL_WAIT);
    else if (is_float(op->type))
        set(cost, TIMING_U_FMA, 1, d->alu_latency_cycles, SIM_STALL_WAIT);
    else if (multiplies && bits == 64 && op->insn->mods.mode != ISA_PART_WIDE)
        set_expansion(cost, TIMING_U_IMAD, op->insn->mods.mode == ISA_PART_HI ? &mul64_high : &mul64);
    else if (multiplies)
        set(cost, TIMING_U_IMAD, 1, d->alu_latency_cycles, SIM_STALL_WAIT);
    else if (bits == 64 && chooses)
        set_expansion(cost, TIMING_U_INT, &min64);
    else
        set_chain(d, cost, TIMING_U_INT, bits == 64 ? 2 : 1);
}

/* Whether the row is the same in all turns of the innermost loop: what is made of it alone is made before the loop. */
static bool is_invariant(const struct sim_program *program, uint32_t row, uint32_t at)
{
    if (row >> 30 != SIM_ROW_FRAME)
        return true;
    const uint32_t last = program->op_count - at > LOOP_OPS ? at + LOOP_OPS : program->op_count;
    uint32_t end = at, begin;
    while (end < last && program->ops[end].function == program->ops[at].function &&
           !(program->ops[end].kind == SIM_K_BRA && program->ops[end].target <= at))
        end++;
    if (end == last || end - program->ops[end].target > LOOP_OPS ||
        program->ops[end].function != program->ops[at].function)
        return false;
    for (begin = program->ops[end].target; begin < end; begin++) {
        const struct sim_op *op = &program->ops[begin];
        bool writes = op->dst <= row && row - op->dst < (op->dst_rows > 0 ? op->dst_rows : 2u);
        for (uint32_t e = 0; e < op->count && e < 8; e++)
            writes |= op->vec[e] == row;
        if (writes || op->kind == SIM_K_CALL)
            return false;
    }
    return true;
}

static void cost_division(const struct sim_program *program, struct timing_cost *cost, const struct sim_op *op)
{
    const uint32_t at = (uint32_t)(op - program->ops), flags = op->insn->mods.flags;
    const bool wide = isa_types[op->type].bits == 64, is_signed = isa_types[op->type].class == ISA_CLASS_SIGNED;
    unsigned which;
    if (op->type == ISA_TYPE_F64)
        which = DIV_F64;
    else if (is_float(op->type))
        which = (flags & ISA_FLAG_APPROX) == 0 ? DIV_F32 : (flags & ISA_FLAG_FTZ) != 0 ? DIV_F32_FTZ : DIV_F32_APPROX;
    else if (wide)
        which = is_signed ? DIV_S64 : DIV_U64;
    else if (is_invariant(program, op->src[1], at))
        which = is_signed ? DIV_S32_INVARIANT : DIV_U32_INVARIANT;
    else
        which = is_signed ? DIV_S32 : DIV_U32;
    set_expansion(cost, which == DIV_F64 ? TIMING_U_FP64 : TIMING_U_SFU, &divisions[which]);
}

static void cost_function(const struct sim_device *d, struct timing_cost *cost, const struct sim_op *op)
{
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        const struct function_expansion *f = &functions[i];
        const uint32_t flags = op->insn->mods.flags;
        if (f->op != (enum isa_op)op->insn->op)
            continue;
        if (op->type == ISA_TYPE_F64)
            set_expansion(cost, TIMING_U_FP64, &f->f64);
        else if ((flags & ISA_FLAG_APPROX) == 0)
            set_expansion(cost, TIMING_U_SFU, &f->exact);
        else
            set_expansion(cost, TIMING_U_SFU, (flags & ISA_FLAG_FTZ) != 0 ? &f->ftz : &f->approx);
        if (op->type != ISA_TYPE_F64) /* one of the instructions is the unit's */
            cost->interval = (uint16_t)(32 * d->schedulers_per_sm / d->sfu_lanes_per_sm);
        return;
    }
    set_sfu(d, cost);
}

static void cost_conversion(const struct sim_device *d, struct timing_cost *cost, const struct sim_op *op)
{
    uint8_t to = op->insn->type, from = op->insn->type2;
    uint32_t wide = isa_types[to].bits, narrow = isa_types[from].bits;
    if (is_float(to) && is_float(from) && wide < 64 && narrow < 64 && wide != narrow)
        set_chain(d, cost, TIMING_U_INT, 1); /* between f32 and f16 */
    else if (is_float(to) && !is_float(from) && wide <= 32 && narrow <= 32)
        set_chain(d, cost, TIMING_U_INT, 1);
    else if (is_float(to) || is_float(from))
        set_sfu(d, cost);
    else if (wide == 64 && narrow == 32 && isa_types[from].class == ISA_CLASS_SIGNED)
        set_chain(d, cost, TIMING_U_INT, 1);
    else if (wide < 32 || narrow < 32)
        set_chain(d, cost, TIMING_U_INT, 1);
    else
        set(cost, TIMING_U_INT, 0, 0, SIM_STALL_WAIT);
}

/* A register that the launch sets: sizes of grid and block are constants in memory, the others are read by the unit. */
static void cost_special(const struct sim_device *d, const struct sim_program *program, struct timing_cost *cost,
                         const struct sim_op *op)
{
    static const enum isa_sreg constants[] = {ISA_SREG_NTID_X,   ISA_SREG_NTID_Y,   ISA_SREG_NTID_Z,
                                              ISA_SREG_NCTAID_X, ISA_SREG_NCTAID_Y, ISA_SREG_NCTAID_Z};
    const uint32_t row = op->src[0] & ~(UINT32_C(3) << 30);
    for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++)
        if (program->special[constants[i]] == row) {
            set(cost, TIMING_U_UNIFORM, 1, d->constant_latency_cycles, SIM_STALL_SHORT_SCOREBOARD);
            return;
        }
    set(cost, TIMING_U_SPECIAL, 1, d->special_latency_cycles, SIM_STALL_SHORT_SCOREBOARD);
}

static void cost_by_opcode(const struct sim_device *d, const struct sim_program *program, struct timing_cost *cost,
                           const struct sim_op *op)
{
    switch ((enum isa_op)op->insn->op) {
    case ISA_OP_DIV:
    case ISA_OP_REM:
        cost_division(program, cost, op);
        break;
    case ISA_OP_RCP:
    case ISA_OP_SQRT:
    case ISA_OP_RSQRT:
    case ISA_OP_SIN:
    case ISA_OP_COS:
    case ISA_OP_LG2:
    case ISA_OP_EX2:
    case ISA_OP_TANH:
        cost_function(d, cost, op);
        break;
    case ISA_OP_CLZ:
        set_expansion(cost, TIMING_U_SFU, &leading_zeros);
        break;
    case ISA_OP_POPC:
    case ISA_OP_BFIND:
    case ISA_OP_BREV:
        set_sfu(d, cost);
        break;
    case ISA_OP_CVT:
        cost_conversion(d, cost, op);
        break;
    case ISA_OP_MOV:
        if (op->src[0] != SIM_ROW_NONE && op->src[0] >> 30 == SIM_ROW_SPECIAL)
            cost_special(d, program, cost, op);
        else
            set(cost, TIMING_U_INT, 0, 0, SIM_STALL_WAIT);
        break;
    default:
        cost_arithmetic(d, cost, op);
        break;
    }
}

static void cost_memory(const struct sim_device *d, struct timing_cost *cost, const struct sim_op *op)
{
    bool is_short = op->space == ISA_SPACE_SHARED || op->space == ISA_SPACE_CONST || op->space == ISA_SPACE_PARAM ||
                    op->space == ISA_SPACE_SHARED_CLUSTER;
    set(cost, TIMING_U_MEMORY, 1, d->shared_latency_cycles,
        is_short ? SIM_STALL_SHORT_SCOREBOARD : SIM_STALL_LONG_SCOREBOARD);
}

/* Products are made of machine instructions of up to twice 16 x 8 x 8 numbers of 16 bits, one after the other. */
static void cost_product(const struct sim_device *d, struct timing_cost *cost, const struct sim_matrix *x)
{
    const uint32_t volume = (uint32_t)x->shape.m * x->shape.n * x->shape.k;
    if (x->types.a == ISA_TYPE_F64) {
        const uint32_t parts = volume / 256;
        set(cost, TIMING_U_TENSOR, 1, d->tensor_f64_latency_cycles + (parts - 1) * d->tensor_f64_interval_cycles,
            SIM_STALL_WAIT);
        cost->interval = (uint16_t)(parts * d->tensor_f64_interval_cycles);
        return;
    }
    const uint32_t bits = isa_types[x->types.a].bits, parts = volume * bits / (16 * 8 * 8 * 16);
    const uint32_t twice = parts > 1, count = parts > 2 ? parts / 2 : 1;
    const uint32_t each = d->tensor_interval_cycles + twice * d->tensor_more_interval_cycles;
    set(cost, TIMING_U_TENSOR, (uint8_t)count,
        d->tensor_latency_cycles + twice * d->tensor_more_latency_cycles + (count - 1) * each, SIM_STALL_WAIT);
    cost->interval = (uint16_t)(count * each);
}

static void cost_matrix(const struct sim_device *d, const struct sim_program *program, struct timing_cost *cost,
                        const struct sim_op *op)
{
    if (op->insn->op == ISA_OP_MMA || op->insn->op == ISA_OP_WMMA_MMA)
        cost_product(d, cost, &program->matrices[op->target]);
    else if (op->insn->op == ISA_OP_MOVMATRIX)
        set(cost, TIMING_U_SHUFFLE, 1, d->shuffle_latency_cycles, SIM_STALL_SHORT_SCOREBOARD);
    else
        cost_memory(d, cost, op);
}

/* Barriers in shared memory: an arrival goes its way, an answer is waited for. */
static void cost_mbarrier(const struct sim_device *d, struct timing_cost *cost, const struct sim_op *op)
{
    const bool asks = op->kind == SIM_K_MBARRIER_TRY || op->pdst >= 0;
    set(cost, op->insn->op == ISA_OP_MBARRIER_PENDING ? TIMING_U_INT : TIMING_U_MEMORY, 1,
        asks ? d->mbarrier_latency_cycles : d->alu_latency_cycles, SIM_STALL_SHORT_SCOREBOARD);
    cost->closes = asks;
}

static void cost_nop(const struct sim_device *d, struct timing_cost *cost, const struct sim_op *op)
{
    bool fence = (isa_insn_flags(op->insn) & ISA_OPF_FENCE) != 0;
    bool of_block = op->insn->mods.scope == ISA_SCOPE_CTA;
    set(cost, TIMING_U_CONTROL, 1, fence && !of_block ? d->fence_latency_cycles : 0,
        fence ? SIM_STALL_MEMBAR : SIM_STALL_WAIT);
    cost->closes = fence;
    cost->voids_l1 = fence && !of_block;
}

/* Branches, calls and returns, also barriers and exits. A branch that is taken takes taken_branch_cycles beyond its
 * stall count of 5; one that is not, branch_latency_cycles. */
static void cost_turn(const struct sim_device *d, struct timing_cost *cost, const struct sim_op *op)
{
    const uint32_t stall = 5, not_taken = d->branch_latency_cycles, taken = stall + d->taken_branch_cycles;
    set(cost, TIMING_U_CONTROL, 1, not_taken, SIM_STALL_BRANCH_RESOLVING);
    cost->closes = true;
    cost->jumps = op->kind == SIM_K_BRA || op->kind == SIM_K_BRX || op->kind == SIM_K_CALL || op->kind == SIM_K_RET;
    cost->jump_cycles = (uint8_t)(op->kind == SIM_K_RET   ? d->return_cycles
                                  : op->kind == SIM_K_BRX ? d->indirect_branch_cycles
                                  : taken > not_taken     ? taken - not_taken
                                                          : 0);
}

static void cost_by_kind(const struct sim_device *d, const struct sim_program *program, struct timing_cost *cost,
                         const struct sim_op *op)
{
    switch ((enum sim_kind)op->kind) {
    case SIM_K_SETP:
        set(cost, TIMING_U_INT, op->type == ISA_TYPE_F64 || isa_types[op->type].bits != 64 ? 1 : 2,
            d->alu_latency_cycles, SIM_STALL_WAIT); /* more for who is guarded by it: scoreboard.c */
        break;
    case SIM_K_SET:
    case SIM_K_ISSPACEP:
    case SIM_K_GETCTARANK:
    case SIM_K_TIME:
        set_chain(d, cost, TIMING_U_INT, 1);
        break;
    case SIM_K_MAPA:
        set_chain(d, cost, TIMING_U_INT, 2);
        break;
    case SIM_K_VOTE:
    case SIM_K_ACTIVEMASK:
    case SIM_K_ELECT:
        set(cost, TIMING_U_INT, 1, d->predicate_latency_cycles, SIM_STALL_WAIT);
        break;
    case SIM_K_SHFL:
        set(cost, TIMING_U_SHUFFLE, 1, d->shuffle_latency_cycles, SIM_STALL_SHORT_SCOREBOARD);
        break;
    case SIM_K_MATCH:
        set(cost, TIMING_U_SHUFFLE, 1, d->match_latency_cycles, SIM_STALL_SHORT_SCOREBOARD);
        cost->interval = (uint16_t)d->match_interval_cycles;
        break;
    case SIM_K_REDUX:
        set(cost, TIMING_U_SHUFFLE, 1, d->redux_latency_cycles + d->alu_latency_cycles, SIM_STALL_SHORT_SCOREBOARD);
        cost->interval = (uint16_t)d->redux_interval_cycles;
        break;
    case SIM_K_LD:
    case SIM_K_ST:
    case SIM_K_ATOM:
        cost_memory(d, cost, op);
        break;
    case SIM_K_MATRIX:
        cost_matrix(d, program, cost, op);
        break;
    case SIM_K_BULK:
        set(cost, TIMING_U_MEMORY, 1, 0, SIM_STALL_WAIT);
        break;
    case SIM_K_COPY:
        set(cost, TIMING_U_MEMORY, 1, d->shared_latency_cycles, SIM_STALL_LONG_SCOREBOARD);
        break;
    case SIM_K_COPY_GROUP:
        set(cost, TIMING_U_CONTROL, 1, 0, SIM_STALL_LONG_SCOREBOARD);
        cost->closes = op->insn->op != ISA_OP_CP_ASYNC_COMMIT;
        break;
    case SIM_K_MBARRIER:
    case SIM_K_MBARRIER_TRY:
        cost_mbarrier(d, cost, op);
        break;
    case SIM_K_NOP:
        cost_nop(d, cost, op);
        break;
    case SIM_K_PLOGIC: /* folded into the comparison that makes its operand */
    case SIM_K_MOV_VEC:
    case SIM_K_MOV_EACH:
    case SIM_K_LOCAL_ADDR:
    case SIM_K_CVTA:
        set(cost, TIMING_U_INT, 0, 0, SIM_STALL_WAIT);
        break;
    case SIM_K_LD_PARAM:
        set(cost, TIMING_U_UNIFORM, 1, d->constant_latency_cycles, SIM_STALL_SHORT_SCOREBOARD);
        break;
    case SIM_K_ALU:
    case SIM_K_ALU_PRED:
    case SIM_K_VIDEO:
    case SIM_K_POLICY:
    case SIM_K_STACK:
        cost_by_opcode(d, program, cost, op);
        break;
    default:
        cost_turn(d, cost, op);
        break;
    }
}

/* ---- Operands ---- */

static void add_source(struct timing_cost *cost, uint32_t row)
{
    if (row >> 30 == SIM_ROW_FRAME && cost->src_count < 32)
        cost->src[cost->src_count++] = row;
}

static void add_pred(struct timing_cost *cost, int32_t pred, bool is_source)
{
    if (pred >= 0 && is_source && cost->src_count < 32)
        cost->src[cost->src_count++] = TIMING_PRED | (uint32_t)pred;
    else if (pred >= 0 && !is_source && cost->dst_count < 36)
        cost->dst[cost->dst_count++] = TIMING_PRED | (uint32_t)pred;
}

static void add_results(struct timing_cost *cost, uint32_t row, uint32_t rows)
{
    for (uint32_t r = 0; row >> 30 == SIM_ROW_FRAME && r < rows && cost->dst_count < 36; r++)
        cost->dst[cost->dst_count++] = row + r;
}

static void list_matrices(struct timing_cost *cost, const struct sim_matrix *x)
{
    const struct sim_fragment *const sources[3] = {&x->a, &x->b, &x->c};
    for (unsigned i = 0; i < 3; i++)
        for (unsigned r = 0; r < sources[i]->count; r++)
            add_source(cost, sources[i]->row[r]);
    for (unsigned r = 0; r < x->d.count; r++)
        add_results(cost, x->d.row[r], x->d.register_rows);
}

static void list_operands(struct timing_cost *cost, const struct sim_program *program, const struct sim_op *op)
{
    if (op->kind == SIM_K_CALL || op->kind == SIM_K_CONV_SET || op->kind == SIM_K_CONV_SYNC || op->kind == SIM_K_END)
        return;
    bool unpacks =
        op->kind == SIM_K_LD || op->kind == SIM_K_LD_PARAM || (op->kind == SIM_K_MOV_VEC && op->dst_count > 1);
    bool packs = op->kind == SIM_K_ST || op->kind == SIM_K_BULK || op->kind == SIM_K_ATOM ||
                 (op->kind == SIM_K_MOV_VEC && op->dst_count <= 1);
    bool addressed = op->kind == SIM_K_LD || op->kind == SIM_K_ST || op->kind == SIM_K_ATOM || op->kind == SIM_K_COPY ||
                     op->kind == SIM_K_BULK || op->kind == SIM_K_MBARRIER || op->kind == SIM_K_MBARRIER_TRY ||
                     (op->kind == SIM_K_MATRIX && op->address != SIM_ROW_NONE);
    add_pred(cost, op->guard, true);
    add_pred(cost, op->psrc, true);
    if (addressed && (op->addr_base == SIM_ADDR_REG32 || op->addr_base == SIM_ADDR_REG64))
        add_source(cost, op->address);
    if (op->kind == SIM_K_COPY && program->seconds[op->target].address != SIM_ROW_NONE)
        add_source(cost, program->seconds[op->target].address);
    for (uint32_t i = 0; op->kind == SIM_K_BULK && i < op->target_count; i++)
        if (program->seconds[op->target + i].address != SIM_ROW_NONE)
            add_source(cost, program->seconds[op->target + i].address);
    if (op->kind == SIM_K_MATRIX)
        list_matrices(cost, &program->matrices[op->target]);
    for (uint32_t i = 0; i < 4; i++)
        if (op->src[i] != SIM_ROW_NONE)
            add_source(cost, op->src[i]);
    const bool each = op->kind == SIM_K_MOV_EACH;
    for (uint32_t e = 0; e < op->count && e < 8 && (packs || unpacks || each); e++) {
        if (op->vec[e] == SIM_ROW_NONE)
            continue;
        if (packs || (each && e >= op->dst_count))
            add_source(cost, op->vec[e]);
        else
            add_results(cost, op->vec[e], op->vec_rows);
    }
    if (!unpacks && op->kind != SIM_K_ST && op->dst != SIM_ROW_NONE)
        add_results(cost, op->dst, op->dst_rows > op->vec_rows ? op->dst_rows : op->vec_rows);
    for (uint32_t e = 0; op->kind == SIM_K_ATOM && op->count > 1 && e < op->count; e++)
        if (program->targets[op->target + e] != SIM_ROW_NONE)
            add_results(cost, program->targets[op->target + e], op->dst_rows);
    add_pred(cost, op->pdst, false);
    add_pred(cost, op->qdst, op->kind == SIM_K_PLOGIC);
}

/* ---- What depends on the neighbours ---- */

static bool is_wide_product(const struct builder *b, uint32_t row)
{
    if (row >> 30 != SIM_ROW_FRAME || row >= b->writer_rows || b->writer[row] == UINT32_MAX)
        return false;
    const struct sim_op *op = &b->program->ops[b->writer[row]];
    return op->insn->op == ISA_OP_MUL && op->insn->mods.mode == ISA_PART_WIDE && isa_types[op->type].bits == 32;
}

/* A widening product and the 64-bit addition it is for are one instruction, which is counted at the addition. */
static void fold_products(struct builder *b, struct timing_cost *cost, const struct sim_op *op)
{
    const struct isa_insn *insn = op->insn;
    if (op->kind != SIM_K_ALU)
        return;
    if (insn->op == ISA_OP_MUL && insn->mods.mode == ISA_PART_WIDE && isa_types[op->type].bits == 32)
        cost->slots = 0;
    else if (insn->op == ISA_OP_ADD && isa_types[op->type].bits == 64 && !is_float(op->type) &&
             (is_wide_product(b, op->src[0]) || is_wide_product(b, op->src[1])))
        set(cost, TIMING_U_IMAD, 1, b->device->alu_latency_cycles, SIM_STALL_WAIT);
}

/* Whether the branch at `at` goes over a few instructions that can be guarded instead. */
static bool becomes_guards(const struct sim_program *program, const struct timing_cost *costs, uint32_t at)
{
    const struct sim_op *op = &program->ops[at];
    if (op->kind != SIM_K_BRA || op->guard < 0 || op->target <= at || op->target - at > LOOP_OPS)
        return false;
    uint32_t instructions = 0;
    for (uint32_t i = at + 1; i < op->target; i++) {
        const struct sim_op *inner = &program->ops[i];
        if (inner->kind == SIM_K_CONV_SET || inner->kind == SIM_K_CONV_SYNC)
            continue;
        if (costs[i].closes || inner->kind == SIM_K_ATOM || inner->kind == SIM_K_SHFL)
            return false;
        instructions += costs[i].slots;
        if (instructions > GUARD_INSTRUCTIONS)
            return false;
    }
    return true;
}

static bool writes_row(const struct timing_cost *cost, uint32_t row)
{
    for (uint32_t i = 0; i < cost->dst_count; i++)
        if (cost->dst[i] == row)
            return true;
    return false;
}

/* Whether the row is written in the loop once, by adding a constant to it: a counter. */
static bool is_counter(const struct timing_cost *costs, const struct sim_program *program, uint32_t row, uint32_t from,
                       uint32_t branch)
{
    uint32_t writes = 0;
    bool counts = false;
    for (uint32_t i = from; row >> 30 == SIM_ROW_FRAME && i < branch; i++) {
        const struct sim_op *op = &program->ops[i];
        if (!writes_row(&costs[i], row))
            continue;
        writes++;
        counts = op->kind == SIM_K_ALU && (op->insn->op == ISA_OP_ADD || op->insn->op == ISA_OP_SUB) &&
                 op->src[0] == row && op->src[1] >> 30 == SIM_ROW_CONST;
    }
    return writes == 1 && counts;
}

/* Whether how often the loop turns is known when it begins: what its branch goes by compares a counter. */
static bool is_counted(const struct timing_cost *costs, const struct sim_program *program, uint32_t from,
                       uint32_t branch)
{
    const uint32_t guard = TIMING_PRED | (uint32_t)program->ops[branch].guard;
    for (uint32_t i = branch; i-- > from;) {
        const struct sim_op *op = &program->ops[i];
        if (writes_row(&costs[i], guard))
            return op->kind == SIM_K_SETP && (is_counter(costs, program, op->src[0], from, branch) ||
                                              is_counter(costs, program, op->src[1], from, branch));
    }
    return false;
}

/* Whether the branch at `at` closes a small loop without calls, barriers and other branches. */
static bool becomes_unrolled(const struct sim_program *program, const struct timing_cost *costs, uint32_t at)
{
    const struct sim_op *op = &program->ops[at];
    if (op->kind != SIM_K_BRA || op->guard < 0 || op->target > at || at - op->target > LOOP_OPS)
        return false;
    uint32_t instructions = 0;
    for (uint32_t i = op->target; i < at; i++) {
        if (program->ops[i].kind == SIM_K_CONV_SET || program->ops[i].kind == SIM_K_CONV_SYNC)
            continue;
        instructions += costs[i].slots;
        if (costs[i].closes || instructions > UNROLL_INSTRUCTIONS)
            return false;
    }
    return instructions > 0 && is_counted(costs, program, op->target, at);
}

/* In a loop that is unrolled, what only adds a constant is part of the addresses and constants of its users, and the
 * branch compares once. */
static void roll_up(const struct sim_program *program, struct timing_cost *costs, uint32_t branch)
{
    const uint32_t from = program->ops[branch].target, guard = TIMING_PRED | (uint32_t)program->ops[branch].guard;
    for (uint32_t i = from; i < branch; i++) {
        const struct sim_op *op = &program->ops[i];
        const bool counts = op->kind == SIM_K_ALU && op->guard < 0 && costs[i].dst_count > 0 &&
                            is_counter(costs, program, op->dst, from, branch);
        costs[i].rolled_up = counts || (op->kind == SIM_K_SETP && writes_row(&costs[i], guard));
    }
}

static bool is_word_load(const struct sim_op *op)
{
    return op->kind == SIM_K_LD && op->space == ISA_SPACE_SHARED && op->element_bytes == 4 && op->count == 1 &&
           op->addr_base == SIM_ADDR_REG32 && op->guard < 0 && op->insn->mods.sem <= ISA_SEM_WEAK;
}

/* Shared loads of words side by side, through one register that does not change between them, are one instruction. */
static void merge_loads(const struct sim_program *p, struct timing_cost *costs, uint32_t at)
{
    const struct sim_op *first = &p->ops[at];
    if (!is_word_load(first) || costs[at].merged)
        return;
    uint32_t found[3], next = 0;
    uint32_t end = p->op_count - at > MERGE_INSTRUCTIONS ? at + MERGE_INSTRUCTIONS : p->op_count;
    for (uint32_t i = at + 1; i < end && next < 3; i++) {
        const struct sim_op *op = &p->ops[i];
        bool ends =
            op->kind == SIM_K_ST || op->kind == SIM_K_ATOM || costs[i].closes || op->function != first->function;
        for (uint32_t d = 0; d < costs[i].dst_count; d++)
            ends |= costs[i].dst[d] == first->address;
        if (is_word_load(op) && op->address == first->address && op->offset == first->offset + 4 * ((int64_t)next + 1))
            found[next++] = i;
        if (ends)
            break;
    }
    uint32_t more = next == 3 && first->offset % 16 == 0 ? 3 : next >= 1 && first->offset % 8 == 0 ? 1 : 0;
    for (uint32_t k = 0; k < more; k++) {
        costs[found[k]].merged = true;
        costs[found[k]].slots = 0;
    }
    costs[at].width = (uint8_t)(more > 0 ? 4 * (more + 1) : 0);
}

static void note_writes(struct builder *b, const struct timing_cost *cost, uint32_t at)
{
    for (uint32_t i = 0; i < cost->dst_count; i++)
        if ((cost->dst[i] & TIMING_PRED) == 0 && cost->dst[i] < b->writer_rows)
            b->writer[cost->dst[i]] = at;
}

/* Parameters of functions are handed over in registers. A function that calls others keeps its own on its stack. */
static void hand_over(const struct sim_program *program, struct timing_cost *costs, uint32_t from, uint32_t to)
{
    bool calls = false;
    for (uint32_t i = from; i < to; i++)
        calls |= program->ops[i].kind == SIM_K_CALL;
    if (calls && !program->module->functions[program->ops[from].function].is_entry)
        return;
    for (uint32_t i = from; i < to; i++) {
        const struct sim_op *op = &program->ops[i];
        if ((op->kind == SIM_K_LD || op->kind == SIM_K_ST) && op->insn->mods.space == ISA_SPACE_PARAM)
            set(&costs[i], TIMING_U_INT, 0, 0, SIM_STALL_WAIT);
    }
}

static void hand_over_all(const struct sim_program *program, struct timing_cost *costs)
{
    for (uint32_t i = 0, from = 0; i < program->op_count; i++)
        if (i + 1 == program->op_count || program->ops[i + 1].function != program->ops[i].function) {
            hand_over(program, costs, from, i + 1);
            from = i + 1;
        }
}

struct timing_cost *timing_costs_build(struct sim_engine *engine)
{
    const struct sim_program *p = engine->program;
    struct builder b = {engine, p, engine->device, NULL, 1};
    for (uint32_t f = 0; f < p->module->function_count; f++)
        if (p->function_entry[f] != UINT32_MAX && p->frame_rows[f] + 1 > b.writer_rows)
            b.writer_rows = p->frame_rows[f] + 1;
    struct timing_cost *costs = sim_engine_alloc(engine, p->op_count, sizeof(*costs));
    b.writer = sim_engine_alloc(engine, b.writer_rows, sizeof(*b.writer));
    if (costs == NULL || b.writer == NULL) {
        free(costs);
        free(b.writer);
        return NULL;
    }
    uint32_t function = UINT32_MAX;
    for (uint32_t i = 0; i < p->op_count; i++) {
        const struct sim_op *op = &p->ops[i];
        for (uint32_t r = 0; op->function != function && r < b.writer_rows; r++)
            b.writer[r] = UINT32_MAX;
        function = op->function;
        if (op->insn != NULL && op->insn->sass != NULL)
            timing_machine_cost(b.device, &costs[i], op);
        else
            cost_by_kind(b.device, p, &costs[i], op);
        list_operands(&costs[i], p, op);
        costs[i].reduces = op->insn != NULL && sim_insn_reduces(op->insn);
        if (op->insn != NULL)
            fold_products(&b, &costs[i], op);
        note_writes(&b, &costs[i], i);
    }
    if (p->is_machine) {
        timing_ports_count(costs, p->ops, p->op_count);
        timing_machine_kept(costs, p->op_count);
        timing_products_hold(engine->device, costs, p->ops, p->op_count);
        free(b.writer);
        return costs;
    }
    hand_over_all(p, costs);
    if (!timing_costs_fold(engine, costs)) {
        free(b.writer);
        free(costs);
        return NULL;
    }
    for (uint32_t i = 0; i < p->op_count; i++)
        if (becomes_guards(p, costs, i)) {
            costs[i].slots = 0;
            costs[i].if_converted = true;
            costs[i].closes = false;
        }
    for (uint32_t i = 0; i < p->op_count; i++) {
        costs[i].unrolls = becomes_unrolled(p, costs, i);
        if (costs[i].unrolls)
            roll_up(p, costs, i);
        merge_loads(p, costs, i);
    }
    free(b.writer);
    return costs;
}
