/* The list of the PTX ISA's instruction headings (tests/headings.def) against the simulator: what it says runs is run,
 * what it says is refused is refused by name and place, and no instruction of isa/opcode.def is without an example. */
#include "tests/engine_kit.h"
#include "tests/headings.h"

#include <stdlib.h>

Suite *headings_suite(void);

/* The instruction's name, as messages have it: up to the first white space or semicolon. */
static size_t name_length(const char *text)
{
    return strcspn(text, " ;");
}

static void print_all(const struct base_diags *diags, struct base_strbuf *text)
{
    base_diags_print(diags, text);
    if (text->data == NULL)
        base_strbuf_puts(text, "");
}

static bool is_texture(const struct heading_row *example)
{
    static const char *const stems[] = {"tex.", "tld4.", "txq.", "istypep.", "suld.", "sust.", "sured.", "suq."};
    for (size_t i = 0; i < sizeof(stems) / sizeof(stems[0]); i++)
        if (strncmp(example->text, stems[i], strlen(stems[i])) == 0)
            return true;
    return false;
}

/* Refused before anything runs: FILE:LINE:1: error, the instruction's name, and for textures the remark. */
static void check_refused(const struct heading_row *example, const struct kit *kit)
{
    struct base_strbuf got = {0}, want = {0};
    print_all(&kit->diags, &got);
    ck_assert_msg(kit->status == BASE_UNSUPPORTED, "is not refused: %s\n%s", example->text, got.data);
    base_strbuf_printf(&want, "test.ptx:%u:1: error: ", heading_example_line(example));
    const char *message = strstr(got.data, want.data);
    ck_assert_msg(message != NULL, "no \"%s\" in:\n%s", want.data, got.data);
    base_strbuf_free(&want);
    base_strbuf_printf(&want, "%.*s", (int)name_length(example->text), example->text);
    const char *name = strstr(message, want.data);
    ck_assert_msg(name != NULL && memchr(message, '\n', (size_t)(name - message)) == NULL, "%s is not named in:\n%s",
                  want.data, got.data);
    ck_assert_msg(!is_texture(example) || strstr(got.data, "bring nothing to loads on today's GPUs") != NULL,
                  "no remark about textures in:\n%s", got.data);
    base_strbuf_free(&want);
    base_strbuf_free(&got);
}

static void check_runs(const struct heading_row *example, const struct kit *kit)
{
    struct base_strbuf got = {0};
    print_all(&kit->diags, &got);
    const enum sim_run_status want = example->state == EXAMPLE_RUNS ? SIM_RUN_OK : SIM_RUN_FAULT;
    ck_assert_msg(kit->status == BASE_OK && kit->report.status == want, "%s: %s\n%s", example->text,
                  kit->report.message != NULL ? kit->report.message : "", got.data);
    base_strbuf_free(&got);
}

static void run_example(const struct heading_row *example, struct kit *kit, struct base_strbuf *text)
{
    heading_module(example, text);
    const struct kit_launch launch = {
        .ptx = text->data, .args = "u64=7", .block = {32, 1, 1}, .max_instructions = 10000};
    kit_run(kit, &launch);
}

START_TEST(test_examples)
{
    const struct heading_row *example = &heading_rows[_i];
    struct base_strbuf text = {0};
    struct kit kit;
    if (example->kind != HEADING_ROW_EXAMPLE)
        return;
    run_example(example, &kit, &text);
    if (example->state == EXAMPLE_REFUSED)
        check_refused(example, &kit);
    else
        check_runs(example, &kit);
    kit_free(&kit);
    base_strbuf_free(&text);
}
END_TEST

/* A heading's state is what its examples' states say. */
START_TEST(test_states)
{
    size_t headings = 0;
    for (size_t i = 0; i < heading_row_count;) {
        const struct heading_row *heading = &heading_rows[i++];
        size_t examples = 0, refused = 0;
        ck_assert(heading->kind != HEADING_ROW_EXAMPLE);
        if (heading->kind == HEADING_ROW_SECTION)
            continue;
        headings++;
        for (; i < heading_row_count && heading_rows[i].kind == HEADING_ROW_EXAMPLE; i++) {
            examples++;
            refused += heading_rows[i].state == EXAMPLE_REFUSED;
        }
        ck_assert_msg(examples != 0, "%s %s has no example", heading->number, heading->name);
        const enum heading_state want = refused == 0 ? HEADING_DONE : refused == examples ? HEADING_OUT : HEADING_PART;
        ck_assert_msg(heading->state == want, "%s %s: %zu of %zu examples are refused", heading->number, heading->name,
                      refused, examples);
        ck_assert_msg((heading->state == HEADING_DONE) == (*heading->remark == '\0'), "%s %s: a remark for what is out",
                      heading->number, heading->name);
    }
    ck_assert_uint_eq(headings, 208); /* of PTX ISA 9.3's table of contents */
}
END_TEST

/* Compares "9.7.10" with "9.7.9" part by part. */
static bool is_before(const char *a, const char *b)
{
    for (;;) {
        char *a_end, *b_end;
        const unsigned long x = strtoul(a, &a_end, 10), y = strtoul(b, &b_end, 10);
        if (x != y || *a_end == '\0' || *b_end == '\0')
            return x != y ? x < y : *a_end == '\0' && *b_end != '\0';
        a = a_end + 1;
        b = b_end + 1;
    }
}

/* Numbers rise, and a heading's begins with its section's. */
START_TEST(test_numbers)
{
    const struct heading_row *before = NULL, *section = NULL;
    for (size_t i = 0; i < heading_row_count; i++) {
        const struct heading_row *row = &heading_rows[i];
        if (row->kind == HEADING_ROW_EXAMPLE)
            continue;
        ck_assert_msg(before == NULL || is_before(before->number, row->number), "%s stands after %s", row->number,
                      before != NULL ? before->number : "");
        before = row;
        if (row->kind == HEADING_ROW_SECTION)
            section = row;
        ck_assert_msg(section != NULL && strncmp(row->number, section->number, strlen(section->number)) == 0,
                      "%s stands in a wrong section", row->number);
    }
}
END_TEST

/* Every instruction that the reader knows has an example here. */
START_TEST(test_every_opcode)
{
    bool seen[ISA_OP_COUNT] = {false};
    for (size_t i = 0; i < heading_row_count; i++) {
        const struct heading_row *example = &heading_rows[i];
        struct base_strbuf text = {0};
        struct isa_module *module = NULL;
        if (example->kind != HEADING_ROW_EXAMPLE)
            continue;
        heading_module(example, &text);
        ck_assert_int_eq(isa_ptx_read("test.ptx", text.data, text.length, &module, NULL), BASE_OK);
        /* Other functions, and what stands around the example, prove nothing. */
        for (size_t f = 0; f < module->function_count; f++)
            for (size_t n = 0; module->functions[f].is_entry && n < module->functions[f].insn_count; n++) {
                const struct isa_insn *insn = &module->functions[f].insns[n];
                const char *at = strstr(text.data, example->text);
                if (insn->offset >= (size_t)(at - text.data) &&
                    insn->offset < (size_t)(at - text.data) + strlen(example->text))
                    seen[insn->op] = true;
            }
        isa_module_free(module);
        base_strbuf_free(&text);
    }
    for (size_t op = 0; op < ISA_OP_COUNT; op++)
        ck_assert_msg(seen[op] || (isa_ops[op].flags & ISA_OPF_DERIVED) != 0, "%s has no example in tests/headings.def",
                      isa_ops[op].mnemonic);
}
END_TEST

Suite *headings_suite(void)
{
    Suite *suite = suite_create("headings");
    TCase *tcase = tcase_create("ptx");
    tcase_add_test(tcase, test_states);
    tcase_add_test(tcase, test_numbers);
    tcase_add_test(tcase, test_every_opcode);
    tcase_add_loop_test(tcase, test_examples, 0, (int)heading_row_count);
    suite_add_tcase(suite, tcase);
    return suite;
}
