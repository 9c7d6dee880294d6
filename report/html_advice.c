/* What there is to say about the launch: the findings of simtlab explain, in the language that was asked for. */
#include "report/html_parts.h"

bool html_advice_has(const struct html *h)
{
    return h->launch->advice != NULL;
}

static void put_sentence(struct html *h, enum advise_word label, struct base_strbuf *sentence)
{
    if (sentence->length > 0) {
        html_puts(h, "<div><dt>");
        html_text(h, advise_word(label, h->launch->advice->language));
        html_puts(h, "</dt><dd>");
        html_taken(h, sentence);
        html_puts(h, "</dd></div>\n");
    }
    h->out->failed |= sentence->failed;
    base_strbuf_free(sentence);
}

static void put_finding(struct html *h, const struct advise_finding *finding)
{
    static const enum advise_word severities[ADVISE_SEVERITIES] = {
        [ADVISE_NOTE] = ADVISE_WORD_NOTE, [ADVISE_HINT] = ADVISE_WORD_HINT, [ADVISE_PROBLEM] = ADVISE_WORD_PROBLEM};
    static const char *const classes[ADVISE_SEVERITIES] = {
        [ADVISE_NOTE] = "", [ADVISE_HINT] = "slow-tag", [ADVISE_PROBLEM] = "worst-tag"};
    const enum advise_language language = h->launch->advice->language;
    struct base_strbuf sentence = {0};
    html_puts(h, "<li>\n<p><strong>");
    html_text(h, advise_word(finding->title, language));
    html_puts(h, "</strong>");
    if (finding->line > 0) {
        html_puts(h, " ");
        bool linked = html_line_link(h, finding->file, finding->line);
        html_place(h, finding->file, finding->line);
        html_puts(h, linked ? "</a>" : "");
    }
    html_puts(h, " <span class=\"tag ");
    html_puts(h, classes[finding->severity]);
    html_puts(h, "\">");
    html_text(h, advise_word(severities[finding->severity], language));
    html_puts(h, "</span></p>\n<dl>\n");
    report_advice_what(finding, language, &sentence);
    put_sentence(h, ADVISE_WORD_WHAT, &sentence);
    for (uint32_t i = 0; i < finding->cure_count; i++) {
        report_advice_cure(finding, i, language, &sentence);
        put_sentence(h, i == 0 ? ADVISE_WORD_CURE : ADVISE_WORD_NONE, &sentence);
    }
    report_advice_gain(finding, language, &sentence);
    put_sentence(h, ADVISE_WORD_GAIN, &sentence);
    html_puts(h, "</dl>\n</li>\n");
}

void html_advice(struct html *h)
{
    const struct report_advice *advice = h->launch->advice;
    const size_t count = advice->findings->count;
    if (count == 0) {
        html_puts(h, "<p class=\"fine\">");
        html_text(h, advise_word(ADVISE_WORD_HEADING_NONE, advice->language));
        html_puts(h, "</p>\n");
        return;
    }
    html_puts(h, advice->language == ADVISE_ZH ? "<ol class=\"advice\" lang=\"zh\">\n" : "<ol class=\"advice\">\n");
    for (size_t i = 0; i < count; i++)
        put_finding(h, &advice->findings->items[i]);
    html_puts(h, "</ol>\n");
}
