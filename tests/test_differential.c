/* Random programs, run by the engine and, thread by thread, by the test itself.
 *
 * A program is a list of instructions over a few registers of each width, with branches, loops, switches, breaks and
 * exits; the generator writes it as PTX. Its instructions are drawn from every variant (opcode, types, modifiers) that
 * the reader takes and the engine has a lane function for. Two interpreters check it:
 *   - run_thread() walks one thread from start to end. What an instruction computes is lane_reference()'s; where that
 *     has nothing (approximations, 16-bit floating point, payloads of NaN) the base lane function is asked, with the
 *     thread's values in all lanes, and a lane other than the thread's own is read.
 *   - run_warp() walks a warp with a stack of (place, meeting place, lanes), as older GPUs did, with meeting places
 *     found by their definition; it says how often, and by how many threads, every instruction is executed.
 * SIMTLAB_LONG=1 in the environment makes it 100,000 programs. */
#include "tests/engine_kit.h"
#include "tests/lane_reference.h"
#include "tests/variants.h"

#include <stddef.h>
#include <stdlib.h>

Suite *differential_suite(void);

enum {
    H_REGS = 6,
    R_REGS = 10,
    R_ALL = 14,
    D_REGS = 6,
    P_REGS = 5,
    P_ALL = 8,
    INSNS_MAX = 400,
    NOWHERE = INSNS_MAX + 1
};
enum { THREAD_BYTES = D_REGS * 8 + R_REGS * 4 + H_REGS * 4 + 8 };

/* ---- Variants ---- */

struct catalogue {
    struct variant_list all;
    const struct variant *and, *subtract, *not_less; /* what loops are made of */
};

static const struct variant *find_variant(const struct catalogue *c, const char *mnemonic)
{
    for (size_t i = 0; i < c->all.count; i++) {
        struct base_strbuf text = {0};
        variant_put_mnemonic(&text, &c->all.items[i].insn);
        bool same = strcmp(text.data, mnemonic) == 0;
        base_strbuf_free(&text);
        if (same)
            return &c->all.items[i];
    }
    ck_abort_msg("no variant %s", mnemonic);
    return NULL;
}

static void make_catalogue(struct catalogue *c)
{
    variant_list_make(&c->all);
    c->and = find_variant(c, "and.b32");
    c->subtract = find_variant(c, "sub.s32");
    c->not_less = find_variant(c, "setp.ge.s32");
}

/* ---- Programs ---- */

enum step_kind { STEP_LANES, STEP_LOGIC, STEP_BRANCH, STEP_SWITCH, STEP_EXIT };

struct operand {
    char file;     /* h, r, d, p; i: a constant; 0: none */
    uint8_t index; /* register */
    bool negated;
    uint64_t value;
};

struct step {
    enum step_kind kind;
    const struct variant *variant;
    enum isa_op logic; /* LOGIC: and, or, xor, not, mov of predicates */
    struct operand operands[8];
    unsigned operand_count;
    int guard; /* predicate, -1: none */
    bool guard_negated;
    unsigned targets[4], target_count, table;
    unsigned meet; /* where lanes that go apart here meet; NOWHERE */
};

struct program {
    const struct catalogue *catalogue;
    uint64_t random;
    struct step steps[INSNS_MAX];
    unsigned count, depth, loop_depth;
    unsigned break_at[INSNS_MAX], breaks; /* branches out of loops that are not complete yet, innermost last */
    uint32_t stored_h, stored_r, stored_d, stored_p;
};

static uint64_t draw(struct program *p)
{
    uint64_t z = p->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static unsigned below(struct program *p, unsigned limit)
{
    return (unsigned)(draw(p) % limit);
}

/* Bits that look like numbers: small ones, edges, floating point of every class, noise. */
static uint64_t draw_bits(struct program *p)
{
    static const uint64_t edges[] = {
        0, 1, UINT64_MAX, UINT64_C(0x7fffffff), UINT64_C(0x80000000), UINT64_C(0x8000000000000000),
        UINT64_C(0x7fffffffffffffff), 0xffff, 0x8000, 31, 32, 33, 64,
        /* f32: 1, -2.5, inf, -inf, NaN, subnormals, -0, 2^31 */
        0x3f800000, 0xc0200000, 0x7f800000, 0xff800000, 0x7fc12345, 1, 0x807fffff, 0x4f000000, 0x00800000,
        /* f64: 1, -1.5, inf, NaN, subnormal, 2^-130 */
        UINT64_C(0x3ff0000000000000), UINT64_C(0xbff8000000000000), UINT64_C(0x7ff0000000000000),
        UINT64_C(0x7ff8000000000001), UINT64_C(0x000fffffffffffff), UINT64_C(0x37d0000000000000),
        /* f16: 1, -inf, NaN */
        0x3c00, 0xfc00, 0x7e01, UINT64_C(0x3c003f803c00bc00)};
    switch (below(p, 6)) {
    case 0:
        return below(p, 70);
    case 1:
        return (uint64_t)0 - below(p, 70);
    case 2:
        return edges[below(p, (unsigned)(sizeof(edges) / sizeof(edges[0])))];
    case 3: { /* an f32 near 1 in the low half, an f64 in the whole */
        uint64_t bits = draw(p), near = UINT64_C(0x3ff000003f800000);
        near += ((bits >> 32 & 0xf) << 52) + ((bits >> 36 & 7) << 23);
        return near | (bits & UINT64_C(0x800fffff807fffff));
    }
    default:
        return draw(p);
    }
}

static struct step *add_step(struct program *p, enum step_kind kind)
{
    ck_assert_uint_lt(p->count, INSNS_MAX);
    struct step *step = &p->steps[p->count++];
    *step = (struct step){.kind = kind, .guard = -1, .meet = NOWHERE};
    return step;
}

static unsigned file_size(char file)
{
    return file == 'h' ? H_REGS : file == 'r' ? R_REGS : file == 'd' ? D_REGS : P_REGS;
}

static struct operand draw_source(struct program *p, const struct isa_insn *insn, char letter)
{
    unsigned bits = variant_letter_bits(insn, letter);
    struct operand o = {.file = variant_file(bits)};
    uint8_t type = letter == 'b' && insn->type2 != ISA_TYPE_NONE ? insn->type2 : insn->type;
    uint8_t class = isa_types[type].class;
    bool half = class == ISA_CLASS_PACKED || (class == ISA_CLASS_FLOAT && bits == 16) || bits == 8;
    if (letter == 'i') {
        o.file = 'i';
        o.value = below(p, 256);
        return o;
    }
    if (o.file != 'p' && (letter == 's' || !half) && below(p, 6) == 0 && insn->op != ISA_OP_CVT) {
        o.file = 'i';
        o.value = draw_bits(p) & (bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1);
        return o;
    }
    if (insn->op == ISA_OP_CVT && class != ISA_CLASS_FLOAT && class != ISA_CLASS_PACKED && below(p, 3) == 0)
        o.file = variant_file(bits <= 16 ? (below(p, 2) != 0 ? 32 : 64)
                                         : 64); /* cvt reads the low bits of a wider register */
    o.index = (uint8_t)below(p, file_size(o.file));
    o.negated = o.file == 'p' && below(p, 3) == 0;
    return o;
}

static struct operand draw_destination(struct program *p, const struct isa_insn *insn, char letter)
{
    unsigned bits = variant_letter_bits(insn, letter);
    struct operand o = {.file = variant_file(bits)};
    uint8_t class = isa_types[insn->type].class;
    if (insn->op == ISA_OP_CVT && class != ISA_CLASS_FLOAT && class != ISA_CLASS_PACKED && below(p, 3) == 0)
        o.file = variant_file(bits <= 16 ? (below(p, 2) != 0 ? 32 : 64) : 64);
    o.index = (uint8_t)below(p, file_size(o.file));
    return o;
}

static void draw_guard(struct program *p, struct step *step)
{
    step->guard = (int)below(p, P_REGS);
    step->guard_negated = below(p, 2) != 0;
}

/* One instruction computed lane by lane. */
static void add_lanes(struct program *p)
{
    const struct catalogue *c = p->catalogue;
    unsigned op;
    do {
        op = below(p, ISA_OP_COUNT);
    } while (c->all.first[op] == c->all.first[op + 1]);
    struct step *step = add_step(p, STEP_LANES);
    step->variant = &c->all.items[c->all.first[op] + draw(p) % (c->all.first[op + 1] - c->all.first[op])];
    for (const char *letter = step->variant->letters; *letter != '\0'; letter++) {
        bool destination = strchr("dwDp", *letter) != NULL;
        step->operands[step->operand_count++] = destination ? draw_destination(p, &step->variant->insn, *letter)
                                                            : draw_source(p, &step->variant->insn, *letter);
    }
    const uint8_t type = step->variant->insn.type;
    if (op == ISA_OP_SETP && type != ISA_TYPE_F16 && type != ISA_TYPE_BF16 &&
        (isa_types[type].class == ISA_CLASS_PACKED || below(p, 3) == 0)) { /* p|q */
        memmove(&step->operands[2], &step->operands[1], 5 * sizeof(step->operands[0]));
        step->operands[1] = (struct operand){.file = 'p', .index = (uint8_t)((step->operands[0].index + 1) % P_REGS)};
        step->operand_count++;
    }
    if (below(p, 4) == 0)
        draw_guard(p, step);
}

static void add_logic(struct program *p)
{
    static const enum isa_op ops[] = {ISA_OP_AND, ISA_OP_OR, ISA_OP_XOR, ISA_OP_NOT, ISA_OP_MOV};
    struct step *step = add_step(p, STEP_LOGIC);
    step->logic = ops[below(p, 5)];
    step->operand_count = step->logic == ISA_OP_NOT || step->logic == ISA_OP_MOV ? 2 : 3;
    for (unsigned i = 0; i < step->operand_count; i++)
        step->operands[i] = (struct operand){.file = 'p', .index = (uint8_t)below(p, P_REGS)};
    if (below(p, 4) == 0)
        draw_guard(p, step);
}

static struct operand reg(char file, unsigned index)
{
    return (struct operand){.file = file, .index = (uint8_t)index};
}

static void add_given(struct program *p, const struct variant *variant, struct operand d, struct operand a,
                      uint64_t value)
{
    struct step *step = add_step(p, STEP_LANES);
    step->variant = variant;
    step->operands[0] = d;
    step->operands[1] = a;
    step->operands[2] = (struct operand){.file = 'i', .value = value};
    step->operand_count = 3;
}

static void add_block(struct program *p, unsigned length);

static void add_if(struct program *p)
{
    unsigned branch = p->count, jump = 0;
    bool has_else = below(p, 2) != 0;
    struct step *step = add_step(p, STEP_BRANCH);
    draw_guard(p, step);
    step->target_count = 1;
    add_block(p, 1 + below(p, 4));
    if (has_else) {
        jump = p->count;
        add_step(p, STEP_BRANCH)->target_count = 1;
    }
    p->steps[branch].targets[0] = p->count;
    if (has_else) {
        add_block(p, 1 + below(p, 4));
        p->steps[jump].targets[0] = p->count;
    }
    add_lanes(p); /* something stands where they meet */
}

/* A loop of 1 to 4 rounds, by the data of each thread; with breaks in it. */
static void add_loop(struct program *p)
{
    struct operand counter = reg('r', R_REGS + p->loop_depth), test = reg('p', P_REGS + p->loop_depth);
    unsigned outer = p->breaks;
    add_given(p, p->catalogue->and, counter, reg('r', below(p, R_REGS)), 3);
    unsigned head = p->count;
    p->loop_depth++;
    add_block(p, 2 + below(p, 4));
    p->loop_depth--;
    add_given(p, p->catalogue->subtract, counter, counter, 1);
    add_given(p, p->catalogue->not_less, test, counter, 0);
    struct step *back = add_step(p, STEP_BRANCH);
    back->guard = test.index;
    back->target_count = 1;
    back->targets[0] = head;
    while (p->breaks > outer)
        p->steps[p->break_at[--p->breaks]].targets[0] = p->count;
    add_lanes(p);
}

static void add_switch(struct program *p)
{
    struct operand which = reg('r', R_ALL - 1);
    add_given(p, p->catalogue->and, which, reg('r', below(p, R_REGS)), 3);
    unsigned at = p->count, jumps[4];
    struct step *step = add_step(p, STEP_SWITCH);
    step->operands[0] = which;
    step->operand_count = 1;
    step->target_count = 4;
    unsigned cases = 2 + below(p, 3), begin[4];
    for (unsigned i = 0; i < cases; i++) {
        begin[i] = p->count;
        add_block(p, 1 + below(p, 3));
        jumps[i] = p->count;
        add_step(p, STEP_BRANCH)->target_count = 1;
    }
    for (unsigned i = 0; i < 4; i++)
        p->steps[at].targets[i] = begin[i % cases];
    for (unsigned i = 0; i < cases; i++)
        p->steps[jumps[i]].targets[0] = p->count;
    add_lanes(p);
}

static void add_break(struct program *p)
{
    p->break_at[p->breaks++] = p->count;
    struct step *step = add_step(p, STEP_BRANCH);
    draw_guard(p, step);
    step->target_count = 1;
    add_lanes(p);
}

static void add_block(struct program *p, unsigned length)
{
    p->depth++;
    for (unsigned i = 0; i < length && p->count < INSNS_MAX - 80; i++) {
        unsigned what = below(p, 40);
        bool nest = p->depth <= 3 && p->count < INSNS_MAX / 2;
        if (nest && what < 5)
            add_if(p);
        else if (nest && what < 7)
            add_loop(p);
        else if (nest && what < 8)
            add_switch(p);
        else if (what < 11)
            add_logic(p);
        else if (what == 11 && p->loop_depth > 0)
            add_break(p);
        else if (what == 12 && below(p, 3) == 0)
            draw_guard(p, add_step(p, STEP_EXIT));
        else
            add_lanes(p);
    }
    p->depth--;
}

/* Instructions that every way from `from` to the end passes, by the definition: without one of them the end is out of
 * reach. */
static bool reaches_end(const struct program *p, unsigned from, unsigned without)
{
    bool seen[INSNS_MAX + 1] = {false};
    unsigned stack[INSNS_MAX + 1], depth = 0;
    if (from == without)
        return false;
    stack[depth++] = from;
    seen[from] = true;
    while (depth > 0) {
        unsigned at = stack[--depth];
        if (at == p->count)
            return true;
        const struct step *step = &p->steps[at];
        bool falls = step->kind != STEP_SWITCH && !(step->kind == STEP_BRANCH && step->guard < 0);
        for (unsigned t = 0; t < step->target_count + falls; t++) {
            unsigned next = t < step->target_count ? step->targets[t] : at + 1;
            if (next != without && !seen[next]) {
                seen[next] = true;
                stack[depth++] = next;
            }
        }
    }
    return false;
}

static void find_meetings(struct program *p)
{
    for (unsigned i = 0; i < p->count; i++) {
        struct step *step = &p->steps[i];
        if ((step->kind != STEP_BRANCH || step->guard < 0) && step->kind != STEP_SWITCH)
            continue;
        bool passes[INSNS_MAX + 1];
        for (unsigned x = 0; x <= p->count; x++)
            passes[x] = x != i && !reaches_end(p, i, x);
        for (unsigned x = 0; x <= p->count && step->meet == NOWHERE; x++) {
            bool first = passes[x];
            for (unsigned y = 0; first && y <= p->count; y++)
                first = !passes[y] || y == x || !reaches_end(p, x, y);
            if (first)
                step->meet = x;
        }
    }
}

static void make_program(struct program *p, const struct catalogue *catalogue, uint64_t seed)
{
    memset(p, 0, sizeof(*p));
    p->catalogue = catalogue;
    p->random = seed;
    add_block(p, 4 + below(p, 30));
    p->stored_h = (uint32_t)draw(p);
    p->stored_r = (uint32_t)draw(p);
    p->stored_d = (uint32_t)draw(p);
    p->stored_p = (uint32_t)draw(p);
    find_meetings(p);
}

/* ---- As PTX ---- */

static void put_operand(struct base_strbuf *out, const struct step *step, unsigned i)
{
    const struct operand *o = &step->operands[i];
    const char *before = i == 0 ? " "
                         : i == 1 && o->file == 'p' && step->kind == STEP_LANES &&
                                 step->variant->insn.op == ISA_OP_SETP &&
                                 step->operand_count > strlen(step->variant->letters)
                             ? "|"
                             : ", ";
    base_strbuf_puts(out, before);
    if (o->file != 'i') {
        base_strbuf_printf(out, "%s%%%c%u", o->negated ? "!" : "", o->file, o->index);
        return;
    }
    const struct isa_insn *insn = &step->variant->insn;
    unsigned letter_at = i - (step->operand_count - (unsigned)strlen(step->variant->letters));
    char letter = step->variant->letters[letter_at];
    uint8_t type = letter == 's' || letter == 'i'                  ? ISA_TYPE_U32
                   : letter == 'b' && insn->type2 != ISA_TYPE_NONE ? insn->type2
                                                                   : insn->type;
    unsigned bits = variant_letter_bits(insn, letter);
    if (type == ISA_TYPE_F32)
        base_strbuf_printf(out, "0f%08X", (unsigned)o->value);
    else if (type == ISA_TYPE_F64)
        base_strbuf_printf(out, "0d%016llX", (unsigned long long)o->value);
    else if (isa_types[type].class == ISA_CLASS_SIGNED)
        base_strbuf_printf(out, "%lld",
                           (long long)(bits == 16   ? (int16_t)o->value
                                       : bits == 32 ? (int32_t)o->value
                                                    : (int64_t)o->value));
    else
        base_strbuf_printf(out, "%llu", (unsigned long long)o->value);
}

static void put_step(struct base_strbuf *out, const struct program *p, unsigned at)
{
    const struct step *step = &p->steps[at];
    base_strbuf_printf(out, "L%u: ", at);
    if (step->kind == STEP_SWITCH) {
        base_strbuf_printf(out, "T%u: .branchtargets", at);
        for (unsigned t = 0; t < step->target_count; t++)
            base_strbuf_printf(out, "%s L%u", t == 0 ? "" : ",", step->targets[t]);
        base_strbuf_puts(out, ";\n");
    }
    if (step->guard >= 0)
        base_strbuf_printf(out, "@%s%%p%d ", step->guard_negated ? "!" : "", step->guard);
    switch (step->kind) {
    case STEP_LANES:
        variant_put_mnemonic(out, &step->variant->insn);
        break;
    case STEP_LOGIC:
        base_strbuf_printf(out, "%s.pred", isa_ops[step->logic].mnemonic);
        break;
    case STEP_BRANCH:
        base_strbuf_printf(out, "bra L%u", step->targets[0]);
        break;
    case STEP_SWITCH:
        base_strbuf_puts(out, "brx.idx");
        break;
    case STEP_EXIT:
        base_strbuf_puts(out, "exit");
        break;
    }
    for (unsigned i = 0; i < step->operand_count; i++)
        put_operand(out, step, i);
    if (step->kind == STEP_SWITCH)
        base_strbuf_printf(out, ", T%u", at);
    base_strbuf_puts(out, ";\n");
}

enum { DATA_D = 0, DATA_R = D_REGS * 8, DATA_H = DATA_R + R_REGS * 4, DATA_P = DATA_H + H_REGS * 4 };
enum { PROLOGUE = 11 + D_REGS + R_REGS + H_REGS + 2 * P_ALL };

/* Instructions before the program's own: PROLOGUE of them. */
static void put_prologue(struct base_strbuf *out)
{
    base_strbuf_puts(out,
                     PTX_HEAD ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .pred %p<9>;\n.reg .b16 "
                              "%h<8>;\n.reg .b32 %r<16>;\n.reg .b64 %d<8>;\n.reg .b32 %x<6>;\n.reg .b64 %y<4>;\n"
                              "ld.param.u64 %y0, [in];\nld.param.u64 %y1, [out];\nmov.u32 %x0, %tid.x;\nmov.u32 %x1, "
                              "%ctaid.x;\nmov.u32 %x2, %ntid.x;\n"
                              "mad.lo.u32 %x0, %x1, %x2, %x0;\n");
    base_strbuf_printf(out, "mul.wide.u32 %%y2, %%x0, %d;\nadd.u64 %%y0, %%y0, %%y2;\nadd.u64 %%y1, %%y1, %%y2;\n",
                       THREAD_BYTES);
    for (int i = 0; i < D_REGS; i++)
        base_strbuf_printf(out, "ld.global.b64 %%d%d, [%%y0+%d];\n", i, DATA_D + 8 * i);
    for (int i = 0; i < R_REGS; i++)
        base_strbuf_printf(out, "ld.global.b32 %%r%d, [%%y0+%d];\n", i, DATA_R + 4 * i);
    for (int i = 0; i < H_REGS; i++)
        base_strbuf_printf(out, "ld.global.b16 %%h%d, [%%y0+%d];\n", i, DATA_H + 4 * i);
    base_strbuf_printf(out, "ld.global.b32 %%x3, [%%y0+%d];\n", DATA_P);
    base_strbuf_puts(out, "mov.b32 %r13, 0;\n");
    for (int i = 0; i < P_ALL; i++)
        base_strbuf_printf(out, "and.b32 %%x4, %%x3, %d;\nsetp.ne.u32 %%p%d, %%x4, 0;\n", 1 << i, i);
}

static void put_epilogue(struct base_strbuf *out, const struct program *p)
{
    base_strbuf_printf(out, "L%u:\n", p->count);
    for (int i = 0; i < D_REGS; i++)
        if ((p->stored_d >> i & 1) != 0)
            base_strbuf_printf(out, "st.global.b64 [%%y1+%d], %%d%d;\n", DATA_D + 8 * i, i);
    for (int i = 0; i < R_REGS; i++)
        if ((p->stored_r >> i & 1) != 0)
            base_strbuf_printf(out, "st.global.b32 [%%y1+%d], %%r%d;\n", DATA_R + 4 * i, i);
    for (int i = 0; i < H_REGS; i++)
        if ((p->stored_h >> i & 1) != 0)
            base_strbuf_printf(out, "st.global.b16 [%%y1+%d], %%h%d;\n", DATA_H + 4 * i, i);
    base_strbuf_puts(out, "mov.b32 %x5, 256;\n"); /* a mark: the thread came here */
    for (int i = 0; i < P_REGS; i++)
        if ((p->stored_p >> i & 1) != 0)
            base_strbuf_printf(out, "selp.b32 %%x4, %d, 0, %%p%d;\nor.b32 %%x5, %%x5, %%x4;\n", 1 << i, i);
    base_strbuf_printf(out, "st.global.b32 [%%y1+%d], %%x5;\nret;\n}\n", DATA_P);
}

/* ---- One thread ---- */

struct thread {
    uint64_t h[H_REGS], r[R_ALL], d[D_REGS];
    bool p[P_ALL], carry, ended;
};

static uint64_t *thread_reg(struct thread *t, const struct operand *o)
{
    return o->file == 'h' ? &t->h[o->index] : o->file == 'r' ? &t->r[o->index] : &t->d[o->index];
}

static uint64_t low_bits(uint64_t value, unsigned bits)
{
    return bits >= 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

/* By the base lane function, in another lane than the thread's. */
static void ask_lane_function(const struct variant *v, const uint64_t a[4], bool predicate, unsigned lane,
                              struct lane_result *out)
{
    uint32_t rows[5][4 * 32] __attribute__((aligned(64)));
    memset(rows, 0, sizeof(rows));
    for (unsigned i = 0; i < 4; i++)
        for (unsigned k = 0; k < 32; k++) {
            rows[i][k] = (uint32_t)a[i];
            rows[i][32 + k] = (uint32_t)(a[i] >> 32);
        }
    bool compares = v->insn.op == ISA_OP_SETP || v->insn.op == ISA_OP_TESTP;
    uint64_t flags = v->base(compares ? NULL : rows[4], rows[0], rows[1], rows[2], rows[3], predicate ? UINT32_MAX : 0);
    lane = (lane + 13) % 32;
    out->value = compares ? 0
                          : low_bits((uint64_t)rows[4][32 + lane] << 32 | rows[4][lane],
                                     variant_letter_bits(&v->insn, v->letters[0]));
    out->carry = (flags >> lane & 1) != 0;
    out->second = (flags >> (32 + lane) & 1) != 0;
}

static bool combine(uint8_t boolop, bool a, bool b)
{
    return boolop == ISA_BOOL_AND ? (a && b) : boolop == ISA_BOOL_OR ? (a || b) : boolop == ISA_BOOL_XOR ? a != b : a;
}

/* set with a boolean: each element's comparison, combined. */
static uint64_t combine_set(const struct isa_insn *insn, uint64_t value, bool c)
{
    uint8_t type = insn->type;
    bool packed = isa_types[insn->type2].class == ISA_CLASS_PACKED;
    unsigned bits = packed ? 16 : isa_types[type].bits;
    uint64_t one = low_bits(UINT64_MAX, bits), out = 0;
    if (type == ISA_TYPE_F32)
        one = 0x3f800000;
    else if (type == ISA_TYPE_F16 || type == ISA_TYPE_F16X2)
        one = 0x3c00;
    else if (type == ISA_TYPE_BF16 || type == ISA_TYPE_BF16X2)
        one = 0x3f80;
    for (unsigned e = 0; e < (packed ? 2U : 1U); e++)
        if (combine(insn->mods.boolop, low_bits(value >> (e * bits), bits) != 0, c))
            out |= one << (e * bits);
    return out;
}

static bool predicate_source(const struct thread *t, const struct operand *o)
{
    return t->p[o->index] != o->negated;
}

static void write_result(struct thread *t, const struct step *step, uint64_t value)
{
    const struct isa_insn *insn = &step->variant->insn;
    const struct operand *o = &step->operands[0];
    unsigned bits = variant_letter_bits(insn, step->variant->letters[0]), have = o->file == 'h'   ? 16
                                                                                 : o->file == 'r' ? 32
                                                                                                  : 64;
    value = low_bits(value, bits);
    if (have > bits && isa_types[insn->type].class == ISA_CLASS_SIGNED && (value >> (bits - 1) & 1) != 0)
        value |= UINT64_MAX << bits;
    *thread_reg(t, o) = low_bits(value, have);
}

static void step_lanes(struct thread *t, const struct step *step, unsigned lane)
{
    const struct variant *v = step->variant;
    const struct isa_insn *insn = &v->insn;
    uint64_t a[4] = {0, 0, 0, 0};
    bool predicate = (isa_ops[insn->op].flags & ISA_OPF_READS_CC) != 0 && t->carry;
    unsigned n = 0, extra = step->operand_count - (unsigned)strlen(v->letters);
    for (unsigned i = 0; v->letters[i] != '\0'; i++) {
        const struct operand *o = &step->operands[i == 0 ? 0 : i + extra];
        if (strchr("dwDp", v->letters[i]) != NULL)
            continue;
        if (v->letters[i] == 'z')
            predicate = predicate_source(t, o);
        else
            a[n++] = low_bits(o->file == 'i' ? o->value : *thread_reg(t, o), variant_letter_bits(insn, v->letters[i]));
    }
    struct lane_result result;
    if (!lane_reference(insn, a, predicate, &result))
        ask_lane_function(v, a, predicate, lane, &result);
    if (insn->op == ISA_OP_SETP || insn->op == ISA_OP_TESTP) {
        bool packed = isa_types[insn->type].class == ISA_CLASS_PACKED;
        t->p[step->operands[0].index] = combine(insn->mods.boolop, result.carry, predicate);
        if (extra > 0)
            t->p[step->operands[1].index] =
                combine(insn->mods.boolop, packed ? result.second : !result.carry, predicate);
        return;
    }
    if (insn->op == ISA_OP_SET && insn->mods.boolop != ISA_BOOL_NONE)
        result.value = combine_set(insn, result.value, predicate);
    write_result(t, step, result.value);
    if ((insn->mods.flags & ISA_FLAG_CC) != 0)
        t->carry = result.carry;
}

static void step_logic(struct thread *t, const struct step *step)
{
    bool a = predicate_source(t, &step->operands[1]),
         b = step->operand_count > 2 && predicate_source(t, &step->operands[2]);
    bool *d = &t->p[step->operands[0].index];
    *d = step->logic == ISA_OP_AND   ? (a && b)
         : step->logic == ISA_OP_OR  ? (a || b)
         : step->logic == ISA_OP_XOR ? a != b
         : step->logic == ISA_OP_NOT ? !a
                                     : a;
}

/* Executes the instruction at `at`; returns the next one's place. */
static unsigned step_thread(const struct program *p, struct thread *t, unsigned at, unsigned lane)
{
    const struct step *step = &p->steps[at];
    bool on = step->guard < 0 || t->p[step->guard] != step->guard_negated;
    if (!on)
        return at + 1;
    switch (step->kind) {
    case STEP_LANES:
        step_lanes(t, step, lane);
        return at + 1;
    case STEP_LOGIC:
        step_logic(t, step);
        return at + 1;
    case STEP_BRANCH:
        return step->targets[0];
    case STEP_SWITCH:
        return step->targets[t->r[step->operands[0].index]];
    case STEP_EXIT:
    default:
        t->ended = true;
        return at + 1;
    }
}

static void run_thread(const struct program *p, struct thread *t, unsigned lane, uint64_t threads[INSNS_MAX])
{
    for (unsigned at = 0; at < p->count && !t->ended;) {
        threads[at]++;
        at = step_thread(p, t, at, lane);
    }
}

static void load_thread(struct thread *t, const uint8_t *data)
{
    uint32_t word;
    memset(t, 0, sizeof(*t));
    memcpy(t->d, data + DATA_D, sizeof(t->d));
    for (unsigned i = 0; i < R_REGS; i++) {
        memcpy(&word, data + DATA_R + 4 * i, 4);
        t->r[i] = word;
    }
    for (unsigned i = 0; i < H_REGS; i++) {
        memcpy(&word, data + DATA_H + 4 * i, 4);
        t->h[i] = word & 0xffff;
    }
    memcpy(&word, data + DATA_P, 4);
    for (unsigned i = 0; i < P_ALL; i++)
        t->p[i] = (word >> i & 1) != 0;
}

static void store_thread(const struct program *p, const struct thread *t, uint8_t *data)
{
    uint32_t mark = 256;
    memset(data, 0, THREAD_BYTES);
    if (t->ended)
        return;
    for (unsigned i = 0; i < D_REGS; i++)
        if ((p->stored_d >> i & 1) != 0)
            memcpy(data + DATA_D + 8 * i, &t->d[i], 8);
    for (unsigned i = 0; i < R_REGS; i++)
        if ((p->stored_r >> i & 1) != 0)
            memcpy(data + DATA_R + 4 * i, &t->r[i], 4);
    for (unsigned i = 0; i < H_REGS; i++)
        if ((p->stored_h >> i & 1) != 0)
            memcpy(data + DATA_H + 4 * i, &t->h[i], 2);
    for (unsigned i = 0; i < P_REGS; i++)
        mark |= (uint32_t)(t->p[i] && (p->stored_p >> i & 1) != 0) << i;
    memcpy(data + DATA_P, &mark, 4);
}

/* ---- One warp ---- */

struct level {
    unsigned at, meet;
    uint32_t lanes;
};

static void run_warp(const struct program *p, struct thread t[32], unsigned count, uint64_t warps[INSNS_MAX])
{
    struct level stack[256];
    unsigned depth = 1;
    stack[0] = (struct level){0, p->count, count == 32 ? UINT32_MAX : (UINT32_C(1) << count) - 1};
    while (depth > 0) {
        struct level *top = &stack[depth - 1];
        if (top->lanes == 0 || top->at == top->meet || top->at == p->count) {
            depth--;
            continue;
        }
        unsigned at = top->at, next[32], places = 0, place[32];
        warps[at]++;
        for (unsigned lane = 0; lane < 32; lane++) {
            if ((top->lanes >> lane & 1) == 0)
                continue;
            next[lane] = step_thread(p, &t[lane], at, lane);
            if (t[lane].ended) {
                for (unsigned d = 0; d < depth; d++)
                    stack[d].lanes &= ~(UINT32_C(1) << lane);
                continue;
            }
            unsigned k = 0;
            while (k < places && place[k] != next[lane])
                k++;
            if (k == places)
                place[places++] = next[lane];
        }
        if (places == 1) {
            top->at = place[0];
            continue;
        }
        uint32_t lanes = top->lanes;
        unsigned meet = p->steps[at].meet;
        if (places > 1)
            top->at = meet;
        for (unsigned k = 0; k < places; k++) {
            struct level level = {place[k], meet, 0};
            for (unsigned lane = 0; lane < 32; lane++)
                if ((lanes >> lane & 1) != 0 && next[lane] == place[k])
                    level.lanes |= UINT32_C(1) << lane;
            ck_assert_uint_lt(depth, 256);
            stack[depth++] = level;
        }
    }
}

/* ---- Comparing ---- */

static void fail_program(const char *ptx, uint64_t seed, const char *what)
{
    const char *body = strstr(ptx, "L0:");
    fprintf(stderr, "%s\n", body != NULL ? body : ptx);
    ck_abort_msg("program %llu: %s", (unsigned long long)seed, what);
}

static void compare_outputs(const struct program *p, const uint8_t *in, const uint8_t *out, unsigned blocks,
                            unsigned block, const char *ptx, uint64_t seed, uint64_t warps[INSNS_MAX],
                            uint64_t threads[INSNS_MAX])
{
    char what[200];
    for (unsigned b = 0; b < blocks; b++)
        for (unsigned first = 0; first < block; first += 32) {
            unsigned count = block - first < 32 ? block - first : 32;
            struct thread together[32];
            for (unsigned lane = 0; lane < count; lane++) {
                size_t at = (size_t)(b * block + first + lane) * THREAD_BYTES;
                struct thread alone;
                uint8_t expected[THREAD_BYTES];
                load_thread(&alone, in + at);
                together[lane] = alone;
                run_thread(p, &alone, lane, threads);
                store_thread(p, &alone, expected);
                for (unsigned byte = 0; byte < THREAD_BYTES; byte++)
                    if (expected[byte] != out[at + byte]) {
                        snprintf(what, sizeof(what), "block %u thread %u byte %u of its data: 0x%02x, expected 0x%02x",
                                 b, first + lane, byte, out[at + byte], expected[byte]);
                        fail_program(ptx, seed, what);
                    }
            }
            run_warp(p, together, count, warps);
        }
}

static void compare_counts(const struct program *p, const struct sim_report *report, const char *ptx, uint64_t seed,
                           const uint64_t warps[INSNS_MAX], const uint64_t threads[INSNS_MAX])
{
    char what[400];
    for (unsigned i = 0; i < p->count; i++) {
        const struct sim_insn_report *row = NULL;
        for (size_t k = PROLOGUE < report->insn_count ? 0 : report->insn_count; k < report->insn_count; k++)
            if (report->insns[k].pc == PROLOGUE + i)
                row = &report->insns[k];
        uint64_t executed = row != NULL ? row->executed : 0, thread_executed = row != NULL ? row->thread_executed : 0;
        if (executed != warps[i] || thread_executed != threads[i]) {
            snprintf(what, sizeof(what), "L%u %s: executed %llu by %llu threads, expected %llu by %llu", i,
                     row != NULL ? row->text : "", (unsigned long long)executed, (unsigned long long)thread_executed,
                     (unsigned long long)warps[i], (unsigned long long)threads[i]);
            fail_program(ptx, seed, what);
        }
    }
}

static void run_program(struct program *p, const struct catalogue *catalogue, uint64_t seed)
{
    make_program(p, catalogue, seed);
    unsigned blocks = 1 + below(p, 2), block = 1 + below(p, 70);
    struct base_strbuf ptx = {0};
    put_prologue(&ptx);
    for (unsigned i = 0; i < p->count; i++)
        put_step(&ptx, p, i);
    put_epilogue(&ptx, p);
    char args[80];
    unsigned bytes = blocks * block * THREAD_BYTES;
    snprintf(args, sizeof(args), "u8[%u]=zero u8[%u]=zero", bytes, bytes);
    struct kit_launch launch = {
        .ptx = ptx.data, .args = args, .grid = {blocks}, .block = {block}, .max_instructions = 10000000};
    struct kit kit;
    uint32_t kernel = 0;
    kit_prepare(&kit, &launch, &kernel);
    uint8_t *in = sim_memory_at(&kit.memory, kit.bound.args[0].address, bytes);
    for (unsigned i = 0; i < bytes; i += 4) {
        uint64_t bits = draw_bits(p);
        memcpy(in + i, &bits, i % THREAD_BYTES < DATA_R && i + 8 <= bytes ? 8 : 4);
        if (i % THREAD_BYTES < DATA_R)
            i += 4;
    }
    kit_start(&kit, &launch, kernel);
    if (kit.report.status != SIM_RUN_OK) {
        kit_print_diags(&kit.diags);
        fail_program(ptx.data, seed, kit.report.message);
    }
    uint64_t warps[INSNS_MAX] = {0}, threads[INSNS_MAX] = {0};
    compare_outputs(p, in, kit_buffer(&kit, 1), blocks, block, ptx.data, seed, warps, threads);
    compare_counts(p, &kit.report, ptx.data, seed, warps, threads);
    kit_free(&kit);
    base_strbuf_free(&ptx);
}

START_TEST(test_random_programs)
{
    struct catalogue catalogue = {0};
    make_catalogue(&catalogue);
    ck_assert_uint_gt(catalogue.all.count, 1000);
    const char *longer = getenv("SIMTLAB_LONG");
    uint64_t programs = longer != NULL && strcmp(longer, "1") == 0 ? 100000 : 300;
    struct program *program = malloc(sizeof(*program));
    ck_assert_ptr_nonnull(program);
    for (uint64_t seed = 1; seed <= programs; seed++)
        run_program(program, &catalogue, seed);
    free(program);
    variant_list_free(&catalogue.all);
}
END_TEST

Suite *differential_suite(void)
{
    Suite *suite = suite_create("differential");
    TCase *programs = tcase_create("programs");
    tcase_set_timeout(programs, 7200);
    tcase_add_test(programs, test_random_programs);
    suite_add_tcase(suite, programs);
    return suite;
}
