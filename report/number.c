/* Numbers as people and Nsight Compute write them. */
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FRACTION_DIGITS = 6, SHOWN_DIGITS = 6 };

void report_count(struct base_strbuf *out, uint64_t value)
{
    char digits[24];
    int length = snprintf(digits, sizeof(digits), "%" PRIu64, value);
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            base_strbuf_putc(out, ',');
        base_strbuf_putc(out, digits[i]);
    }
}

static void put_real(struct base_strbuf *out, double value, int places)
{
    if (!(value >= 0 && value < 1e15)) { /* negative, huge or not a number: no grouping */
        base_strbuf_printf(out, "%.6g", value);
        return;
    }
    double whole = floor(value);
    char fraction[16];
    snprintf(fraction, sizeof(fraction), "%.*f", places, value - whole);
    if (fraction[0] == '1') /* rounded up to a whole */
        whole += 1;
    report_count(out, (uint64_t)whole);
    if (places == 0 || fraction[0] == '1')
        return;
    size_t length = strlen(fraction);
    while (fraction[length - 1] == '0')
        length--;
    if (fraction[length - 1] != '.')
        base_strbuf_append(out, fraction + 1, length - 1);
}

void report_metric_value(struct base_strbuf *out, const struct sim_metric *metric)
{
    if (metric->is_integer)
        report_count(out, metric->integer);
    else
        put_real(out, metric->real, FRACTION_DIGITS);
}

void report_metric_shown(struct base_strbuf *out, const struct sim_metric *metric)
{
    int places = SHOWN_DIGITS;
    for (double rest = metric->real; rest >= 1 && places > 0; rest /= 10)
        places--;
    if (metric->is_integer)
        report_count(out, metric->integer);
    else
        put_real(out, metric->real, places);
}
