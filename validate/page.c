/* A comparison as text, CSV and JSON, and what all writers share. See page.h. */
#include "validate/page.h"

#include "report/json_value.h"

#include <math.h>
#include <string.h>

enum { NAME_COLUMNS = 62, VALUE_COLUMNS = 14, TEXT_COLUMNS = 100 };

const char *const validate_verdict_names[3] = {"agrees", "explained", "differs"};

const char *validate_class_name(enum validate_class class)
{
    return class == VALIDATE_EXACT ? "exact" : "modelled";
}

const char *validate_launch_name(const struct validate_launch *launch)
{
    return launch->name[0] != '\0' ? launch->name : launch->kernel;
}

const struct validate_words *validate_words_of(const struct validate_comparison *comparison)
{
    static const struct validate_words measured = {"simulated", "GPU", "error"},
                                       simulated = {"first", "second", "change"};
    return comparison->both_simulated ? &simulated : &measured;
}

static void sum_up_class(const char *name, const char *agree, const struct validate_tally *tally,
                         struct base_strbuf *out)
{
    size_t all = tally->agree + tally->explained + tally->differ;
    base_strbuf_printf(out, "%s: %zu of %zu %s", name, tally->agree, all, agree);
    if (tally->explained > 0)
        base_strbuf_printf(out, ", %zu explained", tally->explained);
    if (tally->differ > 0)
        base_strbuf_printf(out, ", %zu %s", tally->differ, tally->differ == 1 ? "differs" : "differ");
}

void validate_summary(const struct validate_comparison *c, struct base_strbuf *out)
{
    base_strbuf_printf(out, "%zu %s. ", c->pairs.count, c->pairs.count == 1 ? "launch" : "launches");
    const bool exact = (c->classes & VALIDATE_EXACT) || c->exact.differ > 0;
    if (exact)
        sum_up_class("Exact", "agree", &c->exact, out);
    if (exact && (c->classes & VALIDATE_MODELLED))
        base_strbuf_puts(out, ". ");
    if (c->classes & VALIDATE_MODELLED)
        sum_up_class("Modelled", c->both_simulated ? "agree" : "within tolerance", &c->modelled, out);
    base_strbuf_putc(out, '.');
    const char *const files[] = {c->sim->name, c->gpu->name};
    for (size_t i = 0; i < 2; i++)
        if (c->alone_counting[i] > 0)
            base_strbuf_printf(out, " Only in %s: %zu %s.", files[i], c->alone_counting[i],
                               c->alone_counting[i] == 1 ? "launch" : "launches");
}

/* ---- Text ---- */

static void style(const struct validate_page *page, const char *code, struct base_strbuf *out)
{
    if (page->colour)
        base_strbuf_style(out, code);
}

/* Words behind `indent`, broken before the last column. */
static void wrap(const char *text, size_t indent, struct base_strbuf *out)
{
    size_t column = indent;
    for (size_t length; *text != '\0'; text += length + strspn(text + length, " ")) {
        length = strcspn(text, " ");
        if (column + length + 1 > TEXT_COLUMNS && column > indent) {
            base_strbuf_putc(out, '\n');
            base_strbuf_repeat(out, ' ', indent);
            column = indent;
        } else if (column > indent) {
            base_strbuf_putc(out, ' ');
            column++;
        }
        base_strbuf_append(out, text, length);
        column += length;
    }
    base_strbuf_putc(out, '\n');
}

static void put_right(const char *text, size_t columns, struct base_strbuf *out)
{
    size_t length = strlen(text);
    base_strbuf_repeat(out, ' ', length < columns ? columns - length : 0);
    base_strbuf_line(out, text);
}

/* `above`: the reason that was told last, or NULL. */
static void text_row(const struct validate_comparison *c, const struct validate_page *page,
                     const struct validate_row *row, const char *above, struct base_strbuf *out)
{
    static const char *const marks[] = {"  = ", "  * ", "  ! "};
    static const char *const colours[] = {"0", "33", "1;31"};
    bool aside = row->verdict != VALIDATE_AGREES || row->class == VALIDATE_MODELLED;
    style(page, colours[row->verdict], out);
    base_strbuf_puts(out,
                     row->verdict == VALIDATE_AGREES && row->class == VALIDATE_MODELLED ? "  ~ " : marks[row->verdict]);
    base_strbuf_line(out, row->name);
    base_strbuf_repeat(out, ' ', strlen(row->name) < NAME_COLUMNS ? NAME_COLUMNS - strlen(row->name) : 0);
    base_strbuf_putc(out, ' ');
    put_right(row->sim_shown, VALUE_COLUMNS, out);
    base_strbuf_putc(out, ' ');
    put_right(row->gpu_shown, VALUE_COLUMNS, out);
    if (aside && row->is_number && !isnan(row->error_pct))
        base_strbuf_printf(out, fabs(row->error_pct) < 0.05 && row->error_pct != 0 ? " %+8.1g %%" : " %+8.1f %%",
                           row->error_pct);
    else if (aside && row->is_number)
        base_strbuf_puts(out, "          ");
    if (aside && row->is_number && row->class == VALIDATE_MODELLED && !c->both_simulated)
        base_strbuf_printf(out, " of %g", row->tolerance_pct);
    style(page, "0", out);
    base_strbuf_putc(out, '\n');
    if (row->reason) {
        base_strbuf_puts(out, "      why: ");
        wrap(above && strcmp(above, row->reason) == 0 ? "the same" : row->reason, 11, out);
    }
}

static void only_in(const struct validate_page *page, const struct validate_measure *measure, size_t count,
                    struct base_strbuf *out)
{
    if (count > 0 && !page->quiet)
        base_strbuf_printf(out, "    %zu more %s only in %s\n", count, count == 1 ? "metric is" : "metrics are",
                           measure->name);
}

static void text_pair(const struct validate_comparison *c, const struct validate_page *page,
                      const struct validate_pair *pair, struct base_strbuf *out)
{
    size_t told = 0;
    const char *above = NULL;
    const struct validate_words *words = validate_words_of(c);
    enum validate_class last = 0;
    for (size_t i = 0; i < pair->rows.count; i++)
        told += !page->quiet || pair->rows.data[i].verdict != VALIDATE_AGREES;
    if (told == 0)
        return;
    base_strbuf_putc(out, '\n');
    style(page, "1", out);
    base_strbuf_line(out, validate_launch_name(pair->sim));
    style(page, "0", out);
    base_strbuf_puts(out, ": ");
    base_strbuf_line(out, pair->sim->kernel);
    if (pair->sim->has_grid)
        base_strbuf_printf(out, " (%u, %u, %u)x(%u, %u, %u)", pair->sim->grid[0], pair->sim->grid[1],
                           pair->sim->grid[2], pair->sim->block[0], pair->sim->block[1], pair->sim->block[2]);
    base_strbuf_printf(out, "%s%s\n", pair->sim->form[0] != '\0' ? ", from " : "",
                       strcmp(pair->sim->form, "sass") == 0 ? "machine code" : pair->sim->form);
    for (size_t i = 0; i < pair->rows.count; i++) {
        const struct validate_row *row = &pair->rows.data[i];
        if (page->quiet && row->verdict == VALIDATE_AGREES)
            continue;
        if (row->class != last)
            base_strbuf_printf(out, "    %-*s %*s %*s%s\n", NAME_COLUMNS, validate_class_name(row->class),
                               VALUE_COLUMNS, words->first, VALUE_COLUMNS, words->second,
                               c->both_simulated                 ? "     change"
                               : row->class == VALIDATE_MODELLED ? "   error, allowed"
                                                                 : "");
        last = row->class;
        text_row(c, page, row, above, out);
        above = row->reason;
    }
    only_in(page, c->sim, pair->only_sim, out);
    if (c->both_simulated) /* ncu counts much that nobody simulates */
        only_in(page, c->gpu, pair->only_gpu, out);
}

void validate_text(const struct validate_comparison *c, const struct validate_page *page, struct base_strbuf *out)
{
    base_strbuf_printf(out, "%s\n  with %s\n", c->sim->name, c->gpu->name);
    for (size_t i = 0; i < c->pairs.count; i++)
        text_pair(c, page, &c->pairs.data[i], out);
    for (size_t i = 0; i < c->alone.count; i++) {
        const struct validate_alone *alone = &c->alone.data[i];
        base_strbuf_puts(out, i == 0 ? "\n" : "");
        base_strbuf_puts(out, alone->counts ? "  ! " : "    ");
        base_strbuf_line(out, validate_launch_name(alone->launch));
        base_strbuf_printf(out, ", only in %s: %s\n", alone->in_gpu ? c->gpu->name : c->sim->name, alone->why);
    }
    base_strbuf_putc(out, '\n');
    validate_summary(c, out);
    base_strbuf_putc(out, '\n');
}

/* ---- CSV ---- */

static void csv_cell(struct base_strbuf *out, const char *text, const char *end)
{
    base_strbuf_putc(out, '"');
    for (; *text != '\0'; text++) {
        if (*text == '"')
            base_strbuf_putc(out, '"');
        base_strbuf_putc(out, *text);
    }
    base_strbuf_printf(out, "\"%s", end);
}

static void csv_launch(const struct validate_launch *launch, struct base_strbuf *out)
{
    csv_cell(out, validate_launch_name(launch), ",");
    csv_cell(out, launch->kernel, ",");
}

static void csv_row(const struct validate_pair *pair, const struct validate_row *row, struct base_strbuf *out)
{
    csv_launch(pair->sim, out);
    csv_cell(out, validate_class_name(row->class), ",");
    csv_cell(out, row->name, ",");
    if (row->is_number) {
        base_strbuf_printf(out, "%.15g,%.15g,", row->sim, row->gpu);
    } else {
        csv_cell(out, row->sim_shown, ",");
        csv_cell(out, row->gpu_shown, ",");
    }
    if (row->is_number && !isnan(row->error_pct))
        base_strbuf_printf(out, "%.6g", row->error_pct);
    base_strbuf_putc(out, ',');
    if (row->class == VALIDATE_MODELLED)
        base_strbuf_printf(out, "%g", row->tolerance_pct);
    base_strbuf_putc(out, ',');
    csv_cell(out, validate_verdict_names[row->verdict], ",");
    csv_cell(out, row->reason ? row->reason : "", "\n");
}

static void csv_alone(const struct validate_alone *alone, struct base_strbuf *out)
{
    csv_launch(alone->launch, out);
    base_strbuf_printf(out, "\"exact\",\"launch\",\"%s\",\"%s\",,,\"%s\",", alone->in_gpu ? "none" : "there",
                       alone->in_gpu ? "there" : "none", validate_verdict_names[VALIDATE_DIFFERS]);
    csv_cell(out, alone->why, "\n");
}

void validate_csv(const struct validate_comparison *c, const struct validate_page *page, struct base_strbuf *out)
{
    (void)page;
    base_strbuf_printf(out, "launch,kernel,class,metric,%s,tolerance_pct,verdict,reason\n",
                       c->both_simulated ? "first,second,change_pct" : "simulated,gpu,error_pct");
    for (size_t i = 0; i < c->pairs.count; i++)
        for (size_t j = 0; j < c->pairs.data[i].rows.count; j++)
            csv_row(&c->pairs.data[i], &c->pairs.data[i].rows.data[j], out);
    for (size_t i = 0; i < c->alone.count; i++)
        if (c->alone.data[i].counts)
            csv_alone(&c->alone.data[i], out);
}

/* ---- JSON ---- */

static json_t *json_value_of(const struct validate_row *row, double value, const char *shown)
{
    if (!row->is_number)
        return json_name(shown);
    if (value >= 0 && value <= 9007199254740992.0 && value == floor(value))
        return json_integer((json_int_t)value);
    return json_real(value);
}

/* Keys of a comparison's two sides. */
static const char *json_side(const struct validate_comparison *c, bool second)
{
    return c->both_simulated ? second ? "second" : "first" : second ? "gpu" : "sim";
}

static json_t *json_row(const struct validate_comparison *c, const struct validate_row *row, bool *failed)
{
    json_t *object = json_object();
    set(object, "metric", json_name(row->name), failed);
    set(object, "class", json_name(validate_class_name(row->class)), failed);
    set(object, json_side(c, false), json_value_of(row, row->sim, row->sim_shown), failed);
    set(object, json_side(c, true), json_value_of(row, row->gpu, row->gpu_shown), failed);
    if (row->is_number && !isnan(row->error_pct))
        set(object, c->both_simulated ? "change_pct" : "error_pct", json_real(row->error_pct), failed);
    if (row->class == VALIDATE_MODELLED)
        set(object, "tolerance_pct", json_real(row->tolerance_pct), failed);
    set(object, "verdict", json_name(validate_verdict_names[row->verdict]), failed);
    set_name(object, "reason", row->reason, failed);
    return object;
}

static json_t *json_tally(const struct validate_tally *tally, bool *failed)
{
    json_t *object = json_object();
    set(object, "agree", json_count(tally->agree), failed);
    set(object, "explained", json_count(tally->explained), failed);
    set(object, "differ", json_count(tally->differ), failed);
    return object;
}

static json_t *json_pair(const struct validate_comparison *c, const struct validate_pair *pair, bool *failed)
{
    json_t *object = json_object(), *rows = json_array();
    set_name(object, "name", pair->sim->name, failed);
    set_name(object, "kernel", pair->sim->kernel, failed);
    set_name(object, "form", pair->sim->form, failed);
    set(object, c->both_simulated ? "first_id" : "sim_id", json_count(pair->sim->id), failed);
    set(object, c->both_simulated ? "second_id" : "gpu_id", json_count(pair->gpu->id), failed);
    set(object, "exact", json_tally(&pair->exact, failed), failed);
    set(object, "modelled", json_tally(&pair->modelled, failed), failed);
    for (size_t i = 0; i < pair->rows.count; i++)
        if (json_array_append_new(rows, json_row(c, &pair->rows.data[i], failed)) != 0)
            *failed = true;
    set(object, "metrics", rows, failed);
    if (c->both_simulated && pair->only_sim > 0)
        set(object, "only_first", json_count(pair->only_sim), failed);
    if (c->both_simulated && pair->only_gpu > 0)
        set(object, "only_second", json_count(pair->only_gpu), failed);
    return object;
}

static json_t *json_alone(const struct validate_comparison *c, bool *failed)
{
    json_t *array = json_array();
    for (size_t i = 0; i < c->alone.count; i++) {
        const struct validate_alone *alone = &c->alone.data[i];
        json_t *object = json_object();
        set(object, "name", json_name(validate_launch_name(alone->launch)), failed);
        set(object, "only_in", json_name(json_side(c, alone->in_gpu)), failed);
        set(object, "disagrees", json_boolean(alone->counts), failed);
        set(object, "why", json_name(alone->why), failed);
        if (json_array_append_new(array, object) != 0)
            *failed = true;
    }
    return array;
}

static int append(const char *text, size_t length, void *user)
{
    base_strbuf_append(user, text, length);
    return 0;
}

void validate_json(const struct validate_comparison *c, const struct validate_page *page, struct base_strbuf *out)
{
    bool failed = false;
    json_t *object = json_object(), *launches = json_array();
    set(object, "schema", json_integer(REPORT_SCHEMA), &failed);
    set(object, "simtlab", json_name(page->version), &failed);
    set(object, json_side(c, false), json_name(c->sim->name), &failed);
    set(object, json_side(c, true), json_name(c->gpu->name), &failed);
    set(object, "agree", json_boolean(validate_agrees(c)), &failed);
    set(object, "exact", json_tally(&c->exact, &failed), &failed);
    set(object, "modelled", json_tally(&c->modelled, &failed), &failed);
    for (size_t i = 0; i < c->pairs.count; i++)
        if (json_array_append_new(launches, json_pair(c, &c->pairs.data[i], &failed)) != 0)
            failed = true;
    set(object, "launches", launches, &failed);
    if (c->alone.count > 0)
        set(object, "unmatched", json_alone(c, &failed), &failed);
    if (failed || json_dump_callback(object, append, out, JSON_REAL_PRECISION(15)) != 0)
        out->failed = true;
    base_strbuf_putc(out, '\n');
    json_decref(object);
}
