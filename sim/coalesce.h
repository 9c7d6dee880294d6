/* Coalescing and bank arithmetic: pure functions of the addresses of one warp instruction.
 *
 * Sources: shared/global rules as measured on the H200 (validate/records/h200, docs/model.md). `address` has 32
 * entries, those of lanes outside `mask` are ignored and may hold anything. width_bytes: bytes that each lane accesses
 * (element size times vector length): 1, 2, 4, 8, 16 or 32.
 */
#ifndef SIM_COALESCE_H
#define SIM_COALESCE_H

#include <stdbool.h>
#include <stdint.h>

/* Number of distinct aligned sectors of sector_bytes (a power of two) that the active lanes touch. 0 for an empty mask.
 */
uint32_t sim_sectors(const uint64_t address[32], uint32_t mask, uint32_t width_bytes, uint32_t sector_bytes);

/* The ideal by Nsight Compute's rule (memory_l2_theoretical_sectors_global_ideal): what the same lanes would need when
 * packed; lanes that share an address count once. */
uint32_t sim_sectors_ideal(const uint64_t address[32], uint32_t mask, uint32_t width_bytes, uint32_t sector_bytes);

enum sim_shared_kind { SIM_SHARED_LOAD, SIM_SHARED_STORE, SIM_SHARED_ATOMIC };

struct sim_wavefronts {
    uint32_t actual, ideal; /* memory_l1_wavefronts_shared, ..._ideal */
};

/* Shared-memory wavefronts of one instruction with `banks` banks of bank_bytes (powers of two; 32 and 4 on every real
 * GPU from Fermi on). Loads: groups of lanes by width, same words multicast, lane pairs n, n^1 or n, n^2 with equal
 * addresses through the whole warp are served as one for 64- and 128-bit. Stores: same word collapses, no pairing.
 * Atomics: lanes on one word serialise. */
struct sim_wavefronts sim_shared_wavefronts(const uint64_t address[32], uint32_t mask, uint32_t width_bytes,
                                            enum sim_shared_kind kind, uint32_t banks, uint32_t bank_bytes);

#endif
