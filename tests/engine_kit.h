/* What the tests of the engine share: one launch of PTX text, and a look at what it left.
 *
 * A test's text begins with PTX_HEAD and declares registers with PTX_REGS. Arguments are written as on the command
 * line, with spaces between them. */
#ifndef TESTS_ENGINE_KIT_H
#define TESTS_ENGINE_KIT_H

#include "sim/sim.h"

#include <check.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PTX_HEAD ".version 8.6\n.target sm_90\n.address_size 64\n"
#define PTX_REGS                                                                                                       \
    ".reg .pred %p<16>;\n.reg .b16 %h<16>;\n.reg .b32 %r<64>;\n.reg .b64 %d<40>;\n.reg .f32 %f<16>;\n.reg .f64 "       \
    "%g<16>;\n"
/* An entry with one pointer: %d0 the buffer, %r0 tid.x, %r1 the thread's number in a grid of one dimension, %d1 the
 * address of its own 32-bit word. */
#define PTX_SETUP                                                                                                      \
    "ld.param.u64 %d0, [out];\nmov.u32 %r0, %tid.x;\nmov.u32 %r62, %ctaid.x;\nmov.u32 %r63, %ntid.x;\n"                \
    "mad.lo.u32 %r1, %r62, %r63, %r0;\nmul.wide.u32 %d1, %r1, 4;\nadd.u64 %d1, %d0, %d1;\n"
#define PTX_SETUP_INSNS  7
#define PTX_KERNEL(body) PTX_HEAD ".visible .entry k(.param .u64 out)\n{\n" PTX_REGS PTX_SETUP body "ret;\n}\n"

/* PTX_KERNEL of a formatted body. */
__attribute__((format(printf, 3, 4))) static inline void kit_kernel_text(char *text, size_t size, const char *format,
                                                                         ...)
{
    static const char head[] = PTX_HEAD ".visible .entry k(.param .u64 out)\n{\n" PTX_REGS PTX_SETUP;
    size_t n = (size_t)snprintf(text, size, "%s", head);
    va_list args;
    va_start(args, format);
    n += (size_t)vsnprintf(text + n, size - n, format, args);
    va_end(args);
    ck_assert_uint_lt(n + 8, size);
    memcpy(text + n, "ret;\n}\n", 8);
}

struct kit_launch {
    const char *ptx, *args, *kernel;
    uint32_t grid[3], block[3], cluster[3]; /* zeros mean 1; cluster all zero: none */
    uint64_t shared_bytes, max_instructions;
    bool cooperative, cycles;
    uint64_t memory_limit_bytes;
    sim_file_reader *read_file; /* of "@FILE" arguments; NULL: kit_read_file */
    void *read_user;
    const char *device;               /* NULL: h200 */
    const struct sim_device *profile; /* NULL: `device` */
    bool bypass_l1;
};

struct kit {
    struct isa_module *module;
    struct sim_memory memory;
    struct base_arena arena;
    struct base_diags diags;
    struct sim_bound bound;
    struct sim_report report;
    enum base_status status;
};

static inline void kit_print_diags(const struct base_diags *diags)
{
    struct base_strbuf text = {0};
    base_diags_print(diags, &text);
    if (text.data != NULL)
        fputs(text.data, stderr);
    base_strbuf_free(&text);
}

/* Arguments by white space; a copy of the text lies in the arena. */
static inline size_t kit_parse_args(struct kit *kit, const char *text, struct sim_arg args[16])
{
    struct base_source source = {"arguments", text, strlen(text)};
    size_t count = 0;
    for (size_t at = strspn(text, " "); text[at] != '\0'; at += strspn(text + at, " ")) {
        size_t length = strcspn(text + at, " ");
        ck_assert_uint_lt(count, 16);
        enum base_status status = sim_arg_parse(&source, at, length, &kit->arena, &args[count++], &kit->diags);
        if (status != BASE_OK)
            kit_print_diags(&kit->diags);
        ck_assert_int_eq(status, BASE_OK);
        at += length;
    }
    return count;
}

static inline uint32_t kit_or_one(uint32_t value)
{
    return value != 0 ? value : 1;
}

/* Every file holds 1, 8, 15, 22 ... */
static inline enum base_status kit_read_file(void *user, const char *path, uint8_t *data, uint64_t size_bytes,
                                             char *message, size_t message_size)
{
    (void)user;
    (void)path;
    (void)message;
    (void)message_size;
    for (uint64_t i = 0; i < size_bytes; i++)
        data[i] = (uint8_t)(i * 7 + 1);
    return BASE_OK;
}

/* Reads the text and binds the arguments: both must be right. */
static inline void kit_prepare(struct kit *kit, const struct kit_launch *launch, uint32_t *kernel)
{
    struct sim_arg args[16];
    memset(kit, 0, sizeof(*kit));
    base_arena_init(&kit->arena, 0);
    sim_memory_init(&kit->memory, 0);
    enum base_status status = isa_ptx_read("test.ptx", launch->ptx, strlen(launch->ptx), &kit->module, &kit->diags);
    if (status == BASE_OK)
        status = isa_find_kernel(kit->module, launch->kernel, kernel, &kit->diags);
    size_t count = status == BASE_OK ? kit_parse_args(kit, launch->args, args) : 0;
    struct base_source source = {"arguments", launch->args, strlen(launch->args)};
    if (status == BASE_OK)
        status = sim_args_bind(kit->module, *kernel, &source, args, count, &kit->memory, NULL,
                               launch->read_file != NULL ? launch->read_file : kit_read_file, launch->read_user,
                               &kit->arena, &kit->bound, &kit->diags);
    if (status != BASE_OK)
        kit_print_diags(&kit->diags);
    ck_assert_int_eq(status, BASE_OK);
}

static inline void kit_start(struct kit *kit, const struct kit_launch *launch, uint32_t kernel)
{
    const struct sim_device *device = launch->profile;
    if (device == NULL)
        device = sim_device_find(launch->device != NULL ? launch->device : "h200");
    ck_assert_ptr_nonnull(device);
    struct sim_launch_text text = {.carveout_percent = -1,
                                   .shared_bytes = launch->shared_bytes,
                                   .cooperative = launch->cooperative,
                                   .has_cluster = launch->cluster[0] != 0};
    for (unsigned d = 0; d < 3; d++) {
        text.grid[d] = kit_or_one(launch->grid[d]);
        text.block[d] = kit_or_one(launch->block[d]);
        text.cluster[d] = kit_or_one(launch->cluster[d]);
    }
    struct sim_options options = {.device = device,
                                  .max_instructions = launch->max_instructions,
                                  .cycles = launch->cycles,
                                  .bypass_l1 = launch->bypass_l1,
                                  .memory_limit_bytes = launch->memory_limit_bytes};
    kit->status = sim_run(kit->module, kernel, &text, &kit->bound, &kit->memory, &options, &kit->report, &kit->diags);
}

/* Runs a launch that may end in any way. */
static inline void kit_run(struct kit *kit, const struct kit_launch *launch)
{
    uint32_t kernel = 0;
    kit_prepare(kit, launch, &kernel);
    kit_start(kit, launch, kernel);
}

/* Runs a launch that must end well. */
static inline void kit_run_ok(struct kit *kit, const struct kit_launch *launch)
{
    kit_run(kit, launch);
    if (kit->status != BASE_OK)
        kit_print_diags(&kit->diags);
    ck_assert_msg(kit->status == BASE_OK && kit->report.status == SIM_RUN_OK, "status %d: %s", (int)kit->report.status,
                  kit->report.message != NULL ? kit->report.message : "");
}

static inline void kit_free(struct kit *kit)
{
    sim_report_free(&kit->report);
    sim_memory_free(&kit->memory);
    base_diags_free(&kit->diags);
    base_arena_free(&kit->arena);
    isa_module_free(kit->module);
}

/* The contents of argument `arg`'s buffer. */
static inline const void *kit_buffer(const struct kit *kit, size_t arg)
{
    ck_assert_uint_lt(arg, kit->bound.arg_count);
    const struct sim_bound_arg *bound = &kit->bound.args[arg];
    const void *data = sim_memory_at(&kit->memory, bound->address, bound->size_bytes);
    ck_assert_ptr_nonnull(data);
    return data;
}

static inline const uint32_t *kit_words(const struct kit *kit, size_t arg)
{
    return kit_buffer(kit, arg);
}

/* The first instruction whose text holds `text`. */
static inline const struct sim_insn_report *kit_insn(const struct kit *kit, const char *text)
{
    for (size_t i = 0; i < kit->report.insn_count; i++)
        if (strstr(kit->report.insns[i].text, text) != NULL)
            return &kit->report.insns[i];
    ck_abort_msg("no instruction with \"%s\"", text);
    return NULL;
}

/* Warp-level and thread-level executions of the instruction that holds `text`. */
static inline void kit_expect_count(const struct kit *kit, const char *text, uint64_t executed, uint64_t threads)
{
    const struct sim_insn_report *row = kit_insn(kit, text);
    ck_assert_msg(row->executed == executed && row->thread_executed == threads,
                  "%s: executed %llu by %llu threads, expected %llu by %llu", row->text,
                  (unsigned long long)row->executed, (unsigned long long)row->thread_executed,
                  (unsigned long long)executed, (unsigned long long)threads);
}

static inline uint64_t kit_metric(const struct kit *kit, const char *name)
{
    const struct sim_metric *metric = sim_report_metric(&kit->report, name);
    ck_assert_msg(metric != NULL && metric->is_integer, "no metric %s", name);
    return metric->integer;
}

/* Two reports of the same launch must not differ in anything. */
static inline void kit_expect_same(const struct sim_report *a, const struct sim_report *b)
{
    ck_assert_int_eq(a->status, b->status);
    ck_assert_uint_eq(a->metric_count, b->metric_count);
    for (size_t i = 0; i < a->metric_count; i++) {
        ck_assert_str_eq(a->metrics[i].name, b->metrics[i].name);
        ck_assert_uint_eq(a->metrics[i].integer, b->metrics[i].integer);
        ck_assert(a->metrics[i].real <= b->metrics[i].real && a->metrics[i].real >= b->metrics[i].real);
    }
    ck_assert_uint_eq(a->insn_count, b->insn_count);
    for (size_t i = 0; i < a->insn_count; i++) {
        const struct sim_insn_report *x = &a->insns[i], *y = &b->insns[i];
        ck_assert_str_eq(x->text, y->text);
        ck_assert(x->executed == y->executed && x->thread_executed == y->thread_executed &&
                  x->predicated_off == y->predicated_off && x->requests == y->requests && x->sectors == y->sectors &&
                  x->wavefronts == y->wavefronts && x->divergent == y->divergent);
    }
    ck_assert_uint_eq(a->buffer_count, b->buffer_count);
    for (size_t i = 0; i < a->buffer_count; i++)
        ck_assert_uint_eq(a->buffers[i].fnv1a64, b->buffers[i].fnv1a64);
    ck_assert_uint_eq(a->printed_length, b->printed_length);
    if (a->printed_length > 0)
        ck_assert_mem_eq(a->printed, b->printed, a->printed_length);
    ck_assert_int_eq(a->has_fault, b->has_fault);
    if (a->has_fault)
        ck_assert_str_eq(a->fault.message, b->fault.message);
}

#endif
