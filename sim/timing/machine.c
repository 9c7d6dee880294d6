/* What an instruction of machine code costs, and what its control bits make a warp wait for.
 *
 * Machine code says itself when a warp may go on: so many cycles after this instruction, and when the counters of its
 * wait mask are down, which instructions of no fixed latency raise and take down again (docs/model.md). So registers
 * are not looked at. A listing without encodings has no such bits; there the scoreboard does it, with the latencies
 * here. */
#include "isa/sass/sass.h"
#include "sim/timing/timing.h"

enum { NO_COUNTER = 7 };

static void set(struct timing_cost *cost, enum timing_unit unit, uint32_t latency, enum sim_stall reason)
{
    cost->unit = (uint8_t)unit;
    cost->slots = 1;
    cost->latency = (uint16_t)latency;
    cost->reason = (uint8_t)reason;
}

static bool has(const struct isa_sass_insn *sass, enum isa_sass_word word)
{
    return isa_sass_has(sass, word);
}

static void cost_special(const struct sim_device *d, struct timing_cost *cost)
{
    set(cost, TIMING_U_SPECIAL, d->special_latency_cycles, SIM_STALL_SHORT_SCOREBOARD);
    cost->queued = true;
}

static void cost_shuffle(struct timing_cost *cost, uint32_t latency, uint32_t interval)
{
    set(cost, TIMING_U_SHUFFLE, latency, SIM_STALL_SHORT_SCOREBOARD);
    cost->interval = (uint16_t)interval;
    cost->queued = true;
}

static void cost_memory(const struct sim_device *d, struct timing_cost *cost, const struct sim_op *op)
{
    bool is_short = op->insn->sass->op == ISA_SASS_LDC || op->space == ISA_SPACE_SHARED || op->space == ISA_SPACE_CONST;
    set(cost, TIMING_U_MEMORY, op->insn->sass->op == ISA_SASS_LDC ? d->constant_latency_cycles : d->alu_latency_cycles,
        is_short ? SIM_STALL_SHORT_SCOREBOARD : SIM_STALL_LONG_SCOREBOARD);
    cost->queued = true;
    cost->past_l1 = has(op->insn->sass, ISA_SASS_W_STRONG) && !has(op->insn->sass, ISA_SASS_W_SM) &&
                    !has(op->insn->sass, ISA_SASS_W_CTA);
}

static void cost_fence(const struct sim_device *d, struct timing_cost *cost, const struct isa_sass_insn *sass)
{
    bool is_wide = has(sass, ISA_SASS_W_GPU) || has(sass, ISA_SASS_W_SYS) || has(sass, ISA_SASS_W_VC);
    set(cost, TIMING_U_CONTROL, is_wide ? d->fence_after_store_cycles : 0, SIM_STALL_MEMBAR);
    cost->fences = cost->voids_l1 = is_wide;
}

/* Conversions to f64 and from it, the latter with twice the bits to read. */
static void cost_wide_conversion(const struct sim_device *d, struct timing_cost *cost, const struct isa_sass_insn *sass)
{
    set(cost, TIMING_U_SFU, d->wide_conversion_latency_cycles, SIM_STALL_SHORT_SCOREBOARD);
    bool from = sass->op == ISA_SASS_F2I || (sass->op == ISA_SASS_F2F && sass->words[0] == ISA_SASS_W_F32);
    cost->interval = (uint16_t)(from ? d->wide_source_interval_cycles : 0);
}

static void cost_by_unit(const struct sim_device *d, struct timing_cost *cost, const struct sim_op *op)
{
    switch ((enum isa_unit)isa_sass_ops[op->insn->sass->op].unit) {
    case ISA_UNIT_FMA:
        set(cost, TIMING_U_FMA, d->alu_latency_cycles, SIM_STALL_WAIT);
        break;
    case ISA_UNIT_MUFU:
        set(cost, TIMING_U_SFU, d->sfu_latency_cycles, SIM_STALL_SHORT_SCOREBOARD);
        cost->queued = true;
        if (has(op->insn->sass, ISA_SASS_W_F64))
            cost_wide_conversion(d, cost, op->insn->sass);
        break;
    case ISA_UNIT_LSU:
        cost_memory(d, cost, op);
        break;
    case ISA_UNIT_BRANCH:
    case ISA_UNIT_BARRIER:
        set(cost, TIMING_U_CONTROL, d->branch_latency_cycles, SIM_STALL_BRANCH_RESOLVING);
        break;
    default:
        set(cost, TIMING_U_INT, d->alu_latency_cycles, SIM_STALL_WAIT);
        break;
    }
}

/* More than the low half of a product of integers: two passes. */
static bool is_long_product(const struct isa_sass_insn *sass)
{
    return sass->op == ISA_SASS_IMAD && (has(sass, ISA_SASS_W_HI) || has(sass, ISA_SASS_W_WIDE));
}

static void cost_by_opcode(const struct sim_device *d, struct timing_cost *cost, const struct sim_op *op)
{
    const struct isa_sass_insn *sass = op->insn->sass;
    switch ((enum isa_sass_op)sass->op) {
    case ISA_SASS_IMAD:
    case ISA_SASS_IDP:
        set(cost, TIMING_U_IMAD, d->alu_latency_cycles, SIM_STALL_WAIT);
        cost->is_long = is_long_product(sass);
        break;
    case ISA_SASS_VIADD: /* it waits as long for a result of the ALU as multiplications do */
        set(cost, TIMING_U_FMA, d->alu_latency_cycles, SIM_STALL_WAIT);
        break;
    case ISA_SASS_HADD2:
    case ISA_SASS_HMUL2:
    case ISA_SASS_HFMA2:
        set(cost, has(sass, ISA_SASS_W_MMA) ? TIMING_U_IMAD : TIMING_U_HALF, d->alu_latency_cycles, SIM_STALL_WAIT);
        break;
    case ISA_SASS_DADD:
    case ISA_SASS_DMUL:
    case ISA_SASS_DFMA:
    case ISA_SASS_DSETP:
        set(cost, TIMING_U_FP64, d->fp64_latency_cycles, SIM_STALL_WAIT);
        break;
    case ISA_SASS_S2R:
    case ISA_SASS_S2UR:
    case ISA_SASS_B2R:
        cost_special(d, cost);
        break;
    case ISA_SASS_BMOV:
        set(cost, TIMING_U_CONTROL, d->convergence_move_cycles, SIM_STALL_SHORT_SCOREBOARD);
        cost->reads_late = true;
        break;
    case ISA_SASS_SHFL:
        cost_shuffle(cost, d->shuffle_latency_cycles, 0);
        break;
    case ISA_SASS_MATCH:
        cost_shuffle(cost, d->match_latency_cycles, d->match_interval_cycles);
        cost->of_sm = true;
        break;
    case ISA_SASS_REDUX:
        cost_shuffle(cost, d->redux_latency_cycles, d->redux_interval_cycles);
        break;
    case ISA_SASS_UIADD3:
    case ISA_SASS_UIMAD:
    case ISA_SASS_ULEA:
    case ISA_SASS_ULOP3:
    case ISA_SASS_USHF:
    case ISA_SASS_UPRMT:
    case ISA_SASS_UISETP:
    case ISA_SASS_UFLO:
    case ISA_SASS_UPOPC:
    case ISA_SASS_UBREV:
    case ISA_SASS_UBMSK:
    case ISA_SASS_USGXT:
    case ISA_SASS_USEL:
    case ISA_SASS_UPLOP3:
    case ISA_SASS_UP2UR:
    case ISA_SASS_UR2UP:
    case ISA_SASS_UMOV:
    case ISA_SASS_ULDC:
    case ISA_SASS_UVIADD:
    case ISA_SASS_UIABS:
    case ISA_SASS_VOTEU:
        set(cost, TIMING_U_UNIFORM, d->alu_latency_cycles, SIM_STALL_WAIT);
        break;
    case ISA_SASS_MEMBAR:
    case ISA_SASS_FENCE:
        cost_fence(d, cost, sass);
        break;
    case ISA_SASS_CCTL:
    case ISA_SASS_CCTLL:
        set(cost, TIMING_U_MEMORY, 0, SIM_STALL_LONG_SCOREBOARD);
        cost->queued = true;
        break;
    case ISA_SASS_ERRBAR:
    case ISA_SASS_CGAERRBAR:
    case ISA_SASS_DEPBAR:
    case ISA_SASS_NOP:
    case ISA_SASS_BSSY:
        set(cost, TIMING_U_CONTROL, 0, SIM_STALL_WAIT);
        break;
    default:
        cost_by_unit(d, cost, op);
        break;
    }
}

/* DEPBAR.LE SBn, k: goes on when at most k of the counter's instructions are under way. */
static void read_depbar(struct timing_cost *cost, const struct isa_sass_insn *sass)
{
    for (unsigned i = 0; i < sass->operand_count; i++) {
        const struct isa_sass_operand *o = &sass->operands[i];
        if (o->kind == ISA_SASS_SCOREBOARD && o->index < TIMING_COUNTERS)
            cost->depbar = (uint8_t)(o->index + 1);
        else if (o->kind == ISA_SASS_IMM && o->value >= 0 && o->value < 64)
            cost->depbar_left = (uint8_t)o->value;
    }
}

static bool goes_by_register(const struct isa_sass_insn *sass)
{
    for (unsigned i = 0; i < sass->operand_count; i++)
        if (sass->operands[i].kind == ISA_SASS_REG || sass->operands[i].kind == ISA_SASS_UREG)
            return true;
    return false;
}

void timing_machine_cost(const struct sim_device *device, struct timing_cost *cost, const struct sim_op *op)
{
    const struct isa_sass_insn *sass = op->insn->sass;
    const struct isa_sass_control *control = &sass->control;
    cost_by_opcode(device, cost, op);
    cost->jumps = (isa_sass_ops[sass->op].flags & (ISA_OPF_BRANCH | ISA_OPF_CALL | ISA_OPF_RETURN)) != 0;
    cost->jump_cycles = (uint8_t)device->taken_branch_cycles;
    if (goes_by_register(sass))
        cost->jump_cycles =
            (uint8_t)(sass->op == ISA_SASS_RET ? device->return_cycles : device->indirect_branch_cycles);
    cost->meets = sass->op == ISA_SASS_BSYNC;
    cost->defers = sass->op == ISA_SASS_BAR && has(sass, ISA_SASS_W_DEFER_BLOCKING);
    cost->held = cost->queued || cost->fences || isa_sass_ops[sass->op].unit == ISA_UNIT_BRANCH ||
                 isa_sass_ops[sass->op].unit == ISA_UNIT_BARRIER;
    if (!control->present)
        return;
    cost->controlled = true;
    cost->stall = control->stall_cycles > 0 ? control->stall_cycles : 1;
    cost->tells_space = sass->op == ISA_SASS_ATOM && op->dst == SIM_ROW_NONE;
    cost->yields = control->yield || cost->queued;
    cost->wait_mask = control->wait_mask;
    cost->write_counter = control->write_barrier < TIMING_COUNTERS ? control->write_barrier : NO_COUNTER;
    cost->read_counter = control->read_barrier < TIMING_COUNTERS ? control->read_barrier : NO_COUNTER;
    if (sass->op == ISA_SASS_DEPBAR)
        read_depbar(cost, sass);
}

/* Which counters' instructions have to be kept one by one. */
void timing_machine_kept(struct timing_cost *costs, uint32_t count)
{
    uint8_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (costs[i].depbar > 0 && costs[i].depbar_left > 0)
            kept = (uint8_t)(kept | 1u << (costs[i].depbar - 1u));
    for (uint32_t i = 0; i < count; i++)
        costs[i].kept_counters = kept;
}

/* ---- The six counters of a warp ---- */

void timing_counters_reset(struct timing_warp *w)
{
    for (unsigned i = 0; i < TIMING_COUNTERS; i++)
        w->counters[i] = (struct timing_counter){0};
}

static void note_through(struct timing_counter *c, uint64_t until, uint8_t reason)
{
    if (until < c->through)
        return;
    c->through = until;
    c->reason = reason;
}

static void raise_counter(struct timing_warp *w, const struct timing_cost *cost, unsigned number, uint64_t until)
{
    struct timing_counter *c = &w->counters[number];
    if ((cost->kept_counters >> number & 1) != 0)
        w->counted[number][c->count % TIMING_COUNTED] = until;
    c->count++;
    if (until == TIMING_NEVER)
        c->unknown++;
    else
        note_through(c, until, cost->reason);
}

/* The instruction raises its counters: until its sources are read, until its result is there. */
uint32_t timing_counters_raise(struct timing_warp *w, const struct timing_cost *cost, uint64_t read, uint64_t done)
{
    if (cost->read_counter != NO_COUNTER)
        raise_counter(w, cost, cost->read_counter, read);
    if (cost->write_counter == NO_COUNTER)
        return 0;
    raise_counter(w, cost, cost->write_counter, done);
    return w->counters[cost->write_counter].count - 1;
}

void timing_counters_leave_open(struct timing_warp *w, const struct timing_cost *cost)
{
    if (cost->read_counter != NO_COUNTER)
        w->counters[cost->read_counter].unknown++;
}

void timing_counters_tell(struct timing_warp *w, const struct timing_cost *cost, uint64_t told)
{
    if (cost->read_counter == NO_COUNTER)
        return;
    w->counters[cost->read_counter].unknown--;
    note_through(&w->counters[cost->read_counter], told, cost->reason);
}

void timing_counters_answer(struct timing_warp *w, const struct timing_cost *cost, uint32_t number, uint64_t done)
{
    if (cost->write_counter == NO_COUNTER)
        return;
    struct timing_counter *c = &w->counters[cost->write_counter];
    if ((cost->kept_counters >> cost->write_counter & 1) != 0 && c->count - number <= TIMING_COUNTED)
        w->counted[cost->write_counter][number % TIMING_COUNTED] = done;
    c->unknown--;
    note_through(c, done, cost->reason);
}

/* When at most `left` of the counter's instructions are under way: those before the last `left` are through. */
static uint64_t counter_until(const struct timing_warp *w, unsigned number, unsigned left)
{
    const struct timing_counter *c = &w->counters[number];
    if (left == 0)
        return c->unknown > 0 ? TIMING_NEVER : c->through;
    uint64_t until = 0;
    for (uint32_t i = left; i < TIMING_COUNTED && i < c->count; i++) {
        uint64_t one = w->counted[number][(c->count - 1 - i) % TIMING_COUNTED];
        until = one > until ? one : until;
    }
    return until;
}

static void wait_until(struct timing_warp *w, uint64_t until, uint8_t reason)
{
    if (until <= w->ready_at)
        return;
    w->ready_at = until;
    w->reason = reason;
}

void timing_counters_wait(struct timing_warp *w)
{
    const struct timing_cost *cost = w->cost;
    w->ready_at = w->not_before;
    w->reason = w->floor_reason;
    for (uint32_t m = cost->wait_mask; m != 0; m &= m - 1) {
        unsigned number = (unsigned)__builtin_ctz(m);
        wait_until(w, counter_until(w, number, 0), w->counters[number].reason);
    }
    if (cost->held)
        wait_until(w, w->held_until, SIM_STALL_BARRIER);
    if (cost->depbar > 0) {
        unsigned number = cost->depbar - 1u;
        wait_until(w, counter_until(w, number, cost->depbar_left), w->counters[number].reason);
    }
}
