/* Where results go. A named regular file is written beside itself first and takes its name only when all of it is
 * safely there; a reader sees the old file or the new one, never half of one. Devices and pipes are written directly.
 */
#include "tools/tool.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_FOLLOWED = 40 };

static void complain(struct base_diags *diags, const char *path, const char *why)
{
    if (diags)
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0, "cannot write %s: %s", path, why);
    else
        tool_error("cannot write %s: %s", path, why);
}

/* Where a path without a file leads: the real folder and the last name; NULL (errno): nowhere. */
static char *name_in_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    char *real = folder ? realpath(folder, NULL) : NULL;
    struct base_strbuf name = {0};
    if (real)
        base_strbuf_printf(&name, "%s/%s", real, slash ? slash + 1 : path);
    free(folder);
    free(real);
    return real ? base_strbuf_take(&name) : NULL;
}

/* The file that will be written, by its one true name, to be freed; NULL (errno): it cannot be said. Symbolic links are
 * followed, those to a file that is not there yet too: a rename would replace the link. */
static char *true_name(const char *path)
{
    char target[PATH_MAX];
    char *name = realpath(path, NULL);
    if (name || errno != ENOENT)
        return name;
    name = name_in_folder(path);
    for (unsigned links = 0; name; links++) {
        ssize_t length = readlink(name, target, sizeof(target) - 1);
        if (length < 0 || links > LINKS_FOLLOWED)
            return name;
        target[length] = '\0';
        char *beside = tool_path_beside(name, target);
        free(name);
        name = beside ? name_in_folder(beside) : NULL;
        free(beside);
    }
    return NULL;
}

/* What fopen() would have given a new file, or what the old one had. */
static mode_t file_mode(const struct stat *old)
{
    if (old)
        return old->st_mode & 07777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static void remove_temporary(const struct tool_output *output)
{
    unlink(output->temporary);
    tool_interrupt_forget(output->temporary);
}

static enum base_status open_temporary(struct tool_output *output, const struct stat *old)
{
    struct base_strbuf name = {0};
    base_strbuf_printf(&name, "%s.XXXXXX", output->path);
    output->temporary = base_strbuf_take(&name);
    if (!output->temporary)
        return BASE_NOMEM;
    tool_interrupt_hold();
    int file = mkstemp(output->temporary);
    if (file >= 0)
        tool_interrupt_keep(output->temporary);
    tool_interrupt_release();
    if (file < 0)
        return BASE_IO;
    output->stream = fdopen(file, "wb");
    if (!output->stream || fchmod(file, file_mode(old)) != 0) {
        if (!output->stream)
            close(file);
        remove_temporary(output);
        return BASE_IO;
    }
    return BASE_OK;
}

enum base_status tool_output_open(struct tool_output *output, const char *path, struct base_diags *diags)
{
    *output = (struct tool_output){.name = path ? path : "the output", .diags = diags};
    if (!path) {
        output->stream = stdout;
        return BASE_OK;
    }
    struct stat old;
    bool exists = stat(path, &old) == 0;
    enum base_status status = BASE_OK;
    if (exists && !S_ISREG(old.st_mode)) {
        output->stream = fopen(path, "wb");
        status = output->stream ? BASE_OK : BASE_IO;
    } else {
        output->path = true_name(path);
        status = output->path ? open_temporary(output, exists ? &old : NULL) : BASE_IO;
    }
    if (status != BASE_OK) {
        complain(diags, path, status == BASE_NOMEM ? "out of memory" : strerror(errno));
        free(output->path);
        free(output->temporary);
        *output = (struct tool_output){0};
    }
    return status;
}

/* An error is sticky in the stream, its cause is not. */
void tool_output_write(struct tool_output *output, const void *data, size_t size)
{
    errno = 0;
    if (size > 0 && fwrite(data, 1, size, output->stream) != size && output->cause == 0)
        output->cause = errno;
}

enum base_status tool_output_close(struct tool_output *output, bool keep)
{
    errno = 0;
    bool good = fflush(output->stream) == 0 && !ferror(output->stream);
    int cause = output->cause != 0 ? output->cause : errno != 0 ? errno : EIO;
    if (output->temporary && good && keep && fsync(fileno(output->stream)) != 0) {
        good = false;
        cause = errno;
    }
    if (output->stream != stdout && fclose(output->stream) != 0 && good) {
        good = false;
        cause = errno;
    }
    if (output->temporary && good && keep && rename(output->temporary, output->path) != 0) {
        good = false;
        cause = errno;
    }
    if (output->temporary && !(good && keep))
        remove_temporary(output);
    else if (output->temporary)
        tool_interrupt_forget(output->temporary);
    if (!good)
        complain(output->diags, output->name, strerror(cause));
    free(output->path);
    free(output->temporary);
    *output = (struct tool_output){0};
    return good ? BASE_OK : BASE_IO;
}

enum { OUTPUTS_BESIDE_DUMPS = 3 };

/* The files that a command line names: those of --dump, then --trace's, --junit's and -o's; NULL: not given. */
static const char *output_path(const struct tool_options *options, size_t index)
{
    const char *const others[OUTPUTS_BESIDE_DUMPS] = {options->trace, options->junit, options->output};
    return index < options->dumps.count ? options->dumps.data[index].path : others[index - options->dumps.count];
}

static const char *output_option(const struct tool_options *options, size_t index)
{
    static const char *const others[OUTPUTS_BESIDE_DUMPS] = {"--trace", "--junit", "-o"};
    return index < options->dumps.count ? "--dump" : others[index - options->dumps.count];
}

static bool is_same_file(const struct stat *output, const char *input)
{
    struct stat info;
    return input && stat(input, &info) == 0 && info.st_dev == output->st_dev && info.st_ino == output->st_ino;
}

/* The file to be written is one that the command reads. (A second operand is a kernel's name, but in compare.) */
static bool is_input(const struct tool_options *options, const struct stat *output)
{
    size_t files = strcmp(options->command->name, "compare") == 0 ? 2 : 1;
    bool found = is_same_file(output, options->device) || is_same_file(output, options->compare.machine) ||
                 is_same_file(output, options->compare.outputs);
    for (size_t i = 0; i < options->operand_count && i < files; i++)
        found = found || is_same_file(output, options->operands[i]);
    for (size_t i = 0; i < options->rule_files.count; i++)
        found = found || is_same_file(output, options->rule_files.data[i]);
    return found;
}

static bool outputs_differ(const struct tool_options *options, char **names, size_t count)
{
    struct stat info;
    for (size_t i = 0; i < count; i++) {
        const char *path = output_path(options, i);
        bool exists = path && stat(path, &info) == 0;
        if (!path || (exists && !S_ISREG(info.st_mode)))
            continue; /* devices and pipes take any number of writers */
        if (exists && is_input(options, &info)) {
            tool_error("%s is read by this command; %s would overwrite it", path, output_option(options, i));
            return false;
        }
        names[i] = true_name(path);
        if (!names[i]) {
            complain(NULL, path, strerror(errno));
            return false;
        }
        for (size_t j = 0; j < i; j++) {
            if (!names[j] || strcmp(names[i], names[j]) != 0)
                continue;
            tool_error("%s would be written twice, by %s and by %s", path, output_option(options, j),
                       i < options->dumps.count ? "another --dump" : output_option(options, i));
            return false;
        }
    }
    return true;
}

bool tool_outputs_check(const struct tool_options *options)
{
    size_t count = options->dumps.count + OUTPUTS_BESIDE_DUMPS;
    char **names = calloc(count, sizeof(*names));
    bool good = names != NULL;
    if (!good)
        tool_error("out of memory");
    good = good && outputs_differ(options, names, count);
    if (good && options->trace && !options->cycles_mode) {
        tool_error("--trace=%s: --mode=counts has no time to trace; use --mode=cycles", options->trace);
        good = false;
    }
    for (size_t i = 0; names && i < count; i++)
        free(names[i]);
    free(names);
    return good;
}

enum tool_exit tool_output_text(const struct tool_options *options, struct base_strbuf *text)
{
    if (options->format == TOOL_TEXT || options->format == TOOL_CSV)
        base_strbuf_plain(text);
    if (text->failed) {
        tool_error("out of memory");
        return TOOL_ERROR;
    }
    struct tool_output output;
    if (tool_output_open(&output, options->output, NULL) != BASE_OK)
        return TOOL_ERROR;
    tool_output_write(&output, text->data, text->length);
    return tool_output_close(&output, true) == BASE_OK ? TOOL_OK : TOOL_ERROR;
}
