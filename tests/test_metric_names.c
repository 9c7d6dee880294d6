/* The table of all metrics that there may be (sim/metric_names.def) beside the reports of launches: reports have no
 * other name, each name stands in some report, and those of a launch are what was said before it ran. The means and
 * shares among them are what Nsight Compute means by their names. */
#include "tests/support.h"

#include "advise/metric_names.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Small launches that have, together, everything: clusters, atomics, local memory, loads that hit and that miss. */
static const char *const launches[] = {"constcompute", "dyn_partition", "clusterHist_c8", "local_array", "shfl_reduce"};
enum { LAUNCHES = sizeof(launches) / sizeof(launches[0]), SM_COUNT = 132 };

static size_t index_of(const struct support_list *list, const char *name)
{
    for (size_t i = 0; i < list->launches->count; i++)
        if (strcmp(list->launches->items[i].name, name) == 0)
            return i;
    ck_abort_msg("no launch %s", name);
}

static void note(const struct sim_report *report, bool is_machine, bool has_clock, bool *seen)
{
    const struct advise_metric_launch launch = {is_machine, false, has_clock};
    for (size_t i = 0; i < report->metric_count; i++) {
        struct base_strbuf why = {0};
        size_t n = 0;
        while (n < sim_metric_name_count && strcmp(sim_metric_names[n].name, report->metrics[i].name) != 0)
            n++;
        ck_assert_msg(n < sim_metric_name_count, "%s is not in the table", report->metrics[i].name);
        ck_assert_msg(advise_metric_possible(&launch, report->metrics[i].name, &why), "%s", why.data);
        seen[n] = true;
    }
}

/* One block works on one SM: the mean over all of them is its share, as in the H200's record. */
static void check_mean(const struct support_record *record, const char *name, const struct sim_report *report)
{
    const struct sim_metric *most = sim_report_metric(report, "sm__cycles_active.max"),
                            *mean = sim_report_metric(report, "sm__cycles_active.avg");
    ck_assert(most && mean && mean->modelled);
    ck_assert(mean->real > 0 && mean->real <= most->real);
    if (report->grid[0] * report->grid[1] * report->grid[2] > 1)
        return;
    const size_t row = (size_t)support_record_row(record, name);
    const double card = strtod(support_record_text(record, row, "sm__cycles_active.avg"), NULL);
    ck_assert(fabs(card * SM_COUNT - (double)support_record_metric(record, row, "sm__cycles_active.max")) < 1);
    ck_assert(fabs(mean->real * SM_COUNT - most->real) < 1e-6 * most->real);
}

/* Of all sectors of the loads, whose number is the card's. */
static void check_share(const struct sim_report *report)
{
    const struct sim_metric *share =
        sim_report_metric(report, "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct");
    const double sectors = (double)support_metric(report, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
    const double hits = sim_report_metric(report, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum")->real;
    ck_assert((share != NULL) == (sectors > 0));
    ck_assert(!share || fabs(share->real / 100 * sectors - hits) < 1e-6 * (hits + 1));
}

START_TEST(reports_have_what_the_table_says)
{
    static bool seen[512];
    struct support_list lists[2];
    struct support_record record;
    ck_assert_uint_lt(sim_metric_name_count, sizeof(seen));
    support_record_read(&record, SUPPORT_GUIDE);
    support_list_read(&lists[0], SUPPORT_GUIDE ".cases");
    support_list_read_as(&lists[1], SUPPORT_GUIDE ".cases", "guide.sass");
    for (unsigned form = 0; form < 2; form++)
        for (unsigned i = 0; i < LAUNCHES; i++)
            for (unsigned clock = 0; clock < 2; clock++) {
                struct support_launch ran;
                support_launch_bind(&ran, &lists[form], index_of(&lists[form], launches[i]));
                (clock ? support_launch_run_clock : support_launch_run)(&ran);
                ck_assert_int_eq(ran.report.status, SIM_RUN_OK);
                note(&ran.report, form == 1, clock == 1, seen);
                if (clock) {
                    check_mean(&record, launches[i], &ran.report);
                    check_share(&ran.report);
                }
                support_launch_free(&ran);
            }
    for (size_t n = 0; n < sim_metric_name_count; n++)
        ck_assert_msg(seen[n], "no report has %s", sim_metric_names[n].name);
    support_list_free(&lists[0]);
    support_list_free(&lists[1]);
    support_record_free(&record);
}
END_TEST

/* What is said of names before a launch: of PTX by the clock, but for those of other launches. */
START_TEST(names_are_answered_before_a_launch)
{
    static const struct {
        const char *name, *why; /* NULL: there may be such a one */
        struct advise_metric_launch launch;
    } cases[] = {
        {"sm__cycles_active.avg", NULL, {false, false, true}},
        {"sm__cycles_active", NULL, {false, false, true}},
        {"dram__sectors_read", NULL, {false, false, true}},
        {"bank_conflicts", NULL, {false, false, false}},
        {"sm__cycles_actve.max", "did you mean 'sm__cycles_active.max'?", {false, false, true}},
        {"sm__cycles_active.max", "--mode cycles", {false, false, false}},
        {"smsp__inst_executed.sum", "is counted of machine code", {false, false, true}},
        {"smsp__inst_executed.sum", NULL, {true, false, true}},
        {"smsp__inst_executed", NULL, {false, false, true}},
        {"ir__inst_executed.sum", "is counted of PTX", {true, false, true}},
        {"launch__registers_per_thread", "--regs", {false, false, true}},
        {"launch__registers_per_thread", NULL, {false, true, true}},
        {"launch__waves_per_multiprocessor", NULL, {true, false, false}},
        {"lts__t_sector_hit_rate.pct",
         "of what the SMs ask for: lts__t_sectors_srcunit_tex_lookup_hit.sum",
         {false, false, true}},
        {"l1tex__t_sector_hit_rate.pct", "of global loads alone: l1tex__t_sector_pipe", {false, false, true}},
        {"lts__t_requests_srcunit_nvlink.avg", "run --format json has all", {false, false, true}},
        {"", "no metric ''", {false, false, true}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct base_strbuf why = {0};
        const bool may = advise_metric_possible(&cases[i].launch, cases[i].name, &why);
        ck_assert_msg(may == (cases[i].why == NULL), "%s: %s", cases[i].name, why.data ? why.data : "");
        ck_assert_msg(may || strstr(why.data, cases[i].why) != NULL, "%s", why.data);
        ck_assert_msg(strstr(why.data ? why.data : "", "op_write") == NULL, "%s", why.data);
        base_strbuf_free(&why);
    }
}
END_TEST

Suite *metric_names_suite(void);

Suite *metric_names_suite(void)
{
    Suite *suite = suite_create("metric_names");
    TCase *tcase = tcase_create("names");
    tcase_set_timeout(tcase, 0);
    tcase_add_test(tcase, reports_have_what_the_table_says);
    tcase_add_test(tcase, names_are_answered_before_a_launch);
    suite_add_tcase(suite, tcase);
    return suite;
}
