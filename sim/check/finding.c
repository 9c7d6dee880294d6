/* Findings: kept by pair of instructions while the kernel runs, told by pair of source lines in the report. */
#include "sim/check/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FINDINGS_MAX 4096u

struct kind_row {
    const char *check, *name;
    const char *words; /* of the message; %s first, %s other */
};
static const struct kind_row kinds[CHECK_KIND_COUNT] = {
    [CHECK_RACE_BLOCKS] = {"races", "race between blocks",
                           "%s after another block's %s, with nothing that orders the two"},
    [CHECK_RACE_BLOCK] = {"races", "race in a block",
                          "%s after another warp's %s, with no barrier or flag between the two"},
    [CHECK_RACE_WARP] = {"races", "race in a warp",
                         "%s after another lane's %s in the same warp, with no __syncwarp() between the two"},
    [CHECK_RACE_LANES] = {"races", "lanes write different values",
                          "%s to where another lane's %s of the same instruction goes: which value stays is undefined"},
    [CHECK_RACE_FENCE] = {"races", "no fence after a flag",
                          "%s after another thread's %s: a flag orders the two, but no fence was executed after it was "
                          "read"},
    [CHECK_INIT_SHARED] = {"init", "uninitialised shared memory",
                           "%s of shared memory that no thread of the block had written"},
    [CHECK_INIT_LOCAL] = {"init", "uninitialised local memory", "%s of a local variable that was not written before"},
    [CHECK_INIT_GLOBAL] = {"init", "uninitialised global memory", "%s of global memory that nobody had written"},
    [CHECK_SYNC_PART] =
        {"sync", "barrier in divergent code",
         "a thread %s a barrier that another thread of the block %s: the condition around it is not the "
         "same for both"},
    [CHECK_SYNC_PLACES] = {"sync", "barrier met at different places",
                           "a thread %s one barrier while another thread of the block %s another: it is not the same "
                           "__syncthreads() for both"},
    [CHECK_SYNC_LEFT] = {"sync", "barrier left incomplete",
                         "a thread %s an arrival that no barrier was complete with when the block ended%.0s"},
    [CHECK_SYNC_SELF] = {"sync", "lane not in its own mask",
                         "a lane %s a warp-wide instruction with a mask that does not name it%.0s"},
    [CHECK_SYNC_MASKS] =
        {"sync", "lanes with different masks",
         "a lane %s a warp-wide instruction with one mask, and a lane that it names %s it with another"},
    [CHECK_SYNC_MISSING] = {"sync", "lane of the mask missing",
                            "a lane %s a warp-wide instruction with a mask that names a lane which %s it"},
    [CHECK_MEMORY_ARRAY] = {"memory", "outside a shared array",
                            "%s of shared memory outside of the array that the address was made from%.0s"},
    [CHECK_MEMORY_ENDED] = {"memory", "shared memory of a block that may have ended",
                            "%s of another block's shared memory, with no barrier of the cluster that this block waits "
                            "at afterwards%.0s"},
};

static const char *const access_words[] = {
    [SIM_ACCESS_READ] = "read",         [SIM_ACCESS_WRITE] = "write",   [SIM_ACCESS_ATOMIC] = "atomic",
    [SIM_ACCESS_EXECUTES] = "executes", [SIM_ACCESS_MISSES] = "misses",
};

const char *sim_access_name(uint8_t access)
{
    return access < sizeof(access_words) / sizeof(access_words[0]) ? access_words[access] : "";
}

static const struct kind_row *row_of(const struct check_finding *finding)
{
    return &kinds[finding->kind];
}

void check_find(struct sim_check *check, const struct check_finding *finding, uint64_t occurrence, uint32_t count)
{
    uint64_t other = finding->has_other ? finding->other.counter + 1 : 0;
    uint64_t key = 1 + (finding->kind | (uint64_t)finding->first.counter << 8 | other << 32);
    uint32_t *slot = check_table_slot(check, &check->finding_of, key);
    if (slot == NULL) {
        check->failed = true;
        return;
    }
    if (*slot == 0) {
        struct check_finding kept = *finding;
        kept.count = 0;
        kept.last = UINT64_MAX;
        if (check->findings.count >= FINDINGS_MAX) {
            check->findings_left_out++;
            return;
        }
        if (!base_vec_push(&check->findings, kept)) {
            check->failed = true;
            return;
        }
        *slot = (uint32_t)check->findings.count;
    }
    struct check_finding *kept = &check->findings.data[*slot - 1];
    if (kept->last != occurrence || occurrence == CHECK_ALWAYS)
        kept->count += count;
    kept->last = occurrence;
}

/* ---- The report ---- */

static void fill_thread(const struct sim_engine *engine, const struct check_thread *from, struct sim_finding_thread *to,
                        struct base_arena *arena)
{
    const struct sim_program *p = engine->program;
    to->access = from->access;
    to->block[0] = from->block % engine->grid[0];
    to->block[1] = from->block / engine->grid[0] % engine->grid[1];
    to->block[2] = from->block / engine->grid[0] / engine->grid[1];
    to->thread[0] = from->thread % engine->block_dim[0];
    to->thread[1] = from->thread / engine->block_dim[0] % engine->block_dim[1];
    to->thread[2] = from->thread / engine->block_dim[0] / engine->block_dim[1];
    if (from->counter == 0 || from->counter >= p->counter_count)
        return;
    const struct isa_function *function = &p->module->functions[p->counter_function[from->counter]];
    const struct isa_insn *insn = &function->insns[p->counter_insn[from->counter]];
    const char *file = NULL;
    struct base_strbuf text = {0};
    isa_insn_location(p->module, insn, &file, &to->line);
    to->file = file != NULL ? base_arena_strndup(arena, file, strlen(file)) : NULL;
    to->pc = sim_program_pc(p, from->counter);
    isa_print_insn(p->module, function, insn, &text);
    to->text = base_arena_strndup(arena, text.data != NULL ? text.data : "", text.length);
    base_strbuf_free(&text);
}

static bool same_place(const struct sim_finding_thread *a, const struct sim_finding_thread *b)
{
    return a->line == b->line && a->line != 0
               ? strcmp(a->file != NULL ? a->file : "", b->file != NULL ? b->file : "") == 0
               : a->line == b->line && a->pc == b->pc &&
                     strcmp(a->text != NULL ? a->text : "", b->text != NULL ? b->text : "") == 0;
}

static bool is_race(const struct check_finding *finding)
{
    return finding->kind <= CHECK_RACE_FENCE;
}

/* A read that came before its value was written because nothing orders the two: the race says it. */
static bool is_race_too(const struct sim_check *check, const struct check_finding *finding)
{
    bool is_init = finding->kind >= CHECK_INIT_SHARED && finding->kind <= CHECK_INIT_GLOBAL;
    for (size_t i = 0; is_init && i < check->findings.count; i++) {
        const struct check_finding *race = &check->findings.data[i];
        const struct check_thread *ends[2] = {&race->first, &race->other};
        for (unsigned k = 0; k < 2 && is_race(race); k++)
            if (ends[k]->counter == finding->first.counter && ends[k]->access == finding->first.access)
                return true;
    }
    return false;
}

/* A plain read that is only a guess before an atomic, and an atomic: CUDA programs have it so. */
static bool is_excused(const struct sim_check *check, const struct check_finding *finding)
{
    const struct check_thread *a = &finding->first, *b = &finding->other;
    return finding->has_other &&
           ((a->access == SIM_ACCESS_READ && check->insns[a->counter].guesses && b->access == SIM_ACCESS_ATOMIC) ||
            (b->access == SIM_ACCESS_READ && check->insns[b->counter].guesses && a->access == SIM_ACCESS_ATOMIC));
}

/* The two lines of a pair in either order. */
static bool same_pair(const struct sim_finding *a, const struct sim_finding *b)
{
    if (strcmp(a->kind, b->kind) != 0 || a->has_other != b->has_other)
        return false;
    if (!a->has_other)
        return same_place(&a->first, &b->first);
    return (same_place(&a->first, &b->first) && same_place(&a->other, &b->other)) ||
           (same_place(&a->first, &b->other) && same_place(&a->other, &b->first));
}

static const char *describe(const struct check_finding *finding, struct base_arena *arena)
{
    char text[256];
    const char *first =
        finding->first.access == SIM_ACCESS_ATOMIC ? "atomic access" : sim_access_name(finding->first.access);
    const char *other =
        finding->other.access == SIM_ACCESS_ATOMIC ? "atomic access" : sim_access_name(finding->other.access);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    int length = snprintf(text, sizeof(text), row_of(finding)->words, first, other);
#pragma GCC diagnostic pop
    return base_arena_strndup(arena, text, length > 0 && (size_t)length < sizeof(text) ? (size_t)length : 0);
}

static void fill_finding(const struct sim_engine *engine, const struct check_finding *from, struct sim_finding *to,
                         struct base_arena *arena)
{
    const struct kind_row *row = row_of(from);
    to->check = row->check;
    to->kind = row->name;
    to->count = from->count;
    to->has_other = from->has_other;
    to->has_address = from->has_address;
    to->address = from->address;
    to->space = from->space;
    to->message = describe(from, arena);
    fill_thread(engine, &from->first, &to->first, arena);
    if (from->has_other)
        fill_thread(engine, &from->other, &to->other, arena);
    if (from->has_address) {
        char nearest[192];
        if (from->nearest[0] != '\0')
            snprintf(nearest, sizeof(nearest), "%s", from->nearest);
        else
            sim_describe_address(engine, from->space, from->address, nearest, sizeof(nearest));
        to->nearest = base_arena_strndup(arena, nearest, strlen(nearest));
    }
}

enum base_status sim_check_tell(const struct sim_engine *engine, struct sim_report *report)
{
    const struct sim_check *check = engine->check;
    if (check == NULL)
        return BASE_OK;
    report->checks = check->which;
    report->checks_incomplete = check->incomplete || check->findings_left_out > 0;
    report->findings = base_arena_alloc(&report->arena, check->findings.count, sizeof(*report->findings));
    if (report->findings == NULL || check->failed)
        return BASE_NOMEM;
    for (size_t i = 0; i < check->findings.count; i++) {
        struct sim_finding *finding = &report->findings[report->finding_count];
        if (is_excused(check, &check->findings.data[i]) || is_race_too(check, &check->findings.data[i]))
            continue;
        fill_finding(engine, &check->findings.data[i], finding, &report->arena);
        size_t k = 0;
        while (k < report->finding_count && !same_pair(&report->findings[k], finding))
            k++;
        if (k < report->finding_count) {
            report->findings[k].count += finding->count;
            memset(finding, 0, sizeof(*finding));
        } else {
            report->finding_count++;
        }
    }
    return report->arena.failed ? BASE_NOMEM : BASE_OK;
}
