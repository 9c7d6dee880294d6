/* The rows of tests/headings.def, and the module around an example. */
#include "tests/headings.h"

#include <string.h>

#define SECTION(number, name) {HEADING_ROW_SECTION, HEADING_NONE, number, name, "", "", "", "", ""},
#define HEADING(number, name, state, remark)                                                                           \
    {HEADING_ROW_HEADING, HEADING_##state, number, name, remark, "", "", "", ""},
#define EXAMPLE(state, version, target, declarations, text)                                                            \
    {HEADING_ROW_EXAMPLE, EXAMPLE_##state, "", "", "", version, target, declarations, text},
#define RUNS(text)                        EXAMPLE(RUNS, "8.6", "sm_90", "", text)
#define RUNS_ON(version, target, text)    EXAMPLE(RUNS, version, target, "", text)
#define RUNS_WITH(declarations, text)     EXAMPLE(RUNS, "8.6", "sm_90", declarations, text)
#define FAULTS(text)                      EXAMPLE(FAULTS, "8.6", "sm_90", "", text)
#define REFUSED(text)                     EXAMPLE(REFUSED, "8.6", "sm_90", "", text)
#define REFUSED_ON(version, target, text) EXAMPLE(REFUSED, version, target, "", text)
#define REFUSED_WITH(declarations, text)  EXAMPLE(REFUSED, "8.6", "sm_90", declarations, text)

const struct heading_row heading_rows[] = {
#include "tests/headings.def"
};
const size_t heading_row_count = sizeof(heading_rows) / sizeof(heading_rows[0]);

/* Registers, and addresses in those that the head of tests/headings.def names. */
static const char registers[] = ".reg .pred %p<8>;\n.reg .b8 %c<8>;\n.reg .b16 %h<16>;\n.reg .b32 %r<32>;\n"
                                ".reg .b64 %d<16>;\n";
static const char addresses[] = "mov.u32 %r0, s;\nmov.u32 %r9, s+2048;\nmov.u32 %r10, s+1024;\nmov.u64 %d0, g;\n"
                                "cvta.global.u64 %d0, %d0;\ncvt.u64.u32 %d1, %r0;\ncvta.shared.u64 %d1, %d1;\n"
                                "mov.u64 %d3, l;\n";

/* Everything before the example. */
static void put_head(const struct heading_row *example, struct base_strbuf *out)
{
    base_strbuf_printf(out,
                       ".version %s\n.target %s\n.address_size 64\n.global .align 256 .b8 g[4096];\n"
                       ".const .align 16 .b32 k[4] = {1, 2, 3, 4};\n%s%s.visible .entry e(.param .align 8 .b64 arg)\n"
                       "{\n.shared .align 256 .b8 s[4096];\n.local .align 16 .b8 l[64];\n%s%s%s",
                       example->version, example->target, example->declarations,
                       *example->declarations != '\0' ? "\n" : "", registers,
                       strstr(example->text, "%q") != NULL ? ".reg .b128 %q<4>;\n" : "", addresses);
}

void heading_module(const struct heading_row *example, struct base_strbuf *out)
{
    put_head(example, out);
    base_strbuf_printf(out, "%s\nret;\n}\n", example->text);
}

unsigned heading_example_line(const struct heading_row *example)
{
    struct base_strbuf head = {0};
    unsigned line = 1;
    put_head(example, &head);
    for (size_t i = 0; i < head.length; i++)
        line += head.data[i] == '\n';
    base_strbuf_free(&head);
    return line;
}
