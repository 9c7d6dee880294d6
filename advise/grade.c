/* Rules: reading them, and holding a report to them. */
#include "advise/grade.h"

#include "advise/metric_names.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { RULES_MAX = 10000, WORDS_MAX = 8, RULE_MAX_BYTES = 4096 };

static const char *const op_words[] = {"<=", ">=", "==", "!=", "<", ">", "~="};

/* Sums over a line's instructions. */
static const struct {
    const char *name;
    size_t offset;
} fields[] = {
    {"executed", offsetof(struct sim_insn_report, executed)},
    {"thread_executed", offsetof(struct sim_insn_report, thread_executed)},
    {"predicated_off", offsetof(struct sim_insn_report, predicated_off)},
    {"requests", offsetof(struct sim_insn_report, requests)},
    {"sectors", offsetof(struct sim_insn_report, sectors)},
    {"sectors_ideal", offsetof(struct sim_insn_report, sectors_ideal)},
    {"wavefronts", offsetof(struct sim_insn_report, wavefronts)},
    {"wavefronts_ideal", offsetof(struct sim_insn_report, wavefronts_ideal)},
    {"divergent", offsetof(struct sim_insn_report, divergent)},
};
enum { FIELD_COUNT = sizeof(fields) / sizeof(fields[0]) };

void advise_grade_init(struct advise_grade *grade)
{
    *grade = (struct advise_grade){0};
    base_arena_init(&grade->arena, 0);
}

void advise_grade_free(struct advise_grade *grade)
{
    base_vec_free(&grade->rules);
    base_arena_free(&grade->arena);
}

/* ---- Reading ---- */

struct word {
    const char *text; /* a copy */
    size_t offset, length;
};

struct reader {
    const struct base_source *source;
    struct advise_grade *grade;
    struct base_diags *diags;
    struct word words[WORDS_MAX];
    uint32_t count, at;
    size_t line_offset, line_length;
};

__attribute__((format(printf, 3, 4))) static bool complain(struct reader *r, uint32_t word, const char *format, ...)
{
    va_list args;
    size_t offset = r->line_offset, length = r->line_length;
    if (word < r->count) {
        offset = r->words[word].offset;
        length = r->words[word].length;
    } else if (r->count > 0) { /* behind the last word */
        offset = r->words[r->count - 1].offset + r->words[r->count - 1].length;
        length = 0;
    }
    va_start(args, format);
    base_diag_vadd(r->diags, BASE_ERROR, r->source, offset, length, format, args);
    va_end(args);
    return false;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static size_t op_at(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof(op_words) / sizeof(op_words[0]); i++) {
        size_t bytes = strlen(op_words[i]);
        if (bytes <= length && strncmp(text, op_words[i], bytes) == 0)
            return bytes;
    }
    return 0;
}

/* Splits a line at white space, before and behind operators, and behind the colon of a scope. False: too many words, or
 * no memory. */
static bool split(struct reader *r)
{
    const char *text = r->source->text + r->line_offset;
    r->count = r->at = 0;
    for (size_t i = 0; i < r->line_length;) {
        size_t begin = i, op = op_at(text + i, r->line_length - i);
        if (is_space(text[i])) {
            i++;
            continue;
        }
        i += op;
        while (op == 0 && i < r->line_length && !is_space(text[i]) && op_at(text + i, r->line_length - i) == 0)
            i++;
        if (r->count == WORDS_MAX)
            return complain(r, WORDS_MAX - 1, "too many words in a rule");
        struct word word = {base_arena_strndup(&r->grade->arena, text + begin, i - begin), r->line_offset + begin,
                            i - begin};
        if (!word.text)
            return false;
        r->words[r->count++] = word;
    }
    return true;
}

static const char *next(struct reader *r)
{
    return r->at < r->count ? r->words[r->at++].text : NULL;
}

static bool number(const char *text, double *value)
{
    char *end = NULL;
    if (!text || !strchr("0123456789.-+", text[0]))
        return false;
    errno = 0;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value);
}

static bool small_number(const char *text, uint32_t max, uint32_t *value)
{
    char *end = NULL;
    errno = 0;
    unsigned long wide = text && text[0] >= '0' && text[0] <= '9' ? strtoul(text, &end, 10) : 0;
    *value = (uint32_t)wide;
    return end && *end == '\0' && errno == 0 && wide <= max;
}

static bool read_op(struct reader *r, struct advise_grade_rule *rule)
{
    const char *word = next(r);
    for (size_t i = 0; word && i < sizeof(op_words) / sizeof(op_words[0]); i++) {
        if (strcmp(word, op_words[i]) == 0) {
            rule->op = (enum advise_grade_op)i;
            return true;
        }
    }
    return complain(r, word ? r->at - 1 : r->count, "expected <=, >=, ==, !=, < or >");
}

/* FILE:LINE FIELD */
static bool read_line(struct reader *r, struct advise_grade_rule *rule)
{
    const char *place = next(r), *colon = place ? strrchr(place, ':') : NULL;
    if (!colon || colon == place || !small_number(colon + 1, UINT32_MAX, &rule->line) || rule->line == 0)
        return complain(r, place ? r->at - 1 : r->count, "expected FILE:LINE");
    rule->name = base_arena_strndup(&r->grade->arena, place, (size_t)(colon - place));
    const char *field = next(r);
    for (uint32_t i = 0; field && i < FIELD_COUNT; i++) {
        if (strcmp(field, fields[i].name) == 0) {
            rule->field = i;
            return rule->name != NULL;
        }
    }
    return complain(r, field ? r->at - 1 : r->count,
                    "expected executed, thread_executed, predicated_off, requests, sectors, sectors_ideal, wavefronts, "
                    "wavefronts_ideal or divergent");
}

/* N == file:PATH, N ~= file:PATH TOLERANCE */
static bool read_output(struct reader *r, struct advise_grade_rule *rule)
{
    const char *arg = next(r);
    if (!small_number(arg, 4096, &rule->arg))
        return complain(r, arg ? r->at - 1 : r->count, "expected the number of a buffer argument, from 0");
    if (!read_op(r, rule))
        return false;
    if (rule->op != ADVISE_EQ && rule->op != ADVISE_NEAR)
        return complain(r, r->at - 1, "an output is held to a file with == or ~=");
    const char *file = next(r);
    if (!file || strncmp(file, "file:", 5) != 0 || file[5] == '\0')
        return complain(r, file ? r->at - 1 : r->count, "expected file:PATH");
    rule->path = file + 5;
    const char *tolerance = rule->op == ADVISE_NEAR ? next(r) : NULL;
    if (rule->op == ADVISE_NEAR && (!number(tolerance, &rule->value) || rule->value < 0))
        return complain(r, tolerance ? r->at - 1 : r->count, "expected a tolerance, such as 1e-5");
    return true;
}

static bool read_advice(struct reader *r, const char *word, struct advise_grade_rule *rule)
{
    if (word[6] == '\0')
        return true;
    rule->name = word + 7;
    for (size_t i = 0; i < ADVISE_RULE_COUNT; i++)
        if (strcmp(rule->name, advise_rule_names[i]) == 0)
            return true;
    for (size_t i = 0; i < ADVISE_SEVERITIES; i++)
        if (strcmp(rule->name, advise_severity_names[i]) == 0)
            return true;
    return complain(r, r->at - 1, "explain has no rule or severity '%s'", rule->name);
}

static bool read_value(struct reader *r, struct advise_grade_rule *rule)
{
    if (!read_op(r, rule))
        return false;
    if (rule->op == ADVISE_NEAR)
        return complain(r, r->at - 1, "~= is for outputs");
    const char *value = next(r);
    return number(value, &rule->value) || complain(r, value ? r->at - 1 : r->count, "expected a number");
}

static bool read_subject(struct reader *r, struct advise_grade_rule *rule)
{
    const char *word = next(r);
    if (!word || op_at(word, strlen(word)) > 0)
        return complain(r, word ? r->at - 1 : r->count,
                        "expected a metric, occupancy, findings, advice, line or output");
    if (strcmp(word, "output") == 0) {
        rule->subject = ADVISE_GRADE_OUTPUT;
        return read_output(r, rule);
    }
    if (strcmp(word, "line") == 0) {
        rule->subject = ADVISE_GRADE_LINE;
        return read_line(r, rule) && read_value(r, rule);
    }
    rule->subject = strcmp(word, "occupancy") == 0  ? ADVISE_GRADE_OCCUPANCY
                    : strcmp(word, "findings") == 0 ? ADVISE_GRADE_FINDINGS
                                                    : ADVISE_GRADE_METRIC;
    if (strncmp(word, "advice", 6) == 0 && (word[6] == '\0' || word[6] == ':')) {
        rule->subject = ADVISE_GRADE_ADVICE;
        if (!read_advice(r, word, rule))
            return false;
    } else {
        rule->name = word;
    }
    return read_value(r, rule);
}

static bool read_rule(struct reader *r)
{
    struct advise_grade_rule rule = {0};
    const struct word *first = &r->words[0], *last = &r->words[r->count - 1];
    rule.text = base_arena_strndup(&r->grade->arena, r->source->text + first->offset,
                                   last->offset + last->length - first->offset);
    if (first->length > 1 && first->text[first->length - 1] == ':') {
        rule.scope = base_arena_strndup(&r->grade->arena, first->text, first->length - 1);
        r->at = 1;
    }
    if (!read_subject(r, &rule))
        return false;
    if (r->at < r->count)
        return complain(r, r->at, "what is '%s' here for?", r->words[r->at].text);
    if (r->grade->rules.count == RULES_MAX)
        return complain(r, 0, "too many rules");
    return base_vec_push(&r->grade->rules, rule);
}

enum base_status advise_grade_read(const struct base_source *source, struct advise_grade *grade,
                                   struct base_diags *diags)
{
    struct reader r = {.source = source, .grade = grade, .diags = diags};
    size_t errors = diags->errors;
    bool good = true;
    for (size_t at = 0; at < source->size;) {
        const char *end = memchr(source->text + at, '\n', source->size - at);
        size_t length = end ? (size_t)(end - source->text) - at : source->size - at;
        const char *comment = memchr(source->text + at, '#', length);
        r.line_offset = at;
        r.line_length = comment ? (size_t)(comment - source->text) - at : length;
        r.count = 0;
        at += length + 1;
        if (memchr(source->text + r.line_offset, '\0', r.line_length) || r.line_length > RULE_MAX_BYTES) {
            complain(&r, 0, "this is no rule: it holds a NUL, or is too long");
            continue;
        }
        good = split(&r) && (r.count == 0 || read_rule(&r)) && good;
        if (grade->arena.failed)
            return BASE_NOMEM;
    }
    return diags->errors > errors ? BASE_INVALID : good ? BASE_OK : BASE_NOMEM;
}

/* ---- Holding to them ---- */

bool advise_grade_needs(const struct advise_grade *grade, enum advise_grade_subject subject)
{
    for (size_t i = 0; i < grade->rules.count; i++)
        if (grade->rules.data[i].subject == subject)
            return true;
    return false;
}

bool advise_grade_applies(const struct advise_grade_rule *rule, const char *launch)
{
    return !rule->scope || strcmp(rule->scope, launch) == 0;
}

static bool holds(enum advise_grade_op op, double is, double wanted)
{
    switch (op) {
    case ADVISE_LE:
        return is <= wanted;
    case ADVISE_GE:
        return is >= wanted;
    case ADVISE_EQ:
        return is == wanted;
    case ADVISE_NE:
        return is != wanted;
    case ADVISE_LT:
        return is < wanted;
    case ADVISE_GT:
        return is > wanted;
    default:
        return false;
    }
}

static double count_advice(const struct advise_grade_rule *rule, const struct advise_findings *findings)
{
    double count = 0;
    for (size_t i = 0; i < findings->count; i++) {
        const struct advise_finding *f = &findings->items[i];
        bool counts = !rule->name || strcmp(rule->name, advise_rule_names[f->rule]) == 0;
        for (unsigned s = 0; s <= f->severity && !counts; s++)
            counts = strcmp(rule->name, advise_severity_names[s]) == 0;
        count += counts;
    }
    return count;
}

/* How grave a finding is depends on the time it costs, which counts mode does not know. */
static bool asks_for_time(const struct advise_grade_rule *rule)
{
    return rule->name && (strcmp(rule->name, advise_severity_names[ADVISE_PROBLEM]) == 0 ||
                          strcmp(rule->name, advise_severity_names[ADVISE_HINT]) == 0);
}

/* "dir/k.cu" is meant by "k.cu". */
static bool ends_with(const char *file, const char *name)
{
    size_t whole = strlen(file), length = strlen(name);
    return length <= whole && strcmp(file + whole - length, name) == 0 &&
           (length == whole || file[whole - length - 1] == '/');
}

static bool sum_line(const struct advise_grade_rule *rule, const struct sim_report *report, double *sum)
{
    bool found = false;
    *sum = 0;
    for (size_t i = 0; i < report->insn_count; i++) {
        const struct sim_insn_report *row = &report->insns[i];
        if (row->line != rule->line || !row->file || !ends_with(row->file, rule->name))
            continue;
        uint64_t value;
        memcpy(&value, (const char *)row + fields[rule->field].offset, sizeof(value));
        *sum += (double)value;
        found = true;
    }
    return found;
}

static bool value_of(const struct advise_grade_rule *rule, const struct sim_report *report,
                     const struct advise_findings *findings, double *value, struct base_strbuf *why)
{
    struct sim_metric metric;
    bool found;
    switch (rule->subject) {
    case ADVISE_GRADE_OCCUPANCY:
        *value = report->occupancy.occupancy_pct;
        if (!report->has_occupancy)
            base_strbuf_puts(why, "the report has no occupancy");
        return report->has_occupancy;
    case ADVISE_GRADE_FINDINGS:
        *value = (double)report->finding_count;
        if (report->checks_incomplete)
            base_strbuf_puts(why, "the checks were not completed: there may be more than are known");
        return !report->checks_incomplete;
    case ADVISE_GRADE_ADVICE:
        *value = findings ? count_advice(rule, findings) : 0;
        if (report->cycles_mode || !asks_for_time(rule))
            return findings != NULL;
        base_strbuf_puts(why, "how grave advice is depends on time, which only --mode cycles tells");
        return false;
    case ADVISE_GRADE_LINE:
        if (sum_line(rule, report, value))
            return true;
        base_strbuf_printf(why, "no instruction of the kernel comes from %s:%u", rule->name, rule->line);
        return false;
    default:
        found = advise_metric_named(report, rule->name, &metric);
        if (!found)
            advise_metric_missing(report, rule->name, why);
        *value = !found ? 0 : metric.is_integer ? (double)metric.integer : metric.real;
        return found;
    }
}

enum advise_verdict advise_grade_check(const struct advise_grade_rule *rule, const struct sim_report *report,
                                       const struct advise_findings *findings, struct base_strbuf *why)
{
    double value = 0;
    if (!value_of(rule, report, findings, &value, why))
        return ADVISE_NOT_THERE;
    bool good = holds(rule->op, value, rule->value);
    base_strbuf_printf(why, "it is %.15g", value);
    return good ? ADVISE_PASSED : ADVISE_FAILED;
}

static double element(uint8_t type, const void *data, uint64_t index)
{
    float single;
    double wide;
    if (type == ISA_TYPE_F32) {
        memcpy(&single, (const char *)data + index * sizeof(single), sizeof(single));
        return (double)single;
    }
    memcpy(&wide, (const char *)data + index * sizeof(wide), sizeof(wide));
    return wide;
}

static bool is_near(double a, double b, double tolerance)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    if (isinf(a) || isinf(b))
        return a == b; /* a share of infinity would be near everything */
    return a == b || fabs(a - b) <= tolerance * fabs(b);
}

enum advise_verdict advise_grade_compare(const struct advise_grade_rule *rule, uint8_t type, const void *got,
                                         const void *wanted, uint64_t bytes, struct base_strbuf *why)
{
    uint64_t size = isa_types[type].bits / 8, wrong = 0, first = 0;
    bool near = rule->op == ADVISE_NEAR;
    if (near && type != ISA_TYPE_F32 && type != ISA_TYPE_F64) {
        base_strbuf_printf(why, "argument %u is %s; ~= is for f32 and f64", rule->arg, isa_types[type].name);
        return ADVISE_NOT_THERE;
    }
    size = size > 0 && bytes % size == 0 ? size : 1;
    for (uint64_t i = 0; i < bytes / size; i++) {
        bool same = near ? is_near(element(type, got, i), element(type, wanted, i), rule->value)
                         : memcmp((const char *)got + i * size, (const char *)wanted + i * size, (size_t)size) == 0;
        if (same)
            continue;
        first = wrong == 0 ? i : first;
        wrong++;
    }
    if (wrong == 0) {
        base_strbuf_puts(why, "it is");
        return ADVISE_PASSED;
    }
    base_strbuf_printf(why, "%" PRIu64 " of %" PRIu64 " elements differ, the first is element %" PRIu64, wrong,
                       bytes / size, first);
    if (type == ISA_TYPE_F32 || type == ISA_TYPE_F64)
        base_strbuf_printf(why, ": %.9g, not %.9g", element(type, got, first), element(type, wanted, first));
    return ADVISE_FAILED;
}
