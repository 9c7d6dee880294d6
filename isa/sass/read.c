/* isa_sass_read(): the listing, then the cubin. */
#include "isa/sass/listing.h"

#include <stdlib.h>
#include <string.h>

#define LISTING_BYTES_MAX (UINT64_C(1) << 30)
#define CUBIN_BYTES_MAX   (UINT64_C(256) << 20)
#define ARENA_BYTES_MAX   (UINT64_C(4) << 30)

/* Control bits, constant bank 0 and .nv.info are those of one architecture. */
static bool is_known_target(const char *target)
{
    return target == NULL || strcmp(target, "sm_90") == 0 || strcmp(target, "sm_90a") == 0;
}

static enum base_status read_module(struct isa_module *module, const char *name, const char *text, size_t size,
                                    const char *cubin_name, const uint8_t *cubin, size_t cubin_size,
                                    struct base_diags *diags)
{
    base_arena_init(&module->arena, ARENA_BYTES_MAX);
    module->source.name = base_arena_strndup(&module->arena, name, strlen(name));
    module->source.text = base_arena_strndup(&module->arena, text, size);
    module->source.size = size;
    module->form = ISA_FORM_SASS;
    module->address_bits = 64;
    if (module->source.name == NULL || module->source.text == NULL)
        return BASE_NOMEM;
    enum base_status status = sass_listing_read(module, diags);
    if (status == BASE_OK && module->function_count == 0) {
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0,
                      "%s: no function of machine code in it (expected the output of cuobjdump -sass or nvdisasm -hex)",
                      name);
        status = BASE_INVALID;
    }
    if (status == BASE_OK && !is_known_target(module->target)) {
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0, "%s: machine code of %s is not supported; that of sm_90 is", name,
                      module->target);
        status = BASE_UNSUPPORTED;
    }
    if (status == BASE_OK && cubin_size > 0)
        status = sass_cubin_apply(module, cubin_name, cubin, cubin_size, diags);
    return status;
}

enum base_status isa_sass_read(const char *name, const char *text, size_t size, const char *cubin_name,
                               const uint8_t *cubin, size_t cubin_size, struct isa_module **out,
                               struct base_diags *diags)
{
    *out = NULL;
    if (size > LISTING_BYTES_MAX || cubin_size > CUBIN_BYTES_MAX) {
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0, "%s: a listing has at most 1 GiB and a cubin at most 256 MiB",
                      name);
        return BASE_INVALID;
    }
    struct isa_module *module = calloc(1, sizeof(*module));
    enum base_status status =
        module == NULL ? BASE_NOMEM : read_module(module, name, text, size, cubin_name, cubin, cubin_size, diags);
    if (status == BASE_NOMEM)
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0, "%s: out of memory, or a module of more than 4 GiB", name);
    if (module != NULL && !base_diags_keep_source(diags, &module->source))
        status = BASE_NOMEM;
    if (status == BASE_OK)
        *out = module;
    else if (module != NULL)
        isa_module_free(module);
    return status;
}
