/* Prints docs/isa.md from the tables of isa/isa.h. Not installed; run it after a change of a .def file:
 *
 *     gen-isa-doc > docs/isa.md
 */
#include "isa/isa.h"

#include <stdio.h>
#include <string.h>

static const char intro[] =
    "# The IR\n"
    "\n"
    "<!-- Written by tools/gen-isa-doc.c from isa/*.def; edit those. -->\n"
    "\n"
    "simtlab runs one small intermediate representation. Its text form is a subset of PTX: a kernel file is valid "
    "input\n"
    "for the CUDA driver as it stands, and what nvcc, clang and Numba emit for current GPUs is read as it is. What "
    "this\n"
    "page does not list is read too, but a kernel that can reach it is refused before anything runs.\n"
    "\n"
    "## A module\n"
    "\n"
    "    .version 8.0                      any version; the numbers are kept\n"
    "    .target sm_90\n"
    "    .address_size 64\n"
    "    .global .align 4 .b8 table[16] = {1, 2, 3};\n"
    "    .extern .shared .align 16 .b8 buffer[];        its size comes with the launch\n"
    "    .visible .entry scale(.param .u64 scale_x, .param .u32 scale_n)\n"
    "    {\n"
    "        .reg .pred %p<2>;\n"
    "        .reg .b32 %r<6>;\n"
    "        .reg .b64 %rd<4>;\n"
    "        ld.param.u64 %rd1, [scale_x];\n"
    "        ld.param.u32 %r1, [scale_n];\n"
    "        mov.u32 %r2, %tid.x;\n"
    "        setp.ge.u32 %p1, %r2, %r1;\n"
    "        @%p1 bra $DONE;\n"
    "        mul.wide.u32 %rd2, %r2, 4;\n"
    "        add.s64 %rd3, %rd1, %rd2;\n"
    "        ld.global.u32 %r3, [%rd3];\n"
    "        shl.b32 %r4, %r3, 1;\n"
    "        st.global.u32 [%rd3], %r4;\n"
    "    $DONE:\n"
    "        ret;\n"
    "    }\n"
    "\n"
    "An instruction is `@p NAME.MODIFIERS.TYPE OPERANDS;`, destinations first. `@p` or `@!p`, the guard, makes it do\n"
    "nothing in lanes whose predicate is false (true). A destination that is not wanted is `_`. Vectors stand in "
    "braces:\n"
    "`ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+16];`. In memory a module is plain data: functions are arrays of\n"
    "instructions of one size, branch targets are indices into them (isa/isa.h).\n"
    "\n"
    "## Convergence\n"
    "\n"
    "PTX does not say where the lanes of a warp that went apart meet again; machine code does, and so does the IR once "
    "it\n"
    "is read. In front of every branch whose lanes can part stands `conv.set B, L`: barrier B now holds the active "
    "lanes.\n"
    "L, the branch's immediate post-dominator, begins with `conv.sync B`: lanes of B wait there for the rest of B "
    "that\n"
    "has not ended. Ways that end the thread do not count, as EXIT takes a lane out of its barriers on the GPU: a "
    "kernel's\n"
    "lanes never wait in front of its end, and an early return inside an `if` does not keep the others apart. A "
    "branch\n"
    "marked `.uni` gets none. `simtlab disasm` shows both as comments; they are never part of the text form and are "
    "not\n"
    "counted as executed.\n"
    "\n"
    "## Registers\n"
    "\n"
    "A register holds a value of its declared width; types of instructions and registers need to agree in width only,\n"
    "as in PTX. Values of up to 32 bits take one 32-bit slot of a thread, 64 bits two, 128 bits four. Predicates are "
    "kept\n"
    "apart, and so is the carry flag CC. Registers that are never needed together share slots.\n";

struct section {
    enum isa_op first;
    const char *title;
};

static const struct section sections[] = {
    {ISA_OP_ADD, "Integer arithmetic"},
    {ISA_OP_FMA, "Floating point"},
    {ISA_OP_SETP, "Comparison and selection"},
    {ISA_OP_AND, "Logic and shifts"},
    {ISA_OP_MOV, "Moves and conversions"},
    {ISA_OP_LD, "Memory"},
    {ISA_OP_BAR_SYNC, "Barriers and warp-wide operations"},
    {ISA_OP_MMA, "Matrices"},
    {ISA_OP_CP_ASYNC_CA, "Copies that go on by themselves, and barriers in shared memory"},
    {ISA_OP_BRA, "Control flow"},
    {ISA_OP_CONV_SET, "Derived; never in the text form"},
};

/* A table cell: '|' would end it. */
static void print_cell(const char *text)
{
    for (; *text != '\0'; text++) {
        printf(*text == '|' || *text == '*' || *text == '_' ? "\\%c" : "%c", *text);
    }
}

static void print_type_set(uint64_t set)
{
    bool first = true;
    for (unsigned t = 1; t < ISA_TYPE_COUNT; t++) {
        if (set >> t & 1) {
            printf("%s%s", first ? "" : " ", isa_types[t].name);
            first = false;
        }
    }
}

static void print_types(uint64_t set)
{
    if ((set & T_ANY) == (T_ANY & ((UINT64_C(1) << ISA_TYPE_COUNT) - 1))) {
        printf("any");
    } else {
        print_type_set(set);
    }
}

/* Operands as the semantics name them: d and p are destinations, a, b, c ... sources in order. */
static void print_operands(const char *form)
{
    char source = 'a';
    bool first = true;
    for (; *form != '\0'; form++) {
        bool optional = form[1] == '?';
        printf("%s%s", optional ? " [" : "", first ? "" : ", ");
        first = false;
        switch (*form) {
        case 'd':
        case 'w':
        case 'D':
        case 'v':
        case 'F':
            printf("d");
            break;
        case 'p':
            printf("p\\|q");
            break;
        case 'q':
            printf("d\\|p");
            break;
        case 'M':
            printf("d, a");
            break;
        case 'm':
            printf("[m]");
            break;
        case 't':
            printf("TABLE");
            break;
        case 'c':
            printf("(RESULTS), FUNCTION, (ARGUMENTS), TABLE");
            break;
        default:
            printf("%c", source++);
        }
        printf("%s", optional ? "]" : "");
        form += optional;
    }
}

static void print_modifiers(uint64_t groups)
{
    uint64_t group = 0;
    for (size_t m = 0; m < isa_modifier_count; m++) {
        if (groups & isa_modifiers[m].group) {
            printf("%s.%s", group == 0 ? "" : group == isa_modifiers[m].group ? " " : ", ", isa_modifiers[m].word);
            group = isa_modifiers[m].group;
        }
    }
}

/* Modifier words that many instructions share are listed once, by group. */
static const struct {
    uint64_t group;
    const char *name;
} shared_groups[] = {
    {M_MEMORY, "SEM"}, {M_SCOPE, "SCOPE"}, {M_CACHE, "CACHE"}, {M_SPACE, "SPACE"}, {M_CMP, "CMP"}, {M_ROUND, "ROUND"},
};

static void print_row_modifiers(uint64_t groups)
{
    bool first = true;
    for (size_t g = 0; g < sizeof(shared_groups) / sizeof(shared_groups[0]); g++) {
        if (groups & shared_groups[g].group) {
            printf("%s%s", first ? "" : ", ", shared_groups[g].name);
            first = false;
            groups &= ~shared_groups[g].group;
        }
    }
    printf("%s", first || groups == 0 ? "" : ", ");
    print_modifiers(groups);
}

static void print_opcodes(void)
{
    static const char *const units[ISA_UNIT_COUNT] = {"ALU", "FMA", "MUFU", "LSU", "barrier", "branch", "tensor"};
    size_t section = 0;
    for (size_t op = 0; op < ISA_OP_COUNT; op++) {
        const struct isa_op_info *info = &isa_ops[op];
        if (section < sizeof(sections) / sizeof(sections[0]) && sections[section].first == (enum isa_op)op) {
            printf("\n### %s\n\n| name | operands | form | types | modifiers | unit | what it does |\n"
                   "|---|---|---|---|---|---|---|\n",
                   sections[section++].title);
        }
        printf("| `%s` | ", info->mnemonic);
        print_operands(info->form);
        printf(" | %s | ", info->form);
        print_types(info->types);
        if (info->types2 != 0) {
            printf("; second: ");
            print_types(info->types2);
        }
        printf(" | ");
        print_row_modifiers(info->modifiers);
        printf(" | %s | ", units[info->unit]);
        print_cell(info->semantics);
        printf(" |\n");
    }
}

static void print_type_table(void)
{
    static const char *const classes[] = {"bits", "unsigned", "signed", "floating point", "packed", "predicate"};
    printf("\n## Types\n\n| type | bits | kind |\n|---|---|---|\n");
    for (size_t t = 1; t < ISA_TYPE_COUNT; t++) {
        printf("| `.%s` | %u | %s |\n", isa_types[t].name, (unsigned)isa_types[t].bits, classes[isa_types[t].class]);
    }
}

static void print_sregs(void)
{
    static const char *const scopes[] = {"lane", "warp", "block", "launch", "every read"};
    printf("\n## Special registers\n\nThe last column says what a value belongs to: the same for all lanes of it.\n\n"
           "| name | type | one for each |\n|---|---|---|\n");
    for (size_t s = 0; s < ISA_SREG_COUNT; s++) {
        printf("| `%s` | %s | %s |\n", isa_sregs[s].name, isa_types[isa_sregs[s].type].name,
               scopes[isa_sregs[s].scope]);
    }
}

static void print_spaces(void)
{
    printf(
        "\n## Memory spaces\n\n"
        "| space | what | address |\n|---|---|---|\n"
        "| `.global` | the device's memory: buffers and module variables | 64 bits, the same as the generic one |\n"
        "| `.shared`, `.shared::cta` | a block's own; static variables in order of declaration, then the arrays "
        "without a size, all at one place | from 0 in the block |\n"
        "| `.shared::cluster` | shared memory of any block of the cluster | from `mapa` |\n"
        "| `.local` | a thread's own: variables of its function's frame | from 0 in the thread |\n"
        "| `.const` | constant variables, read only | from 0 in the bank |\n"
        "| `.param` | a kernel's parameters, read only; a call's arguments and results | the variable's name |\n"
        "| generic (none written) | any of them: the window an address lies in tells which | 64 bits, from `cvta` |\n");
}

static void print_legend(void)
{
    printf(
        "\n## Instructions\n\n"
        "`d`, `p`, `q` are destinations, `a`, `b`, `c` ... sources in order; what stands in brackets may be left out.\n"
        "The form has a letter an operand, as in isa/opcode.def:\n\n"
        "| letter | operand |\n|---|---|\n"
        "| d w D v | destination of the type; twice as wide when `.wide`; of 32 bits; a vector of `.v2` `.v4` `.v8` |\n"
        "| p q | destination predicate, `p` or `p\\|q`; a register that may be followed by `\\|p` |\n"
        "| a W b | source of the type; as wide as w's destination; of the second type |\n"
        "| s h i z | source of 32 bits; of 16 bits when the type is; constant; predicate, may be negated with `!` |\n"
        "| V m l t | vector source; memory; label; label and name of a table |\n"
        "| F A B C | matrices in braces: the destination; the sources. How many registers follows from shape and type "
        "|\n"
        "| y | source of 32 bits, or a predicate |\n"
        "| M c | mov's pair; a call's operands |\n"
        "\nWords that many instructions take:\n\n| in the tables | words |\n|---|---|\n");
    for (size_t g = 0; g < sizeof(shared_groups) / sizeof(shared_groups[0]); g++) {
        printf("| %s | ", shared_groups[g].name);
        print_modifiers(shared_groups[g].group);
        printf(" |\n");
    }
}

int main(void)
{
    fputs(intro, stdout);
    print_type_table();
    print_spaces();
    print_sregs();
    print_legend();
    print_opcodes();
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
