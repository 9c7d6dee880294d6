/* The checks' parts, and what they know of each other. Internal to sim/check; docs/checks.md tells what is found.
 *
 * The checks see what counters see, effects, and besides them the moments at which threads wait for each other:
 * barriers, warp-wide instructions, fences. They change nothing of the run.
 *
 *   check.c     the doors: what the engine tells, handed to the parts
 *   order.c     who has waited for whom: what a thread knows of the others' accesses
 *   flag.c      the same through memory: fences, atomics, flags
 *   shadow.c    which accesses a piece of memory remembers
 *   race.c      an access against those remembered
 *   init.c      memory that is read before it was written
 *   sync.c      barriers and masks of warp-wide instructions
 *   bounds.c    shared memory past an array, or of a block that has ended
 *   origin.c    which shared variable an address comes from
 *   program.c   what can be read off the program beforehand
 *   finding.c   findings, grouped by pairs of instructions; their part of the report
 *
 * Time. A block has a clock that moves on when threads wait for each other, so that an access is dated by it: what a
 * thread knows of another one is a date, up to which that one's accesses lie before its own. A block's dates start
 * at 1. What is kept of accesses and of knowledge is limited; where it is not exact, an order is taken as given rather
 * than a race told that may be none. */
#ifndef SIM_CHECK_CHECK_H
#define SIM_CHECK_CHECK_H

#include "base/vec.h"
#include "sim/engine.h"

#include <stdbool.h>
#include <stdint.h>

#define CHECK_LINE_BYTES 128u
#define CHECK_TIME_BITS  27u
#define CHECK_TIME_MAX   ((UINT32_C(1) << CHECK_TIME_BITS) - 1)
#define CHECK_LEVELS     3u /* of scopes: block, cluster, device */

/* ---- Accesses remembered ---- */

/* Which threads a remembered access stands for. */
enum check_set {
    CHECK_ONE,    /* one lane; in a line's summary: the lane that the pattern gives for each word */
    CHECK_LANES,  /* lanes `mask` of the warp */
    CHECK_WARPS,  /* warps `mask` of the block; the lane as for ONE */
    CHECK_BLOCKS, /* several blocks, the last of them when `mask` releases had been seen */
};
/* How strong an access is: two that are at least STRONG and of wide enough scope do not race. */
enum check_strength { CHECK_WEAK, CHECK_STRONG, CHECK_ATOMIC };

struct check_access {
    uint64_t who; /* block << 32 | warp << CHECK_TIME_BITS | date; date 0: no access */
    uint32_t lane : 5;
    uint32_t pattern : 2; /* in a line's summary: word i is lane + (i >> pattern)'s */
    uint32_t set : 2;     /* enum check_set */
    uint32_t strength : 2;
    uint32_t scope : 2;    /* level of a strong access */
    uint32_t company : 1;  /* other lanes executed the instruction with it */
    uint32_t counter : 18; /* the instruction: its row of counters */
    uint32_t mask;         /* see enum check_set; ONE and a write: the number of the warp instruction */
};

struct check_cell { /* of a word or a byte */
    struct check_access write, read;
};
/* 128 bytes of memory: a summary while all its words were accessed in the same way, else cells. */
struct check_line {
    struct check_cell all;
    uint32_t cells; /* index in the pool plus 1; 0: the summary holds */
    bool by_byte;
};

/* Cells are taken 32 at a time and never given back alone. */
struct check_pool {
    BASE_VEC(struct check_cell *) slabs;
    uint32_t used, slab_pieces; /* pieces of 32 cells */
};
struct check_region { /* lines of one allocation, or of a block's shared memory */
    struct check_line *lines;
    uint64_t line_count;
    struct check_pool *pool;
};

/* ---- What threads know of each other through memory (flag.c) ---- */

struct check_reference { /* "all that had been released at that place up to then" */
    uint32_t place;      /* domain << 24 | index: domain 0 global memory, 1 + rank the shared memory of a block */
    uint64_t upto;       /* number of the last release */
    uint32_t pending;    /* lanes that have read it, but not yet passed a fence */
    uint32_t known[CHECK_LEVELS]; /* lanes that have, by the fence's level */
};
struct check_release {
    uint64_t number;
    uint32_t lanes, time;           /* the lanes' own accesses, up to then */
    uint32_t warp_time, block_time; /* their warp's and their block's */
    uint32_t others;                /* index of a row of dates by warp, plus 1; 0: none */
    uint32_t next;                  /* index plus 1 */
    uint8_t warp, level;
};
struct check_onward { /* what releases at a place pass on from other places */
    uint32_t place;
    uint64_t upto, since;
};
struct check_place {
    uint64_t key;
    BASE_VEC(struct check_onward) onward;
};
struct check_table { /* open addressing; key 0 is free */
    uint64_t *keys;
    uint32_t *values;
    uint32_t capacity, count;
};
struct check_flags {
    BASE_VEC(struct check_place) places;
    BASE_VEC(struct check_release) releases;
    BASE_VEC(uint32_t) rows; /* of 32 */
    struct check_table by_address, by_block;
    bool overflow; /* more than is kept: from now on every order through it is taken as given */
};

/* ---- Blocks and warps ---- */

struct check_fences { /* of a warp's lanes: the date of the last fence, and what was known then */
    uint32_t lanes;   /* that executed one */
    uint32_t latest;
    uint32_t time[32], warp_time[32], block_time[32];
};
#define CHECK_GUESSES 4u
struct check_guess { /* a plain read of a warp, of late */
    uint32_t counter, lanes;
    uint64_t address[32];
};
struct check_warp {
    uint32_t warp_time;        /* up to then all lanes know all lanes */
    uint32_t (*lane_time)[32]; /* lane i knows lane j up to [i][j]; NULL: no part of the warp ever met alone */
    uint32_t lane_time_max;
    struct check_fences *fences[CHECK_LEVELS];
    BASE_VEC(struct check_reference) references;
    struct check_guess *guesses; /* CHECK_GUESSES, the last ones */
    uint32_t guess_next;
    struct check_lanes *lanes; /* sync.c */
    uint8_t **local_written;   /* by piece of local memory: bits of its bytes, lane after lane */
};
struct check_barrier {
    uint32_t arrived_at[32];   /* by warp: the block's date */
    uint32_t arrived, waiting; /* warps */
    uint32_t last_counter, last_thread;
};
struct check_block {
    struct check_warp *warps;
    uint32_t warp_count;
    uint32_t linear; /* the block that holds the place now */
    uint32_t rank;
    uint32_t clock;      /* date of the next access */
    bool dirty;          /* an access has that date */
    uint32_t block_time; /* up to then all threads know all threads */
    uint32_t fence_time[CHECK_LEVELS],
        fence_seen[CHECK_LEVELS];   /* latest fence of any thread; before the last barrier */
    uint32_t (*others)[32];         /* warp i knows warp j up to [i][j]; NULL: no part of the block ever met alone */
    uint32_t *peer_time;            /* by rank: how far the block knows the others of its cluster */
    uint32_t arrival_time;          /* at the cluster's barrier */
    uint64_t met_at;                /* releases before the cluster's last barrier */
    struct check_round *rounds;     /* sync.c */
    struct check_guest *guests;     /* by rank: the last access of another block to this one's shared memory */
    struct check_barrier *barriers; /* SIM_BARRIERS; NULL: none was ever waited at by a part of the block */
    BASE_VEC(struct check_reference) references; /* of all its threads: known[] is all ones or 0 */
    struct check_flags flags;                    /* at places in its shared memory */
    uint8_t *written;                            /* shared memory: a bit for each byte */
    struct check_region shared;
    struct check_pool pool;
};

/* ---- Findings ---- */

enum check_kind {
    CHECK_RACE_BLOCKS,
    CHECK_RACE_BLOCK,
    CHECK_RACE_WARP,
    CHECK_RACE_LANES,
    CHECK_RACE_FENCE,
    CHECK_INIT_SHARED,
    CHECK_INIT_LOCAL,
    CHECK_INIT_GLOBAL,
    CHECK_SYNC_PART,
    CHECK_SYNC_PLACES,
    CHECK_SYNC_LEFT,
    CHECK_SYNC_SELF,
    CHECK_SYNC_MASKS,
    CHECK_SYNC_MISSING,
    CHECK_MEMORY_ARRAY,
    CHECK_MEMORY_ENDED,
    CHECK_KIND_COUNT
};

struct check_thread { /* what one thread did */
    uint32_t counter;
    uint32_t block;  /* linear */
    uint32_t thread; /* linear in the block */
    uint8_t access;  /* enum sim_finding_access */
};
struct check_finding {
    enum check_kind kind;
    struct check_thread first, other;
    bool has_other, has_address;
    uint64_t address;
    uint8_t space;
    uint64_t count;
    uint64_t last;     /* warp instruction and lane counted last */
    char nearest[128]; /* "": the place of the address in its space is told */
};
struct check_guest {
    uint32_t time; /* of its block; 0: none */
    struct check_finding last;
};

struct check_insn {          /* by row of counters */
    uint8_t strength, level; /* of a memory instruction */
    uint8_t fence;           /* level of a fence plus 1; 0: it is none */
    bool acquires, releases; /* it is its own fence */
    int32_t variable;        /* that the address comes from, plus 1; 0: not known */
    bool copies;             /* a load whose value is only stored within the thread */
    bool guesses;            /* a load of what the same thread then changes by an atomic that decides */
};

struct sim_check {
    struct sim_engine *engine;
    struct check_insn *insns;
    uint8_t *meet_of; /* by op, conv.sync: number of a meeting place with barriers before it; 0: none */
    uint32_t meet_count;
    unsigned which;                   /* enum sim_check_set */
    uint32_t serial;                  /* of effects */
    bool is_machine;                  /* machine code: less can be told of it */
    bool has_deciding;                /* the program has atomics that decide by what is there */
    bool has_uninitialised;           /* some buffer was made with `none` */
    int64_t last_buffer, last_region; /* where to look first */
    bool incomplete;                  /* memory ran out: something was not looked at */
    bool failed;                      /* no memory for a finding */
    uint64_t used_bytes, limit_bytes;
    uint64_t releases;        /* so far */
    struct check_flags flags; /* at places in global memory */
    struct check_pool pool;
    BASE_VEC(struct check_region) regions; /* by allocation */
    BASE_VEC(struct check_finding) findings;
    struct check_table finding_of;
    uint64_t findings_left_out;
};

/* check.c: memory within the checks' limit, zeroed. */
void *check_alloc(struct sim_check *check, uint64_t count, uint64_t size_bytes);

static inline uint64_t check_who(const struct check_block *block, uint32_t warp)
{
    return (uint64_t)block->linear << 32 | (uint64_t)warp << CHECK_TIME_BITS | block->clock;
}
static inline uint32_t check_time(uint64_t who)
{
    return (uint32_t)who & CHECK_TIME_MAX;
}
static inline uint32_t check_warp_of(uint64_t who)
{
    return (uint32_t)who >> CHECK_TIME_BITS;
}
static inline uint32_t check_block_of(uint64_t who)
{
    return (uint32_t)(who >> 32);
}

/* check.c: a table from numbers to numbers. The slot's value, 0 when it is new; NULL: no memory. */
uint32_t *check_table_slot(struct sim_check *check, struct check_table *table, uint64_t key);
uint32_t check_table_get(const struct check_table *table, uint64_t key);
void check_table_clear(struct check_table *table);
void check_table_free(struct check_table *table);

/* order.c */
struct check_view { /* one warp at one moment */
    struct sim_check *check;
    struct check_block *block;
    struct check_warp *warp;
    const struct sim_warp *sim;
    uint32_t index; /* of the warp */
};
enum check_order { CHECK_ORDERED, CHECK_UNFENCED, CHECK_UNORDERED };

/* The block whose shared memory a lane's shared address lies in. */
struct check_block *check_block_at(const struct check_view *view, const struct sim_effect *effect, uint64_t address);
struct check_view check_view_of(struct sim_check *check, const struct sim_warp *warp);
/* Whether all of `access` happened before what `lane` does now, but for that lane's own accesses. UNFENCED: it would
 * have, had the lane executed a fence after it read the flag. */
enum check_order check_order_of(const struct check_view *view, const struct check_access *access, unsigned lane);
/* Ends a span of the clock: the date of all accesses so far. */
uint32_t check_clock_tick(struct sim_check *check, struct check_block *block);
void check_order_block_start(struct sim_check *check, struct check_block *block);
void check_order_warp(const struct check_view *view, uint32_t lanes);
void check_order_arrive(const struct check_view *view, const struct sim_op *op, uint32_t mask, uint32_t number);
void check_order_barrier(struct sim_check *check, struct check_block *block, uint32_t number, bool all);
void check_order_cluster_arrive(const struct check_view *view);
void check_order_cluster(struct sim_check *check, struct sim_cluster *cluster);

/* flag.c */
void check_flag_fence(const struct check_view *view, uint32_t lanes, uint8_t level);
/* A strong access of `lanes` to one place. */
void check_flag_access(const struct check_view *view, const struct sim_effect *effect, uint32_t domain,
                       uint64_t address, uint32_t lanes);
/* Threads that have met have passed a fence, too. */
void check_flag_meet_warp(const struct check_view *view, uint32_t lanes);
void check_flag_meet_warps(struct sim_check *check, struct check_block *block, const struct check_barrier *barrier);
void check_flag_meet_block(struct sim_check *check, struct check_block *block);
void check_flag_share(struct sim_check *check, struct check_block *from, struct check_block *to);
enum check_order check_flag_order(const struct check_view *view, uint64_t who, uint32_t lanes, unsigned lane);
enum check_order check_flag_order_blocks(const struct check_view *view, uint32_t releases, unsigned lane);
void check_flags_clear(struct check_flags *flags);
void check_flags_free(struct check_flags *flags);

/* shadow.c. Cells of a line; NULL: no memory, and the line is not looked at. */
struct check_cell *check_line_cells(struct sim_check *check, struct check_region *region, struct check_line *line,
                                    bool by_byte);
struct check_region *check_region_global(struct sim_check *check, uint64_t address, uint64_t width_bytes,
                                         uint64_t *offset);
bool check_region_shared(struct sim_check *check, struct check_block *block);
void check_region_forget(struct check_region *region, uint64_t offset, uint64_t bytes);
void check_pool_free(struct check_pool *pool);

/* race.c */
void check_race_effect(struct sim_check *check, const struct sim_effect *effect);

/* program.c. False: no memory. */
bool check_program_begin(struct sim_check *check);
/* An atomic that changes memory only if what is there lets it: compare and swap, minimum, maximum, and, or. */
bool check_decides(const struct sim_op *op);

/* init.c */
void check_init_begin(struct sim_check *check);
void check_init_effect(struct sim_check *check, const struct sim_effect *effect);
void check_init_block_start(struct sim_check *check, struct check_block *block);
void check_init_block_free(struct sim_check *check, struct check_block *block);
void check_init_heap(struct sim_check *check, uint64_t address, uint64_t bytes);

/* origin.c. Of every register: the variable that its value comes from, else below 0. False: too hard to tell. Of a
 * memory instruction's address: the variable, or -1. */
bool check_origins(const struct isa_module *module, const struct isa_function *function, int32_t *of);
int32_t check_origin_of(const struct isa_module *module, const struct isa_function *function, const int32_t *of,
                        const struct isa_insn *insn);

/* bounds.c */
void check_bounds_effect(struct sim_check *check, const struct sim_effect *effect);
void check_bounds_block_end(struct sim_check *check, const struct sim_block *block);

/* sync.c */
bool check_sync_begin(struct sim_check *check);
void check_sync_block_start(struct sim_check *check, struct check_block *block);
void check_sync_block_end(struct sim_check *check, const struct sim_block *block);
void check_sync_barrier(const struct check_view *view, const struct sim_op *op, uint32_t mask);
void check_sync_barrier_done(struct sim_check *check, const struct sim_block *block, uint32_t number);
void check_sync_meet(const struct check_view *view, uint32_t op_index, uint32_t mask);
void check_sync_masks(const struct check_view *view, const struct sim_op *op, const uint32_t *masks, uint32_t mask,
                      uint32_t off);
void check_sync_missing(const struct check_view *view);

/* finding.c. The same occurrence twice in a row counts once, unless it is CHECK_ALWAYS. */
#define CHECK_ALWAYS (UINT64_MAX - 1)
void check_find(struct sim_check *check, const struct check_finding *finding, uint64_t occurrence, uint32_t count);

#endif
