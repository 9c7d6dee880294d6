/* What a call can answer when it cannot do its work.
 *
 * Every function that can fail for a reason outside the program returns one of these. Text problems are told
 * through a struct base_diags as well; a simulated kernel's fault is not a status but a struct (sim/fault.h).
 */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

enum base_status {
    BASE_OK = 0,
    BASE_INVALID,     /* the input is wrong; a diagnostic says where and why */
    BASE_UNSUPPORTED, /* the input may be right, but this version cannot do it; a diagnostic names it */
    BASE_NOMEM,       /* memory could not be had, or a stated limit would be passed */
    BASE_IO,          /* a file could not be read or written; errno-style text is in the diagnostic */
};

/* A short word for messages: "ok", "invalid", "unsupported", "out of memory", "I/O error". */
const char *base_status_name(enum base_status status);

#endif
