/* An access against those that its memory remembers: is there another thread's, with no order between the two?
 *
 * Two accesses conflict when one of them writes and they are not both atomic, or both strong, for each other's scope.
 * Every word remembers its last write, and the reads since then that no later one is known to follow. A write that
 * stores what is there already is told of no other write: the order of the two does not matter. */
#include "sim/check/check.h"

#include <string.h>

struct visit {
    struct check_view view;
    const struct sim_effect *effect;
    struct check_region *region;
    struct check_access mine; /* as ONE, lane 0 */
    uint64_t address;         /* of the cell at hand */
    unsigned cell_bytes;
    bool writes;
};

/* ---- Telling ---- */

static uint8_t access_word(const struct check_access *access, bool is_write)
{
    return access->strength == CHECK_ATOMIC ? SIM_ACCESS_ATOMIC : is_write ? SIM_ACCESS_WRITE : SIM_ACCESS_READ;
}

static void tell(struct visit *v, const struct check_access *other, bool other_writes, unsigned lane,
                 enum check_kind kind, uint32_t count)
{
    struct sim_check *check = v->view.check;
    uint32_t others = other->set == CHECK_LANES ? other->mask : UINT32_C(1) << other->lane;
    if ((others & ~(UINT32_C(1) << lane)) != 0 && kind == CHECK_RACE_WARP)
        others &= ~(UINT32_C(1) << lane);
    unsigned other_lane = (unsigned)__builtin_ctz(others);
    struct check_finding finding = {
        .kind = kind,
        .first = {v->mine.counter, v->view.block->linear, v->view.index * 32 + lane, access_word(&v->mine, v->writes)},
        .other = {other->counter, check_block_of(other->who), check_warp_of(other->who) * 32 + other_lane,
                  access_word(other, other_writes)},
        .has_other = true,
        .has_address = true,
        .address = v->address,
        .space = v->effect->space,
    };
    check_find(check, &finding, (uint64_t)check->serial << 5 | lane, count);
}

/* ---- Values ---- */

static const uint8_t *host_of(const struct sim_effect *effect, unsigned lane, uint64_t offset)
{
    const struct sim_target *target = effect->target;
    const uint8_t *at =
        target->by_lane ? target->at[lane] : target->base + (effect->addresses->at[lane] - target->origin);
    return at + offset;
}

/* What a lane stores in the cell at hand; false: not known. */
static bool stored(const struct visit *v, unsigned lane, uint8_t bytes[4])
{
    const struct sim_effect *effect = v->effect;
    const struct sim_op *op = effect->op;
    if (op->kind != SIM_K_ST)
        return false;
    uint64_t offset = v->address - effect->addresses->at[lane];
    for (unsigned i = 0; i < v->cell_bytes; i++) {
        uint64_t element = (offset + i) / op->element_bytes, within = (offset + i) % op->element_bytes;
        if (element >= op->count || op->vec[element] == SIM_ROW_NONE)
            return false;
        const uint32_t *row = sim_row(v->view.check->engine->program, effect->warp, effect->group, op->vec[element]);
        bytes[i] = (uint8_t)(row[32 * (within / 4) + lane] >> (8 * (within % 4)));
    }
    return true;
}

static bool stores_what_is_there(const struct visit *v, unsigned lane)
{
    uint8_t mine[4];
    sim_addresses_expand(v->effect->addresses);
    return stored(v, lane, mine) &&
           memcmp(mine, host_of(v->effect, lane, v->address - v->effect->addresses->at[lane]), v->cell_bytes) == 0;
}

static bool store_the_same(const struct visit *v, unsigned lane, unsigned other)
{
    uint8_t a[4], b[4];
    sim_addresses_expand(v->effect->addresses);
    return stored(v, lane, a) && stored(v, other, b) && memcmp(a, b, v->cell_bytes) == 0;
}

/* ---- Judging ---- */

/* Both strong, each within the other's scope: they may meet in any order. Within a warp volatile accesses are only
 * taken for that when the lanes went apart before: else the program counts on lanes running in step. */
static bool may_meet(const struct visit *v, const struct check_access *other)
{
    const struct check_access *mine = &v->mine;
    if (mine->strength == CHECK_WEAK || other->strength == CHECK_WEAK)
        return false;
    bool same_block = check_block_of(other->who) == v->view.block->linear && other->set != CHECK_BLOCKS;
    unsigned scope = mine->scope < other->scope ? mine->scope : other->scope;
    if (same_block) {
        bool in_step = mine->strength != CHECK_ATOMIC && other->strength != CHECK_ATOMIC && other->company &&
                       other->set != CHECK_WARPS && check_warp_of(other->who) == v->view.index;
        return !in_step;
    }
    return scope >= (v->view.check->engine->cluster_blocks > 1 ? 1U : 2U);
}

/* Machine code has no __syncwarp() where lanes run in step anyway, and volatile accesses to shared memory are ordinary
 * ones: a block with fences may have flags there. */
static bool cannot_know(const struct visit *v, const struct check_access *other)
{
    if (!v->view.check->is_machine || other->set == CHECK_BLOCKS || check_block_of(other->who) != v->view.block->linear)
        return false;
    bool same_warp = other->set != CHECK_WARPS && check_warp_of(other->who) == v->view.index;
    return same_warp || (v->effect->space != ISA_SPACE_GLOBAL && v->view.block->fence_time[0] > 0);
}

static enum check_kind kind_of(const struct visit *v, const struct check_access *other, enum check_order order)
{
    if (order == CHECK_UNFENCED)
        return CHECK_RACE_FENCE;
    if (other->set == CHECK_BLOCKS || check_block_of(other->who) != v->view.block->linear)
        return CHECK_RACE_BLOCKS;
    return other->set != CHECK_WARPS && check_warp_of(other->who) == v->view.index ? CHECK_RACE_WARP : CHECK_RACE_BLOCK;
}

/* Nothing to look at: no access, or one that a barrier lies behind. The common case. */
static inline bool is_settled(const struct visit *v, const struct check_access *other)
{
    uint32_t time = check_time(other->who);
    return time == 0 || (other->set != CHECK_BLOCKS && time <= v->view.block->block_time &&
                         check_block_of(other->who) == v->view.block->linear);
}

static bool same_instruction(const struct visit *v, const struct check_access *other)
{
    return other->who == v->mine.who && other->counter == v->mine.counter && other->set == CHECK_ONE &&
           other->mask == v->view.check->serial && other->strength != CHECK_ATOMIC;
}

/* Lanes `lanes` access the cell at hand, which remembers `other`. In a summary each of `lanes` is one word's. */
static void judge(struct visit *v, const struct check_access *other, bool other_writes, uint32_t lanes)
{
    if (is_settled(v, other) || may_meet(v, other))
        return;
    bool stores = v->effect->kind == SIM_EFFECT_STORE && other_writes && other->strength != CHECK_ATOMIC;
    for (uint32_t m = lanes; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        if (stores && same_instruction(v, other)) {
            if (lane != other->lane && !store_the_same(v, lane, other->lane))
                tell(v, other, true, lane, CHECK_RACE_LANES, 1);
            continue;
        }
        enum check_order order = check_order_of(&v->view, other, lane);
        if (order != CHECK_ORDERED && !cannot_know(v, other) && !(stores && stores_what_is_there(v, lane)))
            tell(v, other, other_writes, lane, kind_of(v, other, order), 1);
    }
}

/* ---- Remembering ---- */

static uint32_t releases_now(const struct visit *v)
{
    return v->view.check->releases < UINT32_MAX ? (uint32_t)v->view.check->releases : UINT32_MAX;
}

/* Adds mine to what `slot` stands for. */
static void join(const struct visit *v, struct check_access *slot, const struct check_access *mine)
{
    uint32_t warp = check_warp_of(mine->who), slot_warp = check_warp_of(slot->who);
    slot->strength = slot->strength < mine->strength ? slot->strength : mine->strength;
    slot->scope = slot->scope < mine->scope ? slot->scope : mine->scope;
    if (slot->set == CHECK_BLOCKS || check_block_of(slot->who) != check_block_of(mine->who)) {
        slot->set = CHECK_BLOCKS;
        slot->mask = releases_now(v);
    } else if (slot->set == CHECK_WARPS || slot_warp != warp) {
        slot->mask = (slot->set == CHECK_WARPS ? slot->mask : UINT32_C(1) << slot_warp) | UINT32_C(1) << warp;
        slot->set = CHECK_WARPS;
    } else {
        uint32_t before = slot->set == CHECK_LANES ? slot->mask : UINT32_C(1) << slot->lane;
        slot->mask = before | (mine->set == CHECK_LANES ? mine->mask : UINT32_C(1) << mine->lane);
        slot->set = CHECK_LANES;
    }
}

static void remember(const struct visit *v, struct check_access *slot, const struct check_access *mine)
{
    bool replaces = is_settled(v, slot);
    if (!replaces && slot->set <= CHECK_LANES && slot->who >> CHECK_TIME_BITS == mine->who >> CHECK_TIME_BITS)
        replaces = check_time(slot->who) <= v->view.warp->warp_time ||
                   (slot->set == CHECK_ONE && mine->set == CHECK_ONE && slot->lane == mine->lane);
    if (replaces)
        *slot = *mine;
    else
        join(v, slot, mine);
}

/* Judges and remembers an access to a cell by `mine`, which stands for `lanes`. */
static void visit_cell(struct visit *v, struct check_cell *cell, const struct check_access *mine, uint32_t lanes)
{
    judge(v, &cell->write, true, lanes);
    if (!v->writes) {
        remember(v, &cell->read, mine);
        return;
    }
    judge(v, &cell->read, false, lanes);
    cell->read.who = 0;
    if (mine->strength == CHECK_ATOMIC && cell->write.strength == CHECK_ATOMIC)
        remember(v, &cell->write, mine);
    else
        cell->write = *mine;
}

static struct check_access as_lanes(const struct visit *v, uint32_t lanes)
{
    struct check_access mine = v->mine;
    unsigned last = 31U - (unsigned)__builtin_clz(lanes);
    mine.lane = last & 31;
    if ((lanes & (lanes - 1)) != 0 && v->effect->kind != SIM_EFFECT_STORE) {
        mine.set = CHECK_LANES;
        mine.mask = lanes;
    }
    return mine;
}

/* Lanes of one store that go to the same cell. */
static void judge_lanes(struct visit *v, const struct check_access *mine, uint32_t lanes)
{
    for (uint32_t m = lanes & ~(UINT32_C(1) << mine->lane); m != 0; m &= m - 1)
        if (!store_the_same(v, (unsigned)__builtin_ctz(m), mine->lane))
            tell(v, mine, true, (unsigned)__builtin_ctz(m), CHECK_RACE_LANES, 1);
}

/* ---- Lines and cells ---- */

/* `lanes` access bytes [offset, offset + width) of the region: the cells there. */
static void visit_range(struct visit *v, uint64_t offset, uint64_t address, uint32_t width, uint32_t lanes)
{
    struct check_access mine = as_lanes(v, lanes);
    bool by_byte = width < 4;
    for (uint32_t done = 0; done < width;) {
        struct check_line *line = &v->region->lines[(offset + done) / CHECK_LINE_BYTES];
        struct check_cell *cells = check_line_cells(v->view.check, v->region, line, by_byte);
        if (cells == NULL)
            return;
        unsigned step = line->by_byte ? 1 : 4;
        v->cell_bytes = step;
        v->address = address + done;
        if (v->effect->kind == SIM_EFFECT_STORE)
            judge_lanes(v, &mine, lanes);
        visit_cell(v, &cells[(offset + done) % CHECK_LINE_BYTES / step], &mine, lanes);
        done += step;
    }
}

/* All words of a line by the lanes of the pattern: lane + (word >> pattern). */
static bool fits(const struct visit *v, const struct check_access *a, const struct check_access *mine)
{
    return is_settled(v, a) || (a->pattern == mine->pattern && a->lane == mine->lane && a->set != CHECK_LANES);
}

/* Judges a summary of the same pattern: word by word it is one lane against the same lane. */
static void judge_line(struct visit *v, const struct check_access *other, bool other_writes, uint64_t address)
{
    uint64_t mine = v->mine.who >> CHECK_TIME_BITS;
    if (is_settled(v, other) || (other->set == CHECK_ONE && other->who >> CHECK_TIME_BITS == mine))
        return;
    unsigned pattern = v->mine.pattern, first = v->mine.lane;
    for (unsigned word = 0; word < 32; word++) {
        struct check_access one = *other;
        one.lane = (other->lane + (word >> pattern)) & 31;
        one.pattern = 0;
        v->address = address + 4 * word;
        judge(v, &one, other_writes, UINT32_C(1) << ((first + (word >> pattern)) & 31));
    }
}

static void visit_line(struct visit *v, struct check_line *line, uint64_t address, unsigned first, unsigned pattern)
{
    v->mine.lane = first & 31;
    v->mine.pattern = pattern & 3;
    v->cell_bytes = 4;
    if (line->cells == 0 && fits(v, &line->all.write, &v->mine) && fits(v, &line->all.read, &v->mine)) {
        judge_line(v, &line->all.write, true, address);
        if (v->writes)
            judge_line(v, &line->all.read, false, address);
        if (!v->writes) {
            remember(v, &line->all.read, &v->mine);
        } else {
            line->all.read.who = 0;
            if (v->mine.strength == CHECK_ATOMIC && line->all.write.strength == CHECK_ATOMIC)
                remember(v, &line->all.write, &v->mine);
            else
                line->all.write = v->mine;
        }
        return;
    }
    struct check_cell *cells = check_line_cells(v->view.check, v->region, line, false);
    struct check_access mine = v->mine;
    unsigned step = line->by_byte ? 1 : 4;
    mine.pattern = 0;
    v->cell_bytes = step;
    for (unsigned i = 0; cells != NULL && i < CHECK_LINE_BYTES / step; i++) {
        mine.lane = (first + (i * step / 4 >> pattern)) & 31;
        v->address = address + i * step;
        visit_cell(v, &cells[i], &mine, UINT32_C(1) << mine.lane);
    }
}

/* ---- Guesses ---- */

/* A plain read before an atomic of the same thread that decides by what is there then (compare and swap, a minimum, a
 * bit that is set) is only a guess, and may well be an old value. Which reads are: those of the last few of a thread
 * whose address such an atomic has. */
static void note_guess(const struct visit *v, uint32_t counter)
{
    struct check_warp *warp = v->view.warp;
    if (warp->guesses == NULL)
        warp->guesses = check_alloc(v->view.check, CHECK_GUESSES, sizeof(*warp->guesses));
    if (warp->guesses == NULL)
        return;
    struct check_guess *guess = &warp->guesses[warp->guess_next++ % CHECK_GUESSES];
    sim_addresses_expand(v->effect->addresses);
    guess->counter = counter;
    guess->lanes = v->effect->addresses->mask;
    memcpy(guess->address, v->effect->addresses->at, sizeof(guess->address));
}

static void find_guesses(const struct visit *v)
{
    const struct check_warp *warp = v->view.warp;
    const struct sim_addresses *a = v->effect->addresses;
    sim_addresses_expand(v->effect->addresses);
    for (unsigned g = 0; warp->guesses != NULL && g < CHECK_GUESSES; g++)
        for (uint32_t m = warp->guesses[g].lanes & a->mask; m != 0; m &= m - 1)
            if (warp->guesses[g].address[__builtin_ctz(m)] == a->at[__builtin_ctz(m)])
                v->view.check->insns[warp->guesses[g].counter].guesses = true;
}

/* ---- Effects ---- */

static struct check_access access_of(const struct visit *v)
{
    const struct sim_effect *effect = v->effect;
    const struct check_insn *insn = &v->view.check->insns[effect->op->counter];
    struct check_access mine = {.who = check_who(v->view.block, v->view.index), .mask = v->view.check->serial};
    mine.strength = (effect->kind == SIM_EFFECT_ATOMIC ? (unsigned)CHECK_ATOMIC : insn->strength) & 3U;
    mine.scope = insn->level & 3U;
    mine.company = (effect->addresses->mask & (effect->addresses->mask - 1)) != 0;
    mine.counter = effect->op->counter < 1U << 18 ? effect->op->counter & 0x3ffff : 0; /* 0: which one is not kept */
    return mine;
}

/* The region of one lane's access, the offset in it, and the domain of its flags. */
static struct check_region *region_of(struct visit *v, uint64_t address, uint64_t *offset, uint32_t *domain)
{
    if (v->effect->space == ISA_SPACE_GLOBAL) {
        *domain = 0;
        return check_region_global(v->view.check, address, v->effect->width_bytes, offset);
    }
    struct check_block *block = check_block_at(&v->view, v->effect, address);
    *offset = address & ((UINT64_C(1) << SIM_CLUSTER_SHIFT) - 1);
    *domain = 1 + block->rank;
    return check_region_shared(v->view.check, block) ? &block->shared : NULL;
}

static void visit_lanes(struct visit *v, uint64_t address, uint32_t lanes)
{
    uint64_t offset;
    uint32_t domain;
    v->region = region_of(v, address, &offset, &domain);
    if (v->region == NULL)
        return;
    if (v->mine.strength != CHECK_WEAK) {
        check_flag_access(&v->view, v->effect, domain, domain == 0 ? address : offset, lanes);
        v->mine.who = check_who(v->view.block, v->view.index);
    }
    v->view.block->dirty = true;
    visit_range(v, offset, address, v->effect->width_bytes, lanes);
}

void check_race_effect(struct sim_check *check, const struct sim_effect *effect)
{
    struct sim_addresses *a = effect->addresses;
    if (effect->space != ISA_SPACE_GLOBAL && effect->space != ISA_SPACE_SHARED &&
        effect->space != ISA_SPACE_SHARED_CLUSTER)
        return;
    struct visit v = {.view = check_view_of(check, effect->warp), .effect = effect};
    v.writes = effect->kind != SIM_EFFECT_LOAD;
    v.mine = access_of(&v);
    if (check->has_deciding && v.mine.strength == CHECK_WEAK && !v.writes)
        note_guess(&v, effect->op->counter);
    else if (effect->kind == SIM_EFFECT_ATOMIC && check_decides(effect->op))
        find_guesses(&v);
    if (a->uniform) {
        visit_lanes(&v, a->min, a->mask);
        return;
    }
    if (a->contiguous && v.mine.strength == CHECK_WEAK && a->min % CHECK_LINE_BYTES == 0 && a->width_bytes >= 4 &&
        a->width_bytes <= 16) {
        uint64_t offset;
        uint32_t domain;
        v.region = region_of(&v, a->min, &offset, &domain);
        v.view.block->dirty = true;
        unsigned pattern = a->width_bytes == 4 ? 0 : a->width_bytes == 8 ? 1 : 2;
        for (unsigned i = 0; v.region != NULL && i < a->width_bytes / 4; i++)
            visit_line(&v, &v.region->lines[offset / CHECK_LINE_BYTES + i], a->min + i * CHECK_LINE_BYTES,
                       i * 32 >> pattern, pattern);
        return;
    }
    sim_addresses_expand(a);
    for (uint32_t m = a->mask; m != 0; m &= m - 1)
        visit_lanes(&v, a->at[__builtin_ctz(m)], m & (0U - m));
}
