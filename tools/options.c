/* The command line. One table gives getopt_long its options, each command its share of them, and --help its text; each
 * row's number is served in one switch, accept(). */
#include "tools/tool.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    RUN_ALONE = 1,
    BATCH_ALONE = 2,
    DISASM = 4,
    OCCUPANCY = 8,
    DEVICES = 16,
    RESOURCES = 32,
    BANKS = 64,
    SECTORS = 128,
    THREADS = 256,
    COMPARE = 512,
    EXPLAIN = 1024,
    GRADE = 2048,
    RUN = RUN_ALONE | EXPLAIN,   /* commands that take one launch */
    BATCH = BATCH_ALONE | GRADE, /* and a list of them */
    LANES = BANKS | SECTORS,
    PICTURE = LANES | THREADS,
    MODELS = 511 | EXPLAIN | GRADE, /* those that need a modelled GPU */
    EVERY = 4095
};

enum option_id {
    OPT_GRID = 256,
    OPT_BLOCK,
    OPT_SHARED,
    OPT_CLUSTER,
    OPT_COOPERATIVE,
    OPT_ARG,
    OPT_ONLY,
    OPT_JOBS,
    OPT_DEVICE,
    OPT_MODE,
    OPT_SCHEDULER,
    OPT_BLOCK_ORDER,
    OPT_L2_START,
    OPT_CHECK,
    OPT_FORMAT,
    OPT_PICTURE_FORMAT,
    OPT_COMPARE_FORMAT,
    OPT_CLASS,
    OPT_TOLERANCE,
    OPT_MATCH,
    OPT_MACHINE,
    OPT_OUTPUTS,
    OPT_DISASM_FORMAT,
    OPT_CONTROL,
    OPT_CURVES,
    OPT_LANGUAGE,
    OPT_REQUIRE,
    OPT_RULES,
    OPT_JUNIT,
    OPT_METRICS,
    OPT_DLCM,
    OPT_OUTPUT,
    OPT_DUMP,
    OPT_TRACE,
    OPT_TRACE_LIMIT,
    OPT_REGS,
    OPT_SHARED_STATIC,
    OPT_MAX_REGISTERS,
    OPT_CARVEOUT,
    OPT_MAX_INSTRUCTIONS,
    OPT_FORM,
    OPT_STRIDE,
    OPT_OFFSET,
    OPT_WIDTH,
    OPT_INDEX,
    OPT_ACCESS,
    OPT_IF,
    OPT_DEFINE,
    OPT_WARP,
    OPT_AT,
    OPT_TILE,
    OPT_MATRIX,
    OPT_TRANSPOSE,
    OPT_KERNEL_LINE,
    OPT_QUIET,
    OPT_HELP,
    OPT_VERSION,
};

struct row {
    enum option_id id;
    char letter;
    const char *name;
    const char *value; /* NULL: takes none; "[=...": may take one */
    unsigned commands;
    const char *help;
};

static const struct row rows[] = {
    {OPT_GRID, 0, "grid", "X[,Y[,Z]]", RUN | PICTURE, "blocks of the grid"},
    {OPT_BLOCK, 0, "block", "X[,Y[,Z]]", RUN | OCCUPANCY | PICTURE, "threads of a block"},
    {OPT_SHARED, 0, "shared", "BYTES", RUN | OCCUPANCY | LANES, "dynamic shared memory of a block"},
    {OPT_CLUSTER, 0, "cluster", "X[,Y[,Z]]", RUN | OCCUPANCY | LANES, "blocks of a cluster"},
    {OPT_COOPERATIVE, 0, "cooperative", NULL, RUN | LANES,
     "launch with all blocks resident, as grid-wide barriers need"},
    {OPT_ARG, 0, "arg", "ARG", RUN | LANES, "next kernel argument, e.g. s32=7, f32[1024]=iota, f32[64]=file:in.bin"},
    {OPT_ONLY, 0, "only", "NAME", BATCH, "run only this launch of the list; may be repeated"},
    {OPT_REQUIRE, 0, "require", "RULE", GRADE, "a rule, as in a file of rules; may be repeated"},
    {OPT_RULES, 0, "rules", "FILE", GRADE, "rules, one a line; may be repeated"},
    {OPT_JUNIT, 0, "junit", "FILE", GRADE, "write the verdicts as JUnit XML too, whole or not at all"},
    {OPT_METRICS, 0, "metrics", "NAME[,NAME]...", RUN, "tell these metrics; articles' names are understood"},
    {OPT_JOBS, 'j', "jobs", "N", RUN | BATCH,
     "threads, for launches and for the SMs of one (default: one a processor); the output is the same"},
    {OPT_DEVICE, 0, "device", "NAME|FILE", MODELS, "the modelled GPU (default h200); see `simtlab devices`"},
    {OPT_MODE, 0, "mode", "counts|cycles", RUN | BATCH,
     "exact counts alone, or the clock's cycles and stalls too (default)"},
    {OPT_SCHEDULER, 0, "scheduler", "cggty|gto|lrr|two-level", RUN | BATCH,
     "which warp goes first: greedy, then youngest or oldest; in turns; in groups"},
    {OPT_BLOCK_ORDER, 0, "block-order", "linear|shuffle:SEED", RUN | BATCH,
     "in which the clock gives out blocks (default linear)"},
    {OPT_L2_START, 0, "l2-start", "empty|changed", RUN | BATCH,
     "what the clock's L2 begins with: nothing (default), or changed lines of an earlier kernel"},
    {OPT_CHECK, 0, "check", "[=LIST]", RUN | BATCH, "memory, races, init, sync; alone: all"},
    {OPT_FORMAT, 0, "format", "text|json|csv|html", RUN | BATCH_ALONE,
     "form of the report (batch: JSON whatever is said, or html)"},
    {OPT_PICTURE_FORMAT, 0, "format", "text|json|svg", OCCUPANCY, "form of the answer; svg draws the curves"},
    {OPT_CURVES, 0, "curves", NULL, OCCUPANCY, "the curves over block size, registers and shared memory too"},
    {OPT_PICTURE_FORMAT, 0, "format", "text|json|svg", PICTURE, "form of the picture"},
    {OPT_COMPARE_FORMAT, 0, "format", "text|json|csv|html", COMPARE, "form of the page"},
    {OPT_CLASS, 0, "class", "exact|modelled|all", COMPARE, "which metrics are compared (default all)"},
    {OPT_TOLERANCE, 0, "tolerance", "METRIC=PCT", COMPARE,
     "how far METRIC may be off, of the GPU's value; * in METRIC stands for any text; may be repeated"},
    {OPT_MATCH, 0, "match", "auto|order|name|id", COMPARE, "how launches find their partners (default auto)"},
    {OPT_MACHINE, 0, "machine", "FILE", COMPARE,
     "the same launches simulated from machine code: tells which differences from PTX are the compiler's"},
    {OPT_OUTPUTS, 0, "outputs", "FILE", COMPARE, "the buffers' hashes that cuda/runner printed on the GPU"},
    {OPT_DISASM_FORMAT, 0, "format", "text|json", DISASM, "form of the listing"},
    {OPT_CONTROL, 0, "control", NULL, DISASM, "machine code: stall, yield, barriers, waits and reuse in columns too"},
    {OPT_STRIDE, 0, "stride", "N", LANES, "instead of an expression: lanes so many elements apart; may be negative"},
    {OPT_INDEX, 0, "index", "LIST", LANES, "instead of an expression: the lanes' elements one by one, e.g. 3,0,5-9"},
    {OPT_OFFSET, 0, "offset", "N", LANES, "elements that lie before the array's first one"},
    {OPT_WIDTH, 0, "width", "BYTES", LANES, "bytes of an element where none is declared: 1, 2, 4 (default), 8, 16"},
    {OPT_ACCESS, 0, "access", "load|store|atomic", LANES, "what the lanes do (default load)"},
    {OPT_IF, 0, "if", "EXPR", LANES, "only threads for which it is not 0 take part"},
    {OPT_DEFINE, 'D', "define", "NAME=EXPR", LANES, "a name for the expressions behind it; may be repeated"},
    {OPT_WARP, 0, "warp", "N|worst", LANES, "the warp that is drawn (default 0)"},
    {OPT_AT, 0, "at", "X[,Y[,Z]]", PICTURE, "the block looked at: blockIdx (default 0,0,0)"},
    {OPT_TILE, 0, "tile", "WxH", THREADS, "columns and rows that a block covers (default: its x and y)"},
    {OPT_MATRIX, 0, "matrix", "R,C", THREADS, "rows and columns of the matrix that is covered"},
    {OPT_TRANSPOSE, 0, "transpose", NULL, THREADS, "draw where a transpose puts the block's tile"},
    {OPT_KERNEL_LINE, 0, "kernel-line", "FILE:LINE", LANES,
     "instead of an expression: what that line of a kernel does; operands and options are those of run"},
    {OPT_OUTPUT, 'o', "output", "FILE", EVERY, "write there instead of on stdout, whole or not at all"},
    {OPT_DUMP, 0, "dump", "N=FILE", RUN | BATCH, "write argument N's buffer after the run, raw; may be repeated"},
    {OPT_TRACE, 0, "trace", "FILE", RUN | BATCH, "write what each warp did, cycle by cycle, for ui.perfetto.dev"},
    {OPT_TRACE_LIMIT, 0, "trace-limit", "N", RUN | BATCH, "events that a trace holds at most (default 250000)"},
    {OPT_REGS, 0, "regs", "N", RUN | BATCH | OCCUPANCY | RESOURCES | LANES,
     "registers of a thread, as nvcc's machine code has them"},
    {OPT_SHARED_STATIC, 0, "shared-static", "BYTES", RUN | BATCH | OCCUPANCY | RESOURCES | LANES,
     "static shared memory of a kernel whose listing has no cubin beside it"},
    {OPT_MAX_REGISTERS, 0, "maxrregcount", "N", RUN | BATCH | DISASM | OCCUPANCY | RESOURCES | LANES,
     "most registers of a thread, as for nvcc; caps the estimate too"},
    {OPT_LANGUAGE, 0, "lang", "en|zh", RUN,
     "language of what to change: English or Chinese (default: that of LC_ALL, LC_MESSAGES or LANG)"},
    {OPT_DLCM, 0, "dlcm", "ca|cg", RUN | BATCH,
     "global loads that do not say go through L1 (default) or past it, as ptxas' -dlcm"},
    {OPT_CARVEOUT, 0, "carveout", "PERCENT", RUN | BATCH | OCCUPANCY | LANES, "preferred share of shared memory"},
    {OPT_MAX_INSTRUCTIONS, 0, "max-instructions", "N", RUN | BATCH | LANES,
     "stop a launch after so many warp instructions (default 100000000000; 0: never)"},
    {OPT_FORM, 0, "form", "ptx|sass", RUN | BATCH | DISASM | OCCUPANCY | RESOURCES | LANES,
     "what to make of a .cu file (default: machine code where nvcc and a disassembler are)"},
    {OPT_QUIET, 'q', "quiet", NULL, RUN | BATCH | LANES | COMPARE,
     "no progress on stderr; compare: only what does not agree"},
    {OPT_HELP, 'h', "help", NULL, EVERY, "this text"},
    {OPT_VERSION, 'V', "version", NULL, EVERY, "the version"},
};
enum { TRACE_LIMIT = 250000, TRACE_LIMIT_MAX = 100000000 };
enum { ROW_COUNT = sizeof(rows) / sizeof(rows[0]), OPTION_COLUMN = 24 };

static bool parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
    char *end = NULL;
    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    *value = strtoull(text, &end, strncmp(text, "0x", 2) == 0 || strncmp(text, "0X", 2) == 0 ? 16 : 10);
    return errno == 0 && *end == '\0' && *value >= min && *value <= max;
}

static bool accept_dim3(const char *name, const char *text, uint32_t dim[3])
{
    if (sim_dim3_parse(text, strlen(text), dim) == BASE_OK)
        return true;
    tool_error("--%s=%s: expected X[,Y[,Z]], each from 1 to 2147483647", name, text);
    return false;
}

static bool accept_format(const struct row *row, const char *text, enum tool_format *format)
{
    static const char *const names[] = {
        [TOOL_TEXT] = "text", [TOOL_JSON] = "json", [TOOL_CSV] = "csv", [TOOL_SVG] = "svg", [TOOL_HTML] = "html"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(text, names[i]) == 0 && strstr(row->value, names[i]) != NULL) {
            *format = (enum tool_format)i;
            return true;
        }
    }
    tool_error("--format=%s: expected %s", text, row->value);
    return false;
}

static bool accept_mode(const char *text, bool *cycles)
{
    *cycles = strcmp(text, "cycles") == 0;
    if (*cycles || strcmp(text, "counts") == 0)
        return true;
    tool_error("--mode=%s: expected counts or cycles", text);
    return false;
}

static bool accept_l2_start(const char *text, bool *changed)
{
    *changed = strcmp(text, "changed") == 0;
    if (*changed || strcmp(text, "empty") == 0)
        return true;
    tool_error("--l2-start=%s: expected empty or changed", text);
    return false;
}

static bool accept_scheduler(const char *text, enum sim_scheduler *scheduler)
{
    for (size_t i = 0; i < SIM_SCHEDULER_COUNT; i++)
        if (strcmp(text, sim_scheduler_names[i]) == 0) {
            *scheduler = (enum sim_scheduler)i;
            return true;
        }
    tool_error("--scheduler=%s: expected cggty, gto, lrr or two-level", text);
    return false;
}

static bool accept_block_order(const char *text, struct tool_options *options)
{
    static const char shuffle[] = "shuffle:";
    options->shuffle_blocks = strncmp(text, shuffle, sizeof(shuffle) - 1) == 0;
    if (!options->shuffle_blocks && strcmp(text, "linear") == 0)
        return true;
    if (options->shuffle_blocks && parse_u64(text + sizeof(shuffle) - 1, 0, UINT64_MAX, &options->block_order_seed))
        return true;
    tool_error("--block-order=%s: expected linear or shuffle:SEED, SEED a number", text);
    return false;
}

static bool accept_dlcm(const char *text, bool *bypass)
{
    *bypass = strcmp(text, "cg") == 0;
    if (*bypass || strcmp(text, "ca") == 0)
        return true;
    tool_error("--dlcm=%s: expected ca or cg", text);
    return false;
}

static bool accept_language(const char *text, struct tool_options *options)
{
    int language = advise_language_of(text);
    options->has_language = language >= 0;
    options->language = options->has_language ? (enum advise_language)language : ADVISE_EN;
    if (!options->has_language)
        tool_error("--lang=%s: expected en or zh", text);
    return options->has_language;
}

static bool accept_form(const char *text, enum tool_form *form)
{
    *form = strcmp(text, "ptx") == 0 ? TOOL_FORM_PTX : TOOL_FORM_SASS;
    if (*form == TOOL_FORM_PTX || strcmp(text, "sass") == 0)
        return true;
    tool_error("--form=%s: expected ptx or sass", text);
    return false;
}

static bool accept_class(const char *text, unsigned *classes)
{
    static const char *const names[] = {"", [VALIDATE_EXACT] = "exact", [VALIDATE_MODELLED] = "modelled",
                                        [VALIDATE_EXACT | VALIDATE_MODELLED] = "all"};
    for (*classes = VALIDATE_EXACT; *classes < sizeof(names) / sizeof(names[0]); ++*classes)
        if (strcmp(text, names[*classes]) == 0)
            return true;
    tool_error("--class=%s: expected exact, modelled or all", text);
    return false;
}

static bool accept_match(const char *text, enum validate_match *match)
{
    static const char *const names[] = {[VALIDATE_MATCH_AUTO] = "auto",
                                        [VALIDATE_MATCH_ORDER] = "order",
                                        [VALIDATE_MATCH_NAME] = "name",
                                        [VALIDATE_MATCH_ID] = "id"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        *match = (enum validate_match)i;
        if (strcmp(text, names[i]) == 0)
            return true;
    }
    tool_error("--match=%s: expected auto, order, name or id", text);
    return false;
}

/* The "=" becomes the pattern's end. */
static bool accept_tolerance(char *text, struct tool_compare_options *compare)
{
    char *equals = strrchr(text, '='), *end = NULL;
    double pct = equals && equals[1] >= '0' && equals[1] <= '9' ? strtod(equals + 1, &end) : -1;
    if (!equals || equals == text || pct < 0 || pct > 1e6 || (*end != '\0' && strcmp(end, "%") != 0)) {
        tool_error("--tolerance=%s: expected METRIC=PCT, PCT a number of percent", text);
        return false;
    }
    *equals = '\0';
    const struct validate_tolerance tolerance = {text, pct};
    return base_vec_push(&compare->tolerances, tolerance);
}

/* --check alone means all checks. */
static bool accept_check(const char *list, unsigned *checks)
{
    static const struct {
        const char *name;
        unsigned set;
    } names[] = {
        {"memory", SIM_CHECK_MEMORY}, {"races", SIM_CHECK_RACES}, {"init", SIM_CHECK_INIT}, {"sync", SIM_CHECK_SYNC}};
    *checks |= SIM_CHECK_MEMORY;
    if (!list)
        list = "races,init,sync";
    while (*list != '\0') {
        size_t length = strcspn(list, ","), i = 0;
        while (i < 4 && (strlen(names[i].name) != length || strncmp(list, names[i].name, length) != 0))
            i++;
        if (i == 4) {
            tool_error("--check=%.*s: expected memory, races, init or sync", (int)length, list);
            return false;
        }
        *checks |= names[i].set;
        list += length + (list[length] == ',');
    }
    return true;
}

static bool accept_dump(const char *text, struct tool_options *options)
{
    const char *equals = strchr(text, '=');
    char *end = NULL;
    errno = 0;
    unsigned long arg = text[0] >= '0' && text[0] <= '9' ? strtoul(text, &end, 10) : 0;
    if (!equals || end != equals || equals[1] == '\0' || errno != 0 || arg > UINT32_MAX) {
        tool_error("--dump=%s: expected N=FILE, N the argument's number from 0", text);
        return false;
    }
    struct tool_dump dump = {.arg = (uint32_t)arg, .path = equals + 1};
    return base_vec_push(&options->dumps, dump);
}

/* Numbers: the range, and where the value goes. */
static bool accept_number(const struct row *row, const char *text, struct tool_options *options)
{
    uint64_t min = 0, max = UINT64_MAX, value = 0;
    if (row->id == OPT_SHARED || row->id == OPT_SHARED_STATIC)
        max = UINT32_MAX;
    else if (row->id == OPT_REGS || row->id == OPT_MAX_REGISTERS)
        min = 1, max = 255;
    else if (row->id == OPT_JOBS)
        min = 1, max = 1024;
    else if (row->id == OPT_TRACE_LIMIT)
        min = 1, max = TRACE_LIMIT_MAX;
    else if (row->id == OPT_CARVEOUT)
        max = 100;
    if (!parse_u64(text, min, max, &value)) {
        tool_error("--%s=%s: expected a number from %" PRIu64 " to %" PRIu64, row->name, text, min, max);
        return false;
    }
    switch (row->id) {
    case OPT_SHARED:
        options->shared_bytes = value;
        break;
    case OPT_SHARED_STATIC:
        options->has_shared_static = true;
        options->shared_static_bytes = value;
        break;
    case OPT_JOBS:
        options->jobs = (uint32_t)value;
        break;
    case OPT_REGS:
        options->regs = (uint32_t)value;
        break;
    case OPT_MAX_REGISTERS:
        options->max_registers = (uint32_t)value;
        break;
    case OPT_TRACE_LIMIT:
        options->trace_limit = value;
        break;
    case OPT_CARVEOUT:
        options->carveout_percent = (int32_t)value;
        break;
    default:
        options->max_instructions = value;
        break;
    }
    return true;
}

static bool parse_u32(const char *text, uint64_t min, uint64_t max, uint32_t *value)
{
    uint64_t wide = 0;
    if (!parse_u64(text, min, max, &wide))
        return false;
    *value = (uint32_t)wide;
    return true;
}

static bool accept_signed(const char *text, int64_t *value)
{
    uint64_t size = 0;
    bool negative = text[0] == '-';
    if (!parse_u64(text + negative, 0, INT32_MAX, &size))
        return false;
    *value = negative ? -(int64_t)size : (int64_t)size;
    return true;
}

/* blockIdx, which may be 0. */
static bool accept_at(const char *text, struct tool_picture_options *picture)
{
    uint32_t *at = picture->at;
    picture->has_at = true;
    for (int i = 0; i < 3; i++) {
        size_t length = strcspn(text, ",");
        char number[16] = "";
        if (length < sizeof(number))
            memcpy(number, text, length);
        if (!parse_u32(number, 0, INT32_MAX, &at[i]))
            return false;
        text += length;
        if (*text == '\0')
            return true;
        text++;
    }
    return false;
}

/* Two numbers from 1 with a letter between them. */
static bool accept_pair(const char *text, char between, uint64_t pair[2])
{
    const char *middle = strchr(text, between);
    char first[16] = "";
    if (!middle || (size_t)(middle - text) >= sizeof(first))
        return false;
    memcpy(first, text, (size_t)(middle - text));
    return parse_u64(first, 1, INT32_MAX, &pair[0]) && parse_u64(middle + 1, 1, INT32_MAX, &pair[1]);
}

static bool accept_kind(const char *text, enum sim_shared_kind *kind)
{
    static const char *const names[] = {
        [SIM_SHARED_LOAD] = "load", [SIM_SHARED_STORE] = "store", [SIM_SHARED_ATOMIC] = "atomic"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        *kind = (enum sim_shared_kind)i;
        if (strcmp(text, names[i]) == 0)
            return true;
    }
    return false;
}

static bool accept_warp(const char *text, struct tool_picture_options *picture)
{
    picture->has_warp = true;
    picture->worst_warp = strcmp(text, "worst") == 0;
    return picture->worst_warp || parse_u32(text, 0, ADVISE_WARPS_MAX - 1, &picture->warp);
}

static bool accept_picture(const struct row *row, const char *value, struct tool_picture_options *picture)
{
    const char *expected = "a number of elements";
    bool good = false;
    switch (row->id) {
    case OPT_STRIDE:
        picture->has_stride = true;
        good = accept_signed(value, &picture->stride);
        break;
    case OPT_OFFSET:
        good = parse_u64(value, 0, INT32_MAX, &picture->offset);
        break;
    case OPT_WIDTH:
        good =
            parse_u32(value, 1, 16, &picture->width_bytes) && (picture->width_bytes & (picture->width_bytes - 1)) == 0;
        expected = "1, 2, 4, 8 or 16";
        break;
    case OPT_ACCESS:
        good = accept_kind(value, &picture->kind);
        expected = "load, store or atomic";
        break;
    case OPT_WARP:
        good = accept_warp(value, picture);
        expected = "a number from 0 to 31, or worst";
        break;
    case OPT_AT:
        good = accept_at(value, picture);
        expected = "X[,Y[,Z]], each from 0";
        break;
    case OPT_TILE:
        good = accept_pair(value, 'x', picture->tile);
        expected = "WxH, columns and rows";
        break;
    default:
        good = accept_pair(value, ',', picture->matrix);
        expected = "R,C, rows and columns";
        break;
    }
    if (!good)
        tool_error("--%s=%s: expected %s", row->name, value, expected);
    return good;
}

static bool accept(const struct row *row, char *value, struct tool_options *options)
{
    switch (row->id) {
    case OPT_GRID:
        return accept_dim3(row->name, value, options->grid);
    case OPT_BLOCK:
        return accept_dim3(row->name, value, options->block);
    case OPT_CLUSTER:
        return accept_dim3(row->name, value, options->cluster);
    case OPT_ARG:
        return base_vec_push(&options->args, value);
    case OPT_ONLY:
        return base_vec_push(&options->only, value);
    case OPT_MODE:
        return accept_mode(value, &options->cycles_mode);
    case OPT_SCHEDULER:
        options->clock_option = "--scheduler";
        return accept_scheduler(value, &options->scheduler);
    case OPT_BLOCK_ORDER:
        options->clock_option = "--block-order";
        return accept_block_order(value, options);
    case OPT_L2_START:
        options->clock_option = "--l2-start";
        return accept_l2_start(value, &options->l2_changed);
    case OPT_CHECK:
        return accept_check(value, &options->checks);
    case OPT_FORMAT:
    case OPT_PICTURE_FORMAT:
    case OPT_COMPARE_FORMAT:
    case OPT_DISASM_FORMAT:
        options->format_given = true;
        return accept_format(row, value, &options->format);
    case OPT_CLASS:
        return accept_class(value, &options->compare.classes);
    case OPT_MATCH:
        return accept_match(value, &options->compare.match);
    case OPT_TOLERANCE:
        return accept_tolerance(value, &options->compare);
    case OPT_MACHINE:
        options->compare.machine = value;
        return true;
    case OPT_OUTPUTS:
        options->compare.outputs = value;
        return true;
    case OPT_REQUIRE:
        return base_vec_push(&options->rules, value);
    case OPT_RULES:
        return base_vec_push(&options->rule_files, value);
    case OPT_JUNIT:
        options->junit = value;
        return true;
    case OPT_METRICS:
        options->metrics = value;
        return true;
    case OPT_LANGUAGE:
        return accept_language(value, options);
    case OPT_DLCM:
        return accept_dlcm(value, &options->bypass_l1);
    case OPT_CURVES:
        options->curves = true;
        return true;
    case OPT_CONTROL:
        options->control = true;
        return true;
    case OPT_FORM:
        return accept_form(value, &options->form);
    case OPT_TRACE:
        options->trace = value;
        return true;
    case OPT_DUMP:
        return accept_dump(value, options);
    case OPT_DEVICE:
        options->device = value;
        return true;
    case OPT_OUTPUT:
        options->output = value;
        return true;
    case OPT_COOPERATIVE:
        options->cooperative = true;
        return true;
    case OPT_QUIET:
        options->quiet = true;
        return true;
    case OPT_STRIDE:
    case OPT_OFFSET:
    case OPT_WIDTH:
    case OPT_ACCESS:
    case OPT_WARP:
    case OPT_AT:
    case OPT_TILE:
    case OPT_MATRIX:
        return accept_picture(row, value, &options->picture);
    case OPT_INDEX:
        options->picture.index = value;
        return true;
    case OPT_KERNEL_LINE:
        options->picture.kernel_line = value;
        return true;
    case OPT_IF:
        options->picture.condition = value;
        return true;
    case OPT_DEFINE:
        return base_vec_push(&options->picture.defines, value);
    case OPT_TRANSPOSE:
        options->picture.transpose = true;
        return true;
    case OPT_HELP:
        options->help = true;
        return true;
    case OPT_VERSION:
        options->version = true;
        return true;
    case OPT_SHARED:
    case OPT_JOBS:
    case OPT_REGS:
    case OPT_SHARED_STATIC:
    case OPT_MAX_REGISTERS:
    case OPT_TRACE_LIMIT:
    case OPT_CARVEOUT:
    case OPT_MAX_INSTRUCTIONS:
        return accept_number(row, value, options);
    }
    return false;
}

static const struct row *find_row(int id)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if ((int)rows[i].id == id || (rows[i].letter && rows[i].letter == id))
            return &rows[i];
    }
    return NULL;
}

static void complain(const struct tool_command *command, int answer, char **argv)
{
    const char *word = optind > 0 ? argv[optind - 1] : "";
    const struct row *row = find_row(optopt);
    if (answer == ':')
        tool_error("option '%s' needs a value: --%s %s", word, row ? row->name : "", row ? row->value : "VALUE");
    else if (row && (row->commands & command->bit))
        tool_error("option '%s' takes no value", word);
    else
        tool_error("%s has no option '%s'; see simtlab %s --help", command->name, word, command->name);
}

enum tool_exit tool_options_parse(const struct tool_command *command, int argc, char **argv,
                                  struct tool_options *options)
{
    struct option longs[ROW_COUNT + 1] = {0};
    char letters[2 * ROW_COUNT + 2] = ":";
    size_t count = 0, letter_count = 1;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (!(rows[i].commands & command->bit))
            continue;
        int argument = !rows[i].value ? no_argument : rows[i].value[0] == '[' ? optional_argument : required_argument;
        longs[count++] = (struct option){rows[i].name, argument, NULL, (int)rows[i].id};
        if (rows[i].letter) {
            letters[letter_count++] = rows[i].letter;
            if (argument == required_argument)
                letters[letter_count++] = ':';
        }
    }
    *options = (struct tool_options){.command = command,
                                     .device = "h200",
                                     .cycles_mode = true,
                                     .carveout_percent = -1,
                                     .trace_limit = TRACE_LIMIT,
                                     .max_instructions = SIM_MAX_INSTRUCTIONS_DEFAULT,
                                     .scheduler = SIM_SCHEDULER_DEFAULT,
                                     .compare.classes = VALIDATE_EXACT | VALIDATE_MODELLED};
    opterr = 0;
    for (int answer; (answer = getopt_long(argc, argv, letters, longs, NULL)) != -1;) {
        const struct row *row = answer == ':' || answer == '?' ? NULL : find_row(answer);
        if (!row) {
            complain(command, answer, argv);
            return TOOL_ERROR;
        }
        if (!accept(row, optarg, options))
            return TOOL_ERROR;
    }
    if (options->clock_option && !options->cycles_mode && !options->help) {
        tool_error("%s is the clock's, and --mode=counts has none: it would change nothing; use --mode=cycles",
                   options->clock_option);
        return TOOL_ERROR;
    }
    options->operands = (const char *const *)(argv + optind);
    options->operand_count = (size_t)(argc - optind);
    return TOOL_OK;
}

void tool_options_free(struct tool_options *options)
{
    base_vec_free(&options->args);
    base_vec_free(&options->only);
    base_vec_free(&options->rules);
    base_vec_free(&options->rule_files);
    base_vec_free(&options->dumps);
    base_vec_free(&options->picture.defines);
    base_vec_free(&options->compare.tolerances);
}

void tool_options_help(const struct tool_command *command, struct base_strbuf *out)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (!(rows[i].commands & command->bit))
            continue;
        struct base_strbuf left = {0};
        if (rows[i].letter)
            base_strbuf_printf(&left, "-%c, ", rows[i].letter);
        base_strbuf_printf(&left, "--%s%s%s", rows[i].name, rows[i].value && rows[i].value[0] != '[' ? " " : "",
                           rows[i].value ? rows[i].value : "");
        bool is_wide = left.length > OPTION_COLUMN;
        base_strbuf_printf(out, "  %-*s%s%s\n", OPTION_COLUMN, left.data ? left.data : "",
                           is_wide ? "\n                           " : " ", rows[i].help);
        base_strbuf_free(&left);
    }
}
