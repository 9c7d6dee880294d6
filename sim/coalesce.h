/* Coalescing and bank arithmetic: pure functions of the addresses of one warp instruction.
 *
 * Rules as measured on the H200 (validate/records/h200/lanes; docs/model.md). `address` has 32
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

/* The ideal by Nsight Compute's rule (memory_l2_theoretical_sectors_global_ideal): what the active lanes' bytes fill
 * when put side by side, or the sectors they do touch when those are fewer (lanes that share addresses). Loads, stores
 * and atomics alike. */
uint32_t sim_sectors_ideal(const uint64_t address[32], uint32_t mask, uint32_t width_bytes, uint32_t sector_bytes);

/* Bytes that at least one active lane touches: smsp__sass_average_data_bytes_per_sector_mem_global_op_{ld,st}
 * (validate/records/h200/kernels: 4 bytes of a sector that all lanes read one word of). */
uint32_t sim_distinct_bytes(const uint64_t address[32], uint32_t mask, uint32_t width_bytes);

/* Sectors, the ideal number of them, and those bytes. */
struct sim_global_sectors {
    uint32_t actual, ideal, bytes;
};
/* The first two; the bytes are left 0. */
struct sim_global_sectors sim_sectors_both(const uint64_t address[32], uint32_t mask, uint32_t width_bytes,
                                           uint32_t sector_bytes);
/* All three of a full warp whose lane i is at first + i * step. False where no closed form holds. */
bool sim_sectors_even(uint64_t first, uint64_t step, uint32_t width_bytes, uint32_t sector_bytes,
                      struct sim_global_sectors *result);

/* l1tex__t_sectors_pipe_lsu_mem_global_op_{red,atom}: lanes that work on one element follow each other, so a sector
 * counts as often as the most lanes work on one element in it (validate/records/h200/atomics). */
uint32_t sim_sectors_atomic(const uint64_t address[32], uint32_t mask, uint32_t width_bytes, uint32_t sector_bytes);

enum sim_shared_kind { SIM_SHARED_LOAD, SIM_SHARED_STORE, SIM_SHARED_ATOMIC };

struct sim_wavefronts {
    uint32_t actual, ideal; /* memory_l1_wavefronts_shared, ..._ideal */
};

/* Shared-memory wavefronts of one instruction with `banks` banks of bank_bytes (powers of two; 32 and 4 on every real
 * GPU from Fermi on). Lanes are served in groups that fill all banks once (32, 16 or 8 lanes for 4, 8 or 16 bytes), a
 * group in as many passes as the most different words that one bank must give.
 *
 * Loads of 8 and 16 bytes: two neighbouring groups that ask no bank twice are one pass when lane pairs n, n^1 or
 * n, n^2 have equal addresses (or when some group of the warp is idle); lanes that all have one address need a pass for
 * each two groups' worth of them. Stores: same words collapse, groups never merge. Atomics: lanes on one word follow
 * each other. Ideal: what the active lanes' bytes fill, or the actual number if that is less. */
struct sim_wavefronts sim_shared_wavefronts(const uint64_t address[32], uint32_t mask, uint32_t width_bytes,
                                            enum sim_shared_kind kind, uint32_t banks, uint32_t bank_bytes);
/* The same of a full warp whose lane i is at first + i * step. False where no closed form holds. */
bool sim_shared_wavefronts_even(uint64_t first, uint64_t step, uint32_t width_bytes, enum sim_shared_kind kind,
                                uint32_t banks, uint32_t bank_bytes, struct sim_wavefronts *result);

/* Atomics that are served in another way than SIM_SHARED_ATOMIC (validate/records/h200/atomics). */
enum sim_shared_atomic {
    SIM_SHARED_ATOMIC_PLAIN,
    SIM_SHARED_ATOMIC_COUNT, /* ATOMS.POPC.INC, adding a constant 1 without a result: lanes on one word are one */
    SIM_SHARED_ATOMIC_CAS,   /* ATOMS.CAS: two wavefronts where others have one */
    SIM_SHARED_ATOMIC_CAST,  /* ATOMS.CAST.SPIN: two for each group of lanes; what meets on a bank fails but for one */
};
struct sim_wavefronts sim_shared_atomic_wavefronts(const uint64_t address[32], uint32_t mask, uint32_t width_bytes,
                                                   enum sim_shared_atomic how, uint32_t banks, uint32_t bank_bytes);

/* The rule told group by group: which lanes are served together, and in how many wavefronts; the sum of them is
 * `actual`. An access is free of bank conflicts when every group has one. */
struct sim_bank_group {
    uint32_t mask, wavefronts;
};
struct sim_bank_groups {
    uint32_t count;
    struct sim_bank_group items[32];
};
void sim_shared_groups(const uint64_t address[32], uint32_t mask, uint32_t width_bytes, enum sim_shared_kind kind,
                       uint32_t banks, uint32_t bank_bytes, struct sim_bank_groups *groups);

/* The same by the rules published for Fermi: groups never merge, and two neighbouring groups of an access as wide as
 * four banks (quarter-warps of 16 bytes) take one pass more than the worse of them alone. groups may be NULL. */
struct sim_wavefronts sim_shared_wavefronts_fermi(const uint64_t address[32], uint32_t mask, uint32_t width_bytes,
                                                  enum sim_shared_kind kind, uint32_t banks, uint32_t bank_bytes,
                                                  struct sim_bank_groups *groups);

#endif
