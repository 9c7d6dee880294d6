#include "report/report.h"
int report_x;
