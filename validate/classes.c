/* See classes.h. The exact ones are those of the manual page; what each is exact of, the PTX or the machine code, is
 * decided by whether the simulator tells it at all. */
#include "validate/classes.h"

#include <stddef.h>

/* The first that fits counts. */
static const struct validate_metric_class classes[] = {
    {"l1tex__t_*_mem_global_op_*_lookup_*", VALIDATE_MODELLED, 10, 64, false},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", VALIDATE_EXACT, 0, 0, false},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", VALIDATE_EXACT, 0, 0, false},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", VALIDATE_EXACT, 0, 0, false},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", VALIDATE_EXACT, 0, 0, false},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_*.ratio", VALIDATE_EXACT, 0, 0, false},
    {"smsp__sass_average_data_bytes_per_sector_mem_global_op_*.pct", VALIDATE_EXACT, 0, 0, false},
    {"l1tex__t_*_pipe_lsu_mem_local_op_*.sum", VALIDATE_EXACT, 0, 0, false},
    {"l1tex__t_*_pipe_lsu_mem_global_op_*.sum", VALIDATE_MODELLED, 2, 0, false},
    {"memory_l2_theoretical_sectors_global*", VALIDATE_EXACT, 0, 0, false},
    {"memory_l1_wavefronts_shared*", VALIDATE_EXACT, 0, 0, false},
    {"derived__memory_*_excessive", VALIDATE_EXACT, 0, 0, false},
    {"smsp__inst_executed*.sum", VALIDATE_EXACT, 0, 0, false},
    {"smsp__thread_inst_executed.sum", VALIDATE_EXACT, 0, 0, false},
    {"smsp__thread_inst_executed_per_inst_executed.ratio", VALIDATE_EXACT, 0, 0, false},
    {"sm__maximum_warps_*", VALIDATE_EXACT, 0, 0, false},
    {"ir__registers_estimate", VALIDATE_MODELLED, 25, 0, false},
    {"ir__*", VALIDATE_EXACT, 0, 0, false},
    {"launch__shared_mem_config_size", VALIDATE_MODELLED, 0, 0, false},
    {"launch__occupancy_limit_shared_mem", VALIDATE_MODELLED, 0, 0, false},
    {"launch__cluster_max_*", VALIDATE_MODELLED, 0, 0, false},
    {"launch__occupancy_cluster_*", VALIDATE_MODELLED, 0, 0.01, false},
    {"launch__*", VALIDATE_EXACT, 0, 0, false},
    {"l1tex__data_*", VALIDATE_MODELLED, 10, 0, true},
    {"lts__*", VALIDATE_MODELLED, 10, 1024, false},
    {"dram__*", VALIDATE_MODELLED, 10, 4096, false},
    {"smsp__average_warps_issue_stalled_*", VALIDATE_MODELLED, 50, 1, false},
    {"*pct*", VALIDATE_MODELLED, 25, 5, false},
    {"*", VALIDATE_MODELLED, 25, 0, false},
};

bool validate_pattern_fits(const char *pattern, const char *text)
{
    const char *star = NULL, *from = NULL;
    while (*text != '\0') {
        if (*pattern == '*') {
            star = pattern++;
            from = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++from;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

const struct validate_metric_class *validate_class_of(const char *metric)
{
    const struct validate_metric_class *class = classes;
    while (!validate_pattern_fits(class->pattern, metric))
        class ++;
    return class;
}
