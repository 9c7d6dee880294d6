/* A user's program: it sees only simtlab.h and the library as installed. Runs a kernel twice, interleaved with a second
 * module, and checks bytes and counts against its own arithmetic. */
#include "simtlab.h"

#include <stdio.h>
#include <string.h>

static const char kernel[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                             ".visible .entry twice(.param .u64 a, .param .u32 n)\n{\n"
                             "  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<4>;\n"
                             "  ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n];\n"
                             "  cvta.to.global.u64 %rd2, %rd1;\n"
                             "  mov.u32 %r2, %tid.x;\n"
                             "  setp.ge.u32 %p1, %r2, %r1;\n"
                             "  @%p1 bra DONE;\n"
                             "  mul.wide.u32 %rd3, %r2, 4;\n"
                             "  add.s64 %rd3, %rd2, %rd3;\n"
                             "  ld.global.u32 %r3, [%rd3];\n"
                             "  add.u32 %r4, %r3, %r3;\n"
                             "  st.global.u32 [%rd3], %r4;\n"
                             "DONE:\n  ret;\n}\n";

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("line %d: %s does not hold\n", __LINE__, #condition);                                               \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

static int check_result(const struct simtlab_result *result)
{
    size_t size = 0;
    double value = 0;
    const uint32_t *words = simtlab_result_buffer(result, 0, &size);
    REQUIRE(words && size == 100 * sizeof(*words));
    for (uint32_t i = 0; i < 100; i++)
        REQUIRE(words[i] == (i < 70 ? 2 * i : i));
    REQUIRE(simtlab_result_buffer(result, 1, &size) == NULL);
    REQUIRE(simtlab_result_metric(result, "no_such_metric", &value) == -1);
    /* 70 threads: warps of 32, 32 and 6 lanes; 4 + 4 + 1 sectors. */
    REQUIRE(simtlab_result_metric(result, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", &value) == 0 &&
            value == 3);
    REQUIRE(simtlab_result_metric(result, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", &value) == 0 && value == 9);
    REQUIRE(strncmp(simtlab_result_json(result), "{\"schema\": 1, ", 14) == 0);
    return 0;
}

/* The clock is on unless it is told not to be, and changes no bytes and no counts. */
static int check_modes(const struct simtlab_module *module, const char *launch)
{
    struct simtlab_result *cycles = NULL, *counts = NULL;
    struct simtlab_options options = {.mode = "counts"};
    char *errors = NULL;
    double value = 0;
    REQUIRE(simtlab_run(module, launch, NULL, &cycles, NULL) == SIMTLAB_OK);
    REQUIRE(simtlab_run(module, launch, &options, &counts, NULL) == SIMTLAB_OK);
    REQUIRE(check_result(counts) == 0);
    REQUIRE(simtlab_result_metric(cycles, "sm__cycles_active.max", &value) == 0 && value > 0);
    REQUIRE(simtlab_result_metric(counts, "sm__cycles_active.max", &value) == -1);
    simtlab_result_free(cycles);
    simtlab_result_free(counts);
    options.mode = "guesses";
    REQUIRE(simtlab_run(module, launch, &options, &counts, &errors) == SIMTLAB_INVALID);
    REQUIRE(!counts && errors && strstr(errors, "guesses"));
    simtlab_string_free(errors);
    return 0;
}

static int check_errors(const struct simtlab_module *module)
{
    struct simtlab_module *none = NULL;
    struct simtlab_result *result = NULL;
    struct simtlab_options options = {.device = "no-such-gpu"};
    char *errors = NULL;
    static const char bad[] = ".version 7.0\n.target sm_70\nnonsense\n";
    REQUIRE(simtlab_module_load("bad.ptx", bad, sizeof(bad) - 1, &none, &errors) == SIMTLAB_INVALID);
    REQUIRE(!none && errors && strstr(errors, "bad.ptx:3:"));
    simtlab_string_free(errors);
    REQUIRE(simtlab_run(module, "twice grid=1 block=96 u32=7", NULL, &result, &errors) == SIMTLAB_INVALID);
    REQUIRE(!result && errors);
    simtlab_string_free(errors);
    REQUIRE(simtlab_run(module, "twice grid=1 block=1 u32[1]=zero u32=1", &options, &result, &errors) ==
            SIMTLAB_INVALID);
    REQUIRE(!result && errors && strstr(errors, "no-such-gpu"));
    simtlab_string_free(errors);
    REQUIRE(simtlab_run(module, "twice grid=1 block=1 u32[1]=file:x u32=1", NULL, &result, &errors) != SIMTLAB_OK);
    REQUIRE(!result && errors);
    simtlab_string_free(errors);
    REQUIRE(simtlab_run(module, "twice grid=1 block=96 u32[8]=zero u32=9", NULL, &result, NULL) == SIMTLAB_FAULT);
    REQUIRE(result && strstr(simtlab_result_json(result), "\"status\": \"fault\""));
    simtlab_result_free(result);
    return 0;
}

int main(void)
{
    static const char launch[] = "twice grid=1 block=96 u32[100]=iota u32=70";
    struct simtlab_module *first = NULL, *second = NULL;
    struct simtlab_result *a = NULL, *b = NULL;
    char *errors = NULL;
    REQUIRE(simtlab_version()[0] != '\0');
    REQUIRE(simtlab_device_name(0) != NULL && simtlab_device_find("h200") == 0 && simtlab_device_find("abacus") == -1);
    enum simtlab_status status = simtlab_module_load("twice.ptx", kernel, sizeof(kernel) - 1, &first, &errors);
    if (status != SIMTLAB_OK) {
        printf("%s\n", errors ? errors : "no message");
        return 1;
    }
    simtlab_string_free(errors);
    REQUIRE(simtlab_module_load("twice.ptx", kernel, sizeof(kernel) - 1, &second, NULL) == SIMTLAB_OK);
    REQUIRE(simtlab_run(first, launch, NULL, &a, NULL) == SIMTLAB_OK);
    REQUIRE(simtlab_run(second, launch, NULL, &b, NULL) == SIMTLAB_OK);
    if (check_result(a) != 0 || check_result(b) != 0 || check_errors(first) != 0 || check_modes(first, launch) != 0)
        return 1;
    REQUIRE(strcmp(simtlab_result_json(a), simtlab_result_json(b)) == 0);
    simtlab_result_free(a);
    simtlab_result_free(b);
    simtlab_module_free(first);
    simtlab_module_free(second);
    puts("the embedded library gives the right bytes and counts");
    return 0;
}
