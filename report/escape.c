/* Escaping, character by character. */
#include "report/escape.h"

#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

static void put_ascii(struct base_strbuf *out, char c)
{
    switch (c) {
    case '&':
        base_strbuf_puts(out, "&amp;");
        break;
    case '<':
        base_strbuf_puts(out, "&lt;");
        break;
    case '>':
        base_strbuf_puts(out, "&gt;");
        break;
    case '"':
        base_strbuf_puts(out, "&quot;");
        break;
    case '\'':
        base_strbuf_puts(out, "&#39;");
        break;
    default:
        base_strbuf_putc(out, (c < ' ' && c != '\t' && c != '\n') || c == 0x7f ? '?' : c);
    }
}

/* U+FFFE and U+FFFF are UTF-8 but no characters of XML. */
static bool is_character(const char *text, size_t length)
{
    return length != 3 || memcmp(text, "\xef\xbf", 2) != 0 || ((unsigned char)text[2] & 0xfe) != 0xbe;
}

void report_escape(struct base_strbuf *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        size_t bytes = base_utf8_length(text + i, length - i);
        if (bytes == 1)
            put_ascii(out, text[i]);
        else if (bytes == 0 || !is_character(text + i, bytes))
            base_strbuf_puts(out, replacement);
        else
            base_strbuf_append(out, text + i, bytes);
        i += bytes > 0 ? bytes : 1;
    }
}
