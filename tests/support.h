/* What suites share that run launch lists: reading files, running one launch of a list, and the H200's record of the
 * guide's launches (validate/records/h200/guide).
 *
 * Everything here is for tests: what cannot be done ends the test with a message. Paths are relative to the top of the
 * sources (TEST_SRCDIR). */
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

#include "base/vec.h"
#include "sim/sim.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The whole file, with a NUL behind it; free() it. PATH.gz is read where there is no PATH. */
char *support_read(const char *path, size_t *size);

/* A launch list and the modules that its launches name, each read once. */
struct support_module {
    char *path;
    struct isa_module *module;
};
struct support_list {
    char *folder; /* the list's, with '/' at its end */
    struct sim_launch_list *launches;
    BASE_VEC(struct support_module) modules;
};
void support_list_read(struct support_list *list, const char *path);
/* The same with every launch's file replaced by `file`, which must live as long, and its registers not given: ".sass"
 * names a listing with a cubin beside it. One that begins with a dot replaces the extension only. */
void support_list_read_as(struct support_list *list, const char *path, const char *file);
/* A list that is no file: `folder`, with '/' at its end, is where its files are. */
void support_list_read_text(struct support_list *list, const char *folder, const char *text);
void support_list_free(struct support_list *list);
/* The module that FILE of a launch names. The files of a list need not all be there: only of those that are is there a
 * module. */
bool support_list_has_module(const struct support_list *list, const char *file);
const struct isa_module *support_list_module(const struct support_list *list, const char *file);

/* A launch: bound first, so that a test can look at its buffers before it runs. */
struct support_launch {
    const struct support_list *list;
    const struct sim_launch_text *text;
    const struct isa_module *module;
    uint32_t kernel;
    struct sim_memory memory;
    struct sim_named_buffers named;
    struct base_arena arena;
    struct sim_bound bound;
    struct sim_report report; /* after support_launch_run */
};
void support_launch_bind(struct support_launch *launch, const struct support_list *list, size_t index);
void support_launch_run(struct support_launch *launch);
void support_launch_run_clock(struct support_launch *launch); /* the same by the clock */
void support_launch_run_threads(struct support_launch *launch, uint32_t threads);
/* With checks, enum sim_check_set. */
void support_launch_run_checked(struct support_launch *launch, unsigned checks);
void support_launch_run_clock_checked(struct support_launch *launch, unsigned checks);
void support_launch_free(struct support_launch *launch);
/* An exact metric; the test fails when the report has none of that name. */
uint64_t support_metric(const struct sim_report *report, const char *name);

/* The H200's record. */
struct support_cells {
    BASE_VEC(char *) cell;
};
struct support_record {
    BASE_VEC(char *) names; /* of the launches, in the order of the rows; they end with the record */
    BASE_VEC(struct support_cells) csv;
    char *outputs; /* STEM.outputs.txt after a newline, so that every line follows one */
};
#define SUPPORT_GUIDE "validate/records/h200/guide/guide"
/* STEM.cases, STEM.outputs.txt and STEM.ncu.csv. */
void support_record_read(struct support_record *record, const char *stem);
void support_record_free(struct support_record *record);
/* The row of a launch, or -1. */
int64_t support_record_row(const struct support_record *record, const char *launch);
/* A cell as it stands in the file. */
const char *support_record_text(const struct support_record *record, size_t row, const char *metric);
/* What the card counted: digits and commas only, or the test fails. */
uint64_t support_record_metric(const struct support_record *record, size_t row, const char *metric);
/* The hash of a buffer argument after the launch; false: not recorded. */
bool support_record_hash(const struct support_record *record, const char *launch, uint32_t arg, uint64_t *fnv1a64);

/* Metrics that every record holds and that are the card's to the last digit, each list ended by NULL: of a launch's
 * shape and of global memory from any form of a program, and what machine code alone can tell. */
extern const char *const support_launch_metrics[], *const support_memory_metrics[], *const support_machine_metrics[];

#endif
