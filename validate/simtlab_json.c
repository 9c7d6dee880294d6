/* Reads simtlab's JSON reports: one object of `run`, or the lines of `batch`. */
#include "validate/measure.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const struct base_source *source;
    struct validate_measure *out;
    struct base_diags *diags;
    size_t offset; /* of the object that is read */
    bool failed;   /* no memory */
};

static const char *text_of(struct reader *r, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    const char *text = value && json_is_string(value)
                           ? base_arena_strndup(&r->out->arena, json_string_value(value), json_string_length(value))
                           : "";
    r->failed = r->failed || !text;
    return text ? text : "";
}

/* The object's members as options of a command line: "--scheduler lrr --carveout 50". */
static const char *options_of(struct reader *r, json_t *object)
{
    struct base_strbuf text = {0};
    const char *name, *kept;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        if (json_is_string(value))
            base_strbuf_printf(&text, "%s--%s %s", text.length > 0 ? " " : "", name, json_string_value(value));
    }
    kept = base_arena_strndup(&r->out->arena, text.data ? text.data : "", text.length);
    r->failed = r->failed || text.failed || !kept;
    base_strbuf_free(&text);
    return kept ? kept : "";
}

static uint64_t count_of(const json_t *object, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(object, key));
    return value > 0 ? (uint64_t)value : 0;
}

static bool dim3_of(const json_t *object, const char *key, uint32_t dim[3])
{
    const json_t *array = json_object_get(object, key);
    if (json_array_size(array) != 3)
        return false;
    for (size_t i = 0; i < 3; i++) {
        json_int_t value = json_integer_value(json_array_get(array, i));
        if (value < 0 || value > UINT32_MAX)
            return false;
        dim[i] = (uint32_t)value;
    }
    return true;
}

static void read_metrics(struct reader *r, json_t *object, struct validate_launch *launch)
{
    const char *name;
    json_t *item;
    struct validate_value *values = base_arena_alloc(&r->out->arena, json_object_size(object), sizeof(*values));
    r->failed = r->failed || !values;
    json_object_foreach(object, name, item)
    {
        if (!values || !json_is_number(item))
            continue;
        bool whole = json_is_integer(item) && json_integer_value(item) >= 0;
        struct validate_value *value = &values[launch->value_count++];
        *value = (struct validate_value){.name = base_arena_strndup(&r->out->arena, name, strlen(name)),
                                         .unit = "",
                                         .is_integer = whole,
                                         .integer = whole ? (uint64_t)json_integer_value(item) : 0,
                                         .real = json_number_value(item)};
        if (!value->name) {
            r->failed = true;
            return;
        }
    }
    launch->values = values;
    launch->value_count = values ? validate_values_sort(values, launch->value_count) : 0;
}

static void read_insns(struct reader *r, const json_t *array, struct validate_launch *launch)
{
    size_t count = json_array_size(array);
    struct validate_insn *insns = base_arena_alloc(&r->out->arena, count, sizeof(*insns));
    r->failed = r->failed || !insns;
    for (size_t i = 0; insns && i < count; i++) {
        const json_t *object = json_array_get(array, i);
        insns[i] = (struct validate_insn){.text = text_of(r, object, "text"),
                                          .file = text_of(r, object, "file"),
                                          .pc = count_of(object, "pc"),
                                          .line = count_of(object, "line"),
                                          .executed = count_of(object, "executed"),
                                          .is_global = json_object_get(object, "sectors") != NULL,
                                          .is_shared = json_object_get(object, "wavefronts") != NULL};
    }
    launch->insns = insns;
    launch->insn_count = insns ? count : 0;
}

static void read_buffers(struct reader *r, const json_t *array, struct validate_launch *launch)
{
    size_t count = json_array_size(array);
    struct validate_buffer *buffers = base_arena_alloc(&r->out->arena, count, sizeof(*buffers));
    r->failed = r->failed || !buffers;
    for (size_t i = 0; buffers && i < count; i++) {
        const json_t *object = json_array_get(array, i);
        const char *hash = json_string_value(json_object_get(object, "fnv1a64"));
        buffers[i].arg = (uint32_t)count_of(object, "arg");
        buffers[i].bytes = count_of(object, "bytes");
        buffers[i].fnv1a64 = hash ? strtoull(hash, NULL, 16) : 0;
    }
    launch->buffers = buffers;
    launch->buffer_count = buffers ? count : 0;
}

static bool found_races(const json_t *findings)
{
    for (size_t i = 0; i < json_array_size(findings); i++) {
        const char *check = json_string_value(json_object_get(json_array_get(findings, i), "check"));
        if (check && strcmp(check, "races") == 0)
            return true;
    }
    return false;
}

static enum base_status read_launch(struct reader *r, const json_t *object)
{
    const json_t *shape = json_object_get(object, "launch"), *schema = json_object_get(object, "schema");
    if (json_integer_value(schema) != 1) {
        base_diag_add(r->diags, BASE_ERROR, r->source, r->offset, 0,
                      json_is_integer(schema) ? "JSON of another version of simtlab: its \"schema\" is not 1"
                                              : "JSON, but not simtlab's: there is no \"schema\"");
        return BASE_INVALID;
    }
    struct validate_launch launch = {
        .id = r->out->launches.count,
        .name = text_of(r, object, "name"),
        .kernel_shown = text_of(r, object, "kernel"),
        .file = text_of(r, object, "file"),
        .form = text_of(r, object, "form"),
        .device = text_of(r, object, "device"),
        .mode = text_of(r, object, "mode"),
        .status = text_of(r, object, "status"),
        .message = text_of(r, object, "message"),
        .options = options_of(r, json_object_get(object, "options")),
        .card = "",
        .races = found_races(json_object_get(object, "findings")),
    };
    launch.kernel = validate_kernel_name(&r->out->arena, launch.kernel_shown);
    launch.has_grid = dim3_of(shape, "grid", launch.grid) && dim3_of(shape, "block", launch.block);
    read_metrics(r, json_object_get(object, "metrics"), &launch);
    read_insns(r, json_object_get(object, "instructions"), &launch);
    read_buffers(r, json_object_get(object, "buffers"), &launch);
    return !r->failed && launch.kernel && base_vec_push(&r->out->launches, launch) ? BASE_OK : BASE_NOMEM;
}

/* Objects one after the other, with white space between them. */
enum base_status validate_simtlab_read(const struct base_source *source, struct validate_measure *out,
                                       struct base_diags *diags)
{
    struct reader r = {.source = source, .out = out, .diags = diags};
    enum base_status status = BASE_OK;
    size_t at = 0;
    while (status == BASE_OK) {
        json_error_t error;
        while (at < source->size && source->text[at] != '\0' && strchr(" \t\r\n", source->text[at]))
            at++;
        if (at >= source->size)
            break;
        r.offset = at;
        json_t *object =
            json_loadb(source->text + at, source->size - at, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &error);
        if (json_is_object(object)) {
            status = read_launch(&r, object);
        } else {
            size_t where = at + (error.position > 0 && !object ? (size_t)error.position : 0);
            base_diag_add(diags, BASE_ERROR, source, where < source->size ? where : source->size, 0,
                          "not simtlab's JSON: %s", object ? "an object is expected" : error.text);
            status = BASE_INVALID;
        }
        at += object && error.position > 0 ? (size_t)error.position : source->size;
        json_decref(object);
    }
    if (status == BASE_OK && out->launches.count == 0) {
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0, "%s: no launch", source->name);
        status = BASE_INVALID;
    }
    return status;
}
