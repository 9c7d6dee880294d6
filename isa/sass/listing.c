/* From the lines of a listing to functions.
 *
 * Two dialects, told apart line by line:
 *   cuobjdump -sass   "Function : NAME" begins a function; targets are offsets
 *   nvdisasm -hex     ".section .text.NAME" begins one; labels "NAME:" stand before what they name, targets name them
 * In both an instruction is a line with its offset in a comment, its text, ";" and the low half of its encoding in a
 * second comment; the high half stands alone on the next line. Other lines are passed over. */
#include "isa/sass/listing.h"

#include "base/vec.h"
#include "isa/sass/parse.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define INSNS_MAX 4000000u

struct label {
    const char *name;
    size_t length;
    uint32_t offset; /* of the next instruction */
};

struct use { /* a target by name, to be resolved at the section's end */
    uint32_t insn, operand;
    const char *name;
    size_t length;
};

struct listing {
    struct isa_module *module;
    struct base_diags *diags;
    BASE_VEC(struct isa_function) functions;
    BASE_VEC(struct isa_insn) insns; /* of the function being read */
    BASE_VEC(struct label) labels;
    BASE_VEC(struct use) uses;
    uint32_t line, total;
    bool in_function, no_memory, bad;
};

/* A number in a comment, after `prefix`: it, and what follows. NULL: there is none here. */
static const char *comment_number(const char *at, const char *end, const char *prefix, uint64_t *value)
{
    size_t length = strlen(prefix);
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    if ((size_t)(end - at) < length || memcmp(at, prefix, length) != 0)
        return NULL;
    at += length;
    unsigned digits = 0;
    for (*value = 0; at < end && isxdigit((unsigned char)*at) && digits < 16; at++, digits++) {
        unsigned ch = (unsigned char)*at;
        *value = *value << 4 | (ch <= '9' ? ch - '0' : (ch | 0x20U) - 'a' + 10);
    }
    while (at < end && *at == ' ')
        at++;
    return digits > 0 && end - at >= 2 && at[0] == '*' && at[1] == '/' ? at + 2 : NULL;
}

static void fail(struct listing *l, size_t offset, size_t length, const char *message)
{
    base_diag_add(l->diags, BASE_ERROR, &l->module->source, offset, length, "%s", message);
    l->bad = true;
}

static int by_name(const void *a, const void *b)
{
    const struct label *x = a, *y = b;
    size_t length = x->length < y->length ? x->length : y->length;
    int order = memcmp(x->name, y->name, length);
    if (order == 0 && x->length != y->length)
        order = x->length < y->length ? -1 : 1;
    return order;
}

static void resolve_uses(struct listing *l)
{
    if (l->labels.count > 1)
        qsort(l->labels.data, l->labels.count, sizeof(*l->labels.data), by_name);
    for (size_t u = 0; u < l->uses.count; u++) {
        const struct use *use = &l->uses.data[u];
        struct isa_sass_insn *sass = (struct isa_sass_insn *)(uintptr_t)l->insns.data[use->insn].sass;
        const struct label key = {.name = use->name, .length = use->length};
        const struct label *found =
            l->labels.count > 0 ? bsearch(&key, l->labels.data, l->labels.count, sizeof(key), by_name) : NULL;
        if (found != NULL)
            sass->operands[use->operand].value = found->offset;
        else if (sass->unknown == NULL)
            sass->unknown = base_arena_strndup(&l->module->arena, use->name, use->length);
    }
}

/* What a function of a listing alone has: registers as used, no parameters known. */
static struct isa_sass_kernel *new_machine(struct listing *l)
{
    struct isa_sass_kernel *machine = base_arena_alloc(&l->module->arena, 1, sizeof(*machine));
    if (machine != NULL)
        machine->param_base = 0x210;
    return machine;
}

static void end_function(struct listing *l)
{
    if (!l->in_function)
        return;
    l->in_function = false;
    resolve_uses(l);
    struct isa_function *function = &l->functions.data[l->functions.count - 1];
    function->insn_count = function->text_insn_count = l->insns.count;
    function->insns = base_arena_alloc(&l->module->arena, l->insns.count + 1, sizeof(*function->insns));
    function->machine = new_machine(l);
    if (function->insns == NULL || function->machine == NULL)
        l->no_memory = true;
    else if (l->insns.count > 0)
        memcpy(function->insns, l->insns.data, l->insns.count * sizeof(*function->insns));
    l->insns.count = l->labels.count = l->uses.count = 0;
}

static void begin_function(struct listing *l, const char *name, size_t length)
{
    end_function(l);
    while (length > 0 && isspace((unsigned char)name[length - 1]))
        length--;
    struct isa_function function = {.is_entry = true, .linkage = ISA_LINKAGE_VISIBLE};
    function.name = base_arena_strndup(&l->module->arena, name, length);
    function.source_offset = (uint32_t)(name - l->module->source.text);
    l->no_memory |= function.name == NULL || !base_vec_push(&l->functions, function);
    l->in_function = !l->no_memory;
}

/* Space and width, for whoever classifies memory instructions of either form. */
static void describe_access(struct isa_insn *insn)
{
    static const struct {
        uint16_t op;
        uint8_t space;
    } spaces[] = {
        {ISA_SASS_LDG, ISA_SPACE_GLOBAL},    {ISA_SASS_STG, ISA_SPACE_GLOBAL},  {ISA_SASS_LDS, ISA_SPACE_SHARED},
        {ISA_SASS_STS, ISA_SPACE_SHARED},    {ISA_SASS_LDL, ISA_SPACE_LOCAL},   {ISA_SASS_STL, ISA_SPACE_LOCAL},
        {ISA_SASS_ATOMG, ISA_SPACE_GLOBAL},  {ISA_SASS_REDG, ISA_SPACE_GLOBAL}, {ISA_SASS_ATOMS, ISA_SPACE_SHARED},
        {ISA_SASS_LDSM, ISA_SPACE_SHARED},   {ISA_SASS_STSM, ISA_SPACE_SHARED}, {ISA_SASS_LDC, ISA_SPACE_CONST},
        {ISA_SASS_LDGSTS, ISA_SPACE_GLOBAL},
    };
    for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++)
        if (spaces[i].op == insn->sass->op)
            insn->mods.space = spaces[i].space;
    if (isa_sass_has(insn->sass, ISA_SASS_W_STRONG) || isa_sass_has(insn->sass, ISA_SASS_W_MMIO))
        insn->mods.sem = ISA_SEM_RELAXED; /* a read by which it may wait for others */
    bool is_64 = isa_sass_has(insn->sass, ISA_SASS_W_64), is_128 = isa_sass_has(insn->sass, ISA_SASS_W_128);
    bool is_16 = isa_sass_has(insn->sass, ISA_SASS_W_U16) || isa_sass_has(insn->sass, ISA_SASS_W_S16) ||
                 isa_sass_has(insn->sass, ISA_SASS_W_16);
    bool is_8 = isa_sass_has(insn->sass, ISA_SASS_W_U8) || isa_sass_has(insn->sass, ISA_SASS_W_S8);
    insn->type = (uint8_t)(is_8 ? ISA_TYPE_B8 : is_16 ? ISA_TYPE_B16 : ISA_TYPE_B32);
    insn->mods.vec = (uint8_t)(is_128 ? 4 : is_64 ? 2 : 1);
}

static void add_insn(struct listing *l, uint64_t offset, const char *text, size_t length, uint64_t low)
{
    struct base_arena *arena = &l->module->arena;
    struct isa_sass_insn *sass = base_arena_alloc(arena, 1, sizeof(*sass));
    struct sass_label_use use;
    if (sass == NULL || l->total++ >= INSNS_MAX) {
        l->no_memory = true;
        return;
    }
    sass_parse_insn(arena, text, length, sass, &use);
    sass->encoding[0] = low;
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    struct isa_insn insn = {.op = ISA_OP_SASS, .guard = -1, .sass = sass, .pc = (uint32_t)offset, .line = l->line};
    insn.offset = (uint32_t)(text - l->module->source.text);
    insn.length = (uint32_t)length;
    insn.text = base_arena_strndup(arena, text, length);
    describe_access(&insn);
    struct use named = {(uint32_t)l->insns.count, use.operand, use.name, use.length};
    if (insn.text == NULL || !base_vec_push(&l->insns, insn) || (use.name != NULL && !base_vec_push(&l->uses, named)))
        l->no_memory = true;
}

/* A line with an instruction: true. */
static bool read_insn(struct listing *l, const char *at, const char *end)
{
    uint64_t offset = 0, low = 0;
    const char *text = comment_number(at, end, "/*", &offset);
    if (text == NULL || !l->in_function)
        return false;
    const char *stop = memchr(text, ';', (size_t)(end - text));
    if (stop == NULL)
        return false;
    while (text < stop && (*text == ' ' || *text == '\t'))
        text++;
    if (offset != l->insns.count * ISA_SASS_INSN_BYTES) {
        fail(l, (size_t)(at - l->module->source.text), (size_t)(stop - at),
             "an instruction is missing before this one: offsets go up by 0x10");
        return true;
    }
    (void)comment_number(stop + 1, end, "/* 0x", &low);
    add_insn(l, offset, text, (size_t)(stop - text), low);
    return true;
}

/* The high half of the encoding, alone on its line, belongs to the last instruction. */
static bool read_high_half(struct listing *l, const char *at, const char *end)
{
    uint64_t high = 0;
    if (l->insns.count == 0 || comment_number(at, end, "/* 0x", &high) == NULL)
        return false;
    struct isa_sass_insn *sass = (struct isa_sass_insn *)(uintptr_t)l->insns.data[l->insns.count - 1].sass;
    sass_apply_encoding(sass, sass->encoding[0], high);
    return true;
}

static void read_label(struct listing *l, const char *at, const char *end)
{
    const char *colon = memchr(at, ':', (size_t)(end - at));
    if (colon == NULL || colon == at || !l->in_function)
        return;
    struct label label = {at, (size_t)(colon - at), (uint32_t)(l->insns.count * ISA_SASS_INSN_BYTES)};
    l->no_memory |= !base_vec_push(&l->labels, label);
}

static const char *after(const char *at, const char *end, const char *prefix)
{
    size_t length = strlen(prefix);
    return (size_t)(end - at) >= length && memcmp(at, prefix, length) == 0 ? at + length : NULL;
}

static void read_target(struct listing *l, const char *at, const char *end)
{
    const char *sm = at;
    while (sm + 3 < end && memcmp(sm, "sm_", 3) != 0)
        sm++;
    size_t n = 3;
    while (sm + 3 < end && sm + n < end && isalnum((unsigned char)sm[n]))
        n++;
    if (sm + 3 < end && l->module->target == NULL)
        l->module->target = base_arena_strndup(&l->module->arena, sm, n);
}

static void read_line(struct listing *l, const char *at, const char *end)
{
    const char *name;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    while (end > at && (end[-1] == '\r' || end[-1] == ' '))
        end--;
    if (at == end)
        return;
    if ((name = after(at, end, "Function : ")) != NULL) {
        begin_function(l, name, (size_t)(end - name));
    } else if ((name = after(at, end, ".section\t.text.")) != NULL ||
               (name = after(at, end, ".section .text.")) != NULL) {
        const char *comma = memchr(name, ',', (size_t)(end - name));
        begin_function(l, name, (size_t)((comma != NULL ? comma : end) - name));
    } else if (after(at, end, ".section") != NULL) {
        end_function(l);
    } else if (after(at, end, "code for sm_") != NULL || after(at, end, ".target") != NULL) {
        read_target(l, at, end);
    } else if (at[0] == '/' && !read_high_half(l, at, end)) {
        (void)read_insn(l, at, end);
    } else if (at[0] == '.' || at[0] == '$' || at[0] == '_' || isalpha((unsigned char)at[0])) {
        read_label(l, at, end);
    }
}

enum base_status sass_listing_read(struct isa_module *module, struct base_diags *diags)
{
    struct listing l = {.module = module, .diags = diags};
    const char *at = module->source.text, *end = at + module->source.size;
    while (at < end && !l.no_memory && !l.bad) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline != NULL ? newline : end;
        l.line++;
        read_line(&l, at, stop);
        at = stop + 1;
    }
    end_function(&l);
    if (!l.no_memory && !l.bad) {
        module->functions = base_arena_alloc(&module->arena, l.functions.count + 1, sizeof(*module->functions));
        l.no_memory = module->functions == NULL;
        if (!l.no_memory && l.functions.count > 0)
            memcpy(module->functions, l.functions.data, l.functions.count * sizeof(*module->functions));
        module->function_count = l.no_memory ? 0 : l.functions.count;
    }
    base_vec_free(&l.functions);
    base_vec_free(&l.insns);
    base_vec_free(&l.labels);
    base_vec_free(&l.uses);
    return l.no_memory ? BASE_NOMEM : l.bad ? BASE_INVALID : BASE_OK;
}
