/* Reads a launch list.
 *
 * Line by line: split_line() makes fields of a line, without comment and quotes; read_launch() gives the first three
 * their meaning and hands each of the others to a row of `keys` or, where it is none, to sim_field_parse_arg(). A line
 * with an error gives no launch, and reading goes on with the next. */
#include "sim/argtext.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

/* A launch takes about as much memory as its text; a list past this is not one that a person has written. */
enum { LIST_LIMIT_BYTES = 1 << 30, SHOWN = 80, MAX_REGS = 255 };

enum key { KEY_GRID, KEY_BLOCK, KEY_SHARED, KEY_CLUSTER, KEY_COOPERATIVE, KEY_CARVEOUT, KEY_REGS, KEY_COUNT };

static const char *const keys[KEY_COUNT] = {
    [KEY_GRID] = "grid",       [KEY_BLOCK] = "block",       [KEY_SHARED] = "shared",
    [KEY_CLUSTER] = "cluster", [KEY_CARVEOUT] = "carveout", [KEY_COOPERATIVE] = "cooperative",
    [KEY_REGS] = "regs"};

struct fields {
    struct sim_field *data;
    size_t count, capacity;
};

struct args {
    struct sim_arg *data;
    size_t count, capacity;
};

struct launches {
    struct sim_launch_text *data;
    size_t count, capacity;
};

struct reader {
    struct sim_launch_list *list;
    struct base_diags *diags;
    struct fields fields;     /* of the line that is being read */
    struct args args;         /* of that line */
    struct launches launches; /* so far */
    size_t line_start, line_end;
    bool had_error;
};

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static void line_error(struct reader *r, size_t offset, size_t length, const char *message)
{
    base_diag_add(r->diags, BASE_ERROR, &r->list->source, offset, length, "%s", message);
    r->had_error = true;
}

/* Where the field that begins at `start` ends. `quoted`: it has quotes. False after a diagnostic. */
static bool find_end(struct reader *r, size_t start, size_t *end, bool *quoted)
{
    const char *text = r->list->source.text;
    char quote = '\0';
    size_t quote_at = 0;
    size_t at = start;
    *quoted = false;
    for (; at < r->line_end && (quote || !is_space(text[at])); at++) {
        if (quote && text[at] == quote) {
            quote = '\0';
        } else if (!quote && (text[at] == '"' || text[at] == '\'')) {
            quote = text[at];
            quote_at = at;
            *quoted = true;
        }
    }
    *end = at;
    if (!quote)
        return true;
    line_error(r, quote_at, at - quote_at, "this quote is not closed on its line");
    return false;
}

/* Copies [start, end) without its quotes, and with it every character's place. */
static bool unquote(struct reader *r, size_t start, size_t end, struct sim_field *field)
{
    const char *text = r->list->source.text;
    char *copy = base_arena_alloc(&r->list->arena, end - start + 1, 1);
    size_t *places = base_arena_alloc(&r->list->arena, end - start + 1, sizeof *places);
    if (!copy || !places)
        return false;
    char quote = '\0';
    size_t length = 0;
    for (size_t at = start; at < end; at++) {
        if (quote ? text[at] == quote : text[at] == '"' || text[at] == '\'') {
            quote = quote ? '\0' : text[at];
            continue;
        }
        places[length] = at;
        copy[length++] = text[at];
    }
    places[length] = end;
    field->text = copy;
    field->length = length;
    field->places = places;
    return true;
}

static bool add_field(struct reader *r, size_t start, size_t end, bool quoted)
{
    struct sim_field field = {.source = &r->list->source, .offset = start, .span = end - start, .length = end - start};
    const char *nul = memchr(r->list->source.text + start, '\0', end - start);
    if (nul) {
        line_error(r, (size_t)(nul - r->list->source.text), 1, "a NUL byte in a launch list");
        return true;
    }
    if (quoted) {
        if (!unquote(r, start, end, &field))
            return false;
    } else {
        field.text = base_arena_strndup(&r->list->arena, r->list->source.text + start, end - start);
        if (!field.text)
            return false;
    }
    return base_vec_push(&r->fields, field);
}

/* False without memory. */
static bool split_line(struct reader *r)
{
    const char *text = r->list->source.text;
    size_t at = r->line_start;
    r->fields.count = 0;
    while (at < r->line_end) {
        if (is_space(text[at])) {
            at++;
            continue;
        }
        if (text[at] == '#')
            return true;
        size_t end = 0;
        bool quoted = false;
        if (find_end(r, at, &end, &quoted) && !add_field(r, at, end, quoted))
            return false;
        at = end;
    }
    return true;
}

static bool read_limited(struct reader *r, const struct sim_field *field, size_t at, uint64_t least, uint64_t most,
                         uint64_t *value)
{
    const char *why = NULL;
    if (sim_number_parse(field->text + at, field->length - at, value, &why) && *value >= least && *value <= most)
        return true;
    sim_field_error(field, at, field->length, r->diags, "%.*s wants a number from %llu to %llu", (int)at - 1,
                    field->text, (unsigned long long)least, (unsigned long long)most);
    r->had_error = true;
    return false;
}

static void read_dim(struct reader *r, const struct sim_field *field, size_t at, uint32_t dim[3])
{
    if (sim_dim3_parse(field->text + at, field->length - at, dim) == BASE_OK)
        return;
    sim_field_error(field, at, field->length, r->diags, "%.*s wants X[,Y[,Z]], each from 1 to 2147483647", (int)at - 1,
                    field->text);
    r->had_error = true;
}

static void read_key(struct reader *r, enum key key, const struct sim_field *field, struct sim_launch_text *launch)
{
    const size_t at = strlen(keys[key]) + 1;
    uint64_t value = 0;
    switch (key) {
    case KEY_GRID:
        read_dim(r, field, at, launch->grid);
        break;
    case KEY_BLOCK:
        read_dim(r, field, at, launch->block);
        break;
    case KEY_CLUSTER:
        read_dim(r, field, at, launch->cluster);
        launch->has_cluster = true;
        break;
    case KEY_SHARED:
        (void)read_limited(r, field, at, 0, UINT32_MAX, &launch->shared_bytes);
        break;
    case KEY_COOPERATIVE:
        launch->cooperative = read_limited(r, field, at, 0, 1, &value) && value == 1;
        break;
    case KEY_CARVEOUT:
        if (read_limited(r, field, at, 0, 100, &value))
            launch->carveout_percent = (int32_t)value;
        break;
    case KEY_REGS:
        if (read_limited(r, field, at, 1, MAX_REGS, &value))
            launch->regs = (uint32_t)value;
        break;
    case KEY_COUNT:
        break;
    }
}

/* The key a field begins with, or KEY_COUNT. */
static enum key key_of(const struct sim_field *field)
{
    for (unsigned key = 0; key < KEY_COUNT; key++) {
        const size_t length = strlen(keys[key]);
        if (field->length > length && memcmp(field->text, keys[key], length) == 0 && field->text[length] == '=')
            return (enum key)key;
    }
    return KEY_COUNT;
}

/* A word=... whose word is neither a key nor a type: most likely a key that is misspelt. */
static bool is_unknown_key(const struct sim_field *field)
{
    const size_t length = strcspn(field->text, "=");
    if (length == field->length || length < 4)
        return false;
    return strspn(field->text, "abcdefghijklmnopqrstuvwxyz_-") == length;
}

static bool read_arg(struct reader *r, const struct sim_field *field)
{
    struct sim_arg arg;
    if (is_unknown_key(field)) {
        const size_t length = strcspn(field->text, "=");
        sim_field_error(field, 0, length, r->diags,
                        "'%.*s' is neither a field (grid, block, shared, cluster, cooperative, carveout, regs) nor a "
                        "type",
                        length < SHOWN ? (int)length : SHOWN, field->text);
        r->had_error = true;
        return true;
    }
    const enum base_status status = sim_field_parse_arg(field, &r->list->arena, &arg, r->diags);
    if (status == BASE_NOMEM)
        return false;
    if (status != BASE_OK)
        r->had_error = true;
    return base_vec_push(&r->args, arg);
}

/* The fields after NAME FILE KERNEL. False without memory. */
static bool read_fields(struct reader *r, struct sim_launch_text *launch)
{
    bool seen[KEY_COUNT] = {false};
    for (size_t i = 3; i < r->fields.count; i++) {
        const struct sim_field *field = &r->fields.data[i];
        const enum key key = key_of(field);
        if (key == KEY_COUNT) {
            if (!read_arg(r, field))
                return false;
            continue;
        }
        if (seen[key]) {
            sim_field_error(field, 0, field->length, r->diags, "%s is given twice", keys[key]);
            r->had_error = true;
        }
        seen[key] = true;
        read_key(r, key, field, launch);
    }
    const struct sim_field *last = &r->fields.data[r->fields.count - 1];
    const size_t end = last->offset + last->span;
    if (!seen[KEY_GRID])
        line_error(r, end, 0, "grid=X[,Y[,Z]] is missing");
    if (!seen[KEY_BLOCK])
        line_error(r, end, 0, "block=X[,Y[,Z]] is missing");
    return true;
}

static bool check_head(struct reader *r)
{
    static const char *const names[] = {"NAME", "FILE", "KERNEL"};
    for (size_t i = 0; i < 3; i++) {
        const struct sim_field *field = i < r->fields.count ? &r->fields.data[i] : NULL;
        if (field && field->length > 0 && key_of(field) == KEY_COUNT)
            continue;
        const struct sim_field *place = field ? field : &r->fields.data[r->fields.count - 1];
        base_diag_add(r->diags, BASE_ERROR, &r->list->source, field ? place->offset : place->offset + place->span,
                      field ? place->span : 0, "%s is missing: a line is NAME FILE KERNEL grid=X block=X ... ARG...",
                      names[i]);
        r->had_error = true;
        return false;
    }
    return true;
}

/* The line's fields as a launch. False without memory. */
static bool read_launch(struct reader *r)
{
    if (!check_head(r))
        return true;
    const struct sim_field *fields = r->fields.data;
    struct sim_launch_text launch = {.name = fields[0].text,
                                     .file = fields[1].text,
                                     .kernel = fields[2].text,
                                     .grid = {1, 1, 1},
                                     .block = {1, 1, 1},
                                     .cluster = {1, 1, 1},
                                     .carveout_percent = -1,
                                     .offset = fields[0].offset};
    const struct sim_field *last = &fields[r->fields.count - 1];
    launch.length = last->offset + last->span - launch.offset;
    r->args.count = 0;
    if (!read_fields(r, &launch))
        return false;
    if (r->had_error)
        return true;
    launch.arg_count = r->args.count;
    launch.args = base_arena_alloc(&r->list->arena, r->args.count, sizeof *launch.args);
    if (!launch.args)
        return false;
    if (r->args.count)
        memcpy(launch.args, r->args.data, r->args.count * sizeof *launch.args);
    return base_vec_push(&r->launches, launch);
}

static int compare_names(const void *a, const void *b)
{
    const struct sim_launch_text *left = *(const struct sim_launch_text *const *)a;
    const struct sim_launch_text *right = *(const struct sim_launch_text *const *)b;
    const int order = strcmp(left->name, right->name);
    return order ? order : (left->offset > right->offset) - (left->offset < right->offset);
}

/* Takes every launch out of the list whose name an earlier one has. False without memory. */
static bool drop_duplicates(struct reader *r, bool *found)
{
    struct sim_launch_list *list = r->list;
    struct sim_launch_text **sorted = base_arena_alloc(&list->arena, list->count, sizeof *sorted);
    if (!sorted)
        return false;
    for (size_t i = 0; i < list->count; i++)
        sorted[i] = &list->items[i];
    if (list->count)
        qsort(sorted, list->count, sizeof *sorted, compare_names);
    const struct sim_launch_text *first = NULL;
    for (size_t i = 0; i < list->count; i++) {
        if (!first || strcmp(first->name, sorted[i]->name) != 0) {
            first = sorted[i];
            continue;
        }
        base_diag_add(r->diags, BASE_ERROR, &list->source, sorted[i]->offset, strlen(sorted[i]->name),
                      "an earlier launch is named '%.*s' too", SHOWN, sorted[i]->name);
        base_diag_add(r->diags, BASE_NOTE, &list->source, first->offset, strlen(first->name), "it is here");
        sorted[i]->name = NULL;
        *found = true;
    }
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].name)
            list->items[kept++] = list->items[i];
    list->count = kept;
    return true;
}

static enum base_status read_lines(struct reader *r)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    const struct base_source *source = &r->list->source;
    bool invalid = false;
    size_t start = source->size >= 3 && memcmp(source->text, byte_order_mark, 3) == 0 ? 3 : 0;
    while (start < source->size) {
        const char *newline = memchr(source->text + start, '\n', source->size - start);
        r->line_start = start;
        r->line_end = newline ? (size_t)(newline - source->text) : source->size;
        r->had_error = false;
        if (!split_line(r) || (r->fields.count && !r->had_error && !read_launch(r)))
            return BASE_NOMEM;
        invalid |= r->had_error;
        start = r->line_end + 1;
    }
    r->list->count = r->launches.count;
    r->list->items = base_arena_alloc(&r->list->arena, r->launches.count, sizeof *r->list->items);
    if (!r->list->items)
        return BASE_NOMEM;
    if (r->launches.count)
        memcpy(r->list->items, r->launches.data, r->launches.count * sizeof *r->list->items);
    if (!drop_duplicates(r, &invalid))
        return BASE_NOMEM;
    return invalid ? BASE_INVALID : BASE_OK;
}

enum base_status sim_launch_list_parse(const char *name, const char *text, size_t size, struct sim_launch_list **out,
                                       struct base_diags *diags)
{
    *out = NULL;
    struct sim_launch_list *list = calloc(1, sizeof *list);
    if (!list)
        return BASE_NOMEM;
    base_arena_init(&list->arena, LIST_LIMIT_BYTES);
    list->source.name = base_arena_strndup(&list->arena, name, strlen(name));
    list->source.text = base_arena_strndup(&list->arena, text, size);
    list->source.size = size;
    struct reader reader = {.list = list, .diags = diags};
    enum base_status status = BASE_NOMEM;
    if (list->source.name && list->source.text)
        status = read_lines(&reader);
    base_vec_free(&reader.fields);
    base_vec_free(&reader.args);
    base_vec_free(&reader.launches);
    if (status == BASE_NOMEM)
        list->count = 0;
    *out = list;
    return status;
}

void sim_launch_list_free(struct sim_launch_list *list)
{
    if (!list)
        return;
    base_arena_free(&list->arena);
    free(list);
}
