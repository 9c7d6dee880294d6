/* Copies from global to shared memory (LDGSTS, LDGDEPBAR, DEPBAR) and barriers in shared memory (SYNCS, ARRIVES). Each
 * does what one instruction of PTX does (validate/records/h200/tensor/machine) and runs as that one: sim/async.c,
 * sim/mbarrier.c.
 *
 * SYNCS.ARRIVE's words say what it does: A0, A1, AR: no arrival, one, as many as the register says; T0, T1, TR, TX: no
 * bytes more are awaited, one, as many as the register says, so many fewer. Neither: A1TR. .OPTOUT: later phases
 * await so many fewer arrivals. */
#include "sim/sass/lower.h"

#include <string.h>

/* ---- Copies ---- */

/* [shared], desc[UR][global], p: where p is false nothing is read, and zeros are written. With .ZFILL the source's low
 * bits say how many bytes are not read. */
void sim_sass_lower_ldgsts(struct sim_sass_builder *b)
{
    struct sim_op *op = b->op;
    const bool wide = sim_sass_word(b, ISA_SASS_W_E);
    const bool past_l1 = sim_sass_word(b, ISA_SASS_W_BYPASS);
    (void)sim_sass_act_as(b, past_l1 ? ISA_OP_CP_ASYNC_CG : ISA_OP_CP_ASYNC_CA);
    b->more->flags = sim_sass_word(b, ISA_SASS_W_ZFILL) ? SIM_SASS_COPY_SHORT : 0;
    op->element_bytes = (uint8_t)sim_sass_take_width(b);
    sim_sass_use_order_words(b);
    if (op->element_bytes < 4)
        sim_sass_refuse(b, "a copy of this width");
    struct sim_op second = *op;
    op->space = ISA_SPACE_SHARED;
    sim_sass_take_address(b, false);
    second.space = ISA_SPACE_GLOBAL;
    b->op = &second;
    sim_sass_take_address(b, wide);
    b->op = op;
    sim_sass_psrc(b, 0);
    const struct sim_sass_pred p = b->more->psrc[0];
    if (p.number >= 0) {
        op->psrc = p.number;
        op->psrc_negated = !p.negated; /* the engine's: true where nothing is read */
    } else if (p.number == -1 && p.negated) {
        op->src[0] = sim_sass_constant_row(b, 0, 1);
    }
    op->kind = SIM_K_COPY;
    op->target = (uint32_t)b->seconds.count;
    if (!base_vec_push(&b->seconds, second))
        b->failed = true;
}

void sim_sass_lower_ldgdepbar(struct sim_sass_builder *b)
{
    (void)sim_sass_act_as(b, ISA_OP_CP_ASYNC_COMMIT);
    b->op->kind = SIM_K_COPY_GROUP;
}

/* DEPBAR.LE SB0, n: waits until at most n of what counts in that scoreboard is under way; groups of copies count in the
 * one that LDGDEPBAR sets. Results that come late otherwise are in their registers already. */
void sim_sass_lower_depbar(struct sim_sass_builder *b)
{
    b->words_used = UINT32_MAX;
    const struct isa_sass_operand *o = sim_sass_peek(b);
    b->op->kind = SIM_K_NOP;
    const bool of_copies = o != NULL && o->kind == ISA_SASS_SCOREBOARD && b->sass->operand_count == 2 &&
                           isa_sass_has(b->sass, ISA_SASS_W_LE) && b->sass->operands[1].kind == ISA_SASS_IMM;
    b->next = b->sass->operand_count;
    if (!of_copies)
        return;
    (void)sim_sass_act_as(b, ISA_OP_CP_ASYNC_WAIT);
    b->op->kind = SIM_K_COPY_GROUP;
    b->op->target_count = (uint32_t)b->sass->operands[1].value;
}

/* ---- Barriers in shared memory ---- */

/* SYNCS.EXCH.64 URZ, [a], b: the barrier's 64 bits are set. */
static bool run_exchange(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                         const struct sim_op *op, uint32_t mask)
{
    const uint32_t *value = sim_row(engine->program, warp, group, op->src[0]);
    const unsigned lane = (unsigned)__builtin_ctz(mask);
    const struct sim_reach reach = {.kind = SIM_EFFECT_STORE,
                                    .space = op->space,
                                    .only_shared = true,
                                    .uncounted = true,
                                    .mask = UINT32_C(1) << lane,
                                    .width_bytes = 8};
    const uint64_t bits = (uint64_t)value[32 + lane] << 32 | value[lane];
    uint64_t address[32];
    uint8_t *at[32];
    sim_mbarrier_addresses(engine, warp, group, op, address);
    if (!sim_access_at(engine, warp, group, op, &reach, address, at))
        return false;
    memcpy(at[lane], &bits, sizeof(bits));
    sim_warp_moved(warp);
    return true;
}

static void lower_exchange(struct sim_sass_builder *b)
{
    (void)sim_sass_act_as(b, ISA_OP_MBARRIER_INIT);
    if (!sim_sass_word(b, ISA_SASS_W_64))
        sim_sass_refuse(b, "a barrier of this width");
    sim_sass_dst(b, 2);
    if (b->op->dst != SIM_ROW_NONE)
        sim_sass_refuse(b, "a result");
    sim_sass_take_address(b, false);
    b->op->src[0] = sim_sass_row(b, sim_sass_take(b), 2);
    sim_sass_through(b, run_exchange);
}

static const struct { /* what the words of SYNCS.ARRIVE make it */
    uint8_t word;
    uint16_t op, drops;
} arrivals[] = {
    {ISA_SASS_W_A1T0, ISA_OP_MBARRIER_ARRIVE, ISA_OP_MBARRIER_DROP},
    {ISA_SASS_W_ART0, ISA_OP_MBARRIER_ARRIVE, ISA_OP_MBARRIER_DROP},
    {ISA_SASS_W_A1TR, ISA_OP_MBARRIER_ARRIVE_TX, ISA_OP_MBARRIER_DROP_TX},
    {ISA_SASS_W_A0TR, ISA_OP_MBARRIER_EXPECT_TX, ISA_OP_SASS},
    {ISA_SASS_W_A0T1, ISA_OP_MBARRIER_EXPECT_TX, ISA_OP_SASS},
    {ISA_SASS_W_A0TX, ISA_OP_MBARRIER_COMPLETE_TX, ISA_OP_SASS},
    {ISA_SASS_W_NONE, ISA_OP_MBARRIER_ARRIVE_TX, ISA_OP_MBARRIER_DROP_TX},
};

static void lower_arrive(struct sim_sass_builder *b)
{
    const bool drops = sim_sass_word(b, ISA_SASS_W_OPTOUT);
    size_t i = 0;
    (void)sim_sass_word(b, ISA_SASS_W_RED);
    if (!sim_sass_word(b, ISA_SASS_W_TRANS64))
        sim_sass_refuse(b, "a barrier of this kind");
    while (arrivals[i].word != ISA_SASS_W_NONE && !sim_sass_word(b, (enum isa_sass_word)arrivals[i].word))
        i++;
    const uint16_t op = drops ? arrivals[i].drops : arrivals[i].op;
    if (op == ISA_OP_SASS) {
        sim_sass_refuse(b, ".OPTOUT without an arrival");
        return;
    }
    (void)sim_sass_act_as(b, (enum isa_op)op);
    sim_sass_dst(b, 2);
    sim_sass_take_address(b, false);
    const uint32_t count = sim_sass_row(b, sim_sass_take(b), 1);
    if (arrivals[i].word == ISA_SASS_W_A0T1)
        b->op->src[0] = sim_sass_constant_row(b, 1, 1);
    else if (arrivals[i].word != ISA_SASS_W_A1T0)
        b->op->src[0] = count;
    b->op->kind = SIM_K_MBARRIER;
}

/* SYNCS.PHASECHK p, [a], b: whether the phase with the parity in b's highest bit is complete. */
static void lower_check(struct sim_sass_builder *b)
{
    const bool waits = sim_sass_word(b, ISA_SASS_W_TRYWAIT);
    if (!sim_sass_word(b, ISA_SASS_W_TRANS64))
        sim_sass_refuse(b, "a barrier of this kind");
    (void)sim_sass_act_as(b, waits ? ISA_OP_MBARRIER_TRY : ISA_OP_MBARRIER_TEST);
    sim_sass_pdst(b, 1);
    b->op->pdst = b->more->pdst[0];
    sim_sass_take_address(b, false);
    b->op->src[0] = sim_sass_row(b, sim_sass_take(b), 1);
    b->op->kind = waits ? SIM_K_MBARRIER_TRY : SIM_K_MBARRIER;
}

void sim_sass_lower_syncs(struct sim_sass_builder *b)
{
    b->op->space = ISA_SPACE_SHARED_CLUSTER;
    if (sim_sass_word(b, ISA_SASS_W_EXCH)) {
        lower_exchange(b);
    } else if (sim_sass_word(b, ISA_SASS_W_ARRIVE)) {
        lower_arrive(b);
    } else if (sim_sass_word(b, ISA_SASS_W_PHASECHK)) {
        lower_check(b);
    } else if (sim_sass_word(b, ISA_SASS_W_CCTL) && sim_sass_word(b, ISA_SASS_W_IV)) {
        (void)sim_sass_act_as(b, ISA_OP_MBARRIER_INVAL);
        sim_sass_take_address(b, false);
        b->op->kind = SIM_K_MBARRIER;
    } else {
        sim_sass_refuse(b, "a form of this kind");
    }
}

/* ARRIVES.LDGSTSBAR.64 [a]: once the thread's copies are done, .ARVCNT arrives, .TRANSCNT takes back the byte that A0T1
 * made the barrier await. */
void sim_sass_lower_arrives(struct sim_sass_builder *b)
{
    const bool arrives = sim_sass_word(b, ISA_SASS_W_ARVCNT);
    if (!sim_sass_word(b, ISA_SASS_W_LDGSTSBAR) || !sim_sass_word(b, ISA_SASS_W_64) ||
        (!arrives && !sim_sass_word(b, ISA_SASS_W_TRANSCNT)))
        sim_sass_refuse(b, "a form of this kind");
    b->op->space = ISA_SPACE_SHARED_CLUSTER;
    (void)sim_sass_act_as(b, arrives ? ISA_OP_CP_ASYNC_MBARRIER_NOINC : ISA_OP_CP_ASYNC_MBARRIER);
    sim_sass_take_address(b, false);
    b->op->kind = SIM_K_MBARRIER;
}
