/* isa/legal.def against ptxas: every combination of an opcode with types, words and numbers of operands, over the
 * vocabulary of the tables, and whether NVIDIA's assembler takes it for some target.
 *
 * validate/records/ptxas/accepted.txt.gz has the texts that ptxas takes, made by this suite: with SIMTLAB_PTXAS=PATH in
 * the environment it asks that ptxas instead of the record, writes the answer to accepted.txt in the current folder and
 * prints what differs. Texts that ptxas takes and the reader does not are listed in not-read.txt. */
#include "base/vec.h"
#include "isa/form.h"
#include "isa/legal.h"
#include "isa/video.h"
#include "sim/exec.h"
#include "tests/support.h"

#include <check.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

Suite *legal_suite(void);

#define RECORDS "validate/records/ptxas/"

enum { CHUNK_LINES = 100000, REGS_OF_A_KIND = 24, OPERANDS = 24 };

/* ---- Candidates ---- */

struct candidate {
    char *text;
    struct isa_insn insn; /* without its operands */
    bool legal, accepted;
};

struct list {
    BASE_VEC(struct candidate) items; /* sorted by text once it is complete */
    bool wants_illegal;
    struct isa_module module;
    struct isa_function function;
    struct isa_operand operands[OPERANDS];
    struct isa_reg regs[6 * REGS_OF_A_KIND];
};

/* A member of struct isa_mods, or one of its flags, with all values that words of the opcode give it. */
struct dimension {
    size_t offset;
    uint32_t values[32];
    unsigned count;
};

static const struct {
    unsigned bits;
    uint8_t type;
    const char *name;
} kinds[] = {{1, ISA_TYPE_PRED, "%p"},
             {16, ISA_TYPE_B16, "%h"},
             {32, ISA_TYPE_B32, "%r"},
             {64, ISA_TYPE_B64, "%d"},
             {128, ISA_TYPE_B128, "%q"}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static uint32_t register_of(unsigned bits, unsigned *used)
{
    for (uint32_t k = 0; k < KINDS; k++)
        if (kinds[k].bits >= bits)
            return k * REGS_OF_A_KIND + (*used)++;
    ck_abort_msg("no register of %u bits", bits);
    return 0;
}

static struct isa_operand reg(unsigned bits, unsigned *used)
{
    return (struct isa_operand){.kind = ISA_OPERAND_REG, .ref = register_of(bits, used)};
}

static bool of_a_line(unsigned op)
{
    return op == ISA_OP_APPLYPRIORITY || op == ISA_OP_DISCARD || op == ISA_OP_FENCE_MAP_ACQUIRE;
}

/* `letter` may be 'P', which no form has: a cache policy. */
static void put_operand(struct list *list, struct isa_insn *insn, char letter, unsigned *used)
{
    struct isa_operand *o = &list->operands[insn->operand_count];
    const unsigned type_bits = isa_types[isa_form_type(insn, letter)].bits,
                   bits = letter == 'm' || letter == 'P' ? 64 : type_bits;
    const unsigned elements = (letter == 'v' || letter == 'V') && insn->mods.vec > 1 ? insn->mods.vec : 1;
    insn->dst_count = (uint8_t)(insn->dst_count + (isa_form_is_destination(letter) ? elements : 0U));
    insn->operand_count = (uint16_t)(insn->operand_count + elements);
    ck_assert_uint_le(insn->operand_count, OPERANDS);
    for (unsigned i = 0; i < elements; i++)
        o[i] = letter == 'i' ? (struct isa_operand){.kind = ISA_OPERAND_IMM, .imm = of_a_line(insn->op) ? 128 : 1}
                             : reg(bits ? bits : 64, used);
    if (letter == 'm') {
        o->kind = ISA_OPERAND_MEM;
        o->base_kind = ISA_OPERAND_REG;
    }
    o->group = elements > 1 ? (uint8_t)elements : 0;
}

/* One text: the optional operands in `taken` (a bit each) are there, and `pair` a second destination. */
static void add_text(struct list *list, struct isa_insn insn, unsigned taken, bool pair)
{
    const struct isa_operand_form form = isa_form_parse(insn.op == ISA_OP_MOV ? "da" : isa_ops[insn.op].form);
    unsigned used = 0, optional = 0, distance = 0;
    insn.operand_count = 0;
    insn.dst_count = 0;
    for (unsigned i = 0; i < form.count; i++) {
        if (form.optional[i] && !(taken >> optional++ & 1)) {
            if (taken >> optional != 0) /* one behind it is there */
                list->operands[insn.operand_count++] = (struct isa_operand){.kind = ISA_OPERAND_NONE};
            continue;
        }
        const bool policy = i + 1 == form.count && isa_form_has_policy(&isa_ops[insn.op]);
        put_operand(list, &insn, policy ? 'P' : form.letters[i], &used);
        if (pair && (form.letters[i] == 'p' || form.letters[i] == 'q')) {
            list->operands[insn.operand_count++] = reg(1, &used);
            insn.dst_count++;
        }
    }
    struct base_strbuf text = {0};
    /* A third source of a scalar video instruction is what surrounds a part of its destination. */
    if (isa_video_lanes(insn.op) == 1 && taken && insn.mods.mode == ISA_SECOND_NONE)
        list->operands[0].select = ISA_VIDEO_H1;
    isa_legal_find(&insn, list->operands, &distance);
    if (distance != 0 && !list->wants_illegal)
        return;
    isa_print_insn(&list->module, &list->function, &insn, &text);
    const struct candidate candidate = {text.data, insn, distance == 0, false};
    ck_assert(text.data && base_vec_push(&list->items, candidate));
}

static void add_operand_choices(struct list *list, const struct isa_insn *insn)
{
    const struct isa_operand_form form = isa_form_parse(insn->op == ISA_OP_MOV ? "da" : isa_ops[insn->op].form);
    unsigned optional = 0;
    bool pair = false;
    for (unsigned i = 0; i < form.count; i++) {
        optional += form.optional[i];
        pair |= form.letters[i] == 'q' || (form.letters[i] == 'p' && insn->op == ISA_OP_SETP);
    }
    for (unsigned taken = 0; taken < 1U << optional; taken++) {
        add_text(list, *insn, taken, false);
        if (pair)
            add_text(list, *insn, taken, true);
    }
}

static void set_word(struct isa_insn *insn, const struct dimension *dimension, unsigned i)
{
    if (dimension->offset == offsetof(struct isa_mods, flags))
        insn->mods.flags |= dimension->values[i];
    else
        ((uint8_t *)&insn->mods)[dimension->offset] = (uint8_t)dimension->values[i];
}

/* Every combination of words of at most `most` of the dimensions. */
static void add_words(struct list *list, const struct isa_insn *insn, const struct dimension *dimensions,
                      unsigned count, unsigned most)
{
    if (count == 0 || most == 0) {
        add_operand_choices(list, insn);
        return;
    }
    add_words(list, insn, dimensions, count - 1, most);
    for (unsigned i = 0; i < dimensions[count - 1].count; i++) {
        struct isa_insn with = *insn;
        set_word(&with, &dimensions[count - 1], i);
        add_words(list, &with, dimensions, count - 1, most - 1);
    }
}

/* Each flag is a dimension of its own. */
static unsigned dimensions_of(unsigned op, struct dimension dimensions[32])
{
    unsigned count = 0;
    for (size_t i = 0; i < isa_modifier_count; i++) {
        const struct isa_modifier_info *m = &isa_modifiers[i];
        unsigned at = 0;
        if (!(m->group & isa_ops[op].modifiers))
            continue;
        while (at < count && (m->is_flag || dimensions[at].offset != m->field_offset))
            at++;
        if (at == count) {
            ck_assert_uint_lt(count, 32);
            dimensions[count++] = (struct dimension){.offset = m->field_offset};
        }
        struct dimension *d = &dimensions[at];
        bool seen = false;
        for (unsigned v = 0; v < d->count; v++)
            seen |= d->values[v] == m->value;
        if (!seen)
            d->values[d->count++] = m->value;
    }
    return count;
}

static void add_opcode(struct list *list, unsigned op)
{
    struct dimension dimensions[32];
    const unsigned count = dimensions_of(op, dimensions);
    const struct isa_op_info *info = &isa_ops[op];
    const bool memory = (info->modifiers & M_CACHE) != 0;
    const uint64_t some = T(NONE) | T_INT32 | T(U64) | T(U16) | T(B32) | T(F32);
    for (unsigned type = 0; type < ISA_TYPE_COUNT; type++)
        for (unsigned type2 = 0; type2 < ISA_TYPE_COUNT; type2++)
            for (unsigned type3 = 0; type3 < (info->flags & ISA_OPF_THREE_TYPES ? ISA_TYPE_COUNT : 1U); type3++) {
                const struct isa_insn insn = {.op = (uint16_t)op,
                                              .type = (uint8_t)type,
                                              .type2 = (uint8_t)type2,
                                              .type3 = (uint8_t)type3,
                                              .mods = {.vec = (uint8_t)isa_form_elements(op)},
                                              .guard = -1};
                const bool tried = !(info->flags & ISA_OPF_THREE_TYPES) ||
                                   ((some >> type & 1) && (some >> type2 & 1) && (some >> type3 & 1));
                if ((info->types != 0) == (type != 0) && (info->types2 != 0 || type2 == 0) && tried)
                    add_words(list, &insn, dimensions, count, !memory ? count : type == ISA_TYPE_B32 ? 3 : 2);
            }
}

static bool has_rows(unsigned op)
{
    for (size_t i = 0; i < isa_legal_count; i++)
        if (isa_legal[i].op == op)
            return true;
    return false;
}

static void make_list(struct list *list)
{
    for (unsigned k = 0; k < KINDS; k++)
        for (unsigned i = 0; i < REGS_OF_A_KIND; i++)
            list->regs[k * REGS_OF_A_KIND + i] = (struct isa_reg){kinds[k].name, (int32_t)i, kinds[k].type};
    list->function.regs = list->regs;
    list->function.reg_count = (size_t)KINDS * REGS_OF_A_KIND;
    list->function.operands = list->operands;
    list->function.operand_count = OPERANDS;
    for (unsigned op = 0; op < ISA_OP_COUNT; op++)
        if (has_rows(op))
            add_opcode(list, op);
}

/* ---- ptxas ---- */

static void ask_chunk(const char *ptxas, const char *head, const char *arch, struct candidate **part, size_t count)
{
    char path[] = "/tmp/simtlab-legal-XXXXXX", command[512], line[1024];
    const int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    FILE *file = fdopen(fd, "w");
    fprintf(file,
            "%s .address_size 64 .visible .entry k() { .reg .pred %%p<24>; .reg .b16 %%h<24>; .reg .b32 %%r<24>; "
            ".reg .b64 %%d<24>; %s\n",
            head, strstr(head, "sm_60") ? "" : ".reg .b128 %q<24>;");
    for (size_t i = 0; i < count; i++) {
        part[i]->accepted = true;
        fprintf(file, "%s\n", part[i]->text);
    }
    fprintf(file, "ret; }\n");
    fclose(file);
    snprintf(command, sizeof command, "%s -arch=%s %s -o /dev/null 2>&1", ptxas, arch, path);
    FILE *answers = popen(command, "r");
    ck_assert_ptr_nonnull(answers);
    while (fgets(line, sizeof line, answers)) {
        const char *at = strstr(line, ", line ");
        const unsigned long number = at ? strtoul(at + 7, NULL, 10) : 0;
        if (strstr(line, "error") && number >= 2 && number - 2 < count)
            part[number - 2]->accepted = false;
        else if (!strstr(line, "warning") && !strstr(line, "Ptx assembly aborted"))
            printf("ptxas: %s", line);
    }
    pclose(answers);
    unlink(path);
}

static void ask_target(struct list *list, const char *ptxas, const char *head, const char *arch)
{
    struct candidate **part = calloc(CHUNK_LINES, sizeof(struct candidate *));
    size_t count = 0;
    ck_assert_ptr_nonnull(part);
    for (size_t i = 0; i <= list->items.count; i++) {
        if (i < list->items.count && !list->items.data[i].accepted)
            part[count++] = &list->items.data[i];
        if (count > 0 && (count == CHUNK_LINES || i == list->items.count)) {
            ask_chunk(ptxas, head, arch, part, count);
            count = 0;
        }
    }
    free(part);
}

static void ask_ptxas(struct list *list, const char *ptxas)
{
    static const char *const targets[][2] = {
        {".version 9.0 .target sm_100a", "compute_100a"}, {".version 9.0 .target sm_90a", "compute_90a"},
        {".version 9.0 .target sm_103a", "compute_103a"}, {".version 9.0 .target sm_120a", "compute_120a"},
        {".version 6.3 .target sm_60", "compute_75"},
    };
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        ask_target(list, ptxas, targets[i][0], targets[i][1]);
}

/* ---- The record ---- */

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

struct lines {
    BASE_VEC(char *) items;
    char *data;
};

static void read_lines(struct lines *lines, const char *name)
{
    char path[1024];
    const char *folder = getenv("srcdir");
    size_t size = 0, capacity = 0;
    snprintf(path, sizeof path, "%s/" RECORDS "%s", folder ? folder : ".", name);
    gzFile file = gzopen(path, "rb");
    ck_assert_msg(file != NULL, "cannot open %s", path);
    for (int got = 1; got > 0; size += (size_t)(got > 0 ? got : 0)) {
        if (capacity - size < 1U << 20) {
            capacity = capacity * 2 + (1U << 21);
            lines->data = realloc(lines->data, capacity);
            ck_assert_ptr_nonnull(lines->data);
        }
        got = gzread(file, lines->data + size, (1U << 20) - 1);
        ck_assert_int_ge(got, 0);
    }
    gzclose(file);
    lines->data[size] = '\0';
    for (char *at = lines->data; *at;) {
        char *end = at + strcspn(at, "\n");
        ck_assert(base_vec_push(&lines->items, at));
        at = *end ? end + 1 : end;
        *end = '\0';
    }
    if (lines->items.count > 0)
        qsort(lines->items.data, lines->items.count, sizeof(char *), compare_texts);
}

static bool has_line(const struct lines *lines, const char *text)
{
    return lines->items.count > 0 &&
           bsearch(&text, lines->items.data, lines->items.count, sizeof(char *), compare_texts) != NULL;
}

static void free_lines(struct lines *lines)
{
    base_vec_free(&lines->items);
    free(lines->data);
}

static int compare_candidates(const void *a, const void *b)
{
    return strcmp(((const struct candidate *)a)->text, ((const struct candidate *)b)->text);
}

/* By text, each once. */
static void sort_list(struct list *list)
{
    size_t kept = 0;
    ck_assert_uint_gt(list->items.count, 0);
    qsort(list->items.data, list->items.count, sizeof(struct candidate), compare_candidates);
    for (size_t i = 0; i < list->items.count; i++) {
        if (kept > 0 && strcmp(list->items.data[kept - 1].text, list->items.data[i].text) == 0)
            free(list->items.data[i].text);
        else
            list->items.data[kept++] = list->items.data[i];
    }
    list->items.count = kept;
}

/* One text a line, and what differs on stdout. */
static void write_answers(const struct list *list)
{
    FILE *accepted = fopen("accepted.txt", "w"), *not_read = fopen("not-read.txt", "w");
    size_t taken = 0, wrong = 0, missing = 0;
    ck_assert(accepted && not_read);
    for (size_t i = 0; i < list->items.count; i++) {
        const struct candidate *c = &list->items.data[i];
        if (c->accepted)
            fprintf(accepted, "%s\n", c->text);
        if (c->accepted && !c->legal)
            fprintf(not_read, "%s\n", c->text);
        if (c->legal && !c->accepted)
            printf("ptxas refuses: %s\n", c->text);
        taken += c->accepted;
        wrong += c->legal && !c->accepted;
        missing += c->accepted && !c->legal;
    }
    printf("%zu candidates, ptxas takes %zu: %zu of them are not read, %zu are read that it refuses\n",
           list->items.count, taken, missing, wrong);
    fclose(accepted);
    fclose(not_read);
    ck_assert_uint_eq(wrong, 0);
}

static void compare_with_record(const struct list *list)
{
    struct lines accepted = {0}, not_read = {0};
    read_lines(&accepted, "accepted.txt.gz");
    read_lines(&not_read, "not-read.txt");
    for (size_t i = 0; i < list->items.count; i++) {
        const struct candidate *c = &list->items.data[i];
        ck_assert_msg(has_line(&accepted, c->text), "read, but ptxas refuses it: %s", c->text);
        ck_assert_msg(!has_line(&not_read, c->text), "read, but listed in not-read.txt: %s", c->text);
    }
    for (size_t i = 0; i < accepted.items.count; i++) {
        const struct candidate key = {.text = accepted.items.data[i]};
        const bool legal = bsearch(&key, list->items.data, list->items.count, sizeof key, compare_candidates) != NULL;
        ck_assert_msg(legal || has_line(&not_read, key.text), "ptxas takes it, but it is not read: %s", key.text);
    }
    free_lines(&accepted);
    free_lines(&not_read);
}

/* The reader takes each text, and what it made of it prints the same. */
static void read_texts(const struct list *list, size_t first, size_t count)
{
    struct base_strbuf text = {0}, printed = {0};
    struct base_diags diags = {0};
    struct isa_module *module = NULL;
    base_strbuf_puts(&text, ".version 6.3 .target sm_60 .address_size 64 .visible .entry k() { .reg .pred %p<24>; "
                            ".reg .b16 %h<24>; .reg .b32 %r<24>; .reg .b64 %d<24>; .reg .b128 %q<24>;\n");
    for (size_t i = first; i < first + count; i++)
        if (list->items.data[i].legal)
            base_strbuf_printf(&text, "%s\n", list->items.data[i].text);
    base_strbuf_puts(&text, "ret; }\n");
    const enum base_status status = isa_ptx_read("legal.ptx", text.data, text.length, &module, &diags);
    base_diags_print(&diags, &printed);
    ck_assert_msg(status == BASE_OK, "%s", printed.data);
    const struct isa_function *function = &module->functions[0];
    for (size_t i = first, n = 0; i < first + count; i++) {
        if (!list->items.data[i].legal)
            continue;
        ck_assert_uint_lt(n, function->insn_count);
        base_strbuf_free(&printed);
        isa_print_insn(module, function, &function->insns[n++], &printed);
        ck_assert_str_eq(printed.data, list->items.data[i].text);
    }
    isa_module_free(module);
    base_diags_free(&diags);
    base_strbuf_free(&printed);
    base_strbuf_free(&text);
}

/* Each lane's result depends on that lane's sources, and is one of up to 64 bits. */
static bool is_lane_wise(const struct isa_insn *insn)
{
    return insn->op <= ISA_OP_CVT && insn->type != ISA_TYPE_PRED && insn->type != ISA_TYPE_B128;
}

static void find_functions(const struct list *list)
{
    for (size_t i = 0; i < list->items.count; i++) {
        const struct candidate *c = &list->items.data[i];
        if (c->legal && is_lane_wise(&c->insn))
            ck_assert_msg(sim_exec_find(&c->insn, SIM_LEVEL_BASE) != NULL, "no lane function: %s", c->text);
    }
}

START_TEST(what_is_read_is_what_ptxas_takes)
{
    struct list *list = calloc(1, sizeof *list);
    const char *ptxas = getenv("SIMTLAB_PTXAS");
    ck_assert_ptr_nonnull(list);
    list->wants_illegal = ptxas != NULL;
    make_list(list);
    sort_list(list);
    if (ptxas) {
        ask_ptxas(list, ptxas);
        write_answers(list);
    } else {
        compare_with_record(list);
    }
    find_functions(list);
    for (size_t i = 0; i < list->items.count; i += 500)
        read_texts(list, i, list->items.count - i < 500 ? list->items.count - i : 500);
    for (size_t i = 0; i < list->items.count; i++)
        free(list->items.data[i].text);
    base_vec_free(&list->items);
    free(list);
}
END_TEST

Suite *legal_suite(void)
{
    Suite *suite = suite_create("legal");
    TCase *tcase = tcase_create("ptxas");
    tcase_set_timeout(tcase, 600);
    tcase_add_test(tcase, what_is_read_is_what_ptxas_takes);
    suite_add_tcase(suite, tcase);
    return suite;
}
