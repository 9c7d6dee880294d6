/* The source lines of a cubin: .debug_line, DWARF 2, a line-number program for each function. A second table of the
 * same form, .nv_debug_line_sass, tells lines of the PTX, whose text is .nv_debug_ptx_txt, a NUL behind each line.
 *
 * libdw cannot read them: nvcc writes the tables without compilation units and with addresses that are relocations to
 * the functions' sections. So the (small) line-number machine of DWARF 2, section 6.2, stands here; opcodes that it
 * does not define are passed over by their length. Rows are applied to the function's instructions as they come: a row
 * holds until the next one's address.
 *
 * NVIDIA adds to it the rows of inlined functions: extended opcode 0x90 gives the number of the row, from 1 in its
 * sequence, that called (0: none), and where in .debug_str the function's name is. An instruction of a header that came
 * with the compiler (atomicAdd, __shfl_sync) so has the line that calls it: that is whose it is to change. */
#include "isa/sass/cubin.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define FILES_MAX     10000u
#define PTX_LINES_MAX 4000000u
#define INLINED_CALL  0x90u

struct line_row {
    uint32_t file, line; /* line 0: none */
    uint32_t context;    /* number of the row that called, or 0 */
};

struct line_reader {
    struct sass_cubin *c;
    const uint8_t *at, *end; /* of what is being read */
    const uint8_t *start;    /* of the section */
    BASE_VEC(const char *) dirs;
    BASE_VEC(uint32_t) files;            /* keys into module->files, by file number - 1 */
    BASE_VEC(struct isa_file) all_files; /* the module's */
    BASE_VEC(struct line_row) rows;      /* of the sequence */
    uint32_t section;                    /* number of the table's */
    bool is_ptx;                         /* lines of the PTX */
    bool cut;                            /* the table ends in the middle */
};

struct line_machine {
    int32_t function; /* being described, or -1 */
    uint64_t address;
    uint32_t file;
    int64_t line;
    uint32_t context;
    uint64_t done; /* instructions before this offset have their line */
    uint32_t last_file, last_line;
};

static uint64_t take(struct line_reader *r, unsigned bytes)
{
    uint64_t value = 0;
    if ((size_t)(r->end - r->at) < bytes) {
        r->cut = true;
        r->at = r->end;
        return 0;
    }
    memcpy(&value, r->at, bytes);
    r->at += bytes;
    return value;
}

static uint64_t take_uleb(struct line_reader *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint64_t byte = take(r, 1);
        if (shift < 64)
            value |= (byte & 0x7f) << shift;
        if ((byte & 0x80) == 0 || r->cut)
            return value;
    }
}

static int64_t take_sleb(struct line_reader *r)
{
    uint64_t value = 0;
    unsigned shift = 0;
    for (;;) {
        uint64_t byte = take(r, 1);
        if (shift < 64)
            value |= (byte & 0x7f) << shift;
        shift += 7;
        if ((byte & 0x80) == 0 || r->cut) {
            if (shift < 64 && (byte & 0x40) != 0)
                value |= UINT64_MAX << shift;
            return (int64_t)value;
        }
    }
}

static const char *take_string(struct line_reader *r)
{
    const uint8_t *zero = memchr(r->at, '\0', (size_t)(r->end - r->at));
    if (zero == NULL) {
        r->cut = true;
        r->at = r->end;
        return "";
    }
    const char *text = (const char *)r->at;
    r->at = zero + 1;
    return text;
}

/* A file of the table as one of the module's, by its whole name. */
static void add_file(struct line_reader *r, const char *name, uint64_t dir)
{
    struct base_strbuf path = {0};
    if (name[0] != '/' && dir > 0 && dir <= r->dirs.count)
        base_strbuf_printf(&path, "%s/", r->dirs.data[dir - 1]);
    base_strbuf_puts(&path, name);
    const char *whole = path.data != NULL ? path.data : name;
    struct isa_file *files = r->all_files.data;
    uint32_t key = UINT32_MAX;
    for (size_t i = 0; i < r->all_files.count && key == UINT32_MAX; i++)
        if (strcmp(files[i].name, whole) == 0)
            key = files[i].key;
    if (key == UINT32_MAX && r->all_files.count < FILES_MAX) {
        key = (uint32_t)r->all_files.count + 1;
        struct isa_file file = {key, base_arena_strndup(&r->c->module->arena, whole, strlen(whole))};
        r->c->no_memory |= file.name == NULL || !base_vec_push(&r->all_files, file);
    }
    r->c->no_memory |= !base_vec_push(&r->files, key);
    base_strbuf_free(&path);
}

/* The function that the relocation at `offset` of the section names: whose code the addresses are in. */
static int32_t function_at(const struct line_reader *r, uint64_t offset)
{
    struct sass_cubin *c = r->c;
    if (!sass_cubin_spend(c, c->sections.count))
        return -1;
    for (size_t i = 0; i < c->sections.count; i++) {
        const struct sass_section *table = &c->sections.data[i];
        uint64_t size = table->type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
        if ((table->type != SHT_RELA && table->type != SHT_REL) || table->info != r->section || table->data == NULL)
            continue;
        if (!sass_cubin_spend(c, table->size_bytes / size))
            return -1;
        for (uint64_t at = 0; at + size <= table->size_bytes; at += size) {
            Elf64_Rel rel;
            memcpy(&rel, table->data + at, sizeof(rel));
            uint64_t symbol = ELF64_R_SYM(rel.r_info);
            if (rel.r_offset == offset && symbol < c->symbols.count)
                return c->symbols.data[symbol].function;
        }
    }
    return -1;
}

/* Whether the file came with the compiler: nvcc names its own folder of headers from that of its program, and Debian's
 * packages have theirs where the system's are. */
static bool is_compilers(const struct line_reader *r, uint32_t key)
{
    if (key == 0 || key > r->all_files.count)
        return false;
    const char *name = r->all_files.data[key - 1].name;
    return strncmp(name, "/usr/include/", 13) == 0 || strncmp(name, "/usr/lib/", 9) == 0 ||
           strstr(name, "/bin/../") != NULL;
}

/* The row, or of a row of the compiler's headers the one that called into them, if there is one. A row is called by one
 * before it. */
static struct line_row caller_of(const struct line_reader *r, struct line_row row)
{
    struct line_row caller = row;
    size_t before = r->rows.count;
    while (is_compilers(r, caller.file) && caller.context >= 1 && caller.context <= before) {
        before = caller.context - 1;
        caller = r->rows.data[before];
    }
    return is_compilers(r, caller.file) || caller.line == 0 ? row : caller;
}

/* Instructions before the machine's address have the line of the row before. */
static void apply(struct line_reader *r, struct line_machine *m)
{
    if (m->function >= 0) {
        struct isa_function *function = &r->c->module->functions[m->function];
        uint64_t end = m->address / ISA_SASS_INSN_BYTES;
        for (uint64_t i = m->done; m->last_line != 0 && i < end && i < function->insn_count; i++) {
            if (r->is_ptx) {
                ((struct isa_sass_insn *)(uintptr_t)function->insns[i].sass)->ptx_line = m->last_line;
                continue;
            }
            function->insns[i].loc_file = m->last_file;
            function->insns[i].loc_line = m->last_line;
        }
        m->done = end;
    }
    const struct line_row row = {.file = m->file >= 1 && m->file <= r->files.count ? r->files.data[m->file - 1] : 0,
                                 .line = m->line > 0 && m->line < INT32_MAX ? (uint32_t)m->line : 0,
                                 .context = m->context};
    const struct line_row theirs = caller_of(r, row);
    r->c->no_memory |= !base_vec_push(&r->rows, row);
    m->last_file = theirs.file;
    m->last_line = theirs.line;
}

static void start_machine(struct line_reader *r, struct line_machine *m)
{
    r->rows.count = 0;
    *m = (struct line_machine){.function = -1, .file = 1, .line = 1};
}

static void extended_opcode(struct line_reader *r, struct line_machine *m)
{
    uint64_t length = take_uleb(r);
    if (length == 0 || length > (size_t)(r->end - r->at)) {
        r->cut = true;
        return;
    }
    const uint8_t *next = r->at + length;
    uint8_t opcode = (uint8_t)take(r, 1);
    if (opcode == 1) { /* the sequence ends */
        apply(r, m);
        start_machine(r, m);
    } else if (opcode == INLINED_CALL) {
        const uint64_t context = take_uleb(r);
        m->context = context <= UINT32_MAX ? (uint32_t)context : 0;
    } else if (opcode == 2 && length == 9) { /* an address */
        uint64_t offset = (uint64_t)(r->at - r->start);
        m->address = take(r, 8);
        m->function = function_at(r, offset);
        m->done = m->address / ISA_SASS_INSN_BYTES;
        m->last_line = 0;
    }
    r->at = next;
}

struct line_header {
    uint8_t unit, opcode_base, line_range;
    int8_t line_base;
    const uint8_t *lengths; /* operands of each standard opcode */
};

static void standard_opcode(struct line_reader *r, struct line_machine *m, const struct line_header *h, uint8_t opcode)
{
    switch (opcode) {
    case 1:
        apply(r, m);
        break;
    case 2:
        m->address += take_uleb(r) * h->unit;
        break;
    case 3:
        m->line = (int64_t)((uint64_t)m->line + (uint64_t)take_sleb(r));
        break;
    case 4:
        m->file = (uint32_t)take_uleb(r);
        break;
    case 8:
        m->address += (uint64_t)((255 - h->opcode_base) / h->line_range) * h->unit;
        break;
    case 9:
        m->address += take(r, 2);
        break;
    default:
        for (unsigned i = 0; i < h->lengths[opcode - 1]; i++)
            (void)take_uleb(r);
    }
}

static void run_program(struct line_reader *r, const struct line_header *h)
{
    struct line_machine m;
    start_machine(r, &m);
    while (r->at < r->end && !r->cut && !r->c->no_memory && !r->c->bad) {
        uint8_t opcode = (uint8_t)take(r, 1);
        if (opcode >= h->opcode_base) {
            unsigned special = opcode - h->opcode_base;
            m.address += (uint64_t)(special / h->line_range) * h->unit;
            m.line = (int64_t)((uint64_t)m.line + (uint64_t)(int64_t)(h->line_base + (int)(special % h->line_range)));
            apply(r, &m);
        } else if (opcode == 0) {
            extended_opcode(r, &m);
        } else {
            standard_opcode(r, &m, h, opcode);
        }
    }
}

/* Directories and files, up to where the program begins. */
static void read_tables(struct line_reader *r)
{
    r->dirs.count = r->files.count = 0;
    while (!r->cut && r->at < r->end && *r->at != 0 && r->dirs.count < FILES_MAX) {
        const char *dir = take_string(r);
        r->c->no_memory |= !base_vec_push(&r->dirs, dir);
    }
    (void)take(r, 1);
    while (!r->cut && r->at < r->end && *r->at != 0 && r->files.count < FILES_MAX && !r->c->no_memory) {
        const char *name = take_string(r);
        uint64_t dir = take_uleb(r);
        (void)take_uleb(r); /* time */
        (void)take_uleb(r); /* size */
        add_file(r, name, dir);
    }
}

/* One unit: its header and its program. False: no more can be read. */
static bool read_unit(struct line_reader *r, const uint8_t *section_end)
{
    r->end = section_end;
    uint64_t length = take(r, 4);
    if (r->cut || length > (size_t)(section_end - r->at))
        return false;
    const uint8_t *unit_end = r->at + length;
    r->end = unit_end;
    uint64_t version = take(r, 2), header_length = take(r, 4);
    if (r->cut || version < 2 || version > 4 || header_length > (size_t)(unit_end - r->at))
        return false;
    const uint8_t *program = r->at + header_length;
    struct line_header h = {.unit = (uint8_t)take(r, 1)};
    if (version == 4)
        (void)take(r, 1);
    (void)take(r, 1); /* is_stmt */
    h.line_base = (int8_t)(uint8_t)take(r, 1);
    h.line_range = (uint8_t)take(r, 1);
    h.opcode_base = (uint8_t)take(r, 1);
    h.lengths = r->at;
    if (r->cut || h.line_range == 0 || h.opcode_base == 0 || (size_t)(unit_end - r->at) < h.opcode_base - 1U)
        return false;
    r->at += h.opcode_base - 1U;
    read_tables(r);
    r->at = program;
    r->cut = false;
    run_program(r, &h);
    r->at = unit_end;
    return !r->c->no_memory && !r->c->bad;
}

static void read_table(struct line_reader *r, uint32_t number)
{
    const struct sass_section *section = &r->c->sections.data[number];
    if (section->data == NULL)
        return;
    r->section = number;
    r->start = r->at = section->data;
    r->cut = false;
    while (r->at < section->data + section->size_bytes && read_unit(r, section->data + section->size_bytes))
        continue;
}

/* Bytes behind the last NUL are no line. */
static void read_ptx_text(struct sass_cubin *c, const struct sass_section *section)
{
    BASE_VEC(const char *) lines = {0};
    if (section->data == NULL || c->module->ptx_lines != NULL)
        return;
    const char *text = base_arena_strndup(&c->module->arena, (const char *)section->data, section->size_bytes);
    c->no_memory |= text == NULL;
    for (uint64_t at = 0; text != NULL && lines.count < PTX_LINES_MAX && !c->no_memory;) {
        const char *zero = memchr(text + at, '\0', section->size_bytes - at);
        if (zero == NULL)
            break;
        c->no_memory |= !base_vec_push(&lines, text + at);
        at = (uint64_t)(zero - text) + 1;
    }
    const char **kept = base_arena_alloc(&c->module->arena, lines.count + 1, sizeof(*kept));
    c->no_memory |= kept == NULL;
    if (!c->no_memory && lines.count > 0) {
        memcpy(kept, lines.data, lines.count * sizeof(*kept));
        c->module->ptx_lines = kept;
        c->module->ptx_line_count = (uint32_t)lines.count;
    }
    base_vec_free(&lines);
}

void sass_lines_read(struct sass_cubin *c)
{
    struct line_reader r = {.c = c};
    for (uint32_t i = 1; i < c->sections.count && !c->no_memory; i++) {
        const char *name = c->sections.data[i].name;
        r.is_ptx = strcmp(name, ".nv_debug_line_sass") == 0;
        if (r.is_ptx || strcmp(name, ".debug_line") == 0)
            read_table(&r, i);
        else if (strcmp(name, ".nv_debug_ptx_txt") == 0)
            read_ptx_text(c, &c->sections.data[i]);
    }
    c->module->files = base_arena_alloc(&c->module->arena, r.all_files.count + 1, sizeof(struct isa_file));
    c->no_memory |= c->module->files == NULL;
    if (!c->no_memory && r.all_files.count > 0) {
        memcpy(c->module->files, r.all_files.data, r.all_files.count * sizeof(struct isa_file));
        c->module->file_count = r.all_files.count;
    }
    base_vec_free(&r.all_files);
    base_vec_free(&r.dirs);
    base_vec_free(&r.files);
    base_vec_free(&r.rows);
}
