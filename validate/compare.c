/* See compare.h. */
#include "validate/compare.h"

#include "report/report.h"
#include "sim/device.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_LIMIT_BYTES ((size_t)4 << 30)
/* Binary fractions that were added up in another order. */
#define SAME_REAL 1e-9

struct comparer {
    struct validate_comparison *out;
    const struct validate_options *options;
    bool failed; /* no memory */
};

static const char *keep(struct comparer *c, struct base_strbuf *text)
{
    const char *kept =
        text->failed ? NULL : base_arena_strndup(&c->out->arena, text->data ? text->data : "", text->length);
    base_strbuf_free(text);
    c->failed = c->failed || !kept;
    return kept ? kept : "";
}

static const char *show(struct comparer *c, const struct validate_value *value, bool to_the_end)
{
    struct base_strbuf out = {0};
    const struct sim_metric metric = {
        .name = value->name, .is_integer = value->is_integer, .integer = value->integer, .real = value->real};
    (to_the_end ? report_metric_value : report_metric_shown)(&out, &metric);
    return keep(c, &out);
}

/* ---- One metric ---- */

/* Equal within the digits that are shown. */
static bool is_equal(const struct validate_value *a, const struct validate_value *b)
{
    if (a->is_integer && b->is_integer)
        return a->integer == b->integer;
    double half_step = (a->step + b->step) / 2;
    return fabs(a->real - b->real) <= half_step * (1 + SAME_REAL) + SAME_REAL * fabs(b->real);
}

static double tolerance_of(const struct comparer *c, const char *metric, const struct validate_metric_class *class,
                           double *slack)
{
    for (size_t i = c->options->tolerance_count; i > 0; i--) {
        if (validate_pattern_fits(c->options->tolerances[i - 1].pattern, metric)) {
            *slack = 0;
            return c->options->tolerances[i - 1].pct;
        }
    }
    *slack = c->out->both_simulated ? 0 : class->slack;
    return c->out->both_simulated ? 0 : class->tolerance_pct;
}

static struct validate_row metric_row(struct comparer *c, const struct validate_value *sim,
                                      const struct validate_value *gpu)
{
    const struct validate_metric_class *class = validate_class_of(sim->name);
    const bool both = c->out->both_simulated;
    const double change = both ? gpu->real - sim->real : sim->real - gpu->real, of = fabs(both ? sim->real : gpu->real);
    double slack = 0;
    struct validate_row row = {.name = sim->name,
                               .unit = gpu->unit,
                               .class = class->class,
                               .sim_shown = show(c, sim, false),
                               .gpu_shown = show(c, gpu, false),
                               .is_number = true,
                               .sim = sim->real,
                               .gpu = gpu->real,
                               .error_pct = change == 0 ? 0 : NAN};
    if (!is_equal(sim, gpu) && row.sim_shown && row.gpu_shown && strcmp(row.sim_shown, row.gpu_shown) == 0) {
        row.sim_shown = show(c, sim, true); /* what differs is told so that it shows */
        row.gpu_shown = show(c, gpu, true);
    }
    if (of != 0)
        row.error_pct = 100 * change / of;
    row.tolerance_pct = tolerance_of(c, sim->name, class, &slack);
    double allowed = row.tolerance_pct / 100 * of + slack;
    bool agrees = is_equal(sim, gpu) || (allowed > 0 && fabs(change) <= allowed + gpu->step / 2);
    row.verdict = agrees ? VALIDATE_AGREES : VALIDATE_DIFFERS;
    return row;
}

/* ---- One launch ---- */

static void add_row(struct comparer *c, struct validate_pair *pair, struct validate_row row,
                    const struct validate_launch *machine)
{
    if (row.verdict == VALIDATE_DIFFERS && !c->out->both_simulated) {
        row.reason = validate_reason(c->out, pair, &row, machine);
        row.verdict = row.reason ? VALIDATE_EXPLAINED : row.verdict;
    }
    struct validate_tally *tallies[] = {row.class == VALIDATE_EXACT ? &pair->exact : &pair->modelled,
                                        row.class == VALIDATE_EXACT ? &c->out->exact : &c->out->modelled};
    for (size_t i = 0; i < 2; i++) {
        tallies[i]->agree += row.verdict == VALIDATE_AGREES;
        tallies[i]->explained += row.verdict == VALIDATE_EXPLAINED;
        tallies[i]->differ += row.verdict == VALIDATE_DIFFERS;
    }
    if (!base_vec_push(&pair->rows, row))
        c->failed = true;
}

/* Texts that must be the same. */
static void add_text_row(struct comparer *c, struct validate_pair *pair, const char *name, const char *sim,
                         const char *gpu, const struct validate_launch *machine)
{
    const struct validate_row row = {.name = name,
                                     .unit = "",
                                     .class = VALIDATE_EXACT,
                                     .sim_shown = sim,
                                     .gpu_shown = gpu,
                                     .error_pct = NAN,
                                     .verdict = strcmp(sim, gpu) == 0 ? VALIDATE_AGREES : VALIDATE_DIFFERS};
    add_row(c, pair, row, machine);
}

static const char *dims_of(struct comparer *c, const struct validate_launch *launch)
{
    struct base_strbuf out = {0};
    base_strbuf_printf(&out, "(%u, %u, %u)x(%u, %u, %u)", launch->grid[0], launch->grid[1], launch->grid[2],
                       launch->block[0], launch->block[1], launch->block[2]);
    return keep(c, &out);
}

static const char *hash_of(struct comparer *c, const struct validate_buffer *buffer)
{
    struct base_strbuf out = {0};
    base_strbuf_printf(&out, "%016" PRIx64, buffer->fnv1a64);
    return keep(c, &out);
}

static const struct validate_buffer *buffer_of(const struct validate_buffer *buffers, size_t count, uint32_t arg)
{
    for (size_t i = 0; i < count; i++)
        if (buffers[i].arg == arg)
            return &buffers[i];
    return NULL;
}

/* Either may be NULL: that side has no such buffer. */
static void compare_buffer(struct comparer *c, struct validate_pair *pair, const struct validate_buffer *sim,
                           const struct validate_buffer *gpu, const struct validate_launch *machine)
{
    struct base_strbuf name = {0};
    base_strbuf_printf(&name, "buffer of argument %" PRIu32, sim ? sim->arg : gpu->arg);
    const bool other_size = sim && gpu && sim->bytes != gpu->bytes;
    add_text_row(c, pair, keep(c, &name), sim ? hash_of(c, sim) : "none",
                 other_size ? "another size"
                 : gpu      ? hash_of(c, gpu)
                            : "none",
                 machine);
}

/* A GPU's runner may have told of some buffers only; two simulations tell all. */
static void compare_buffers(struct comparer *c, struct validate_pair *pair, const struct validate_buffer *buffers,
                            size_t count, const struct validate_launch *machine)
{
    const struct validate_launch *sim = pair->sim;
    const bool all = c->out->both_simulated && !c->options->outputs;
    for (size_t i = 0; i < sim->buffer_count; i++) {
        const struct validate_buffer *gpu = buffer_of(buffers, count, sim->buffers[i].arg);
        if (gpu || all)
            compare_buffer(c, pair, &sim->buffers[i], gpu, machine);
    }
    for (size_t i = 0; i < count && all; i++)
        if (!buffer_of(sim->buffers, sim->buffer_count, buffers[i].arg))
            compare_buffer(c, pair, NULL, &buffers[i], machine);
}

static const struct validate_launch *named(const struct validate_launch *launches, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(launches[i].name, name) == 0)
            return &launches[i];
    return NULL;
}

static void compare_metrics(struct comparer *c, struct validate_pair *pair, enum validate_class class,
                            const struct validate_launch *machine)
{
    if (!(c->options->classes & class))
        return;
    for (size_t i = 0; i < pair->sim->value_count; i++) {
        const struct validate_value *sim = &pair->sim->values[i], *gpu = validate_value_find(pair->gpu, sim->name);
        if (validate_class_of(sim->name)->class != class)
            continue;
        pair->only_sim += gpu == NULL;
        if (gpu)
            add_row(c, pair, metric_row(c, sim, gpu), machine);
    }
    for (size_t i = 0; i < pair->gpu->value_count; i++) {
        const char *name = pair->gpu->values[i].name;
        pair->only_gpu += validate_class_of(name)->class == class && !validate_value_find(pair->sim, name);
    }
}

/* What two simulations must have in common for their figures to be of the same thing; told where it differs. */
static void compare_conditions(struct comparer *c, struct validate_pair *pair)
{
    const struct validate_launch *a = pair->sim, *b = pair->gpu;
    const char *const rows[][3] = {
        {"device", a->device, b->device}, {"mode", a->mode, b->mode}, {"form", a->form, b->form}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i][1], rows[i][2]) != 0)
            add_text_row(c, pair, rows[i][0], rows[i][1], rows[i][2], NULL);
    if (strcmp(a->options, b->options) == 0)
        return;
    struct validate_row row = {.name = "options",
                               .unit = "",
                               .class = VALIDATE_EXACT,
                               .sim_shown = a->options[0] != '\0' ? a->options : "default",
                               .gpu_shown = b->options[0] != '\0' ? b->options : "default",
                               .error_pct = NAN,
                               .verdict = VALIDATE_EXPLAINED,
                               .reason = "they were run with other options, which figures that differ may come of"};
    add_row(c, pair, row, NULL);
}

static void compare_pair(struct comparer *c, struct validate_pair *pair)
{
    const struct validate_options *o = c->options;
    if (c->out->both_simulated)
        compare_conditions(c, pair);
    const struct validate_launch *machine =
        o->machine ? named(o->machine->launches.data, o->machine->launches.count, pair->sim->name) : NULL;
    if (c->options->classes & VALIDATE_EXACT) {
        const struct validate_launch *outputs =
            o->outputs ? named(o->outputs->launches.data, o->outputs->launches.count, pair->sim->name) : NULL;
        if (c->out->both_simulated)
            add_text_row(c, pair, "status", pair->sim->status, pair->gpu->status, NULL);
        if (pair->sim->has_grid && pair->gpu->has_grid)
            add_text_row(c, pair, "grid x block", dims_of(c, pair->sim), dims_of(c, pair->gpu), NULL);
        if (outputs)
            compare_buffers(c, pair, outputs->buffers, outputs->buffer_count, machine);
        else
            compare_buffers(c, pair, pair->gpu->buffers, pair->gpu->buffer_count, machine);
    }
    compare_metrics(c, pair, VALIDATE_EXACT, machine);
    compare_metrics(c, pair, VALIDATE_MODELLED, machine);
}

/* ---- The right card ---- */

static bool wrong_card(const struct validate_comparison *out, const struct validate_launch *sim,
                       const struct validate_launch *gpu, struct base_diags *diags)
{
    const struct sim_device *device = sim_device_find(sim->device);
    const struct validate_value *sms = validate_value_find(gpu, "device__attribute_multiprocessor_count");
    if (out->both_simulated || !device)
        return false;
    const char *card = gpu->card[0] != '\0' ? gpu->card : "a card";
    if (gpu->has_compute &&
        (gpu->compute_major != device->compute_major || gpu->compute_minor != device->compute_minor))
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0,
                      "%s is of %s of compute capability %u.%u, %s of %s, which has %u.%u: simulate that card "
                      "(--device)",
                      out->gpu->name, card, gpu->compute_major, gpu->compute_minor, out->sim->name, device->product,
                      device->compute_major, device->compute_minor);
    else if (sms && sms->is_integer && sms->integer != device->sm_count)
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0,
                      "%s is of %s with %" PRIu64 " SMs, %s of %s, which has %u: simulate that card (--device)",
                      out->gpu->name, card, sms->integer, out->sim->name, device->product, device->sm_count);
    else
        return false;
    return true;
}

enum base_status validate_compare(const struct validate_measure *sim, const struct validate_measure *gpu,
                                  const struct validate_options *options, struct validate_comparison *out,
                                  struct base_diags *diags)
{
    struct comparer c = {.out = out, .options = options};
    *out = (struct validate_comparison){
        .sim = sim, .gpu = gpu, .classes = options->classes, .both_simulated = gpu->origin == VALIDATE_SIMTLAB};
    base_arena_init(&out->arena, ARENA_LIMIT_BYTES);
    if (sim->origin != VALIDATE_SIMTLAB) {
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0,
                      "%s is ncu's; the first file is the simulation's: JSON of simtlab run or batch", sim->name);
        return BASE_INVALID;
    }
    enum base_status status = validate_pair_up(sim, gpu, options->match, out, diags);
    for (size_t i = 0; status == BASE_OK && i < out->pairs.count; i++) {
        if (wrong_card(out, out->pairs.data[i].sim, out->pairs.data[i].gpu, diags))
            return BASE_INVALID;
        compare_pair(&c, &out->pairs.data[i]);
        if (c.failed)
            return BASE_NOMEM;
    }
    return status;
}

void validate_comparison_free(struct validate_comparison *comparison)
{
    for (size_t i = 0; i < comparison->pairs.count; i++)
        base_vec_free(&comparison->pairs.data[i].rows);
    base_vec_free(&comparison->pairs);
    base_vec_free(&comparison->alone);
    base_arena_free(&comparison->arena);
}
