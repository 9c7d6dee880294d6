/* simtlab grade: the launches of a list, held to rules. Its verdicts go to stdout, to a JUnit file, and into the exit
 * status. */
#include "tools/tool.h"

#include "advise/grade.h"
#include "report/junit.h"

#include <stdlib.h>
#include <string.h>

enum { RULES_LIMIT_BYTES = 1024 * 1024, REFERENCE_LIMIT_BYTES = 1024 * 1024 * 1024 };

struct grade_job {
    const struct tool_options *options;
    struct advise_grade grade;
    size_t file_rules; /* the first of `grade` are of --rules, the others of --require */
    bool explains;
    struct report_junit_suite *suites; /* by launch that was chosen */
    char **names;                      /* copies: the list is gone when the JUnit file is written */
    size_t count;
};

/* ---- Rules ---- */

static bool read_rules(const char *name, const char *text, size_t size, struct advise_grade *grade)
{
    struct base_source source = {.name = name, .text = text, .size = size};
    struct base_diags diags = {0};
    enum base_status status = advise_grade_read(&source, grade, &diags);
    tool_print_diags(&diags);
    if (status == BASE_NOMEM)
        tool_error("out of memory");
    base_diags_free(&diags);
    return status == BASE_OK;
}

static bool read_all_rules(const struct tool_options *options, struct grade_job *job)
{
    struct advise_grade *grade = &job->grade;
    bool good = true;
    for (size_t i = 0; i < options->rule_files.count; i++) {
        const char *path = options->rule_files.data[i];
        struct base_strbuf message = {0};
        struct tool_file file = {0};
        if (tool_file_read(path, RULES_LIMIT_BYTES, &file, &message) == BASE_OK) {
            good = read_rules(path, file.data ? file.data : "", file.size, grade) && good;
        } else {
            tool_error("cannot read %s: %s", path, message.data ? message.data : "");
            good = false;
        }
        base_strbuf_free(&message);
        free(file.data);
    }
    job->file_rules = grade->rules.count;
    for (size_t i = 0; i < options->rules.count; i++)
        good = read_rules("--require", options->rules.data[i], strlen(options->rules.data[i]), grade) && good;
    if (good && grade->rules.count == 0) {
        tool_error("grade needs a rule: --rules FILE or --require RULE");
        good = false;
    }
    return good;
}

static bool has_launch(const struct sim_launch_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0)
            return true;
    return false;
}

/* --only leaves the launch out that the rule names. */
static bool is_left_out(const struct grade_job *job, const struct advise_grade_rule *rule)
{
    bool chosen = !rule->scope || job->options->only.count == 0;
    for (size_t i = 0; i < job->options->only.count && !chosen; i++)
        chosen = strcmp(job->options->only.data[i], rule->scope) == 0;
    return !chosen;
}

/* Rules are about launches that there are and that run. A file of rules serves the whole list and may name more; that
 * is said. A rule on the command line is meant now, and no rule at all is no grading. */
static bool rules_have_launches(const struct grade_job *job, const struct sim_launch_list *list)
{
    size_t left_out = 0;
    bool good = true;
    for (size_t i = 0; i < job->grade.rules.count; i++) {
        const struct advise_grade_rule *rule = &job->grade.rules.data[i];
        if (rule->scope && !has_launch(list, rule->scope)) {
            tool_error("the list has no launch '%s', which a rule names: %s", rule->scope, rule->text);
            good = false;
        } else if (is_left_out(job, rule)) {
            left_out++;
            if (i < job->file_rules)
                continue;
            tool_error("--only leaves out launch '%s', which a rule names: %s", rule->scope, rule->text);
            good = false;
        }
    }
    if (good && left_out == job->grade.rules.count) {
        tool_error("no rule is about a launch that --only chooses");
        good = false;
    } else if (good && left_out > 0) {
        tool_error("%zu of %zu rules were not held: they name launches that --only leaves out", left_out,
                   job->grade.rules.count);
    }
    return good;
}

/* Room for the verdicts. */
static enum base_status begin(void *user, const struct sim_launch_list *list, size_t count)
{
    struct grade_job *job = user;
    if (count == 0) {
        tool_error("there is no launch to grade: the list is empty");
        return BASE_INVALID;
    }
    job->suites = calloc(count + 1, sizeof(*job->suites));
    job->names = calloc(count + 1, sizeof(*job->names));
    job->count = job->suites && job->names ? count : 0;
    if (!job->suites || !job->names)
        return BASE_NOMEM;
    return rules_have_launches(job, list) ? BASE_OK : BASE_INVALID;
}

/* ---- Verdicts ---- */

static void tell(struct grade_job *job, size_t index, const char *rule, enum report_verdict verdict, const char *why,
                 struct base_strbuf *out)
{
    static const char *const words[] = {[REPORT_PASSED] = "ok   ", [REPORT_FAILED] = "FAIL ", [REPORT_ERROR] = "ERROR"};
    report_junit_case(&job->suites[index], job->names[index], rule, verdict, why);
    base_strbuf_printf(out, "  %s  %s", words[verdict], rule);
    if (why && why[0] != '\0')
        base_strbuf_printf(out, ": %s", why);
    base_strbuf_putc(out, '\n');
}

static const struct sim_buffer_report *buffer_of(const struct sim_report *report, uint32_t arg)
{
    for (size_t i = 0; i < report->buffer_count; i++)
        if (report->buffers[i].arg == arg)
            return &report->buffers[i];
    return NULL;
}

static enum advise_verdict check_output(const struct advise_grade_rule *rule, const struct tool_launch *launch,
                                        const struct sim_report *report, struct base_strbuf *why)
{
    const struct sim_buffer_report *buffer = buffer_of(report, rule->arg);
    const void *data = buffer ? sim_memory_at(launch->memory, buffer->address, buffer->bytes) : NULL;
    char *path = tool_path_beside(launch->beside, rule->path);
    struct tool_file file = {0};
    enum advise_verdict verdict = ADVISE_NOT_THERE;
    if (!data)
        base_strbuf_printf(why, "argument %u is not a buffer", rule->arg);
    else if (!path)
        base_strbuf_puts(why, "out of memory");
    else if (tool_file_read(path, REFERENCE_LIMIT_BYTES, &file, why) == BASE_OK) {
        if (file.size == buffer->bytes)
            verdict = advise_grade_compare(rule, buffer->type, data, file.data, buffer->bytes, why);
        else
            base_strbuf_printf(why, "%s has %zu bytes, the buffer %llu", path, file.size,
                               (unsigned long long)buffer->bytes);
    }
    free(file.data);
    free(path);
    return verdict;
}

static void hold_to_rules(struct grade_job *job, size_t index, const struct tool_launch *launch,
                          const struct sim_report *report, const struct advise_findings *findings,
                          struct base_strbuf *out)
{
    static const enum report_verdict verdicts[] = {
        [ADVISE_PASSED] = REPORT_PASSED, [ADVISE_FAILED] = REPORT_FAILED, [ADVISE_NOT_THERE] = REPORT_ERROR};
    for (size_t i = 0; i < job->grade.rules.count; i++) {
        const struct advise_grade_rule *rule = &job->grade.rules.data[i];
        struct base_strbuf why = {0};
        if (!advise_grade_applies(rule, job->names[index]))
            continue;
        enum advise_verdict verdict = rule->subject == ADVISE_GRADE_OUTPUT
                                          ? check_output(rule, launch, report, &why)
                                          : advise_grade_check(rule, report, findings, &why);
        tell(job, index, rule->text, verdicts[verdict], why.data, out);
        base_strbuf_free(&why);
    }
}

/* A tool_batch_body. */
static enum tool_exit grade_launch(void *user, size_t index, struct tool_launch *launch, struct base_diags *diags,
                                   struct base_strbuf *out)
{
    struct grade_job *job = user;
    struct sim_report report;
    struct tool_advice advice = {0};
    bool explained = false;
    job->names[index] = strdup(launch->text->name);
    if (!job->names[index]) {
        tool_error("out of memory");
        return TOOL_ERROR;
    }
    base_strbuf_printf(out, "%s\n", launch->text->name);
    if (job->explains)
        tool_advice_begin(&advice, launch);
    enum base_status status = tool_launch_run(launch, &report, diags);
    bool ran = status == BASE_OK && report.status == SIM_RUN_OK;
    if (ran && job->explains)
        explained = tool_advice_make(&advice, launch, &report);
    tell(job, index, "runs without a fault",
         ran                              ? REPORT_PASSED
         : report.status == SIM_RUN_FAULT ? REPORT_FAILED
                                          : REPORT_ERROR,
         ran ? NULL : report.message, out);
    if (ran)
        hold_to_rules(job, index, launch, &report, explained ? &advice.findings : NULL, out);
    tool_advice_free(&advice);
    sim_report_free(&report);
    const struct report_junit_suite *suite = &job->suites[index];
    return suite->errors > 0 || suite->cases.failed ? TOOL_ERROR : suite->failures > 0 ? TOOL_FAULT : TOOL_OK;
}

static enum tool_exit write_junit(const struct grade_job *job, struct tool_output *output)
{
    struct base_strbuf xml = {0};
    report_junit(job->suites, (const char *const *)job->names, job->count, &xml);
    const bool good = !xml.failed;
    if (good)
        tool_output_write(output, xml.data, xml.length);
    else
        tool_error("out of memory");
    base_strbuf_free(&xml);
    return tool_output_close(output, good) == BASE_OK && good ? TOOL_OK : TOOL_ERROR;
}

/* No verdict was come to: neither all launches were run, nor is there a file that says so. */
static bool all_done(const struct grade_job *job)
{
    for (size_t i = 0; i < job->count; i++)
        if (!job->names[i])
            return false;
    return job->suites != NULL;
}

enum tool_exit tool_grade(const struct tool_options *options)
{
    struct tool_options with_checks = *options;
    struct grade_job job = {.options = options};
    struct tool_output junit = {0};
    struct tool_batch_job batch = {.body = grade_launch, .begin = begin, .user = &job};
    enum tool_exit answer = TOOL_ERROR;
    advise_grade_init(&job.grade);
    bool good = read_all_rules(options, &job);
    if (good && options->junit)
        good = tool_output_open(&junit, options->junit, NULL) == BASE_OK;
    if (good) {
        job.explains = advise_grade_needs(&job.grade, ADVISE_GRADE_ADVICE);
        if (advise_grade_needs(&job.grade, ADVISE_GRADE_FINDINGS) && with_checks.checks == 0)
            with_checks.checks = SIM_CHECK_MEMORY | SIM_CHECK_RACES | SIM_CHECK_INIT | SIM_CHECK_SYNC;
        answer = tool_batch_run(&with_checks, &batch);
        if (junit.stream && !all_done(&job))
            tool_output_close(&junit, false);
        else if (junit.stream && write_junit(&job, &junit) != TOOL_OK)
            answer = TOOL_ERROR;
    }
    for (size_t i = 0; i < job.count; i++) {
        base_strbuf_free(&job.suites[i].cases);
        free(job.names[i]);
    }
    free(job.suites);
    free(job.names);
    advise_grade_free(&job.grade);
    return answer;
}
