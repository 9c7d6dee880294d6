/* Reads declarations and accesses, and makes patterns of them. */
#include "advise/array.h"

#include <inttypes.h>
#include <string.h>

uint64_t advise_array_row(const struct advise_array *array)
{
    return array->dims[array->dim_count - 1];
}

uint64_t advise_array_elements(const struct advise_array *array)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < array->dim_count; i++)
        count *= array->dims[i];
    return count;
}

/* What `finish` answers: the text is read, or there is a message, or no memory for more. */
static enum base_status status_of(const struct advise_lexer *lexer, const struct base_arena *arena)
{
    return !lexer->failed ? BASE_OK : arena->failed ? BASE_NOMEM : BASE_INVALID;
}

static bool parse_end(struct advise_lexer *lexer)
{
    advise_skip(lexer, ';');
    return lexer->token.kind == ADVISE_END || advise_complain(lexer, lexer->token, "expected the end before %s",
                                                              advise_quote_of(lexer, lexer->token).text);
}

/* ---- Declarations ---- */

static bool parse_extent(struct advise_lexer *lexer, const struct advise_scope *scope, struct base_arena *arena,
                         uint64_t *extent)
{
    static const struct advise_thread nobody = {.block_dim = {1, 1, 1}, .grid_dim = {1, 1, 1}};
    struct advise_token token = lexer->token;
    struct advise_value value;
    const struct advise_expr *expr = advise_expr_parse(lexer, scope, arena);
    if (!expr)
        return false;
    token.length = lexer->token.offset - token.offset;
    if (!advise_expr_is_constant(expr))
        return advise_complain(lexer, token, "the size of an array is the same for all threads");
    if (advise_expr_value(expr, &nobody, &value, lexer->diags) != BASE_OK) {
        lexer->failed = true;
        return false;
    }
    bool negative = (value.type == ADVISE_INT || value.type == ADVISE_LONG) && (int64_t)value.bits < 0;
    if (negative || value.bits == 0 || value.bits > ADVISE_BYTES_MAX)
        return advise_complain(lexer, token, "a dimension is at least 1 and at most 2^47");
    *extent = value.bits;
    return true;
}

static bool parse_dims(struct advise_lexer *lexer, const struct advise_scope *scope, struct base_arena *arena,
                       struct advise_array *array)
{
    uint64_t bytes = array->type.bytes;
    while (advise_at_sign(lexer, '[')) {
        struct advise_token bracket = lexer->token;
        advise_next(lexer);
        if (array->dim_count == ADVISE_DIMS_MAX)
            return advise_complain(lexer, bracket, "more than %d dimensions", ADVISE_DIMS_MAX);
        uint64_t *extent = &array->dims[array->dim_count++];
        if (array->dim_count == 1 && advise_skip(lexer, ']'))
            continue; /* extern float a[] */
        do {
            if (!parse_extent(lexer, scope, arena, extent))
                return false;
            if (__builtin_mul_overflow(bytes, *extent, &bytes) || bytes > ADVISE_BYTES_MAX)
                return advise_complain(lexer, bracket, "the array has more than 2^47 bytes");
            /* Numba's shape=(32, 33) as [32, 33]. */
        } while (advise_at_sign(lexer, ',') && array->dim_count < ADVISE_DIMS_MAX &&
                 (advise_next(lexer), extent = &array->dims[array->dim_count++], true));
        if (!advise_expect(lexer, ']'))
            return false;
    }
    return true;
}

static bool parse_array(struct advise_lexer *lexer, const struct advise_scope *scope, struct base_arena *arena,
                        struct advise_array *array)
{
    if (!advise_type_parse(lexer, &array->type))
        return false;
    struct advise_token star = lexer->token;
    bool is_pointer = advise_skip(lexer, '*');
    while (is_pointer && (advise_at_word(lexer, "const") || advise_at_word(lexer, "__restrict__") ||
                          advise_at_word(lexer, "__restrict")))
        advise_next(lexer);
    struct advise_token name = lexer->token;
    if (name.kind != ADVISE_WORD)
        return advise_complain(lexer, name, "expected the array's name before %s", advise_quote_of(lexer, name).text);
    array->name = base_arena_strndup(arena, lexer->source->text + name.offset, name.length);
    if (!array->name)
        return advise_complain(lexer, name, "out of memory");
    advise_next(lexer);
    if (!parse_dims(lexer, scope, arena, array))
        return false;
    if (is_pointer && array->dim_count > 0)
        return advise_complain(lexer, star, "an array of pointers is nothing that lanes read numbers from");
    if (is_pointer)
        array->dim_count = 1;
    if (array->dim_count == 0)
        return advise_complain(lexer, name, "expected an array such as %s[32][33], or a pointer", array->name);
    return parse_end(lexer);
}

enum base_status advise_array_read(const struct base_source *source, const struct advise_scope *scope,
                                   struct base_arena *arena, struct advise_array *array, struct base_diags *diags)
{
    struct advise_lexer lexer;
    *array = (struct advise_array){0};
    advise_lex_start(&lexer, source, diags);
    parse_array(&lexer, scope, arena, array);
    return status_of(&lexer, arena);
}

/* ---- Accesses ---- */

static bool parse_subscript(struct advise_lexer *lexer, const struct advise_scope *scope, struct base_arena *arena,
                            struct advise_access *access)
{
    uint32_t at = access->subscript_count;
    if (at == ADVISE_DIMS_MAX)
        return advise_complain(lexer, lexer->token, "more than %d subscripts", ADVISE_DIMS_MAX);
    access->offset[at] = lexer->token.offset;
    access->subscripts[at] = advise_expr_parse(lexer, scope, arena);
    access->length[at] = lexer->token.offset - access->offset[at];
    access->subscript_count++;
    return access->subscripts[at] != NULL;
}

static bool parse_component(struct advise_lexer *lexer, const struct advise_array *array, struct advise_access *access)
{
    struct advise_token token = lexer->token;
    const char *letter =
        token.kind == ADVISE_WORD && token.length == 1 ? strchr("xyzw", lexer->source->text[token.offset]) : NULL;
    uint32_t at = letter ? (uint32_t)(strchr("xyzw", *letter) - "xyzw") : UINT32_MAX;
    if (array->type.components == 1 || at >= array->type.components)
        return advise_complain(lexer, token, "%s has no component %s", array->type.name,
                               advise_quote_of(lexer, token).text);
    access->component = at;
    access->component_count = 1;
    advise_next(lexer);
    return true;
}

static bool parse_access(struct advise_lexer *lexer, const struct advise_array *array, const struct advise_scope *scope,
                         struct base_arena *arena, struct advise_access *access)
{
    struct advise_token name;
    advise_skip(lexer, '&');
    name = lexer->token;
    if (!advise_at_word(lexer, array->name))
        return advise_complain(lexer, name, "expected an access to %s, such as %s[threadIdx.x], before %s", array->name,
                               array->name, advise_quote_of(lexer, name).text);
    advise_next(lexer);
    while (advise_skip(lexer, '[')) {
        do {
            if (!parse_subscript(lexer, scope, arena, access))
                return false;
        } while (advise_skip(lexer, ','));
        if (!advise_expect(lexer, ']'))
            return false;
    }
    if (access->subscript_count != array->dim_count)
        return advise_complain(lexer, name, "%s has %u dimension%s, and here %s %u subscript%s", array->name,
                               array->dim_count, array->dim_count == 1 ? "" : "s",
                               access->subscript_count == 1 ? "is" : "are", access->subscript_count,
                               access->subscript_count == 1 ? "" : "s");
    access->component_count = array->type.components;
    if (advise_skip(lexer, '.') && !parse_component(lexer, array, access))
        return false;
    if (access->component_count == 3 || access->component_count * array->type.component_bytes > 16)
        return advise_complain(lexer, name, "a %s is read in several pieces: say which, as in %s[...].x",
                               array->type.name, array->name);
    return parse_end(lexer);
}

enum base_status advise_access_read(const struct base_source *source, const struct advise_array *array,
                                    const struct advise_scope *scope, struct base_arena *arena,
                                    struct advise_access *access, struct base_diags *diags)
{
    struct advise_lexer lexer;
    *access = (struct advise_access){.source = source, .component_count = 1};
    advise_lex_start(&lexer, source, diags);
    if (array)
        parse_access(&lexer, array, scope, arena, access);
    else if (parse_subscript(&lexer, scope, arena, access))
        parse_end(&lexer);
    return status_of(&lexer, arena);
}

/* ---- Patterns ---- */

struct walk {
    const struct advise_access *access;
    const struct advise_array *array;
    struct base_diags *diags;
};

static enum base_status refuse(const struct walk *walk, uint32_t which, struct advise_value value,
                               const struct advise_thread *thread, uint64_t extent)
{
    const struct advise_access *access = walk->access;
    char text[24];
    advise_value_print(value, text);
    if (extent > 0)
        base_diag_add(walk->diags, BASE_ERROR, access->source, access->offset[which], access->length[which],
                      "thread (%u, %u, %u) has subscript %s, outside 0 to %" PRIu64, thread->tid[0], thread->tid[1],
                      thread->tid[2], text, extent - 1);
    else
        base_diag_add(walk->diags, BASE_ERROR, access->source, access->offset[which], access->length[which],
                      "thread (%u, %u, %u) has subscript %s, before the array or beyond 2^47 bytes", thread->tid[0],
                      thread->tid[1], thread->tid[2], text);
    return BASE_INVALID;
}

/* The number of the thread's element. */
static enum base_status element_of(const struct walk *walk, const struct advise_thread *thread, uint64_t *element)
{
    uint64_t bytes = walk->array->type.bytes;
    *element = 0;
    for (uint32_t i = 0; i < walk->access->subscript_count; i++) {
        struct advise_value value;
        enum base_status status = advise_expr_value(walk->access->subscripts[i], thread, &value, walk->diags);
        if (status != BASE_OK)
            return status;
        uint64_t extent = walk->array->dims[i];
        bool negative = (value.type == ADVISE_INT || value.type == ADVISE_LONG) && (int64_t)value.bits < 0;
        if (negative || (extent > 0 && value.bits >= extent))
            return refuse(walk, i, value, thread, extent);
        /* Only the first dimension may be open, and then `element` is 0 so far. */
        if (extent == 0 && value.bits >= ADVISE_BYTES_MAX / bytes)
            return refuse(walk, i, value, thread, 0);
        if (i > 0 && *element >= ADVISE_BYTES_MAX / bytes / extent)
            return refuse(walk, i, value, thread, 0);
        *element = (i > 0 ? *element * extent : 0) + value.bits;
    }
    return BASE_OK;
}

static struct advise_thread thread_at(const struct advise_shape *shape, uint32_t linear)
{
    const uint32_t *dim = shape->block_dim;
    struct advise_thread thread = {
        .tid = {linear % dim[0], linear / dim[0] % dim[1], linear / dim[0] / dim[1]},
        .lane = linear % 32,
        .warp = linear / 32,
    };
    memcpy(thread.block_dim, dim, sizeof(thread.block_dim));
    memcpy(thread.grid_dim, shape->grid_dim, sizeof(thread.grid_dim));
    memcpy(thread.block, shape->block, sizeof(thread.block));
    return thread;
}

enum base_status advise_pattern_make(const struct advise_access *access, const struct advise_array *array,
                                     const struct advise_shape *shape, struct advise_pattern *pattern,
                                     struct base_diags *diags)
{
    struct walk walk = {access, array, diags};
    uint32_t threads = shape->block_dim[0] * shape->block_dim[1] * shape->block_dim[2];
    pattern->warp_count = (threads + 31) / 32;
    pattern->width_bytes = array->type.component_bytes * access->component_count;
    pattern->component_bytes = array->type.component_bytes * access->component;
    memset(pattern->warps, 0, sizeof(pattern->warps));
    for (uint32_t i = 0; i < threads; i++) {
        struct advise_thread thread = thread_at(shape, i);
        struct advise_lanes *lanes = &pattern->warps[thread.warp];
        if (shape->condition) {
            struct advise_value on;
            enum base_status status = advise_expr_value(shape->condition, &thread, &on, diags);
            if (status != BASE_OK)
                return status;
            if (on.bits == 0)
                continue;
        }
        enum base_status status = element_of(&walk, &thread, &lanes->element[thread.lane]);
        if (status != BASE_OK)
            return status;
        lanes->mask |= UINT32_C(1) << thread.lane;
    }
    return BASE_OK;
}
