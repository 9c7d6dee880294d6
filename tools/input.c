/* Files that the command reads: programs, launch lists, profiles, buffers' contents. */
#include "tools/tool.h"

#include "isa/sass/sass.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { PROGRAM_LIMIT_BYTES = 256 * 1024 * 1024, PROFILE_LIMIT_BYTES = 1024 * 1024 };

static enum base_status read_stream(FILE *stream, size_t limit_bytes, struct tool_file *file,
                                    struct base_strbuf *message)
{
    BASE_VEC(char) data = {0};
    while (!feof(stream) && !ferror(stream) && data.count <= limit_bytes) {
        if (!base_vec_reserve(&data, 65536)) {
            base_strbuf_puts(message, "out of memory");
            base_vec_free(&data);
            return BASE_NOMEM;
        }
        data.count += fread(data.data + data.count, 1, 65536, stream);
    }
    if (ferror(stream) || data.count > limit_bytes) {
        if (ferror(stream))
            base_strbuf_puts(message, strerror(errno));
        else
            base_strbuf_printf(message, "larger than %zu bytes", limit_bytes);
        base_vec_free(&data);
        return BASE_IO;
    }
    *file = (struct tool_file){.data = data.data, .size = data.count};
    return BASE_OK;
}

enum base_status tool_file_read(const char *path, size_t limit_bytes, struct tool_file *file,
                                struct base_strbuf *message)
{
    struct stat info;
    *file = (struct tool_file){0};
    FILE *stream = fopen(path, "rb");
    if (!stream || fstat(fileno(stream), &info) != 0) {
        base_strbuf_puts(message, strerror(errno));
        if (stream)
            fclose(stream);
        return BASE_IO;
    }
    enum base_status status = BASE_IO;
    if (S_ISDIR(info.st_mode))
        base_strbuf_puts(message, "is a directory");
    else
        status = read_stream(stream, limit_bytes, file, message);
    fclose(stream);
    return status;
}

char *tool_path_beside(const char *path, const char *name)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    if (name[0] == '/' || !slash)
        return strdup(name);
    struct base_strbuf joined = {0};
    base_strbuf_append(&joined, path, (size_t)(slash - path) + 1);
    base_strbuf_puts(&joined, name);
    return base_strbuf_take(&joined);
}

static bool has_suffix(const char *path, const char *suffix)
{
    size_t length = strlen(path), suffix_length = strlen(suffix);
    return length > suffix_length && strcasecmp(path + length - suffix_length, suffix) == 0;
}

static enum base_status read_program(const char *path, struct tool_file *file, struct base_diags *diags)
{
    struct base_strbuf message = {0};
    enum base_status status = tool_file_read(path, PROGRAM_LIMIT_BYTES, file, &message);
    if (status != BASE_OK)
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0, "cannot read %s: %s", path, message.data ? message.data : "");
    base_strbuf_free(&message);
    return status;
}

/* "a/b.cubin" -> "a/b.sass" and back. */
static char *with_suffix(const char *path, const char *suffix)
{
    struct base_strbuf out = {0};
    const char *dot = strrchr(path, '.');
    base_strbuf_append(&out, path, (size_t)(dot - path));
    base_strbuf_puts(&out, suffix);
    return base_strbuf_take(&out);
}

static bool is_there(const char *path)
{
    struct stat info;
    return path != NULL && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* Machine code: a cubin with its listing, from a disassembler on PATH or from the file beside it; or a listing, with
 * the cubin beside it when there is one. */
static enum base_status load_machine(const char *path, struct isa_module **out, struct base_diags *diags)
{
    bool is_cubin = has_suffix(path, ".cubin");
    char *other = with_suffix(path, is_cubin ? ".sass" : ".cubin");
    const char *listing_path = is_cubin ? other : path, *cubin_path = is_cubin ? path : other;
    struct tool_file listing = {0}, cubin = {0};
    enum base_status status = other != NULL ? BASE_OK : BASE_NOMEM;
    if (status == BASE_OK && (is_cubin || is_there(cubin_path)))
        status = read_program(cubin_path, &cubin, diags);
    if (status == BASE_OK && is_cubin && !is_there(listing_path))
        status = tool_disassemble(cubin_path, &listing, diags);
    else if (status == BASE_OK)
        status = read_program(listing_path, &listing, diags);
    if (status == BASE_OK)
        status = isa_sass_read(listing_path, listing.data ? listing.data : "", listing.size, cubin_path,
                               (const uint8_t *)cubin.data, cubin.size, out, diags);
    free(listing.data);
    free(cubin.data);
    free(other);
    return status;
}

enum base_status tool_module_load(const struct tool_options *options, const char *path, struct isa_module **out,
                                  struct base_diags *diags)
{
    struct tool_file file = {0};
    enum base_status status = BASE_OK;
    *out = NULL;
    if (has_suffix(path, ".cubin") || has_suffix(path, ".sass"))
        return load_machine(path, out, diags);
    if (has_suffix(path, ".cu"))
        status = tool_compile(path, options->max_registers, &file, diags);
    else
        status = read_program(path, &file, diags);
    if (status == BASE_OK)
        status = isa_ptx_read(path, file.data ? file.data : "", file.size, out, diags);
    free(file.data);
    return status;
}

enum base_status tool_device_load(const char *name, struct sim_device *device)
{
    const struct sim_device *known = sim_device_find(name);
    if (known) {
        *device = *known;
        return BASE_OK;
    }
    struct tool_file file = {0};
    struct base_strbuf message = {0};
    enum base_status status = tool_file_read(name, PROFILE_LIMIT_BYTES, &file, &message);
    if (status != BASE_OK) {
        const char *suggestion = sim_device_suggest(name);
        tool_error("no device '%s'%s%s%s (as a file: %s); see simtlab devices", name,
                   suggestion ? ", did you mean '" : "", suggestion ? suggestion : "", suggestion ? "'?" : "",
                   message.data ? message.data : "");
    } else {
        struct base_source source = {.name = name, .text = file.data ? file.data : "", .size = file.size};
        struct base_diags diags = {0};
        status = sim_device_read(&source, device, &diags);
        tool_print_diags(&diags);
        base_diags_free(&diags);
    }
    base_strbuf_free(&message);
    free(file.data);
    return status;
}
