/* A simulated kernel's fault: what went wrong, where in the program and in the grid. */
#ifndef SIM_FAULT_H
#define SIM_FAULT_H

#include <stdbool.h>
#include <stdint.h>

enum sim_fault_kind {
    SIM_FAULT_NONE,
    SIM_FAULT_OUT_OF_BOUNDS,  /* no allocation holds the access */
    SIM_FAULT_MISALIGNED,     /* address not a multiple of the access's size */
    SIM_FAULT_NULL,           /* within 4 KiB of address 0 */
    SIM_FAULT_READ_ONLY,      /* a write to constant or parameter space */
    SIM_FAULT_STACK_OVERFLOW, /* calls nested past the thread's stack */
    SIM_FAULT_TRAP,
    SIM_FAULT_ASSERT,
    SIM_FAULT_DEADLOCK, /* nothing can run any more: a barrier that can never complete, lanes that wait for each other
                         */
    SIM_FAULT_RUNAWAY,  /* more warp instructions than the limit */
    SIM_FAULT_BAD_INSTRUCTION, /* an operand value the hardware refuses: barrier number, shuffle mask, branch index,
                                  call target */
    SIM_FAULT_COUNT
};

/* "out of bounds", "misaligned address", ... */
const char *sim_fault_kind_name(enum sim_fault_kind kind);

struct sim_fault {
    enum sim_fault_kind kind;
    uint32_t function, insn; /* in the module */
    uint32_t block[3], thread[3];
    bool has_address;
    uint64_t address;
    uint8_t space; /* enum isa_space; GENERIC when it says nothing */
    uint32_t width_bytes;
    bool is_write;
    char message[512]; /* one sentence for the user: "write of 4 bytes at 0x... is not aligned to 4" */
    char nearest[192]; /* nearest allocation: "12 bytes past the end of argument 0 (f32[256])"; "" if none */
};

#endif
