/* Where results go. A named regular file is written beside itself first and takes its name only when all of it is
 * safely there; a reader sees the old file or the new one, never half of one. Devices and pipes are written directly.
 */
#include "tools/tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What fopen() would have given a new file, or what the old one had. */
static mode_t file_mode(const struct stat *old)
{
    if (old)
        return old->st_mode & 07777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static enum base_status open_temporary(struct tool_output *output, const struct stat *old)
{
    struct base_strbuf name = {0};
    base_strbuf_printf(&name, "%s.XXXXXX", output->path);
    output->temporary = base_strbuf_take(&name);
    if (!output->temporary)
        return BASE_NOMEM;
    int file = mkstemp(output->temporary);
    if (file < 0)
        return BASE_IO;
    output->stream = fdopen(file, "wb");
    if (!output->stream || fchmod(file, file_mode(old)) != 0) {
        if (!output->stream)
            close(file);
        unlink(output->temporary);
        return BASE_IO;
    }
    return BASE_OK;
}

enum base_status tool_output_open(struct tool_output *output, const char *path)
{
    *output = (struct tool_output){0};
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
        /* Through a symbolic link to the file itself: a rename would replace the link. */
        output->path = exists ? realpath(path, NULL) : strdup(path);
        status = output->path ? open_temporary(output, exists ? &old : NULL) : BASE_NOMEM;
    }
    if (status != BASE_OK) {
        tool_error("cannot write %s: %s", path, status == BASE_NOMEM ? "out of memory" : strerror(errno));
        free(output->path);
        free(output->temporary);
        *output = (struct tool_output){0};
    }
    return status;
}

enum base_status tool_output_close(struct tool_output *output, bool keep)
{
    /* An error that an earlier write met is sticky in the stream; what errno holds by now may be another call's. */
    errno = 0;
    bool good = fflush(output->stream) == 0 && !ferror(output->stream);
    int cause = errno != 0 ? errno : EIO;
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
        unlink(output->temporary);
    if (!good)
        tool_error("cannot write %s: %s", output->path ? output->path : "the output", strerror(cause));
    free(output->path);
    free(output->temporary);
    *output = (struct tool_output){0};
    return good ? BASE_OK : BASE_IO;
}

enum tool_exit tool_output_text(const struct tool_options *options, const struct base_strbuf *text)
{
    if (text->failed) {
        tool_error("out of memory");
        return TOOL_ERROR;
    }
    struct tool_output output;
    if (tool_output_open(&output, options->output) != BASE_OK)
        return TOOL_ERROR;
    if (text->length > 0)
        fwrite(text->data, 1, text->length, output.stream);
    return tool_output_close(&output, true) == BASE_OK ? TOOL_OK : TOOL_ERROR;
}
