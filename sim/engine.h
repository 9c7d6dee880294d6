/* The engine's own state: grid -> cluster -> block -> warp -> group of lanes. Internal to sim/.
 *
 * A warp's lanes are split into groups that share a program counter. A group is ready or waits for something; a warp
 * runs one ready group at a time. Everything a wait depends on is counted lane by lane, as Volta and later do.
 */
#ifndef SIM_ENGINE_H
#define SIM_ENGINE_H

#include "sim/effect.h"
#include "sim/fault.h"
#include "sim/late.h"
#include "sim/program.h"
#include "sim/sim.h"

#include <stdbool.h>
#include <stdint.h>

#define SIM_BARRIERS 16
/* Local memory is given out in pieces of so many bytes for each lane: a power of two, a multiple of any access's width.
 */
#define SIM_LOCAL_PIECE_BYTES 512u
/* Steps without a change after which a warp's plain reads are looked at too: it may be waiting for others by them. */
#define SIM_IDLE_LONG       4000000u
#define SIM_HOST_LINE_BYTES 64 /* of the host's cache */

enum sim_group_state {
    SIM_G_READY,
    SIM_G_CONV,     /* at conv.sync */
    SIM_G_RET,      /* at ret, for the other lanes of its call */
    SIM_G_WARP,     /* at a .sync instruction, for lanes of its mask */
    SIM_G_BAR,      /* at bar.sync / bar.red */
    SIM_G_CLUSTER,  /* at barrier.cluster.wait */
    SIM_G_MBARRIER, /* at mbarrier.try_wait */
};

struct sim_group {
    uint32_t mask, pc;
    uint32_t frame;      /* first row of the frame's registers */
    uint32_t pframe;     /* first predicate of the frame */
    uint32_t local_base; /* first byte of the frame in local memory */
    uint32_t depth;      /* call depth, kernel = 0 */
    uint8_t state;       /* enum sim_group_state */
    uint8_t barrier;     /* BAR: its number */
    bool made_room;      /* machine code: ready, and others were put aside after it */
    uint32_t wait_mask;  /* CONV, RET, WARP: lanes it waits for */
    uint32_t since;      /* machine code: the ready group with the greatest goes on */
};

struct sim_return { /* where a lane returns to */
    uint32_t pc, frame, pframe, local_base, call_mask, stack_top;
};

/* What every instruction looks at comes first, in whole lines of the host's cache. */
struct sim_warp {
    _Alignas(SIM_HOST_LINE_BYTES) struct sim_block *block;
    uint32_t *rows; /* special rows, then frames */
    uint32_t *preds;
    uint32_t index; /* in the block */
    uint32_t alive; /* lanes that exist and have not exited */
    uint32_t group_count, current;
    uint32_t stamp;   /* machine code: the greatest `since` given so far */
    uint32_t idle;    /* steps since it last changed something others can see, or saw something new */
    uint32_t repeats; /* reads in that time that gave what an earlier one had given */
    bool moved;       /* it changed or saw something in the turn that is under way */
    bool sync_read;   /* a fence or a sleep in that time: its plain reads may wait for others too */
    bool spinning;
    /* Second line, and on. */
    struct sim_group groups[32];
    uint8_t **local;        /* pieces of local memory; NULL, and NULL pieces: not touched yet (sim/local.c) */
    uint32_t stack_top[32]; /* end of a lane's local memory that frames may use: alloca takes from its end */
    uint32_t row_capacity, pred_capacity;
    struct sim_return (*returns)[32]; /* by depth */
    uint32_t return_capacity;
    struct sim_async *async;       /* copies under way; NULL: never had any */
    uint32_t after_collective[32]; /* machine code: the operation that a lane goes to then, plus 1 */
    uint32_t cluster_phase[32];    /* phase in which a lane arrived */
    uint32_t seen[64];             /* hashes of reads while idle: instruction, addresses and values */
    uint32_t votes_true;           /* machine code: threads that voted for, in the last reducing barrier */
    bool votes_result;
};

struct sim_barrier {
    uint32_t arrived[32]; /* by warp: lanes */
    uint32_t expected;    /* threads; 0: all of the block */
    uint32_t warps_here;  /* warps of which some lane arrived */
    bool in_use;
    uint32_t votes_true, votes_total; /* bar.red: threads */
};

struct sim_block {
    struct sim_cluster *cluster;
    uint32_t rank; /* in its cluster */
    uint32_t ctaid[3];
    uint64_t linear;
    uint32_t smid;
    struct sim_warp *warps;
    uint32_t warp_count, warps_done;
    uint8_t *shared;
    struct sim_barrier barriers[SIM_BARRIERS];
    uint32_t barriers_in_use; /* mask */
    bool done;
    struct check_block *check; /* NULL: nothing is checked */
};

struct sim_cluster {
    struct sim_block *blocks;
    uint32_t block_count, blocks_done;
    uint32_t alive;   /* threads not exited */
    uint32_t arrived; /* threads at the cluster barrier */
    uint32_t phase;
    uint32_t trying; /* groups in state MBARRIER */
    uint32_t woken;  /* times that some of them went on */
    struct sim_cluster *next;
};

/* Counters of one instruction. */
struct sim_count {
    uint64_t whole; /* executions by 32 lanes, all on, that are not yet among the next three: sim/counters.h */
    uint64_t executed, threads, threads_on;
    uint64_t shared_requests, wavefronts, wavefronts_ideal;
    uint64_t divergent;
    uint64_t requests, sectors, sectors_ideal, global_bytes; /* global memory */
    uint64_t atomic_sectors;                                 /* of atomics, lanes on one element one by one */
    uint64_t local_requests, local_sectors;                  /* local memory */
};

/* Of the device's rules, what accesses in the common form need. */
struct sim_plain {
    uint32_t request_bytes; /* lanes' accesses up to this width are one request, and are moved in sectors; 0: never */
    bool word_banks;        /* 32 banks of 4 bytes */
    bool even_banks;        /* sim_shared_wavefronts_even() tells the wavefronts */
};

struct sim_heap_block;  /* device-side malloc */
struct sim_local_piece; /* sim/local.c */
struct sim_clock;       /* sim/timing */
struct sim_check;       /* sim/check */
struct check_block;

struct sim_engine {
    const struct sim_program *program;
    const struct sim_device *device;
    const struct sim_options *options;
    const struct sim_launch_text *launch;
    struct sim_memory *memory;
    const struct sim_lanes *lanes;
    struct sim_count *counts;
    struct sim_plain plain;
    uint32_t grid[3], block_dim[3], cluster_dim[3];
    uint32_t block_threads, warps_per_block, cluster_blocks;
    bool has_clusters;     /* the launch has them, if only of one block, and the device too */
    uint64_t shared_bytes; /* of a block's window: reserved + static + dynamic */
    uint64_t block_count;
    uint64_t instructions; /* warp instructions executed so far, derived ones not counted */
    uint64_t steps;        /* all steps, derived ones too: the runaway limit's clock */
    uint64_t limit;        /* of steps */
    int64_t *hints;        /* by counter row: allocation used last */
    struct base_strbuf printed;
    bool printed_cut;
    struct sim_fault fault;
    bool stopped; /* a fault, or progress said stop */
    bool out_of_memory;
    uint64_t used_bytes, limit_bytes; /* of the engine's own memory */
    uint64_t heap_base;               /* device-side malloc, 0: not yet */
    struct sim_heap_block *heap;
    struct sim_cluster *free_clusters;
    struct sim_local_piece *free_local;
    uint64_t resident_clusters; /* as many as the device holds at once */
    uint64_t workspace;         /* device address of the grid's workspace (cooperative launches), 0: none */
    struct sim_occupancy occupancy;
    struct sim_clock *clock; /* NULL: counts only */
    struct sim_check *check; /* NULL: nothing is checked */
    struct sim_late *late;   /* where writes to global memory wait for the end of the window; NULL: they do not */
};

/* A function that the warp's loop calls now and then: inlined, it would take the loop's registers. */
#define SIM_APART __attribute__((noinline))

/* Why sim_warp_run came back. */
enum sim_warp_stop { SIM_STOP_BLOCKED, SIM_STOP_DONE, SIM_STOP_QUANTUM, SIM_STOP_FAULT };

/* Runs a warp until it cannot go on, ends, has used `quantum` steps or spins. */
enum sim_warp_stop sim_warp_run(struct sim_engine *engine, struct sim_warp *warp, uint32_t quantum);

/* One instruction at a time, for a clock. sim_warp_next: what the warp would run next, derived instructions passed
 * over; NULL: it is done or waits for others. sim_warp_step: runs that one; QUANTUM when the warp may go on. */
const struct sim_op *sim_warp_next(struct sim_engine *engine, struct sim_warp *warp);
enum sim_warp_stop sim_warp_step(struct sim_engine *engine, struct sim_warp *warp);

/* Frees lanes that wait in the warp's groups when the last one they waited for has come or gone. True when a group
 * became ready. */
bool sim_warp_recheck(struct sim_engine *engine, struct sim_warp *warp);
/* Lanes that the convergence barrier at `conv` no longer waits for. */
void sim_conv_remove(uint32_t *conv, uint32_t lanes);
/* `lanes` will meet at the convergence barrier; those that some of `lanes` will meet at it. */
void sim_conv_join(uint32_t *conv, uint32_t lanes);
uint32_t sim_conv_company(const uint32_t *conv, uint32_t lanes);
/* As a last resort: lets lanes that wait to converge go on alone. True when there were any. */
bool sim_warp_release(struct sim_engine *engine, struct sim_warp *warp);
/* When all of them wait so: only those that came last. For machine code, whose barriers may name lanes that wait at
 * another one. */
bool sim_warp_release_last(struct sim_engine *engine, struct sim_warp *warp);

/* The warp changed something that others can see, or saw a change: it is not spinning. */
static inline void sim_warp_moved(struct sim_warp *warp)
{
    warp->idle = warp->repeats = 0;
    warp->sync_read = false;
    warp->moved = true;
}

static inline uint32_t *sim_row(const struct sim_program *program, const struct sim_warp *warp,
                                const struct sim_group *group, uint32_t row)
{
    uint32_t file = row >> 30, index = row & 0x3fffffffU;
    uint32_t *base = file == SIM_ROW_CONST ? (uint32_t *)program->consts : warp->rows;
    return base + ((size_t)index + (file == SIM_ROW_FRAME ? group->frame : 0)) * 32;
}

/* Writes lanes `mask` of predicate `number` of the group's frame; -1: none is wanted. */
static inline void sim_set_pred(struct sim_warp *warp, const struct sim_group *group, int32_t number, uint32_t value,
                                uint32_t mask)
{
    if (number < 0)
        return;
    uint32_t *p = &warp->preds[group->pframe + (uint32_t)number];
    *p = (*p & ~mask) | (value & mask);
}

/* A predicate source, after its '!'; `absent` when the instruction has none. */
static inline uint32_t sim_pred_source(const struct sim_warp *warp, const struct sim_group *group,
                                       const struct sim_op *op, uint32_t absent)
{
    if (op->psrc < 0)
        return absent;
    uint32_t p = warp->preds[group->pframe + (uint32_t)op->psrc];
    return op->psrc_negated ? ~p : p;
}

/* sim/access.c: memory instructions. False: a fault was set. */
bool sim_access_load(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                     uint32_t mask);
bool sim_access_store(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                      const struct sim_op *op, uint32_t mask);
bool sim_access_atomic(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                       const struct sim_op *op, uint32_t mask);
/* One lane's atomic on one element: `old` gets what was there. True when the cell changed. */
bool sim_access_atomic_cell(const struct sim_op *op, uint8_t space, uint8_t *cell, const uint32_t operand[4],
                            const uint32_t other[4], uint32_t old[4]);
/* What an atomic that was done means for a warp that may be waiting for others. */
void sim_access_atomic_done(struct sim_warp *warp, const struct sim_op *op, struct sim_addresses *a,
                            const struct sim_target *target, bool changed);
/* For instructions whose lanes access memory in a way of their own. The address operand of all lanes: */
void sim_access_addresses(const struct sim_engine *engine, const struct sim_warp *warp, const struct sim_group *group,
                          const struct sim_op *op, uint64_t address[32]);
struct sim_reach {
    enum sim_effect_kind kind;
    uint8_t space; /* enum isa_space; GENERIC: by the windows */
    bool only_shared, by_rows, uncounted;
    bool silent; /* the effect is told otherwise */
    bool noted;  /* a read by which the warp may wait for others */
    bool apart;  /* not by the thread's memory pipe: told to the checks alone */
    const struct sim_copy *copy;
    uint32_t mask, width_bytes;
};
/* Tells the effect of an access in one space that was checked silently. */
void sim_access_tell(struct sim_engine *engine, const struct sim_warp *warp, const struct sim_group *group,
                     const struct sim_op *op, const struct sim_reach *reach, const uint64_t address[32],
                     uint8_t *const at[32]);
/* Checks the access of lanes `mask`, tells its effect, and gives the host's memory behind each. False: a fault. */
bool sim_access_at(struct sim_engine *engine, struct sim_warp *warp, const struct sim_group *group,
                   const struct sim_op *op, const struct sim_reach *reach, const uint64_t address[32], uint8_t *at[32]);
/* Host memory behind one lane's address in a space; NULL when it is not mapped. */
uint8_t *sim_access_host_in(struct sim_engine *engine, struct sim_warp *warp, unsigned lane, uint8_t space,
                            uint64_t address, uint64_t bytes);
/* Host memory behind one lane's generic address, for built-in functions; NULL when it is not mapped. */
uint8_t *sim_access_host(struct sim_engine *engine, struct sim_warp *warp, unsigned lane, uint64_t address,
                         uint64_t bytes);

/* sim/local.c. Local memory of a lane at an address within the thread's stack; false or NULL: out of memory, and the
 * engine is stopped. sim_local_at()'s pointer is good for an aligned access, the other three take any range. */
uint8_t *sim_local_touch(struct sim_engine *engine, struct sim_warp *warp, uint64_t piece);
bool sim_local_read(struct sim_engine *engine, struct sim_warp *warp, unsigned lane, uint64_t address, void *to,
                    uint64_t bytes);
bool sim_local_write(struct sim_engine *engine, struct sim_warp *warp, unsigned lane, uint64_t address,
                     const void *from, uint64_t bytes);
bool sim_local_copy(struct sim_engine *engine, struct sim_warp *warp, unsigned lane, uint64_t to, uint64_t from,
                    uint64_t bytes);
/* The warp's pieces are free for others; frees the free ones. */
void sim_local_give_back(struct sim_engine *engine, struct sim_warp *warp);
/* A list of free pieces becomes the engine's, and is empty then. */
void sim_local_take_over(struct sim_engine *engine, struct sim_local_piece **pieces);
void sim_local_free(struct sim_engine *engine);

/* Bytes of one lane in a piece. */
static inline uint64_t sim_local_lane_bytes(const struct sim_program *program)
{
    return program->stack_bytes < SIM_LOCAL_PIECE_BYTES ? program->stack_bytes : SIM_LOCAL_PIECE_BYTES;
}

static inline uint8_t *sim_local_at(struct sim_engine *engine, struct sim_warp *warp, unsigned lane, uint64_t address)
{
    uint8_t *piece = warp->local != NULL ? warp->local[address / SIM_LOCAL_PIECE_BYTES] : NULL;
    if (piece == NULL)
        piece = sim_local_touch(engine, warp, address / SIM_LOCAL_PIECE_BYTES);
    return piece != NULL ? piece + lane * sim_local_lane_bytes(engine->program) + address % SIM_LOCAL_PIECE_BYTES
                         : NULL;
}

/* Whether a load goes through L1: as its cache operator says, else as the options do. */
static inline bool sim_load_is_cached(const struct sim_engine *engine, const struct isa_insn *insn)
{
    const struct isa_mods *mods = &insn->mods;
    if (mods->sem > ISA_SEM_WEAK || mods->cache == ISA_CACHE_CG || mods->cache == ISA_CACHE_CV ||
        insn->op == ISA_OP_CP_ASYNC_CG)
        return false;
    bool says = mods->cache != ISA_CACHE_NONE || (mods->flags & ISA_FLAG_NC) != 0 || mods->space == ISA_SPACE_LOCAL ||
                insn->op == ISA_OP_CP_ASYNC_CA;
    return says || !engine->options->bypass_l1;
}

/* sim/warpwide.c: shfl, vote, match, redux, elect. False: a fault was set. */
bool sim_warpwide(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                  uint32_t mask);

/* sim/async.c: cp.async. False: a fault was set. */
bool sim_async_copy(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                    uint32_t mask);
/* commit_group, wait_group, wait_all. */
void sim_async_group(struct sim_warp *warp, const struct sim_op *op, uint32_t mask);
/* All copies of these lanes are done now. */
void sim_async_finish(struct sim_warp *warp, uint32_t lanes);
void sim_async_reset(struct sim_warp *warp);
void sim_async_free(struct sim_warp *warp);

/* sim/bulk.c: bulk copies, asynchronous stores and reductions. False: a fault was set. */
bool sim_bulk_run(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                  uint32_t mask);

/* sim/mbarrier.c: barriers in shared memory. False: a fault was set. */
bool sim_mbarrier_run(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                      const struct sim_op *op, uint32_t mask);
/* try_wait by all lanes of the group: it goes on, or waits in state MBARRIER. */
bool sim_mbarrier_try(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                      const struct sim_op *op);
/* Where all lanes' barriers are. */
void sim_mbarrier_addresses(const struct sim_engine *engine, const struct sim_warp *warp, const struct sim_group *group,
                            const struct sim_op *op, uint64_t address[32]);
/* The barrier at one lane's address gets `bytes` bytes. */
bool sim_mbarrier_complete(struct sim_engine *engine, struct sim_warp *warp, const struct sim_group *group,
                           const struct sim_op *op, unsigned lane, uint64_t address, uint32_t bytes);
/* No warp of the cluster can go on: try_wait's time is over. False: nobody waits so, or all have long waited. */
bool sim_mbarrier_expire(struct sim_engine *engine, struct sim_cluster *cluster);

/* sim/matrix.c, matrix_memory.c: all lanes of the warp are there. False: a fault was set. */
bool sim_matrix_run(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                    uint32_t mask);
void sim_matrix_multiply(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                         const struct sim_op *op);

/* sim/barrier.c */
bool sim_barrier_arrive(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                        const struct sim_op *op, uint32_t mask);
void sim_barrier_lanes_exited(struct sim_engine *engine, struct sim_block *block);
void sim_cluster_arrive(struct sim_engine *engine, struct sim_warp *warp, uint32_t mask);
void sim_cluster_check(struct sim_engine *engine, struct sim_cluster *cluster);

/* sim/call.c. False: a fault was set. */
bool sim_call(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
              uint32_t mask);
/* Takes group `index`, which stands at ret, back to its callers: one group for each place its lanes came from. */
/* alloca, stacksave, stackrestore. */
bool sim_stack_run(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                   uint32_t mask);
void sim_return_from(struct sim_engine *engine, struct sim_warp *warp, uint32_t index);
/* sim/builtin.c: vprintf, __assertfail, malloc, free. */
bool sim_builtin_call(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                      const struct sim_op *op, uint32_t function, uint32_t mask);
/* The same for machine code, which has arguments and results in registers from R4 on and the place that it goes back to
 * in R20. ISA_BUILTIN_COUNT: none of them is at the address. */
enum isa_builtin sim_builtin_at(uint64_t address);
bool sim_builtin_jump(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                      const struct sim_op *op, enum isa_builtin builtin, uint32_t mask);
#define SIM_BUILTIN_ARG_REGISTER    4u
#define SIM_BUILTIN_RETURN_REGISTER 20u /* the last one that such a call touches, with the next */
void sim_builtin_free(struct sim_engine *engine);

/* sim/stop.c: sets the engine's fault. `lane`: the thread it is told of. Always false, for `return sim_stop(...)`. */
bool sim_stop(struct sim_engine *engine, const struct sim_warp *warp, const struct sim_op *op, unsigned lane,
              enum sim_fault_kind kind, const char *format, ...) __attribute__((format(printf, 6, 7)));
bool sim_stop_address(struct sim_engine *engine, const struct sim_warp *warp, const struct sim_op *op, unsigned lane,
                      enum sim_fault_kind kind, uint8_t space, uint64_t address, uint32_t width_bytes, bool is_write);
void sim_thread_index(const struct sim_engine *engine, const struct sim_warp *warp, unsigned lane, uint32_t thread[3]);

/* The nearest allocation to an address, or its place in its space, in words. */
void sim_describe_address(const struct sim_engine *engine, uint8_t space, uint64_t address, char *text, size_t size);

/* sim/grid.c: runs all blocks. The rest is for sim/timing, which has an order of its own. */
void sim_grid_run(struct sim_engine *engine);
/* Starts cluster number `index` of the grid; NULL: out of memory. sim_cluster_retire: all its blocks are done.
 * sim_clusters_free: frees a list of clusters, and those kept for reuse. */
struct sim_cluster *sim_cluster_start(struct sim_engine *engine, uint64_t index);
void sim_cluster_retire(struct sim_engine *engine, struct sim_cluster *cluster);
void sim_clusters_free(struct sim_engine *engine, struct sim_cluster *first);
/* Gives a block its SM: before its first instruction. */
void sim_block_place(struct sim_engine *engine, struct sim_block *block, uint32_t smid);
/* No warp of the cluster can run: frees lanes that may go on alone, or sets the fault and returns false. */
bool sim_cluster_unblock(struct sim_engine *engine, struct sim_cluster *cluster);
/* sim/deadlock.c: sets the fault. No thread of the cluster can run and nothing outside can change that; or all warps
 * only wait for memory that none of them changes. */
void sim_cluster_deadlock(struct sim_engine *engine, const struct sim_cluster *cluster);
void sim_cluster_livelock(struct sim_engine *engine, const struct sim_cluster *cluster);
/* Tells the caller how far the run is, when it is time to; false: it wants the run to end (a fault is set). */
bool sim_grid_progress(struct sim_engine *engine, uint64_t blocks_done, uint64_t *next_tell);

/* sim/timing: runs all blocks by the clock; what an executed memory instruction did; the clock's part of the report. */
void sim_clock_run(struct sim_engine *engine);
void sim_clock_effect(struct sim_clock *clock, const struct sim_effect *effect);
uint64_t sim_clock_now(const struct sim_clock *clock);
void sim_clock_free(struct sim_engine *engine);

void sim_clock_tell(const struct sim_engine *engine, struct sim_report *report);
const uint64_t *sim_clock_stalls(const struct sim_engine *engine, uint32_t counter);

/* sim/check: consumers of effects, and of the moments at which threads wait for each other. Called only where
 * engine->check is not NULL, but for the first four. sim_check_block_start: false without memory. sim_check_fence: of a
 * fence instruction. sim_check_warp_sync: `lanes` have met at a warp-wide instruction, each with those of its own mask;
 * masks NULL: with all of them. sim_check_meet: lanes have come to a conv.sync. sim_check_masks: of a warp-wide
 * instruction, before it is executed; `off`: lanes of the group whose guard is false. sim_check_stuck: lanes of the
 * warp wait to exchange values with lanes that wait for them. */
enum base_status sim_check_begin(struct sim_engine *engine);
void sim_check_end(struct sim_engine *engine);
enum base_status sim_check_tell(const struct sim_engine *engine, struct sim_report *report);
void sim_check_block_free(struct sim_engine *engine, struct sim_block *block);
bool sim_check_block_start(struct sim_engine *engine, struct sim_block *block);
void sim_check_effect(struct sim_check *check, const struct sim_effect *effect);
void sim_check_fence(struct sim_check *check, const struct sim_warp *warp, const struct sim_op *op, uint32_t mask);
void sim_check_warp_sync(struct sim_check *check, const struct sim_warp *warp, const uint32_t *masks, uint32_t lanes);
void sim_check_barrier_arrive(struct sim_check *check, const struct sim_warp *warp, const struct sim_op *op,
                              uint32_t mask, uint32_t number);
void sim_check_barrier_done(struct sim_check *check, const struct sim_block *block, uint32_t number);
void sim_check_meet(struct sim_check *check, const struct sim_warp *warp, const struct sim_op *op, uint32_t mask);
void sim_check_masks(struct sim_check *check, const struct sim_warp *warp, const struct sim_op *op,
                     const uint32_t *masks, uint32_t mask, uint32_t off);
void sim_check_stuck(struct sim_check *check, const struct sim_warp *warp);
void sim_check_block_end(struct sim_check *check, const struct sim_block *block);
void sim_check_cluster_arrive(struct sim_check *check, const struct sim_warp *warp);
void sim_check_cluster_done(struct sim_check *check, struct sim_cluster *cluster);
/* Local memory of a lane that was written, or that became a new call's frame, without an effect. */
void sim_check_local_written(struct sim_check *check, const struct sim_warp *warp, unsigned lane, uint64_t address,
                             uint64_t bytes);
void sim_check_frame(struct sim_check *check, const struct sim_warp *warp, uint32_t lanes, uint64_t address,
                     uint64_t bytes);
void sim_check_heap_given(struct sim_check *check, uint64_t address, uint64_t bytes);

/* sim/metrics.c: counters -> report. Adds a metric while there is room. */
void sim_metric_add(struct sim_report *report, struct sim_metric metric);
enum base_status sim_metrics_fill(const struct sim_engine *engine, struct sim_report *report);
/* An atomic that gives nothing back. */
bool sim_insn_reduces(const struct isa_insn *insn);

/* An allocation of the engine within its limit, zeroed; NULL (and out_of_memory set) when it does not fit. */
void *sim_engine_alloc(struct sim_engine *engine, uint64_t count, uint64_t size_bytes);
/* The same for register rows, aligned as the lane functions want them. */
/* The same in whole lines of the host's cache. */
void *sim_engine_alloc_lines(struct sim_engine *engine, uint64_t count, uint64_t size_bytes);
uint32_t *sim_engine_alloc_rows(struct sim_engine *engine, uint64_t rows);

#endif
