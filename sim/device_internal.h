/* What the files about devices share, and nobody else needs. */
#ifndef SIM_DEVICE_INTERNAL_H
#define SIM_DEVICE_INTERNAL_H

#include "sim/device.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_DEVICE_WORD_MAX 64 /* longest name of a device that is looked up */

/* Numbers of a parameter: 1, or as many as its list has; and one of them. TEXT has none: 0. */
size_t sim_param_item_count(const struct sim_device *device, size_t index);
uint64_t sim_param_number(const struct sim_device *device, size_t index, size_t item);

/* Whether both have the same value of a parameter. */
bool sim_param_is_same(const struct sim_device *a, const struct sim_device *b, size_t index);

#endif
