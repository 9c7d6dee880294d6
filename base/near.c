/* See near.h. */
#include "base/near.h"

#include <string.h>

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Levenshtein's distance of two short words. */
static size_t edit_distance(const char *a, size_t a_length, const char *b)
{
    size_t row[BASE_NEAR_WORD_MAX + 1];
    size_t b_length = strlen(b);

    for (size_t j = 0; j <= b_length; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t best = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[b_length];
}

/* A word is worth suggesting when no more than about a third of it is different. */
bool base_word_is_near(const char *word, size_t length, const char *candidate, size_t *best)
{
    if (length == 0 || length > BASE_NEAR_WORD_MAX || strlen(candidate) > BASE_NEAR_WORD_MAX)
        return false;
    size_t distance = edit_distance(word, length, candidate);
    if (distance > 1 + length / 3 || distance >= length || distance >= *best)
        return false;
    *best = distance;
    return true;
}
