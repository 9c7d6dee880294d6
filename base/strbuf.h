/* A string that grows.
 *
 * Errors are sticky: after an allocation fails, or the text would pass limit_bytes, further appends do nothing and
 * `failed` is set, so a writer checks once at its end. `data` is always NUL-terminated once anything was appended
 * (it is NULL before).
 *
 * What is to be shown to people may hold names that others chose, and a terminal obeys control characters.
 * base_strbuf_plain() makes them harmless; base_strbuf_style() is how a writer sets its own colours nevertheless.
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
    size_t plain_bytes; /* so much has been made plain, or is meant as it stands */
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
/* Every control character but newline and tab becomes a '?', in what was appended since the last call of this or the
 * next. Characters past ASCII stay, control characters among them do not. */
void base_strbuf_plain(struct base_strbuf *buf);
/* Appends a name of others' choosing, which stays on its line: its newlines and tabs become '?' too. */
void base_strbuf_line(struct base_strbuf *buf, const char *text);
/* Makes plain what stands there, then appends the terminal's sequence for a style: "1" is bold, "0" ends all. */
void base_strbuf_style(struct base_strbuf *buf, const char *code);
/* Hands the text to the caller, who frees it with free(); "" becomes an allocated empty string. NULL if failed. */
char *base_strbuf_take(struct base_strbuf *buf);

#endif
