/* Inside the reader of cubins: the file's sections and symbols. */
#ifndef ISA_SASS_CUBIN_H
#define ISA_SASS_CUBIN_H

#include "base/vec.h"
#include "isa/sass/listing.h"

#include <libelf.h>

#define SASS_SECTIONS_MAX          200000u
#define SASS_SECTION_BYTES_MAX     (UINT64_C(1) << 32)
#define SASS_SHARED_RESERVED_BYTES 1024u
#define SASS_RELOC_32              1u  /* R_CUDA_32 */
#define SASS_RELOC_CODE_LO         56u /* R_CUDA_ABS32_LO_32: an instruction's immediate */
#define SASS_RELOC_32_HI           57u /* R_CUDA_ABS32_HI_32 */
#define SASS_RELOC_CALL            75u /* R_CUDA_ABS47_34: an instruction's target */

struct sass_section {
    const char *name;
    const uint8_t *data; /* NULL: no bytes in the file */
    uint64_t size_bytes;
    uint32_t type, link, info;
};

struct sass_symbol {
    const char *name;
    uint64_t value, size_bytes;
    uint32_t section;
    uint8_t type; /* STT_* */
    bool is_entry;
    int32_t var;      /* index of the variable it became, or -1 */
    int32_t function; /* index of the function in whose section it lies, or -1 */
};

struct sass_param {
    uint32_t ordinal, offset, size;
};

struct sass_cubin {
    struct isa_module *module;
    const char *name;
    struct base_diags *diags;
    const uint8_t *data;
    size_t size_bytes;
    Elf *elf;
    size_t names; /* number of the section of section names */
    BASE_VEC(struct sass_section) sections;
    BASE_VEC(struct sass_symbol) symbols;
    BASE_VEC(struct sass_param) params;
    BASE_VEC(struct isa_var) vars;
    uint64_t work; /* rows looked at so far */
    bool bad, no_memory;
};

/* Counts rows that are about to be looked at. False: too many, and c->bad is set. */
bool sass_cubin_spend(struct sass_cubin *c, uint64_t steps);

/* isa/sass/lines.c: gives each instruction its source line, where the file has a line table. */
void sass_lines_read(struct sass_cubin *cubin);

#endif
