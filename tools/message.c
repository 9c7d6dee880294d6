/* Everything that the command says on stderr. */
#include "tools/tool.h"

#include <stdarg.h>

void tool_error(const char *format, ...)
{
    struct base_strbuf text = {0};
    va_list args;
    va_start(args, format);
    base_strbuf_puts(&text, "simtlab: ");
    base_strbuf_vprintf(&text, format, args);
    va_end(args);
    base_strbuf_plain(&text);
    fprintf(stderr, "%s\n", text.data && !text.failed ? text.data : "simtlab: out of memory");
    base_strbuf_free(&text);
}

void tool_print_diags(const struct base_diags *diags)
{
    struct base_strbuf text = {0};
    base_diags_print(diags, &text);
    if (text.data)
        fputs(text.data, stderr);
    base_strbuf_free(&text);
}
