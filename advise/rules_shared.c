/* Rules of shared memory: bank conflicts with a cure that was tried out, atomics that meet on a word. */
#include "advise/rules.h"

#include "advise/banks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { GROUP_MAX = 16 };

/* The accesses to one array: those whose addresses overlap. A cure has to suit all of them. */
struct group {
    struct advise_captured *items[GROUP_MAX];
    uint32_t count;
};

static bool overlaps(const struct advise_watched *a, const struct advise_watched *b)
{
    return a->lowest < b->end && b->lowest < a->end;
}

/* Of accesses that overlap with what already belongs, all are taken, this one first. */
static void collect(const struct advise_rules *rules, const struct advise_watched *item, struct group *group)
{
    const struct advise_watch *watch = rules->query->watch;
    struct advise_watched whole = *item;
    group->items[0] = item->captured;
    group->count = 1;
    bool grew = true;
    while (grew) {
        grew = false;
        for (size_t i = 0; i < watch->items.count; i++) {
            const struct advise_watched *other = watch->items.data[i];
            if (other->space != ISA_SPACE_SHARED || !overlaps(other, &whole))
                continue;
            grew = grew || other->lowest < whole.lowest || other->end > whole.end;
            whole.lowest = other->lowest < whole.lowest ? other->lowest : whole.lowest;
            whole.end = other->end > whole.end ? other->end : whole.end;
        }
    }
    for (size_t i = 0; i < watch->items.count && group->count < GROUP_MAX; i++) {
        const struct advise_watched *other = watch->items.data[i];
        if (other != item && other->space == ISA_SPACE_SHARED && overlaps(other, &whole))
            group->items[group->count++] = other->captured;
    }
}

struct cures {
    struct advise_array array;
    struct advise_cure padding, swizzle;
    uint64_t before, tried;
    uint64_t row; /* elements between neighbouring lanes of the conflicting access; 0: uneven */
    bool failed;
};

static void find_cures(const struct advise_rules *rules, const struct advise_watched *item, uint64_t stride_bytes,
                       struct cures *cures)
{
    static const struct advise_layout plain;
    struct base_arena arena;
    struct group group;
    struct advise_pattern *patterns[GROUP_MAX];
    uint64_t base = 0;
    *cures = (struct cures){0};
    collect(rules, item, &group);
    base_arena_init(&arena, 0);
    cures->failed = advise_captured_patterns(group.items, group.count, rules->device, true, &arena, &cures->array,
                                             patterns, &base) != BASE_OK;
    if (!cures->failed) {
        struct advise_banks_query query = {.device = rules->device,
                                           .array = &cures->array,
                                           .patterns = (const struct advise_pattern *const *)patterns,
                                           .pattern_count = group.count};
        for (uint32_t i = 0; i < group.count; i++) {
            cures->before += advise_cost_of(&query, &plain, patterns[i]).wavefronts;
            cures->tried += patterns[i]->warp_count;
        }
        cures->row = stride_bytes / cures->array.type.bytes;
        advise_cure_padding(&query, &cures->padding);
        advise_cure_swizzle(&query, &cures->swizzle);
    }
    base_arena_free(&arena);
}

static const char *element_name(const struct advise_rules *rules, const struct sim_insn_report *row, uint32_t bytes,
                                char *text, size_t size)
{
    const struct isa_insn *insn = advise_insn(rules, row);
    if (insn->type == ISA_TYPE_F32 && bytes == 4)
        return "floats";
    if (insn->type == ISA_TYPE_F64 && bytes == 8)
        return "doubles";
    snprintf(text, size, "elements of %u bytes", bytes);
    return text;
}

static void add_index(struct advise_rules *rules, struct advise_finding *f, const char *name, const struct cures *cures,
                      const struct advise_layout *layout)
{
    struct base_strbuf text = {0};
    struct advise_array array = cures->array;
    array.name = "";
    advise_layout_print(layout, &array, &text);
    if (text.failed)
        rules->failed = true;
    advise_text(rules, f, name, text.data);
    base_strbuf_free(&text);
}

static void add_cures(struct advise_rules *rules, struct advise_finding *f, const struct sim_insn_report *row,
                      const struct cures *cures)
{
    const struct advise_cure *padding = &cures->padding, *swizzle = &cures->swizzle;
    /* A quarter less is the least that is worth another layout. */
    bool helps = padding->found && (padding->conflict_free || padding->wavefronts * 4 <= cures->before * 3);
    bool by_row = padding->found && padding->layout.row == cures->row;
    char text[40];
    advise_count(f, "tried", cures->tried);
    advise_count(f, "before", cures->before);
    if (helps) {
        advise_count(f, "after", padding->wavefronts);
        advise_count(f, "bytes", cures->array.type.bytes);
        advise_count(f, "row", padding->layout.row);
        advise_count(f, "new_row", padding->layout.row + padding->layout.pad);
        advise_text(rules, f, "element", element_name(rules, row, cures->array.type.bytes, text, sizeof(text)));
        add_index(rules, f, "index", cures, &padding->layout);
        advise_cure(f, !padding->conflict_free ? ADVISE_WORD_BANK_CURE_LESS
                       : by_row                ? ADVISE_WORD_BANK_CURE_ROW
                                               : ADVISE_WORD_BANK_CURE_INDEX);
    }
    if (swizzle->found && swizzle->conflict_free) {
        advise_count(f, "swizzled", swizzle->wavefronts);
        add_index(rules, f, "swizzle", cures, &swizzle->layout);
        advise_cure(f, ADVISE_WORD_BANK_CURE_SWIZZLE);
    }
    if (!helps && !(swizzle->found && swizzle->conflict_free))
        advise_cure(f, ADVISE_WORD_BANK_CURE_NONE);
}

/* The even distance of a view's active lanes, which follow each other; 0: there is none. */
static uint64_t stride_of(const struct advise_bank_view *view)
{
    uint64_t stride = 0;
    int last = -1;
    for (int lane = 0; lane < 32; lane++) {
        if (!(view->mask >> lane & 1))
            continue;
        uint64_t step = last >= 0 ? view->address[lane] - view->address[last] : 0;
        if (last >= 0 && (lane != last + 1 || step == 0 || step >> 32 != 0 || (stride != 0 && step != stride)))
            return 0;
        stride = last >= 0 ? step : 0;
        last = lane;
    }
    return stride;
}

static bool in_one_bank(const struct advise_bank_view *view)
{
    uint32_t first = view->bank[__builtin_ctz(view->mask)];
    for (uint32_t m = view->mask; m != 0; m &= m - 1)
        if (view->bank[__builtin_ctz(m)] != first)
            return false;
    return true;
}

static void tell_conflict(struct advise_rules *rules, const struct sim_insn_report *row,
                          const struct advise_watched *item, const struct advise_bank_view *view)
{
    uint64_t stride = stride_of(view);
    enum advise_word what = stride != 0 && in_one_bank(view) ? ADVISE_WORD_BANK_ONE
                            : stride != 0                    ? ADVISE_WORD_BANK_STRIDE
                                                             : ADVISE_WORD_BANK_ANY;
    struct advise_finding *f = advise_add(rules, ADVISE_RULE_BANK_CONFLICT, ADVISE_WORD_BANK_CONFLICT, what, row);
    struct cures cures;
    if (!f)
        return;
    advise_count(f, "lanes", (uint64_t)__builtin_popcount(view->mask));
    advise_count(f, "stride", stride);
    advise_count(f, "bank", view->bank[__builtin_ctz(view->mask)]);
    advise_count(f, "degree", view->degree);
    advise_count(f, "worst", view->wavefronts.actual);
    advise_count(f, "ideal", view->wavefronts.ideal);
    advise_count(f, "wavefronts", row->wavefronts);
    advise_count(f, "wavefronts_ideal", row->wavefronts_ideal);
    find_cures(rules, item, stride, &cures);
    rules->failed = rules->failed || cures.failed;
    add_cures(rules, f, row, &cures);
    advise_saves(rules, f, (double)(row->wavefronts - row->wavefronts_ideal) * rules->sm_share);
}

/* Without addresses: that there is a conflict, and how much it costs. */
static void tell_unseen(struct advise_rules *rules, const struct sim_insn_report *row)
{
    uint64_t n = row->requests > 0 ? row->requests : 1;
    uint64_t worst = (row->wavefronts + n / 2) / n, ideal = (row->wavefronts_ideal + n / 2) / n;
    struct advise_finding *f =
        advise_add(rules, ADVISE_RULE_BANK_CONFLICT, ADVISE_WORD_BANK_CONFLICT, ADVISE_WORD_BANK_ANY, row);
    if (!f)
        return;
    advise_count(f, "lanes", 32);
    advise_count(f, "degree", ideal > 0 ? worst / ideal : worst);
    advise_count(f, "worst", worst);
    advise_count(f, "ideal", ideal);
    advise_cure(f, ADVISE_WORD_BANK_CURE_LOOK);
    advise_saves(rules, f, (double)(row->wavefronts - row->wavefronts_ideal) * rules->sm_share);
}

static void shared_atomic(struct advise_rules *rules, const struct sim_insn_report *row,
                          const struct advise_watched *item)
{
    double per_address = item->addresses > 0 ? (double)item->lanes / (double)item->addresses : 0;
    if (per_address < 2)
        return;
    struct advise_finding *f = advise_add(rules, ADVISE_RULE_SAME_ADDRESS_ATOMICS, ADVISE_WORD_SAME_ADDRESS_ATOMICS,
                                          ADVISE_WORD_ATOMICS_MANY, row);
    if (!f)
        return;
    advise_count(f, "lanes", item->lanes);
    advise_real(f, "per_address", per_address);
    advise_cure(f, ADVISE_WORD_ATOMICS_CURE_SHARED);
    advise_saves(rules, f, (double)(row->wavefronts - row->wavefronts_ideal) * rules->sm_share);
}

void advise_rules_shared(struct advise_rules *rules)
{
    const struct sim_report *report = rules->report;
    for (size_t i = 0; i < report->insn_count; i++) {
        const struct sim_insn_report *row = &report->insns[i];
        /* An eighth more than needed is said of no access. */
        if (!row->is_shared || row->wavefronts <= row->wavefronts_ideal + row->wavefronts_ideal / 8)
            continue;
        const struct advise_watched *item =
            rules->query->watch ? advise_watch_find(rules->query->watch, advise_insn(rules, row), ISA_SPACE_SHARED)
                                : NULL;
        if (!item) {
            if (!row->is_atomic && !rules->query->watch)
                tell_unseen(rules, row);
            continue;
        }
        if (row->is_atomic) {
            shared_atomic(rules, row, item);
            continue;
        }
        const struct advise_execution *worst = &item->captured->kept[item->captured->worst];
        struct advise_bank_view view;
        advise_bank_look(rules->device, worst->address, worst->mask, item->captured->width_bytes, item->captured->kind,
                         &view);
        if (view.degree >= 2)
            tell_conflict(rules, row, item, &view);
    }
}
