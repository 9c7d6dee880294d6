/* libFuzzer's entry for launch lists: any bytes are read as a list, and every launch that comes of it is bound to a
 * kernel whose parameters have all the sizes there are. Seeds: validate/records/h200/guide/guide.cases. */
#include "sim/args.h"

#include <stdint.h>
#include <string.h>

enum { MEMORY_LIMIT_BYTES = 1 << 20, ARENA_LIMIT_BYTES = 1 << 20, KERNEL_COUNT = 3, PARAM_COUNT = 9 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Kernel 0 takes what vecAdd of the seeds does; 1: a 2-D Numba array; 2: a pointer, a struct, numbers. */
static const struct isa_var vars[] = {
    {.name = "a", .space = ISA_SPACE_PARAM, .type = ISA_TYPE_U64, .size_bytes = 8, .offset = 0},
    {.name = "b", .space = ISA_SPACE_PARAM, .type = ISA_TYPE_U64, .size_bytes = 8, .offset = 8},
    {.name = "c", .space = ISA_SPACE_PARAM, .type = ISA_TYPE_U64, .size_bytes = 8, .offset = 16},
    {.name = "n", .space = ISA_SPACE_PARAM, .type = ISA_TYPE_U32, .size_bytes = 4, .offset = 24},
    {.name = "d", .space = ISA_SPACE_PARAM, .type = ISA_TYPE_U64, .size_bytes = 8, .offset = 24},
    {.name = "e", .space = ISA_SPACE_PARAM, .type = ISA_TYPE_U64, .size_bytes = 8, .offset = 32},
    {.name = "f", .space = ISA_SPACE_PARAM, .type = ISA_TYPE_U64, .size_bytes = 8, .offset = 40},
    {.name = "g", .space = ISA_SPACE_PARAM, .type = ISA_TYPE_U64, .size_bytes = 8, .offset = 48},
    {.name = "h", .space = ISA_SPACE_PARAM, .type = ISA_TYPE_U64, .size_bytes = 8, .offset = 56},
    {.name = "i", .space = ISA_SPACE_PARAM, .type = ISA_TYPE_U64, .size_bytes = 8, .offset = 64},
    {.name = "s", .space = ISA_SPACE_PARAM, .type = ISA_TYPE_B8, .size_bytes = 12, .offset = 8},
    {.name = "k", .space = ISA_SPACE_PARAM, .type = ISA_TYPE_U8, .size_bytes = 1, .offset = 20},
    {.name = "l", .space = ISA_SPACE_PARAM, .type = ISA_TYPE_U16, .size_bytes = 2, .offset = 22},
    {.name = "coeffs", .space = ISA_SPACE_CONST, .type = ISA_TYPE_B8, .size_bytes = 16, .function = -1},
    {.name = "v", .space = ISA_SPACE_GLOBAL, .type = ISA_TYPE_F32, .size_bytes = 16, .function = -1},
    {.name = "w", .space = ISA_SPACE_GLOBAL, .type = ISA_TYPE_F64, .unsized = true, .function = -1},
};

static enum base_status read_file(void *user, const char *path, uint8_t *data, uint64_t size_bytes, char *message,
                                  size_t message_size)
{
    (void)user;
    if (size_bytes <= 4096) {
        memset(data, 0x5a, (size_t)size_bytes);
        return BASE_OK;
    }
    strncpy(message, path, message_size);
    return BASE_IO;
}

static void bind(const struct isa_module *module, uint32_t kernel, const struct sim_launch_list *list,
                 const struct sim_launch_text *launch, struct sim_memory *memory, struct sim_named_buffers *named,
                 struct base_diags *diags)
{
    struct base_arena arena;
    struct sim_bound bound;
    base_arena_init(&arena, ARENA_LIMIT_BYTES);
    if (sim_args_bind(module, kernel, &list->source, launch->args, launch->arg_count, memory, named, read_file, NULL,
                      &arena, &bound, diags) == BASE_OK)
        for (size_t i = 0; i < bound.arg_count; i++)
            if (bound.args[i].has_buffer && !sim_memory_at(memory, bound.args[i].address, bound.args[i].size_bytes))
                __builtin_trap();
    base_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t params[KERNEL_COUNT][PARAM_COUNT] = {{0, 1, 2, 3}, {0, 1, 2, 4, 5, 6, 7, 8, 9}, {0, 10, 11, 12}};
    struct isa_function functions[KERNEL_COUNT] = {
        {.name = "vecAdd", .params = params[0], .param_count = 4, .param_bytes = 28},
        {.name = "array", .params = params[1], .param_count = 9, .param_bytes = 72},
        {.name = "mixed", .params = params[2], .param_count = 4, .param_bytes = 24}};
    struct isa_var copy[sizeof vars / sizeof *vars];
    memcpy(copy, vars, sizeof vars);
    const struct isa_module module = {
        .functions = functions, .function_count = KERNEL_COUNT, .vars = copy, .var_count = sizeof vars / sizeof *vars};
    struct sim_launch_list *list = NULL;
    struct base_diags diags = {0};
    struct base_strbuf out = {0};
    struct sim_memory memory;
    struct sim_named_buffers named = {0};
    sim_memory_init(&memory, MEMORY_LIMIT_BYTES);
    (void)sim_launch_list_parse("list", (const char *)data, size, &list, &diags);
    for (size_t i = 0; list && i < list->count; i++)
        for (uint32_t kernel = 0; kernel < KERNEL_COUNT; kernel++)
            bind(&module, kernel, list, &list->items[i], &memory, &named, &diags);
    base_diags_print(&diags, &out);
    base_strbuf_free(&out);
    base_diags_free(&diags);
    sim_named_buffers_free(&named);
    sim_memory_free(&memory);
    sim_launch_list_free(list);
    return 0;
}
