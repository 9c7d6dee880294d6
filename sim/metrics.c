/* From counters to the report: one row an instruction, and the metrics by their Nsight Compute names.
 *
 * Which metric is exact from which form is the table of docs/model.md. A metric that cannot be had is not added. */
#include "isa/sass/sass.h"
#include "sim/engine.h"

#include "sim/occupancy.h"
#include "sim/requests.h"

#include <string.h>

#define MAX_METRICS 128

/* Sums over all instructions of a launch. */
struct sums {
    uint64_t inst, thread_inst;
    uint64_t requests[2], sectors[2], bytes[2]; /* loads, stores */
    uint64_t theoretical, theoretical_ideal;    /* atomics too */
    uint64_t wavefronts, wavefronts_ideal;
    uint64_t atomic_requests[2], atomic_sectors[2], atomic_wavefronts; /* without and with a result; shared memory */
    uint64_t branches;
    uint64_t executed[3][2]; /* machine code: global, shared, local; loads, stores */
    uint64_t local_requests[2], local_sectors[2];
    uint64_t arithmetic[2][3]; /* threads: f32, f64; additions, products, both in one */
};

void sim_metric_add(struct sim_report *report, struct sim_metric metric)
{
    if (report->metric_count < MAX_METRICS)
        report->metrics[report->metric_count++] = metric;
}

static void add_integer(struct sim_report *report, const char *name, const char *unit, uint64_t value, bool modelled)
{
    sim_metric_add(report, (struct sim_metric){name, unit, true, modelled, value, (double)value});
}

static void add_real(struct sim_report *report, const char *name, const char *unit, double value, bool modelled)
{
    sim_metric_add(report, (struct sim_metric){name, unit, false, modelled, 0, value});
}

/* What smsp__inst_executed_op_branch counts of machine code: found by comparing the guide's kernels and those of
 * validate/kernels with the H200's counts (docs/sass.md). */
static bool is_machine_branch(const struct isa_insn *insn)
{
    if (insn->sass == NULL)
        return false;
    switch (insn->sass->op) {
    case ISA_SASS_BSYNC:
    case ISA_SASS_BREAK:
    case ISA_SASS_WARPSYNC:
    case ISA_SASS_ENDCOLLECTIVE:
    case ISA_SASS_YIELD:
        return true;
    default:
        return (isa_insn_flags(insn) & (ISA_OPF_BRANCH | ISA_OPF_CALL | ISA_OPF_RETURN | ISA_OPF_EXIT)) != 0;
    }
}

/* PTX instructions that count as loads and stores; a copy to shared memory counts as a load. */
static bool reads_memory(unsigned op)
{
    return op == ISA_OP_LD || op == ISA_OP_LDU || op == ISA_OP_LDMATRIX || op == ISA_OP_WMMA_LOAD_A ||
           op == ISA_OP_WMMA_LOAD_B || op == ISA_OP_WMMA_LOAD_C || op == ISA_OP_CP_ASYNC_CA || op == ISA_OP_CP_ASYNC_CG;
}

static bool writes_memory(unsigned op)
{
    return op == ISA_OP_ST || op == ISA_OP_STMATRIX || op == ISA_OP_WMMA_STORE;
}

static void classify(struct sim_insn_report *row, const struct isa_insn *insn, const struct sim_count *count)
{
    uint32_t vec = insn->mods.vec > 1 ? insn->mods.vec : 1;
    uint32_t flags = isa_insn_flags(insn), both = flags & (ISA_OPF_READS_MEMORY | ISA_OPF_WRITES_MEMORY);
    row->is_atomic = (flags & ISA_OPF_ATOMIC) != 0;
    row->is_load = insn->sass != NULL ? both == ISA_OPF_READS_MEMORY : reads_memory(insn->op);
    row->is_store = insn->sass != NULL ? both == ISA_OPF_WRITES_MEMORY : writes_memory(insn->op);
    row->is_branch =
        (flags & (ISA_OPF_BRANCH | ISA_OPF_CALL | ISA_OPF_RETURN | ISA_OPF_EXIT)) != 0 || is_machine_branch(insn);
    if (row->is_load || row->is_store || row->is_atomic) {
        row->width_bytes = isa_types[insn->type].bits / 8U * vec;
        row->is_global = count->requests > 0 || insn->mods.space == ISA_SPACE_GLOBAL;
        row->is_shared = count->shared_requests > 0 || insn->mods.space == ISA_SPACE_SHARED ||
                         insn->mods.space == ISA_SPACE_SHARED_CLUSTER;
    }
}

/* A fault leaves the clock in the middle: accesses that it never timed, SMs that were never done. */
static bool clock_came_to_the_end(const struct sim_engine *engine)
{
    return engine->clock != NULL && engine->fault.kind == SIM_FAULT_NONE;
}

static void fill_row(const struct sim_engine *engine, struct sim_report *report, uint32_t counter,
                     struct sim_insn_report *row)
{
    const struct sim_program *p = engine->program;
    const struct sim_count *count = &engine->counts[counter];
    const struct isa_function *function = &p->module->functions[p->counter_function[counter]];
    const struct isa_insn *insn = &function->insns[p->counter_insn[counter]];
    const char *file = NULL;
    struct base_strbuf text = {0};
    isa_print_insn(p->module, function, insn, &text);
    isa_insn_location(p->module, insn, &file, &row->line);
    row->function = p->counter_function[counter];
    row->insn = p->counter_insn[counter];
    row->pc = sim_program_pc(p, counter);
    row->text = base_arena_strndup(&report->arena, text.data != NULL ? text.data : "", text.length);
    row->file = file != NULL ? base_arena_strndup(&report->arena, file, strlen(file)) : NULL;
    base_strbuf_free(&text);
    row->executed = count->executed;
    row->thread_executed = count->threads;
    row->predicated_off = count->threads - count->threads_on;
    /* One a global or shared instruction; generic addresses that mix both are told by their global part. */
    row->requests = count->requests > 0 ? count->requests : count->shared_requests;
    row->sectors = count->sectors;
    row->sectors_ideal = count->sectors_ideal;
    row->wavefronts = count->wavefronts;
    row->wavefronts_ideal = count->wavefronts_ideal;
    row->divergent = count->divergent;
    row->has_stalls = clock_came_to_the_end(engine);
    if (row->has_stalls)
        memcpy(row->stalls, sim_clock_stalls(engine, counter), sizeof(row->stalls));
    classify(row, insn, count);
}

/* 0: global, 1: shared, 2: local; -1: none of them. Matrices and copies to shared memory are counted in none. */
static int machine_space(const struct isa_insn *insn)
{
    const unsigned op = insn->sass != NULL ? insn->sass->op : ISA_SASS_UNKNOWN;
    if (op == ISA_SASS_LDSM || op == ISA_SASS_STSM || op == ISA_SASS_LDGSTS)
        return -1;
    switch (insn->mods.space) {
    case ISA_SPACE_GLOBAL:
        return 0;
    case ISA_SPACE_SHARED:
        return 1;
    case ISA_SPACE_LOCAL:
        return 2;
    default:
        return -1;
    }
}

static void add_machine_sums(struct sums *sums, const struct isa_insn *insn, const struct sim_insn_report *row,
                             const struct sim_count *count)
{
    int space = machine_space(insn);
    sums->branches += row->is_branch ? count->executed : 0;
    if (insn->sass == NULL || row->is_atomic || !(row->is_load || row->is_store))
        return;
    if (space >= 0)
        sums->executed[space][row->is_store] += count->executed;
    sums->local_requests[row->is_store] += count->local_requests;
    sums->local_sectors[row->is_store] += count->local_sectors;
}

/* Additions, products and products with an addition of f32 and f64, thread by thread. */
static void add_arithmetic(struct sums *sums, const struct isa_insn *insn, const struct sim_count *count)
{
    int which = -1;
    unsigned width = insn->type == ISA_TYPE_F64;
    if (insn->sass != NULL) {
        static const uint16_t ops[2][3] = {{ISA_SASS_FADD, ISA_SASS_FMUL, ISA_SASS_FFMA},
                                           {ISA_SASS_DADD, ISA_SASS_DMUL, ISA_SASS_DFMA}};
        for (unsigned i = 0; i < 6; i++)
            if (insn->sass->op == ops[i / 3][i % 3]) {
                width = i / 3;
                which = (int)(i % 3);
            }
    } else if (insn->type == ISA_TYPE_F32 || insn->type == ISA_TYPE_F64) {
        which = insn->op == ISA_OP_ADD || insn->op == ISA_OP_SUB   ? 0
                : insn->op == ISA_OP_MUL                           ? 1
                : insn->op == ISA_OP_FMA || insn->op == ISA_OP_MAD ? 2
                                                                   : -1;
    }
    if (which >= 0)
        sums->arithmetic[width][which] += count->threads_on;
}

bool sim_insn_reduces(const struct isa_insn *insn)
{
    if (insn->sass != NULL)
        return insn->sass->op == ISA_SASS_RED || insn->sass->op == ISA_SASS_REDG;
    return insn->op == ISA_OP_RED;
}

static void add_atomic_sums(struct sums *sums, const struct isa_insn *insn, const struct sim_insn_report *row,
                            const struct sim_count *count)
{
    if (!row->is_atomic)
        return;
    unsigned which = !sim_insn_reduces(insn);
    sums->atomic_requests[which] += count->requests;
    sums->atomic_sectors[which] += count->atomic_sectors;
    sums->atomic_wavefronts += count->wavefronts;
    if (insn->sass != NULL && insn->sass->op == ISA_SASS_ATOM) /* of global memory (validate/records/h200/nvcc) */
        sums->atomic_wavefronts += count->requests * (isa_sass_has(insn->sass, ISA_SASS_W_CAS) ? 2 : 1);
}

static void add_to_sums(struct sums *sums, const struct sim_insn_report *row, const struct sim_count *count)
{
    sums->inst += count->executed;
    sums->thread_inst += count->threads;
    sums->theoretical += count->sectors;
    sums->theoretical_ideal += count->sectors_ideal;
    sums->wavefronts += count->wavefronts;
    sums->wavefronts_ideal += count->wavefronts_ideal;
    if (row->is_atomic || !(row->is_load || row->is_store))
        return;
    unsigned which = row->is_store;
    sums->requests[which] += count->requests;
    sums->sectors[which] += count->sectors;
    sums->bytes[which] += count->global_bytes;
}

static enum base_status fill_rows(const struct sim_engine *engine, struct sim_report *report, struct sums *sums)
{
    const struct sim_program *p = engine->program;
    const struct isa_linked *linked = p->linked;
    report->insns = base_arena_alloc(&report->arena, p->counter_count, sizeof(*report->insns));
    if (report->insns == NULL)
        return BASE_NOMEM;
    for (uint32_t c = 1; c < p->counter_count; c++) {
        uint32_t function = p->counter_function[c];
        if (!linked->reaches_insn[linked->reach_first[function] + p->counter_insn[c]])
            continue;
        struct sim_insn_report *row = &report->insns[report->insn_count++];
        fill_row(engine, report, c, row);
        add_to_sums(sums, row, &engine->counts[c]);
        add_atomic_sums(sums, &p->module->functions[function].insns[p->counter_insn[c]], row, &engine->counts[c]);
        add_arithmetic(sums, &p->module->functions[function].insns[p->counter_insn[c]], &engine->counts[c]);
        add_machine_sums(sums, &p->module->functions[function].insns[p->counter_insn[c]], row, &engine->counts[c]);
        if (row->text == NULL)
            return BASE_NOMEM;
    }
    return BASE_OK;
}

static void add_memory_metrics(const struct sim_engine *engine, struct sim_report *report, const struct sums *s)
{
    uint32_t sector = engine->device->sector_bytes;
    add_integer(report, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "request", s->requests[0], false);
    add_integer(report, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "request", s->requests[1], false);
    add_integer(report, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sector", s->sectors[0], false);
    add_integer(report, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sector", s->sectors[1], false);
    if (s->requests[0] > 0)
        add_real(report, "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", "sector/request",
                 (double)s->sectors[0] / (double)s->requests[0], false);
    if (s->requests[1] > 0)
        add_real(report, "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio", "sector/request",
                 (double)s->sectors[1] / (double)s->requests[1], false);
    if (s->sectors[0] > 0)
        add_real(report, "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", "%",
                 100.0 * (double)s->bytes[0] / ((double)s->sectors[0] * sector), false);
    if (s->sectors[1] > 0)
        add_real(report, "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct", "%",
                 100.0 * (double)s->bytes[1] / ((double)s->sectors[1] * sector), false);
    if (sim_requests_are_plain(engine->device, 4)) {
        add_integer(report, "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "request", s->atomic_requests[0], true);
        add_integer(report, "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "request", s->atomic_requests[1],
                    true);
        add_integer(report, "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", "sector", s->atomic_sectors[0], true);
        add_integer(report, "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "sector", s->atomic_sectors[1], true);
        add_integer(report, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", "", s->atomic_wavefronts, true);
    }
    add_integer(report, "memory_l2_theoretical_sectors_global", "sectors", s->theoretical, false);
    add_integer(report, "memory_l2_theoretical_sectors_global_ideal", "sectors", s->theoretical_ideal, false);
    add_integer(report, "memory_l1_wavefronts_shared", "wavefronts", s->wavefronts, false);
    add_integer(report, "memory_l1_wavefronts_shared_ideal", "wavefronts", s->wavefronts_ideal, false);
}

static void add_machine_metrics(struct sim_report *report, const struct sums *s)
{
    static const char *const names[3][2] = {
        {"smsp__inst_executed_op_global_ld.sum", "smsp__inst_executed_op_global_st.sum"},
        {"smsp__inst_executed_op_shared_ld.sum", "smsp__inst_executed_op_shared_st.sum"},
        {"smsp__inst_executed_op_local_ld.sum", "smsp__inst_executed_op_local_st.sum"}};
    add_integer(report, "smsp__inst_executed.sum", "inst", s->inst, false);
    add_integer(report, "smsp__thread_inst_executed.sum", "inst", s->thread_inst, false);
    if (s->inst > 0)
        add_real(report, "smsp__thread_inst_executed_per_inst_executed.ratio", "",
                 (double)s->thread_inst / (double)s->inst, false);
    for (unsigned space = 0; space < 3; space++)
        for (unsigned which = 0; which < 2; which++)
            add_integer(report, names[space][which], "inst", s->executed[space][which], false);
    add_integer(report, "smsp__inst_executed_op_branch.sum", "inst", s->branches, false);
    add_integer(report, "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", "request", s->local_requests[0], false);
    add_integer(report, "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", "request", s->local_requests[1], false);
    add_integer(report, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "sector", s->local_sectors[0], false);
    add_integer(report, "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "sector", s->local_sectors[1], false);
}

static uint64_t flop(const uint64_t arithmetic[3])
{
    return arithmetic[0] + arithmetic[1] + 2 * arithmetic[2];
}

static void add_arithmetic_metrics(const struct sim_engine *engine, struct sim_report *report, const struct sums *s)
{
    static const char *const names[2][3] = {
        {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
         "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"},
        {"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum",
         "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum"}};
    static const char *const all[2] = {"derived__flop_f32.sum", "derived__flop_f64.sum"};
    for (unsigned i = 0; engine->program->is_machine && i < 6; i++)
        add_integer(report, names[i / 3][i % 3], "inst", s->arithmetic[i / 3][i % 3], false);
    for (unsigned width = 0; width < 2; width++)
        add_integer(report, all[width], "", flop(s->arithmetic[width]), !engine->program->is_machine);
}

/* What the clock's time makes of it. */
static void add_arithmetic_rates(struct sim_report *report, const struct sums *s)
{
    static const char *const names[2] = {"derived__flop_f32_per_second", "derived__flop_f64_per_second"};
    const struct sim_metric *time = sim_report_metric(report, "gpu__time_duration.sum");
    for (unsigned width = 0; time != NULL && time->real > 0 && width < 2; width++)
        add_real(report, names[width], "1/second", (double)flop(s->arithmetic[width]) * 1e9 / time->real, true);
}

static void add_launch_metrics(const struct sim_engine *engine, struct sim_report *report)
{
    static const char *const grid[] = {"launch__grid_dim_x", "launch__grid_dim_y", "launch__grid_dim_z"};
    static const char *const block[] = {"launch__block_dim_x", "launch__block_dim_y", "launch__block_dim_z"};
    static const char *const cluster[] = {"launch__cluster_dim_x", "launch__cluster_dim_y", "launch__cluster_dim_z"};
    const struct sim_occupancy *o = &engine->occupancy;
    bool explicit_cluster = engine->launch->has_cluster || engine->cluster_blocks > 1;
    uint64_t statics = engine->program->shared_static_bytes, dynamic = engine->launch->shared_bytes;
    for (unsigned d = 0; d < 3; d++)
        add_integer(report, grid[d], "", engine->grid[d], false);
    for (unsigned d = 0; d < 3; d++)
        add_integer(report, block[d], "", engine->block_dim[d], false);
    for (unsigned d = 0; d < 3; d++) /* ncu shows 0 for a launch without clusters */
        add_integer(report, cluster[d], "", explicit_cluster ? engine->cluster_dim[d] : 0, false);
    add_integer(report, "launch__grid_size", "", engine->block_count, false);
    add_integer(report, "launch__block_size", "", engine->block_threads, false);
    add_integer(report, "launch__thread_count", "thread", engine->block_count * engine->block_threads, false);
    add_integer(report, "launch__shared_mem_per_block", "byte/block",
                engine->device->shared_reserved_bytes + statics + dynamic, false);
    add_integer(report, "launch__shared_mem_per_block_static", "byte/block", statics, false);
    add_integer(report, "launch__shared_mem_per_block_dynamic", "byte/block", dynamic, false);
    add_integer(report, "launch__shared_mem_per_block_driver", "byte/block", engine->device->shared_reserved_bytes,
                false);
    add_integer(report, "launch__shared_mem_per_block_allocated", "byte/block", o->shared_per_block_allocated_bytes,
                false);
    add_integer(report, "launch__occupancy_limit_blocks", "block", o->limit_blocks[SIM_LIMIT_BLOCKS], false);
    add_integer(report, "launch__occupancy_limit_warps", "block", o->limit_blocks[SIM_LIMIT_WARPS], false);
}

/* Of clusters that run at once, as the driver counts them; the share of the blocks that an SM may have. */
static void add_cluster_metrics(const struct sim_engine *engine, struct sim_report *report)
{
    const struct sim_device *d = engine->device;
    struct sim_cluster_occupancy c;
    if (!engine->has_clusters)
        return;
    sim_cluster_occupancy_compute(d, engine->occupancy.blocks_per_sm, engine->cluster_blocks, &c);
    add_integer(report, "launch__cluster_max_active", "cluster", c.max_active_clusters, true);
    add_integer(report, "launch__cluster_max_potential_size", "", d->max_cluster_blocks, true);
    add_real(report, "launch__occupancy_cluster_pct", "%",
             100.0 * c.max_active_clusters * c.cluster_blocks / ((double)d->max_blocks_per_sm * d->sm_count), true);
}

static void add_register_metrics(const struct sim_engine *engine, struct sim_report *report)
{
    const struct sim_occupancy *o = &engine->occupancy;
    if (!report->registers_given) {
        add_integer(report, "ir__registers_estimate", "register/thread", report->registers_per_thread, true);
    } else {
        add_integer(report, "launch__registers_per_thread", "register/thread", report->registers_per_thread, false);
        add_integer(report, "launch__occupancy_limit_registers", "block", o->limit_blocks[SIM_LIMIT_REGISTERS], false);
        if (o->blocks_per_sm > 0)
            add_real(report, "launch__waves_per_multiprocessor", "",
                     (double)engine->block_count / ((double)o->blocks_per_sm * engine->device->sm_count), false);
        add_real(report, "sm__maximum_warps_per_active_cycle_pct", "%", o->occupancy_pct, false);
    }
    if (o->shared_config_bytes > 0)
        add_integer(report, "launch__shared_mem_config_size", "byte", o->shared_config_bytes, true);
    if (o->limit_blocks[SIM_LIMIT_SHARED] != UINT32_MAX)
        add_integer(report, "launch__occupancy_limit_shared_mem", "block", o->limit_blocks[SIM_LIMIT_SHARED], true);
}

enum base_status sim_metrics_fill(const struct sim_engine *engine, struct sim_report *report)
{
    struct sums sums = {0};
    report->metrics = base_arena_alloc(&report->arena, MAX_METRICS, sizeof(*report->metrics));
    if (report->metrics == NULL)
        return BASE_NOMEM;
    enum base_status status = fill_rows(engine, report, &sums);
    if (status != BASE_OK)
        return status;
    add_memory_metrics(engine, report, &sums);
    if (engine->program->is_machine) {
        add_machine_metrics(report, &sums);
    } else {
        add_integer(report, "ir__inst_executed.sum", "inst", sums.inst, false);
        add_integer(report, "ir__thread_inst_executed.sum", "inst", sums.thread_inst, false);
    }
    add_arithmetic_metrics(engine, report, &sums);
    add_launch_metrics(engine, report);
    add_register_metrics(engine, report);
    add_cluster_metrics(engine, report);
    if (clock_came_to_the_end(engine)) {
        sim_clock_tell(engine, report);
        add_arithmetic_rates(report, &sums);
    }
    return report->arena.failed ? BASE_NOMEM : BASE_OK;
}
