/* Setting the engine's fault: the words for the user, the thread, the nearest allocation. */
#include "sim/engine.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *sim_fault_kind_name(enum sim_fault_kind kind)
{
    static const char *const names[SIM_FAULT_COUNT] = {
        "none", "out of bounds",    "misaligned address", "null pointer", "write to read-only memory", "stack overflow",
        "trap", "assertion failed", "deadlock",           "runaway",      "bad instruction",
    };
    return kind < SIM_FAULT_COUNT ? names[kind] : "unknown";
}

void sim_thread_index(const struct sim_engine *engine, const struct sim_warp *warp, unsigned lane, uint32_t thread[3])
{
    uint32_t linear = warp->index * 32 + lane;
    thread[0] = linear % engine->block_dim[0];
    thread[1] = linear / engine->block_dim[0] % engine->block_dim[1];
    thread[2] = linear / engine->block_dim[0] / engine->block_dim[1];
}

static bool begin_stop(struct sim_engine *engine, const struct sim_warp *warp, const struct sim_op *op, unsigned lane,
                       enum sim_fault_kind kind)
{
    struct sim_fault *fault = &engine->fault;
    if (engine->stopped && fault->kind != SIM_FAULT_NONE)
        return false; /* the first one counts */
    engine->stopped = true;
    memset(fault, 0, sizeof(*fault));
    fault->kind = kind;
    fault->function = engine->program->linked->kernel;
    if (op != NULL && op->insn != NULL) {
        fault->function = op->function;
        fault->insn = (uint32_t)(op->insn - engine->program->module->functions[op->function].insns);
    }
    if (warp != NULL) {
        memcpy(fault->block, warp->block->ctaid, sizeof(fault->block));
        sim_thread_index(engine, warp, lane, fault->thread);
    }
    return true;
}

bool sim_stop(struct sim_engine *engine, const struct sim_warp *warp, const struct sim_op *op, unsigned lane,
              enum sim_fault_kind kind, const char *format, ...)
{
    if (!begin_stop(engine, warp, op, lane, kind))
        return false;
    va_list args;
    va_start(args, format);
    vsnprintf(engine->fault.message, sizeof(engine->fault.message), format, args);
    va_end(args);
    return false;
}

static const char *space_word(uint8_t space)
{
    switch (space) {
    case ISA_SPACE_SHARED:
    case ISA_SPACE_SHARED_CLUSTER:
        return "shared";
    case ISA_SPACE_LOCAL:
        return "local";
    case ISA_SPACE_CONST:
        return "constant";
    case ISA_SPACE_PARAM:
        return "parameter";
    default:
        return "global";
    }
}

static void describe_shared(const struct sim_engine *engine, uint64_t address, char *text, size_t size)
{
    uint64_t offset = address & ((UINT64_C(1) << SIM_CLUSTER_SHIFT) - 1), rank = address >> SIM_CLUSTER_SHIFT;
    uint64_t base = engine->program->shared_base, bytes = engine->shared_bytes - base;
    if (rank > engine->cluster_blocks)
        snprintf(text, size, "block %llu of a cluster of %u", (unsigned long long)(rank - 1), engine->cluster_blocks);
    else if (offset >= base && offset < base + bytes)
        snprintf(text, size, "byte %llu of the block's %llu bytes of shared memory",
                 (unsigned long long)(offset - base), (unsigned long long)bytes);
    else if (offset < base)
        snprintf(text, size, "%llu bytes before the block's %llu bytes of shared memory",
                 (unsigned long long)(base - offset), (unsigned long long)bytes);
    else
        snprintf(text, size, "%llu bytes past the end of the block's %llu bytes of shared memory%s",
                 (unsigned long long)(offset - base - bytes), (unsigned long long)bytes,
                 bytes == engine->program->shared_static_bytes ? " (the launch gives it no dynamic ones)" : "");
}

static void describe_range(uint64_t address, uint64_t bytes, const char *what, char *text, size_t size)
{
    if (address < bytes)
        snprintf(text, size, "byte %llu of the %llu bytes of %s", (unsigned long long)address,
                 (unsigned long long)bytes, what);
    else
        snprintf(text, size, "%llu bytes past the end of the %llu bytes of %s", (unsigned long long)(address - bytes),
                 (unsigned long long)bytes, what);
}

void sim_describe_address(const struct sim_engine *engine, uint8_t space, uint64_t address, char *text, size_t size)
{
    switch (space) {
    case ISA_SPACE_SHARED:
    case ISA_SPACE_SHARED_CLUSTER:
        describe_shared(engine, address, text, size);
        break;
    case ISA_SPACE_LOCAL:
        describe_range(address, engine->program->stack_bytes, "the thread's local memory", text, size);
        break;
    case ISA_SPACE_CONST:
        describe_range(address, engine->program->const_bytes, "constant memory", text, size);
        break;
    case ISA_SPACE_PARAM:
        describe_range(address, engine->program->param_bytes, "the kernel's parameters", text, size);
        break;
    default:
        sim_memory_describe(engine->memory, address, text, size);
        break;
    }
}

bool sim_stop_address(struct sim_engine *engine, const struct sim_warp *warp, const struct sim_op *op, unsigned lane,
                      enum sim_fault_kind kind, uint8_t space, uint64_t address, uint32_t width_bytes, bool is_write)
{
    struct sim_fault *fault = &engine->fault;
    if (!begin_stop(engine, warp, op, lane, kind))
        return false;
    fault->has_address = true;
    fault->address = address;
    fault->space = space;
    fault->width_bytes = width_bytes;
    fault->is_write = is_write;
    const char *what = is_write ? "write" : "read";
    unsigned long long at = (unsigned long long)address;
    if (kind == SIM_FAULT_MISALIGNED)
        snprintf(fault->message, sizeof(fault->message),
                 "%s of %u bytes at %s address 0x%llx, which is not a multiple of %u", what, width_bytes,
                 space_word(space), at, width_bytes);
    else if (kind == SIM_FAULT_READ_ONLY)
        snprintf(fault->message, sizeof(fault->message), "write of %u bytes to %s memory, which is read-only",
                 width_bytes, space_word(space));
    else if (kind == SIM_FAULT_NULL)
        snprintf(fault->message, sizeof(fault->message), "%s of %u bytes through a null pointer (address 0x%llx)", what,
                 width_bytes, at);
    else
        snprintf(fault->message, sizeof(fault->message), "%s of %u bytes at %s address 0x%llx, which is out of bounds",
                 what, width_bytes, space_word(space), at);
    sim_describe_address(engine, space, address, fault->nearest, sizeof(fault->nearest));
    return false;
}
