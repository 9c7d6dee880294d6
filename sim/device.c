/* The parameter table in memory, and looking up built-in devices by name. */
#include "sim/device.h"
#include "sim/device_internal.h"

#include "base/near.h"

#include <inttypes.h>
#include <string.h>

/* The text of a default: a number as written in the table, or the string itself. */
#define SIM_INITIAL_TEXT(value) value
#define SIM_INITIAL_LIST(value) value
#define SIM_INITIAL_U32(value)  #value
#define SIM_INITIAL_U64(value)  #value

static const struct sim_param params[SIM_PARAM_COUNT] = {
#define PARAM(field, kind, unit, initial, min, max, help, source)                                                      \
    {#field, unit, help, SIM_PARAM_##kind, offsetof(struct sim_device, field), SIM_INITIAL_##kind(initial),            \
     source, min,  max},
#include "sim/device.def"
#undef PARAM
};

const struct sim_param *sim_param_at(size_t index)
{
    return index < SIM_PARAM_COUNT ? &params[index] : NULL;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same_word(const char *a, const char *b)
{
    while (*a && *b && lower(*a) == lower(*b))
        a++, b++;
    return *a == *b;
}

const struct sim_device *sim_device_find(const char *name)
{
    for (size_t i = 0; i < sim_device_count(); i++) {
        if (same_word(name, sim_device_at(i)->name))
            return sim_device_at(i);
    }
    return NULL;
}

const char *sim_device_suggest(const char *name)
{
    const char *found = NULL;
    size_t best = SIZE_MAX;
    size_t length = strlen(name);

    for (size_t i = 0; i < sim_device_count(); i++) {
        if (base_word_is_near(name, length, sim_device_at(i)->name, &best))
            found = sim_device_at(i)->name;
    }
    return found;
}

uint32_t sim_device_gpcs(const struct sim_device *device, uint32_t sms[SIM_GPC_MAX])
{
    const struct sim_device_list *known = &device->gpc_sms;
    uint32_t sum = 0, pairs = device->sm_count / 2;
    uint32_t count = device->gpc_count < SIM_GPC_MAX ? device->gpc_count : SIM_GPC_MAX;
    for (uint32_t g = 0; g < known->count; g++)
        sum += sms[g] = known->items[g];
    if (sum == device->sm_count)
        return known->count;
    for (uint32_t g = 0; g < count; g++)
        sms[g] = 2 * (pairs / count + (g < pairs % count));
    sms[count - 1] += device->sm_count % 2;
    return count;
}

size_t sim_param_item_count(const struct sim_device *device, size_t index)
{
    const struct sim_param *param = &params[index];
    if (param->kind != SIM_PARAM_LIST)
        return 1;
    return ((const struct sim_device_list *)(const void *)((const char *)device + param->offset))->count;
}

uint64_t sim_param_number(const struct sim_device *device, size_t index, size_t item)
{
    const struct sim_param *param = &params[index];
    const void *field = (const char *)device + param->offset;
    switch (param->kind) {
    case SIM_PARAM_U32:
        return *(const uint32_t *)field;
    case SIM_PARAM_U64:
        return *(const uint64_t *)field;
    case SIM_PARAM_LIST:
        return ((const struct sim_device_list *)field)->items[item];
    case SIM_PARAM_TEXT:
        break;
    }
    return 0;
}

bool sim_param_is_same(const struct sim_device *a, const struct sim_device *b, size_t index)
{
    const size_t offset = params[index].offset;
    if (params[index].kind == SIM_PARAM_TEXT)
        return strcmp((const char *)a + offset, (const char *)b + offset) == 0;
    bool same = sim_param_item_count(a, index) == sim_param_item_count(b, index);
    for (size_t i = 0; same && i < sim_param_item_count(a, index); i++)
        same = sim_param_number(a, index, i) == sim_param_number(b, index, i);
    return same;
}

void sim_device_value(const struct sim_device *device, size_t index, struct base_strbuf *out)
{
    if (index >= SIM_PARAM_COUNT)
        return;
    if (params[index].kind == SIM_PARAM_TEXT) {
        base_strbuf_puts(out, (const char *)device + params[index].offset);
        return;
    }
    for (size_t i = 0; i < sim_param_item_count(device, index); i++)
        base_strbuf_printf(out, "%s%" PRIu64, i ? " " : "", sim_param_number(device, index, i));
}

void sim_device_write(const struct sim_device *device, struct base_strbuf *out)
{
    base_strbuf_printf(out, "# %s\n", device->product);
    for (size_t i = 0; i < SIM_PARAM_COUNT; i++) {
        base_strbuf_printf(out, "%s = ", params[i].field);
        sim_device_value(device, i, out);
        base_strbuf_printf(out, "%s%s  # %s\n", *params[i].unit ? "  # " : "", params[i].unit, device->source[i]);
    }
}
