/* The part of the CUDA driver that cuda/runner calls, with the simulator as its GPU: so that the runner can be tested
 * where where there is none. PTX only. A fault spoils the process's context, as on a GPU: every later call fails. */
#include "sim/sim.h"

#include <cuda.h>
#include <stdlib.h>
#include <string.h>

struct CUmod_st {
    struct isa_module *module;
    char *text;
    struct CUfunc_st *functions;
};

struct CUfunc_st {
    struct CUmod_st *owner;
    uint32_t index;
};

/* One process has one GPU. */
static struct {
    struct sim_memory memory;
    struct sim_symbol_fill symbols[16];
    size_t symbol_count;
    bool spoilt;
} gpu;

CUresult cuInit(unsigned flags)
{
    (void)flags;
    sim_memory_init(&gpu.memory, 0);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    (void)device;
    *context = NULL;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    (void)context;
    return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char **name)
{
    *name = error == CUDA_ERROR_LAUNCH_FAILED ? "CUDA_ERROR_LAUNCH_FAILED" : "another error";
    return CUDA_SUCCESS;
}

static CUresult context(void)
{
    return gpu.spoilt ? CUDA_ERROR_LAUNCH_FAILED : CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void)
{
    return context();
}

CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes)
{
    uint64_t made = 0;
    if (sim_memory_alloc(&gpu.memory, bytes, "a buffer", &made) != BASE_OK)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *address = made;
    return context();
}

CUresult cuMemFree(CUdeviceptr address)
{
    sim_memory_release(&gpu.memory, address);
    return context();
}

CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes)
{
    const uint8_t *data = sim_memory_at(&gpu.memory, from, bytes);
    if (!data)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(to, data, bytes);
    return context();
}

/* A variable's address is its number in the module: it has none before the launch. */
CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes)
{
    if (to < SIM_GLOBAL_BASE) {
        struct sim_symbol_fill *fill = &gpu.symbols[gpu.symbol_count++];
        *fill = (struct sim_symbol_fill){.var = (uint32_t)to, .data = malloc(bytes), .size_bytes = bytes};
        memcpy(fill->data, from, bytes);
        return context();
    }
    uint8_t *data = sim_memory_at(&gpu.memory, to, bytes);
    if (!data)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(data, from, bytes);
    return context();
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, CUjit_option *options, void **values)
{
    (void)count, (void)options, (void)values;
    struct CUmod_st *m = calloc(1, sizeof(*m));
    m->text = strdup(image);
    if (isa_ptx_read("fake", m->text, strlen(m->text), &m->module, NULL) != BASE_OK) {
        free(m->text);
        free(m);
        return CUDA_ERROR_INVALID_PTX;
    }
    m->functions = calloc(m->module->function_count, sizeof(*m->functions));
    for (uint32_t f = 0; f < m->module->function_count; f++)
        m->functions[f] = (struct CUfunc_st){m, f};
    *module = m;
    return context();
}

CUresult cuModuleUnload(CUmodule module)
{
    for (size_t i = 0; i < gpu.symbol_count; i++)
        free(gpu.symbols[i].data);
    gpu.symbol_count = 0;
    isa_module_free(module->module);
    free(module->functions);
    free(module->text);
    free(module);
    return context();
}

CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)
{
    for (size_t i = 0; i < module->module->var_count; i++) {
        const struct isa_var *var = &module->module->vars[i];
        if (strcmp(var->name, name) == 0) {
            *address = i;
            *bytes = (size_t)var->size_bytes;
            return context();
        }
    }
    return CUDA_ERROR_NOT_FOUND;
}

static bool is_kernel(const struct CUfunc_st *function)
{
    return function->owner->module->functions[function->index].is_entry;
}

CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule module)
{
    *count = 0;
    for (size_t f = 0; f < module->module->function_count; f++)
        *count += is_kernel(&module->functions[f]);
    return context();
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned count, CUmodule module)
{
    for (size_t f = 0; f < module->module->function_count && count > 0; f++)
        if (is_kernel(&module->functions[f])) {
            *functions++ = &module->functions[f];
            count--;
        }
    return context();
}

CUresult cuFuncGetName(const char **name, CUfunction function)
{
    *name = function->owner->module->functions[function->index].name;
    return context();
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    for (size_t f = 0; f < module->module->function_count; f++)
        if (strcmp(module->module->functions[f].name, name) == 0) {
            *function = &module->functions[f];
            return context();
        }
    return CUDA_ERROR_NOT_FOUND;
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size)
{
    const struct isa_module *module = function->owner->module;
    const struct isa_function *kernel = &module->functions[function->index];
    if (index >= kernel->param_count)
        return CUDA_ERROR_INVALID_VALUE;
    *offset = (size_t)module->vars[kernel->params[index]].offset;
    *size = (size_t)module->vars[kernel->params[index]].size_bytes;
    return context();
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
    (void)attribute, (void)function;
    *value = 0;
    return context();
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
    (void)attribute, (void)function, (void)value;
    return context();
}

/* Checked as the driver does: dynamic shared memory, a cluster and cooperation come in by the configuration alone. */
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params, void **extra)
{
    (void)params;
    struct sim_launch_text launch = {.name = "fake", .file = "fake", .carveout_percent = -1};
    memcpy(launch.grid, (uint32_t[]){config->gridDimX, config->gridDimY, config->gridDimZ}, sizeof(launch.grid));
    memcpy(launch.block, (uint32_t[]){config->blockDimX, config->blockDimY, config->blockDimZ}, sizeof(launch.block));
    memcpy(launch.cluster, (uint32_t[]){1, 1, 1}, sizeof(launch.cluster));
    launch.shared_bytes = config->sharedMemBytes;
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const CUlaunchAttributeValue *value = &config->attrs[i].value;
        launch.cooperative = launch.cooperative || config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
        if (config->attrs[i].id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
            continue;
        launch.has_cluster = true;
        memcpy(launch.cluster, (uint32_t[]){value->clusterDim.x, value->clusterDim.y, value->clusterDim.z},
               sizeof(launch.cluster));
    }
    struct sim_bound bound = {.params = extra[1],
                              .param_bytes = (uint32_t) * (size_t *)extra[3],
                              .symbols = gpu.symbols,
                              .symbol_count = gpu.symbol_count};
    struct sim_options options = {.device = sim_device_find("h200"), .max_instructions = SIM_MAX_INSTRUCTIONS_DEFAULT};
    struct sim_report report = {0};
    enum base_status status =
        sim_run(function->owner->module, function->index, &launch, &bound, &gpu.memory, &options, &report, NULL);
    gpu.spoilt = status == BASE_OK && report.status == SIM_RUN_FAULT;
    sim_report_free(&report);
    return status == BASE_OK ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
