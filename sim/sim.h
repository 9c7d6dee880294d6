/* Running a launch: module + launch + device -> report. The one door to the engine.
 *
 * Two runs never share anything mutable: each has its own memory, and a module is only read. Same input, same report.
 */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "base/diag.h"
#include "isa/isa.h"
#include "sim/args.h"
#include "sim/coalesce.h"
#include "sim/device.h"
#include "sim/memory.h"
#include "sim/report.h"

#include <stdbool.h>
#include <stdint.h>

/* Called now and then during a long run; return false to stop it (the run ends as a runaway with its own message). */
typedef bool sim_progress(void *user, uint64_t blocks_done, uint64_t blocks_total, uint64_t warp_instructions);

/* One memory instruction of one warp, as it is executed: what counters and clock know of it. `address` is
 * space-relative and valid for the lanes of the mask; a shared address counts from the start of the block's window,
 * system part included. Lanes that reach into another block's shared memory are told apart, as SHARED_CLUSTER. */
struct sim_access {
    const struct isa_function *function;
    const struct isa_insn *insn; /* of it */
    uint32_t number;             /* of it among all instructions of the program, from 0 */
    uint32_t block[3], warp;
    enum sim_shared_kind kind;
    uint8_t space; /* enum isa_space */
    uint32_t width_bytes, mask;
    const uint64_t *address; /* 32 */
};
typedef void sim_access_hook(void *user, const struct sim_access *access);

/* What the clock tells of a warp's life. Of one warp, spans come in order and without gaps from its begin to its end;
 * SMs run one after another, a window of cycles at a time. */
enum sim_clock_event_kind {
    SIM_CLOCK_BEGIN,   /* the warp's first cycle is `from` */
    SIM_CLOCK_SPAN,    /* it waited for `reason` before instruction `pc`, or (SELECTED) issued it */
    SIM_CLOCK_REQUEST, /* instruction `pc` asked memory: from its way into the pipe to the answer */
    SIM_CLOCK_END,     /* its last cycle is before `to` */
};
struct sim_clock_event {
    enum sim_clock_event_kind kind;
    uint32_t sm, place; /* a place holds one warp at a time */
    uint32_t block[3], warp;
    uint64_t from, to; /* cycles */
    uint32_t pc;       /* as in the report's instructions */
    uint8_t reason;    /* enum sim_stall */
    uint8_t space;     /* REQUEST: enum isa_space */
    enum sim_shared_kind access;
    uint32_t sectors, wavefronts; /* of memory and of shared memory, as the clock charges them */
};
typedef void sim_clock_hook(void *user, const struct sim_clock_event *event);

/* Loose round-robin; greedy, then oldest; greedy, then youngest, and yields heeded; round-robin in groups of eight. */
enum sim_scheduler { SIM_SCHEDULER_LRR, SIM_SCHEDULER_GTO, SIM_SCHEDULER_CGGTY, SIM_SCHEDULER_TWO_LEVEL };
enum { SIM_SCHEDULER_COUNT = SIM_SCHEDULER_TWO_LEVEL + 1 };
#define SIM_SCHEDULER_DEFAULT SIM_SCHEDULER_CGGTY
extern const char *const sim_scheduler_names[SIM_SCHEDULER_COUNT];

/* What --check asks for: a set. */
enum sim_check_set { SIM_CHECK_MEMORY = 1, SIM_CHECK_RACES = 2, SIM_CHECK_INIT = 4, SIM_CHECK_SYNC = 8 };

struct sim_options {
    const struct sim_device *device;
    bool cycles; /* run by the clock: the same results and exact counts, and cycles */
    enum sim_scheduler scheduler;
    bool shuffle_blocks; /* give out blocks in an order drawn from the seed */
    uint64_t block_order_seed;
    bool l2_changed; /* L2 begins full of lines of no buffer of the launch, as after a kernel that wrote more than it
                      * holds
                      */
    bool bypass_l1;  /* global loads that do not say otherwise: ptxas' -dlcm=cg */
    uint32_t max_registers; /* of a thread, as nvcc's --maxrregcount; 0: no limit */
    unsigned checks;        /* enum sim_check_set; 0: only what is a fault */
    uint32_t threads; /* that the SMs of a launch with `cycles` are shared among; 0: one. The report is the same */
    uint64_t max_instructions;   /* warp instructions of the launch; 0: no limit */
    uint64_t memory_limit_bytes; /* for what the engine itself needs (registers, shared, local); 0: 16 GiB */
    uint64_t print_limit_bytes;  /* of kernel output kept; 0: 16 MiB */
    sim_progress *progress;      /* may be NULL */
    void *progress_user;
    sim_access_hook *access_hook; /* may be NULL */
    void *access_user;
    sim_clock_hook *clock_hook; /* may be NULL; with `cycles` */
    void *clock_user;
};

#define SIM_MAX_INSTRUCTIONS_DEFAULT UINT64_C(100000000000)

/* Runs one launch as written, with arguments already bound. Always fills `report` (to be freed by the caller) unless it
 * returns BASE_NOMEM. A kernel's fault is a report with status FAULT and BASE_OK; BASE_INVALID and BASE_UNSUPPORTED
 * come with diagnostics and a report that says the same. Buffers' contents afterwards are in `memory`. */
enum base_status sim_run(const struct isa_module *module, uint32_t kernel, const struct sim_launch_text *launch,
                         const struct sim_bound *bound, struct sim_memory *memory, const struct sim_options *options,
                         struct sim_report *report, struct base_diags *diags);

#endif
