/* Functions that a CUDA device has without any library: vprintf, __assertfail, malloc, free.
 *
 * Arguments stand in .param variables of the caller's frame. Kernel output is collected in the engine, lane by lane in
 * lane order, up to the options' limit. The device heap is one allocation of 8 MiB (CUDA's default), cut up first-fit.
 */
#include "sim/engine.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAP_BYTES   UINT64_C(8388608)
#define HEAP_UNIT    UINT64_C(16)
#define STRING_LIMIT 65536u

struct call {
    struct sim_engine *engine;
    struct sim_warp *warp;
    struct sim_group *group;
    const struct sim_op *op;
    const struct sim_call_site *site; /* NULL: machine code */
};

/* Machine code has each argument in a pair of registers, or in the first of one. */
static uint32_t *argument_row(const struct call *c, unsigned number)
{
    return sim_row(c->engine->program, c->warp, c->group,
                   SIM_ROW(SIM_ROW_FRAME, SIM_BUILTIN_ARG_REGISTER + 2 * number));
}

/* Argument number `number` of the call (returns not counted), up to 8 bytes. */
static uint64_t argument(const struct call *c, unsigned lane, unsigned number)
{
    uint64_t value = 0;
    if (c->site == NULL) {
        const uint32_t *row = argument_row(c, number);
        return (uint64_t)row[32 + lane] << 32 | row[lane];
    }
    for (uint32_t i = 0; i < c->site->arg_count; i++) {
        const struct sim_call_arg *arg = &c->engine->program->call_args[c->site->first_arg + i];
        if (arg->is_return || number-- != 0)
            continue;
        if (arg->row != SIM_ROW_NONE) {
            const uint32_t *row = sim_row(c->engine->program, c->warp, c->group, arg->row);
            return arg->rows > 1 ? (uint64_t)row[32 + lane] << 32 | row[lane] : row[lane];
        }
        (void)sim_local_read(c->engine, c->warp, lane, (uint64_t)c->group->local_base + arg->caller_offset, &value,
                             arg->bytes < 8 ? arg->bytes : 8);
        break;
    }
    return value;
}

static void set_return(const struct call *c, unsigned lane, uint64_t value)
{
    if (c->site == NULL) {
        uint32_t *row = argument_row(c, 0);
        row[lane] = (uint32_t)value;
        row[32 + lane] = (uint32_t)(value >> 32);
        return;
    }
    for (uint32_t i = 0; i < c->site->arg_count; i++) {
        const struct sim_call_arg *arg = &c->engine->program->call_args[c->site->first_arg + i];
        if (!arg->is_return)
            continue;
        if (arg->row != SIM_ROW_NONE) {
            uint32_t *row = sim_row(c->engine->program, c->warp, c->group, arg->row);
            row[lane] = (uint32_t)value;
            if (arg->rows > 1)
                row[32 + lane] = (uint32_t)(value >> 32);
        } else {
            (void)sim_local_write(c->engine, c->warp, lane, (uint64_t)c->group->local_base + arg->caller_offset, &value,
                                  arg->bytes < 8 ? arg->bytes : 8);
            if (c->engine->check != NULL)
                sim_check_local_written(c->engine->check, c->warp, lane,
                                        (uint64_t)c->group->local_base + arg->caller_offset, arg->bytes);
        }
    }
}

/* A NUL-terminated string in the simulated memory, appended to `out`; false where it is not mapped. */
static bool read_string(const struct call *c, unsigned lane, uint64_t address, struct base_strbuf *out)
{
    for (unsigned i = 0; i < STRING_LIMIT; i++) {
        const uint8_t *at = sim_access_host(c->engine, c->warp, lane, address + i, 1);
        if (at == NULL)
            return false;
        if (*at == 0)
            return true;
        base_strbuf_putc(out, (char)*at);
    }
    return true;
}

/* The next `bytes` bytes of vprintf's argument buffer, aligned to their size. */
static bool next_value(const struct call *c, unsigned lane, uint64_t *cursor, unsigned bytes, uint64_t *value)
{
    *cursor = (*cursor + bytes - 1) / bytes * bytes;
    const uint8_t *at = sim_access_host(c->engine, c->warp, lane, *cursor, bytes);
    *value = 0;
    if (at == NULL)
        return false;
    memcpy(value, at, bytes);
    *cursor += bytes;
    return true;
}

/* One conversion of a format. Width and precision are those of C; past what is kept of the output they are cut, for
 * nobody could see a difference. */
struct conversion {
    char flags[8];
    int width, precision; /* precision -1: none */
    char letter;
    bool is_long;    /* an 8-byte integer */
    unsigned halves; /* h: 1, hh: 2 */
};

static int bounded(const struct call *c, uint64_t value)
{
    uint64_t most = c->engine->printed.limit_bytes < INT_MAX / 2 ? c->engine->printed.limit_bytes + 1 : INT_MAX / 2;
    return (int)(value < most ? value : most);
}

/* A number of digits, or '*' for an int argument. Returns what follows; NULL when the argument is not there. */
static const char *read_number(const struct call *c, unsigned lane, const char *f, uint64_t *cursor, int64_t *number)
{
    uint64_t value = 0;
    if (*f == '*') {
        if (!next_value(c, lane, cursor, 4, &value))
            return NULL;
        *number = (int32_t)(uint32_t)value;
        return f + 1;
    }
    for (; isdigit((unsigned char)*f); f++)
        value = value < UINT32_MAX ? value * 10 + (uint64_t)(*f - '0') : value;
    *number = (int64_t)value;
    return f;
}

static void add_flag(struct conversion *out, char flag)
{
    size_t count = strlen(out->flags);
    if (strchr(out->flags, flag) == NULL) {
        out->flags[count] = flag;
        out->flags[count + 1] = '\0';
    }
}

/* Reads "%...X" at `f` (after the '%'). Returns the first character behind it, NULL if it is no conversion. */
static const char *read_conversion(const struct call *c, unsigned lane, const char *f, uint64_t *cursor,
                                   struct conversion *out)
{
    int64_t number = 0;
    *out = (struct conversion){.precision = -1};
    for (; *f != '\0' && strchr("-+ #0", *f) != NULL; f++)
        add_flag(out, *f);
    f = read_number(c, lane, f, cursor, &number);
    if (f == NULL)
        return NULL;
    if (number < 0)
        add_flag(out, '-'); /* as C has it */
    out->width = bounded(c, (uint64_t)(number < 0 ? -number : number));
    if (*f == '.') {
        f = read_number(c, lane, f + 1, cursor, &number);
        if (f == NULL)
            return NULL;
        out->precision = number < 0 ? -1 : bounded(c, (uint64_t)number);
    }
    while (*f != '\0' && strchr("hlLqjzt", *f) != NULL) {
        out->is_long |= *f != 'h';
        out->halves += *f == 'h';
        f++;
    }
    if (*f == '\0')
        return NULL;
    out->letter = *f++;
    return f;
}

/* A value by C's printf, through "%FLAGS*.*LETTER"; a negative precision is none. */
static void print_value(const struct conversion *conv, uint64_t value, struct base_strbuf *out)
{
    char spec[24];
    const char *length = conv->is_long ? "ll" : conv->halves > 1 ? "hh" : conv->halves == 1 ? "h" : "";
    bool is_real = strchr("eEfFgGaA", conv->letter) != NULL;
    double real;
    memcpy(&real, &value, sizeof(real));
    snprintf(spec, sizeof(spec), "%%%s*.*%s%c", conv->flags, is_real || conv->letter == 'c' ? "" : length,
             conv->letter);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (is_real)
        base_strbuf_printf(out, spec, conv->width, conv->precision, real);
    else if (conv->is_long && conv->letter != 'c')
        base_strbuf_printf(out, spec, conv->width, conv->precision, (long long)value);
    else
        base_strbuf_printf(out, spec, conv->width, conv->precision, (int)(int32_t)(uint32_t)value);
#pragma GCC diagnostic pop
}

/* %s and %p: the text is made here, since a string comes from simulated memory and a pointer is of the device's. */
static void print_text(const struct conversion *conv, const char *s, struct base_strbuf *out)
{
    bool left = strchr(conv->flags, '-') != NULL;
    size_t length = strlen(s), width = (size_t)conv->width;
    if (conv->precision >= 0 && (size_t)conv->precision < length)
        length = (size_t)conv->precision;
    size_t pad = width > length ? width - length : 0;
    if (!left)
        base_strbuf_repeat(out, ' ', pad);
    base_strbuf_append(out, s, length);
    if (left)
        base_strbuf_repeat(out, ' ', pad);
}

/* Formats one lane's call. Returns what the device's vprintf does: the number of arguments, -1 for a bad format. */
static int32_t format_lane(const struct call *c, unsigned lane, const char *format, uint64_t cursor,
                           struct base_strbuf *out)
{
    int32_t count = 0;
    for (const char *f = format; *f != '\0';) {
        if (*f != '%') {
            base_strbuf_putc(out, *f++);
            continue;
        }
        if (f[1] == '%') {
            base_strbuf_putc(out, '%');
            f += 2;
            continue;
        }
        struct conversion conv;
        const char *next = read_conversion(c, lane, f + 1, &cursor, &conv);
        if (next == NULL || strchr("diouxXcspeEfFgGaA", conv.letter) == NULL) {
            base_strbuf_putc(out, *f++);
            continue;
        }
        uint64_t value;
        bool wide = conv.is_long || strchr("speEfFgGaA", conv.letter) != NULL;
        if (!next_value(c, lane, &cursor, wide ? 8 : 4, &value))
            return -1;
        count++;
        if (conv.letter == 's') {
            struct base_strbuf s = {0};
            if (value == 0)
                base_strbuf_puts(&s, "(null)"); /* as the device prints a null pointer */
            else if (!read_string(c, lane, value, &s))
                sim_stop(c->engine, c->warp, c->op, lane, SIM_FAULT_OUT_OF_BOUNDS,
                         "printf's %%s is given 0x%llx, which lies in unmapped memory", (unsigned long long)value);
            print_text(&conv, s.data != NULL ? s.data : "", out);
            base_strbuf_free(&s);
        } else if (conv.letter == 'p') {
            char text[24];
            snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
            conv.precision = -1;
            print_text(&conv, value != 0 ? text : "(nil)", out);
        } else if (!out->failed) { /* what is cut anyway is not worth the making */
            print_value(&conv, value, out);
        }
        f = next;
    }
    return count;
}

static bool call_vprintf(const struct call *c, uint32_t mask)
{
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        struct base_strbuf format = {0};
        if (!read_string(c, lane, argument(c, lane, 0), &format)) {
            base_strbuf_free(&format);
            return sim_stop(c->engine, c->warp, c->op, lane, SIM_FAULT_OUT_OF_BOUNDS,
                            "printf's format lies in unmapped memory");
        }
        int32_t count =
            format_lane(c, lane, format.data != NULL ? format.data : "", argument(c, lane, 1), &c->engine->printed);
        base_strbuf_free(&format);
        if (c->engine->stopped)
            return false;
        if (c->engine->printed.failed)
            c->engine->printed_cut = true;
        set_return(c, lane, (uint32_t)count);
    }
    return true;
}

static bool call_assertfail(const struct call *c, uint32_t mask)
{
    unsigned lane = (unsigned)__builtin_ctz(mask);
    struct base_strbuf message = {0}, file = {0}, function = {0};
    (void)read_string(c, lane, argument(c, lane, 0), &message);
    (void)read_string(c, lane, argument(c, lane, 1), &file);
    (void)read_string(c, lane, argument(c, lane, 3), &function);
    sim_stop(c->engine, c->warp, c->op, lane, SIM_FAULT_ASSERT, "%.100s:%u: %.150s: assertion `%.150s' failed",
             file.data != NULL ? file.data : "?", (uint32_t)argument(c, lane, 2),
             function.data != NULL ? function.data : "?", message.data != NULL ? message.data : "?");
    base_strbuf_free(&message);
    base_strbuf_free(&file);
    base_strbuf_free(&function);
    return false;
}

struct sim_heap_block {
    uint64_t offset, size;
    bool used;
    struct sim_heap_block *next;
};

static struct sim_heap_block *new_heap_block(struct sim_engine *engine, uint64_t offset, uint64_t size,
                                             struct sim_heap_block *next)
{
    struct sim_heap_block *block = sim_engine_alloc(engine, 1, sizeof(*block));
    if (block != NULL)
        *block = (struct sim_heap_block){offset, size, false, next};
    return block;
}

/* First fit; 0 when the heap is full, as the device's malloc. */
static uint64_t heap_take(struct sim_engine *engine, uint64_t size)
{
    if (engine->heap == NULL) {
        if (sim_memory_alloc(engine->memory, HEAP_BYTES, "the device heap", &engine->heap_base) != BASE_OK)
            return 0;
        engine->heap = new_heap_block(engine, 0, HEAP_BYTES, NULL);
    }
    if (size > HEAP_BYTES)
        return 0;
    size = size == 0 ? HEAP_UNIT : (size + HEAP_UNIT - 1) / HEAP_UNIT * HEAP_UNIT;
    for (struct sim_heap_block *b = engine->heap; b != NULL; b = b->next) {
        if (b->used || b->size < size)
            continue;
        if (b->size > size) {
            struct sim_heap_block *rest = new_heap_block(engine, b->offset + size, b->size - size, b->next);
            if (rest == NULL)
                return 0;
            b->size = size;
            b->next = rest;
        }
        b->used = true;
        return engine->heap_base + b->offset;
    }
    return 0;
}

static bool heap_give(struct sim_engine *engine, uint64_t address)
{
    if (address == 0)
        return true;
    struct sim_heap_block *before = NULL;
    for (struct sim_heap_block *b = engine->heap; b != NULL; before = b, b = b->next) {
        if (!b->used || engine->heap_base + b->offset != address)
            continue;
        b->used = false;
        struct sim_heap_block *after = b->next;
        if (after != NULL && !after->used) {
            b->size += after->size;
            b->next = after->next;
            free(after);
        }
        if (before != NULL && !before->used) {
            before->size += b->size;
            before->next = b->next;
            free(b);
        }
        return true;
    }
    return false;
}

static bool call_malloc(const struct call *c, uint32_t mask)
{
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t bytes = argument(c, lane, 0), address = heap_take(c->engine, bytes);
        if (c->engine->check != NULL && address != 0)
            sim_check_heap_given(c->engine->check, address, bytes);
        set_return(c, lane, address);
    }
    return !c->engine->stopped;
}

static bool call_free(const struct call *c, uint32_t mask)
{
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t address = argument(c, lane, 0);
        if (!heap_give(c->engine, address))
            return sim_stop(c->engine, c->warp, c->op, lane, SIM_FAULT_BAD_INSTRUCTION,
                            "free of 0x%llx, which malloc did not give", (unsigned long long)address);
    }
    return true;
}

static bool call(const struct call *c, enum isa_builtin builtin, uint32_t mask)
{
    static bool (*const run[ISA_BUILTIN_COUNT])(const struct call *,
                                                uint32_t) = {[ISA_BUILTIN_VPRINTF] = call_vprintf,
                                                             [ISA_BUILTIN_ASSERTFAIL] = call_assertfail,
                                                             [ISA_BUILTIN_MALLOC] = call_malloc,
                                                             [ISA_BUILTIN_FREE] = call_free};
    return run[builtin](c, mask);
}

bool sim_builtin_call(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                      const struct sim_op *op, uint32_t function, uint32_t mask)
{
    const struct call c = {engine, warp, group, op, &engine->program->call_sites[op->target_count]};
    const char *name = engine->program->module->functions[function].name;
    const enum isa_builtin builtin = isa_builtin_named(name);
    if (builtin < ISA_BUILTIN_COUNT)
        return call(&c, builtin, mask);
    return sim_stop(engine, warp, op, (unsigned)__builtin_ctz(mask), SIM_FAULT_BAD_INSTRUCTION,
                    "call of %s, which is not defined", name);
}

enum isa_builtin sim_builtin_at(uint64_t address)
{
    const uint64_t offset = address - SIM_BUILTIN_BASE;
    return offset % 16 == 0 && offset / 16 < ISA_BUILTIN_COUNT ? (enum isa_builtin)(offset / 16) : ISA_BUILTIN_COUNT;
}

bool sim_builtin_jump(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                      const struct sim_op *op, enum isa_builtin builtin, uint32_t mask)
{
    const struct call c = {engine, warp, group, op, NULL};
    return call(&c, builtin, mask);
}

void sim_builtin_free(struct sim_engine *engine)
{
    while (engine->heap != NULL) {
        struct sim_heap_block *next = engine->heap->next;
        free(engine->heap);
        engine->heap = next;
    }
}
