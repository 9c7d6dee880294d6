/* One launch from door to door: check it, link the kernel, build the program, run the grid, make the report.
 *
 * sim_run() at the end reads as a table of contents. */
#include "sim/counters.h"
#include "sim/engine.h"

#include "sim/limits.h"
#include "sim/occupancy.h"
#include "sim/sass/sass.h"
#include "sim/target.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENGINE_LIMIT_BYTES UINT64_C(17179869184)
#define PRINT_LIMIT_BYTES  UINT64_C(16777216)
#define WORKSPACE_BYTES    4096u

struct launch_check {
    const struct isa_module *module;
    const struct isa_function *kernel;
    const struct sim_device *device;
    const struct sim_launch_text *launch;
    struct base_diags *diags;
    uint32_t cluster[3];
    bool bad;
};

#define REFUSE(check, ...) (base_diag_add((check)->diags, BASE_ERROR, NULL, 0, 0, __VA_ARGS__), (check)->bad = true)

static void check_grid(struct launch_check *c)
{
    const uint32_t *grid = c->launch->grid,
                   limit[3] = {c->device->max_grid_x, c->device->max_grid_y, c->device->max_grid_z};
    for (unsigned d = 0; d < 3; d++)
        if (grid[d] == 0 || grid[d] > limit[d])
            REFUSE(c, "grid %c is %u; the device takes 1 to %u", "xyz"[d], grid[d], limit[d]);
}

static void check_cluster(struct launch_check *c)
{
    for (unsigned d = 0; d < 3; d++)
        c->cluster[d] = c->launch->has_cluster ? c->launch->cluster[d] : 1;
    if (!sim_limits_cluster(c->device, c->kernel, c->launch->has_cluster, c->cluster, c->diags))
        c->bad = true;
    for (unsigned d = 0; d < 3 && !c->bad; d++)
        if (c->launch->grid[d] % c->cluster[d] != 0)
            REFUSE(c, "grid %c (%u) is not a multiple of the cluster's (%u)", "xyz"[d], c -> launch -> grid[d],
                   c -> cluster[d]);
}

/* ---- The report's fixed part ---- */

static const char *copy_text(struct base_arena *arena, const char *text)
{
    return text != NULL ? base_arena_strndup(arena, text, strlen(text)) : NULL;
}

const char *const sim_scheduler_names[SIM_SCHEDULER_COUNT] = {[SIM_SCHEDULER_LRR] = "lrr",
                                                              [SIM_SCHEDULER_GTO] = "gto",
                                                              [SIM_SCHEDULER_CGGTY] = "cggty",
                                                              [SIM_SCHEDULER_TWO_LEVEL] = "two-level"};

static void tell_option(struct sim_report *report, const char *name, const char *value)
{
    report->options[report->option_count++] = (struct sim_option_report){name, copy_text(&report->arena, value)};
}

/* Numbers that another option gave are not those of the device alone. */
static void tell_options(struct sim_report *report, const struct sim_launch_text *launch,
                         const struct sim_options *options)
{
    char text[40];
    if (options->cycles && options->scheduler != SIM_SCHEDULER_DEFAULT)
        tell_option(report, "scheduler", sim_scheduler_names[options->scheduler]);
    snprintf(text, sizeof(text), "shuffle:%" PRIu64, options->block_order_seed);
    if (options->cycles && options->shuffle_blocks)
        tell_option(report, "block-order", text);
    if (options->cycles && options->l2_changed)
        tell_option(report, "l2-start", "changed");
    snprintf(text, sizeof(text), "%" PRId32, launch->carveout_percent);
    if (launch->carveout_percent >= 0)
        tell_option(report, "carveout", text);
    if (options->bypass_l1)
        tell_option(report, "dlcm", "cg");
}

static void begin_report(struct sim_report *report, const struct isa_module *module, uint32_t kernel,
                         const struct sim_launch_text *launch, const struct sim_options *options)
{
    const struct sim_device *device = options->device;
    memset(report, 0, sizeof(*report));
    base_arena_init(&report->arena, 0);
    report->name = copy_text(&report->arena, launch->name);
    report->file = copy_text(&report->arena, launch->file != NULL ? launch->file : module->source.name);
    report->kernel = copy_text(&report->arena, module->functions[kernel].name);
    report->device = copy_text(&report->arena, device->name);
    report->form = module->form;
    tell_options(report, launch, options);
    report->cycles_mode = options->cycles;
    report->uncalibrated = options->cycles ? sim_device_uncalibrated(device) : NULL;
    memcpy(report->grid, launch->grid, sizeof(report->grid));
    memcpy(report->block, launch->block, sizeof(report->block));
    for (unsigned d = 0; d < 3; d++)
        report->cluster[d] = launch->has_cluster ? launch->cluster[d] : 1;
    report->shared_dynamic_bytes = launch->shared_bytes;
}

/* Puts the first error among the diagnostics into the report's message. */
static enum base_status refuse(struct sim_report *report, const struct base_diags *diags, enum base_status status)
{
    report->status = status == BASE_UNSUPPORTED ? SIM_RUN_UNSUPPORTED : SIM_RUN_INVALID;
    report->message = "the launch is not valid";
    for (size_t i = 0; diags != NULL && i < diags->count; i++)
        if (diags->items[i].severity == BASE_ERROR) {
            report->message = copy_text(&report->arena, diags->items[i].message);
            break;
        }
    return status;
}

/* ---- Occupancy, residency ---- */

static void fill_occupancy(struct sim_engine *engine, struct sim_report *report, const struct isa_linked *linked,
                           const struct isa_function *kernel)
{
    const struct sim_launch_text *launch = engine->launch;
    uint32_t regs = sim_launch_registers(engine->device, kernel, linked, launch->regs, engine->options->max_registers);
    report->registers_per_thread = regs;
    report->code_registers = kernel->machine != NULL && launch->regs == 0 ? kernel->machine->registers : 0;
    report->registers_given = launch->regs != 0 || (kernel->machine != NULL && kernel->machine->registers != 0);
    struct sim_occupancy_query query = {
        engine->block_threads, regs, linked->shared_static_bytes, launch->shared_bytes, launch->carveout_percent, 1};
    sim_occupancy_compute(engine->device, &query, &engine->occupancy);
    report->occupancy = engine->occupancy;
    report->occupancy_query = query;
    report->has_occupancy = true;
    uint64_t blocks = (uint64_t)engine->occupancy.blocks_per_sm * engine->device->sm_count;
    engine->resident_clusters = blocks;
    if (engine->has_clusters) {
        struct sim_cluster_occupancy clusters;
        sim_cluster_occupancy_compute(engine->device, engine->occupancy.blocks_per_sm, engine->cluster_blocks,
                                      &clusters);
        engine->resident_clusters = clusters.max_active_clusters;
    }
    if (engine->resident_clusters == 0)
        engine->resident_clusters = 1;
}

static void check_residency(struct launch_check *c, const struct sim_engine *engine)
{
    if (!engine->occupancy.launchable && c->launch->regs != 0)
        REFUSE(c, "no SM can hold a block of %u threads with %u registers each and %" PRIu64 " bytes of shared memory",
               engine->block_threads, c->launch->regs, engine->occupancy.shared_per_block_allocated_bytes);
    uint64_t room = (uint64_t)engine->occupancy.blocks_per_sm * engine->device->sm_count;
    if (engine->has_clusters)
        room = engine->resident_clusters * engine->cluster_blocks;
    if (c->launch->cooperative && engine->block_count > room)
        REFUSE(c, "a cooperative launch of %" PRIu64 " blocks; %s holds %" PRIu64 " at once (%u on each of %u SMs)",
               engine->block_count, engine->device->name, room, engine->occupancy.blocks_per_sm,
               engine->device->sm_count);
}

/* ---- Run ---- */

static void set_up_engine(struct sim_engine *engine, const struct sim_options *options,
                          const struct sim_launch_text *launch, struct sim_memory *memory, const uint32_t cluster[3])
{
    memset(engine, 0, sizeof(*engine));
    engine->device = options->device;
    engine->options = options;
    engine->launch = launch;
    engine->memory = memory;
    memcpy(engine->grid, launch->grid, sizeof(engine->grid));
    memcpy(engine->block_dim, launch->block, sizeof(engine->block_dim));
    memcpy(engine->cluster_dim, cluster, sizeof(engine->cluster_dim));
    engine->block_threads = (uint32_t)sim_limits_product(launch->block);
    engine->warps_per_block = (engine->block_threads + 31) / 32;
    engine->cluster_blocks = (uint32_t)sim_limits_product(cluster);
    engine->has_clusters =
        engine->device->cluster_blocks_per_sm > 0 && (launch->has_cluster || engine->cluster_blocks > 1);
    engine->block_count = sim_limits_product(launch->grid);
    engine->plain = sim_plain_rules(engine->device);
    engine->limit = options->max_instructions != 0 ? options->max_instructions : UINT64_MAX;
    engine->limit_bytes = options->memory_limit_bytes != 0 ? options->memory_limit_bytes : ENGINE_LIMIT_BYTES;
    engine->printed.limit_bytes =
        (size_t)(options->print_limit_bytes != 0 ? options->print_limit_bytes : PRINT_LIMIT_BYTES);
}

/* The grid's workspace that cooperative groups find through %envreg1/2: its size, then the barrier's word. */
static enum base_status make_workspace(struct sim_engine *engine)
{
    if (!engine->launch->cooperative)
        return BASE_OK;
    enum base_status status =
        sim_memory_alloc(engine->memory, WORKSPACE_BYTES, "the grid's workspace", &engine->workspace);
    if (status == BASE_OK) {
        uint32_t size = WORKSPACE_BYTES;
        memcpy(sim_memory_at(engine->memory, engine->workspace, 4), &size, 4);
    }
    return status;
}

static void report_fault(const struct sim_engine *engine, const struct isa_module *module, struct sim_report *report)
{
    const struct sim_fault *fault = &engine->fault;
    report->status = SIM_RUN_FAULT;
    report->has_fault = true;
    report->fault = *fault;
    report->message = copy_text(&report->arena, fault->message);
    const struct isa_function *function = &module->functions[fault->function];
    if (fault->insn >= function->insn_count)
        return;
    const struct isa_insn *insn = &function->insns[fault->insn];
    const char *file = NULL;
    isa_insn_location(module, insn, &file, &report->fault_line);
    report->fault_file = copy_text(&report->arena, file);
    struct base_strbuf text = {0};
    isa_print_insn(module, function, insn, &text);
    report->fault_text = copy_text(&report->arena, text.data != NULL ? text.data : "");
    base_strbuf_free(&text);
    for (uint32_t c = 1; c < engine->program->counter_count; c++)
        if (engine->program->counter_function[c] == fault->function && engine->program->counter_insn[c] == fault->insn)
            report->fault_pc = sim_program_pc(engine->program, c);
}

static void report_buffers(const struct sim_bound *bound, const struct sim_memory *memory, struct sim_report *report)
{
    size_t count = 0;
    report->buffers = base_arena_alloc(&report->arena, bound != NULL ? bound->arg_count : 0, sizeof(*report->buffers));
    for (size_t i = 0; bound != NULL && report->buffers != NULL && i < bound->arg_count; i++) {
        const struct sim_bound_arg *arg = &bound->args[i];
        if (!arg->has_buffer)
            continue;
        const uint8_t *data = sim_memory_at(memory, arg->address, arg->size_bytes);
        report->buffers[count++] =
            (struct sim_buffer_report){(uint32_t)i, arg->type, arg->size_bytes,
                                       data != NULL ? sim_fnv1a64(data, arg->size_bytes) : 0, arg->address};
    }
    report->buffer_count = count;
}

static void report_printed(struct sim_engine *engine, struct sim_report *report)
{
    report->printed_length = engine->printed.length;
    report->printed_cut = engine->printed_cut;
    report->printed = engine->printed.length > 0
                          ? base_arena_strndup(&report->arena, engine->printed.data, engine->printed.length)
                          : NULL;
}

static enum base_status run_engine(struct sim_engine *engine, const struct isa_module *module,
                                   const struct sim_bound *bound, struct sim_report *report)
{
    enum sim_level level = sim_exec_best_level();
    engine->lanes = sim_lanes_find(level);
    engine->counts = sim_engine_alloc(engine, engine->program->counter_count, sizeof(*engine->counts));
    engine->hints = sim_engine_alloc(engine, engine->program->counter_count, sizeof(*engine->hints));
    if (engine->counts == NULL || engine->hints == NULL || sim_check_begin(engine) != BASE_OK) {
        free(engine->counts);
        free(engine->hints);
        return BASE_NOMEM;
    }
    if (engine->options->cycles)
        sim_clock_run(engine);
    else
        sim_grid_run(engine);
    sim_count_fold(engine->counts, engine->program->counter_count);
    enum base_status status = engine->out_of_memory && engine->fault.kind == SIM_FAULT_NONE ? BASE_NOMEM : BASE_OK;
    if (status == BASE_OK) {
        if (engine->fault.kind != SIM_FAULT_NONE)
            report_fault(engine, module, report);
        report_printed(engine, report);
        report_buffers(bound, engine->memory, report);
        status = sim_metrics_fill(engine, report);
    }
    if (status == BASE_OK)
        status = sim_check_tell(engine, report);
    base_strbuf_free(&engine->printed);
    sim_builtin_free(engine);
    sim_clock_free(engine);
    sim_check_end(engine);
    free(engine->counts);
    free(engine->hints);
    return status;
}

static enum base_status build_program(const struct sim_engine *engine, struct sim_program *program,
                                      const struct isa_module *module, const struct isa_linked *linked,
                                      const struct sim_bound *bound, struct base_arena *arena, struct base_diags *diags)
{
    enum sim_level level = sim_exec_best_level();
    if (module->form != ISA_FORM_SASS)
        return sim_program_build(program, module, linked, bound, engine->device, engine->memory, level, arena, diags);
    struct sim_sass_launch launch = {.grid = engine->grid,
                                     .block = engine->block_dim,
                                     .cluster = engine->cluster_dim,
                                     .explicit_cluster = engine->launch->has_cluster || engine->cluster_blocks > 1,
                                     .shared_dynamic_bytes = engine->launch->shared_bytes,
                                     .workspace = engine->workspace};
    return sim_sass_build(program, module, linked, bound, &launch, engine->device, engine->memory, level, arena, diags);
}

enum base_status sim_run(const struct isa_module *module, uint32_t kernel, const struct sim_launch_text *launch,
                         const struct sim_bound *bound, struct sim_memory *memory, const struct sim_options *options,
                         struct sim_report *report, struct base_diags *diags)
{
    struct launch_check check = {module, &module->functions[kernel], options->device, launch, diags, {1, 1, 1}, false};
    struct base_arena arena;
    struct isa_linked linked = {0};
    struct sim_program program;
    struct sim_engine engine;
    begin_report(report, module, kernel, launch, options);
    base_arena_init(&arena, 0);
    check.bad = !sim_target_check(module, options->device, diags);
    check.bad |= !sim_limits_block(options->device, check.kernel, launch->block, diags);
    check_grid(&check);
    check_cluster(&check);
    enum base_status status = check.bad ? BASE_INVALID : isa_link(module, kernel, &arena, &linked, diags);
    if (status == BASE_OK) {
        memcpy(report->cluster, check.cluster, sizeof(report->cluster));
        report->shared_static_bytes = linked.shared_static_bytes;
        if (!sim_limits_shared(options->device, linked.shared_static_bytes, launch->shared_bytes, diags))
            check.bad = true;
        set_up_engine(&engine, options, launch, memory, check.cluster);
        if (!check.bad) {
            fill_occupancy(&engine, report, &linked, check.kernel);
            check_residency(&check, &engine);
        }
        status = check.bad ? BASE_INVALID : BASE_OK;
    }
    if (status == BASE_OK)
        status = make_workspace(&engine);
    if (status == BASE_OK)
        status = build_program(&engine, &program, module, &linked, bound, &arena, diags);
    if (status == BASE_OK) {
        engine.program = &program;
        engine.shared_bytes = program.shared_base + program.shared_static_bytes + launch->shared_bytes;
        status = run_engine(&engine, module, bound, report);
    }
    base_arena_free(&arena);
    if (status == BASE_INVALID || status == BASE_UNSUPPORTED)
        return refuse(report, diags, status);
    if (status == BASE_NOMEM) {
        report->status = SIM_RUN_INVALID;
        report->message = "out of memory: registers, shared and local memory of the resident blocks do not fit";
    }
    return status;
}
