/* See measure.h: which reader a file is for, and what both share. */
#include "validate/measure.h"

#include "base/demangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a file of 64 MiB the cells take some 2 GiB at worst. */
#define ARENA_LIMIT_BYTES ((size_t)4 << 30)

static int by_name(const void *a, const void *b)
{
    const struct validate_value *x = a, *y = b;
    return strcmp(x->name, y->name);
}

size_t validate_values_sort(struct validate_value *values, size_t count)
{
    size_t kept = 0;
    if (count > 0)
        qsort(values, count, sizeof(*values), by_name);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || strcmp(values[kept - 1].name, values[i].name) != 0)
            values[kept++] = values[i];
    return kept;
}

const struct validate_value *validate_value_find(const struct validate_launch *launch, const char *name)
{
    const struct validate_value key = {.name = name};
    return launch->value_count > 0 ? bsearch(&key, launch->values, launch->value_count, sizeof(key), by_name) : NULL;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

const char *validate_kernel_name(struct base_arena *arena, const char *shown)
{
    struct base_strbuf plain = {0};
    base_demangle(shown, &plain);
    const char *text = plain.data && !plain.failed ? plain.data : "";
    size_t end = 0;
    while (text[end] != '\0' && !strchr("<([", text[end]))
        end++;
    while (end > 0 && text[end - 1] == ' ')
        end--;
    size_t start = end;
    while (start > 0 && is_word(text[start - 1]))
        start--;
    const char *name = start == end ? base_arena_strndup(arena, text, strlen(text))
                                    : base_arena_strndup(arena, text + start, end - start);
    if (plain.failed)
        name = NULL;
    base_strbuf_free(&plain);
    return name;
}

/* UTF-16 with its mark, as a Windows shell's ">" writes: to UTF-8, so far as it matters: what is not ASCII is a
 * no-break space or part of a name. */
static enum base_status from_utf16(const char *text, size_t size, struct base_arena *arena, struct base_source *source)
{
    const unsigned char *from = (const unsigned char *)text;
    char *to = base_arena_alloc(arena, size / 2 + 1, 3);
    size_t length = 0;
    bool little = from[0] == 0xff;
    if (!to)
        return BASE_NOMEM;
    for (size_t i = 2; i + 1 < size; i += 2) {
        unsigned unit = little ? from[i] | (unsigned)from[i + 1] << 8 : from[i + 1] | (unsigned)from[i] << 8;
        if (unit < 0x80) {
            to[length++] = (char)unit;
        } else if (unit < 0x800) {
            to[length++] = (char)(0xc0 | unit >> 6);
            to[length++] = (char)(0x80 | (unit & 0x3f));
        } else {
            to[length++] = (char)(0xe0 | unit >> 12);
            to[length++] = (char)(0x80 | (unit >> 6 & 0x3f));
            to[length++] = (char)(0x80 | (unit & 0x3f));
        }
    }
    source->text = to;
    source->size = length;
    return BASE_OK;
}

enum base_status validate_measure_read(const char *name, const char *text, size_t size, struct validate_measure *out,
                                       struct base_diags *diags)
{
    struct base_source source = {name, text, size};
    size_t at = 0;
    *out = (struct validate_measure){.name = name};
    base_arena_init(&out->arena, ARENA_LIMIT_BYTES);
    if (size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0) &&
        from_utf16(text, size, &out->arena, &source) != BASE_OK)
        return BASE_NOMEM;
    if (source.size >= 3 && memcmp(source.text, "\xef\xbb\xbf", 3) == 0) {
        source.text += 3;
        source.size -= 3;
    }
    while (at < source.size && strchr(" \t\r\n", source.text[at]) && source.text[at] != '\0')
        at++;
    out->origin = at < source.size && source.text[at] == '{' ? VALIDATE_SIMTLAB : VALIDATE_NCU;
    enum base_status status =
        (out->origin == VALIDATE_SIMTLAB ? validate_simtlab_read : validate_ncu_read)(&source, out, diags);
    /* The text may be ours alone; its messages are made. */
    for (size_t i = 0; diags && i < diags->count; i++)
        diags->items[i].source = diags->items[i].source == &source ? NULL : diags->items[i].source;
    return status;
}

void validate_measure_free(struct validate_measure *measure)
{
    base_vec_free(&measure->launches);
    base_arena_free(&measure->arena);
}

/* ---- The runner's lines ---- */

/* "NAME argI bytes=N fnv=HASH", and nothing behind it. */
static bool read_output(const char *line, size_t length, size_t *name_length, struct validate_buffer *buffer)
{
    char text[512];
    int used = 0;
    unsigned long long bytes = 0, hash = 0;
    unsigned arg = 0;
    const char *space = memchr(line, ' ', length);
    if (!space || length >= sizeof(text))
        return false;
    *name_length = (size_t)(space - line);
    memcpy(text, space + 1, length - *name_length - 1);
    text[length - *name_length - 1] = '\0';
    if (sscanf(text, "arg%9u bytes=%19llu fnv=%16llx%n", &arg, &bytes, &hash, &used) != 3 || text[used] != '\0')
        return false;
    *buffer = (struct validate_buffer){arg, bytes, hash};
    return true;
}

static struct validate_launch *launch_of(struct validate_outputs *outputs, const char *name, size_t length)
{
    struct validate_launch *last =
        outputs->launches.count > 0 ? &outputs->launches.data[outputs->launches.count - 1] : NULL;
    if (last && strlen(last->name) == length && memcmp(last->name, name, length) == 0)
        return last;
    struct validate_launch launch = {.name = base_arena_strndup(&outputs->arena, name, length)};
    return launch.name && base_vec_push(&outputs->launches, launch)
               ? &outputs->launches.data[outputs->launches.count - 1]
               : NULL;
}

enum base_status validate_outputs_read(const char *text, size_t size, struct validate_outputs *outputs)
{
    *outputs = (struct validate_outputs){0};
    base_arena_init(&outputs->arena, ARENA_LIMIT_BYTES);
    for (size_t at = 0; at < size;) {
        const char *line = text + at, *newline = memchr(line, '\n', size - at);
        size_t length = newline ? (size_t)(newline - line) : size - at, name_length = 0;
        struct validate_buffer buffer;
        at += length + 1;
        if (!read_output(line, length, &name_length, &buffer))
            continue;
        struct validate_launch *launch = launch_of(outputs, line, name_length);
        struct validate_buffer *buffers =
            launch ? base_arena_alloc(&outputs->arena, launch->buffer_count + 1, sizeof(*buffers)) : NULL;
        if (!buffers)
            return BASE_NOMEM;
        if (launch->buffer_count > 0)
            memcpy(buffers, launch->buffers, launch->buffer_count * sizeof(*buffers));
        buffers[launch->buffer_count++] = buffer;
        launch->buffers = buffers;
    }
    return BASE_OK;
}

void validate_outputs_free(struct validate_outputs *outputs)
{
    base_vec_free(&outputs->launches);
    base_arena_free(&outputs->arena);
}
