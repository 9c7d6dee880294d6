/* What `simtlab disasm` writes: a module's instructions as they stand in it, with where they come from. */
#ifndef REPORT_DISASM_H
#define REPORT_DISASM_H

#include "isa/isa.h"
#include "report/report.h"

struct report_disasm {
    const struct isa_module *module;
    const bool *functions;           /* which, by index; NULL: all */
    bool control;                    /* text: the scheduling bits too */
    report_source_line *source_line; /* text: may be NULL */
    void *user;
};

/* Machine code: every instruction with its offset, under the CUDA line and the PTX lines that it was made of. (PTX is
 * printed by isa_print_module(), so that it reads back.) */
void report_disasm_text(const struct report_disasm *disasm, struct base_strbuf *out);
/* Either form: one JSON object on one line. `version` is simtlab's own. */
void report_disasm_json(const struct report_disasm *disasm, const char *version, struct base_strbuf *out);

#endif
