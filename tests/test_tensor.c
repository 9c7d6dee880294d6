/* Tensor-core and asynchronous instructions against the H200, bit for bit: every variant of
 * validate/records/h200/tensor (README.md there) is read as PTX, run, and compared. Recorded are mma, wmma.mma,
 * wmma.load.a, wmma.load.b, wmma.load.c, wmma.store.d, ldmatrix, stmatrix, movmatrix, cp.async.ca.shared.global,
 * cp.async.cg.shared.global, and some of mbarrier.
 *
 * SIMTLAB_TENSOR_REPORT=1 prints every variant that differs instead of the first. */
#include "base/vec.h"
#include "isa/matrix.h"
#include "isa/sass/sass.h"
#include "tests/engine_kit.h"
#include "tests/ops_record.h"
#include "tests/support.h"
#include "tests/tensor_operands.h"

#include <inttypes.h>
#include <stdlib.h>
#include <zlib.h>

Suite *tensor_suite(void);

#define RECORDS "validate/records/h200/tensor/"

enum { TEXT_MAX = 1600, INDEX_LINE_MAX = 2000, MEMORY_SIZE = 4096 };

struct variant {
    uint64_t offset, hash;
    unsigned stored, total, words;
    char classes[64], text[TEXT_MAX];
};

struct record {
    uint8_t *data;
    size_t size;
    struct variant *variants;
    size_t count;
};

static struct record record;

static void path_of(const char *name, char *path, size_t size)
{
    const char *folder = getenv("srcdir");
    snprintf(path, size, "%s/%s%s", folder ? folder : ".", RECORDS, name);
}

static bool parse_line(const char *line, struct variant *v)
{
    return sscanf(line, "%" SCNu64 "\t%u\t%u\t%" SCNx64 "\t%63[^\t]\t%u\t%1599[^\n]", &v->offset, &v->stored, &v->total,
                  &v->hash, v->classes, &v->words, v->text) == 7 &&
           v->total == TENSOR_TOTAL && tensor_operand_words(v->classes) != 0 &&
           v->offset + (uint64_t)v->stored * v->words * 128 <= record.size;
}

static void read_data(void)
{
    char path[1024];
    size_t capacity = 1U << 22;
    path_of("results.bin.gz", path, sizeof(path));
    gzFile file = gzopen(path, "rb");
    ck_assert_msg(file != NULL, "cannot open %s", path);
    record.data = malloc(capacity);
    ck_assert_ptr_nonnull(record.data);
    const int got = gzread(file, record.data, (unsigned)capacity);
    ck_assert(got > 0 && (size_t)got < capacity);
    record.size = (size_t)got;
    gzclose(file);
}

static void read_record(void)
{
    char path[1024], line[INDEX_LINE_MAX];
    size_t capacity = 0;
    read_data();
    path_of("index.txt", path, sizeof(path));
    FILE *index = fopen(path, "r");
    ck_assert_msg(index != NULL, "cannot open %s", path);
    for (; fgets(line, sizeof(line), index); record.count++) {
        if (record.count == capacity) {
            capacity = capacity * 2 + 512;
            record.variants = realloc(record.variants, capacity * sizeof(*record.variants));
            ck_assert_ptr_nonnull(record.variants);
        }
        ck_assert_msg(parse_line(line, &record.variants[record.count]), "index.txt: %s", line);
    }
    fclose(index);
}

static void free_record(void)
{
    free(record.data);
    free(record.variants);
    memset(&record, 0, sizeof(record));
}

/* The kernel that generate.py made of a variant, shorter where that changes nothing. */
static void kernel_text(const struct variant *v, struct base_strbuf *out)
{
    const uint32_t inputs = tensor_operand_words(v->classes);
    base_strbuf_puts(out, PTX_HEAD ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 memory)\n{\n"
                                   ".reg .pred %p<4>; .reg .b32 %i<40>, %o<40>, %f<8>, %lane, %w, %s, %n, %t, %k;\n"
                                   ".reg .b64 %l<16>, %m<8>, %g, %in, %out, %at; .reg .pred %q;\n"
                                   ".shared .align 128 .b8 cell[4096];\n"
                                   "mov.u32 %lane, %tid.x; mov.u32 %w, %ctaid.x; mov.u32 %s, cell;\n"
                                   "ld.param.u64 %g, [memory]; mul.wide.u32 %at, %w, 4096; add.u64 %g, %g, %at;\n"
                                   "mad.lo.u32 %t, %lane, 4, %s; mul.wide.u32 %l0, %lane, 4; add.u64 %l0, %g, %l0;\n"
                                   "mad.lo.u32 %n, %lane, 0x20002, 0x10000; mov.u32 %k, 0;\n");
    if (strstr(v->text, "[%") != NULL) /* the memory, before the instruction */
        base_strbuf_puts(out, "FILL: st.shared.b32 [%t], %n; st.global.b32 [%l0], %n; add.u32 %n, %n, 0x400040;\n"
                              "add.u32 %t, %t, 128; add.u64 %l0, %l0, 128; add.u32 %k, %k, 1;\n"
                              "setp.lt.u32 %q, %k, 32; @%q bra FILL;\n");
    base_strbuf_printf(out,
                       "bar.sync 0; ld.param.u64 %%in, [in]; mul.wide.u32 %%at, %%w, %u; add.u64 %%in, %%in, %%at;\n"
                       "mul.wide.u32 %%at, %%lane, 4; add.u64 %%in, %%in, %%at;\n",
                       inputs * 128);
    for (unsigned k = 0; k < inputs; k++)
        base_strbuf_printf(out, "ld.global.b32 %%i%u, [%%in+%u];\n", k, k * 128);
    for (unsigned k = 0; k < v->words; k++)
        base_strbuf_printf(out, "mov.b32 %%o%u, 0;\n", k);
    base_strbuf_printf(out,
                       "%s\nld.param.u64 %%out, [out]; mul.wide.u32 %%at, %%w, %u; add.u64 %%out, %%out, %%at;\n"
                       "mul.wide.u32 %%at, %%lane, 4; add.u64 %%out, %%out, %%at;\n",
                       v->text, v->words * 128);
    for (unsigned k = 0; k < v->words; k++)
        base_strbuf_printf(out, "st.global.b32 [%%out+%u], %%o%u;\n", k * 128, k);
    base_strbuf_puts(out, "ret;\n}\n");
}

static void fill_inputs(const struct variant *v, struct kit *kit, uint32_t tuples)
{
    const uint32_t words = tensor_operand_words(v->classes);
    uint32_t(*to)[32] = (void *)sim_memory_at(&kit->memory, kit->bound.args[0].address, kit->bound.args[0].size_bytes);
    uint32_t tuple[TENSOR_WORDS][32];
    for (uint32_t i = 0; i < tuples; i++) {
        tensor_operands(v->classes, i, tuple);
        memcpy(to + (size_t)i * words, tuple, words * sizeof(*tuple));
    }
}

/* Runs the first `tuples` tuples; the results are in argument 1's buffer. */
static bool run_variant(const struct variant *v, uint32_t tuples, struct kit *kit)
{
    struct base_strbuf text = {0};
    char args[256];
    uint32_t kernel = 0;
    kernel_text(v, &text);
    snprintf(args, sizeof(args), "u32[%u]=zero u32[%u]=zero u32[%u]=zero",
             tuples * tensor_operand_words(v->classes) * 32, tuples * v->words * 32, tuples * MEMORY_SIZE / 4);
    const struct kit_launch launch = {.ptx = text.data, .args = args, .grid = {tuples}, .block = {32}};
    kit_prepare(kit, &launch, &kernel);
    fill_inputs(v, kit, tuples);
    kit_start(kit, &launch, kernel);
    base_strbuf_free(&text);
    return kit->status == BASE_OK && kit->report.status == SIM_RUN_OK;
}

static uint64_t hash_of(const struct variant *v, const uint32_t *results)
{
    uint64_t hash = TENSOR_HASH_BASIS;
    for (size_t i = 0; i < (size_t)TENSOR_TOTAL * v->words * 32; i++)
        hash = tensor_hash(hash, results[i]);
    return hash;
}

/* The first stored word that differs, or that only the hash does. */
static void describe(const struct variant *v, const uint32_t *results, char *text, size_t size)
{
    const uint8_t *want = record.data + v->offset;
    for (size_t i = 0; i < (size_t)v->stored * v->words * 32; i++) {
        uint32_t word;
        memcpy(&word, want + i * 4, 4);
        if (word != results[i]) {
            snprintf(text, size, "tuple %zu, output %zu, lane %zu: 0x%08x, the card has 0x%08x", i / 32 / v->words,
                     i / 32 % v->words, i % 32, results[i], word);
            return;
        }
    }
    snprintf(text, size, "only the hash differs");
}

/* Loads and stores do the same for every tuple: of them only the stored ones are run. */
static bool check_variant(const struct variant *v, char *text, size_t size)
{
    struct kit kit;
    const bool some = strstr(v->text, "wmma.load") != NULL || strstr(v->text, "wmma.store") != NULL;
    const size_t stored_bytes = (size_t)v->stored * v->words * 128;
    bool good = run_variant(v, some ? v->stored : TENSOR_TOTAL, &kit);
    if (!good) {
        snprintf(text, size, "%s", kit.report.message != NULL ? kit.report.message : "does not run");
        kit_print_diags(&kit.diags);
    } else if (some ? memcmp(kit_words(&kit, 1), record.data + v->offset, stored_bytes) != 0
                    : hash_of(v, kit_words(&kit, 1)) != v->hash) {
        good = false;
        describe(v, kit_words(&kit, 1), text, size);
    }
    kit_free(&kit);
    return good;
}

/* Each test takes every PARTS-th variant. */
enum { PARTS = 8 };

START_TEST(test_record)
{
    const bool report = getenv("SIMTLAB_TENSOR_REPORT") != NULL;
    size_t bad = 0;
    read_record();
    ck_assert_uint_gt(record.count, 400);
    for (size_t i = (size_t)_i; i < record.count; i += PARTS) {
        char text[512];
        if (check_variant(&record.variants[i], text, sizeof(text)))
            continue;
        bad++;
        ck_assert_msg(report, "%s: %s", record.variants[i].text, text);
        printf("%s: %s\n", record.variants[i].text, text);
        fflush(stdout);
    }
    free_record();
    ck_assert_uint_eq(bad, 0);
}
END_TEST

/* ---- Whether the record has everything ---- */

/* A matrix instruction without its operands and the space of its memory. */
struct combination {
    uint16_t op;
    uint8_t type[4], shape, layout, layout2, vec, transposes, saturates;
};
_Static_assert(sizeof(struct combination) == 12, "compared as bytes");

static struct combination combination_of(const struct isa_insn *insn)
{
    return (struct combination){insn->op,
                                {insn->type, insn->type2, insn->type3, insn->type4},
                                insn->mods.shape,
                                insn->mods.layout,
                                insn->mods.layout2,
                                insn->mods.vec,
                                (insn->mods.flags & ISA_FLAG_TRANS) != 0,
                                (insn->mods.flags & ISA_FLAG_SATFINITE) != 0};
}

struct combinations {
    BASE_VEC(struct combination) items;
};

static bool has_combination(const struct combinations *list, const struct combination *c)
{
    for (size_t i = 0; i < list->items.count; i++)
        if (memcmp(&list->items.data[i], c, sizeof(*c)) == 0)
            return true;
    return false;
}

static void collect_recorded(struct combinations *list)
{
    for (size_t i = 0; i < record.count; i++) {
        struct base_strbuf text = {0};
        struct isa_module *module = NULL;
        kernel_text(&record.variants[i], &text);
        ck_assert_int_eq(isa_ptx_read("variant.ptx", text.data, text.length, &module, NULL), BASE_OK);
        for (size_t k = 0; k < module->functions[0].insn_count; k++) {
            const struct combination c = combination_of(&module->functions[0].insns[k]);
            if ((isa_ops[c.op].modifiers & M_SHAPE) != 0 && !has_combination(list, &c))
                ck_assert(base_vec_push(&list->items, c));
        }
        isa_module_free(module);
        base_strbuf_free(&text);
    }
}

/* Counts what PTX has, and what of it is not recorded. */
static void ask_for(const struct combinations *list, const struct isa_insn *insn, size_t *known, size_t *missing)
{
    const struct combination c = combination_of(insn);
    if (!isa_matrix_known(insn))
        return;
    ++*known;
    if (has_combination(list, &c))
        return;
    ++*missing;
    printf("not recorded: %s %s %s %s %s shape %u layouts %u %u x%u%s%s\n", isa_ops[c.op].mnemonic,
           isa_types[c.type[0]].name, isa_types[c.type[1]].name, isa_types[c.type[2]].name, isa_types[c.type[3]].name,
           c.shape, c.layout, c.layout2, c.vec, c.transposes ? " trans" : "", c.saturates ? " satfinite" : "");
}

/* All shapes, layouts, counts and words of an opcode with its types given. */
static void ask_for_words(const struct combinations *list, struct isa_insn insn, size_t *known, size_t *missing)
{
    const bool is_plain = (isa_ops[insn.op].modifiers & M_MATRIX) != 0;
    const bool saturates = (isa_ops[insn.op].modifiers & M_SAT) != 0;
    for (unsigned shape = 1; shape < ISA_SHAPE_COUNT; shape++)
        for (unsigned layouts = 0; layouts < 9; layouts++)
            for (unsigned words = 0; words < (is_plain ? 8U : saturates ? 2U : 1U); words++) {
                if (layouts % 3 == 0 && layouts != 0)
                    continue; /* a lone .row or .col is the first */
                insn.mods.shape = (uint8_t)shape;
                insn.mods.layout = (uint8_t)(layouts % 3);
                insn.mods.layout2 = (uint8_t)(layouts / 3);
                insn.mods.vec = is_plain ? (uint8_t)((1U << words / 2) & 7U) : 0;
                insn.mods.flags = (uint32_t)ISA_FLAG_SYNC | ISA_FLAG_ALIGNED;
                if (words % 2 != 0)
                    insn.mods.flags |= is_plain ? (uint32_t)ISA_FLAG_TRANS : (uint32_t)ISA_FLAG_SATFINITE;
                ask_for(list, &insn, known, missing);
            }
}

static bool has_type(uint64_t set, unsigned type)
{
    return (set >> type & 1) != 0;
}

/* The last two types of the four: both or none. */
static void ask_for_types(const struct combinations *list, struct isa_insn insn, size_t *known, size_t *missing)
{
    const uint64_t types = isa_ops[insn.op].types | isa_ops[insn.op].types2;
    ask_for_words(list, insn, known, missing);
    for (unsigned b = 1; isa_ops[insn.op].types2 != 0 && b < ISA_TYPE_COUNT; b++)
        for (unsigned c = 1; has_type(types, b) && c < ISA_TYPE_COUNT; c++) {
            insn.type3 = (uint8_t)b;
            insn.type4 = (uint8_t)c;
            if (has_type(types, c))
                ask_for_words(list, insn, known, missing);
        }
}

/* Every combination of shape, layouts, types and words that the reader takes has vectors of the card. */
START_TEST(test_nothing_is_missing)
{
    struct combinations list = {0};
    size_t known = 0, missing = 0;
    read_record();
    collect_recorded(&list);
    for (unsigned op = 0; op < ISA_OP_COUNT; op++)
        for (unsigned d = 0; (isa_ops[op].modifiers & M_SHAPE) != 0 && d < ISA_TYPE_COUNT; d++)
            for (unsigned a = 0; has_type(isa_ops[op].types, d) && a < ISA_TYPE_COUNT; a++) {
                const uint64_t seconds = isa_ops[op].types2 != 0 ? isa_ops[op].types2 : T(NONE);
                const struct isa_insn insn = {.op = (uint16_t)op, .type = (uint8_t)d, .type2 = (uint8_t)a, .guard = -1};
                if (has_type(seconds, a))
                    ask_for_types(&list, insn, &known, &missing);
            }
    fflush(stdout);
    ck_assert_uint_gt(known, 200);
    ck_assert_uint_eq(missing, 0);
    base_vec_free(&list.items);
    free_record();
}
END_TEST

/* ---- The same as machine code ---- */

/* machine/ there: kernel kI is line I of index.txt. */
struct machine {
    uint8_t *cubin, *listing;
    struct isa_module *module;
};

static uint8_t *read_packed(const char *name, size_t *size)
{
    char path[1024];
    path_of(name, path, sizeof(path));
    return ops_read_gz(path, size);
}

static void read_machine(struct machine *machine)
{
    size_t cubin_bytes, listing_bytes;
    struct base_diags diags = {0};
    machine->cubin = read_packed("machine/tensor.cubin.gz", &cubin_bytes);
    machine->listing = read_packed("machine/tensor.sass.gz", &listing_bytes);
    ck_assert_int_eq(isa_sass_read("tensor.sass", (const char *)machine->listing, listing_bytes, "tensor.cubin",
                                   machine->cubin, cubin_bytes, &machine->module, &diags),
                     BASE_OK);
    base_diags_free(&diags);
}

static uint32_t find_variant(const struct isa_module *module, size_t number)
{
    char name[32];
    snprintf(name, sizeof(name), "k%zu", number);
    for (size_t i = 0; i < module->function_count; i++)
        if (strcmp(module->functions[i].name, name) == 0)
            return (uint32_t)i;
    ck_abort_msg("no kernel %s", name);
    return 0;
}

/* The stored tuples from machine code: the kernel's PTX has bound the arguments. */
static bool check_machine_variant(const struct variant *v, struct isa_module *module, uint32_t kernel, char *text,
                                  size_t size)
{
    struct kit kit;
    struct base_strbuf ptx = {0};
    char args[256];
    uint32_t unused = 0;
    kernel_text(v, &ptx);
    snprintf(args, sizeof(args), "u32[%u]=zero u32[%u]=zero u32[%u]=zero",
             v->stored * tensor_operand_words(v->classes) * 32, v->stored * v->words * 32, v->stored * MEMORY_SIZE / 4);
    const struct kit_launch launch = {.ptx = ptx.data, .args = args, .grid = {v->stored}, .block = {32}};
    kit_prepare(&kit, &launch, &unused);
    fill_inputs(v, &kit, v->stored);
    struct isa_module *from_ptx = kit.module;
    kit.module = module;
    kit_start(&kit, &launch, kernel);
    kit.module = from_ptx;
    bool good = kit.status == BASE_OK && kit.report.status == SIM_RUN_OK;
    if (!good) {
        snprintf(text, size, "%s", kit.report.message != NULL ? kit.report.message : "does not run");
    } else if (memcmp(kit_words(&kit, 1), record.data + v->offset, (size_t)v->stored * v->words * 128) != 0) {
        good = false;
        describe(v, kit_words(&kit, 1), text, size);
    }
    base_strbuf_free(&ptx);
    kit_free(&kit);
    return good;
}

/* All but the arrivals that must not complete a phase, whose machine code keeps results in a register of its own
 * (RPCMOV), which is not read. */
START_TEST(test_machine_record)
{
    struct machine machine;
    size_t bad = 0, run = 0;
    char text[512], first[2304] = "";
    read_record();
    read_machine(&machine);
    ck_assert_uint_eq(machine.module->function_count, record.count);
    for (size_t i = 0; i < record.count; i++) {
        const struct variant *v = &record.variants[i];
        if (strstr(v->text, ".noComplete") != NULL)
            continue;
        run++;
        if (check_machine_variant(v, machine.module, find_variant(machine.module, i), text, sizeof(text)))
            continue;
        if (bad++ == 0)
            snprintf(first, sizeof(first), "%s: %s", v->text, text);
        if (getenv("SIMTLAB_TENSOR_REPORT") != NULL)
            printf("machine code, %s: %s\n", v->text, text);
    }
    isa_module_free(machine.module);
    free(machine.listing);
    free(machine.cubin);
    free_record();
    ck_assert_uint_gt(run, 490);
    ck_assert_msg(bad == 0, "%zu of %zu variants differ, the first: %s", bad, run, first);
}
END_TEST

/* ---- What Nsight Compute counted ---- */

/* A kind of patterns.cu: what a lane makes of its indices i (in %i0) and j (in %i1), and the instruction counted. */
struct pattern_kind {
    const char *name, *text;
};

#define PLACE_16 "mad.lo.u32 %f0, %i0, 16, %s; "
#define COPY(bytes, word)                                                                                              \
    "mad.lo.u32 %f0, %i0, " bytes ", %s; mul.wide.u32 %m0, %i1, " bytes "; add.u64 %m0, %m0, %g; cp.async." word       \
    ".shared.global [%f0], [%m0], " bytes
/* A j of 0xffff reads nothing. */
#define COPY_SOME(bytes, word)                                                                                         \
    "setp.eq.u32 %p0, %i1, 0xffff; selp.u32 %f1, 0, " bytes                                                            \
    ", %p0; selp.u32 %i1, 0, %i1, %p0; " COPY(bytes, word) ", %f1;"
#define FRAGMENT "{%o0, %o1, %o2, %o3, %o4, %o5, %o6, %o7}"
#define PLANE    "add.u32 %f0, %s, %i1; cvt.u64.u32 %m0, %i1; add.u64 %m0, %m0, %g; "

static const struct pattern_kind pattern_kinds[] = {
    {"ldsm1", PLACE_16 "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%o0}, [%f0];"},
    {"ldsm2", PLACE_16 "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%o0, %o1}, [%f0];"},
    {"ldsm4", PLACE_16 "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%o0, %o1, %o2, %o3}, [%f0];"},
    {"ldsmt1", PLACE_16 "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%o0}, [%f0];"},
    {"ldsmt2", PLACE_16 "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%o0, %o1}, [%f0];"},
    {"ldsmt4", PLACE_16 "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%o0, %o1, %o2, %o3}, [%f0];"},
    {"stsm1", PLACE_16 "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%f0], {%o0};"},
    {"stsm2", PLACE_16 "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%f0], {%o0, %o1};"},
    {"stsm4", PLACE_16 "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%f0], {%o0, %o1, %o2, %o3};"},
    {"stsmt4", PLACE_16 "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%f0], {%o0, %o1, %o2, %o3};"},
    {"cpa4", COPY("4", "ca") ";"},
    {"cpa8", COPY("8", "ca") ";"},
    {"cpa16", COPY("16", "ca") ";"},
    {"cpg16", COPY("16", "cg") ";"},
    {"cpaz4", COPY_SOME("4", "ca")},
    {"cpgz16", COPY_SOME("16", "cg")},
    {"wlar", PLANE "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 " FRAGMENT ", [%f0], %i0;"},
    {"wlac", PLANE "wmma.load.a.sync.aligned.col.m16n16k16.shared.f16 " FRAGMENT ", [%f0], %i0;"},
    {"wlbr", PLANE "wmma.load.b.sync.aligned.row.m16n16k16.shared.f16 " FRAGMENT ", [%f0], %i0;"},
    {"wlbc", PLANE "wmma.load.b.sync.aligned.col.m16n16k16.shared.f16 " FRAGMENT ", [%f0], %i0;"},
    {"wlcr", PLANE "wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 " FRAGMENT ", [%f0], %i0;"},
    {"wscr", PLANE "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%f0], " FRAGMENT ", %i0;"},
    {"wlgar", PLANE "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 " FRAGMENT ", [%m0], %i0;"},
    {"wlgac", PLANE "wmma.load.a.sync.aligned.col.m16n16k16.global.f16 " FRAGMENT ", [%m0], %i0;"},
    {"wsgcr", PLANE "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%m0], " FRAGMENT ", %i0;"},
    {"mbinit", "setp.lt.u32 %p0, %i0, 64; mad.lo.u32 %f0, %i0, 8, %s; @%p0 mbarrier.init.shared.b64 [%f0], 1000;"},
};

struct pattern {
    char kind[16];
    uint32_t index[64];
    uint64_t want[4]; /* wavefronts, ideal; sectors, ideal */
};

static bool parse_pattern(char *line, struct pattern *p)
{
    char *at = strchr(line, ',');
    if (at == NULL || (size_t)(at - line) >= sizeof(p->kind))
        return false;
    *at++ = '\0';
    strcpy(p->kind, line);
    for (unsigned k = 0; k < 68; k++) {
        char *end;
        const unsigned long value = strtoul(at, &end, 10);
        if (end == at)
            return false;
        if (k < 64)
            p->index[k] = (uint32_t)value;
        else
            p->want[k - 64] = value;
        at = end + (*end == ',');
    }
    return true;
}

static void count_pattern(const struct pattern_kind *kind, const struct pattern *p, uint64_t got[4])
{
    char text[2048];
    struct kit kit;
    uint32_t kernel = 0;
    snprintf(text, sizeof(text),
             PTX_HEAD
             ".visible .entry k(.param .u64 in, .param .u64 memory)\n{\n"
             ".reg .pred %%p<2>; .reg .b32 %%i<2>, %%o<8>, %%f<2>, %%s; .reg .b64 %%m<2>, %%g;\n"
             ".shared .align 128 .b8 cell[16384];\n"
             "mov.u32 %%f0, %%tid.x; mul.wide.u32 %%m0, %%f0, 4; ld.param.u64 %%m1, [in]; add.u64 %%m0, %%m0, %%m1; "
             "ld.global.u32 %%i0, [%%m0]; ld.global.u32 %%i1, [%%m0+128];\n"
             "mov.u32 %%s, cell; ld.param.u64 %%g, [memory];\n%s\nret;\n}\n",
             kind->text);
    const struct kit_launch launch = {.ptx = text, .args = "u32[64]=zero u32[4096]=zero", .block = {32}};
    kit_prepare(&kit, &launch, &kernel);
    memcpy(sim_memory_at(&kit.memory, kit.bound.args[0].address, sizeof(p->index)), p->index, sizeof(p->index));
    kit_start(&kit, &launch, kernel);
    ck_assert_msg(kit.status == BASE_OK && kit.report.status == SIM_RUN_OK, "%s: %s", p->kind,
                  kit.report.message != NULL ? kit.report.message : "");
    memset(got, 0, 4 * sizeof(*got));
    for (size_t i = 0; i < kit.report.insn_count; i++) {
        const struct sim_insn_report *row = &kit.report.insns[i];
        if (strstr(row->text, "ld.global") != NULL)
            continue;
        got[0] += row->wavefronts;
        got[1] += row->wavefronts_ideal;
        got[2] += row->sectors;
        got[3] += row->sectors_ideal;
    }
    kit_free(&kit);
}

/* Every recorded warp, but for copies whose rule is not known whole (README.md there): 38 of 174. */
START_TEST(test_patterns)
{
    char path[1024], line[1024];
    unsigned rows = 0, copies_off = 0, others_off = 0;
    path_of("patterns.csv", path, sizeof(path));
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL && fgets(line, sizeof(line), file) != NULL, "cannot open %s", path);
    while (fgets(line, sizeof(line), file)) {
        struct pattern p;
        uint64_t got[4];
        const struct pattern_kind *kind = NULL;
        ck_assert_msg(parse_pattern(line, &p), "%s", line);
        for (size_t k = 0; k < sizeof(pattern_kinds) / sizeof(pattern_kinds[0]); k++)
            if (strcmp(pattern_kinds[k].name, p.kind) == 0)
                kind = &pattern_kinds[k];
        if (kind == NULL)
            continue;
        rows++;
        count_pattern(kind, &p, got);
        if (memcmp(got, p.want, sizeof(got)) == 0)
            continue;
        const bool copy = p.kind[0] == 'c' && got[1] == p.want[1] && got[2] == p.want[2] && got[3] == p.want[3];
        copies_off += copy;
        others_off += !copy;
        if (!copy || getenv("SIMTLAB_TENSOR_REPORT") != NULL)
            printf("%s %u %u %u ...: %llu %llu %llu %llu, ncu %llu %llu %llu %llu\n", p.kind, p.index[0], p.index[1],
                   p.index[2], (unsigned long long)got[0], (unsigned long long)got[1], (unsigned long long)got[2],
                   (unsigned long long)got[3], (unsigned long long)p.want[0], (unsigned long long)p.want[1],
                   (unsigned long long)p.want[2], (unsigned long long)p.want[3]);
    }
    fclose(file);
    fflush(stdout);
    ck_assert_uint_gt(rows, 500);
    ck_assert_uint_eq(others_off, 0);
    ck_assert_uint_le(copies_off, 38);
}
END_TEST

Suite *tensor_suite(void)
{
    Suite *suite = suite_create("tensor");
    TCase *recorded = tcase_create("record");
    tcase_set_timeout(recorded, 300);
    tcase_add_loop_test(recorded, test_record, 0, PARTS);
    tcase_add_test(recorded, test_nothing_is_missing);
    tcase_add_test(recorded, test_machine_record);
    tcase_add_test(recorded, test_patterns);
    suite_add_tcase(suite, recorded);
    return suite;
}
