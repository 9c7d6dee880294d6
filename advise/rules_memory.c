/* Rules of global, constant and local memory. */
#include "advise/rules.h"

#include "advise/sectors.h"
#include "isa/sass/sass.h"

/* What is moved for one instruction: summed over the executions that were kept, then per execution. */
struct traffic {
    double lines, sectors, ideal, if_aligned, used_bytes; /* a mean execution's */
    struct advise_sector_view worst;
    uint64_t stride; /* bytes between neighbouring lanes of the worst; 0: uneven */
};

static void look(const struct advise_rules *rules, const struct advise_watched *item, struct traffic *t)
{
    const struct advise_captured *captured = item->captured;
    for (uint32_t i = 0; i < captured->kept_count; i++) {
        const struct advise_execution *e = &captured->kept[i];
        struct advise_sector_view view;
        advise_sector_look(rules->device, e->address, e->mask, captured->width_bytes, captured->kind, &view);
        t->lines += view.lines;
        t->sectors += view.sectors;
        t->ideal += view.sectors_ideal;
        t->if_aligned += view.sectors_if_aligned;
        t->used_bytes += (double)view.used_bytes;
        if (i == captured->worst)
            t->worst = view;
    }
    double n = captured->kept_count > 0 ? captured->kept_count : 1;
    t->lines /= n;
    t->sectors /= n;
    t->ideal /= n;
    t->if_aligned /= n;
    t->used_bytes /= n;
    t->stride = t->worst.distance_bytes;
}

/* Cycles of each SM that `requests` such instructions keep the way to L2 busy, by the clock's own parameters
 * (docs/clock.md): a slice takes a request after the other, the ports that the SMs of a GPC share take stores sector by
 * sector. */
static double path_cycles(const struct advise_rules *rules, bool is_store, double requests, double lines,
                          double sectors)
{
    const struct sim_device *d = rules->device;
    if (is_store) {
        double ports = (double)d->gpc_count * d->gpc_cpcs * d->store_cpc_ports / 10;
        double uneven = rules->sm_share * (double)d->sm_count; /* few blocks leave ports unused */
        return requests * (lines + sectors) * d->store_sector_centicycles / 100 / ports * uneven;
    }
    double by_request = lines * d->l2_request_centicycles / 100, by_sector = sectors * d->l2_sector_centicycles / 100;
    return requests * (by_request > by_sector ? by_request : by_sector) / d->l2_slices;
}

/* Cycles in which DRAM moves what this instruction's needless sectors brought, of all that it read. */
static double dram_cycles(const struct advise_rules *rules, const struct sim_insn_report *row)
{
    const struct sim_device *d = rules->device;
    double read = advise_metric(rules, "dram__sectors_read.sum"),
           loaded = advise_metric(rules, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
    if (read <= 0 || loaded <= 0 || !row->is_load)
        return 0;
    double per_cycle = (double)d->dram_bytes_per_second * d->dram_efficiency_percent / 100 / (d->clock_khz * 1000.0);
    double share = (double)(row->sectors - row->sectors_ideal) / loaded;
    return per_cycle > 0 ? read * share * d->sector_bytes / per_cycle : 0;
}

/* Of loads, the part that was not served by L1: sectors from L1 cost little. */
static double missed(const struct advise_rules *rules, const struct sim_insn_report *row)
{
    double hit = advise_metric(rules, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"),
           miss = advise_metric(rules, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum");
    return row->is_load && hit >= 0 && miss >= 0 && hit + miss > 0 ? miss / (hit + miss) : 1;
}

static void traffic_numbers(struct advise_finding *f, const struct sim_insn_report *row, const struct traffic *t)
{
    advise_count(f, "lanes", (uint64_t)__builtin_popcount(t->worst.mask));
    advise_count(f, "stride", t->stride);
    advise_count(f, "worst", t->worst.sectors);
    advise_count(f, "ideal", t->worst.sectors_ideal);
    advise_count(f, "requests", row->requests);
    advise_count(f, "sectors", row->sectors);
    advise_count(f, "sectors_ideal", row->sectors_ideal);
    advise_count(f, "width", row->width_bytes);
}

static void global_access(struct advise_rules *rules, const struct sim_insn_report *row)
{
    const struct advise_watched *item =
        rules->query->watch ? advise_watch_find(rules->query->watch, advise_insn(rules, row), ISA_SPACE_GLOBAL) : NULL;
    struct traffic t = {0};
    /* An eighth more than needed is said of no access: a ragged edge does that. */
    if (!row->is_global || row->is_atomic || row->sectors <= row->sectors_ideal + row->sectors_ideal / 8)
        return;
    if (item)
        look(rules, item, &t);
    bool misaligned = item && t.if_aligned <= t.ideal && t.worst.distance_bytes == row->width_bytes;
    enum advise_word what = misaligned      ? ADVISE_WORD_MISALIGNED_WHAT
                            : t.stride != 0 ? ADVISE_WORD_UNCOALESCED_STRIDE
                                            : ADVISE_WORD_UNCOALESCED_SCATTERED;
    struct advise_finding *f = advise_add(rules, misaligned ? ADVISE_RULE_MISALIGNED : ADVISE_RULE_UNCOALESCED,
                                          misaligned ? ADVISE_WORD_MISALIGNED : ADVISE_WORD_UNCOALESCED, what, row);
    if (!f)
        return;
    if (!item) { /* means, then */
        uint64_t n = row->requests > 0 ? row->requests : 1;
        t.worst.mask = UINT32_MAX;
        t.worst.sectors = (uint32_t)((row->sectors + n / 2) / n);
        t.worst.sectors_ideal = (uint32_t)((row->sectors_ideal + n / 2) / n);
        t.lines = (double)row->sectors / (double)n;
        t.ideal = (double)row->sectors_ideal / (double)n;
    }
    traffic_numbers(f, row, &t);
    advise_count(f, "misaligned", t.worst.misaligned_bytes);
    advise_cure(f, misaligned       ? ADVISE_WORD_MISALIGNED_CURE
                   : t.stride == 0  ? ADVISE_WORD_UNCOALESCED_CURE_SCATTERED
                   : t.stride <= 64 ? ADVISE_WORD_UNCOALESCED_CURE_STRUCT
                                    : ADVISE_WORD_UNCOALESCED_CURE_STRIDE);
    double n = (double)row->requests, per = n > 0 ? (double)row->sectors / n : 0;
    double lines_ideal = t.ideal / 4 > 1 ? t.ideal / 4 : 1;
    double saved =
        path_cycles(rules, row->is_store, n, t.lines, per) - path_cycles(rules, row->is_store, n, lines_ideal, t.ideal);
    double dram = dram_cycles(rules, row);
    saved = (saved > 0 ? saved : 0) * missed(rules, row);
    advise_saves(rules, f, saved > dram ? saved : dram);
}

/* The least number of lanes that have to meet for it to be worth a word; of warps of a block on one address, if their
 * lanes do not. */
#define LANES_MEET     2.0
#define WARPS_MEET     2.0
#define WARPS_MEET_PCT 5.0

static bool is_float_machine(const struct isa_sass_insn *sass)
{
    return isa_sass_has(sass, ISA_SASS_W_F32) || isa_sass_has(sass, ISA_SASS_W_F64) ||
           isa_sass_has(sass, ISA_SASS_W_F16X2);
}

static double atomic_cycles(const struct advise_rules *rules, const struct isa_insn *insn)
{
    const struct sim_device *d = rules->device;
    bool is_float = isa_types[insn->type].class == ISA_CLASS_FLOAT || (insn->sass && is_float_machine(insn->sass));
    return (is_float ? d->l2_atomic_f32_centicycles : d->l2_atomic_int_centicycles) / 100.0;
}

/* Lanes of different warps that meet on one address, so often that it takes a part of the time worth a word. What
 * orders memory is how threads wait for each other, and no sum. */
static bool warps_meet(const struct advise_rules *rules, const struct isa_insn *insn, const struct advise_watched *item)
{
    double blocks = (double)rules->blocks, needless = (double)item->hot_lanes - blocks;
    return item->one_address && (double)item->hot_lanes >= WARPS_MEET * blocks && insn->mods.sem <= ISA_SEM_RELAXED &&
           100 * needless * atomic_cycles(rules, insn) >= WARPS_MEET_PCT * rules->scale;
}

static void global_atomic(struct advise_rules *rules, const struct sim_insn_report *row,
                          const struct advise_watched *item)
{
    const struct isa_insn *insn = advise_insn(rules, row);
    double per_address = item->addresses > 0 ? (double)item->lanes / (double)item->addresses : 0;
    const bool of_warps = per_address < LANES_MEET;
    if (of_warps && !warps_meet(rules, insn, item))
        return;
    struct advise_finding *f = advise_add(rules, ADVISE_RULE_SAME_ADDRESS_ATOMICS, ADVISE_WORD_SAME_ADDRESS_ATOMICS,
                                          of_warps            ? ADVISE_WORD_ATOMICS_WARPS
                                          : item->one_address ? ADVISE_WORD_ATOMICS_ONE
                                                              : ADVISE_WORD_ATOMICS_MANY,
                                          row);
    if (!f)
        return;
    advise_count(f, "lanes", item->lanes);
    advise_count(f, "lanes_met", item->hot_lanes);
    advise_real(f, "per_address", per_address);
    advise_real(f, "per_warp", (double)item->lanes / (double)item->executions);
    advise_count(f, "blocks", rules->blocks);
    advise_cure(f, of_warps            ? ADVISE_WORD_ATOMICS_CURE_WARPS
                   : item->one_address ? ADVISE_WORD_ATOMICS_CURE_GLOBAL
                                       : ADVISE_WORD_ATOMICS_CURE_SPREAD);
    /* One address is served by one slice, in turn; many are spread over the slices. */
    double needless = item->one_address ? (double)item->hot_lanes - (double)rules->blocks
                                        : (double)(item->lanes - item->addresses) / rules->device->l2_slices;
    advise_saves(rules, f, atomic_cycles(rules, insn) * needless);
}

static void constant_read(struct advise_rules *rules, const struct sim_insn_report *row)
{
    const struct advise_watched *item =
        advise_watch_find(rules->query->watch, advise_insn(rules, row), ISA_SPACE_CONST);
    if (!item || item->executions == 0)
        return;
    double per_request = (double)item->addresses / (double)item->executions;
    if (per_request < 2)
        return;
    struct advise_finding *f =
        advise_add(rules, ADVISE_RULE_CONSTANT_BY_LANE, ADVISE_WORD_CONSTANT_BY_LANE, ADVISE_WORD_CONSTANT_WHAT, row);
    if (!f)
        return;
    advise_real(f, "per_request", per_request);
    advise_count(f, "requests", item->executions);
    advise_cure(f, ADVISE_WORD_CONSTANT_CURE);
    advise_saves(rules, f, (double)(item->addresses - item->executions) * rules->sm_share);
}

static uint64_t stack_bytes(const struct advise_rules *rules, const struct sim_insn_report *row)
{
    const struct isa_module *module = rules->query->module;
    const struct isa_function *function = &module->functions[row->function];
    if (function->machine)
        return function->machine->stack_bytes;
    uint64_t sum = 0;
    for (size_t i = 0; i < function->local_count; i++) {
        const struct isa_var *var = &module->vars[function->locals[i]];
        sum += var->space == ISA_SPACE_LOCAL ? var->size_bytes : 0;
    }
    return sum;
}

/* Spills are seen in machine code alone: what the compiler puts aside has a fixed place on the stack, to which R1
 * points; arrays with an index do not. */
static bool is_at_fixed_place(const struct isa_insn *insn)
{
    for (unsigned i = 0; insn->sass && i < insn->sass->operand_count; i++)
        if (insn->sass->operands[i].kind == ISA_SASS_MEM)
            return insn->sass->operands[i].base == 1 && insn->sass->operands[i].ubase == ISA_SASS_URZ;
    return false;
}

/* All of local memory is one finding, at the line with most of it. */
static void local_memory(struct advise_rules *rules)
{
    const struct sim_insn_report *at = NULL;
    uint64_t most = 0, all = 0;
    bool spilled = true;
    for (size_t i = 0; i < rules->report->insn_count; i++) {
        const struct sim_insn_report *row = &rules->report->insns[i];
        const struct advise_watched *item =
            advise_watch_find(rules->query->watch, advise_insn(rules, row), ISA_SPACE_LOCAL);
        if (!item)
            continue;
        all += item->executions;
        spilled = spilled && is_at_fixed_place(advise_insn(rules, row));
        if (item->executions > most) {
            most = item->executions;
            at = row;
        }
    }
    if (!at)
        return;
    struct advise_finding *f = advise_add(rules, ADVISE_RULE_LOCAL_MEMORY, ADVISE_WORD_LOCAL_MEMORY,
                                          spilled ? ADVISE_WORD_LOCAL_SPILL : ADVISE_WORD_LOCAL_ARRAY, at);
    if (!f)
        return;
    advise_count(f, "requests", all);
    advise_count(f, "stack", stack_bytes(rules, at));
    advise_count(f, "registers", rules->report->registers_per_thread);
    advise_cure(f, spilled ? ADVISE_WORD_LOCAL_SPILL_CURE : ADVISE_WORD_LOCAL_ARRAY_CURE);
    advise_saves(rules, f, (double)all * rules->sm_share);
}

void advise_rules_memory(struct advise_rules *rules)
{
    const struct sim_report *report = rules->report;
    for (size_t i = 0; i < report->insn_count; i++) {
        const struct sim_insn_report *row = &report->insns[i];
        global_access(rules, row);
        if (!rules->query->watch)
            continue;
        const struct advise_watched *item =
            row->is_atomic ? advise_watch_find(rules->query->watch, advise_insn(rules, row), ISA_SPACE_GLOBAL) : NULL;
        if (item)
            global_atomic(rules, row, item);
        constant_read(rules, row);
    }
    if (rules->query->watch)
        local_memory(rules);
}
