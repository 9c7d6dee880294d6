/* The .def files as arrays. Nothing else is known about an opcode, type, modifier or special register than what stands
 * there. */
#include "isa/isa.h"

const struct isa_type_info isa_types[ISA_TYPE_COUNT] = {
#define TYPE(id, name, bits, class) {name, bits, ISA_CLASS_##class},
#include "isa/type.def"
#undef TYPE
};

const struct isa_sreg_info isa_sregs[ISA_SREG_COUNT] = {
#define SREG(id, name, type, scope) {name, ISA_TYPE_##type, ISA_SREG_SCOPE_##scope},
#include "isa/sreg.def"
#undef SREG
};

const struct isa_op_info isa_ops[ISA_OP_COUNT] = {
#define OP(id, mnemonic, form, types, types2, modifiers, unit, flags, semantics)                                       \
    {mnemonic, form, types, types2, modifiers, ISA_UNIT_##unit, flags, semantics},
#include "isa/opcode.def"
#undef OP
};

/* `flags` is the one member of struct isa_mods that words share. */
#define MODIFIER(word, group, field, value)                                                                            \
    {word, M_##group, offsetof(struct isa_mods, field),                                                                \
     offsetof(struct isa_mods, field) == offsetof(struct isa_mods, flags), value},
const struct isa_modifier_info isa_modifiers[] = {
#include "isa/modifier.def"
};
#undef MODIFIER

const size_t isa_modifier_count = sizeof isa_modifiers / sizeof *isa_modifiers;
