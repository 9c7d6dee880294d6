/* simtlab sectors: which sectors of global memory the lanes of a warp fetch, and what is used of them. */
#include "tools/tool.h"

#include "report/picture.h"

#include <unistd.h>

static enum tool_exit draw(const struct tool_options *options, const struct sim_device *device,
                           struct tool_patterns *patterns)
{
    struct base_strbuf out = {0};
    struct base_diags diags = {0};
    struct advise_sectors *sectors = base_arena_alloc(&patterns->arena, patterns->count, sizeof(*sectors));
    const struct report_picture picture = {.colour = !options->output && isatty(STDOUT_FILENO),
                                           .version = SIMTLAB_VERSION,
                                           .shape = patterns->from_run ? NULL : &patterns->shape};
    enum base_status status = sectors ? BASE_OK : BASE_NOMEM;
    enum tool_exit answer = TOOL_ERROR;
    for (uint32_t i = 0; i < patterns->count && status == BASE_OK; i++)
        status = advise_sectors_look(device, &patterns->array, patterns->offset_bytes, patterns->patterns[i],
                                     patterns->warp, &sectors[i], &diags);
    if (status == BASE_OK) {
        (options->format == TOOL_JSON  ? report_sectors_json
         : options->format == TOOL_SVG ? report_sectors_svg
                                       : report_sectors_text)(sectors, patterns->count, &picture, &out);
        answer = tool_output_text(options, &out);
    } else if (status == BASE_NOMEM) {
        tool_error("out of memory");
    }
    tool_print_diags(&diags);
    base_diags_free(&diags);
    base_strbuf_free(&out);
    return answer;
}

enum tool_exit tool_sectors(const struct tool_options *options)
{
    struct sim_device device;
    struct tool_patterns patterns;
    if (tool_device_load(options->device, &device) != BASE_OK)
        return TOOL_ERROR;
    enum tool_exit answer = tool_patterns_read(options, &device, false, &patterns);
    if (answer != TOOL_ERROR) {
        enum tool_exit drawn = draw(options, &device, &patterns);
        answer = drawn == TOOL_OK ? answer : drawn; /* after a fault the picture is drawn, and the status tells of it */
    }
    tool_patterns_free(&patterns);
    return answer;
}
