/* isa_ptx_read(): the parser, then the passes that every module goes through. */
#include "isa/ptx/parse.h"

#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX  (UINT64_C(256) << 20)
#define ARENA_BYTES_MAX (UINT64_C(4) << 30)

static struct isa_module *new_module(const char *name, const char *text, size_t size)
{
    struct isa_module *module = calloc(1, sizeof *module);
    if (!module)
        return NULL;
    base_arena_init(&module->arena, ARENA_BYTES_MAX);
    module->source.name = base_arena_strndup(&module->arena, name, strlen(name));
    module->source.text = base_arena_strndup(&module->arena, text, size);
    module->source.size = size;
    module->form = ISA_FORM_PTX;
    module->address_bits = 32;
    if (module->source.name && module->source.text)
        return module;
    isa_module_free(module);
    return NULL;
}

static void free_parser(struct ptx_parser *parser)
{
    for (size_t i = 0; i <= PTX_DEPTH_MAX; i++)
        ptx_scope_free(&parser->scopes[i]);
    base_vec_free(&parser->functions);
    base_vec_free(&parser->vars);
    base_vec_free(&parser->files);
    base_vec_free(&parser->locs);
    base_vec_free(&parser->reg_params);
    base_vec_free(&parser->operands);
    base_vec_free(&parser->fixups);
    struct ptx_body *body = &parser->body;
    base_vec_free(&body->insns);
    base_vec_free(&body->operands);
    base_vec_free(&body->regs);
    base_vec_free(&body->reg_family);
    base_vec_free(&body->reg_next);
    base_vec_free(&body->families);
    base_vec_free(&body->labels);
    base_vec_free(&body->tables);
    base_vec_free(&body->table_function_level);
    base_vec_free(&body->locals);
    base_vec_free(&body->fixups);
    free(parser);
}

static enum base_status parse(struct isa_module *module, struct base_diags *diags)
{
    struct ptx_parser *parser = calloc(1, sizeof *parser);
    if (!parser)
        return BASE_NOMEM;
    parser->module = module;
    parser->diags = diags;
    parser->lexer = (struct ptx_lexer){.source = &module->source, .line = 1};
    ptx_words_init(&parser->words);
    const bool good = ptx_parse_module(parser) && ptx_finish_module(parser);
    const enum base_status status = good ? BASE_OK : parser->no_memory ? BASE_NOMEM : BASE_INVALID;
    free_parser(parser);
    return status;
}

enum base_status isa_ptx_read(const char *name, const char *text, size_t size, struct isa_module **out,
                              struct base_diags *diags)
{
    *out = NULL;
    if (size > FILE_BYTES_MAX) {
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0, "%s: a PTX text has at most 256 MiB", name);
        return BASE_INVALID;
    }
    struct isa_module *module = new_module(name, text, size);
    if (!module) {
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0, "%s: out of memory", name);
        return BASE_NOMEM;
    }
    enum base_status status = parse(module, diags);
    if (status == BASE_OK)
        status = isa_verify(module, diags);
    if (status == BASE_OK)
        status = isa_converge(module);
    if (status == BASE_NOMEM)
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0, "%s: out of memory, or a module of more than 4 GiB", name);
    if (!base_diags_keep_source(diags, &module->source))
        status = BASE_NOMEM;
    if (status == BASE_OK)
        *out = module;
    else
        isa_module_free(module);
    return status;
}
