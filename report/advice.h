/* Writers of findings (advise/explain.h): a section of the page for a person, a member of the JSON report. */
#ifndef REPORT_ADVICE_H
#define REPORT_ADVICE_H

#include "advise/explain.h"
#include "report/report.h"

struct report_advice {
    const struct advise_findings *findings;
    enum advise_language language;
};

/* The section, with its heading; `shown` findings at most. Lines are at most 100 columns wide, a Chinese character
 * taking two. */
void report_advice_text(const struct report_advice *advice, size_t shown, const struct report_text_options *options,
                        struct base_strbuf *out);

/* Sentences of one finding, as the writers put them: what is wrong, what to do (the cure of that number), what it
 * would bring ("" when that is not known). */
void report_advice_what(const struct advise_finding *finding, enum advise_language language, struct base_strbuf *out);
void report_advice_cure(const struct advise_finding *finding, uint32_t cure, enum advise_language language,
                        struct base_strbuf *out);
void report_advice_gain(const struct advise_finding *finding, enum advise_language language, struct base_strbuf *out);

#endif
