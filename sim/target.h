/* A text's .target against a device. */
#ifndef SIM_TARGET_H
#define SIM_TARGET_H

#include "isa/isa.h"
#include "sim/device.h"

#include <stdbool.h>

/* Adds a warning when the device is older than the text's .target; an architecture-specific target (sm_90a) needs
 * exactly that compute capability, a family-specific one (sm_100f) the same major number. False: it is machine code of
 * another card, which is an error. */
bool sim_target_check(const struct isa_module *module, const struct sim_device *device, struct base_diags *diags);

#endif
