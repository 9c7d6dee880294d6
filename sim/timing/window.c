/* A window of all units, in as many threads as the options say.
 *
 * A unit is what must run in one thread: an SM, or the SMs of a GPC when blocks of a cluster see each other's shared
 * memory. A thread has an engine and a clock of its own, copies of the main ones: what the units count in them is added
 * up at the end, their writes to global memory wait in the unit's list (sim/late.h), their requests to L2 in the SM's
 * (answer.c). Which thread takes which unit makes no difference to anything: what a unit may use up (instructions,
 * memory) is measured from the beginning of the window for each unit anew.
 *
 * Some programs do what cannot wait (is_direct): they run in one thread, with the main engine, SM by SM. */
#include "sim/timing/timing.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define FEW_UNITS 4u   /* with so many to run, or fewer, other threads are not woken */
#define FEW_STEPS 500u /* the same for so many steps in the last window */
#define THREADS   64u

struct window_unit {
    uint32_t first, count; /* SMs */
    struct sim_late late;
    uint64_t steps, instructions, used_bytes; /* of this window */
    bool stopped, out_of_memory;
    struct sim_fault fault;
};

/* What a thread writes all the time lies in lines of the host's caches that are its alone. */
struct window_worker {
    /* The active units that it begins with: the next one, and where the next thread's begin. */
    _Alignas(SIM_HOST_LINE_BYTES) atomic_uint next;
    uint32_t end;
    struct timing_windows *windows;
    struct sim_engine *engine;
    struct sim_clock *clock;
    pthread_t thread;
    bool has_thread;
};

struct timing_windows {
    struct sim_clock *main;
    bool is_direct;
    struct window_unit *units;
    uint32_t unit_count, active_count;
    uint32_t *active; /* units that have something to do */
    struct sim_late **written;
    struct window_worker *workers;
    uint32_t worker_count,
        thread_count; /* those that have a thread of their own: not the first, which is the caller's */
    uint64_t from, until, last_steps;
    pthread_mutex_t lock;
    pthread_cond_t go, done;
    uint64_t round; /* number of the window that threads are let loose on */
    uint32_t running;
    bool has_lock, quit;
};

/* ---- Units ---- */

static bool calls_builtins(const struct sim_program *program)
{
    bool declares = false;
    if (program->is_machine)
        return program->knows_builtins;
    for (size_t f = 0; f < program->module->function_count; f++)
        declares |= program->module->functions[f].is_declaration;
    for (uint32_t i = 0; declares && i < program->op_count; i++) {
        const struct sim_op *op = &program->ops[i];
        if (op->kind == SIM_K_CALL &&
            (op->target == UINT32_MAX || program->module->functions[op->target].is_declaration))
            return true;
    }
    return false;
}

/* Whether a listener wants all in one order, or the program writes to global memory otherwise than by stores and
 * atomics of a thread. */
static bool is_direct(const struct sim_engine *engine)
{
    const struct sim_program *program = engine->program;
    if (engine->check != NULL || engine->options->access_hook != NULL || calls_builtins(program))
        return true;
    for (uint32_t i = 0; i < program->op_count; i++) {
        const struct sim_op *op = &program->ops[i];
        if (op->kind == SIM_K_BULK || (op->kind == SIM_K_MATRIX && op->insn->op == ISA_OP_WMMA_STORE &&
                                       op->space != ISA_SPACE_SHARED && op->space != ISA_SPACE_SHARED_CLUSTER))
            return true;
    }
    return false;
}

/* A cluster larger than a GPC may lie anywhere: then all SMs are one unit. */
static bool make_units(struct timing_windows *windows)
{
    struct sim_clock *clock = windows->main;
    const uint32_t blocks = clock->engine->cluster_blocks;
    bool fits = true;
    for (uint32_t g = 0; g < clock->gpc_count; g++)
        fits &= clock->gpc_sms[g] >= blocks;
    windows->unit_count = blocks <= 1 ? clock->sm_count : fits ? clock->gpc_count : 1;
    windows->units = sim_engine_alloc(clock->engine, windows->unit_count, sizeof(*windows->units));
    windows->active = sim_engine_alloc(clock->engine, windows->unit_count, sizeof(*windows->active));
    windows->written = sim_engine_alloc(clock->engine, windows->unit_count, sizeof(*windows->written));
    if (clock->engine->out_of_memory)
        return false;
    for (uint32_t u = 0, first = 0; u < windows->unit_count; u++) {
        struct window_unit *unit = &windows->units[u];
        unit->first = first;
        unit->count = blocks <= 1 ? 1 : fits ? clock->gpc_sms[u] : clock->sm_count;
        first += unit->count;
    }
    return true;
}

static bool has_work(const struct timing_windows *windows, const struct window_unit *unit)
{
    for (uint32_t i = unit->first; i < unit->first + unit->count; i++) {
        const struct timing_sm *sm = &windows->main->sms[i];
        if (sm->next < windows->until || timing_has_settled(&sm->answers))
            return true;
    }
    return false;
}

/* What the thread's engine counts from here on is the unit's. */
static void enter(struct window_worker *worker, struct window_unit *unit, struct timing_sm *sm)
{
    const struct sim_engine *main = worker->windows->main->engine;
    struct sim_engine *engine = worker->engine;
    engine->steps = main->steps;
    engine->instructions = main->instructions + unit->instructions;
    engine->used_bytes = main->used_bytes + unit->used_bytes;
    engine->stopped = engine->out_of_memory = false;
    engine->fault.kind = SIM_FAULT_NONE;
    engine->free_local = sm->free_local;
    engine->late = &unit->late;
    sm->clock = worker->clock;
}

static void leave(struct window_worker *worker, struct window_unit *unit, struct timing_sm *sm)
{
    const struct sim_engine *main = worker->windows->main->engine;
    const struct sim_engine *engine = worker->engine;
    unit->steps += engine->steps - main->steps;
    unit->instructions = engine->instructions - main->instructions;
    unit->used_bytes = engine->used_bytes - main->used_bytes;
    sm->free_local = engine->free_local;
    sm->clock = worker->windows->main;
    if (engine->stopped) {
        unit->stopped = true;
        unit->out_of_memory = engine->out_of_memory;
        unit->fault = engine->fault;
    }
}

static void run_unit(struct window_worker *worker, struct window_unit *unit)
{
    const struct timing_windows *windows = worker->windows;
    unit->steps = unit->instructions = unit->used_bytes = 0;
    for (uint32_t i = unit->first; i < unit->first + unit->count && !unit->stopped; i++) {
        struct timing_sm *sm = &windows->main->sms[i];
        if (sm->next >= windows->until && !timing_has_settled(&sm->answers))
            continue;
        if (!windows->is_direct)
            enter(worker, unit, sm);
        bool fine = timing_sm_run(sm, windows->from, windows->until);
        if (!windows->is_direct)
            leave(worker, unit, sm);
        unit->stopped |= !fine;
    }
}

static void run_units(struct window_worker *worker)
{
    struct timing_windows *windows = worker->windows;
    worker->clock->window = windows->main->window;
    const uint32_t self = (uint32_t)(worker - windows->workers);
    for (uint32_t w = 0; w < windows->worker_count; w++) {
        struct window_worker *owner = &windows->workers[(self + w) % windows->worker_count];
        for (;;) {
            const uint32_t i = atomic_fetch_add_explicit(&owner->next, 1, memory_order_relaxed);
            if (i >= owner->end)
                break;
            run_unit(worker, &windows->units[windows->active[i]]);
        }
    }
}

/* Each thread begins with the units that it had in the last window, for what they use is in its core's caches, and when
 * they are done takes from the others'. */
static void share_out(struct timing_windows *windows)
{
    uint32_t first = 0;
    for (uint32_t w = 0; w < windows->worker_count; w++) {
        struct window_worker *worker = &windows->workers[w];
        const uint64_t units = (uint64_t)windows->unit_count * (w + 1) / windows->worker_count;
        atomic_store_explicit(&worker->next, first, memory_order_relaxed);
        while (first < windows->active_count && windows->active[first] < units)
            first++;
        worker->end = first;
    }
}

/* ---- Threads ---- */

static void *work(void *user)
{
    struct window_worker *worker = user;
    struct timing_windows *windows = worker->windows;
    uint64_t seen = 0;
    pthread_mutex_lock(&windows->lock);
    for (;;) {
        while (!windows->quit && windows->round == seen)
            pthread_cond_wait(&windows->go, &windows->lock);
        if (windows->quit)
            break;
        seen = windows->round;
        pthread_mutex_unlock(&windows->lock);
        run_units(worker);
        pthread_mutex_lock(&windows->lock);
        if (--windows->running == 0)
            pthread_cond_signal(&windows->done);
    }
    pthread_mutex_unlock(&windows->lock);
    return NULL;
}

static void run_all(struct timing_windows *windows)
{
    const bool alone =
        windows->thread_count == 0 || windows->active_count <= FEW_UNITS || windows->last_steps <= FEW_STEPS;
    share_out(windows);
    if (!alone) {
        pthread_mutex_lock(&windows->lock);
        windows->round++;
        windows->running = windows->thread_count;
        pthread_cond_broadcast(&windows->go);
        pthread_mutex_unlock(&windows->lock);
    }
    run_units(&windows->workers[0]);
    if (alone)
        return;
    pthread_mutex_lock(&windows->lock);
    while (windows->running > 0)
        pthread_cond_wait(&windows->done, &windows->lock);
    pthread_mutex_unlock(&windows->lock);
}

static bool copy_engine(struct window_worker *worker)
{
    struct sim_clock *main = worker->windows->main;
    struct sim_engine *engine = main->engine;
    const uint32_t counters = engine->program->counter_count;
    worker->engine = sim_engine_alloc_lines(engine, 1, sizeof(*worker->engine));
    worker->clock = sim_engine_alloc_lines(engine, 1, sizeof(*worker->clock));
    if (worker->engine == NULL || worker->clock == NULL)
        return false;
    *worker->engine = *engine;
    *worker->clock = *main;
    worker->engine->clock = worker->clock;
    worker->engine->printed = (struct base_strbuf){0};
    worker->clock->engine = worker->engine;
    worker->engine->counts = sim_engine_alloc_lines(engine, counters, sizeof(*engine->counts));
    worker->engine->hints = sim_engine_alloc_lines(engine, counters, sizeof(*engine->hints));
    worker->clock->stalls = sim_engine_alloc_lines(engine, counters, sizeof(*main->stalls));
    return !engine->out_of_memory;
}

static bool make_workers(struct timing_windows *windows)
{
    struct sim_clock *clock = windows->main;
    uint32_t wanted = clock->engine->options->threads;
    if (wanted == 0 || windows->is_direct || clock->engine->options->clock_hook != NULL)
        wanted = 1;
    wanted = wanted < windows->unit_count ? wanted : windows->unit_count;
    wanted = wanted < THREADS ? wanted : THREADS;
    windows->workers = sim_engine_alloc_lines(clock->engine, wanted, sizeof(*windows->workers));
    if (windows->workers == NULL)
        return false;
    for (uint32_t i = 0; i < wanted; i++) {
        struct window_worker *worker = &windows->workers[i];
        worker->windows = windows;
        worker->engine = clock->engine;
        worker->clock = clock;
        windows->worker_count = i + 1;
        if (!windows->is_direct && !copy_engine(worker))
            return false;
        if (i > 0 && pthread_create(&worker->thread, NULL, work, worker) != 0)
            return true; /* fewer threads: they do what would have been its part */
        worker->has_thread = i > 0;
        windows->thread_count += worker->has_thread;
    }
    return true;
}

bool timing_windows_make(struct sim_clock *clock)
{
    struct timing_windows *windows = sim_engine_alloc(clock->engine, 1, sizeof(*windows));
    clock->windows = windows;
    if (windows == NULL)
        return false;
    windows->main = clock;
    windows->is_direct = is_direct(clock->engine);
    if (pthread_mutex_init(&windows->lock, NULL) != 0)
        return false;
    pthread_cond_init(&windows->go, NULL);
    pthread_cond_init(&windows->done, NULL);
    windows->has_lock = true;
    return make_units(windows) && make_workers(windows);
}

/* ---- The window ---- */

/* The first unit that stopped says why. */
static void gather(struct timing_windows *windows)
{
    struct sim_engine *engine = windows->main->engine;
    const uint64_t before = engine->steps;
    for (uint32_t i = 0; i < windows->active_count; i++) {
        const struct window_unit *unit = &windows->units[windows->active[i]];
        engine->steps += unit->steps;
        engine->instructions += unit->instructions;
        engine->used_bytes += unit->used_bytes;
        if (!unit->stopped || engine->stopped)
            continue;
        engine->stopped = true;
        engine->out_of_memory = unit->out_of_memory;
        engine->fault = unit->fault;
    }
    if (engine->used_bytes > engine->limit_bytes && !engine->stopped)
        engine->stopped = engine->out_of_memory = true;
    windows->last_steps = engine->steps - before;
}

static bool write_late(struct timing_windows *windows)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < windows->active_count; i++)
        if (windows->units[windows->active[i]].late.count > 0)
            windows->written[count++] = &windows->units[windows->active[i]].late;
    return sim_late_apply(windows->main->engine, windows->written, count, windows->from,
                          (uint32_t)(windows->until - windows->from));
}

bool timing_windows_run(struct sim_clock *clock, uint64_t from, uint64_t until)
{
    struct timing_windows *windows = clock->windows;
    windows->from = from;
    windows->until = until;
    windows->active_count = 0;
    for (uint32_t u = 0; u < windows->unit_count; u++)
        if (has_work(windows, &windows->units[u]))
            windows->active[windows->active_count++] = u;
    run_all(windows);
    if (!windows->is_direct)
        gather(windows);
    const bool written = write_late(windows);
    return written && !clock->engine->stopped;
}

/* ---- The end ---- */

static void add_up(struct sim_clock *main, const struct window_worker *worker)
{
    const uint32_t counters = main->engine->program->counter_count;
    const struct sim_count *counts = worker->engine->counts;
    _Static_assert(sizeof(struct sim_count) % sizeof(uint64_t) == 0, "counters of 64 bits alone");
    for (uint32_t c = 0; counts != NULL && worker->clock->stalls != NULL && c < counters; c++) {
        const uint64_t *from = (const uint64_t *)&counts[c];
        uint64_t *to = (uint64_t *)&main->engine->counts[c];
        for (size_t i = 0; i < sizeof(struct sim_count) / sizeof(uint64_t); i++)
            to[i] += from[i];
        for (unsigned r = 0; r < SIM_STALL_COUNT; r++)
            main->stalls[c][r] += worker->clock->stalls[c][r];
    }
    main->l1_hit += worker->clock->l1_hit;
    main->l1_miss += worker->clock->l1_miss;
}

static void end_worker(struct timing_windows *windows, struct window_worker *worker)
{
    if (worker->has_thread)
        pthread_join(worker->thread, NULL);
    if (windows->is_direct)
        return;
    if (worker->engine != NULL && worker->clock != NULL && worker->engine != windows->main->engine) {
        add_up(windows->main, worker);
        free(worker->engine->counts);
        free(worker->engine->hints);
        free(worker->clock->stalls);
    }
    free(worker->engine);
    free(worker->clock);
}

void timing_windows_end(struct sim_clock *clock)
{
    struct timing_windows *windows = clock->windows;
    if (windows == NULL)
        return;
    if (windows->has_lock) {
        pthread_mutex_lock(&windows->lock);
        windows->quit = true;
        pthread_cond_broadcast(&windows->go);
        pthread_mutex_unlock(&windows->lock);
    }
    for (uint32_t i = 0; i < windows->worker_count; i++)
        end_worker(windows, &windows->workers[i]);
    for (uint32_t u = 0; windows->units != NULL && u < windows->unit_count; u++)
        sim_late_free(&windows->units[u].late);
    if (windows->has_lock) {
        pthread_cond_destroy(&windows->go);
        pthread_cond_destroy(&windows->done);
        pthread_mutex_destroy(&windows->lock);
    }
    free(windows->workers);
    free(windows->units);
    free(windows->active);
    free(windows->written);
    free(windows);
    clock->windows = NULL;
}
