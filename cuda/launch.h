/* One launch of a list on a real GPU, from its machine code or its PTX.
 *
 * gpu_launch_run() loads the module, fills the buffers, launches, and prints a line for each buffer. Nothing is left on
 * the device but the shared buffers (@NAME). */
#ifndef CUDA_LAUNCH_H
#define CUDA_LAUNCH_H

#include "sim/args.h"

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A buffer @NAME. A worker process ends when a kernel has spoilt its context, so what the next one needs lies in memory
 * that all of them share. */
struct gpu_named {
    const char *name;
    const struct sim_arg *first; /* the use that fills it */
    uint64_t size_bytes;
    uint8_t *contents;   /* shared: as the last launch that finished has left it */
    bool *filled;        /* shared: whether one has */
    CUdeviceptr address; /* this process's; 0: none yet */
};

struct gpu_options {
    const char *form;   /* NULL, or the extension that replaces that of every FILE: "ptx", "cubin" */
    const char *folder; /* the list's, with '/' at its end, or "" */
    const char *dump;   /* NULL, or a folder for the buffers' contents */
    unsigned repeat;
};

enum gpu_outcome {
    GPU_DONE,
    GPU_FAULT,   /* the kernel failed, and the process's context with it */
    GPU_INVALID, /* it could not be launched; what follows can */
};

/* Lines on standard output, one for each buffer after the first run, and one for each that a later run leaves
 * otherwise: NAME argI bytes=N fnv=16 hex digits NAME argI bytes=N fnv=16 hex digits run=K What went wrong is in
 * `message`. */
enum gpu_outcome gpu_launch_run(const struct gpu_options *options, const struct sim_launch_text *text,
                                struct gpu_named *named, size_t named_count, char *message, size_t message_size);

/* The whole file with a NUL behind it, to be freed; NULL with a message. */
char *gpu_file_read(const char *path, size_t *size_bytes, char *message, size_t message_size);

#endif
