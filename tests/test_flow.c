/* Control flow, convergence, register slots, linking.
 *
 * Functions are built here by hand. For the tests of control flow a function is a line of words, one an instruction:
 *
 *     .    mov            jN   bra N          ?N   @p bra N      uN   @p bra.uni N      sA,B,..  brx.idx over A, B, ..
 *     r R  ret, @p ret    e E  exit, @p exit  t    trap          w    bar.sync          cF       call function F
 *
 * N counts instructions from 0; the number of instructions stands for the end. What is expected was drawn by hand, or
 * is worked out by slow and obvious means: a post-dominator is a block without which the exit cannot be reached, a
 * register is live where a path to a read of it begins, and lanes are walked one by one through their own choices.
 */
#include "isa/cfg.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INSNS    64
#define OPERANDS (INSNS * 8)

Suite *flow_suite(void);

/* A function under construction, in arrays of fixed size. */
struct draft {
    struct isa_insn insns[INSNS];
    struct isa_operand operands[OPERANDS];
    struct isa_reg regs[32];
    struct isa_label labels[INSNS];
    struct isa_table tables[8];
    uint32_t items[8][16];
    struct isa_function *function;
};

static struct isa_operand *draft_operand(struct draft *d, enum isa_operand_kind kind, uint32_t ref)
{
    struct isa_function *f = d->function;
    ck_assert_uint_lt(f->operand_count, OPERANDS);
    struct isa_operand *operand = &d->operands[f->operand_count++];
    *operand = (struct isa_operand){.kind = (uint8_t)kind, .base_kind = ISA_OPERAND_REG, .ref = ref};
    f->insns[f->insn_count - 1].operand_count++;
    return operand;
}

static struct isa_insn *draft_insn(struct draft *d, enum isa_op op, int32_t guard)
{
    struct isa_function *f = d->function;
    ck_assert_uint_lt(f->insn_count, INSNS);
    struct isa_insn *insn = &d->insns[f->insn_count];
    *insn = (struct isa_insn){.op = (uint16_t)op,
                              .guard = guard,
                              .operand_first = (uint32_t)f->operand_count,
                              .pc = (uint32_t)f->insn_count,
                              .line = 10 + (uint32_t)f->insn_count};
    f->insn_count++;
    return insn;
}

static void draft_begin(struct draft *d, struct isa_function *function, bool is_entry)
{
    memset(d, 0, sizeof(*d));
    d->function = function;
    *function = (struct isa_function){.name = is_entry ? "kernel" : "function",
                                      .is_entry = is_entry,
                                      .insns = d->insns,
                                      .operands = d->operands,
                                      .regs = d->regs,
                                      .labels = d->labels,
                                      .tables = d->tables};
}

static uint32_t draft_reg(struct draft *d, enum isa_type type)
{
    ck_assert_uint_lt(d->function->reg_count, 32);
    d->regs[d->function->reg_count] = (struct isa_reg){.name = "%r", .ordinal = -1, .type = (uint8_t)type};
    return (uint32_t)d->function->reg_count++;
}

static void draft_label(struct draft *d, uint32_t insn)
{
    struct isa_function *f = d->function;
    uint32_t label = 0;
    while (label < f->label_count && d->labels[label].insn != insn) {
        label++;
    }
    if (label == f->label_count) {
        d->labels[f->label_count++] = (struct isa_label){.name = "$L", .insn = insn};
    }
    draft_operand(d, ISA_OPERAND_LABEL, insn)->aux = label;
}

static void draft_switch(struct draft *d, const char *word)
{
    struct isa_table *table = &d->tables[d->function->table_count];
    *table = (struct isa_table){.kind = ISA_TABLE_BRANCH, .items = d->items[d->function->table_count]};
    draft_insn(d, ISA_OP_BRX_IDX, -1);
    draft_operand(d, ISA_OPERAND_REG, 1);
    draft_operand(d, ISA_OPERAND_TABLE, (uint32_t)d->function->table_count++);
    char *end = NULL;
    for (const char *at = word; end == NULL || *end == ','; at = end + 1) {
        table->items[table->count++] = (uint32_t)strtoul(at, &end, 10);
    }
}

static void draft_word(struct draft *d, const char *word)
{
    uint32_t number = (uint32_t)strtoul(word + 1, NULL, 10);
    struct isa_insn *insn;
    switch (word[0]) {
    case '.':
        insn = draft_insn(d, ISA_OP_MOV, -1);
        insn->type = ISA_TYPE_B32;
        insn->dst_count = 1;
        draft_operand(d, ISA_OPERAND_REG, 1);
        draft_operand(d, ISA_OPERAND_IMM, 0);
        break;
    case 'j':
    case '?':
    case 'u':
        insn = draft_insn(d, ISA_OP_BRA, word[0] == 'j' ? -1 : 0);
        insn->mods.flags = word[0] == 'u' ? ISA_FLAG_UNI : 0;
        draft_label(d, number);
        break;
    case 's':
        draft_switch(d, word + 1);
        break;
    case 'c':
        draft_insn(d, ISA_OP_CALL, -1);
        draft_operand(d, ISA_OPERAND_FUNC, number);
        break;
    case 'w':
        draft_insn(d, ISA_OP_BAR_SYNC, -1);
        draft_operand(d, ISA_OPERAND_IMM, 0);
        break;
    case 'r':
    case 'R':
        draft_insn(d, ISA_OP_RET, word[0] == 'R' ? 0 : -1);
        break;
    case 'e':
    case 'E':
        draft_insn(d, ISA_OP_EXIT, word[0] == 'E' ? 0 : -1);
        break;
    default:
        draft_insn(d, ISA_OP_TRAP, -1);
    }
}

static void draft_read(struct draft *d, struct isa_function *function, bool is_entry, const char *text)
{
    draft_begin(d, function, is_entry);
    draft_reg(d, ISA_TYPE_PRED);
    draft_reg(d, ISA_TYPE_B32);
    while (*text != '\0') {
        draft_word(d, text);
        text += strcspn(text, " ");
        text += strspn(text, " ");
    }
    function->text_insn_count = function->insn_count;
}

/* A small generator of its own for each test: the same numbers every time. */
static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % below;
}

/* Control flow */

struct shape {
    const char *text;
    const char *firsts; /* of the blocks */
    const char *ipdoms; /* block numbers; x: the exit; -: not reachable */
};

static const struct shape shapes[] = {
    {". . r", "0", "x"},
    {"?3 . j4 . r", "0 1 3 4", "3 3 3 x"},          /* if, else */
    {"?2 . r", "0 1 2", "2 2 x"},                   /* if */
    {". . ?1 r", "0 1 3", "1 2 x"},                 /* loop with its test at the end */
    {"?3 . j0 r", "0 1 3", "2 0 x"},                /* loop with its test at the head */
    {". ?4 ?2 j0 r", "0 2 3 4", "3 2 0 x"},         /* loop in a loop: 0 {2} */
    {"R . r", "0 1", "x x"},                        /* guarded ret */
    {"?3 . e . r", "0 1 3", "x x x"},               /* one side ends */
    {"j0 r", "0 1", "x -"},                         /* for ever, and code that nothing reaches */
    {". ?4 . j1 . j0", "0 1 2 4", "1 3 1 x"},       /* for ever, with a loop inside */
    {"s1,3,5,1 . j5 . j5 r", "0 1 3 5", "3 3 3 x"}, /* switch */
    {"?2 . ?1 r", "0 1 2 3", "2 2 3 x"},            /* a loop with two entries: no reducible graph */
    {"?3 ?3 j3", "0 1 2", "x x x"},                 /* branches to the end */
    {"?1 r", "0 1", "1 x"},                         /* both ways the same */
    {". t . r", "0 2", "x -"},
};

static void expect_words(const char *words, const struct isa_cfg *cfg, bool ipdoms, const char *text)
{
    for (size_t b = 0; b < cfg->block_count; b++) {
        const struct isa_block *block = &cfg->blocks[b];
        int64_t value = ipdoms ? block->ipdom : (int64_t)block->first;
        if (ipdoms && (*words == 'x' || *words == '-')) {
            ck_assert_msg(value == -1 && block->reachable == (*words == 'x'), "%s: block %zu", text, b);
        } else {
            ck_assert_msg(value == strtol(words, NULL, 10), "%s: block %zu has %ld", text, b, (long)value);
        }
        words += strcspn(words, " ");
        words += strspn(words, " ");
    }
    ck_assert_msg(*words == '\0', "%s: too few blocks", text);
}

START_TEST(cfg_drawn)
{
    const struct shape *shape = &shapes[_i];
    struct draft d;
    struct isa_function function;
    struct base_arena arena;
    struct isa_cfg cfg;
    base_arena_init(&arena, 0);
    draft_read(&d, &function, true, shape->text);
    ck_assert_int_eq(isa_cfg_build(&function, &arena, &cfg), BASE_OK);
    expect_words(shape->firsts, &cfg, false, shape->text);
    expect_words(shape->ipdoms, &cfg, true, shape->text);
    for (uint32_t i = 0; i < function.insn_count; i++) {
        const struct isa_block *block = &cfg.blocks[cfg.block_of[i]];
        ck_assert_uint_ge(i, block->first);
        ck_assert_uint_lt(i, block->first + block->count);
    }
    base_arena_free(&arena);
}
END_TEST

START_TEST(cfg_edges)
{
    struct draft d;
    struct isa_function function;
    struct base_arena arena;
    struct isa_cfg cfg;
    base_arena_init(&arena, 0);
    draft_read(&d, &function, true, "s1,3,1,5 . j5 . j5 r");
    ck_assert_int_eq(isa_cfg_build(&function, &arena, &cfg), BASE_OK);
    ck_assert_uint_eq(cfg.block_count, 4);
    ck_assert_uint_eq(cfg.blocks[0].succ_count, 3);
    ck_assert_uint_eq(cfg.blocks[0].succ[0], 1);
    ck_assert_uint_eq(cfg.blocks[0].succ[1], 2);
    ck_assert_uint_eq(cfg.blocks[0].succ[2], 3);
    ck_assert_uint_eq(cfg.blocks[3].pred_count, 3);
    ck_assert_uint_eq(cfg.blocks[3].pred[0], 0);
    ck_assert_uint_eq(cfg.blocks[3].pred[2], 2);
    draft_begin(&d, &function, true);
    ck_assert_int_eq(isa_cfg_build(&function, &arena, &cfg), BASE_OK);
    ck_assert_uint_eq(cfg.block_count, 0);
    base_arena_free(&arena);
}
END_TEST

/* A call of a function that never returns ends its block, when the module is known. */
START_TEST(cfg_noreturn)
{
    static struct draft d;
    struct isa_function functions[2] = {{.name = "stop", .is_declaration = true, .is_noreturn = true}};
    struct isa_module module = {.functions = functions, .function_count = 2};
    struct base_arena arena;
    struct isa_cfg cfg;
    base_arena_init(&arena, 0);
    draft_read(&d, &functions[1], true, ". c0 . r");
    ck_assert_int_eq(isa_cfg_build_in(&module, &functions[1], &arena, &cfg), BASE_OK);
    ck_assert_uint_eq(cfg.block_count, 2);
    ck_assert(!cfg.blocks[1].reachable);
    ck_assert_int_eq(isa_cfg_build(&functions[1], &arena, &cfg), BASE_OK);
    ck_assert_uint_eq(cfg.block_count, 1);
    base_arena_free(&arena);
}
END_TEST

/* Whether `to` can be reached from `from` without going through `without`; to == node_count is the exit. */
static bool reaches(const struct isa_graph *graph, uint32_t from, uint32_t to, uint32_t without)
{
    bool seen[32] = {false};
    uint32_t stack[32], depth = 0;
    if (from == without) {
        return false;
    }
    stack[depth++] = from;
    seen[from] = true;
    while (depth > 0) {
        uint32_t n = stack[--depth];
        if (n == to || (to == graph->node_count && graph->exits[n])) {
            return true;
        }
        for (uint32_t e = graph->first[n]; e < graph->first[n + 1]; e++) {
            if (!seen[graph->succ[e]] && graph->succ[e] != without) {
                seen[graph->succ[e]] = true;
                stack[depth++] = graph->succ[e];
            }
        }
    }
    return false;
}

/* The nearest of a node's post-dominators is the one that all its others post-dominate. */
static int32_t slow_ipdom(const struct isa_graph *graph, uint32_t n)
{
    uint32_t nodes = (uint32_t)graph->node_count;
    for (uint32_t p = 0; p < nodes; p++) {
        bool nearest = p != n && !reaches(graph, n, nodes, p);
        for (uint32_t q = 0; nearest && q < nodes; q++) {
            nearest = q == n || q == p || reaches(graph, n, nodes, q) || !reaches(graph, p, nodes, q);
        }
        if (nearest) {
            return (int32_t)p;
        }
    }
    return -1;
}

START_TEST(post_dominators_random)
{
    uint64_t seed = (uint64_t)_i;
    for (int round = 0; round < 400; round++) {
        uint32_t nodes = 1 + draw(&seed, 12), first[16] = {0}, succ[64], count = 0;
        bool exits[16] = {false};
        for (uint32_t n = 0; n < nodes; n++) {
            for (uint32_t e = draw(&seed, 4); e > 0; e--) {
                succ[count++] = draw(&seed, nodes);
            }
            exits[n] = draw(&seed, 4) == 0;
            first[n + 1] = count;
        }
        struct isa_graph graph = {.node_count = nodes, .first = first, .succ = succ, .exits = exits};
        int32_t ipdom[16];
        ck_assert_int_eq(isa_graph_post_dominators(&graph, ipdom), BASE_OK);
        bool all_end = true;
        for (uint32_t n = 0; n < nodes; n++) {
            all_end &= !reaches(&graph, 0, n, nodes) || reaches(&graph, n, nodes, nodes);
        }
        for (uint32_t n = 0; n < nodes; n++) {
            bool reachable = reaches(&graph, 0, n, nodes);
            if (!reachable) {
                ck_assert_int_eq(ipdom[n], -1);
            } else if (all_end) {
                ck_assert_int_eq(ipdom[n], slow_ipdom(&graph, n));
            }
        }
    }
}
END_TEST

/* A ladder of a hundred thousand blocks: no recursion, no quadratic walk. */
START_TEST(cfg_long)
{
    size_t insns = 200000;
    struct base_arena arena;
    base_arena_init(&arena, 0);
    struct isa_function function = {.is_entry = true, .insn_count = insns, .operand_count = insns};
    function.insns = base_arena_alloc(&arena, insns, sizeof(*function.insns));
    function.operands = base_arena_alloc(&arena, insns, sizeof(*function.operands));
    for (uint32_t i = 0; i < insns; i++) {
        function.insns[i] = (struct isa_insn){.op = ISA_OP_BRA, .guard = 0, .operand_first = i, .operand_count = 1};
        function.operands[i] =
            (struct isa_operand){.kind = ISA_OPERAND_LABEL, .ref = i % 2 == 0 ? i + 2 : (uint32_t)insns - i};
    }
    struct isa_cfg cfg;
    ck_assert_int_eq(isa_cfg_build(&function, &arena, &cfg), BASE_OK);
    ck_assert_uint_eq(cfg.block_count, insns);
    ck_assert_int_eq(cfg.blocks[insns - 1].ipdom, -1);
    base_arena_free(&arena);
}
END_TEST

/* Convergence */

/* What a converged function looks like, in the words above, with S<barrier>><label> for conv.set and |<barrier> for
 * conv.sync. */
static void show(const struct isa_function *function, char *out)
{
    for (size_t i = 0; i < function->insn_count; i++) {
        const struct isa_insn *insn = &function->insns[i];
        const struct isa_operand *operand = &function->operands[insn->operand_first];
        bool guarded = insn->guard >= 0;
        out += sprintf(out, "%s", i > 0 ? " " : "");
        if (insn->op == ISA_OP_CONV_SET) {
            ck_assert_uint_eq(function->labels[operand[1].aux].insn, operand[1].ref);
            out += sprintf(out, "S%d>%u", (int)operand->imm, operand[1].ref);
        } else if (insn->op == ISA_OP_CONV_SYNC) {
            out += sprintf(out, "|%d", (int)operand->imm);
        } else if (insn->op == ISA_OP_BRA) {
            ck_assert_uint_eq(function->labels[operand->aux].insn, operand->ref);
            out += sprintf(out, "%c%u", !guarded ? 'j' : insn->mods.flags ? 'u' : '?', operand->ref);
        } else if (insn->op == ISA_OP_BRX_IDX) {
            const struct isa_table *table = &function->tables[operand[1].ref];
            out += sprintf(out, "s");
            for (size_t t = 0; t < table->count; t++) {
                out += sprintf(out, "%s%u", t > 0 ? "," : "", table->items[t]);
            }
        } else if (insn->op == ISA_OP_CALL) {
            out += sprintf(out, "c%u", operand->ref);
        } else {
            static const char words[][2] = {"rR", "eE", "tT", "w ", ". "};
            int kind = insn->op == ISA_OP_RET        ? 0
                       : insn->op == ISA_OP_EXIT     ? 1
                       : insn->op == ISA_OP_TRAP     ? 2
                       : insn->op == ISA_OP_BAR_SYNC ? 3
                                                     : 4;
            out += sprintf(out, "%c", words[kind][guarded]);
        }
    }
}

struct meeting {
    bool is_entry;
    const char *text, *converged;
};

static const struct meeting meetings[] = {
    {true, ". . r", ". . r"},
    {true, "?3 . j4 . . r", "S0>5 ?4 . j5 . |0 . r"},
    {true, "u3 . j4 . . r", "u3 . j4 . . r"},
    {true, "?1 . r", "?1 . r"},
    /* a kernel's lanes that leave are not waited for; a device function's are */
    {true, "?2 . r", "?2 . r"},
    {false, "?2 . r", "S0>3 ?3 . |0 r"},
    /* a return inside an if does not keep the others apart */
    {true, "?3 ?5 . . . r", "S0>4 ?4 ?7 . |0 . . r"},
    {true, "?3 E . . r", "S0>4 ?4 E . |0 . r"},
    {true, "?5 ?4 . . . . r", "S1>8 ?8 S0>6 ?6 . . |0 . |1 . r"},
    {true, "?5 ?4 . r . . r", "S0>6 ?6 ?5 . r . |0 . r"},
    {true, "?5 ?4 w r . . r", "?5 ?4 w r . . r"},
    {false, "?3 ?5 . . . r", "S0>7 ?5 S0>7 ?7 . . . |0 r"},
    /* loops */
    {true, ". . ?1 . r", ". . S0>4 ?1 |0 . r"},
    {true, "?3 . j0 . r", "S0>4 ?4 . j0 |0 . r"},
    {true, ". ?3 . . ?1 . r", ". S0>4 ?4 . |0 . S1>8 ?1 |1 . r"},
    /* a way out of the middle of a loop, with work on it */
    {true, ". ?4 ?0 j6 . r . r", ". ?6 S0>4 ?0 |0 j8 . r . r"},
    /* a loop for ever */
    {true, ". ?4 . j0 j0", ". S0>5 ?5 . j0 |0 j0"},
    /* one number for all that meet at one place */
    {true, "?4 ?4 ?4 . . r", "S0>7 ?7 S0>7 ?7 S0>7 ?7 . |0 . r"},
    {true, "s1,3,5 . j5 . j5 . r", "S0>6 s2,4,6 . j6 . j6 |0 . r"},
    /* labels at the end */
    {false, "?3 . j4 .", "?3 . j4 ."},
    {false, "?2 . j4 .", "S0>3 ?3 . |0 j6 ."},
};

START_TEST(converge_drawn)
{
    const struct meeting *meeting = &meetings[_i];
    static struct draft d;
    struct isa_function function;
    char text[512];
    draft_read(&d, &function, meeting->is_entry, meeting->text);
    size_t before = function.insn_count;
    struct isa_module module = {.functions = &function, .function_count = 1};
    base_arena_init(&module.arena, 0);
    ck_assert_int_eq(isa_converge(&module), BASE_OK);
    show(&function, text);
    ck_assert_str_eq(text, meeting->converged);
    ck_assert_uint_eq(function.text_insn_count, before);
    uint32_t pc = 0;
    for (size_t i = 0; i < function.insn_count; i++) {
        ck_assert_uint_eq(function.insns[i].pc, pc);
        ck_assert_uint_eq(function.insns[i].line, 10 + pc);
        pc += !(isa_ops[function.insns[i].op].flags & ISA_OPF_DERIVED);
    }
    struct isa_function once = function;
    ck_assert_int_eq(isa_converge(&module), BASE_OK);
    ck_assert_mem_eq(&once, &function, sizeof(once));
    show(&function, text);
    ck_assert_str_eq(text, meeting->converged);
    base_arena_free(&module.arena);
}
END_TEST

/* A function that returns lane by lane: its callers' lanes meet after the call. */
START_TEST(converge_calls)
{
    static struct draft d[3];
    struct isa_function functions[3];
    char text[512];
    draft_read(&d[0], &functions[0], false, "R . r");
    draft_read(&d[1], &functions[1], false, "?2 . r");
    draft_read(&d[2], &functions[2], true, ". c0 . c1 . r");
    struct isa_module module = {.functions = functions, .function_count = 3};
    base_arena_init(&module.arena, 0);
    ck_assert_int_eq(isa_converge(&module), BASE_OK);
    show(&functions[2], text);
    ck_assert_str_eq(text, ". S0>3 c0 |0 . c1 . r");
    ck_assert_uint_eq(functions[2].conv_count, 1);
    ck_assert_str_eq(functions[2].labels[functions[2].label_count - 1].name, "$conv_0");
    base_arena_free(&module.arena);
}
END_TEST

/* Eight lanes walked through a function. A lane's choices depend on the lane, the instruction's text number and how
 * many choices it has made; so its way is the same however the lanes take turns. */
#define LANES 8
#define STEPS 1500

struct lane {
    uint32_t at, choices, waits_for; /* waits_for: barrier + 1 */
    bool ended;
    uint64_t trace; /* a hash of the text instructions it executed */
};

static uint32_t choose(const struct lane *lane, uint32_t number, uint32_t pc, uint32_t ways)
{
    uint64_t state = ((uint64_t)number << 40) ^ ((uint64_t)pc << 20) ^ lane->choices;
    draw(&state, 2);
    draw(&state, 2);
    return draw(&state, ways);
}

static void lane_step(const struct isa_function *function, struct lane *lane, uint32_t number, uint32_t *barriers)
{
    const struct isa_insn *insn = &function->insns[lane->at];
    const struct isa_operand *operand = &function->operands[insn->operand_first];
    uint32_t flags = isa_ops[insn->op].flags;
    uint32_t next = lane->at + 1;
    if (insn->op == ISA_OP_CONV_SET) {
        barriers[operand->imm] |= 1U << number;
    } else if (insn->op == ISA_OP_CONV_SYNC) {
        lane->waits_for = barriers[operand->imm] >> number & 1 ? (uint32_t)operand->imm + 1 : 0;
        next -= lane->waits_for > 0;
    } else {
        lane->trace = (lane->trace ^ insn->pc) * UINT64_C(1099511628211);
        bool taken = insn->guard < 0 || choose(lane, number, insn->pc, 3) > 0;
        lane->choices += insn->guard >= 0;
        if (taken && insn->op == ISA_OP_BRA) {
            next = operand->ref;
        } else if (taken && insn->op == ISA_OP_BRX_IDX) {
            const struct isa_table *table = &function->tables[operand[1].ref];
            next = table->items[choose(lane, number, insn->pc, (uint32_t)table->count)];
            lane->choices++;
        } else if (taken && (flags & (ISA_OPF_RETURN | ISA_OPF_EXIT))) {
            lane->ended = true;
        }
    }
    lane->ended |= next >= function->insn_count;
    lane->at = next;
}

static void release(struct lane *lanes, uint32_t *barriers, uint32_t count)
{
    for (uint32_t b = 0; b < count; b++) {
        bool all = barriers[b] != 0;
        for (uint32_t n = 0; n < LANES; n++) {
            barriers[b] &= ~((uint32_t)lanes[n].ended << n);
            all &= !(barriers[b] >> n & 1) || lanes[n].waits_for == b + 1;
        }
        for (uint32_t n = 0; all && n < LANES; n++) {
            if (barriers[b] >> n & 1) {
                lanes[n].waits_for = 0;
                lanes[n].at++;
            }
        }
        barriers[b] = all ? 0 : barriers[b];
    }
}

/* false: the step limit came first. */
static bool walk(const struct isa_function *function, struct lane *lanes, uint64_t *seed, const char *text)
{
    uint32_t barriers[INSNS] = {0};
    memset(lanes, 0, LANES * sizeof(*lanes));
    for (uint32_t step = 0; step < STEPS; step++) {
        uint32_t ready = 0, start = draw(seed, LANES), at = 0;
        bool left = false;
        for (uint32_t n = 0; n < LANES; n++) {
            left |= !lanes[n].ended;
        }
        if (!left) {
            return true;
        }
        for (uint32_t n = start; n < start + LANES; n++) {
            const struct lane *lane = &lanes[n % LANES];
            if (lane->ended || lane->waits_for > 0 || (ready != 0 && lane->at != at)) {
                continue;
            }
            at = lane->at;
            ready |= 1U << n % LANES;
        }
        if (ready == 0) {
            ck_abort_msg("%s: all lanes wait", text);
        }
        for (uint32_t n = 0; n < LANES; n++) {
            if (ready >> n & 1) {
                lane_step(function, &lanes[n], n, barriers);
                if (lanes[n].ended && !function->is_entry && function->insns[lanes[n].at - 1].op == ISA_OP_RET) {
                    for (uint32_t b = 0; b < function->conv_count; b++) {
                        if (barriers[b] >> n & 1) {
                            ck_abort_msg("%s: a lane returned that others wait for", text);
                        }
                    }
                }
            }
        }
        release(lanes, barriers, function->conv_count);
    }
    return false;
}

static void random_flow(uint64_t *seed, char *text)
{
    uint32_t count = 3 + draw(seed, 12);
    for (uint32_t i = 0; i < count; i++) {
        switch (draw(seed, 12)) {
        case 0:
            text += sprintf(text, "j%u ", draw(seed, count + 1));
            break;
        case 1:
        case 2:
        case 3:
        case 4:
            text += sprintf(text, "?%u ", draw(seed, count + 1));
            break;
        case 5:
            text += sprintf(text, "s%u,%u,%u ", draw(seed, count + 1), draw(seed, count + 1), draw(seed, count + 1));
            break;
        case 6:
            text += sprintf(text, "%c ", "rRrReEt"[draw(seed, 7)]);
            break;
        default:
            text += sprintf(text, ". ");
        }
    }
}

/* Whatever the graph: no lanes wait for ever, and each goes the way it would have gone alone. */
START_TEST(converge_random)
{
    static struct draft d;
    uint64_t seed = 1000 + (uint64_t)_i;
    uint32_t finished = 0;
    for (int round = 0; round < 300; round++) {
        char text[512];
        struct isa_function function;
        struct lane plain[LANES], met[LANES];
        random_flow(&seed, text);
        draft_read(&d, &function, draw(&seed, 2) == 0, text);
        struct isa_module module = {.functions = &function, .function_count = 1};
        base_arena_init(&module.arena, 0);
        bool ends = walk(&function, plain, &seed, text);
        ck_assert_int_eq(isa_converge(&module), BASE_OK);
        if (walk(&function, met, &seed, text) && ends) {
            finished++;
            for (uint32_t n = 0; n < LANES; n++) {
                ck_assert_msg(plain[n].trace == met[n].trace, "%s: lane %u", text, n);
            }
        }
        base_arena_free(&module.arena);
    }
    ck_assert_uint_gt(finished, 50);
}
END_TEST

/* Register slots */

static const enum isa_type reg_types[] = {ISA_TYPE_B32, ISA_TYPE_B64, ISA_TYPE_B32,  ISA_TYPE_PRED,
                                          ISA_TYPE_B64, ISA_TYPE_B16, ISA_TYPE_B128, ISA_TYPE_PRED};

/* An instruction of any shape liveness knows; which registers it takes does not matter to it. */
static void random_insn(struct draft *d, uint64_t *seed, uint32_t count)
{
    static const struct {
        enum isa_op op;
        uint8_t dsts, srcs;
        bool memory;
    } kinds[] = {{ISA_OP_ADD, 1, 2, false},  {ISA_OP_MOV, 1, 1, false}, {ISA_OP_MOV, 2, 1, false},
                 {ISA_OP_FMA, 1, 3, false},  {ISA_OP_LD, 1, 0, true},   {ISA_OP_LD, 2, 0, true},
                 {ISA_OP_ST, 0, 1, true},    {ISA_OP_ATOM, 1, 1, true}, {ISA_OP_SHFL, 2, 2, false},
                 {ISA_OP_VOTE, 1, 1, false}, {ISA_OP_MUL, 1, 2, false}};
    bool guarded = draw(seed, 4) == 0;
    int32_t guard = guarded ? (draw(seed, 2) == 0 ? 3 : 7) : -1;
    uint32_t what = draw(seed, 16);
    if (what < 3) {
        draft_insn(d, ISA_OP_BRA, guard);
        draft_label(d, draw(seed, count));
        return;
    }
    if (what == 3) {
        draft_insn(d, ISA_OP_RET, guard);
        return;
    }
    uint32_t k = draw(seed, sizeof(kinds) / sizeof(kinds[0]));
    struct isa_insn *insn = draft_insn(d, kinds[k].op, guard);
    insn->dst_count = kinds[k].dsts;
    uint32_t first = draw(seed, 8);
    for (uint32_t o = 0; o < kinds[k].dsts; o++) {
        draft_operand(d, ISA_OPERAND_REG, (first + o * 3) % 8);
    }
    if (kinds[k].memory) {
        draft_operand(d, ISA_OPERAND_MEM, draw(seed, 8));
    }
    for (uint32_t o = 0; o < kinds[k].srcs; o++) {
        draft_operand(d, ISA_OPERAND_REG, draw(seed, 8));
    }
}

static bool writes_reg(const struct isa_function *f, uint32_t i, uint32_t reg)
{
    const struct isa_insn *insn = &f->insns[i];
    for (uint32_t o = 0; o < insn->dst_count; o++) {
        if (f->operands[insn->operand_first + o].ref == reg) {
            return true;
        }
    }
    return false;
}

static bool reads_reg(const struct isa_function *f, uint32_t i, uint32_t reg)
{
    const struct isa_insn *insn = &f->insns[i];
    for (uint32_t o = insn->dst_count; o < insn->operand_count; o++) {
        const struct isa_operand *operand = &f->operands[insn->operand_first + o];
        if (operand->kind != ISA_OPERAND_LABEL && operand->ref == reg) {
            return true;
        }
    }
    return insn->guard == (int32_t)reg;
}

/* The instructions control can go to from i, at most two. */
static uint32_t steps_from(const struct isa_function *f, uint32_t i, uint32_t next[2])
{
    const struct isa_insn *insn = &f->insns[i];
    uint32_t count = 0;
    if (insn->op == ISA_OP_BRA) {
        next[count++] = f->operands[insn->operand_first].ref;
    }
    if (insn->guard >= 0 || (insn->op != ISA_OP_BRA && insn->op != ISA_OP_RET)) {
        next[count++] = i + 1;
    }
    return count;
}

static void mark_reached(const struct isa_function *f, uint32_t i, bool *seen)
{
    if (i >= f->insn_count || seen[i]) {
        return;
    }
    uint32_t next[2];
    seen[i] = true;
    for (uint32_t n = steps_from(f, i, next); n-- > 0;) {
        mark_reached(f, next[n], seen);
    }
}

/* Whether a path from in front of i reads reg before it surely writes it. */
static bool path_reads(const struct isa_function *f, uint32_t i, uint32_t reg, bool *seen)
{
    if (i >= f->insn_count || seen[i]) {
        return false;
    }
    seen[i] = true;
    if (reads_reg(f, i, reg)) {
        return true;
    }
    if (writes_reg(f, i, reg) && f->insns[i].guard < 0) {
        return false;
    }
    uint32_t next[2];
    bool found = false;
    for (uint32_t n = steps_from(f, i, next); n-- > 0;) {
        found |= path_reads(f, next[n], reg, seen);
    }
    return found;
}

static bool wanted_before(const struct isa_function *f, uint32_t i, uint32_t reg)
{
    bool seen[INSNS] = {false};
    return path_reads(f, i, reg, seen);
}

static bool wanted_after(const struct isa_function *f, uint32_t i, uint32_t reg)
{
    uint32_t next[2];
    bool found = false;
    for (uint32_t n = steps_from(f, i, next); n-- > 0;) {
        found |= wanted_before(f, next[n], reg);
    }
    return found;
}

static uint32_t slots_of(uint32_t reg)
{
    return reg_types[reg] == ISA_TYPE_B64 ? 2 : reg_types[reg] == ISA_TYPE_B128 ? 4 : 1;
}

static bool overlap(const struct isa_slots *slots, uint32_t a, uint32_t b)
{
    if ((reg_types[a] == ISA_TYPE_PRED) != (reg_types[b] == ISA_TYPE_PRED)) {
        return false;
    }
    return slots->slot[a] < slots->slot[b] + slots_of(b) && slots->slot[b] < slots->slot[a] + slots_of(a);
}

static void check_insn_slots(const struct isa_function *f, const struct isa_slots *slots, uint32_t i)
{
    const struct isa_insn *insn = &f->insns[i];
    bool may_reuse = insn->dst_count == 1 && insn->op != ISA_OP_LD && insn->op != ISA_OP_ATOM &&
                     insn->op != ISA_OP_VOTE && insn->op != ISA_OP_SHFL;
    for (uint32_t a = 0; a < 8; a++) {
        bool before_a = wanted_before(f, i, a), after_a = wanted_after(f, i, a) || writes_reg(f, i, a);
        for (uint32_t b = 0; b < 8; b++) {
            bool before_b = wanted_before(f, i, b), after_b = wanted_after(f, i, b) || writes_reg(f, i, b);
            if (a != b && ((before_a && before_b) || (after_a && after_b))) {
                ck_assert_msg(!overlap(slots, a, b), "insn %u: %u and %u", i, a, b);
            }
            if (a != b && writes_reg(f, i, a) && reads_reg(f, i, b) && overlap(slots, a, b)) {
                ck_assert(may_reuse && slots->slot[a] == slots->slot[b] && slots_of(a) == slots_of(b));
            }
        }
    }
}

static uint32_t pressure_at(const struct isa_function *f, uint32_t i)
{
    uint32_t before = 0, after = 0;
    for (uint32_t r = 0; r < 8; r++) {
        uint32_t size = reg_types[r] == ISA_TYPE_PRED ? 0 : slots_of(r);
        before += wanted_before(f, i, r) ? size : 0;
        after += wanted_after(f, i, r) || writes_reg(f, i, r) ? size : 0;
    }
    return before > after ? before : after;
}

START_TEST(slots_random)
{
    static struct draft d;
    uint64_t seed = 77 + (uint64_t)_i;
    for (int round = 0; round < 300; round++) {
        struct isa_function function;
        struct isa_slots slots;
        struct isa_cfg cfg;
        struct base_arena arena;
        bool reached[INSNS] = {false};
        uint32_t pressure = 0, count = 2 + draw(&seed, 24);
        base_arena_init(&arena, 0);
        draft_begin(&d, &function, true);
        for (size_t r = 0; r < 8; r++) {
            draft_reg(&d, reg_types[r]);
        }
        for (uint32_t i = 0; i < count; i++) {
            random_insn(&d, &seed, count);
        }
        ck_assert_int_eq(isa_cfg_build(&function, &arena, &cfg), BASE_OK);
        ck_assert_int_eq(isa_assign_slots(&function, &cfg, &arena, &slots), BASE_OK);
        mark_reached(&function, 0, reached);
        for (uint32_t i = 0; i < count; i++) {
            ck_assert_int_eq(reached[i], cfg.blocks[cfg.block_of[i]].reachable);
            if (reached[i]) {
                check_insn_slots(&function, &slots, i);
                pressure = pressure_at(&function, i) > pressure ? pressure_at(&function, i) : pressure;
            }
        }
        ck_assert_uint_eq(slots.pressure, pressure);
        for (uint32_t r = 0; r < 8; r++) {
            bool pred = reg_types[r] == ISA_TYPE_PRED;
            ck_assert_uint_eq(slots.slot[r] % slots_of(r), 0);
            ck_assert_uint_le(slots.slot[r] + slots_of(r), pred ? slots.pred_count : slots.slot_count);
        }
        base_arena_free(&arena);
    }
}
END_TEST

/* A chain of sums needs two slots however long it is. */
START_TEST(slots_few)
{
    static struct draft d;
    struct isa_function function;
    struct isa_slots slots;
    struct isa_cfg cfg;
    struct base_arena arena;
    base_arena_init(&arena, 0);
    draft_begin(&d, &function, true);
    for (uint32_t i = 0; i < 30; i++) {
        draft_reg(&d, ISA_TYPE_B32);
        draft_insn(&d, ISA_OP_ADD, -1)->dst_count = 1;
        draft_operand(&d, ISA_OPERAND_REG, i);
        draft_operand(&d, i > 0 ? ISA_OPERAND_REG : ISA_OPERAND_IMM, i > 0 ? i - 1 : 0);
        draft_operand(&d, i > 1 ? ISA_OPERAND_REG : ISA_OPERAND_IMM, i > 1 ? i - 2 : 0);
    }
    ck_assert_int_eq(isa_cfg_build(&function, &arena, &cfg), BASE_OK);
    ck_assert_int_eq(isa_assign_slots(&function, &cfg, &arena, &slots), BASE_OK);
    ck_assert_uint_eq(slots.slot_count, 2);
    ck_assert_uint_eq(slots.pressure, 2);
    base_arena_free(&arena);
}
END_TEST

/* Linking. A module for it: a kernel and what it may call, and variables of many spaces. */

struct scene {
    struct draft drafts[5];
    struct isa_function functions[5];
    struct isa_var vars[8];
    struct isa_module module;
    struct base_arena arena;
    struct isa_linked linked;
    struct base_diags diags;
};

static struct scene *scene_begin(void)
{
    struct scene *s = calloc(1, sizeof(*s));
    ck_assert_ptr_nonnull(s);
    base_arena_init(&s->arena, 0);
    s->module.functions = s->functions;
    s->module.vars = s->vars;
    s->module.source = (struct base_source){.name = "t.ptx", .text = "text\n", .size = 5};
    return s;
}

static void scene_add(struct scene *s, const char *name, bool is_entry, const char *text)
{
    size_t f = s->module.function_count++;
    draft_read(&s->drafts[f], &s->functions[f], is_entry, text);
    s->functions[f].name = name;
}

static void scene_var(struct scene *s, const char *name, enum isa_space space, uint64_t size, uint32_t align)
{
    s->vars[s->module.var_count++] = (struct isa_var){.name = name,
                                                      .space = (uint8_t)space,
                                                      .type = ISA_TYPE_B8,
                                                      .size_bytes = size,
                                                      .unsized = size == 0,
                                                      .align_bytes = align,
                                                      .function = -1};
}

/* Lets instruction i of a function name something: all words but branches and calls may have more operands. */
static void scene_name(struct scene *s, size_t f, uint32_t i, enum isa_operand_kind kind, uint32_t ref)
{
    struct draft *d = &s->drafts[f];
    struct isa_insn *insn = &d->insns[i];
    insn->operand_first = (uint32_t)s->functions[f].operand_count;
    insn->operand_count = insn->dst_count = 0;
    d->operands[s->functions[f].operand_count++] = (struct isa_operand){.kind = (uint8_t)kind, .ref = ref};
    insn->operand_count = 1;
}

static enum base_status scene_link(struct scene *s)
{
    return isa_link(&s->module, 0, &s->arena, &s->linked, &s->diags);
}

static void scene_end(struct scene *s)
{
    base_diags_free(&s->diags);
    base_arena_free(&s->arena);
    free(s);
}

START_TEST(link_shared)
{
    struct scene *s = scene_begin();
    scene_add(s, "kernel", true, ". . . c1 r");
    scene_add(s, "helper", false, ". r");
    scene_add(s, "other", false, ". r");
    scene_var(s, "first", ISA_SPACE_SHARED, 5, 1);
    scene_var(s, "dynamic8", ISA_SPACE_SHARED, 0, 8);
    scene_var(s, "not_named", ISA_SPACE_SHARED, 100, 4);
    scene_var(s, "dynamic16", ISA_SPACE_SHARED, 0, 16);
    scene_var(s, "last", ISA_SPACE_SHARED, 7, 4);
    scene_var(s, "of_other", ISA_SPACE_SHARED, 64, 4);
    uint32_t of_helper = 4, of_other = 5;
    s->functions[1].locals = &of_helper;
    s->functions[2].locals = &of_other;
    s->functions[1].local_count = s->functions[2].local_count = 1;
    scene_name(s, 0, 0, ISA_OPERAND_SYMBOL, 0);
    scene_name(s, 0, 1, ISA_OPERAND_SYMBOL, 1);
    scene_name(s, 0, 2, ISA_OPERAND_SYMBOL, 3);
    ck_assert_int_eq(scene_link(s), BASE_OK);
    ck_assert_uint_eq(s->linked.shared_offset[0], 0);
    ck_assert_uint_eq(s->linked.shared_offset[4], 8);
    ck_assert_uint_eq(s->linked.shared_static_bytes, 15);
    ck_assert_uint_eq(s->linked.shared_offset[1], 16);
    ck_assert_uint_eq(s->linked.shared_offset[3], 16);
    ck_assert(s->linked.shared_offset[2] == UINT64_MAX && s->linked.shared_offset[5] == UINT64_MAX);
    ck_assert(s->linked.uses_dynamic_shared);
    ck_assert(s->linked.reaches_function[1] && !s->linked.reaches_function[2]);
    ck_assert(!s->linked.is_recursive && !s->linked.has_indirect_call);
    ck_assert_uint_eq(s->linked.registers_estimate, 16);
    scene_end(s);
}
END_TEST

START_TEST(link_frames)
{
    struct scene *s = scene_begin();
    scene_add(s, "kernel", true, "c1 r");
    scene_add(s, "helper", false, "r");
    scene_var(s, "kernel_param", ISA_SPACE_PARAM, 8, 8);
    scene_var(s, "stack", ISA_SPACE_LOCAL, 20, 16);
    scene_var(s, "call_param", ISA_SPACE_PARAM, 8, 8);
    scene_var(s, "param", ISA_SPACE_PARAM, 4, 4);
    scene_var(s, "ret", ISA_SPACE_PARAM, 8, 8);
    uint32_t kernel_params[] = {0}, kernel_locals[] = {1, 2}, params[] = {3}, rets[] = {4};
    s->functions[0].params = kernel_params;
    s->functions[0].param_count = 1;
    s->functions[0].locals = kernel_locals;
    s->functions[0].local_count = 2;
    s->functions[1].params = params;
    s->functions[1].rets = rets;
    s->functions[1].param_count = s->functions[1].ret_count = 1;
    ck_assert_int_eq(scene_link(s), BASE_OK);
    ck_assert_uint_eq(s->linked.local_offset[0], UINT32_MAX);
    ck_assert_uint_eq(s->linked.local_offset[1], 0);
    ck_assert_uint_eq(s->linked.local_offset[2], 24);
    ck_assert_uint_eq(s->linked.frame_bytes[0], 32);
    ck_assert_uint_eq(s->linked.local_offset[3], 0);
    ck_assert_uint_eq(s->linked.local_offset[4], 8);
    ck_assert_uint_eq(s->linked.frame_bytes[1], 16);
    s->vars[1].size_bytes = UINT64_MAX - 3;
    ck_assert_int_eq(scene_link(s), BASE_INVALID);
    scene_end(s);
}
END_TEST

START_TEST(link_unsupported)
{
    struct scene *s = scene_begin();
    scene_add(s, "kernel", true, "j2 . r");
    scene_add(s, "other", true, ". r");
    s->drafts[0].insns[1].op = ISA_OP_UNSUPPORTED;
    s->drafts[0].insns[1].text = "wgmma.fence.sync.aligned";
    s->drafts[1].insns[0].op = ISA_OP_UNSUPPORTED;
    s->drafts[1].insns[0].text = "tex.2d.v4.f32.f32";
    ck_assert_int_eq(scene_link(s), BASE_OK);
    ck_assert_uint_eq(s->diags.errors, 0);
    ck_assert_int_eq(isa_link(&s->module, 1, &s->arena, &s->linked, &s->diags), BASE_UNSUPPORTED);
    ck_assert_uint_eq(s->diags.count, 2);
    ck_assert_str_eq(s->diags.items[0].message, "tex.2d.v4.f32.f32 is not supported");
    ck_assert_int_eq(s->diags.items[1].severity, BASE_NOTE);
    s->drafts[0].insns[0].guard = 0;
    ck_assert_int_eq(scene_link(s), BASE_UNSUPPORTED);
    ck_assert_str_eq(s->diags.items[2].message, "wgmma.fence.sync.aligned is not supported");
    scene_end(s);
}
END_TEST

START_TEST(link_calls)
{
    struct scene *s = scene_begin();
    scene_add(s, "kernel", true, "c1 c2 . r");
    scene_add(s, "recursive", false, "?2 c1 r");
    scene_add(s, "vprintf", false, "");
    scene_add(s, "by_pointer", false, "r");
    scene_add(s, "missing", false, "");
    s->functions[2].is_declaration = s->functions[4].is_declaration = true;
    ck_assert_int_eq(scene_link(s), BASE_OK);
    ck_assert(s->linked.is_recursive && !s->linked.has_indirect_call && !s->linked.reaches_function[3]);
    /* an indirect call reaches what an initialiser names */
    struct isa_reloc reloc = {.is_function = true, .ref = 3, .size_bytes = 8};
    scene_var(s, "table", ISA_SPACE_GLOBAL, 8, 8);
    s->vars[0].relocs = &reloc;
    s->vars[0].reloc_count = 1;
    struct isa_table *prototype = &s->drafts[0].tables[s->functions[0].table_count++];
    *prototype = (struct isa_table){.kind = ISA_TABLE_PROTOTYPE};
    scene_name(s, 0, 2, ISA_OPERAND_TABLE, 0);
    s->drafts[0].insns[2].op = ISA_OP_CALL;
    ck_assert_int_eq(scene_link(s), BASE_OK);
    ck_assert(s->linked.has_indirect_call && s->linked.reaches_function[3]);
    reloc.ref = 4;
    ck_assert_int_eq(scene_link(s), BASE_INVALID);
    ck_assert_str_eq(s->diags.items[0].message, "function missing is not defined");
    scene_end(s);
}
END_TEST

START_TEST(find_kernel)
{
    struct scene *s = scene_begin();
    uint32_t kernel = 99;
    ck_assert_int_eq(isa_find_kernel(&s->module, NULL, &kernel, &s->diags), BASE_INVALID);
    scene_add(s, "_Z3fooPfi", true, "r");
    ck_assert_int_eq(isa_find_kernel(&s->module, NULL, &kernel, &s->diags), BASE_OK);
    ck_assert_uint_eq(kernel, 0);
    scene_add(s,
              "_ZN6cudapy8__main__6vecaddB2v1B96cw51cXTLSUwHBinCqbbgUAAGBlq82ILSCEQYkgSQBFCjFSaBZJtttTo4sahbKUBDUB3"
              "kNVDaQRKChQ_2bSEFA_2fkGdcqwkAE5ArrayIfLi1E1A7mutable7alignedE",
              true, "r");
    scene_add(s, "_ZN2ns3barIfEEvPT_", true, "r");
    scene_add(s, "_ZN12_GLOBAL__N_13fooEv", true, "r");
    scene_add(s, "_Z9999999999999999999999bar", true, "r");
    static const struct {
        const char *name;
        int32_t kernel;
    } names[] = {{"_Z3fooPfi", 0}, {"vecadd", 1},  {"bar", 2}, {"ns::bar", 2},           {"__main__::vecadd", 1},
                 {"foo", -1},      {"vecad", -1},  {"r", -1},  {"_GLOBAL__N_1::foo", 3}, {"::bar", -1},
                 {"", -1},         {"s::bar", -1}, {NULL, -1}};
    for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
        enum base_status status = isa_find_kernel(&s->module, names[n].name, &kernel, &s->diags);
        ck_assert_int_eq(status, names[n].kernel < 0 ? BASE_INVALID : BASE_OK);
        if (status == BASE_OK) {
            ck_assert_int_eq((int32_t)kernel, names[n].kernel);
        }
    }
    ck_assert_ptr_nonnull(strstr(s->diags.items[1].message, "several kernels are called foo: _Z3fooPfi, _ZN12"));
    scene_end(s);
}
END_TEST

Suite *flow_suite(void)
{
    Suite *suite = suite_create("flow");
    TCase *cfg = tcase_create("cfg"), *converge = tcase_create("converge");
    TCase *slots = tcase_create("slots"), *link = tcase_create("link");
    tcase_add_loop_test(cfg, cfg_drawn, 0, (int)(sizeof(shapes) / sizeof(shapes[0])));
    tcase_add_test(cfg, cfg_edges);
    tcase_add_test(cfg, cfg_noreturn);
    tcase_add_loop_test(cfg, post_dominators_random, 0, 4);
    tcase_add_test(cfg, cfg_long);
    tcase_add_loop_test(converge, converge_drawn, 0, (int)(sizeof(meetings) / sizeof(meetings[0])));
    tcase_add_test(converge, converge_calls);
    tcase_add_loop_test(converge, converge_random, 0, 8);
    tcase_add_loop_test(slots, slots_random, 0, 4);
    tcase_add_test(slots, slots_few);
    tcase_add_test(link, link_shared);
    tcase_add_test(link, link_frames);
    tcase_add_test(link, link_unsupported);
    tcase_add_test(link, link_calls);
    tcase_add_test(link, find_kernel);
    suite_add_tcase(suite, cfg);
    suite_add_tcase(suite, converge);
    suite_add_tcase(suite, slots);
    suite_add_tcase(suite, link);
    return suite;
}
