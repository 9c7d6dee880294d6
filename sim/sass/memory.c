/* Memory opcodes: loads, stores, atomics, constant banks, and what tells address spaces apart. They become the engine's
 * own memory operations; only how an address is put together differs (sim/access.c: machine_addresses). */
#include "sim/coalesce.h"
#include "sim/sass/lower.h"

#include <string.h>

/* [R + UR + offset], desc[UR][R.64 + offset] */
void sim_sass_take_address(struct sim_sass_builder *b, bool wide)
{
    const struct isa_sass_operand *o = sim_sass_take(b);
    struct sim_op *op = b->op;
    if (o->kind != ISA_SASS_MEM && o->kind != ISA_SASS_CONST) {
        sim_sass_refuse(b, "an operand that is not an address");
        return;
    }
    op->offset = o->value;
    op->addr_base = SIM_ADDR_ABSOLUTE;
    op->address_scale = o->base_scale;
    op->wraps32 = op->space == ISA_SPACE_SHARED || op->space == ISA_SPACE_LOCAL || op->space == ISA_SPACE_CONST;
    if (o->base != ISA_SASS_RZ) {
        struct isa_sass_operand base = {.kind = ISA_SASS_REG, .index = o->base};
        bool base_wide = o->base_bits == 64 || (o->base_bits == 0 && wide);
        op->addr_base = base_wide ? SIM_ADDR_REG64 : SIM_ADDR_REG32;
        op->address = sim_sass_row(b, &base, base_wide ? 2 : 1);
    }
    if (o->ubase != ISA_SASS_URZ) {
        struct isa_sass_operand ubase = {.kind = ISA_SASS_UREG, .index = o->ubase};
        op->address2_wide = wide;
        op->address2 = sim_sass_row(b, &ubase, wide ? 2 : 1);
    }
    op->is_sum = op->address2 != SIM_ROW_NONE || op->address_scale > 1;
}

/* Words that change neither the value nor what is counted: ordering between threads (the engine's memory is always
 * coherent) and hints. STRONG and its kin are kept in the instruction: the engine looks at them to see waiting. */
void sim_sass_use_order_words(struct sim_sass_builder *b)
{
    static const uint8_t words[] = {ISA_SASS_W_WEAK,    ISA_SASS_W_STRONG,  ISA_SASS_W_CONSTANT, ISA_SASS_W_MMIO,
                                    ISA_SASS_W_SM,      ISA_SASS_W_CTA,     ISA_SASS_W_GPU,      ISA_SASS_W_SYS,
                                    ISA_SASS_W_CLUSTER, ISA_SASS_W_VC,      ISA_SASS_W_PRIVATE,  ISA_SASS_W_EF,
                                    ISA_SASS_W_EL,      ISA_SASS_W_LU,      ISA_SASS_W_EU,       ISA_SASS_W_NA,
                                    ISA_SASS_W_LTC64B,  ISA_SASS_W_LTC128B, ISA_SASS_W_LTC256B,  ISA_SASS_W_ENL2,
                                    ISA_SASS_W_NONE};
    while (sim_sass_word_of(b, words) != ISA_SASS_W_NONE)
        continue;
}

/* Bytes of the access: 1, 2, 4, 8, 16; op->type says how narrow ones are extended. */
uint32_t sim_sass_take_width(struct sim_sass_builder *b)
{
    static const uint8_t words[] = {ISA_SASS_W_U8, ISA_SASS_W_S8, ISA_SASS_W_U16, ISA_SASS_W_S16, ISA_SASS_W_16,
                                    ISA_SASS_W_32, ISA_SASS_W_64, ISA_SASS_W_128, ISA_SASS_W_NONE};
    switch (sim_sass_word_of(b, words)) {
    case ISA_SASS_W_U8:
        b->op->type = ISA_TYPE_U8;
        return 1;
    case ISA_SASS_W_S8:
        b->op->type = ISA_TYPE_S8;
        return 1;
    case ISA_SASS_W_U16:
    case ISA_SASS_W_16:
        b->op->type = ISA_TYPE_U16;
        return 2;
    case ISA_SASS_W_S16:
        b->op->type = ISA_TYPE_S16;
        return 2;
    case ISA_SASS_W_64:
        return 8;
    case ISA_SASS_W_128:
        return 16;
    default:
        return 4;
    }
}

/* The rows of a value of `bytes` bytes, as elements of 32 bits. */
static void set_elements(struct sim_sass_builder *b, uint32_t bytes, uint32_t row)
{
    struct sim_op *op = b->op;
    op->count = (uint8_t)(bytes > 4 ? bytes / 4 : 1);
    op->element_bytes = (uint8_t)(bytes > 4 ? 4 : bytes);
    op->vec_rows = 1;
    op->reg_bits = 32;
    for (uint32_t e = 0; e < op->count && row != SIM_ROW_NONE; e++)
        op->vec[e] = row + e;
}

/* The space that an opcode names; LD, ST, ATOM: generic. */
static bool take_space(struct sim_sass_builder *b)
{
    bool wide = sim_sass_word(b, ISA_SASS_W_E);
    switch (b->sass->op) {
    case ISA_SASS_LDG:
    case ISA_SASS_STG:
    case ISA_SASS_ATOMG:
    case ISA_SASS_REDG:
        b->op->space = ISA_SPACE_GLOBAL;
        break;
    case ISA_SASS_LDS:
    case ISA_SASS_STS:
    case ISA_SASS_ATOMS:
        b->op->space = ISA_SPACE_SHARED;
        break;
    case ISA_SASS_LDL:
    case ISA_SASS_STL:
        b->op->space = ISA_SPACE_LOCAL;
        break;
    default:
        b->op->space = ISA_SPACE_GENERIC;
    }
    return wide;
}

void sim_sass_lower_load(struct sim_sass_builder *b)
{
    bool wide = take_space(b);
    (void)sim_sass_word(b, ISA_SASS_W_U);
    uint32_t bytes = sim_sass_take_width(b);
    sim_sass_use_order_words(b);
    sim_sass_dst(b, bytes > 4 ? bytes / 4 : 1);
    set_elements(b, bytes, b->op->dst);
    sim_sass_take_address(b, wide);
    if (sim_sass_next_is_pred(b)) { /* a second guard: not done when false */
        sim_sass_psrc(b, 0);
        if (b->more->psrc[0].number != -1 || b->more->psrc[0].negated)
            sim_sass_refuse(b, "a second predicate");
    }
    b->op->kind = SIM_K_LD;
}

void sim_sass_lower_store(struct sim_sass_builder *b)
{
    bool wide = take_space(b);
    uint32_t bytes = sim_sass_take_width(b);
    sim_sass_use_order_words(b);
    sim_sass_take_address(b, wide);
    const struct isa_sass_operand *o = sim_sass_take(b);
    uint32_t rows = bytes > 4 ? bytes / 4 : 1;
    set_elements(b, bytes, sim_sass_row(b, o, rows));
    if (o->negative || o->inverted || o->part != ISA_SASS_PART_NONE)
        sim_sass_refuse(b, "a value that is changed");
    b->op->kind = SIM_K_ST;
}

/* ---- Atomics ---- */

static enum isa_atom take_atomic(struct sim_sass_builder *b)
{
    static const uint8_t words[][2] = {
        {ISA_SASS_W_ADD, ISA_ATOM_ADD}, {ISA_SASS_W_MIN, ISA_ATOM_MIN}, {ISA_SASS_W_MAX, ISA_ATOM_MAX},
        {ISA_SASS_W_INC, ISA_ATOM_INC}, {ISA_SASS_W_DEC, ISA_ATOM_DEC}, {ISA_SASS_W_AND, ISA_ATOM_AND},
        {ISA_SASS_W_OR, ISA_ATOM_OR},   {ISA_SASS_W_XOR, ISA_ATOM_XOR}, {ISA_SASS_W_EXCH, ISA_ATOM_EXCH},
        {ISA_SASS_W_CAS, ISA_ATOM_CAS}, {ISA_SASS_W_CAST, ISA_ATOM_CAS}};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (sim_sass_word(b, (enum isa_sass_word)words[i][0])) {
            b->more->served = words[i][0] == ISA_SASS_W_CAST  ? SIM_SHARED_ATOMIC_CAST
                              : words[i][0] == ISA_SASS_W_CAS ? SIM_SHARED_ATOMIC_CAS
                                                              : SIM_SHARED_ATOMIC_PLAIN;
            return (enum isa_atom)words[i][1];
        }
    sim_sass_refuse(b, "an atomic of this kind");
    return ISA_ATOM_ADD;
}

static enum isa_type take_atomic_type(struct sim_sass_builder *b, enum isa_atom mode)
{
    static const uint8_t words[][2] = {{ISA_SASS_W_F32, ISA_TYPE_F32},     {ISA_SASS_W_F64, ISA_TYPE_F64},
                                       {ISA_SASS_W_F16X2, ISA_TYPE_F16X2}, {ISA_SASS_W_BF16X2, ISA_TYPE_BF16X2},
                                       {ISA_SASS_W_S32, ISA_TYPE_S32},     {ISA_SASS_W_S64, ISA_TYPE_S64},
                                       {ISA_SASS_W_U32, ISA_TYPE_U32},     {ISA_SASS_W_U64, ISA_TYPE_U64}};
    bool bits = mode == ISA_ATOM_AND || mode == ISA_ATOM_OR || mode == ISA_ATOM_XOR || mode == ISA_ATOM_EXCH ||
                mode == ISA_ATOM_CAS;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (sim_sass_word(b, (enum isa_sass_word)words[i][0]))
            return (enum isa_type)words[i][1];
    if (sim_sass_word(b, ISA_SASS_W_64))
        return bits ? ISA_TYPE_B64 : ISA_TYPE_U64;
    (void)sim_sass_word(b, ISA_SASS_W_32);
    return bits ? ISA_TYPE_B32 : ISA_TYPE_U32;
}

void sim_sass_lower_atom(struct sim_sass_builder *b)
{
    bool wide = take_space(b), reduces = b->sass->op == ISA_SASS_RED || b->sass->op == ISA_SASS_REDG;
    bool counts = sim_sass_word(b, ISA_SASS_W_POPC); /* .POPC.INC: one more for each lane */
    if (counts && !sim_sass_word(b, ISA_SASS_W_INC))
        sim_sass_refuse(b, "an atomic of this kind");
    b->more->served = counts ? SIM_SHARED_ATOMIC_COUNT : SIM_SHARED_ATOMIC_PLAIN;
    enum isa_atom mode = counts ? ISA_ATOM_ADD : take_atomic(b);
    enum isa_type type = take_atomic_type(b, mode);
    (void)sim_sass_word(b, ISA_SASS_W_SPIN);
    (void)sim_sass_word(b, ISA_SASS_W_FTZ);
    (void)sim_sass_word(b, ISA_SASS_W_RN);
    sim_sass_use_order_words(b);
    b->op->mode = (uint8_t)mode;
    b->op->type = (uint8_t)type;
    b->op->element_bytes = isa_types[type].bits / 8;
    b->op->count = 1;
    uint32_t rows = isa_type_slots(type);
    if (!reduces) {
        sim_sass_pdst(b, 1);
        b->more->global_only =
            b->sass->op == ISA_SASS_ATOM && (b->more->pdst[0] >= 0 || isa_types[type].class == ISA_CLASS_FLOAT ||
                                             isa_types[type].class == ISA_CLASS_PACKED);
        if (b->more->pdst[0] >= 0 && !b->more->global_only)
            sim_sass_refuse(b, "a predicate result");
        sim_sass_dst(b, rows);
    }
    sim_sass_take_address(b, wide);
    if (counts && sim_sass_peek(b) == NULL)
        b->op->vec[0] = sim_sass_constant_row(b, 1, rows);
    else
        b->op->vec[0] = sim_sass_row(b, sim_sass_take(b), rows);
    if (mode == ISA_ATOM_CAS)
        b->op->src[0] = sim_sass_row(b, sim_sass_take(b), rows);
    if (!sim_atom_supported((uint8_t)mode, (uint8_t)type))
        sim_sass_refuse(b, "an atomic of this type");
    b->op->kind = SIM_K_ATOM;
}

/* ---- Constant banks ---- */

/* A narrow constant of a signed type has its sign in all bits. */
static uint64_t extend(uint64_t value, uint8_t type)
{
    if (isa_types[type].class != ISA_CLASS_SIGNED || isa_types[type].bits >= 32)
        return value;
    const int32_t extended = type == ISA_TYPE_S8 ? (int8_t)value : (int16_t)value;
    return (uint32_t)extended;
}

/* ULDC d, c[bank][UR + offset] */
static bool run_uldc(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                     uint32_t mask)
{
    const unsigned lane = (unsigned)__builtin_ctz(mask);
    const uint32_t at = sim_row(engine->program, warp, group, op->address2)[lane] + (uint32_t)op->offset;
    uint64_t value;
    if (!sim_sass_constant(engine->program, op->machine->flags, at, op->element_bytes, &value))
        return sim_stop_address(engine, warp, op, lane, SIM_FAULT_OUT_OF_BOUNDS, ISA_SPACE_CONST, at, op->element_bytes,
                                false);
    value = extend(value, op->type);
    uint32_t out[2][32] __attribute__((aligned(64)));
    for (unsigned i = 0; i < 32; i++) {
        out[0][i] = (uint32_t)value;
        out[1][i] = (uint32_t)(value >> 32);
    }
    sim_sass_write(engine, warp, group, op, out[0], op->dst_rows, mask);
    return true;
}

static void lower_uldc(struct sim_sass_builder *b, uint8_t bank, uint32_t bytes)
{
    b->op->space = ISA_SPACE_CONST;
    sim_sass_take_address(b, false);
    if (b->op->addr_base != SIM_ADDR_ABSOLUTE || b->op->address2 == SIM_ROW_NONE || bytes > 8)
        sim_sass_refuse(b, "a constant of this kind");
    b->op->element_bytes = (uint8_t)bytes;
    b->more->flags = bank;
    sim_sass_through(b, run_uldc);
}

/* The constant at a place that is known: a narrow one extended as op->type says. */
static uint32_t constant_of(struct sim_sass_builder *b, const struct isa_sass_operand *o, uint32_t bytes)
{
    uint64_t value = 0;
    if (!sim_sass_constant(b->program, o->bank, o->value, bytes, &value))
        sim_sass_refuse(b, "a constant past its bank's end");
    return sim_sass_constant_row(b, extend(value, b->op->type), bytes > 4 ? 2 : 1);
}

void sim_sass_lower_ldc(struct sim_sass_builder *b)
{
    uint32_t bytes = sim_sass_take_width(b), rows = bytes > 4 ? bytes / 4 : 1;
    sim_sass_dst(b, rows);
    const struct isa_sass_operand *o = sim_sass_peek(b);
    if (o == NULL || o->kind != ISA_SASS_CONST || o->bank >= 8) {
        sim_sass_refuse(b, "a constant of this kind");
        return;
    }
    if (o->base == ISA_SASS_RZ && o->ubase == ISA_SASS_URZ && bytes <= 8) {
        b->op->src[0] = constant_of(b, sim_sass_take(b), bytes);
        b->more->rows[0] = (uint8_t)rows;
        sim_sass_alu(b, sim_sass_like(b, ISA_OP_MOV, rows == 2 ? ISA_TYPE_B64 : ISA_TYPE_B32, ISA_TYPE_NONE, NULL),
                     rows);
        return;
    }
    if (b->more->uniform) {
        lower_uldc(b, o->bank, bytes);
        return;
    }
    uint64_t bank = b->program->bank_offset[o->bank];
    set_elements(b, bytes, b->op->dst);
    b->op->space = ISA_SPACE_CONST;
    sim_sass_take_address(b, false);
    b->op->offset += (int64_t)bank;
    b->op->kind = SIM_K_LD;
}

/* ---- The rest ---- */

enum { QSPC_SHARED, QSPC_CLUSTER, QSPC_LOCAL, QSPC_GLOBAL };

/* QSPC.E.S p, d, [a]: is the address shared (.S: the block's own window, .D: the cluster's), local, global? */
static bool run_qspc(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                     uint32_t mask)
{
    const uint32_t *a = sim_row(engine->program, warp, group, op->src[0]);
    uint32_t lanes = 0;
    for (unsigned i = 0; i < 32; i++) {
        uint64_t address = ((uint64_t)a[32 + i] << 32 | a[i]) + (uint64_t)op->offset;
        bool in_window = address >= SIM_WINDOW_SHARED && address - SIM_WINDOW_SHARED < SIM_WINDOW_BYTES;
        bool own = (uint32_t)address >> SIM_CLUSTER_SHIFT == warp->block->rank;
        bool local = address >= SIM_WINDOW_LOCAL && address - SIM_WINDOW_LOCAL < SIM_WINDOW_BYTES;
        bool holds = op->machine->flags == QSPC_SHARED    ? in_window && own
                     : op->machine->flags == QSPC_CLUSTER ? in_window && !own
                     : op->machine->flags == QSPC_LOCAL   ? local
                                                          : !in_window && !local;
        lanes |= (uint32_t)holds << i;
    }
    sim_sass_write_pred(warp, group, op, 0, lanes, mask);
    return true;
}

void sim_sass_lower_qspc(struct sim_sass_builder *b)
{
    (void)sim_sass_word(b, ISA_SASS_W_E);
    if (sim_sass_word(b, ISA_SASS_W_S))
        b->more->flags = QSPC_SHARED;
    else if (sim_sass_word(b, ISA_SASS_W_D))
        b->more->flags = QSPC_CLUSTER;
    else if (sim_sass_word(b, ISA_SASS_W_L))
        b->more->flags = QSPC_LOCAL;
    else if (sim_sass_word(b, ISA_SASS_W_G))
        b->more->flags = QSPC_GLOBAL;
    else
        sim_sass_refuse(b, "a space of this kind");
    sim_sass_pdst(b, 1);
    sim_sass_dst(b, 1);
    if (b->op->dst != SIM_ROW_NONE)
        sim_sass_refuse(b, "a result register");
    sim_sass_take_address(b, true);
    if (b->op->addr_base != SIM_ADDR_REG64 || b->op->address2 != SIM_ROW_NONE)
        sim_sass_refuse(b, "an address of this kind");
    b->op->src[0] = b->op->address;
    sim_sass_through(b, run_qspc);
}

/* Fences: nothing to do in memory that is always coherent; the engine notes that the warp may be waiting. */
void sim_sass_lower_fence(struct sim_sass_builder *b)
{
    b->words_used = UINT32_MAX;
    b->next = b->sass->operand_count;
    b->op->kind = SIM_K_NOP;
    b->op->has_optional = true;
}

void sim_sass_lower_nop(struct sim_sass_builder *b)
{
    b->words_used = UINT32_MAX;
    b->next = b->sass->operand_count;
    b->op->kind = SIM_K_NOP;
}
