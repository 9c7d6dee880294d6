/* The words for enum base_status. */
#include "base/status.h"

const char *base_status_name(enum base_status status)
{
    switch (status) {
    case BASE_OK:
        return "ok";
    case BASE_INVALID:
        return "invalid";
    case BASE_UNSUPPORTED:
        return "unsupported";
    case BASE_NOMEM:
        return "out of memory";
    case BASE_IO:
        return "I/O error";
    }
    return "unknown status";
}
