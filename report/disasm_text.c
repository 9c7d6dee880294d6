/* Machine code for a person: CUDA line, PTX lines, instructions, each further to the right than the other. */
#include "report/disasm.h"

#include "isa/sass/sass.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#define BARRIERS 6u
#define SLOTS    4u /* of the reuse cache */

struct writer {
    const struct report_disasm *disasm;
    struct base_strbuf *out;
    uint32_t file, line, ptx_line; /* shown last */
};

/* Without the indentation, blanks one at a time, and what cannot be shown as one. */
static void put_line(struct base_strbuf *out, const char *text, size_t length)
{
    bool blank = false, begun = false;
    for (size_t i = 0; i < length; i++) {
        const unsigned char ch = (unsigned char)text[i];
        if (isspace(ch) || iscntrl(ch)) {
            blank = begun;
            continue;
        }
        if (blank)
            base_strbuf_putc(out, ' ');
        base_strbuf_putc(out, (char)ch);
        blank = false;
        begun = true;
    }
    base_strbuf_putc(out, '\n');
}

static void put_source(struct writer *w, const struct isa_insn *insn)
{
    const char *file = NULL, *text = NULL;
    uint32_t line = 0;
    size_t length = 0;
    if (insn->loc_line == 0 || (insn->loc_file == w->file && insn->loc_line == w->line))
        return;
    w->file = insn->loc_file;
    w->line = insn->loc_line;
    isa_insn_location(w->disasm->module, insn, &file, &line);
    if (w->disasm->source_line != NULL)
        text = w->disasm->source_line(w->disasm->user, file, line, &length);
    const char *slash = strrchr(file, '/');
    base_strbuf_printf(w->out, "%s:%" PRIu32 "  ", slash != NULL ? slash + 1 : file, line);
    put_line(w->out, text != NULL ? text : "", text != NULL ? length : 0);
}

static void put_ptx(struct writer *w, const struct isa_insn *insn)
{
    const struct isa_module *module = w->disasm->module;
    const uint32_t line = insn->sass->ptx_line;
    if (line == 0 || line == w->ptx_line || line > module->ptx_line_count)
        return;
    w->ptx_line = line;
    base_strbuf_printf(w->out, "    ptx %" PRIu32 "  ", line);
    put_line(w->out, module->ptx_lines[line - 1], strlen(module->ptx_lines[line - 1]));
}

/* One character an item of the mask: its own, or '-'. */
static void put_mask(struct base_strbuf *out, unsigned mask, unsigned count, char first)
{
    for (unsigned i = 0; i < count; i++)
        base_strbuf_putc(out, (mask >> i & 1) != 0 ? (char)(first + (char)i) : '-');
}

static void put_control(const struct isa_sass_control *control, struct base_strbuf *out)
{
    if (!control->present) {
        base_strbuf_puts(out, "    ?    ?    ?    ?       ?     ?  ");
        return;
    }
    base_strbuf_printf(out, "   %2u    %c", (unsigned)control->stall_cycles, control->yield ? 'y' : '-');
    base_strbuf_printf(out, "    %c", control->write_barrier < BARRIERS ? '0' + control->write_barrier : '-');
    base_strbuf_printf(out, "    %c  ", control->read_barrier < BARRIERS ? '0' + control->read_barrier : '-');
    put_mask(out, control->wait_mask, BARRIERS, '0');
    base_strbuf_puts(out, "  ");
    put_mask(out, control->reuse_mask, SLOTS, 'a');
    base_strbuf_puts(out, "  ");
}

static void put_head(const struct writer *w, const struct isa_function *function)
{
    const char *target = w->disasm->module->target;
    base_strbuf_printf(w->out, "%s: %s%s%s", function->name, function->is_entry ? "kernel" : "function",
                       target != NULL ? " for " : "", target != NULL ? target : "");
    if (function->machine->registers > 0)
        base_strbuf_printf(w->out, ", %" PRIu32 " registers a thread", function->machine->registers);
    base_strbuf_putc(w->out, '\n');
    if (w->disasm->control)
        base_strbuf_puts(w->out, "        offset stall yld  wr   rd   wait   reuse  instruction\n");
}

static void put_function(struct writer *w, const struct isa_function *function)
{
    put_head(w, function);
    w->file = w->line = w->ptx_line = 0;
    for (size_t i = 0; i < function->insn_count && !w->out->failed; i++) {
        const struct isa_insn *insn = &function->insns[i];
        put_source(w, insn);
        put_ptx(w, insn);
        base_strbuf_printf(w->out, "        %04" PRIx32 "  ", insn->pc);
        if (w->disasm->control)
            put_control(&insn->sass->control, w->out);
        put_line(w->out, insn->text, strlen(insn->text));
    }
}

void report_disasm_text(const struct report_disasm *disasm, struct base_strbuf *out)
{
    struct writer w = {.disasm = disasm, .out = out};
    bool first = true;
    for (size_t f = 0; f < disasm->module->function_count; f++) {
        if (disasm->functions != NULL && !disasm->functions[f])
            continue;
        base_strbuf_puts(out, first ? "" : "\n");
        first = false;
        put_function(&w, &disasm->module->functions[f]);
    }
}
