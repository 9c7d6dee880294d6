/* Two measures compared: which launches belong together, metric by metric which agree, and why not where a rule can
 * prove it. Writers of the result: page.h.
 *
 * `sim` and `gpu` are the first and the second: the second may be another simulation (both_simulated). Then neither
 * stands for the truth: what only one of them has counts alike, and a change is the second's against the first. */
#ifndef VALIDATE_COMPARE_H
#define VALIDATE_COMPARE_H

#include "validate/classes.h"
#include "validate/measure.h"

enum validate_match { VALIDATE_MATCH_AUTO, VALIDATE_MATCH_ORDER, VALIDATE_MATCH_NAME, VALIDATE_MATCH_ID };

struct validate_tolerance {
    const char *pattern;
    double pct;
};

struct validate_options {
    enum validate_match match;
    unsigned classes;                            /* enum validate_class, a set */
    const struct validate_tolerance *tolerances; /* the last that fits counts */
    size_t tolerance_count;
    /* The same launches simulated from their machine code, by the names of the launches: what proves that a difference
     * is the compiler's. NULL: not known. */
    const struct validate_measure *machine;
    const struct validate_outputs *outputs; /* the GPU's buffers, by the launches' names; NULL: not known */
};

enum validate_verdict { VALIDATE_AGREES, VALIDATE_EXPLAINED, VALIDATE_DIFFERS };

/* A metric of a launch, or one of its buffers. */
struct validate_row {
    const char *name, *unit;
    enum validate_class class;
    const char *sim_shown, *gpu_shown;
    bool is_number; /* `sim` and `gpu` are the values */
    double sim, gpu;
    /* Of the GPU's value, how far the simulation is off; of two simulations, how far the second is from the first, of
     * the first. NAN where the value it is of is 0. */
    double error_pct;
    double tolerance_pct;
    enum validate_verdict verdict;
    const char *reason; /* EXPLAINED: why; else NULL */
};

struct validate_tally {
    size_t agree, explained, differ;
};

struct validate_pair {
    const struct validate_launch *sim, *gpu;
    BASE_VEC(struct validate_row) rows; /* exact ones first */
    struct validate_tally exact, modelled;
    size_t only_sim, only_gpu; /* metrics that the other side has not */
};

/* A launch that only one side has. */
struct validate_alone {
    const struct validate_launch *launch;
    bool in_gpu;
    bool counts; /* as a disagreement */
    const char *why;
};

struct validate_comparison {
    struct base_arena arena;
    const struct validate_measure *sim, *gpu;
    unsigned classes;
    bool both_simulated;
    BASE_VEC(struct validate_pair) pairs;
    BASE_VEC(struct validate_alone) alone;
    struct validate_tally exact, modelled;
    size_t alone_counting[2]; /* of the first, of the second */
};

/* `out` is to be freed in either case. INVALID: the two cannot be compared; the diagnostic says why. */
enum base_status validate_compare(const struct validate_measure *sim, const struct validate_measure *gpu,
                                  const struct validate_options *options, struct validate_comparison *out,
                                  struct base_diags *diags);
void validate_comparison_free(struct validate_comparison *comparison);
static inline bool validate_agrees(const struct validate_comparison *comparison)
{
    return comparison->exact.differ == 0 && comparison->modelled.differ == 0 && comparison->alone_counting[0] == 0 &&
           comparison->alone_counting[1] == 0;
}

/* ---- Between the files of this folder ---- */

/* pair.c: fills `pairs` (without rows) and `alone`. */
enum base_status validate_pair_up(const struct validate_measure *sim, const struct validate_measure *gpu,
                                  enum validate_match match, struct validate_comparison *out, struct base_diags *diags);

/* reason.c: why a row differs, when a rule can prove it; NULL: none does. `machine`: the launch from its machine code,
 * or NULL. */
const char *validate_reason(struct validate_comparison *comparison, const struct validate_pair *pair,
                            const struct validate_row *row, const struct validate_launch *machine);

#endif
