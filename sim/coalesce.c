/* Sectors and shared-memory wavefronts of one warp instruction.
 *
 * Both come down to counting distinct numbers among at most 32 lanes: sector numbers for global memory; for shared
 * memory the numbers of "units", the aligned pieces as wide as one lane's access (at least a bank), counted bank by
 * bank. An aligned access is one unit, and two units are equal or apart, so a 128-bit access costs no more to count
 * than a 32-bit one. Accesses that are not aligned take the slow way, piece by piece.
 *
 * These functions run for every simulated memory instruction, so the common patterns leave early: evenly spaced lanes
 * in closed form, sorted lanes by counting changes, and a table lookup for what remains.
 */
#include "sim/coalesce.h"

#include <stddef.h>
#include <string.h>

#define LANES     32
#define FULL_MASK UINT32_MAX

/* A set of numbers with open addressing: small enough to clear for each use, and at most half full with 32 lanes. */
#define SLOTS 64

struct number_set {
    uint8_t slot[SLOTS]; /* 1 + index into items; 0: empty */
    uint64_t items[LANES];
    uint32_t count;
};

static uint32_t log2_of(uint32_t power)
{
    return (uint32_t)__builtin_ctz(power);
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void set_clear(struct number_set *set)
{
    memset(set->slot, 0, sizeof set->slot);
    set->count = 0;
}

/* True when the number was not yet in the set. */
static bool set_add(struct number_set *set, uint64_t number)
{
    size_t at = (size_t)((number * UINT64_C(0x9e3779b97f4a7c15)) >> 58);
    while (set->slot[at]) {
        if (set->items[set->slot[at] - 1] == number)
            return false;
        at = (at + 1) % SLOTS;
    }
    set->items[set->count++] = number;
    set->slot[at] = (uint8_t)set->count;
    return true;
}

/* Whether some active lane's access is not a multiple of its own width (a power of two). */
static bool any_misaligned(const uint64_t address[LANES], uint32_t mask, uint32_t width_bytes)
{
    uint64_t low = 0;
    if (mask == FULL_MASK) {
        for (int i = 0; i < LANES; i++)
            low |= address[i];
    } else {
        for (uint32_t rest = mask; rest; rest &= rest - 1)
            low |= address[__builtin_ctz(rest)];
    }
    return (low & (width_bytes - 1)) != 0;
}

/* What the active lanes' bytes fill when put side by side. */
static uint32_t packed(uint32_t mask, uint32_t width_bytes, uint32_t unit_bytes)
{
    uint32_t bytes = (uint32_t)__builtin_popcount(mask) * width_bytes;
    return (bytes + unit_bytes - 1) >> log2_of(unit_bytes);
}

/* Active lanes without a gap whose addresses are evenly spaced. The step may be 0 or "negative" (modulo 2^64). */
struct even_run {
    uint64_t first, last, step;
    uint32_t count;
};

static bool evenly_spaced(const uint64_t address[LANES], uint32_t mask, struct even_run *run)
{
    uint32_t begin = (uint32_t)__builtin_ctz(mask);
    uint32_t count = (uint32_t)__builtin_popcount(mask);
    const uint64_t *at = address + begin;
    uint64_t wrong = 0;
    if (((mask >> begin) & ((mask >> begin) + 1)) != 0)
        return false;
    *run = (struct even_run){at[0], at[count - 1], count > 1 ? at[1] - at[0] : 0, count};
    if (run->last - run->first != run->step * (count - 1))
        return false;
    for (uint32_t i = 1; i < count; i++)
        wrong |= at[i] - at[i - 1] - run->step;
    return wrong == 0;
}

/* Sectors of an even run of aligned accesses; false when the step is too wild for the closed form. */
static bool spaced_sectors(const struct even_run *run, uint32_t width_bytes, uint32_t sector_bytes, uint32_t *sectors)
{
    bool rising = run->step <= UINT32_MAX;
    uint64_t span = rising ? run->step : 0 - run->step;
    uint64_t low = rising ? run->first : run->last, high = rising ? run->last : run->first;
    if (((run->first | run->step) & (width_bytes - 1)) != 0 || span > UINT32_MAX || low > high)
        return false;
    if (span >= sector_bytes)
        *sectors = run->count;
    else
        *sectors = (uint32_t)((high >> log2_of(sector_bytes)) - (low >> log2_of(sector_bytes))) + 1;
    return true;
}

/* The active lanes' addresses, divided by 2^shift, without gaps. */
static uint32_t gather(const uint64_t address[LANES], uint32_t mask, uint32_t shift, uint64_t number[LANES])
{
    uint32_t count = 0;
    if (mask == FULL_MASK) {
        for (int i = 0; i < LANES; i++)
            number[i] = address[i] >> shift;
        return LANES;
    }
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        number[count++] = address[__builtin_ctz(rest)] >> shift;
    return count;
}

static uint32_t count_distinct(const uint64_t *number, uint32_t count)
{
    struct number_set set;
    uint32_t changes = 0, falls = 0;
    for (uint32_t i = 1; i < count; i++) {
        changes += number[i] != number[i - 1];
        falls += number[i] < number[i - 1];
    }
    if (falls == 0 || falls == changes)
        return changes + 1;
    set_clear(&set);
    for (uint32_t i = 0; i < count; i++)
        set_add(&set, number[i]);
    return set.count;
}

/* For accesses that may cross sector borders: each lane's first and last sector, sorted by insertion. */
static uint32_t sectors_across(const uint64_t address[LANES], uint32_t mask, uint32_t width_bytes, uint32_t shift)
{
    uint64_t first[LANES], last[LANES], end = 0;
    uint32_t count = 0, total = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        uint64_t from = address[__builtin_ctz(rest)];
        uint64_t to = from + (width_bytes - 1);
        uint32_t at = count++;
        if (to < from)
            to = UINT64_MAX;
        for (; at > 0 && first[at - 1] > from >> shift; at--) {
            first[at] = first[at - 1];
            last[at] = last[at - 1];
        }
        first[at] = from >> shift;
        last[at] = to >> shift;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t from = i > 0 && first[i] <= end ? end + 1 : first[i];
        if (i == 0 || last[i] > end) {
            total += (uint32_t)(last[i] - from + 1);
            end = last[i];
        }
    }
    return total;
}

static uint32_t spaced_bytes(const struct even_run *run, uint32_t width_bytes)
{
    uint64_t span = run->step <= UINT32_MAX ? run->step : 0 - run->step;
    return (run->count - 1) * (span < width_bytes ? (uint32_t)span : width_bytes) + width_bytes;
}

bool sim_sectors_even(uint64_t first, uint64_t step, uint32_t width_bytes, uint32_t sector_bytes,
                      struct sim_global_sectors *result)
{
    const struct even_run run = {first, first + (LANES - 1) * step, step, LANES};
    if (width_bytes > sector_bytes || !spaced_sectors(&run, width_bytes, sector_bytes, &result->actual))
        return false;
    result->ideal = smaller(result->actual, packed(FULL_MASK, width_bytes, sector_bytes));
    result->bytes = spaced_bytes(&run, width_bytes);
    return true;
}

uint32_t sim_sectors(const uint64_t address[32], uint32_t mask, uint32_t width_bytes, uint32_t sector_bytes)
{
    uint64_t number[LANES];
    uint32_t shift = log2_of(sector_bytes), sectors;
    struct even_run run;

    if (mask == 0)
        return 0;
    if (width_bytes <= sector_bytes && evenly_spaced(address, mask, &run) &&
        spaced_sectors(&run, width_bytes, sector_bytes, &sectors))
        return sectors;
    if (width_bytes > sector_bytes || any_misaligned(address, mask, width_bytes))
        return sectors_across(address, mask, width_bytes, shift);
    return count_distinct(number, gather(address, mask, shift, number));
}

/* Lanes that share addresses can do with fewer sectors than the packed lanes would; then what they need is the ideal.
 */
uint32_t sim_sectors_ideal(const uint64_t address[32], uint32_t mask, uint32_t width_bytes, uint32_t sector_bytes)
{
    return sim_sectors_both(address, mask, width_bytes, sector_bytes).ideal;
}

struct sim_global_sectors sim_sectors_both(const uint64_t address[32], uint32_t mask, uint32_t width_bytes,
                                           uint32_t sector_bytes)
{
    const uint32_t sectors = sim_sectors(address, mask, width_bytes, sector_bytes);
    return (struct sim_global_sectors){.actual = sectors,
                                       .ideal = smaller(sectors, packed(mask, width_bytes, sector_bytes))};
}

uint32_t sim_distinct_bytes(const uint64_t address[32], uint32_t mask, uint32_t width_bytes)
{
    struct number_set elements;
    struct even_run run;
    uint32_t count = 0;
    if (mask == 0)
        return 0;
    if (evenly_spaced(address, mask, &run))
        return spaced_bytes(&run, width_bytes);
    set_clear(&elements);
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        count += set_add(&elements, address[__builtin_ctz(rest)]);
    return count * width_bytes;
}

/* Round by round: of the lanes that are left, the first on each element. */
uint32_t sim_sectors_atomic(const uint64_t address[32], uint32_t mask, uint32_t width_bytes, uint32_t sector_bytes)
{
    struct number_set elements;
    struct even_run run;
    uint32_t total = 0;
    if (mask != 0 && evenly_spaced(address, mask, &run) && run.count > 1)
        return run.step == 0 ? run.count * sim_sectors(address, 1U << __builtin_ctz(mask), width_bytes, sector_bytes)
                             : sim_sectors(address, mask, width_bytes, sector_bytes);
    for (uint32_t left = mask, round; left != 0; left &= ~round) {
        round = 0;
        set_clear(&elements);
        for (uint32_t rest = left; rest; rest &= rest - 1)
            if (set_add(&elements, address[__builtin_ctz(rest)]))
                round |= rest & (0 - rest);
        total += sim_sectors(address, round, width_bytes, sector_bytes);
    }
    return total;
}

/* How one instruction meets the banks: units of 2^shift bytes, unit_banks of them side by side in one pass. */
struct bank_shape {
    uint32_t shift, unit_banks;
};

/* Passes of the lanes in `mask`: the most different units that one bank must give. */
static uint32_t load_passes(const uint64_t address[LANES], uint32_t mask, struct bank_shape shape)
{
    struct number_set set;
    uint64_t first[LANES];
    uint32_t filled = 0, rest = mask;
    uint8_t units[LANES] = {0}, most = 1;

    /* As long as no bank is asked for a second unit, one look at the bank's first one is enough. */
    for (; rest; rest &= rest - 1) {
        uint64_t unit = address[__builtin_ctz(rest)] >> shape.shift;
        uint32_t bank = (uint32_t)unit & (shape.unit_banks - 1);
        if (filled >> bank & 1 && first[bank] != unit)
            break;
        filled |= UINT32_C(1) << bank;
        first[bank] = unit;
    }
    if (!rest)
        return mask != 0;
    set_clear(&set);
    for (rest = mask; rest; rest &= rest - 1) {
        uint64_t unit = address[__builtin_ctz(rest)] >> shape.shift;
        uint32_t bank = (uint32_t)unit & (shape.unit_banks - 1);
        if (set_add(&set, unit) && ++units[bank] > most)
            most = units[bank];
    }
    return most;
}

/* Atomics: lanes on one unit follow each other, so every lane counts. */
static uint32_t atomic_passes(const uint64_t address[LANES], uint32_t mask, struct bank_shape shape)
{
    uint8_t lanes[LANES] = {0}, most = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        uint64_t unit = address[__builtin_ctz(rest)] >> shape.shift;
        uint8_t count = ++lanes[unit & (shape.unit_banks - 1)];
        most = count > most ? count : most;
    }
    return most;
}

/* Accesses that no aligned unit holds, or wider than all banks together: bank by bank over single bank words. */
static uint32_t word_passes(const uint64_t address[LANES], uint32_t mask, uint32_t width_bytes,
                            enum sim_shared_kind kind, uint32_t banks, uint32_t bank_shift)
{
    uint32_t most = 0;
    for (uint32_t bank = 0; bank < banks; bank++) {
        uint64_t seen[LANES * 33];
        uint32_t count = 0;
        for (uint32_t rest = mask; rest; rest &= rest - 1) {
            uint64_t from = address[__builtin_ctz(rest)];
            uint64_t offset = from & ((UINT64_C(1) << bank_shift) - 1);
            uint64_t words = ((offset + width_bytes - 1) >> bank_shift) + 1;
            for (uint64_t k = 0; k < words; k++) {
                uint64_t word = (from >> bank_shift) + k;
                uint32_t i = 0;
                if ((word & (banks - 1)) != bank)
                    continue;
                while (kind != SIM_SHARED_ATOMIC && i < count && seen[i] != word)
                    i++;
                if (kind == SIM_SHARED_ATOMIC || i == count)
                    seen[count++] = word;
            }
        }
        most = count > most ? count : most;
    }
    return most;
}

/* Whether lanes n and n^distance, where both are active, have equal addresses. */
static bool lanes_pair(const uint64_t address[LANES], uint32_t mask, uint32_t distance)
{
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), other = lane ^ distance;
        if (mask >> other & 1 && address[lane] != address[other])
            return false;
    }
    return true;
}

/* Two neighbouring groups of a wide load are served in one pass when no bank is asked twice and, with all groups of the
 * warp busy, their lanes pair up. */
static bool groups_merge(const uint64_t address[LANES], uint32_t low, uint32_t high, bool all_busy,
                         struct bank_shape shape)
{
    uint32_t both = low | high;
    return low && high && (!all_busy || lanes_pair(address, both, 1) || lanes_pair(address, both, 2)) &&
           load_passes(address, both, shape) == 1;
}

static bool one_address(const uint64_t address[LANES], uint32_t mask)
{
    uint64_t first = address[__builtin_ctz(mask)], different = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        different |= address[__builtin_ctz(rest)] ^ first;
    return different == 0;
}

static uint32_t lane_group(uint32_t index, uint32_t lanes)
{
    return lanes == LANES ? FULL_MASK : ((UINT32_C(1) << lanes) - 1) << (index * lanes);
}

/* Notes one group of lanes, for who wants to know them; answers its wavefronts. */
static uint32_t note_group(struct sim_bank_groups *groups, uint32_t mask, uint32_t wavefronts)
{
    if (groups && wavefronts > 0)
        groups->items[groups->count++] = (struct sim_bank_group){mask, wavefronts};
    return wavefronts;
}

/* All lanes have one address: a pass for each `room` lanes. */
static uint32_t one_address_passes(uint32_t mask, uint32_t room, struct sim_bank_groups *groups)
{
    uint32_t total = 0, part = 0, count = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        part |= rest & (0 - rest);
        if (++count == room || (rest & (rest - 1)) == 0) {
            total += note_group(groups, part, 1);
            part = count = 0;
        }
    }
    return total;
}

static uint32_t group_passes(const uint64_t address[LANES], uint32_t mask, enum sim_shared_kind kind,
                             struct bank_shape shape)
{
    return kind == SIM_SHARED_ATOMIC ? atomic_passes(address, mask, shape) : load_passes(address, mask, shape);
}

/* Sum over groups of `lanes` neighbouring lanes, as many as fill all banks once. `out` may be NULL. */
static uint32_t grouped_passes(const uint64_t address[LANES], uint32_t mask, enum sim_shared_kind kind,
                               struct bank_shape shape, struct sim_bank_groups *out)
{
    uint32_t lanes = smaller(shape.unit_banks, LANES), groups = LANES / lanes, total = 0;
    bool all_busy = true;
    for (uint32_t i = 0; i < groups; i++)
        all_busy = all_busy && (mask & lane_group(i, lanes)) != 0;
    if (kind == SIM_SHARED_LOAD && groups > 1 && one_address(address, mask))
        return one_address_passes(mask, 2 * lanes, out);
    for (uint32_t i = 0; i < groups; i++) {
        uint32_t group = mask & lane_group(i, lanes);
        uint32_t next = i % 2 == 0 && i + 1 < groups ? mask & lane_group(i + 1, lanes) : 0;
        if (kind == SIM_SHARED_LOAD && groups_merge(address, group, next, all_busy, shape)) {
            total += note_group(out, group | next, 1);
            i++;
        } else {
            total += note_group(out, group, group_passes(address, group, kind, shape));
        }
    }
    return total;
}

/* Fermi: quarter-warps go in pairs, one pass and those of the worse. */
static uint32_t grouped_passes_fermi(const uint64_t address[LANES], uint32_t mask, enum sim_shared_kind kind,
                                     struct bank_shape shape, bool in_pairs, struct sim_bank_groups *out)
{
    uint32_t lanes = smaller(shape.unit_banks, LANES), groups = LANES / lanes, total = 0;
    for (uint32_t i = 0; i < groups; i++) {
        uint32_t group = mask & lane_group(i, lanes), passes = group_passes(address, group, kind, shape);
        if (in_pairs && i + 1 < groups) {
            uint32_t next = mask & lane_group(++i, lanes), other = group_passes(address, next, kind, shape);
            passes = passes > 0 && other > 0 ? 1 + (passes > other ? passes : other) : passes + other;
            group |= next;
        }
        total += note_group(out, group, passes);
    }
    return total;
}

/* A full warp of evenly spaced lanes, whole units apart: each lane has a unit of its own (or all have one), and units
 * 2^k apart meet only every 2^k-th bank. */
static bool spaced_passes(const struct even_run *run, struct bank_shape shape, enum sim_shared_kind kind,
                          uint32_t *passes)
{
    uint32_t lanes = smaller(shape.unit_banks, LANES), groups = LANES / lanes;
    uint64_t units = run->step >> shape.shift;
    uint64_t span = run->step <= UINT32_MAX ? run->step : 0 - run->step;
    if (run->count != LANES || ((run->first | run->step) & ((UINT64_C(1) << shape.shift) - 1)) != 0 ||
        span > UINT32_MAX)
        return false;
    if (run->step == 0 && kind == SIM_SHARED_LOAD)
        *passes = (groups + 1) / 2; /* all lanes pair up */
    else if (run->step == 0)
        *passes = kind == SIM_SHARED_ATOMIC ? LANES : groups;
    else if ((units & (shape.unit_banks - 1)) == 0)
        *passes = LANES;
    else
        *passes = LANES / smaller(lanes, shape.unit_banks >> __builtin_ctzll(units));
    return true;
}

static struct bank_shape shape_of(uint32_t width_bytes, uint32_t banks, uint32_t bank_bytes)
{
    uint32_t unit_bytes = width_bytes > bank_bytes ? width_bytes : bank_bytes;
    return (struct bank_shape){log2_of(unit_bytes), banks * bank_bytes >> log2_of(unit_bytes)};
}

bool sim_shared_wavefronts_even(uint64_t first, uint64_t step, uint32_t width_bytes, enum sim_shared_kind kind,
                                uint32_t banks, uint32_t bank_bytes, struct sim_wavefronts *result)
{
    const struct even_run run = {first, first + (LANES - 1) * step, step, LANES};
    const struct bank_shape shape = shape_of(width_bytes, banks, bank_bytes);
    if (shape.unit_banks == 0 || !spaced_passes(&run, shape, kind, &result->actual))
        return false;
    result->ideal = smaller(result->actual, packed(FULL_MASK, width_bytes, banks * bank_bytes));
    return true;
}

struct sim_wavefronts sim_shared_wavefronts(const uint64_t address[32], uint32_t mask, uint32_t width_bytes,
                                            enum sim_shared_kind kind, uint32_t banks, uint32_t bank_bytes)
{
    struct sim_wavefronts result = {0, 0};
    struct bank_shape shape = shape_of(width_bytes, banks, bank_bytes);
    struct even_run run;

    if (mask == 0)
        return result;
    if (shape.unit_banks == 0)
        result.actual = word_passes(address, mask, width_bytes, kind, banks, log2_of(bank_bytes));
    else if (evenly_spaced(address, mask, &run) && spaced_passes(&run, shape, kind, &result.actual))
        ;
    else if (any_misaligned(address, mask, width_bytes))
        result.actual = word_passes(address, mask, width_bytes, kind, banks, log2_of(bank_bytes));
    else
        result.actual = grouped_passes(address, mask, kind, shape, NULL);
    result.ideal = smaller(result.actual, packed(mask, width_bytes, banks * bank_bytes));
    return result;
}

struct sim_wavefronts sim_shared_atomic_wavefronts(const uint64_t address[32], uint32_t mask, uint32_t width_bytes,
                                                   enum sim_shared_atomic how, uint32_t banks, uint32_t bank_bytes)
{
    enum sim_shared_kind kind = how == SIM_SHARED_ATOMIC_COUNT ? SIM_SHARED_STORE : SIM_SHARED_ATOMIC;
    struct sim_wavefronts w = sim_shared_wavefronts(address, mask, width_bytes, kind, banks, bank_bytes);
    uint32_t lanes = LANES, groups = 0;
    if (how == SIM_SHARED_ATOMIC_PLAIN || how == SIM_SHARED_ATOMIC_COUNT)
        return w;
    if (how == SIM_SHARED_ATOMIC_CAST) {
        if (width_bytes > bank_bytes)
            lanes = smaller(LANES, banks * bank_bytes / width_bytes);
        for (uint32_t i = 0; lanes > 0 && i < LANES / lanes; i++)
            groups += (mask & lane_group(i, lanes)) != 0;
        w = (struct sim_wavefronts){groups, smaller(groups, w.ideal)};
    }
    return (struct sim_wavefronts){2 * w.actual, 2 * w.ideal};
}

void sim_shared_groups(const uint64_t address[32], uint32_t mask, uint32_t width_bytes, enum sim_shared_kind kind,
                       uint32_t banks, uint32_t bank_bytes, struct sim_bank_groups *groups)
{
    struct bank_shape shape = shape_of(width_bytes, banks, bank_bytes);
    groups->count = 0;
    if (mask == 0)
        return;
    if (shape.unit_banks == 0 || any_misaligned(address, mask, width_bytes))
        note_group(groups, mask, word_passes(address, mask, width_bytes, kind, banks, log2_of(bank_bytes)));
    else
        grouped_passes(address, mask, kind, shape, groups);
}

struct sim_wavefronts sim_shared_wavefronts_fermi(const uint64_t address[32], uint32_t mask, uint32_t width_bytes,
                                                  enum sim_shared_kind kind, uint32_t banks, uint32_t bank_bytes,
                                                  struct sim_bank_groups *groups)
{
    struct sim_wavefronts result = {0, 0};
    struct bank_shape shape = shape_of(width_bytes, banks, bank_bytes);
    if (groups)
        groups->count = 0;
    if (mask == 0)
        return result;
    if (shape.unit_banks == 0 || any_misaligned(address, mask, width_bytes))
        result.actual =
            note_group(groups, mask, word_passes(address, mask, width_bytes, kind, banks, log2_of(bank_bytes)));
    else
        result.actual = grouped_passes_fermi(address, mask, kind, shape, width_bytes == 4 * bank_bytes, groups);
    result.ideal = smaller(result.actual, packed(mask, width_bytes, banks * bank_bytes));
    return result;
}
