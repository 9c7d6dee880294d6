/* libFuzzer's entry for listings of machine code: any bytes are read as one; what is accepted is printed and run.
 * Seeds: fuzz/corpus/sass; words: fuzz/sass.dict. */
#include "fuzz/machine.h"
#include "isa/sass/sass.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct isa_module *module = NULL;
    struct base_diags diags = {0};
    struct base_strbuf out = {0};
    if (isa_sass_read("text", (const char *)data, size, "cubin", NULL, 0, &module, &diags) == BASE_OK)
        fuzz_machine_run(module, size);
    base_diags_print(&diags, &out);
    base_strbuf_free(&out);
    base_diags_free(&diags);
    isa_module_free(module);
    return 0;
}
