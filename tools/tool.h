/* What the parts of the command share. Only this folder prints, opens files and chooses exit statuses. */
#ifndef TOOLS_TOOL_H
#define TOOLS_TOOL_H

#include "advise/banks.h"
#include "advise/capture.h"
#include "advise/sectors.h"
#include "advise/timeline.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "isa/isa.h"
#include "report/advice.h"
#include "report/report.h"
#include "sim/sim.h"
#include "validate/compare.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

enum tool_exit {
    TOOL_OK = 0,
    TOOL_FAULT = 1, /* the kernel faulted, or two reports differ */
    TOOL_ERROR = 2, /* wrong usage, bad input, unsupported, I/O, no memory */
};

enum tool_form { TOOL_FORM_BEST, TOOL_FORM_PTX, TOOL_FORM_SASS };

enum tool_format { TOOL_TEXT, TOOL_JSON, TOOL_CSV, TOOL_SVG, TOOL_HTML };

struct tool_dump {
    uint32_t arg;
    const char *path;
};

/* Options of banks, sectors and threads. */
struct tool_picture_options {
    bool has_stride;
    int64_t stride;          /* elements */
    uint64_t offset;         /* elements */
    uint32_t width_bytes;    /* 0: not given */
    const char *index;       /* list of the lanes' elements, or NULL */
    const char *condition;   /* or NULL */
    const char *kernel_line; /* FILE:LINE, or NULL */
    enum sim_shared_kind kind;
    bool has_warp, worst_warp;
    uint32_t warp;
    BASE_VEC(const char *) defines;
    bool has_at;
    uint32_t at[3];              /* the block looked at */
    uint64_t tile[2], matrix[2]; /* width, height; rows, columns; 0: not given */
    bool transpose;
};

/* Options of compare. */
struct tool_compare_options {
    enum validate_match match;
    unsigned classes;                               /* enum validate_class, a set */
    BASE_VEC(struct validate_tolerance) tolerances; /* patterns are argv's, cut at "=" */
    const char *machine, *outputs;                  /* or NULL */
};

/* The command line, read. Strings are argv's. */
struct tool_options {
    const struct tool_command *command;
    const char *const *operands;
    size_t operand_count;
    bool help, version, quiet;
    const char *device;
    const char *output;
    bool format_given;
    enum tool_format format;
    bool cycles_mode;
    unsigned checks; /* enum sim_check_set */
    enum sim_scheduler scheduler;
    bool shuffle_blocks;
    uint64_t block_order_seed;
    bool l2_changed;
    const char *clock_option; /* one that was given and means nothing without the clock, or NULL */
    uint32_t regs;            /* 0: not given */
    uint32_t max_registers;   /* of --maxrregcount; 0: not given */
    int32_t carveout_percent; /* -1: not given */
    uint64_t max_instructions;
    uint32_t grid[3], block[3], cluster[3]; /* [0] 0: not given */
    uint64_t shared_bytes;
    bool has_shared_static;
    uint64_t shared_static_bytes; /* of a listing without its cubin */
    bool cooperative;
    bool curves;
    bool has_language;
    enum advise_language language;
    enum tool_form form;  /* of a .cu file */
    bool control;         /* disasm */
    bool bypass_l1;       /* --dlcm cg */
    uint32_t jobs;        /* 0: not given */
    const char *trace;    /* a file, or NULL */
    uint64_t trace_limit; /* events */
    BASE_VEC(const char *) args;
    BASE_VEC(const char *) only;
    BASE_VEC(const char *) rules, rule_files; /* grade */
    const char *junit;                        /* or NULL */
    const char *metrics;                      /* run: names to tell, or NULL */
    BASE_VEC(struct tool_dump) dumps;
    struct tool_picture_options picture;
    struct tool_compare_options compare;
};

struct tool_command {
    const char *name, *operands, *summary;
    unsigned bit; /* in the option table's `commands` */
    enum tool_exit (*run)(const struct tool_options *options);
};

/* options.c */
enum tool_exit tool_options_parse(const struct tool_command *command, int argc, char **argv,
                                  struct tool_options *options);
void tool_options_free(struct tool_options *options);
/* The help text of one command's options. */
void tool_options_help(const struct tool_command *command, struct base_strbuf *out);

/* examples.c: what --help shows of a command, "" for simtlab --help; NULL: nothing. */
const char *tool_examples(const char *command);

/* message.c: everything on stderr. */
void tool_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void tool_print_diags(const struct base_diags *diags);

/* input.c */
struct tool_file {
    char *data;
    size_t size;
};
/* Reads a whole file; on failure `message` says why. */
enum base_status tool_file_read(const char *path, size_t limit_bytes, struct tool_file *file,
                                struct base_strbuf *message);
/* A module from PTX, from machine code, or from .cu by way of a compiler. Messages go to `diags`. */
enum base_status tool_module_load(const struct tool_options *options, const char *path, struct isa_module **out,
                                  struct base_diags *diags);
/* `name` beside `path`: "dir/list" and "k.ptx" give "dir/k.ptx"; an absolute name stays. To be freed. */
char *tool_path_beside(const char *path, const char *name);
/* A device profile by name or file. Complains by itself. */
enum base_status tool_device_load(const char *name, struct sim_device *device);

/* compile.c: what nvcc (or, for PTX, clang) makes of CUDA source; what went wrong is in `diags`. */
struct tool_compilation {
    bool machine;           /* a cubin for sm_90; else PTX */
    uint32_t max_registers; /* nvcc's --maxrregcount; 0: none */
};
enum base_status tool_compile(const char *path, const struct tool_compilation *what, struct tool_file *file,
                              struct base_diags *diags);
/* A cubin's listing, by cuobjdump or nvdisasm; `path` is its name in messages. */
enum base_status tool_disassemble(const char *path, const struct tool_file *cubin, struct tool_file *listing,
                                  struct base_diags *diags);
bool tool_has_nvcc(void);
bool tool_has_disassembler(void);

/* sources.c: lines of the CUDA source for the text report; a cache. */
struct tool_sources {
    const char *beside; /* the input: sources are also looked for in its folder */
    struct tool_source {
        char *name;
        struct tool_file file;
        BASE_VEC(size_t) starts;
    } * items;
    size_t count, capacity;
};
const char *tool_sources_line(void *user, const char *file, uint32_t line, size_t *length);
void tool_sources_free(struct tool_sources *sources);

/* interrupt.c: what SIGINT, SIGTERM and SIGHUP must not leave behind. `keep` a path from when it is made until it is
 * gone or is no longer temporary; between hold() and release() a signal waits. */
void tool_interrupt_install(void);
void tool_interrupt_hold(void);
void tool_interrupt_release(void);
void tool_interrupt_keep(const char *path);
void tool_interrupt_forget(const char *path);
/* A program that runs, in a process group of its own; 0: none any more. */
void tool_interrupt_started(pid_t program);

/* output.c: stdout, or a file that is written whole or not at all. */
struct tool_output {
    FILE *stream;
    char *path, *temporary; /* NULL for stdout and for what is no regular file */
    const char *name;       /* as given, for messages */
    int cause;              /* errno of the first write that failed; 0: none did */
    struct base_diags *diags;
};
/* NULL path: stdout. Complaints of this and of closing go to `diags`; NULL: to stderr. */
enum base_status tool_output_open(struct tool_output *output, const char *path, struct base_diags *diags);
/* Whether it could all be written is told when the output is closed. */
void tool_output_write(struct tool_output *output, const void *data, size_t size);
/* With `keep` the file takes its name; otherwise nothing is left. */
enum base_status tool_output_close(struct tool_output *output, bool keep);
/* Before anything runs: the files of -o, --junit, --trace and --dump are different ones, in folders that exist, none is
 * a file that the command reads, and there is a clock to trace. Complains by itself. */
bool tool_outputs_check(const struct tool_options *options);
/* A string to options->output, complete. What is for people to read is made plain (base/strbuf.h). */
enum tool_exit tool_output_text(const struct tool_options *options, struct base_strbuf *text);

/* launch.c: one launch from its text to a finished report. */
struct tool_launch {
    const struct sim_launch_text *text;
    const struct base_source *source; /* holds the arguments */
    const struct isa_module *module;  /* NULL: it could not be had; `diags` says why, as does the next */
    enum base_status module_status;
    const char *beside; /* files that INIT names are relative to its folder; NULL: the working directory */
    struct sim_memory *memory;
    struct sim_named_buffers *named;
    const struct tool_options *options;
    const struct sim_device *device;
    uint32_t threads; /* that the clock's SMs are shared among */
    sim_progress *progress;
    void *progress_user;
    sim_access_hook *access_hook;
    void *access_user;
    sim_clock_hook *clock_hook;
    void *clock_user;
};
/* Threads that -j asks for, or one a processor. */
uint32_t tool_threads_wanted(const struct tool_options *options);
/* Fills `report` whatever happens, and writes --dump files. What went wrong is among `diags`. */
enum base_status tool_launch_run(const struct tool_launch *launch, struct sim_report *report, struct base_diags *diags);
/* cmd_run.c: the launch that the options of run tell, made ready for `body`. Complains by itself about all before. */
typedef enum tool_exit tool_launch_body(struct tool_launch *launch, struct base_diags *diags, void *user);
enum tool_exit tool_launch_told(const struct tool_options *options, const struct sim_device *device,
                                tool_launch_body *body, void *user);
enum tool_exit tool_exit_of(enum base_status status, const struct sim_report *report);

/* advice.c: a launch that is watched while it runs, and what there is to say afterwards. */
struct tool_advice {
    struct advise_watch watch;
    struct advise_findings findings;
    struct report_advice shown;
};
/* Of --lang, else of the environment as for all messages: LC_ALL, LC_MESSAGES, LANG. */
enum advise_language tool_language(const struct tool_options *options);
/* Before the launch, after it. False: no memory; it has complained. */
void tool_advice_begin(struct tool_advice *advice, struct tool_launch *launch);
bool tool_advice_make(struct tool_advice *advice, const struct tool_launch *launch, const struct sim_report *report);
void tool_advice_free(struct tool_advice *advice);

/* cmd_batch.c: the launches of a list, several at a time. The body runs one and writes what is shown of it; it may be
 * called by several threads at once, each launch once. launch->module NULL: tool_launch_run() makes the report that
 * says why. */
typedef enum tool_exit tool_batch_body(void *user, size_t index, struct tool_launch *launch, struct base_diags *diags,
                                       struct base_strbuf *out);
struct tool_batch_job {
    tool_batch_body *body;
    bool is_data; /* what the body writes is for programs: it stays as it is, byte for byte */
    /* Before anything runs: the list, and how many of it were chosen. May be NULL; complains by itself. */
    enum base_status (*begin)(void *user, const struct sim_launch_list *list, size_t count);
    /* When all have run and what they showed is written. May be NULL; complains by itself. */
    enum tool_exit (*end)(void *user, struct tool_output *output);
    void *user;
};
enum tool_exit tool_batch_run(const struct tool_options *options, const struct tool_batch_job *job);

/* html.c: one launch for --format html. tool_html_begin() before it runs, tool_html_make() after it has run. */
struct tool_html {
    struct tool_advice advice;
    struct advise_timeline timeline;
    bool brief; /* one of many launches */
    struct base_strbuf article, contents;
};
void tool_html_begin(struct tool_html *html, struct tool_launch *launch);
void tool_html_make(struct tool_html *html, const struct tool_launch *launch, const struct sim_report *report,
                    size_t number);
void tool_html_free(struct tool_html *html);
/* A page of all that are given, in their order. */
void tool_html_page(struct tool_html *launches, size_t count, const char *title, struct base_strbuf *out);
/* batch: all launches of the list in one page. */
enum tool_exit tool_html_batch(const struct tool_options *options);

/* patterns.c: what the lanes of a block touch, from the operands of banks and sectors or from a real run. */
struct tool_patterns {
    struct base_arena arena;
    struct base_diags diags;
    struct advise_scope scope;
    struct advise_array array;
    struct advise_shape shape;
    struct advise_pattern *patterns[ADVISE_ACCESS_MAX];
    uint32_t count;
    uint32_t warp; /* to show; UINT32_MAX: the worst */
    uint64_t offset_bytes;
    bool from_run;
};
/* Complains by itself. To be freed in either case. */
enum tool_exit tool_patterns_read(const struct tool_options *options, const struct sim_device *device, bool shared,
                                  struct tool_patterns *patterns);
void tool_patterns_free(struct tool_patterns *patterns);
/* kernel_line.c: patterns of --kernel-line; shared memory, or global. TOOL_FAULT: the kernel faulted, and the patterns
 * are those before. */
enum tool_exit tool_patterns_run(const struct tool_options *options, const struct sim_device *device, bool shared,
                                 struct tool_patterns *patterns);

enum tool_exit tool_banks(const struct tool_options *options);
enum tool_exit tool_sectors(const struct tool_options *options);
enum tool_exit tool_threads(const struct tool_options *options);
enum tool_exit tool_run(const struct tool_options *options);
enum tool_exit tool_explain(const struct tool_options *options);
enum tool_exit tool_grade(const struct tool_options *options);
enum tool_exit tool_batch(const struct tool_options *options);
enum tool_exit tool_disasm(const struct tool_options *options);
enum tool_exit tool_occupancy(const struct tool_options *options);
enum tool_exit tool_devices(const struct tool_options *options);
enum tool_exit tool_compare(const struct tool_options *options);
enum tool_exit tool_resources(const struct tool_options *options);

#endif
