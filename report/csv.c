/* The layout of `ncu --csv --page raw`, so that what reads Nsight Compute's files reads ours: eleven identity columns,
 * then one column a metric in alphabetical order; names, units, and one row a launch. What would tell one process from
 * another is constant: the same launches give the same bytes. */
#include "report/report.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

static const char *const identity[] = {"ID",     "Process ID", "Process Name", "Host Name", "Kernel Name", "Context",
                                       "Stream", "Block Size", "Grid Size",    "Device",    "CC"};
enum { IDENTITY_COUNT = sizeof(identity) / sizeof(identity[0]) };

static void cell(struct base_strbuf *out, const char *text, bool *first)
{
    if (!*first)
        base_strbuf_putc(out, ',');
    *first = false;
    base_strbuf_putc(out, '"');
    for (; *text != '\0'; text++) {
        if (*text == '"')
            base_strbuf_putc(out, '"');
        base_strbuf_putc(out, *text);
    }
    base_strbuf_putc(out, '"');
}

static int by_name(const void *a, const void *b)
{
    const struct sim_metric *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

/* One metric a name, sorted; to be freed. False without memory. */
static bool columns(const struct sim_report *const *reports, size_t count, const struct sim_metric ***out,
                    size_t *column_count)
{
    BASE_VEC(const struct sim_metric *) all = {0};
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < reports[i]->metric_count; j++) {
            if (!base_vec_push(&all, &reports[i]->metrics[j])) {
                free(all.data);
                return false;
            }
        }
    }
    size_t kept = 0;
    if (all.count > 0)
        qsort(all.data, all.count, sizeof(all.data[0]), by_name);
    for (size_t i = 0; i < all.count; i++) {
        if (kept == 0 || strcmp(all.data[kept - 1]->name, all.data[i]->name) != 0)
            all.data[kept++] = all.data[i];
    }
    *out = all.data;
    *column_count = kept;
    return true;
}

static void dim3_cell(struct base_strbuf *out, const uint32_t dim[3])
{
    base_strbuf_printf(out, ",\"(%u, %u, %u)\"", dim[0], dim[1], dim[2]);
}

static void launch_row(const struct sim_report *report, size_t id, const char *cc,
                       const struct sim_metric *const *metrics, size_t metric_count, struct base_strbuf *out)
{
    bool first = false;
    base_strbuf_printf(out, "\"%zu\",\"0\",\"simtlab\",\"localhost\"", id);
    cell(out, report->kernel ? report->kernel : "", &first);
    base_strbuf_puts(out, ",\"1\",\"7\"");
    dim3_cell(out, report->block);
    dim3_cell(out, report->grid);
    base_strbuf_puts(out, ",\"0\"");
    cell(out, cc, &first);
    for (size_t i = 0; i < metric_count; i++) {
        const struct sim_metric *metric = sim_report_metric(report, metrics[i]->name);
        base_strbuf_puts(out, ",\"");
        if (metric)
            report_metric_value(out, metric);
        else
            base_strbuf_puts(out, "n/a");
        base_strbuf_putc(out, '"');
    }
    base_strbuf_putc(out, '\n');
}

void report_csv(const struct sim_report *const *reports, size_t count, const char *cc, struct base_strbuf *out)
{
    size_t metric_count = 0;
    const struct sim_metric **metrics = NULL;
    if (!columns(reports, count, &metrics, &metric_count)) {
        out->failed = true;
        return;
    }
    bool first = true;
    for (size_t i = 0; i < IDENTITY_COUNT; i++)
        cell(out, identity[i], &first);
    for (size_t i = 0; i < metric_count; i++)
        cell(out, metrics[i]->name, &first);
    base_strbuf_putc(out, '\n');
    first = true;
    for (size_t i = 0; i < IDENTITY_COUNT; i++)
        cell(out, "", &first);
    for (size_t i = 0; i < metric_count; i++)
        cell(out, metrics[i]->unit ? metrics[i]->unit : "", &first);
    base_strbuf_putc(out, '\n');
    for (size_t i = 0; i < count; i++)
        launch_row(reports[i], i, cc, metrics, metric_count, out);
    free(metrics);
}
