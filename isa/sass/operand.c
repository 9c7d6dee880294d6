/* One instruction's text: "@!P0 IADD3.X R4, P1, PT, R2.reuse, c[0x0][0x210], ~UR6, P0, !PT".
 *
 * sass_parse_insn() at the end reads guard, opcode and words, then the operands one after another. An operand is tried
 * as each of its kinds in turn; the first character mostly decides. */
#include "isa/sass/parse.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOKEN_BYTES 64

static void skip_space(struct sass_cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t'))
        c->at++;
}

static bool accept(struct sass_cursor *c, const char *text)
{
    size_t length = strlen(text);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, text, length) != 0)
        return false;
    c->at += length;
    return true;
}

static bool is_word(char ch)
{
    return isalnum((unsigned char)ch) || ch == '_';
}

/* The letters, digits and underscores here, as a string; false when there are none or too many. */
static bool take_word(struct sass_cursor *c, char out[TOKEN_BYTES])
{
    size_t n = 0;
    while (c->at < c->end && is_word(*c->at) && n + 1 < TOKEN_BYTES)
        out[n++] = *c->at++;
    out[n] = '\0';
    return n > 0 && (c->at == c->end || !is_word(*c->at));
}

/* A number up to `limit`, after a prefix that has been taken; the text ends the register's name. */
static bool take_index(struct sass_cursor *c, unsigned limit, uint8_t *index)
{
    unsigned value = 0, digits = 0;
    while (c->at < c->end && isdigit((unsigned char)*c->at) && digits < 4) {
        value = value * 10 + (unsigned)(*c->at++ - '0');
        digits++;
    }
    *index = (uint8_t)value;
    return digits > 0 && value <= limit && (c->at == c->end || !is_word(*c->at));
}

struct register_name {
    const char *prefix; /* of numbered ones */
    const char *none;   /* the name of the one that is always zero or true */
    uint8_t kind, none_index;
    unsigned limit;
};

/* Longer prefixes first. */
static const struct register_name register_names[] = {
    {"UR", "URZ", ISA_SASS_UREG, ISA_SASS_URZ, 62}, {"UP", "UPT", ISA_SASS_UPRED, ISA_SASS_PT, 6},
    {"SB", NULL, ISA_SASS_SCOREBOARD, 0, 5},        {"R", "RZ", ISA_SASS_REG, ISA_SASS_RZ, 254},
    {"P", "PT", ISA_SASS_PRED, ISA_SASS_PT, 6},     {"B", NULL, ISA_SASS_CONV, 0, 15},
};

/* "R4", "URZ", "P0" ... */
static bool take_register(struct sass_cursor *c, uint8_t *kind, uint8_t *index)
{
    for (size_t i = 0; i < sizeof(register_names) / sizeof(register_names[0]); i++) {
        const struct register_name *name = &register_names[i];
        struct sass_cursor at = *c;
        if (name->none != NULL && accept(&at, name->none) && (at.at == at.end || !is_word(*at.at))) {
            *kind = name->kind;
            *index = name->none_index;
            *c = at;
            return true;
        }
        at = *c;
        if (accept(&at, name->prefix) && take_index(&at, name->limit, index)) {
            *kind = name->kind;
            *c = at;
            return true;
        }
    }
    return false;
}

/* "0x1f", "-0x10": 64 bits, wrapped. */
static bool take_hex(struct sass_cursor *c, int64_t *value)
{
    struct sass_cursor at = *c;
    bool negative = accept(&at, "-");
    if (!accept(&at, "0x"))
        return false;
    uint64_t bits = 0;
    unsigned digits = 0;
    for (; at.at < at.end && isxdigit((unsigned char)*at.at); at.at++, digits++) {
        unsigned ch = (unsigned char)*at.at;
        bits = bits << 4 | (ch <= '9' ? ch - '0' : (ch | 0x20U) - 'a' + 10);
    }
    if (digits == 0 || digits > 16 || (at.at < at.end && is_word(*at.at)))
        return false;
    *value = (int64_t)(negative ? 0 - bits : bits);
    *c = at;
    return true;
}

/* "0.5", "-1", "+INF", "-QNAN", "1.17549435e-38". */
static bool take_decimal(struct sass_cursor *c, double *value)
{
    char text[TOKEN_BYTES];
    size_t n = 0;
    const char *at = c->at;
    while (at < c->end && n + 1 < sizeof(text) &&
           (isalnum((unsigned char)*at) || *at == '.' || *at == '+' || *at == '-'))
        text[n++] = *at++;
    text[n] = '\0';
    const char *start = text + (text[0] == '+' || text[0] == '-');
    char *stop = NULL;
    bool is_nan = strcmp(start, "QNAN") == 0 || strcmp(start, "SNAN") == 0;
    if (is_nan || strcmp(start, "INF") == 0) {
        double magnitude = is_nan ? (double)NAN : (double)INFINITY;
        *value = text[0] == '-' ? -magnitude : magnitude;
        c->at = at;
        return true;
    }
    if (!isdigit((unsigned char)*start) && *start != '.')
        return false;
    *value = strtod(text, &stop);
    if (stop == text || *stop != '\0')
        return false;
    c->at = at;
    return true;
}

/* "SR_TID.X", "SRZ": the longest name that fits. */
static bool take_sreg(struct sass_cursor *c, uint8_t *index)
{
    size_t best = 0;
    for (unsigned i = 1; i < ISA_SASS_SREG_COUNT; i++) {
        size_t length = strlen(isa_sass_sregs[i]);
        if (length > best && (size_t)(c->end - c->at) >= length && memcmp(c->at, isa_sass_sregs[i], length) == 0 &&
            (c->at + length == c->end || !(is_word(c->at[length]) || c->at[length] == '.'))) {
            best = length;
            *index = (uint8_t)i;
        }
    }
    c->at += best;
    return best > 0;
}

/* One term of an address: a register with ".64", ".U32", ".X4", or a number. */
static bool take_term(struct sass_cursor *c, struct isa_sass_operand *o)
{
    uint8_t kind = 0, index = 0;
    int64_t number = 0;
    if (take_hex(c, &number)) {
        o->value = (int64_t)((uint64_t)o->value + (uint64_t)number);
        return true;
    }
    if (!take_register(c, &kind, &index))
        return false;
    if (kind == ISA_SASS_UREG) {
        o->ubase = index;
        o->ubase_bits = accept(c, ".64") ? 64 : o->ubase_bits;
        return true;
    }
    if (kind != ISA_SASS_REG)
        return false;
    o->base = index;
    for (;;) {
        if (accept(c, ".64"))
            o->base_bits = 64;
        else if (accept(c, ".X16"))
            o->base_scale = 16;
        else if (accept(c, ".X4"))
            o->base_scale = 4;
        else if (accept(c, ".X8"))
            o->base_scale = 8;
        else if (accept(c, ".reuse"))
            o->reuse = true;
        else if (accept(c, ".U32"))
            o->base_bits = 32;
        else
            return true;
    }
}

/* "R4.64+UR6+0x10]", after the "[". */
static bool take_address(struct sass_cursor *c, struct isa_sass_operand *o)
{
    o->base = ISA_SASS_RZ;
    o->ubase = ISA_SASS_URZ;
    o->base_scale = 1;
    skip_space(c);
    if (accept(c, "]"))
        return true;
    do {
        skip_space(c);
        if (!take_term(c, o))
            return false;
        skip_space(c);
    } while (accept(c, "+"));
    return accept(c, "]");
}

/* "c[0x0][R4+0x210]", "cx[UR4][0x10]" after the "c[". */
static bool take_constant(struct sass_cursor *c, struct isa_sass_operand *o)
{
    int64_t bank = 0;
    o->kind = ISA_SASS_CONST;
    if (!take_hex(c, &bank) || bank < 0 || bank > 31 || !accept(c, "]"))
        return false;
    o->bank = (uint8_t)bank;
    return accept(c, "[") && take_address(c, o);
}

static bool take_memory(struct sass_cursor *c, struct isa_sass_operand *o)
{
    o->kind = ISA_SASS_MEM;
    if (!accept(c, "desc["))
        return accept(c, "[") && take_address(c, o);
    uint8_t kind = 0;
    o->has_descriptor = true;
    return take_register(c, &kind, &o->descriptor) && kind == ISA_SASS_UREG && accept(c, "]") && accept(c, "[") &&
           take_address(c, o);
}

/* "`(.L_x_3)", "(.L_x_3)". */
static bool take_label(struct sass_cursor *c, struct isa_sass_operand *o, struct sass_label_use *use)
{
    struct sass_cursor at = *c;
    (void)accept(&at, "`");
    if (!accept(&at, "("))
        return false;
    const char *name = at.at;
    while (at.at < at.end && *at.at != ')')
        at.at++;
    if (at.at == at.end || at.at == name)
        return false;
    use->name = name;
    use->length = (size_t)(at.at - name);
    at.at++;
    o->kind = ISA_SASS_TARGET;
    o->function = -1;
    *c = at;
    return true;
}

static const struct {
    const char *text;
    uint8_t part;
} parts[] = {
    {".H0_H0", ISA_SASS_PART_H0_H0},   {".H1_H1", ISA_SASS_PART_H1_H1}, {".H1_H0", ISA_SASS_PART_H1_H0},
    {".H0_NH1", ISA_SASS_PART_H0_NH1}, {".H0", ISA_SASS_PART_H0},       {".H1", ISA_SASS_PART_H1},
    {".B0", ISA_SASS_PART_B0},         {".B1", ISA_SASS_PART_B1},       {".B2", ISA_SASS_PART_B2},
    {".B3", ISA_SASS_PART_B3},         {".F32", ISA_SASS_PART_F32},     {".SIGN", ISA_SASS_PART_SIGN},
};

/* What follows a register: ".reuse", ".H0_H0", ".64" (a pair: known from the opcode). */
static bool take_suffixes(struct sass_cursor *c, struct isa_sass_operand *o)
{
    while (c->at < c->end && *c->at == '.') {
        bool found = false;
        for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && !found; i++)
            if (accept(c, parts[i].text)) {
                o->part = parts[i].part;
                found = true;
            }
        if (!found && accept(c, ".reuse"))
            o->reuse = found = true;
        else if (!found && (accept(c, ".64") || accept(c, ".ROW") || accept(c, ".COL")))
            found = true;
        if (!found)
            return false;
    }
    return true;
}

static bool take_plain(struct sass_cursor *c, struct isa_sass_operand *o, struct sass_label_use *use)
{
    if (accept(c, "c["))
        return take_constant(c, o);
    if (c->at < c->end && (*c->at == '[' || *c->at == 'd'))
        return take_memory(c, o);
    if (take_label(c, o, use))
        return true;
    if (take_sreg(c, &o->index)) {
        o->kind = ISA_SASS_SREG;
        return true;
    }
    struct sass_cursor at = *c;
    if ((accept(&at, "UPR") || accept(&at, "PR")) && (at.at == at.end || !is_word(*at.at))) {
        o->kind = ISA_SASS_PR;
        *c = at;
        return take_suffixes(c, o);
    }
    if (take_register(c, &o->kind, &o->index))
        return take_suffixes(c, o);
    o->kind = ISA_SASS_IMM;
    if (take_hex(c, &o->value))
        return true;
    o->is_decimal = true;
    return take_decimal(c, &o->number);
}

static bool take_operand(struct sass_cursor *c, struct isa_sass_operand *o, struct sass_label_use *use)
{
    skip_space(c);
    struct sass_cursor at = *c;
    if (take_plain(&at, o, use)) { /* numbers with a sign too */
        *c = at;
        return true;
    }
    memset(o, 0, sizeof(*o));
    o->function = -1;
    for (;;) {
        if (accept(c, "-"))
            o->negative = true;
        else if (accept(c, "~") || accept(c, "!"))
            o->inverted = true;
        else
            break;
    }
    o->absolute = accept(c, "|");
    bool negative = o->negative, inverted = o->inverted, absolute = o->absolute;
    if (!take_plain(c, o, use))
        return false;
    o->negative = negative;
    o->inverted = inverted;
    o->absolute = absolute;
    return !absolute || (accept(c, "|") && take_suffixes(c, o));
}

static uint16_t find_opcode(const char *word)
{
    for (unsigned i = 1; i < ISA_SASS_OP_COUNT; i++)
        if (isa_sass_ops[i].mnemonic[0] == word[0] && strcmp(isa_sass_ops[i].mnemonic, word) == 0)
            return (uint16_t)i;
    return ISA_SASS_UNKNOWN;
}

static uint8_t find_word(const char *word)
{
    for (unsigned i = 1; i < ISA_SASS_WORD_COUNT; i++)
        if (isa_sass_words[i][0] == word[0] && strcmp(isa_sass_words[i], word) == 0)
            return (uint8_t)i;
    return ISA_SASS_W_NONE;
}

static bool take_guard(struct sass_cursor *c, struct isa_sass_insn *insn)
{
    insn->guard = ISA_SASS_PT;
    if (!accept(c, "@"))
        return true;
    uint8_t kind = 0;
    insn->guard_negated = accept(c, "!");
    if (!take_register(c, &kind, &insn->guard) || (kind != ISA_SASS_PRED && kind != ISA_SASS_UPRED))
        return false;
    insn->guard_uniform = kind == ISA_SASS_UPRED;
    skip_space(c);
    return true;
}

/* Opcode and words. False: *bad is the piece that is not known. */
static bool take_opcode(struct sass_cursor *c, struct isa_sass_insn *insn, struct sass_cursor *bad)
{
    char word[TOKEN_BYTES];
    bad->at = c->at;
    bool good = take_word(c, word);
    bad->end = c->at;
    if (!good || (insn->op = find_opcode(word)) == ISA_SASS_UNKNOWN)
        return false;
    while (accept(c, ".")) {
        bad->at = c->at - 1;
        good = take_word(c, word);
        bad->end = c->at;
        uint8_t found = good ? find_word(word) : ISA_SASS_W_NONE;
        if (found == ISA_SASS_W_NONE || insn->word_count == ISA_SASS_MAX_WORDS)
            return false;
        insn->words[insn->word_count++] = found;
    }
    return true;
}

void sass_parse_insn(struct base_arena *arena, const char *text, size_t length, struct isa_sass_insn *insn,
                     struct sass_label_use *use)
{
    struct sass_cursor c = {text, text + length}, bad = {text, text + length};
    memset(insn, 0, sizeof(*insn));
    memset(use, 0, sizeof(*use));
    skip_space(&c);
    bool good = take_guard(&c, insn) && take_opcode(&c, insn, &bad);
    while (good) {
        skip_space(&c);
        (void)accept(&c, ",");
        skip_space(&c);
        if (c.at == c.end)
            return;
        bad = c;
        struct sass_label_use label = {0};
        good = insn->operand_count < ISA_SASS_MAX_OPERANDS;
        if (good) {
            struct isa_sass_operand *o = &insn->operands[insn->operand_count++];
            o->function = -1;
            good = take_operand(&c, o, &label);
            if (label.name != NULL) {
                *use = label;
                use->operand = insn->operand_count - 1U;
            }
        }
        skip_space(&c);
        good = good && (c.at == c.end || *c.at == ',' || isalnum((unsigned char)*c.at) || *c.at == '-' ||
                        *c.at == '(' || *c.at == '`');
    }
    const char *end = bad.end > bad.at ? bad.end : text + length;
    insn->unknown = base_arena_strndup(arena, bad.at, (size_t)(end - bad.at));
    if (insn->unknown == NULL)
        insn->unknown = "";
}

void sass_apply_encoding(struct isa_sass_insn *insn, uint64_t low, uint64_t high)
{
    insn->encoding[0] = low;
    insn->encoding[1] = high;
    insn->control.present = true;
    insn->control.stall_cycles = (uint8_t)(high >> 41 & 15);
    insn->control.yield = (high >> 45 & 1) == 0;
    insn->control.write_barrier = (uint8_t)(high >> 46 & 7);
    insn->control.read_barrier = (uint8_t)(high >> 49 & 7);
    insn->control.wait_mask = (uint8_t)(high >> 52 & 63);
    insn->control.reuse_mask = (uint8_t)(high >> 58 & 15);
    /* An immediate written as a decimal number stands in the upper half of the low word, bit for bit. */
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == ISA_SASS_IMM && insn->operands[i].is_decimal)
            insn->operands[i].value = (int64_t)(low >> 32);
}
