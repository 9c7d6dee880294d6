/* What a launch may ask of a device. Each check adds a diagnostic that names the limit, in the words of cudaDeviceProp
 * where it has one, and answers false when the launch cannot be.
 */
#ifndef SIM_LIMITS_H
#define SIM_LIMITS_H

#include "base/diag.h"
#include "isa/isa.h"
#include "sim/device.h"

#include <stdbool.h>
#include <stdint.h>

/* x * y * z; UINT64_MAX when that is more than 64 bits hold. */
uint64_t sim_limits_product(const uint32_t dim[3]);

/* kernel: may be NULL; what it declares holds too (.reqntid, .maxntid). */
bool sim_limits_block(const struct sim_device *device, const struct isa_function *kernel, const uint32_t block[3],
                      struct base_diags *diags);
/* `cluster` is what was asked for, or {1, 1, 1} and not has_cluster; what the kernel declares (.reqnctapercluster)
 * takes its place. */
bool sim_limits_cluster(const struct sim_device *device, const struct isa_function *kernel, bool has_cluster,
                        uint32_t cluster[3], struct base_diags *diags);
bool sim_limits_shared(const struct sim_device *device, uint64_t static_bytes, uint64_t dynamic_bytes,
                       struct base_diags *diags);
bool sim_limits_registers(const struct sim_device *device, uint32_t registers_per_thread, struct base_diags *diags);

/* Registers of a thread: `given` when that is not 0, else the estimate from the PTX under the caps that ptxas would
 * keep to: .maxnreg, or --maxrregcount (cap; 0: none) when the kernel has neither that nor .maxntid. Never fewer than a
 * card gives. */
uint32_t sim_launch_registers(const struct sim_device *device, const struct isa_function *kernel,
                              const struct isa_linked *linked, uint32_t given, uint32_t cap);

#endif
