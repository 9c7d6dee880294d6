/* Machine code, as its listing shows it: one decoded instruction, and the readers of listings and cubins.
 *
 * A listing is what `cuobjdump -sass` or `nvdisasm -hex` prints: text and 128-bit encodings. The text gives opcode,
 * modifiers and operands, the encoding the control information and the exact bits of an immediate. Nothing here knows
 * what an instruction does: sim/sass does.
 *
 * A module read from machine code has form ISA_FORM_SASS. Its functions have as many isa_insn as the listing has lines,
 * in order; each has op ISA_OP_SASS, `sass` set, `pc` its byte offset in the function's section, and no operands of the
 * other form.
 */
#ifndef ISA_SASS_SASS_H
#define ISA_SASS_SASS_H

#include "isa/isa.h"

#define ISA_SASS_MAX_OPERANDS 10
#define ISA_SASS_MAX_WORDS    10
#define ISA_SASS_INSN_BYTES   16u

enum isa_sass_op {
#define SASS(id, mnemonic, unit, flags, lower, meaning) ISA_SASS_##id,
#include "isa/sass/opcode.def"
#undef SASS
    ISA_SASS_OP_COUNT
};

struct isa_sass_op_info {
    const char *mnemonic;
    uint8_t unit;   /* enum isa_unit */
    uint16_t flags; /* enum isa_opcode_flag */
    const char *meaning;
};
extern const struct isa_sass_op_info isa_sass_ops[ISA_SASS_OP_COUNT];

/* The words behind an opcode: ".E", ".U32" ... */
enum isa_sass_word {
    ISA_SASS_W_NONE,
#define WORD(id, text) ISA_SASS_W_##id,
#include "isa/sass/word.def"
#undef WORD
    ISA_SASS_WORD_COUNT
};
extern const char *const isa_sass_words[ISA_SASS_WORD_COUNT];

enum isa_sass_sreg {
    ISA_SASS_SR_NONE,
#define SASS_SREG(id, text) ISA_SASS_SR_##id,
#include "isa/sass/sreg.def"
#undef SASS_SREG
    ISA_SASS_SREG_COUNT
};
extern const char *const isa_sass_sregs[ISA_SASS_SREG_COUNT];

enum isa_sass_kind {
    ISA_SASS_NONE,
    ISA_SASS_REG,        /* index: register, ISA_SASS_RZ for RZ */
    ISA_SASS_UREG,       /* index: uniform register, ISA_SASS_URZ for URZ */
    ISA_SASS_PRED,       /* index: predicate, ISA_SASS_PT for PT */
    ISA_SASS_UPRED,      /* index: uniform predicate, ISA_SASS_PT for UPT */
    ISA_SASS_IMM,        /* value: 32 bits as encoded; sign-extended integer when the text has no encoding */
    ISA_SASS_CONST,      /* c[bank][base + value]; ubank: c[UR][..], by descriptor */
    ISA_SASS_MEM,        /* [base + ubase + value], through a descriptor or not */
    ISA_SASS_SREG,       /* index: enum isa_sass_sreg */
    ISA_SASS_CONV,       /* B0 ...: a convergence barrier */
    ISA_SASS_SCOREBOARD, /* SB0 ... */
    ISA_SASS_PR,         /* PR or UPR: all predicates */
    ISA_SASS_ADDRESS,    /* half of a place's address, by relocation: value: byte offset; function or var: in which;
                          * index: 0 the lower 32 bits, 1 the upper */
    ISA_SASS_TARGET      /* value: byte offset in the section; of another function when function >= 0 */
};

#define ISA_SASS_RZ  255u
#define ISA_SASS_URZ 63u
#define ISA_SASS_PT  7u

/* Which part of a register an operand names, or how an address register counts. */
enum isa_sass_part {
    ISA_SASS_PART_NONE,
    ISA_SASS_PART_H0_H0,
    ISA_SASS_PART_H1_H1,
    ISA_SASS_PART_H1_H0,
    ISA_SASS_PART_H0_NH1,
    ISA_SASS_PART_H0,
    ISA_SASS_PART_H1,
    ISA_SASS_PART_B0,
    ISA_SASS_PART_B1,
    ISA_SASS_PART_B2,
    ISA_SASS_PART_B3,
    ISA_SASS_PART_F32,
    ISA_SASS_PART_SIGN /* its sign bit, as a predicate */
};

struct isa_sass_operand {
    uint8_t kind; /* enum isa_sass_kind */
    uint8_t index;
    uint8_t part;        /* enum isa_sass_part */
    bool negative;       /* "-" */
    bool absolute;       /* "|..|" */
    bool inverted;       /* "~" of a register, "!" of a predicate */
    bool reuse;          /* the operand stays in the reuse cache */
    bool is_decimal;     /* IMM: written as a decimal number, in `number` */
    uint8_t bank;        /* CONST */
    uint8_t base, ubase; /* CONST and MEM: ISA_SASS_RZ and ISA_SASS_URZ: none */
    uint8_t base_bits;   /* MEM: 64 with ".64", 32 with ".U32", else 0: as the opcode says (".E": 64) */
    uint8_t ubase_bits;  /* MEM: 64 with ".64" behind the uniform register, else 0 */
    uint8_t base_scale;  /* MEM: 1; 4, 8, 16 with ".X4" ... */
    bool has_descriptor; /* MEM: desc[UR..] */
    uint8_t descriptor;  /* uniform register of it */
    int32_t var;         /* ADDRESS: -1: of a function */
    int32_t function;    /* TARGET: -1: of this section */
    int64_t value;
    double number;
};

/* What the scheduling bits of an encoding say. */
struct isa_sass_control {
    bool present; /* there was an encoding */
    uint8_t stall_cycles;
    bool yield;
    uint8_t write_barrier, read_barrier; /* 7: none */
    uint8_t wait_mask, reuse_mask;
};

struct isa_sass_insn {
    uint16_t op; /* enum isa_sass_op; UNKNOWN: text says which */
    uint8_t word_count, operand_count;
    uint8_t words[ISA_SASS_MAX_WORDS]; /* enum isa_sass_word, in the order of the text */
    uint8_t guard;                     /* predicate: 0-6, ISA_SASS_PT: none */
    bool guard_negated, guard_uniform;
    struct isa_sass_operand operands[ISA_SASS_MAX_OPERANDS];
    struct isa_sass_control control;
    uint64_t encoding[2]; /* 0 without */
    uint32_t ptx_line;    /* in module->ptx_lines, from 1; 0: not known */
    const char *unknown;  /* what of it this version does not know: an opcode, a word or an operand; NULL: nothing */
};

static inline bool isa_sass_has(const struct isa_sass_insn *insn, enum isa_sass_word word)
{
    for (unsigned i = 0; i < insn->word_count; i++)
        if (insn->words[i] == word)
            return true;
    return false;
}

/* What a cubin says of a kernel beside its code, in function->machine. A listing alone leaves most of it zero. */
struct isa_sass_reloc { /* an address in a constant bank */
    uint64_t offset_bytes;
    bool is_function, is_builtin;
    uint32_t ref; /* variable (module->vars), function (module->functions), or enum isa_builtin */
    int64_t addend;
    uint8_t size_bytes; /* 4 or 8 */
    uint8_t shift;      /* the value's bits from here on: 32 for the upper half of an address */
};
struct isa_sass_bank {
    uint8_t bank; /* 2, 3, 4 ...; bank 0 is the launch's (sim/sass) */
    const uint8_t *data;
    uint64_t size_bytes;
    const struct isa_sass_reloc *relocs;
    size_t reloc_count;
};
struct isa_sass_kernel {
    bool from_cubin;
    uint32_t registers;    /* per thread; 0: not known */
    uint32_t stack_bytes;  /* local memory of a thread */
    uint64_t shared_bytes; /* static, without the reserved part */
    uint32_t param_base;   /* first parameter's offset in constant bank 0: 0x210 on sm_90 */
    uint32_t barriers;     /* barriers used */
    struct isa_sass_bank *banks;
    size_t bank_count;
};

/* Reads a listing and, when cubin_size is not 0, the cubin it was made from. On BASE_OK *out is a module. What the
 * reader does not know of an instruction is no error here: linking a kernel that can reach it says so. */
enum base_status isa_sass_read(const char *name, const char *text, size_t size, const char *cubin_name,
                               const uint8_t *cubin, size_t cubin_size, struct isa_module **out,
                               struct base_diags *diags);

#endif
