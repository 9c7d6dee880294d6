/* Kernel arguments and launch lists: their text forms (docs: the man page, "ARG" and "Launch list") and what they
 * become.
 *
 * sim_arg_parse() reads one ARG; sim_launch_list_parse() a whole list. Nothing is allocated on the device until
 * sim_args_bind() puts the buffers into a sim_memory and makes the kernel's parameter block.
 */
#ifndef SIM_ARGS_H
#define SIM_ARGS_H

#include "base/arena.h"
#include "base/diag.h"
#include "isa/isa.h"
#include "sim/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sim_arg_kind {
    SIM_ARG_SCALAR,  /* TYPE=VALUE */
    SIM_ARG_BUFFER,  /* TYPE[N]=INIT, @NAME:TYPE[N]=INIT */
    SIM_ARG_POINTER, /* &I[+BYTES] */
    SIM_ARG_NULL,    /* null */
    SIM_ARG_BYTES,   /* bytes[N]=file:PATH */
    SIM_ARG_SYMBOL,  /* symbol:NAME=INIT */
    SIM_ARG_NUMBA,   /* TYPE[N]~numba=INIT, TYPE[R,C]~numba=INIT */
};

enum sim_init_kind {
    SIM_INIT_ZERO,
    SIM_INIT_NONE,
    SIM_INIT_IOTA,
    SIM_INIT_CONST,
    SIM_INIT_RAND,
    SIM_INIT_RANDMOD,
    SIM_INIT_FILE
};

struct sim_init {
    enum sim_init_kind kind;
    uint64_t value; /* CONST: the element's bits */
    uint64_t seed, modulus;
    const char *path; /* FILE: as written */
};

struct sim_arg {
    enum sim_arg_kind kind;
    const char *text;       /* as written */
    size_t offset, length;  /* place in the source */
    const char *name;       /* @NAME or symbol's NAME, else NULL */
    uint8_t type;           /* enum isa_type of an element: one of s8..s64, u8..u64, f32, f64 (bN is read as uN) */
    uint64_t count;         /* elements of a buffer; rows * columns; bytes of BYTES */
    uint64_t rows, columns; /* NUMBA: columns 0 for one dimension */
    uint64_t value;         /* SCALAR: bits */
    uint32_t target;        /* POINTER: argument index */
    uint64_t pointer_offset_bytes;
    struct sim_init init;
};

/* A launch as written: in a list, or on the command line. */
struct sim_launch_text {
    const char *name, *file, *kernel; /* kernel NULL: the only one */
    uint32_t grid[3], block[3], cluster[3];
    uint64_t shared_bytes;
    bool cooperative, has_cluster;
    int32_t carveout_percent; /* -1: not given */
    uint32_t regs;            /* 0: not given */
    struct sim_arg *args;
    size_t arg_count;
    size_t offset, length; /* its line in the source */
};

struct sim_launch_list {
    struct base_arena arena;
    struct base_source source; /* a copy the list owns */
    struct sim_launch_text *items;
    size_t count;
};

/* Reads one ARG that stands at [offset, offset + length) of `source`. Strings are copied to `arena`. */
enum base_status sim_arg_parse(const struct base_source *source, size_t offset, size_t length, struct base_arena *arena,
                               struct sim_arg *arg, struct base_diags *diags);
/* "X[,Y[,Z]]", each 1 .. 2^31-1; missing ones are 1. */
enum base_status sim_dim3_parse(const char *text, size_t length, uint32_t dim[3]);

/* BASE_INVALID: diagnostics say why, and *out holds the launches that were right. The diagnostics point into *out: free
 * it after they are printed. *out is NULL only without memory. */
enum base_status sim_launch_list_parse(const char *name, const char *text, size_t size, struct sim_launch_list **out,
                                       struct base_diags *diags);
void sim_launch_list_free(struct sim_launch_list *list);

/* Reads a file that an INIT names: exactly `size_bytes` bytes into `data`. Returns BASE_IO with a message in `message`
 * (cut to message_size) when it cannot, or the size differs. The library itself opens no files. */
typedef enum base_status sim_file_reader(void *user, const char *path, uint8_t *data, uint64_t size_bytes,
                                         char *message, size_t message_size);

/* Buffers shared by name (@NAME) between launches: kept by the caller as long as the memory they lie in. */
struct sim_named_buffer {
    char *name;
    uint64_t address, size_bytes;
    uint8_t type;
};
struct sim_named_buffers {
    struct sim_named_buffer *items;
    size_t count, capacity;
};
void sim_named_buffers_free(struct sim_named_buffers *named);
/* After a launch: frees what lies at `from` (the memory's next_address before the launch was bound) and behind it, but
 * for buffers shared by name. */
void sim_args_release(struct sim_memory *memory, const struct sim_named_buffers *named, uint64_t from);

struct sim_bound_arg {
    bool has_buffer;
    uint8_t type;
    uint64_t address, size_bytes;
};

struct sim_bound {
    uint8_t *params; /* the kernel's parameter block, param_bytes long; in the arena given to bind */
    uint32_t param_bytes;
    struct sim_bound_arg *args; /* one per ARG as written */
    size_t arg_count;
    /* symbol: arguments: contents for module variables, by variable index */
    struct sim_symbol_fill {
        uint32_t var;
        uint8_t *data;
        uint64_t size_bytes;
    } * symbols;
    size_t symbol_count;
};

/* Checks the arguments against the kernel's parameters, makes and fills buffers in `memory` (shared ones once), and
 * lays out the parameter block. BASE_INVALID with a diagnostic that shows the parameter list when they do not fit. */
enum base_status sim_args_bind(const struct isa_module *module, uint32_t kernel, const struct base_source *source,
                               const struct sim_arg *args, size_t arg_count, struct sim_memory *memory,
                               struct sim_named_buffers *named, sim_file_reader *reader, void *reader_user,
                               struct base_arena *arena, struct sim_bound *bound, struct base_diags *diags);

/* A module variable's contents have its declared type; .b and packed ones are unsigned numbers of that width. */
uint8_t sim_symbol_type(uint8_t declared);
/* The INIT of a symbol: argument, once the type is known: until then const:V is text. False: `why` says what is wrong
 * with V, as words that follow it. */
bool sim_symbol_init(const struct sim_arg *arg, uint8_t type, struct sim_init *init, char *why, size_t why_size);

/* Fills `count` elements as INIT says (FILE excepted). */
void sim_init_fill(const struct sim_init *init, uint8_t type, uint64_t count, uint8_t *data);

/* FNV-1a, 64 bits. */
uint64_t sim_fnv1a64(const uint8_t *data, uint64_t size_bytes);

#endif
