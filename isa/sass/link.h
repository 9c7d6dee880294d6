/* Inside isa/: linking of machine code, called by isa_link(). */
#ifndef ISA_SASS_LINK_H
#define ISA_SASS_LINK_H

#include "isa/sass/sass.h"

enum base_status isa_sass_link(const struct isa_module *module, uint32_t kernel, struct base_arena *arena,
                               struct isa_linked *linked, struct base_diags *diags);

#endif
