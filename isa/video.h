/* Parts of registers in video instructions: what isa_operand's `select` holds.
 *
 *   scalar (vadd ...)      source or destination: enum isa_video_part, written ".b0" ... ".h1"
 *   two or four lanes      source: for each lane the element of the pair [b:a] it takes, 3 bits each, lane 0 lowest,
 * with ISA_VIDEO_GIVEN; written ".h10", ".b7654", highest lane first destination: a bit for each lane that is written,
 * with ISA_VIDEO_GIVEN; written ".h10", ".b20"
 *
 * 0 is what is not written: the whole register; elements 0, 1 ... of a or b; all lanes. */
#ifndef ISA_VIDEO_H
#define ISA_VIDEO_H

#include "base/strbuf.h"
#include "isa/isa.h"

enum isa_video_part {
    ISA_VIDEO_WHOLE,
    ISA_VIDEO_B0,
    ISA_VIDEO_B1,
    ISA_VIDEO_B2,
    ISA_VIDEO_B3,
    ISA_VIDEO_H0,
    ISA_VIDEO_H1
};
#define ISA_VIDEO_GIVEN 0x8000U

/* 0: no video instruction. 1: a scalar one. 2, 4: so many lanes. */
unsigned isa_video_lanes(unsigned op);

/* The text behind a register's '.', as `select`; 0: it is none for that opcode. */
uint16_t isa_video_select(unsigned op, bool destination, const char *text, uint32_t length);
void isa_video_print(unsigned op, bool destination, uint16_t select, struct base_strbuf *out);

/* Lanes that a destination writes, and the element that a source takes for a lane; `first`: the element that lane 0
 * takes when nothing is written. */
unsigned isa_video_mask(uint16_t select, unsigned lanes);
unsigned isa_video_element(uint16_t select, unsigned lane, unsigned first);

#endif
