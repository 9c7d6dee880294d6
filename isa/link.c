/* What one kernel needs: the functions and variables it can reach, and where they lie.
 *
 * isa_link() follows, from the kernel's entry, every instruction that control flow can reach. Functions are reached
 * when such an instruction names them (a call, or a mov of their address) or a table of call targets does. A call
 * through a bare prototype can go to any function whose address was taken: by reached instructions, which has made them
 * reached already, or by an initialiser of any variable of the module, because the host may pass on what it reads
 * there. Then shared memory and frames are laid out, registers counted, and calls searched for circles.
 *
 * isa_find_kernel() is at the end of the file.
 */
#include "isa/cfg.h"
#include "isa/sass/link.h"

#include <string.h>

#define FRAME_BYTES_MAX                                                                                                \
    UINT32_C(524288) /* local memory of a thread: CUDA C++ Programming Guide, compute capabilities */
#define SHARED_BYTES_MAX UINT64_C(0x7fffffff)

#define REGISTERS_MIN 16U /* launch__registers_per_thread is never less on the H200 */
#define REGISTERS_MAX 255U

struct linker {
    const struct isa_module *module;
    struct isa_linked *linked;
    struct base_arena *arena;
    struct base_arena scratch;
    struct base_diags *diags;
    bool *reaches_var;
    bool *address_taken;        /* by function */
    uint32_t *functions, *vars; /* queues of what was reached */
    size_t function_count, functions_done, var_count, vars_done;
    uint32_t *varying_pressure; /* by function: isa_assign_slots_in() */
    bool any_target;            /* a call through a prototype was reached */
    bool texture_note, is_unsupported, is_invalid;
};

enum isa_builtin isa_builtin_named(const char *name)
{
    static const char *const names[ISA_BUILTIN_COUNT] = {[ISA_BUILTIN_VPRINTF] = "vprintf",
                                                         [ISA_BUILTIN_ASSERTFAIL] = "__assertfail",
                                                         [ISA_BUILTIN_MALLOC] = "malloc",
                                                         [ISA_BUILTIN_FREE] = "free"};
    unsigned i = 0;
    while (i < ISA_BUILTIN_COUNT && strcmp(name, names[i]) != 0) {
        i++;
    }
    return (enum isa_builtin)i;
}

static bool insn_calls(const struct isa_insn *insn)
{
    return (isa_ops[insn->op].flags & ISA_OPF_CALL) && insn->dst_count < insn->operand_count;
}

/* `at`: the instruction that names it, or NULL. */
static void reach_function(struct linker *l, uint32_t f, const struct isa_insn *at, bool by_address)
{
    const struct isa_function *function = &l->module->functions[f];
    l->address_taken[f] |= by_address;
    if (l->linked->reaches_function[f]) {
        return;
    }
    l->linked->reaches_function[f] = true;
    l->functions[l->function_count++] = f;
    if (function->is_declaration && isa_builtin_named(function->name) == ISA_BUILTIN_COUNT) {
        l->is_invalid = true;
        base_diag_add(l->diags, BASE_ERROR, &l->module->source, at != NULL ? at->offset : function->source_offset,
                      at != NULL ? at->length : 0, "function %s is not defined", function->name);
    }
}

static void reach_var(struct linker *l, uint32_t v, const struct isa_insn *at)
{
    const struct isa_var *var = &l->module->vars[v];
    if (l->reaches_var[v]) {
        return;
    }
    l->reaches_var[v] = true;
    l->vars[l->var_count++] = v;
    size_t offset = at != NULL ? at->offset : var->source_offset, length = at != NULL ? at->length : 0;
    if (var->linkage == ISA_LINKAGE_EXTERN && (var->space == ISA_SPACE_GLOBAL || var->space == ISA_SPACE_CONST)) {
        l->is_invalid = true;
        base_diag_add(l->diags, BASE_ERROR, &l->module->source, offset, length, "variable %s is not defined",
                      var->name);
    }
    if (var->space == ISA_SPACE_LOCAL && var->function < 0) {
        l->is_unsupported = true;
        base_diag_add(l->diags, BASE_ERROR, &l->module->source, offset, length,
                      "%s: .local variables outside a function are not supported", var->name);
    }
}

static bool is_texture(const char *name)
{
    static const char *const stems[] = {"tex.", "tld4", "suld", "sust", "sured", "txq", "suq", "istypep"};
    for (size_t i = 0; i < sizeof(stems) / sizeof(stems[0]); i++) {
        if (strncmp(name, stems[i], strlen(stems[i])) == 0) {
            return true;
        }
    }
    return false;
}

static void refuse_insn(struct linker *l, const struct isa_insn *insn)
{
    const char *name = insn->text != NULL ? insn->text : isa_ops[insn->op].mnemonic;
    l->is_unsupported = true;
    base_diag_add(l->diags, BASE_ERROR, &l->module->source, insn->offset, insn->length, "%s is not supported", name);
    if (is_texture(name) && !l->texture_note) {
        l->texture_note = true;
        base_diag_add(l->diags, BASE_NOTE, NULL, 0, 0,
                      "textures bring nothing to loads on today's GPUs; use ld.global.nc");
    }
}

static void reach_table(struct linker *l, const struct isa_table *table, const struct isa_insn *at)
{
    if (table->kind == ISA_TABLE_PROTOTYPE) {
        l->any_target = true;
    }
    for (size_t i = 0; table->kind == ISA_TABLE_CALL && i < table->count; i++) {
        reach_function(l, table->items[i], at, true);
    }
}

static void scan_insn(struct linker *l, const struct isa_function *function, const struct isa_insn *insn)
{
    const struct isa_operand *operands = &function->operands[insn->operand_first];
    l->linked->moves_stack |= insn->op == ISA_OP_ALLOCA || insn->op == ISA_OP_STACKRESTORE;
    if (insn->op == ISA_OP_UNSUPPORTED) {
        refuse_insn(l, insn);
    }
    if (insn_calls(insn)) {
        l->linked->has_indirect_call |= operands[insn->dst_count].kind != ISA_OPERAND_FUNC;
    }
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        const struct isa_operand *operand = &operands[o];
        if (operand->kind == ISA_OPERAND_FUNC) {
            reach_function(l, operand->ref, insn, !(insn_calls(insn) && o == insn->dst_count));
        } else if (operand->kind == ISA_OPERAND_TABLE) {
            reach_table(l, &function->tables[operand->ref], insn);
        } else if (operand->kind == ISA_OPERAND_SYMBOL ||
                   (operand->kind == ISA_OPERAND_MEM && operand->base_kind == ISA_OPERAND_SYMBOL)) {
            reach_var(l, operand->ref, insn);
        }
    }
}

static enum base_status scan_function(struct linker *l, uint32_t f)
{
    const struct isa_function *function = &l->module->functions[f];
    struct isa_cfg *cfg = &l->linked->cfgs[f];
    enum base_status status = isa_cfg_build_in(l->module, function, l->arena, cfg);
    if (status != BASE_OK) {
        return status;
    }
    bool *reaches = &l->linked->reaches_insn[l->linked->reach_first[f]];
    for (size_t i = 0; i < function->insn_count; i++) {
        reaches[i] = cfg->blocks[cfg->block_of[i]].reachable;
        if (reaches[i]) {
            scan_insn(l, function, &function->insns[i]);
        }
    }
    for (size_t i = 0; i < function->local_count; i++) {
        if (l->module->vars[function->locals[i]].space == ISA_SPACE_SHARED) {
            reach_var(l, function->locals[i], NULL);
        }
    }
    return isa_assign_slots_in(function, cfg, l->arena, &l->linked->slots[f], &l->varying_pressure[f]);
}

static void scan_initialiser(struct linker *l, const struct isa_var *var, bool functions_only)
{
    for (size_t i = 0; i < var->reloc_count; i++) {
        if (var->relocs[i].is_function) {
            reach_function(l, var->relocs[i].ref, NULL, true);
        } else if (!functions_only) {
            reach_var(l, var->relocs[i].ref, NULL);
        }
    }
}

static enum base_status follow(struct linker *l)
{
    bool took_all = false;
    for (;;) {
        if (l->functions_done < l->function_count) {
            enum base_status status = scan_function(l, l->functions[l->functions_done++]);
            if (status != BASE_OK) {
                return status;
            }
        } else if (l->vars_done < l->var_count) {
            scan_initialiser(l, &l->module->vars[l->vars[l->vars_done++]], false);
        } else if (l->any_target && !took_all) {
            took_all = true;
            for (size_t v = 0; v < l->module->var_count; v++) {
                scan_initialiser(l, &l->module->vars[v], true);
            }
        } else {
            return BASE_OK;
        }
    }
}

/* `*end` moved up to the variable's alignment and past it; the offset of the variable. false: past `limit`. */
static bool place(const struct isa_var *var, uint64_t limit, uint64_t *end, uint64_t *offset)
{
    uint64_t align = var->align_bytes > 0 ? var->align_bytes : 1;
    *offset = (*end + align - 1) / align * align;
    if (*offset > limit || var->size_bytes > limit - *offset) {
        return false;
    }
    *end = *offset + var->size_bytes;
    return true;
}

/* Static variables in the order of their declarations; behind them, all at one place, the arrays without a size. */
static void lay_out_shared(struct linker *l)
{
    const struct isa_module *module = l->module;
    uint64_t end = 0, unsized_align = 1;
    for (size_t v = 0; v < module->var_count; v++) {
        const struct isa_var *var = &module->vars[v];
        l->linked->shared_offset[v] = UINT64_MAX;
        if (!l->reaches_var[v] || var->space != ISA_SPACE_SHARED) {
            continue;
        }
        if (var->unsized) {
            unsized_align = var->align_bytes > unsized_align ? var->align_bytes : unsized_align;
            l->linked->uses_dynamic_shared = true;
        } else if (!place(var, SHARED_BYTES_MAX, &end, &l->linked->shared_offset[v])) {
            l->is_invalid = true;
            base_diag_add(l->diags, BASE_ERROR, &module->source, var->source_offset, 0,
                          "%s: more shared memory than a block can have", var->name);
            return;
        }
    }
    l->linked->shared_static_bytes = end;
    for (size_t v = 0; v < module->var_count; v++) {
        const struct isa_var *var = &module->vars[v];
        if (l->reaches_var[v] && var->space == ISA_SPACE_SHARED && var->unsized) {
            l->linked->shared_offset[v] = (end + unsized_align - 1) / unsized_align * unsized_align;
        }
    }
}

static bool frame_add(struct linker *l, const uint32_t *vars, size_t count, bool all, uint64_t *end)
{
    for (size_t i = 0; i < count; i++) {
        const struct isa_var *var = &l->module->vars[vars[i]];
        uint64_t offset;
        if (!all && var->space != ISA_SPACE_LOCAL && var->space != ISA_SPACE_PARAM) {
            continue;
        }
        if (!place(var, FRAME_BYTES_MAX - 16, end, &offset)) {
            l->is_invalid = true;
            base_diag_add(l->diags, BASE_ERROR, &l->module->source, var->source_offset, 0,
                          "%s: more local memory than the %u bytes of a thread", var->name, FRAME_BYTES_MAX);
            return false;
        }
        l->linked->local_offset[vars[i]] = (uint32_t)offset;
    }
    return true;
}

static void lay_out_frame(struct linker *l, uint32_t f)
{
    const struct isa_function *function = &l->module->functions[f];
    uint64_t end = 0;
    if (!function->is_entry && !(frame_add(l, function->params, function->param_count, true, &end) &&
                                 frame_add(l, function->rets, function->ret_count, true, &end))) {
        return;
    }
    if (frame_add(l, function->locals, function->local_count, false, &end)) {
        l->linked->frame_bytes[f] = (uint32_t)((end + 15) / 16 * 16);
    }
}

/* The next node that `node` of the call graph leads to, from *next on; -1 when there is none. Nodes are functions and,
 * numbered after them, one that stands for every indirect call: it leads to all functions whose address was taken. */
static int64_t next_callee(const struct linker *l, size_t node, size_t *next)
{
    size_t functions = l->module->function_count;
    if (node == functions) {
        while (*next < functions) {
            size_t f = (*next)++;
            if (l->address_taken[f]) {
                return (int64_t)f;
            }
        }
        return -1;
    }
    const struct isa_function *function = &l->module->functions[node];
    const bool *reaches = &l->linked->reaches_insn[l->linked->reach_first[node]];
    while (*next < function->insn_count) {
        size_t i = (*next)++;
        const struct isa_insn *insn = &function->insns[i];
        if (reaches[i] && insn_calls(insn)) {
            const struct isa_operand *callee = &function->operands[insn->operand_first + insn->dst_count];
            return callee->kind == ISA_OPERAND_FUNC ? (int64_t)callee->ref : (int64_t)functions;
        }
    }
    return -1;
}

/* Depth-first over the calls; an edge back to a node on the way closes a circle. */
static bool find_recursion(struct linker *l)
{
    enum { NEW, ON_THE_WAY, DONE };
    size_t nodes = l->module->function_count + 1, depth = 0;
    uint8_t *state = base_arena_alloc(&l->scratch, nodes, sizeof(*state));
    size_t *stack = base_arena_alloc(&l->scratch, nodes, sizeof(*stack));
    size_t *next = base_arena_alloc(&l->scratch, nodes, sizeof(*next));
    if (l->scratch.failed) {
        return false;
    }
    stack[depth++] = l->linked->kernel;
    state[l->linked->kernel] = ON_THE_WAY;
    while (depth > 0) {
        size_t node = stack[depth - 1];
        int64_t callee = next_callee(l, node, &next[node]);
        if (callee < 0) {
            state[node] = DONE;
            depth--;
        } else if (state[callee] == ON_THE_WAY) {
            l->linked->is_recursive = true;
        } else if (state[callee] == NEW) {
            state[callee] = ON_THE_WAY;
            stack[depth++] = (size_t)callee;
        }
    }
    return true;
}

/* The most registers a thread can have when the kernel's text promises blocks of a size and a number of them at once:
 * a multiprocessor has 65,536, given out in eights a thread. */
static uint32_t register_limit(const struct isa_function *kernel)
{
    uint64_t threads = 1, limit = REGISTERS_MAX;
    for (size_t d = 0; d < 3; d++) {
        uint32_t n = kernel->reqntid[d] > 0 ? kernel->reqntid[d] : kernel->maxntid[d];
        threads *= n > 0 && n <= 1024 ? n : 1;
    }
    threads = (threads + 31) / 32 * 32 * (kernel->minnctapersm > 0 ? kernel->minnctapersm : 1);
    if (UINT32_C(65536) / threads < limit) {
        limit = UINT32_C(65536) / threads / 8 * 8;
    }
    if (kernel->maxnreg > 0 && kernel->maxnreg < limit) {
        limit = kernel->maxnreg;
    }
    return (uint32_t)(limit > REGISTERS_MIN ? limit : REGISTERS_MIN);
}

static bool has_loop(const struct isa_cfg *cfg)
{
    for (uint32_t b = 0; b < cfg->block_count; b++) {
        for (uint32_t s = 0; cfg->blocks[b].reachable && s < cfg->blocks[b].succ_count; s++) {
            if (cfg->blocks[b].succ[s] <= b) {
                return true;
            }
        }
    }
    return false;
}

/* Registers a thread would get from the machine-code compiler. Of the functions reached the largest need counts: under
 * the calling convention a function saves on the stack what it may not overwrite, so needs do not add up along calls.
 *
 * APPROX: need = varying pressure * 5 / 4 + 4, and 6 more with a loop. The compiler keeps more than is live in the
 * text: it overlaps loads and, where there is a loop, its turns. Fitted to the registers of 37 kernels in machine code
 * for sm_90, 28 of them as the H200 reports them and 9 of Numba's: the mean error is 1.7 registers (7 %), the largest
 * 12, and 22 are met exactly, 19 of these at the least of 16. A kernel that keeps arrays in registers once its loops
 * are unrolled gets too few here. */
static uint32_t estimate_registers(const struct linker *l)
{
    uint32_t limit = register_limit(&l->module->functions[l->linked->kernel]), most = REGISTERS_MIN;
    for (size_t i = 0; i < l->function_count; i++) {
        uint32_t f = l->functions[i], pressure = l->varying_pressure[f];
        uint32_t need = pressure < REGISTERS_MAX ? pressure * 5 / 4 + 4 : REGISTERS_MAX;
        need += has_loop(&l->linked->cfgs[f]) ? 6 : 0;
        most = need > most ? need : most;
    }
    return most < limit ? most : limit;
}

static bool linker_init(struct linker *l)
{
    const struct isa_module *module = l->module;
    struct isa_linked *linked = l->linked;
    size_t functions = module->function_count, vars = module->var_count, insns = 0;
    linked->reaches_function = base_arena_alloc(l->arena, functions, sizeof(*linked->reaches_function));
    linked->reach_first = base_arena_alloc(l->arena, functions, sizeof(*linked->reach_first));
    linked->frame_bytes = base_arena_alloc(l->arena, functions, sizeof(*linked->frame_bytes));
    linked->cfgs = base_arena_alloc(l->arena, functions, sizeof(*linked->cfgs));
    linked->slots = base_arena_alloc(l->arena, functions, sizeof(*linked->slots));
    linked->shared_offset = base_arena_alloc(l->arena, vars, sizeof(*linked->shared_offset));
    linked->local_offset = base_arena_alloc(l->arena, vars, sizeof(*linked->local_offset));
    l->reaches_var = base_arena_alloc(&l->scratch, vars, sizeof(*l->reaches_var));
    l->vars = base_arena_alloc(&l->scratch, vars, sizeof(*l->vars));
    l->functions = base_arena_alloc(&l->scratch, functions, sizeof(*l->functions));
    l->varying_pressure = base_arena_alloc(&l->scratch, functions, sizeof(*l->varying_pressure));
    l->address_taken = base_arena_alloc(&l->scratch, functions, sizeof(*l->address_taken));
    if (l->arena->failed || l->scratch.failed) {
        return false;
    }
    for (size_t f = 0; f < functions; f++) {
        linked->reach_first[f] = (uint32_t)insns;
        insns += module->functions[f].insn_count;
        if (insns > UINT32_MAX) {
            return false;
        }
    }
    linked->reaches_insn = base_arena_alloc(l->arena, insns, sizeof(*linked->reaches_insn));
    memset(linked->local_offset, 0xff, vars * sizeof(*linked->local_offset));
    return linked->reaches_insn != NULL;
}

static enum base_status link_kernel(struct linker *l)
{
    if (!linker_init(l)) {
        return BASE_NOMEM;
    }
    reach_function(l, l->linked->kernel, NULL, false);
    enum base_status status = follow(l);
    if (status != BASE_OK) {
        return status;
    }
    lay_out_shared(l);
    for (size_t i = 0; i < l->function_count; i++) {
        lay_out_frame(l, l->functions[i]);
    }
    if (!find_recursion(l)) {
        return BASE_NOMEM;
    }
    l->linked->registers_estimate = estimate_registers(l);
    if (l->is_invalid) {
        return BASE_INVALID;
    }
    return l->is_unsupported ? BASE_UNSUPPORTED : BASE_OK;
}

enum base_status isa_link(const struct isa_module *module, uint32_t kernel, struct base_arena *arena,
                          struct isa_linked *linked, struct base_diags *diags)
{
    if (module->form == ISA_FORM_SASS)
        return isa_sass_link(module, kernel, arena, linked, diags);
    *linked = (struct isa_linked){.kernel = kernel};
    struct linker l = {.module = module, .linked = linked, .arena = arena, .diags = diags};
    base_arena_init(&l.scratch, 0);
    enum base_status status = link_kernel(&l);
    base_arena_free(&l.scratch);
    return status;
}

/* The parts of a mangled name: _Z3fooPf has foo; _ZN6cudapy8__main__6vecaddB2v1E... has cudapy, __main__, vecadd. */
#define NAME_PARTS_MAX 16

struct name_parts {
    const char *text[NAME_PARTS_MAX];
    size_t length[NAME_PARTS_MAX];
    size_t count;
};

/* A decimal length and as many characters; NULL when there is none here. */
static const char *source_name(const char *text, const char **name, size_t *length)
{
    size_t n = 0, left = strlen(text);
    const char *digits = text;
    while (*text >= '0' && *text <= '9' && n <= left) {
        n = n * 10 + (size_t)(*text++ - '0');
    }
    if (text == digits || n == 0 || n > strlen(text)) {
        return NULL;
    }
    *name = text;
    *length = n;
    return text + n;
}

/* The Itanium C++ ABI's <name>, as far as kernels use it: nested or not, internal linkage (L), qualifiers, ABI tags
 * (B<length><tag>). Ends at the first thing that is none of these: template arguments, E, parameters. */
static void name_split(const char *mangled, struct name_parts *parts)
{
    parts->count = 0;
    if (strncmp(mangled, "_Z", 2) != 0) {
        return;
    }
    const char *at = mangled + 2;
    bool nested = *at == 'N';
    if (nested) {
        at++;
        at += strspn(at, "rVKRO");
    }
    while (parts->count < NAME_PARTS_MAX) {
        at += *at == 'L';
        const char *next = source_name(at, &parts->text[parts->count], &parts->length[parts->count]);
        if (next == NULL) {
            return;
        }
        parts->count++;
        at = next;
        const char *tag;
        size_t tag_length;
        while (*at == 'B' && (next = source_name(at + 1, &tag, &tag_length)) != NULL) {
            at = next;
        }
        if (!nested) {
            return;
        }
    }
}

bool isa_name_matches(const char *mangled, const char *name)
{
    struct name_parts parts;
    name_split(mangled, &parts);
    size_t left = strlen(name);
    for (size_t p = parts.count; p-- > 0;) {
        size_t length = parts.length[p];
        if (left < length || memcmp(name + left - length, parts.text[p], length) != 0) {
            return false;
        }
        left -= length;
        if (left == 0) {
            return true;
        }
        if (left < 2 || name[left - 1] != ':' || name[left - 2] != ':') {
            return false;
        }
        left -= 2;
    }
    return false;
}

static bool is_kernel(const struct isa_function *function)
{
    return function->is_entry && !function->is_declaration;
}

/* ": first, second and 3 more" to the end of a message. */
static void list_kernels(const struct isa_module *module, const char *name, struct base_strbuf *out)
{
    size_t listed = 0, more = 0;
    for (size_t f = 0; f < module->function_count; f++) {
        const struct isa_function *function = &module->functions[f];
        if (!is_kernel(function) || (name != NULL && !isa_name_matches(function->name, name))) {
            continue;
        }
        if (listed == 32) {
            more++;
            continue;
        }
        base_strbuf_puts(out, listed++ == 0 ? ": " : ", ");
        base_strbuf_puts(out, function->name);
    }
    if (more > 0) {
        base_strbuf_printf(out, " and %zu more", more);
    }
}

static enum base_status no_kernel(const struct isa_module *module, const char *name, size_t kernels, size_t matches,
                                  struct base_diags *diags)
{
    struct base_strbuf text = {0};
    if (kernels == 0) {
        base_strbuf_puts(&text, "there is no kernel");
    } else if (name == NULL) {
        base_strbuf_puts(&text, "there are several kernels, name one");
        list_kernels(module, NULL, &text);
    } else if (matches == 0) {
        base_strbuf_printf(&text, "there is no kernel %s; kernels", name);
        list_kernels(module, NULL, &text);
    } else {
        base_strbuf_printf(&text, "several kernels are called %s", name);
        list_kernels(module, name, &text);
    }
    bool ok = !text.failed;
    if (ok) {
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0, "%s: %s", module->source.name, text.data);
    }
    base_strbuf_free(&text);
    return ok ? BASE_INVALID : BASE_NOMEM;
}

enum base_status isa_find_kernel(const struct isa_module *module, const char *name, uint32_t *kernel,
                                 struct base_diags *diags)
{
    size_t kernels = 0, matches = 0;
    uint32_t found = 0;
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct isa_function *function = &module->functions[f];
        if (!is_kernel(function)) {
            continue;
        }
        kernels++;
        if (name != NULL && strcmp(function->name, name) == 0) {
            *kernel = f;
            return BASE_OK;
        }
        if (name == NULL || isa_name_matches(function->name, name)) {
            matches++;
            found = f;
        }
    }
    if (matches != 1) {
        return no_kernel(module, name, kernels, matches, diags);
    }
    *kernel = found;
    return BASE_OK;
}
