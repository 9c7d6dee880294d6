/* Runs the kernels of forms.py on the GPU and writes what they compute.
 *
 * usage: forms FOLDER INDEX
 * build: nvcc -O2 -I. -o forms validate/ops/forms.c validate/ops/operands.c -lcuda
 *
 * FOLDER holds forms.txt and forms_N.cubin. A line of INDEX: group, hash over the results of all THREADS threads
 * (validate_ops_hash of each thread's words in order), classes of the operands, text, then the first SHOWN threads'
 * words D, E, the cell's two and the predicate; tab-separated. */
#include "validate/ops/operands.h"

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2048, SHOWN = 4, GROUP_MAX = 100, WORDS = 6 };

struct form {
    unsigned group;
    char classes[64], text[1200];
};

static void check(CUresult result, const char *what)
{
    const char *name = NULL;
    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorName(result, &name);
    fprintf(stderr, "%s: %s\n", what, name ? name : "?");
    exit(1);
}

static void fill(const char *classes, CUdeviceptr in)
{
    static uint64_t slots[THREADS][VALIDATE_OPS_SLOTS];
    for (uint32_t i = 0; i < THREADS; i++)
        if (!validate_ops_operands(classes, i, slots[i]))
            exit(2);
    check(cuMemcpyHtoD(in, slots, sizeof slots), "cuMemcpyHtoD");
}

static void run_group(const char *folder, const struct form *forms, unsigned count, CUdeviceptr in, CUdeviceptr out,
                      uint64_t (*results)[THREADS][WORDS], FILE *index)
{
    char path[512];
    CUmodule module;
    CUfunction function;
    uint32_t threads = THREADS;
    void *arguments[] = {&in, &out, &threads};
    snprintf(path, sizeof path, "%s/forms_%u.cubin", folder, forms[0].group);
    fill(forms[0].classes, in);
    check(cuModuleLoad(&module, path), path);
    check(cuModuleGetFunction(&function, module, "k"), path);
    check(cuLaunchKernel(function, THREADS / 128, 1, 1, 128, 1, 1, 0, NULL, arguments, NULL), path);
    check(cuMemcpyDtoH(results, out, (size_t)count * sizeof *results), path);
    for (unsigned k = 0; k < count; k++) {
        uint64_t hash = VALIDATE_OPS_HASH_BASIS;
        for (unsigned i = 0; i < THREADS; i++)
            for (unsigned w = 0; w < 5; w++)
                hash = validate_ops_hash(hash, results[k][i][w]);
        fprintf(index, "%u\t%016llx\t%s\t%s\t", forms[k].group, (unsigned long long)hash, forms[k].classes,
                forms[k].text);
        for (unsigned i = 0; i < SHOWN; i++)
            for (unsigned w = 0; w < 5; w++)
                fprintf(index, "%s%llx", i + w ? "," : "", (unsigned long long)results[k][i][w]);
        fprintf(index, "\n");
    }
    check(cuModuleUnload(module), path);
}

int main(int argc, char **argv)
{
    char path[512], line[1400];
    struct form *forms = malloc(sizeof *forms * (GROUP_MAX + 1));
    uint64_t(*results)[THREADS][WORDS] = malloc(sizeof *results * GROUP_MAX);
    CUdevice device;
    CUcontext context;
    CUdeviceptr in, out;
    unsigned count = 0;
    if (argc != 3)
        return 2;
    snprintf(path, sizeof path, "%s/forms.txt", argv[1]);
    FILE *list = fopen(path, "r"), *index = fopen(argv[2], "w");
    if (!list || !index)
        return 2;
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    check(cuMemAlloc(&in, sizeof(uint64_t) * THREADS * VALIDATE_OPS_SLOTS), "cuMemAlloc");
    check(cuMemAlloc(&out, sizeof *results * GROUP_MAX), "cuMemAlloc");
    while (fgets(line, sizeof line, list)) {
        struct form form;
        if (sscanf(line, "%u\t%63[^\t]\t%1199[^\n]", &form.group, form.classes, form.text) != 3)
            return 2;
        if (count > 0 && form.group != forms[0].group) {
            run_group(argv[1], forms, count, in, out, results, index);
            count = 0;
        }
        forms[count++] = form;
    }
    if (count > 0)
        run_group(argv[1], forms, count, in, out, results, index);
    return fclose(index);
}
