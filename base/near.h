/* What somebody may have meant who wrote a word that there is not. */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

#include <stdbool.h>
#include <stddef.h>

enum { BASE_NEAR_WORD_MAX = 128 }; /* longer words are near to none */

/* True, and *best made smaller, when `candidate` is near to the word and nearer than *best. Start with SIZE_MAX. */
bool base_word_is_near(const char *word, size_t length, const char *candidate, size_t *best);

#endif
