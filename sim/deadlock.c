/* Nothing goes on any more: what the fault says of it. A deadlock is a cluster of which no thread can run; a livelock
 * is a grid whose threads run, but only look at memory that none of them changes. */
#include "sim/engine.h"

#include <stdio.h>
#include <string.h>

/* Threads that wait in one place. */
struct standstill {
    const struct sim_warp *warp; /* of the first of them */
    const struct sim_group *group;
    uint64_t threads;
};

static bool wait_alike(const struct sim_group *a, const struct sim_group *b)
{
    return a->pc == b->pc && a->state == b->state;
}

/* "32 wait at barrier 0 of the block (k.cu:12)"; `all`: "all wait ..." */
static void put_standstill(const struct sim_engine *engine, const struct standstill *at, bool all, char *text,
                           size_t size)
{
    static const char *const words[] = {
        [SIM_G_READY] = " for others", /* nothing is ready in a deadlock */
        [SIM_G_BAR] = " at a barrier",
        [SIM_G_CONV] = " for the other lanes of their warp",
        [SIM_G_RET] = " for the other lanes of their warp",
        [SIM_G_WARP] = " for other lanes that a warp-wide instruction names",
        [SIM_G_CLUSTER] = " at the barrier of the cluster",
        [SIM_G_MBARRIER] = " at mbarrier.try_wait",
    };
    char who[32] = "all", barrier[48];
    const char *file = "";
    uint32_t line = 0;
    if (!all)
        snprintf(who, sizeof(who), "%llu", (unsigned long long)at->threads);
    snprintf(barrier, sizeof(barrier), " at barrier %u of the block", at->group->barrier);
    isa_insn_location(engine->program->module, engine->program->ops[at->group->pc].insn, &file, &line);
    const char *slash = strrchr(file, '/');
    snprintf(text, size, "%s wait%s%s (%.100s:%u)", who, !all && at->threads == 1 ? "s" : "",
             at->group->state == SIM_G_BAR ? barrier : words[at->group->state], slash != NULL ? slash + 1 : file, line);
}

/* Goes through the groups of a cluster; false: there are no more. */
struct group_cursor {
    const struct sim_cluster *cluster;
    uint32_t block, warp, group;
};

static bool next_group(struct group_cursor *cursor, const struct sim_warp **warp, const struct sim_group **group)
{
    for (; cursor->block < cursor->cluster->block_count; cursor->block++, cursor->warp = 0) {
        const struct sim_block *block = &cursor->cluster->blocks[cursor->block];
        for (; cursor->warp < block->warp_count; cursor->warp++, cursor->group = 0) {
            *warp = &block->warps[cursor->warp];
            if (cursor->group < (*warp)->group_count) {
                *group = &(*warp)->groups[cursor->group++];
                return true;
            }
        }
    }
    return false;
}

/* Two places in which threads wait, a barrier of the block first where there is one. Returns how many wait in all. */
static uint64_t find_standstills(const struct sim_cluster *cluster, struct standstill places[2])
{
    struct group_cursor cursor = {.cluster = cluster};
    const struct sim_warp *warp;
    const struct sim_group *group;
    uint64_t all = 0;
    places[0] = places[1] = (struct standstill){NULL, NULL, 0};
    while (next_group(&cursor, &warp, &group))
        if (places[0].group == NULL || (places[0].group->state != SIM_G_BAR && group->state == SIM_G_BAR))
            places[0] = (struct standstill){warp, group, 0};
    cursor = (struct group_cursor){.cluster = cluster};
    while (next_group(&cursor, &warp, &group)) {
        struct standstill *place = &places[!wait_alike(group, places[0].group)];
        if (place->group == NULL)
            *place = (struct standstill){warp, group, 0};
        if (wait_alike(group, place->group))
            place->threads += (uint64_t)__builtin_popcount(group->mask);
        all += (uint64_t)__builtin_popcount(group->mask);
    }
    return all;
}

/* Nothing in the cluster can run any more, and nothing outside can change that: a barrier that can never complete. */
void sim_cluster_deadlock(struct sim_engine *engine, const struct sim_cluster *cluster)
{
    struct standstill places[2];
    uint64_t left = find_standstills(cluster, places);
    char first[240], second[240] = "", elsewhere[48] = "";
    if (places[0].group == NULL)
        return;
    put_standstill(engine, &places[0], places[1].group == NULL, first, sizeof(first));
    if (places[1].group != NULL)
        put_standstill(engine, &places[1], false, second, sizeof(second));
    uint64_t others = left - places[0].threads - places[1].threads;
    if (others > 0)
        snprintf(elsewhere, sizeof(elsewhere), ", %llu elsewhere", (unsigned long long)others);
    sim_stop(engine, places[0].warp, &engine->program->ops[places[0].group->pc],
             (unsigned)__builtin_ctz(places[0].group->mask), SIM_FAULT_DEADLOCK,
             "none of the %llu threads left can go on: %s%s%s%s", (unsigned long long)left, first,
             second[0] != '\0' ? ", " : "", second, elsewhere);
}

void sim_cluster_livelock(struct sim_engine *engine, const struct sim_cluster *cluster)
{
    struct group_cursor cursor = {.cluster = cluster};
    const struct sim_warp *warp;
    const struct sim_group *group;
    if (next_group(&cursor, &warp, &group))
        sim_stop(engine, warp, &engine->program->ops[group->pc], (unsigned)__builtin_ctz(group->mask),
                 SIM_FAULT_DEADLOCK, "all resident threads wait in loops for memory that none of them changes");
}
