/* The clock's parts, and what they know of each other. Internal to sim/timing; docs/clock.md tells the model.
 *
 * An SM settles an instruction when it issues: a resource is a calendar that says when it is free next, a use of it
 * moves that on, and the instruction's results get the time at which they are there. So a warp knows when it can go on,
 * and idle time is skipped. Times are cycles; calendars count hundredths.
 *
 * What leaves an SM is settled later. Time goes in windows that are shorter than the way to L2 and back. In a window
 * each unit (an SM, or a GPC's SMs where clusters run) goes on by itself, in any of the host's threads: it keeps its
 * requests to L2 and its writes in lists. At the end of the window the lists of all units are carried out in the order
 * of their cycles. A request's time is TIMING_NEVER until then; the SM hears it when its next turn begins. So nothing
 * depends on the number of threads.
 *
 *   cost.c        what machine code a PTX instruction stands for
 *   fold.c        which of them are part of another one
 *   machine.c     what machine code costs and waits for
 *   ports.c       what it reads of the register banks
 *   products.c    when it goes on behind long products
 *   fetch.c       where code comes from: instruction caches, streams
 *   copies.c      when a warp's asynchronous copies are done
 *   scoreboard.c  when a warp's registers are there
 *   scheduler.c   which warp goes next
 *   cache.c       tags of a sectored cache
 *   memory.c      store ports, L2 slices, DRAM channels
 *   effect.c      what an executed instruction asks of memory
 *   pipe.c        the memory pipe of an SM and its L1
 *   constant.c    loads from constant memory
 *   answer.c      requests to L2 that an SM has sent, and what becomes of them
 *   returns.c     the data stage, for what L2 sends
 *   telling.c     what waits behind atomics that tell what memory their address is in
 *   sm.c          an SM: issue, barriers, stalls
 *   blocks.c      blocks onto SMs
 *   window.c      a window of all units, in threads
 *   clock.c       setting up, and the run
 *   tell.c        the report
 *   hook.c        each event, for a listener
 */
#ifndef SIM_TIMING_TIMING_H
#define SIM_TIMING_TIMING_H

#include "sim/engine.h"

#include <stdbool.h>
#include <stdint.h>

#define TIMING_NEVER UINT64_MAX
#define TIMING_SLACK 32u /* cycles by which requests that take different ways come out of order */
/* Cycles that a unit runs ahead of the others: less than a request takes to L2, and as long as can be, for each window
 * goes through all SMs, whose registers do not fit into the host's caches. When places behind a queue have lately run
 * out, of which it is known at the window's end alone when they are given back, no longer than that makes no
 * difference. Blocks of a cluster see each other sooner; and what PTX loads counts from an earlier cycle, so that it is
 * late by what is left of the window. */
#define TIMING_WINDOW         192u
#define TIMING_CROWDED_WINDOW 96u
#define TIMING_SHORT_WINDOW   32u
#define TIMING_HOIST          32u /* instructions that a load is moved ahead at most, as a compiler would */
#define TIMING_UNROLL         4u  /* turns of a small loop that a compiler makes one */
#define TIMING_PRED           (UINT32_C(1) << 31)

/* ---- cost.c ---- */

enum timing_unit {
    TIMING_U_FMA,
    TIMING_U_INT,
    TIMING_U_IMAD,
    TIMING_U_FP64,
    TIMING_U_HALF, /* of the two pipes of f16, the one that is not IMAD's */
    TIMING_U_SFU,
    TIMING_U_SHUFFLE,
    TIMING_U_SPECIAL, /* reads of special registers */
    TIMING_U_UNIFORM,
    TIMING_U_MEMORY,
    TIMING_U_TENSOR,
    TIMING_U_CONTROL, /* branches and barriers: nothing but the issue slot */
    TIMING_UNITS,
};

struct timing_cost {
    uint8_t unit;      /* enum timing_unit */
    uint8_t slots;     /* issue slots; 0: no machine instruction of its own */
    uint8_t reason;    /* enum sim_stall: what waiting for its result counts as */
    uint8_t claim;     /* enum timing_claim: what it has to find free */
    bool if_converted; /* a branch that a compiler turns into guards */
    bool closes;       /* nothing moves over it */
    bool unrolls;      /* the branch of a loop that a compiler unrolls */
    bool rolled_up;    /* what such a loop counts with, or compares for its branch: once for all turns in one */
    bool one_lane;     /* an atomic that one lane does for all */
    bool merged;       /* a shared load that is part of an earlier, wider one */
    bool reduces;      /* an atomic that gives nothing back */
    uint8_t width;     /* bytes of such a wide load; 0: it is none */
    /* Machine code. */
    bool controlled; /* has control bits: what follows counts, and not the registers */
    bool queued;     /* takes a place in the memory queue */
    bool jumps, meets, fences, yields, past_l1;
    bool voids_l1;    /* what L1 has of global memory is asked for again */
    bool of_sm;       /* its unit is one for all schedulers of the SM */
    bool is_long;     /* more than the low half of a product of integers */
    bool defers;      /* a barrier that holds only branches and what asks something of memory */
    bool held;        /* is held by such a barrier */
    bool reads_late;  /* its sources are read when its result is there */
    bool tells_space; /* an atomic whose one result, the space of its address, is there when the SM has room for it */
    uint8_t port_cycles[2], port_cycles_cold[2]; /* of each register bank; after an instruction of another warp */
    uint8_t jump_cycles;                         /* beyond its stall count, when it jumps */
    uint8_t stall, wait_mask, write_counter, read_counter;
    uint8_t waits_inside;        /* cycles of its unit, for a product that is not there */
    uint8_t depbar, depbar_left; /* the counter it waits for, plus one, and how far down */
    uint8_t kept_counters;       /* mask: those that some instruction waits for until a few are left */
    uint32_t line;               /* of code, that it lies in */
    uint16_t interval;           /* of its unit, in cycles; 0: the unit's own */
    uint16_t latency;            /* from issue to the use of the result; memory: of its unit alone */
    uint16_t src_count, dst_count;
    uint32_t src[32], dst[36]; /* rows of the frame, or predicates with TIMING_PRED */
};

/* One for each op of the program. NULL: out of memory. */
struct timing_cost *timing_costs_build(struct sim_engine *engine);

/* ---- fold.c ---- */

/* Takes the slots of PTX instructions that are part of another one. False: out of memory. */
bool timing_costs_fold(struct sim_engine *engine, struct timing_cost *costs);

/* ---- ports.c ---- */

/* Fills in port_cycles of all instructions of machine code. */
void timing_ports_count(struct timing_cost *costs, const struct sim_op *ops, uint32_t count);

/* ---- products.c ---- */

/* Adds to stall counts what products of integers take longer. */
void timing_products_hold(const struct sim_device *device, struct timing_cost *costs, const struct sim_op *ops,
                          uint32_t count);

/* ---- copies.c ---- */

#define TIMING_COPY_GROUPS 8u /* older ones are taken to be done */
struct timing_copies {
    uint64_t open; /* when all copies so far are done, as far as is known */
    uint64_t done[TIMING_COPY_GROUPS];
    uint32_t unknown[TIMING_COPY_GROUPS]; /* copies of the group, the open one too, whose time is not known */
    uint32_t groups;
};
void timing_copies_reset(struct timing_copies *copies);
/* A copy of the open group, whose number is given. timing_copies_done: when it is done. */
uint32_t timing_copies_add(struct timing_copies *copies);
void timing_copies_done(struct timing_copies *copies, uint32_t group, uint64_t done);
void timing_copies_commit(struct timing_copies *copies);
/* TIMING_NEVER: not known yet. */
uint64_t timing_copies_all(const struct timing_copies *copies);
/* When at most so many groups are under way. */
uint64_t timing_copies_wait(const struct timing_copies *copies, uint32_t under_way);

/* ---- machine.c ---- */

#define TIMING_COUNTERS 6u
#define TIMING_COUNTED  16u /* instructions of a counter that are kept apart */

/* What is looked at for every instruction; the instructions one by one are in timing_warp.counted. */
struct timing_counter {
    uint64_t through; /* the latest of those known */
    uint32_t count, unknown;
    uint8_t reason;
};

void timing_machine_cost(const struct sim_device *device, struct timing_cost *cost, const struct sim_op *op);
/* Fills in kept_counters. */
void timing_machine_kept(struct timing_cost *costs, uint32_t count);
struct timing_warp;
void timing_counters_reset(struct timing_warp *w);
/* The instruction has issued: its sources will have been read, its result will be there (TIMING_NEVER: not known yet).
 * Its number among those that raise the counter of its result. timing_counters_answer: when its result is there. */
uint32_t timing_counters_raise(struct timing_warp *w, const struct timing_cost *cost, uint64_t read, uint64_t done);
void timing_counters_answer(struct timing_warp *w, const struct timing_cost *cost, uint32_t number, uint64_t done);
/* When an atomic tells what memory its address is in is not known yet; now it is. Who waits for that waits until its
 * sources are read. */
void timing_counters_leave_open(struct timing_warp *w, const struct timing_cost *cost);
void timing_counters_tell(struct timing_warp *w, const struct timing_cost *cost, uint64_t told);
/* Sets ready_at and reason for the warp's next op. */
void timing_counters_wait(struct timing_warp *w);

/* ---- fetch.c ---- */

#define TIMING_LINE_OPS   8u
#define TIMING_CODE_ASKED 64u

struct timing_code_line {
    uint64_t at;     /* when it is there */
    uint32_t number; /* plus one; 0: empty */
};

struct timing_code_cache {
    struct timing_code_line *lines; /* set by set, last used first */
    uint32_t sets;
};

/* An SM's cache of code, and what it was the first to ask memory for in this window, as far as it knows. */
struct timing_fetch {
    struct timing_code_cache groups;
    struct timing_code_line asked[TIMING_CODE_ASKED]; /* the numbers as they are */
    uint32_t asked_count;
};

/* ---- scoreboard.c ---- */

/* ready: when the value is there. early: when it would be, had the compiler moved what makes it as far ahead as it can:
 * of use for the loads that depend on it alone. */
struct timing_value {
    uint64_t ready;
    uint64_t early : 56;
    uint64_t reason : 8;
};

/* What every instruction looks at comes first, in whole lines of the host's cache. */
struct timing_warp {
    _Alignas(SIM_HOST_LINE_BYTES) struct sim_warp *warp; /* NULL: the place is free */
    struct timing_block *block;
    const struct sim_op *op; /* what it issues next; NULL: it waits for other warps */
    const struct timing_cost *cost;
    uint64_t ready_at, issued_at;
    uint64_t not_before; /* of all instructions */
    uint64_t held_until; /* a barrier lets go of it, if it asks something of memory */
    /* Second line. */
    uint64_t ahead;            /* cycles that it could have gone on before the barrier was complete, and has not used */
    uint64_t spun_in;          /* the window in which it was last seen to wait in a loop, plus one */
    uint64_t drained_at;       /* all it has stored has arrived */
    uint64_t sent_at;          /* all it has stored has left the SM */
    uint32_t scheduler, place; /* which scheduler's, and which of its places */
    uint32_t turn;
    uint32_t line;       /* of code, that it is at */
    uint32_t unanswered; /* stores and atomics whose way is not settled */
    uint32_t queue_uses; /* of its scheduler, at its last instruction */
    uint8_t reason, floor_reason;
    bool waits_for_copies;
    bool is_fenced; /* a fence waits for them */
    bool ending;    /* it has ended, but for stores on their way */
    uint32_t
        behind; /* what it has stored is behind so many atomics of the SM that tell what memory their address is in */
    /* Third to fifth. */
    struct timing_counter counters[TIMING_COUNTERS];
    /* The rest. */
    uint64_t started_at;
    /* When the last instructions that raised each are through, where they are kept; TIMING_NEVER: not known yet. */
    uint64_t counted[TIMING_COUNTERS][TIMING_COUNTED];
    uint64_t floor, floor_shared, floor_global; /* loads are not moved ahead of these */
    uint64_t ring[TIMING_HOIST];
    struct timing_copies copies;
    uint64_t loaded_at; /* all that it has loaded is there, of what is known */
    uint64_t came_at;   /* all that its atomics give back is there */
    uint64_t merged_at; /* when the wide load that the next ones are part of is there */
    uint32_t issued;
    uint32_t laps;        /* of the unrolled loop it is in, since its last branch */
    uint32_t fixed_wait;  /* the last cycles of its wait at a barrier, that are none for others */
    uint32_t loading;     /* loads that are not settled */
    uint32_t life;        /* which of the warps that have had this place it is */
    uint32_t closed_by;   /* answer that it waits for before anything else, plus one; 0: none */
    uint64_t waits_from;  /* a fence, or for copies of unknown time: no sooner than this */
    uint32_t copies_left; /* until so many groups are under way; UINT32_MAX: no copy at all */
    struct timing_value *values;
    uint32_t row_mask, pred_mask; /* sizes less one: rows of deep calls share places */
};

void timing_values_reset(struct timing_warp *w, uint64_t now);
/* Sets ready_at and reason for the warp's next op. */
void timing_values_wait(struct timing_warp *w, uint32_t frame, uint32_t pframe);
/* Asks the host's memory for what the next op's times are made of. */
void timing_values_bring(const struct timing_warp *w);
/* When the sources would be there at the earliest. */
uint64_t timing_values_early(const struct timing_warp *w, const struct timing_cost *cost, uint32_t frame,
                             uint32_t pframe);
void timing_values_set(struct timing_warp *w, const struct timing_cost *cost, uint32_t frame, uint32_t pframe,
                       uint64_t ready, uint64_t early);
/* Results that were set with TIMING_NEVER are there. */
void timing_values_answer(struct timing_warp *w, const struct timing_cost *cost, uint32_t frame, uint32_t pframe,
                          uint64_t ready);
/* An op without machine code: its results are there when its sources are. False: those are not known yet. */
bool timing_values_known(const struct timing_warp *w, const struct timing_cost *cost, uint32_t frame, uint32_t pframe);
void timing_values_pass(struct timing_warp *w, const struct timing_cost *cost, uint32_t frame, uint32_t pframe);

/* ---- scheduler.c ---- */

/* A memory instruction whose place is kept until it has left the SM: machine code's, but for those of shared and
 * constant memory; all of PTX. */
static inline bool timing_is_tracked(const struct timing_cost *cost)
{
    return cost->unit == TIMING_U_MEMORY && !(cost->controlled && cost->reason == SIM_STALL_SHORT_SCOREBOARD);
}

/* What an instruction has to find free to issue: its unit (enum timing_unit), or one of these. */
enum timing_claim {
    TIMING_CLAIM_EITHER = TIMING_UNITS, /* machine code: FMA's unit or the one that multiplies integers */
    TIMING_CLAIM_QUEUE,                 /* a place in the memory queue */
    TIMING_CLAIM_PLACES,                /* and places behind it */
    TIMING_CLAIMS,
};

struct timing_scheduler {
    uint64_t free_at;                      /* the issue slot */
    uint64_t next;                         /* when there may be something to do */
    uint64_t wake;                         /* the earliest ready_at of those that are not candidates */
    uint64_t present, waiting, candidates; /* masks of places: taken; for other warps; ready */
    /* Of each place's warp: side by side, for they are gone through. */
    uint64_t ready_at[64], age[64];
    uint64_t block_age[64];         /* of the warp's block's first one */
    uint64_t yielded_at[64];        /* when an instruction of it last let others go first */
    uint64_t yielded;               /* mask: the last one did */
    uint64_t claims[TIMING_CLAIMS]; /* masks of places, by what the next instruction claims */
    uint32_t claimed;               /* a bit for each of them that is not empty */
    uint8_t claim[64];
    uint64_t unit_free[TIMING_UNITS];
    uint32_t long_rest; /* of long products: hundredths of a cycle by which the unit is free later */
    struct timing_code_cache code;
    uint32_t stream_at;     /* the line that its stream of code is at */
    uint64_t agu_free;      /* address generation */
    uint64_t constant_free; /* loads from constant memory */
    uint64_t port_free[2];  /* register banks */
    uint64_t backlog[64];   /* when the last ones begin in the data stage; TIMING_NEVER: not known yet */
    uint64_t short_until;   /* places were found to be taken until then */
    bool is_short;          /* they were when it last looked */
    bool has_no_place;      /* a candidate waits for a place that will be given back */
    uint32_t backlog_at;
    uint64_t leaving[64]; /* when the last ones of global memory leave the SM */
    uint32_t leaving_at;
    uint64_t queue[64];   /* when the memory instruction that took the place leaves it */
    uint32_t queue_uses;  /* how often one was taken */
    uint32_t queue_first; /* the place that is free first */
    uint32_t last;
};

/* Fills in what each instruction claims. */
void timing_scheduler_claims(struct timing_cost *costs, uint32_t count);
/* The warp at the place has another instruction to issue. */
void timing_scheduler_claim(struct timing_scheduler *s, uint32_t place, const struct timing_cost *cost);
/* When what is claimed is free; of PLACES, the queue alone. */
uint64_t timing_scheduler_free(const struct timing_scheduler *s, enum timing_claim claim);
/* Those of the places `mask` whose claims, but for PLACES, are free; *soonest: no later than one of the others' is. */
uint64_t timing_scheduler_able(const struct timing_scheduler *s, uint64_t mask, uint64_t now, uint64_t *soonest);
/* The place of the candidate that goes first among `mask`. Whatever others are in it, of two the same goes first. */
uint32_t timing_scheduler_pick(const struct timing_scheduler *s, uint64_t mask, enum sim_scheduler policy);

/* ---- cache.c ---- */

struct timing_line {
    uint64_t tag; /* line number plus one; 0: empty */
    uint64_t filled_at;
    union {
        uint64_t turn_at; /* L2: hundredths of a cycle, when the next atomic has its turn, since one added floats */
        uint32_t words;   /* L1: mask of words of 4 bytes that were written here; L2: of the sectors in `part` */
    };
    uint32_t used;
    uint8_t valid, dirty; /* masks of sectors */
    uint8_t asked;        /* L2: those that its own SMs have asked for, and what came along */
    union {
        uint8_t under_way; /* L1: requests for it that are not settled */
        uint8_t part;      /* L2: sectors that were written in part and not brought */
    };
};

struct timing_cache {
    struct timing_line *lines;
    uint64_t sets;
    uint32_t ways, ticks;
    uint32_t changed_leaves_percent; /* of the times that the line used longest ago is a changed one, that it goes */
};

bool timing_cache_init(struct sim_engine *engine, struct timing_cache *cache, uint64_t bytes, uint32_t line_bytes);
/* The line, or NULL. */
struct timing_line *timing_cache_find(struct timing_cache *cache, uint64_t line);
/* Makes room for a line that is not there; *evicted: what had to go (tag 0: nothing). */
struct timing_line *timing_cache_place(struct timing_cache *cache, uint64_t line, struct timing_line *evicted);
/* Its place, if the line has one, is empty. */
void timing_cache_drop(struct timing_cache *cache, uint64_t line);

/* Fills it with lines from `first` on, of which so many are changed, old ones and new ones. */
void timing_cache_fill(struct timing_cache *cache, uint64_t first, uint32_t percent, uint8_t sectors);

/* Of the line's set, if more than that part of it is changed, the changed line that was used longest ago; else
 * NULL. */
struct timing_line *timing_cache_too_dirty(const struct timing_cache *cache, struct timing_line *line,
                                           uint32_t percent);

/* Voids what the cache has, but for lines from `keep` on. */
void timing_cache_void(struct timing_cache *cache, uint64_t keep);

/* Local memory lies where no global address is: words of one index side by side, lane by lane. */
#define TIMING_LOCAL_BASE (UINT64_C(1) << 62)

/* ---- memory.c ---- */

/* A request that SMs of one GPC may join while it is under way. */
struct timing_joint {
    uint64_t line : 56;   /* plus one; 0: none */
    uint64_t sectors : 8; /* mask */
    uint64_t until : 56;
    uint64_t count : 8; /* of requests that are one */
};
#define TIMING_JOINTS 16384u /* of a GPC, found by the line's number: as many as it has under way */

/* A line's last atomics: lanes on one address of those that gave something back, and of the others. */
struct timing_kinds {
    uint64_t line; /* plus one; 0: none */
    uint32_t lanes[2];
};
#define TIMING_KINDS 1024u /* found by the line's number */

/* Atomics of an SM that take room, each until a cycle: oldest first, from `first` on. */
#define TIMING_UNDER_WAY 1024u
struct timing_under_way {
    uint64_t until[TIMING_UNDER_WAY];
    uint8_t accesses[TIMING_UNDER_WAY];
    uint32_t first, count, sum;
};

/* When the last atomics of an SM began to be sent, and when the last one was. */
struct timing_sending {
    uint64_t from[64], done_at;
    uint32_t at;
};

/* The way to L2 of the SMs of a CPC. Loads leave when it is free for them and not too many are under way; stores are
 * settled when they are sent and have their times on it ahead. */
struct timing_first {
    uint64_t at; /* TIMING_NEVER: there is none */
    bool is_load;
};
#define TIMING_WAY_LOADS 8192u
struct timing_way {
    uint64_t reads_free, writes_free;   /* hundredths of a cycle */
    uint32_t *sms, sm_count;            /* that share it */
    uint64_t came_at[TIMING_WAY_LOADS]; /* when the last loads were there: a ring of as many as can be under way */
    uint32_t next_load;
    /* settle.c: the first request of each list of its SMs, the list whose first is next, when that leaves, the way
     * behind it in its slot */
    struct timing_first *firsts;
    uint32_t head, next;
    uint64_t leaves_at;
};

struct timing_memory {
    const struct sim_device *device;
    struct timing_cache l2[2]; /* its halves */
    uint32_t halves;
    struct timing_kinds *kinds;
    uint8_t *half;               /* by SM */
    struct timing_joint *joints; /* by GPC */
    uint64_t *gpc_return_free;   /* the way back to a GPC */
    struct timing_way *ways;     /* of CPCs, GPC by GPC */
    uint32_t way_count;
    uint8_t *gpc;      /* by SM */
    uint16_t *way;     /* by SM: its CPC's */
    uint32_t *way_sms; /* way by way */
    struct timing_first *way_firsts;
    struct timing_under_way *under_way; /* by SM */
    struct timing_sending *sending;     /* by SM */
    uint64_t *writes_waiting;           /* by channel: their time, in hundredths of a cycle */
    bool *reads_between;                /* by channel: it has read since it wrote last */
    uint64_t *slice_free, *fabric_free, *channel_free, *port_free, *request_free, *dsmem_free,
        *answer_free;      /* hundredths of a cycle */
    uint64_t atomics_free; /* the same: what all slices share for atomics */
    uint32_t line_bytes, sector_bytes;
    uint64_t dram_access_centicycles;
    uint64_t ahead_cycles; /* of a load: what it brings counts as asked for so much sooner */
    uint64_t written_at;   /* when channels are through with what the request under way has made L2 write back */
    uint64_t expected;     /* cycle at which the request under way is at L2 if it does not wait before */
    uint64_t slices_busy, channels_busy; /* hundredths of a cycle, all together */
    uint64_t l2_read, l2_write, l2_atom, l2_red, l2_asked, l2_hit, l2_miss, dram_read, dram_write; /* sectors */
};

/* What one instruction asks of one line. */
struct timing_request {
    uint64_t line;
    uint32_t sectors;  /* mask */
    uint32_t words;    /* mask of words of 4 bytes, where a line has no more than 32; else 0 */
    uint32_t lanes;    /* most on one address */
    uint32_t accesses; /* of an atomic: sectors, each as often as there are lanes on one element of it */
    uint32_t operands; /* of an atomic: lanes */
    uint32_t pieces;   /* of an atomic: in which an access is sent */
};

/* gpc_sms: SMs of each GPC, which are numbered GPC by GPC. */
bool timing_memory_init(struct sim_engine *engine, struct timing_memory *memory, const uint32_t *gpc_sms,
                        uint32_t gpc_count);
/* When a use that arrives at cycle `arrival` can begin, and the calendar moved on by `service`. `expected`: when it
 * would have arrived had it waited for nothing before: time until it does arrive is not lost to others. */
uint64_t timing_take(uint64_t *free_at, uint64_t expected, uint64_t arrival, uint64_t service_centicycles);
/* When a request of cycle `at` could leave, if the SM's CPC did nothing else; when one that could at `ready_at` can, if
 * it is the next of the CPC whose way has the number. */
uint64_t timing_memory_ready_at(const struct timing_memory *memory, uint32_t sm, uint64_t at, bool is_load);
uint64_t timing_memory_leaves_at(const struct timing_memory *memory, uint32_t way, uint64_t ready_at, bool is_load);
/* Cycle at which the answer is there. */
uint64_t timing_memory_load(struct timing_memory *memory, uint32_t sm, const struct timing_request *request,
                            uint64_t now);
/* Hundredths of a cycle that a store takes of its SM's port. */
uint64_t timing_memory_sending(const struct sim_device *d, const struct timing_request *request, bool whole);
/* Cycle at which the store has been acknowledged; *left: at which it has left the SM. */
/* `whole`: the sectors are written as a whole. */
uint64_t timing_memory_store(struct timing_memory *memory, uint32_t sm, const struct timing_request *request,
                             bool whole, uint64_t now, uint64_t *left);
/* What an atomic gives back: its element's old value, maybe for nobody to read. */
enum timing_gives {
    TIMING_GIVES_NOTHING,
    TIMING_GIVES_VALUE,
    TIMING_GIVES_UNREAD,
};
/* `lane_centicycles`: between lanes on one address. *left: when it has left the SM; *told: when the SM has taken it,
 * and tells what memory its address is in. */
uint64_t timing_memory_atomic(struct timing_memory *memory, uint32_t sm, const struct timing_request *request,
                              enum timing_gives gives, uint64_t lane_centicycles, uint64_t now, uint64_t *left,
                              uint64_t *told);

/* ---- answer.c ---- */

enum timing_sent_kind {
    TIMING_SENT_LOAD,
    TIMING_SENT_HIT, /* waits for what an earlier request brings to L1 */
    TIMING_SENT_STORE,
    TIMING_SENT_ATOMIC,
    TIMING_SENT_RED,
};

/* A request to L2. `came` and `left` are set when it is settled. */
struct timing_sent {
    uint64_t at;
    struct timing_request request;
    uint32_t answer; /* of the instruction */
    uint8_t kind;
    bool whole;       /* STORE: every sector is written as a whole */
    bool is_unread;   /* ATOMIC: nobody reads what it gives back */
    uint32_t l1_line; /* LOAD, HIT: its place in L1; UINT32_MAX: it passes L1 by */
    uint64_t lane_centicycles;
    uint64_t came, left, told;
};

/* Places behind the queue: each has the cycle at which the instruction that was there before has left, or TIMING_NEVER.
 */
struct timing_places {
    uint64_t *of_scheduler, *of_sm;
    uint64_t *of_order; /* of all that leaves the SM: loads wait for it alone */
};
/* When both are free. */
static inline uint64_t timing_places_free(struct timing_places places)
{
    const uint64_t of_sm = places.of_sm != NULL ? *places.of_sm : 0;
    return *places.of_scheduler > of_sm ? *places.of_scheduler : of_sm;
}

static inline void timing_places_set(struct timing_places places, uint64_t at)
{
    *places.of_scheduler = at;
    if (places.of_sm == NULL)
        return;
    *places.of_sm = *places.of_order = at;
}

/* A memory instruction some of whose requests are not settled. */
struct timing_answer {
    struct timing_warp *warp;
    const struct timing_cost *cost;
    uint64_t done, left, told;   /* of what is settled */
    struct timing_places places; /* those that it has behind the queue, or NULL */
    uint32_t turn;               /* of an atomic that tells what memory its address is in: its number; else 0 */
    uint32_t behind;             /* so many such atomics of the SM have issued before it */
    uint32_t life;
    uint32_t unsettled, lines;      /* lines that L2 sends */
    uint64_t passes_at;             /* when the next one wants to pass the data stage */
    uint32_t frame, pframe, number; /* for registers, or its number in the counter of its result */
    uint32_t more_cycles;           /* of its result, after the last answer */
    uint64_t ahead_cycles;          /* less: a compiler has moved it ahead so far */
    uint32_t copy_group;
    uint32_t next_free;
    bool is_copy, writes, returns;
    bool is_open;                 /* an atomic: when its sources are read is not known */
    struct sim_clock_event event; /* for a listener */
};
#define TIMING_NO_ANSWER UINT32_MAX

/* What an SM has sent of one sort, in the order of its cycles; the first `settled` are. */
struct timing_requests {
    struct timing_sent *items;
    uint32_t count, capacity, settled;
};

struct timing_answers {
    struct timing_answer *items;
    uint32_t count, capacity, free;
    struct timing_requests reads, writes;
    uint64_t unheard_at; /* the first time among the settled ones */
    uint32_t now;        /* the answer of the instruction under way */
};

struct timing_sm;
/* Whether there is something that the SM has not heard of yet. */
static inline bool timing_has_settled(const struct timing_answers *a)
{
    return a->reads.settled > 0 || a->writes.settled > 0;
}
/* Adds a request of the instruction under way. `at` does not go back. False: out of memory. */
bool timing_send(struct timing_sm *sm, const struct timing_sent *sent);
/* The SM hears what became of its requests. False: the engine has stopped. */
bool timing_hear(struct timing_sm *sm, uint64_t now);
/* The earliest cycle at which something that it has not heard of concerns the SM. */
uint64_t timing_unheard_at(const struct timing_sm *sm);
void timing_answers_free(struct timing_sm *sm);
/* The instruction has all its answers. False: the engine has stopped. */
bool timing_answer_finish(struct timing_sm *sm, uint32_t index, uint64_t now);
/* Lets go a fence or an end that waited for what the warp has asked of memory, if it waits for no more. */
void timing_answer_end_waits(struct timing_sm *sm, struct timing_warp *w);
/* An array with room for twice as much as there is. NULL: out of memory. */
void *timing_grow(struct sim_engine *engine, void *items, uint32_t *capacity, size_t item_bytes);

/* ---- settle.c ---- */

/* Settles the requests of all SMs that leave their CPC before `until`, in the order in which they do. */
void timing_settle(struct sim_clock *clock, uint64_t from, uint64_t until);

/* ---- returns.c ---- */

#define TIMING_DATA_USES 128u /* of the data stage, that are kept */
struct timing_returns {
    uint32_t *heap; /* numbers of answers; the one that comes first is in front */
    uint32_t count, capacity;
    uint64_t passed_at;              /* when the last line was through */
    uint64_t ends[TIMING_DATA_USES]; /* of the last instructions that use the stage */
    uint32_t uses;
};
/* An answer that comes later. False: out of memory. */
bool timing_returns_add(struct timing_sm *sm, uint32_t index);
/* When the next one comes. */
uint64_t timing_returns_next(const struct timing_sm *sm);
/* Those that have come by `now` pass the stage. False: the engine has stopped. */
bool timing_returns_pass(struct timing_sm *sm, uint64_t now);
/* An instruction has the stage until `end`. */
void timing_returns_note_use(struct timing_sm *sm, uint64_t end);

/* ---- telling.c ---- */

/* When the last instructions of an SM leave it if nothing but its own port keeps them, in hundredths of a cycle, and
 * how much later the last one that is known has left. */
#define TIMING_LEAVING 64u
struct timing_guess {
    uint64_t at[TIMING_LEAVING], port_free, late;
};

#define TIMING_TELLING 64u /* as many as there are places of an SM */
struct timing_held {
    struct timing_places places;
    uint32_t behind;
    uint64_t at;
};
/* Atomics of an SM that tell what memory their address is in. */
struct timing_telling {
    uint32_t issued;
    uint64_t at[TIMING_TELLING]; /* when the last ones did; TIMING_NEVER: it is not known yet */
    struct timing_held held[TIMING_TELLING];
    uint32_t held_count;
};
struct timing_sm;
/* The instruction under way is behind those that have issued, and may be one itself. */
void timing_telling_note(struct timing_sm *sm, struct timing_warp *w);
/* One has told, at a cycle. False: the engine has stopped. */
bool timing_telling_told(struct timing_sm *sm, uint32_t turn, uint64_t at);
/* Places are free again when what had them has left, at a cycle, and those have told that it is behind. */
void timing_telling_leave(struct timing_sm *sm, struct timing_places places, uint32_t behind, uint64_t at);

/* ---- SMs ---- */

struct timing_block {
    struct sim_block *block; /* NULL: the place is free */
    struct timing_warp *warps;
    struct timing_sm *sm;
    struct timing_cluster *cluster;
    uint32_t warps_left, place;
    uint64_t ends_at; /* when all that its warps have stored has arrived */
    uint32_t waiting; /* warps that wait for others */
    bool taken, ended;
    uint64_t free_from; /* a block ended here then; 0: none yet */
};

struct timing_cluster {
    struct sim_cluster *cluster;
    struct timing_block **blocks;
    uint64_t launches[64], starts[64]; /* of its blocks, and of their first instructions */
    uint32_t blocks_left;
    uint32_t able; /* warps that can go on by themselves */
    uint32_t phase, woken;
    uint64_t copied_at; /* when copies that have told a barrier are done */
};

#define TIMING_CONSTANT_SETS  8
#define TIMING_CONSTANT_WAYS  4
#define TIMING_CONSTANT_WORDS 4
struct timing_constant {
    uint64_t near[TIMING_CONSTANT_SETS][TIMING_CONSTANT_WAYS]; /* line numbers plus one, last used first; 0: empty */
    uint64_t far[TIMING_CONSTANT_WORDS];                       /* a bit for each line that has been asked for */
};

struct timing_sm {
    struct sim_clock *clock;
    uint32_t index, gpc, free_blocks;
    struct timing_block *blocks;
    struct timing_warp *warps;   /* of all places for blocks */
    struct timing_value *values; /* of all warps */
    struct timing_warp **places; /* by scheduler and place in it */
    struct timing_scheduler *schedulers;
    struct timing_cache l1;
    struct timing_constant constant;
    uint64_t remote_at; /* when the last access to another SM's shared memory was sent: L2 is asked in order with it */
    uint64_t remote_done; /* when all of them are done */
    uint64_t match_free;  /* the unit of matches */
    struct timing_fetch fetch;
    uint64_t leaving[TIMING_LEAVING]; /* when the last stores and atomics of global memory leave it */
    uint64_t order[TIMING_LEAVING];   /* and when the last ones of all do */
    uint32_t order_at;
    struct timing_guess guess; /* of that, while it is not known */
    uint32_t leaving_at;
    uint32_t first_scheduler; /* looks first: the one behind that whose store got the last place others waited for */
    uint64_t data_busy;       /* cycles of the data stage */
    uint64_t data_free, barrier_free; /* the data stage and the barrier unit, in cycles */
    uint64_t ahead_cycles;            /* that the load under way counts as sent sooner */
    uint64_t read_at;                 /* when the memory instruction under way was taken from the queue */
    uint64_t sending;                 /* hundredths of a cycle that its requests take of the SM's port */
    uint64_t left_at;                 /* and when its last request left the SM, as far as is known */
    struct timing_answers answers;
    struct timing_returns returns;
    struct timing_telling telling;
    uint64_t now, next, until;
    uint32_t ended;                     /* blocks that have ended in this window */
    bool moved;                         /* a warp did something others can see */
    bool crowded;                       /* places behind a queue have run out */
    struct sim_local_piece *free_local; /* of sim/local.c, for its warps */
    uint32_t resident_blocks;
    bool used;
    uint64_t launch_free; /* when its next block can be launched */
    uint64_t first_at;    /* of its first block's first instruction */
    uint64_t answered_at; /* when all that its blocks have written has been acknowledged */
    uint64_t active_since, active, warp_cycles, issue_slots;
};

/* When the last one of so many of the SM's atomics has told what memory its address is in. */
static inline uint64_t timing_told_at(const struct timing_sm *sm, uint32_t count)
{
    const struct timing_telling *t = &sm->telling;
    return count == 0 || t->issued - count >= TIMING_TELLING ? 0 : t->at[(count - 1) % TIMING_TELLING];
}

/* The warp waits for writes that are not settled, or behind such atomics. */
static inline bool timing_is_writing(const struct timing_sm *sm, const struct timing_warp *w)
{
    return w->unanswered > 0 || (w->behind > 0 && timing_told_at(sm, w->behind) == TIMING_NEVER);
}

/* Machine code: when a fence of GPU scope from cycle `now` lets the warp go on, its writes being settled. What the SM
 * has sent to others has to have arrived, whichever warp's it was. */
static inline uint64_t timing_fence_until(const struct timing_sm *sm, const struct timing_warp *w,
                                          const struct sim_device *device, uint64_t now)
{
    uint64_t idle = now + device->fence_idle_cycles;
    const uint64_t told = timing_told_at(sm, w->behind);
    uint64_t drained = w->drained_at > sm->remote_done ? w->drained_at : sm->remote_done;
    drained = drained > told ? drained : told;
    idle = w->loaded_at > idle ? w->loaded_at : idle;
    return drained + device->fence_after_store_cycles > idle ? drained + device->fence_after_store_cycles : idle;
}

#define TIMING_EFFECTS  5
#define TIMING_REQUESTS 128
struct timing_effect {
    uint8_t kind, space;
    uint32_t width_bytes;
    uint32_t wavefronts; /* of global memory: of the data */
    bool whole;          /* lanes side by side: sectors are written as a whole */
    uint32_t count;      /* requests: lines of global and local memory */
    uint32_t sectors;    /* remote shared memory */
    struct timing_request requests[TIMING_REQUESTS];
};

struct sim_clock {
    struct sim_engine *engine;
    struct timing_memory memory;
    struct timing_cost *costs;
    struct timing_sm *sms;
    uint32_t sm_count, places_per_sm, warps_per_block, scheduler_count, places_per_scheduler;
    uint32_t gpc_count, gpc_sms[SIM_GPC_MAX];
    enum sim_scheduler policy;
    bool is_heard;                        /* there is a listener */
    bool looks_at_registers;              /* some instruction has no control bits */
    bool shares_data;                     /* loads come back to a data stage that shared memory keeps busy */
    uint64_t *code_came;                  /* machine code: since when L2 has each group of lines, or TIMING_NEVER */
    uint32_t code_groups, code_missing;   /* all of them; those that nobody has asked for */
    uint32_t queue_entries;               /* of a scheduler's memory queue */
    uint32_t behind_entries;              /* instructions of an SM that have left the queues, and not the SM */
    uint64_t unit_interval[TIMING_UNITS]; /* cycles of a unit for a warp instruction */
    uint64_t now;
    /* The instruction under way. */
    struct timing_sm *sm;
    struct timing_warp *warp;
    struct timing_effect effects[TIMING_EFFECTS];
    uint32_t effect_count;
    uint32_t wide_wavefronts; /* of a merged load */
    uint64_t window;          /* its number */
    /* What happened. */
    uint64_t (*stalls)[SIM_STALL_COUNT]; /* by counter row */
    uint64_t l1_hit, l1_miss;            /* sectors of global loads */
    uint64_t end;
    uint64_t moved_in, moved_steps; /* window in which a warp last did something others can see; engine's steps then */
    struct timing_windows *windows;
    uint32_t *slots; /* by cycle of the window: the first of the ways whose next request leaves then */
    uint32_t window_cycles;
    uint64_t crowded_until; /* the number of a window */
    /* Blocks not yet given out. */
    uint64_t *order;     /* clusters, when not in order */
    uint32_t *first_sms; /* of the first blocks, first_count of them, and of as many again while there are places */
    uint32_t first_count;
    uint64_t next_cluster, cluster_count, blocks_done;
    struct timing_cluster *clusters; /* places for them */
    struct timing_block **cluster_blocks;
    uint32_t cluster_places;
    uint64_t age;
};

/* pipe.c: takes the memory instruction under way through the pipe, from cycle `at` on; when its results are there. */
uint64_t timing_pipe_issue(struct timing_sm *sm, struct timing_scheduler *s, const struct sim_op *op,
                           uint32_t wavefronts, uint64_t at);
/* The places that such an instruction takes next. */
struct timing_places timing_pipe_places(struct timing_sm *sm, struct timing_scheduler *s, const struct sim_op *op);
/* One that takes its turn among those of global memory, but asks nothing of it: when it is taken from the queue. */
uint64_t timing_pipe_turn(struct timing_sm *sm, struct timing_scheduler *s, const struct sim_op *op, uint64_t at);
/* An instruction that goes through the queue but asks nothing of memory: when its unit begins. */
uint64_t timing_pipe_pass(struct timing_scheduler *s, const struct sim_clock *clock, uint64_t *unit_free,
                          uint64_t interval, uint64_t at);

/* constant.c: a load from constant memory, whose requests are single addresses; when its result is there. */
uint64_t timing_constant_load(struct timing_sm *sm, struct timing_scheduler *s, const struct timing_effect *effect,
                              uint64_t at);

/* fetch.c: sets up; the costs get their lines. False: out of memory. */
bool timing_fetch_make(struct sim_clock *clock);
void timing_fetch_free(struct sim_clock *clock);
/* The warp's next instruction is in another line of code than its last one. */
void timing_fetch_line(struct timing_sm *sm, struct timing_scheduler *s, struct timing_warp *w);
/* At the end of a window: what SMs have asked memory for is known to all. */
void timing_fetch_settle(struct sim_clock *clock);

/* sm.c: runs the SM's instructions that issue from cycle `from` on, before `until`. False: the engine has stopped. */
bool timing_sm_run(struct timing_sm *sm, uint64_t from, uint64_t until);
/* Looks at what the warp does next, when that may have changed. False: the engine has stopped. */
bool timing_sm_look(struct timing_sm *sm, struct timing_warp *w);
/* All that the warp has stored is on its way: its end is known. */
void timing_sm_ended(struct timing_sm *sm, struct timing_warp *w);
/* Puts a started block on the SM: it is there since cycle `since`, its first instructions issue from `from` on. */
bool timing_sm_begin(struct timing_sm *sm, struct timing_block *place, struct sim_block *block, uint64_t since,
                     uint64_t from);

/* ---- hook.c ---- */

/* For a listener; not to be called without one. */
static inline bool timing_is_heard(const struct timing_sm *sm)
{
    return sm->clock->is_heard;
}
void timing_hook_begin(const struct timing_sm *sm, const struct timing_warp *w);
void timing_hook_span(const struct timing_sm *sm, const struct timing_warp *w, enum sim_stall reason, uint64_t from,
                      uint64_t to);
/* The event of the instruction under way, from its effects; telling it, when its end is known. */
struct sim_clock_event timing_hook_request(const struct timing_sm *sm, const struct timing_warp *w, uint32_t wavefronts,
                                           uint64_t from);
void timing_hook_tell(const struct timing_sm *sm, struct sim_clock_event *event, uint64_t to);
void timing_hook_end(const struct timing_sm *sm, const struct timing_warp *w, uint64_t end);

/* ---- blocks.c ---- */

bool timing_blocks_make(struct sim_clock *clock);
/* Gives out blocks while there is room. */
void timing_blocks_begin(struct sim_clock *clock, uint64_t now);
/* The places of blocks that have ended go to the next ones. */
void timing_blocks_end(struct sim_clock *clock);
struct sim_cluster *timing_blocks_first(const struct sim_clock *clock);
void timing_blocks_free(struct sim_clock *clock);

/* ---- window.c ---- */

bool timing_windows_make(struct sim_clock *clock);
/* Runs all units from cycle `from` on, up to `until`. False: the engine has stopped. */
bool timing_windows_run(struct sim_clock *clock, uint64_t from, uint64_t until);
/* What units have counted goes to the engine. */
void timing_windows_end(struct sim_clock *clock);

#endif
