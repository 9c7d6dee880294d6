/* sim/args.c, sim/fill.c, sim/bind.c: one argument read, buffers' contents, arguments against parameters.
 *
 * Hashes of contents are those of the H200 record (validate/records/h200/guide/guide.outputs.txt), of buffers that the
 * kernels only read: the GPU's copy of them came back unchanged. */
#include "sim/args.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *args_suite(void);

static struct base_arena arena_of_test;

static void setup(void)
{
    base_arena_init(&arena_of_test, 0);
}

static void teardown(void)
{
    base_arena_free(&arena_of_test);
}

static struct sim_arg parse(const char *text)
{
    const struct base_source source = {.name = "arg", .text = text, .size = strlen(text)};
    struct base_diags diags = {0};
    struct sim_arg arg;
    const enum base_status status = sim_arg_parse(&source, 0, strlen(text), &arena_of_test, &arg, &diags);
    ck_assert_msg(status == BASE_OK, "%s: %s", text, diags.count ? diags.items[0].message : "");
    ck_assert_str_eq(arg.text, text);
    ck_assert_uint_eq(arg.length, strlen(text));
    return arg;
}

START_TEST(scalars)
{
    static const struct {
        const char *text;
        uint8_t type;
        uint64_t bits;
    } cases[] = {
        {"s32=-5", ISA_TYPE_S32, 0xfffffffb},
        {"s32=2147483647", ISA_TYPE_S32, 0x7fffffff},
        {"s32=-2147483648", ISA_TYPE_S32, 0x80000000},
        {"s32=0x7fffffff", ISA_TYPE_S32, 0x7fffffff},
        {"s8=-128", ISA_TYPE_S8, 0x80},
        {"u8=255", ISA_TYPE_U8, 255},
        {"b8=0xff", ISA_TYPE_U8, 255},
        {"s16=-1", ISA_TYPE_S16, 0xffff},
        {"b16=65535", ISA_TYPE_U16, 65535},
        {"u32=+7", ISA_TYPE_U32, 7},
        {"b32=0XABCDEF", ISA_TYPE_U32, 0xabcdef},
        {"u64=18446744073709551615", ISA_TYPE_U64, UINT64_MAX},
        {"u64=65536", ISA_TYPE_U64, 65536},
        {"b64=0xffffffffffffffff", ISA_TYPE_U64, UINT64_MAX},
        {"s64=-9223372036854775808", ISA_TYPE_S64, UINT64_C(1) << 63},
        {"s64=-0x8000000000000000", ISA_TYPE_S64, UINT64_C(1) << 63},
        {"u32=-0", ISA_TYPE_U32, 0},
        {"f32=2.5", ISA_TYPE_F32, 0x40200000},
        {"f32=2.5f", ISA_TYPE_F32, 0x40200000},
        {"f32=-1", ISA_TYPE_F32, 0xbf800000},
        {"f32=0x10", ISA_TYPE_F32, 0x41800000},
        {"f32=0x1f", ISA_TYPE_F32, 0x41f80000},
        {"f32=0x1.8p1", ISA_TYPE_F32, 0x40400000},
        {"f32=0x1.8p1F", ISA_TYPE_F32, 0x40400000},
        {"f32=1e-3f", ISA_TYPE_F32, 0x3a83126f},
        {"f32=inf", ISA_TYPE_F32, 0x7f800000},
        {"f32=-INFINITY", ISA_TYPE_F32, 0xff800000},
        {"f32=nan", ISA_TYPE_F32, 0x7fc00000},
        {"f32=1e-60", ISA_TYPE_F32, 0},
        {"f32=-0.0", ISA_TYPE_F32, 0x80000000},
        /* just above the middle of two floats: by way of double it would round down to even */
        {"f32=1.00000005960464477540", ISA_TYPE_F32, 0x3f800001},
        {"f64=2.5", ISA_TYPE_F64, UINT64_C(0x4004000000000000)},
        {"f64=0.1", ISA_TYPE_F64, UINT64_C(0x3fb999999999999a)},
        {"f64=-inf", ISA_TYPE_F64, UINT64_C(0xfff0000000000000)},
        {"f64=1e300", ISA_TYPE_F64, UINT64_C(0x7e37e43c8800759c)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct sim_arg arg = parse(cases[i].text);
        ck_assert_int_eq(arg.kind, SIM_ARG_SCALAR);
        ck_assert_uint_eq(arg.type, cases[i].type);
        ck_assert_msg(arg.value == cases[i].bits, "%s gives %" PRIx64, cases[i].text, arg.value);
    }
}
END_TEST

START_TEST(buffers)
{
    struct sim_arg arg = parse("f32[1000000]=rand:1");
    ck_assert_int_eq(arg.kind, SIM_ARG_BUFFER);
    ck_assert_uint_eq(arg.type, ISA_TYPE_F32);
    ck_assert_uint_eq(arg.count, 1000000);
    ck_assert_int_eq(arg.init.kind, SIM_INIT_RAND);
    ck_assert_uint_eq(arg.init.seed, 1);
    arg = parse("b16[0x10]=randmod:18446744073709551615:0x3e8");
    ck_assert_uint_eq(arg.type, ISA_TYPE_U16);
    ck_assert_uint_eq(arg.count, 16);
    ck_assert_int_eq(arg.init.kind, SIM_INIT_RANDMOD);
    ck_assert_uint_eq(arg.init.seed, UINT64_MAX);
    ck_assert_uint_eq(arg.init.modulus, 1000);
    ck_assert_int_eq(parse("u8[1]=zero").init.kind, SIM_INIT_ZERO);
    ck_assert_int_eq(parse("u8[1]=none").init.kind, SIM_INIT_NONE);
    ck_assert_int_eq(parse("u8[1]=iota").init.kind, SIM_INIT_IOTA);
    arg = parse("s8[1]=const:-2");
    ck_assert_int_eq(arg.init.kind, SIM_INIT_CONST);
    ck_assert_uint_eq(arg.init.value, 0xfe);
    ck_assert_uint_eq(parse("f64[1]=const:1").init.value, UINT64_C(0x3ff0000000000000));
    arg = parse("f64[3]=file:dir/a:b=c");
    ck_assert_int_eq(arg.init.kind, SIM_INIT_FILE);
    ck_assert_str_eq(arg.init.path, "dir/a:b=c");
    arg = parse("@x.y:s32[16]=iota");
    ck_assert_int_eq(arg.kind, SIM_ARG_BUFFER);
    ck_assert_str_eq(arg.name, "x.y");
    ck_assert_uint_eq(arg.count, 16);
    ck_assert_ptr_null(parse("s32[16]=iota").name);
}
END_TEST

START_TEST(other_kinds)
{
    struct sim_arg arg = parse("&3");
    ck_assert_int_eq(arg.kind, SIM_ARG_POINTER);
    ck_assert_uint_eq(arg.target, 3);
    ck_assert_uint_eq(arg.pointer_offset_bytes, 0);
    arg = parse("&0+0x100");
    ck_assert_uint_eq(arg.target, 0);
    ck_assert_uint_eq(arg.pointer_offset_bytes, 256);
    ck_assert_int_eq(parse("null").kind, SIM_ARG_NULL);
    arg = parse("bytes[12]=file:s.bin");
    ck_assert_int_eq(arg.kind, SIM_ARG_BYTES);
    ck_assert_uint_eq(arg.count, 12);
    ck_assert_str_eq(arg.init.path, "s.bin");
    arg = parse("symbol:coeffs=file:c.bin");
    ck_assert_int_eq(arg.kind, SIM_ARG_SYMBOL);
    ck_assert_str_eq(arg.name, "coeffs");
    arg = parse("f32[8]~numba=iota");
    ck_assert_int_eq(arg.kind, SIM_ARG_NUMBA);
    ck_assert_uint_eq(arg.rows, 8);
    ck_assert_uint_eq(arg.columns, 0);
    ck_assert_uint_eq(arg.count, 8);
    arg = parse("f64[3,5]~numba=zero");
    ck_assert_uint_eq(arg.rows, 3);
    ck_assert_uint_eq(arg.columns, 5);
    ck_assert_uint_eq(arg.count, 15);
}
END_TEST

START_TEST(bad_arguments)
{
    static const struct {
        const char *text;
        size_t offset, length; /* of what is marked */
        const char *message;
    } cases[] = {
        {"", 0, 0, "'' is no argument"},
        {"s32", 3, 0, "expected '=' after the type"},
        {"s32=", 4, 0, "the value is missing"},
        {"s32=2.5", 4, 3, "'2.5' is not an integer"},
        {"s32=1 ", 4, 2, "'1 ' is not an integer"},
        {"s32=--1", 4, 3, "'--1' is not an integer"},
        {"s32=0x", 4, 2, "'0x' is not an integer"},
        {"s32=2147483648", 4, 10, "'2147483648' does not fit s32 (-2147483648 to 2147483647)"},
        {"s32=-2147483649", 4, 11, "'-2147483649' does not fit s32"},
        {"s8=-129", 3, 4, "'-129' does not fit s8 (-128 to 127)"},
        {"u8=256", 3, 3, "'256' does not fit u8 (0 to 255)"},
        {"u8=-1", 3, 2, "'-1' does not fit u8"},
        {"u64=18446744073709551616", 4, 20, "'18446744073709551616' does not fit u64 (0 to 18446744073709551615)"},
        {"s64=9223372036854775808", 4, 19, "'9223372036854775808' does not fit s64"},
        {"f32=", 4, 0, "the value is missing"},
        {"f32=x", 4, 1, "'x' is not a number"},
        {"f32=1f", 4, 2, "'1f' is not a number"},
        {"f32=1.5ff", 4, 5, "'1.5ff' is not a number"},
        {"f32= 1", 4, 2, "' 1' is not a number"},
        {"f32=1,5", 4, 3, "'1,5' is not a number"},
        {"f32=infx", 4, 4, "'infx' is not a number"},
        {"f32=1e39", 4, 4, "'1e39' does not fit f32; infinity is written inf"},
        {"f64=-1e309", 4, 6, "'-1e309' does not fit f64"},
        {"f16=1", 0, 3, "f16 is passed by its bits, as u16"},
        {"bf16[4]=zero", 0, 4, "bf16 is passed by its bits, as u16"},
        {"pred=1", 0, 4, "'pred' is no type"},
        {"b128=1", 0, 4, "'b128' is no type"},
        {"=1", 0, 0, "'' is no type"},
        {"f32x2[1]=zero", 0, 5, "'f32x2' is no type"},
        {"f32[]=zero", 4, 0, "the number of elements is missing"},
        {"f32[0]=zero", 4, 1, "the number of elements must be at least 1"},
        {"f32[-1]=zero", 4, 2, "the number of elements '-1' is not a number"},
        {"f32[4", 5, 0, "expected ']' after the number of elements"},
        {"f32[4]", 6, 0, "expected '=' after the number of elements"},
        {"f32[4]zero", 6, 4, "expected '='"},
        {"f32[4]=", 7, 0, "'' is no contents"},
        {"f32[4]=ones", 7, 4, "'ones' is no contents: zero, none, iota, const:V"},
        {"f32[4]=zero2", 7, 5, "'zero2' is no contents"},
        {"f32[4]=const:", 13, 0, "the value of 'const:' is missing"},
        {"s8[4]=const:128", 12, 3, "'128' does not fit s8"},
        {"f32[4]=rand:", 12, 0, "the seed is missing"},
        {"f32[4]=rand:x", 12, 1, "the seed 'x' is not a number"},
        {"f32[4]=rand:99999999999999999999", 12, 20, "the seed '99999999999999999999' is too large"},
        {"f32[4]=randmod:1", 16, 0, "expected ':' after the seed"},
        {"f32[4]=randmod:1:", 17, 0, "the modulus is missing"},
        {"f32[4]=randmod:1:0", 17, 1, "the modulus must be at least 1"},
        {"f32[4]=file:", 12, 0, "the file's name is missing"},
        {"f32[4611686018427387904]=zero", 4, 19, "so many elements have no size in 64 bits"},
        {"f32[4294967296,4294967296]~numba=zero", 4, 21, "so many elements"},
        {"f32[4,4]=zero", 4, 3, "only a ~numba array has two dimensions"},
        {"f32[4,4,4]~numba=zero", 6, 3, "the number of elements '4,4' is not a number"},
        {"f32[4,]~numba=zero", 6, 0, "the number of elements is missing"},
        {"f32[4]~torch=zero", 7, 5, "'torch' is no calling convention: numba"},
        {"@:f32[4]=zero", 1, 0, "the shared buffer's name is missing"},
        {"@x", 2, 0, "expected ':' after the shared buffer's name"},
        {"@x:f32=1", 6, 2, "expected '[' after the type: a shared buffer is @NAME:TYPE[N]=INIT"},
        {"&", 1, 0, "the argument's number is missing"},
        {"&x", 1, 1, "the argument's number 'x' is not a number"},
        {"&4294967296", 1, 10, "the argument's number is too large"},
        {"&1+", 3, 0, "the offset is missing"},
        {"&1+-4", 3, 2, "the offset '-4' is not a number"},
        {"nul", 0, 3, "'nul' is no argument"},
        {"bytes[0]=file:x", 6, 1, "the number of elements must be at least 1"},
        {"bytes[4]=zero", 9, 4, "expected 'file:' after bytes[N]="},
        {"symbol:=zero", 7, 0, "the variable's name is missing"},
        {"symbol:x", 8, 0, "expected '=' after the variable's name"},
        {"symbol:x=none", 9, 4, "a variable cannot be filled with 'none'"},
        {"symbol:x=const:", 15, 0, "the value of 'const:' is missing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64] = "..";
        strcat(text, cases[i].text);
        const struct base_source source = {.name = "arg", .text = text, .size = strlen(text)};
        struct base_diags diags = {0};
        struct sim_arg arg;
        ck_assert_msg(sim_arg_parse(&source, 2, strlen(text) - 2, &arena_of_test, &arg, &diags) == BASE_INVALID, "%s",
                      text);
        ck_assert_uint_eq(diags.errors, 1);
        ck_assert_msg(strncmp(diags.items[0].message, cases[i].message, strlen(cases[i].message)) == 0, "%s: %s", text,
                      diags.items[0].message);
        ck_assert_msg(diags.items[0].offset == cases[i].offset + 2, "%s: at %zu", text, diags.items[0].offset);
        ck_assert_msg(diags.items[0].length == cases[i].length, "%s: length %zu", text, diags.items[0].length);
        base_diags_free(&diags);
    }
}
END_TEST

START_TEST(dimensions)
{
    uint32_t dim[3];
    ck_assert_int_eq(sim_dim3_parse("7", 1, dim), BASE_OK);
    ck_assert(dim[0] == 7 && dim[1] == 1 && dim[2] == 1);
    ck_assert_int_eq(sim_dim3_parse("1,0x20,2147483647", 17, dim), BASE_OK);
    ck_assert(dim[0] == 1 && dim[1] == 32 && dim[2] == 2147483647);
    static const char *const bad[] = {"",        "0",          "1,", ",1", "1,,1", "1,2,3,",
                                      "1,2,3,4", "2147483648", " 1", "1 ", "-1",   "x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(sim_dim3_parse(bad[i], strlen(bad[i]), dim) == BASE_INVALID, "%s", bad[i]);
}
END_TEST

static uint64_t hash(const char *text)
{
    return sim_fnv1a64((const uint8_t *)text, strlen(text));
}

START_TEST(fnv1a)
{
    /* The reference vectors of its authors. */
    ck_assert_uint_eq(hash(""), UINT64_C(0xcbf29ce484222325));
    ck_assert_uint_eq(hash("a"), UINT64_C(0xaf63dc4c8601ec8c));
    ck_assert_uint_eq(hash("foobar"), UINT64_C(0x85944171f73967e8));
    /* Byte by byte, over stretches of zeros of every length and place. */
    static uint8_t data[700];
    for (size_t zeros = 0; zeros <= 300; zeros += 7)
        for (size_t start = 0; start < 200; start += 13) {
            uint64_t expected = UINT64_C(0xcbf29ce484222325);
            for (size_t i = 0; i < sizeof data; i++) {
                data[i] = i >= start && i < start + zeros ? 0 : (uint8_t)(i * 37 + 1);
                expected = (expected ^ data[i]) * UINT64_C(0x100000001b3);
            }
            ck_assert_uint_eq(sim_fnv1a64(data, sizeof data), expected);
        }
}
END_TEST

START_TEST(splitmix64)
{
    static const uint64_t seed_0[] = {UINT64_C(0xe220a8397b1dcdaf), UINT64_C(0x6e789e6aa1b965f4),
                                      UINT64_C(0x06c45d188009454f), UINT64_C(0xf88bb8a8724c81ec)};
    static const uint64_t seed_1234567[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                            UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
                                            UINT64_C(16408922859458223821)};
    uint64_t drawn[5];
    struct sim_init init = {.kind = SIM_INIT_RAND, .seed = 0};
    sim_init_fill(&init, ISA_TYPE_U64, 4, (uint8_t *)drawn);
    ck_assert_mem_eq(drawn, seed_0, sizeof seed_0);
    init.seed = 1234567;
    sim_init_fill(&init, ISA_TYPE_S64, 5, (uint8_t *)drawn);
    ck_assert_mem_eq(drawn, seed_1234567, sizeof seed_1234567);

    uint8_t bytes[5];
    float floats[5];
    double doubles[5];
    sim_init_fill(&init, ISA_TYPE_S8, 5, bytes);
    sim_init_fill(&init, ISA_TYPE_F32, 5, (uint8_t *)floats);
    sim_init_fill(&init, ISA_TYPE_F64, 5, (uint8_t *)doubles);
    for (size_t i = 0; i < 5; i++) {
        ck_assert_uint_eq(bytes[i], seed_1234567[i] & 0xff);
        ck_assert_double_eq(doubles[i], (double)(seed_1234567[i] >> 40) / 16777216.0);
        ck_assert_double_eq((double)floats[i], doubles[i]);
    }
}
END_TEST

START_TEST(randmod_is_the_remainder)
{
    static const uint64_t moduli[] = {
        1, 2, 3, 64, 1100, 0x80000000, 0xffffffff, UINT64_C(0x123456789abcdef), UINT64_MAX, UINT64_C(1) << 63};
    enum { N = 2000 };
    static uint64_t drawn[N];
    static uint64_t reduced[N];
    static float floats[N];
    static int16_t shorts[N];
    for (size_t m = 0; m < sizeof moduli / sizeof *moduli; m++) {
        struct sim_init init = {.kind = SIM_INIT_RAND, .seed = m, .modulus = moduli[m]};
        sim_init_fill(&init, ISA_TYPE_U64, N, (uint8_t *)drawn);
        init.kind = SIM_INIT_RANDMOD;
        sim_init_fill(&init, ISA_TYPE_U64, N, (uint8_t *)reduced);
        sim_init_fill(&init, ISA_TYPE_F32, N, (uint8_t *)floats);
        sim_init_fill(&init, ISA_TYPE_S16, N, (uint8_t *)shorts);
        for (size_t i = 0; i < N; i++) {
            const uint64_t expected = drawn[i] % moduli[m];
            if (reduced[i] != expected || floats[i] != (float)expected || (uint16_t)shorts[i] != (uint16_t)expected)
                ck_abort_msg("draw %zu modulo %" PRIu64, i, moduli[m]);
        }
    }
}
END_TEST

START_TEST(iota_and_const)
{
    static uint8_t bytes[1000];
    static float floats[1000];
    static double doubles[1000];
    const struct sim_init iota = {.kind = SIM_INIT_IOTA};
    sim_init_fill(&iota, ISA_TYPE_S8, 1000, bytes);
    sim_init_fill(&iota, ISA_TYPE_F32, 1000, (uint8_t *)floats);
    for (unsigned i = 0; i < 1000; i++) {
        ck_assert_uint_eq(bytes[i], i % 256);
        ck_assert(floats[i] == (float)i);
    }
    const struct sim_arg arg = parse("f64[1000]=const:-0.1");
    sim_init_fill(&arg.init, arg.type, arg.count, (uint8_t *)doubles);
    for (unsigned i = 0; i < 1000; i++)
        ck_assert(doubles[i] == -0.1);
}
END_TEST

START_TEST(contents_as_on_the_gpu)
{
    static const struct {
        const char *arg;
        uint64_t fnv;
    } cases[] = {
        {"f32[1000000]=rand:1", UINT64_C(0x23df206af36d6556)},
        {"f32[1000000]=rand:2", UINT64_C(0x987a0eb1ae01b38b)},
        {"s32[8192]=randmod:3:1000", UINT64_C(0x3cdd9042e5c33729)},
        {"s32[65536]=randmod:5:1100", UINT64_C(0xc64a2a56fde7efca)},
        {"f32[1048576]=iota", UINT64_C(0xd3e6fbb9a56f5308)},
        {"f32[16777216]=iota", UINT64_C(0x7acc4cf2baecc308)},
        {"f32[8388608]=iota", UINT64_C(0x9e6c3ed05a5b8b08)},
        {"f32[1000000]=iota", UINT64_C(0xb7e71dc8081781c8)},
        {"f32[262200]=iota", UINT64_C(0x452933699a315f08)},
        {"f32[262144]=iota", UINT64_C(0xd1603dde34499b08)},
        {"f32[262144]=const:1", UINT64_C(0xfb90d2a498c22325)},
        {"f32[65536]=rand:7", UINT64_C(0x1b0497eace20816c)},
        {"f32[65536]=rand:8", UINT64_C(0xea07981e1292b78e)},
        {"f32[1048576]=rand:7", UINT64_C(0xf7479038715a2c8f)},
        {"f32[1048576]=rand:8", UINT64_C(0x6b395e5e85f90372)},
        {"f32[7700]=rand:7", UINT64_C(0xf32bed3e1bd48047)},
        {"f32[7700]=rand:8", UINT64_C(0xebf91a5f8fff9343)},
        {"f32[262144]=rand:9", UINT64_C(0xe295da8103e2edce)},
        {"f32[65536]=rand:6", UINT64_C(0xee078f390cd6081d)},
        {"f32[75776]=rand:12", UINT64_C(0x34cfce6933919268)},
        {"s32[64]=randmod:11:64", UINT64_C(0xc2d481357ac32c1f)},
        {"s32[65536]=randmod:6:100", UINT64_C(0x14f934ed0989da3e)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct sim_arg arg = parse(cases[i].arg);
        uint8_t *data = calloc((size_t)arg.count, 4);
        ck_assert_ptr_nonnull(data);
        sim_init_fill(&arg.init, arg.type, arg.count, data);
        ck_assert_msg(sim_fnv1a64(data, arg.count * 4) == cases[i].fnv, "%s", cases[i].arg);
        free(data);
    }
}
END_TEST

/* A module of one kernel, and a memory: what bind works on. */
struct bench {
    struct isa_module module;
    struct isa_function function;
    struct isa_var vars[32];
    uint32_t params[32];
    struct sim_memory memory;
    struct sim_named_buffers named;
    struct base_arena arena;
    struct sim_bound bound;
    struct base_diags diags;
    struct base_source source;
    struct sim_arg args[16];
};

static struct bench bench;

static void add_param(uint8_t type, uint64_t count)
{
    const uint64_t bytes = isa_types[type].bits / 8U;
    const uint32_t offset = (uint32_t)((bench.function.param_bytes + bytes - 1) / bytes * bytes);
    bench.params[bench.function.param_count++] = (uint32_t)bench.module.var_count;
    bench.vars[bench.module.var_count++] = (struct isa_var){
        .name = "p", .space = ISA_SPACE_PARAM, .type = type, .size_bytes = bytes * count, .offset = offset};
    bench.function.param_bytes = (uint32_t)(offset + bytes * count);
}

static void add_var(const char *name, uint8_t space, uint8_t type, uint64_t count, int32_t function)
{
    bench.vars[bench.module.var_count++] = (struct isa_var){.name = name,
                                                            .space = space,
                                                            .type = type,
                                                            .size_bytes = isa_types[type].bits / 8U * count,
                                                            .unsized = count == 0,
                                                            .function = function};
}

static void bench_setup(void)
{
    setup();
    memset(&bench, 0, sizeof bench);
    sim_memory_init(&bench.memory, 1 << 20);
    base_arena_init(&bench.arena, 0);
    bench.function.name = "kern";
    bench.function.params = bench.params;
    bench.module.functions = &bench.function;
    bench.module.function_count = 1;
    bench.module.vars = bench.vars;
}

static void bench_teardown(void)
{
    base_diags_free(&bench.diags);
    base_arena_free(&bench.arena);
    sim_named_buffers_free(&bench.named);
    sim_memory_free(&bench.memory);
    teardown();
}

static enum base_status reader(void *user, const char *path, uint8_t *data, uint64_t size_bytes, char *message,
                               size_t message_size)
{
    const uint64_t *have = user;
    if (*have == size_bytes) {
        for (uint64_t i = 0; i < size_bytes; i++)
            data[i] = (uint8_t)(i + 100);
        return BASE_OK;
    }
    snprintf(message, message_size, "%s: %" PRIu64 " bytes, not %" PRIu64, path, *have, size_bytes);
    return BASE_IO;
}

/* `text`: ARGs with one space between them. Files have `file_bytes` bytes. */
static enum base_status bind(const char *text, uint64_t file_bytes)
{
    size_t count = 0;
    base_diags_free(&bench.diags);
    bench.source = (struct base_source){.name = "args", .text = text, .size = strlen(text)};
    for (size_t at = 0; at < strlen(text);) {
        const size_t length = strcspn(text + at, " ");
        ck_assert_int_eq(sim_arg_parse(&bench.source, at, length, &bench.arena, &bench.args[count++], NULL), BASE_OK);
        at += length + (text[at + length] == ' ');
    }
    return sim_args_bind(&bench.module, 0, &bench.source, bench.args, count, &bench.memory, &bench.named, reader,
                         &file_bytes, &bench.arena, &bench.bound, &bench.diags);
}

static uint64_t param(uint32_t offset, size_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, bench.bound.params + offset, bytes);
    return value;
}

/* The memory has a mebibyte: 600,000 bytes a launch go in only when the launch before gave its own back. */
START_TEST(unnamed_buffers_end_with_their_launch)
{
    uint64_t shared = 0;
    add_param(ISA_TYPE_U64, 1);
    add_param(ISA_TYPE_U64, 1);
    add_param(ISA_TYPE_U64, 1);
    for (unsigned launch = 0; launch < 3; launch++) {
        const uint64_t from = bench.memory.next_address;
        ck_assert_int_eq(bind("u8[500000]=iota @keep:u32[1000]=const:7 u8[100000]=zero", 0), BASE_OK);
        if (launch == 0)
            shared = bench.bound.args[1].address;
        ck_assert_uint_eq(bench.bound.args[1].address, shared);
        sim_args_release(&bench.memory, &bench.named, from);
        ck_assert_uint_eq(bench.memory.used_bytes, 4000);
        ck_assert_uint_eq(bench.memory.count, 1);
        uint32_t value = 0;
        memcpy(&value, sim_memory_at(&bench.memory, shared, 4), sizeof value);
        ck_assert_uint_eq(value, launch == 0 ? 7 : launch);
        value = launch + 1; /* what a launch leaves there, the next one finds */
        memcpy(sim_memory_at(&bench.memory, shared, 4), &value, sizeof value);
    }
}
END_TEST

START_TEST(parameters_are_laid_out)
{
    add_param(ISA_TYPE_U64, 1); /* 0 */
    add_param(ISA_TYPE_U32, 1); /* 8 */
    add_param(ISA_TYPE_U64, 1); /* 16 */
    add_param(ISA_TYPE_B8, 12); /* 24 */
    add_param(ISA_TYPE_F64, 1); /* 40 */
    add_param(ISA_TYPE_U64, 1); /* 48 */
    add_param(ISA_TYPE_U16, 1); /* 56 */
    add_param(ISA_TYPE_U64, 1); /* 64 */
    ck_assert_int_eq(bind("f32[256]=iota s32=-5 &0+16 bytes[12]=file:s f64=2.5 null u16=0xabcd u8[3]=none", 12),
                     BASE_OK);
    ck_assert_uint_eq(bench.bound.param_bytes, 72);
    ck_assert_uint_eq(bench.bound.arg_count, 8);
    const uint64_t a = bench.bound.args[0].address;
    ck_assert_uint_eq(a, SIM_GLOBAL_BASE);
    ck_assert_uint_eq(param(0, 8), a);
    ck_assert_uint_eq(param(8, 4), 0xfffffffb);
    ck_assert_uint_eq(param(16, 8), a + 16);
    for (uint32_t i = 0; i < 12; i++)
        ck_assert_uint_eq(param(24 + i, 1), i + 100);
    ck_assert_uint_eq(param(40, 8), UINT64_C(0x4004000000000000));
    ck_assert_uint_eq(param(48, 8), 0);
    ck_assert_uint_eq(param(56, 2), 0xabcd);
    ck_assert_uint_eq(param(64, 8), bench.bound.args[7].address);
    ck_assert(bench.bound.args[0].has_buffer && bench.bound.args[7].has_buffer);
    ck_assert(!bench.bound.args[1].has_buffer && !bench.bound.args[2].has_buffer);
    ck_assert_uint_eq(bench.bound.args[0].size_bytes, 1024);
    ck_assert_uint_eq(bench.bound.args[0].type, ISA_TYPE_F32);
    ck_assert_uint_eq(bench.memory.count, 2);
    ck_assert_str_eq(bench.memory.items[0].label, "argument 0 (f32[256])");
    ck_assert_str_eq(bench.memory.items[1].label, "argument 7 (u8[3])");
    ck_assert(!bench.memory.items[0].uninitialised && bench.memory.items[1].uninitialised);
    float last = 0;
    memcpy(&last, sim_memory_at(&bench.memory, a + 1020, 4), 4);
    ck_assert(last == 255.0F);
}
END_TEST

START_TEST(numba_arrays)
{
    for (int i = 0; i < 16; i++)
        add_param(ISA_TYPE_U64, 1);
    ck_assert_int_eq(bind("f32[100]~numba=iota f64[3,5]~numba=zero", 0), BASE_OK);
    const uint64_t a = bench.bound.args[0].address;
    const uint64_t b = bench.bound.args[1].address;
    const uint64_t expected[16] = {0, 0, 100, 4, a, 100, 4, 0, 0, 15, 8, b, 3, 5, 40, 8};
    ck_assert_mem_eq(bench.bound.params, expected, sizeof expected);
    ck_assert_uint_eq(bench.bound.args[1].size_bytes, 120);
    ck_assert_str_eq(bench.memory.items[1].label, "argument 1 (f64[3,5])");
}
END_TEST

START_TEST(pointers_look_forward_and_into_numba_arrays)
{
    for (int i = 0; i < 8; i++)
        add_param(ISA_TYPE_U64, 1);
    ck_assert_int_eq(bind("&1+8 f32[4]~numba=zero", 0), BASE_OK);
    ck_assert_uint_eq(param(0, 8), bench.bound.args[1].address + 8);
}
END_TEST

START_TEST(shared_buffers_are_filled_once)
{
    add_param(ISA_TYPE_U64, 1);
    add_param(ISA_TYPE_U64, 1);
    ck_assert_int_eq(bind("@x:s32[16]=iota @x:s32[16]=zero", 0), BASE_OK);
    const uint64_t x = bench.bound.args[0].address;
    ck_assert_uint_eq(bench.bound.args[1].address, x);
    ck_assert_str_eq(bench.memory.items[0].label, "shared buffer @x (s32[16])");
    sim_memory_at(&bench.memory, x, 1)[4] = 77;
    ck_assert_int_eq(bind("s32[16]=zero @x:s32[16]=const:9", 0), BASE_OK);
    ck_assert_uint_eq(bench.bound.args[1].address, x);
    ck_assert(bench.bound.args[1].has_buffer);
    ck_assert_uint_eq(sim_memory_at(&bench.memory, x, 8)[4], 77);
    ck_assert_uint_eq(bench.named.count, 1);
    ck_assert_int_eq(bind("null @x:s32[8]=zero", 0), BASE_INVALID);
    ck_assert_str_eq(bench.diags.items[0].message, "the shared buffer @x is s32[16], as its first use says");
    ck_assert_int_eq(bind("null @x:u32[16]=zero", 0), BASE_INVALID);
}
END_TEST

START_TEST(module_variables)
{
    add_param(ISA_TYPE_U32, 1);
    add_var("bytes", ISA_SPACE_CONST, ISA_TYPE_B8, 16, -1);
    add_var("floats", ISA_SPACE_GLOBAL, ISA_TYPE_F32, 4, -1);
    add_var("tile", ISA_SPACE_SHARED, ISA_TYPE_F32, 4, -1);
    add_var("inner", ISA_SPACE_GLOBAL, ISA_TYPE_F32, 4, 0);
    add_var("open", ISA_SPACE_GLOBAL, ISA_TYPE_F32, 0, -1);
    add_var("number", ISA_SPACE_GLOBAL, ISA_TYPE_S32, 1, -1);
    ck_assert_int_eq(bind("symbol:floats=const:2.5 s32=1 symbol:bytes=file:b symbol:number=const:-3", 16), BASE_OK);
    ck_assert_uint_eq(param(0, 4), 1);
    ck_assert_uint_eq(bench.memory.count, 0);
    ck_assert_uint_eq(bench.bound.symbol_count, 3);
    const struct sim_symbol_fill *symbols = bench.bound.symbols;
    ck_assert_str_eq(bench.vars[symbols[0].var].name, "floats");
    ck_assert_str_eq(bench.vars[symbols[1].var].name, "bytes");
    ck_assert_uint_eq(symbols[0].size_bytes, 16);
    const float halves[4] = {2.5F, 2.5F, 2.5F, 2.5F};
    ck_assert_mem_eq(symbols[0].data, halves, 16);
    ck_assert_uint_eq(symbols[1].data[15], 115);
    const int32_t number = -3;
    ck_assert_mem_eq(symbols[2].data, &number, 4);
    static const struct {
        const char *args, *message;
    } bad[] = {{"s32=1 symbol:nothing=zero", "the module has no constant or global variable 'nothing'"},
               {"s32=1 symbol:tile=zero", "the module has no constant or global variable 'tile'"},
               {"s32=1 symbol:inner=zero", "the module has no constant or global variable 'inner'"},
               {"s32=1 symbol:open=zero", "the size of variable 'open' is not known here"},
               {"s32=1 symbol:number=const:2.5", "'2.5' is not an integer"},
               {"s32=1 symbol:bytes=const:256", "'256' does not fit u8 (0 to 255)"},
               {"symbol:number=zero s32=1 symbol:number=zero", "variable 'number' is filled twice"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_int_eq(bind(bad[i].args, 16), BASE_INVALID);
        ck_assert_str_eq(bench.diags.items[0].message, bad[i].message);
    }
}
END_TEST

START_TEST(what_does_not_fit_shows_both_lists)
{
    add_param(ISA_TYPE_U64, 1);
    add_param(ISA_TYPE_B8, 12);
    add_param(ISA_TYPE_U32, 1);
    static const struct {
        const char *args;
        size_t offset;
        const char *message;
    } bad[] = {
        {"f32[4]=zero bytes[12]=file:s", 12,
         "too few arguments: kern takes (u64, b8[12], u32), given are (f32[4], bytes[12])"},
        {"f32[4]=zero bytes[12]=file:s s32=1 null", 35,
         "too many arguments: kern takes (u64, b8[12], u32), given are (f32[4], bytes[12], s32, null)"},
        {"f32[4]=zero bytes[12]=file:s u64=1", 29,
         "argument 2 gives 8 bytes where parameter 2 has 4 bytes: kern takes (u64, b8[12], u32), given are (f32[4], "
         "bytes[12], u64)"},
        {"u8=1 bytes[12]=file:s u64=1", 0,
         "argument 0 gives 1 byte where parameter 0 has 8 bytes: kern takes (u64, b8[12], u32), given are (u8, "
         "bytes[12], u64)"},
        {"f32[2,2]~numba=zero", 0,
         "argument 0 gives 8 bytes where parameter 1 has 12 bytes: kern takes (u64, b8[12], u32), given are "
         "(f32[2,2]~numba)"},
        {"symbol:x=zero &0 bytes[12]=file:s s32=1", 14, "argument 0 (symbol:x=zero) is not a buffer"},
        {"&3 bytes[12]=file:s s32=1", 0, "there is no argument 3: they are numbered from 0 to 2"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_int_eq(bind(bad[i].args, 12), BASE_INVALID);
        ck_assert_uint_eq(bench.diags.errors, 1);
        ck_assert_str_eq(bench.diags.items[0].message, bad[i].message);
        ck_assert_uint_eq(bench.diags.items[0].offset, bad[i].offset);
        ck_assert_ptr_eq(bench.diags.items[0].source, &bench.source);
        ck_assert_uint_eq(bench.memory.count, 0);
    }
    ck_assert_int_eq(bind("", 0), BASE_INVALID);
    ck_assert_str_eq(bench.diags.items[0].message, "too few arguments: kern takes (u64, b8[12], u32), given are ()");
    ck_assert_ptr_null(bench.diags.items[0].source);
}
END_TEST

START_TEST(files_and_memory_can_fail)
{
    add_param(ISA_TYPE_U64, 1);
    ck_assert_int_eq(bind("f32[4]=file:x.bin", 16), BASE_OK);
    ck_assert_uint_eq(sim_memory_at(&bench.memory, bench.bound.args[0].address, 16)[3], 103);
    ck_assert_int_eq(bind("f32[4]=file:x.bin", 15), BASE_IO);
    ck_assert_str_eq(bench.diags.items[0].message, "x.bin: 15 bytes, not 16");
    ck_assert_int_eq(bind("@y:f32[4]=file:x.bin", 15), BASE_IO);
    ck_assert_uint_eq(bench.named.count, 0);
    ck_assert_int_eq(bind("f32[1048576]=zero", 0), BASE_NOMEM);
    ck_assert_str_eq(bench.diags.items[0].message, "no memory for a buffer of 4194304 bytes: 48 of 1048576 are in use");
    ck_assert_int_eq(bind("f32[4611686018427387903]=zero", 0), BASE_NOMEM);
    const struct sim_arg arg = parse("f32[4]=file:x.bin");
    ck_assert_int_eq(sim_args_bind(&bench.module, 0, NULL, &arg, 1, &bench.memory, &bench.named, NULL, NULL,
                                   &bench.arena, &bench.bound, NULL),
                     BASE_IO);
}
END_TEST

Suite *args_suite(void)
{
    Suite *suite = suite_create("args");
    TCase *reading = tcase_create("reading");
    tcase_add_checked_fixture(reading, setup, teardown);
    tcase_add_test(reading, scalars);
    tcase_add_test(reading, buffers);
    tcase_add_test(reading, other_kinds);
    tcase_add_test(reading, bad_arguments);
    tcase_add_test(reading, dimensions);
    suite_add_tcase(suite, reading);
    TCase *contents = tcase_create("contents");
    tcase_set_timeout(contents, 60);
    tcase_add_checked_fixture(contents, setup, teardown);
    tcase_add_test(contents, fnv1a);
    tcase_add_test(contents, splitmix64);
    tcase_add_test(contents, randmod_is_the_remainder);
    tcase_add_test(contents, iota_and_const);
    tcase_add_test(contents, contents_as_on_the_gpu);
    suite_add_tcase(suite, contents);
    TCase *binding = tcase_create("binding");
    tcase_add_checked_fixture(binding, bench_setup, bench_teardown);
    tcase_add_test(binding, unnamed_buffers_end_with_their_launch);
    tcase_add_test(binding, parameters_are_laid_out);
    tcase_add_test(binding, numba_arrays);
    tcase_add_test(binding, pointers_look_forward_and_into_numba_arrays);
    tcase_add_test(binding, shared_buffers_are_filled_once);
    tcase_add_test(binding, module_variables);
    tcase_add_test(binding, what_does_not_fit_shows_both_lists);
    tcase_add_test(binding, files_and_memory_can_fail);
    suite_add_tcase(suite, binding);
    return suite;
}
