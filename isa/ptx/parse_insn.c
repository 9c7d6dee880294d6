/* Instructions: guard, mnemonic, and operands as the opcode's form letters ask.
 *
 * The mnemonic is split at its dots. The longest run of leading words that names a row of opcode.def chooses the
 * opcode; each further word must be a type or belong to a modifier group of that row. Where one does not, or a type is
 * not legal there, the instruction is kept as ISA_OP_UNSUPPORTED and its operands are skipped: it may be in a part of
 * the program that never runs. */
#include "isa/form.h"
#include "isa/matrix.h"
#include "isa/ptx/parse.h"
#include "isa/video.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 24, MNEMONIC_MAX = 256, OP_WORDS_MAX = 7 };

/* A mnemonic with its words joined. */
struct mnemonic {
    char text[MNEMONIC_MAX];
    uint32_t length;
    uint32_t end[WORDS_MAX]; /* of the first n + 1 words in `text` */
    uint32_t count;
    bool too_long;
    uint32_t offset, source_length, line;
};

static void append_words(struct mnemonic *mnemonic, const char *text, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++) {
        if (mnemonic->length + 1 >= MNEMONIC_MAX || mnemonic->count + 1 >= WORDS_MAX) {
            mnemonic->too_long = true;
            return;
        }
        if (text[i] == '.' && mnemonic->length)
            mnemonic->end[mnemonic->count++] = mnemonic->length;
        mnemonic->text[mnemonic->length++] = text[i];
    }
}

/* Reads the whole mnemonic; blanks between its words are allowed. */
static void read_mnemonic(struct ptx_parser *parser, struct mnemonic *mnemonic)
{
    memset(mnemonic, 0, sizeof *mnemonic);
    const uint32_t start = parser->token.offset;
    const uint32_t length = isa_ptx_lex_mnemonic(&parser->module->source, start);
    mnemonic->offset = start;
    mnemonic->line = parser->token.line;
    append_words(mnemonic, ptx_text(parser, start), length);
    parser->lexer.position = start + length;
    parser->token.length = length;
    ptx_next(parser);
    while (parser->token.kind == PTX_DOT) {
        append_words(mnemonic, ptx_text(parser, parser->token.offset), parser->token.length);
        ptx_next(parser);
    }
    while (mnemonic->too_long && strchr(".:", mnemonic->text[mnemonic->length - 1]))
        mnemonic->length--;
    mnemonic->end[mnemonic->count++] = mnemonic->length;
    mnemonic->source_length = parser->previous_end - start;
}

/* The row of the longest leading words; *words: how many there are. */
static const struct ptx_word *find_op(const struct ptx_parser *parser, const struct mnemonic *mnemonic, uint32_t *words)
{
    uint32_t count = mnemonic->count < OP_WORDS_MAX ? mnemonic->count : OP_WORDS_MAX;
    for (; count > 0; count--) {
        const struct ptx_word *word =
            ptx_words_find(&parser->words, PTX_WORD_OP, mnemonic->text, mnemonic->end[count - 1], NULL);
        *words = count;
        if (word)
            return word;
    }
    return NULL;
}

/* Sets the member that a modifier word belongs to. False when another word has set it already. */
static bool set_modifier(struct isa_mods *mods, const struct isa_modifier_info *info)
{
    if (info->is_flag) {
        const bool fresh = !(mods->flags & info->value);
        mods->flags |= info->value;
        return fresh;
    }
    uint8_t *member = (uint8_t *)mods + info->field_offset;
    if (member == &mods->layout && *member != ISA_LAYOUT_NONE)
        member = &mods->layout2;
    if (info->group == M_POLICY && *member != ISA_HINT2_NONE)
        member = &mods->hint3;
    const bool fresh = *member == 0;
    *member = (uint8_t)info->value;
    return fresh;
}

static bool take_modifier(const struct ptx_parser *parser, struct isa_insn *insn, const char *text, uint32_t length)
{
    const struct ptx_word *word = NULL;
    while ((word = ptx_words_find(&parser->words, PTX_WORD_MODIFIER, text, length, word)))
        if (isa_modifiers[word->value].group & isa_ops[insn->op].modifiers)
            return set_modifier(&insn->mods, &isa_modifiers[word->value]);
    return false;
}

static bool take_type(const struct ptx_parser *parser, struct isa_insn *insn, const char *text, uint32_t length)
{
    const struct ptx_word *word = ptx_words_find(&parser->words, PTX_WORD_TYPE, text, length, NULL);
    const struct isa_op_info *op = &isa_ops[insn->op];
    if (!word)
        return false;
    if (insn->type == ISA_TYPE_NONE) {
        insn->type = (uint8_t)word->value;
        return (op->types & T(NONE) << word->value) != 0;
    }
    if (insn->type2 == ISA_TYPE_NONE) {
        insn->type2 = (uint8_t)word->value;
        return (op->types2 & T(NONE) << word->value) != 0;
    }
    if ((op->flags & ISA_OPF_FOUR_TYPES) && insn->type4 == ISA_TYPE_NONE) {
        *(insn->type3 == ISA_TYPE_NONE ? &insn->type3 : &insn->type4) = (uint8_t)word->value;
        return true; /* isa_matrix_known() looks at all four together */
    }
    if ((op->flags & ISA_OPF_THREE_TYPES) && insn->type3 == ISA_TYPE_NONE) {
        insn->type3 = (uint8_t)word->value;
        return (op->types2 & T(NONE) << word->value) != 0;
    }
    return false;
}

static bool word_is(const char *text, uint32_t length, const char *word)
{
    return length == strlen(word) && memcmp(text, word, length) == 0;
}

/* shfl and vote without .sync and mask of lanes: gone for .target sm_70 and later since PTX ISA 6.4. */
static bool lacks_sync(const struct ptx_parser *parser, const struct isa_insn *insn)
{
    const struct isa_module *module = parser->module;
    const bool is_new = module->version_major > 6 || (module->version_major == 6 && module->version_minor >= 4);
    const unsigned long target =
        module->target && strncmp(module->target, "sm_", 3) == 0 ? strtoul(module->target + 3, NULL, 10) : 0;
    return (insn->op == ISA_OP_SHFL || insn->op == ISA_OP_VOTE) && !(insn->mods.flags & ISA_FLAG_SYNC) && is_new &&
           target >= 70;
}

/* Opcode, modifiers and types. False: not supported. */
static bool decode(const struct ptx_parser *parser, const struct mnemonic *mnemonic, struct isa_insn *insn,
                   bool *policy)
{
    uint32_t used = 0;
    const struct ptx_word *op = mnemonic->too_long ? NULL : find_op(parser, mnemonic, &used);
    if (!op)
        return false;
    insn->op = (uint16_t)op->value;
    insn->mods.vec = (uint8_t)isa_form_elements(op->value);
    for (uint32_t i = used; i < mnemonic->count; i++) {
        const char *text = mnemonic->text + mnemonic->end[i - 1] + 1;
        const uint32_t length = mnemonic->end[i] - mnemonic->end[i - 1] - 1;
        if (take_type(parser, insn, text, length) || take_modifier(parser, insn, text, length))
            continue;
        if (op->takes_aligned && word_is(text, length, "aligned"))
            continue;
        if (!*policy && isa_form_has_policy(&isa_ops[insn->op]) && word_is(text, length, "L2::cache_hint"))
            *policy = true;
        else
            return false;
    }
    return !lacks_sync(parser, insn) && isa_matrix_known(insn);
}

static bool commit(struct ptx_parser *parser, struct isa_insn *insn)
{
    struct ptx_body *body = &parser->body;
    if (parser->insns_total >= PTX_INSNS_MAX)
        return ptx_error_at(parser, insn->offset, insn->length, "the text has more than %d instructions",
                            PTX_INSNS_MAX);
    parser->insns_total++;
    const uint32_t first = (uint32_t)body->operands.count;
    insn->pc = (uint32_t)body->insns.count;
    insn->operand_first = first;
    insn->operand_count = (uint16_t)parser->operands.count;
    insn->loc_file = body->loc;
    insn->loc_line = body->loc_line;
    if (!base_vec_reserve(&body->operands, parser->operands.count) ||
        !base_vec_reserve(&body->fixups, parser->fixups.count) || !base_vec_push(&body->insns, *insn))
        return ptx_no_memory(parser);
    for (size_t i = 0; i < parser->operands.count; i++)
        body->operands.data[body->operands.count++] = parser->operands.data[i];
    for (size_t i = 0; i < parser->fixups.count; i++) {
        struct ptx_fixup fixup = parser->fixups.data[i];
        fixup.index += first;
        body->fixups.data[body->fixups.count++] = fixup;
    }
    return true;
}

/* Goes to the ';' of an instruction that is not read. */
static bool skip_operands(struct ptx_parser *parser)
{
    uint32_t braces = 0;
    while (!(braces == 0 && (ptx_is(parser, ';') || ptx_is(parser, '}'))) && parser->token.kind != PTX_END) {
        if (parser->token.kind == PTX_BAD)
            return ptx_error(parser, "bad token");
        braces += ptx_is(parser, '{');
        braces -= ptx_is(parser, '}');
        ptx_next(parser);
    }
    return ptx_expect_semicolon(parser, "the instruction");
}

static bool store_unsupported(struct ptx_parser *parser, const struct mnemonic *mnemonic, const struct isa_insn *from)
{
    struct isa_insn insn = {.op = ISA_OP_UNSUPPORTED,
                            .guard = from->guard,
                            .guard_negated = from->guard_negated,
                            .offset = from->offset,
                            .length = from->length,
                            .line = from->line};
    struct base_strbuf text = {0};
    base_strbuf_append(&text, mnemonic->text, mnemonic->length);
    insn.text = text.failed ? NULL : base_arena_strndup(&parser->module->arena, text.data, text.length);
    base_strbuf_free(&text);
    if (!insn.text)
        return ptx_no_memory(parser);
    parser->operands.count = 0;
    parser->fixups.count = 0;
    return commit(parser, &insn);
}

static bool push(struct ptx_parser *parser, const struct isa_operand *operand)
{
    return base_vec_push(&parser->operands, *operand) || ptx_no_memory(parser);
}

static bool push_register(struct ptx_parser *parser, const struct ptx_raw *raw, struct isa_insn *insn)
{
    struct isa_operand operand = {0};
    insn->dst_count++;
    return ptx_lower_register(parser, raw, &operand) && push(parser, &operand);
}

static bool push_source(struct ptx_parser *parser, const struct ptx_raw *raw, unsigned type)
{
    struct isa_operand operand = {0};
    return ptx_lower_source(parser, raw, type, &operand) && push(parser, &operand);
}

/* A destination that may be "p|q". */
static bool push_pair(struct ptx_parser *parser, const struct ptx_raw *raw, struct isa_insn *insn)
{
    return push_register(parser, raw, insn) &&
           (!raw->pair || push_register(parser, &parser->elements[raw->pair - 1], insn));
}

/* A vector register without element stands for all of them. */
static struct ptx_symbol *vector_symbol(struct ptx_parser *parser, const struct ptx_raw *raw)
{
    if (raw->kind != PTX_RAW_NAME)
        return NULL;
    struct ptx_symbol *symbol = ptx_resolve(parser, raw->name_offset, raw->name_length);
    const bool vector =
        symbol && symbol->kind == PTX_SYMBOL_REG && symbol->elements && !memchr(symbol->name, '.', symbol->length);
    return vector ? symbol : NULL;
}

/* "%tid" of a move of four elements; its last one is zero. False: it is none, and nothing was told. */
static bool push_special_vector(struct ptx_parser *parser, const struct ptx_raw *raw, uint32_t wanted)
{
    char name[32];
    if (raw->kind != PTX_RAW_NAME || raw->name_length + 2 > sizeof name || wanted != 4)
        return false;
    memcpy(name, ptx_text(parser, raw->name_offset), raw->name_length);
    for (uint32_t i = 0; i < wanted; i++) {
        name[raw->name_length] = '.';
        name[raw->name_length + 1] = "xyzw"[i];
        const struct ptx_word *word = ptx_words_find(&parser->words, PTX_WORD_SREG, name, raw->name_length + 2, NULL);
        const struct isa_operand operand = {.kind = word ? ISA_OPERAND_SREG : ISA_OPERAND_IMM,
                                            .ref = word ? word->value : 0};
        if ((!word && i < 3) || !push(parser, &operand))
            return false;
    }
    return true;
}

static bool push_vector(struct ptx_parser *parser, const struct ptx_raw *raw, struct isa_insn *insn, bool writes)
{
    const uint32_t wanted = insn->mods.vec > 1 ? insn->mods.vec : 1;
    struct ptx_symbol *vector = wanted > 1 ? vector_symbol(parser, raw) : NULL;
    const size_t first = parser->operands.count;
    const uint32_t given = vector ? vector->elements : raw->kind == PTX_RAW_VECTOR ? raw->element_count : 1;
    if (insn->op == ISA_OP_MOV_V4 && !writes && !vector && push_special_vector(parser, raw, wanted))
        return true;
    if (given != wanted)
        return ptx_error_at(parser, raw->offset, raw->length, "expected a vector of %u elements, %u are given", wanted,
                            given);
    for (uint32_t i = 0; i < wanted; i++) {
        const struct ptx_raw *element = raw->kind == PTX_RAW_VECTOR ? &parser->elements[raw->first_element + i] : raw;
        bool good = false;
        if (vector) {
            const struct isa_operand operand = {.kind = ISA_OPERAND_REG,
                                                .ref = ptx_use_register(parser, &vector[vector->ref + i])};
            insn->dst_count = (uint8_t)(insn->dst_count + writes);
            good = operand.ref != PTX_NO_REF && push(parser, &operand);
        } else if (writes) {
            good = push_register(parser, element, insn);
        } else {
            good = push_source(parser, element, insn->type);
        }
        if (!good)
            return false;
    }
    if (wanted > 1)
        parser->operands.data[first].group = (uint8_t)wanted;
    return true;
}

/* A matrix: {..} of as many registers as the instruction's shape and types ask for. */
static bool push_fragment(struct ptx_parser *parser, const struct ptx_raw *raw, struct isa_insn *insn, char letter)
{
    const struct isa_fragment fragment = isa_matrix_fragment(insn, letter);
    const size_t first = parser->operands.count;
    const uint32_t given = raw->kind == PTX_RAW_VECTOR ? raw->element_count : 1;
    if (given != fragment.count)
        return ptx_error_at(parser, raw->offset, raw->length, "expected %u registers in braces, %u are given",
                            fragment.count, given);
    for (uint32_t i = 0; i < given; i++) {
        const struct ptx_raw *element = raw->kind == PTX_RAW_VECTOR ? &parser->elements[raw->first_element + i] : raw;
        if (!(letter == 'F' ? push_register(parser, element, insn) : push_source(parser, element, fragment.type)))
            return false;
    }
    parser->operands.data[first].group = (uint8_t)given;
    return true;
}

/* A name that may be declared later: a label or a target table. */
static bool push_later(struct ptx_parser *parser, const struct ptx_raw *raw, bool table)
{
    if (raw->kind != PTX_RAW_NAME || raw->has_addend || raw->negated || raw->pair)
        return ptx_error_at(parser, raw->offset, raw->length, "expected a %s", table ? "target table" : "label");
    const struct isa_operand operand = {.kind = table ? ISA_OPERAND_TABLE : ISA_OPERAND_LABEL};
    const struct ptx_fixup fixup = {.offset = raw->name_offset,
                                    .length = raw->name_length,
                                    .kind = table ? PTX_FIX_TABLE : PTX_FIX_LABEL,
                                    .index = (uint32_t)parser->operands.count};
    return (base_vec_push(&parser->fixups, fixup) || ptx_no_memory(parser)) && push(parser, &operand);
}

static unsigned bits_type(unsigned bits)
{
    switch (bits) {
    case 8:
        return ISA_TYPE_B8;
    case 16:
        return ISA_TYPE_B16;
    case 32:
        return ISA_TYPE_B32;
    case 128:
        return ISA_TYPE_B128;
    default:
        return ISA_TYPE_B64;
    }
}

/* mov d, a; mov d, {a, b}; mov {d, e}, a. */
static bool lower_mov(struct ptx_parser *parser, struct isa_insn *insn)
{
    const struct ptx_raw *to = &parser->raws[0];
    const struct ptx_raw *from = &parser->raws[1];
    if (parser->raw_count != 2)
        return ptx_error_at(parser, insn->offset, insn->length, "mov takes 2 operands, %u are given",
                            parser->raw_count);
    if (to->kind == PTX_RAW_VECTOR) {
        for (uint32_t i = 0; i < to->element_count; i++)
            if (!push_register(parser, &parser->elements[to->first_element + i], insn))
                return false;
        parser->operands.data[0].group = (uint8_t)to->element_count;
        return push_source(parser, from, insn->type);
    }
    if (!push_register(parser, to, insn))
        return false;
    if (from->kind != PTX_RAW_VECTOR)
        return push_source(parser, from, insn->type);
    const unsigned element_type = bits_type(isa_types[insn->type].bits / from->element_count);
    for (uint32_t i = 0; i < from->element_count; i++)
        if (!push_source(parser, &parser->elements[from->first_element + i], element_type))
            return false;
    parser->operands.data[1].group = (uint8_t)from->element_count;
    return true;
}

/* A register of a video instruction, "%r1", "%r1.b0" or "-%r1.h1", or a constant. */
static bool push_part(struct ptx_parser *parser, struct isa_insn *insn, char letter, const struct ptx_raw *raw)
{
    struct ptx_raw whole = *raw;
    struct isa_operand operand = {0};
    const bool writes = letter == 'X';
    const char *name = raw->kind == PTX_RAW_NAME ? ptx_text(parser, raw->name_offset) : "";
    const char *dot = raw->kind == PTX_RAW_NAME ? memchr(name, '.', raw->name_length) : NULL;
    const uint16_t select =
        dot ? isa_video_select(insn->op, writes, dot + 1, raw->name_length - (uint32_t)(dot + 1 - name)) : 0;
    if (select)
        whole.name_length = (uint32_t)(dot - name);
    whole.minus = false;
    if (raw->minus && insn->op != ISA_OP_VMAD)
        return ptx_error_at(parser, raw->offset, raw->length, "'-' has no meaning here");
    if (writes ? !ptx_lower_register(parser, &whole, &operand)
               : !ptx_lower_source(parser, &whole, ISA_TYPE_B32, &operand))
        return false;
    operand.select = select;
    operand.negated = raw->minus;
    insn->dst_count += writes;
    return push(parser, &operand);
}

static bool lower_letter(struct ptx_parser *parser, struct isa_insn *insn, char letter, const struct ptx_raw *raw)
{
    struct isa_operand operand = {0};
    switch (letter) {
    case 'd':
    case 'w':
    case 'D':
    case 'p':
    case 'q':
        if (raw->pair && letter != 'p' && letter != 'q')
            return ptx_error_at(parser, raw->offset, raw->length, "'|' has no meaning here");
        return push_pair(parser, raw, insn);
    case 'v':
    case 'V':
        return push_vector(parser, raw, insn, letter == 'v');
    case 'F':
    case 'A':
    case 'B':
    case 'C':
        return push_fragment(parser, raw, insn, letter);
    case 'm':
        return ptx_lower_mem(parser, raw, &operand) && push(parser, &operand);
    case 'X':
    case 'x':
    case 'N':
        return push_part(parser, insn, letter, raw);
    case 'l':
    case 't':
        return push_later(parser, raw, letter == 't');
    case 'i':
        if (raw->kind != PTX_RAW_CONST)
            return ptx_error_at(parser, raw->offset, raw->length, "expected a constant");
        return push_source(parser, raw, ISA_TYPE_B32);
    case 'z':
        if (raw->kind != PTX_RAW_NAME)
            return ptx_error_at(parser, raw->offset, raw->length, "expected a predicate");
        return push_source(parser, raw, ISA_TYPE_PRED);
    case 'y': /* a name may be a predicate, which may be negated */
        return push_source(parser, raw, raw->kind == PTX_RAW_NAME ? ISA_TYPE_PRED : ISA_TYPE_B32);
    default:
        return push_source(parser, raw, isa_form_type(insn, letter));
    }
}

static bool lower_form(struct ptx_parser *parser, struct isa_insn *insn, bool policy)
{
    const struct isa_op_info *op = &isa_ops[insn->op];
    const struct isa_operand_form form = isa_form_parse(op->form);
    /* A cache policy, the last optional operand, is there exactly when its word is. */
    const unsigned letters = form.count - (isa_form_has_policy(op) && !policy);
    const unsigned most = letters, least = form.required + policy;
    if (parser->raw_count < least || parser->raw_count > most)
        return ptx_error_at(parser, insn->offset, insn->length, "%s takes %u%s operand%s, %u %s given", op->mnemonic,
                            least, most > least ? " or more" : "", least == 1 && most == 1 ? "" : "s",
                            parser->raw_count, parser->raw_count == 1 ? "is" : "are");
    unsigned extra = parser->raw_count - least;
    unsigned next = 0;
    for (unsigned i = 0; i < letters; i++) {
        const bool is_policy = policy && i + 1 == letters;
        if (form.optional[i] && extra == 0 && !is_policy) {
            const struct isa_operand none = {.kind = ISA_OPERAND_NONE};
            if (next < parser->raw_count && !push(parser, &none))
                return false;
            continue;
        }
        extra -= form.optional[i] && !is_policy;
        const struct ptx_raw *raw = &parser->raws[next++];
        if (is_policy) {
            if (!push_source(parser, raw, ISA_TYPE_B64))
                return false;
        } else if (!lower_letter(parser, insn, form.letters[i], raw)) {
            return false;
        }
    }
    return true;
}

/* "(a, b)" of a call. `callee` gives the types of constants; PTX_NO_REF: not known. */
static bool parse_call_list(struct ptx_parser *parser, struct isa_insn *insn, bool returns, uint32_t callee)
{
    const size_t first = parser->operands.count;
    uint32_t count = 0;
    ptx_next(parser);
    while (!ptx_is(parser, ')')) {
        struct ptx_raw *raw = &parser->raws[0];
        unsigned type = ISA_TYPE_B64;
        if (count >= PTX_ARGS_MAX)
            return ptx_error(parser, "a call has at most %d arguments", PTX_ARGS_MAX);
        if (callee != PTX_NO_REF && count < parser->functions.data[callee].function.param_count)
            type = parser->vars.data[parser->functions.data[callee].function.params[count]].var.type;
        parser->element_count = 0;
        if (!ptx_parse_operand(parser, raw))
            return false;
        if (returns && raw->kind != PTX_RAW_NAME)
            return ptx_error_at(parser, raw->offset, raw->length, "expected a .param variable or a register");
        if (!push_source(parser, raw, type))
            return false;
        count++;
        if (!ptx_accept(parser, ',') && !ptx_is(parser, ')'))
            return ptx_error(parser, "expected ',' or ')' after the argument");
    }
    ptx_next(parser);
    if (count)
        parser->operands.data[first].group = (uint8_t)count;
    if (returns)
        insn->dst_count = (uint8_t)count;
    return true;
}

static bool parse_callee(struct ptx_parser *parser, uint32_t *callee)
{
    struct ptx_raw *raw = &parser->raws[0];
    struct isa_operand operand = {0};
    parser->element_count = 0;
    if (parser->token.kind != PTX_IDENT)
        return ptx_error(parser, "expected a function or a register that holds its address");
    if (!ptx_parse_operand(parser, raw) || !ptx_lower_source(parser, raw, ISA_TYPE_B64, &operand))
        return false;
    if (operand.kind != ISA_OPERAND_FUNC && operand.kind != ISA_OPERAND_REG)
        return ptx_error_at(parser, raw->offset, raw->length, "'%.*s' is no function", (int)raw->length,
                            ptx_text(parser, raw->offset));
    *callee = operand.kind == ISA_OPERAND_FUNC ? operand.ref : PTX_NO_REF;
    return push(parser, &operand);
}

/* call [(ret),] callee [, (args)] [, table]; */
static bool parse_call(struct ptx_parser *parser, struct isa_insn *insn)
{
    uint32_t callee = PTX_NO_REF;
    if (ptx_is(parser, '(') &&
        (!parse_call_list(parser, insn, true, PTX_NO_REF) || !ptx_expect(parser, ',', "after the return values")))
        return false;
    if (!parse_callee(parser, &callee))
        return false;
    if (!ptx_accept(parser, ','))
        return true;
    if (ptx_is(parser, '(')) {
        if (!parse_call_list(parser, insn, false, callee))
            return false;
        if (!ptx_accept(parser, ','))
            return true;
    }
    parser->element_count = 0;
    return ptx_parse_operand(parser, &parser->raws[0]) && push_later(parser, &parser->raws[0], true);
}

static bool parse_operands(struct ptx_parser *parser)
{
    if (ptx_is(parser, ';'))
        return true;
    do {
        if (parser->raw_count >= PTX_OPERANDS_MAX)
            return ptx_error(parser, "too many operands");
        struct ptx_raw *raw = &parser->raws[parser->raw_count++];
        if (!ptx_parse_operand(parser, raw))
            return false;
    } while (ptx_accept(parser, ','));
    return true;
}

static bool parse_guard(struct ptx_parser *parser, struct isa_insn *insn)
{
    insn->guard = -1;
    if (!ptx_accept(parser, '@'))
        return true;
    insn->guard_negated = ptx_accept(parser, '!');
    const struct ptx_token name = parser->token;
    if (name.kind != PTX_IDENT)
        return ptx_error(parser, "expected a predicate after '@'");
    struct ptx_raw raw = {0};
    struct isa_operand operand = {0};
    if (!ptx_parse_operand(parser, &raw) || !ptx_lower_register(parser, &raw, &operand))
        return false;
    if (operand.kind != ISA_OPERAND_REG || parser->body.regs.data[operand.ref].type != ISA_TYPE_PRED)
        return ptx_error_at(parser, raw.offset, raw.length, "a guard must be a predicate");
    insn->guard = (int32_t)operand.ref;
    return true;
}

static bool check_types_given(struct ptx_parser *parser, const struct isa_insn *insn)
{
    const struct isa_op_info *op = &isa_ops[insn->op];
    if (op->types && insn->type == ISA_TYPE_NONE)
        return ptx_error_at(parser, insn->offset, insn->length, "%s needs a type", op->mnemonic);
    return true;
}

bool ptx_move_reg_params(struct ptx_parser *parser, bool returns, const struct isa_insn *at)
{
    const size_t first = returns ? 0 : parser->reg_returns;
    const size_t end = returns ? parser->reg_returns : parser->reg_params.count;
    for (size_t i = first; i < end; i++) {
        const struct ptx_reg_param *param = &parser->reg_params.data[i];
        struct ptx_symbol *symbol = ptx_scope_find(&parser->scopes[1], ptx_text(parser, param->name_offset),
                                                   param->name_length, PTX_SPACE_NAMES);
        const uint32_t ref = symbol ? ptx_use_register(parser, symbol) : PTX_NO_REF;
        if (ref == PTX_NO_REF)
            return false;
        const struct isa_operand reg = {.kind = ISA_OPERAND_REG, .ref = ref};
        const struct isa_operand variable = {
            .kind = ISA_OPERAND_MEM, .base_kind = ISA_OPERAND_SYMBOL, .ref = param->var};
        struct isa_insn insn = *at;
        insn.op = returns ? ISA_OP_ST : ISA_OP_LD;
        insn.type = (uint8_t)bits_type(isa_types[symbol->type].bits);
        insn.mods = (struct isa_mods){.space = ISA_SPACE_PARAM};
        insn.dst_count = !returns;
        parser->operands.count = 0;
        parser->fixups.count = 0;
        if (!push(parser, returns ? &variable : &reg) || !push(parser, returns ? &reg : &variable) ||
            !commit(parser, &insn))
            return false;
    }
    parser->operands.count = 0;
    return true;
}

bool ptx_parse_insn(struct ptx_parser *parser)
{
    struct isa_insn insn = {0};
    struct mnemonic mnemonic;
    bool policy = false;
    parser->operands.count = 0;
    parser->fixups.count = 0;
    parser->raw_count = 0;
    parser->element_count = 0;
    if (!parse_guard(parser, &insn))
        return false;
    if (parser->token.kind != PTX_IDENT)
        return ptx_error(parser, "expected an instruction");
    read_mnemonic(parser, &mnemonic);
    insn.offset = mnemonic.offset;
    insn.length = mnemonic.source_length;
    insn.line = mnemonic.line;
    if (!decode(parser, &mnemonic, &insn, &policy))
        return store_unsupported(parser, &mnemonic, &insn) && skip_operands(parser);
    if (!check_types_given(parser, &insn))
        return false;
    const char form = isa_ops[insn.op].form[0];
    if (form == 'c') {
        if (!parse_call(parser, &insn))
            return false;
    } else {
        if (!parse_operands(parser))
            return false;
        if (!(form == 'M' ? lower_mov(parser, &insn) : lower_form(parser, &insn, policy)))
            return false;
    }
    if (!ptx_expect_semicolon(parser, "the instruction"))
        return false;
    return (insn.op != ISA_OP_RET || ptx_move_reg_params(parser, true, &insn)) && commit(parser, &insn);
}
