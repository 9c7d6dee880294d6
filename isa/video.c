/* Reading and writing the parts of registers that video instructions name. */
#include "isa/video.h"

#include <string.h>

unsigned isa_video_lanes(unsigned op)
{
    if (op < ISA_OP_VADD || op > ISA_OP_VSET4)
        return 0;
    return op < ISA_OP_VADD2 ? 1 : op < ISA_OP_VADD4 ? 2 : 4;
}

static const char *const part_names[] = {"", "b0", "b1", "b2", "b3", "h0", "h1"};

static uint16_t scalar_part(const char *text, uint32_t length)
{
    for (uint16_t i = 1; i < sizeof part_names / sizeof *part_names; i++)
        if (length == 2 && memcmp(text, part_names[i], 2) == 0)
            return i;
    return ISA_VIDEO_WHOLE;
}

/* ".b20": lanes in falling order. */
static uint16_t lane_mask(const char *digits, uint32_t count, unsigned lanes)
{
    unsigned mask = 0, last = lanes;
    for (uint32_t i = 0; i < count; i++) {
        const unsigned lane = (unsigned)digits[i] - '0';
        if (lane >= last)
            return 0;
        mask |= 1U << lane;
        last = lane;
    }
    return (uint16_t)(mask | ISA_VIDEO_GIVEN);
}

static uint16_t lane_elements(const char *digits, uint32_t count, unsigned lanes)
{
    unsigned elements = 0;
    for (uint32_t i = 0; i < count; i++) {
        const unsigned element = (unsigned)digits[i] - '0';
        if (element >= 2 * lanes)
            return 0;
        elements = elements << 3 | element;
    }
    return count == lanes ? (uint16_t)(elements | ISA_VIDEO_GIVEN) : 0;
}

uint16_t isa_video_select(unsigned op, bool destination, const char *text, uint32_t length)
{
    const unsigned lanes = isa_video_lanes(op);
    if (lanes == 1)
        return scalar_part(text, length);
    if (length < 2 || length > lanes + 1U || text[0] != (lanes == 2 ? 'h' : 'b'))
        return 0;
    return destination ? lane_mask(text + 1, length - 1, lanes) : lane_elements(text + 1, length - 1, lanes);
}

void isa_video_print(unsigned op, bool destination, uint16_t select, struct base_strbuf *out)
{
    const unsigned lanes = isa_video_lanes(op);
    if (select == 0)
        return;
    if (lanes == 1) {
        base_strbuf_printf(out, ".%s", part_names[select]);
        return;
    }
    base_strbuf_puts(out, lanes == 2 ? ".h" : ".b");
    for (unsigned lane = lanes; lane-- > 0;) {
        if (!destination)
            base_strbuf_printf(out, "%u", isa_video_element(select, lane, 0));
        else if (select >> lane & 1)
            base_strbuf_printf(out, "%u", lane);
    }
}

unsigned isa_video_mask(uint16_t select, unsigned lanes)
{
    return select ? select & ~ISA_VIDEO_GIVEN : (1U << lanes) - 1;
}

unsigned isa_video_element(uint16_t select, unsigned lane, unsigned first)
{
    return select ? select >> (3 * lane) & 7U : first + lane;
}
