/* Which launch of one measure is which of the other. See compare.h.
 *
 * By name means: by the launches' names where both files have them, else by kernel, grid and block; the first of each
 * with the first, the second with the second. */
#include "validate/compare.h"

#include <stdlib.h>
#include <string.h>

/* What launches are matched by. */
struct key {
    const struct validate_launch *launch;
    size_t index;
    bool by_name, by_grid, by_id;
};

static bool runs(const struct validate_launch *launch)
{
    return strcmp(launch->status, "ok") == 0;
}

static int compare_keys(const struct key *x, const struct key *y)
{
    const struct validate_launch *a = x->launch, *b = y->launch;
    if (x->by_id)
        return a->id < b->id ? -1 : a->id > b->id;
    if (x->by_name)
        return strcmp(a->name, b->name);
    int order = strcmp(a->kernel, b->kernel);
    if (order == 0 && x->by_grid)
        order = memcmp(a->grid, b->grid, sizeof(a->grid));
    if (order == 0 && x->by_grid)
        order = memcmp(a->block, b->block, sizeof(a->block));
    return order;
}

static int by_key(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    int order = compare_keys(x, y);
    return order != 0 ? order : x->index < y->index ? -1 : x->index > y->index;
}

static bool all_named(const struct validate_measure *m)
{
    for (size_t i = 0; i < m->launches.count; i++)
        if (m->launches.data[i].name[0] == '\0')
            return false;
    return true;
}

static bool all_gridded(const struct validate_measure *m)
{
    for (size_t i = 0; i < m->launches.count; i++)
        if (runs(&m->launches.data[i]) && !m->launches.data[i].has_grid)
            return false;
    return true;
}

static bool add_pair(struct validate_comparison *out, const struct validate_launch *sim,
                     const struct validate_launch *gpu)
{
    const struct validate_pair pair = {.sim = sim, .gpu = gpu};
    return base_vec_push(&out->pairs, pair);
}

/* A launch without a partner. In two simulations that is a disagreement, whichever has it. In a GPU's report it is not:
 * a program runs more kernels than one simulates. That a simulated fault has no partner there is as it should be. */
static bool add_alone(struct validate_comparison *out, const struct validate_launch *launch, bool in_gpu)
{
    struct validate_alone alone = {launch, in_gpu, out->both_simulated || !in_gpu, "not in the other file"};
    if (!out->both_simulated && in_gpu) {
        alone.why = "was not simulated";
    } else if (!out->both_simulated && strcmp(launch->status, "fault") == 0) {
        alone.counts = false;
        alone.why = "faults in the simulation; a profiler has no figures of such a launch";
    } else if (!out->both_simulated && !runs(launch)) {
        alone.why = "could not be simulated";
    }
    out->alone_counting[in_gpu] += alone.counts;
    return base_vec_push(&out->alone, alone);
}

static struct key *keys_of(const struct validate_measure *m, struct key like, bool all, size_t *count)
{
    struct key *keys = calloc(m->launches.count + 1, sizeof(*keys));
    *count = 0;
    for (size_t i = 0; keys && i < m->launches.count; i++) {
        if (!all && !runs(&m->launches.data[i]))
            continue;
        keys[*count] = like;
        keys[*count].launch = &m->launches.data[i];
        keys[(*count)++].index = i;
    }
    if (keys)
        qsort(keys, *count, sizeof(*keys), by_key);
    return keys;
}

static int by_place(const void *a, const void *b)
{
    const struct validate_pair *x = a, *y = b;
    return x->sim < y->sim ? -1 : x->sim > y->sim;
}

/* Walks both sorted lists side by side. */
static bool pair_keys(const struct validate_measure *sim, const struct validate_measure *gpu, struct key like,
                      struct validate_comparison *out)
{
    size_t sim_count, gpu_count, s = 0, g = 0;
    bool all = gpu->origin == VALIDATE_SIMTLAB, ok = true;
    struct key *sims = keys_of(sim, like, all, &sim_count), *gpus = keys_of(gpu, like, true, &gpu_count);
    ok = sims && gpus;
    while (ok && (s < sim_count || g < gpu_count)) {
        int order = s == sim_count ? 1 : g == gpu_count ? -1 : compare_keys(&sims[s], &gpus[g]);
        if (order == 0)
            ok = add_pair(out, sims[s++].launch, gpus[g++].launch);
        else if (order < 0)
            ok = add_alone(out, sims[s++].launch, false);
        else
            ok = add_alone(out, gpus[g++].launch, true);
    }
    for (size_t i = 0; ok && !all && i < sim->launches.count; i++)
        if (!runs(&sim->launches.data[i]))
            ok = add_alone(out, &sim->launches.data[i], false);
    free(sims);
    free(gpus);
    if (out->pairs.count > 0)
        qsort(out->pairs.data, out->pairs.count, sizeof(*out->pairs.data), by_place);
    return ok;
}

/* The first with the first. Launches that did not run have no row in ncu's report. */
static bool pair_in_order(const struct validate_measure *sim, const struct validate_measure *gpu,
                          struct validate_comparison *out)
{
    bool all = gpu->origin == VALIDATE_SIMTLAB, ok = true;
    size_t g = 0;
    for (size_t s = 0; ok && s < sim->launches.count; s++) {
        const struct validate_launch *launch = &sim->launches.data[s];
        if ((all || runs(launch)) && g < gpu->launches.count)
            ok = add_pair(out, launch, &gpu->launches.data[g++]);
        else
            ok = add_alone(out, launch, false);
    }
    for (; ok && g < gpu->launches.count; g++)
        ok = add_alone(out, &gpu->launches.data[g], true);
    return ok;
}

/* Every launch that has a row in the other report has its like at the same place. */
static bool same_sequence(const struct validate_measure *sim, const struct validate_measure *gpu)
{
    const bool all = gpu->origin == VALIDATE_SIMTLAB;
    size_t g = 0;
    for (size_t s = 0; s < sim->launches.count; s++) {
        const struct validate_launch *a = &sim->launches.data[s];
        if (!all && !runs(a))
            continue;
        const struct validate_launch *b = g < gpu->launches.count ? &gpu->launches.data[g++] : NULL;
        if (!b || strcmp(a->kernel, b->kernel) != 0)
            return false;
    }
    return g == gpu->launches.count;
}

static enum base_status nothing_fits(const struct validate_measure *sim, const struct validate_measure *gpu,
                                     bool by_name, struct base_diags *diags)
{
    const struct validate_launch *a = &sim->launches.data[0], *b = &gpu->launches.data[0];
    base_diag_add(diags, BASE_ERROR, NULL, 0, 0,
                  "no launch of %s is in %s: the first is %s %s there and %s here; --match=order takes them as they "
                  "stand",
                  sim->name, gpu->name, by_name ? "called" : "of", by_name ? b->name : b->kernel,
                  by_name ? a->name : a->kernel);
    return BASE_INVALID;
}

enum base_status validate_pair_up(const struct validate_measure *sim, const struct validate_measure *gpu,
                                  enum validate_match match, struct validate_comparison *out, struct base_diags *diags)
{
    struct key like = {.by_name = all_named(sim) && all_named(gpu), .by_id = match == VALIDATE_MATCH_ID};
    like.by_grid = all_gridded(sim) && all_gridded(gpu);
    bool in_order =
        match == VALIDATE_MATCH_ORDER || (match == VALIDATE_MATCH_AUTO && !like.by_name && same_sequence(sim, gpu));
    if (!(in_order ? pair_in_order(sim, gpu, out) : pair_keys(sim, gpu, like, out)))
        return BASE_NOMEM;
    return out->pairs.count == 0 ? nothing_fits(sim, gpu, like.by_name, diags) : BASE_OK;
}
