/* Video instructions: parts of words, taken apart, computed and put together again. */
#ifndef SIM_VIDEO_H
#define SIM_VIDEO_H

#include "sim/engine.h"

/* What one thread computes; a, b, c: the source registers, c 0 where the instruction has none. */
uint32_t sim_video(const struct isa_insn *insn, const struct isa_operand *operands, uint32_t a, uint32_t b, uint32_t c);

/* All lanes of an instruction. */
void sim_video_run(const struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                   const struct sim_op *op, uint32_t mask);

#endif
