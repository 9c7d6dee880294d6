/* What a launch gave: plain data, owned by the report, made by the engine, written by report/. It computes nothing.
 *
 * A metric that is not modelled is absent, never 0. Order of metrics is the order they were added, which is fixed. */
#ifndef SIM_REPORT_H
#define SIM_REPORT_H

#include "base/arena.h"
#include "isa/isa.h"
#include "sim/fault.h"
#include "sim/occupancy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sim_run_status { SIM_RUN_OK, SIM_RUN_FAULT, SIM_RUN_UNSUPPORTED, SIM_RUN_INVALID };

struct sim_metric {
    const char *name;
    const char *unit; /* Nsight Compute's word: "sector", "inst", "%", "" ... */
    bool is_integer;
    bool modelled; /* false: exact */
    uint64_t integer;
    double real;
};

/* Every metric that a report may have, and of which launches (metric_names.def). */
enum sim_metric_source { SIM_METRIC_ANY, SIM_METRIC_PTX, SIM_METRIC_MACHINE, SIM_METRIC_REGISTERS, SIM_METRIC_CLOCK };
struct sim_metric_name {
    const char *name;
    enum sim_metric_source source;
};
extern const struct sim_metric_name sim_metric_names[];
extern const size_t sim_metric_name_count;

/* Why a warp does not issue, in Nsight Compute's words; the name of each. */
enum sim_stall {
    SIM_STALL_WAIT,
    SIM_STALL_LONG_SCOREBOARD,
    SIM_STALL_SHORT_SCOREBOARD,
    SIM_STALL_BARRIER,
    SIM_STALL_MEMBAR,
    SIM_STALL_BRANCH_RESOLVING,
    SIM_STALL_NO_INSTRUCTION,
    SIM_STALL_MATH_PIPE_THROTTLE,
    SIM_STALL_LG_THROTTLE,
    SIM_STALL_MIO_THROTTLE,
    SIM_STALL_DRAIN,
    SIM_STALL_NOT_SELECTED,
    SIM_STALL_SELECTED,
    SIM_STALL_COUNT
};
extern const char *const sim_stall_names[SIM_STALL_COUNT];

/* One instruction's counters, summed over the launch. Derived instructions have no row. */
struct sim_insn_report {
    uint32_t function, insn; /* in the module */
    uint32_t pc; /* PTX: instruction index over the kernel's reachable functions, kernel first; SASS: byte offset */
    const char *text, *file; /* file: the CUDA source where known */
    uint32_t line;
    uint64_t executed, thread_executed, predicated_off;
    bool is_global, is_shared; /* which of the following apply */
    bool is_atomic, is_store, is_load;
    uint64_t requests; /* instructions that reached memory: some lane was not switched off */
    uint64_t sectors, sectors_ideal, wavefronts, wavefronts_ideal;
    uint32_t width_bytes;
    uint64_t divergent; /* branches: executions whose lanes went both ways */
    bool is_branch;     /* control flow: a lane that its guard switches off is not idle but goes another way */
    bool has_stalls;
    uint64_t stalls[SIM_STALL_COUNT]; /* cycles of warps before this instruction, by reason */
};

/* A finding of --check: something wrong that did not stop the run. All findings of a kind at one pair of source lines
 * are one, told by the first. */
enum sim_finding_access {
    SIM_ACCESS_READ,
    SIM_ACCESS_WRITE,
    SIM_ACCESS_ATOMIC,
    SIM_ACCESS_EXECUTES,
    SIM_ACCESS_MISSES
};
/* "read", "write", "atomic", "executes", "misses" */
const char *sim_access_name(uint8_t access);

struct sim_finding_thread {
    const char *file, *text; /* the instruction's source and its text */
    uint32_t line, pc;
    uint32_t block[3], thread[3];
    uint8_t access; /* enum sim_finding_access */
};
struct sim_finding {
    const char *check; /* as --check has it: "races" */
    const char *kind;  /* "race in a block" */
    const char *message;
    uint64_t count;                         /* of accesses or executions by a thread */
    struct sim_finding_thread first, other; /* who was found out; whom it is in conflict with */
    bool has_other, has_address;
    uint64_t address;
    uint8_t space;       /* enum isa_space */
    const char *nearest; /* as a fault's */
};

/* An option of the launch that is not the default, as the command line has it. */
struct sim_option_report {
    const char *name, *value;
};
enum { SIM_OPTIONS_TOLD = 5 };

struct sim_buffer_report {
    uint32_t arg;
    uint8_t type;
    uint64_t bytes, fnv1a64;
    uint64_t address;
};

struct sim_report {
    struct base_arena arena; /* everything below */
    const char *name, *file, *kernel, *device;
    enum isa_form form;
    bool cycles_mode;
    const char *uncalibrated; /* what to say of the cycles; NULL: nothing */
    struct sim_option_report options[SIM_OPTIONS_TOLD];
    size_t option_count;
    enum sim_run_status status;
    const char *message; /* for every status but OK */
    bool has_fault;
    struct sim_fault fault;
    const char *fault_file;        /* source place of the fault */
    uint32_t fault_line, fault_pc; /* pc: as the instructions' */
    const char *fault_text;        /* the instruction */
    unsigned checks;               /* those that were made */
    bool checks_incomplete;        /* memory ran out, or there were too many findings: not all was looked at or told */
    struct sim_finding *findings;
    size_t finding_count;
    uint32_t grid[3], block[3], cluster[3];
    uint64_t shared_static_bytes, shared_dynamic_bytes;
    uint32_t registers_per_thread;
    uint32_t code_registers; /* those of machine code, unless given; a card may give more. 0: not known */
    bool registers_given;    /* by --regs, regs= or .maxnreg from machine code; false: an estimate */
    bool has_occupancy;
    struct sim_occupancy occupancy;
    struct sim_occupancy_query occupancy_query; /* what it was computed from */
    struct sim_metric *metrics;
    size_t metric_count;
    struct sim_insn_report *insns;
    size_t insn_count;
    const char *printed;
    size_t printed_length;
    bool printed_cut; /* the kernel printed more than the limit */
    struct sim_buffer_report *buffers;
    size_t buffer_count;
};

void sim_report_free(struct sim_report *report);
/* A metric by name, or NULL. */
const struct sim_metric *sim_report_metric(const struct sim_report *report, const char *name);

#endif
