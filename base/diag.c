/* Diagnostics: keeping them, and showing each with its source line and a caret.
 *
 * A message is rendered when it is added (render()), while its source is there; printing only copies.
 * print_excerpt() shows one line of text. A long line is shown through a window of WINDOW columns around the caret;
 * every byte of the line takes one column, so caret and text stay aligned. */
#include "base/diag.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 160, BEFORE_CARET = 60, MESSAGE_LIMIT = 64 * 1024 };

/* Name and text follow in the same allocation. */
struct base_kept_source {
    struct base_kept_source *next;
    struct base_source source;
};

void base_diags_free(struct base_diags *diags)
{
    for (struct base_kept_source *kept = diags->sources; kept;) {
        struct base_kept_source *next = kept->next;
        free(kept);
        kept = next;
    }
    for (size_t i = 0; i < diags->count; i++) {
        free(diags->items[i].message);
        free(diags->items[i].shown);
    }
    *diags = (struct base_diags){0};
}

bool base_diags_keep_source(struct base_diags *diags, const struct base_source *source)
{
    bool needed = false;
    for (size_t i = 0; diags && i < diags->count; i++)
        needed |= diags->items[i].source == source;
    if (!needed)
        return true;
    const size_t name_bytes = strlen(source->name) + 1;
    const size_t fixed_bytes = sizeof(struct base_kept_source) + name_bytes;
    struct base_kept_source *kept = source->size <= SIZE_MAX - fixed_bytes ? malloc(fixed_bytes + source->size) : NULL;
    if (kept) {
        char *name = (char *)(kept + 1);
        memcpy(name, source->name, name_bytes);
        if (source->size)
            memcpy(name + name_bytes, source->text, source->size);
        kept->source = (struct base_source){.name = name, .text = name + name_bytes, .size = source->size};
        kept->next = diags->sources;
        diags->sources = kept;
    }
    for (size_t i = 0; i < diags->count; i++)
        if (diags->items[i].source == source)
            diags->items[i].source = kept ? &kept->source : NULL;
    return kept != NULL;
}

void base_source_position(const struct base_source *source, size_t offset, unsigned *line, unsigned *column)
{
    const size_t end = offset < source->size ? offset : source->size;
    unsigned lines = 1;
    size_t line_start = 0;
    while (line_start < end) {
        const char *newline = memchr(source->text + line_start, '\n', end - line_start);
        if (!newline)
            break;
        lines++;
        line_start = (size_t)(newline - source->text) + 1;
    }
    *line = lines;
    *column = (unsigned)(end - line_start) + 1;
}

static void print_excerpt(const struct base_diag *diag, struct base_strbuf *out)
{
    const struct base_source *source = diag->source;
    const size_t offset = diag->offset < source->size ? diag->offset : source->size;
    size_t start = offset;
    while (start > 0 && source->text[start - 1] != '\n')
        start--;
    const char *newline = offset < source->size ? memchr(source->text + offset, '\n', source->size - offset) : NULL;
    size_t end = newline ? (size_t)(newline - source->text) : source->size;
    if (end > start && source->text[end - 1] == '\r' && end - 1 >= offset)
        end--;
    if (end - start > WINDOW) {
        if (offset - start > BEFORE_CARET)
            start = offset - BEFORE_CARET;
        if (end - start > WINDOW)
            end = start + WINDOW;
    }
    if (start == end)
        return;
    for (size_t i = start; i < end; i++)
        base_strbuf_putc(out, source->text[i] == '\t' ? ' ' : source->text[i]);
    base_strbuf_putc(out, '\n');
    base_strbuf_repeat(out, ' ', offset - start);
    base_strbuf_putc(out, '^');
    const size_t room = end > offset ? end - offset : 0;
    const size_t length = diag->length < room ? diag->length : room;
    if (length > 1)
        base_strbuf_repeat(out, '~', length - 1);
    base_strbuf_putc(out, '\n');
}

static void render(const struct base_diag *diag, struct base_strbuf *out)
{
    static const char *const words[] = {[BASE_NOTE] = "note", [BASE_WARNING] = "warning", [BASE_ERROR] = "error"};
    if (diag->source) {
        unsigned line = 0;
        unsigned column = 0;
        base_source_position(diag->source, diag->offset, &line, &column);
        base_strbuf_line(out, diag->source->name);
        base_strbuf_printf(out, ":%u:%u: ", line, column);
    }
    base_strbuf_printf(out, "%s: %s\n", words[diag->severity], diag->message ? diag->message : "(out of memory)");
    if (diag->source)
        print_excerpt(diag, out);
    base_strbuf_plain(out);
}

void base_diag_vadd(struct base_diags *diags, enum base_severity severity, const struct base_source *source,
                    size_t offset, size_t length, const char *format, va_list args)
{
    if (!diags)
        return;
    if (severity == BASE_ERROR)
        diags->errors++;
    if (diags->count == BASE_DIAG_MAX) {
        diags->dropped++;
        return;
    }
    struct base_strbuf text = {.limit_bytes = MESSAGE_LIMIT};
    base_strbuf_vprintf(&text, format, args);
    struct base_diag *diag = &diags->items[diags->count++];
    *diag = (struct base_diag){
        .severity = severity, .source = source, .offset = offset, .length = length, .message = base_strbuf_take(&text)};
    struct base_strbuf shown = {0};
    render(diag, &shown);
    diag->shown = base_strbuf_take(&shown);
}

void base_diag_add(struct base_diags *diags, enum base_severity severity, const struct base_source *source,
                   size_t offset, size_t length, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    base_diag_vadd(diags, severity, source, offset, length, format, args);
    va_end(args);
}

void base_diag_print(const struct base_diag *diag, struct base_strbuf *out)
{
    base_strbuf_puts(out, diag->shown ? diag->shown : "error: (out of memory)\n");
}

void base_diags_print(const struct base_diags *diags, struct base_strbuf *out)
{
    for (size_t i = 0; i < diags->count; i++)
        base_diag_print(&diags->items[i], out);
    if (diags->dropped)
        base_strbuf_printf(out, "and %zu more message%s\n", diags->dropped, diags->dropped == 1 ? "" : "s");
}
