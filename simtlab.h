/* simtlab: run a CUDA kernel on a modelled GPU, from a C program.
 *
 *     struct simtlab_module *module = NULL;
 *     struct simtlab_result *result = NULL;
 *     char *errors = NULL;
 *     if (simtlab_module_load("vec.ptx", text, size, &module, &errors) == SIMTLAB_OK &&
 *         simtlab_run(module, "vecAdd grid=4 block=256 f32[1024]=iota f32[1024]=iota f32[1024]=zero s32=1024",
 *                     NULL, &result, &errors) == SIMTLAB_OK)
 *         puts(simtlab_result_json(result));
 *
 * Nothing is shared between two modules or two runs: they may live in different threads. A module is only read while
 * it runs, so several threads may run one module at a time. Every pointer that a function hands out through an `out`
 * parameter belongs to the caller and goes back through the free function named beside it; strings inside a result
 * live as long as the result. The library prints nothing, opens no file and never ends the process.
 */
#ifndef SIMTLAB_H
#define SIMTLAB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum simtlab_status {
    SIMTLAB_OK = 0,
    SIMTLAB_FAULT,       /* the kernel faulted: there is a result, and its report tells where */
    SIMTLAB_INVALID,     /* the text, the launch or an argument is wrong; `errors` says where */
    SIMTLAB_UNSUPPORTED, /* it may be right, but this version cannot do it; `errors` names it */
    SIMTLAB_NOMEM
};

struct simtlab_module;
struct simtlab_result;

/* What may be chosen besides the launch itself. Zero in every member means the default. */
struct simtlab_options {
    const char *device;          /* profile name, e.g. "h200" (the default) */
    uint64_t max_instructions;   /* warp instructions before the launch counts as a runaway; default 10^11 */
    uint64_t memory_limit_bytes; /* for the launch's buffers; default: what the host has */
    const char *mode;            /* "cycles" (the default), or "counts": no clock, many times faster */
};

/* The version of the library, "MAJOR.MINOR.PATCH". */
const char *simtlab_version(void);

/* The name of device profile number `index`, or NULL past the last; 0 when `name` names a profile, else -1. */
const char *simtlab_device_name(size_t index);
int simtlab_device_find(const char *name);

/* Reads PTX text of `size` bytes; `name` stands for the file in messages. `errors` may be NULL; otherwise it receives
 * messages (also warnings on success) or NULL, to be given to simtlab_string_free(). */
enum simtlab_status simtlab_module_load(const char *name, const char *text, size_t size, struct simtlab_module **out,
                                        char **errors);
void simtlab_module_free(struct simtlab_module *module);

/* Runs one launch. `launch` is a line of a launch list without its NAME and FILE, as the manual page simtlab(1)
 * describes: KERNEL grid=X[,Y[,Z]] block=X[,Y[,Z]] [shared=BYTES] [cluster=X[,Y[,Z]]] [regs=N] ARG... INIT file: is
 * refused here, since the library opens no files. SIMTLAB_OK and SIMTLAB_FAULT give a result. */
enum simtlab_status simtlab_run(const struct simtlab_module *module, const char *launch,
                                const struct simtlab_options *options, struct simtlab_result **out, char **errors);
void simtlab_result_free(struct simtlab_result *result);

/* The report as JSON text, one object (its members: simtlab(1), "JSON REPORT"). */
const char *simtlab_result_json(const struct simtlab_result *result);

/* A metric under its Nsight Compute name: 0 and *value, or -1 when the report has none of that name. */
int simtlab_result_metric(const struct simtlab_result *result, const char *name, double *value);

/* The bytes of argument number `index` after the launch (arguments are numbered from 0 as written), or NULL when it
 * is not a buffer. */
const void *simtlab_result_buffer(const struct simtlab_result *result, size_t index, size_t *size_bytes);

void simtlab_string_free(char *text);

#ifdef __cplusplus
}
#endif

#endif
