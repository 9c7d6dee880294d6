/* Growing strings. The capacity doubles; room for the NUL is always kept. */
#include "base/strbuf.h"

#include "base/utf8.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for `more` bytes and the NUL; sets `failed` where that cannot be had. */
static bool reserve(struct base_strbuf *buf, size_t more)
{
    if (buf->failed)
        return false;
    if (more > SIZE_MAX - 1 - buf->length || (buf->limit_bytes && buf->length + more > buf->limit_bytes)) {
        buf->failed = true;
        return false;
    }
    const size_t need = buf->length + more + 1;
    if (need <= buf->capacity)
        return true;
    size_t capacity = buf->capacity ? buf->capacity : 64;
    while (capacity < need)
        capacity = capacity > SIZE_MAX / 2 ? need : capacity * 2;
    char *data = realloc(buf->data, capacity);
    if (!data) {
        buf->failed = true;
        return false;
    }
    buf->data = data;
    buf->capacity = capacity;
    return true;
}

void base_strbuf_free(struct base_strbuf *buf)
{
    free(buf->data);
    *buf = (struct base_strbuf){.limit_bytes = buf->limit_bytes};
}

void base_strbuf_append(struct base_strbuf *buf, const char *text, size_t length)
{
    if (!reserve(buf, length))
        return;
    if (length)
        memcpy(buf->data + buf->length, text, length);
    buf->length += length;
    buf->data[buf->length] = '\0';
}

void base_strbuf_puts(struct base_strbuf *buf, const char *text)
{
    base_strbuf_append(buf, text, strlen(text));
}

void base_strbuf_putc(struct base_strbuf *buf, char c)
{
    base_strbuf_append(buf, &c, 1);
}

void base_strbuf_printf(struct base_strbuf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    base_strbuf_vprintf(buf, format, args);
    va_end(args);
}

void base_strbuf_vprintf(struct base_strbuf *buf, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    if (length < 0)
        buf->failed = true;
    else if (reserve(buf, (size_t)length)) {
        vsnprintf(buf->data + buf->length, (size_t)length + 1, format, again);
        buf->length += (size_t)length;
    }
    va_end(again);
}

void base_strbuf_repeat(struct base_strbuf *buf, char c, size_t count)
{
    if (!reserve(buf, count))
        return;
    memset(buf->data + buf->length, c, count);
    buf->length += count;
    buf->data[buf->length] = '\0';
}

/* U+0000 to U+001F, U+007F to U+009F; and the latter as single bytes, as terminals without UTF-8 have them. */
static bool is_control(const char *text, size_t bytes)
{
    const unsigned char first = (unsigned char)text[0];
    if (bytes == 2)
        return first == 0xc2 && (unsigned char)text[1] < 0xa0;
    if (bytes == 1)
        return (first < 0x20 && first != '\n' && first != '\t') || first == 0x7f;
    return bytes == 0 && first >= 0x80 && first < 0xa0;
}

void base_strbuf_plain(struct base_strbuf *buf)
{
    size_t to = buf->plain_bytes;
    for (size_t at = to; at < buf->length;) {
        size_t bytes = base_utf8_length(buf->data + at, buf->length - at);
        const bool control = is_control(buf->data + at, bytes);
        bytes += bytes == 0;
        if (control)
            buf->data[to++] = '?';
        else
            for (size_t i = 0; i < bytes; i++)
                buf->data[to++] = buf->data[at + i];
        at += bytes;
    }
    if (buf->data)
        buf->data[to] = '\0';
    buf->length = buf->plain_bytes = to;
}

void base_strbuf_line(struct base_strbuf *buf, const char *text)
{
    for (; *text != '\0'; text++)
        base_strbuf_putc(buf, *text == '\n' || *text == '\t' ? '?' : *text);
}

void base_strbuf_style(struct base_strbuf *buf, const char *code)
{
    base_strbuf_plain(buf);
    base_strbuf_printf(buf, "\033[%sm", code);
    buf->plain_bytes = buf->length;
}

char *base_strbuf_take(struct base_strbuf *buf)
{
    base_strbuf_append(buf, "", 0);
    if (buf->failed) {
        base_strbuf_free(buf);
        return NULL;
    }
    char *data = buf->data;
    *buf = (struct base_strbuf){.limit_bytes = buf->limit_bytes};
    return data;
}
