/* UTF-8 as the Unicode standard has it. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>

/* Length of the sequence at the start of `text`, of `size` (at least 1) bytes; 0 when it is none: no overlong form, no
 * surrogate, nothing past U+10FFFF. */
size_t base_utf8_length(const char *text, size_t size);

#endif
