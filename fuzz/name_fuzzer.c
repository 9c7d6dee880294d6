/* Bytes as the name of a function: base_demangle() must give text, whatever they are. */
#include "base/demangle.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct base_strbuf out = {0};
    char *name = malloc(size + 3);
    if (!name)
        return 0;
    memcpy(name, "_Z", 2);
    memcpy(name + 2, data, size);
    name[size + 2] = '\0';
    base_demangle(name, &out);
    if (!out.failed && !out.data)
        abort();
    base_strbuf_free(&out);
    free(name);
    return 0;
}
