/* The reader's state, and what its parts offer each other.
 *
 *   words.c          the dictionary: mnemonics, types, modifiers, special registers
 *   parse_util.c     tokens, messages, going on after an error
 *   loc.c            .loc: where an instruction comes from
 *   parse_module.c   the text's outer level: version, target, files, functions' heads
 *   parse_var.c      variables and their initialisers
 *   parse_expr.c     constant expressions
 *   parse_body.c     function bodies: blocks, registers, labels, tables, .loc
 *   parse_insn.c     instructions: mnemonic, modifiers, operands by form
 *   parse_operand.c  the text of one operand, and what its name stands for
 *   finish.c         a parsed body becomes a function: unique names, arrays in the module's arena
 *
 * Every parse function leaves the current token behind what it has read. Those that return bool have reported what was
 * wrong when they answer false; the caller then leaves too, and the statement loops go on at the next ';' or '}'.
 */
#ifndef ISA_PTX_PARSE_H
#define ISA_PTX_PARSE_H

#include "base/vec.h"
#include "isa/isa.h"
#include "isa/ptx/lex.h"
#include "isa/ptx/scope.h"

enum {
    PTX_DEPTH_MAX = 200,
    PTX_REGISTERS_MAX = 262144,
    PTX_INSNS_MAX = 1 << 23,
    PTX_OPERANDS_MAX = 8,  /* of an instruction that is no call */
    PTX_ELEMENTS_MAX = 16, /* of a vector in braces */
    PTX_ARGS_MAX = 255,
};

/* The words of the tables: found by text and kind. */
enum ptx_word_kind { PTX_WORD_OP, PTX_WORD_TYPE, PTX_WORD_MODIFIER, PTX_WORD_SREG };
struct ptx_word {
    const char *text;
    uint32_t length;
    uint8_t kind;
    bool takes_aligned; /* a spelling of bar.* that may carry ".aligned" */
    uint32_t value;
    uint32_t next; /* the next word in the slot's chain, from 1; 0: none */
};
enum { PTX_WORDS_MAX = 1024, PTX_WORD_SLOTS = 2048 };
struct ptx_words {
    struct ptx_word words[PTX_WORDS_MAX];
    uint32_t count;
    uint16_t slots[PTX_WORD_SLOTS];
};
/* words.c */
void ptx_words_init(struct ptx_words *words);
/* The first word after `after` (NULL: the first of all) of that kind and text. */
const struct ptx_word *ptx_words_find(const struct ptx_words *words, enum ptx_word_kind kind, const char *text,
                                      uint32_t length, const struct ptx_word *after);

/* A constant: an integer, or a floating-point number by its bits. */
struct ptx_const {
    bool is_float, is_unsigned;
    uint8_t float_bits; /* 32 or 64 */
    uint64_t bits;
};

/* Registers declared together: a family, or a register by itself. */
struct ptx_family {
    const char *name;
    uint32_t length;
    int32_t first_reg; /* its members used so far, linked by ptx_body.reg_next; -1: the end */
    bool is_family, function_level;
};

struct ptx_fixup { /* a name that may be declared later in its scope */
    uint32_t offset, length;
    enum { PTX_FIX_LABEL, PTX_FIX_TABLE, PTX_FIX_ITEM } kind;
    uint32_t index; /* operand, or item of `table` */
    uint32_t table;
};

struct ptx_label {
    struct isa_label label;
    bool function_level;
};

struct ptx_body {
    BASE_VEC(struct isa_insn) insns;
    BASE_VEC(struct isa_operand) operands;
    BASE_VEC(struct isa_reg) regs;
    BASE_VEC(uint32_t) reg_family;
    BASE_VEC(int32_t) reg_next;
    BASE_VEC(struct ptx_family) families;
    BASE_VEC(struct ptx_label) labels;
    BASE_VEC(struct isa_table) tables;
    BASE_VEC(bool) table_function_level;
    BASE_VEC(uint32_t) locals;
    BASE_VEC(struct ptx_fixup) fixups;
    uint64_t registers_declared;
    uint32_t function;
    uint32_t loc, loc_line; /* number of the last .loc among the parser's, + 1, and its line; 0: none */
};

struct ptx_loc { /* a place in a source */
    uint32_t file, line, column;
    uint32_t caller; /* the place that it is inlined at, an earlier one, + 1; 0: none is known */
    uint32_t shown;  /* the place that is told instead: itself, or one on the way up */
};

struct ptx_var {
    struct isa_var var;
    bool function_level;
    uint32_t moved_to; /* a later declaration of the same variable, or its final place; see finish.c */
};

struct ptx_reg_param { /* a parameter that is a register: it arrives in `var` */
    uint32_t var, name_offset, name_length;
};

struct ptx_function {
    struct isa_function function;
    uint32_t alias_of; /* the function that it is another name of, or PTX_NO_REF */
    uint32_t order;    /* of the definition in the text, or of the first declaration where there is none */
    uint32_t moved_to;
};

struct ptx_raw { /* an operand as written */
    enum { PTX_RAW_NAME, PTX_RAW_CONST, PTX_RAW_MEM, PTX_RAW_VECTOR, PTX_RAW_SINK } kind;
    bool negated, minus, generic, has_addend, base_is_name;
    uint32_t offset, length;           /* place of the whole */
    uint32_t name_offset, name_length; /* with the ".x" of a special or vector register */
    int64_t addend;
    struct ptx_const constant;
    uint32_t first_element, element_count; /* VECTOR */
    uint32_t pair;                         /* index of q in "p|q" among the elements, + 1; 0: none */
};

struct ptx_parser {
    struct isa_module *module;
    struct base_diags *diags;
    size_t errors;
    bool no_memory;
    struct ptx_lexer lexer;
    struct ptx_token token;
    uint32_t previous_end, previous_line;
    uint32_t open_braces; /* inside the statement: for going on after an error */
    uint32_t nesting;     /* of expressions and initialisers */
    size_t insns_total;
    uint32_t functions_seen;
    BASE_VEC(struct ptx_reg_param) reg_params; /* of the function being read: return values first */
    size_t reg_returns;                        /* so many of them */
    struct ptx_words words;
    BASE_VEC(struct ptx_function) functions;
    BASE_VEC(struct ptx_var) vars;
    BASE_VEC(struct isa_file) files;
    BASE_VEC(struct ptx_loc) locs;
    struct ptx_scope scopes[PTX_DEPTH_MAX + 1]; /* 0: the module; 1: the function */
    uint32_t depth;
    struct ptx_body body;
    struct ptx_raw raws[PTX_OPERANDS_MAX];
    uint32_t raw_count;
    struct ptx_raw elements[PTX_OPERANDS_MAX * PTX_ELEMENTS_MAX];
    uint32_t element_count;
    BASE_VEC(struct isa_operand) operands; /* of the instruction being read */
    BASE_VEC(struct ptx_fixup) fixups;     /* of it; index: among `operands` */
};

/* parse_util.c: tokens, messages, going on after an error */
void ptx_next(struct ptx_parser *parser);
bool ptx_error_at(struct ptx_parser *parser, uint32_t offset, uint32_t length, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* At the current token; for one the lexer could not read, its own problem is told instead. Always false. */
bool ptx_error(struct ptx_parser *parser, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Notes that memory ran out. Always false. */
bool ptx_no_memory(struct ptx_parser *parser);
bool ptx_is(const struct ptx_parser *parser, unsigned punct);
bool ptx_is_word(const struct ptx_parser *parser, const char *word); /* a dotted word or an identifier */
bool ptx_accept(struct ptx_parser *parser, unsigned punct);
bool ptx_accept_word(struct ptx_parser *parser, const char *word);
bool ptx_expect(struct ptx_parser *parser, unsigned punct, const char *where);
/* ';', told at the end of what stands before it; when the next token begins another line, reading goes on there. */
bool ptx_expect_semicolon(struct ptx_parser *parser, const char *after);
const char *ptx_text(const struct ptx_parser *parser, uint32_t offset);
char *ptx_token_copy(struct ptx_parser *parser);
struct ptx_token ptx_peek(const struct ptx_parser *parser);
/* Goes behind the next ';' that is not in braces, or to the '}' that ends the block. */
void ptx_recover(struct ptx_parser *parser);

/* parse_expr.c */
bool ptx_parse_const(struct ptx_parser *parser, struct ptx_const *out);         /* a whole expression */
bool ptx_parse_const_sum(struct ptx_parser *parser, struct ptx_const *out);     /* no operator weaker than '+' */
bool ptx_parse_const_term(struct ptx_parser *parser, struct ptx_const *out);    /* no operator weaker than '*' */
bool ptx_parse_u32(struct ptx_parser *parser, const char *what, uint32_t *out); /* an integer constant */
/* {"+" | "-"} term, ... added to *addend. */
bool ptx_parse_addends(struct ptx_parser *parser, int64_t *addend);
/* The bits of a constant as a value of `type`; false (told at offset) when it has no such value. */
bool ptx_const_bits(struct ptx_parser *parser, const struct ptx_const *constant, unsigned type, uint32_t offset,
                    uint32_t length, uint64_t *bits);

/* parse_var.c */
struct ptx_declarator { /* ".param .align 8 .b8 name[24]" without linkage and name */
    uint8_t space, linkage, type, vector;
    uint32_t align_bytes;
    bool opaque; /* a texture, sampler or surface reference */
};
enum isa_type ptx_parse_type(const struct ptx_parser *parser); /* the current word, or NONE */
bool ptx_parse_declarator(struct ptx_parser *parser, struct ptx_declarator *declarator);
bool ptx_skip_parentheses(struct ptx_parser *parser);
/* Variables of one statement, from the state space on: in the module, or in the function's body (depth > 0). */
bool ptx_parse_variables(struct ptx_parser *parser, unsigned linkage);
/* One parameter in a function's head; "_" gives an unnamed one. */
bool ptx_parse_param(struct ptx_parser *parser, uint32_t *var);
bool ptx_add_symbol(struct ptx_parser *parser, const struct ptx_symbol *symbol, uint32_t offset);

/* parse_module.c */
bool ptx_parse_module(struct ptx_parser *parser);
/* The linkage word, where there is one: enum isa_linkage. */
unsigned ptx_parse_linkage(struct ptx_parser *parser);
bool ptx_parse_file(struct ptx_parser *parser);
bool ptx_skip_section(struct ptx_parser *parser);
bool ptx_parse_pragma(struct ptx_parser *parser);
/* Parameters in parentheses; the array of their variables is in the arena. */
bool ptx_parse_param_list(struct ptx_parser *parser, uint32_t **vars, size_t *count, uint32_t *bytes);

/* loc.c */
bool ptx_parse_loc(struct ptx_parser *parser);
/* Instructions hold the number of their .loc (+ 1) as loc_file until this gives them file and line. */
bool ptx_finish_locs(struct ptx_parser *parser);

/* parse_body.c */
bool ptx_parse_body(struct ptx_parser *parser, uint32_t function);

/* parse_insn.c */
bool ptx_parse_insn(struct ptx_parser *parser);
/* Appends what moves parameters that are registers: loads where the body begins, or stores of return values in front of
 * the return `at`. */
bool ptx_move_reg_params(struct ptx_parser *parser, bool returns, const struct isa_insn *at);

/* parse_operand.c */
bool ptx_parse_operand(struct ptx_parser *parser, struct ptx_raw *raw);
/* Adds the elements of the vector register that is symbol `index` of the scope: NAME.x and so on. */
bool ptx_add_elements(struct ptx_parser *parser, struct ptx_scope *scope, size_t index);
struct ptx_symbol *ptx_resolve(struct ptx_parser *parser, uint32_t offset, uint32_t length);
/* The register a symbol stands for, made when this is its first use; PTX_NO_REF without memory. */
uint32_t ptx_use_register(struct ptx_parser *parser, struct ptx_symbol *symbol);
/* Whether the raw operand is a register, and which. */
bool ptx_lower_register(struct ptx_parser *parser, const struct ptx_raw *raw, struct isa_operand *out);
bool ptx_lower_source(struct ptx_parser *parser, const struct ptx_raw *raw, unsigned type, struct isa_operand *out);
bool ptx_lower_mem(struct ptx_parser *parser, const struct ptx_raw *raw, struct isa_operand *out);

/* finish.c */
bool ptx_finish_body(struct ptx_parser *parser);
bool ptx_finish_module(struct ptx_parser *parser);

#endif
