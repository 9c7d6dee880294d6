/* isa/ptx, isa_verify, isa_print: reading PTX, what is wrong with it and where, and printing it so that it reads back.
 *
 * What is expected was written by hand from the PTX manual, or worked out by the host's own arithmetic. Files are found
 * under the environment's top_srcdir. */
#include "isa/isa.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *ptx_suite(void);

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

/* A kernel around a body: the body's first line is line 8, its first column 2. */
#define REGS                                                                                                           \
    "\t.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .b16 %rs<9>;\n"
#define KERNEL(body) HEAD ".global .u32 g;\n.entry k(.param .u64 p)\n{\n" REGS "\t" body "\n\tret;\n}\n"

static struct isa_module *read_ok(const char *text, size_t size)
{
    struct base_diags diags = {0};
    struct base_strbuf out = {0};
    struct isa_module *module = NULL;
    const enum base_status status = isa_ptx_read("t.ptx", text, size, &module, &diags);
    base_diags_print(&diags, &out);
    ck_assert_msg(status == BASE_OK, "%s", out.data ? out.data : "no message");
    base_strbuf_free(&out);
    base_diags_free(&diags);
    return module;
}

static struct isa_module *read_text(const char *text)
{
    return read_ok(text, strlen(text));
}

static const struct isa_operand *operand_of(const struct isa_function *function, const struct isa_insn *insn,
                                            unsigned index)
{
    ck_assert_uint_lt(index, insn->operand_count);
    return &function->operands[insn->operand_first + index];
}

/* The n-th instruction of the text. */
static const struct isa_insn *insn_at(const struct isa_function *function, uint32_t pc)
{
    for (size_t i = 0; i < function->insn_count; i++) {
        const struct isa_insn *insn = &function->insns[i];
        if (insn->pc == pc && (!(isa_ops[insn->op].flags & ISA_OPF_DERIVED) || insn->op == ISA_OP_UNSUPPORTED))
            return insn;
    }
    ck_abort_msg("no such instruction");
    return NULL;
}

static const struct isa_function *function_named(const struct isa_module *module, const char *name)
{
    for (size_t i = 0; i < module->function_count; i++)
        if (strcmp(module->functions[i].name, name) == 0)
            return &module->functions[i];
    ck_abort_msg("no function %s", name);
    return NULL;
}

static const struct isa_var *var_named(const struct isa_module *module, const char *name)
{
    for (size_t i = 0; i < module->var_count; i++)
        if (strcmp(module->vars[i].name, name) == 0)
            return &module->vars[i];
    ck_abort_msg("no variable %s", name);
    return NULL;
}

/* Whether two modules are the same but for places in the text. */

static void same_insn(const struct isa_insn *a, const struct isa_insn *b)
{
    ck_assert_uint_eq(a->op, b->op);
    ck_assert_uint_eq(a->type, b->type);
    ck_assert_uint_eq(a->type2, b->type2);
    ck_assert_int_eq(a->guard, b->guard);
    ck_assert_int_eq(a->guard_negated, b->guard_negated);
    ck_assert_uint_eq(a->dst_count, b->dst_count);
    ck_assert_uint_eq(a->operand_count, b->operand_count);
    ck_assert_uint_eq(a->operand_first, b->operand_first);
    ck_assert_uint_eq(a->pc, b->pc);
    ck_assert_uint_eq(a->loc_file, b->loc_file);
    ck_assert_uint_eq(a->loc_line, b->loc_line);
    const struct isa_mods *x = &a->mods;
    const struct isa_mods *y = &b->mods;
    const bool same_words = x->round == y->round && x->cmp == y->cmp && x->boolop == y->boolop &&
                            x->space == y->space && x->sem == y->sem && x->scope == y->scope && x->vec == y->vec &&
                            x->cache == y->cache && x->hint == y->hint && x->hint2 == y->hint2 &&
                            x->prefetch == y->prefetch && x->mode == y->mode && x->mode2 == y->mode2 &&
                            x->flags == y->flags;
    ck_assert(same_words);
    ck_assert_str_eq(a->text ? a->text : "", b->text ? b->text : "");
}

static void same_operand(const struct isa_operand *a, const struct isa_operand *b)
{
    ck_assert_uint_eq(a->kind, b->kind);
    ck_assert_uint_eq(a->base_kind, b->base_kind);
    ck_assert_int_eq(a->negated, b->negated);
    ck_assert_int_eq(a->generic, b->generic);
    ck_assert_uint_eq(a->group, b->group);
    ck_assert_uint_eq(a->ref, b->ref);
    ck_assert_uint_eq(a->aux, b->aux);
    ck_assert_int_eq(a->imm, b->imm);
}

static void same_u32(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count)
{
    ck_assert_uint_eq(a_count, b_count);
    for (size_t i = 0; i < a_count; i++)
        ck_assert_uint_eq(a[i], b[i]);
}

static void same_tables(const struct isa_function *a, const struct isa_function *b)
{
    ck_assert_uint_eq(a->table_count, b->table_count);
    for (size_t i = 0; i < a->table_count; i++) {
        const struct isa_table *x = &a->tables[i];
        const struct isa_table *y = &b->tables[i];
        ck_assert_str_eq(x->name, y->name);
        ck_assert_uint_eq(x->kind, y->kind);
        ck_assert_str_eq(x->prototype ? x->prototype : "", y->prototype ? y->prototype : "");
        ck_assert_uint_eq(x->ret_bytes, y->ret_bytes);
        ck_assert_uint_eq(x->param_bytes, y->param_bytes);
        if (x->kind != ISA_TABLE_PROTOTYPE)
            same_u32(x->items, x->count, y->items, y->count);
        if (x->kind == ISA_TABLE_BRANCH)
            same_u32(x->labels, x->count, y->labels, y->count);
    }
}

static void same_heads(const struct isa_function *a, const struct isa_function *b)
{
    ck_assert_str_eq(a->name, b->name);
    ck_assert_int_eq(a->is_entry, b->is_entry);
    ck_assert_int_eq(a->is_declaration, b->is_declaration);
    ck_assert_int_eq(a->is_noreturn, b->is_noreturn);
    ck_assert_uint_eq(a->linkage, b->linkage);
    same_u32(a->params, a->param_count, b->params, b->param_count);
    same_u32(a->rets, a->ret_count, b->rets, b->ret_count);
    ck_assert_uint_eq(a->param_bytes, b->param_bytes);
    ck_assert_uint_eq(a->ret_bytes, b->ret_bytes);
    same_u32(a->maxntid, 3, b->maxntid, 3);
    same_u32(a->reqntid, 3, b->reqntid, 3);
    same_u32(a->reqnctapercluster, 3, b->reqnctapercluster, 3);
    ck_assert_uint_eq(a->minnctapersm, b->minnctapersm);
    ck_assert_uint_eq(a->maxnctapersm, b->maxnctapersm);
    ck_assert_uint_eq(a->maxnreg, b->maxnreg);
    ck_assert_uint_eq(a->maxclusterrank, b->maxclusterrank);
    ck_assert_int_eq(a->explicitcluster, b->explicitcluster);
}

static void same_function(const struct isa_function *a, const struct isa_function *b)
{
    same_heads(a, b);
    same_tables(a, b);
    same_u32(a->locals, a->local_count, b->locals, b->local_count);
    ck_assert_uint_eq(a->insn_count, b->insn_count);
    for (size_t i = 0; i < a->insn_count; i++)
        same_insn(&a->insns[i], &b->insns[i]);
    ck_assert_uint_eq(a->operand_count, b->operand_count);
    for (size_t i = 0; i < a->operand_count; i++)
        same_operand(&a->operands[i], &b->operands[i]);
    ck_assert_uint_eq(a->reg_count, b->reg_count);
    for (size_t i = 0; i < a->reg_count; i++) {
        ck_assert_str_eq(a->regs[i].name, b->regs[i].name);
        ck_assert_int_eq(a->regs[i].ordinal, b->regs[i].ordinal);
        ck_assert_uint_eq(a->regs[i].type, b->regs[i].type);
    }
    ck_assert_uint_eq(a->label_count, b->label_count);
    for (size_t i = 0; i < a->label_count; i++) {
        ck_assert_str_eq(a->labels[i].name, b->labels[i].name);
        ck_assert_uint_eq(a->labels[i].insn, b->labels[i].insn);
    }
}

static void same_var(const struct isa_var *a, const struct isa_var *b)
{
    ck_assert_str_eq(a->name, b->name);
    ck_assert_uint_eq(a->space, b->space);
    ck_assert_uint_eq(a->type, b->type);
    ck_assert_uint_eq(a->linkage, b->linkage);
    ck_assert_uint_eq(a->align_bytes, b->align_bytes);
    ck_assert_uint_eq(a->size_bytes, b->size_bytes);
    ck_assert_int_eq(a->unsized, b->unsized);
    ck_assert_int_eq(a->function, b->function);
    ck_assert_uint_eq(a->offset, b->offset);
    ck_assert_int_eq(a->init != NULL, b->init != NULL);
    if (a->init)
        ck_assert_mem_eq(a->init, b->init, (size_t)a->size_bytes);
    ck_assert_uint_eq(a->reloc_count, b->reloc_count);
    for (size_t i = 0; i < a->reloc_count; i++) {
        ck_assert_uint_eq(a->relocs[i].offset_bytes, b->relocs[i].offset_bytes);
        ck_assert_uint_eq(a->relocs[i].ref, b->relocs[i].ref);
        ck_assert_int_eq(a->relocs[i].is_function, b->relocs[i].is_function);
        ck_assert_int_eq(a->relocs[i].generic, b->relocs[i].generic);
        ck_assert_int_eq(a->relocs[i].addend, b->relocs[i].addend);
        ck_assert_uint_eq(a->relocs[i].size_bytes, b->relocs[i].size_bytes);
    }
}

static void same_module(const struct isa_module *a, const struct isa_module *b)
{
    ck_assert_uint_eq(a->version_major, b->version_major);
    ck_assert_uint_eq(a->version_minor, b->version_minor);
    ck_assert_str_eq(a->target, b->target);
    ck_assert_uint_eq(a->address_bits, b->address_bits);
    ck_assert_uint_eq(a->function_count, b->function_count);
    ck_assert_uint_eq(a->var_count, b->var_count);
    ck_assert_uint_eq(a->file_count, b->file_count);
    for (size_t i = 0; i < a->file_count; i++) {
        ck_assert_uint_eq(a->files[i].key, b->files[i].key);
        ck_assert_str_eq(a->files[i].name, b->files[i].name);
    }
    for (size_t i = 0; i < a->var_count; i++)
        same_var(&a->vars[i], &b->vars[i]);
    for (size_t i = 0; i < a->function_count; i++)
        same_function(&a->functions[i], &b->functions[i]);
}

/* Print, read, compare, print again: plain, and with derived instructions in comments. */
static void check_round_trip(const struct isa_module *module)
{
    for (unsigned derived = 0; derived < 2; derived++) {
        struct base_strbuf first = {0};
        struct base_strbuf second = {0};
        isa_print_module(module, &first, derived);
        ck_assert(!first.failed);
        struct isa_module *again = read_ok(first.data, first.length);
        same_module(module, again);
        isa_print_module(again, &second, derived);
        ck_assert_str_eq(first.data, second.data);
        isa_module_free(again);
        base_strbuf_free(&first);
        base_strbuf_free(&second);
    }
}

/* The message of the first error, as "line:column: message". */
static void check_error(const char *text, const char *expected)
{
    struct base_diags diags = {0};
    struct base_strbuf out = {0};
    struct isa_module *module = NULL;
    const enum base_status status = isa_ptx_read("t.ptx", text, strlen(text), &module, &diags);
    ck_assert_int_eq(status, BASE_INVALID);
    ck_assert_ptr_null(module);
    ck_assert_uint_ge(diags.count, 1);
    base_diag_print(&diags.items[0], &out);
    char *end = strchr(out.data, '\n');
    ck_assert_ptr_nonnull(end);
    *end = '\0';
    ck_assert_str_eq(out.data, expected);
    base_strbuf_free(&out);
    base_diags_free(&diags);
}

static const struct {
    const char *text, *message;
} body_errors[] = {
    {KERNEL("mov.u32 %r9, 1;"), "t.ptx:8:10: error: the register '%r9' is not declared"},
    {KERNEL("mov.u32 %r1, nothing;"), "t.ptx:8:15: error: the name 'nothing' is not declared"},
    {KERNEL("bra NOWHERE;"), "t.ptx:8:6: error: the label 'NOWHERE' is not declared"},
    {KERNEL("brx.idx %r1, T;"), "t.ptx:8:15: error: the target table 'T' is not declared"},
    {KERNEL("call nothing;"), "t.ptx:8:7: error: the name 'nothing' is not declared"},
    {KERNEL("call g;"), "t.ptx:8:7: error: 'g' is no function"},
    {KERNEL("mov.u32 %r1, 1"), "t.ptx:8:16: error: expected ';' after the instruction"},
    {KERNEL("add.s32 %r1, %r2;"), "t.ptx:8:2: error: add takes 3 operands, 2 are given"},
    {KERNEL("ret %r1;"), "t.ptx:8:2: error: ret takes 0 operands, 1 is given"},
    {KERNEL("add.s32 %r1, [g], 1;"), "t.ptx:8:15: error: expected a register or a constant"},
    {KERNEL("add.s32 5, %r1, 1;"), "t.ptx:8:10: error: expected a register"},
    {KERNEL("st.u32 %rd1, %r1;"), "t.ptx:8:9: error: expected an address in brackets"},
    {KERNEL("add.s32 %r1, %tid.x, 1;"), "t.ptx:8:2: error: only mov and cvt read special registers"},
    {KERNEL(".reg .b32 %r3;"), "t.ptx:8:12: error: '%r3' is declared twice"},
    {KERNEL(".reg .b32 x3; .reg .b32 x<4>;"), "t.ptx:8:26: error: 'x' is declared twice"},
    {KERNEL("L: L: bra L;"), "t.ptx:8:5: error: 'L' is declared twice"},
    {KERNEL("mov.u32 %r1, 0x1z;"), "t.ptx:8:15: error: this is not a number"},
    {KERNEL("mov.u32 %r1, 99999999999999999999;"), "t.ptx:8:15: error: this number does not fit 64 bits"},
    {KERNEL("mov.f32 %f1, 0f123;"), "t.ptx:8:15: error: 0f takes 8 hexadecimal digits"},
    {KERNEL("mov.f64 %fd1, 0d123;"), "t.ptx:8:16: error: 0d takes 16 hexadecimal digits"},
    {KERNEL("mov.u32 %r1, 5 / 0;"), "t.ptx:8:17: error: division by zero"},
    {KERNEL("mov.u32 %r1, 5 + ;"), "t.ptx:8:19: error: expected a constant or a name"},
    {KERNEL("add.f32 %f1, %f2, 1;"), "t.ptx:8:20: error: an integer constant cannot stand for a .f32: write 0f or 0d"},
    {KERNEL("add.s32 %r1, %r2, 0f3F800000;"), "t.ptx:8:20: error: a floating-point constant cannot stand for a .s32"},
    {KERNEL("add.s64 %rd1, %rd2, %r1;"), "t.ptx:8:2: error: operand 3 of add must have 64 bits, its register has 32"},
    {KERNEL("mul.wide.s32 %r1, %r2, %r3;"),
     "t.ptx:8:2: error: operand 1 of mul must have 64 bits, its register has 32"},
    {KERNEL("add.s32 %f1, %r2, 1;"), "t.ptx:8:2: error: operand 1 of add must be .s32, its register is .f32"},
    {KERNEL("mov.b64 {%r1, %rd1}, %rd2;"),
     "t.ptx:8:2: error: element 2 of the vector must have 32 bits, its register has 64"},
    {KERNEL("setp.eq.s32 %r1, %r2, 0;"), "t.ptx:8:2: error: operand 1 of setp must be a predicate"},
    {KERNEL("setp.s32 %p1, %r1, 0;"), "t.ptx:8:2: error: setp.s32 needs .eq, .ne, .lt, .le, .gt or .ge"},
    {KERNEL("setp.lt.and.s32 %p1, %r1, 0;"),
     "t.ptx:8:2: error: setp.s32 with these words takes another number of operands"},
    {KERNEL("selp.b32 %r1, %r2, %r3, 1;"), "t.ptx:8:26: error: expected a predicate"},
    {KERNEL("@%r1 ret;"), "t.ptx:8:3: error: a guard must be a predicate"},
    {KERNEL("mul.s32 %r1, %r2, 3;"), "t.ptx:8:2: error: mul.s32 needs .lo, .hi or .wide"},
    {KERNEL("add %r1, %r2, 3;"), "t.ptx:8:2: error: add needs a type"},
    {KERNEL("cvt.s32 %r1, %r2;"), "t.ptx:8:2: error: cvt needs two types"},
    {KERNEL("ld.shared.u32 %r1, [g];"), "t.ptx:8:2: error: 'g' lies in another state space"},
    {KERNEL("ld.global.v2.u32 {%r1, %r2, %r3}, [g];"),
     "t.ptx:8:19: error: expected a vector of 2 elements, 3 are given"},
    {KERNEL("mov.v2.u32 {%r1, %r2}, {%tid.x, %r3};"), "t.ptx:8:2: error: a special register stands alone"},
    {KERNEL("discard.global.L2 [%rd1], 64;"), "t.ptx:8:2: error: discard takes 128 bytes"},
    {KERNEL("pmevent 16;"), "t.ptx:8:2: error: pmevent takes a constant from 0 to 15"},
    {KERNEL("pmevent.mask 65536;"), "t.ptx:8:2: error: pmevent.mask takes a constant from 0 to 65535"},
    {KERNEL("setmaxnreg.inc.sync.aligned.u32 20;"),
     "t.ptx:8:2: error: setmaxnreg.inc takes a constant from 24 to 256, a multiple of 8"},
    {KERNEL("setmaxnreg.dec.sync.aligned.u32 28;"),
     "t.ptx:8:2: error: setmaxnreg.dec takes a constant from 24 to 256, a multiple of 8"},
    {KERNEL("setmaxnreg.inc.sync.aligned.u32 264;"),
     "t.ptx:8:2: error: setmaxnreg.inc takes a constant from 24 to 256, a multiple of 8"},
    {KERNEL("createpolicy.fractional.L2::evict_last.b64 %rd1, 0.0;"),
     "t.ptx:8:2: error: the fraction of createpolicy.fractional is above 0 and at most 1"},
    {KERNEL("createpolicy.fractional.L2::evict_last.b64 %rd1, 1.5;"),
     "t.ptx:8:2: error: the fraction of createpolicy.fractional is above 0 and at most 1"},
    {KERNEL("createpolicy.fractional.L2::evict_last.b64 %rd1, -0.5;"),
     "t.ptx:8:2: error: the fraction of createpolicy.fractional is above 0 and at most 1"},
    {KERNEL("createpolicy.fractional.L2::evict_last.b64 %rd1, 0f7FC00000;"),
     "t.ptx:8:2: error: the fraction of createpolicy.fractional is above 0 and at most 1"},
    {KERNEL("createpolicy.range.global.L2::evict_last.b64 %rd1, [g], 256, 128;"),
     "t.ptx:8:2: error: the first size of createpolicy.range is at most the second"},
    {KERNEL("lop3.b32 %r1, %r2, %r3, %r4, 999;"), "t.ptx:8:2: error: the table of lop3 is a constant from 0 to 255"},
    {KERNEL("atom.global.cas.b32 %r1, [g], %r2;"),
     "t.ptx:8:2: error: atom.b32 with these words takes another number of operands"},
    {KERNEL(".local .b8 big[1000000];"),
     "t.ptx:8:13: error: this variable is larger than the limit of 512 KiB for a .local variable"},
    {KERNEL(".reg .b32 %q<300000>;"), "t.ptx:8:15: error: a function has at most 262144 registers"},
    {KERNEL("{ .reg .b32 x; mov.u32 x, 1; } mov.u32 %r1, x;"), "t.ptx:8:46: error: the name 'x' is not declared"},
    {KERNEL("{ L: bra L; } bra L;"), "t.ptx:8:20: error: the label 'L' is not declared"},
    {KERNEL("mov.u32 %r1, \"x;"), "t.ptx:8:15: error: this string has no end"},
    {KERNEL("mov.u32 %r1, `;"), "t.ptx:8:15: error: this character has no meaning here"},
    {KERNEL("/* on and on"), "t.ptx:8:2: error: this comment has no end"},
    {KERNEL("{ ret;"), "t.ptx:6:1: error: this '{' has no '}'"},
    {KERNEL(".global .u32 x = {1, 2};"), "t.ptx:8:23: error: there are more values than elements"},
};

START_TEST(errors_in_bodies_tell_their_place)
{
    check_error(body_errors[_i].text, body_errors[_i].message);
}
END_TEST

static const struct {
    const char *text, *message;
} module_errors[] = {
    {"", "t.ptx:1:1: error: expected .version: a PTX text begins with it"},
    {".target sm_90\n", "t.ptx:1:1: error: expected .version: a PTX text begins with it"},
    {".version 8.0\n", "t.ptx:2:1: error: the text has no .target"},
    {".version 2.3\n.target sm_20\n", "t.ptx:1:10: error: PTX ISA version 2.3 is not supported: 6.0 to 9.x are"},
    {".version x\n", "t.ptx:1:10: error: expected a version number such as 9.0"},
    {".version 8.0\n.target sm_90\n.address_size 16\n", "t.ptx:3:15: error: the address size must be 32 or 64"},
    {HEAD ".alias a, b;\n", "t.ptx:4:8: error: expected a declared function that is no kernel and no alias"},
    {HEAD ".func a();\n.func b(.param .b32 x) { ret; }\n.alias a, b;\n",
     "t.ptx:6:1: error: 'a' was declared with other parameters"},
    {HEAD ".func a() { ret; }\n.func b() { ret; }\n.alias a, b;\n",
     "t.ptx:6:1: error: 'a' has a body: it cannot be an alias"},
    {HEAD ".func a();\n.func b() { ret; }\n.alias a, b;\n.func a() { ret; }\n",
     "t.ptx:7:7: error: 'a' is defined twice"},
    {HEAD "nonsense\n", "t.ptx:4:1: error: expected a directive, a variable or a function"},
    {HEAD ".global .u32 x;\n.global .u32 x;\n", "t.ptx:5:14: error: 'x' is declared twice"},
    {HEAD ".global .u32 x[2] = {1, 2, 3};\n", "t.ptx:4:28: error: there are more values than elements"},
    {HEAD ".global .u32 x[];\n", "t.ptx:4:14: error: an array without size needs .extern or an initialiser"},
    {HEAD ".global x;\n", "t.ptx:4:1: error: this declaration has no type"},
    {HEAD ".global .align 3 .u32 x;\n", "t.ptx:4:16: error: an alignment must be a power of two up to 65536"},
    {HEAD ".shared .u32 x = 1;\n", "t.ptx:4:16: error: only .global and .const variables have initialisers"},
    {HEAD ".const .b8 x[70000];\n",
     "t.ptx:4:12: error: this variable is larger than the limit of 64 KiB for a .const variable"},
    {HEAD ".shared .b8 x[16777217];\n",
     "t.ptx:4:13: error: this variable is larger than the limit of 16 MiB for a .shared variable"},
    {HEAD ".global .b64 x[536870913];\n",
     "t.ptx:4:14: error: this variable is larger than the limit of 4 GiB for a .global variable"},
    {HEAD ".global .u32 g;\n.global .u8 x[] = {0xff(g)};\n",
     "t.ptx:5:19: error: the last address has only 1 of its eight bytes"},
    {HEAD ".global .u64 x = y;\n", "t.ptx:4:18: error: 'y' is not declared"},
    {HEAD ".local .u32 x;\n", "t.ptx:4:1: error: this state space belongs into a function"},
    {HEAD ".entry k(.reg .u32 x) { ret; }\n", "t.ptx:4:8: error: the parameters of a kernel lie in .param"},
    {HEAD ".func f(.reg .pred x) { ret; }\n",
     "t.ptx:4:14: error: expected the type of the register, which is no predicate"},
    {HEAD ".func f(.reg .u32 x) { .reg .u32 x; ret; }\n", "t.ptx:4:34: error: 'x' is declared twice"},
    {HEAD ".func f() { ret; }\n.func f() { ret; }\n", "t.ptx:5:7: error: 'f' is defined twice"},
    {HEAD ".func f(.param .b32 a);\n.func f(.param .b64 a) { ret; }\n",
     "t.ptx:5:7: error: 'f' was declared with other parameters"},
    {HEAD ".func f(.param .b32 a);\n.entry k() { call f; }\n",
     "t.ptx:5:14: error: 'f' takes 1 and returns 0 values; the call has 0 and 0"},
    {HEAD ".entry k() .what 3 { }\n", "t.ptx:4:12: error: this directive is not known here"},
    {HEAD ".section .debug_str { .b8 1\n", "t.ptx:4:1: error: this section has no end"},
};

START_TEST(errors_in_modules_tell_their_place)
{
    check_error(module_errors[_i].text, module_errors[_i].message);
}
END_TEST

START_TEST(many_errors_in_one_run)
{
    const char *text =
        KERNEL("mov.u32 %r9, 1;\n\tadd.s32 %r1, {%r9, %r2}, 1;\n\tbra X;\n\tmov.u32 %r1, %r2\n\tfoo.bar;\n}\n"
               ".entry j()\n{\n\tmov.u32 x, 0;");
    static const char *const expected[] = {
        "t.ptx:8:10: error: the register '%r9' is not declared",
        "t.ptx:9:15: error: expected a register or a constant",
        "t.ptx:11:18: error: expected ';' after the instruction",
        "t.ptx:10:6: error: the label 'X' is not declared",
        "t.ptx:16:10: error: the name 'x' is not declared",
    };
    struct base_diags diags = {0};
    struct isa_module *module = NULL;
    ck_assert_int_eq(isa_ptx_read("t.ptx", text, strlen(text), &module, &diags), BASE_INVALID);
    ck_assert_uint_eq(diags.count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < diags.count; i++) {
        struct base_strbuf out = {0};
        base_diag_print(&diags.items[i], &out);
        ck_assert_int_eq(strncmp(out.data, expected[i], strlen(expected[i])), 0);
        base_strbuf_free(&out);
    }
    base_diags_free(&diags);
}
END_TEST

START_TEST(messages_outlive_the_module)
{
    struct base_diags diags = {0};
    struct base_strbuf out = {0};
    struct isa_module *module = NULL;
    char text[] = ".version 5.0\n.target sm_60\n";
    ck_assert_int_eq(isa_ptx_read("old.ptx", text, strlen(text), &module, &diags), BASE_OK);
    isa_module_free(module);
    memset(text, '?', sizeof text - 1);
    base_diags_print(&diags, &out);
    ck_assert_str_eq(out.data, "old.ptx:1:10: warning: PTX ISA version 5.0 is older than 6.0; it is read as 6.0\n"
                               ".version 5.0\n         ^~~\n");
    base_strbuf_free(&out);
    base_diags_free(&diags);
    ck_assert_int_eq(isa_ptx_read("none", "x", 1, &module, NULL), BASE_INVALID);
}
END_TEST

START_TEST(unknown_instructions_are_kept_as_unsupported)
{
    struct isa_module *module =
        read_text(KERNEL("@!%p1 wgmma.fence.sync.aligned;\n\twmma.load.a.sync.aligned.row.m8n8k32.s4 {%hx0, %hx1}, "
                         "[%rd1], %undeclared;\n\tadd.s32.what %r1, %r2, %r3;\n\tpopc.u32 %r1, %r2;\n\t"
                         "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, {%f1, %f2}];\n\t"
                         "shfl.down.b32 %r1, %r2, 1, 31;\n\tadd.rn.rz.f32 %f1, %f2, %f3;"));
    static const char *const names[] = {"wgmma.fence.sync.aligned",
                                        "wmma.load.a.sync.aligned.row.m8n8k32.s4",
                                        "add.s32.what",
                                        "popc.u32",
                                        "tex.2d.v4.f32.f32",
                                        "shfl.down.b32",
                                        "add.rn.rz.f32"};
    const struct isa_function *k = function_named(module, "k");
    ck_assert_uint_eq(k->text_insn_count, 8);
    for (uint32_t i = 0; i < 7; i++) {
        ck_assert_uint_eq(insn_at(k, i)->op, ISA_OP_UNSUPPORTED);
        ck_assert_str_eq(insn_at(k, i)->text, names[i]);
        ck_assert_uint_eq(insn_at(k, i)->line, 8 + i);
    }
    ck_assert_int_ge(insn_at(k, 0)->guard, 0);
    ck_assert(insn_at(k, 0)->guard_negated);
    ck_assert_uint_eq(insn_at(k, 1)->length, strlen(names[1]));
    check_round_trip(module);
    isa_module_free(module);
}
END_TEST

/* mov.b64 %rd1, EXPRESSION: against the host's arithmetic. */
static const struct {
    const char *text;
    int64_t value;
} expressions[] = {
    {"1 + 2 * 3", 1 + 2 * 3},
    {"(1 + 2) * 3", (1 + 2) * 3},
    {"10 - 4 - 3", 10 - 4 - 3},
    {"-7 / 2", -7 / 2},
    {"-7 % 3", -7 % 3},
    {"7U / 2", 7 / 2},
    {"-1 >> 1", -1},
    {"0xFFFFFFFFFFFFFFFF >> 63", 1},
    {"(.u64)-1 >> 63", 1},
    {"(.s64)0xFFFFFFFFFFFFFFFF >> 63", -1},
    {"1 << 40", INT64_C(1) << 40},
    {"1 << 64", 0},
    {"~0", -1},
    {"!5", 0},
    {"!0", 1},
    {"-5 < 3", 1},
    {"-5 < 3U", 0},
    {"3 <= 3 && 2 > 1", 1},
    {"0 || 0", 0},
    {"5 == 5 ? 11 : 22", 11},
    {"5 != 5 ? 11 : 0 ? 1 : 33", 33},
    {"0xF0 & 0x3C | 1 ^ 3", (0xF0 & 0x3C) | (1 ^ 3)},
    {"0b1011", 11},
    {"0777", 511},
    {"WARP_SZ * 2", 64},
    {"- -5", 5},
    {"9223372036854775807 + 1", INT64_MIN},
    {"-9223372036854775807 - 1", INT64_MIN},
    {"(-9223372036854775807 - 1) / -1", INT64_MIN},
    {"(-9223372036854775807 - 1) % -1", 0},
};

START_TEST(constant_expressions)
{
    struct base_strbuf text = {0};
    base_strbuf_puts(&text, HEAD ".entry k()\n{\n\t.reg .b64 %rd<2>;\n\tmov.b64 %rd1, ");
    base_strbuf_puts(&text, expressions[_i].text);
    base_strbuf_puts(&text, ";\n}\n");
    struct isa_module *module = read_text(text.data);
    const struct isa_function *k = function_named(module, "k");
    ck_assert_int_eq(operand_of(k, insn_at(k, 0), 1)->imm, expressions[_i].value);
    base_strbuf_free(&text);
    isa_module_free(module);
}
END_TEST

static uint32_t float_bits(float value)
{
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t double_bits(double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

START_TEST(constants_take_the_type_of_their_operand)
{
    struct isa_module *module = read_text(
        KERNEL("mov.f32 %f1, 1.5; mov.f32 %f1, 0d3FF8000000000000; mov.f64 %fd1, 0f3FC00000; mov.f64 %fd1, -2.5e3;"
               "mov.f32 %f1, -0f7FC01234; mov.b32 %r1, 0f40000000; mov.s32 %r1, -1; mov.u32 %r1, -1;"
               "mov.s32 %r1, 0xFFFFFFFE; mov.s16 %rs1, 65535; mov.u16 %rs1, -2; mov.pred %p1, -1; mov.f32 %f1, 1e-3;"
               "mul.wide.s32 %rd1, %r1, -4; shl.b64 %rd1, %rd1, 3;"));
    const int64_t expected[] = {float_bits(1.5F),
                                float_bits(1.5F),
                                (int64_t)double_bits(1.5),
                                (int64_t)double_bits(-2500.0),
                                0xFFC01234,
                                float_bits(2.0F),
                                -1,
                                0xFFFFFFFF,
                                -2,
                                -1,
                                0xFFFE,
                                1,
                                float_bits((float)1e-3),
                                -4,
                                3};
    const struct isa_function *k = function_named(module, "k");
    for (uint32_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct isa_insn *insn = insn_at(k, i);
        const struct isa_operand *last = operand_of(k, insn, insn->operand_count - 1U);
        ck_assert_uint_eq(last->kind, ISA_OPERAND_IMM);
        ck_assert_int_eq(last->imm, expected[i]);
    }
    check_round_trip(module);
    isa_module_free(module);
}
END_TEST

START_TEST(mnemonics_choose_opcode_types_and_words)
{
    struct isa_module *module = read_text(
        KERNEL("bar.warp.sync -1; barrier.cta.sync.aligned 0; barrier.sync 1, 64; bar.cta.arrive 2, 32;"
               "barrier.cta.red.popc.aligned.u32 %r1, 0, %p1; bar.red.and.pred %p2, 0, 64, !%p1; setp.lt.and.u32 "
               "%p1|%p2, %r1, "
               "%r2, !%p3; shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1; ld .global .v2 .u32 {%r1, _}, [g + 4 - 8];"
               "ld.global.nc.L1::no_allocate.L2::cache_hint.L2::128B.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1], %rd2;"
               "membar.gl; prmt.b32.f4e %r1, %r2, %r3, 1; atom.relaxed.gpu.global.add.u32 _, [%rd1+-4], 1;"));
    const struct isa_function *k = function_named(module, "k");
    ck_assert_uint_eq(insn_at(k, 0)->op, ISA_OP_BAR_WARP_SYNC);
    ck_assert_uint_eq(insn_at(k, 1)->op, ISA_OP_BAR_SYNC);
    ck_assert_uint_eq(insn_at(k, 2)->operand_count, 2);
    ck_assert_uint_eq(insn_at(k, 3)->op, ISA_OP_BAR_ARRIVE);
    const struct isa_insn *popc = insn_at(k, 4);
    ck_assert_uint_eq(popc->op, ISA_OP_BAR_RED_POPC);
    ck_assert_uint_eq(operand_of(k, popc, 2)->kind, ISA_OPERAND_NONE);
    ck_assert_uint_eq(operand_of(k, popc, 3)->kind, ISA_OPERAND_REG);
    ck_assert(operand_of(k, insn_at(k, 5), 3)->negated);
    const struct isa_insn *setp = insn_at(k, 6);
    ck_assert_uint_eq(setp->dst_count, 2);
    ck_assert_uint_eq(setp->operand_count, 5);
    ck_assert_uint_eq(setp->mods.cmp, ISA_CMP_LT);
    ck_assert_uint_eq(setp->mods.boolop, ISA_BOOL_AND);
    ck_assert_uint_eq(insn_at(k, 7)->dst_count, 2);
    const struct isa_insn *ld = insn_at(k, 8);
    ck_assert_uint_eq(ld->mods.vec, 2);
    ck_assert_uint_eq(ld->mods.space, ISA_SPACE_GLOBAL);
    ck_assert_uint_eq(operand_of(k, ld, 0)->group, 2);
    ck_assert_uint_eq(operand_of(k, ld, 1)->kind, ISA_OPERAND_SINK);
    ck_assert_uint_eq(operand_of(k, ld, 2)->base_kind, ISA_OPERAND_SYMBOL);
    ck_assert_int_eq(operand_of(k, ld, 2)->imm, -4);
    const struct isa_insn *hint = insn_at(k, 9);
    ck_assert_uint_eq(hint->mods.hint, ISA_HINT_L1_NO_ALLOCATE);
    ck_assert_uint_eq(hint->mods.prefetch, ISA_PREFETCH_L2_128B);
    ck_assert_uint_eq(hint->mods.flags, ISA_FLAG_NC);
    ck_assert_uint_eq(hint->operand_count, 6);
    ck_assert_uint_eq(insn_at(k, 10)->mods.scope, ISA_SCOPE_GPU);
    ck_assert_uint_eq(insn_at(k, 11)->mods.mode, ISA_PRMT_F4E);
    ck_assert_int_eq(operand_of(k, insn_at(k, 12), 1)->imm, -4);
    check_round_trip(module);
    isa_module_free(module);
}
END_TEST

/* Lines of CUDA's headers are told as the line that they were inlined at; those of the user's headers stay. */
START_TEST(places_are_the_users)
{
    static const struct {
        const char *file;
        uint32_t line;
    } want[] = {{"k.cu", 10},
                {"include/mine.cuh", 7},
                {"include/mine.cuh", 7},
                {"include/mine.cuh", 7},
                {"include/mine.cuh", 7},
                {"/usr/lib/llvm-14/lib/clang/14.0.0/include/sync.h", 98},
                {"k.cu", 12},
                {"k.cu", 12},
                {"/usr/lib/llvm-14/lib/clang/14.0.0/include/sync.h", 2}};
    struct isa_module *module = read_text(
        HEAD ".entry k()\n{\n" REGS
             ".loc 1 10 9\nmov.u32 %r1, 0;\n.loc 5 7 1, function_name $L0, inlined_at 1 10 9\nmov.u32 %r1, 1;\n"
             ".loc 2 489 9, function_name $L1+8, inlined_at 5 7 1\nmov.u32 %r1, 2;\n"
             ".loc 3 87 13, function_name $L2, inlined_at 2 489 9\nmov.u32 %r1, 3;\n"
             ".loc 4 98 3, inlined_at 3 87 13\nmov.u32 %r1, 4;\n.loc 4 98 3\nmov.u32 %r1, 5;\n"
             ".loc 2 489 9, inlined_at 1 12 2\nmov.u32 %r1, 6;\n.loc 3 87 13, inlined_at 2 489 9\nmov.u32 %r1, 7;\n"
             ".loc 3 1 1, inlined_at 4 2 2\nmov.u32 %r1, 8;\n.loc 1 0 0\nmov.u32 %r1, 9;\nret;\n}\n"
             ".file 1 \"k.cu\"\n.file 5 \"include/mine.cuh\"\n"
             ".file 2 \"/usr/local/cuda-13.0/targets/x86_64-linux/include/cooperative_groups.h\"\n"
             ".file 3 \"/usr/local/cuda/bin/../targets/x86_64-linux/include/details/sync.h\"\n"
             ".file 4 \"/usr/lib/llvm-14/lib/clang/14.0.0/include/sync.h\"\n");
    const struct isa_function *k = function_named(module, "k");
    const char *file = NULL;
    uint32_t line = 0;
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        isa_insn_location(module, insn_at(k, (uint32_t)i), &file, &line);
        ck_assert_msg(strcmp(file, want[i].file) == 0 && line == want[i].line, "%zu: %s:%u", i, file, line);
    }
    isa_insn_location(module, insn_at(k, 9), &file, &line); /* .loc 1 0 0: the text itself */
    ck_assert_str_eq(file, "t.ptx");
    check_round_trip(module);
    isa_module_free(module);
}
END_TEST

START_TEST(inner_blocks_have_their_own_names)
{
    struct isa_module *module = read_text(KERNEL(
        "mov.u32 %r1, 1; { .reg .b32 %r<3>, t; .param .b32 q; L: mov.u32 %r1, 2; mov.u32 t, %r1; @%p1 bra L; { .reg "
        ".b32 t; L: mov.u32 t, 3; @%p1 bra L; } bra M; } M: mov.u32 %r2, %r1; .reg .v2 .b32 v; mov.u32 v.x, 1;"
        "ld.global.v2.u32 v, [g]; mov.u32 %r1, v.y;"));
    const struct isa_function *k = function_named(module, "k");
    const uint32_t outer = operand_of(k, insn_at(k, 0), 0)->ref;
    ck_assert_uint_ne(operand_of(k, insn_at(k, 1), 0)->ref, outer);
    ck_assert_uint_eq(operand_of(k, insn_at(k, 2), 1)->ref, operand_of(k, insn_at(k, 1), 0)->ref);
    ck_assert_uint_ne(operand_of(k, insn_at(k, 4), 0)->ref, operand_of(k, insn_at(k, 2), 0)->ref);
    ck_assert_uint_eq(k->insns[operand_of(k, insn_at(k, 3), 0)->ref].pc, 1);
    ck_assert_uint_eq(k->insns[operand_of(k, insn_at(k, 5), 0)->ref].pc, 4);
    ck_assert_uint_eq(operand_of(k, insn_at(k, 7), 1)->ref, outer);
    ck_assert_uint_eq(operand_of(k, insn_at(k, 9), 0)->ref, operand_of(k, insn_at(k, 8), 0)->ref);
    ck_assert_uint_eq(operand_of(k, insn_at(k, 9), 1)->ref, operand_of(k, insn_at(k, 10), 1)->ref);
    for (size_t i = 0; i < k->reg_count; i++)
        for (size_t j = i + 1; j < k->reg_count; j++)
            ck_assert(strcmp(k->regs[i].name, k->regs[j].name) != 0 || k->regs[i].ordinal != k->regs[j].ordinal);
    check_round_trip(module);
    isa_module_free(module);
}
END_TEST

START_TEST(variables_and_initialisers)
{
    struct isa_module *module = read_text(
        HEAD
        ".extern .func (.param .b32 r) f(.param .b64 a);\n.global .align 16 .u32 a[2][3] = {{1, 2}, {-1}};\n"
        ".const .f32 c[] = {1.0, 0f40000000, 0d4010000000000000};\n.global .u64 t[3] = {generic(a)+8, f, a-4};\n"
        ".global .b8 m[10] = {7, 0xFF(a+4), 0xFF00(a+4), 0xFF0000(a+4), 0xFF000000(a+4), 0xFF00000000(a+4), "
        "0xFF0000000000(a+4), 0xFF000000000000(a+4), 0xFF00000000000000(a+4), 9};\n.global .b8 s[] = \"hi\\n\";\n"
        ".extern .shared .align 16 .b8 d[];\n.global .v4 .f32 v;\n.common .global .u32 w;\n.extern .global .u32 e;\n"
        ".visible .global .u32 e = 5;\n.global .u32 z[4] = {0};\n");
    const uint32_t a_values[6] = {1, 2, 0, UINT32_MAX, 0, 0};
    const float c_values[3] = {1, 2, 4};
    ck_assert_mem_eq(var_named(module, "a")->init, a_values, sizeof a_values);
    ck_assert_uint_eq(var_named(module, "a")->align_bytes, 16);
    ck_assert_mem_eq(var_named(module, "c")->init, c_values, sizeof c_values);
    ck_assert_uint_eq(var_named(module, "c")->size_bytes, sizeof c_values);
    const struct isa_var *t = var_named(module, "t");
    ck_assert_uint_eq(t->reloc_count, 3);
    ck_assert(t->relocs[0].generic && t->relocs[0].addend == 8 && t->relocs[0].size_bytes == 8);
    ck_assert(t->relocs[1].is_function && t->relocs[1].offset_bytes == 8);
    ck_assert_int_eq(t->relocs[2].addend, -4);
    const struct isa_var *m = var_named(module, "m");
    ck_assert_uint_eq(m->reloc_count, 1);
    ck_assert(m->relocs[0].offset_bytes == 1 && m->relocs[0].size_bytes == 8 && m->relocs[0].addend == 4);
    ck_assert(m->init[0] == 7 && m->init[9] == 9);
    ck_assert_mem_eq(var_named(module, "s")->init, "hi\n", 4);
    ck_assert(var_named(module, "d")->unsized);
    ck_assert_uint_eq(var_named(module, "d")->size_bytes, 0);
    ck_assert_uint_eq(var_named(module, "v")->size_bytes, 16);
    ck_assert_uint_eq(var_named(module, "v")->align_bytes, 16);
    ck_assert_uint_eq(var_named(module, "w")->linkage, ISA_LINKAGE_COMMON);
    ck_assert_uint_eq(var_named(module, "e")->linkage, ISA_LINKAGE_VISIBLE);
    ck_assert_uint_eq(var_named(module, "e")->init[0], 5);
    ck_assert_ptr_null(var_named(module, "z")->init);
    check_round_trip(module);
    isa_module_free(module);
}
END_TEST

START_TEST(functions_calls_and_tables)
{
    struct isa_module *module = read_text(
        HEAD
        ".file 1 \"a.cu\", 17, 4\n.func (.param .b32 r) late(.param .b64 a, .param .align 8 .b8 b[12]);\n"
        ".global .u64 table[1] = {late};\n.weak .func leaf() { }\n"
        ".visible .entry k(.param .u8 x, .param .u64 .ptr .global .align 16 y, .param .align 4 .b8 z[6], .param .u16 "
        "w)\n"
        ".maxntid 128, 2\n.minnctapersm 3\n.maxnreg 40\n.reqnctapercluster 2, 1, 1\n.explicitcluster\n{\n"
        "\t.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p;\n"
        "\t.loc 1 12 3, function_name $L__info_string0, inlined_at 1 10 5\n"
        "\t{ .param .b64 a; .param .align 8 .b8 b[12]; .param .b32 r; st.param.b64 [a], 1; call.uni (r), late, (a, b);"
        " ld.param.b32 %r1, [r+0]; }\n\tcall leaf;\n\tp0: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b32 "
        "_);\n"
        "\t.loc 1 13 0\n\tmov.u64 %rd1, late;\n\tcall (%r1), %rd1, (%rd2, 7), p0;\n"
        "\tc0: .calltargets leaf, late;\n\tcall %rd1, c0;\n\tts: .branchtargets A, B, A;\nA: brx.idx %r1, ts;\nB: @!%p "
        "bra.uni A;\n}\n"
        ".func (.param .b32 r) late(.param .b64 a, .param .align 8 .b8 b[12])\n{\n\t.reg .b32 %q;\n"
        "\tst.param.b32 [r], %q; trap;\n}\n"
        ".section .debug_str\n{\ninfo:\n.b8 65\n.b32 {1}\n}\n");
    const struct isa_function *k = function_named(module, "k");
    ck_assert_uint_eq(k->param_count, 4);
    static const uint32_t offsets[] = {0, 8, 16, 22};
    for (size_t i = 0; i < 4; i++)
        ck_assert_uint_eq(module->vars[k->params[i]].offset, offsets[i]);
    ck_assert_uint_eq(k->param_bytes, 24);
    ck_assert_uint_eq(k->maxntid[0], 128);
    ck_assert_uint_eq(k->maxntid[1], 2);
    ck_assert_uint_eq(k->maxntid[2], 1);
    ck_assert(k->explicitcluster && k->minnctapersm == 3 && k->maxnreg == 40 && k->reqnctapercluster[0] == 2);
    const struct isa_insn *call = insn_at(k, 1);
    ck_assert_uint_eq(call->dst_count, 1);
    ck_assert_uint_eq(call->operand_count, 4);
    ck_assert_uint_eq(operand_of(k, call, 0)->kind, ISA_OPERAND_SYMBOL);
    ck_assert_uint_eq(operand_of(k, call, 0)->group, 1);
    ck_assert_str_eq(module->functions[operand_of(k, call, 1)->ref].name, "late");
    ck_assert_uint_eq(operand_of(k, call, 2)->group, 2);
    ck_assert_uint_eq(call->loc_line, 12);
    ck_assert_uint_eq(insn_at(k, 4)->loc_line, 13);
    const char *file = NULL;
    uint32_t line = 0;
    isa_insn_location(module, call, &file, &line);
    ck_assert_str_eq(file, "a.cu");
    ck_assert_uint_eq(line, 12);
    const struct isa_insn *indirect = insn_at(k, 5);
    ck_assert_uint_eq(indirect->operand_count, 5);
    ck_assert_uint_eq(operand_of(k, indirect, 4)->kind, ISA_OPERAND_TABLE);
    const struct isa_table *prototype = &k->tables[operand_of(k, indirect, 4)->ref];
    ck_assert_uint_eq(prototype->param_bytes, 12);
    ck_assert_uint_eq(prototype->ret_bytes, 4);
    const struct isa_insn *brx = insn_at(k, 7);
    const struct isa_table *targets = &k->tables[operand_of(k, brx, 1)->ref];
    ck_assert_uint_eq(targets->count, 3);
    ck_assert_uint_eq(k->insns[targets->items[1]].pc, 8);
    ck_assert_uint_eq(insn_at(k, 8)->op, ISA_OP_BRA);
    ck_assert_uint_eq(insn_at(k, 9)->op, ISA_OP_RET);
    ck_assert_uint_eq(function_named(module, "leaf")->insns[0].op, ISA_OP_RET);
    ck_assert_uint_eq(function_named(module, "late")->insn_count, 2);
    check_round_trip(module);
    isa_module_free(module);
}
END_TEST

START_TEST(one_function_prints_with_what_it_needs)
{
    struct isa_module *module = read_text(
        HEAD ".func used() { ret; }\n.func unused() { ret; }\n.global .u32 a;\n.global .u64 b = a;\n.global .u32 c;\n"
             ".entry other() { ret; }\n.entry k() { .reg .u64 %rd<2>; mov.u64 %rd1, b; call used; ret; }\n");
    struct base_strbuf out = {0};
    isa_print_function(module, (uint32_t)(function_named(module, "k") - module->functions), &out, false);
    struct isa_module *again = read_ok(out.data, out.length);
    ck_assert_uint_eq(again->function_count, 2);
    ck_assert_uint_eq(again->var_count, 2);
    ck_assert_str_eq(again->functions[0].name, "used");
    ck_assert_str_eq(again->vars[1].name, "b");
    base_strbuf_free(&out);
    isa_module_free(again);
    isa_module_free(module);
}
END_TEST

START_TEST(an_instruction_prints_as_written)
{
    static const char *const texts[] = {
        "@!%p1 bra L;",
        "mad.lo.s32 %r1, %r2, %r3, %r4;",
        "ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+16];",
        "ld.volatile.shared.u32 %r1, [%r2+-4];",
        "atom.acq_rel.gpu.global.cas.b32 %r1, [%rd1], %r2, %r3;",
        "setp.lt.or.ftz.f32 %p1|%p2, %f1, %f2, !%p3;",
        "cvt.rn.ftz.sat.f32.s32 %f1, %r1;",
        "fma.rn.ftz.f32 %f1, %f2, 0f3F800000, %f4;",
        "shf.l.wrap.b32 %r1, %r2, %r3, %r4;",
        "cvta.to.global.u64 %rd1, %rd2;",
        "vote.sync.ballot.b32 %r1, !%p1, -1;",
        "mov.b64 {%r1, _}, %rd1;",
        "mov.b32 %r1, {%rs1, %rs2};",
        "bar.red.popc.u32 %r1, 0, %p1;",
        "membar.gl;",
        "fence.acq_rel.cluster;",
        "prmt.b32.ecr %r1, %r2, %r3, %r4;",
        "barrier.cluster.arrive.release.aligned;",
        "red.global.add.f32 [%rd1], %f1;",
        "bfind.shiftamt.u32 %r1, %r2;",
        "add.cc.u32 %r1, %r2, %r3;",
        "mov.u64 %rd1, generic(g)+4;",
        "bar.sync 0;",
    };
    struct base_strbuf text = {0};
    base_strbuf_puts(&text, HEAD ".global .u32 g;\n.entry k()\n{\n" REGS "L:");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        base_strbuf_printf(&text, "\t%s\n", texts[i]);
    base_strbuf_puts(&text, "\tret;\n}\n");
    struct isa_module *module = read_ok(text.data, text.length);
    const struct isa_function *k = function_named(module, "k");
    for (uint32_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct base_strbuf out = {0};
        isa_print_insn(module, k, insn_at(k, i), &out);
        ck_assert_str_eq(out.data, texts[i]);
        base_strbuf_free(&out);
    }
    check_round_trip(module);
    base_strbuf_free(&text);
    isa_module_free(module);
}
END_TEST

START_TEST(nesting_has_a_limit)
{
    static const char *const repeated[] = {"{", "mov.u32 %r1, (", "mov.u32 %r1, -"};
    static const char *const more[] = {"{", "(", "-"};
    static const char *const messages[] = {"blocks are nested deeper than 200 levels",
                                           "this expression is nested deeper than 200 levels",
                                           "this expression is nested deeper than 200 levels"};
    struct base_strbuf text = {0};
    struct base_diags diags = {0};
    struct isa_module *module = NULL;
    base_strbuf_puts(&text, HEAD ".entry k()\n{\n" REGS);
    base_strbuf_puts(&text, repeated[_i]);
    for (int i = 0; i < 100000; i++)
        base_strbuf_puts(&text, more[_i]);
    ck_assert_int_eq(isa_ptx_read("t.ptx", text.data, text.length, &module, &diags), BASE_INVALID);
    ck_assert_str_eq(diags.items[0].message, messages[_i]);
    base_diags_free(&diags);
    base_strbuf_free(&text);
}
END_TEST

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s cannot be opened", path);
    struct base_strbuf buf = {0};
    char block[4096];
    for (size_t got = 0; (got = fread(block, 1, sizeof block, file)) > 0;)
        base_strbuf_append(&buf, block, got);
    (void)fclose(file);
    *size = buf.length;
    return base_strbuf_take(&buf);
}

/* Calls back with every .ptx file below a folder; how many there were. */
static unsigned each_ptx(const char *folder, void (*visit)(const char *path))
{
    unsigned count = 0;
    DIR *dir = opendir(folder);
    if (!dir)
        return 0;
    for (const struct dirent *entry = NULL; (entry = readdir(dir));) {
        struct base_strbuf path = {0};
        const size_t length = strlen(entry->d_name);
        if (entry->d_name[0] == '.')
            continue;
        base_strbuf_printf(&path, "%s/%s", folder, entry->d_name);
        if (length > 4 && strcmp(entry->d_name + length - 4, ".ptx") == 0) {
            visit(path.data);
            count++;
        } else {
            count += each_ptx(path.data, visit);
        }
        base_strbuf_free(&path);
    }
    (void)closedir(dir);
    return count;
}

static char *source_path(const char *below)
{
    const char *top = getenv("top_srcdir");
    struct base_strbuf path = {0};
    base_strbuf_printf(&path, "%s/%s", top ? top : ".", below);
    return base_strbuf_take(&path);
}

static void round_trip_file(const char *path)
{
    size_t size = 0;
    char *text = read_file(path, &size);
    struct isa_module *module = read_ok(text, size);
    check_round_trip(module);
    isa_module_free(module);
    free(text);
}

START_TEST(files_print_and_read_back)
{
    char *records = source_path("validate/records");
    char *kernels = source_path("kernels");
    ck_assert_uint_ge(each_ptx(records, round_trip_file), 1);
    ck_assert_uint_ge(each_ptx(kernels, round_trip_file), 1);
    free(records);
    free(kernels);
}
END_TEST

static void read_anything(const char *text, size_t size)
{
    struct base_diags diags = {0};
    struct isa_module *module = NULL;
    const enum base_status status = isa_ptx_read("t.ptx", text, size, &module, &diags);
    ck_assert_int_eq(status == BASE_OK, module != NULL);
    ck_assert(status == BASE_OK || diags.errors > 0);
    isa_module_free(module);
    base_diags_free(&diags);
}

START_TEST(truncated_texts_do_no_harm)
{
    char *path = source_path("validate/records/h200/guide/guide.ptx");
    size_t size = 0;
    char *text = read_file(path, &size);
    for (size_t end = 0; end < size; end += 97) {
        char *part = malloc(end + 1); /* of exact size, so that tools see a read past its end */
        ck_assert_ptr_nonnull(part);
        memcpy(part, text, end);
        read_anything(part, end);
        free(part);
    }
    free(text);
    free(path);
}
END_TEST

START_TEST(flipped_bytes_do_no_harm)
{
    char *path = source_path("validate/records/h200/guide/guide.ptx");
    size_t size = 0;
    char *text = read_file(path, &size);
    uint64_t state = 1;
    for (unsigned run = 0; run < 300; run++) {
        char *copy = malloc(size);
        ck_assert_ptr_nonnull(copy);
        memcpy(copy, text, size);
        for (unsigned flips = 0; flips < 1 + run % 20; flips++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            copy[(size_t)((state >> 24) % size)] = (char)(state >> 16);
        }
        read_anything(copy, size);
        free(copy);
    }
    free(text);
    free(path);
}
END_TEST

Suite *ptx_suite(void)
{
    Suite *suite = suite_create("ptx");
    TCase *tcase = tcase_create("ptx");
    tcase_set_timeout(tcase, 300);
    tcase_add_loop_test(tcase, errors_in_bodies_tell_their_place, 0, sizeof body_errors / sizeof *body_errors);
    tcase_add_loop_test(tcase, errors_in_modules_tell_their_place, 0, sizeof module_errors / sizeof *module_errors);
    tcase_add_test(tcase, many_errors_in_one_run);
    tcase_add_test(tcase, messages_outlive_the_module);
    tcase_add_test(tcase, unknown_instructions_are_kept_as_unsupported);
    tcase_add_loop_test(tcase, constant_expressions, 0, sizeof expressions / sizeof *expressions);
    tcase_add_test(tcase, constants_take_the_type_of_their_operand);
    tcase_add_test(tcase, mnemonics_choose_opcode_types_and_words);
    tcase_add_test(tcase, places_are_the_users);
    tcase_add_test(tcase, inner_blocks_have_their_own_names);
    tcase_add_test(tcase, variables_and_initialisers);
    tcase_add_test(tcase, functions_calls_and_tables);
    tcase_add_test(tcase, one_function_prints_with_what_it_needs);
    tcase_add_test(tcase, an_instruction_prints_as_written);
    tcase_add_loop_test(tcase, nesting_has_a_limit, 0, 3);
    tcase_add_test(tcase, files_print_and_read_back);
    tcase_add_test(tcase, truncated_texts_do_no_harm);
    tcase_add_test(tcase, flipped_bytes_do_no_harm);
    suite_add_tcase(suite, tcase);
    return suite;
}
