/* What a cubin says beside its code.
 *
 * A cubin is an ELF file (read with libelf). sass_cubin_apply() at the end is the table of contents:
 *   symbols       which functions are kernels, where variables lie
 *   .nv.info*     registers, stack, parameters, barriers
 *   .nv.constantN constant banks; addresses in them are relocations
 *   .nv.global*   global variables
 *   .debug_line   source lines (isa/sass/lines.c)
 * The file is hostile input: every offset is checked, whatever libelf says. */
#include "isa/sass/cubin.h"

#include "base/vec.h"

#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EM_CUDA_NUMBER 190
#define ENTRY_FLAG     0x10u /* of a symbol's st_other: a kernel */
#define PARAMS_MAX     4096u
/* Tables name each other's rows; a file in which looking them all up takes longer is no compiler's. */
#define WORK_MAX (UINT64_C(1) << 31)

/* Attributes of .nv.info, as cuobjdump names them: EIATTR_... */
enum {
    ATTR_PARAM_CBANK = 0x0a,
    ATTR_REQNTID = 0x10,
    ATTR_FRAME_SIZE = 0x11,
    ATTR_MIN_STACK_SIZE = 0x12,
    ATTR_KPARAM_INFO = 0x17,
    ATTR_CRS_STACK_SIZE = 0x1e,
    ATTR_REGCOUNT = 0x2f,
    ATTR_NUM_BARRIERS = 0x4c
};

static void bad_cubin(struct sass_cubin *c, const char *what)
{
    base_diag_add(c->diags, BASE_ERROR, NULL, 0, 0, "%s: not a cubin that can be read: %s", c->name, what);
    c->bad = true;
}

bool sass_cubin_spend(struct sass_cubin *c, uint64_t steps)
{
    if (steps > WORK_MAX - c->work && !c->bad)
        bad_cubin(c, "its tables are too large for each other");
    if (!c->bad)
        c->work += steps;
    return !c->bad;
}

/* ---- Sections ---- */

static bool read_section(struct sass_cubin *c, Elf_Scn *scn)
{
    GElf_Shdr header;
    struct sass_section section = {0};
    if (gelf_getshdr(scn, &header) == NULL)
        return false;
    const char *name = elf_strptr(c->elf, c->names, header.sh_name);
    section.name = name != NULL ? name : "";
    section.type = header.sh_type;
    section.size_bytes = header.sh_size;
    section.link = header.sh_link;
    section.info = header.sh_info;
    if (header.sh_type != SHT_NOBITS && header.sh_size > 0) {
        if (header.sh_offset > c->size_bytes || header.sh_size > c->size_bytes - header.sh_offset)
            return false;
        section.data = c->data + header.sh_offset;
    }
    if (header.sh_type == SHT_NOBITS && header.sh_size > SASS_SECTION_BYTES_MAX)
        return false;
    c->no_memory |= !base_vec_push(&c->sections, section);
    return true;
}

static bool read_sections(struct sass_cubin *c)
{
    Elf_Scn *scn = NULL;
    struct sass_section none = {.name = ""};
    c->no_memory |= !base_vec_push(&c->sections, none); /* number 0 */
    while ((scn = elf_nextscn(c->elf, scn)) != NULL && !c->no_memory) {
        if (c->sections.count > SASS_SECTIONS_MAX || !read_section(c, scn)) {
            bad_cubin(c, "a section lies outside the file");
            return false;
        }
    }
    return !c->no_memory;
}

static const struct sass_section *find_section(const struct sass_cubin *c, const char *prefix, const char *name)
{
    size_t length = strlen(prefix);
    for (size_t i = 0; i < c->sections.count; i++) {
        const char *at = c->sections.data[i].name;
        if (strncmp(at, prefix, length) == 0 && strcmp(at + length, name) == 0)
            return &c->sections.data[i];
    }
    return NULL;
}

/* ---- Symbols ---- */

static bool read_symbols(struct sass_cubin *c)
{
    const struct sass_section *table = find_section(c, ".symtab", "");
    if (table == NULL || table->link >= c->sections.count || table->data == NULL) {
        bad_cubin(c, "it has no symbols");
        return false;
    }
    const struct sass_section *strings = &c->sections.data[table->link];
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table->size_bytes && !c->no_memory; at += sizeof(Elf64_Sym)) {
        Elf64_Sym raw;
        memcpy(&raw, table->data + at, sizeof(raw));
        struct sass_symbol symbol = {.name = "",
                                     .value = raw.st_value,
                                     .size_bytes = raw.st_size,
                                     .section = raw.st_shndx,
                                     .type = (uint8_t)(raw.st_info & 15),
                                     .is_entry = (raw.st_other & ENTRY_FLAG) != 0,
                                     .var = -1,
                                     .function = -1};
        if (strings->data != NULL && raw.st_name < strings->size_bytes &&
            memchr(strings->data + raw.st_name, '\0', strings->size_bytes - raw.st_name) != NULL)
            symbol.name = (const char *)strings->data + raw.st_name;
        c->no_memory |= !base_vec_push(&c->symbols, symbol);
    }
    return !c->no_memory;
}

/* The listing's functions get their symbols. */
static void match_functions(struct sass_cubin *c)
{
    struct isa_module *module = c->module;
    for (size_t s = 0; s < c->symbols.count; s++) {
        struct sass_symbol *symbol = &c->symbols.data[s];
        if (symbol->type != STT_FUNC || symbol->section >= c->sections.count)
            continue;
        if (!sass_cubin_spend(c, module->function_count))
            return;
        const char *section = c->sections.data[symbol->section].name;
        for (size_t f = 0; f < module->function_count; f++) {
            struct isa_function *function = &module->functions[f];
            if (strncmp(section, ".text.", 6) != 0 || strcmp(section + 6, function->name) != 0)
                continue;
            symbol->function = (int32_t)f; /* symbol->value: where in it */
            if (symbol->value == 0 && strcmp(symbol->name, function->name) == 0) {
                function->is_entry = symbol->is_entry;
                function->machine->from_cubin = true;
            }
        }
    }
}

/* ---- .nv.info ---- */

typedef void attr_reader(struct sass_cubin *c, struct isa_function *function, uint8_t attr, const uint8_t *data,
                         uint32_t size);

static uint32_t u32_at(const uint8_t *data)
{
    uint32_t value;
    memcpy(&value, data, 4);
    return value;
}

static uint16_t u16_at(const uint8_t *data)
{
    uint16_t value;
    memcpy(&value, data, 2);
    return value;
}

static void each_attr(struct sass_cubin *c, const struct sass_section *section, struct isa_function *function,
                      attr_reader *reader)
{
    const uint8_t *at = section->data, *end = at != NULL ? at + section->size_bytes : at;
    while (at != NULL && end - at >= 4) {
        uint8_t format = at[0], attr = at[1];
        uint32_t size = format == 4 ? u16_at(at + 2) : 2;
        const uint8_t *data = format == 4 ? at + 4 : at + 2;
        if (size > (size_t)(end - data)) {
            bad_cubin(c, "its .nv.info is cut short");
            return;
        }
        reader(c, function, attr, data, size);
        at = data + size;
    }
}

static struct isa_function *function_of_symbol(struct sass_cubin *c, uint32_t symbol)
{
    if (symbol >= c->symbols.count || c->symbols.data[symbol].function < 0)
        return NULL;
    return &c->module->functions[c->symbols.data[symbol].function];
}

/* Attributes of the whole file: a symbol and a number. */
static void read_common_attr(struct sass_cubin *c, struct isa_function *function, uint8_t attr, const uint8_t *data,
                             uint32_t size)
{
    if (size < 8)
        return;
    function = function_of_symbol(c, u32_at(data));
    if (function == NULL)
        return;
    uint32_t value = u32_at(data + 4);
    bool main_symbol = c->symbols.data[u32_at(data)].value == 0;
    if (attr == ATTR_REGCOUNT && value > function->machine->registers)
        function->machine->registers = value;
    else if (attr == ATTR_FRAME_SIZE && main_symbol && value > function->machine->stack_bytes)
        function->machine->stack_bytes = value;
    else if (attr == ATTR_MIN_STACK_SIZE && main_symbol && value > function->machine->stack_bytes)
        function->machine->stack_bytes = value;
}

static void add_param(struct sass_cubin *c, uint32_t ordinal, uint32_t offset, uint32_t size)
{
    struct sass_param param = {ordinal, offset, size};
    if (c->params.count < PARAMS_MAX)
        c->no_memory |= !base_vec_push(&c->params, param);
}

static void read_kernel_attr(struct sass_cubin *c, struct isa_function *function, uint8_t attr, const uint8_t *data,
                             uint32_t size)
{
    struct isa_sass_kernel *machine = function->machine;
    if (attr == ATTR_KPARAM_INFO && size >= 12) {
        add_param(c, u16_at(data + 4), u16_at(data + 6), u32_at(data + 8) >> 18 & 0x3fff);
    } else if (attr == ATTR_PARAM_CBANK && size >= 8) {
        machine->param_base = u16_at(data + 4);
        function->param_bytes = u16_at(data + 6);
    } else if (attr == ATTR_NUM_BARRIERS && size >= 2) {
        machine->barriers = data[0];
    } else if (attr == ATTR_REQNTID && size >= 12) {
        for (unsigned d = 0; d < 3; d++)
            function->reqntid[d] = u32_at(data + 4 * d);
    }
}

static int by_ordinal(const void *a, const void *b)
{
    const struct sass_param *x = a, *y = b;
    return x->ordinal < y->ordinal ? -1 : x->ordinal > y->ordinal;
}

/* Parameters become variables, as those of a PTX kernel are. */
static void make_params(struct sass_cubin *c, uint32_t f)
{
    struct isa_function *function = &c->module->functions[f];
    size_t count = c->params.count;
    if (count > 1)
        qsort(c->params.data, count, sizeof(*c->params.data), by_ordinal);
    function->params = base_arena_alloc(&c->module->arena, count + 1, sizeof(uint32_t));
    c->no_memory |= function->params == NULL;
    for (size_t i = 0; i < count && !c->no_memory; i++) {
        const struct sass_param *param = &c->params.data[i];
        if ((uint64_t)param->offset + param->size > function->param_bytes) {
            bad_cubin(c, "a parameter lies outside the kernel's parameters");
            return;
        }
        char name[32];
        snprintf(name, sizeof(name), "param_%zu", i);
        bool scalar = param->size == 1 || param->size == 2 || param->size == 4 || param->size == 8;
        struct isa_var var = {.name = base_arena_strndup(&c->module->arena, name, strlen(name)),
                              .space = ISA_SPACE_PARAM,
                              .type = (uint8_t)(!scalar            ? ISA_TYPE_B8
                                                : param->size == 8 ? ISA_TYPE_B64
                                                : param->size == 4 ? ISA_TYPE_B32
                                                : param->size == 2 ? ISA_TYPE_B16
                                                                   : ISA_TYPE_B8),
                              .align_bytes = 1,
                              .size_bytes = param->size,
                              .function = (int32_t)f,
                              .offset = param->offset};
        function->params[function->param_count++] = (uint32_t)c->vars.count;
        c->no_memory |= var.name == NULL || !base_vec_push(&c->vars, var);
    }
}

static void read_infos(struct sass_cubin *c)
{
    const struct sass_section *common = find_section(c, ".nv.info", "");
    if (common != NULL)
        each_attr(c, common, NULL, read_common_attr);
    for (uint32_t f = 0; f < c->module->function_count && !c->bad && !c->no_memory; f++) {
        struct isa_function *function = &c->module->functions[f];
        if (!sass_cubin_spend(c, 4 * c->sections.count)) /* here and for the banks */
            return;
        const struct sass_section *info = find_section(c, ".nv.info.", function->name);
        const struct sass_section *shared = find_section(c, ".nv.shared.", function->name);
        c->params.count = 0;
        if (info != NULL)
            each_attr(c, info, function, read_kernel_attr);
        make_params(c, f);
        /* On sm_90 the section counts the part that the system keeps. */
        if (shared != NULL)
            function->machine->shared_bytes = shared->size_bytes >= SASS_SHARED_RESERVED_BYTES
                                                  ? shared->size_bytes - SASS_SHARED_RESERVED_BYTES
                                                  : shared->size_bytes;
    }
}

/* ---- Variables ---- */

static bool is_global_section(const char *name)
{
    return strcmp(name, ".nv.global") == 0 || strcmp(name, ".nv.global.init") == 0;
}

/* Objects of .nv.global, .nv.global.init and .nv.constant3 become variables. */
static void make_variables(struct sass_cubin *c)
{
    for (size_t s = 0; s < c->symbols.count && !c->no_memory; s++) {
        struct sass_symbol *symbol = &c->symbols.data[s];
        if (symbol->type != STT_OBJECT || symbol->section >= c->sections.count)
            continue;
        const struct sass_section *section = &c->sections.data[symbol->section];
        bool is_const = strcmp(section->name, ".nv.constant3") == 0;
        if ((!is_const && !is_global_section(section->name)) || symbol->value > section->size_bytes ||
            symbol->size_bytes > section->size_bytes - symbol->value)
            continue;
        struct isa_var var = {.name = base_arena_strndup(&c->module->arena, symbol->name, strlen(symbol->name)),
                              .space = is_const ? ISA_SPACE_CONST : ISA_SPACE_GLOBAL,
                              .type = ISA_TYPE_B8,
                              .linkage = ISA_LINKAGE_VISIBLE,
                              .align_bytes = 16,
                              .size_bytes = symbol->size_bytes,
                              .function = -1,
                              .offset = (uint32_t)symbol->value};
        if (section->data != NULL && !is_const && symbol->size_bytes > 0) {
            uint8_t *init = base_arena_alloc(&c->module->arena, symbol->size_bytes, 1);
            c->no_memory |= init == NULL;
            if (init != NULL)
                memcpy(init, section->data + symbol->value, symbol->size_bytes);
            var.init = init;
        }
        symbol->var = (int32_t)c->vars.count;
        c->no_memory |= var.name == NULL || !base_vec_push(&c->vars, var);
    }
}

/* Addresses in a section's data: by relocation. `each` is told each one that can be resolved. */
static const Elf64_Rela *next_reloc(const struct sass_section *table, uint64_t *at, Elf64_Rela *out, bool is_rela)
{
    uint64_t size = is_rela ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    if (table->data == NULL || *at > table->size_bytes || table->size_bytes - *at < size)
        return NULL;
    memset(out, 0, sizeof(*out));
    memcpy(out, table->data + *at, size);
    *at += size;
    return out;
}

static bool reloc_target(const struct sass_cubin *c, uint64_t info, bool *is_function, uint32_t *ref, int64_t *addend)
{
    uint64_t s = ELF64_R_SYM(info);
    if (s >= c->symbols.count)
        return false;
    const struct sass_symbol *symbol = &c->symbols.data[s];
    *is_function = symbol->function >= 0;
    if (!*is_function && symbol->var < 0)
        return false;
    *ref = (uint32_t)(*is_function ? symbol->function : symbol->var);
    if (*is_function)
        *addend += (int64_t)symbol->value;
    return true;
}

/* Whether the symbol is a function that the device has and the cubin has not. */
static bool builtin_target(const struct sass_cubin *c, uint64_t info, uint32_t *ref)
{
    const uint64_t s = ELF64_R_SYM(info);
    if (s >= c->symbols.count || c->symbols.data[s].section != SHN_UNDEF || c->symbols.data[s].type != STT_FUNC)
        return false;
    *ref = isa_builtin_named(c->symbols.data[s].name);
    return *ref < ISA_BUILTIN_COUNT;
}

/* Relocations of section `number`, of both kinds, into a bank. */
static void bank_relocs(struct sass_cubin *c, uint32_t number, struct isa_sass_bank *bank)
{
    BASE_VEC(struct isa_sass_reloc) relocs = {0};
    for (size_t i = 0; i < c->sections.count && !c->no_memory; i++) {
        const struct sass_section *table = &c->sections.data[i];
        bool is_rela = table->type == SHT_RELA;
        if ((!is_rela && table->type != SHT_REL) || table->info != number)
            continue;
        uint64_t at = 0;
        Elf64_Rela rela;
        while (next_reloc(table, &at, &rela, is_rela) != NULL && !c->no_memory) {
            uint32_t type = (uint32_t)ELF64_R_TYPE(rela.r_info);
            struct isa_sass_reloc reloc = {.offset_bytes = rela.r_offset,
                                           .addend = rela.r_addend,
                                           .size_bytes = type == SASS_RELOC_32 || type == SASS_RELOC_32_HI ? 4 : 8,
                                           .shift = type == SASS_RELOC_32_HI ? 32 : 0};
            reloc.is_builtin = builtin_target(c, rela.r_info, &reloc.ref);
            if (reloc.is_builtin || reloc_target(c, rela.r_info, &reloc.is_function, &reloc.ref, &reloc.addend))
                c->no_memory |= !base_vec_push(&relocs, reloc);
        }
    }
    struct isa_sass_reloc *kept = base_arena_alloc(&c->module->arena, relocs.count + 1, sizeof(*kept));
    c->no_memory |= kept == NULL;
    if (kept != NULL && relocs.count > 0)
        memcpy(kept, relocs.data, relocs.count * sizeof(*kept));
    bank->relocs = kept;
    bank->reloc_count = kept != NULL ? relocs.count : 0;
    base_vec_free(&relocs);
}

/* Relocations in the first contents of global variables. */
static void variable_relocs(struct sass_cubin *c)
{
    for (size_t s = 0; s < c->symbols.count && !c->no_memory; s++) {
        const struct sass_symbol *symbol = &c->symbols.data[s];
        if (symbol->var < 0 || c->vars.data[symbol->var].init == NULL)
            continue;
        BASE_VEC(struct isa_reloc) relocs = {0};
        for (size_t i = 0; i < c->sections.count; i++) {
            const struct sass_section *table = &c->sections.data[i];
            bool is_rela = table->type == SHT_RELA;
            if ((!is_rela && table->type != SHT_REL) || table->info != symbol->section)
                continue;
            if (!sass_cubin_spend(c, c->sections.count + table->size_bytes / sizeof(Elf64_Rel)))
                break;
            uint64_t at = 0;
            Elf64_Rela rela;
            while (next_reloc(table, &at, &rela, is_rela) != NULL && !c->no_memory) {
                struct isa_reloc reloc = {.addend = rela.r_addend, .size_bytes = 8};
                if (rela.r_offset < symbol->value || rela.r_offset - symbol->value >= symbol->size_bytes ||
                    !reloc_target(c, rela.r_info, &reloc.is_function, &reloc.ref, &reloc.addend))
                    continue;
                reloc.offset_bytes = rela.r_offset - symbol->value;
                c->no_memory |= !base_vec_push(&relocs, reloc);
            }
        }
        struct isa_reloc *kept = base_arena_alloc(&c->module->arena, relocs.count + 1, sizeof(*kept));
        c->no_memory |= kept == NULL;
        if (kept != NULL && relocs.count > 0)
            memcpy(kept, relocs.data, relocs.count * sizeof(*kept));
        c->vars.data[symbol->var].relocs = kept;
        c->vars.data[symbol->var].reloc_count = kept != NULL ? relocs.count : 0;
        base_vec_free(&relocs);
    }
}

/* ---- Code ---- */

/* One relocation in code: the immediate of the instruction there becomes an address, or its target a function. */
static void apply_code_reloc(struct sass_cubin *c, struct isa_function *function, const Elf64_Rela *rela)
{
    uint64_t index = rela->r_offset / ISA_SASS_INSN_BYTES;
    uint32_t type = (uint32_t)ELF64_R_TYPE(rela->r_info), ref = 0;
    bool is_function = false;
    int64_t addend = rela->r_addend;
    if (index >= function->insn_count || !reloc_target(c, rela->r_info, &is_function, &ref, &addend))
        return;
    struct isa_sass_insn *sass = (struct isa_sass_insn *)(uintptr_t)function->insns[index].sass;
    for (unsigned i = 0; i < sass->operand_count; i++) {
        struct isa_sass_operand *o = &sass->operands[i];
        if (o->kind != ISA_SASS_IMM && o->kind != ISA_SASS_TARGET)
            continue;
        o->value = addend;
        o->function = is_function ? (int32_t)ref : -1;
        o->var = is_function ? -1 : (int32_t)ref;
        o->kind = type == SASS_RELOC_CALL && is_function ? ISA_SASS_TARGET : ISA_SASS_ADDRESS;
        o->index = type == SASS_RELOC_32_HI;
        return;
    }
}

static void code_relocs(struct sass_cubin *c)
{
    for (size_t i = 0; i < c->sections.count; i++) {
        const struct sass_section *table = &c->sections.data[i];
        bool is_rela = table->type == SHT_RELA;
        if ((!is_rela && table->type != SHT_REL) || table->info >= c->sections.count ||
            strncmp(c->sections.data[table->info].name, ".text.", 6) != 0)
            continue;
        if (!sass_cubin_spend(c, c->module->function_count))
            return;
        for (size_t f = 0; f < c->module->function_count; f++) {
            struct isa_function *function = &c->module->functions[f];
            uint64_t at = 0;
            Elf64_Rela rela;
            if (strcmp(c->sections.data[table->info].name + 6, function->name) != 0)
                continue;
            while (next_reloc(table, &at, &rela, is_rela) != NULL) {
                uint32_t type = (uint32_t)ELF64_R_TYPE(rela.r_info);
                if (type == SASS_RELOC_CODE_LO || type == SASS_RELOC_32_HI || type == SASS_RELOC_CALL)
                    apply_code_reloc(c, function, &rela);
            }
        }
    }
}

/* ---- Constant banks ---- */

/* ".nv.constant2.NAME" belongs to that function, ".nv.constant3" to all. */
static bool bank_of(const struct sass_section *section, const char *function, uint8_t *bank)
{
    static const char prefix[] = ".nv.constant";
    const char *at = section->name;
    if (strncmp(at, prefix, sizeof(prefix) - 1) != 0)
        return false;
    at += sizeof(prefix) - 1;
    if (*at < '1' || *at > '7')
        return false;
    *bank = (uint8_t)(*at - '0');
    return at[1] == '\0' || (at[1] == '.' && strcmp(at + 2, function) == 0);
}

static void make_banks(struct sass_cubin *c, struct isa_function *function)
{
    BASE_VEC(struct isa_sass_bank) banks = {0};
    for (size_t i = 0; i < c->sections.count && !c->no_memory; i++) {
        const struct sass_section *section = &c->sections.data[i];
        struct isa_sass_bank bank = {.size_bytes = section->size_bytes};
        if (section->size_bytes == 0 || !bank_of(section, function->name, &bank.bank))
            continue;
        for (size_t k = 0; k < banks.count && !c->bad; k++)
            if (banks.data[k].bank == bank.bank)
                bad_cubin(c, "a kernel has a constant bank twice");
        if (c->bad)
            break;
        uint8_t *data = base_arena_alloc(&c->module->arena, section->size_bytes, 1);
        c->no_memory |= data == NULL;
        if (data != NULL && section->data != NULL)
            memcpy(data, section->data, section->size_bytes);
        bank.data = data;
        bank_relocs(c, (uint32_t)i, &bank);
        c->no_memory |= !base_vec_push(&banks, bank);
    }
    function->machine->banks = base_arena_alloc(&c->module->arena, banks.count + 1, sizeof(struct isa_sass_bank));
    c->no_memory |= function->machine->banks == NULL;
    if (!c->no_memory && banks.count > 0) {
        memcpy(function->machine->banks, banks.data, banks.count * sizeof(struct isa_sass_bank));
        function->machine->bank_count = banks.count;
    }
    base_vec_free(&banks);
}

/* ---- Whole ---- */

static void keep_variables(struct sass_cubin *c)
{
    c->module->vars = base_arena_alloc(&c->module->arena, c->vars.count + 1, sizeof(struct isa_var));
    c->no_memory |= c->module->vars == NULL;
    if (!c->no_memory && c->vars.count > 0) {
        memcpy(c->module->vars, c->vars.data, c->vars.count * sizeof(struct isa_var));
        c->module->var_count = c->vars.count;
    }
}

static bool is_sass_elf(struct sass_cubin *c)
{
    GElf_Ehdr header;
    if (c->elf == NULL || elf_kind(c->elf) != ELF_K_ELF || gelf_getclass(c->elf) != ELFCLASS64 ||
        gelf_getehdr(c->elf, &header) == NULL || elf_getshdrstrndx(c->elf, &c->names) != 0) {
        bad_cubin(c, "it is not a 64-bit ELF file");
        return false;
    }
    if (header.e_machine != EM_CUDA_NUMBER || header.e_ident[EI_DATA] != ELFDATA2LSB) {
        bad_cubin(c, "it holds no GPU code");
        return false;
    }
    return true;
}

static void read_all(struct sass_cubin *c)
{
    if (!is_sass_elf(c) || !read_sections(c) || !read_symbols(c))
        return;
    match_functions(c);
    if (!c->bad)
        make_variables(c);
    if (!c->bad)
        variable_relocs(c);
    if (!c->bad)
        code_relocs(c);
    if (!c->bad)
        read_infos(c);
    for (size_t f = 0; f < c->module->function_count && !c->bad && !c->no_memory; f++)
        make_banks(c, &c->module->functions[f]);
    if (!c->bad && !c->no_memory)
        keep_variables(c);
    if (!c->bad && !c->no_memory)
        sass_lines_read(c);
}

enum base_status sass_cubin_apply(struct isa_module *module, const char *name, const uint8_t *data, size_t size_bytes,
                                  struct base_diags *diags)
{
    struct sass_cubin c = {.module = module, .name = name, .diags = diags, .data = data, .size_bytes = size_bytes};
    if (elf_version(EV_CURRENT) == EV_NONE) {
        bad_cubin(&c, "libelf is of another version");
        return BASE_INVALID;
    }
    /* elf_memory() wants memory it may write to: a private copy. */
    char *copy = malloc(size_bytes);
    if (copy == NULL)
        return BASE_NOMEM;
    memcpy(copy, data, size_bytes);
    c.data = (const uint8_t *)copy;
    c.elf = elf_memory(copy, size_bytes);
    read_all(&c);
    if (c.elf != NULL)
        elf_end(c.elf);
    base_vec_free(&c.sections);
    base_vec_free(&c.symbols);
    base_vec_free(&c.params);
    base_vec_free(&c.vars);
    free(copy);
    return c.no_memory ? BASE_NOMEM : c.bad ? BASE_INVALID : BASE_OK;
}
