/* simtlab banks: which banks of shared memory the lanes of a warp meet, and what cures their conflicts. */
#include "tools/tool.h"

#include "report/picture.h"

#include <inttypes.h>
#include <unistd.h>

/* A block of the device could hold the array. */
static bool fits(const struct sim_device *device, const struct tool_patterns *patterns)
{
    uint64_t bytes = advise_array_elements(&patterns->array) * patterns->array.type.bytes;
    uint64_t most = device->shared_per_block_optin_bytes;
    if (most < device->shared_per_block_bytes)
        most = device->shared_per_block_bytes;
    if (bytes <= most)
        return true;
    tool_error("%s has %" PRIu64 " bytes; a block on %s has at most %" PRIu64 " bytes of shared memory",
               patterns->array.name, bytes, device->name, most);
    return false;
}

static enum tool_exit draw(const struct tool_options *options, const struct sim_device *device,
                           struct tool_patterns *patterns)
{
    struct base_strbuf out = {0};
    struct base_diags diags = {0};
    struct advise_banks *banks = base_arena_alloc(&patterns->arena, 1, sizeof(*banks));
    const struct advise_banks_query query = {.device = device,
                                             .array = &patterns->array,
                                             .offset_bytes = patterns->offset_bytes,
                                             .patterns = (const struct advise_pattern *const *)patterns->patterns,
                                             .pattern_count = patterns->count};
    const struct report_picture picture = {.colour = !options->output && isatty(STDOUT_FILENO),
                                           .version = SIMTLAB_VERSION,
                                           .shape = patterns->from_run ? NULL : &patterns->shape};
    enum tool_exit answer = TOOL_ERROR;
    if (!banks) {
        tool_error("out of memory");
    } else if (advise_banks_look(&query, patterns->warp, banks, &diags) == BASE_OK) {
        (options->format == TOOL_JSON  ? report_banks_json
         : options->format == TOOL_SVG ? report_banks_svg
                                       : report_banks_text)(banks, &picture, &out);
        answer = tool_output_text(options, &out);
    }
    tool_print_diags(&diags);
    base_diags_free(&diags);
    base_strbuf_free(&out);
    return answer;
}

enum tool_exit tool_banks(const struct tool_options *options)
{
    struct sim_device device;
    struct tool_patterns patterns;
    if (tool_device_load(options->device, &device) != BASE_OK)
        return TOOL_ERROR;
    enum tool_exit answer = tool_patterns_read(options, &device, true, &patterns);
    if (answer != TOOL_ERROR) {
        enum tool_exit drawn = fits(&device, &patterns) ? draw(options, &device, &patterns) : TOOL_ERROR;
        answer = drawn == TOOL_OK ? answer : drawn; /* after a fault the picture is drawn, and the status tells of it */
    }
    tool_patterns_free(&patterns);
    return answer;
}
