/* A modelled GPU: plain data, every number with its source.
 *
 * sim/device.def is the one list of parameters; this header makes the struct and the parameter numbers of it. Built-in
 * profiles are constant. A profile file changes some of them:
 *
 *     base = h200            # optional, first: start from this profile; without it from the defaults
 *     name = half-h200
 *     sm_count = 66
 *     shared_carveouts_kib = 0 8 16 32 64 100
 *
 * Without a name it goes by that of its file: only what is the same in every parameter is called like a built-in one.
 */
#ifndef SIM_DEVICE_H
#define SIM_DEVICE_H

#include "base/diag.h"
#include "base/strbuf.h"

#include <stddef.h>
#include <stdint.h>

#define SIM_DEVICE_TEXT_MAX 48 /* bytes of a TEXT parameter, its NUL included */
#define SIM_DEVICE_LIST_MAX 12

struct sim_device_list {
    uint32_t count;
    uint32_t items[SIM_DEVICE_LIST_MAX];
};

enum sim_param_kind { SIM_PARAM_TEXT, SIM_PARAM_U32, SIM_PARAM_U64, SIM_PARAM_LIST };

/* SIM_PARAM_AT_sm_count and so on: the place of a parameter in the table. */
enum sim_param_index {
#define PARAM(field, kind, unit, initial, min, max, help, source) SIM_PARAM_AT_##field,
#include "sim/device.def"
#undef PARAM
    SIM_PARAM_COUNT
};

#define SIM_FIELD_TEXT(field) char field[SIM_DEVICE_TEXT_MAX];
#define SIM_FIELD_U32(field)  uint32_t field;
#define SIM_FIELD_U64(field)  uint64_t field;
#define SIM_FIELD_LIST(field) struct sim_device_list field;

struct sim_device {
#define PARAM(field, kind, unit, initial, min, max, help, source) SIM_FIELD_##kind(field)
#include "sim/device.def"
#undef PARAM
    /* Where each value comes from; constant text. A value nobody published or measured says "unsourced". */
    const char *source[SIM_PARAM_COUNT];
};

#undef SIM_FIELD_TEXT
#undef SIM_FIELD_U32
#undef SIM_FIELD_U64
#undef SIM_FIELD_LIST

struct sim_param {
    const char *field, *unit, *help;
    enum sim_param_kind kind;
    size_t offset; /* of the field in struct sim_device */
    const char *initial_text, *initial_source;
    uint64_t min, max;
};

/* Row of the table, NULL past the end. */
const struct sim_param *sim_param_at(size_t index);

/* Built-in profiles, oldest first. find: NULL when there is none of that name (letter case does not matter). */
size_t sim_device_count(void);
const struct sim_device *sim_device_at(size_t index);
const struct sim_device *sim_device_find(const char *name);
/* The built-in name that `name` looks like, or NULL: for "did you mean". */
const char *sim_device_suggest(const char *name);

/* Reads a profile. On errors every wrong line has a diagnostic and the answer is BASE_INVALID; `out` then holds nothing
 * of use. */
enum base_status sim_device_read(const struct base_source *source, struct sim_device *out, struct base_diags *diags);

#define SIM_GPC_MAX 64

/* SMs of each GPC; the answer is how many GPCs there are. What the profile knows (gpc_sms), or pairs of SMs shared out
 * evenly over gpc_count. */
uint32_t sim_device_gpcs(const struct sim_device *device, uint32_t sms[SIM_GPC_MAX]);

/* NULL when each parameter that cycles depend on is the H200's, of whose records the clock is fitted; else what to say
 * of cycles. */
const char *sim_device_uncalibrated(const struct sim_device *device);

/* One parameter's value as a profile file has it. */
void sim_device_value(const struct sim_device *device, size_t index, struct base_strbuf *out);
/* Every parameter with unit and source, then the same card in the words of cudaDeviceProp. */
void sim_device_print(const struct sim_device *device, struct base_strbuf *out);
/* Profile text that sim_device_read() makes the same device of. */
void sim_device_write(const struct sim_device *device, struct base_strbuf *out);
/* The page docs/devices.md. */
void sim_device_document(struct base_strbuf *out);

#endif
