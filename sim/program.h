/* A linked kernel made ready to run: operands resolved to rows, constants laid out, lane functions looked up.
 *
 * sim_program_build() is done once a launch; a program is read-only afterwards. Operations of all reachable functions
 * lie in one array; a position in it is the engine's program counter. Derived (convergence) operations are among them.
 */
#ifndef SIM_PROGRAM_H
#define SIM_PROGRAM_H

#include "base/arena.h"
#include "isa/isa.h"
#include "sim/args.h"
#include "sim/device.h"
#include "sim/exec.h"
#include "sim/matrix.h"
#include "sim/memory.h"

#include <stdbool.h>
#include <stdint.h>

/* Windows of the generic address space. Global memory is generic memory. */
#define SIM_WINDOW_SHARED UINT64_C(0x0000600000000000)
#define SIM_WINDOW_LOCAL  UINT64_C(0x0000610000000000)
#define SIM_WINDOW_CONST  UINT64_C(0x0000620000000000)
#define SIM_WINDOW_PARAM  UINT64_C(0x0000630000000000)
#define SIM_WINDOW_BYTES  UINT64_C(0x0000000100000000)
/* A shared address of another block of the cluster: (rank + 1) << SIM_CLUSTER_SHIFT | offset. 0 in those bits: the
 * block's own. Machine code says rank << SIM_CLUSTER_SHIFT; sim/access.c translates. */
#define SIM_CLUSTER_SHIFT 24
/* Value of a function's address: base + function index * 16. */
#define SIM_CODE_BASE UINT64_C(0x0000000000100000)
/* Where machine code finds what a device has without any library (enum isa_builtin): base + number * 16. */
#define SIM_BUILTIN_BASE UINT64_C(0x0000000000001000)

/* Words of a convergence barrier, among the predicates of a frame (sim/warp.c). */
#define SIM_CONV_WORDS 35u
#define SIM_CONV_MOVED 34u /* the word with the lanes whose set BMOV wrote */

/* A row index: where 32 words lie. The top two bits say in which file. */
#define SIM_ROW_FRAME        0u /* registers of the current call frame */
#define SIM_ROW_CONST        1u /* constants of the program */
#define SIM_ROW_SPECIAL      2u /* special registers of the warp */
#define SIM_ROW(file, index) ((uint32_t)(file) << 30 | (uint32_t)(index))
#define SIM_ROW_NONE         UINT32_MAX

enum sim_kind {
    SIM_K_ALU,      /* d = fn(a, b, c, e) */
    SIM_K_ALU_PRED, /* the same with mask_in from psrc and/or the returned carry to pdst */
    SIM_K_SETP,     /* pdst, qdst = fn(...) boolop psrc */
    SIM_K_SET,      /* d = fn result with psrc combined (set with boolop) */
    SIM_K_PLOGIC,   /* predicates: mode AND, OR, XOR, NOT, MOV */
    SIM_K_MOV_VEC,  /* pack and unpack */
    SIM_K_MOV_EACH, /* element by element: first dst_count of vec, then the sources */
    SIM_K_VIDEO,
    SIM_K_POLICY,
    SIM_K_STACK,      /* alloca, stacksave, stackrestore */
    SIM_K_TIME,       /* a clock register */
    SIM_K_LOCAL_ADDR, /* address of a variable in the current frame */
    SIM_K_CVTA,
    SIM_K_ISSPACEP,
    SIM_K_MAPA,
    SIM_K_GETCTARANK,
    SIM_K_LD_PARAM, /* kernel parameter at a constant offset */
    SIM_K_LD,
    SIM_K_ST,
    SIM_K_ATOM,
    SIM_K_NOP,
    SIM_K_BRA,
    SIM_K_BRX,
    SIM_K_CALL,
    SIM_K_RET,
    SIM_K_EXIT,
    SIM_K_TRAP,
    SIM_K_BAR,
    SIM_K_CLUSTER_ARRIVE,
    SIM_K_CLUSTER_WAIT,
    SIM_K_WARPSYNC,
    SIM_K_SHFL,
    SIM_K_VOTE,
    SIM_K_MATCH,
    SIM_K_REDUX,
    SIM_K_ACTIVEMASK,
    SIM_K_ELECT,
    SIM_K_COPY,       /* cp.async */
    SIM_K_COPY_GROUP, /* its commit and waits */
    SIM_K_BULK,       /* seconds[target] and on: its other addresses, target_count of them */
    SIM_K_MBARRIER,
    SIM_K_MBARRIER_TRY, /* try_wait */
    SIM_K_MATRIX,       /* mma, wmma, ldmatrix, stmatrix, movmatrix */
    SIM_K_CONV_SET,
    SIM_K_CONV_SYNC,
    SIM_K_MACHINE, /* op->machine->run(...) */
    SIM_K_BSSY,
    SIM_K_BSYNC,
    SIM_K_BREAK,
    SIM_K_JUMP,           /* to a place in registers, lane by lane */
    SIM_K_BRA_APART,      /* all lanes, when not all of a mask are here; mode 1: when they are */
    SIM_K_BRA_ANY,        /* all lanes, when the guard of one is true */
    SIM_K_YIELD,          /* other groups go first, and do not wait for this one */
    SIM_K_END_COLLECTIVE, /* each lane goes where its WARPSYNC.COLLECTIVE said */
    SIM_K_END,            /* past the last instruction of a function */
};

enum sim_addr_base { SIM_ADDR_ABSOLUTE, SIM_ADDR_REG32, SIM_ADDR_REG64, SIM_ADDR_FRAME };

struct sim_sass_op; /* sim/sass/lower.h */

struct sim_op {
    /* What every instruction and arithmetic needs comes first. */
    sim_lane_fn *fn;
    uint8_t kind; /* enum sim_kind */
    bool guard_negated;
    uint8_t vec_rows; /* rows of one element; ALU: rows that the lane function writes */
    uint8_t count;    /* elements of a vector access; sources of a MOV_VEC */
    uint8_t space, addr_base, element_bytes;
    bool wraps32;                      /* addresses have 32 bits */
    int32_t guard;                     /* predicate number, -1: none */
    uint32_t counter;                  /* index of its row of counters; derived ones share a row that is not reported */
    uint32_t dst;                      /* row, or NONE */
    uint32_t src[4];                   /* rows, or NONE */
    uint32_t address;                  /* row of the base register */
    int64_t offset;                    /* added to the base; the whole address when ABSOLUTE */
    uint32_t vec[8];                   /* rows of vector elements, NONE for a sink */
    const struct sim_sass_op *machine; /* machine code: what goes beyond this, else NULL */
    const struct isa_insn *insn;
    bool is_strong;        /* a memory access by which threads may wait for each other */
    bool is_sum;           /* machine code: the address is the sum of two registers, or scaled */
    bool address2_wide;    /* the second one has 64 bits */
    uint8_t address_scale; /* what the base register is multiplied by */
    uint32_t address2;     /* row of the second one, or NONE */
    uint8_t mode, mode2;   /* as isa_mods */
    uint8_t type;          /* enum isa_type */
    bool psrc_negated, carries_out, is_sync, has_optional;
    bool is_aligned;  /* runs only with all lanes of the warp */
    uint8_t dst_rows; /* 32-bit rows of the destination */
    uint8_t boolop;
    uint8_t reg_bits;         /* width of a load's destination registers */
    uint8_t dst_count;        /* MOV_VEC: destinations come first in vec */
    int32_t pdst, qdst, psrc; /* predicate numbers, -1: none */
    uint32_t target; /* op index: branch; conv.set: its conv.sync. CALL: function index. BRX: first entry in targets.
                      MATRIX: index in matrices. COPY: in seconds */
    uint32_t target_count;
    uint32_t function; /* index in the module */
};

struct sim_call_arg { /* bytes to copy between frames at a call */
    uint32_t caller_offset, callee_offset, bytes;
    uint32_t row; /* a register or constant given directly, else NONE */
    uint8_t rows;
    bool is_return;
};

struct sim_call_site {
    uint32_t first_arg,
        arg_count; /* in call_args, in order rets then args; callee_offset of an indirect call is its ordinal */
    uint32_t ret_count;
};

struct sim_program {
    const struct isa_module *module;
    const struct isa_linked *linked;
    struct sim_op *ops;
    uint32_t op_count;
    uint32_t *function_entry;    /* by function: its first op, or UINT32_MAX */
    uint32_t *targets;           /* of brx.idx; destination rows of vector atomics */
    struct sim_op *seconds;      /* COPY's target indexes it: the address of its source */
    struct sim_matrix *matrices; /* MATRIX's target indexes it */
    uint32_t (*consts)[32];      /* constant rows */
    uint32_t const_count;
    uint8_t special[ISA_SREG_COUNT]; /* row of a special register, 255: not used; 64-bit ones take two */
    uint32_t special_rows;
    uint32_t *frame_rows,
        *frame_preds; /* by function; predicates: allocated ones, then the carry, then convergence barriers */
    struct sim_call_arg *call_args;
    struct sim_call_site *call_sites; /* CALL's target_count indexes it */
    uint32_t counter_count;
    uint32_t *counter_function, *counter_insn; /* by counter row */
    uint64_t *var_address;                     /* by variable: space-relative address (global: device address) */
    uint8_t *const_data;                       /* the constant bank: const variables */
    uint64_t const_bytes;
    uint64_t
        shared_base; /* first byte of the block's own variables in its shared window (the reserved part lies before) */
    uint64_t shared_static_bytes;
    uint64_t stack_bytes; /* local memory of a thread */
    const uint8_t *params;
    uint32_t param_bytes;
    bool is_machine;                        /* machine code: sim/sass/sass.h */
    bool knows_builtins;                    /* machine code: a constant bank has the address of one */
    uint64_t bank_offset[8], bank_bytes[8]; /* machine code: constant banks in const_data */
    uint64_t constants_address;             /* machine code: where __constant__ variables lie in global memory */
};

/* Of a memory access: threads may wait for each other by it. */
static inline bool sim_mods_are_strong(const struct isa_mods *mods)
{
    return mods->sem > ISA_SEM_WEAK || mods->cache == ISA_CACHE_CV;
}

/* Lays out variables (global ones are allocated in `memory`), resolves every reachable instruction. BASE_UNSUPPORTED
 * with a diagnostic for an instruction whose types or modifiers have no semantics. */
enum base_status sim_program_build(struct sim_program *program, const struct isa_module *module,
                                   const struct isa_linked *linked, const struct sim_bound *bound,
                                   const struct sim_device *device, struct sim_memory *memory, enum sim_level level,
                                   struct base_arena *arena, struct base_diags *diags);

/* For whoever builds a program: its tables of functions and variables, no function reached yet (false: out of memory);
 * an operation with no operands; and, once all operations stand, which instruction each row of counters belongs to
 * (false: out of memory). */
bool sim_program_alloc_tables(struct sim_program *program, const struct isa_module *module, struct base_arena *arena);
struct sim_op sim_op_blank(uint32_t function);
bool sim_program_map_counters(struct sim_program *program, struct base_arena *arena);
/* Where a row of counters' instruction is, as reports say it: its index among the rows (PTX), its offset in bytes
 * within its function (machine code). */
uint32_t sim_program_pc(const struct sim_program *program, uint32_t counter);

#endif
