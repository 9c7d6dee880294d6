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

/* "a/b.cubin" -> "a/b.sass" and back; a name without an ending gets one. */
static char *with_suffix(const char *path, const char *suffix)
{
    struct base_strbuf out = {0};
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    base_strbuf_append(&out, path, dot != NULL && (slash == NULL || dot > slash) ? (size_t)(dot - path) : strlen(path));
    base_strbuf_puts(&out, suffix);
    return base_strbuf_take(&out);
}

static bool is_there(const char *path)
{
    struct stat info;
    return path != NULL && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

enum content { CONTENT_TEXT, CONTENT_CUBIN, CONTENT_HOLDER };

/* By the first bytes: a cubin, text, or what only holds cubins: a fatbin, an object file, a program. */
static enum content content_of(const struct tool_file *file)
{
    static const unsigned char fatbin[4] = {0x50, 0xed, 0x55, 0xba};
    const unsigned char *data = (const unsigned char *)file->data;
    if (file->size >= 4 && memcmp(data, fatbin, 4) == 0)
        return CONTENT_HOLDER;
    if (file->size < 20 || memcmp(data, "\177ELF", 4) != 0)
        return CONTENT_TEXT;
    return (data[18] | data[19] << 8) == 190 ? CONTENT_CUBIN : CONTENT_HOLDER; /* 190: EM_CUDA */
}

/* The listing of a cubin in memory, by a disassembler; `listing_name` stands for it in messages. */
static enum base_status disassemble(const char *path, const struct tool_file *cubin, struct tool_file *listing,
                                    struct base_strbuf *listing_name, struct base_diags *diags)
{
    base_strbuf_printf(listing_name, "%s (disassembled)", path);
    return listing_name->failed ? BASE_NOMEM : tool_disassemble(path, cubin, listing, diags);
}

static enum base_status read_machine(const char *listing_name, const struct tool_file *listing, const char *cubin_name,
                                     const struct tool_file *cubin, struct isa_module **out, struct base_diags *diags)
{
    return isa_sass_read(listing_name, listing->data ? listing->data : "", listing->size, cubin_name,
                         (const uint8_t *)cubin->data, cubin->size, out, diags);
}

/* A cubin with its listing: from a disassembler, else from the file beside it. */
static enum base_status load_cubin(const char *path, const struct tool_file *cubin, struct isa_module **out,
                                   struct base_diags *diags)
{
    char *beside = with_suffix(path, ".sass");
    struct tool_file listing = {0};
    struct base_strbuf name = {0};
    enum base_status status = BASE_OK;
    if (beside != NULL && is_there(beside) && !tool_has_disassembler()) {
        base_strbuf_puts(&name, beside);
        status = read_program(beside, &listing, diags);
    } else {
        status = disassemble(path, cubin, &listing, &name, diags);
    }
    if (status == BASE_OK)
        status = name.failed ? BASE_NOMEM : read_machine(name.data, &listing, path, cubin, out, diags);
    base_strbuf_free(&name);
    free(listing.data);
    free(beside);
    return status;
}

/* What only a cubin tells, as far as the command line does. */
static void fill_in(const struct tool_options *options, struct isa_module *module)
{
    for (size_t i = 0; i < module->function_count; i++) {
        struct isa_sass_kernel *machine = module->functions[i].machine;
        if (machine->from_cubin)
            continue;
        machine->registers = options->regs;
        machine->shared_bytes = options->shared_static_bytes;
    }
}

/* A listing, with the cubin beside it when there is one. */
static enum base_status load_listing(const struct tool_options *options, const char *path, struct isa_module **out,
                                     struct base_diags *diags)
{
    char *beside = with_suffix(path, ".cubin");
    struct tool_file listing = {0}, cubin = {0};
    enum base_status status = read_program(path, &listing, diags);
    if (status == BASE_OK && is_there(beside))
        status = read_program(beside, &cubin, diags);
    if (status == BASE_OK)
        status = read_machine(path, &listing, beside, &cubin, out, diags);
    if (status == BASE_OK)
        fill_in(options, *out);
    free(listing.data);
    free(cubin.data);
    free(beside);
    return status;
}

/* Machine code is what really runs; but it is made for sm_90 only. */
static bool wants_machine(const struct tool_options *options)
{
    struct sim_device device;
    if (options->form != TOOL_FORM_BEST)
        return options->form == TOOL_FORM_SASS;
    return tool_has_nvcc() && tool_has_disassembler() && tool_device_load(options->device, &device) == BASE_OK &&
           device.compute_major == 9 && device.compute_minor == 0;
}

static enum base_status load_source(const struct tool_options *options, const char *path, struct isa_module **out,
                                    struct base_diags *diags)
{
    const struct tool_compilation what = {.machine = wants_machine(options), .max_registers = options->max_registers};
    struct tool_file file = {0}, listing = {0};
    struct base_strbuf name = {0};
    if (what.machine && tool_has_nvcc() && !tool_has_disassembler()) {
        base_diag_add(
            diags, BASE_ERROR, NULL, 0, 0,
            "%s: its machine code cannot be read, for neither cuobjdump nor nvdisasm is on the PATH or beside nvcc "
            "(both are in the CUDA toolkit); --form ptx needs none",
            path);
        return BASE_INVALID;
    }
    enum base_status status = tool_compile(path, &what, &file, diags);
    if (status == BASE_OK && what.machine) {
        status = disassemble(path, &file, &listing, &name, diags);
        if (status == BASE_OK)
            status = read_machine(name.data, &listing, path, &file, out, diags);
    } else if (status == BASE_OK) {
        base_strbuf_printf(&name, "%s (compiled to PTX)", path); /* its lines are not those of the file */
        status = name.failed ? BASE_NOMEM : isa_ptx_read(name.data, file.data ? file.data : "", file.size, out, diags);
    }
    base_strbuf_free(&name);
    free(listing.data);
    free(file.data);
    return status;
}

enum base_status tool_module_load(const struct tool_options *options, const char *path, struct isa_module **out,
                                  struct base_diags *diags)
{
    *out = NULL;
    if (has_suffix(path, ".cu"))
        return load_source(options, path, out, diags);
    if (has_suffix(path, ".sass"))
        return load_listing(options, path, out, diags);
    struct tool_file file = {0};
    enum base_status status = read_program(path, &file, diags);
    enum content content = content_of(&file);
    if (status == BASE_OK && content == CONTENT_HOLDER) {
        base_diag_add(
            diags, BASE_ERROR, NULL, 0, 0,
            "%s: an object file, program or fatbin; take the cubin out of it with `cuobjdump -xelf all %s`, and "
            "give that",
            path, path);
        status = BASE_INVALID;
    } else if (status == BASE_OK && (content == CONTENT_CUBIN || has_suffix(path, ".cubin"))) {
        status = load_cubin(path, &file, out, diags);
    } else if (status == BASE_OK) {
        status = isa_ptx_read(path, file.data ? file.data : "", file.size, out, diags);
    }
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
