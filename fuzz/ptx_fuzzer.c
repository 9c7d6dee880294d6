/* libFuzzer's entry for PTX: any bytes are read as a module; what is accepted is linked kernel by kernel, printed, and
 * must read back to a module that prints the same. Seeds: kernels/, validate/records/h200/guide/guide.ptx. */
#include "isa/isa.h"

#include <stdint.h>
#include <string.h>

enum { ARENA_LIMIT_BYTES = 64 << 20, PRINT_LIMIT_BYTES = 64 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void link_kernels(const struct isa_module *module)
{
    for (uint32_t i = 0; i < module->function_count; i++) {
        struct base_arena arena;
        struct isa_linked linked;
        struct base_diags diags = {0};
        if (!module->functions[i].is_entry || module->functions[i].is_declaration)
            continue;
        base_arena_init(&arena, ARENA_LIMIT_BYTES);
        (void)isa_link(module, i, &arena, &linked, &diags);
        base_diags_free(&diags);
        base_arena_free(&arena);
    }
}

static void read_back(const struct isa_module *module, bool derived)
{
    struct base_strbuf first = {.limit_bytes = PRINT_LIMIT_BYTES};
    struct base_strbuf second = {.limit_bytes = PRINT_LIMIT_BYTES};
    struct isa_module *again = NULL;
    isa_print_module(module, &first, derived);
    if (!first.failed) {
        const enum base_status status = isa_ptx_read("printed", first.data, first.length, &again, NULL);
        if (status == BASE_OK) {
            isa_print_module(again, &second, derived);
            if (!second.failed && (second.length != first.length || memcmp(first.data, second.data, first.length) != 0))
                __builtin_trap();
        } else if (status != BASE_NOMEM) {
            __builtin_trap();
        }
    }
    isa_module_free(again);
    base_strbuf_free(&first);
    base_strbuf_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct isa_module *module = NULL;
    struct base_diags diags = {0};
    struct base_strbuf out = {0};
    if (isa_ptx_read("text", (const char *)data, size, &module, &diags) == BASE_OK) {
        link_kernels(module);
        read_back(module, false);
        read_back(module, true);
    }
    base_diags_print(&diags, &out);
    base_strbuf_free(&out);
    base_diags_free(&diags);
    isa_module_free(module);
    return 0;
}
