/* See launch.h. In order: files, the module and its kernel, buffers, parameters, the launch itself.
 *
 * Every step returns false after it has put its message, and the steps after it are left out. A CUDA error of the
 * launch or of what waits for it is the kernel's; all others make the launch invalid. */
#include "cuda/launch.h"

#include "isa/isa.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Blocks of a cluster that every GPU with clusters takes; shared bytes of a block that need no asking. */
enum { PORTABLE_CLUSTER = 8, PORTABLE_SHARED_BYTES = 48 * 1024, PARAMS_MAX_BYTES = 32764, VALUES_MAX = 9 };

/* What an argument needs on the host and on the device. */
struct arg_state {
    uint8_t *contents; /* as INIT says; NULL for `none` */
    uint64_t size_bytes;
    CUdeviceptr address; /* 0: no buffer */
    bool owned;          /* not shared */
    uint64_t hash;       /* after the first run */
};

struct launch {
    const struct gpu_options *options;
    const struct sim_launch_text *text;
    struct gpu_named *named;
    size_t named_count;
    char *message;
    size_t message_size;
    char *path, *code; /* FILE and what it holds */
    struct arg_state *args;
    CUmodule module;
    CUfunction function;
    uint8_t params[PARAMS_MAX_BYTES];
    size_t param_bytes;
    bool faulted;
};

static bool fail(struct launch *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(struct launch *l, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(l->message, l->message_size, format, values);
    va_end(values);
    return false;
}

static bool good(struct launch *l, CUresult result, const char *what)
{
    const char *name = NULL;
    if (result == CUDA_SUCCESS)
        return true;
    cuGetErrorName(result, &name);
    return fail(l, "%s: %s", what, name ? name : "an error without a name");
}

/* ---- Files ---- */

char *gpu_file_read(const char *path, size_t *size_bytes, char *message, size_t message_size)
{
    FILE *stream = fopen(path, "rb");
    char *data = NULL;
    size_t count = 0, capacity = 0, got = 0;
    bool ok = stream != NULL;
    do {
        if (ok && capacity - count < 65536) {
            capacity = 2 * capacity + 65537;
            char *more = realloc(data, capacity);
            ok = more != NULL;
            data = ok ? more : data;
        }
        got = ok ? fread(data + count, 1, capacity - count - 1, stream) : 0;
        count += got;
    } while (got > 0);
    if (!ok || ferror(stream)) {
        snprintf(message, message_size, "%s: %s", path, strerror(errno));
        free(data);
        data = NULL;
    } else {
        data[count] = '\0';
        *size_bytes = count;
    }
    if (stream)
        fclose(stream);
    return data;
}

static char *beside_list(const struct launch *l, const char *file)
{
    const char *folder = file[0] == '/' ? "" : l->options->folder;
    char *path = NULL;
    return asprintf(&path, "%s%s", folder, file) < 0 ? NULL : path;
}

/* FILE with another extension; the listing of machine code stands for its cubin. */
static char *module_path(const struct launch *l)
{
    const char *file = l->text->file, *dot = strrchr(file, '.'), *form = l->options->form;
    char *whole = NULL, *path;
    if (!form && dot && strcmp(dot, ".sass") == 0)
        form = "cubin";
    if (!form || !dot)
        return beside_list(l, file);
    if (asprintf(&whole, "%.*s.%s", (int)(dot - file), file, form) < 0)
        return NULL;
    path = beside_list(l, whole);
    free(whole);
    return path;
}

/* Exactly `size_bytes` of a file that an INIT names. */
static bool read_exactly(struct launch *l, const char *file, uint8_t *data, uint64_t size_bytes)
{
    size_t got = 0;
    char *path = beside_list(l, file);
    char *contents = path ? gpu_file_read(path, &got, l->message, l->message_size) : NULL;
    bool fits = contents && got == size_bytes;
    if (fits)
        memcpy(data, contents, got);
    else if (contents)
        fail(l, "%s has %zu bytes where %" PRIu64 " are needed", path, got, size_bytes);
    free(contents);
    free(path);
    return fits;
}

/* ---- The module ---- */

static bool load_module(struct launch *l)
{
    static const char hint[] = " (only PTX and machine code can be loaded)";
    char log[2048] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof(log)};
    if (!good(l, cuModuleLoadDataEx(&l->module, l->code, 2, options, values), "cuModuleLoadDataEx")) {
        char *first = strdup(l->message);
        fail(l, "%s: %s%s%s", l->path, first ? first : "", log[0] ? "\n" : hint, log);
        free(first);
        return false;
    }
    return true;
}

/* The one function whose mangled name is the plain one. */
static bool find_by_plain_name(struct launch *l)
{
    unsigned count = 0, matches = 0;
    if (!good(l, cuModuleGetFunctionCount(&count, l->module), "cuModuleGetFunctionCount"))
        return false;
    CUfunction *functions = calloc(count + 1u, sizeof(CUfunction));
    bool ok =
        functions && good(l, cuModuleEnumerateFunctions(functions, count, l->module), "cuModuleEnumerateFunctions");
    for (unsigned i = 0; ok && i < count; i++) {
        const char *name = NULL;
        ok = good(l, cuFuncGetName(&name, functions[i]), "cuFuncGetName");
        if (ok && isa_name_matches(name, l->text->kernel)) {
            l->function = functions[i];
            matches++;
        }
    }
    free(functions);
    if (ok && matches != 1)
        return fail(l, "%s: %u kernels are called %s", l->path, matches, l->text->kernel);
    return ok;
}

static bool find_function(struct launch *l)
{
    CUresult result = cuModuleGetFunction(&l->function, l->module, l->text->kernel);
    return result == CUDA_ERROR_NOT_FOUND ? find_by_plain_name(l) : good(l, result, "cuModuleGetFunction");
}

/* ---- Buffers ---- */

static uint64_t element_bytes(uint8_t type)
{
    return isa_types[type].bits / 8u;
}

static bool is_buffer(const struct sim_arg *arg)
{
    return arg->kind == SIM_ARG_BUFFER || arg->kind == SIM_ARG_NUMBA;
}

/* `data` is zero before. */
static bool fill(struct launch *l, const struct sim_init *init, uint8_t type, uint64_t count, uint8_t *data)
{
    if (init->kind == SIM_INIT_FILE)
        return read_exactly(l, init->path, data, count * element_bytes(type));
    sim_init_fill(init, type, count, data);
    return true;
}

static struct gpu_named *find_named(const struct launch *l, const char *name)
{
    for (size_t i = 0; i < l->named_count; i++)
        if (strcmp(l->named[i].name, name) == 0)
            return &l->named[i];
    return NULL;
}

static bool allocate(struct launch *l, const struct sim_arg *arg, struct arg_state *state)
{
    struct gpu_named *named = arg->name ? find_named(l, arg->name) : NULL;
    const struct sim_init *init = named ? &named->first->init : &arg->init;
    if (named && (named->first->type != arg->type || named->size_bytes != state->size_bytes))
        return fail(l, "@%s is %s[%" PRIu64 "] where it is used first", arg->name, isa_types[named->first->type].name,
                    named->first->count);
    CUdeviceptr *address = named ? &named->address : &state->address;
    if (!*address && !good(l, cuMemAlloc(address, (size_t)state->size_bytes), "cuMemAlloc"))
        return false;
    state->address = *address;
    state->owned = !named;
    if (named && *named->filled)
        memcpy(state->contents, named->contents, (size_t)state->size_bytes);
    else if (init->kind != SIM_INIT_NONE)
        return fill(l, init, arg->type, arg->count, state->contents);
    else {
        free(state->contents);
        state->contents = NULL;
    }
    return true;
}

/* Buffers and structures: what INIT says, made once for all runs. */
static bool prepare_args(struct launch *l)
{
    l->args = calloc(l->text->arg_count + 1, sizeof(*l->args));
    if (!l->args)
        return fail(l, "out of memory");
    for (size_t i = 0; i < l->text->arg_count; i++) {
        const struct sim_arg *arg = &l->text->args[i];
        struct arg_state *state = &l->args[i];
        if (!is_buffer(arg) && arg->kind != SIM_ARG_BYTES)
            continue;
        state->size_bytes = arg->count * element_bytes(arg->type);
        state->contents = calloc(1, (size_t)state->size_bytes);
        if (!state->contents)
            return fail(l, "out of memory");
        if (is_buffer(arg) ? !allocate(l, arg, state) : !read_exactly(l, arg->init.path, state->contents, arg->count))
            return false;
    }
    return true;
}

static bool upload(struct launch *l)
{
    for (size_t i = 0; i < l->text->arg_count; i++) {
        const struct arg_state *state = &l->args[i];
        if (state->address && state->contents &&
            !good(l, cuMemcpyHtoD(state->address, state->contents, (size_t)state->size_bytes), "cuMemcpyHtoD"))
            return false;
    }
    return true;
}

/* Machine code does not know the types of its variables; the PTX does, of itself or beside it. */
static bool symbol_type(struct launch *l, const char *name, uint8_t *type)
{
    size_t size = 0, stem = (size_t)(strrchr(l->path, '.') - l->path);
    char *path = NULL;
    struct isa_module *module = NULL;
    if (asprintf(&path, "%.*s.ptx", (int)stem, l->path) < 0)
        return fail(l, "out of memory");
    char *text = gpu_file_read(path, &size, l->message, l->message_size);
    bool found = false;
    if (text && isa_ptx_read(path, text, size, &module, NULL) == BASE_OK) {
        for (size_t i = 0; i < module->var_count && !found; i++) {
            found = strcmp(module->vars[i].name, name) == 0;
            *type = sim_symbol_type(module->vars[i].type);
        }
        isa_module_free(module);
    }
    free(text);
    free(path);
    return found || fail(l, "the type of variable %s is not known: no PTX beside %s declares it", name, l->path);
}

static bool fill_symbol(struct launch *l, const struct sim_arg *arg)
{
    CUdeviceptr address = 0;
    size_t size = 0;
    uint8_t type = ISA_TYPE_U8;
    struct sim_init init;
    char why[96];
    if (!good(l, cuModuleGetGlobal(&address, &size, l->module, arg->name), arg->name))
        return false;
    bool any_type = arg->init.kind == SIM_INIT_ZERO || arg->init.kind == SIM_INIT_FILE;
    if (!any_type && !symbol_type(l, arg->name, &type))
        return false;
    if (!sim_symbol_init(arg, type, &init, why, sizeof why))
        return fail(l, "%s: '%s' %s", arg->name, init.path, why);
    uint8_t *data = calloc(1, size);
    bool ok = data && fill(l, &init, type, size / element_bytes(type), data) &&
              good(l, cuMemcpyHtoD(address, data, size), "cuMemcpyHtoD");
    free(data);
    return ok;
}

static bool fill_symbols(struct launch *l)
{
    for (size_t i = 0; i < l->text->arg_count; i++)
        if (l->text->args[i].kind == SIM_ARG_SYMBOL && !fill_symbol(l, &l->text->args[i]))
            return false;
    return true;
}

/* ---- Parameters ---- */

/* The values that an argument passes, in words; a structure's bytes are taken from its contents. */
static size_t values_of(struct launch *l, size_t index, uint64_t values[VALUES_MAX])
{
    const struct sim_arg *arg = &l->text->args[index];
    const uint64_t item = element_bytes(arg->type), address = l->args[index].address;
    switch (arg->kind) {
    case SIM_ARG_SYMBOL:
        return 0;
    case SIM_ARG_SCALAR:
        values[0] = arg->value;
        return 1;
    case SIM_ARG_POINTER:
        if (arg->target < l->text->arg_count)
            values[0] = l->args[arg->target].address + arg->pointer_offset_bytes;
        return 1;
    case SIM_ARG_NUMBA: /* meminfo, parent, elements, their size, data, shape, strides */
        memcpy(values, (uint64_t[VALUES_MAX]){0, 0, arg->count, item, address, arg->rows, item},
               VALUES_MAX * sizeof(*values));
        if (!arg->columns)
            return 7;
        memcpy(values + 6, (uint64_t[3]){arg->columns, arg->columns * item, item}, 3 * sizeof(*values));
        return 9;
    default:
        values[0] = address;
        return 1;
    }
}

static uint64_t value_bytes(const struct sim_arg *arg)
{
    if (arg->kind == SIM_ARG_BYTES)
        return arg->count;
    return arg->kind == SIM_ARG_SCALAR ? element_bytes(arg->type) : sizeof(uint64_t);
}

static bool bad_pointer(const struct launch *l, const struct sim_arg *arg)
{
    return arg->kind == SIM_ARG_POINTER &&
           (arg->target >= l->text->arg_count || !is_buffer(&l->text->args[arg->target]));
}

static bool place_params(struct launch *l)
{
    size_t param = 0, offset = 0, size = 0;
    for (size_t i = 0; i < l->text->arg_count; i++) {
        const struct sim_arg *arg = &l->text->args[i];
        uint64_t values[VALUES_MAX] = {0};
        size_t count = values_of(l, i, values);
        if (bad_pointer(l, arg))
            return fail(l, "%s: argument %" PRIu32 " is not a buffer", arg->text, arg->target);
        for (size_t v = 0; v < count; v++, param++) {
            if (cuFuncGetParamInfo(l->function, param, &offset, &size) != CUDA_SUCCESS)
                return fail(l, "the kernel has only %zu parameters", param);
            if (size != value_bytes(arg) || offset + size > sizeof l->params)
                return fail(l, "argument %zu gives %" PRIu64 " bytes where parameter %zu has %zu", i, value_bytes(arg),
                            param, size);
            memcpy(l->params + offset, arg->kind == SIM_ARG_BYTES ? l->args[i].contents : (uint8_t *)&values[v], size);
            l->param_bytes = offset + size;
        }
    }
    if (cuFuncGetParamInfo(l->function, param, &offset, &size) == CUDA_SUCCESS)
        return fail(l, "%zu parameters are given, the kernel has more", param);
    return true;
}

/* ---- The launch ---- */

static bool set_attribute(struct launch *l, CUfunction_attribute attribute, int value, const char *what)
{
    return good(l, cuFuncSetAttribute(l->function, attribute, value), what);
}

static bool set_attributes(struct launch *l)
{
    const struct sim_launch_text *t = l->text;
    int static_bytes = 0;
    if (!good(l, cuFuncGetAttribute(&static_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, l->function), "shared size"))
        return false;
    if (t->shared_bytes > INT32_MAX)
        return fail(l, "so much shared memory has no GPU");
    if (t->shared_bytes + (uint64_t)static_bytes > PORTABLE_SHARED_BYTES &&
        !set_attribute(l, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)t->shared_bytes, "shared memory"))
        return false;
    if (t->carveout_percent >= 0 &&
        !set_attribute(l, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, t->carveout_percent, "carve-out"))
        return false;
    uint64_t cluster = (uint64_t)t->cluster[0] * t->cluster[1] * t->cluster[2];
    return !t->has_cluster || cluster <= PORTABLE_CLUSTER ||
           set_attribute(l, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1, "cluster of more than 8 blocks");
}

/* A cluster's size that stands in the code already is not given again. */
static bool cluster_in_code(const struct launch *l)
{
    static const CUfunction_attribute axes[] = {CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
                                                CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT,
                                                CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH};
    for (size_t axis = 0; axis < 3; axis++) {
        int blocks = 0;
        if (cuFuncGetAttribute(&blocks, axes[axis], l->function) != CUDA_SUCCESS ||
            (uint32_t)blocks != l->text->cluster[axis])
            return false;
    }
    return true;
}

static bool start_and_wait(struct launch *l)
{
    const struct sim_launch_text *t = l->text;
    CUlaunchAttribute attributes[2];
    CUlaunchConfig config = {
        t->grid[0], t->grid[1], t->grid[2], t->block[0], t->block[1], t->block[2], (unsigned)t->shared_bytes,
        NULL,       attributes, 0};
    if (t->has_cluster && !cluster_in_code(l)) {
        CUlaunchAttribute *cluster = &attributes[config.numAttrs++];
        cluster->id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        cluster->value.clusterDim.x = t->cluster[0];
        cluster->value.clusterDim.y = t->cluster[1];
        cluster->value.clusterDim.z = t->cluster[2];
    }
    if (t->cooperative) {
        CUlaunchAttribute *cooperative = &attributes[config.numAttrs++];
        cooperative->id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
        cooperative->value.cooperative = 1;
    }
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, l->params, CU_LAUNCH_PARAM_BUFFER_SIZE, &l->param_bytes,
                     CU_LAUNCH_PARAM_END};
    if (!good(l, cuLaunchKernelEx(&config, l->function, NULL, extra), "cuLaunchKernelEx"))
        return false;
    l->faulted = !good(l, cuCtxSynchronize(), "kernel");
    return !l->faulted;
}

static bool dump(struct launch *l, size_t index, const uint8_t *data)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s.arg%zu.bin", l->options->dump, l->text->name, index) < 0)
        return fail(l, "out of memory");
    FILE *stream = fopen(path, "wb");
    size_t size = (size_t)l->args[index].size_bytes;
    bool ok = stream && fwrite(data, 1, size, stream) == size;
    ok = (!stream || fclose(stream) == 0) && ok;
    if (!ok)
        fail(l, "%s: %s", path, strerror(errno));
    free(path);
    return ok;
}

static bool tell_buffer(struct launch *l, size_t index, unsigned run)
{
    struct arg_state *state = &l->args[index];
    uint8_t *data = malloc((size_t)state->size_bytes);
    if (!data)
        return fail(l, "out of memory");
    bool ok = good(l, cuMemcpyDtoH(data, state->address, (size_t)state->size_bytes), "cuMemcpyDtoH");
    if (ok) {
        uint64_t hash = sim_fnv1a64(data, state->size_bytes);
        if (run == 0)
            state->hash = hash;
        if (run == 0 || hash != state->hash)
            printf("%s arg%zu bytes=%" PRIu64 " fnv=%016" PRIx64, l->text->name, index, state->size_bytes, hash);
        if (run > 0 && hash != state->hash)
            printf(" run=%u", run + 1);
        if (run == 0 || hash != state->hash)
            putchar('\n');
        ok = !l->options->dump || run > 0 || dump(l, index, data);
        if (!state->owned && run + 1 == l->options->repeat) {
            struct gpu_named *named = find_named(l, l->text->args[index].name);
            memcpy(named->contents, data, (size_t)state->size_bytes);
            *named->filled = true;
        }
    }
    free(data);
    return ok;
}

/* A module of its own for each run: its variables are as the file has them. */
static bool run_once(struct launch *l, unsigned run)
{
    bool ok = load_module(l);
    if (!ok)
        return false;
    ok = find_function(l) && place_params(l) && set_attributes(l) && upload(l) && fill_symbols(l) && start_and_wait(l);
    for (size_t i = 0; ok && i < l->text->arg_count; i++)
        if (l->args[i].address)
            ok = tell_buffer(l, i, run);
    if (!l->faulted)
        ok = good(l, cuModuleUnload(l->module), "cuModuleUnload") && ok;
    return ok;
}

static void release(struct launch *l)
{
    for (size_t i = 0; l->args && i < l->text->arg_count; i++) {
        free(l->args[i].contents);
        if (l->args[i].owned && l->args[i].address && !l->faulted)
            cuMemFree(l->args[i].address);
    }
    free(l->args);
    free(l->code);
    free(l->path);
}

enum gpu_outcome gpu_launch_run(const struct gpu_options *options, const struct sim_launch_text *text,
                                struct gpu_named *named, size_t named_count, char *message, size_t message_size)
{
    struct launch *l = calloc(1, sizeof(*l));
    size_t size = 0;
    if (!l) {
        snprintf(message, message_size, "out of memory");
        return GPU_INVALID;
    }
    *l = (struct launch){.options = options,
                         .text = text,
                         .named = named,
                         .named_count = named_count,
                         .message = message,
                         .message_size = message_size};
    l->path = module_path(l);
    l->code = l->path ? gpu_file_read(l->path, &size, message, message_size) : NULL;
    bool ok = l->code && prepare_args(l);
    for (unsigned run = 0; ok && run < options->repeat; run++)
        ok = run_once(l, run);
    enum gpu_outcome outcome = ok ? GPU_DONE : l->faulted ? GPU_FAULT : GPU_INVALID;
    release(l);
    free(l);
    return outcome;
}
