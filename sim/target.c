/* Whether a device may run a text at all, by the text's .target: a driver refuses what is for a newer GPU, and machine
 * code that is for another major version.
 *
 * PTX is run all the same, for what its instructions do does not change; but the launch would not run on that card, so
 * it is told. Machine code of another card is refused as the driver does: that card has other instructions. */
#include "sim/target.h"

#include <ctype.h>
#include <string.h>

/* "sm_90a": 9, 0 and 'a'. False: something else. */
static bool parse(const char *target, uint32_t *major, uint32_t *minor, char *suffix)
{
    uint32_t number = 0;
    unsigned digits = 0;
    if (target == NULL || strncmp(target, "sm_", 3) != 0)
        return false;
    for (target += 3; isdigit((unsigned char)*target) && digits < 4; target++, digits++)
        number = number * 10 + (uint32_t)(*target - '0');
    *major = number / 10;
    *minor = number % 10;
    *suffix = *target;
    return digits >= 2 && (*target == '\0' || target[1] == '\0');
}

bool sim_target_check(const struct isa_module *module, const struct sim_device *device, struct base_diags *diags)
{
    uint32_t major = 0, minor = 0;
    char suffix = '\0';
    if (!parse(module->target, &major, &minor, &suffix))
        return true;
    const uint32_t have_major = device->compute_major, have_minor = device->compute_minor;
    const bool same = have_major == major && have_minor == minor,
               same_family = have_major == major && have_minor >= minor;
    const bool machine = module->form == ISA_FORM_SASS;
    const char *needs = machine ? "or a later one of that major version, for it is machine code" : "or newer";
    bool runs = machine ? same_family : have_major > major || same_family;
    if (suffix == 'a') {
        needs = "exactly";
        runs = same;
    } else if (suffix == 'f' && !machine) {
        needs = "or newer of the same family";
        runs = same_family;
    }
    if (!runs && machine)
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0,
                      "no kernel image is available for execution on the device: %s is for %s, which needs compute "
                      "capability %u.%u %s; --device %s has %u.%u",
                      module->source.name, module->target, major, minor, needs, device->name, have_major, have_minor);
    else if (!runs)
        base_diag_add(diags, BASE_WARNING, NULL, 0, 0,
                      "%s is for %s, which needs compute capability %u.%u %s; %s has %u.%u and would refuse it",
                      module->source.name, module->target, major, minor, needs, device->name, have_major, have_minor);
    return runs || !machine;
}
