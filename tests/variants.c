/* Every variant of every lane-wise instruction: opcode, types and words, tried one by one on the reader and on the
 * table of lane functions. */
#include "tests/variants.h"

#include "tests/engine_kit.h"

#include <stddef.h>
#include <stdlib.h>

static bool is_lane_wise(unsigned op)
{
    static const uint16_t others[] = {ISA_OP_CVTA,       ISA_OP_ISSPACEP, ISA_OP_MAPA,
                                      ISA_OP_GETCTARANK, ISA_OP_PREFETCH, ISA_OP_PREFETCHU};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (others[i] == op)
            return false;
    return op < ISA_OP_LD;
}

/* Operand letters of a variant: with the predicate of setp.and and the second source of packing conversions. */
static void set_letters(struct variant *v)
{
    const char *form = v->insn.op == ISA_OP_MOV ? "da" : isa_ops[v->insn.op].form;
    unsigned n = 0;
    for (; *form != '\0'; form++) {
        bool optional = form[1] == '?', taken = true;
        if (optional && *form == 'z')
            taken = v->insn.mods.boolop != ISA_BOOL_NONE;
        else if (optional && *form == 'b')
            taken = isa_types[v->insn.type].class == ISA_CLASS_PACKED && v->insn.type2 == ISA_TYPE_F32;
        else if (optional)
            taken = false;
        if (taken)
            v->letters[n++] = *form == 'q' ? 'd' : *form; /* lop3 without its predicate */
        form += optional;
    }
    v->letters[n] = '\0';
}

static void put_word(struct base_strbuf *out, const struct isa_insn *insn, size_t offset, uint32_t value, bool is_flag)
{
    for (size_t i = 0; value != 0 && i < isa_modifier_count; i++) {
        const struct isa_modifier_info *m = &isa_modifiers[i];
        if ((m->group & isa_ops[insn->op].modifiers) != 0 && m->is_flag == is_flag && m->field_offset == offset &&
            m->value == value) {
            base_strbuf_printf(out, ".%s", m->word);
            return;
        }
    }
}

void variant_put_mnemonic(struct base_strbuf *out, const struct isa_insn *insn)
{
    static const uint32_t flags[] = {ISA_FLAG_OOB, ISA_FLAG_SHIFTAMT,  ISA_FLAG_APPROX,  ISA_FLAG_FULL,
                                     ISA_FLAG_FTZ, ISA_FLAG_NAN,       ISA_FLAG_XORSIGN, ISA_FLAG_ABS,
                                     ISA_FLAG_SAT, ISA_FLAG_SATFINITE, ISA_FLAG_RELU,    ISA_FLAG_CC};
    const struct isa_mods *mods = &insn->mods;
    base_strbuf_puts(out, isa_ops[insn->op].mnemonic);
    if (insn->op != ISA_OP_PRMT)
        put_word(out, insn, offsetof(struct isa_mods, mode), mods->mode, false);
    put_word(out, insn, offsetof(struct isa_mods, mode2), mods->mode2, false);
    put_word(out, insn, offsetof(struct isa_mods, cmp), mods->cmp, false);
    put_word(out, insn, offsetof(struct isa_mods, boolop), mods->boolop, false);
    put_word(out, insn, offsetof(struct isa_mods, round), mods->round, false);
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
        put_word(out, insn, offsetof(struct isa_mods, flags), mods->flags & flags[i], true);
    if (insn->type != ISA_TYPE_NONE)
        base_strbuf_printf(out, ".%s", isa_types[insn->type].name);
    if (insn->type2 != ISA_TYPE_NONE)
        base_strbuf_printf(out, ".%s", isa_types[insn->type2].name);
    if (insn->op == ISA_OP_PRMT)
        put_word(out, insn, offsetof(struct isa_mods, mode), mods->mode, false);
}

unsigned variant_letter_bits(const struct isa_insn *insn, char letter)
{
    unsigned bits = isa_types[insn->type].bits;
    switch (letter) {
    case 'w':
    case 'W':
        return insn->mods.mode == ISA_PART_WIDE ? bits * 2 : bits;
    case 'd':
    case 'a':
        return bits;
    case 'b':
        return isa_types[insn->type2 != ISA_TYPE_NONE ? insn->type2 : insn->type].bits;
    case 'p':
    case 'z':
        return 1;
    default:
        return 32;
    }
}

char variant_file(unsigned bits)
{
    return bits == 1 ? 'p' : bits <= 16 ? 'h' : bits == 32 ? 'r' : 'd';
}

/* Whether the reader takes a variant. */
static bool reads(const struct variant *v)
{
    struct base_strbuf text = {0};
    base_strbuf_puts(&text, PTX_HEAD ".visible .entry k()\n{\n" PTX_REGS);
    variant_put_mnemonic(&text, &v->insn);
    for (unsigned i = 0; v->letters[i] != '\0'; i++) {
        const char *comma = i == 0 ? " " : ", ";
        if (v->letters[i] == 'i')
            base_strbuf_printf(&text, "%s1", comma);
        else
            base_strbuf_printf(&text, "%s%%%c1", comma, variant_file(variant_letter_bits(&v->insn, v->letters[i])));
    }
    base_strbuf_puts(&text, ";\nret;\n}\n");
    struct isa_module *module = NULL;
    bool ok = isa_ptx_read("v", text.data, text.length, &module, NULL) == BASE_OK;
    if (ok)
        ok = module->functions[0].insns[0].op == v->insn.op;
    isa_module_free(module);
    base_strbuf_free(&text);
    return ok;
}

static void add_variant(struct variant_list *list, const struct isa_insn *insn)
{
    struct variant v = {.insn = *insn};
    set_letters(&v);
    v.base = sim_exec_find(insn, SIM_LEVEL_BASE);
    for (unsigned i = 0; v.letters[i] != '\0'; i++)
        if (variant_letter_bits(insn, v.letters[i]) > 64)
            return;
    if (v.base == NULL || (insn->op == ISA_OP_LOP3 && insn->mods.boolop != ISA_BOOL_NONE) || !reads(&v))
        return;
    if (list->count == list->capacity) {
        list->capacity = list->capacity * 2 + 1024;
        list->items = realloc(list->items, list->capacity * sizeof(*list->items));
        ck_assert_ptr_nonnull(list->items);
    }
    list->items[list->count++] = v;
}

/* All choices of one word, or none, from each group of modifiers from `bit` on. */
static void add_choices(struct variant_list *list, struct isa_insn *insn, unsigned bit)
{
    uint64_t group = UINT64_C(1) << bit;
    if (bit == M_COUNT) {
        add_variant(list, insn);
        return;
    }
    add_choices(list, insn, bit + 1);
    if ((isa_ops[insn->op].modifiers & group) == 0)
        return;
    for (size_t i = 0; i < isa_modifier_count; i++) {
        const struct isa_modifier_info *m = &isa_modifiers[i];
        if (m->group != group)
            continue;
        struct isa_insn with = *insn;
        if (m->is_flag)
            with.mods.flags |= m->value == ISA_FLAG_ABS ? (uint32_t)ISA_FLAG_XORSIGN | ISA_FLAG_ABS : m->value;
        else
            ((uint8_t *)&with.mods)[m->field_offset] = (uint8_t)m->value;
        if (with.mods.flags != (insn->mods.flags | ISA_FLAG_XORSIGN))
            add_choices(list, &with, bit + 1);
    }
}

void variant_list_make(struct variant_list *list)
{
    memset(list, 0, sizeof(*list));
    for (unsigned op = 0; op < ISA_OP_COUNT; op++) {
        list->first[op] = list->count;
        for (unsigned t = 0; is_lane_wise(op) && t < ISA_TYPE_COUNT; t++)
            for (unsigned t2 = 0; t2 < ISA_TYPE_COUNT; t2++) {
                bool has_type = isa_ops[op].types == 0 ? t == 0 : (isa_ops[op].types >> t & 1) != 0;
                bool has_second = isa_ops[op].types2 == 0 ? t2 == 0 : t2 == 0 || (isa_ops[op].types2 >> t2 & 1) != 0;
                struct isa_insn insn = {.op = (uint16_t)op, .type = (uint8_t)t, .type2 = (uint8_t)t2, .guard = -1};
                if (has_type && has_second && t != ISA_TYPE_PRED)
                    add_choices(list, &insn, 0);
            }
    }
    list->first[ISA_OP_COUNT] = list->count;
}

void variant_list_free(struct variant_list *list)
{
    free(list->items);
}
