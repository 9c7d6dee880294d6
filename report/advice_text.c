/* Findings as text, folded to the width of the page. */
#include "report/advice.h"

#include <string.h>

enum { PAGE_WIDTH = 100, INDENT = 6 };

void report_advice_what(const struct advise_finding *finding, enum advise_language language, struct base_strbuf *out)
{
    advise_words_put(finding->what, language, finding->numbers, finding->number_count, out);
}

void report_advice_cure(const struct advise_finding *finding, uint32_t cure, enum advise_language language,
                        struct base_strbuf *out)
{
    advise_words_put(finding->cures[cure], language, finding->numbers, finding->number_count, out);
}

void report_advice_gain(const struct advise_finding *finding, enum advise_language language, struct base_strbuf *out)
{
    if (finding->has_estimate)
        advise_words_put(finding->has_share ? ADVISE_WORD_GAIN_PCT : ADVISE_WORD_GAIN_CYCLES, language,
                         finding->numbers, finding->number_count, out);
}

/* Bytes of the character at `text`, and the columns that it takes: two from the first Chinese, Japanese or Korean one
 * on. */
static size_t character(const char *text, size_t left, unsigned *columns)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t bytes = at[0] < 0x80 ? 1 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    bytes = bytes < left ? bytes : left;
    *columns = bytes < 3 ? 1 : bytes == 3 && at[0] == 0xe2 && at[1] < 0xba ? 1 : 2; /* U+2000 to U+2E7F: narrow */
    return bytes;
}

/* Where a line of `width` columns ends: behind a space or a wide character, or where it is full. */
static size_t line_end(const char *text, size_t length, unsigned width)
{
    size_t at = 0, good = 0;
    unsigned column = 0;
    while (at < length) {
        unsigned columns;
        size_t bytes = character(text + at, length - at, &columns);
        if (column + columns > width)
            return good > 0 ? good : at;
        column += columns;
        at += bytes;
        size_t next = at < length ? at : 0;
        /* No line begins with one of these. */
        bool closes = next > 0 && (strncmp(text + next, "，", 3) == 0 || strncmp(text + next, "。", 3) == 0 ||
                                   strncmp(text + next, "；", 3) == 0 || strncmp(text + next, "）", 3) == 0 ||
                                   strncmp(text + next, "、", 3) == 0 || strncmp(text + next, "：", 3) == 0);
        if ((text[at - bytes] == ' ' || columns == 2) && !closes)
            good = at;
    }
    return length;
}

static unsigned columns_of(const char *text)
{
    unsigned sum = 0;
    for (size_t at = 0, length = strlen(text); at < length;) {
        unsigned columns;
        at += character(text + at, length - at, &columns);
        sum += columns;
    }
    return sum;
}

/* "      what   text, folded". The label is in the first line; others begin below the text. */
static void put_labelled(const char *label, const struct base_strbuf *text, struct base_strbuf *out)
{
    unsigned indent = INDENT + 6;
    const char *at = text->data;
    size_t left = text->length;
    base_strbuf_repeat(out, ' ', INDENT);
    base_strbuf_puts(out, label);
    base_strbuf_repeat(out, ' ', 6 - columns_of(label));
    while (left > 0) {
        size_t end = line_end(at, left, PAGE_WIDTH - indent), shown = end;
        while (shown > 0 && at[shown - 1] == ' ')
            shown--;
        base_strbuf_append(out, at, shown);
        base_strbuf_putc(out, '\n');
        at += end;
        left -= end;
        if (left > 0)
            base_strbuf_repeat(out, ' ', indent);
    }
}

static void put_sentence(enum advise_word label, enum advise_language language, struct base_strbuf *sentence,
                         struct base_strbuf *out)
{
    if (sentence->length > 0)
        put_labelled(advise_word(label, language), sentence, out);
    out->failed |= sentence->failed;
    base_strbuf_free(sentence);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void style(const struct report_text_options *options, const char *code, struct base_strbuf *out)
{
    if (options->colour)
        base_strbuf_style(out, code);
}

static void put_finding(const struct report_advice *advice, size_t index, const struct report_text_options *options,
                        struct base_strbuf *out)
{
    static const enum advise_word severities[ADVISE_SEVERITIES] = {
        [ADVISE_NOTE] = ADVISE_WORD_NOTE, [ADVISE_HINT] = ADVISE_WORD_HINT, [ADVISE_PROBLEM] = ADVISE_WORD_PROBLEM};
    const struct advise_finding *f = &advice->findings->items[index];
    enum advise_language language = advice->language;
    struct base_strbuf sentence = {0};
    base_strbuf_printf(out, "  %zu. ", index + 1);
    style(options, "1", out);
    if (f->line > 0)
        base_strbuf_printf(out, "%s:%u  ", f->file ? base_name(f->file) : "?", f->line);
    base_strbuf_puts(out, advise_word(f->title, language));
    style(options, "0", out);
    base_strbuf_printf(out, language == ADVISE_ZH ? "（%s）\n" : " (%s)\n",
                       advise_word(severities[f->severity], language));
    report_text_source(options, f->file, f->line, INDENT, out);
    report_advice_what(f, language, &sentence);
    put_sentence(ADVISE_WORD_WHAT, language, &sentence, out);
    for (uint32_t i = 0; i < f->cure_count; i++) {
        report_advice_cure(f, i, language, &sentence);
        put_sentence(i == 0 ? ADVISE_WORD_CURE : ADVISE_WORD_NONE, language, &sentence, out);
    }
    report_advice_gain(f, language, &sentence);
    put_sentence(ADVISE_WORD_GAIN, language, &sentence, out);
}

void report_advice_text(const struct report_advice *advice, size_t shown, const struct report_text_options *options,
                        struct base_strbuf *out)
{
    size_t count = advice->findings->count;
    base_strbuf_putc(out, '\n');
    style(options, "1", out);
    base_strbuf_puts(out, advise_word(count > 0 ? ADVISE_WORD_HEADING : ADVISE_WORD_HEADING_NONE, advice->language));
    style(options, "0", out);
    base_strbuf_putc(out, '\n');
    for (size_t i = 0; i < count && i < shown; i++)
        put_finding(advice, i, options, out);
    if (count > shown) {
        struct advise_number more = {.name = "more", .kind = ADVISE_COUNT, .count = count - shown};
        base_strbuf_puts(out, "  ");
        advise_words_put(ADVISE_WORD_MORE, advice->language, &more, 1, out);
        base_strbuf_putc(out, '\n');
    }
    if (advice->findings->incomplete)
        base_strbuf_printf(out, "  %s\n", advise_word(ADVISE_WORD_INCOMPLETE, advice->language));
}
