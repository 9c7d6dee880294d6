/* Reads what `ncu --csv --page raw` printed: a row of names, a row of units, a row for each launch, and again from the
 * names for each further process. Lines that are none of these (==PROF==, what the program printed) are passed over.
 *
 * Two walks over the text: the first finds the tables and looks at all numbers, to learn the locale they are written
 * in; the second reads them. */
#include "validate/measure.h"
#include "validate/number.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 100000 };

struct cell {
    const char *text; /* within its quotes; doubled quotes are still doubled */
    size_t length;
};

/* A line taken apart. */
struct line {
    size_t offset, length, number; /* in the text */
    BASE_VEC(struct cell) cells;
    bool cut; /* it ends within quotes */
};

enum identity { ID, PROCESS, KERNEL, BLOCK, GRID, DEVICE, COMPUTE, IDENTITY_COUNT };

struct column {
    const char *name, *unit;
    double scale;
    bool is_metric;
};

struct reader {
    const struct base_source *source;
    struct validate_measure *out;
    struct base_diags *diags;
    size_t at, number; /* the next line */
    char separator;    /* of the table that is read; '\0': none yet */
    struct line line;
    BASE_VEC(struct column) columns;
    size_t place[IDENTITY_COUNT]; /* column; SIZE_MAX: there is none */
    bool units_due;
    char decimal;
    size_t proof[2]; /* lines that prove a point, a comma, to be the decimal sign; 0: none */
    bool groups[2];  /* counts where a point, a comma, can only be a group's */
    enum base_status status;
};

static bool fail(struct reader *r, enum base_status status)
{
    r->status = status;
    return false;
}

static void complain(struct reader *r, const char *text)
{
    base_diag_add(r->diags, BASE_ERROR, r->source, r->line.offset, 0, "%s", text);
    fail(r, BASE_INVALID);
}

/* ---- Lines and cells ---- */

/* The end of a quoted cell: a quote before a separator or at the line's end; ncu does not double quotes everywhere. */
static const char *closing_quote(const char *text, const char *end, char separator)
{
    for (; text < end; text++) {
        if (*text != '"')
            continue;
        if (text + 1 == end || text[1] == separator)
            return text;
        text += text[1] == '"';
    }
    return NULL;
}

static bool take_cells(struct reader *r, const char *text, const char *end)
{
    r->line.cells.count = 0;
    r->line.cut = false;
    for (bool more = true; more && !r->line.cut;) {
        struct cell cell = {text, 0};
        if (text < end && *text == '"') {
            const char *close = closing_quote(text + 1, end, r->separator);
            r->line.cut = close == NULL;
            cell = (struct cell){text + 1, (size_t)((close ? close : end) - text - 1)};
            text = close ? close + 1 : end;
        } else {
            const char *next = text < end ? memchr(text, r->separator, (size_t)(end - text)) : NULL;
            cell.length = (size_t)((next ? next : end) - text);
            text += cell.length;
        }
        if (r->line.cells.count == COLUMNS_MAX)
            return complain(r, "the line has more than 100,000 columns: this is no report of ncu's"), false;
        if (!base_vec_push(&r->line.cells, cell))
            return fail(r, BASE_NOMEM);
        more = text < end && *text == r->separator;
        text += more;
    }
    return true;
}

/* The next line of the text; its cells are not taken apart yet. */
static bool next_line(struct reader *r)
{
    const struct base_source *s = r->source;
    if (r->at >= s->size || r->status != BASE_OK)
        return false;
    const char *text = s->text + r->at, *newline = memchr(text, '\n', s->size - r->at);
    size_t length = newline ? (size_t)(newline - text) : s->size - r->at;
    r->line.offset = r->at;
    r->at += length + (newline != NULL);
    r->line.number = ++r->number;
    while (length > 0 && text[length - 1] == '\r')
        length--;
    r->line.length = length;
    return true;
}

static bool begins(const struct reader *r, const char *word)
{
    size_t length = strlen(word);
    return r->line.length >= length && memcmp(r->source->text + r->line.offset, word, length) == 0;
}

/* The row of names begins with ID, quoted or not; what separates it from the next is what separates all. */
static bool is_names(struct reader *r)
{
    const char *text = r->source->text + r->line.offset;
    size_t length = r->line.length, word = begins(r, "\"ID\"") ? 4 : begins(r, "ID") ? 2 : 0;
    if (word == 0 || length <= word || !strchr(",;\t", text[word]) || text[word] == '\0')
        return false;
    r->separator = text[word];
    return true;
}

/* A launch's row begins with its number, quoted as the names are or not; the row of units with an empty cell. */
static bool is_row(const struct reader *r)
{
    const char *text = r->source->text + r->line.offset, *end = text + r->line.length;
    if (r->separator == '\0')
        return false;
    bool quoted = text < end && *text == '"';
    text += quoted;
    const char *start = text;
    while (text < end && *text >= '0' && *text <= '9')
        text++;
    if (text == start && !r->units_due)
        return false;
    if (quoted && (text == end || *text++ != '"'))
        return false;
    return text < end && *text == r->separator;
}

/* ---- Names and units ---- */

static const char *copy(struct reader *r, struct cell cell)
{
    char *text = base_arena_strndup(&r->out->arena, cell.text, cell.length);
    if (!text) {
        fail(r, BASE_NOMEM);
        return "";
    }
    size_t length = 0;
    for (const char *from = text; *from != '\0'; from++) {
        text[length++] = *from;
        from += from[0] == '"' && from[1] == '"';
    }
    text[length] = '\0';
    return text;
}

static bool is_cell(struct cell cell, const char *word)
{
    return cell.length == strlen(word) && memcmp(cell.text, word, cell.length) == 0;
}

static bool is_identity(struct reader *r, size_t index)
{
    static const char *const others[] = {"Process Name", "Host Name", "Context", "Stream", "Device UUID"};
    static const char *const names[IDENTITY_COUNT] = {"ID",        "Process ID", "Kernel Name", "Block Size",
                                                      "Grid Size", "Device",     "CC"};
    struct cell cell = r->line.cells.data[index];
    for (size_t i = 0; i < IDENTITY_COUNT; i++) {
        if (is_cell(cell, names[i])) {
            r->place[i] = index;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (is_cell(cell, others[i]))
            return true;
    return false;
}

/* Another page of ncu's that looks much alike. */
static bool is_other_page(struct reader *r)
{
    for (size_t i = 0; i < r->line.cells.count; i++) {
        if (is_cell(r->line.cells.data[i], "Metric Name") || is_cell(r->line.cells.data[i], "Section Name")) {
            complain(r, "this is ncu's details page, one metric a line; print the raw page: ncu --csv --page raw");
            return true;
        }
    }
    return false;
}

static bool read_names(struct reader *r)
{
    r->columns.count = 0;
    memset(r->place, 0xff, sizeof(r->place));
    if (!take_cells(r, r->source->text + r->line.offset, r->source->text + r->line.offset + r->line.length))
        return false;
    if (is_other_page(r))
        return false;
    if (r->line.cut) {
        complain(r, "the names of the columns are cut off");
        return false;
    }
    for (size_t i = 0; i < r->line.cells.count; i++) {
        struct column column = {copy(r, r->line.cells.data[i]), "", 1, false};
        column.is_metric = !is_identity(r, i) && column.name[0] != '\0';
        if (!base_vec_push(&r->columns, column))
            return fail(r, BASE_NOMEM);
    }
    if (r->place[KERNEL] == SIZE_MAX) {
        complain(r, "there is no column \"Kernel Name\": not ncu's raw page");
        return false;
    }
    r->units_due = true;
    return true;
}

/* False after a complaint, or without memory. The cells of a line of the table are there. */
static bool take_row(struct reader *r)
{
    const char *text = r->source->text + r->line.offset;
    if (!take_cells(r, text, text + r->line.length))
        return false;
    size_t got = r->line.cells.count, want = r->columns.count;
    if (got == want + 1 && r->line.cells.data[want].length == 0)
        got--;
    if (r->line.cut || got < want)
        base_diag_add(r->diags, BASE_ERROR, r->source, r->line.offset, 0,
                      "the line ends in column %zu of %zu: the file is cut off", got, want);
    else if (got > want)
        base_diag_add(r->diags, BASE_ERROR, r->source, r->line.offset, 0, "the line has %zu columns, the names %zu",
                      got, want);
    else
        return true;
    return fail(r, BASE_INVALID);
}

/* The row of units may be left out. */
static bool is_units(const struct reader *r)
{
    return r->units_due && r->line.cells.data[0].length == 0;
}

static void read_units(struct reader *r)
{
    for (size_t i = 0; i < r->columns.count; i++) {
        struct column *column = &r->columns.data[i];
        column->unit = copy(r, r->line.cells.data[i]);
        column->scale = validate_unit_scale(column->unit);
    }
}

/* ---- The locale ---- */

/* Metrics that count: a sign before three digits can only group them. */
static bool counts(const struct column *column)
{
    size_t length = strlen(column->name);
    if (column->scale != 1)
        return false;
    if (strncmp(column->name, "launch__", 8) == 0)
        return strstr(column->name, "waves") == NULL && strstr(column->name, "pct") == NULL;
    return strncmp(column->name, "memory_", 7) == 0 || (length > 4 && strcmp(column->name + length - 4, ".sum") == 0);
}

static void look_at_row(struct reader *r)
{
    for (size_t i = 0; i < r->columns.count; i++) {
        const struct column *column = &r->columns.data[i];
        if (!column->is_metric || strncmp(column->name, "device__", 8) == 0)
            continue;
        enum validate_look look = validate_number_look(r->line.cells.data[i].text, r->line.cells.data[i].length);
        if (look == VALIDATE_LOOK_POINT || look == VALIDATE_LOOK_COMMA) {
            size_t *proof = &r->proof[look == VALIDATE_LOOK_COMMA];
            *proof = *proof == 0 ? r->line.number : *proof;
        } else if (look >= VALIDATE_LOOK_POINT_OR_GROUP && counts(column)) {
            r->groups[look == VALIDATE_LOOK_COMMA_OR_GROUP] = true;
        }
    }
}

static bool decide_locale(struct reader *r)
{
    if (r->proof[0] > 0 && r->proof[1] > 0) {
        base_diag_add(r->diags, BASE_ERROR, NULL, 0, 0,
                      "%s: the decimal sign is a point in line %zu and a comma in line %zu", r->source->name,
                      r->proof[0], r->proof[1]);
        return fail(r, BASE_INVALID);
    }
    r->decimal = r->proof[1] > 0 || (r->proof[0] == 0 && r->groups[0] && !r->groups[1]) ? ',' : '.';
    return true;
}

/* ---- Launches ---- */

/* "(256, 1, 1)" */
static bool read_dim3(struct cell cell, uint32_t dim[3])
{
    size_t at = 0;
    for (int i = 0; i < 3; i++) {
        uint64_t value = 0;
        while (at < cell.length && (cell.text[at] < '0' || cell.text[at] > '9'))
            at++;
        if (at == cell.length)
            return false;
        for (; at < cell.length && cell.text[at] >= '0' && cell.text[at] <= '9'; at++) {
            value = 10 * value + (uint64_t)(cell.text[at] - '0');
            if (value > UINT32_MAX)
                return false;
        }
        dim[i] = (uint32_t)value;
    }
    return true;
}

static struct cell identity_cell(const struct reader *r, enum identity which)
{
    size_t place = r->place[which];
    return place == SIZE_MAX ? (struct cell){"", 0} : r->line.cells.data[place];
}

static unsigned small_number(const char **text, const char *end)
{
    unsigned value = 0;
    for (; *text < end && **text >= '0' && **text <= '9' && value < 10000; (*text)++)
        value = 10 * value + (unsigned)(**text - '0');
    return value;
}

static void read_identity(struct reader *r, struct validate_launch *launch)
{
    struct cell id = identity_cell(r, ID), compute = identity_cell(r, COMPUTE);
    for (size_t i = 0; i < id.length && launch->id < 100000000; i++)
        launch->id = 10 * launch->id + (uint64_t)(id.text[i] - '0');
    launch->kernel_shown = copy(r, identity_cell(r, KERNEL));
    launch->kernel = validate_kernel_name(&r->out->arena, launch->kernel_shown);
    launch->has_grid = read_dim3(identity_cell(r, GRID), launch->grid) && /* both */
                       read_dim3(identity_cell(r, BLOCK), launch->block);
    const char *at = compute.text, *end = compute.text + compute.length;
    launch->compute_major = small_number(&at, end);
    at += at < end;
    launch->compute_minor = small_number(&at, end);
    launch->has_compute = launch->compute_major > 0;
}

static bool read_value(struct reader *r, const struct column *column, struct cell cell, struct validate_value *value)
{
    struct validate_number number;
    if (!validate_number_read(cell.text, cell.length, r->decimal, &number))
        return false;
    bool whole = number.is_integer && column->scale == 1 && number.step <= 1;
    double step = number.step == 1 ? 0.01 : number.step; /* ncu leaves ".00" away */
    *value = (struct validate_value){.name = column->name,
                                     .unit = column->unit,
                                     .shown = copy(r, cell),
                                     .is_integer = whole,
                                     .integer = whole ? number.integer : 0,
                                     .real = number.real * column->scale,
                                     .step = step * column->scale};
    return true;
}

static void read_launch(struct reader *r)
{
    struct validate_launch launch = {.name = "",
                                     .file = "",
                                     .form = "",
                                     .device = "",
                                     .mode = "",
                                     .status = "ok",
                                     .message = "",
                                     .options = "",
                                     .card = ""};
    struct validate_value *values = base_arena_alloc(&r->out->arena, r->columns.count, sizeof(*values));
    read_identity(r, &launch);
    for (size_t i = 0; values && i < r->columns.count; i++) {
        const struct column *column = &r->columns.data[i];
        if (strcmp(column->name, "device__attribute_display_name") == 0)
            launch.card = copy(r, r->line.cells.data[i]);
        else if (column->is_metric && read_value(r, column, r->line.cells.data[i], &values[launch.value_count]))
            launch.value_count++;
    }
    if (!values || !launch.kernel || !base_vec_push(&r->out->launches, launch)) {
        fail(r, BASE_NOMEM);
        return;
    }
    struct validate_launch *kept = &r->out->launches.data[r->out->launches.count - 1];
    kept->values = values;
    kept->value_count = validate_values_sort(values, kept->value_count);
}

/* One walk; `use` gets each launch's row, its cells taken apart. The number of rows of names that were met. */
static size_t walk(struct reader *r, void (*use)(struct reader *r))
{
    size_t tables = 0;
    r->at = r->number = 0;
    r->separator = '\0';
    while (next_line(r)) {
        if (is_names(r)) {
            tables++;
            read_names(r);
        } else if (is_row(r) && take_row(r)) {
            if (is_units(r))
                read_units(r);
            else
                use(r);
            r->units_due = false;
        }
    }
    return tables;
}

/* Why there is no table: what ncu said, if it said something. */
static void explain_nothing(struct reader *r)
{
    static const char *const pages[] = {"\"#\"", "\"Address\"", "#,", "Address,"};
    r->at = r->number = 0;
    while (next_line(r)) {
        if (begins(r, "==ERROR==") || begins(r, "==WARNING== No kernels")) {
            complain(r, "ncu made no table, but said this");
            return;
        }
        for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
            if (begins(r, pages[i])) {
                complain(r, "this is ncu's source page, one instruction a line; print the raw page: "
                            "ncu --csv --page raw");
                return;
            }
        }
    }
    base_diag_add(r->diags, BASE_ERROR, NULL, 0, 0, "%s: %s", r->source->name,
                  r->source->size == 0 ? "the file is empty"
                                       : "neither what ncu --csv --page raw prints nor simtlab's JSON: no line begins "
                                         "with \"ID\"");
    fail(r, BASE_INVALID);
}

enum base_status validate_ncu_read(const struct base_source *source, struct validate_measure *out,
                                   struct base_diags *diags)
{
    struct reader r = {.source = source, .out = out, .diags = diags};
    size_t tables = walk(&r, look_at_row);
    if (r.status == BASE_OK && tables == 0)
        explain_nothing(&r);
    if (r.status == BASE_OK && decide_locale(&r))
        walk(&r, read_launch);
    if (r.status == BASE_OK && out->launches.count == 0) {
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0, "%s: names of metrics, but no launch", source->name);
        r.status = BASE_INVALID;
    }
    base_vec_free(&r.columns);
    base_vec_free(&r.line.cells);
    return r.status;
}
