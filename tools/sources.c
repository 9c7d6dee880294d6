/* Lines of the CUDA source, for the report that people read. The name in a module's .loc is tried as it stands, and
 * then its last part beside the input. A source that cannot be had is remembered as empty: the report goes without it.
 */
#include "tools/tool.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SOURCE_LIMIT_BYTES = 64 * 1024 * 1024, SOURCE_MAX = 64 };

static bool read_source(const char *path, struct tool_file *file)
{
    struct stat info;
    struct base_strbuf message = {0};
    bool good = stat(path, &info) == 0 && S_ISREG(info.st_mode) &&
                tool_file_read(path, SOURCE_LIMIT_BYTES, file, &message) == BASE_OK;
    base_strbuf_free(&message);
    return good;
}

static void find_source(const struct tool_sources *sources, const char *name, struct tool_source *source)
{
    if (read_source(name, &source->file))
        return;
    const char *slash = strrchr(name, '/');
    char *beside = sources->beside ? tool_path_beside(sources->beside, slash ? slash + 1 : name) : NULL;
    if (beside)
        read_source(beside, &source->file);
    free(beside);
}

static const struct tool_source *source_of(struct tool_sources *sources, const char *name)
{
    for (size_t i = 0; i < sources->count; i++) {
        if (strcmp(sources->items[i].name, name) == 0)
            return &sources->items[i];
    }
    struct tool_source source = {.name = strdup(name)};
    if (sources->count >= SOURCE_MAX || !source.name ||
        !base_vec_grow((void **)(void *)&sources->items, &sources->capacity, sources->count, 1,
                       sizeof(sources->items[0]))) {
        free(source.name);
        return NULL;
    }
    find_source(sources, name, &source);
    bool at_start = true;
    for (size_t i = 0; i < source.file.size; i++) {
        if (at_start && !base_vec_push(&source.starts, i))
            break;
        at_start = source.file.data[i] == '\n';
    }
    sources->items[sources->count] = source;
    return &sources->items[sources->count++];
}

const char *tool_sources_line(void *user, const char *file, uint32_t line, size_t *length)
{
    const struct tool_source *source = source_of(user, file);
    if (!source || line == 0 || line > source->starts.count)
        return NULL;
    size_t start = source->starts.data[line - 1];
    const char *text = source->file.data + start;
    const char *end = memchr(text, '\n', source->file.size - start);
    *length = end ? (size_t)(end - text) : source->file.size - start;
    return text;
}

void tool_sources_free(struct tool_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        free(sources->items[i].name);
        free(sources->items[i].file.data);
        base_vec_free(&sources->items[i].starts);
    }
    free(sources->items);
    *sources = (struct tool_sources){0};
}
