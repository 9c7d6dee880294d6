/* simtlab threads: the blocks, warps and lanes of a launch, and the tile of a matrix that each block covers. */
#include "tools/tool.h"

#include "report/picture.h"

#include <string.h>
#include <unistd.h>

enum tool_exit tool_threads(const struct tool_options *options)
{
    struct sim_device device;
    struct advise_threads threads;
    struct base_diags diags = {0};
    struct base_strbuf out = {0};
    const struct tool_picture_options *p = &options->picture;
    if (options->operand_count > 0 || options->grid[0] == 0 || options->block[0] == 0) {
        tool_error("threads needs --grid X[,Y[,Z]] and --block X[,Y[,Z]], and no operand; see simtlab threads --help");
        return TOOL_ERROR;
    }
    if ((p->tile[0] > 0 || p->transpose) && p->matrix[0] == 0) {
        tool_error("--tile and --transpose need --matrix R,C");
        return TOOL_ERROR;
    }
    if (tool_device_load(options->device, &device) != BASE_OK)
        return TOOL_ERROR;
    struct advise_threads_query query = {
        .tile_width = p->tile[0], .tile_height = p->tile[1], .rows = p->matrix[0], .columns = p->matrix[1]};
    memcpy(query.grid_dim, options->grid, sizeof(query.grid_dim));
    memcpy(query.block_dim, options->block, sizeof(query.block_dim));
    memcpy(query.block, p->at, sizeof(query.block));
    enum tool_exit answer = TOOL_ERROR;
    if (advise_threads_look(&device, &query, &threads, &diags) == BASE_OK) {
        const struct report_threads what = {&threads, device.name, p->transpose};
        const struct report_picture picture = {.colour = !options->output && isatty(STDOUT_FILENO),
                                               .version = SIMTLAB_VERSION};
        (options->format == TOOL_JSON  ? report_threads_json
         : options->format == TOOL_SVG ? report_threads_svg
                                       : report_threads_text)(&what, &picture, &out);
        answer = tool_output_text(options, &out);
    }
    tool_print_diags(&diags);
    base_diags_free(&diags);
    base_strbuf_free(&out);
    return answer;
}
