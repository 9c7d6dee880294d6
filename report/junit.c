/* JUnit XML. */
#include "report/junit.h"

#include <string.h>

/* Bytes of a character of UTF-8 that XML 1.0 allows; 0: none stands here. */
static size_t allowed(const unsigned char *at, size_t left)
{
    if (at[0] < 0x80)
        return at[0] >= 0x20 || at[0] == '\t' || at[0] == '\n' ? 1 : 0;
    size_t length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    if (at[0] < 0xc2 || at[0] > 0xf4 || length > left)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    bool wrong = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
                 (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f) ||
                 (at[0] == 0xef && at[1] == 0xbf && at[2] >= 0xbe);
    return wrong ? 0 : length;
}

static void put_text(const char *text, struct base_strbuf *out)
{
    for (size_t i = 0, size = strlen(text); i < size;) {
        size_t length = allowed((const unsigned char *)text + i, size - i);
        const char *entity = text[i] == '&'   ? "&amp;"
                             : text[i] == '<' ? "&lt;"
                             : text[i] == '>' ? "&gt;"
                             : text[i] == '"' ? "&quot;"
                             : length == 0    ? "\xef\xbf\xbd"
                                              : NULL;
        if (entity)
            base_strbuf_puts(out, entity);
        else
            base_strbuf_append(out, text + i, length);
        i += length > 0 ? length : 1;
    }
}

static void put_attribute(const char *name, const char *value, struct base_strbuf *out)
{
    base_strbuf_printf(out, " %s=\"", name);
    put_text(value, out);
    base_strbuf_putc(out, '"');
}

void report_junit_case(struct report_junit_suite *suite, const char *launch, const char *rule,
                       enum report_verdict verdict, const char *why)
{
    struct base_strbuf *out = &suite->cases;
    suite->tests++;
    suite->failures += verdict == REPORT_FAILED;
    suite->errors += verdict == REPORT_ERROR;
    base_strbuf_puts(out, "    <testcase");
    put_attribute("classname", launch, out);
    put_attribute("name", rule, out);
    if (verdict == REPORT_PASSED) {
        base_strbuf_puts(out, "/>\n");
        return;
    }
    base_strbuf_puts(out, verdict == REPORT_FAILED ? ">\n      <failure" : ">\n      <error");
    put_attribute("message", why ? why : "", out);
    base_strbuf_puts(out, "/>\n    </testcase>\n");
}

void report_junit(const struct report_junit_suite *suites, const char *const *names, size_t count,
                  struct base_strbuf *out)
{
    size_t tests = 0, failures = 0, errors = 0;
    for (size_t i = 0; i < count; i++) {
        tests += suites[i].tests;
        failures += suites[i].failures;
        errors += suites[i].errors;
    }
    base_strbuf_printf(out,
                       "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                       "<testsuites name=\"simtlab\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n",
                       tests, failures, errors);
    for (size_t i = 0; i < count; i++) {
        base_strbuf_puts(out, "  <testsuite");
        put_attribute("name", names[i], out);
        base_strbuf_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n", suites[i].tests,
                           suites[i].failures, suites[i].errors);
        base_strbuf_append(out, suites[i].cases.data ? suites[i].cases.data : "", suites[i].cases.length);
        out->failed |= suites[i].cases.failed;
        base_strbuf_puts(out, "  </testsuite>\n");
    }
    base_strbuf_puts(out, "</testsuites>\n");
}
