/* The small IR: what a kernel is between the reader of its text and the engine that runs it.
 *
 * A module owns everything in it (one arena); isa_module_free() gives it all back. A function is a flat array of
 * fixed-size instructions; an instruction's operands are a run in the function's operand array. Branch targets are
 * instruction indices. Nothing here executes anything. Plain data: read the members, change them only through the
 * passes.
 *
 * The passes, in the order the reader applies them (isa/ptx/read.c):
 *   isa_ptx_read      text -> functions without derived instructions
 *   isa_verify        operand count, kinds, widths, label ranges: after it, every later pass may trust the shape
 *   isa_converge      inserts conv.set / conv.sync at immediate post-dominators
 * and per kernel, when it is to be run:
 *   isa_link          what the kernel can reach: functions, variables with offsets, registers, unsupported instructions
 */
#ifndef ISA_ISA_H
#define ISA_ISA_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum isa_type {
#define TYPE(id, name, bits, class) ISA_TYPE_##id,
#include "isa/type.def"
#undef TYPE
    ISA_TYPE_COUNT
};

enum isa_type_class {
    ISA_CLASS_UNTYPED,
    ISA_CLASS_UNSIGNED,
    ISA_CLASS_SIGNED,
    ISA_CLASS_FLOAT,
    ISA_CLASS_PACKED,
    ISA_CLASS_PRED
};

struct isa_type_info {
    const char *name;
    uint8_t bits;
    uint8_t class; /* enum isa_type_class */
};
extern const struct isa_type_info isa_types[ISA_TYPE_COUNT];

/* Type sets of opcode.def: a bit a type. */
#define T(id)      (UINT64_C(1) << ISA_TYPE_##id)
#define T_PRED     T(PRED)
#define T_B32      T(B32)
#define T_U32      T(U32)
#define T_F32      T(F32)
#define T_B32_64   (T(B32) | T(B64))
#define T_U32_64   (T(U32) | T(U64) | T(B32) | T(B64) | T(S32) | T(S64))
#define T_BITS     (T(B16) | T(B32) | T(B64))
#define T_U16S16   (T(U16) | T(S16))
#define T_INT32    (T(U32) | T(S32))
#define T_SINT32   T(S32)
#define T_INT32_64 (T(U32) | T(S32) | T(U64) | T(S64))
#define T_SINT     (T(S16) | T(S32) | T(S64))
#define T_INT      (T(U16) | T(U32) | T(U64) | T(S16) | T(S32) | T(S64))
#define T_FLOAT    (T(F32) | T(F64))
#define T_HALF     (T(F16) | T(F16X2) | T(BF16) | T(BF16X2))
#define T_F32X2    T(F32X2)
#define T_I16X2    (T(U16X2) | T(S16X2))
#define T_MATRIX   (T(F16) | T(BF16) | T(TF32) | T(S8) | T(U8))
#define T_ANY      (~T(NONE) & ~T_PRED)
/* What variables and registers can be declared as; other types stand in instructions only. */
#define T_DECLARED (T_PRED | T_MEMORY | T(F16) | T(F16X2))
#define T_PACKED   (T(U16) | T(S16) | T(U8) | T(S8) | T(U4) | T(S4) | T(U2) | T(S2)) /* what cvt.pack packs */
#define T_ADDRESS  (T(U32) | T(U64))
/* What loads and stores, atomics and conversions take: the PTX ISA's tables, no more. */
#define T_MEMORY   (T(B8) | T(U8) | T(S8) | T_BITS | T(B128) | T_INT | T_FLOAT)
#define T_ATOMIC   (T_INT32_64 | T(B32) | T(B64) | T_FLOAT | T_HALF)
#define T_CVT_FROM (T(U8) | T(S8) | T_INT | T_FLOAT | T(F16) | T(BF16) | T(F16X2) | T(E4M3X2) | T(E5M2X2))
#define T_CVT_TO   (T_CVT_FROM | T(TF32) | T(BF16X2))

enum isa_sreg {
#define SREG(id, name, type, scope) ISA_SREG_##id,
#include "isa/sreg.def"
#undef SREG
    ISA_SREG_COUNT
};
enum isa_sreg_scope {
    ISA_SREG_SCOPE_LANE,
    ISA_SREG_SCOPE_WARP,
    ISA_SREG_SCOPE_BLOCK,
    ISA_SREG_SCOPE_GRID,
    ISA_SREG_SCOPE_TIME
};
struct isa_sreg_info {
    const char *name; /* with its '%' */
    uint8_t type, scope;
};
extern const struct isa_sreg_info isa_sregs[ISA_SREG_COUNT];

/* Modifier groups (opcode.def's column, modifier.def's GROUP): a bit a group. */
#define M_ROUND    (UINT64_C(1) << 0)
#define M_FTZ      (UINT64_C(1) << 1)
#define M_SAT      (UINT64_C(1) << 2)
#define M_APPROX   (UINT64_C(1) << 3)
#define M_NAN      (UINT64_C(1) << 4)
#define M_RELU     (UINT64_C(1) << 5)
#define M_CC       (UINT64_C(1) << 6)
#define M_UNI      (UINT64_C(1) << 7)
#define M_SYNC     (UINT64_C(1) << 8)
#define M_TO       (UINT64_C(1) << 9)
#define M_SHIFTAMT (UINT64_C(1) << 10)
#define M_CMP      (UINT64_C(1) << 11)
#define M_BOOL     (UINT64_C(1) << 12)
#define M_SPACE    (UINT64_C(1) << 13)
#define M_MEMORY   (UINT64_C(1) << 14)
#define M_SCOPE    (UINT64_C(1) << 15)
#define M_VECTOR   (UINT64_C(1) << 16)
#define M_CACHE    (UINT64_C(1) << 17)
#define M_PART     (UINT64_C(1) << 18)
#define M_SHF      (UINT64_C(1) << 19)
#define M_WRAP     (UINT64_C(1) << 20)
#define M_SHFL     (UINT64_C(1) << 21)
#define M_VOTE     (UINT64_C(1) << 22)
#define M_ATOMIC   (UINT64_C(1) << 23)
#define M_BARRED   (UINT64_C(1) << 24)
#define M_PRMT     (UINT64_C(1) << 25)
#define M_TESTP    (UINT64_C(1) << 26)
#define M_PREFETCH (UINT64_C(1) << 27)
#define M_SECOND   (UINT64_C(1) << 28)
#define M_SCALE    (UINT64_C(1) << 29)
#define M_OOB      (UINT64_C(1) << 30)
#define M_POLICY   (UINT64_C(1) << 31)
#define M_SHAPE    (UINT64_C(1) << 32)
#define M_MATRIX   (UINT64_C(1) << 33)
#define M_BULK     (UINT64_C(1) << 34)
#define M_COUNT    35

enum isa_round {
    ISA_ROUND_NONE,
    ISA_ROUND_RN,
    ISA_ROUND_RNA,
    ISA_ROUND_RZ,
    ISA_ROUND_RM,
    ISA_ROUND_RP,
    ISA_ROUND_RNI,
    ISA_ROUND_RZI,
    ISA_ROUND_RMI,
    ISA_ROUND_RPI
};
enum isa_cmp {
    ISA_CMP_NONE,
    ISA_CMP_EQ,
    ISA_CMP_NE,
    ISA_CMP_LT,
    ISA_CMP_LE,
    ISA_CMP_GT,
    ISA_CMP_GE,
    ISA_CMP_LO,
    ISA_CMP_LS,
    ISA_CMP_HI,
    ISA_CMP_HS,
    ISA_CMP_EQU,
    ISA_CMP_NEU,
    ISA_CMP_LTU,
    ISA_CMP_LEU,
    ISA_CMP_GTU,
    ISA_CMP_GEU,
    ISA_CMP_NUM,
    ISA_CMP_NAN
};
enum isa_bool { ISA_BOOL_NONE, ISA_BOOL_AND, ISA_BOOL_OR, ISA_BOOL_XOR };
enum isa_space {
    ISA_SPACE_GENERIC,
    ISA_SPACE_GLOBAL,
    ISA_SPACE_SHARED,
    ISA_SPACE_SHARED_CLUSTER,
    ISA_SPACE_LOCAL,
    ISA_SPACE_CONST,
    ISA_SPACE_PARAM,
    ISA_SPACE_COUNT
};
enum isa_sem {
    ISA_SEM_NONE,
    ISA_SEM_WEAK,
    ISA_SEM_VOLATILE,
    ISA_SEM_RELAXED,
    ISA_SEM_ACQUIRE,
    ISA_SEM_RELEASE,
    ISA_SEM_ACQ_REL,
    ISA_SEM_SC
};
enum isa_scope { ISA_SCOPE_NONE, ISA_SCOPE_CTA, ISA_SCOPE_CLUSTER, ISA_SCOPE_GPU, ISA_SCOPE_SYS };
enum isa_cache {
    ISA_CACHE_NONE,
    ISA_CACHE_CA,
    ISA_CACHE_CG,
    ISA_CACHE_CS,
    ISA_CACHE_LU,
    ISA_CACHE_CV,
    ISA_CACHE_WB,
    ISA_CACHE_WT
};
enum isa_hint {
    ISA_HINT_NONE,
    ISA_HINT_L1_EVICT_NORMAL,
    ISA_HINT_L1_EVICT_UNCHANGED,
    ISA_HINT_L1_EVICT_FIRST,
    ISA_HINT_L1_EVICT_LAST,
    ISA_HINT_L1_NO_ALLOCATE
};
enum isa_hint2 {
    ISA_HINT2_NONE,
    ISA_HINT2_L2_EVICT_FIRST,
    ISA_HINT2_L2_EVICT_LAST,
    ISA_HINT2_L2_EVICT_NORMAL,
    ISA_HINT2_L2_EVICT_UNCHANGED
};
enum isa_prefetch { ISA_PREFETCH_NONE, ISA_PREFETCH_L2_64B, ISA_PREFETCH_L2_128B, ISA_PREFETCH_L2_256B };
enum isa_part { ISA_PART_NONE, ISA_PART_LO, ISA_PART_HI, ISA_PART_WIDE };
enum isa_shf { ISA_SHF_NONE, ISA_SHF_L, ISA_SHF_R };
enum isa_wrap { ISA_WRAP_NONE, ISA_WRAP_CLAMP, ISA_WRAP_WRAP };
enum isa_shfl { ISA_SHFL_NONE, ISA_SHFL_UP, ISA_SHFL_DOWN, ISA_SHFL_BFLY, ISA_SHFL_IDX };
enum isa_vote { ISA_VOTE_NONE, ISA_VOTE_ALL, ISA_VOTE_ANY, ISA_VOTE_UNI, ISA_VOTE_BALLOT };
enum isa_atom {
    ISA_ATOM_NONE,
    ISA_ATOM_ADD,
    ISA_ATOM_MIN,
    ISA_ATOM_MAX,
    ISA_ATOM_INC,
    ISA_ATOM_DEC,
    ISA_ATOM_AND,
    ISA_ATOM_OR,
    ISA_ATOM_XOR,
    ISA_ATOM_EXCH,
    ISA_ATOM_CAS
};
enum isa_barred { ISA_BARRED_NONE, ISA_BARRED_POPC, ISA_BARRED_AND, ISA_BARRED_OR };
enum isa_prmt { ISA_PRMT_NONE, ISA_PRMT_F4E, ISA_PRMT_B4E, ISA_PRMT_RC8, ISA_PRMT_ECL, ISA_PRMT_ECR, ISA_PRMT_RC16 };
enum isa_testp {
    ISA_TESTP_NONE,
    ISA_TESTP_FINITE,
    ISA_TESTP_INFINITE,
    ISA_TESTP_NUMBER,
    ISA_TESTP_NOTANUMBER,
    ISA_TESTP_NORMAL,
    ISA_TESTP_SUBNORMAL
};
enum isa_second { ISA_SECOND_NONE, ISA_SECOND_ADD, ISA_SECOND_MIN, ISA_SECOND_MAX }; /* of video instructions */
enum isa_scale { ISA_SCALE_NONE, ISA_SCALE_SHR7, ISA_SCALE_SHR15 };
enum isa_level { ISA_LEVEL_NONE, ISA_LEVEL_L1, ISA_LEVEL_L2, ISA_LEVEL_TENSORMAP };
enum isa_shape { /* isa/matrix.h has the numbers */
                 ISA_SHAPE_NONE,
                 ISA_SHAPE_M8N8,
                 ISA_SHAPE_M8N8K4,
                 ISA_SHAPE_M8N8K16,
                 ISA_SHAPE_M16N8K4,
                 ISA_SHAPE_M16N8K8,
                 ISA_SHAPE_M16N8K16,
                 ISA_SHAPE_M16N8K32,
                 ISA_SHAPE_M16N16K16,
                 ISA_SHAPE_M32N8K16,
                 ISA_SHAPE_M8N32K16,
                 ISA_SHAPE_M16N16K8,
                 ISA_SHAPE_COUNT
};
enum isa_layout { ISA_LAYOUT_NONE, ISA_LAYOUT_ROW, ISA_LAYOUT_COL };

enum isa_flag {
    ISA_FLAG_FTZ = 1 << 0,
    ISA_FLAG_SAT = 1 << 1,
    ISA_FLAG_SATFINITE = 1 << 2,
    ISA_FLAG_APPROX = 1 << 3,
    ISA_FLAG_FULL = 1 << 4,
    ISA_FLAG_NAN = 1 << 5,
    ISA_FLAG_XORSIGN = 1 << 6,
    ISA_FLAG_ABS = 1 << 7,
    ISA_FLAG_RELU = 1 << 8,
    ISA_FLAG_CC = 1 << 9,
    ISA_FLAG_UNI = 1 << 10,
    ISA_FLAG_SYNC = 1 << 11,
    ISA_FLAG_ALIGNED = 1 << 12,
    ISA_FLAG_TO = 1 << 13,
    ISA_FLAG_SHIFTAMT = 1 << 14,
    ISA_FLAG_NOFTZ = 1 << 15,
    ISA_FLAG_NC = 1 << 16,
    ISA_FLAG_MMIO = 1 << 17,
    ISA_FLAG_PO = 1 << 18,
    ISA_FLAG_OOB = 1 << 19,
    ISA_FLAG_TRANS = 1 << 24,
    ISA_FLAG_MULTICAST = 1 << 25,
};

struct isa_mods {
    uint8_t round, cmp, boolop, space, sem, scope;
    uint8_t vec; /* elements of a vector access: 0 or 1 scalar, 2, 4, 8 */
    uint8_t cache, hint, hint2, prefetch;
    uint8_t hint3;                  /* the second of two L2 priorities */
    uint8_t shape, layout, layout2; /* of matrices; a second .row or .col goes to layout2 */
    uint8_t mode, mode2;            /* the opcode's own choice: enum isa_part, isa_shfl, isa_atom ... */
    uint32_t flags;                 /* enum isa_flag */
};

/* Where an instruction executes; the clock will give each unit its interval and latency. */
enum isa_unit {
    ISA_UNIT_ALU,
    ISA_UNIT_FMA,
    ISA_UNIT_MUFU,
    ISA_UNIT_LSU,
    ISA_UNIT_BARRIER,
    ISA_UNIT_BRANCH,
    ISA_UNIT_TENSOR,
    ISA_UNIT_COUNT
};

enum isa_opcode_flag {
    ISA_OPF_BRANCH = 1 << 0,
    ISA_OPF_CALL = 1 << 1,
    ISA_OPF_RETURN = 1 << 2,
    ISA_OPF_EXIT = 1 << 3,
    ISA_OPF_READS_MEMORY = 1 << 4,
    ISA_OPF_WRITES_MEMORY = 1 << 5,
    ISA_OPF_ATOMIC = 1 << 6,
    ISA_OPF_FENCE = 1 << 7,
    ISA_OPF_BARRIER = 1 << 8,
    ISA_OPF_WARP = 1 << 9,
    ISA_OPF_READS_CC = 1 << 10,
    ISA_OPF_DERIVED = 1 << 11,
    ISA_OPF_FOUR_TYPES = 1 << 12,  /* types of d, a, b and c, or of d and c */
    ISA_OPF_THREE_TYPES = 1 << 13, /* of d, a and b; the third from the set of the second */
};

enum isa_op {
#define OP(id, mnemonic, form, types, types2, modifiers, unit, flags, semantics) ISA_OP_##id,
#include "isa/opcode.def"
#undef OP
    ISA_OP_COUNT
};

struct isa_op_info {
    const char *mnemonic, *form;
    uint64_t types, types2; /* sets of T() */
    uint64_t modifiers;     /* set of M_ groups */
    uint8_t unit;           /* enum isa_unit */
    uint32_t flags;         /* enum isa_opcode_flag */
    const char *semantics;
};
extern const struct isa_op_info isa_ops[ISA_OP_COUNT];

struct isa_modifier_info {
    const char *word;
    uint64_t group;       /* one of M_ */
    uint8_t field_offset; /* of the member in struct isa_mods */
    bool is_flag;
    uint32_t value;
};
extern const struct isa_modifier_info isa_modifiers[];
extern const size_t isa_modifier_count;

enum isa_operand_kind {
    ISA_OPERAND_NONE,   /* an optional operand that is absent in the middle, or a call's end marker */
    ISA_OPERAND_REG,    /* ref: register (function->regs); a predicate when that register's type is PRED */
    ISA_OPERAND_IMM,    /* imm: bits, already of the operand's type (f32 in the low 32 bits; s32 sign-extended to 64) */
    ISA_OPERAND_SREG,   /* ref: enum isa_sreg */
    ISA_OPERAND_SYMBOL, /* ref: variable (module->vars); its address plus imm. generic: the operand was generic(NAME) */
    ISA_OPERAND_FUNC,   /* ref: function (module->functions) */
    ISA_OPERAND_LABEL,  /* ref: instruction index; aux: the label's index (function->labels) */
    ISA_OPERAND_TABLE,  /* ref: function->tables */
    ISA_OPERAND_MEM,    /* [base + imm]: base_kind REG, SYMBOL or NONE; ref: the register or variable */
    ISA_OPERAND_SINK,   /* "_": a destination that is not wanted */
};

struct isa_operand {
    uint8_t kind;
    uint8_t base_kind; /* MEM only */
    bool negated;      /* a predicate source written "!p"; a number "-a" in vmad */
    bool generic;
    uint8_t group; /* number of elements of the {..} or (..) group that begins with this operand; 0: none begins here */
    uint16_t select; /* part of the register that a video instruction uses: isa/video.h */
    uint32_t ref, aux;
    int64_t imm;
};

struct isa_sass_insn; /* isa/sass/sass.h */
struct isa_sass_kernel;

struct isa_insn {
    uint16_t op;          /* enum isa_op */
    uint8_t type, type2;  /* enum isa_type; NONE where the instruction has none */
    uint8_t type3, type4; /* of matrix products; the third also of mixed sums and video instructions */
    struct isa_mods mods;
    int32_t guard; /* predicate register, or -1 */
    bool guard_negated;
    uint8_t dst_count; /* the first dst_count operands are written (registers or predicates) */
    uint16_t operand_count;
    uint32_t operand_first; /* index into function->operands */
    uint32_t pc; /* number of the instruction in its function's text, from 0; a derived one has that of the next */
    uint32_t offset, length;          /* place in the source text */
    uint32_t line;                    /* line of it */
    uint32_t loc_file, loc_line;      /* from .loc: module->files key and line; loc_line 0: none */
    const char *text;                 /* UNSUPPORTED: its name as written, e.g. "wgmma.fence.sync.aligned" */
    const struct isa_sass_insn *sass; /* SASS: the decoded machine instruction (isa/sass/sass.h), else NULL */
};

/* A call's operands, in order: rets (dst_count of them; PARAM variables as SYMBOL, or REG), callee (FUNC or REG), args
 * (SYMBOL, REG or IMM), then a TABLE (prototype or call targets) for an indirect call. `group` on the first ret and
 * first arg gives their numbers. */

struct isa_reg {
    const char *name; /* as written, with '%'; a parametrised one is `name` followed by its ordinal */
    int32_t ordinal;  /* -1: not parametrised */
    uint8_t type;
};

struct isa_reloc { /* an address inside an initialiser */
    uint64_t offset_bytes;
    bool is_function, generic;
    uint32_t ref; /* variable or function */
    int64_t addend;
    uint8_t size_bytes;
};

enum isa_linkage { ISA_LINKAGE_NONE, ISA_LINKAGE_VISIBLE, ISA_LINKAGE_EXTERN, ISA_LINKAGE_WEAK, ISA_LINKAGE_COMMON };

struct isa_var {
    const char *name;
    uint8_t space, type; /* type of an element */
    uint8_t linkage;
    uint32_t align_bytes;
    uint64_t size_bytes; /* 0 with unsized: an extern array[] */
    bool unsized;
    const uint8_t *init; /* size_bytes bytes, or NULL: zero */
    const struct isa_reloc *relocs;
    size_t reloc_count;
    int32_t function; /* owner, or -1 for the module */
    uint32_t offset;  /* PARAM of a kernel or function: byte offset in its parameter block */
    uint32_t source_offset;
};

struct isa_label {
    const char *name;
    uint32_t insn;
};

enum isa_table_kind { ISA_TABLE_BRANCH, ISA_TABLE_CALL, ISA_TABLE_PROTOTYPE };
struct isa_table {
    const char *name;
    uint8_t kind;
    uint32_t *items;  /* BRANCH: instruction indices; CALL: functions */
    uint32_t *labels; /* BRANCH: indices into function->labels, for the printer */
    size_t count;
    const char *prototype; /* PROTOTYPE: its text */
    uint32_t ret_bytes, param_bytes;
};

struct isa_function {
    const char *name;
    bool is_entry, is_declaration, is_noreturn;
    uint8_t linkage;
    uint32_t *params, *rets; /* variables, in order */
    size_t param_count, ret_count;
    uint32_t param_bytes, ret_bytes; /* size of the parameter block */
    struct isa_insn *insns;
    size_t insn_count;
    size_t text_insn_count; /* without derived ones */
    struct isa_operand *operands;
    size_t operand_count;
    struct isa_reg *regs;
    size_t reg_count;
    struct isa_label *labels;
    size_t label_count;
    struct isa_table *tables;
    size_t table_count;
    uint32_t *locals; /* variables declared inside: local, shared, param, in order */
    size_t local_count;
    uint32_t conv_count;                                   /* convergence barriers used; numbered from 0 */
    uint32_t maxntid[3], reqntid[3], reqnctapercluster[3]; /* 0: not given */
    uint32_t minnctapersm, maxnreg, maxnctapersm;
    bool explicitcluster;
    uint32_t maxclusterrank;
    uint32_t source_offset;
    struct isa_sass_kernel *machine; /* machine code: what the cubin says of it, else NULL */
};

struct isa_file {
    uint32_t key;
    const char *name;
};

enum isa_form { ISA_FORM_PTX, ISA_FORM_SASS };

struct isa_module {
    struct base_arena arena;
    struct base_source source; /* a copy the module owns */
    enum isa_form form;
    uint32_t version_major, version_minor;
    const char *target; /* "sm_90" */
    uint32_t address_bits;
    struct isa_function *functions;
    size_t function_count;
    struct isa_var *vars;
    size_t var_count;
    struct isa_file *files;
    size_t file_count;
    const char *const *ptx_lines; /* machine code: the PTX it was made from, where its cubin keeps that */
    uint32_t ptx_line_count;
};

/* Reads PTX text. On BASE_OK *out is a verified module with convergence instructions, to be freed by the caller;
 * otherwise *out is NULL and `diags` says why. Instructions the reader does not know become ISA_OP_UNSUPPORTED and are
 * no error here. */
enum base_status isa_ptx_read(const char *name, const char *text, size_t size, struct isa_module **out,
                              struct base_diags *diags);
void isa_module_free(struct isa_module *module);

/* Checks every function's shape against opcode.def. Adds diagnostics; BASE_INVALID when there was an error. */
enum base_status isa_verify(struct isa_module *module, struct base_diags *diags);

/* Inserts conv.set before each branch that can diverge and conv.sync at its immediate post-dominator. Idempotent. */
enum base_status isa_converge(struct isa_module *module);

/* The control-flow graph of one function, with derived instructions counted as instructions. */
struct isa_block {
    uint32_t first, count; /* instructions */
    uint32_t *succ, *pred;
    uint32_t succ_count, pred_count;
    int32_t ipdom; /* immediate post-dominator, -1: the exit */
    bool reachable;
};
struct isa_cfg {
    struct isa_block *blocks;
    size_t block_count;
    uint32_t *block_of; /* by instruction */
};
/* In `arena`. BASE_NOMEM when it does not fit. */
enum base_status isa_cfg_build(const struct isa_function *function, struct base_arena *arena, struct isa_cfg *cfg);

/* Register slots: where each virtual register lives in a warp's register file, so that those never live together share
 * a place. slot[r]: first 32-bit slot of register r (64-bit ones lie on an even slot), or its predicate number for
 * predicates. pressure: the largest number of 32-bit values live at once. */
struct isa_slots {
    uint32_t *slot;
    uint32_t slot_count, pred_count;
    uint32_t pressure;
};
/* Predicated writes keep the old value alive; so do writes inside divergent code, since other lanes' values share the
 * register row only with themselves (rows have 32 lanes, lanes never mix): ordinary per-thread liveness is enough. */
enum base_status isa_assign_slots(const struct isa_function *function, const struct isa_cfg *cfg,
                                  struct base_arena *arena, struct isa_slots *slots);

/* What one kernel can reach. All arrays lie in `arena`. */
struct isa_linked {
    uint32_t kernel;
    bool *reaches_function;  /* by function index */
    bool *reaches_insn;      /* by kernel+device function instruction: see reach_first */
    uint32_t *reach_first;   /* by function: index of its first instruction in reaches_insn */
    uint64_t *shared_offset; /* by variable: offset in the block's shared memory, before the reserved part; UINT64_MAX:
                                not reached */
    uint64_t shared_static_bytes;
    bool uses_dynamic_shared;
    uint32_t *local_offset; /* by variable: offset in its function's frame */
    uint32_t *frame_bytes;  /* by function: local variables plus .param areas of its calls */
    bool has_indirect_call, is_recursive, moves_stack;
    struct isa_cfg *cfgs;        /* by function; empty for those not reached */
    struct isa_slots *slots;     /* by function */
    uint32_t registers_estimate; /* per thread: the deepest call chain's pressure, plus a fixed overhead; at least 16 */
};

/* Functions that a CUDA device has without any library. */
enum isa_builtin {
    ISA_BUILTIN_VPRINTF,
    ISA_BUILTIN_ASSERTFAIL,
    ISA_BUILTIN_MALLOC,
    ISA_BUILTIN_FREE,
    ISA_BUILTIN_COUNT
};
/* ISA_BUILTIN_COUNT: it is none of them. */
enum isa_builtin isa_builtin_named(const char *name);

/* With diagnostics: BASE_UNSUPPORTED when the kernel can reach an unsupported instruction, BASE_INVALID when it can
 * reach an undefined variable or an undefined function that is no isa_builtin. */
enum base_status isa_link(const struct isa_module *module, uint32_t kernel, struct base_arena *arena,
                          struct isa_linked *linked, struct base_diags *diags);

/* Whether `name` is the last part of a mangled name, or the last ones with "::" between them. */
bool isa_name_matches(const char *mangled, const char *name);
/* A kernel by plain or mangled name; NULL name: the only one. BASE_INVALID with a diagnostic that lists the kernels. */
enum base_status isa_find_kernel(const struct isa_module *module, const char *name, uint32_t *kernel,
                                 struct base_diags *diags);

/* Prints a module of PTX, or one function with what it needs, as PTX that reads back to the same IR; with
 * `derived`, convergence instructions and source lines as comments. */
void isa_print_module(const struct isa_module *module, struct base_strbuf *out, bool derived);
void isa_print_function(const struct isa_module *module, uint32_t function, struct base_strbuf *out, bool derived);
/* One instruction without newline, as it would stand in the text: "@%p1 bra $L__BB0_2;" */
void isa_print_insn(const struct isa_module *module, const struct isa_function *function, const struct isa_insn *insn,
                    struct base_strbuf *out);
/* The name of a register, as printed. */
void isa_print_reg(const struct isa_function *function, uint32_t reg, struct base_strbuf *out);

/* What an instruction is (enum isa_opcode_flag) and where it executes (enum isa_unit), from either form. */
uint32_t isa_insn_flags(const struct isa_insn *insn);
uint8_t isa_insn_unit(const struct isa_insn *insn);

/* Source file and line of an instruction: the .loc one where there is one, else the module's own file and line. */
void isa_insn_location(const struct isa_module *module, const struct isa_insn *insn, const char **file, uint32_t *line);

static inline unsigned isa_type_slots(unsigned type)
{
    return isa_types[type].bits <= 32 ? 1U : (unsigned)isa_types[type].bits / 32U;
}

#endif
