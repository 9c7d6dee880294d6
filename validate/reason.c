/* Why a value of the simulation is not the card's, where that can be proved. See compare.h.
 *
 * Each rule looks for evidence in the two reports and cites it; without evidence it says nothing. The instructions it
 * cites stand in the simulation's report, of the PTX and of the machine code. */
#include "validate/compare.h"

#include "report/report.h"

#include <inttypes.h>
#include <string.h>

enum { WIDTH_MAX = 17 };

struct rule {
    struct validate_comparison *comparison;
    const struct validate_pair *pair;
    const struct validate_row *row;
    const struct validate_launch *machine;
    struct base_strbuf *out;
};

static bool is_buffer(const struct rule *r)
{
    return strncmp(r->row->name, "buffer ", 7) == 0;
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "LDS.128 R4, [R8] at 0x180" or "ld.shared.f32 %f1, [%rd2] in line 17 of k.ptx" */
static void cite(struct rule *r, const struct validate_launch *launch, const struct validate_insn *insn)
{
    size_t length = strlen(insn->text);
    while (length > 0 && strchr("; ", insn->text[length - 1]))
        length--;
    base_strbuf_append(r->out, insn->text, length);
    if (strcmp(launch->form, "sass") == 0)
        base_strbuf_printf(r->out, " at 0x%" PRIx64, insn->pc);
    else if (insn->line > 0)
        base_strbuf_printf(r->out, " in line %" PRIu64 " of %s", insn->line,
                           last_name(insn->file[0] != '\0' ? insn->file : launch->file));
}

/* ---- Hardware counters ---- */

/* The exact count of the same thing is equal, the hardware's is higher. */
static bool lost_arbitration(struct rule *r)
{
    static const char exact[] = "memory_l1_wavefronts_shared";
    const struct validate_value *sim = validate_value_find(r->pair->sim, exact),
                                *gpu = validate_value_find(r->pair->gpu, exact);
    if (!validate_class_of(r->row->name)->hardware || !sim || !gpu || !sim->is_integer || !gpu->is_integer ||
        sim->integer != gpu->integer || r->row->gpu < r->row->sim)
        return false;
    base_strbuf_printf(
        r->out,
        "a hardware counter of the L1 data stage, which counts lost arbitration and other clients too; %s, "
        "from the addresses, is ",
        exact);
    report_count(r->out, sim->integer);
    base_strbuf_puts(r->out, " in both");
    return true;
}

/* ---- What the compiler made of the PTX ---- */

/* An access by an instruction's text; atomics without a result apart. */
enum access { ACCESS_NONE, ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC, ACCESS_REDUCTION, ACCESS_COUNT };

static const char *opcode_of(const char *text)
{
    if (*text == '@') {
        text += strcspn(text, " ");
        text += strspn(text, " ");
    }
    return text;
}

static bool opens(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

static enum access access_of(const char *text)
{
    static const struct {
        const char *opcode;
        enum access access;
    } opcodes[] = {{"ld.", ACCESS_LOAD},       {"st.", ACCESS_STORE},      {"atom.", ACCESS_ATOMIC},
                   {"red.", ACCESS_REDUCTION}, {"ldmatrix", ACCESS_LOAD},  {"ATOM", ACCESS_ATOMIC},
                   {"RED.", ACCESS_REDUCTION}, {"REDG", ACCESS_REDUCTION}, {"LD", ACCESS_LOAD},
                   {"ST", ACCESS_STORE}};
    text = opcode_of(text);
    for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++)
        if (opens(text, opcodes[i].opcode))
            return opcodes[i].access;
    return ACCESS_NONE;
}

/* Bytes of a lane, by the words of the mnemonic; machine code has none for 4. */
static unsigned width_of(const char *text, bool machine)
{
    static const struct {
        const char *word;
        unsigned bytes;
    } words[] = {{"128", 16}, {"64", 8}, {"32", 4}, {"16", 2}, {"8", 1}};
    unsigned vector = 1, bytes = machine ? 4 : 0;
    text = opcode_of(text);
    for (size_t length; *text != '\0' && *text != ' '; text += length) {
        text += *text == '.';
        length = strcspn(text, ". ");
        if (length == 2 && text[0] == 'v' && !machine)
            vector = (unsigned)(text[1] - '0');
        size_t letter = length > 1 && strchr("ubsfUS", text[0]) ? 1 : 0;
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
            if (strlen(words[i].word) == length - letter && memcmp(text + letter, words[i].word, length - letter) == 0)
                bytes = words[i].bytes;
    }
    bytes *= vector;
    return bytes < WIDTH_MAX ? bytes : WIDTH_MAX - 1;
}

struct census {
    uint64_t executed[ACCESS_COUNT][WIDTH_MAX];
    unsigned insns[ACCESS_COUNT][WIDTH_MAX];
    const struct validate_insn *one[ACCESS_COUNT][WIDTH_MAX];
};

static void count_accesses(const struct validate_launch *launch, bool shared, struct census *census)
{
    bool machine = strcmp(launch->form, "sass") == 0;
    memset(census, 0, sizeof(*census));
    for (size_t i = 0; i < launch->insn_count; i++) {
        const struct validate_insn *insn = &launch->insns[i];
        enum access access = access_of(insn->text);
        if (access == ACCESS_NONE || !(shared ? insn->is_shared : insn->is_global))
            continue;
        if (insn->executed == 0)
            continue;
        if (access == ACCESS_REDUCTION && shared) /* machine code has no others */
            access = ACCESS_ATOMIC;
        unsigned width = width_of(insn->text, machine);
        census->executed[access][width] += insn->executed;
        census->insns[access][width]++;
        if (!census->one[access][width])
            census->one[access][width] = insn;
    }
}

/* False: there are none. */
static bool tell_accesses(struct rule *r, const struct validate_launch *launch, const struct census *census,
                          enum access access)
{
    const char *separator = "";
    for (unsigned width = 0; width < WIDTH_MAX; width++) {
        const struct validate_insn *insn = census->one[access][width];
        if (!insn)
            continue;
        base_strbuf_puts(r->out, separator);
        if (census->insns[access][width] > 1)
            base_strbuf_printf(r->out, "%u of %u bytes (", census->insns[access][width], width);
        cite(r, launch, insn);
        base_strbuf_puts(r->out, census->insns[access][width] > 1 ? " the first), executed " : ", executed ");
        report_count(r->out, census->executed[access][width]);
        base_strbuf_puts(r->out, " times");
        separator = " and ";
    }
    if (*separator == '\0')
        base_strbuf_puts(r->out, "none");
    return *separator != '\0';
}

/* Says which accesses the two codes differ in; false: in none. */
static bool tell_difference(struct rule *r, bool shared)
{
    static const char *const words[] = {"", "loads", "stores", "atomics", "atomics without a result"};
    struct census ptx, machine;
    count_accesses(r->pair->sim, shared, &ptx);
    count_accesses(r->machine, shared, &machine);
    for (int access = ACCESS_LOAD; access < ACCESS_COUNT; access++) {
        enum access there = (enum access)access;
        if (memcmp(ptx.executed[access], machine.executed[access], sizeof(ptx.executed[access])) == 0)
            continue;
        base_strbuf_printf(r->out, "ptxas made other %s memory %s: of the PTX's ", shared ? "shared" : "global",
                           words[access]);
        bool gone = !tell_accesses(r, r->pair->sim, &ptx, there);
        base_strbuf_puts(r->out, ", in machine code ");
        if (!tell_accesses(r, r->machine, &machine, there) && !gone && there == ACCESS_ATOMIC) {
            base_strbuf_puts(r->out, ", but ");
            tell_accesses(r, r->machine, &machine, ACCESS_REDUCTION);
        }
        base_strbuf_puts(r->out, "; simulated from the machine code it is as on the GPU");
        return true;
    }
    return false;
}

static bool machine_agrees(const struct rule *r)
{
    const struct validate_value *here = validate_value_find(r->machine, r->row->name),
                                *there = validate_value_find(r->pair->gpu, r->row->name);
    return here && there && here->is_integer && there->is_integer && here->integer == there->integer;
}

/* The PTX was fed, and the simulation of its machine code gives what the GPU has. */
static bool compiled(struct rule *r)
{
    if (!r->machine || strcmp(r->pair->sim->form, "ptx") != 0 || is_buffer(r) || !machine_agrees(r))
        return false;
    if (strstr(r->row->name, "shared") && !opens(r->row->name, "launch__"))
        return tell_difference(r, true);
    if (strstr(r->row->name, "global"))
        return tell_difference(r, false);
    if (opens(r->row->name, "launch__")) {
        base_strbuf_puts(r->out, "ptxas decided it: the cubin says what the GPU has");
        return true;
    }
    return false;
}

/* ---- What depends on timing ---- */

static bool races(struct rule *r)
{
    if (!r->pair->sim->races)
        return false;
    base_strbuf_puts(r->out, "the kernel has a data race (--check=races): what comes of it depends on timing");
    return true;
}

static const struct validate_insn *find_insn(const struct validate_launch *launch, const char *const *words,
                                             size_t count, bool (*fits)(const char *text))
{
    for (size_t i = 0; i < launch->insn_count; i++)
        for (size_t w = 0; w < count; w++)
            if (launch->insns[i].executed > 0 && strstr(launch->insns[i].text, words[w]) &&
                (!fits || fits(launch->insns[i].text)))
                return &launch->insns[i];
    return NULL;
}

static bool is_atomic(const char *text)
{
    return access_of(text) == ACCESS_ATOMIC || access_of(text) == ACCESS_REDUCTION;
}

/* Floating-point additions in an order that nobody fixes round differently. */
static bool rounding(struct rule *r)
{
    static const char *const words[] = {".add.f", ".add.noftz.f", ".add.rn.f", ".ADD.F", "ADD.F32", "ADD.F64"};
    const struct validate_insn *insn = find_insn(r->pair->sim, words, sizeof(words) / sizeof(words[0]), is_atomic);
    if (!is_buffer(r) || !insn)
        return false;
    base_strbuf_puts(r->out, "atomic additions of floating-point numbers round by the order they come in: ");
    cite(r, r->pair->sim, insn);
    return true;
}

static bool place_or_time(struct rule *r)
{
    static const char *const words[] = {"%smid",          "%clock",   "%globaltimer",   "%warpid",   "%nwarpid",
                                        "SR_VIRTUALSMID", "SR_CLOCK", "SR_GLOBALTIMER", "SR_VIRTID", "CS2R_CLOCK"};
    const struct validate_insn *insn = find_insn(r->pair->sim, words, sizeof(words) / sizeof(words[0]), NULL);
    if (!insn)
        return false;
    base_strbuf_puts(r->out, "the kernel asks where or when it runs, which is the card's choice: ");
    cite(r, r->pair->sim, insn);
    return true;
}

static bool is_strong_load(const struct validate_insn *insn)
{
    static const char *const words[] = {".acquire", ".volatile", ".relaxed", ".STRONG"};
    if (access_of(insn->text) != ACCESS_LOAD || !insn->is_global || insn->executed == 0)
        return false;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strstr(insn->text, words[i]))
            return true;
    return false;
}

/* Threads that look at global memory until another one has written: how often is a matter of time. Without these looks
 * the simulation must not have more than the card. */
static bool waiting(struct rule *r)
{
    static const char *const elsewhere[] = {"launch__", "shared", "local", "op_st", "maximum"};
    const struct validate_insn *one = NULL;
    double looks = 0;
    for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
        if (is_buffer(r) || strstr(r->row->name, elsewhere[i]))
            return false;
    for (size_t i = 0; i < r->pair->sim->insn_count; i++) {
        if (!is_strong_load(&r->pair->sim->insns[i]))
            continue;
        one = one ? one : &r->pair->sim->insns[i];
        looks += (double)r->pair->sim->insns[i].executed;
    }
    if (!one || (strstr(r->row->name, "requests") && r->row->sim - looks > r->row->gpu))
        return false;
    base_strbuf_puts(r->out, "threads look at memory until another has written, as often as time lets them: ");
    cite(r, r->pair->sim, one);
    return true;
}

const char *validate_reason(struct validate_comparison *comparison, const struct validate_pair *pair,
                            const struct validate_row *row, const struct validate_launch *machine)
{
    static bool (*const rules[])(struct rule *) = {lost_arbitration, compiled, races, rounding, place_or_time, waiting};
    struct base_strbuf text = {0};
    struct rule rule = {comparison, pair, row, machine, &text};
    const char *reason = NULL;
    /* Of what is modelled only counters can have one. */
    const size_t count = row->class == VALIDATE_EXACT ? sizeof(rules) / sizeof(rules[0]) : 2;
    for (size_t i = 0; !reason && i < count; i++) {
        text.length = 0;
        if (rules[i](&rule) && !text.failed)
            reason = base_arena_strndup(&comparison->arena, text.data, text.length);
    }
    base_strbuf_free(&text);
    return reason;
}
