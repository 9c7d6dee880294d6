/* The JSON report: schema and key order as in the manual page. Each static function makes one member's value; jansson
 * keeps members in the order they are added and writes them. */
#include "report/report.h"

#include "report/advice.h"
#include "report/json_value.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const status_names[] = {
    [SIM_RUN_OK] = "ok",
    [SIM_RUN_FAULT] = "fault",
    [SIM_RUN_UNSUPPORTED] = "unsupported",
    [SIM_RUN_INVALID] = "invalid",
};

static const char *const space_names[ISA_SPACE_COUNT] = {
    [ISA_SPACE_GENERIC] = NULL,    [ISA_SPACE_GLOBAL] = "global",
    [ISA_SPACE_SHARED] = "shared", [ISA_SPACE_SHARED_CLUSTER] = "shared::cluster",
    [ISA_SPACE_LOCAL] = "local",   [ISA_SPACE_CONST] = "const",
    [ISA_SPACE_PARAM] = "param",
};

static void set_address(json_t *object, bool has_address, uint64_t address, uint8_t space, bool *failed)
{
    char text[32];
    if (!has_address)
        return;
    snprintf(text, sizeof(text), "0x%" PRIx64, address);
    set(object, "address", json_name(text), failed);
    if (space < ISA_SPACE_COUNT)
        set_name(object, "space", space_names[space], failed);
}

static json_t *json_fault(const struct sim_report *report, bool *failed)
{
    const struct sim_fault *fault = &report->fault;
    json_t *object = json_object();
    set(object, "kind", json_name(sim_fault_kind_name(fault->kind)), failed);
    set_name(object, "file", report->fault_file, failed);
    if (report->fault_line > 0)
        set(object, "line", json_count(report->fault_line), failed);
    set(object, "pc", json_count(report->fault_pc), failed);
    set(object, "block", json_dim3(fault->block), failed);
    set(object, "thread", json_dim3(fault->thread), failed);
    set_address(object, fault->has_address, fault->address, fault->space, failed);
    set_name(object, "nearest", fault->nearest, failed);
    return object;
}

static json_t *json_finding_thread(const struct sim_finding *finding, const struct sim_finding_thread *thread,
                                   bool *failed)
{
    json_t *object = json_object();
    set(object, "kind", json_name(sim_access_name(thread->access)), failed);
    set_name(object, "file", thread->file, failed);
    if (thread->line > 0)
        set(object, "line", json_count(thread->line), failed);
    set(object, "pc", json_count(thread->pc), failed);
    set(object, "block", json_dim3(thread->block), failed);
    set(object, "thread", json_dim3(thread->thread), failed);
    set_address(object, finding->has_address, finding->address, finding->space, failed);
    set_name(object, "nearest", finding->nearest, failed);
    return object;
}

static json_t *json_findings(const struct sim_report *report, bool *failed)
{
    json_t *array = json_array();
    for (size_t i = 0; i < report->finding_count; i++) {
        const struct sim_finding *finding = &report->findings[i];
        json_t *object = json_object();
        set(object, "check", json_name(finding->check), failed);
        set(object, "kind", json_name(finding->kind), failed);
        set(object, "count", json_count(finding->count), failed);
        set_name(object, "message", finding->message, failed);
        set(object, "first", json_finding_thread(finding, &finding->first, failed), failed);
        if (finding->has_other)
            set(object, "other", json_finding_thread(finding, &finding->other, failed), failed);
        if (json_array_append_new(array, object) != 0)
            *failed = true;
    }
    return array;
}

static json_t *json_launch(const struct sim_report *report, bool *failed)
{
    json_t *object = json_object();
    set(object, "grid", json_dim3(report->grid), failed);
    set(object, "block", json_dim3(report->block), failed);
    set(object, "cluster", json_dim3(report->cluster), failed);
    set(object, "shared_static", json_count(report->shared_static_bytes), failed);
    set(object, "shared_dynamic", json_count(report->shared_dynamic_bytes), failed);
    if (report->registers_per_thread > 0)
        set(object, "registers_per_thread", json_count(report->registers_per_thread), failed);
    return object;
}

static void set_room(json_t *object, uint32_t blocks, uint32_t warps, double pct, bool *failed)
{
    set(object, "blocks_per_sm", json_count(blocks), failed);
    set(object, "warps_per_sm", json_count(warps), failed);
    set(object, "occupancy_pct", json_real(pct), failed);
}

static json_t *json_steps(const struct sim_occupancy_study *study, bool *failed)
{
    json_t *array = json_array();
    for (unsigned i = 0; i < 2 * SIM_AXIS_COUNT; i++) {
        const struct sim_occupancy_step *step = &study->steps[i];
        if (!step->is_possible)
            continue;
        json_t *object = json_object();
        set(object, "resource", json_name(sim_occupancy_axis_names[step->axis]), failed);
        set(object, "change", json_name(step->is_more ? "more" : "less"), failed);
        set(object, "value", json_count(step->value), failed);
        set_room(object, step->blocks_per_sm, step->warps_per_sm, step->occupancy_pct, failed);
        if (json_array_append_new(array, object) != 0)
            *failed = true;
    }
    return array;
}

static json_t *json_curve(const struct sim_occupancy_curve *curve, bool *failed)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < curve->count; i++) {
        const struct sim_occupancy_piece *piece = &curve->pieces[i];
        json_t *object = json_object();
        set(object, "from", json_count(piece->from), failed);
        set(object, "to", json_count(piece->to), failed);
        set_room(object, piece->blocks_per_sm, piece->warps_per_sm, piece->occupancy_pct, failed);
        if (json_array_append_new(array, object) != 0)
            *failed = true;
    }
    return array;
}

static json_t *json_cluster(const struct sim_occupancy_study *study, bool *failed)
{
    const struct sim_cluster_occupancy *cluster = &study->cluster;
    json_t *object = json_object(), *gpcs = json_array();
    set(object, "blocks", json_count(cluster->cluster_blocks), failed);
    set(object, "max_active", json_count(cluster->max_active_clusters), failed);
    set(object, "portable", json_boolean(cluster->is_portable), failed);
    for (uint32_t g = 0; g < cluster->gpc_count; g++) {
        json_t *gpc = json_object();
        set(gpc, "sms", json_count(cluster->gpc_sms[g]), failed);
        set(gpc, "clusters", json_count(cluster->gpc_clusters[g]), failed);
        if (json_array_append_new(gpcs, gpc) != 0)
            *failed = true;
    }
    set(object, "gpcs", gpcs, failed);
    return object;
}

/* What only simtlab occupancy tells. */
static void set_study(json_t *object, const struct report_occupancy *query, bool *failed)
{
    const struct sim_occupancy_study *study = query->study;
    json_t *curves = query->curves ? json_object() : NULL;
    set(object, "max_warps_per_sm", json_count(study->device->max_warps_per_sm), failed);
    set(object, "shared_default_max", json_count(study->device->shared_per_block_bytes), failed);
    set(object, "shared_optin_max", json_count(study->device->shared_per_block_optin_bytes), failed);
    if (study->max_cluster_blocks > 1)
        set(object, "cluster", json_cluster(study, failed), failed);
    set(object, "steps", json_steps(study, failed), failed);
    for (unsigned axis = 0; axis < SIM_AXIS_COUNT && query->curves; axis++)
        set(curves, sim_occupancy_axis_names[axis], json_curve(&study->curves[axis], failed), failed);
    if (query->curves)
        set(object, "curves", curves, failed);
    static const char *const sources[] = {[REPORT_REGISTERS_GIVEN] = "given",
                                          [REPORT_REGISTERS_OF_PTX] = "estimate from the PTX",
                                          [REPORT_REGISTERS_OF_LISTING] = "estimate from the listing",
                                          [REPORT_REGISTERS_ASSUMED] = "assumed"};
    set_name(object, "registers_from", query->code_registers > 0 ? "machine code" : sources[query->registers_from],
             failed);
    if (query->code_registers > 0)
        set(object, "registers_of_code", json_count(query->code_registers), failed);
    set_name(object, "file", query->file, failed);
    set_name(object, "kernel", query->kernel, failed);
}

static json_t *json_occupancy(const struct report_occupancy *query, bool *failed)
{
    const struct sim_occupancy *occupancy = query->occupancy;
    json_t *object = json_object(), *limiters = json_array(), *limits = json_object();
    set(object, "device", json_name(query->device), failed);
    set(object, "block", json_count(query->block_threads), failed);
    set(object, "registers_per_thread", json_count(query->registers_per_thread), failed);
    set(object, "shared_per_block", json_count(query->shared_per_block_bytes), failed);
    set_room(object, occupancy->blocks_per_sm, occupancy->warps_per_sm, occupancy->occupancy_pct, failed);
    set(object, "limiter", json_name(sim_limiter_names[occupancy->limiter]), failed);
    for (unsigned i = 0; i < SIM_LIMIT_COUNT; i++) {
        if ((occupancy->limiter_mask >> i & 1) && json_array_append_new(limiters, json_name(sim_limiter_names[i])) != 0)
            *failed = true;
        if (occupancy->limit_blocks[i] != UINT32_MAX)
            set(limits, sim_limiter_names[i], json_count(occupancy->limit_blocks[i]), failed);
    }
    set(object, "limiters", limiters, failed);
    set(object, "limits", limits, failed);
    set(object, "threads_per_sm", json_count((uint64_t)occupancy->blocks_per_sm * query->block_threads), failed);
    set(object, "shared_allocated", json_count(occupancy->shared_per_block_allocated_bytes), failed);
    set(object, "shared_config", json_count(occupancy->shared_config_bytes), failed);
    set(object, "shared_optin_needed", json_boolean(occupancy->needs_optin), failed);
    if (query->study != NULL)
        set_study(object, query, failed);
    return object;
}

static json_t *json_metrics(const struct sim_report *report, bool *failed)
{
    json_t *object = json_object();
    for (size_t i = 0; i < report->metric_count; i++) {
        const struct sim_metric *metric = &report->metrics[i];
        set(object, metric->name, metric->is_integer ? json_count(metric->integer) : json_real(metric->real), failed);
    }
    return object;
}

static json_t *json_insn(const struct sim_insn_report *insn, bool *failed)
{
    json_t *object = json_object();
    set(object, "pc", json_count(insn->pc), failed);
    set_name(object, "text", insn->text, failed);
    set_name(object, "file", insn->file, failed);
    if (insn->line > 0)
        set(object, "line", json_count(insn->line), failed);
    set(object, "executed", json_count(insn->executed), failed);
    set(object, "thread_executed", json_count(insn->thread_executed), failed);
    set(object, "predicated_off", json_count(insn->predicated_off), failed);
    if (insn->is_global || insn->is_shared)
        set(object, "requests", json_count(insn->requests), failed);
    if (insn->is_global) {
        set(object, "sectors", json_count(insn->sectors), failed);
        set(object, "sectors_ideal", json_count(insn->sectors_ideal), failed);
    }
    if (insn->is_shared) {
        set(object, "wavefronts", json_count(insn->wavefronts), failed);
        set(object, "wavefronts_ideal", json_count(insn->wavefronts_ideal), failed);
    }
    if (insn->has_stalls) {
        json_t *stalls = json_object();
        for (unsigned i = 0; i < SIM_STALL_COUNT; i++)
            if (insn->stalls[i] > 0)
                set(stalls, sim_stall_names[i], json_count(insn->stalls[i]), failed);
        set(object, "stalls", stalls, failed);
    }
    return object;
}

static json_t *json_insns(const struct sim_report *report, bool *failed)
{
    json_t *array = json_array();
    for (size_t i = 0; i < report->insn_count; i++) {
        if (json_array_append_new(array, json_insn(&report->insns[i], failed)) != 0)
            *failed = true;
    }
    return array;
}

static json_t *json_buffers(const struct sim_report *report, bool *failed)
{
    json_t *array = json_array();
    for (size_t i = 0; i < report->buffer_count; i++) {
        const struct sim_buffer_report *buffer = &report->buffers[i];
        char hash[24];
        snprintf(hash, sizeof(hash), "%016" PRIx64, buffer->fnv1a64);
        json_t *object = json_object();
        set(object, "arg", json_count(buffer->arg), failed);
        set(object, "type", json_name(isa_types[buffer->type].name), failed);
        set(object, "bytes", json_count(buffer->bytes), failed);
        set(object, "fnv1a64", json_name(hash), failed);
        if (json_array_append_new(array, object) != 0)
            *failed = true;
    }
    return array;
}

static json_t *json_sentence(struct base_strbuf *text, bool *failed)
{
    json_t *value = text->failed ? NULL : json_text(text->data ? text->data : "", text->length);
    *failed = *failed || text->failed;
    base_strbuf_free(text);
    return value;
}

static json_t *json_numbers(const struct advise_finding *finding, bool *failed)
{
    json_t *object = json_object();
    for (uint32_t i = 0; i < finding->number_count; i++) {
        const struct advise_number *number = &finding->numbers[i];
        set(object, number->name,
            number->kind == ADVISE_TEXT    ? json_name(number->text)
            : number->kind == ADVISE_COUNT ? json_count(number->count)
                                           : json_real(number->real),
            failed);
    }
    return object;
}

static json_t *json_finding(const struct advise_finding *finding, enum advise_language language, bool *failed)
{
    json_t *object = json_object(), *cures = json_array();
    struct base_strbuf text = {0};
    set(object, "rule", json_name(advise_rule_names[finding->rule]), failed);
    set(object, "severity", json_name(advise_severity_names[finding->severity]), failed);
    set_name(object, "file", finding->file, failed);
    if (finding->line > 0)
        set(object, "line", json_count(finding->line), failed);
    if (finding->has_pc)
        set(object, "pc", json_count(finding->pc), failed);
    set(object, "title", json_name(advise_word(finding->title, language)), failed);
    report_advice_what(finding, language, &text);
    set(object, "what", json_sentence(&text, failed), failed);
    for (uint32_t i = 0; i < finding->cure_count; i++) {
        report_advice_cure(finding, i, language, &text);
        if (json_array_append_new(cures, json_sentence(&text, failed)) != 0)
            *failed = true;
    }
    set(object, "cures", cures, failed);
    set(object, "numbers", json_numbers(finding, failed), failed);
    return object;
}

static json_t *json_advice(const struct report_advice *advice, bool *failed)
{
    json_t *array = json_array();
    for (size_t i = 0; i < advice->findings->count; i++) {
        if (json_array_append_new(array, json_finding(&advice->findings->items[i], advice->language, failed)) != 0)
            *failed = true;
    }
    return array;
}

static int append(const char *text, size_t length, void *user)
{
    base_strbuf_append(user, text, length);
    return 0;
}

/* Takes the object over. Fifteen digits print the same with every version of jansson. */
static void dump(json_t *object, bool failed, struct base_strbuf *out)
{
    if (failed || !object || json_dump_callback(object, append, out, JSON_REAL_PRECISION(15)) != 0)
        out->failed = true;
    base_strbuf_putc(out, '\n');
    json_decref(object);
}

static void set_identity(const struct sim_report *report, const char *version, json_t *object, bool *failed)
{
    set(object, "schema", json_integer(REPORT_SCHEMA), failed);
    set(object, "simtlab", json_name(version), failed);
    set_name(object, "name", report->name, failed);
    set_name(object, "file", report->file, failed);
    set(object, "form", json_name(report->form == ISA_FORM_SASS ? "sass" : "ptx"), failed);
    set_name(object, "kernel", report->kernel, failed);
    set_name(object, "device", report->device, failed);
    set(object, "mode", json_name(report->cycles_mode ? "cycles" : "counts"), failed);
    if (report->option_count > 0) {
        json_t *options = json_object();
        for (size_t i = 0; i < report->option_count; i++)
            set_name(options, report->options[i].name, report->options[i].value, failed);
        set(object, "options", options, failed);
    }
    if (report->uncalibrated)
        set_name(object, "cycles_uncalibrated", report->uncalibrated, failed);
    set(object, "status", json_name(status_names[report->status]), failed);
    if (report->status != SIM_RUN_OK)
        set_name(object, "message", report->message, failed);
}

void report_json(const struct sim_report *report, const struct report_advice *advice, const char *version,
                 struct base_strbuf *out)
{
    bool failed = false;
    json_t *object = json_object();
    set_identity(report, version, object, &failed);
    if (report->has_fault)
        set(object, "fault", json_fault(report, &failed), &failed);
    if (report->checks != 0)
        set(object, "findings", json_findings(report, &failed), &failed);
    if (report->checks_incomplete)
        set(object, "findings_incomplete", json_true(), &failed);
    if (report->grid[0] > 0)
        set(object, "launch", json_launch(report, &failed), &failed);
    if (report->has_occupancy) {
        struct report_occupancy query = report_occupancy_of(report);
        set(object, "occupancy", json_occupancy(&query, &failed), &failed);
    }
    if (report->metric_count > 0)
        set(object, "metrics", json_metrics(report, &failed), &failed);
    if (report->insn_count > 0)
        set(object, "instructions", json_insns(report, &failed), &failed);
    if (report->printed_length > 0)
        set(object, "printed", json_text(report->printed, report->printed_length), &failed);
    if (report->buffer_count > 0)
        set(object, "buffers", json_buffers(report, &failed), &failed);
    if (advice)
        set(object, "advice", json_advice(advice, &failed), &failed);
    dump(object, failed, out);
}

void report_occupancy_json(const struct report_occupancy *occupancy, struct base_strbuf *out)
{
    bool failed = false;
    json_t *object = json_occupancy(occupancy, &failed);
    dump(object, failed, out);
}
