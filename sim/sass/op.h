/* What an operation of machine code has beyond struct sim_op. */
#ifndef SIM_SASS_OP_H
#define SIM_SASS_OP_H

#include "sim/engine.h"

#define SIM_SASS_PREDICATES           14u /* of a frame: P0-P6, UP0-UP6; then the convergence barriers */
#define SIM_SASS_CONVERGENCE_BARRIERS 16u

/* What is done to a source before the lane function sees it. */
enum sim_sass_change {
    SIM_SASS_PLAIN,
    SIM_SASS_NOT,     /* ~a */
    SIM_SASS_NEG,     /* -a, 32 bits */
    SIM_SASS_NEG64,   /* -a, 64 bits */
    SIM_SASS_NEG_F32, /* the sign bit flipped */
    SIM_SASS_ABS_F32,
    SIM_SASS_NEGABS_F32,
    SIM_SASS_NEG_F64,
    SIM_SASS_ABS_F64,
    SIM_SASS_NEGABS_F64,
    SIM_SASS_NEG_H2, /* both halves */
    SIM_SASS_ABS_H2,
    SIM_SASS_NEGABS_H2,
};

typedef bool sim_sass_run(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                          const struct sim_op *op, uint32_t mask);

/* mode of WARPSYNC: lanes that name different masks go on one set after another. COLLECTIVE: and together, from
 * wherever they came; target: where they part for again. */
enum { SIM_SASS_EXCLUSIVE = 1, SIM_SASS_COLLECTIVE = 2 };

enum sim_sass_votes { SIM_SASS_VOTES_KEPT = 1, SIM_SASS_VOTES_AND = 2, SIM_SASS_VOTES_TRUE = 4 };
/* A barrier's number and count in one register: its lowest four bits, and bits 16 to 27; a count of 0: the block. */
enum { SIM_SASS_BARRIER_PACKED = 8 };

enum { SIM_SASS_COPY_SHORT = 1 }; /* flags of a copy: its source's low bits say how many bytes are not read */

struct sim_sass_pred { /* a predicate source: -1: PT; -2: not given */
    int8_t number;
    bool negated;
};

/* What an operation of machine code has beyond struct sim_op. */
struct sim_sass_op {
    sim_sass_run *run;
    uint8_t change[4]; /* enum sim_sass_change, by source */
    uint8_t part[4];   /* enum isa_sass_part, by source: taken before the change */
    uint8_t rows[4];   /* 32-bit rows of each source */
    bool uniform;      /* writes all lanes */
    uint8_t flags;     /* the run function's own; of a barrier: enum sim_sass_votes */
    bool global_only;  /* atomic at a generic address: done in global memory alone, and pdst[0] says where */
    uint8_t served;    /* atomic in shared memory: enum sim_shared_atomic. CAST: the result is whether it was done */
    int8_t pdst[2];    /* predicates written; -1: none */
    struct sim_sass_pred psrc[3];
    uint32_t immediate;            /* the run function's own */
    const struct isa_insn *listed; /* op->insn, or what op->insn is a changed copy of */
    sim_lane_fn *other;            /* a second lane function, for those that choose by lane */
};

#endif
