/* Instructions whose operands have forms of their own, on the engine: video instructions with parts and masks,
 * cvt.pack, lop3 with a predicate, atomics of vectors and of 128 bits, cache policies. Every text of
 * validate/records/h200/forms (README.md there) is run with the operands that the H200 had, and every bit compared.
 *
 * SIMTLAB_FORMS_REPORT=1 prints every text that differs instead of the first. */
#include "tests/engine_kit.h"
#include "tests/support.h"
#include "validate/ops/operands.h"

#include <inttypes.h>
#include <stdlib.h>

Suite *forms_suite(void);

#define RECORDS "validate/records/h200/forms/"

enum { THREADS = 2048, GROUP_MAX = 100, WORDS = 6, HASHED = 5, SHOWN = 4 };

struct form {
    unsigned group;
    uint64_t hash;
    char classes[64], text[1200], shown[600];
};

/* As validate/ops/forms.py writes it. */
static const char registers[] = ".reg .pred %q, %r, %o, %w; .reg .b32 %a, %b, %c, %d, %n, %i, %t, %s, %m32;\n"
                                ".reg .b64 %A, %B, %C, %D, %E, %f, %g, %G, %m, %y; .shared .align 16 .b8 cell[2048];\n";
static const char head[] =
    "mov.u32 %i, %ctaid.x; mov.u32 %t, %tid.x; mad.lo.u32 %i, %i, 128, %t; ld.param.u64 %f, [in];\n"
    "mad.wide.u32 %f, %i, 32, %f; mov.b64 %G, 0x7f0000000000; mov.u32 %n, 2048;\n"
    "ld.global.b64 %A, [%f]; ld.global.b64 %B, [%f+8]; ld.global.b64 %C, [%f+16];\n"
    "ld.global.b32 %a, [%f]; ld.global.b32 %b, [%f+8]; ld.global.b32 %c, [%f+16]; ld.global.b32 %m32, [%f+24];\n"
    "and.b32 %t, %m32, 1; setp.ne.u32 %q, %t, 0; and.b32 %t, %m32, 2; setp.ne.u32 %r, %t, 0;\n"
    "mov.u32 %s, %tid.x; mov.u32 %t, cell; mad.lo.u32 %s, %s, 16, %t;\n"
    "ld.param.u64 %m, [out]; mad.wide.u32 %m, %i, 48, %m; mul.wide.u32 %y, %n, 48;\n";

static bool names(const char *text, const char *reg)
{
    for (const char *at = text; (at = strstr(at, reg)) != NULL; at++) {
        const char next = at[strlen(reg)];
        if (next != '_' && !(next >= '0' && next <= '9') && !((next | 32) >= 'a' && (next | 32) <= 'z'))
            return true;
    }
    return false;
}

static void put_form(struct base_strbuf *out, const char *text)
{
    const bool global = strstr(text, "[%g]") != NULL, shared = strstr(text, "[%s]") != NULL;
    base_strbuf_puts(out, "mov.b32 %d, 0; mov.b64 %D, 0; mov.b64 %E, 0; setp.ne.u32 %o, 0, 0; add.u64 %g, %m, 16;\n");
    if (global || shared)
        base_strbuf_puts(out, global ? "st.global.v2.b64 [%g], {%A, %B};\n" : "st.shared.v2.b64 [%s], {%A, %B};\n");
    base_strbuf_printf(out, "%s\n%s", text, names(text, "%D") ? "" : "cvt.u64.u32 %D, %d;\n");
    if (shared)
        base_strbuf_puts(out,
                         "{ .reg .b64 %x<2>; ld.shared.v2.b64 {%x0, %x1}, [%s]; st.global.v2.b64 [%g], {%x0, %x1}; "
                         "}\n");
    else if (!global)
        base_strbuf_puts(out, "st.global.v2.b64 [%g], {0, 0};\n");
    base_strbuf_puts(out, "st.global.v2.b64 [%m], {%D, %E}; selp.b64 %D, 1, 0, %o; st.global.v2.b64 [%m+32], {%D, 0}; "
                          "add.u64 %m, %m, %y;\n");
}

static enum base_status read_operands(void *user, const char *path, uint8_t *data, uint64_t size_bytes, char *message,
                                      size_t message_size)
{
    (void)path, (void)message, (void)message_size;
    for (uint32_t i = 0; i < size_bytes / (8 * VALIDATE_OPS_SLOTS); i++)
        if (!validate_ops_operands(user, i, (uint64_t *)(void *)data + (size_t)i * VALIDATE_OPS_SLOTS))
            return BASE_INVALID;
    return BASE_OK;
}

static void describe(const struct form *form, const uint64_t (*results)[WORDS], char *message, size_t size)
{
    size_t n = (size_t)snprintf(message, size, "%s\n  the card: %s\n  here:     ", form->text, form->shown);
    for (unsigned i = 0; i < SHOWN && n < size; i++)
        for (unsigned w = 0; w < HASHED && n < size; w++)
            n += (size_t)snprintf(message + n, size - n, "%s%" PRIx64, i + w ? "," : "", results[i][w]);
}

static bool same_results(const struct form *form, const uint64_t (*results)[WORDS])
{
    uint64_t hash = VALIDATE_OPS_HASH_BASIS;
    for (unsigned i = 0; i < THREADS; i++)
        for (unsigned w = 0; w < HASHED; w++)
            hash = validate_ops_hash(hash, results[i][w]);
    return hash == form->hash;
}

/* Runs a group's texts as one kernel; how many differ, the first of which `message` describes. */
static size_t run_group(const struct form *forms, size_t count, char *message, size_t message_size)
{
    struct base_strbuf text = {0};
    struct kit kit;
    char args[128];
    size_t different = 0;
    base_strbuf_printf(&text,
                       ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param "
                       ".u64 out)\n{\n%s%s",
                       registers, head);
    for (size_t k = 0; k < count; k++)
        put_form(&text, forms[k].text);
    base_strbuf_puts(&text, "ret;\n}\n");
    snprintf(args, sizeof(args), "u64[%d]=file:operands u64[%zu]=zero", THREADS * VALIDATE_OPS_SLOTS,
             count * THREADS * WORDS);
    kit_run_ok(&kit, &(struct kit_launch){.ptx = text.data,
                                          .args = args,
                                          .grid = {THREADS / 128},
                                          .block = {128},
                                          .read_file = read_operands,
                                          .read_user = (void *)(uintptr_t)forms[0].classes});
    const uint64_t(*results)[THREADS][WORDS] = (const uint64_t(*)[THREADS][WORDS])kit_buffer(&kit, 1);
    for (size_t k = 0; k < count; k++) {
        if (same_results(&forms[k], results[k]))
            continue;
        if (different++ == 0 || getenv("SIMTLAB_FORMS_REPORT") != NULL)
            describe(&forms[k], results[k], message, message_size);
        if (getenv("SIMTLAB_FORMS_REPORT") != NULL)
            printf("differs: %s\n", message);
    }
    kit_free(&kit);
    base_strbuf_free(&text);
    return different;
}

START_TEST(test_forms)
{
    const char *folder = getenv("srcdir");
    char path[1024], line[2048], message[2600] = "";
    struct form *forms = calloc(GROUP_MAX + 1, sizeof(*forms));
    size_t count = 0, total = 0, different = 0;
    snprintf(path, sizeof(path), "%s/" RECORDS "index.txt", folder ? folder : ".");
    FILE *index = fopen(path, "r");
    ck_assert_msg(index != NULL && forms != NULL, "cannot open %s", path);
    while (fgets(line, sizeof(line), index)) {
        struct form form;
        char unused[2600];
        ck_assert_msg(sscanf(line, "%u\t%" SCNx64 "\t%63[^\t]\t%1199[^\t]\t%599[^\n]", &form.group, &form.hash,
                             form.classes, form.text, form.shown) == 5,
                      "%s", line);
        if (count > 0 && form.group != forms[0].group) {
            different += run_group(forms, count, different ? unused : message, sizeof(message));
            count = 0;
        }
        forms[count++] = form;
        total++;
    }
    if (count > 0)
        different += run_group(forms, count, message, sizeof(message));
    fclose(index);
    free(forms);
    ck_assert_msg(different == 0, "%zu of %zu texts differ, the first: %s", different, total, message);
    ck_assert_uint_gt(total, 3000);
}
END_TEST

/* fma.oob with each value of 16 bits in each place (oob.txt). */
START_TEST(test_out_of_bounds)
{
    enum { VALUES = 65536 };
    size_t size = 0, lines = 0;
    char *record = support_read(RECORDS "oob.txt", &size);
    for (char *line = strtok(record, "\n"); line != NULL; line = strtok(NULL, "\n"), lines++) {
        char words[32], ptx[2048];
        uint64_t want, hash = VALIDATE_OPS_HASH_BASIS;
        struct kit kit;
        ck_assert_int_eq(sscanf(line, "%31s %" SCNx64, words, &want), 2);
        kit_kernel_text(ptx, sizeof(ptx),
                        ".reg .b16 %%x<8>; cvt.u16.u32 %%x0, %%r1; mov.b16 %%x1, %s; mov.b16 %%x2, 0xc000;\n"
                        "fma.rn.oob%s %%x4, %%x0, %%x1, %%x2; fma.rn.oob%s %%x5, %%x1, %%x0, %%x2;\n"
                        "fma.rn.oob%s %%x6, %%x1, %%x2, %%x0; fma.rn.oob%s %%x7, %%x0, %%x0, %%x0;\n"
                        "mul.wide.u32 %%d1, %%r1, 8; add.u64 %%d1, %%d0, %%d1;\n"
                        "st.global.v4.b16 [%%d1], {%%x4, %%x5, %%x6, %%x7};\n",
                        strstr(words, "bf16") != NULL ? "0x3f80" : "0x3c00", words, words, words, words);
        kit_run_ok(
            &kit, &(struct kit_launch){.ptx = ptx, .args = "u32[131072]=zero", .grid = {VALUES / 256}, .block = {256}});
        const uint32_t *pairs = kit_words(&kit, 0);
        for (uint32_t i = 0; i < 2 * VALUES; i++)
            hash = validate_ops_hash(validate_ops_hash(hash, pairs[i] & 0xffff), pairs[i] >> 16);
        ck_assert_msg(hash == want, "fma.rn.oob%s", words);
        kit_free(&kit);
    }
    ck_assert_uint_eq(lines, 4);
    free(record);
}
END_TEST

Suite *forms_suite(void)
{
    Suite *suite = suite_create("forms");
    TCase *tests = tcase_create("h200");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, test_forms);
    tcase_add_test(tests, test_out_of_bounds);
    suite_add_tcase(suite, tests);
    return suite;
}
