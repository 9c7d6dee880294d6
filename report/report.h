/* The report writers. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H
#endif
