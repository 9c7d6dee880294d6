/* Register slots: liveness, then places in the register file for registers that are never needed together.
 *
 * Liveness is the usual backward data flow of one thread. It is enough for a warp whose lanes have gone apart, too. A
 * slot is a row with one element a lane; an instruction writes only the elements of its active lanes, and every lane
 * walks a path of the control-flow graph that it would also walk alone. Say two registers share a slot, lane 3 still
 * needs the first, and lane 5, on another path, writes the second: lane 5's element changes, lane 3's does not. A clash
 * needs one lane in which both values are wanted at once, and that is what one thread's liveness rules out. The order
 * in which the engine runs the lanes' paths plays no part. For the same reason a write under a guard does not end the
 * old value: in lanes whose guard is false it is still there and may be read.
 *
 * Instructions that look into other lanes' elements (shfl, vote ...) read them as they are at that instruction, for
 * lanes that execute it; those registers are live there in every such lane, and the destination gets a slot that no
 * source has.
 *
 * Steps: live_solve() finds what is live into each block, as bit sets over the registers that are live into any block
 * at all (most registers of real code never are); live_ranges() walks each block once more and gives every register one
 * interval of positions that covers all the places it is live; slots_assign() hands out slots in order of the
 * intervals' beginnings, lowest first. Position 2i is where instruction i reads, 2i + 1 where it writes.
 *
 * When the sets would take more than LIVE_BITS_MAX bits, or the work passes LIVE_WORK_MAX, every register gets a slot
 * of its own: right, only roomy.
 */
#include "isa/cfg.h"

#include <string.h>

#define LIVE_BITS_MAX (UINT64_C(1) << 31) /* 256 MiB */
#define LIVE_WORK_MAX (UINT64_C(1) << 28) /* words and instructions looked at; a second or two */

#define NO_INDEX UINT32_MAX

struct live {
    const struct isa_function *function;
    const struct isa_cfg *cfg;
    struct base_arena scratch;
    uint32_t *index; /* by register: its bit in the sets, or NO_INDEX */
    uint32_t *reg;   /* by bit */
    size_t bits, words;
    uint64_t *in;  /* by block: what is live at its head */
    uint64_t *now; /* a set to work in */
    uint64_t work;
    bool too_large;
    uint32_t *start, *end; /* by register: its interval; start > end: never seen */
    bool *is_live;         /* by register, in live_ranges() */
    const bool *is_fixed;  /* by register, as isa_assign_slots_in() tells */
    uint32_t live_slots, pressure;
    uint32_t fixed_slots, varying_pressure; /* slots of fixed ones among live_slots; pressure without them */
};

static bool reg_is_pred(const struct isa_function *function, uint32_t reg)
{
    return function->regs[reg].type == ISA_TYPE_PRED;
}

static uint32_t reg_slots(const struct isa_function *function, uint32_t reg)
{
    return isa_type_slots(function->regs[reg].type);
}

/* The register operand o of an instruction writes, or -1. */
static int64_t insn_def(const struct isa_function *function, const struct isa_insn *insn, uint32_t o)
{
    const struct isa_operand *operand = &function->operands[insn->operand_first + o];
    return o < insn->dst_count && operand->kind == ISA_OPERAND_REG ? (int64_t)operand->ref : -1;
}

/* The register operand o of an instruction reads, or -1; o == operand_count stands for the guard. */
static int64_t insn_use(const struct isa_function *function, const struct isa_insn *insn, uint32_t o)
{
    if (o == insn->operand_count) {
        return insn->guard;
    }
    const struct isa_operand *operand = &function->operands[insn->operand_first + o];
    if (operand->kind == ISA_OPERAND_MEM) {
        return operand->base_kind == ISA_OPERAND_REG ? (int64_t)operand->ref : -1;
    }
    return o >= insn->dst_count && operand->kind == ISA_OPERAND_REG ? (int64_t)operand->ref : -1;
}

/* Registers read in a block before that block surely wrote them get a bit. */
static bool live_number(struct live *l)
{
    const struct isa_function *function = l->function;
    uint32_t *written = base_arena_alloc(&l->scratch, function->reg_count, sizeof(*written));
    l->index = base_arena_alloc(&l->scratch, function->reg_count, sizeof(*l->index));
    l->reg = base_arena_alloc(&l->scratch, function->reg_count, sizeof(*l->reg));
    if (l->scratch.failed) {
        return false;
    }
    memset(l->index, 0xff, function->reg_count * sizeof(*l->index));
    for (uint32_t b = 0; b < l->cfg->block_count; b++) {
        const struct isa_block *block = &l->cfg->blocks[b];
        for (uint32_t i = block->first; block->reachable && i < block->first + block->count; i++) {
            const struct isa_insn *insn = &function->insns[i];
            for (uint32_t o = 0; o <= insn->operand_count; o++) {
                int64_t reg = insn_use(function, insn, o);
                if (reg >= 0 && written[reg] != b + 1 && l->index[reg] == NO_INDEX) {
                    l->index[reg] = (uint32_t)l->bits;
                    l->reg[l->bits++] = (uint32_t)reg;
                }
            }
            for (uint32_t o = 0; insn->guard < 0 && o < insn->dst_count; o++) {
                int64_t reg = insn_def(function, insn, o);
                if (reg >= 0) {
                    written[reg] = b + 1;
                }
            }
        }
    }
    l->words = (l->bits + 63) / 64;
    l->too_large = (uint64_t)l->words * 64 * l->cfg->block_count > LIVE_BITS_MAX;
    return true;
}

/* What is live at a block's end, into l->now. */
static void live_out(struct live *l, const struct isa_block *block)
{
    memset(l->now, 0, l->words * sizeof(*l->now));
    for (uint32_t s = 0; s < block->succ_count; s++) {
        const uint64_t *in = &l->in[block->succ[s] * l->words];
        for (size_t w = 0; w < l->words; w++) {
            l->now[w] |= in[w];
        }
    }
    l->work += (block->succ_count + 2) * l->words + block->count;
}

/* Recomputes what is live at a block's head; whether it changed. */
static bool live_visit(struct live *l, uint32_t b)
{
    const struct isa_block *block = &l->cfg->blocks[b];
    live_out(l, block);
    for (uint32_t i = block->first + block->count; i-- > block->first;) {
        const struct isa_insn *insn = &l->function->insns[i];
        for (uint32_t o = 0; insn->guard < 0 && o < insn->dst_count; o++) {
            int64_t reg = insn_def(l->function, insn, o);
            if (reg >= 0 && l->index[reg] != NO_INDEX) {
                l->now[l->index[reg] / 64] &= ~(UINT64_C(1) << l->index[reg] % 64);
            }
        }
        for (uint32_t o = 0; o <= insn->operand_count; o++) {
            int64_t reg = insn_use(l->function, insn, o);
            if (reg >= 0 && l->index[reg] != NO_INDEX) {
                l->now[l->index[reg] / 64] |= UINT64_C(1) << l->index[reg] % 64;
            }
        }
    }
    uint64_t *in = &l->in[b * l->words];
    bool changed = memcmp(in, l->now, l->words * sizeof(*in)) != 0;
    memcpy(in, l->now, l->words * sizeof(*in));
    return changed;
}

/* The largest solution is not wanted but the smallest: from empty sets up. Blocks wait in a ring, last ones first. */
static bool live_solve(struct live *l)
{
    size_t blocks = l->cfg->block_count, head = 0, waiting = 0;
    l->in = base_arena_alloc(&l->scratch, blocks * l->words, sizeof(*l->in));
    l->now = base_arena_alloc(&l->scratch, l->words, sizeof(*l->now));
    uint32_t *ring = base_arena_alloc(&l->scratch, blocks, sizeof(*ring));
    bool *queued = base_arena_alloc(&l->scratch, blocks, sizeof(*queued));
    if (l->scratch.failed) {
        return false;
    }
    for (size_t b = blocks; b-- > 0;) {
        if (l->cfg->blocks[b].reachable) {
            ring[waiting++] = (uint32_t)b;
            queued[b] = true;
        }
    }
    while (waiting > 0 && l->work <= LIVE_WORK_MAX) {
        uint32_t b = ring[head];
        const struct isa_block *block = &l->cfg->blocks[b];
        head = head + 1 == blocks ? 0 : head + 1;
        waiting--;
        queued[b] = false;
        if (!live_visit(l, b)) {
            continue;
        }
        for (uint32_t p = 0; p < block->pred_count; p++) {
            uint32_t pred = block->pred[p];
            if (l->cfg->blocks[pred].reachable && !queued[pred]) {
                queued[pred] = true;
                ring[(head + waiting++) % blocks] = pred;
            }
        }
    }
    l->too_large = l->work > LIVE_WORK_MAX;
    return true;
}

static void range_cover(struct live *l, uint32_t reg, uint32_t position)
{
    if (l->start[reg] > position) {
        l->start[reg] = position;
    }
    if (l->end[reg] < position) {
        l->end[reg] = position;
    }
}

static void set_live(struct live *l, uint32_t reg, bool live)
{
    if (l->is_live[reg] == live) {
        return;
    }
    l->is_live[reg] = live;
    if (!reg_is_pred(l->function, reg)) {
        uint32_t slots = reg_slots(l->function, reg);
        uint32_t fixed = l->is_fixed[reg] ? slots : 0;
        l->live_slots = live ? l->live_slots + slots : l->live_slots - slots;
        l->fixed_slots = live ? l->fixed_slots + fixed : l->fixed_slots - fixed;
    }
}

/* What is live, and in the same moment `written` slots more, `written_fixed` of them fixed. */
static void note_pressure(struct live *l, uint32_t written, uint32_t written_fixed)
{
    uint32_t slots = l->live_slots + written, varying = slots - l->fixed_slots - written_fixed;
    l->pressure = l->pressure < slots ? slots : l->pressure;
    l->varying_pressure = l->varying_pressure < varying ? varying : l->varying_pressure;
}

/* Whether the destination of an instruction may take over the slots of a source that ends there. The engine computes
 * lane by lane, so it may when the two cover exactly the same slots; never when the instruction has several
 * destinations, goes to memory, looks into other lanes or calls. */
static bool insn_reuses(const struct isa_insn *insn)
{
    const struct isa_op_info *info = &isa_ops[insn->op];
    return insn->dst_count == 1 && !(info->flags & (ISA_OPF_WARP | ISA_OPF_CALL)) &&
           (info->unit == ISA_UNIT_ALU || info->unit == ISA_UNIT_FMA || info->unit == ISA_UNIT_MUFU);
}

static void ranges_of_insn(struct live *l, uint32_t i)
{
    const struct isa_function *function = l->function;
    const struct isa_insn *insn = &function->insns[i];
    bool reuses = insn_reuses(insn);
    uint32_t written = 0, written_fixed = 0;
    for (uint32_t o = 0; o < insn->dst_count; o++) {
        int64_t reg = insn_def(function, insn, o);
        if (reg >= 0) {
            range_cover(l, (uint32_t)reg, 2 * i + 1);
            bool counts = !l->is_live[reg] && !reg_is_pred(function, (uint32_t)reg);
            uint32_t slots = counts ? reg_slots(function, (uint32_t)reg) : 0;
            written += slots;
            written_fixed += l->is_fixed[reg] ? slots : 0;
        }
    }
    note_pressure(l, written, written_fixed);
    for (uint32_t o = 0; insn->guard < 0 && o < insn->dst_count; o++) {
        int64_t reg = insn_def(function, insn, o);
        if (reg >= 0) {
            set_live(l, (uint32_t)reg, false);
        }
    }
    int64_t dst = insn->dst_count > 0 ? insn_def(function, insn, 0) : -1;
    for (uint32_t o = 0; o <= insn->operand_count; o++) {
        int64_t reg = insn_use(function, insn, o);
        if (reg < 0) {
            continue;
        }
        bool same_size = dst >= 0 && reg_slots(function, (uint32_t)reg) == reg_slots(function, (uint32_t)dst);
        range_cover(l, (uint32_t)reg, reuses && same_size ? 2 * i : 2 * i + 1);
        set_live(l, (uint32_t)reg, true);
    }
    note_pressure(l, 0, 0);
}

/* The registers of a set are live, or no longer so, from `position` on upwards. */
static void ranges_of_set(struct live *l, const uint64_t *set, uint32_t position, bool live)
{
    for (size_t w = 0; w < l->words; w++) {
        for (uint64_t bits = set[w]; bits != 0; bits &= bits - 1) {
            uint32_t reg = l->reg[w * 64 + (unsigned)__builtin_ctzll(bits)];
            range_cover(l, reg, position);
            set_live(l, reg, live);
            l->work++;
        }
    }
}

/* What one instruction writes, and nothing else does, from a kernel's parameters, constants, addresses or special
 * registers that the whole block shares; or from such a register without a change of bits. */
static bool is_fixed_source(const struct live *l, const struct isa_insn *insn)
{
    const struct isa_operand *source = &l->function->operands[insn->operand_first + 1];
    if (insn->guard >= 0 || insn->dst_count != 1 || insn->operand_count < 2) {
        return false;
    }
    if (insn->op == ISA_OP_LD) {
        return l->function->is_entry && insn->mods.space == ISA_SPACE_PARAM && source->base_kind == ISA_OPERAND_SYMBOL;
    }
    if (insn->op != ISA_OP_MOV && insn->op != ISA_OP_CVTA) {
        return false;
    }
    switch (source->kind) {
    case ISA_OPERAND_IMM:
    case ISA_OPERAND_SYMBOL:
        return true;
    case ISA_OPERAND_REG:
        return l->is_fixed[source->ref];
    case ISA_OPERAND_SREG:
        return isa_sregs[source->ref].scope == ISA_SREG_SCOPE_BLOCK ||
               isa_sregs[source->ref].scope == ISA_SREG_SCOPE_GRID;
    default:
        return false;
    }
}

static bool find_fixed(struct live *l)
{
    const struct isa_function *function = l->function;
    bool *fixed = base_arena_alloc(&l->scratch, function->reg_count, sizeof(*fixed));
    bool *written = base_arena_alloc(&l->scratch, function->reg_count, sizeof(*written));
    l->is_fixed = fixed;
    if (fixed == NULL || written == NULL) {
        return false;
    }
    for (size_t i = 0; i < function->insn_count; i++) {
        const struct isa_insn *insn = &function->insns[i];
        for (uint32_t o = 0; o < insn->dst_count; o++) {
            int64_t reg = insn_def(function, insn, o);
            if (reg >= 0) {
                fixed[reg] = !written[reg] && is_fixed_source(l, insn);
                written[reg] = true;
            }
        }
    }
    return true;
}

static bool live_ranges(struct live *l)
{
    size_t regs = l->function->reg_count;
    l->start = base_arena_alloc(&l->scratch, regs, sizeof(*l->start));
    l->end = base_arena_alloc(&l->scratch, regs, sizeof(*l->end));
    l->is_live = base_arena_alloc(&l->scratch, regs, sizeof(*l->is_live));
    if (l->scratch.failed || !find_fixed(l)) {
        return false;
    }
    memset(l->start, 0xff, regs * sizeof(*l->start));
    l->work = 0;
    for (size_t b = 0; b < l->cfg->block_count && l->work <= LIVE_WORK_MAX; b++) {
        const struct isa_block *block = &l->cfg->blocks[b];
        if (!block->reachable) {
            continue;
        }
        live_out(l, block);
        ranges_of_set(l, l->now, 2 * (block->first + block->count - 1) + 1, true);
        note_pressure(l, 0, 0);
        for (uint32_t i = block->first + block->count; i-- > block->first;) {
            ranges_of_insn(l, i);
        }
        ranges_of_set(l, &l->in[b * l->words], 2 * block->first, false);
    }
    l->too_large = l->work > LIVE_WORK_MAX;
    return true;
}

/* Slots in use, one bit each. */
struct pool {
    uint64_t *used;
    size_t full_words; /* words before this one have no free slot */
    uint32_t top;
};

static void pool_mark(struct pool *pool, uint32_t slot, uint32_t slots, bool used)
{
    uint64_t mask = ((UINT64_C(1) << slots) - 1) << slot % 64;
    if (used) {
        pool->used[slot / 64] |= mask;
        pool->top = slot + slots > pool->top ? slot + slots : pool->top;
    } else {
        pool->used[slot / 64] &= ~mask;
        pool->full_words = slot / 64 < pool->full_words ? slot / 64 : pool->full_words;
    }
}

/* The lowest 1, 2 or 4 free slots that begin at a multiple of their number. */
static uint32_t pool_take(struct pool *pool, uint32_t slots)
{
    static const uint64_t aligned[5] = {0, UINT64_MAX, UINT64_C(0x5555555555555555), 0, UINT64_C(0x1111111111111111)};
    while (pool->used[pool->full_words] == UINT64_MAX) {
        pool->full_words++;
    }
    for (size_t w = pool->full_words;; w++) {
        uint64_t room = ~pool->used[w];
        for (uint32_t s = 1; s < slots; s++) {
            room &= ~pool->used[w] >> s;
        }
        room &= aligned[slots];
        if (room != 0) {
            uint32_t slot = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(room);
            pool_mark(pool, slot, slots, true);
            return slot;
        }
    }
}

/* Registers by the position where their interval begins, and by the one where it ends, as linked lists. */
struct timetable {
    uint32_t *begins, *begins_next, *ends, *ends_next;
};

static bool timetable_fill(struct timetable *t, struct live *l)
{
    size_t positions = 2 * l->function->insn_count + 1, regs = l->function->reg_count;
    t->begins = base_arena_alloc(&l->scratch, positions, sizeof(uint32_t));
    t->ends = base_arena_alloc(&l->scratch, positions, sizeof(uint32_t));
    t->begins_next = base_arena_alloc(&l->scratch, regs, sizeof(uint32_t));
    t->ends_next = base_arena_alloc(&l->scratch, regs, sizeof(uint32_t));
    if (l->scratch.failed) {
        return false;
    }
    memset(t->begins, 0xff, positions * sizeof(uint32_t));
    memset(t->ends, 0xff, positions * sizeof(uint32_t));
    for (uint32_t reg = (uint32_t)regs; reg-- > 0;) {
        if (l->start[reg] <= l->end[reg]) {
            t->begins_next[reg] = t->begins[l->start[reg]];
            t->begins[l->start[reg]] = reg;
            t->ends_next[reg] = t->ends[l->end[reg]];
            t->ends[l->end[reg]] = reg;
        }
    }
    return true;
}

static uint32_t max_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Registers that no reachable instruction names share slot 0: nothing ever looks at it for them. */
static void slots_of_unseen(const struct live *l, struct isa_slots *slots)
{
    for (uint32_t reg = 0; reg < l->function->reg_count; reg++) {
        if (l->start[reg] > l->end[reg]) {
            slots->slot[reg] = 0;
            if (reg_is_pred(l->function, reg)) {
                slots->pred_count = max_u32(slots->pred_count, 1);
            } else {
                slots->slot_count = max_u32(slots->slot_count, reg_slots(l->function, reg));
            }
        }
    }
}

static bool slots_assign(struct live *l, struct isa_slots *slots)
{
    const struct isa_function *function = l->function;
    size_t words = function->reg_count / 16 + 2; /* four slots for each register, and a free word at the end */
    struct timetable t;
    struct pool regs = {.used = base_arena_alloc(&l->scratch, words, sizeof(uint64_t))};
    struct pool preds = {.used = base_arena_alloc(&l->scratch, words, sizeof(uint64_t))};
    if (l->scratch.failed || !timetable_fill(&t, l)) {
        return false;
    }
    for (size_t p = 0; p < 2 * function->insn_count; p++) {
        for (uint32_t reg = t.begins[p]; reg != NO_INDEX; reg = t.begins_next[reg]) {
            bool pred = reg_is_pred(function, reg);
            slots->slot[reg] = pool_take(pred ? &preds : &regs, pred ? 1 : reg_slots(function, reg));
        }
        for (uint32_t reg = t.ends[p]; reg != NO_INDEX; reg = t.ends_next[reg]) {
            bool pred = reg_is_pred(function, reg);
            pool_mark(pred ? &preds : &regs, slots->slot[reg], pred ? 1 : reg_slots(function, reg), false);
        }
    }
    slots->slot_count = regs.top;
    slots->pred_count = preds.top;
    slots->pressure = l->pressure;
    slots_of_unseen(l, slots);
    return true;
}

/* Every register a slot of its own. */
static void slots_roomy(const struct isa_function *function, struct isa_slots *slots)
{
    uint32_t next = 0, preds = 0;
    for (uint32_t reg = 0; reg < function->reg_count; reg++) {
        if (reg_is_pred(function, reg)) {
            slots->slot[reg] = preds++;
            continue;
        }
        uint32_t size = reg_slots(function, reg);
        next = (next + size - 1) / size * size;
        slots->slot[reg] = next;
        next += size;
    }
    slots->slot_count = slots->pressure = next;
    slots->pred_count = preds;
}

enum base_status isa_assign_slots_in(const struct isa_function *function, const struct isa_cfg *cfg,
                                     struct base_arena *arena, struct isa_slots *slots, uint32_t *varying_pressure)
{
    *slots = (struct isa_slots){0};
    *varying_pressure = 0;
    if (function->insn_count > INT32_MAX / 2 || function->reg_count > INT32_MAX / 4) {
        return BASE_NOMEM;
    }
    slots->slot = base_arena_alloc(arena, function->reg_count, sizeof(*slots->slot));
    if (slots->slot == NULL) {
        return BASE_NOMEM;
    }
    struct live l = {.function = function, .cfg = cfg};
    base_arena_init(&l.scratch, 0);
    bool ok = live_number(&l);
    if (ok && !l.too_large) {
        ok = live_solve(&l);
    }
    if (ok && !l.too_large) {
        ok = live_ranges(&l);
    }
    if (ok && !l.too_large) {
        ok = slots_assign(&l, slots);
        *varying_pressure = l.varying_pressure;
    } else if (ok) {
        slots_roomy(function, slots);
        *varying_pressure = slots->pressure;
    }
    base_arena_free(&l.scratch);
    return ok ? BASE_OK : BASE_NOMEM;
}

enum base_status isa_assign_slots(const struct isa_function *function, const struct isa_cfg *cfg,
                                  struct base_arena *arena, struct isa_slots *slots)
{
    uint32_t varying_pressure;
    return isa_assign_slots_in(function, cfg, arena, slots, &varying_pressure);
}
