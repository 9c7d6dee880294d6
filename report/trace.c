/* Writes a timeline event by event; jansson only for text and the header, for there may be millions of events. */
#include "report/trace.h"

#include "report/json_value.h"

#include <inttypes.h>
#include <stdlib.h>

enum { PLACES = 10000 }; /* thread numbers of a process: no two threads share one, whatever a viewer makes of them */

struct trace {
    const struct advise_timeline *timeline;
    const struct sim_report *report;
    struct base_strbuf *out;
    char **names;    /* by pc: the instruction as a JSON string, made when it is first needed */
    size_t *insn_of; /* by pc: which of the report's instructions, plus one */
    size_t pc_count;
    uint64_t requests; /* told so far: each has a number of its own */
    const char *between;
};

static const char *const accesses[] = {
    [SIM_SHARED_LOAD] = "load", [SIM_SHARED_STORE] = "store", [SIM_SHARED_ATOMIC] = "atomic"};

static const char *space_name(uint8_t space)
{
    switch (space) {
    case ISA_SPACE_SHARED:
        return "shared";
    case ISA_SPACE_SHARED_CLUSTER:
        return "cluster";
    case ISA_SPACE_LOCAL:
        return "local";
    case ISA_SPACE_CONST:
        return "constant";
    default:
        return "global";
    }
}

/* ---- Names of instructions ---- */

static bool make_names(struct trace *trace)
{
    const struct sim_report *report = trace->report;
    for (size_t i = 0; i < report->insn_count; i++)
        trace->pc_count = report->insns[i].pc >= trace->pc_count ? report->insns[i].pc + (size_t)1 : trace->pc_count;
    trace->names = calloc(trace->pc_count + 1, sizeof(*trace->names));
    trace->insn_of = calloc(trace->pc_count + 1, sizeof(*trace->insn_of));
    for (size_t i = 0; trace->insn_of && i < report->insn_count; i++)
        trace->insn_of[report->insns[i].pc] = i + 1;
    return trace->names && trace->insn_of;
}

static void free_names(struct trace *trace)
{
    for (size_t i = 0; trace->names && i < trace->pc_count; i++)
        free(trace->names[i]);
    free(trace->names);
    free(trace->insn_of);
}

static const struct sim_insn_report *insn_at(const struct trace *trace, uint32_t pc)
{
    size_t number = pc < trace->pc_count ? trace->insn_of[pc] : 0;
    return number > 0 ? &trace->report->insns[number - 1] : NULL;
}

static const char *name_of(struct trace *trace, uint32_t pc)
{
    const struct sim_insn_report *insn = insn_at(trace, pc);
    if (!insn || !insn->text)
        return "\"instruction\"";
    if (!trace->names[pc]) {
        json_t *text = json_name(insn->text);
        trace->names[pc] = text ? json_dumps(text, JSON_ENCODE_ANY) : NULL;
        json_decref(text);
    }
    if (!trace->names[pc])
        trace->out->failed = true;
    return trace->names[pc] ? trace->names[pc] : "\"\"";
}

/* ---- Events ---- */

/* {"ph":"X","pid":1,"tid":10001 */
static void begin_event(struct trace *trace, char phase, const struct advise_sm *sm, uint32_t place)
{
    base_strbuf_printf(trace->out, "%s{\"ph\":\"%c\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu64, trace->between, phase,
                       sm->number + 1, ((uint64_t)sm->number + 1) * PLACES + place + 1);
    trace->between = ",\n";
}

static void put_names(struct trace *trace, const struct advise_sm *sm)
{
    begin_event(trace, 'M', sm, 0);
    base_strbuf_printf(trace->out, ",\"name\":\"process_name\",\"args\":{\"name\":\"SM %" PRIu32 "\"}}", sm->number);
    begin_event(trace, 'M', sm, 0);
    base_strbuf_printf(trace->out, ",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%" PRIu32 "}}",
                       sm->number);
    for (size_t place = 0; place < sm->current.count; place++) {
        begin_event(trace, 'M', sm, (uint32_t)place);
        base_strbuf_printf(trace->out, ",\"name\":\"thread_name\",\"args\":{\"name\":\"warp place %zu\"}}", place);
        begin_event(trace, 'M', sm, (uint32_t)place);
        base_strbuf_printf(trace->out, ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%zu}}", place);
    }
}

static void put_begin(struct trace *trace, const struct advise_sm *sm, const struct advise_stay *stay)
{
    begin_event(trace, 'B', sm, stay->place);
    base_strbuf_printf(trace->out,
                       ",\"ts\":%" PRIu64 ",\"cat\":\"warp\",\"name\":\"block (%" PRIu32 ", %" PRIu32 ", %" PRIu32
                       ") warp %" PRIu32 "\",\"args\":{\"whole\":%s}}",
                       stay->from, stay->block[0], stay->block[1], stay->block[2], stay->warp,
                       stay->ended ? "true" : "false");
}

static void put_end(struct trace *trace, const struct advise_sm *sm, const struct advise_stay *stay)
{
    begin_event(trace, 'E', sm, stay->place);
    base_strbuf_printf(trace->out, ",\"ts\":%" PRIu64 "}", stay->to);
}

static void put_span(struct trace *trace, const struct advise_sm *sm, const struct advise_moment *moment)
{
    const bool issue = moment->reason == SIM_STALL_SELECTED;
    begin_event(trace, 'X', sm, sm->stays.data[moment->stay].place);
    base_strbuf_printf(trace->out, ",\"ts\":%" PRIu64 ",\"dur\":%" PRIu32 ",\"cat\":\"%s\",\"name\":", moment->from,
                       moment->cycles, issue ? "issue" : "stall");
    if (issue)
        base_strbuf_puts(trace->out, name_of(trace, moment->pc));
    else
        base_strbuf_printf(trace->out, "\"%s\"", sim_stall_names[moment->reason]);
    base_strbuf_printf(trace->out, ",\"args\":{\"pc\":%" PRIu32, moment->pc);
    const struct sim_insn_report *insn = insn_at(trace, moment->pc);
    if (insn && insn->line > 0)
        base_strbuf_printf(trace->out, ",\"line\":%" PRIu32, insn->line);
    base_strbuf_puts(trace->out, "}}");
}

static void put_request(struct trace *trace, const struct advise_sm *sm, const struct advise_moment *moment)
{
    const char *space = space_name(moment->space);
    const uint64_t number = ++trace->requests;
    for (int end = 0; end < 2; end++) {
        begin_event(trace, end ? 'e' : 'b', sm, sm->stays.data[moment->stay].place);
        base_strbuf_printf(trace->out, ",\"ts\":%" PRIu64 ",\"cat\":\"memory\",\"id\":%" PRIu64 ",\"name\":\"%s %s\"",
                           moment->from + (end ? moment->cycles : 0), number, space, accesses[moment->access]);
        if (!end)
            base_strbuf_printf(trace->out,
                               ",\"args\":{\"pc\":%" PRIu32 ",\"sectors\":%" PRIu32 ",\"wavefronts\":%" PRIu32 "}",
                               moment->pc, moment->sectors, moment->wavefronts);
        base_strbuf_putc(trace->out, '}');
    }
}

/* A stay's moments are between its begin and its end in the file too: viewers nest by order where times are equal. */
static void put_sm(struct trace *trace, const struct advise_sm *sm)
{
    size_t count = sm->stays.count, *next = calloc(count + 1, sizeof(*next)), *order = NULL;
    order = calloc(sm->moments.count + 1, sizeof(*order));
    if (!next || !order) {
        trace->out->failed = true;
    } else {
        put_names(trace, sm);
        for (size_t i = 0; i < sm->moments.count; i++)
            next[sm->moments.data[i].stay + 1]++;
        for (size_t i = 0; i < count; i++)
            next[i + 1] += next[i];
        for (size_t i = 0; i < sm->moments.count; i++)
            order[next[sm->moments.data[i].stay]++] = i;
        for (size_t i = 0, at = 0; i < count; i++) {
            put_begin(trace, sm, &sm->stays.data[i]);
            for (; at < next[i]; at++) {
                const struct advise_moment *moment = &sm->moments.data[order[at]];
                (moment->kind == SIM_CLOCK_SPAN ? put_span : put_request)(trace, sm, moment);
            }
            put_end(trace, sm, &sm->stays.data[i]);
        }
    }
    free(next);
    free(order);
}

/* ---- The file ---- */

bool report_trace_left_out(const struct advise_timeline *timeline, struct base_strbuf *out)
{
    if (timeline->kept_sms > 0 && timeline->kept_sms < timeline->used_sms) {
        if (timeline->kept_sms == 1)
            base_strbuf_printf(out, "only SM 0 of %" PRIu32 " is told", timeline->used_sms);
        else
            base_strbuf_printf(out, "only SMs 0 to %" PRIu32 " of %" PRIu32 " are told", timeline->kept_sms - 1,
                               timeline->used_sms);
    }
    if (timeline->cut)
        base_strbuf_printf(out, "%snothing from cycle %" PRIu64 " on", out->length > 0 ? ", and of it " : "",
                           timeline->cut_at);
    if (out->length == 0)
        return false;
    base_strbuf_puts(out, ": ");
    report_count(out, timeline->count);
    base_strbuf_puts(out, " of ");
    report_count(out, timeline->told);
    base_strbuf_puts(out, " events");
    return true;
}

static char *make_header(const struct trace *trace, const char *version)
{
    bool failed = false;
    struct base_strbuf left_out = {0};
    json_t *object = json_object();
    set(object, "simtlab", json_name(version), &failed);
    set_name(object, "file", trace->report->file, &failed);
    set_name(object, "kernel", trace->report->kernel, &failed);
    set_name(object, "device", trace->report->device, &failed);
    set(object, "unit", json_name("1 us stands for 1 cycle"), &failed);
    set(object, "events", json_count(trace->timeline->count), &failed);
    if (report_trace_left_out(trace->timeline, &left_out))
        set_name(object, "left_out", left_out.data, &failed);
    char *text = failed || left_out.failed ? NULL : json_dumps(object, JSON_COMPACT);
    base_strbuf_free(&left_out);
    json_decref(object);
    return text;
}

void report_trace(const struct advise_timeline *timeline, const struct sim_report *report, const char *version,
                  struct base_strbuf *out)
{
    struct trace trace = {.timeline = timeline, .report = report, .out = out, .between = "\n"};
    char *header = make_header(&trace, version);
    if (!header || !make_names(&trace)) {
        out->failed = true;
    } else {
        base_strbuf_printf(out, "{\"otherData\":%s,\n\"displayTimeUnit\":\"ns\",\n\"traceEvents\":[", header);
        for (size_t i = 0; i < timeline->sms.count; i++) {
            if (timeline->sms.data[i].stays.count > 0)
                put_sm(&trace, &timeline->sms.data[i]);
        }
        base_strbuf_puts(out, "\n]}\n");
    }
    free(header);
    free_names(&trace);
}
