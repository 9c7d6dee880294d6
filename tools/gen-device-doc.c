/* Writes docs/devices.md to standard output. */
#include "base/strbuf.h"
#include "sim/device.h"

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    struct base_strbuf out = {0};
    sim_device_document(&out);
    bool written = !out.failed && fwrite(out.data, 1, out.length, stdout) == out.length && fflush(stdout) == 0;
    base_strbuf_free(&out);
    return written ? EXIT_SUCCESS : EXIT_FAILURE;
}
