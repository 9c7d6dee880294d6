/* Constant banks. Bank 0 tells a kernel its launch: the places of its fields were read on an H200 by a kernel that
 * copied the bank to memory under several launches (docs/sass.md). */
#include "sim/sass/bank.h"

#include <string.h>

#define BANK_ALIGN 16u
#define BANKS      (sizeof(((struct sim_program *)0)->bank_offset) / sizeof(uint64_t))
/* Stack of a thread when the cubin does not know it (recursion, calls by address); as from PTX. */
#define STACK_BYTES UINT64_C(65536)

enum { /* bytes from the bank's start; words of 32 bits */
       BANK0_BLOCK = 0x0,
       BANK0_GRID = 0xc,
       BANK0_SHARED_WINDOW = 0x18,
       BANK0_LOCAL_WINDOW = 0x20,
       BANK0_STACK = 0x28,
       BANK0_DYNAMIC_SHARED = 0x2c,
       BANK0_ENVREG1 = 0x44,
       BANK0_ENVREG2 = 0x48,
       BANK0_CONSTANTS = 0xd0, /* where bank 3 lies in global memory: address, 64 bits */
       BANK0_SM_COUNT = 0x10c,
       BANK0_COOPERATIVE = 0x110,
       BANK0_SHARED_BASE = 0x114,
       BANK0_EXPLICIT_CLUSTER = 0x140,
       BANK0_CLUSTER = 0x144,
       BANK0_CLUSTER_RECIPROCAL = 0x150, /* f32 */
       BANK0_GRID_CLUSTERS = 0x15c,
       BANK0_CLUSTER_SIZE = 0x188
};

static void put32(uint8_t *bank, uint32_t offset, uint32_t value)
{
    memcpy(bank + offset, &value, 4);
}

static void fill_bank0(uint8_t *bank, const struct sim_sass_launch *launch, const struct sim_device *device,
                       uint64_t stack_bytes)
{
    for (unsigned d = 0; d < 3; d++) {
        float reciprocal = 1.0F / (float)launch->cluster[d];
        uint32_t bits;
        memcpy(&bits, &reciprocal, 4);
        put32(bank, BANK0_BLOCK + 4 * d, launch->block[d]);
        put32(bank, BANK0_GRID + 4 * d, launch->grid[d]);
        put32(bank, BANK0_CLUSTER + 4 * d, launch->cluster[d]);
        put32(bank, BANK0_CLUSTER_RECIPROCAL + 4 * d, bits);
        put32(bank, BANK0_GRID_CLUSTERS + 4 * d, launch->grid[d] / launch->cluster[d]);
    }
    put32(bank, BANK0_SHARED_WINDOW + 4, (uint32_t)(SIM_WINDOW_SHARED >> 32));
    put32(bank, BANK0_LOCAL_WINDOW + 4, (uint32_t)(SIM_WINDOW_LOCAL >> 32));
    put32(bank, BANK0_STACK, (uint32_t)stack_bytes);
    put32(bank, BANK0_DYNAMIC_SHARED, (uint32_t)launch->shared_dynamic_bytes);
    put32(bank, BANK0_ENVREG1, (uint32_t)(launch->workspace >> 32));
    put32(bank, BANK0_ENVREG2, (uint32_t)launch->workspace);
    put32(bank, BANK0_SM_COUNT, device->sm_count);
    put32(bank, BANK0_COOPERATIVE, launch->workspace != 0);
    put32(bank, BANK0_SHARED_BASE, device->shared_reserved_bytes);
    put32(bank, BANK0_EXPLICIT_CLUSTER, launch->explicit_cluster);
    put32(bank, BANK0_CLUSTER_SIZE, launch->cluster[0] * launch->cluster[1] * launch->cluster[2]);
}

/* Calls may be recursive or by address: then the stack that the cubin tells is only the kernel's own. */
static bool has_calls(const struct isa_module *module, const struct isa_linked *linked)
{
    for (size_t f = 0; f < module->function_count; f++)
        for (size_t i = 0; linked->reaches_function[f] && i < module->functions[f].insn_count; i++)
            if (module->functions[f].insns[i].sass->op == ISA_SASS_CALL)
                return true;
    return false;
}

uint64_t sim_sass_stack_bytes(const struct isa_module *module, const struct isa_linked *linked)
{
    const struct isa_sass_kernel *machine = module->functions[linked->kernel].machine;
    uint64_t bytes = machine->stack_bytes;
    if (has_calls(module, linked) && bytes < STACK_BYTES)
        bytes = STACK_BYTES;
    return (bytes + 15) / 16 * 16;
}

bool sim_sass_constant(const struct sim_program *program, uint8_t bank, int64_t offset, uint32_t bytes, uint64_t *value)
{
    *value = 0;
    bytes = bytes > 8 ? 8 : bytes;
    if (bank >= BANKS || offset < 0 || (uint64_t)offset > program->bank_bytes[bank] ||
        program->bank_bytes[bank] - (uint64_t)offset < bytes)
        return false;
    memcpy(value, program->const_data + program->bank_offset[bank] + offset, bytes);
    return true;
}

/* Global variables get memory; those that are a whole bank live in it. */
static enum base_status place_variables(struct sim_program *program, const struct isa_module *module,
                                        struct sim_memory *memory)
{
    for (size_t v = 0; v < module->var_count; v++) {
        const struct isa_var *var = &module->vars[v];
        if (var->space != ISA_SPACE_GLOBAL || var->size_bytes == 0)
            continue;
        enum base_status status = sim_memory_alloc(memory, var->size_bytes, var->name, &program->var_address[v]);
        if (status != BASE_OK)
            return status;
    }
    return BASE_OK;
}

uint64_t sim_sass_address_of(const struct sim_program *program, bool is_function, uint32_t ref)
{
    const struct isa_var *var = is_function ? NULL : &program->module->vars[ref];
    if (var != NULL && var->space == ISA_SPACE_CONST)
        return program->constants_address + var->offset;
    return is_function ? SIM_CODE_BASE + (uint64_t)program->function_entry[ref] * ISA_SASS_INSN_BYTES
                       : program->var_address[ref];
}

static void fill_variables(struct sim_program *program, const struct isa_module *module, const struct sim_bound *bound,
                           struct sim_memory *memory)
{
    for (size_t v = 0; v < module->var_count; v++) {
        const struct isa_var *var = &module->vars[v];
        if (program->var_address[v] == 0)
            continue;
        uint8_t *data = sim_memory_at(memory, program->var_address[v], var->size_bytes);
        if (data == NULL)
            continue;
        if (var->init != NULL)
            memcpy(data, var->init, var->size_bytes);
        for (size_t r = 0; r < var->reloc_count; r++) {
            const struct isa_reloc *reloc = &var->relocs[r];
            uint64_t value = sim_sass_address_of(program, reloc->is_function, reloc->ref) + (uint64_t)reloc->addend;
            if (reloc->size_bytes <= 8 && reloc->offset_bytes <= var->size_bytes &&
                var->size_bytes - reloc->offset_bytes >= reloc->size_bytes)
                memcpy(data + reloc->offset_bytes, &value, reloc->size_bytes);
        }
    }
    for (size_t s = 0; bound != NULL && s < bound->symbol_count; s++) {
        uint32_t v = bound->symbols[s].var;
        const struct isa_var *var = &module->vars[v];
        uint8_t *data = NULL;
        if (program->var_address[v] != 0)
            data = sim_memory_at(memory, program->var_address[v], var->size_bytes);
        else if (var->space == ISA_SPACE_CONST && var->size_bytes <= program->bank_bytes[3] &&
                 var->offset <= program->bank_bytes[3] - var->size_bytes)
            data = program->const_data + program->bank_offset[3] + var->offset;
        if (data != NULL)
            memcpy(data, bound->symbols[s].data,
                   bound->symbols[s].size_bytes < var->size_bytes ? bound->symbols[s].size_bytes : var->size_bytes);
    }
}

static void fill_bank(struct sim_program *program, const struct isa_sass_bank *bank)
{
    uint8_t *data = program->const_data + program->bank_offset[bank->bank];
    memcpy(data, bank->data, bank->size_bytes);
    for (size_t r = 0; r < bank->reloc_count; r++) {
        const struct isa_sass_reloc *reloc = &bank->relocs[r];
        const uint64_t symbol = reloc->is_builtin ? SIM_BUILTIN_BASE + (uint64_t)reloc->ref * ISA_SASS_INSN_BYTES
                                                  : sim_sass_address_of(program, reloc->is_function, reloc->ref);
        const uint64_t value = (symbol + (uint64_t)reloc->addend) >> reloc->shift;
        program->knows_builtins |= reloc->is_builtin;
        if (reloc->size_bytes <= 8 && reloc->offset_bytes <= bank->size_bytes &&
            bank->size_bytes - reloc->offset_bytes >= reloc->size_bytes)
            memcpy(data + reloc->offset_bytes, &value, reloc->size_bytes);
    }
}

enum base_status sim_sass_banks_fill(struct sim_program *program, const struct isa_module *module, uint32_t kernel,
                                     const struct sim_bound *bound, const struct sim_sass_launch *launch,
                                     const struct sim_device *device, struct sim_memory *memory,
                                     struct base_arena *arena)
{
    const struct isa_sass_kernel *machine = module->functions[kernel].machine;
    uint64_t total = 0;
    program->bank_bytes[0] = (uint64_t)machine->param_base + program->param_bytes;
    for (size_t i = 0; i < machine->bank_count; i++)
        if (machine->banks[i].bank > 0 && machine->banks[i].bank < BANKS)
            program->bank_bytes[machine->banks[i].bank] = machine->banks[i].size_bytes;
    for (unsigned i = 0; i < BANKS; i++) {
        program->bank_offset[i] = total;
        total += (program->bank_bytes[i] + BANK_ALIGN - 1) / BANK_ALIGN * BANK_ALIGN;
    }
    program->const_data = base_arena_alloc(arena, total + 1, 1);
    program->const_bytes = total;
    if (program->const_data == NULL)
        return BASE_NOMEM;
    if (machine->param_base >= 0x190)
        fill_bank0(program->const_data, launch, device, program->stack_bytes);
    if (program->param_bytes > 0)
        memcpy(program->const_data + machine->param_base, program->params, program->param_bytes);
    enum base_status status = place_variables(program, module, memory);
    if (status == BASE_OK && program->bank_bytes[3] > 0)
        status = sim_memory_alloc(memory, program->bank_bytes[3], "__constant__", &program->constants_address);
    if (status != BASE_OK)
        return status;
    if (machine->param_base >= 0x190)
        memcpy(program->const_data + BANK0_CONSTANTS, &program->constants_address, sizeof(uint64_t));
    for (size_t i = 0; i < machine->bank_count; i++)
        if (machine->banks[i].bank > 0 && machine->banks[i].bank < BANKS)
            fill_bank(program, &machine->banks[i]);
    fill_variables(program, module, bound, memory);
    uint8_t *constants = sim_memory_at(memory, program->constants_address, program->bank_bytes[3]);
    if (constants != NULL && program->bank_bytes[3] > 0)
        memcpy(constants, program->const_data + program->bank_offset[3], program->bank_bytes[3]);
    return BASE_OK;
}
