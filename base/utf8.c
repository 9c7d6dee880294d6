/* Which bytes are a character. */
#include "base/utf8.h"

#include <stdbool.h>

size_t base_utf8_length(const char *text, size_t size)
{
    const unsigned char *byte = (const unsigned char *)text;
    if (byte[0] < 0x80)
        return 1;
    size_t length = byte[0] >= 0xf0 ? 4 : byte[0] >= 0xe0 ? 3 : 2;
    if (byte[0] < 0xc2 || byte[0] > 0xf4 || length > size)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((byte[i] & 0xc0) != 0x80)
            return 0;
    }
    bool wrong = (byte[0] == 0xe0 && byte[1] < 0xa0) || (byte[0] == 0xed && byte[1] > 0x9f) ||
                 (byte[0] == 0xf0 && byte[1] < 0x90) || (byte[0] == 0xf4 && byte[1] > 0x8f);
    return wrong ? 0 : length;
}
