/* Control flow inside isa/: graphs, post-dominators of any graph with an exit, pressure for the estimate of registers.
 *
 * Not installed; isa/isa.h has what the other layers need. */
#ifndef ISA_CFG_H
#define ISA_CFG_H

#include "isa/isa.h"

/* A graph whose node 0 is the entry. Node n's successors are succ[first[n]] .. succ[first[n + 1] - 1]; exits[n]: the
 * exit is one more successor of n. */
struct isa_graph {
    size_t node_count;
    const uint32_t *first, *succ;
    const bool *exits;
};

/* ipdom[n]: the immediate post-dominator of node n, -1 for the exit and for nodes that the entry cannot reach.
 * From a loop that never ends an edge to the exit is assumed, at its far end as seen from the entry: then everything
 * inside the loop has a post-dominator inside the loop. O(edges * log(nodes)) for every graph, no recursion. */
enum base_status isa_graph_post_dominators(const struct isa_graph *graph, int32_t *ipdom);

/* isa_cfg_build(), and a call of a function that never returns ends its block. */
enum base_status isa_cfg_build_in(const struct isa_module *module, const struct isa_function *function,
                                  struct base_arena *arena, struct isa_cfg *cfg);

/* The successors that `insn`, the instruction at `index`, gives its block when it is the block's last: whether the
 * next instruction is one, whether the exit is one. Branch targets are told by isa_insn_targets(). */
bool isa_insn_falls_through(const struct isa_module *module, const struct isa_function *function,
                            const struct isa_insn *insn);
bool isa_insn_exits(const struct isa_module *module, const struct isa_function *function, const struct isa_insn *insn);

/* The instruction indices a branch may jump to; the function's instruction count stands for its end. */
const uint32_t *isa_insn_targets(const struct isa_function *function, const struct isa_insn *insn, size_t *count);

/* isa_assign_slots(), and the pressure without fixed values: those that machine code can read in place from the
 * constant bank or a uniform register (parameters of a kernel, constants, addresses, what the whole block shares). */
enum base_status isa_assign_slots_in(const struct isa_function *function, const struct isa_cfg *cfg,
                                     struct base_arena *arena, struct isa_slots *slots, uint32_t *varying_pressure);

#endif
