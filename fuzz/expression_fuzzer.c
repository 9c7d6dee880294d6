/* libFuzzer's entry for banks and sectors: the first line of the input is a declaration (empty: an index alone), lines
 * that begin with '-' define names, the others are accesses. What can be evaluated is looked at and drawn in every
 * form, and a layout that is said to cure must do so. Seeds: fuzz/corpus/expression. */
#include "report/picture.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA_LIMIT_BYTES = 8 << 20, TEXT_LIMIT_BYTES = 16 << 20, SOURCES = 32 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
    struct base_arena arena;
    struct base_diags diags;
    struct base_source sources[SOURCES];
    struct advise_scope scope;
    struct advise_array array;
    struct advise_shape shape;
    const struct advise_pattern *patterns[ADVISE_ACCESS_MAX];
    uint32_t count;
    bool has_array;
};

static void add_access(struct input *input, const struct base_source *source)
{
    struct advise_access access;
    struct advise_pattern *pattern = base_arena_alloc(&input->arena, 1, sizeof(*pattern));
    if (!pattern || input->count == ADVISE_ACCESS_MAX ||
        advise_access_read(source, input->has_array ? &input->array : NULL, &input->scope, &input->arena, &access,
                           &input->diags) != BASE_OK)
        return;
    pattern->text = base_arena_strndup(&input->arena, source->text, source->size);
    pattern->kind = (enum sim_shared_kind)(source->size % 3);
    if (pattern->text && advise_pattern_make(&access, &input->array, &input->shape, pattern, &input->diags) == BASE_OK)
        input->patterns[input->count++] = pattern;
}

static void take_line(struct input *input, struct base_source *source, bool first)
{
    static const struct base_source words = {.name = "words", .text = "float *a", .size = 8};
    if (first) {
        input->has_array =
            source->size > 0 && advise_array_read(source, NULL, &input->arena, &input->array, &input->diags) == BASE_OK;
        if (!input->has_array)
            (void)advise_array_read(&words, NULL, &input->arena, &input->array, &input->diags);
    } else if (source->size > 0 && source->text[0] == '-') {
        source->text++;
        source->size--;
        (void)advise_scope_define(&input->scope, source, &input->arena, &input->diags);
    } else {
        add_access(input, source);
    }
}

static void check_cure(const struct advise_banks *banks, const struct advise_cure *cure)
{
    for (uint32_t i = 0; i < banks->access_count && cure->found && cure->conflict_free; i++) {
        if (!advise_cost_of(&banks->query, &cure->layout, banks->accesses[i].pattern).conflict_free)
            __builtin_trap();
    }
}

static void draw_banks(struct input *input, const struct sim_device *device)
{
    struct advise_banks *banks = base_arena_alloc(&input->arena, 1, sizeof(*banks));
    const struct advise_banks_query query = {
        .device = device, .array = &input->array, .patterns = input->patterns, .pattern_count = input->count};
    const struct report_picture picture = {.colour = true, .version = "fuzz", .shape = &input->shape};
    struct base_strbuf out = {.limit_bytes = TEXT_LIMIT_BYTES};
    if (!banks || advise_banks_look(&query, UINT32_MAX, banks, &input->diags) != BASE_OK)
        return;
    check_cure(banks, &banks->padding);
    check_cure(banks, &banks->swizzle);
    report_banks_text(banks, &picture, &out);
    report_banks_json(banks, &picture, &out);
    report_banks_svg(banks, &picture, &out);
    base_strbuf_free(&out);
}

static void draw_sectors(struct input *input, const struct sim_device *device)
{
    struct advise_sectors *sectors = base_arena_alloc(&input->arena, 1, sizeof(*sectors));
    const struct report_picture picture = {.version = "fuzz"};
    struct base_strbuf out = {.limit_bytes = TEXT_LIMIT_BYTES};
    if (!sectors || advise_sectors_look(device, &input->array, 4, input->patterns[0], UINT32_MAX, sectors,
                                        &input->diags) != BASE_OK)
        return;
    report_sectors_text(sectors, 1, &picture, &out);
    report_sectors_json(sectors, 1, &picture, &out);
    report_sectors_svg(sectors, 1, &picture, &out);
    base_strbuf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"h200", "gtx580"};
    struct input input;
    struct base_strbuf messages = {0};
    memset(&input, 0, sizeof(input));
    base_arena_init(&input.arena, ARENA_LIMIT_BYTES);
    input.shape = (struct advise_shape){.block_dim = {16, 3, 1}, .grid_dim = {3, 2, 1}, .block = {2, 1, 0}};
    for (size_t at = 0, i = 0; i < SOURCES && at <= size; i++) {
        const uint8_t *end = at < size ? memchr(data + at, '\n', size - at) : NULL;
        size_t length = end ? (size_t)(end - (data + at)) : size - at;
        input.sources[i] = (struct base_source){.name = "line", .text = (const char *)data + at, .size = length};
        take_line(&input, &input.sources[i], i == 0);
        at += length + 1;
    }
    if (input.count > 0) {
        draw_banks(&input, sim_device_find(names[size % 2]));
        draw_sectors(&input, sim_device_find(names[size % 2]));
    }
    base_diags_print(&input.diags, &messages);
    base_strbuf_free(&messages);
    base_diags_free(&input.diags);
    base_arena_free(&input.arena);
    return 0;
}
