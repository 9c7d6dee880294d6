/* Sentences and the numbers in them. */
#include "advise/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const sentences[ADVISE_WORD_COUNT][ADVISE_LANGUAGES] = {
    [ADVISE_WORD_NONE] = {"", ""},
#define WORD(id, en, zh) [ADVISE_WORD_##id] = {en, zh},
#include "advise/words.def"
#undef WORD
};

int advise_language_of(const char *name)
{
    static const char *const names[ADVISE_LANGUAGES] = {"en", "zh"};
    for (int i = 0; i < ADVISE_LANGUAGES; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(name, names[i], length) == 0 && (name[length] == '\0' || strchr("_.-@", name[length])))
            return i;
    }
    return -1;
}

const char *advise_word(enum advise_word word, enum advise_language language)
{
    return sentences[word][language];
}

static void put_count(uint64_t value, struct base_strbuf *out)
{
    char digits[32];
    int length = snprintf(digits, sizeof(digits), "%" PRIu64, value);
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            base_strbuf_putc(out, ',');
        base_strbuf_putc(out, digits[i]);
    }
}

static void put_number(const struct advise_number *number, struct base_strbuf *out)
{
    if (number->kind == ADVISE_TEXT)
        base_strbuf_puts(out, number->text);
    else if (number->kind == ADVISE_COUNT)
        put_count(number->count, out);
    else if (number->real >= 1000)
        put_count((uint64_t)(number->real < 1e18 ? number->real + 0.5 : 1e18), out);
    else
        base_strbuf_printf(out, "%.3g", number->real);
}

static const struct advise_number *find(const struct advise_number *numbers, uint32_t count, const char *name,
                                        size_t length)
{
    for (uint32_t i = 0; i < count; i++)
        if (strlen(numbers[i].name) == length && strncmp(numbers[i].name, name, length) == 0)
            return &numbers[i];
    return NULL;
}

/* "|one|many" */
static void put_noun(const struct advise_number *number, const char *words, size_t length, struct base_strbuf *out)
{
    const char *one = words + 1, *bar = memchr(one, '|', length - 1);
    bool is_one = number->kind == ADVISE_COUNT && number->count == 1;
    base_strbuf_putc(out, ' ');
    if (bar && is_one)
        base_strbuf_append(out, one, (size_t)(bar - one));
    else if (bar)
        base_strbuf_append(out, bar + 1, (size_t)(words + length - bar - 1));
}

void advise_words_put(enum advise_word word, enum advise_language language, const struct advise_number *numbers,
                      uint32_t count, struct base_strbuf *out)
{
    const char *at = sentences[word][language];
    while (*at != '\0') {
        const char *open = strchr(at, '{'), *close = open ? strchr(open, '}') : NULL;
        if (!close) {
            base_strbuf_puts(out, at);
            return;
        }
        base_strbuf_append(out, at, (size_t)(open - at));
        size_t name = strcspn(open + 1, "|}"), whole = (size_t)(close - open - 1);
        const struct advise_number *number = find(numbers, count, open + 1, name);
        if (number)
            put_number(number, out);
        else
            base_strbuf_append(out, open, whole + 2);
        if (number && name < whole)
            put_noun(number, open + 1 + name, whole - name, out);
        at = close + 1;
    }
}
