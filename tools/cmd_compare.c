/* simtlab compare: a simulation's report beside a GPU's, or beside another simulation's. */
#include "tools/tool.h"

#include "validate/page.h"

#include <stdlib.h>
#include <unistd.h>

enum { MEASURE_LIMIT_BYTES = 256 * 1024 * 1024 };

/* A file that was read, and what it says; the text lives as long. */
struct measure {
    struct tool_file file;
    struct validate_measure said;
    bool read;
};

static enum base_status read_text(const char *path, struct tool_file *file)
{
    struct base_strbuf message = {0};
    enum base_status status = tool_file_read(path, MEASURE_LIMIT_BYTES, file, &message);
    if (status != BASE_OK)
        tool_error("cannot read %s: %s", path, message.data ? message.data : "");
    base_strbuf_free(&message);
    return status;
}

static enum base_status read_measure(const char *path, struct measure *measure, struct base_diags *diags)
{
    enum base_status status = read_text(path, &measure->file);
    if (status != BASE_OK)
        return status;
    measure->read = true;
    return validate_measure_read(path, measure->file.data ? measure->file.data : "", measure->file.size, &measure->said,
                                 diags);
}

static void free_measure(struct measure *measure)
{
    if (measure->read)
        validate_measure_free(&measure->said);
    free(measure->file.data);
}

static enum tool_exit write_page(const struct tool_options *options, const struct validate_comparison *comparison)
{
    struct base_strbuf out = {0};
    const struct validate_page page = {
        .colour = !options->output && isatty(STDOUT_FILENO), .quiet = options->quiet, .version = SIMTLAB_VERSION};
    (options->format == TOOL_JSON   ? validate_json
     : options->format == TOOL_CSV  ? validate_csv
     : options->format == TOOL_HTML ? validate_html
                                    : validate_text)(comparison, &page, &out);
    enum tool_exit answer = tool_output_text(options, &out);
    base_strbuf_free(&out);
    return answer == TOOL_OK && !validate_agrees(comparison) ? TOOL_FAULT : answer;
}

static enum tool_exit compare(const struct tool_options *options, const struct measure *sim, const struct measure *gpu,
                              const struct measure *machine, const struct validate_outputs *outputs,
                              struct base_diags *diags)
{
    const struct validate_options how = {.match = options->compare.match,
                                         .classes = options->compare.classes,
                                         .tolerances = options->compare.tolerances.data,
                                         .tolerance_count = options->compare.tolerances.count,
                                         .machine = options->compare.machine ? &machine->said : NULL,
                                         .outputs = options->compare.outputs ? outputs : NULL};
    struct validate_comparison comparison;
    enum tool_exit answer = TOOL_ERROR;
    enum base_status status = validate_compare(&sim->said, &gpu->said, &how, &comparison, diags);
    const struct validate_tally *exact = &comparison.exact, *modelled = &comparison.modelled;
    if (status == BASE_OK &&
        exact->agree + exact->explained + exact->differ + modelled->agree + modelled->explained + modelled->differ == 0)
        tool_error("nothing was compared: no metric of the classes asked for stands in both files");
    else if (status == BASE_OK)
        answer = write_page(options, &comparison);
    else if (status == BASE_NOMEM)
        tool_error("out of memory");
    validate_comparison_free(&comparison);
    return answer;
}

enum tool_exit tool_compare(const struct tool_options *options)
{
    struct measure sim = {0}, gpu = {0}, machine = {0};
    struct tool_file printed = {0};
    struct validate_outputs outputs = {0};
    struct base_diags diags = {0};
    enum tool_exit answer = TOOL_ERROR;
    if (options->operand_count != 2) {
        tool_error("compare needs two files, SIM and GPU; see simtlab compare --help");
        return TOOL_ERROR;
    }
    enum base_status status = read_measure(options->operands[0], &sim, &diags);
    if (status == BASE_OK)
        status = read_measure(options->operands[1], &gpu, &diags);
    if (status == BASE_OK && options->compare.machine)
        status = read_measure(options->compare.machine, &machine, &diags);
    if (status == BASE_OK && options->compare.outputs)
        status = read_text(options->compare.outputs, &printed);
    if (status == BASE_OK && options->compare.outputs)
        status = validate_outputs_read(printed.data ? printed.data : "", printed.size, &outputs);
    if (status == BASE_OK)
        answer = compare(options, &sim, &gpu, &machine, &outputs, &diags);
    else if (status == BASE_NOMEM)
        tool_error("out of memory");
    tool_print_diags(&diags);
    base_diags_free(&diags);
    validate_outputs_free(&outputs);
    free(printed.data);
    free_measure(&machine);
    free_measure(&gpu);
    free_measure(&sim);
    return answer;
}
