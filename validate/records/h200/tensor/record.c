/* Runs the kernels of generate.py on the GPU and writes the tensor records: what the card computes, bit for bit.
 *
 * usage: record FOLDER INDEX DATA [FULL]
 * build: nvcc -O2 -I. -o record validate/records/h200/tensor/record.c tests/tensor_operands.c -lcuda
 *
 * FOLDER holds generate.py's variants.txt and tensor.cubin. The layout of INDEX and DATA is described in README.md.
 * FULL, when given, gets all results of the floating-point mma variants, one after the other. */
#include "tests/tensor_operands.h"

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUT_WORDS_MAX = 40, MEMORY_BYTES = 4096 };

struct variant {
    unsigned number, words, stored;
    char classes[64], text[1600];
};

static void check(CUresult result, const char *what, const struct variant *variant)
{
    if (result == CUDA_SUCCESS)
        return;
    const char *name = NULL;
    cuGetErrorName(result, &name);
    fprintf(stderr, "%s: %s (%s)\n", what, name ? name : "?", variant ? variant->text : "");
    exit(1);
}

static void load_inputs(const struct variant *variant, CUdeviceptr in)
{
    const uint32_t words = tensor_operand_words(variant->classes);
    uint32_t(*host)[32] = malloc((size_t)TENSOR_TOTAL * words * sizeof *host), tuple[TENSOR_WORDS][32];
    for (uint32_t i = 0; i < TENSOR_TOTAL; i++) {
        tensor_operands(variant->classes, i, tuple);
        memcpy(host + (size_t)i * words, tuple, words * sizeof *host);
    }
    check(cuMemcpyHtoD(in, host, (size_t)TENSOR_TOTAL * words * sizeof *host), "cuMemcpyHtoD", variant);
    free(host);
}

static void run_variant(const struct variant *variant, CUmodule module, CUdeviceptr in, CUdeviceptr out,
                        CUdeviceptr memory, uint32_t *results)
{
    char name[16];
    snprintf(name, sizeof name, "k%u", variant->number);
    CUfunction function;
    void *arguments[] = {&in, &out, &memory};
    check(cuModuleGetFunction(&function, module, name), "cuModuleGetFunction", variant);
    check(cuLaunchKernel(function, TENSOR_TOTAL, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL), "cuLaunchKernel", variant);
    check(cuMemcpyDtoH(results, out, (size_t)TENSOR_TOTAL * variant->words * 128), "cuMemcpyDtoH", variant);
}

static uint64_t hash_results(const struct variant *variant, const uint32_t *results)
{
    uint64_t hash = TENSOR_HASH_BASIS;
    for (size_t i = 0; i < (size_t)TENSOR_TOTAL * variant->words * 32; i++)
        hash = tensor_hash(hash, results[i]);
    return hash;
}

static int parse_variant(const char *line, struct variant *variant)
{
    return sscanf(line, "%u\t%63[^\t]\t%u\t%u\t%1599[^\n]", &variant->number, variant->classes, &variant->words,
                  &variant->stored, variant->text) == 5;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    char path[512], line[1800];
    snprintf(path, sizeof path, "%s/variants.txt", argv[1]);
    FILE *variants = fopen(path, "r"), *index = fopen(argv[2], "w"), *data = fopen(argv[3], "wb");
    FILE *full = argc > 4 ? fopen(argv[4], "wb") : NULL;
    if (!variants || !index || !data)
        return 2;
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUdeviceptr in, out, memory;
    check(cuInit(0), "cuInit", NULL);
    check(cuDeviceGet(&device, 0), "cuDeviceGet", NULL);
    check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain", NULL);
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent", NULL);
    check(cuMemAlloc(&in, (size_t)TENSOR_TOTAL * TENSOR_WORDS * 128), "cuMemAlloc", NULL);
    check(cuMemAlloc(&out, (size_t)TENSOR_TOTAL * OUT_WORDS_MAX * 128), "cuMemAlloc", NULL);
    check(cuMemAlloc(&memory, (size_t)TENSOR_TOTAL * MEMORY_BYTES), "cuMemAlloc", NULL);
    snprintf(path, sizeof path, "%s/tensor.cubin", argv[1]);
    check(cuModuleLoad(&module, path), path, NULL);
    uint32_t *results = malloc((size_t)TENSOR_TOTAL * OUT_WORDS_MAX * 128);
    uint64_t offset = 0;
    struct variant variant;
    while (fgets(line, sizeof line, variants) && parse_variant(line, &variant)) {
        const size_t bytes = (size_t)variant.stored * variant.words * 128;
        load_inputs(&variant, in);
        run_variant(&variant, module, in, out, memory, results);
        const uint64_t hash = hash_results(&variant, results);
        fwrite(results, 1, bytes, data);
        if (full && variant.stored >= 20)
            fwrite(results, 1, (size_t)TENSOR_TOTAL * variant.words * 128, full);
        run_variant(&variant, module, in, out, memory, results);
        if (hash_results(&variant, results) != hash)
            fprintf(stderr, "differs from run to run: %s\n", variant.text);
        fprintf(index, "%llu\t%u\t%u\t%016llx\t%s\t%u\t%s\n", (unsigned long long)offset, variant.stored,
                (unsigned)TENSOR_TOTAL, (unsigned long long)hash, variant.classes, variant.words, variant.text);
        offset += bytes;
    }
    fprintf(stderr, "%llu bytes\n", (unsigned long long)offset);
    if (full)
        fclose(full);
    return fclose(index) | fclose(data);
}
