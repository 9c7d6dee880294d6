/* A string that grows.
 *
 * Errors are sticky: after an allocation fails, or the text would pass limit_bytes, further appends do nothing and
 * `failed` is set, so a writer checks once at its end. `data` is always NUL-terminated once anything was appended
 * (it is NULL before).
 */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct base_strbuf {
    char *data;
    size_t length, capacity;
    size_t limit_bytes; /* 0: no limit */
    bool failed;
};

void base_strbuf_free(struct base_strbuf *buf);
void base_strbuf_append(struct base_strbuf *buf, const char *text, size_t length);
void base_strbuf_puts(struct base_strbuf *buf, const char *text);
void base_strbuf_putc(struct base_strbuf *buf, char c);
void base_strbuf_printf(struct base_strbuf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void base_strbuf_vprintf(struct base_strbuf *buf, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
/* `count` copies of `c`. */
void base_strbuf_repeat(struct base_strbuf *buf, char c, size_t count);
/* Hands the text to the caller, who frees it with free(); "" becomes an allocated empty string. NULL if failed. */
char *base_strbuf_take(struct base_strbuf *buf);

#endif
