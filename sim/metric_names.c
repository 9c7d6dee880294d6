/* The table of metric_names.def. */
#include "sim/report.h"

const struct sim_metric_name sim_metric_names[] = {
#define METRIC(name, source) {name, SIM_METRIC_##source},
#include "sim/metric_names.def"
#undef METRIC
};
const size_t sim_metric_name_count = sizeof(sim_metric_names) / sizeof(sim_metric_names[0]);
