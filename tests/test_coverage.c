/* Every opcode x type of isa/opcode.def that the engine executes has a test whose expectation comes from outside.
 *
 * What is executed: for lane-wise instructions, the pairs of types of tests/variants.h; for all others each type (and
 * for atomics each operation on it) of the opcode's row. What counts as an expectation: a vector that the H200 computed
 * and tests/test_ops.c compares (validate/records/h200/ops); a definition in C (tests/lane_reference.c), which
 * test_reference compares here; or a row of `cases`, which names a test that holds the engine to the PTX ISA's words or
 * to host C. A new type of an opcode fails test_nothing_is_missing until it has one of them. */
#include "isa/legal.h"
#include "tests/engine_kit.h"
#include "tests/lane_reference.h"
#include "tests/ops_record.h"
#include "tests/support.h"
#include "tests/variants.h"

#include <stdlib.h>

Suite *coverage_suite(void);

enum { LANES = SIM_WARP_SIZE, ROUNDS = 8, ANY_MODE = 0, MODES = ISA_ATOM_CAS + 1 };

/* ---- Instructions that are not lane-wise ---- */

struct engine_case {
    enum isa_op op;
    uint64_t types;
    uint64_t modes;           /* bits 1 << enum isa_atom; 0: of no matter */
    const char *suite, *name; /* START_TEST(name) in tests/test_SUITE.c */
};

#define A(mode)    (UINT64_C(1) << ISA_ATOM_##mode)
#define BULK_MODES (A(ADD) | A(MIN) | A(MAX) | A(INC) | A(DEC) | A(AND) | A(OR) | A(XOR))

static const struct engine_case cases[] = {
    {ISA_OP_AND, T_PRED, 0, "types", "test_predicates"},
    {ISA_OP_OR, T_PRED, 0, "types", "test_predicates"},
    {ISA_OP_XOR, T_PRED, 0, "types", "test_predicates"},
    {ISA_OP_NOT, T_PRED, 0, "types", "test_predicates"},
    {ISA_OP_MOV, T_PRED, 0, "types", "test_predicates"},
    {ISA_OP_CVTA, T(U32) | T(U64), 0, "types", "test_cvta"},
    {ISA_OP_ISSPACEP, T(NONE), 0, "engine", "test_cluster"},
    {ISA_OP_MAPA, T(U32) | T(U64), 0, "engine", "test_cluster"},
    {ISA_OP_GETCTARANK, T(U32) | T(U64), 0, "engine", "test_cluster"},
    {ISA_OP_LD, T(B8) | T(U8) | T(S8) | T_BITS | T(B128) | T_INT | T_FLOAT, 0, "types", "test_ld"},
    {ISA_OP_LDU, T(B8) | T(U8) | T(S8) | T_BITS | T(B128) | T_INT | T_FLOAT, 0, "types", "test_ldu"},
    {ISA_OP_ST, T(B8) | T(U8) | T(S8) | T_BITS | T(B128) | T_INT | T_FLOAT, 0, "types", "test_st"},
    {ISA_OP_PREFETCH, T(NONE), 0, "types", "test_without_effect"},
    {ISA_OP_PREFETCHU, T(NONE), 0, "types", "test_without_effect"},
    {ISA_OP_APPLYPRIORITY, T(NONE), 0, "types", "test_without_effect"},
    {ISA_OP_DISCARD, T(NONE), 0, "types", "test_without_effect"},
    {ISA_OP_PMEVENT_MASK, T(NONE), 0, "types", "test_without_effect"},
    {ISA_OP_STACKSAVE, T_ADDRESS, 0, "engine_calls", "test_stack"},
    {ISA_OP_STACKRESTORE, T_ADDRESS, 0, "engine_calls", "test_stack"},
    {ISA_OP_ALLOCA, T_ADDRESS, 0, "engine_calls", "test_stack"},
    {ISA_OP_CVT_PACK, T_PACKED, 0, "forms", "test_forms"},
    {ISA_OP_POLICY_FRACTION, T(B64), 0, "forms", "test_forms"},
    {ISA_OP_POLICY_RANGE, T(B64), 0, "forms", "test_forms"},
    {ISA_OP_POLICY_CVT, T(B64), 0, "forms", "test_forms"},
    {ISA_OP_VADD, T_INT32, 0, "forms", "test_forms"},
    {ISA_OP_VSUB, T_INT32, 0, "forms", "test_forms"},
    {ISA_OP_VABSDIFF, T_INT32, 0, "forms", "test_forms"},
    {ISA_OP_VMIN, T_INT32, 0, "forms", "test_forms"},
    {ISA_OP_VMAX, T_INT32, 0, "forms", "test_forms"},
    {ISA_OP_VSHL, T_INT32, 0, "forms", "test_forms"},
    {ISA_OP_VSHR, T_INT32, 0, "forms", "test_forms"},
    {ISA_OP_VMAD, T_INT32, 0, "forms", "test_forms"},
    {ISA_OP_VSET, T_INT32, 0, "forms", "test_forms"},
    {ISA_OP_VADD2, T_INT32, 0, "forms", "test_forms"},
    {ISA_OP_VSUB2, T_INT32, 0, "forms", "test_forms"},
    {ISA_OP_VAVRG2, T_INT32, 0, "forms", "test_forms"},
    {ISA_OP_VABSDIFF2, T_INT32, 0, "forms", "test_forms"},
    {ISA_OP_VMIN2, T_INT32, 0, "forms", "test_forms"},
    {ISA_OP_VMAX2, T_INT32, 0, "forms", "test_forms"},
    {ISA_OP_VSET2, T_INT32, 0, "forms", "test_forms"},
    {ISA_OP_VADD4, T_INT32, 0, "forms", "test_forms"},
    {ISA_OP_VSUB4, T_INT32, 0, "forms", "test_forms"},
    {ISA_OP_VAVRG4, T_INT32, 0, "forms", "test_forms"},
    {ISA_OP_VABSDIFF4, T_INT32, 0, "forms", "test_forms"},
    {ISA_OP_VMIN4, T_INT32, 0, "forms", "test_forms"},
    {ISA_OP_VMAX4, T_INT32, 0, "forms", "test_forms"},
    {ISA_OP_VSET4, T_INT32, 0, "forms", "test_forms"},
    {ISA_OP_MEMBAR, T(NONE), 0, "engine", "test_grid_barrier"},
    {ISA_OP_FENCE, T(NONE), 0, "types", "test_fence"},
    {ISA_OP_MEMBAR_ALIAS, T(NONE), 0, "types", "test_without_effect"},
    {ISA_OP_FENCE_ALIAS, T(NONE), 0, "types", "test_without_effect"},
    {ISA_OP_FENCE_ASYNC, T(NONE), 0, "types", "test_without_effect"},
    {ISA_OP_FENCE_ASYNC_GLOBAL, T(NONE), 0, "types", "test_without_effect"},
    {ISA_OP_FENCE_ASYNC_CTA, T(NONE), 0, "types", "test_without_effect"},
    {ISA_OP_FENCE_ASYNC_CLUSTER, T(NONE), 0, "types", "test_without_effect"},
    {ISA_OP_FENCE_ASYNC_ACQUIRE, T(NONE), 0, "types", "test_without_effect"},
    {ISA_OP_FENCE_ASYNC_RELEASE, T(NONE), 0, "types", "test_without_effect"},
    {ISA_OP_FENCE_MAP_ACQUIRE, T(NONE), 0, "types", "test_without_effect"},
    {ISA_OP_FENCE_MAP_RELEASE, T(NONE), 0, "types", "test_without_effect"},
    {ISA_OP_FENCE_MBARRIER, T(NONE), 0, "types", "test_without_effect"},
    {ISA_OP_FENCE_SHARED_ACQUIRE, T(NONE), 0, "types", "test_without_effect"},
    {ISA_OP_FENCE_SHARED_RELEASE, T(NONE), 0, "types", "test_without_effect"},
    {ISA_OP_MOV_V2, T_INT | T_BITS | T_FLOAT, 0, "types", "test_mov_v2"},
    {ISA_OP_MOV_V4, T_U16S16 | T(B16) | T_INT32 | T_B32 | T_F32, 0, "types", "test_mov_v4"},
    {ISA_OP_BAR_SYNC, T(NONE), 0, "engine", "test_bar_sync"},
    {ISA_OP_BAR_ARRIVE, T(NONE), 0, "engine", "test_bar_arrive"},
    {ISA_OP_BAR_RED_POPC, T_U32, 0, "engine", "test_bar_red"},
    {ISA_OP_BAR_RED_AND, T_PRED, 0, "engine", "test_bar_red"},
    {ISA_OP_BAR_RED_OR, T_PRED, 0, "engine", "test_bar_red"},
    {ISA_OP_BAR_WARP_SYNC, T(NONE), 0, "engine_warp", "test_bar_warp_sync"},
    {ISA_OP_CLUSTER_ARRIVE, T(NONE), 0, "engine", "test_cluster"},
    {ISA_OP_CLUSTER_WAIT, T(NONE), 0, "engine", "test_cluster"},
    {ISA_OP_SHFL, T_B32, 0, "engine_warp", "test_shfl"},
    {ISA_OP_VOTE, T_B32 | T_PRED, 0, "engine_warp", "test_vote"},
    {ISA_OP_MATCH_ANY, T_B32_64, 0, "engine_warp", "test_match"},
    {ISA_OP_MATCH_ALL, T_B32_64, 0, "engine_warp", "test_match"},
    {ISA_OP_ATOM, T_HALF, A(MIN) | A(MAX), "engine_atomics", "test_vectors"},
    {ISA_OP_RED, T_HALF, A(MIN) | A(MAX), "engine_atomics", "test_vectors"},
    {ISA_OP_ATOM, T(B128), A(EXCH) | A(CAS), "engine_atomics", "test_128_bits"},
    {ISA_OP_REDUX, T_INT32, A(ADD) | A(MIN) | A(MAX), "engine_warp", "test_redux"},
    {ISA_OP_REDUX, T_F32, A(MIN) | A(MAX), "types", "test_redux_float"},
    {ISA_OP_REDUX, T_B32, A(AND) | A(OR) | A(XOR), "engine_warp", "test_redux"},
    {ISA_OP_ACTIVEMASK, T_B32, 0, "engine_warp", "test_activemask_elect"},
    {ISA_OP_ELECT, T(NONE), 0, "engine_warp", "test_activemask_elect"},
    {ISA_OP_MMA, T(F16) | T_F32 | T(F64) | T(S32), 0, "tensor", "test_record"},
    {ISA_OP_WMMA_MMA, T(F16) | T_F32 | T(S32), 0, "tensor", "test_record"},
    {ISA_OP_WMMA_LOAD_A, T_MATRIX, 0, "tensor", "test_record"},
    {ISA_OP_WMMA_LOAD_B, T_MATRIX, 0, "tensor", "test_record"},
    {ISA_OP_WMMA_LOAD_C, T(F16) | T_F32 | T(S32), 0, "tensor", "test_record"},
    {ISA_OP_WMMA_STORE, T(F16) | T_F32 | T(S32), 0, "tensor", "test_record"},
    {ISA_OP_LDMATRIX, T(B16), 0, "tensor", "test_record"},
    {ISA_OP_STMATRIX, T(B16), 0, "tensor", "test_record"},
    {ISA_OP_MOVMATRIX, T(B16), 0, "tensor", "test_record"},
    {ISA_OP_BULK_TO_CLUSTER, T(NONE), 0, "engine_async", "test_bulk_cluster"},
    {ISA_OP_BULK_TO_CTA, T(NONE), 0, "engine_async", "test_bulk_faults"},
    {ISA_OP_BULK_BETWEEN, T(NONE), 0, "engine_async", "test_bulk_between"},
    {ISA_OP_BULK_REDUCE_BETWEEN, T_INT32 | T(U64) | T_B32, BULK_MODES, "engine_async", "test_bulk_between"},
    {ISA_OP_BULK_REDUCE_GLOBAL, T_INT32_64 | T_B32_64, BULK_MODES, "engine_async", "test_bulk_reductions"},
    {ISA_OP_BULK_REDUCE_GLOBAL, T_FLOAT | T(F16) | T(BF16), A(ADD) | A(MIN) | A(MAX), "engine_async", "test_bulk_sums"},
    {ISA_OP_RED_ASYNC, T_INT32_64 | T_B32, BULK_MODES, "engine_async", "test_red_async"},
    {ISA_OP_ST_ASYNC, T_INT32_64 | T_B32_64 | T_FLOAT, 0, "engine_async", "test_st_async"},
    {ISA_OP_BULK_TO_GLOBAL, T(NONE), 0, "engine_async", "test_bulk_copies"},
    {ISA_OP_BULK_PREFETCH, T(NONE), 0, "engine_async", "test_bulk_copies"},
    {ISA_OP_BULK_COMMIT, T(NONE), 0, "engine_async", "test_bulk_copies"},
    {ISA_OP_BULK_WAIT, T(NONE), 0, "engine_async", "test_bulk_copies"},
    {ISA_OP_BULK_WAIT_READ, T(NONE), 0, "engine_async", "test_bulk_copies"},
    {ISA_OP_CP_ASYNC_CA, T(NONE), 0, "tensor", "test_record"},
    {ISA_OP_CP_ASYNC_CG, T(NONE), 0, "tensor", "test_record"},
    {ISA_OP_CP_ASYNC_COMMIT, T(NONE), 0, "engine_async", "test_groups"},
    {ISA_OP_CP_ASYNC_WAIT, T(NONE), 0, "engine_async", "test_groups"},
    {ISA_OP_CP_ASYNC_WAIT_ALL, T(NONE), 0, "engine_async", "test_groups"},
    {ISA_OP_CP_ASYNC_MBARRIER, T(B64), 0, "engine_async", "test_copies_arrive"},
    {ISA_OP_CP_ASYNC_MBARRIER_NOINC, T(B64), 0, "engine_async", "test_copies_arrive"},
    {ISA_OP_MBARRIER_INIT, T(B64), 0, "engine_async", "test_phases"},
    {ISA_OP_MBARRIER_INVAL, T(B64), 0, "engine_async", "test_phases"},
    {ISA_OP_MBARRIER_ARRIVE, T(B64), 0, "engine_async", "test_phases"},
    {ISA_OP_MBARRIER_ARRIVE_TX, T(B64), 0, "engine_async", "test_phases"},
    {ISA_OP_MBARRIER_ARRIVE_NOCOMPLETE, T(B64), 0, "engine_async", "test_phases"},
    {ISA_OP_MBARRIER_DROP, T(B64), 0, "engine_async", "test_phases"},
    {ISA_OP_MBARRIER_DROP_TX, T(B64), 0, "engine_async", "test_phases"},
    {ISA_OP_MBARRIER_DROP_NOCOMPLETE, T(B64), 0, "engine_async", "test_phases"},
    {ISA_OP_MBARRIER_EXPECT_TX, T(B64), 0, "engine_async", "test_phases"},
    {ISA_OP_MBARRIER_COMPLETE_TX, T(B64), 0, "engine_async", "test_phases"},
    {ISA_OP_MBARRIER_TEST, T(B64), 0, "engine_async", "test_phases"},
    {ISA_OP_MBARRIER_TEST_PARITY, T(B64), 0, "engine_async", "test_phases"},
    {ISA_OP_MBARRIER_TRY, T(B64), 0, "engine_async", "test_nobody_comes"},
    {ISA_OP_MBARRIER_TRY_PARITY, T(B64), 0, "engine_async", "test_ring"},
    {ISA_OP_MBARRIER_PENDING, T(B64), 0, "engine_async", "test_phases"},
    {ISA_OP_SETMAXNREG_INC, T_U32, 0, "engine_async", "test_without_effect"},
    {ISA_OP_SETMAXNREG_DEC, T_U32, 0, "engine_async", "test_without_effect"},
    {ISA_OP_GRIDDEP_LAUNCH, T(NONE), 0, "engine_async", "test_without_effect"},
    {ISA_OP_GRIDDEP_WAIT, T(NONE), 0, "engine_async", "test_without_effect"},
    {ISA_OP_BRA, T(NONE), 0, "engine", "test_if_else"},
    {ISA_OP_BRX_IDX, T(NONE), 0, "engine", "test_switch"},
    {ISA_OP_CALL, T(NONE), 0, "engine_calls", "test_nested"},
    {ISA_OP_RET, T(NONE), 0, "engine", "test_early_return"},
    {ISA_OP_EXIT, T(NONE), 0, "engine", "test_divergent_exit"},
    {ISA_OP_TRAP, T(NONE), 0, "engine", "test_trap"},
    {ISA_OP_BRKPT, T(NONE), 0, "types", "test_brkpt"},
    {ISA_OP_NANOSLEEP, T_U32, 0, "types", "test_without_effect"},
    {ISA_OP_PMEVENT, T(NONE), 0, "types", "test_without_effect"},
};
enum { CASES = sizeof(cases) / sizeof(cases[0]) };

START_TEST(test_cases_exist)
{
    for (size_t i = 0; i < CASES; i++) {
        char path[128], start[128];
        size_t size;
        snprintf(path, sizeof(path), "tests/test_%s.c", cases[i].suite);
        snprintf(start, sizeof(start), "START_TEST(%s)", cases[i].name);
        char *text = support_read(path, &size);
        ck_assert_msg(strstr(text, start) != NULL, "%s has no %s", path, start);
        if (strcmp(cases[i].suite, "forms") == 0) { /* its texts are a record */
            free(text);
            text = support_read("validate/records/h200/forms/index.txt", &size);
        }
        ck_assert_msg(strstr(text, isa_ops[cases[i].op].mnemonic) != NULL, "%s does not name %s", path,
                      isa_ops[cases[i].op].mnemonic);
        free(text);
    }
}
END_TEST

/* ---- What is executed, and what has an expectation ---- */

/* By opcode, type, and second type (lane-wise) or operation (atomics). */
struct table {
    bool executed[ISA_OP_COUNT][ISA_TYPE_COUNT][ISA_TYPE_COUNT];
    bool expected[ISA_OP_COUNT][ISA_TYPE_COUNT][ISA_TYPE_COUNT];
};

_Static_assert((int)MODES <= (int)ISA_TYPE_COUNT, "a table's last index is a type or an operation");

static bool has_operations(unsigned op)
{
    return (isa_ops[op].modifiers & M_ATOMIC) != 0;
}

/* Whether some legal instruction of the opcode does the operation on the type, on one element or a vector. */
static bool takes(unsigned op, unsigned mode, unsigned type)
{
    for (size_t i = 0; i < isa_legal_count; i++)
        if (isa_legal[i].op == op && (isa_legal[i].types >> type & 1) != 0 && (isa_legal[i].mode >> mode & 1) != 0)
            return true;
    return false;
}

/* Each type of an opcode that has no lane function for it. */
static void mark_executed_type(struct table *table, unsigned op, unsigned type)
{
    if (!has_operations(op))
        table->executed[op][type][ANY_MODE] = true;
    for (unsigned mode = 0; has_operations(op) && mode < MODES; mode++)
        if (takes(op, mode, type))
            table->executed[op][type][mode] = true;
}

static void mark_executed(struct table *table, const struct variant_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        table->executed[list->items[i].insn.op][list->items[i].insn.type][list->items[i].insn.type2] = true;
    for (unsigned op = 0; op < ISA_OP_COUNT; op++) {
        const uint64_t types = isa_ops[op].types != 0 ? isa_ops[op].types : T(NONE);
        const bool lane_wise = list->first[op] != list->first[op + 1];
        for (unsigned type = 0; (isa_ops[op].flags & ISA_OPF_DERIVED) == 0 && type < ISA_TYPE_COUNT; type++)
            if ((types >> type & 1) != 0 && (!lane_wise || type == ISA_TYPE_PRED))
                mark_executed_type(table, op, type);
    }
}

static void mark_recorded_insn(struct table *table, const struct isa_insn *insn)
{
    table->expected[insn->op][insn->type][has_operations(insn->op) ? insn->mods.mode : insn->type2] = true;
}

/* The variants that test_ops.c compares with what the card computed. */
static void mark_recorded(struct table *table)
{
    size_t size, count = 0;
    char *text = support_read(OPS_RECORD "index.txt", &size);
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        struct isa_module *module = ops_record_module(strrchr(line, '\t') + 1);
        const struct isa_function *f = module != NULL ? &module->functions[0] : NULL;
        if (f != NULL && ops_record_is_covered(f, SIM_LEVEL_BASE)) {
            count++;
            for (size_t i = 0; i < f->insn_count; i++)
                mark_recorded_insn(table, &f->insns[i]);
        }
        isa_module_free(module);
    }
    ck_assert_uint_gt(count, 3000);
    free(text);
}

static void mark_cases(struct table *table)
{
    for (size_t i = 0; i < CASES; i++)
        for (unsigned type = 0; type < ISA_TYPE_COUNT; type++)
            for (unsigned mode = 0; (cases[i].types >> type & 1) != 0 && mode < MODES; mode++)
                if (cases[i].modes == 0 ? mode == ANY_MODE : (cases[i].modes >> mode & 1) != 0)
                    table->expected[cases[i].op][type][mode] = true;
}

/* ---- The definitions in C ---- */

static uint64_t random_state = 1;

static uint64_t draw(void) /* splitmix64 */
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Noise, a small number, or floating point of middling size in both halves and the whole. */
static uint64_t draw_operand(void)
{
    const uint64_t noise = draw();
    switch (draw() % 4) {
    case 0:
        return noise % 70;
    case 1:
        return UINT64_C(0) - noise % 70;
    case 2:
        return (noise & UINT64_C(0xc007ffffc007ffff)) + UINT64_C(0x3c003c003c003c00);
    default:
        return noise;
    }
}

static bool is_source(char letter)
{
    return strchr("dwDp", letter) == NULL;
}

/* Not checked by Check's macros where nothing is wrong: those write to a pipe at every pass. */

/* A warp of operands, run by the base lane function and lane by lane by the reference; how many lanes it knew. */
static unsigned compare_warp(const struct variant *v, const char *name)
{
    static uint32_t rows[5][4 * LANES] __attribute__((aligned(64)));
    uint64_t a[LANES][4] = {{0}};
    const uint32_t mask = (uint32_t)draw();
    unsigned sources = 0, known = 0;
    memset(rows, 0, sizeof(rows));
    for (const char *letter = v->letters; *letter != '\0'; letter++) {
        if (!is_source(*letter) || *letter == 'z')
            continue;
        const unsigned bits = variant_letter_bits(&v->insn, *letter);
        for (unsigned lane = 0; lane < LANES; lane++) {
            a[lane][sources] = draw_operand() & (bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX);
            rows[sources][lane] = (uint32_t)a[lane][sources];
            rows[sources][LANES + lane] = (uint32_t)(a[lane][sources] >> 32);
        }
        sources++;
    }
    const bool compares = v->insn.op == ISA_OP_SETP || v->insn.op == ISA_OP_TESTP;
    const uint64_t flags = v->base(compares ? NULL : rows[4], rows[0], rows[1], rows[2], rows[3], mask);
    for (unsigned lane = 0; lane < LANES; lane++) {
        struct lane_result want;
        if (!lane_reference(&v->insn, a[lane], (mask >> lane & 1) != 0, &want))
            continue;
        const unsigned bits = compares ? 1 : variant_letter_bits(&v->insn, v->letters[0]);
        const uint64_t whole = compares ? flags >> lane & 1 : rows[4][lane] | (uint64_t)rows[4][LANES + lane] << 32;
        const uint64_t got = bits < 64 ? whole & ((UINT64_C(1) << bits) - 1) : whole;
        const bool carry = (flags >> lane & 1) != 0, writes_carry = (v->insn.mods.flags & ISA_FLAG_CC) != 0;
        if (got != (compares ? want.carry : want.value) || (writes_carry && carry != want.carry))
            ck_abort_msg("%s of %llx, %llx, %llx, %llx is %llx, expected %llx", name, (unsigned long long)a[lane][0],
                         (unsigned long long)a[lane][1], (unsigned long long)a[lane][2], (unsigned long long)a[lane][3],
                         (unsigned long long)got, (unsigned long long)(compares ? want.carry : want.value));
        known++;
    }
    return known;
}

/* Compares each variant; those that have a definition are expected. */
static void compare_all(struct table *table, const struct variant_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct variant *v = &list->items[i];
        struct base_strbuf name = {0};
        unsigned known = 0;
        variant_put_mnemonic(&name, &v->insn);
        for (unsigned round = 0; round < ROUNDS; round++)
            known += compare_warp(v, name.data);
        if (known >= LANES)
            table->expected[v->insn.op][v->insn.type][v->insn.type2] = true;
        base_strbuf_free(&name);
    }
}

/* ---- The table ---- */

static void put_missing(struct base_strbuf *out, unsigned op, unsigned type, unsigned last)
{
    base_strbuf_printf(out, " %s.%s", isa_ops[op].mnemonic, isa_types[type].name);
    if (has_operations(op))
        base_strbuf_printf(out, "(operation %u)", last);
    else if (last != ISA_TYPE_NONE)
        base_strbuf_printf(out, ".%s", isa_types[last].name);
}

START_TEST(test_nothing_is_missing)
{
    struct table *table = calloc(1, sizeof(*table));
    struct variant_list list;
    struct base_strbuf missing = {0};
    size_t count = 0;
    ck_assert_ptr_nonnull(table);
    variant_list_make(&list);
    mark_executed(table, &list);
    mark_recorded(table);
    mark_cases(table);
    compare_all(table, &list);
    for (unsigned op = 0; op < ISA_OP_COUNT; op++)
        for (unsigned type = 0; type < ISA_TYPE_COUNT; type++)
            for (unsigned last = 0; last < ISA_TYPE_COUNT; last++) {
                count += table->executed[op][type][last];
                if (table->executed[op][type][last] && !table->expected[op][type][last])
                    put_missing(&missing, op, type, last);
            }
    ck_assert_msg(missing.length == 0, "no expectation from outside for:%s", missing.data);
    ck_assert_uint_gt(count, 500);
    base_strbuf_free(&missing);
    variant_list_free(&list);
    free(table);
}
END_TEST

Suite *coverage_suite(void)
{
    Suite *suite = suite_create("coverage");
    TCase *tcase = tcase_create("table");
    tcase_set_timeout(tcase, 300);
    tcase_add_test(tcase, test_cases_exist);
    tcase_add_test(tcase, test_nothing_is_missing);
    suite_add_tcase(suite, tcase);
    return suite;
}
