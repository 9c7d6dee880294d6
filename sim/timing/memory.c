/* What lies behind the SMs: ports, the slices of L2, the channels of DRAM.
 *
 * A request passes, in this order, the SM's port, the way of its CPC, the slice its line hashes to, and for sectors
 * that L2 does not have the channel beside that slice. Latencies are those of an idle machine; calendars add the
 * waiting. settle.c calls for each request when the way is free for it (timing_memory_leaves_at). */
#include "sim/timing/timing.h"

#define CENTI          100u
#define PAGE_BYTES     4096u /* that are spread over different slices of one half of L2 */
#define KIND_WINDOW    8192u /* lanes on one address whose kinds are seen together */
#define APART          64u   /* pages: docs/clock.md */
#define BURSTS_WAITING 2u    /* of a channel, before stores wait */
/* Where a buffer lies that is none of the launch's. */
#define OTHERS_BASE (UINT64_C(1) << 61)
/* Part of an L2 hit's latency that passes before the slice is reached. */
#define WAY_THERE(latency) ((latency)*2u / 5u)

uint64_t timing_take(uint64_t *free_at, uint64_t expected, uint64_t arrival, uint64_t service_centicycles)
{
    /* Requests take different ways to a calendar, so that they come out of order by that much: time that passed unused
     * inside it can still be used. */
    uint64_t from = expected * CENTI, slack = TIMING_SLACK * CENTI;
    uint64_t base = from > slack ? from - slack : 0;
    if (*free_at > base)
        base = *free_at;
    *free_at = base + service_centicycles;
    return base > arrival * CENTI ? (base + CENTI - 1) / CENTI : arrival;
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    return (x ^ x >> 29) * UINT64_C(0x94d049bb133111eb);
}

/* The list of GPCs has parts of one that the driver keeps apart, fewest SMs first: as many as it is too long by. The
 * first GPCs are near one half of L2, the others near the other. A GPC's pairs of SMs are dealt out to its CPCs in
 * turns. */
static void number_gpcs(struct timing_memory *memory, const uint32_t *gpc_sms, uint32_t gpc_count, uint32_t sm_count)
{
    const uint32_t chip = memory->device->gpc_count, cpcs = memory->device->gpc_cpcs;
    const uint32_t parts = gpc_count > chip ? gpc_count - chip : 0;
    for (uint32_t sm = 0, part = 0, left = gpc_sms[0], first = 0; sm < sm_count; sm++, left--) {
        while (left == 0 && part + 1 < gpc_count)
            left = gpc_sms[++part];
        const uint32_t gpc = part > parts ? part - parts : 0;
        if (sm > 0 && gpc != memory->gpc[sm - 1])
            first = sm;
        memory->gpc[sm] = (uint8_t)gpc;
        memory->way[sm] = (uint16_t)(gpc * cpcs + (sm - first) / 2 % cpcs);
        memory->half[sm] = memory->halves > 1 && gpc % 2 != 0;
    }
}

/* Each way has the SMs that share it. */
static void list_sms(struct timing_memory *memory)
{
    uint32_t count = 0;
    for (uint32_t number = 0; number < memory->way_count; number++) {
        struct timing_way *way = &memory->ways[number];
        way->sms = memory->way_sms + count;
        way->firsts = memory->way_firsts + (size_t)count * 2;
        for (uint32_t sm = 0; sm < memory->device->sm_count; sm++)
            if (memory->way[sm] == number)
                way->sms[way->sm_count++] = sm;
        count += way->sm_count;
    }
}

static bool make_halves(struct sim_engine *engine, struct timing_memory *memory)
{
    const struct sim_device *d = engine->device;
    const uint8_t all = (uint8_t)((UINT32_C(1) << memory->line_bytes / memory->sector_bytes) - 1);
    for (uint32_t h = 0; h < memory->halves; h++) {
        if (!timing_cache_init(engine, &memory->l2[h], d->l2_bytes / memory->halves, d->line_bytes))
            return false;
        memory->l2[h].changed_leaves_percent = d->l2_changed_leaves_percent;
        if (engine->options->l2_changed)
            timing_cache_fill(&memory->l2[h], OTHERS_BASE / memory->line_bytes, d->l2_dirty_percent, all);
    }
    return true;
}

bool timing_memory_init(struct sim_engine *engine, struct timing_memory *memory, const uint32_t *gpc_sms,
                        uint32_t gpc_count)
{
    const struct sim_device *d = engine->device;
    memory->device = d;
    memory->line_bytes = d->line_bytes;
    memory->sector_bytes = d->sector_bytes > d->line_bytes / 8 ? d->sector_bytes : d->line_bytes / 8;
    if (memory->sector_bytes > memory->line_bytes)
        memory->sector_bytes = memory->line_bytes;
    memory->slice_free = sim_engine_alloc(engine, d->l2_slices, sizeof(uint64_t));
    memory->fabric_free = sim_engine_alloc(engine, d->l2_slices, sizeof(uint64_t));
    memory->channel_free = sim_engine_alloc(engine, d->l2_slices, sizeof(uint64_t));
    memory->writes_waiting = sim_engine_alloc(engine, d->l2_slices, sizeof(uint64_t));
    memory->reads_between = sim_engine_alloc(engine, d->l2_slices, sizeof(*memory->reads_between));
    memory->port_free = sim_engine_alloc(engine, d->sm_count, sizeof(uint64_t));
    memory->request_free = sim_engine_alloc(engine, d->sm_count, sizeof(uint64_t));
    memory->under_way = sim_engine_alloc(engine, d->sm_count, sizeof(*memory->under_way));
    memory->sending = sim_engine_alloc(engine, d->sm_count, sizeof(*memory->sending));
    memory->answer_free = sim_engine_alloc(engine, d->sm_count, sizeof(uint64_t));
    memory->dsmem_free = sim_engine_alloc(engine, d->sm_count, sizeof(uint64_t));
    memory->joints = sim_engine_alloc(engine, (uint64_t)gpc_count * TIMING_JOINTS, sizeof(*memory->joints));
    memory->way_count = gpc_count * d->gpc_cpcs;
    memory->ways = sim_engine_alloc(engine, memory->way_count, sizeof(*memory->ways));
    memory->way = sim_engine_alloc(engine, d->sm_count, sizeof(*memory->way));
    memory->way_sms = sim_engine_alloc(engine, d->sm_count, sizeof(*memory->way_sms));
    memory->way_firsts = sim_engine_alloc(engine, (uint64_t)d->sm_count * 2, sizeof(*memory->way_firsts));
    memory->gpc_return_free = sim_engine_alloc(engine, gpc_count, sizeof(*memory->gpc_return_free));
    memory->kinds = sim_engine_alloc(engine, TIMING_KINDS, sizeof(*memory->kinds));
    memory->gpc = sim_engine_alloc(engine, d->sm_count, sizeof(*memory->gpc));
    memory->half = sim_engine_alloc(engine, d->sm_count, sizeof(*memory->half));
    memory->halves = d->l2_partitions > 1 && d->l2_slices > 1 ? 2 : 1;
    if (memory->joints == NULL || memory->kinds == NULL || memory->gpc == NULL || memory->half == NULL ||
        memory->ways == NULL || memory->way == NULL || memory->way_sms == NULL || memory->way_firsts == NULL ||
        memory->gpc_return_free == NULL)
        return false;
    number_gpcs(memory, gpc_sms, gpc_count, d->sm_count);
    list_sms(memory);
    /* Bytes a cycle of one channel. */
    double bytes = (double)d->dram_bytes_per_second / ((double)d->clock_khz * 1000.0) / d->l2_slices *
                   d->dram_efficiency_percent / 100.0;
    memory->dram_access_centicycles = (uint64_t)(d->dram_access_bytes * 100.0 / bytes + 0.5);
    /* Channels have some of another buffer's writes to make. */
    for (uint32_t i = 0; i < d->l2_slices && engine->options->l2_changed && memory->writes_waiting != NULL; i++)
        memory->writes_waiting[i] = (mix(i) >> 40) * (d->dram_write_burst_cycles * CENTI) >> 24;
    return make_halves(engine, memory) && memory->dsmem_free != NULL && memory->slice_free != NULL &&
           memory->channel_free != NULL && memory->fabric_free != NULL && memory->writes_waiting != NULL &&
           memory->reads_between != NULL && memory->port_free != NULL && memory->request_free != NULL &&
           memory->under_way != NULL && memory->sending != NULL && memory->answer_free != NULL;
}

/* L2 is two halves. Of two neighbouring pages each is home to one. */
static uint32_t home_of(const struct timing_memory *memory, uint64_t line)
{
    uint64_t page = line * memory->line_bytes / PAGE_BYTES;
    return memory->halves > 1 ? (uint32_t)((page ^ mix(page / 2) >> 32) & 1) : 0;
}

/* Neighbouring lines lie in one slice, and the parts of a page in slices that follow each other. Where they begin is
 * drawn for each page, but so that pages APART from each other have all slices between them: few pages meet in some
 * slices, many are shared out evenly. */
static uint32_t slice_of(const struct timing_memory *memory, uint32_t half, uint64_t line)
{
    const struct sim_device *d = memory->device;
    const uint64_t byte = line * memory->line_bytes, slices = d->l2_slices / memory->halves;
    const uint64_t page = byte / PAGE_BYTES / memory->halves;
    const uint64_t parts = d->l2_interleave_bytes < PAGE_BYTES ? PAGE_BYTES / d->l2_interleave_bytes : 1;
    const uint64_t count = slices > parts ? slices / parts : 1;
    const uint64_t first = page / APART % count * parts + (mix(page % APART + page / (APART * count) * APART) >> 32);
    return (uint32_t)(half * slices + (first + byte % PAGE_BYTES / d->l2_interleave_bytes) % slices);
}

static uint32_t bits(uint32_t mask)
{
    return (uint32_t)__builtin_popcount(mask);
}

/* A channel's next access: it waits for what came before. */
static uint64_t take_channel(struct timing_memory *memory, uint32_t channel, uint64_t arrival, uint64_t service)
{
    memory->channels_busy += service;
    return timing_take(&memory->channel_free[channel], arrival < memory->expected ? arrival : memory->expected, arrival,
                       service);
}

static uint64_t read_channel(struct timing_memory *memory, uint32_t channel, uint64_t arrival, uint64_t service)
{
    memory->reads_between[channel] = true;
    return take_channel(memory, channel, arrival, service);
}

/* When the refresh of the bank that the line lies in is over, if one is under way; the channel's other banks go on. */
static uint64_t wait_for_bank(const struct timing_memory *memory, uint64_t line, uint64_t at)
{
    const struct sim_device *d = memory->device;
    const uint64_t bank = mix(line * memory->line_bytes / d->l2_interleave_bytes) >> 32;
    const uint64_t phase = (at + bank) % d->dram_refresh_interval_cycles;
    return phase < d->dram_refresh_cycles ? at + d->dram_refresh_cycles - phase : at;
}

static uint32_t sectors_an_access(const struct timing_memory *memory)
{
    uint32_t n = memory->device->dram_access_bytes / memory->sector_bytes;
    return n > 0 ? n : 1;
}

/* Whole DRAM accesses that hold these sectors. */
static uint32_t widen(const struct timing_memory *memory, uint32_t sectors, uint32_t *accesses)
{
    uint32_t step = sectors_an_access(memory), all = memory->line_bytes / memory->sector_bytes, wide = 0;
    *accesses = 0;
    if (step > all)
        step = all;
    for (uint32_t at = 0; at < all; at += step) {
        uint32_t part = ((UINT32_C(1) << step) - 1) << at;
        if ((sectors & part) != 0) {
            wide |= part;
            ++*accesses;
        }
    }
    return wide;
}

/* A channel makes its writes many at a time: reads that come then wait until it turns round again. */
static void queue_write(struct timing_memory *memory, uint32_t channel, uint64_t now, uint64_t service)
{
    const struct sim_device *d = memory->device;
    const uint64_t turn = memory->reads_between[channel] ? d->dram_turn_cycles * CENTI : 0;
    uint64_t *waiting = &memory->writes_waiting[channel];
    *waiting += service;
    if (*waiting + turn < d->dram_write_burst_cycles * CENTI)
        return;
    *waiting += turn;
    memory->reads_between[channel] = false;
    (void)take_channel(memory, channel, now, *waiting);
    *waiting = 0;
}

/* What has been written in part is read first. */
static void complete(struct timing_memory *memory, struct timing_line *line, uint32_t channel, uint64_t now)
{
    uint32_t accesses;
    if (line->part == 0)
        return;
    memory->dram_read += bits(widen(memory, line->part, &accesses));
    (void)read_channel(memory, channel, now, accesses * memory->dram_access_centicycles);
    line->part = 0;
    line->turn_at = 0;
}

static void write_back(struct timing_memory *memory, struct timing_line *line, uint64_t now)
{
    if (line->tag == 0 || line->dirty == 0)
        return;
    uint32_t accesses;
    (void)widen(memory, line->dirty, &accesses);
    memory->dram_write += bits(line->dirty);
    const uint32_t channel = slice_of(memory, home_of(memory, line->tag - 1), line->tag - 1);
    complete(memory, line, channel, now);
    queue_write(memory, channel, now,
                accesses * memory->dram_access_centicycles * memory->device->dram_write_percent / 100);
    const uint64_t until = memory->channel_free[channel] / CENTI;
    memory->written_at = until > memory->written_at ? until : memory->written_at;
    line->dirty = 0;
}

/* What its home has no longer, the other half has no copy of. Of another buffer's lines both halves have their own. */
static void forget_copy(struct timing_memory *memory, uint32_t half, const struct timing_line *evicted)
{
    const uint64_t number = evicted->tag - 1;
    if (evicted->tag != 0 && memory->halves > 1 && number * memory->line_bytes / OTHERS_BASE != 1 &&
        home_of(memory, number) == half)
        timing_cache_drop(&memory->l2[1 - half], number);
}

static struct timing_line *line_at(struct timing_memory *memory, uint32_t half, uint64_t number, uint64_t now)
{
    struct timing_line *line = timing_cache_find(&memory->l2[half], number), evicted;
    if (line != NULL)
        return line;
    line = timing_cache_place(&memory->l2[half], number, &evicted);
    write_back(memory, &evicted, now);
    forget_copy(memory, half, &evicted);
    return line;
}

/* Of a set's lines no more than a part stay changed: the one that was used longest ago is written back. */
static void soil(struct timing_memory *memory, uint32_t half, struct timing_line *line, uint32_t sectors, uint64_t now)
{
    const bool was_clean = line->dirty == 0;
    line->dirty = (uint8_t)(line->dirty | sectors);
    struct timing_line *oldest =
        was_clean ? timing_cache_too_dirty(&memory->l2[half], line, memory->device->l2_dirty_percent) : NULL;
    if (oldest != NULL)
        write_back(memory, oldest, now);
}

/* How much longer an access takes by its address. */
static uint64_t spread(const struct sim_device *d, uint64_t number)
{
    return (mix(number ^ UINT64_C(0x5bd1e995)) >> 40) * d->dram_spread_cycles / (UINT64_C(1) << 24);
}

/* An SM asks its own half of L2. A sector that the half has not is a miss of its, wherever it comes from, and so is
 * what comes along with it: on the H200, copy_stride32 of the guide asks for 262,144 sectors of as many lines and
 * misses 524,288. One that the half has asked for is a hit, if it is still under way. */
static void count_hits(struct timing_memory *memory, struct timing_line *line, uint32_t sectors, uint64_t at)
{
    uint32_t had = line->filled_at + memory->ahead_cycles <= at ? line->valid : line->asked, accesses;
    uint32_t brought = widen(memory, sectors & ~had, &accesses) & ~had;
    memory->l2_hit += bits(sectors & had);
    memory->l2_miss += bits(brought);
    line->asked = (uint8_t)(had | brought);
}

/* Brings sectors that the line's home lacks; the cycle at which all of the request's are there, seen at the slice. */
static uint64_t fetch(struct timing_memory *memory, struct timing_line *line, uint64_t number, uint32_t sectors,
                      uint64_t at)
{
    const struct sim_device *d = memory->device;
    uint32_t missing = sectors & ~(uint32_t)line->valid, accesses;
    const uint64_t ahead = memory->ahead_cycles, filled = line->filled_at + ahead;
    uint64_t there = filled > at ? filled : at;
    if (missing == 0)
        return there;
    uint32_t wide = widen(memory, missing, &accesses) & ~(uint32_t)line->valid;
    memory->dram_read += bits(wide);
    uint64_t start = read_channel(memory, slice_of(memory, home_of(memory, number), number), at,
                                  accesses * memory->dram_access_centicycles);
    start = wait_for_bank(memory, number, start);
    uint64_t extra = d->dram_latency_cycles > d->l2_latency_cycles ? d->dram_latency_cycles - d->l2_latency_cycles : 0;
    start += extra + spread(d, number);
    line->valid = (uint8_t)(line->valid | wide);
    line->filled_at = line->filled_at + ahead > start ? line->filled_at : start - ahead;
    return start > there ? start : there;
}

static uint64_t use_slice(struct timing_memory *memory, uint32_t half, uint64_t line, uint64_t arrival,
                          uint64_t service)
{
    memory->slices_busy += service;
    return timing_take(&memory->slice_free[slice_of(memory, half, line)], memory->expected, arrival, service);
}

static uint64_t slice_service(const struct sim_device *d, uint32_t sectors)
{
    uint64_t by_sector = (uint64_t)d->l2_sector_centicycles * sectors;
    return by_sector > d->l2_request_centicycles ? by_sector : d->l2_request_centicycles;
}

/* The place where a request for the line would be under way for the SM's GPC. */
static struct timing_joint *joint_at(struct timing_memory *memory, uint32_t sm, uint64_t line)
{
    return &memory->joints[memory->gpc[sm] * TIMING_JOINTS + (mix(line) >> 40) % TIMING_JOINTS];
}

/* From the line's home, for a half of L2 that is not it and keeps a copy. */
static uint64_t copy_line(struct timing_memory *memory, struct timing_line *copy, uint64_t number, uint32_t sectors,
                          uint64_t at)
{
    const uint32_t home = home_of(memory, number), missing = sectors & ~(uint32_t)copy->valid;
    const uint64_t ahead = memory->ahead_cycles, filled = copy->filled_at + ahead;
    uint64_t there = filled > at ? filled : at;
    if (missing == 0)
        return there;
    uint32_t accesses, wide = widen(memory, missing, &accesses);
    at = timing_take(&memory->fabric_free[slice_of(memory, home, number)], memory->expected, at,
                     slice_service(memory->device, bits(wide)));
    uint64_t came = fetch(memory, line_at(memory, home, number, at), number, wide, at) + memory->device->l2_far_cycles;
    copy->valid = (uint8_t)(copy->valid | wide);
    copy->filled_at = filled > came ? copy->filled_at : came - ahead;
    return came > there ? came : there;
}

static uint64_t returned_bytes(const struct timing_memory *memory, const struct timing_request *request)
{
    return request->words != 0 ? bits(request->words) * UINT64_C(4)
                               : bits(request->sectors) * (uint64_t)memory->sector_bytes;
}

/* What comes back passes a port that two SMs share: sectors for L1, else words, but each sector takes its time. A load
 * is sent when it has a turn there. */
static uint64_t port_time(const struct timing_memory *memory, const struct timing_request *request)
{
    const struct sim_device *d = memory->device;
    const uint64_t by_bytes = returned_bytes(memory, request) * CENTI / d->tpc_bytes_per_cycle;
    const uint64_t by_sectors = (uint64_t)bits(request->sectors) * d->tpc_sector_centicycles;
    return by_bytes > by_sectors ? by_bytes : by_sectors;
}

static uint64_t way_time(const struct timing_memory *memory, const struct timing_request *request)
{
    const struct sim_device *d = memory->device;
    const uint64_t by_sectors = (uint64_t)bits(request->sectors) * d->cpc_sector_centicycles;
    return by_sectors > d->cpc_request_centicycles ? by_sectors : d->cpc_request_centicycles;
}

uint64_t timing_memory_ready_at(const struct timing_memory *memory, uint32_t sm, uint64_t at, bool is_load)
{
    const uint64_t port = is_load ? memory->request_free[sm / 2] / CENTI : 0;
    return port > at ? port : at;
}

uint64_t timing_memory_leaves_at(const struct timing_memory *memory, uint32_t way, uint64_t ready_at, bool is_load)
{
    const struct timing_way *w = &memory->ways[way];
    if (!is_load)
        return ready_at;
    const uint64_t at = w->reads_free / CENTI > ready_at ? w->reads_free / CENTI : ready_at;
    return w->came_at[w->next_load] > at ? w->came_at[w->next_load] : at;
}

/* A load of the SM's CPC is there, and another one may be under way. */
static void note_load(struct timing_memory *memory, uint32_t sm, uint64_t came_at)
{
    struct timing_way *way = &memory->ways[memory->way[sm]];
    way->came_at[way->next_load] = came_at;
    way->next_load = (way->next_load + 1) % memory->device->cpc_loads_under_way;
}

static uint64_t take_from(uint64_t *free_at, uint64_t cycle, uint64_t service_centicycles)
{
    const uint64_t from = *free_at > cycle * CENTI ? *free_at : cycle * CENTI;
    *free_at = from + service_centicycles;
    return (from + CENTI - 1) / CENTI;
}

/* When the way of its CPC takes a load that leaves. */
static uint64_t take_way(struct timing_memory *memory, uint32_t sm, uint64_t passed, uint64_t service_centicycles)
{
    struct timing_way *way = &memory->ways[memory->way[sm]];
    const uint64_t at = way->leaves_at > passed ? way->leaves_at : passed;
    (void)take_from(&way->writes_free, at, service_centicycles);
    return take_from(&way->reads_free, at, service_centicycles);
}

/* When it takes a store that has been sent now and passes its SM's port later. */
static uint64_t take_way_ahead(struct timing_memory *memory, uint32_t sm, uint64_t now, uint64_t passed,
                               uint64_t service_centicycles)
{
    struct timing_way *way = &memory->ways[memory->way[sm]];
    (void)take_from(&way->reads_free, now, service_centicycles);
    return timing_take(&way->writes_free, now, passed, service_centicycles);
}

uint64_t timing_memory_load(struct timing_memory *memory, uint32_t sm, const struct timing_request *request,
                            uint64_t now)
{
    const struct sim_device *d = memory->device;
    const uint32_t half = memory->half[sm];
    uint64_t there = WAY_THERE(d->l2_latency_cycles);
    const uint64_t passed = timing_take(&memory->request_free[sm / 2], now, now, port_time(memory, request));
    const uint64_t sent = take_way(memory, sm, passed, way_time(memory, request));
    const uint64_t back = there + timing_take(&memory->gpc_return_free[memory->gpc[sm]], sent, sent,
                                              returned_bytes(memory, request) * CENTI / d->gpc_bytes_per_cycle);
    memory->expected = sent + there;
    uint64_t at = use_slice(memory, half, request->line, sent + there, slice_service(d, bits(request->sectors)));
    struct timing_joint *joint = joint_at(memory, sm, request->line);
    if (joint->count < d->l2_joins_requests && joint->line == request->line + 1 &&
        (request->sectors & ~joint->sectors) == 0 && joint->until + memory->ahead_cycles > sent + there) {
        joint->count++;
        at = (at > back ? at : back) + d->l2_latency_cycles - there;
        return joint->until + memory->ahead_cycles > at ? joint->until + memory->ahead_cycles : at;
    }
    struct timing_line *line = line_at(memory, half, request->line, at);
    memory->l2_read += bits(request->sectors);
    memory->l2_asked += bits(request->sectors);
    count_hits(memory, line, request->sectors, at);
    uint64_t came = half == home_of(memory, request->line)
                        ? fetch(memory, line, request->line, request->sectors, at)
                        : copy_line(memory, line, request->line, request->sectors, at);
    note_load(memory, sm, came);
    came = came > back ? came : back;
    came += d->l2_latency_cycles - there;
    joint->line = (request->line + 1) & (UINT64_MAX >> 8);
    joint->sectors = (uint8_t)request->sectors;
    joint->until = (came - memory->ahead_cycles) & (UINT64_MAX >> 8);
    joint->count = 1;
    return came;
}

/* Sectors change in their home: copies of them are void. */
static struct timing_line *change(struct timing_memory *memory, uint64_t number, uint32_t sectors, uint64_t at)
{
    const uint32_t home = home_of(memory, number);
    struct timing_line *copy = memory->halves > 1 ? timing_cache_find(&memory->l2[1 - home], number) : NULL;
    if (copy != NULL)
        copy->valid = copy->asked = (uint8_t)(copy->valid & ~sectors);
    struct timing_line *line = line_at(memory, home, number, at);
    soil(memory, home, line, sectors, at);
    return line;
}

static uint32_t words_of(const struct timing_memory *memory, uint32_t sectors)
{
    const uint32_t words = memory->sector_bytes / 4;
    uint32_t mask = 0;
    for (uint32_t m = sectors; m != 0; m &= m - 1)
        mask |= (UINT32_MAX >> (32 - words)) << (uint32_t)__builtin_ctz(m) * words;
    return mask;
}

/* Sectors of which all words have been written are not written in part. */
static void note_part(const struct timing_memory *memory, struct timing_line *line,
                      const struct timing_request *request)
{
    const uint32_t open = request->sectors & (line->part | ~(uint32_t)line->valid);
    if (open == 0 || request->words == 0 || (line->part == 0 && line->turn_at > 0))
        return;
    const uint32_t words = request->words & words_of(memory, open);
    if (line->part == 0 && words == words_of(memory, open))
        return;
    line->words |= words;
    line->part = (uint8_t)(line->part | open);
    for (uint32_t m = line->part; m != 0; m &= m - 1) {
        const uint32_t sector = m & -m, all = words_of(memory, sector);
        if ((line->words & all) == all)
            line->part = (uint8_t)(line->part & ~sector);
    }
    if (line->part == 0)
        line->turn_at = 0;
}

/* A store that drives something out waits to be taken while the channel that it goes to is too far behind, and its
 * CPC's next ones wait behind it. */
static uint64_t wait_for_writes(struct timing_memory *memory, uint32_t sm, uint64_t at, uint64_t there, uint64_t *left)
{
    const uint64_t most = BURSTS_WAITING * (uint64_t)memory->device->dram_write_burst_cycles;
    if (memory->written_at <= at + most)
        return at;
    at = memory->written_at - most;
    struct timing_way *way = &memory->ways[memory->way[sm]];
    *left = at - there > *left ? at - there : *left;
    way->writes_free = way->writes_free > *left * CENTI ? way->writes_free : *left * CENTI;
    return at;
}

uint64_t timing_memory_sending(const struct sim_device *d, const struct timing_request *request, bool whole)
{
    const uint64_t own = whole ? d->store_whole_sector_centicycles : d->store_sector_centicycles;
    return d->store_sector_centicycles + own * bits(request->sectors);
}

/* A store passes its SM's port and then the way of its CPC, which is wider, but for all of the CPC's SMs. */
uint64_t timing_memory_store(struct timing_memory *memory, uint32_t sm, const struct timing_request *request,
                             bool whole, uint64_t now, uint64_t *left)
{
    const struct sim_device *d = memory->device;
    uint32_t sectors = bits(request->sectors);
    uint64_t own = whole ? d->store_whole_sector_centicycles : d->store_sector_centicycles;
    uint64_t shared = whole ? d->store_cpc_whole_centicycles : d->store_sector_centicycles;
    uint64_t passed = timing_take(&memory->port_free[sm], now, now, d->store_sector_centicycles + own * sectors);
    *left = take_way_ahead(memory, sm, now, passed,
                           (d->store_sector_centicycles + shared * sectors) * 10 / d->store_cpc_ports);
    memory->expected = now + WAY_THERE(d->l2_latency_cycles);
    uint64_t at = use_slice(memory, home_of(memory, request->line), request->line,
                            *left + WAY_THERE(d->l2_latency_cycles), slice_service(d, sectors));
    memory->written_at = 0;
    struct timing_line *line = change(memory, request->line, request->sectors, at);
    at = wait_for_writes(memory, sm, at, WAY_THERE(d->l2_latency_cycles), left);
    note_part(memory, line, request);
    line->valid = (uint8_t)(line->valid | request->sectors);
    memory->l2_write += sectors;
    memory->l2_hit += sectors;
    memory->l2_asked += sectors;
    return at + d->l2_latency_cycles - WAY_THERE(d->l2_latency_cycles);
}

/* From when on there is room for so many more of `most` accesses. */
static uint64_t wait_for_room(struct timing_under_way *u, uint32_t most, uint32_t accesses, uint64_t now)
{
    while (u->count > 0 && (u->sum + accesses > most || u->count == TIMING_UNDER_WAY)) {
        now = u->until[u->first] > now ? u->until[u->first] : now;
        u->sum -= u->accesses[u->first];
        u->first = (u->first + 1) % TIMING_UNDER_WAY;
        u->count--;
    }
    return now;
}

static void note_under_way(struct timing_under_way *u, uint32_t accesses, uint64_t until)
{
    uint32_t at = (u->first + u->count++) % TIMING_UNDER_WAY;
    u->until[at] = until;
    u->accesses[at] = (uint8_t)accesses;
    u->sum += accesses;
}

/* How much longer a line is over each lane of an atomic, for requests wait and come one between the other: so many
 * times as the other kind is among its last ones. */
static uint64_t other_kind(struct timing_memory *memory, uint64_t line, bool returns, bool waits, uint32_t lanes)
{
    struct timing_kinds *k = &memory->kinds[(mix(line) >> 40) % TIMING_KINDS];
    if (k->line != line + 1)
        *k = (struct timing_kinds){.line = line + 1};
    uint32_t all = k->lanes[0] + k->lanes[1], others = k->lanes[!returns];
    k->lanes[returns] += lanes;
    if (all > KIND_WINDOW) {
        k->lanes[0] /= 2;
        k->lanes[1] /= 2;
    }
    return waits && all > 0 ? (uint64_t)memory->device->l2_atomic_kind_centicycles * others / all : 0;
}

/* How long a slice is busy with an atomic: with each access, lanes on one address one after another. */
static uint64_t atomic_service(struct timing_memory *memory, const struct timing_request *request, bool returns,
                               uint64_t arrival)
{
    uint64_t of_lane = memory->device->l2_atomic_int_centicycles;
    uint64_t accesses = (uint64_t)request->accesses * request->pieces * of_lane;
    bool waits = memory->slice_free[slice_of(memory, home_of(memory, request->line), request->line)] > arrival * CENTI;
    of_lane += other_kind(memory, request->line, returns, waits, request->lanes);
    return accesses > of_lane * request->lanes ? accesses : of_lane * request->lanes;
}

/* What an SM sends: each access, and before those of lanes side by side a piece that says which. */
static uint64_t sending(const struct sim_device *d, const struct timing_request *request)
{
    uint64_t pieces = (uint64_t)request->accesses * request->pieces;
    return d->sm_red_centicycles * (pieces + (request->operands > request->accesses ? request->lanes : 0));
}

/* What it gets back for each access. */
static uint64_t answering(const struct sim_device *d, const struct timing_request *request)
{
    uint64_t pieces = (uint64_t)request->accesses * request->pieces;
    return d->sm_atomic_packet_centicycles * request->lanes + d->sm_atomic_centicycles * pieces;
}

/* When the SM takes the next atomic: so many wait to be sent, each until those before it are. */
static uint64_t take_atomic(struct timing_memory *memory, uint32_t sm, uint64_t now, uint64_t sent, uint64_t sent_in)
{
    struct timing_sending *s = &memory->sending[sm];
    const uint64_t from = s->done_at > now ? s->done_at : now, before = s->from[s->at];
    s->from[s->at] = from;
    s->at = (s->at + 1) % memory->device->sm_atomics_waiting;
    s->done_at = (sent > from ? sent : from) + sent_in / CENTI;
    return before > now ? before : now;
}

/* The SM sends each access by itself, and so does its GPC. The slice is busy with each access; lanes on one address
 * follow each other. */
uint64_t timing_memory_atomic(struct timing_memory *memory, uint32_t sm, const struct timing_request *request,
                              enum timing_gives gives, uint64_t lane_centicycles, uint64_t now, uint64_t *left,
                              uint64_t *told)
{
    const struct sim_device *d = memory->device;
    const bool returns = gives != TIMING_GIVES_NOTHING;
    uint64_t there = WAY_THERE(d->l2_atomic_latency_cycles), accesses = request->accesses;
    uint64_t sent_in = gives == TIMING_GIVES_VALUE ? answering(d, request) : sending(d, request);
    uint64_t room = wait_for_room(&memory->under_way[sm], d->sm_atomics_under_way, request->accesses, now);
    /* Its own SM's calls come in order. */
    uint64_t sent = timing_take(&memory->port_free[sm], now + TIMING_SLACK, room, sent_in);
    *told = take_atomic(memory, sm, now, sent, sent_in);
    uint64_t first =
        take_way_ahead(memory, sm, now, sent, accesses * d->atomic_cpc_centicycles * 10 / d->store_cpc_ports);
    memory->expected = now + there;
    *left = first + sent_in / CENTI;
    uint64_t arrival = first + there;
    struct timing_line *line = change(memory, request->line, request->sectors, arrival);
    uint64_t service = atomic_service(memory, request, returns, arrival);
    arrival = timing_take(&memory->atomics_free, memory->expected, arrival,
                          accesses * request->pieces * CENTI / d->l2_atomic_accesses);
    uint64_t at = use_slice(memory, home_of(memory, request->line), request->line, arrival, service);
    *(returns ? &memory->l2_atom : &memory->l2_red) += accesses;
    uint32_t lacks = request->sectors & ~(uint32_t)line->valid, wide;
    memory->l2_miss += bits(widen(memory, lacks, &wide) & ~(uint32_t)line->valid);
    memory->l2_hit += accesses > bits(lacks) ? accesses - bits(lacks) : 0;
    memory->l2_asked += accesses;
    at = fetch(memory, line, request->line, request->sectors, at);
    uint64_t last = at + service * (request->lanes - 1) / request->lanes / CENTI;
    if (lane_centicycles > d->l2_atomic_int_centicycles || line->turn_at > 0) {
        at = timing_take(&line->turn_at, memory->expected, at, lane_centicycles * request->lanes);
        at += lane_centicycles * (request->lanes - 1) / CENTI;
        last = at > last ? at : last;
    }
    uint64_t done = last + d->l2_atomic_latency_cycles - there;
    if (done < *left + d->l2_atomic_latency_cycles)
        done = *left + d->l2_atomic_latency_cycles;
    if (gives == TIMING_GIVES_UNREAD) { /* it comes back more slowly than it is sent */
        const uint64_t back = first + d->l2_atomic_latency_cycles, answer = answering(d, request);
        const uint64_t all = timing_take(&memory->answer_free[sm], back + TIMING_SLACK, back, answer) + answer / CENTI;
        done = all > done ? all : done;
    }
    note_under_way(&memory->under_way[sm], request->accesses, done);
    return done;
}
