/* What the operands of banks and sectors say: a declaration and accesses to it, an index alone, a stride or a list. All
 * but the list become text that advise/ reads, so that there is one meaning of everything. */
#include "tools/tool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_WIDTH_BYTES = 4 };

static enum base_status source_of(struct tool_patterns *p, const char *name, const char *text,
                                  struct base_source **source)
{
    *source = base_arena_alloc(&p->arena, 1, sizeof(**source));
    if (!*source)
        return BASE_NOMEM;
    **source = (struct base_source){.name = name, .text = text, .size = strlen(text)};
    return BASE_OK;
}

/* The array of an index without a declaration: elements of --width bytes, as many as there are. */
static enum base_status nameless_array(const struct tool_options *options, struct tool_patterns *p)
{
    static const char *const types[] = {"char *a", "short *a", "float *a", "double *a", "float4 *a"};
    struct base_source *source;
    uint32_t width = options->picture.width_bytes ? options->picture.width_bytes : DEFAULT_WIDTH_BYTES;
    enum base_status status = source_of(p, "declaration", types[__builtin_ctz(width)], &source);
    return status == BASE_OK ? advise_array_read(source, NULL, &p->arena, &p->array, &p->diags) : status;
}

static enum base_status add_access(struct tool_patterns *p, const char *text, bool is_index, enum sim_shared_kind kind)
{
    struct base_source *source;
    struct advise_access access;
    struct advise_pattern *pattern = base_arena_alloc(&p->arena, 1, sizeof(*pattern));
    enum base_status status = pattern ? source_of(p, is_index ? "expression" : "access", text, &source) : BASE_NOMEM;
    if (status == BASE_OK)
        status = advise_access_read(source, is_index ? NULL : &p->array, &p->scope, &p->arena, &access, &p->diags);
    if (status != BASE_OK)
        return status;
    /* An index without a declaration is one of `a`, and takes all of its element. */
    access.component_count = is_index ? p->array.type.components : access.component_count;
    pattern->text = text;
    pattern->kind = kind;
    p->patterns[p->count++] = pattern;
    return advise_pattern_make(&access, &p->array, &p->shape, pattern, &p->diags);
}

/* --index: "3,0,5-9". Lanes beyond the list take no part. */
static enum base_status add_list(struct tool_patterns *p, const char *text, enum sim_shared_kind kind)
{
    struct advise_pattern *pattern = base_arena_alloc(&p->arena, 1, sizeof(*pattern));
    const char *at = text;
    uint32_t lane = 0;
    bool good = true;
    if (!pattern)
        return BASE_NOMEM;
    while (good && *at != '\0') {
        char *end = NULL;
        good = *at >= '0' && *at <= '9';
        uint64_t first = good ? strtoull(at, &end, 10) : 0, last = first;
        if (good && *end == '-') {
            good = end[1] >= '0' && end[1] <= '9';
            last = good ? strtoull(end + 1, &end, 10) : 0;
        }
        good = good && last >= first && last <= INT32_MAX && last - first < 32 && lane + (last - first) < 32 &&
               (*end == '\0' || (*end == ',' && end[1] != '\0'));
        for (; good && first <= last; first++, lane++) {
            pattern->warps[0].element[lane] = first;
            pattern->warps[0].mask |= UINT32_C(1) << lane;
        }
        at = good ? end + (*end == ',') : at;
    }
    if (!good || lane == 0) {
        base_diag_add(&p->diags, BASE_ERROR, NULL, 0, 0, "--index=%s: expected up to 32 elements such as 3,0,5-9",
                      text);
        return BASE_INVALID;
    }
    pattern->text = text;
    pattern->kind = kind;
    pattern->width_bytes = p->array.type.bytes;
    pattern->warp_count = 1;
    p->patterns[p->count++] = pattern;
    return BASE_OK;
}

static enum base_status add_stride(const struct tool_options *options, struct tool_patterns *p)
{
    struct base_strbuf text = {0};
    base_strbuf_printf(&text, "a[lane * %" PRId64 "]", options->picture.stride);
    const char *kept = text.failed ? NULL : base_arena_strndup(&p->arena, text.data, text.length);
    base_strbuf_free(&text);
    if (!kept)
        return BASE_NOMEM;
    if (options->picture.stride >= 0)
        return add_access(p, kept, false, options->picture.kind);
    /* Downwards from --offset: the array begins where the last lane would end. */
    struct base_strbuf down = {0};
    base_strbuf_printf(&down, "a[%" PRIu64 " - lane * %" PRId64 "]", p->offset_bytes / p->array.type.bytes,
                       -options->picture.stride);
    kept = down.failed ? NULL : base_arena_strndup(&p->arena, down.data, down.length);
    base_strbuf_free(&down);
    p->offset_bytes = 0;
    return kept ? add_access(p, kept, false, options->picture.kind) : BASE_NOMEM;
}

/* ---- Shapes and names ---- */

static bool check_shape(const struct tool_options *options, const struct sim_device *device)
{
    uint64_t threads = 1;
    for (int i = 0; i < 3 && threads <= device->max_threads_per_block; i++)
        threads *= options->block[0] > 0 ? options->block[i] : 1;
    if (threads > device->max_threads_per_block || threads > 32 * ADVISE_WARPS_MAX)
        tool_error("--block: %s has at most %u threads in a block", device->name, device->max_threads_per_block);
    else
        return true;
    return false;
}

/* Without --block: as many threads as the guide's tile has, and one warp where there is no thread to speak of. */
static void take_shape(const struct tool_options *options, struct tool_patterns *p)
{
    const struct tool_picture_options *picture = &options->picture;
    struct advise_shape *shape = &p->shape;
    bool one_warp = picture->has_stride || picture->index;
    for (int i = 0; i < 3; i++) {
        shape->block_dim[i] = options->block[0] > 0 ? options->block[i] : i == 2 || (one_warp && i == 1) ? 1 : 32;
        shape->grid_dim[i] = options->grid[0] > 0 ? options->grid[i] : picture->at[i] + 1;
        shape->block[i] = picture->at[i];
    }
}

static enum base_status take_names(const struct tool_options *options, struct tool_patterns *p)
{
    enum base_status status = BASE_OK;
    struct base_source *source;
    for (size_t i = 0; i < options->picture.defines.count && status == BASE_OK; i++) {
        status = source_of(p, "-D", options->picture.defines.data[i], &source);
        if (status == BASE_OK)
            status = advise_scope_define(&p->scope, source, &p->arena, &p->diags);
    }
    if (status == BASE_OK && options->picture.condition) {
        status = source_of(p, "--if", options->picture.condition, &source);
        if (status == BASE_OK)
            status = advise_expr_read(source, &p->scope, &p->arena, &p->shape.condition, &p->diags);
    }
    return status;
}

/* ---- The operands ---- */

static bool is_complete(const struct tool_options *options)
{
    const struct tool_picture_options *picture = &options->picture;
    const char *name = options->command->name;
    unsigned ways = (unsigned)picture->has_stride + (picture->index != NULL) + (options->operand_count > 0);
    if (ways == 0)
        tool_error("%s needs a declaration and an access, an index expression, --stride or --index; see simtlab %s "
                   "--help",
                   name, name);
    else if (ways > 1)
        tool_error("%s takes an expression or --stride or --index, one of them", name);
    else if (options->operand_count > 1 && picture->width_bytes > 0)
        tool_error("--width: the declaration tells how wide an element is");
    else if (options->operand_count > 1 + ADVISE_ACCESS_MAX)
        tool_error("%s takes up to %d accesses", name, ADVISE_ACCESS_MAX);
    else
        return true;
    return false;
}

static enum base_status read_operands(const struct tool_options *options, struct tool_patterns *p)
{
    const struct tool_picture_options *picture = &options->picture;
    struct base_source *source;
    enum base_status status = take_names(options, p);
    if (status != BASE_OK)
        return status;
    if (options->operand_count < 2) {
        status = nameless_array(options, p);
        p->offset_bytes = picture->offset * p->array.type.bytes;
        if (status != BASE_OK)
            return status;
        return picture->has_stride ? add_stride(options, p)
               : picture->index    ? add_list(p, picture->index, picture->kind)
                                   : add_access(p, options->operands[0], true, picture->kind);
    }
    status = source_of(p, "declaration", options->operands[0], &source);
    if (status == BASE_OK)
        status = advise_array_read(source, &p->scope, &p->arena, &p->array, &p->diags);
    if (status == BASE_OK)
        p->offset_bytes = picture->offset * p->array.type.bytes;
    for (size_t i = 1; i < options->operand_count && status == BASE_OK; i++)
        status = add_access(p, options->operands[i], false, picture->kind);
    return status;
}

enum tool_exit tool_patterns_read(const struct tool_options *options, const struct sim_device *device, bool shared,
                                  struct tool_patterns *p)
{
    memset(p, 0, sizeof(*p));
    base_arena_init(&p->arena, 0);
    if (options->picture.kernel_line)
        return tool_patterns_run(options, device, shared, p);
    if (!is_complete(options) || !check_shape(options, device))
        return TOOL_ERROR;
    take_shape(options, p);
    p->warp = options->picture.worst_warp ? UINT32_MAX : options->picture.warp;
    enum base_status status = read_operands(options, p);
    tool_print_diags(&p->diags);
    if (status == BASE_NOMEM)
        tool_error("out of memory");
    return status == BASE_OK ? TOOL_OK : TOOL_ERROR;
}

void tool_patterns_free(struct tool_patterns *p)
{
    base_diags_free(&p->diags);
    base_arena_free(&p->arena);
}
