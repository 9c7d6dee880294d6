/* Runs the kernels of generate.py on the GPU and writes the instruction records: what the card computes, bit for bit.
 *
 * usage: record FOLDER INDEX DATA
 * build: nvcc -O2 -I. -o record validate/ops/record.c validate/ops/operands.c -lcuda
 *
 * FOLDER holds generate.py's variants.txt and ops_N.cubin. The layout of INDEX and DATA is described in
 * validate/records/h200/ops/README.md. */
#include "validate/ops/operands.h"

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP = 500, BLOCK_THREADS = 128, TOTAL_MAX = 384 + 65536, IN_BYTES = 32, OUT_WORDS = 3, CELL_BYTES = 16 };

struct variant {
    unsigned number;
    char classes[64], outputs[32], text[400];
};

struct inputs { /* the operand arrays of one list of classes, kept on the card */
    char classes[64];
    CUdeviceptr address;
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

static CUdeviceptr inputs_of(const char *classes, uint32_t total)
{
    static struct inputs cache[256];
    static size_t count;
    for (size_t i = 0; i < count; i++)
        if (strcmp(cache[i].classes, classes) == 0)
            return cache[i].address;
    uint64_t *host = malloc((size_t)total * IN_BYTES);
    for (uint32_t i = 0; i < total; i++)
        if (!validate_ops_operands(classes, i, host + (size_t)i * VALIDATE_OPS_SLOTS))
            exit(2);
    struct inputs *entry = &cache[count++];
    strcpy(entry->classes, classes);
    check(cuMemAlloc(&entry->address, (size_t)total * IN_BYTES), "cuMemAlloc", NULL);
    check(cuMemcpyHtoD(entry->address, host, (size_t)total * IN_BYTES), "cuMemcpyHtoD", NULL);
    free(host);
    return entry->address;
}

/* The bytes of an output ("d32", "e64", "o"; a predicate takes one byte) and its value in a thread's three words. */
static unsigned output_bytes(const char *output)
{
    return *output == 'd' || *output == 'e' ? (unsigned)atoi(output + 1) / 8 : 1;
}

static uint64_t output_value(const char *output, const uint64_t words[OUT_WORDS])
{
    const unsigned bytes = output_bytes(output);
    const uint64_t word = *output == 'd'   ? words[0]
                          : *output == 'e' ? words[1]
                          : *output == 'o' ? words[2]
                                           : words[2] >> 1;
    if (*output == 'o' || *output == 'p')
        return word & 1;
    return bytes == 8 ? word : word & ((UINT64_C(1) << (bytes * 8)) - 1);
}

static uint64_t hash_results(const struct variant *variant, const uint64_t *results, uint32_t total)
{
    uint64_t hash = VALIDATE_OPS_HASH_BASIS;
    for (uint32_t i = 0; i < total; i++)
        for (const char *output = variant->outputs; *output; output += strcspn(output, ",") + 1) {
            hash = validate_ops_hash(hash, output_value(output, results + (size_t)i * OUT_WORDS));
            if (!strchr(output, ','))
                break;
        }
    return hash;
}

/* Output after output, each an array over the stored tuples, little-endian. */
static uint64_t write_results(const struct variant *variant, const uint64_t *results, uint32_t stored, FILE *data)
{
    uint64_t written = 0;
    for (const char *output = variant->outputs;; output = strchr(output, ',') + 1) {
        const unsigned bytes = output_bytes(output);
        for (uint32_t i = 0; i < stored; i++) {
            const uint64_t value = output_value(output, results + (size_t)i * OUT_WORDS);
            fwrite(&value, bytes, 1, data);
        }
        written += (uint64_t)bytes * stored;
        if (!strchr(output, ','))
            return written;
    }
}

static void run_variant(const struct variant *variant, CUmodule module, uint32_t total, CUdeviceptr out,
                        CUdeviceptr cells, uint64_t *results)
{
    char name[16];
    snprintf(name, sizeof name, "k%u", variant->number);
    CUfunction function;
    check(cuModuleGetFunction(&function, module, name), "cuModuleGetFunction", variant);
    CUdeviceptr in = inputs_of(variant->classes, total);
    void *arguments[] = {&in, &out, &cells, &total};
    check(cuMemsetD8(cells, 0, (size_t)total * CELL_BYTES), "cuMemsetD8", variant);
    check(cuLaunchKernel(function, (total + BLOCK_THREADS - 1) / BLOCK_THREADS, 1, 1, BLOCK_THREADS, 1, 1, 0, NULL,
                         arguments, NULL),
          "cuLaunchKernel", variant);
    check(cuMemcpyDtoH(results, out, (size_t)total * OUT_WORDS * 8), "cuMemcpyDtoH", variant);
}

static int parse_variant(const char *line, struct variant *variant)
{
    return sscanf(line, "%u\t%63[^\t]\t%31[^\t]\t%399[^\n]", &variant->number, variant->classes, variant->outputs,
                  variant->text) == 4;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    char path[512], line[600];
    snprintf(path, sizeof path, "%s/variants.txt", argv[1]);
    FILE *variants = fopen(path, "r"), *index = fopen(argv[2], "w"), *data = fopen(argv[3], "wb");
    if (!variants || !index || !data)
        return 2;
    CUdevice device;
    CUcontext context;
    CUdeviceptr out, cells;
    check(cuInit(0), "cuInit", NULL);
    check(cuDeviceGet(&device, 0), "cuDeviceGet", NULL);
    check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain", NULL);
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent", NULL);
    check(cuMemAlloc(&out, (size_t)TOTAL_MAX * OUT_WORDS * 8), "cuMemAlloc", NULL);
    check(cuMemAlloc(&cells, (size_t)TOTAL_MAX * CELL_BYTES), "cuMemAlloc", NULL);
    uint64_t *results = malloc((size_t)TOTAL_MAX * OUT_WORDS * 8), offset = 0;
    CUmodule module = NULL;
    struct variant variant;
    while (fgets(line, sizeof line, variants) && parse_variant(line, &variant)) {
        if (variant.number % GROUP == 0) {
            snprintf(path, sizeof path, "%s/ops_%u.cubin", argv[1], variant.number / GROUP);
            check(cuModuleLoad(&module, path), path, NULL);
        }
        struct validate_ops_counts counts;
        if (!validate_ops_counts(variant.classes, &counts))
            return 2;
        run_variant(&variant, module, counts.total, out, cells, results);
        const uint64_t hash = hash_results(&variant, results, counts.total);
        const uint64_t first = offset;
        offset += write_results(&variant, results, counts.stored, data);
        run_variant(&variant, module, counts.total, out, cells, results);
        if (hash_results(&variant, results, counts.total) != hash)
            fprintf(stderr, "differs from run to run: %s\n", variant.text);
        fprintf(index, "%llu\t%u\t%u\t%016llx\t%s\t%s\t%s\n", (unsigned long long)first, counts.stored, counts.total,
                (unsigned long long)hash, variant.classes, variant.outputs, variant.text);
    }
    fprintf(stderr, "%llu bytes\n", (unsigned long long)offset);
    return fclose(index) | fclose(data);
}
