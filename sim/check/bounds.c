/* Shared memory that an access has no right to, although it is there: past the array it belongs to, or of a block that
 * may have ended.
 *
 * A block's shared memory ends with it. Whoever accesses another block's must do so before a barrier of the cluster
 * that this one waits at, too; whether it does is asked when the blocks are done, so it does not depend on who was
 * quicker. */
#include "sim/check/check.h"

#include "base/demangle.h"

#include <stdio.h>
#include <string.h>

static struct check_finding finding_of(const struct check_view *view, const struct sim_effect *effect,
                                       enum check_kind kind, unsigned lane, uint64_t address)
{
    static const uint8_t words[] = {[SIM_EFFECT_LOAD] = SIM_ACCESS_READ,
                                    [SIM_EFFECT_STORE] = SIM_ACCESS_WRITE,
                                    [SIM_EFFECT_ATOMIC] = SIM_ACCESS_ATOMIC};
    return (struct check_finding){
        .kind = kind,
        .first = {effect->op->counter, view->block->linear, view->index * 32 + lane, words[effect->kind]},
        .has_address = true,
        .address = address,
        .space = effect->space,
    };
}

/* "4 bytes past the end of tile (4096 bytes)" */
static void describe(const struct isa_var *var, uint64_t low, uint64_t address, char *text, size_t size)
{
    struct base_strbuf name = {0};
    base_demangle(var->name, &name);
    const char *where = address < low ? "before the start" : "past the end";
    uint64_t away = address < low ? low - address : address - low - var->size_bytes;
    snprintf(text, size, "%llu byte%s %s of %.60s (%llu bytes of shared memory)", (unsigned long long)away,
             away == 1 ? "" : "s", where, name.data != NULL ? name.data : var->name,
             (unsigned long long)var->size_bytes);
    base_strbuf_free(&name);
}

static void visit_own(const struct check_view *view, const struct sim_effect *effect)
{
    const struct sim_program *p = view->check->engine->program;
    int32_t index = view->check->insns[effect->op->counter].variable - 1;
    struct sim_addresses *a = effect->addresses;
    if (index < 0)
        return;
    const struct isa_var *var = &p->module->vars[index];
    uint64_t low = p->var_address[index], high = low + var->size_bytes;
    if (a->min >= low && a->max + a->width_bytes <= high)
        return;
    sim_addresses_expand(a);
    for (uint32_t m = a->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        if (a->at[lane] >= low && a->at[lane] + a->width_bytes <= high)
            continue;
        struct check_finding finding = finding_of(view, effect, CHECK_MEMORY_ARRAY, lane, a->at[lane]);
        describe(var, low, a->at[lane], finding.nearest, sizeof(finding.nearest));
        check_find(view->check, &finding, (uint64_t)view->check->serial << 5 | lane, 1);
    }
}

static void visit_peers(const struct check_view *view, const struct sim_effect *effect)
{
    struct sim_addresses *a = effect->addresses;
    sim_addresses_expand(a);
    for (uint32_t m = a->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        struct check_block *target = check_block_at(view, effect, a->at[lane]);
        if (target == view->block)
            continue;
        if (target->guests == NULL)
            target->guests = check_alloc(view->check, view->check->engine->cluster_blocks, sizeof(*target->guests));
        if (target->guests == NULL)
            return;
        view->block->dirty = true;
        target->guests[view->block->rank] =
            (struct check_guest){view->block->clock, finding_of(view, effect, CHECK_MEMORY_ENDED, lane, a->at[lane])};
    }
}

void check_bounds_effect(struct sim_check *check, const struct sim_effect *effect)
{
    struct check_view view = check_view_of(check, effect->warp);
    if (effect->space == ISA_SPACE_SHARED)
        visit_own(&view, effect);
    else if (effect->space == ISA_SPACE_SHARED_CLUSTER)
        visit_peers(&view, effect);
}

/* What a block knows through memory, flags that peers set, is not followed here: nothing is told then. */
void check_bounds_block_end(struct sim_check *check, const struct sim_block *block)
{
    const struct check_block *b = block->check;
    bool has_flags = b->references.count > 0;
    for (uint32_t w = 0; w < b->warp_count; w++)
        has_flags |= b->warps[w].references.count > 0;
    for (uint32_t r = 0; b->guests != NULL && !has_flags && r < check->engine->cluster_blocks; r++)
        if (b->guests[r].time > b->peer_time[r])
            check_find(check, &b->guests[r].last, CHECK_ALWAYS, 1);
}
