/* What was counted of launches, on a GPU or by the simulator, in one shape whatever file it stood in.
 *
 * Two kinds of file are read: what `ncu --csv --page raw` prints, with all that may stand around it and in whatever
 * locale and units (ncu.c, number.c), and simtlab's JSON, one object or many (simtlab_json.c). Values are in base
 * units: bytes, nanoseconds, per second. */
#ifndef VALIDATE_MEASURE_H
#define VALIDATE_MEASURE_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct validate_value {
    const char *name, *unit; /* unit: as the file says it, "" when it does not */
    const char *shown;       /* as it stands in the file; NULL: a number of JSON */
    bool is_integer;
    uint64_t integer;
    double real; /* of integers too */
    double step; /* what the last digit shown is worth; 0: all digits are there */
};

struct validate_buffer {
    uint32_t arg;
    uint64_t bytes, fnv1a64;
};

/* One instruction of a simulated launch. */
struct validate_insn {
    const char *text, *file; /* "" when not known */
    uint64_t pc, line, executed;
    bool is_global, is_shared;
};

struct validate_launch {
    uint64_t id;        /* ncu's, or the place in the file from 0 */
    const char *name;   /* of the launch list; "" when the file has none */
    const char *kernel; /* without parameters, template arguments and name spaces */
    const char *kernel_shown;
    const char *file, *form, *device, *mode, *status, *message; /* JSON only, else "" */
    const char *options; /* those that are not the default, as on a command line; JSON only, else "" */
    const char *card;    /* ncu's device__attribute_display_name, else "" */
    bool has_grid, has_compute;
    uint32_t grid[3], block[3];
    unsigned compute_major, compute_minor;
    const struct validate_value *values; /* sorted by name, each name once */
    size_t value_count;
    const struct validate_buffer *buffers;
    size_t buffer_count;
    const struct validate_insn *insns;
    size_t insn_count;
    bool races; /* --check=races found one */
};

enum validate_origin { VALIDATE_NCU, VALIDATE_SIMTLAB };

struct validate_measure {
    struct base_arena arena;
    const char *name; /* the file's */
    enum validate_origin origin;
    BASE_VEC(struct validate_launch) launches;
};

/* `name` and the text must live as long as `out`, which is to be freed in either case. What is wrong is one
 * diagnostic. */
enum base_status validate_measure_read(const char *name, const char *text, size_t size, struct validate_measure *out,
                                       struct base_diags *diags);
void validate_measure_free(struct validate_measure *measure);

/* NULL: the launch has none of that name. */
const struct validate_value *validate_value_find(const struct validate_launch *launch, const char *name);

/* What cuda/runner printed, "NAME argI bytes=N fnv=HASH" a line; lines of another kind are passed over. Of several runs
 * the first counts. */
struct validate_outputs {
    struct base_arena arena;
    BASE_VEC(struct validate_launch) launches; /* name and buffers alone */
};
enum base_status validate_outputs_read(const char *text, size_t size, struct validate_outputs *outputs);
void validate_outputs_free(struct validate_outputs *outputs);

/* ---- Between the files of this folder ---- */

enum base_status validate_ncu_read(const struct base_source *source, struct validate_measure *out,
                                   struct base_diags *diags);
enum base_status validate_simtlab_read(const struct base_source *source, struct validate_measure *out,
                                       struct base_diags *diags);
/* A kernel's name as matching wants it: "void scan<int>(int*)" and "_Z4scanIiEvPi" are "scan". NULL without memory. */
const char *validate_kernel_name(struct base_arena *arena, const char *shown);
/* Sorts by name and drops doubles; the number of those left. */
size_t validate_values_sort(struct validate_value *values, size_t count);

#endif
