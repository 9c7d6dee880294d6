/* What is said about a report, in two languages. The table advise/words.def has each sentence in both, side by side.
 *
 * A sentence has places for numbers by name: {sectors} is the number of that name, with groups of three digits;
 * {requests|request|requests} is the number and a word that goes with it, the second one unless the number is 1. There
 * is no locale behind it: the same report gives the same text wherever it is written, and two languages can be written
 * by one process.
 */
#ifndef ADVISE_WORDS_H
#define ADVISE_WORDS_H

#include "base/strbuf.h"

#include <stdint.h>

enum advise_language { ADVISE_EN, ADVISE_ZH, ADVISE_LANGUAGES };

enum advise_word {
    ADVISE_WORD_NONE,
#define WORD(id, en, zh) ADVISE_WORD_##id,
#include "advise/words.def"
#undef WORD
    ADVISE_WORD_COUNT
};

enum advise_number_kind { ADVISE_COUNT, ADVISE_REAL, ADVISE_TEXT };
struct advise_number {
    const char *name;
    enum advise_number_kind kind;
    uint64_t count;
    double real;      /* printed with three digits that count */
    const char *text; /* the same in all languages: a name, C */
};

/* "en", "zh" and locale names such as "zh_CN.UTF-8"; -1: neither. */
int advise_language_of(const char *name);
/* The sentence as it stands in the table. */
const char *advise_word(enum advise_word word, enum advise_language language);
/* The sentence with its numbers. A name that is not among them is left as it stands. */
void advise_words_put(enum advise_word word, enum advise_language language, const struct advise_number *numbers,
                      uint32_t count, struct base_strbuf *out);

#endif
