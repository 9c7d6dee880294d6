/* Barriers in shared memory: mbarrier.
 *
 * A barrier is 64 bits of shared memory, laid out as the H200 has them: the phase's parity in bit 63, the arrivals
 * still awaited in bits 62 to 43, the bytes still awaited in bits 41 to 21, the arrivals that the next phase will await
 * in bits 20 to 1; all three are stored negated. A phase is complete when neither arrivals nor bytes are
 * awaited; then the next begins. A state is what the 64 bits were before the instruction, in all its lanes.
 *
 * test_wait looks. try_wait waits: its group is in state MBARRIER until the phase is complete, or until nothing else in
 * the cluster can go on; then it returns false, as the PTX ISA lets it do after a time, so that a program which gives
 * up can. When all that are left have done nothing else for TRY_STEPS, it is a deadlock. */
#include "sim/engine.h"

#include <string.h>

#define COUNT_MAX 0xfffffu
#define TRY_STEPS (UINT32_C(1) << 18)

struct mbarrier {
    bool parity;
    uint32_t pending, expected;
    int32_t bytes; /* awaited; negative: more have come than were announced */
};

static struct mbarrier unpack(uint64_t bits)
{
    struct mbarrier b;
    const uint32_t bytes = (0U - (uint32_t)(bits >> 21)) & 0x1fffff;
    b.parity = bits >> 63 != 0;
    b.pending = (0U - (uint32_t)(bits >> 43)) & COUNT_MAX;
    b.bytes = (int32_t)(bytes ^ 0x100000) - 0x100000;
    b.expected = (0U - (uint32_t)(bits >> 1)) & COUNT_MAX;
    return b;
}

static uint64_t pack(const struct mbarrier *b)
{
    return (uint64_t)b->parity << 63 | (uint64_t)((0U - b->pending) & COUNT_MAX) << 43 |
           (uint64_t)((0U - (uint32_t)b->bytes) & 0x1fffff) << 21 | (uint64_t)((0U - b->expected) & COUNT_MAX) << 1;
}

static uint64_t read_bits(const uint8_t *at)
{
    uint64_t bits;
    memcpy(&bits, at, sizeof(bits));
    return bits;
}

static bool is_test(unsigned op)
{
    return op >= ISA_OP_MBARRIER_TEST && op <= ISA_OP_MBARRIER_TRY_PARITY;
}

void sim_mbarrier_addresses(const struct sim_engine *engine, const struct sim_warp *warp, const struct sim_group *group,
                            const struct sim_op *op, uint64_t address[32])
{
    sim_access_addresses(engine, warp, group, op, address);
    for (unsigned lane = 0; lane < 32 && op->machine != NULL; lane++)
        address[lane] += UINT64_C(1) << SIM_CLUSTER_SHIFT;
}

/* The barriers of lanes `mask`. */
static bool locate(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                   uint32_t mask, bool silent, uint8_t *at[32])
{
    const unsigned name = op->insn->op;
    uint64_t address[32];
    const struct sim_reach reach = {.kind = is_test(name) ? SIM_EFFECT_LOAD
                                            : name == ISA_OP_MBARRIER_INIT || name == ISA_OP_MBARRIER_INVAL
                                                ? SIM_EFFECT_STORE
                                                : SIM_EFFECT_ATOMIC,
                                    .space = op->space,
                                    .only_shared = true,
                                    .uncounted = true,
                                    .silent = silent,
                                    .noted = name == ISA_OP_MBARRIER_TEST || name == ISA_OP_MBARRIER_TEST_PARITY,
                                    .mask = mask,
                                    .width_bytes = 8};
    sim_mbarrier_addresses(engine, warp, group, op, address);
    return sim_access_at(engine, warp, group, op, &reach, address, at);
}

/* ---- Waiting ---- */

/* Lanes of `mask` whose phase is complete. */
static uint32_t complete_lanes(const struct sim_engine *engine, const struct sim_warp *warp,
                               const struct sim_group *group, const struct sim_op *op, uint32_t mask,
                               uint8_t *const at[32])
{
    const unsigned name = op->insn->op;
    const bool by_parity = name == ISA_OP_MBARRIER_TEST_PARITY || name == ISA_OP_MBARRIER_TRY_PARITY;
    const uint32_t *row = sim_row(engine->program, warp, group, op->src[0]);
    uint32_t complete = 0;
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        const bool phase = op->machine != NULL ? row[lane] >> 31 != 0
                           : by_parity         ? (row[lane] & 1) != 0
                                               : row[32 + lane] >> 31 != 0;
        complete |= (uint32_t)(unpack(read_bits(at[lane])).parity != phase) << lane;
    }
    return complete;
}

/* Lets groups go on whose phase is complete; with `expired`, all, those without success. */
static void wake(struct sim_engine *engine, struct sim_cluster *cluster, bool expired)
{
    for (uint32_t b = 0; b < cluster->block_count && cluster->trying > 0; b++)
        for (uint32_t w = 0; w < cluster->blocks[b].warp_count; w++) {
            struct sim_warp *warp = &cluster->blocks[b].warps[w];
            for (uint32_t i = 0; i < warp->group_count; i++) {
                struct sim_group *group = &warp->groups[i];
                const struct sim_op *op = &engine->program->ops[group->pc];
                uint8_t *at[32];
                if (group->state != SIM_G_MBARRIER || !locate(engine, warp, group, op, group->mask, true, at))
                    continue;
                const uint32_t complete = complete_lanes(engine, warp, group, op, group->mask, at);
                if (complete == 0 && !expired)
                    continue;
                if (complete != 0 && engine->check != NULL)
                    (void)locate(engine, warp, group, op, complete, false, at); /* what it has waited for, it knows */
                sim_set_pred(warp, group, op->pdst, complete, group->mask);
                group->state = SIM_G_READY;
                group->pc++;
                cluster->trying--;
                cluster->woken++;
                if (complete != 0)
                    sim_warp_moved(warp);
            }
        }
}

bool sim_mbarrier_try(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                      const struct sim_op *op)
{
    uint8_t *at[32];
    if (!locate(engine, warp, group, op, group->mask, false, at))
        return false;
    const uint32_t complete = complete_lanes(engine, warp, group, op, group->mask, at);
    if (complete != 0) {
        sim_set_pred(warp, group, op->pdst, complete, group->mask);
        group->pc++;
    } else {
        group->state = SIM_G_MBARRIER;
        warp->block->cluster->trying++;
    }
    return true;
}

bool sim_mbarrier_expire(struct sim_engine *engine, struct sim_cluster *cluster)
{
    bool hopeful = false;
    for (uint32_t b = 0; b < cluster->block_count; b++)
        for (uint32_t w = 0; w < cluster->blocks[b].warp_count; w++) {
            const struct sim_warp *warp = &cluster->blocks[b].warps[w];
            for (uint32_t i = 0; i < warp->group_count; i++)
                hopeful |= warp->groups[i].state == SIM_G_MBARRIER && warp->idle < TRY_STEPS;
        }
    if (hopeful)
        wake(engine, cluster, true);
    return hopeful;
}

/* ---- Arriving ---- */

/* Ends the phase when nothing is awaited any more. */
static bool settle(struct mbarrier *b)
{
    if (b->pending != 0 || b->bytes != 0)
        return false;
    b->parity = !b->parity;
    b->pending = b->expected;
    return true;
}

struct arrival { /* what an instruction does to a barrier, one lane */
    uint32_t count, drop;
    int32_t bytes;
    bool may_complete;
};

static struct arrival arrival_of(unsigned op, uint32_t operand)
{
    struct arrival a = {.count = 1, .may_complete = true};
    switch (op) {
    case ISA_OP_MBARRIER_ARRIVE_NOCOMPLETE:
    case ISA_OP_MBARRIER_DROP_NOCOMPLETE:
        a.may_complete = false;
        a.count = operand;
        break;
    case ISA_OP_MBARRIER_ARRIVE:
    case ISA_OP_MBARRIER_DROP:
        a.count = operand;
        break;
    case ISA_OP_MBARRIER_ARRIVE_TX:
    case ISA_OP_MBARRIER_DROP_TX:
        a.bytes = (int32_t)(operand & 0x1fffff);
        break;
    case ISA_OP_MBARRIER_EXPECT_TX:
        a.count = 0;
        a.bytes = (int32_t)(operand & 0x1fffff);
        break;
    case ISA_OP_MBARRIER_COMPLETE_TX:
        a.count = 0;
        a.bytes = -(int32_t)(operand & 0x1fffff);
        break;
    default: /* cp.async.mbarrier.arrive: raises the count first, so that in the end nothing has changed */
        a.count = op == ISA_OP_CP_ASYNC_MBARRIER ? 0 : 1;
        break;
    }
    if (op == ISA_OP_MBARRIER_DROP || op == ISA_OP_MBARRIER_DROP_NOCOMPLETE)
        a.drop = a.count;
    else if (op == ISA_OP_MBARRIER_DROP_TX)
        a.drop = 1;
    return a;
}

/* Why the arrival is not allowed; NULL: it is. */
static const char *refusal(const struct mbarrier *b, const struct arrival *a)
{
    if (b->expected == 0 && b->pending == 0 && b->bytes == 0)
        return "is not initialised";
    if (a->count > b->pending)
        return "does not await so many arrivals";
    if (a->drop > b->expected)
        return "expects no arrivals that could be dropped";
    if (!a->may_complete && a->count == b->pending && b->bytes == 0)
        return "would complete its phase, which .noComplete rules out";
    return NULL;
}

/* One lane's arrival. False: a fault was set. */
static bool arrive(struct sim_engine *engine, struct sim_warp *warp, const struct sim_op *op, unsigned lane,
                   struct arrival a, uint8_t *at, bool *completed)
{
    struct mbarrier b = unpack(read_bits(at));
    const char *why = refusal(&b, &a);
    if (why != NULL)
        return sim_stop(engine, warp, op, lane, SIM_FAULT_BAD_INSTRUCTION, "%s by %u at a barrier that %s",
                        isa_ops[op->insn->op].mnemonic, a.count, why);
    b.bytes += a.bytes;
    if (b.bytes > (int32_t)COUNT_MAX || b.bytes < -(int32_t)COUNT_MAX)
        return sim_stop(engine, warp, op, lane, SIM_FAULT_BAD_INSTRUCTION, "%s: a barrier awaits up to %u bytes",
                        isa_ops[op->insn->op].mnemonic, COUNT_MAX);
    b.expected -= a.drop;
    b.pending -= a.count;
    *completed |= settle(&b);
    const uint64_t bits = pack(&b);
    memcpy(at, &bits, sizeof(bits));
    return true;
}

static bool is_copy_arrival(unsigned op)
{
    return op == ISA_OP_CP_ASYNC_MBARRIER || op == ISA_OP_CP_ASYNC_MBARRIER_NOINC;
}

static bool arrive_lanes(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                         const struct sim_op *op, uint32_t mask, uint8_t *const at[32])
{
    const uint32_t *operand = op->src[0] != SIM_ROW_NONE ? sim_row(engine->program, warp, group, op->src[0]) : NULL;
    uint32_t states[2][32];
    bool completed = false;
    if (is_copy_arrival(op->insn->op))
        sim_async_finish(warp, mask);
    for (unsigned lane = 0; lane < 32; lane++) {
        const uint64_t state = (mask >> lane & 1) != 0 ? read_bits(at[lane]) : 0;
        states[0][lane] = (uint32_t)state;
        states[1][lane] = (uint32_t)(state >> 32);
    }
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        struct arrival arrival = arrival_of(op->insn->op, operand != NULL ? operand[lane] : 1);
        if (op->machine != NULL && op->insn->op == ISA_OP_CP_ASYNC_MBARRIER)
            arrival.bytes = -1; /* machine code made it await one before */
        if (!arrive(engine, warp, op, lane, arrival, at[lane], &completed))
            return false;
    }
    if (op->dst != SIM_ROW_NONE)
        engine->lanes->merge(sim_row(engine->program, warp, group, op->dst), states[0], mask, 2);
    sim_warp_moved(warp);
    if (completed && warp->block->cluster->trying > 0)
        wake(engine, warp->block->cluster, false);
    return true;
}

bool sim_mbarrier_complete(struct sim_engine *engine, struct sim_warp *warp, const struct sim_group *group,
                           const struct sim_op *op, unsigned lane, uint64_t address, uint32_t bytes)
{
    const struct sim_reach reach = {.kind = SIM_EFFECT_ATOMIC,
                                    .space = ISA_SPACE_SHARED,
                                    .only_shared = true,
                                    .apart = true,
                                    .mask = UINT32_C(1) << lane,
                                    .width_bytes = 8};
    uint64_t addresses[32];
    uint8_t *at[32];
    bool completed = false;
    for (unsigned i = 0; i < 32; i++)
        addresses[i] = address;
    if (!sim_access_at(engine, warp, group, op, &reach, addresses, at))
        return false;
    const struct arrival arrival = {.bytes = -(int32_t)(bytes & 0x1fffff), .may_complete = true};
    if (!arrive(engine, warp, op, lane, arrival, at[lane], &completed))
        return false;
    if (completed && warp->block->cluster->trying > 0)
        wake(engine, warp->block->cluster, false);
    return true;
}

static bool init_lanes(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                       const struct sim_op *op, uint32_t mask, uint8_t *const at[32])
{
    const uint32_t *operand = op->src[0] != SIM_ROW_NONE ? sim_row(engine->program, warp, group, op->src[0]) : NULL;
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t bits = read_bits(at[lane]); /* inval leaves them */
        if (operand != NULL) {
            const uint32_t count = operand[lane];
            if (count == 0 || count > COUNT_MAX)
                return sim_stop(engine, warp, op, lane, SIM_FAULT_BAD_INSTRUCTION,
                                "mbarrier.init for %u arrivals: 1 to %u are possible", count, COUNT_MAX);
            const struct mbarrier b = {.pending = count, .expected = count};
            bits = pack(&b);
        }
        memcpy(at[lane], &bits, sizeof(bits));
    }
    sim_warp_moved(warp);
    return true;
}

static void count_pending(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                          const struct sim_op *op, uint32_t mask)
{
    const uint32_t *state = sim_row(engine->program, warp, group, op->src[0]);
    uint32_t out[32];
    for (unsigned lane = 0; lane < 32; lane++)
        out[lane] = unpack((uint64_t)state[32 + lane] << 32 | state[lane]).pending;
    if (op->dst != SIM_ROW_NONE)
        engine->lanes->merge(sim_row(engine->program, warp, group, op->dst), out, mask, 1);
}

bool sim_mbarrier_run(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                      const struct sim_op *op, uint32_t mask)
{
    uint8_t *at[32];
    if (op->insn->op == ISA_OP_MBARRIER_PENDING) {
        count_pending(engine, warp, group, op, mask);
        return true;
    }
    if (!locate(engine, warp, group, op, mask, false, at))
        return false;
    switch (op->insn->op) {
    case ISA_OP_MBARRIER_INIT:
    case ISA_OP_MBARRIER_INVAL:
        return init_lanes(engine, warp, group, op, mask, at);
    case ISA_OP_MBARRIER_TEST:
    case ISA_OP_MBARRIER_TEST_PARITY: {
        const uint32_t complete = complete_lanes(engine, warp, group, op, mask, at);
        sim_set_pred(warp, group, op->pdst, complete, mask);
        return true;
    }
    default:
        return arrive_lanes(engine, warp, group, op, mask, at);
    }
}
