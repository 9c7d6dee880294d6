/* libFuzzer's entry for what simtlab compare reads: any bytes as ncu's CSV, as simtlab's JSON and as the runner's
 * lines, beside a simulation that is right; every page is written. Seeds: tests/vectors/ncu. */
#include "validate/page.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char sim_text[] =
    "{\"schema\": 1, \"name\": \"vecAdd\", \"kernel\": \"vecAdd\", \"form\": \"ptx\", \"device\": \"h200\", "
    "\"status\": \"ok\", \"launch\": {\"grid\": [3907, 1, 1], \"block\": [256, 1, 1]}, "
    "\"metrics\": {\"smsp__inst_executed.sum\": 7, \"sm__cycles_active.max\": 8.5}, "
    "\"instructions\": [{\"pc\": 1, \"text\": \"ld.shared.v2.f32 {%f1, %f2}, [%r1];\", \"executed\": 3, "
    "\"wavefronts\": 1}], \"buffers\": [{\"arg\": 0, \"bytes\": 4, \"fnv1a64\": \"aa\"}]}";

static void write_pages(const struct validate_comparison *comparison)
{
    static void (*const writers[])(const struct validate_comparison *, const struct validate_page *,
                                   struct base_strbuf *) = {validate_text, validate_json, validate_csv, validate_html};
    const struct validate_page page = {.version = "0"};
    for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++) {
        struct base_strbuf out = {0};
        writers[i](comparison, &page, &out);
        base_strbuf_free(&out);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = size > 0 ? (const char *)data : "";
    struct validate_measure sim, gpu;
    struct validate_outputs outputs;
    struct base_diags diags = {0};
    (void)validate_measure_read("sim", sim_text, sizeof(sim_text) - 1, &sim, &diags);
    (void)validate_outputs_read(text, size, &outputs);
    if (validate_measure_read("gpu", text, size, &gpu, &diags) == BASE_OK) {
        const struct validate_options options = {.match = size > 0 ? data[0] % 4 : 0,
                                                 .classes = VALIDATE_EXACT | VALIDATE_MODELLED,
                                                 .machine = &gpu,
                                                 .outputs = &outputs};
        struct validate_comparison comparison;
        if (validate_compare(&sim, &gpu, &options, &comparison, &diags) == BASE_OK)
            write_pages(&comparison);
        validate_comparison_free(&comparison);
    }
    base_diags_free(&diags);
    validate_outputs_free(&outputs);
    validate_measure_free(&gpu);
    validate_measure_free(&sim);
    return 0;
}
