/* libFuzzer's entry for cubins: any bytes are read as the cubin of one listing, fuzz/cubin.sass; what is accepted is
 * printed and run. Seeds: fuzz/corpus/cubin. */
#include "fuzz/machine.h"
#include "isa/sass/sass.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* fuzz/cubin.sass, line by line. */
static const char *const listing_lines[] = {
#include "fuzz/cubin_listing.inc"
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct isa_module *module = NULL;
    struct base_diags diags = {0};
    struct base_strbuf listing = {0}, out = {0};
    for (size_t i = 0; i < sizeof(listing_lines) / sizeof(listing_lines[0]); i++)
        base_strbuf_puts(&listing, listing_lines[i]);
    if (!listing.failed &&
        isa_sass_read("listing", listing.data, listing.length, "cubin", data, size, &module, &diags) == BASE_OK)
        fuzz_machine_run(module, size > 0 ? data[size - 1] : 0);
    base_diags_print(&diags, &out);
    base_strbuf_free(&out);
    base_strbuf_free(&listing);
    base_diags_free(&diags);
    isa_module_free(module);
    return 0;
}
