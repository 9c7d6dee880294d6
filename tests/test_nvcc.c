/* The kernels that nvcc compiled (validate/kernels) against what an H200 gave for them (validate/records/h200/nvcc):
 * every buffer of the launches whose PTX is in the record. The card gave the same from that PTX and from the machine
 * code.
 *
 * A launch with an instruction that is not simulated is left out; their number can only go down. */
#include "tests/support.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORD "validate/records/h200/nvcc/"
enum { LAUNCHES = 191, FROM_PTX = 128, UNSUPPORTED_MOST = 9, BUFFERS_LEAST = 276 };

static enum base_status run(struct support_launch *ran)
{
    struct sim_options options = {.device = sim_device_find("h200"), .max_instructions = SIM_MAX_INSTRUCTIONS_DEFAULT};
    return sim_run(ran->module, ran->kernel, ran->text, &ran->bound, &ran->memory, &options, &ran->report, NULL);
}

/* The buffers that are as on the card. */
static unsigned compare(const struct sim_report *report, const char *name, const char *outputs)
{
    unsigned equal = 0;
    for (size_t i = 0; i < report->buffer_count; i++) {
        char line[256];
        const struct sim_buffer_report *buffer = &report->buffers[i];
        snprintf(line, sizeof(line), "\n%s arg%" PRIu32 " bytes=%" PRIu64 " fnv=%016" PRIx64 "\n", name, buffer->arg,
                 buffer->bytes, buffer->fnv1a64);
        ck_assert_msg(strstr(outputs, line) != NULL, "the H200 has not:%s", line);
        equal++;
    }
    return equal;
}

START_TEST(test_ptx_outputs)
{
    struct support_list list;
    size_t size = 0;
    unsigned from_ptx = 0, unsupported = 0, buffers = 0;
    char *text = support_read(RECORD "nvcc.outputs.txt", &size), *outputs = malloc(size + 2);
    ck_assert_ptr_nonnull(outputs);
    outputs[0] = '\n'; /* so that every line follows one */
    memcpy(outputs + 1, text, size + 1);
    free(text);
    support_list_read_as(&list, RECORD "nvcc.cases", ".ptx");
    ck_assert_uint_eq(list.launches->count, LAUNCHES);
    for (size_t i = 0; i < list.launches->count; i++) {
        struct support_launch ran;
        if (!support_list_has_module(&list, list.launches->items[i].file))
            continue;
        from_ptx++;
        support_launch_bind(&ran, &list, i);
        enum base_status status = run(&ran);
        unsupported += status == BASE_UNSUPPORTED;
        ck_assert_msg(status == BASE_UNSUPPORTED || (status == BASE_OK && ran.report.status == SIM_RUN_OK), "%s: %s",
                      ran.text->name, ran.report.message ? ran.report.message : "no message");
        if (status == BASE_OK)
            buffers += compare(&ran.report, ran.text->name, outputs);
        support_launch_free(&ran);
    }
    ck_assert_uint_eq(from_ptx, FROM_PTX);
    ck_assert_uint_le(unsupported, UNSUPPORTED_MOST);
    ck_assert_uint_ge(buffers, BUFFERS_LEAST);
    support_list_free(&list);
    free(outputs);
}
END_TEST

Suite *nvcc_suite(void);

Suite *nvcc_suite(void)
{
    Suite *suite = suite_create("nvcc");
    TCase *tcase = tcase_create("h200");
    tcase_set_timeout(tcase, 0);
    tcase_add_test(tcase, test_ptx_outputs);
    suite_add_tcase(suite, tcase);
    return suite;
}
