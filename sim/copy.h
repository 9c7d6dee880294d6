/* What copies from global to shared memory (cp.async) cost, from the addresses of both sides. */
#ifndef SIM_COPY_H
#define SIM_COPY_H

#include "sim/coalesce.h"
#include "sim/effect.h"

/* Wavefronts of shared memory, where a line is as wide as all banks. Through L1 a wavefront moves words that no two
 * come from, or go to, one bank. Past L1 it takes places of one line in global memory to places of one line in shared
 * memory that differ by the same bits; a later lane's copy to the same place is none. */
struct sim_wavefronts sim_copy_wavefronts(const struct sim_copy *copy, uint32_t line_bytes);

/* Sectors of global memory that a copy past L1 asks for: a sector is one only when its halves stay together. */
struct sim_global_sectors sim_copy_sectors(const struct sim_copy *copy, uint32_t sector_bytes);

#endif
