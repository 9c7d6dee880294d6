/* Memory instructions: addresses, bounds, movement of data, and the effect that counters see.
 *
 * The order in every access: addresses of all lanes at once, split by space where generic addresses mix spaces,
 * alignment, bounds (one look when all lanes lie in one allocation, lane by lane otherwise), the effect, the data. The
 * three entry points are at the end.
 */
#include "sim/counters.h"
#include "sim/coalesce.h"
#include "sim/sass/op.h"

#include <string.h>

enum verdict { FINE, FAULT };

/* What every memory instruction goes through becomes one function for each kind, with what the kinds do not share gone
 * from it. */
#define ACCESS_INLINE inline __attribute__((always_inline))

/* What a lane accesses. */
static uint32_t width_of(const struct sim_op *op)
{
    return (uint32_t)op->element_bytes * op->count;
}

/* The block that a shared address names, and the offset in it. NULL: no such block. */
static struct sim_block *shared_block(struct sim_warp *warp, uint64_t address, uint64_t *offset)
{
    uint64_t rank = address >> SIM_CLUSTER_SHIFT;
    *offset = address & ((UINT64_C(1) << SIM_CLUSTER_SHIFT) - 1);
    if (rank == 0)
        return warp->block;
    struct sim_cluster *cluster = warp->block->cluster;
    return rank - 1 < cluster->block_count ? &cluster->blocks[rank - 1] : NULL;
}

static bool in_shared(const struct sim_engine *engine, uint64_t offset, uint64_t width)
{
    return offset >= engine->program->shared_base && width <= engine->shared_bytes &&
           offset <= engine->shared_bytes - width;
}

/* Host memory of one lane's access; NULL: out of bounds, or (engine->out_of_memory) none left for local memory. */
static uint8_t *lane_host(struct sim_engine *engine, struct sim_warp *warp, unsigned lane, uint8_t space,
                          uint64_t address, uint64_t width)
{
    const struct sim_program *program = engine->program;
    switch (space) {
    case ISA_SPACE_SHARED:
    case ISA_SPACE_SHARED_CLUSTER: {
        uint64_t offset;
        struct sim_block *block = shared_block(warp, address, &offset);
        return block != NULL && in_shared(engine, offset, width) ? block->shared + offset : NULL;
    }
    case ISA_SPACE_LOCAL:
        if (width > program->stack_bytes || address > program->stack_bytes - width)
            return NULL;
        return sim_local_at(engine, warp, lane, address);
    case ISA_SPACE_CONST:
        if (width > program->const_bytes || address > program->const_bytes - width)
            return NULL;
        return program->const_data + address;
    case ISA_SPACE_PARAM:
        if (width > program->param_bytes || address > program->param_bytes - width)
            return NULL;
        return (uint8_t *)(uintptr_t)(program->params + address);
    default:
        return sim_memory_at(engine->memory, address, width);
    }
}

/* The window a generic address lies in; *address becomes relative to it. */
static uint8_t generic_space(uint64_t *address)
{
    static const uint8_t spaces[4] = {ISA_SPACE_SHARED, ISA_SPACE_LOCAL, ISA_SPACE_CONST, ISA_SPACE_PARAM};
    if (*address < SIM_WINDOW_SHARED || *address >= SIM_WINDOW_PARAM + SIM_WINDOW_BYTES)
        return ISA_SPACE_GLOBAL;
    uint64_t window = (*address - SIM_WINDOW_SHARED) >> 40;
    uint64_t relative = (*address - SIM_WINDOW_SHARED) & ((UINT64_C(1) << 40) - 1);
    if (relative >= SIM_WINDOW_BYTES)
        return ISA_SPACE_GLOBAL;
    *address = relative;
    return spaces[window];
}

uint8_t *sim_access_host(struct sim_engine *engine, struct sim_warp *warp, unsigned lane, uint64_t address,
                         uint64_t bytes)
{
    uint8_t space = generic_space(&address);
    return lane_host(engine, warp, lane, space, address, bytes);
}

uint8_t *sim_access_host_in(struct sim_engine *engine, struct sim_warp *warp, unsigned lane, uint8_t space,
                            uint64_t address, uint64_t bytes)
{
    if (space == ISA_SPACE_GENERIC)
        space = generic_space(&address);
    return lane_host(engine, warp, lane, space, address, bytes);
}

static bool is_writable(uint8_t space)
{
    return space != ISA_SPACE_CONST && space != ISA_SPACE_PARAM;
}

/* Tells why lane's access is refused. */
static enum verdict refuse(struct sim_engine *engine, struct sim_warp *warp, const struct sim_op *op, unsigned lane,
                           uint8_t space, uint64_t address, uint32_t width, bool is_write)
{
    enum sim_fault_kind kind = SIM_FAULT_OUT_OF_BOUNDS;
    if (engine->out_of_memory)
        return FAULT;
    if (is_write && !is_writable(space))
        kind = SIM_FAULT_READ_ONLY;
    else if (address % width != 0)
        kind = SIM_FAULT_MISALIGNED;
    else if (space == ISA_SPACE_GLOBAL && address < 4096)
        kind = SIM_FAULT_NULL;
    sim_stop_address(engine, warp, op, lane, kind, space, address, width, is_write);
    return FAULT;
}

/* Finds the host memory of all lanes, lane by lane; the first lane that has none, or is misaligned, is the fault. */
static SIM_APART enum verdict locate_lanes(struct sim_engine *engine, struct sim_warp *warp, const struct sim_op *op,
                                           uint8_t space, struct sim_addresses *a, bool is_write,
                                           struct sim_target *target)
{
    target->by_lane = true;
    sim_addresses_expand(a);
    for (uint32_t m = a->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint8_t *host = NULL;
        if (a->at[lane] % a->width_bytes == 0 && !(is_write && !is_writable(space)))
            host = lane_host(engine, warp, lane, space, a->at[lane], a->width_bytes);
        if (host == NULL)
            return refuse(engine, warp, op, lane, space, a->at[lane], a->width_bytes, is_write);
        target->at[lane] = host;
    }
    return FINE;
}

static ACCESS_INLINE enum verdict locate(struct sim_engine *engine, struct sim_warp *warp, const struct sim_op *op,
                                         uint8_t space, struct sim_addresses *a, bool is_write,
                                         struct sim_target *target)
{
    target->by_lane = false;
    target->base = NULL;
    target->origin = 0;
    bool aligned = (a->low_bits & (a->width_bytes - 1)) == 0;
    if (aligned && space == ISA_SPACE_GLOBAL) {
        int64_t *hint = &engine->hints[op->counter];
        uint64_t span = a->max - a->min + a->width_bytes;
        int64_t found = sim_memory_find(engine->memory, a->min, span, *hint);
        if (found >= 0 && span >= a->width_bytes) {
            *hint = found;
            target->base = engine->memory->items[found].data;
            target->origin = engine->memory->items[found].address;
            if (!(is_write && engine->memory->items[found].read_only))
                return FINE;
        }
    } else if (aligned && space == ISA_SPACE_SHARED && a->min >= engine->program->shared_base &&
               in_shared(engine, a->max, a->width_bytes)) {
        target->base = warp->block->shared;
        target->origin = 0;
        return FINE;
    } else if (aligned && !is_write && space == ISA_SPACE_CONST && engine->program->const_bytes >= a->width_bytes &&
               a->max <= engine->program->const_bytes - a->width_bytes) {
        target->base = engine->program->const_data;
        target->origin = 0;
        return FINE;
    }
    return locate_lanes(engine, warp, op, space, a, is_write, target);
}

/* ---- Data ---- */

static uint64_t read_bytes(const uint8_t *from, unsigned bytes)
{
    uint64_t value = 0;
    memcpy(&value, from, bytes);
    return value;
}

/* One element of every lane into rows: value zero- or sign-extended to the register's width. */
static void load_element(const struct sim_engine *engine, const struct sim_op *op, struct sim_addresses *a,
                         const struct sim_target *target, uint32_t element_offset, uint32_t out[4][32])
{
    unsigned bytes = op->element_bytes, rows = op->vec_rows;
    if (bytes >= 4 && !target->by_lane) {
        for (unsigned r = 0; r < bytes / 4; r++)
            engine->lanes->gather32(out[r], target->base + element_offset + 4 * r, a, target->origin);
    } else {
        sim_addresses_expand(a);
        for (uint32_t m = a->mask; m != 0; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctz(m);
            const uint8_t *from =
                (target->by_lane ? target->at[lane] : target->base + (a->at[lane] - target->origin)) + element_offset;
            if (bytes < 4) {
                out[0][lane] = (uint32_t)read_bytes(from, bytes);
            } else {
                for (unsigned r = 0; r < bytes / 4; r++)
                    memcpy(&out[r][lane], from + 4 * r, 4);
            }
        }
    }
    unsigned have = bytes < 4 ? 1 : bytes / 4;
    bool is_signed = isa_types[op->type].class == ISA_CLASS_SIGNED;
    if (bytes < 4 && is_signed) {
        uint32_t keep = op->reg_bits < 32 ? (1U << op->reg_bits) - 1 : UINT32_MAX;
        for (unsigned lane = 0; lane < 32; lane++)
            out[0][lane] =
                (uint32_t)(bytes == 1 ? (int32_t)(int8_t)out[0][lane] : (int32_t)(int16_t)out[0][lane]) & keep;
    }
    for (unsigned r = have; r < rows && r < 4; r++)
        for (unsigned lane = 0; lane < 32; lane++)
            out[r][lane] = is_signed && (out[have - 1][lane] >> 31) != 0 ? UINT32_MAX : 0;
}

/* Where some lanes are off, or values have to be widened: beside the registers first. */
static SIM_APART void load_merged(const struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                                  const struct sim_op *op, struct sim_addresses *a, const struct sim_target *target)
{
    for (uint32_t e = 0; e < op->count; e++) {
        if (op->vec[e] == SIM_ROW_NONE)
            continue;
        uint32_t out[4][32] __attribute__((aligned(64)));
        memset(out, 0, sizeof(out[0]) * op->vec_rows);
        load_element(engine, op, a, target, e * op->element_bytes, out);
        engine->lanes->merge(sim_row(engine->program, warp, group, op->vec[e]), out[0], a->mask, op->vec_rows);
    }
}

static ACCESS_INLINE void load_data(const struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                                    const struct sim_op *op, struct sim_addresses *a, const struct sim_target *target)
{
    if (a->mask != UINT32_MAX || op->element_bytes != 4 * op->vec_rows || target->by_lane) {
        load_merged(engine, warp, group, op, a, target);
        return;
    }
    for (uint32_t e = 0; e < op->count; e++) {
        if (op->vec[e] == SIM_ROW_NONE)
            continue;
        uint32_t *row = sim_row(engine->program, warp, group, op->vec[e]);
        const uint8_t *from = target->base + e * op->element_bytes;
        for (uint32_t r = 0; r < op->vec_rows; r++)
            engine->lanes->gather32(row + 32 * r, from + 4 * r, a, target->origin);
    }
}

static void store_data(const struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                       const struct sim_op *op, struct sim_addresses *a, const struct sim_target *target)
{
    unsigned bytes = op->element_bytes;
    for (uint32_t e = 0; e < op->count; e++) {
        const uint32_t *row = sim_row(engine->program, warp, group, op->vec[e]);
        if (bytes >= 4 && !target->by_lane) {
            for (unsigned r = 0; r < bytes / 4; r++)
                engine->lanes->scatter32(target->base + e * bytes + 4 * r, a, target->origin, row + 32 * r);
            continue;
        }
        sim_addresses_expand(a);
        for (uint32_t m = a->mask; m != 0; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctz(m);
            uint8_t *to = (target->by_lane ? target->at[lane] : target->base + (a->at[lane] - target->origin)) +
                          (size_t)e * bytes;
            if (bytes < 4)
                memcpy(to, &row[lane], bytes);
            else
                for (unsigned r = 0; r < bytes / 4; r++)
                    memcpy(to + 4 * r, &row[32 * r + lane], 4);
        }
    }
}

static uint8_t *lane_cell(const struct sim_addresses *a, const struct sim_target *target, unsigned lane, size_t offset)
{
    return (target->by_lane ? target->at[lane] : target->base + (a->at[lane] - target->origin)) + offset;
}

/* A subnormal f32 as a zero of the same sign. */
static uint64_t flush_f32(uint64_t bits)
{
    return (bits & 0x7f800000U) == 0 ? bits & 0x80000000U : bits;
}

static uint64_t quiet_f64(uint64_t bits)
{
    return (bits & INT64_MAX) > UINT64_C(0x7ff0000000000000) ? bits | UINT64_C(1) << 51 : bits;
}

/* What differs from plain arithmetic in one addition. */
struct atomic_rules {
    bool flush;   /* subnormals of f32: the L2 does, shared memory does not (validate/records/h200/ops) */
    bool quieten; /* f64 in shared memory: a loop of ordinary additions, operand first, whose NaN is an ordinary one */
};

static uint64_t atomic_step(const struct sim_op *op, struct atomic_rules rules, uint64_t old, uint64_t a, uint64_t b)
{
    const uint64_t x = rules.flush ? flush_f32(old) : old, y = rules.flush ? flush_f32(a) : a;
    const uint64_t now = sim_atom_apply(op->mode, op->type, rules.quieten ? y : x, rules.quieten ? x : y, b);
    return rules.flush ? flush_f32(now) : rules.quieten ? quiet_f64(now) : now;
}

/* exch and cas of 128 bits. True when the cell changed. */
static bool atomic_step128(const struct sim_op *op, uint8_t *cell, const uint32_t old[4], const uint32_t operand[4],
                           const uint32_t other[4])
{
    const bool exchange = op->mode == ISA_ATOM_EXCH, equal = memcmp(old, operand, 4 * sizeof(old[0])) == 0;
    const uint32_t *now = exchange ? operand : equal ? other : old;
    memcpy(cell, now, 4 * sizeof(now[0]));
    return memcmp(now, old, 4 * sizeof(now[0])) != 0;
}

static uint64_t low_words(const uint32_t words[4])
{
    return (uint64_t)words[1] << 32 | words[0];
}

bool sim_access_atomic_cell(const struct sim_op *op, uint8_t space, uint8_t *cell, const uint32_t operand[4],
                            const uint32_t other[4], uint32_t old[4])
{
    const unsigned bytes = op->element_bytes;
    const bool adds = op->mode == ISA_ATOM_ADD;
    const struct atomic_rules rules = {.flush = adds && op->type == ISA_TYPE_F32 && space == ISA_SPACE_GLOBAL,
                                       .quieten = adds && op->type == ISA_TYPE_F64 && space != ISA_SPACE_GLOBAL};
    memset(old, 0, 4 * sizeof(old[0]));
    memcpy(old, cell, bytes);
    if (bytes == 16)
        return atomic_step128(op, cell, old, operand, other);
    const uint64_t before = low_words(old);
    const uint64_t now = atomic_step(op, rules, before, low_words(operand), low_words(other));
    memcpy(cell, &now, bytes);
    return now != before;
}

/* A lane's operand of so many bytes; the rest is zero. */
static void read_operand(const uint32_t *row, unsigned lane, unsigned bytes, uint32_t out[4])
{
    for (unsigned r = 0; r < 4; r++)
        out[r] = r == 0 || 4 * r < bytes ? row[32 * r + lane] : 0;
}

/* ATOMS.CAST.SPIN: of the lanes that work on one bank only the lowest tries; 64 bits wide, in each half of the warp by
 * itself (validate/records/h200/atomics). */
static uint32_t lanes_that_try(const struct sim_addresses *a, unsigned bytes)
{
    uint32_t tries = 0, taken = 0;
    for (uint32_t m = a->mask; m != 0; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m), bank = (unsigned)(a->at[lane] / bytes % (128 / bytes));
        if (bytes == 8 && lane >= 16 && (tries >> 16) == 0)
            taken = 0;
        if ((taken >> bank & 1) == 0)
            tries |= UINT32_C(1) << lane;
        taken |= UINT32_C(1) << bank;
    }
    return tries;
}

/* Read-modify-write of one element, lane after lane. True when some cell changed. */
static bool atomic_element(const struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                           const struct sim_op *op, struct sim_addresses *a, const struct sim_target *target,
                           uint8_t space, uint32_t element, uint32_t old_rows[4][32])
{
    const unsigned bytes = op->element_bytes;
    const uint32_t *first = sim_row(engine->program, warp, group, op->vec[element]);
    const uint32_t *second = op->src[0] != SIM_ROW_NONE ? sim_row(engine->program, warp, group, op->src[0]) : first;
    const bool tells = op->machine != NULL && op->machine->served == SIM_SHARED_ATOMIC_CAST;
    const uint32_t tries = tells ? lanes_that_try(a, bytes) : UINT32_MAX;
    bool changed = false;
    for (uint32_t m = a->mask & tries; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint32_t old[4], operand[4], other[4];
        read_operand(first, lane, bytes, operand);
        read_operand(second, lane, bytes, other);
        changed |= sim_access_atomic_cell(op, space, lane_cell(a, target, lane, element * bytes), operand, other, old);
        for (unsigned r = 0; r < 4; r++)
            old_rows[r][lane] = old[r];
        if (tells) {
            old_rows[0][lane] = low_words(old) == low_words(operand);
            old_rows[1][lane] = 0;
        }
    }
    return changed;
}

static bool atomic_data(const struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                        const struct sim_op *op, struct sim_addresses *a, const struct sim_target *target,
                        uint8_t space)
{
    const uint32_t *dst = op->count > 1 ? engine->program->targets + op->target : &op->dst;
    bool changed = false;
    sim_addresses_expand(a);
    for (uint32_t e = 0; e < op->count; e++) {
        uint32_t old_rows[4][32];
        memset(old_rows, 0, sizeof(old_rows));
        changed |= atomic_element(engine, warp, group, op, a, target, space, e, old_rows);
        if (dst[e] != SIM_ROW_NONE)
            engine->lanes->merge(sim_row(engine->program, warp, group, dst[e]), old_rows[0], a->mask,
                                 op->dst_rows > 4 ? 4 : op->dst_rows);
    }
    return changed;
}

/* ---- Writes that are put off (sim/late.h) ---- */

enum { WIDEST_BYTES = 64 };

static bool store_late(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                       const struct sim_op *op, struct sim_addresses *a, const struct sim_target *target)
{
    const uint32_t width = a->width_bytes, bytes = op->element_bytes;
    const bool is_one = a->contiguous && !target->by_lane;
    uint8_t data[32 * WIDEST_BYTES], *to[32];
    uint32_t count = 0;
    sim_addresses_expand(a);
    for (uint32_t m = a->mask; m != 0; m &= m - 1, count++) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        to[count] = lane_cell(a, target, lane, 0);
        for (uint32_t e = 0; e < op->count; e++) {
            const uint32_t *row = sim_row(engine->program, warp, group, op->vec[e]);
            uint8_t *at = data + (size_t)count * width + (size_t)e * bytes;
            for (uint32_t done = 0; done < bytes; done += 4)
                memcpy(at + done, &row[8 * done + lane], bytes < 4 ? bytes : 4);
        }
    }
    return is_one ? sim_late_store(engine, to, 1, count * width, data) : sim_late_store(engine, to, count, width, data);
}

static bool atomic_late(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                        const struct sim_op *op, struct sim_addresses *a, const struct sim_target *target)
{
    const uint32_t *dst = op->count > 1 ? engine->program->targets + op->target : &op->dst;
    sim_addresses_expand(a);
    for (uint32_t e = 0; e < op->count; e++) {
        const uint32_t *first = sim_row(engine->program, warp, group, op->vec[e]);
        const uint32_t *second = op->src[0] != SIM_ROW_NONE ? sim_row(engine->program, warp, group, op->src[0]) : first;
        struct sim_late_cell cells[32];
        uint32_t count = 0;
        for (uint32_t m = a->mask; m != 0; m &= m - 1, count++) {
            const unsigned lane = (unsigned)__builtin_ctz(m);
            cells[count].at = lane_cell(a, target, lane, (size_t)e * op->element_bytes);
            cells[count].address = a->at[lane];
            cells[count].lane = lane;
            read_operand(first, lane, op->element_bytes, cells[count].operand);
            read_operand(second, lane, op->element_bytes, cells[count].other);
        }
        uint64_t row = UINT64_MAX;
        if (dst[e] != SIM_ROW_NONE)
            row = (uint64_t)(sim_row(engine->program, warp, group, dst[e]) - warp->rows);
        if (!sim_late_atomic(engine, warp, op, cells, count, row, op->dst_rows > 4 ? 4 : op->dst_rows))
            return false;
    }
    return true;
}

static bool touches_late(const struct sim_engine *engine, const struct sim_addresses *a,
                         const struct sim_target *target)
{
    if (engine->late == NULL || engine->late->count == 0)
        return false;
    if ((a->contiguous || a->uniform) && !target->by_lane)
        return sim_late_touches(engine->late, target->base + (a->min - target->origin),
                                a->max - a->min + a->width_bytes);
    for (uint32_t m = a->mask; m != 0; m &= m - 1)
        if (sim_late_touches(engine->late, lane_cell(a, target, (unsigned)__builtin_ctz(m), 0), a->width_bytes))
            return true;
    return false;
}

/* A load of what the unit may have written in this window. */
static SIM_APART bool load_late(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                                const struct sim_op *op, struct sim_addresses *a, struct sim_target *target,
                                uint8_t seen[32][WIDEST_BYTES])
{
    sim_addresses_expand(a);
    for (uint32_t m = a->mask; m != 0; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        if (!sim_late_read(engine, lane_cell(a, target, lane, 0), seen[lane], a->width_bytes))
            return false;
        target->at[lane] = seen[lane];
    }
    target->by_lane = true;
    load_merged(engine, warp, group, op, a, target);
    return true;
}

/* ---- One access in one space ---- */

/* Lanes of a shared access that lie in the block's own shared memory; the others are the cluster's. */
static uint32_t own_lanes(const struct sim_warp *warp, struct sim_addresses *a)
{
    uint32_t own = 0;
    sim_addresses_expand(a);
    for (uint32_t m = a->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t rank = a->at[lane] >> SIM_CLUSTER_SHIFT;
        own |= (uint32_t)(rank == 0 || rank - 1 == warp->block->rank) << lane;
    }
    return own;
}

static void narrow(struct sim_addresses *out, struct sim_addresses *a, uint32_t mask, uint64_t keep_bits)
{
    *out = *a;
    out->mask = mask;
    out->even = out->contiguous = out->uniform = false;
    out->is_written = true;
    uint64_t first = a->at[__builtin_ctz(mask)] & keep_bits;
    out->min = out->max = first;
    out->low_bits = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        uint64_t at = (mask >> lane & 1) != 0 ? a->at[lane] & keep_bits : first;
        out->at[lane] = at;
        out->min = at < out->min ? at : out->min;
        out->max = at > out->max ? at : out->max;
        out->low_bits |= at;
    }
}

static void show(const struct sim_engine *engine, const struct sim_effect *effect)
{
    static const enum sim_shared_kind kinds[] = {[SIM_EFFECT_LOAD] = SIM_SHARED_LOAD,
                                                 [SIM_EFFECT_STORE] = SIM_SHARED_STORE,
                                                 [SIM_EFFECT_ATOMIC] = SIM_SHARED_ATOMIC};
    const struct sim_program *p = engine->program;
    const struct sim_op *op = effect->op;
    const struct sim_block *block = effect->warp->block;
    const struct isa_function *function = &p->module->functions[p->counter_function[op->counter]];
    sim_addresses_expand(effect->addresses);
    struct sim_access access = {
        .function = function,
        .insn = &function->insns[p->counter_insn[op->counter]],
        .number = op->counter - 1,
        .block = {block->ctaid[0], block->ctaid[1], block->ctaid[2]},
        .warp = effect->warp->index,
        .kind = kinds[effect->kind],
        .space = effect->space,
        .width_bytes = effect->width_bytes,
        .mask = effect->addresses->mask,
        .address = effect->addresses->at,
    };
    engine->options->access_hook(engine->options->access_user, &access);
}

static bool is_watched(const struct sim_engine *engine)
{
    return engine->clock != NULL || engine->check != NULL || engine->options->access_hook != NULL;
}

static void consume(struct sim_engine *engine, const struct sim_effect *effect)
{
    if (effect->apart) {
        if (engine->check != NULL)
            sim_check_effect(engine->check, effect);
        return;
    }
    if (!effect->uncounted)
        sim_count_effect(engine, effect);
    if (engine->options->access_hook != NULL)
        show(engine, effect);
    if (engine->clock != NULL)
        sim_clock_effect(engine->clock, effect);
    if (engine->check != NULL)
        sim_check_effect(engine->check, effect);
}

/* Shared addresses that name a block: the lanes of the own one and those of the others apart. */
static void tell_cluster(struct sim_engine *engine, const struct sim_effect *whole)
{
    struct sim_addresses *a = whole->addresses;
    struct sim_effect effect = *whole;
    struct sim_addresses part;
    uint32_t own = own_lanes(whole->warp, a), others = a->mask & ~own;
    effect.addresses = &part;
    if (own != 0) {
        narrow(&part, a, own, (UINT64_C(1) << SIM_CLUSTER_SHIFT) - 1);
        consume(engine, &effect);
    }
    if (others != 0) {
        narrow(&part, a, others, UINT64_MAX);
        effect.space = ISA_SPACE_SHARED_CLUSTER;
        consume(engine, &effect);
    }
}

/* The effect is the caller's own: nobody looks at it afterwards. */
static void tell_effect(struct sim_engine *engine, struct sim_effect *effect)
{
    if (effect->kind == SIM_EFFECT_LOAD && engine->device->l1_fetch_bytes > engine->device->sector_bytes)
        effect->is_cached = sim_load_is_cached(engine, effect->op->insn);
    if (effect->space != ISA_SPACE_SHARED || effect->addresses->max >> SIM_CLUSTER_SHIFT == 0)
        consume(engine, effect);
    else
        tell_cluster(engine, effect);
}

/* A read by which the warp may wait for others: of use is only whether it gives what it gave before. */
static SIM_APART void note_read(struct sim_warp *warp, const struct sim_op *op, struct sim_addresses *a,
                                const struct sim_target *target)
{
    sim_addresses_expand(a);
    uint64_t hash = op->counter;
    for (uint32_t m = a->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        const uint8_t *from = target->by_lane ? target->at[lane] : target->base + (a->at[lane] - target->origin);
        hash = (hash ^ a->at[lane]) * UINT64_C(0x9e3779b97f4a7c15);
        for (uint32_t i = 0; i < a->width_bytes; i += 8) {
            uint32_t left = a->width_bytes - i;
            hash = (hash ^ hash >> 32 ^ read_bytes(from + i, left < 8 ? left : 8)) * UINT64_C(0x9e3779b97f4a7c15);
        }
    }
    uint32_t key = (uint32_t)(hash >> 32);
    uint32_t *seen = &warp->seen[key % (sizeof(warp->seen) / sizeof(warp->seen[0]))];
    if (*seen == key) {
        warp->repeats++;
    } else {
        *seen = key;
        sim_warp_moved(warp);
    }
}

void sim_access_atomic_done(struct sim_warp *warp, const struct sim_op *op, struct sim_addresses *a,
                            const struct sim_target *target, bool changed)
{
    if (changed)
        sim_warp_moved(warp);
    else
        note_read(warp, op, a, target);
}

static ACCESS_INLINE void note_load(struct sim_warp *warp, const struct sim_op *op, struct sim_addresses *a,
                                    const struct sim_target *target)
{
    if (op->is_strong || warp->sync_read || warp->idle > SIM_IDLE_LONG)
        note_read(warp, op, a, target);
}

/* A load beside writes that are put off. */
static SIM_APART bool load_global(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                                  const struct sim_op *op, struct sim_addresses *a, struct sim_target *target)
{
    uint8_t seen[32][WIDEST_BYTES];
    if (!touches_late(engine, a, target))
        load_data(engine, warp, group, op, a, target);
    else if (!load_late(engine, warp, group, op, a, target, seen))
        return false;
    note_load(warp, op, a, target);
    return true;
}

static SIM_APART void tell_access(struct sim_engine *engine, const struct sim_warp *warp, const struct sim_group *group,
                                  const struct sim_op *op, enum sim_effect_kind kind, uint8_t space,
                                  struct sim_addresses *a, const struct sim_target *target)
{
    struct sim_effect effect = {.kind = kind,
                                .space = space,
                                .width_bytes = a->width_bytes,
                                .addresses = a,
                                .op = op,
                                .warp = warp,
                                .group = group,
                                .target = target};
    tell_effect(engine, &effect);
}

static ACCESS_INLINE bool access_space(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                                       const struct sim_op *op, enum sim_effect_kind kind, uint8_t space,
                                       struct sim_addresses *a)
{
    struct sim_target target;
    if (locate(engine, warp, op, space, a, kind != SIM_EFFECT_LOAD, &target) == FAULT)
        return false;
    if (is_watched(engine) || !sim_count_plain(engine, op->counter, kind, space, a))
        tell_access(engine, warp, group, op, kind, space, a, &target);
    const bool is_late = engine->late != NULL && space == ISA_SPACE_GLOBAL;
    switch (kind) {
    case SIM_EFFECT_LOAD:
        if (is_late) {
            if (!load_global(engine, warp, group, op, a, &target))
                return false;
            break;
        }
        load_data(engine, warp, group, op, a, &target);
        note_load(warp, op, a, &target);
        break;
    case SIM_EFFECT_STORE:
        if (is_late && !store_late(engine, warp, group, op, a, &target))
            return false;
        if (!is_late)
            store_data(engine, warp, group, op, a, &target);
        if (space != ISA_SPACE_LOCAL)
            sim_warp_moved(warp);
        break;
    case SIM_EFFECT_ATOMIC:
        if (is_late)
            return atomic_late(engine, warp, group, op, a, &target);
        sim_access_atomic_done(warp, op, a, &target, atomic_data(engine, warp, group, op, a, &target, space));
        break;
    }
    return true;
}

/* Generic addresses: each window's lanes are an access of their own. */
static SIM_APART bool access_generic(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                                     const struct sim_op *op, enum sim_effect_kind kind, struct sim_addresses *a)
{
    uint8_t space[32];
    uint32_t todo = a->mask;
    sim_addresses_expand(a);
    for (unsigned lane = 0; lane < 32; lane++)
        space[lane] = generic_space(&a->at[lane]);
    for (unsigned lane = 0; engine->program->is_machine && lane < 32; lane++)
        if (space[lane] == ISA_SPACE_SHARED) /* there a rank counts from 0, here 0 is the block's own */
            a->at[lane] = a->at[lane] >> SIM_CLUSTER_SHIFT == warp->block->rank
                              ? a->at[lane] & ((UINT64_C(1) << SIM_CLUSTER_SHIFT) - 1)
                              : a->at[lane] + (UINT64_C(1) << SIM_CLUSTER_SHIFT);
    while (todo != 0) {
        uint8_t which = space[__builtin_ctz(todo)];
        uint32_t mask = 0;
        for (uint32_t m = todo; m != 0; m &= m - 1)
            if (space[__builtin_ctz(m)] == which)
                mask |= m & (0U - m);
        struct sim_addresses part;
        narrow(&part, a, mask, UINT64_MAX);
        if (which == ISA_SPACE_SHARED &&
            kind != SIM_EFFECT_ATOMIC) /* the card counts a generic load's bytes anywhere */
            engine->counts[op->counter].global_bytes += sim_distinct_bytes(a->at, mask, part.width_bytes);
        if (!access_space(engine, warp, group, op, kind, which, &part))
            return false;
        todo &= ~mask;
    }
    return true;
}

/* Atomics of floating-point numbers at generic addresses are done by the L2 alone: the predicate tells which lanes'
 * addresses are global, and the code that follows does the others. False: no lane's is. */
static bool keep_global(struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                        struct sim_addresses *a)
{
    uint32_t lanes = 0, mask = a->mask;
    sim_addresses_expand(a);
    for (unsigned i = 0; i < 32; i++) {
        uint64_t address = a->at[i];
        lanes |= (uint32_t)(generic_space(&address) == ISA_SPACE_GLOBAL) << i;
    }
    sim_set_pred(warp, group, op->machine->pdst[0], lanes, mask);
    if ((lanes & mask) == 0)
        return false;
    struct sim_addresses whole = *a;
    narrow(a, &whole, mask & lanes, UINT64_MAX);
    return true;
}

/* Machine code: a scaled register and a second one. */
static SIM_APART void sum_addresses(const struct sim_engine *engine, const struct sim_warp *warp,
                                    const struct sim_group *group, const struct sim_op *op, const uint32_t *lo,
                                    const uint32_t *hi, uint32_t mask, struct sim_addresses *a)
{
    const uint32_t *zero = engine->program->consts[0], *more_lo = zero, *more_hi = zero;
    uint32_t sum[2][32] __attribute__((aligned(64)));
    if (op->address2 != SIM_ROW_NONE)
        more_lo = sim_row(engine->program, warp, group, op->address2);
    if (op->address2 != SIM_ROW_NONE && op->address2_wide)
        more_hi = more_lo + 32;
    for (unsigned i = 0; i < 32; i++) {
        uint64_t base = (hi != NULL ? (uint64_t)hi[i] << 32 : 0) | lo[i];
        uint64_t at = base * op->address_scale + ((uint64_t)more_hi[i] << 32 | more_lo[i]);
        sum[0][i] = (uint32_t)at;
        sum[1][i] = (uint32_t)(at >> 32);
    }
    engine->lanes->addresses(a, sum[0], op->wraps32 ? NULL : sum[1], op->offset, mask, width_of(op));
}

/* Machine code: of a shared address, what names the block is the block's own for LDS, STS and ATOMS. */
static SIM_APART void keep_own_block(struct sim_addresses *a)
{
    struct sim_addresses whole = *a;
    sim_addresses_expand(&whole);
    narrow(a, &whole, a->mask, (UINT64_C(1) << SIM_CLUSTER_SHIFT) - 1);
}

static ACCESS_INLINE void lane_addresses(const struct sim_engine *engine, const struct sim_warp *warp,
                                         const struct sim_group *group, const struct sim_op *op, uint32_t mask,
                                         struct sim_addresses *a)
{
    const uint32_t *lo = engine->program->consts[0], *hi = lo; /* two rows of zeros */
    int64_t offset = op->offset;
    if (op->addr_base == SIM_ADDR_REG32 || op->addr_base == SIM_ADDR_REG64)
        lo = sim_row(engine->program, warp, group, op->address);
    else if (op->addr_base == SIM_ADDR_FRAME)
        offset += group->local_base;
    if (op->addr_base == SIM_ADDR_REG64)
        hi = lo + 32;
    if (op->wraps32)
        hi = NULL;
    if (op->is_sum)
        sum_addresses(engine, warp, group, op, lo, hi, mask, a);
    else
        engine->lanes->addresses(a, lo, hi, offset, mask, width_of(op));
    if (op->machine != NULL && op->space == ISA_SPACE_SHARED && a->max >> SIM_CLUSTER_SHIFT != 0)
        keep_own_block(a);
}

static ACCESS_INLINE bool access_memory(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                                        const struct sim_op *op, uint32_t mask, enum sim_effect_kind kind)
{
    struct sim_addresses a;
    uint8_t space = op->space;
    lane_addresses(engine, warp, group, op, mask, &a);
    if (kind == SIM_EFFECT_ATOMIC && op->machine != NULL && op->machine->global_only &&
        !keep_global(warp, group, op, &a))
        return true;
    if (space == ISA_SPACE_GENERIC) {
        if (a.min < SIM_WINDOW_PARAM + SIM_WINDOW_BYTES && a.max >= SIM_WINDOW_SHARED)
            return access_generic(engine, warp, group, op, kind, &a);
        space = ISA_SPACE_GLOBAL;
    } else if (space == ISA_SPACE_SHARED_CLUSTER) {
        space = ISA_SPACE_SHARED;
    }
    return access_space(engine, warp, group, op, kind, space, &a);
}

bool sim_access_load(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                     uint32_t mask)
{
    return access_memory(engine, warp, group, op, mask, SIM_EFFECT_LOAD);
}

bool sim_access_store(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                      const struct sim_op *op, uint32_t mask)
{
    return access_memory(engine, warp, group, op, mask, SIM_EFFECT_STORE);
}

bool sim_access_atomic(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                       const struct sim_op *op, uint32_t mask)
{
    return access_memory(engine, warp, group, op, mask, SIM_EFFECT_ATOMIC);
}

/* ---- Accesses of other instructions ---- */

void sim_access_addresses(const struct sim_engine *engine, const struct sim_warp *warp, const struct sim_group *group,
                          const struct sim_op *op, uint64_t address[32])
{
    struct sim_addresses a;
    lane_addresses(engine, warp, group, op, UINT32_MAX, &a);
    sim_addresses_expand(&a);
    memcpy(address, a.at, sizeof(a.at));
}

static void tell_reach(struct sim_engine *engine, const struct sim_warp *warp, const struct sim_group *group,
                       const struct sim_op *op, const struct sim_reach *reach, uint8_t space, struct sim_addresses *a,
                       const struct sim_target *target)
{
    struct sim_effect effect = {.kind = reach->kind,
                                .space = space,
                                .width_bytes = a->width_bytes,
                                .addresses = a,
                                .op = op,
                                .warp = warp,
                                .group = group,
                                .target = target,
                                .by_rows = reach->by_rows,
                                .uncounted = reach->uncounted,
                                .apart = reach->apart,
                                .copy = reach->copy};
    tell_effect(engine, &effect);
}

void sim_access_tell(struct sim_engine *engine, const struct sim_warp *warp, const struct sim_group *group,
                     const struct sim_op *op, const struct sim_reach *reach, const uint64_t address[32],
                     uint8_t *const at[32])
{
    struct sim_addresses whole = {.mask = reach->mask, .width_bytes = reach->width_bytes, .is_written = true}, a;
    struct sim_target target = {.by_lane = true};
    memcpy(whole.at, address, sizeof(whole.at));
    memcpy(target.at, at, sizeof(target.at));
    narrow(&a, &whole, reach->mask, UINT64_MAX);
    tell_reach(engine, warp, group, op, reach, reach->space, &a, &target);
}

/* The lanes of an access that lie in one space. */
static bool access_part(struct sim_engine *engine, struct sim_warp *warp, const struct sim_group *group,
                        const struct sim_op *op, const struct sim_reach *reach, uint8_t space,
                        const struct sim_addresses *all, uint32_t mask, uint8_t *at[32])
{
    struct sim_addresses part, whole = *all;
    struct sim_target target;
    if (space == ISA_SPACE_SHARED_CLUSTER)
        space = ISA_SPACE_SHARED;
    if (reach->only_shared && space != ISA_SPACE_SHARED)
        return sim_stop(engine, warp, op, (unsigned)__builtin_ctz(mask), SIM_FAULT_BAD_INSTRUCTION,
                        "%s with an address outside shared memory", isa_ops[op->insn->op].mnemonic);
    narrow(&part, &whole, mask, UINT64_MAX);
    if (locate(engine, warp, op, space, &part, reach->kind != SIM_EFFECT_LOAD, &target) == FAULT)
        return false;
    if (!reach->silent)
        tell_reach(engine, warp, group, op, reach, space, &part, &target);
    if (reach->noted)
        note_read(warp, op, &part, &target);
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        at[lane] = target.by_lane ? target.at[lane] : target.base + (part.at[lane] - target.origin);
    }
    return true;
}

bool sim_access_at(struct sim_engine *engine, struct sim_warp *warp, const struct sim_group *group,
                   const struct sim_op *op, const struct sim_reach *reach, const uint64_t address[32], uint8_t *at[32])
{
    struct sim_addresses all = {.mask = reach->mask, .width_bytes = reach->width_bytes, .is_written = true};
    uint8_t space[32];
    for (unsigned lane = 0; lane < 32; lane++) {
        all.at[lane] = address[lane];
        space[lane] = reach->space == ISA_SPACE_GENERIC ? generic_space(&all.at[lane]) : reach->space;
    }
    for (uint32_t todo = reach->mask; todo != 0;) {
        uint8_t which = space[__builtin_ctz(todo)];
        uint32_t mask = 0;
        for (uint32_t m = todo; m != 0; m &= m - 1)
            if (space[__builtin_ctz(m)] == which)
                mask |= m & (0U - m);
        if (!access_part(engine, warp, group, op, reach, which, &all, mask, at))
            return false;
        todo &= ~mask;
    }
    return true;
}
