/* The reader of device profiles: lines `key = value`, `#` comments, `base = NAME` first if at all.
 *
 * A wrong line is reported and skipped, so one reading finds every mistake. Single values are checked against the
 * ranges of sim/device.def as they are read; what ties parameters together is checked at the end.
 */
#include "sim/device.h"
#include "sim/device_internal.h"

#include "base/near.h"

#include <inttypes.h>
#include <string.h>

static const char from_profile[] = "profile file";

struct reader {
    const struct base_source *source;
    struct base_diags *diags;
    struct sim_device *device;
    bool failed, any;              /* any: a setting was already seen */
    bool is_set[SIM_PARAM_COUNT];  /* by this file */
    size_t place[SIM_PARAM_COUNT]; /* offset of the value, for checks at the end */
    size_t extent[SIM_PARAM_COUNT];
};

/* A stretch of the source. */
struct span {
    size_t offset, length;
};

static const char *span_text(const struct reader *r, struct span span)
{
    return span.length ? r->source->text + span.offset : "";
}

static bool span_is(const struct reader *r, struct span span, const char *word)
{
    return span.length == strlen(word) && memcmp(span_text(r, span), word, span.length) == 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static struct span trim(const struct reader *r, size_t begin, size_t end)
{
    const char *text = r->source->text;
    while (begin < end && is_blank(text[begin]))
        begin++;
    while (end > begin && is_blank(text[end - 1]))
        end--;
    return (struct span){begin, end - begin};
}

#define COMPLAIN(r, span, ...)                                                                                         \
    ((r)->failed = true, base_diag_add((r)->diags, BASE_ERROR, (r)->source, (span).offset, (span).length, __VA_ARGS__))

/* Words of messages are cut so that a hostile line cannot make a hostile message. */
static int shown(struct span span)
{
    return span.length > SIM_DEVICE_WORD_MAX ? SIM_DEVICE_WORD_MAX : (int)span.length;
}

static bool parse_number(const char *text, size_t length, uint64_t *value)
{
    uint64_t number = 0, base = 10;
    size_t i = 0;
    if (length > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        base = 16;
        i = 2;
    }
    if (i == length)
        return false;
    for (; i < length; i++) {
        char c = text[i];
        uint64_t digit = c >= '0' && c <= '9'   ? (uint64_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint64_t)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (uint64_t)(c - 'A') + 10
                                                : 99;
        if (digit >= base || number > (UINT64_MAX - digit) / base)
            return false;
        number = number * base + digit;
    }
    *value = number;
    return true;
}

static bool read_number(struct reader *r, const struct sim_param *param, struct span word, uint64_t *value)
{
    if (!parse_number(span_text(r, word), word.length, value)) {
        COMPLAIN(r, word, "'%.*s' is not a whole number", shown(word), span_text(r, word));
        return false;
    }
    if (*value < param->min || *value > param->max) {
        COMPLAIN(r, word, "%s must be %" PRIu64 " to %" PRIu64 "%s%s", param->field, param->min, param->max,
                 *param->unit ? " " : "", param->unit);
        return false;
    }
    return true;
}

static bool read_list(struct reader *r, const struct sim_param *param, struct span value, struct sim_device_list *list)
{
    struct sim_device_list got = {0};
    size_t end = value.offset + value.length;
    for (size_t at = value.offset; at < end;) {
        size_t stop = at;
        while (stop < end && !is_blank(r->source->text[stop]))
            stop++;
        struct span word = {at, stop - at};
        uint64_t number = 0;
        if (!read_number(r, param, word, &number))
            return false;
        if (got.count == SIM_DEVICE_LIST_MAX) {
            COMPLAIN(r, word, "%s may have %d numbers", param->field, SIM_DEVICE_LIST_MAX);
            return false;
        }
        bool may_repeat = param == sim_param_at(SIM_PARAM_AT_gpc_sms);
        if (got.count && number <= got.items[got.count - 1] && !(may_repeat && number == got.items[got.count - 1])) {
            COMPLAIN(r, word, "%s must rise", param->field);
            return false;
        }
        got.items[got.count++] = (uint32_t)number;
        at = stop;
        while (at < end && is_blank(r->source->text[at]))
            at++;
    }
    *list = got;
    return true;
}

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("-_.+", c) != NULL);
}

static bool read_text(struct reader *r, size_t index, struct span value, char *text)
{
    const struct sim_param *param = sim_param_at(index);
    if (value.length >= SIM_DEVICE_TEXT_MAX) {
        COMPLAIN(r, value, "%s may have %d bytes", param->field, SIM_DEVICE_TEXT_MAX - 1);
        return false;
    }
    for (size_t i = 0; i < value.length; i++) {
        char c = r->source->text[value.offset + i];
        if (c < 0x20 || c > 0x7e || (index == SIM_PARAM_AT_name && !is_word_byte(c))) {
            COMPLAIN(r, ((struct span){value.offset + i, 1}), "%s may not have this character", param->field);
            return false;
        }
    }
    memcpy(text, span_text(r, value), value.length);
    text[value.length] = '\0';
    return true;
}

static void read_value(struct reader *r, size_t index, struct span value)
{
    const struct sim_param *param = sim_param_at(index);
    void *field = (char *)r->device + param->offset;
    uint64_t number = 0;

    r->is_set[index] = true;
    r->place[index] = value.offset;
    r->extent[index] = value.length;
    r->device->source[index] = from_profile;
    switch (param->kind) {
    case SIM_PARAM_TEXT:
        read_text(r, index, value, field);
        break;
    case SIM_PARAM_U32:
        if (read_number(r, param, value, &number))
            *(uint32_t *)field = (uint32_t)number;
        break;
    case SIM_PARAM_U64:
        if (read_number(r, param, value, &number))
            *(uint64_t *)field = number;
        break;
    case SIM_PARAM_LIST:
        read_list(r, param, value, field);
        break;
    }
}

static void read_base(struct reader *r, struct span key, struct span value)
{
    char name[SIM_DEVICE_WORD_MAX + 1];
    if (r->any) {
        COMPLAIN(r, key, "base must come first");
        return;
    }
    const struct sim_device *base = NULL;
    const char *near_name = NULL;
    if (value.length <= SIM_DEVICE_WORD_MAX) {
        memcpy(name, span_text(r, value), value.length);
        name[value.length] = '\0';
        base = sim_device_find(name);
        near_name = sim_device_suggest(name);
    }
    if (base)
        *r->device = *base;
    else
        COMPLAIN(r, value, "there is no device '%.*s'%s%s%s", shown(value), span_text(r, value),
                 near_name ? "; did you mean '" : "", near_name ? near_name : "", near_name ? "'?" : "");
}

static void unknown_key(struct reader *r, struct span key)
{
    const char *near_name = NULL;
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < SIM_PARAM_COUNT; i++) {
        if (base_word_is_near(span_text(r, key), key.length, sim_param_at(i)->field, &best))
            near_name = sim_param_at(i)->field;
    }
    COMPLAIN(r, key, "there is no parameter '%.*s'%s%s%s", shown(key), span_text(r, key),
             near_name ? "; did you mean '" : "", near_name ? near_name : "", near_name ? "'?" : "");
}

static void read_line(struct reader *r, size_t begin, size_t end)
{
    const char *text = r->source->text;
    const char *hash = memchr(text + begin, '#', end - begin);
    if (hash)
        end = (size_t)(hash - text);
    struct span line = trim(r, begin, end);
    if (line.length == 0)
        return;
    const char *equals = memchr(text + line.offset, '=', line.length);
    if (!equals) {
        COMPLAIN(r, line, "a line must be 'key = value'");
        return;
    }
    struct span key = trim(r, line.offset, (size_t)(equals - text));
    struct span value = trim(r, (size_t)(equals - text) + 1, line.offset + line.length);
    size_t index = 0;
    while (index < SIM_PARAM_COUNT && !span_is(r, key, sim_param_at(index)->field))
        index++;
    if (value.length == 0)
        COMPLAIN(r, line, "a line must be 'key = value'");
    else if (span_is(r, key, "base"))
        read_base(r, key, value);
    else if (index == SIM_PARAM_COUNT)
        unknown_key(r, key);
    else if (r->is_set[index])
        COMPLAIN(r, key, "%s is set twice", sim_param_at(index)->field);
    else
        read_value(r, index, value);
    r->any = true;
}

static void complain_at(struct reader *r, size_t index, const char *must)
{
    struct span span = {r->place[index], r->extent[index]};
    COMPLAIN(r, span, "%s %s", sim_param_at(index)->field, must);
}

static void check_power_of_two(struct reader *r, size_t index)
{
    uint64_t number = sim_param_number(r->device, index, 0);
    if (number & (number - 1))
        complain_at(r, index, "must be a power of two");
}

/* The message goes to whichever of the two the file sets. */
static void check_order(struct reader *r, size_t low, size_t high)
{
    uint64_t low_value = sim_param_number(r->device, low, 0), high_value = sim_param_number(r->device, high, 0);
    if (low_value <= high_value)
        return;
    size_t at = r->is_set[low] ? low : high;
    struct span span = {r->place[at], r->extent[at]};
    COMPLAIN(r, span, "%s (%" PRIu64 ") must not be more than %s (%" PRIu64 ")", sim_param_at(low)->field, low_value,
             sim_param_at(high)->field, high_value);
}

static void check_together(struct reader *r)
{
    static const uint8_t powers[] = {SIM_PARAM_AT_bank_count,          SIM_PARAM_AT_bank_bytes,
                                     SIM_PARAM_AT_line_bytes,          SIM_PARAM_AT_sector_bytes,
                                     SIM_PARAM_AT_l1_fetch_bytes,      SIM_PARAM_AT_global_request_lanes,
                                     SIM_PARAM_AT_global_request_bytes};
    static const uint8_t orders[][2] = {
        {SIM_PARAM_AT_sector_bytes, SIM_PARAM_AT_line_bytes},
        {SIM_PARAM_AT_l1_fetch_bytes, SIM_PARAM_AT_line_bytes},
        {SIM_PARAM_AT_shared_per_block_bytes, SIM_PARAM_AT_shared_per_block_optin_bytes},
        {SIM_PARAM_AT_shared_per_block_optin_bytes, SIM_PARAM_AT_shared_per_sm_bytes},
        {SIM_PARAM_AT_shared_per_sm_bytes, SIM_PARAM_AT_unified_bytes},
        {SIM_PARAM_AT_registers_per_block, SIM_PARAM_AT_registers_per_sm},
        {SIM_PARAM_AT_min_registers_per_thread, SIM_PARAM_AT_max_registers_per_thread},
        {SIM_PARAM_AT_max_cluster_blocks, SIM_PARAM_AT_max_cluster_blocks_nonportable},
    };
    for (size_t i = 0; i < sizeof powers / sizeof powers[0]; i++)
        check_power_of_two(r, powers[i]);
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++)
        check_order(r, orders[i][0], orders[i][1]);
}

/* The first parameter, beside its name, in which a device is not the built-in one; SIM_PARAM_COUNT: none. */
static size_t first_change(const struct sim_device *device, const struct sim_device *built_in)
{
    size_t index = 0;
    while (index < SIM_PARAM_COUNT && (index == SIM_PARAM_AT_name || sim_param_is_same(device, built_in, index)))
        index++;
    return index;
}

/* A profile that changes something goes by a name of its own: its `name`, else its file's. */
static void check_name(struct reader *r)
{
    char *name = r->device->name;
    const struct sim_device *built_in = sim_device_find(name);
    size_t change = built_in ? first_change(r->device, built_in) : SIM_PARAM_COUNT;
    if (r->is_set[SIM_PARAM_AT_name]) {
        struct span span = {r->place[SIM_PARAM_AT_name], r->extent[SIM_PARAM_AT_name]};
        if (change < SIM_PARAM_COUNT)
            COMPLAIN(r, span, "%s is a built-in device, which has another %s; give this one a name of its own", name,
                     sim_param_at(change)->field);
        return;
    }
    if (built_in && change == SIM_PARAM_COUNT)
        return;
    const char *slash = strrchr(r->source->name, '/'), *file = slash ? slash + 1 : r->source->name;
    size_t length = 0;
    for (; file[length] != '\0' && length + 1 < SIM_DEVICE_TEXT_MAX; length++)
        name[length] = is_word_byte(file[length]) ? file[length] : '_';
    name[length] = '\0';
    if (length == 0 || sim_device_find(name))
        strcpy(name, sim_param_at(SIM_PARAM_AT_name)->initial_text);
    r->device->source[SIM_PARAM_AT_name] = "the profile's file";
}

/* The table's defaults are text in the same form as a file's values. */
static enum base_status set_defaults(struct sim_device *device)
{
    for (size_t i = 0; i < SIM_PARAM_COUNT; i++) {
        const struct sim_param *param = sim_param_at(i);
        struct base_source source = {param->field, param->initial_text, strlen(param->initial_text)};
        struct reader r = {.source = &source, .device = device};
        read_value(&r, i, (struct span){0, source.size});
        device->source[i] = param->initial_source;
        if (r.failed)
            return BASE_INVALID;
    }
    return BASE_OK;
}

enum base_status sim_device_read(const struct base_source *source, struct sim_device *out, struct base_diags *diags)
{
    struct reader r = {.source = source, .diags = diags, .device = out};

    memset(out, 0, sizeof *out);
    if (set_defaults(out) != BASE_OK)
        return BASE_INVALID;
    for (size_t begin = 0; begin < source->size;) {
        const char *newline = memchr(source->text + begin, '\n', source->size - begin);
        size_t end = newline ? (size_t)(newline - source->text) : source->size;
        read_line(&r, begin, end);
        begin = end + 1;
    }
    if (!r.failed)
        check_together(&r);
    if (!r.failed)
        check_name(&r);
    return r.failed ? BASE_INVALID : BASE_OK;
}
