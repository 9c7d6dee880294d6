/* Other programs: nvcc or clang make PTX or machine code of CUDA source, cuobjdump or nvdisasm list machine code. They
 * are looked for on the PATH, the disassemblers also beside nvcc. A program is started directly, without a shell, and
 * works in a temporary folder that is removed afterwards. What it has to say is passed on to stderr, with the user's
 * names instead of those of the folder's files.
 *
 * nvcc brings CUDA's headers and device library. clang is used without either: tools/simtlab_cuda.h declares what
 * kernels commonly use, and CUDA's own headers, which sources name, are empty.
 */
#include "tools/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUTPUT_LIMIT_BYTES = 256 * 1024 * 1024 };

extern char **environ;

/* tools/simtlab_cuda.h, line by line. */
static const char *const header_lines[] = {
#include "tools/simtlab_cuda.inc"
};

static const char *const empty_headers[] = {"cuda.h", "cuda_runtime.h", "cuda_runtime_api.h",
                                            "device_launch_parameters.h", "math_constants.h"};
enum { EMPTY_HEADERS = sizeof(empty_headers) / sizeof(empty_headers[0]) };

struct workplace {
    char *folder, *header, *input, *output, *said;
    const char *name; /* the user's own file, of which all in the folder is made */
};

struct disassembler {
    char *program; /* NULL: there is none */
    const char *option;
};

static char *join(const char *a, const char *b)
{
    struct base_strbuf text = {0};
    base_strbuf_puts(&text, a);
    base_strbuf_puts(&text, b);
    return base_strbuf_take(&text);
}

static char *find_on_path(const char *name)
{
    const char *path = getenv("PATH");
    while (path && *path != '\0') {
        size_t length = strcspn(path, ":");
        struct base_strbuf full = {0};
        base_strbuf_append(&full, path, length);
        base_strbuf_printf(&full, "%s%s", length > 0 ? "/" : "./", name);
        if (!full.failed && access(full.data, X_OK) == 0)
            return base_strbuf_take(&full);
        base_strbuf_free(&full);
        path += length + (path[length] == ':');
    }
    return NULL;
}

/* Beside nvcc, wherever a link to it leads. */
static char *find_in_toolkit(const char *name)
{
    char *nvcc = find_on_path("nvcc"), *real = nvcc ? realpath(nvcc, NULL) : NULL;
    char *found = real ? tool_path_beside(real, name) : NULL;
    if (found && access(found, X_OK) != 0) {
        free(found);
        found = NULL;
    }
    free(real);
    free(nvcc);
    return found;
}

static struct disassembler find_disassembler(void)
{
    static const char *const names[][2] = {{"cuobjdump", "-sass"}, {"nvdisasm", "-hex"}};
    struct disassembler found = {0};
    for (size_t i = 0; i < 4 && !found.program; i++) {
        found.program = i < 2 ? find_on_path(names[i][0]) : find_in_toolkit(names[i - 2][0]);
        found.option = names[i % 2][1];
    }
    return found;
}

bool tool_has_disassembler(void)
{
    struct disassembler found = find_disassembler();
    free(found.program);
    return found.program != NULL;
}

static enum base_status write_header(const char *path)
{
    FILE *stream = fopen(path, "w");
    if (!stream)
        return BASE_IO;
    for (size_t i = 0; i < sizeof(header_lines) / sizeof(header_lines[0]); i++)
        fputs(header_lines[i], stream);
    bool bad = ferror(stream);
    return fclose(stream) == 0 && !bad ? BASE_OK : BASE_IO;
}

static char *empty_header_path(const struct workplace *place, size_t which)
{
    struct base_strbuf text = {0};
    base_strbuf_printf(&text, "%s/%s", place->folder, empty_headers[which]);
    return base_strbuf_take(&text);
}

static enum base_status write_headers(const struct workplace *place)
{
    enum base_status status = write_header(place->header);
    for (size_t i = 0; i < EMPTY_HEADERS && status == BASE_OK; i++) {
        char *path = empty_header_path(place, i);
        if (path)
            tool_interrupt_keep(path);
        FILE *stream = path ? fopen(path, "w") : NULL;
        if (!stream || fclose(stream) != 0)
            status = path ? BASE_IO : BASE_NOMEM;
        free(path);
    }
    return status;
}

static enum base_status open_workplace(struct workplace *place)
{
    const char *root = getenv("TMPDIR");
    place->folder = join(root && root[0] != '\0' ? root : "/tmp", "/simtlab.XXXXXX");
    if (!place->folder)
        return BASE_NOMEM;
    tool_interrupt_hold();
    bool made = mkdtemp(place->folder) != NULL;
    if (made)
        tool_interrupt_keep(place->folder);
    tool_interrupt_release();
    if (!made) {
        free(place->folder);
        place->folder = NULL;
        return BASE_IO;
    }
    place->header = join(place->folder, "/simtlab_cuda.h");
    place->input = join(place->folder, "/in.cubin");
    place->output = join(place->folder, "/out");
    place->said = join(place->folder, "/said");
    if (!place->header || !place->input || !place->output || !place->said)
        return BASE_NOMEM;
    tool_interrupt_keep(place->header);
    tool_interrupt_keep(place->input);
    tool_interrupt_keep(place->output);
    tool_interrupt_keep(place->said);
    return write_headers(place);
}

/* NULL: there is none. */
static void remove_file(const char *path)
{
    if (!path)
        return;
    unlink(path);
    tool_interrupt_forget(path);
}

static void close_workplace(struct workplace *place)
{
    remove_file(place->header);
    remove_file(place->input);
    remove_file(place->output);
    remove_file(place->said);
    for (size_t i = 0; i < EMPTY_HEADERS && place->folder; i++) {
        char *path = empty_header_path(place, i);
        remove_file(path);
        free(path);
    }
    if (place->folder) {
        rmdir(place->folder);
        tool_interrupt_forget(place->folder);
    }
    free(place->header);
    free(place->input);
    free(place->output);
    free(place->said);
    free(place->folder);
}

/* Its own process group, so that a signal that ends this command can end all of it (interrupt.c); and the signals that
 * this command ignores mean again what they do. */
static bool prepare_program(posix_spawnattr_t *attributes)
{
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    return posix_spawnattr_setpgroup(attributes, 0) == 0 && posix_spawnattr_setsigdefault(attributes, &defaults) == 0 &&
           posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF) == 0;
}

static bool start_program(const char *program, const char *const *arguments, const posix_spawn_file_actions_t *actions,
                          pid_t *child)
{
    posix_spawnattr_t attributes;
    if (posix_spawnattr_init(&attributes) != 0)
        return false;
    tool_interrupt_hold();
    bool started = prepare_program(&attributes) &&
                   posix_spawn(child, program, actions, &attributes, (char *const *)arguments, environ) == 0;
    if (started)
        tool_interrupt_started(*child);
    tool_interrupt_release();
    posix_spawnattr_destroy(&attributes);
    return started;
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && memcmp(text, word, length) == 0;
}

/* Temporary files, of this folder or nvcc's own (tmpxft_...), as the user knows them: by the file they were made of. */
static void put_word(const struct workplace *place, const char *word, size_t length, struct base_strbuf *out)
{
    const char *const slash = memrchr(word, '/', length);
    const size_t folder = slash ? (size_t)(slash - word) : 0;
    const char *file = slash ? slash + 1 : word;
    const size_t file_length = length - (size_t)(file - word);
    const bool own = folder == strlen(place->folder) && strncmp(word, place->folder, folder) == 0;
    const bool is_nvcc = slash && file_length > 7 && strncmp(file, "tmpxft_", 7) == 0;
    const bool is_ptx =
        (own && is_word(file, file_length, "out")) || (is_nvcc && is_word(file + file_length - 4, 4, ".ptx"));
    if (is_ptx || is_nvcc || (own && is_word(file, file_length, "in.cubin")))
        base_strbuf_printf(out, "%s%s", is_ptx ? "the PTX of " : "", place->name);
    else
        base_strbuf_append(out, own ? file : word, own ? file_length : length); /* simtlab's own headers; all else */
}

/* What a program said. */
static void pass_on(const struct workplace *place)
{
    static const char between[] = " \t\r\n,;:()[]'\"";
    struct tool_file said = {0};
    struct base_strbuf text = {0}, out = {0}, message = {0};
    if (tool_file_read(place->said, OUTPUT_LIMIT_BYTES, &said, &message) == BASE_OK && said.size > 0)
        base_strbuf_append(&text, said.data, said.size);
    for (const char *at = text.data ? text.data : ""; *at != '\0';) {
        size_t word = strcspn(at, between), gap = strspn(at + word, between);
        put_word(place, at, word, &out);
        base_strbuf_append(&out, at + word, gap);
        at += word + gap;
    }
    base_strbuf_plain(&out);
    if (out.data)
        fputs(out.data, stderr);
    base_strbuf_free(&message);
    base_strbuf_free(&out);
    base_strbuf_free(&text);
    free(said.data);
}

/* True when the program ran and was content. `output`: the file its stdout goes to; NULL: it says nothing there that is
 * wanted. */
static bool run_program(const struct workplace *place, const char *program, const char *const *arguments,
                        const char *output)
{
    enum { MODE = 0600, FLAGS = O_WRONLY | O_CREAT | O_TRUNC };
    pid_t child = 0;
    int answer = 0;
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    bool started = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, place->said, FLAGS, MODE) == 0 &&
                   (output ? posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, FLAGS, MODE)
                           : posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)) == 0;
    started = started && start_program(program, arguments, &actions, &child);
    posix_spawn_file_actions_destroy(&actions);
    if (!started)
        return false;
    bool waited = true;
    while (waited && waitpid(child, &answer, 0) < 0)
        waited = errno == EINTR;
    tool_interrupt_started(0);
    pass_on(place);
    return waited && WIFEXITED(answer) && WEXITSTATUS(answer) == 0;
}

/* A limit of registers reaches clang's PTX in no way: ptxas would keep to it. */
static bool run_compiler(const char *compiler, bool is_nvcc, const char *path, const struct tool_compilation *what,
                         const struct workplace *place)
{
    char limit[32];
    snprintf(limit, sizeof(limit), "-maxrregcount=%u", what->max_registers);
    const char *const nvcc[] = {
        compiler, what->machine ? "-cubin" : "-ptx",      "-lineinfo", "-arch=sm_90", "-o", place->output,
        path,     what->max_registers > 0 ? limit : NULL, NULL};
    const char *const clang[] = {compiler,
                                 "-x",
                                 "cuda",
                                 "--cuda-device-only",
                                 "--cuda-gpu-arch=sm_80",
                                 "-nocudainc",
                                 "-nocudalib",
                                 "-O2",
                                 "-gline-tables-only",
                                 "-Wno-unknown-cuda-version",
                                 "-Xclang",
                                 "-target-feature",
                                 "-Xclang",
                                 "+ptx70",
                                 "-isystem",
                                 place->folder,
                                 "-include",
                                 place->header,
                                 "-S",
                                 "-o",
                                 place->output,
                                 path,
                                 NULL};
    return run_program(place, compiler, is_nvcc ? nvcc : clang, NULL);
}

/* nvcc starts its phases through a shell, unquoted: a name must hold nothing that means something there. */
static bool is_plain_name(const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-/";
    return path[0] != '-' && path[strspn(path, plain)] == '\0';
}

static enum base_status no_compiler(const char *path, bool machine, struct base_diags *diags)
{
    base_diag_add(
        diags, BASE_ERROR, NULL, 0, 0,
        machine ? "%s: CUDA source to machine code needs nvcc, and it is not on the PATH; --form=ptx takes clang too"
                : "%s: CUDA source needs nvcc or clang, and neither is on the PATH; give PTX instead",
        path);
    return BASE_INVALID;
}

/* The file that a program left. */
static enum base_status take_output(const struct workplace *place, const char *program, struct tool_file *file,
                                    struct base_diags *diags)
{
    struct base_strbuf message = {0};
    enum base_status status = tool_file_read(place->output, OUTPUT_LIMIT_BYTES, file, &message);
    if (status != BASE_OK)
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0, "%s left nothing that can be read: %s", program,
                      message.data ? message.data : "");
    base_strbuf_free(&message);
    return status;
}

bool tool_has_nvcc(void)
{
    char *nvcc = find_on_path("nvcc");
    free(nvcc);
    return nvcc != NULL;
}

enum base_status tool_compile(const char *path, const struct tool_compilation *what, struct tool_file *file,
                              struct base_diags *diags)
{
    char *nvcc = find_on_path("nvcc"), *clang = nvcc || what->machine ? NULL : find_on_path("clang");
    const char *compiler = nvcc ? nvcc : clang;
    struct workplace place = {.name = path};
    enum base_status status = BASE_OK;
    if (access(path, R_OK) != 0) {
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0, "cannot read %s: %s", path, strerror(errno));
        status = BASE_IO;
    } else if (!compiler) {
        status = no_compiler(path, what->machine, diags);
    } else if (nvcc != NULL && !is_plain_name(path)) {
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0,
                      "%s: nvcc hands the name to a shell; rename the file to letters, digits and ._+-/ only", path);
        status = BASE_INVALID;
    } else if ((status = open_workplace(&place)) != BASE_OK) {
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0, "no temporary folder: %s", strerror(errno));
    } else if (!run_compiler(compiler, nvcc != NULL, path, what, &place)) {
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0, "%s could not compile %s", compiler, path);
        status = BASE_INVALID;
    } else {
        status = take_output(&place, compiler, file, diags);
    }
    close_workplace(&place);
    free(nvcc);
    free(clang);
    return status;
}

/* Machine code that stands in memory only goes to a file for the disassembler. */
static enum base_status write_cubin(const struct workplace *place, const struct tool_file *cubin)
{
    FILE *stream = fopen(place->input, "wb");
    if (!stream)
        return BASE_IO;
    bool good = fwrite(cubin->data, 1, cubin->size, stream) == cubin->size;
    return fclose(stream) == 0 && good ? BASE_OK : BASE_IO;
}

enum base_status tool_disassemble(const char *path, const struct tool_file *cubin, struct tool_file *listing,
                                  struct base_diags *diags)
{
    struct disassembler found = find_disassembler();
    struct workplace place = {.name = path};
    enum base_status status = BASE_INVALID;
    if (found.program == NULL) {
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0,
                      "%s: a cubin needs its disassembly: put cuobjdump or nvdisasm on the PATH, or the output of "
                      "`cuobjdump -sass` beside it, with the ending .sass",
                      path);
    } else if ((status = open_workplace(&place)) != BASE_OK || (status = write_cubin(&place, cubin)) != BASE_OK) {
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0, "no temporary folder: %s", strerror(errno));
    } else {
        const char *const arguments[] = {found.program, found.option, place.input, NULL};
        if (run_program(&place, found.program, arguments, place.output)) {
            status = take_output(&place, found.program, listing, diags);
        } else {
            base_diag_add(diags, BASE_ERROR, NULL, 0, 0, "%s could not disassemble %s", found.program, path);
            status = BASE_INVALID;
        }
    }
    close_workplace(&place);
    free(found.program);
    return status;
}
