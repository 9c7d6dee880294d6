/* The accesses of one source line of a real run, as patterns to look at.
 *
 * Give advise_capture_access() to sim_run() as its access hook. Each memory instruction of the line in the wanted space
 * becomes one captured access; of its executions the first different ones are kept, the worst among them.
 */
#ifndef ADVISE_CAPTURE_H
#define ADVISE_CAPTURE_H

#include "advise/banks.h"
#include "base/vec.h"
#include "sim/sim.h"

#include <stdbool.h>
#include <stdint.h>

struct advise_execution {
    uint32_t block[3], warp;
    uint64_t number; /* of the instruction's executions, from 0 */
    uint64_t hash;
    uint32_t cost; /* wavefronts or sectors */
    uint32_t mask;
    uint64_t address[32];
};

struct advise_captured {
    const struct isa_function *function;
    const struct isa_insn *insn;
    enum sim_shared_kind kind;
    uint32_t width_bytes;
    uint64_t executions, cost; /* all of them */
    uint32_t kept_count;       /* kept[0] is the first execution */
    uint32_t worst;            /* the first of the kept ones with the highest cost of all executions */
    struct advise_execution kept[ADVISE_WARPS_MAX];
};

struct advise_capture {
    const struct sim_device *device;
    const struct isa_module *module;
    const char *file; /* the name or the end of the path; NULL: any */
    uint32_t line;
    bool shared;           /* shared memory, otherwise global */
    BASE_VEC(int8_t) slot; /* by number: 0 not looked at yet, -1 not wanted, n: items[n - 1] */
    struct advise_captured *items[ADVISE_ACCESS_MAX];
    uint32_t count;
    bool line_seen; /* some instruction that accesses memory stands on the line */
    bool dropped;   /* there were more than ADVISE_ACCESS_MAX */
    bool failed;    /* no memory */
};

/* An empty item for an instruction. NULL: no memory. To be freed with free(). */
struct advise_captured *advise_captured_new(const struct sim_access *access);
/* Notes one execution of the item's instruction in shared (or global) memory. The first half of the places are for the
 * first different executions; with `spread` the others are for later ones, each twice as late as the one before. */
void advise_captured_note(struct advise_captured *item, const struct sim_device *device, bool shared, bool spread,
                          const struct sim_access *access);

/* A sim_access_hook; `user` is the capture. */
void advise_capture_access(void *user, const struct sim_access *access);
void advise_capture_free(struct advise_capture *capture);

/* The kept executions of `count` items as patterns over one array of words; the elements count from `base`, a multiple
 * of all banks and of a line. `patterns` has room for all; text and who are left to the caller. */
enum base_status advise_captured_patterns(struct advise_captured *const *items, uint32_t count,
                                          const struct sim_device *device, bool shared, struct base_arena *arena,
                                          struct advise_array *array, struct advise_pattern **patterns, uint64_t *base);

#endif
