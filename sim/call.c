/* Calls and returns. A frame is a run of register rows, a run of predicates and a run of local memory; a callee's lie
 * behind its caller's. Parameters are copied between the two frames' local memory, lane by lane. Where a lane returns
 * to is kept for each lane, so that lanes called from different places may run a function together. */
#include "sim/engine.h"

#include <stdlib.h>
#include <string.h>

static bool reserve(struct sim_engine *engine, struct sim_warp *warp, uint32_t rows, uint32_t preds, uint32_t depth)
{
    if (rows > warp->row_capacity) {
        uint32_t capacity = rows + rows / 2;
        uint32_t *grown = sim_engine_alloc_rows(engine, capacity);
        if (grown == NULL)
            return false;
        memcpy(grown, warp->rows, (size_t)warp->row_capacity * 128);
        free(warp->rows);
        engine->used_bytes -= (uint64_t)warp->row_capacity * 128;
        warp->rows = grown;
        warp->row_capacity = capacity;
    }
    if (preds > warp->pred_capacity) {
        uint32_t capacity = preds + preds / 2;
        uint32_t *grown = sim_engine_alloc(engine, capacity, sizeof(uint32_t));
        if (grown == NULL)
            return false;
        memcpy(grown, warp->preds, (size_t)warp->pred_capacity * 4);
        free(warp->preds);
        engine->used_bytes -= (uint64_t)warp->pred_capacity * 4;
        warp->preds = grown;
        warp->pred_capacity = capacity;
    }
    if (depth > warp->return_capacity) {
        uint32_t capacity = depth * 2;
        struct sim_return(*grown)[32] = sim_engine_alloc(engine, capacity, sizeof(*grown));
        if (grown == NULL)
            return false;
        if (warp->return_capacity > 0)
            memcpy(grown, warp->returns, (size_t)warp->return_capacity * sizeof(*grown));
        free(warp->returns);
        engine->used_bytes -= (uint64_t)warp->return_capacity * sizeof(*grown);
        warp->returns = grown;
        warp->return_capacity = capacity;
    }
    return true;
}

/* Offset of a parameter or return value in its function's frame. */
static uint32_t callee_offset(const struct sim_program *program, const struct sim_op *site_op,
                              const struct sim_call_arg *arg, uint32_t function)
{
    if (site_op->target != UINT32_MAX)
        return arg->callee_offset;
    const struct isa_function *f = &program->module->functions[function];
    size_t have = arg->is_return ? f->ret_count : f->param_count;
    if (arg->callee_offset >= have)
        return UINT32_MAX;
    return program->linked->local_offset[arg->is_return ? f->rets[arg->callee_offset] : f->params[arg->callee_offset]];
}

static bool copy_args(struct sim_engine *engine, struct sim_warp *warp, const struct sim_op *op,
                      struct sim_group *caller, uint32_t function, uint32_t callee_base, uint32_t mask)
{
    const struct sim_program *program = engine->program;
    const struct sim_call_site *site = &program->call_sites[op->target_count];
    for (uint32_t i = 0; i < site->arg_count; i++) {
        const struct sim_call_arg *arg = &program->call_args[site->first_arg + i];
        uint32_t to_offset = arg->is_return ? UINT32_MAX : callee_offset(program, op, arg, function);
        if (to_offset == UINT32_MAX)
            continue;
        const uint32_t *row = arg->row != SIM_ROW_NONE ? sim_row(program, warp, caller, arg->row) : NULL;
        for (uint32_t m = mask; m != 0; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctz(m);
            uint64_t to = (uint64_t)callee_base + to_offset, value;
            bool done;
            if (row != NULL) {
                value = arg->bytes > 4 ? (uint64_t)row[32 + lane] << 32 | row[lane] : row[lane];
                done = sim_local_write(engine, warp, lane, to, &value, arg->bytes <= 8 ? arg->bytes : 8);
            } else {
                done = sim_local_copy(engine, warp, lane, to, (uint64_t)caller->local_base + arg->caller_offset,
                                      arg->bytes);
            }
            if (!done)
                return false;
            if (engine->check != NULL)
                sim_check_local_written(engine->check, warp, lane, to, arg->bytes);
        }
    }
    return true;
}

/* Calls `function` for all lanes of the group, whose pc stands at the call. */
static bool enter(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                  uint32_t function)
{
    const struct sim_program *program = engine->program;
    uint32_t from = op->function, frame = group->frame + program->frame_rows[from];
    uint32_t pframe = group->pframe + program->frame_preds[from];
    /* A thread's stack also holds its saved registers; they count where depth is not known in advance. */
    bool counted = program->linked->is_recursive || program->linked->has_indirect_call;
    uint32_t step = program->linked->frame_bytes[from] + (counted ? (program->frame_rows[from] * 4 + 15) / 16 * 16 : 0);
    uint32_t local_base = group->local_base + step;
    unsigned first = (unsigned)__builtin_ctz(group->mask);
    const uint64_t end = (uint64_t)local_base + program->linked->frame_bytes[function];
    for (uint32_t m = group->mask; m != 0; m &= m - 1)
        if (end > warp->stack_top[__builtin_ctz(m)])
            first = (unsigned)__builtin_ctz(m);
    if (end > warp->stack_top[first])
        return sim_stop(engine, warp, op, first, SIM_FAULT_STACK_OVERFLOW,
                        "%u nested calls need more than the thread's %llu bytes of stack", group->depth + 1,
                        (unsigned long long)program->stack_bytes);
    if (!reserve(engine, warp, frame + program->frame_rows[function], pframe + program->frame_preds[function],
                 group->depth + 1))
        return false;
    if (engine->check != NULL)
        sim_check_frame(engine->check, warp, group->mask, local_base, program->linked->frame_bytes[function]);
    if (!copy_args(engine, warp, op, group, function, local_base, group->mask))
        return false;
    for (uint32_t m = group->mask; m != 0; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        warp->returns[group->depth][lane] = (struct sim_return){group->pc + 1,     group->frame, group->pframe,
                                                                group->local_base, group->mask,  warp->stack_top[lane]};
    }
    const struct isa_slots *slots = &program->linked->slots[function];
    for (uint32_t p = slots->pred_count + 1; p < program->frame_preds[function]; p += SIM_CONV_WORDS)
        sim_conv_remove(&warp->preds[pframe + p], group->mask); /* none is under way in the new frame */
    group->depth++;
    group->frame = frame;
    group->pframe = pframe;
    group->local_base = local_base;
    group->pc = program->function_entry[function];
    return true;
}

static bool resolve(struct sim_engine *engine, struct sim_warp *warp, const struct sim_op *op, unsigned lane,
                    uint64_t address, uint32_t *function)
{
    const struct sim_program *program = engine->program;
    uint64_t index = (address - SIM_CODE_BASE) / 16;
    if (address < SIM_CODE_BASE || address % 16 != 0 || index >= program->module->function_count ||
        program->function_entry[index] == UINT32_MAX || program->module->functions[index].is_entry)
        return sim_stop(engine, warp, op, lane, SIM_FAULT_BAD_INSTRUCTION,
                        "call through 0x%llx, which is not the address of a function", (unsigned long long)address);
    *function = (uint32_t)index;
    return true;
}

bool sim_call(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
              uint32_t mask)
{
    uint32_t index = (uint32_t)(group - warp->groups);
    if (mask != group->mask) { /* lanes whose guard is false go on behind the call */
        struct sim_group rest = *group;
        rest.mask &= ~mask;
        rest.pc++;
        group->mask = mask;
        warp->groups[warp->group_count++] = rest;
    }
    if (op->target != UINT32_MAX) {
        if (engine->program->module->functions[op->target].is_declaration) {
            if (!sim_builtin_call(engine, warp, group, op, op->target, mask))
                return false;
            group->pc++;
            return true;
        }
        return enter(engine, warp, group, op, op->target);
    }
    const uint32_t *row = sim_row(engine->program, warp, group, op->src[0]);
    uint64_t targets[32];
    for (unsigned lane = 0; lane < 32; lane++)
        targets[lane] = op->dst_rows == 2 ? (uint64_t)row[32 + lane] << 32 | row[lane] : row[lane];
    for (uint32_t todo = mask; todo != 0;) {
        unsigned first = (unsigned)__builtin_ctz(todo);
        uint32_t lanes = 0, function = 0;
        for (uint32_t m = todo; m != 0; m &= m - 1)
            if (targets[__builtin_ctz(m)] == targets[first])
                lanes |= m & (0U - m);
        if (!resolve(engine, warp, op, first, targets[first], &function))
            return false;
        todo &= ~lanes;
        struct sim_group *part = &warp->groups[index];
        if (todo != 0) { /* the others stay at the call as a group of their own */
            struct sim_group rest = *part;
            rest.mask = todo;
            part->mask = lanes;
            warp->groups[warp->group_count] = rest;
            index = warp->group_count++;
        }
        if (!enter(engine, warp, part, op, function))
            return false;
    }
    return true;
}

static void copy_returns(struct sim_engine *engine, struct sim_warp *warp, const struct sim_op *call,
                         struct sim_group *group, uint32_t function, uint32_t callee_base)
{
    const struct sim_program *program = engine->program;
    const struct sim_call_site *site = &program->call_sites[call->target_count];
    for (uint32_t i = 0; i < site->arg_count; i++) {
        const struct sim_call_arg *arg = &program->call_args[site->first_arg + i];
        uint32_t from = arg->is_return ? callee_offset(program, call, arg, function) : UINT32_MAX;
        if (from == UINT32_MAX)
            continue;
        uint32_t *row = arg->row != SIM_ROW_NONE ? sim_row(program, warp, group, arg->row) : NULL;
        for (uint32_t m = group->mask; m != 0; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctz(m);
            uint64_t at = (uint64_t)callee_base + from, value = 0;
            if (row == NULL) {
                uint64_t to = (uint64_t)group->local_base + arg->caller_offset;
                (void)sim_local_copy(engine, warp, lane, to, at, arg->bytes);
                if (engine->check != NULL)
                    sim_check_local_written(engine->check, warp, lane, to, arg->bytes);
                continue;
            }
            (void)sim_local_read(engine, warp, lane, at, &value, arg->bytes <= 8 ? arg->bytes : 8);
            row[lane] = (uint32_t)value;
            if (arg->rows > 1)
                row[32 + lane] = (uint32_t)(value >> 32);
        }
    }
}

static bool same_return(const struct sim_return *a, const struct sim_return *b)
{
    return a->pc == b->pc && a->frame == b->frame && a->pframe == b->pframe && a->local_base == b->local_base;
}

void sim_return_from(struct sim_engine *engine, struct sim_warp *warp, uint32_t index)
{
    const struct sim_program *program = engine->program;
    struct sim_group whole = warp->groups[index];
    const struct sim_return *returns = warp->returns[whole.depth - 1];
    uint32_t function = program->ops[whole.pc].function;
    bool first_part = true;
    for (uint32_t todo = whole.mask; todo != 0;) {
        struct sim_return to = returns[__builtin_ctz(todo)];
        uint32_t lanes = 0;
        for (uint32_t m = todo; m != 0; m &= m - 1)
            if (same_return(&returns[__builtin_ctz(m)], &to))
                lanes |= m & (0U - m);
        struct sim_group part = {.mask = lanes,
                                 .pc = to.pc,
                                 .frame = to.frame,
                                 .pframe = to.pframe,
                                 .local_base = to.local_base,
                                 .depth = whole.depth - 1,
                                 .state = SIM_G_READY};
        for (uint32_t m = lanes; m != 0; m &= m - 1)
            warp->stack_top[__builtin_ctz(m)] = returns[__builtin_ctz(m)].stack_top;
        copy_returns(engine, warp, &program->ops[to.pc - 1], &part, function, whole.local_base);
        if (first_part)
            warp->groups[index] = part;
        else
            warp->groups[warp->group_count++] = part;
        first_part = false;
        todo &= ~lanes;
    }
}

/* ---- The stack ---- */

/* Takes bytes from the end of a lane's local memory; what alloca took is given back when its function returns. */
static bool take(struct sim_engine *engine, struct sim_warp *warp, const struct sim_group *group,
                 const struct sim_op *op, unsigned lane, uint64_t bytes, uint64_t align)
{
    const struct sim_program *program = engine->program;
    const uint64_t end = (uint64_t)group->local_base + program->linked->frame_bytes[op->function];
    const uint64_t top = warp->stack_top[lane];
    if (bytes > top || (top - bytes) / align * align < end)
        return sim_stop(engine, warp, op, lane, SIM_FAULT_STACK_OVERFLOW,
                        "%llu bytes do not fit on the thread's stack of %llu bytes", (unsigned long long)bytes,
                        (unsigned long long)program->stack_bytes);
    warp->stack_top[lane] = (uint32_t)((top - bytes) / align * align);
    if (engine->check != NULL)
        sim_check_frame(engine->check, warp, UINT32_C(1) << lane, warp->stack_top[lane], bytes);
    return true;
}

bool sim_stack_run(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                   uint32_t mask)
{
    const bool wide = isa_types[op->type].bits == 64, restores = op->insn->op == ISA_OP_STACKRESTORE;
    const uint32_t *source = op->src[0] != SIM_ROW_NONE ? sim_row(engine->program, warp, group, op->src[0]) : NULL;
    uint32_t out[2][32] = {{0}};
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        const uint64_t value = source == NULL ? 0 : source[lane] | (wide ? (uint64_t)source[32 + lane] << 32 : 0);
        if (restores && (value > engine->program->stack_bytes || value < warp->stack_top[lane]))
            return sim_stop(engine, warp, op, lane, SIM_FAULT_STACK_OVERFLOW, "%llu is no earlier stack pointer",
                            (unsigned long long)value);
        if (restores)
            warp->stack_top[lane] = (uint32_t)value;
        else if (op->insn->op == ISA_OP_ALLOCA && !take(engine, warp, group, op, lane, value, (uint64_t)op->offset))
            return false;
        out[0][lane] = warp->stack_top[lane];
    }
    if (op->dst != SIM_ROW_NONE)
        engine->lanes->merge(sim_row(engine->program, warp, group, op->dst), out[0], mask, op->dst_rows);
    return true;
}
