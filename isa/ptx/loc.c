/* Where an instruction comes from: .loc, and for what a compiler inlined the place that a reader knows.
 *
 * A call of __syncthreads() or of a cooperative group leaves lines of CUDA's own headers, each with the place that it
 * is inlined at. Such a line says nothing to the kernel's author: the nearest place up the chain that is not in one of
 * those headers is told instead. Files get their names at the end of the text, so the choice is made there. */
#include "isa/ptx/parse.h"

#include <stdlib.h>
#include <string.h>

enum { CHAIN_LOOKED_AT = 64 }; /* a caller's own .loc stands just before its callee's */

static bool parse_place(struct ptx_parser *parser, struct ptx_loc *loc)
{
    *loc = (struct ptx_loc){0};
    return ptx_parse_u32(parser, "a file number", &loc->file) && ptx_parse_u32(parser, "a line number", &loc->line) &&
           (parser->token.kind != PTX_INT || ptx_parse_u32(parser, "a column number", &loc->column));
}

/* The number + 1 of a place, made when it is not among the last ones; 0 without memory. */
static uint32_t find_place(struct ptx_parser *parser, const struct ptx_loc *wanted)
{
    size_t count = parser->locs.count;
    for (size_t i = count; i > 0 && count - i < CHAIN_LOOKED_AT; i--) {
        const struct ptx_loc *loc = &parser->locs.data[i - 1];
        if (loc->file == wanted->file && loc->line == wanted->line && loc->column == wanted->column)
            return (uint32_t)i;
    }
    if (count >= UINT32_MAX - 1 || !base_vec_push(&parser->locs, *wanted)) {
        ptx_no_memory(parser);
        return 0;
    }
    return (uint32_t)count + 1;
}

/* .loc FILE LINE COLUMN [, function_name LABEL [+ N], inlined_at FILE LINE COLUMN] */
bool ptx_parse_loc(struct ptx_parser *parser)
{
    struct ptx_loc loc, caller = {0};
    ptx_next(parser);
    if (!parse_place(parser, &loc))
        return false;
    while (ptx_accept(parser, ',')) {
        int64_t ignored_addend = 0;
        if (ptx_accept_word(parser, "inlined_at")) {
            if (!parse_place(parser, &caller))
                return false;
        } else if (ptx_accept_word(parser, "function_name") && parser->token.kind == PTX_IDENT) {
            ptx_next(parser);
            if (!ptx_parse_addends(parser, &ignored_addend))
                return false;
        } else {
            return ptx_error(parser, "expected function_name or inlined_at");
        }
    }
    ptx_accept(parser, ';');
    parser->body.loc = 0;
    parser->body.loc_line = loc.line;
    if (loc.line == 0)
        return true;
    if (caller.line > 0) {
        loc.caller = find_place(parser, &caller);
        if (loc.caller == 0)
            return false;
    }
    if (parser->locs.count >= UINT32_MAX - 1 || !base_vec_push(&parser->locs, loc))
        return ptx_no_memory(parser);
    parser->body.loc = (uint32_t)parser->locs.count;
    return true;
}

/* A header of CUDA's or of the compiler's, by where such headers are installed. */
static bool is_toolkit_header(const char *name)
{
    static const char *const places[] = {"/targets/", "/usr/local/cuda", "/nvidia/cu", "/lib/clang/"};
    const char *include = strstr(name, "/include/");
    for (size_t i = 0; include && i < sizeof(places) / sizeof(places[0]); i++) {
        const char *place = strstr(name, places[i]);
        if (place && place < include)
            return true;
    }
    return strncmp(name, "/usr/include/", 13) == 0;
}

struct file_kind {
    uint32_t key;
    bool toolkit;
};

static int compare_keys(const void *a, const void *b)
{
    const struct file_kind *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

static bool is_in_toolkit(const struct file_kind *kinds, size_t count, uint32_t key)
{
    const struct file_kind wanted = {.key = key};
    const struct file_kind *found = count ? bsearch(&wanted, kinds, count, sizeof *kinds, compare_keys) : NULL;
    return found && found->toolkit;
}

bool ptx_finish_locs(struct ptx_parser *parser)
{
    struct isa_module *module = parser->module;
    size_t count = parser->files.count;
    struct file_kind *kinds = calloc(count + 1, sizeof *kinds);
    if (!kinds)
        return ptx_no_memory(parser);
    for (size_t i = 0; i < count; i++)
        kinds[i] = (struct file_kind){parser->files.data[i].key, is_toolkit_header(parser->files.data[i].name)};
    qsort(kinds, count, sizeof *kinds, compare_keys);
    for (uint32_t i = 0; i < parser->locs.count; i++) { /* callers come before those that they call */
        struct ptx_loc *loc = &parser->locs.data[i];
        bool goes_up = loc->caller > 0 && is_in_toolkit(kinds, count, loc->file);
        loc->shown = goes_up ? parser->locs.data[loc->caller - 1].shown : i;
    }
    for (size_t f = 0; f < module->function_count; f++)
        for (size_t i = 0; i < module->functions[f].insn_count; i++) {
            struct isa_insn *insn = &module->functions[f].insns[i];
            if (insn->loc_file == 0)
                continue;
            const struct ptx_loc *loc = &parser->locs.data[parser->locs.data[insn->loc_file - 1].shown];
            insn->loc_file = loc->file;
            insn->loc_line = loc->line;
        }
    free(kinds);
    return true;
}
