/* Arguments become device buffers and a parameter block.
 *
 * First everything is checked against the kernel's parameters, so that a launch that does not fit allocates nothing;
 * then the buffers are made in the order of the arguments; then the values are laid out. An argument is one value, but
 * a Numba array, which is seven or nine (below) and a variable's contents, which is none. */
#include "sim/argtext.h"

#include "base/strbuf.h"
#include "base/vec.h"
#include "isa/sass/sass.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTER_BYTES = 8, LIST_SHOWN_BYTES = 2000, TEXT_SHOWN = 80, READER_MESSAGE_BYTES = 256 };

/* What Numba passes for an array, eight bytes each. shape and strides have a member for each dimension. */
enum numba_member { NUMBA_MEMINFO, NUMBA_PARENT, NUMBA_NITEMS, NUMBA_ITEMSIZE, NUMBA_DATA, NUMBA_SHAPE };

struct binder {
    const struct isa_module *module;
    const struct isa_function *kernel;
    const struct base_source *source;
    const struct sim_arg *args;
    size_t arg_count;
    struct sim_memory *memory;
    struct sim_named_buffers *named;
    sim_file_reader *reader;
    void *reader_user;
    struct base_arena *arena;
    struct sim_bound *bound;
    struct base_diags *diags;
};

void sim_named_buffers_free(struct sim_named_buffers *named)
{
    for (size_t i = 0; i < named->count; i++)
        free(named->items[i].name);
    free(named->items);
    *named = (struct sim_named_buffers){0};
}

static bool is_named(const struct sim_named_buffers *named, uint64_t address)
{
    for (size_t i = 0; i < named->count; i++)
        if (named->items[i].address == address)
            return true;
    return false;
}

void sim_args_release(struct sim_memory *memory, const struct sim_named_buffers *named, uint64_t from)
{
    for (size_t i = memory->count; i > 0 && memory->items[i - 1].address >= from; i--)
        if (!is_named(named, memory->items[i - 1].address))
            sim_memory_release(memory, memory->items[i - 1].address);
}

static uint64_t element_bytes(uint8_t type)
{
    return isa_types[type].bits / 8U;
}

static bool is_buffer(const struct sim_arg *arg)
{
    return arg->kind == SIM_ARG_BUFFER || arg->kind == SIM_ARG_NUMBA;
}

/* How many parameters an argument gives. */
static size_t value_count(const struct sim_arg *arg)
{
    if (arg->kind == SIM_ARG_SYMBOL)
        return 0;
    if (arg->kind != SIM_ARG_NUMBA)
        return 1;
    return arg->columns ? 9 : 7;
}

/* Bytes of each of them. */
static uint64_t value_bytes(const struct sim_arg *arg)
{
    if (arg->kind == SIM_ARG_SCALAR)
        return element_bytes(arg->type);
    return arg->kind == SIM_ARG_BYTES ? arg->count : POINTER_BYTES;
}

static const struct isa_var *param_of(const struct binder *b, size_t index)
{
    return &b->module->vars[b->kernel->params[index]];
}

static void arg_error(const struct binder *b, const struct sim_arg *arg, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void arg_error(const struct binder *b, const struct sim_arg *arg, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    base_diag_vadd(b->diags, BASE_ERROR, b->source, arg ? arg->offset : 0, arg ? arg->length : 0, format, values);
    va_end(values);
}

/* "f32[256]", "f32[16,16]" */
static void put_shape(struct base_strbuf *out, const struct sim_arg *arg)
{
    base_strbuf_puts(out, isa_types[arg->type].name);
    if (arg->columns)
        base_strbuf_printf(out, "[%" PRIu64 ",%" PRIu64 "]", arg->rows, arg->columns);
    else
        base_strbuf_printf(out, "[%" PRIu64 "]", arg->count);
}

/* "f32[256]", "s32", "null", "bytes[12]", "&0": an argument without its contents. */
static void put_arg(struct base_strbuf *out, const struct sim_arg *arg)
{
    if (arg->kind == SIM_ARG_SCALAR)
        base_strbuf_puts(out, isa_types[arg->type].name);
    else if (arg->kind == SIM_ARG_NULL)
        base_strbuf_puts(out, "null");
    else if (arg->kind == SIM_ARG_POINTER)
        base_strbuf_printf(out, "&%" PRIu32, arg->target);
    else if (arg->kind == SIM_ARG_BYTES)
        base_strbuf_printf(out, "bytes[%" PRIu64 "]", arg->count);
    else
        put_shape(out, arg);
    if (arg->kind == SIM_ARG_NUMBA)
        base_strbuf_puts(out, "~numba");
}

/* "u64", "b8[12]" */
static void put_param(struct base_strbuf *out, const struct isa_var *param)
{
    base_strbuf_puts(out, isa_types[param->type].name);
    if (param->size_bytes != element_bytes(param->type) && element_bytes(param->type))
        base_strbuf_printf(out, "[%" PRIu64 "]", param->size_bytes / element_bytes(param->type));
}

/* "NAME takes (u64, u32), given are (f32[4])": both lists cut to a length that can be read. */
static char *both_lists(const struct binder *b)
{
    struct base_strbuf out = {0};
    base_strbuf_printf(&out, "%s takes (", b->kernel->name);
    size_t start = out.length;
    for (size_t i = 0; i < b->kernel->param_count; i++) {
        base_strbuf_puts(&out, i ? ", " : "");
        if (out.length - start > LIST_SHOWN_BYTES) {
            base_strbuf_puts(&out, "...");
            break;
        }
        put_param(&out, param_of(b, i));
    }
    base_strbuf_puts(&out, "), given are (");
    start = out.length;
    for (size_t i = 0; i < b->arg_count; i++) {
        if (b->args[i].kind == SIM_ARG_SYMBOL)
            continue;
        if (out.length > start)
            base_strbuf_puts(&out, ", ");
        if (out.length - start > LIST_SHOWN_BYTES) {
            base_strbuf_puts(&out, "...");
            break;
        }
        put_arg(&out, &b->args[i]);
    }
    base_strbuf_puts(&out, ")");
    return base_strbuf_take(&out);
}

/* What a listing alone cannot tell. */
static char *without_cubin(const struct binder *b)
{
    struct base_strbuf out = {0};
    base_strbuf_printf(&out, "the listing does not tell what %s takes: put its cubin beside it, with the ending .cubin",
                       b->kernel->name);
    return base_strbuf_take(&out);
}

static enum base_status mismatch(const struct binder *b, const struct sim_arg *arg, const char *what)
{
    const bool known = b->kernel->machine == NULL || b->kernel->machine->from_cubin;
    char *lists = known ? both_lists(b) : without_cubin(b);
    const char *colon = known ? ": " : "", *said = lists ? lists : "(out of memory)";
    if (!known)
        what = "";
    if (!arg)
        base_diag_add(b->diags, BASE_ERROR, NULL, 0, 0, "%s%s%s", what, colon, said);
    else
        arg_error(b, arg, "%s%s%s", what, colon, said);
    free(lists);
    return BASE_INVALID;
}

/* The argument's values against the parameters from `first` on. */
static enum base_status check_sizes(const struct binder *b, size_t index, size_t first)
{
    const struct sim_arg *arg = &b->args[index];
    char what[160];
    for (size_t i = 0; i < value_count(arg); i++) {
        if (first + i >= b->kernel->param_count)
            return mismatch(b, arg, "too many arguments");
        const uint64_t wanted = param_of(b, first + i)->size_bytes;
        if (wanted == value_bytes(arg))
            continue;
        snprintf(what, sizeof what, "argument %zu gives %" PRIu64 " byte%s where parameter %zu has %" PRIu64 " byte%s",
                 index, value_bytes(arg), value_bytes(arg) == 1 ? "" : "s", first + i, wanted, wanted == 1 ? "" : "s");
        return mismatch(b, arg, what);
    }
    return BASE_OK;
}

/* A number of one class for a parameter of the other: its bits are taken as they are, which is seldom meant. PTX says
 * what a parameter is; machine code does not. */
static void check_class(const struct binder *b, size_t index, size_t param)
{
    const struct sim_arg *arg = &b->args[index];
    const uint8_t wanted = param_of(b, param)->type;
    const enum isa_type_class given = isa_types[arg->type].class, has = isa_types[wanted].class;
    const bool given_whole = given == ISA_CLASS_SIGNED || given == ISA_CLASS_UNSIGNED;
    const bool has_whole = has == ISA_CLASS_SIGNED || has == ISA_CLASS_UNSIGNED;
    if (arg->kind != SIM_ARG_SCALAR ||
        !((given_whole && has == ISA_CLASS_FLOAT) || (given == ISA_CLASS_FLOAT && has_whole)))
        return;
    base_diag_add(b->diags, BASE_WARNING, b->source, arg->offset, arg->length,
                  "parameter %zu is %s: it gets the bits of this %s, not its value", param, isa_types[wanted].name,
                  isa_types[arg->type].name);
}

static enum base_status check_target(const struct binder *b, const struct sim_arg *arg)
{
    if (arg->target >= b->arg_count) {
        arg_error(b, arg, "there is no argument %" PRIu32 ": they are numbered from 0 to %zu", arg->target,
                  b->arg_count - 1);
        return BASE_INVALID;
    }
    const struct sim_arg *target = &b->args[arg->target];
    if (is_buffer(target))
        return BASE_OK;
    arg_error(b, arg, "argument %" PRIu32 " (%.*s) is not a buffer", arg->target, TEXT_SHOWN, target->text);
    return BASE_INVALID;
}

static enum base_status check(const struct binder *b)
{
    enum base_status status = BASE_OK;
    size_t params = 0;
    for (size_t i = 0; i < b->arg_count; i++) {
        const struct sim_arg *arg = &b->args[i];
        const enum base_status fits = check_sizes(b, i, params);
        if (fits != BASE_OK)
            return fits;
        if (value_count(arg) == 1)
            check_class(b, i, params);
        params += value_count(arg);
        if (arg->kind == SIM_ARG_POINTER && check_target(b, arg) != BASE_OK)
            status = BASE_INVALID;
    }
    if (params < b->kernel->param_count)
        return mismatch(b, b->arg_count ? &b->args[b->arg_count - 1] : NULL, "too few arguments");
    return status;
}

/* `data` as INIT says, from the file or from a sequence. */
static enum base_status fill(const struct binder *b, const struct sim_arg *arg, const struct sim_init *init,
                             uint8_t type, uint64_t count, uint8_t *data)
{
    char message[READER_MESSAGE_BYTES] = "files cannot be read here";
    if (init->kind != SIM_INIT_FILE) {
        sim_init_fill(init, type, count, data);
        return BASE_OK;
    }
    enum base_status status = BASE_IO;
    if (b->reader)
        status = b->reader(b->reader_user, init->path, data, count * element_bytes(type), message, sizeof message);
    message[sizeof message - 1] = '\0';
    if (status != BASE_OK)
        arg_error(b, arg, "%s", message);
    return status;
}

static const struct sim_named_buffer *find_named(const struct binder *b, const char *name)
{
    for (size_t i = 0; i < b->named->count; i++)
        if (strcmp(b->named->items[i].name, name) == 0)
            return &b->named->items[i];
    return NULL;
}

/* A later use of a shared buffer. */
static enum base_status use_named(const struct binder *b, const struct sim_arg *arg,
                                  const struct sim_named_buffer *found, struct sim_bound_arg *bound)
{
    if (found->type != arg->type || found->size_bytes != arg->count * element_bytes(arg->type)) {
        arg_error(b, arg, "the shared buffer @%.*s is %s[%" PRIu64 "], as its first use says", TEXT_SHOWN, arg->name,
                  isa_types[found->type].name, found->size_bytes / element_bytes(found->type));
        return BASE_INVALID;
    }
    bound->address = found->address;
    return BASE_OK;
}

static enum base_status add_named(const struct binder *b, const struct sim_arg *arg, uint64_t address)
{
    const size_t length = strlen(arg->name);
    if (!base_vec_grow((void **)(void *)&b->named->items, &b->named->capacity, b->named->count, 1,
                       sizeof *b->named->items))
        return BASE_NOMEM;
    char *name = malloc(length + 1);
    if (!name)
        return BASE_NOMEM;
    memcpy(name, arg->name, length + 1);
    b->named->items[b->named->count++] = (struct sim_named_buffer){
        .name = name, .address = address, .size_bytes = arg->count * element_bytes(arg->type), .type = arg->type};
    return BASE_OK;
}

/* "argument 0 (f32[256])", "shared buffer @x (f32[16])"; the caller frees it. NULL without memory. */
static char *make_label(const struct sim_arg *arg, size_t index)
{
    struct base_strbuf label = {0};
    if (arg->name)
        base_strbuf_printf(&label, "shared buffer @%.24s (", arg->name);
    else
        base_strbuf_printf(&label, "argument %zu (", index);
    put_shape(&label, arg);
    base_strbuf_puts(&label, ")");
    return base_strbuf_take(&label);
}

static enum base_status make_buffer(const struct binder *b, size_t index)
{
    const struct sim_arg *arg = &b->args[index];
    struct sim_bound_arg *bound = &b->bound->args[index];
    const struct sim_named_buffer *found = arg->name ? find_named(b, arg->name) : NULL;
    bound->has_buffer = true;
    bound->size_bytes = arg->count * element_bytes(arg->type);
    if (found)
        return use_named(b, arg, found, bound);
    char *label = make_label(arg, index);
    enum base_status status = sim_memory_alloc(b->memory, bound->size_bytes, label, &bound->address);
    free(label);
    if (status != BASE_OK) {
        arg_error(b, arg, "no memory for a buffer of %" PRIu64 " bytes: %" PRIu64 " of %" PRIu64 " are in use",
                  bound->size_bytes, b->memory->used_bytes, b->memory->limit_bytes);
        return status;
    }
    struct sim_allocation *made = &b->memory->items[b->memory->count - 1];
    made->uninitialised = arg->init.kind == SIM_INIT_NONE;
    status = fill(b, arg, &arg->init, arg->type, arg->count, made->data);
    if (status == BASE_OK && arg->name)
        status = add_named(b, arg, bound->address);
    return status;
}

static int compare_vars(const void *a, const void *b)
{
    const struct isa_var *left = *(const struct isa_var *const *)a;
    const struct isa_var *right = *(const struct isa_var *const *)b;
    return strcmp(left->name, right->name);
}

/* The module's variables in const and global memory, by name. NULL without memory. */
static const struct isa_var **sorted_vars(const struct binder *b, size_t *count)
{
    const struct isa_var **sorted = base_arena_alloc(b->arena, b->module->var_count, sizeof *sorted);
    *count = 0;
    if (!sorted)
        return NULL;
    for (size_t i = 0; i < b->module->var_count; i++) {
        const struct isa_var *var = &b->module->vars[i];
        if (var->function < 0 && (var->space == ISA_SPACE_CONST || var->space == ISA_SPACE_GLOBAL))
            sorted[(*count)++] = var;
    }
    if (*count)
        qsort(sorted, *count, sizeof *sorted, compare_vars);
    return sorted;
}

uint8_t sim_symbol_type(uint8_t declared)
{
    static const uint8_t by_width[] = {ISA_TYPE_U8, ISA_TYPE_U16, ISA_TYPE_U32, ISA_TYPE_U64};
    const unsigned bits = isa_types[declared].bits;
    if (declared == ISA_TYPE_F32 || declared == ISA_TYPE_F64 || isa_types[declared].class == ISA_CLASS_SIGNED)
        return declared;
    return by_width[bits == 64 ? 3 : bits == 32 ? 2 : bits == 16 ? 1 : 0];
}

bool sim_symbol_init(const struct sim_arg *arg, uint8_t type, struct sim_init *init, char *why, size_t why_size)
{
    *init = arg->init;
    return init->kind != SIM_INIT_CONST ||
           sim_value_parse(type, init->path, strlen(init->path), &init->value, why, why_size);
}

static enum base_status fill_symbol(const struct binder *b, const struct sim_arg *arg, const struct isa_var *var)
{
    const uint8_t type = sim_symbol_type(var->type);
    struct sim_init init;
    char why[96];
    if (!sim_symbol_init(arg, type, &init, why, sizeof why)) {
        arg_error(b, arg, "'%.*s' %s", TEXT_SHOWN, init.path, why);
        return BASE_INVALID;
    }
    if (var->size_bytes > SIZE_MAX || var->size_bytes > b->memory->limit_bytes) {
        arg_error(b, arg, "no memory for the contents of a variable of %" PRIu64 " bytes", var->size_bytes);
        return BASE_NOMEM;
    }
    uint8_t *data = base_arena_alloc(b->arena, (size_t)var->size_bytes, 1);
    if (!data)
        return BASE_NOMEM;
    b->bound->symbols[b->bound->symbol_count++] =
        (struct sim_symbol_fill){.var = (uint32_t)(var - b->module->vars), .data = data, .size_bytes = var->size_bytes};
    return fill(b, arg, &init, type, var->size_bytes / element_bytes(type), data);
}

static enum base_status bind_symbol(const struct binder *b, const struct sim_arg *arg, const struct isa_var **sorted,
                                    size_t count, bool *filled)
{
    const struct isa_var wanted = {.name = arg->name};
    const struct isa_var *key = &wanted;
    const struct isa_var **found = count ? bsearch(&key, sorted, count, sizeof *sorted, compare_vars) : NULL;
    if (!found)
        arg_error(b, arg, "the module has no constant or global variable '%.*s'", TEXT_SHOWN, arg->name);
    else if ((*found)->unsized)
        arg_error(b, arg, "the size of variable '%.*s' is not known here", TEXT_SHOWN, arg->name);
    else if (filled[*found - b->module->vars])
        arg_error(b, arg, "variable '%.*s' is filled twice", TEXT_SHOWN, arg->name);
    else {
        filled[*found - b->module->vars] = true;
        return fill_symbol(b, arg, *found);
    }
    return BASE_INVALID;
}

static enum base_status bind_symbols(const struct binder *b)
{
    size_t wanted = 0;
    for (size_t i = 0; i < b->arg_count; i++)
        wanted += b->args[i].kind == SIM_ARG_SYMBOL;
    if (!wanted)
        return BASE_OK;
    size_t count = 0;
    const struct isa_var **sorted = sorted_vars(b, &count);
    bool *filled = base_arena_alloc(b->arena, b->module->var_count, sizeof *filled);
    b->bound->symbols = base_arena_alloc(b->arena, wanted, sizeof *b->bound->symbols);
    if (!sorted || !filled || !b->bound->symbols)
        return BASE_NOMEM;
    for (size_t i = 0; i < b->arg_count; i++) {
        if (b->args[i].kind != SIM_ARG_SYMBOL)
            continue;
        const enum base_status status = bind_symbol(b, &b->args[i], sorted, count, filled);
        if (status != BASE_OK)
            return status;
    }
    return BASE_OK;
}

/* Little-endian, whatever the host is. */
static void put_value(const struct binder *b, size_t param, uint64_t value)
{
    const struct isa_var *var = param_of(b, param);
    for (unsigned i = 0; i < var->size_bytes; i++)
        b->bound->params[var->offset + i] = (uint8_t)(value >> (8 * i));
}

static void put_numba(const struct binder *b, const struct sim_arg *arg, uint64_t address, size_t first)
{
    const uint64_t item = element_bytes(arg->type);
    put_value(b, first + NUMBA_MEMINFO, 0);
    put_value(b, first + NUMBA_PARENT, 0);
    put_value(b, first + NUMBA_NITEMS, arg->count);
    put_value(b, first + NUMBA_ITEMSIZE, item);
    put_value(b, first + NUMBA_DATA, address);
    put_value(b, first + NUMBA_SHAPE, arg->rows);
    if (arg->columns) {
        put_value(b, first + NUMBA_SHAPE + 1, arg->columns);
        put_value(b, first + NUMBA_SHAPE + 2, arg->columns * item);
        put_value(b, first + NUMBA_SHAPE + 3, item);
    } else {
        put_value(b, first + NUMBA_SHAPE + 1, item);
    }
}

static enum base_status put_arg_values(const struct binder *b, size_t index, size_t first)
{
    const struct sim_arg *arg = &b->args[index];
    switch (arg->kind) {
    case SIM_ARG_SCALAR:
        put_value(b, first, arg->value);
        break;
    case SIM_ARG_BUFFER:
        put_value(b, first, b->bound->args[index].address);
        break;
    case SIM_ARG_POINTER:
        put_value(b, first, b->bound->args[arg->target].address + arg->pointer_offset_bytes);
        break;
    case SIM_ARG_NUMBA:
        put_numba(b, arg, b->bound->args[index].address, first);
        break;
    case SIM_ARG_BYTES:
        return fill(b, arg, &arg->init, ISA_TYPE_U8, arg->count, b->bound->params + param_of(b, first)->offset);
    case SIM_ARG_NULL:
    case SIM_ARG_SYMBOL:
        break;
    }
    return BASE_OK;
}

static enum base_status bind_all(const struct binder *b)
{
    enum base_status status = check(b);
    if (status != BASE_OK)
        return status;
    b->bound->params = base_arena_alloc(b->arena, b->kernel->param_bytes, 1);
    b->bound->param_bytes = b->kernel->param_bytes;
    b->bound->args = base_arena_alloc(b->arena, b->arg_count, sizeof *b->bound->args);
    b->bound->arg_count = b->arg_count;
    if (!b->bound->params || !b->bound->args)
        return BASE_NOMEM;
    for (size_t i = 0; i < b->arg_count && status == BASE_OK; i++) {
        b->bound->args[i].type = b->args[i].type;
        if (is_buffer(&b->args[i]))
            status = make_buffer(b, i);
    }
    if (status == BASE_OK)
        status = bind_symbols(b);
    size_t params = 0;
    for (size_t i = 0; i < b->arg_count && status == BASE_OK; i++) {
        status = put_arg_values(b, i, params);
        params += value_count(&b->args[i]);
    }
    return status;
}

enum base_status sim_args_bind(const struct isa_module *module, uint32_t kernel, const struct base_source *source,
                               const struct sim_arg *args, size_t arg_count, struct sim_memory *memory,
                               struct sim_named_buffers *named, sim_file_reader *reader, void *reader_user,
                               struct base_arena *arena, struct sim_bound *bound, struct base_diags *diags)
{
    *bound = (struct sim_bound){0};
    const struct binder binder = {.module = module,
                                  .kernel = &module->functions[kernel],
                                  .source = source,
                                  .args = args,
                                  .arg_count = arg_count,
                                  .memory = memory,
                                  .named = named,
                                  .reader = reader,
                                  .reader_user = reader_user,
                                  .arena = arena,
                                  .bound = bound,
                                  .diags = diags};
    return bind_all(&binder);
}
