/* CUDA C as people write it (tests/cuda), from the source to the buffers: compiled by clang without a CUDA toolkit and
 * by nvcc, with and without optimization, run by the command, and compared with the same thing computed here.
 *
 * cases[] lists the kernels, enum way how they are compiled; every pair is a test (nvcc -G is slow, so only a share of
 * them). A compiler that is not installed is said to be skipped. Integers are compared bit by bit. So are floats whose
 * sums are exact (small whole numbers), and where each operation's rounding is given; everything else has its tolerance
 * where it is compared.
 */
#include "base/strbuf.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MAX_ARGS = 16, MAX_WORDS = 96 };

enum way { CLANG, CLANG_DEBUG, NVCC, NVCC_DEBUG, WAYS };
static const char *const way_names[] = {"clang", "clang -O0 -g", "nvcc", "nvcc -G"};

static char *clang_path, *nvcc_path; /* found once, before the tests; NULL: not installed */

/* One launch being put together. */
struct use {
    enum way way;
    char folder[32];
    const char *file; /* without .cu */
    char *words[MAX_WORDS];
    size_t word_count, arg_count;
};

static char *format(const char *text, ...) __attribute__((format(printf, 1, 2)));

static char *format(const char *text, ...)
{
    va_list list;
    va_start(list, text);
    char *result = NULL;
    if (vasprintf(&result, text, list) < 0) /* also called where Check cannot be told */
        abort();
    va_end(list);
    return result;
}

static const char *environment(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value && value[0] != '\0' ? value : otherwise;
}

static char *find_program(const char *name)
{
    const char *path = environment("PATH", "");
    while (*path != '\0') {
        size_t length = strcspn(path, ":");
        char *full = format("%.*s/%s", (int)length, path, name);
        if (access(full, X_OK) == 0)
            return full;
        free(full);
        path += length + (path[length] == ':');
    }
    return NULL;
}

static char *source_path(const char *name)
{
    return format("%s/%s", environment("SRCDIR", TEST_SRCDIR), name);
}

static void word(struct use *use, char *text)
{
    ck_assert_uint_lt(use->word_count, MAX_WORDS - 1);
    use->words[use->word_count++] = text;
}

static void arg(struct use *use, char *text)
{
    word(use, format("--arg=%s", text));
    free(text);
    use->arg_count++;
}

static void write_file(const char *path, const void *data, size_t size_bytes)
{
    FILE *stream = fopen(path, "wb");
    ck_assert_msg(stream != NULL, "%s: %s", path, strerror(errno));
    ck_assert_uint_eq(fwrite(data, 1, size_bytes, stream), size_bytes);
    ck_assert_int_eq(fclose(stream), 0);
}

static size_t read_file(const char *path, void *data, size_t room)
{
    FILE *stream = fopen(path, "rb");
    ck_assert_msg(stream != NULL, "%s: %s", path, strerror(errno));
    size_t got = fread(data, 1, room, stream);
    fclose(stream);
    return got;
}

/* A buffer argument of `count` elements that starts as `data`. It is written back by run(). */
static void buffer(struct use *use, const char *type, size_t element_bytes, const void *data, size_t count)
{
    char *path = format("%s/in%zu", use->folder, use->arg_count);
    write_file(path, data, element_bytes * count);
    word(use, format("--dump=%zu=%s/out%zu", use->arg_count, use->folder, use->arg_count));
    arg(use, format("%s[%zu]=file:%s", type, count, path));
    free(path);
}

/* The same for memory that only passes through: N raw bytes by value, or a module's variable. */
static void raw(struct use *use, const char *what, const void *data, size_t size_bytes)
{
    char *path = format("%s/raw%zu", use->folder, use->arg_count);
    write_file(path, data, size_bytes);
    arg(use, format("%s=file:%s", what, path));
    free(path);
}

/* Starts a program with PATH holding only what `path` says, its output in files of the folder. Returns its status. */
static int start(const struct use *use, const char *path, char *const *words)
{
    char *out = format("%s/stdout", use->folder), *err = format("%s/stderr", use->folder);
    posix_spawn_file_actions_t actions;
    ck_assert_int_eq(posix_spawn_file_actions_init(&actions), 0);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    char *old = format("%s", environment("PATH", ""));
    setenv("PATH", path, 1);
    pid_t child = 0;
    int status = posix_spawn(&child, words[0], &actions, NULL, words, environ);
    setenv("PATH", old, 1);
    ck_assert_msg(status == 0, "%s: %s", words[0], strerror(status));
    while (waitpid(child, &status, 0) < 0)
        ck_assert_int_eq(errno, EINTR);
    posix_spawn_file_actions_destroy(&actions);
    free(old);
    free(out);
    free(err);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static char *message(const struct use *use)
{
    static char text[4096];
    char *path = format("%s/stderr", use->folder);
    text[read_file(path, text, sizeof text - 1)] = '\0';
    free(path);
    return text;
}

/* Without optimization the compiler is started here: the command has no option for that. Returns the PTX's path. */
static char *compile_debug(const struct use *use, const char *source)
{
    char *ptx = format("%s/debug.ptx", use->folder), *header = source_path("tools/simtlab_cuda.h");
    char *empty = format("%s/cuda_runtime.h", use->folder);
    write_file(empty, "", 0);
    const char *const clang[] = {clang_path,
                                 "-x",
                                 "cuda",
                                 "--cuda-device-only",
                                 "--cuda-gpu-arch=sm_80",
                                 "-nocudainc",
                                 "-nocudalib",
                                 "-O0",
                                 "-g",
                                 "-Wno-unknown-cuda-version",
                                 "-Xclang",
                                 "-target-feature",
                                 "-Xclang",
                                 "+ptx70",
                                 "-isystem",
                                 use->folder,
                                 "-include",
                                 header,
                                 "-S",
                                 "-o",
                                 ptx,
                                 source,
                                 NULL};
    const char *const nvcc[] = {nvcc_path, "-ptx", "-G", "-arch=sm_90", "-o", ptx, source, NULL};
    const char *const *words = use->way == CLANG_DEBUG ? clang : nvcc;
    int status = start(use, environment("PATH", ""), (char *const *)words);
    ck_assert_msg(status == 0, "%s cannot compile %s: %s", way_names[use->way], source, message(use));
    free(header);
    free(empty);
    return ptx;
}

/* The PATH on which the command finds just the compiler that is asked for. */
static char *compiler_path(const struct use *use)
{
    if (use->way == NVCC)
        return format("%.*s:/usr/bin:/bin", (int)(strrchr(nvcc_path, '/') - nvcc_path), nvcc_path);
    char *link = format("%s/clang", use->folder);
    if (use->way == CLANG && symlink(clang_path, link) != 0)
        ck_assert_int_eq(errno, EEXIST);
    free(link);
    return format("%s", use->folder);
}

/* Runs what has been put together, with checks, which must find nothing in these programs, and returns the command's
 * exit status; forgets the arguments. */
static int launch(struct use *use, const char *kernel, const char *grid, const char *block, unsigned shared_bytes)
{
    char *name = format("tests/cuda/%s.cu", use->file), *source = source_path(name);
    char *input = use->way == CLANG || use->way == NVCC ? format("%s", source) : compile_debug(use, source);
    char *command = format("%s", environment("SIMTLAB", "simtlab"));
    char *words[MAX_WORDS + 16] = {command, "run", input, (char *)kernel, (char *)"--mode=counts", (char *)"--check"};
    size_t n = 6;
    char *geometry[] = {format("--grid=%s", grid), format("--block=%s", block), format("--shared=%u", shared_bytes)};
    for (size_t i = 0; i < 3; i++)
        words[n++] = geometry[i];
    for (size_t i = 0; i < use->word_count; i++)
        words[n++] = use->words[i];
    char *path = compiler_path(use);
    int status = start(use, path, words);
    for (size_t i = 0; i < 3; i++)
        free(geometry[i]);
    for (size_t i = 0; i < use->word_count; i++)
        free(use->words[i]);
    use->word_count = use->arg_count = 0;
    free(name);
    free(source);
    free(input);
    free(command);
    free(path);
    return status;
}

static void run(struct use *use, const char *kernel, const char *grid, const char *block, unsigned shared_bytes)
{
    int status = launch(use, kernel, grid, block, shared_bytes);
    ck_assert_msg(status == 0, "%s, %s: exit status %d: %s", use->file, way_names[use->way], status, message(use));
}

static void read_back(const struct use *use, size_t index, void *data, size_t size_bytes)
{
    char *path = format("%s/out%zu", use->folder, index);
    ck_assert_uint_eq(read_file(path, data, size_bytes), size_bytes);
    free(path);
}

static void same_bytes(const struct use *use, const char *what, const void *got, const void *want, size_t size_bytes)
{
    const uint8_t *a = got, *b = want;
    for (size_t i = 0; i < size_bytes; i++)
        ck_assert_msg(a[i] == b[i], "%s, %s: %s differs at byte %zu: %02x, not %02x", use->file, way_names[use->way],
                      what, i, a[i], b[i]);
}

/* |got - want| <= tolerance * max(|want|, floor) */
static void close_to(const struct use *use, const char *what, size_t i, double got, double want, double tolerance,
                     double floor_value)
{
    double size = fmax(fabs(want), floor_value);
    ck_assert_msg(fabs(got - want) <= tolerance * size, "%s, %s: %s[%zu] is %.17g, not %.17g", use->file,
                  way_names[use->way], what, i, got, want);
}

/* Numerical Recipes' 32-bit generator, its high bits. */
static uint32_t draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Whole numbers in [-8, 8): sums of some thousand products of two are exact in float, in any order. */
static float *small_floats(size_t count, uint32_t seed)
{
    float *values = calloc(count, sizeof *values);
    ck_assert_ptr_nonnull(values);
    for (size_t i = 0; i < count; i++)
        values[i] = (float)((int)(draw(&seed) % 16) - 8);
    return values;
}

static float unit_float(uint32_t *state)
{
    return (float)draw(state) / 16777216.0f;
}

/* a x + y is one rounding or two, as the compiler likes. */
static void case_saxpy(struct use *use)
{
    enum { N = 1003 };
    float x[N], y[N], got[N];
    uint32_t seed = 1;
    for (size_t i = 0; i < N; i++) {
        x[i] = unit_float(&seed);
        y[i] = unit_float(&seed);
    }
    arg(use, format("s32=%d", N));
    arg(use, format("f32=2.7"));
    buffer(use, "f32", 4, x, N);
    buffer(use, "f32", 4, y, N);
    run(use, "saxpy", "4", "256", 0);
    read_back(use, 3, got, sizeof got);
    for (size_t i = 0; i < N; i++) {
        volatile float product = 2.7f * x[i];
        ck_assert_msg(got[i] == fmaf(2.7f, x[i], y[i]) || got[i] == product + y[i], "saxpy, %s: [%zu]",
                      way_names[use->way], i);
    }
}

static void case_matmul(struct use *use)
{
    enum { M = 37, N = 53, K = 29 };
    float *a = small_floats(M * K, 2), *b = small_floats(K * N, 3), got[M * N], want[M * N];
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < N; j++) {
            want[i * N + j] = 0;
            for (size_t k = 0; k < K; k++)
                want[i * N + j] += a[i * K + k] * b[k * N + j];
        }
    buffer(use, "f32", 4, a, M * K);
    buffer(use, "f32", 4, b, K * N);
    arg(use, format("f32[%d]=zero", M * N));
    word(use, format("--dump=2=%s/out2", use->folder));
    arg(use, format("s32=%d", M));
    arg(use, format("s32=%d", N));
    arg(use, format("s32=%d", K));
    run(use, "matmul", "4,3", "16,16", 0);
    read_back(use, 2, got, sizeof got);
    for (size_t i = 0; i < M * N; i++)
        ck_assert_msg(got[i] == want[i], "matmul, %s: [%zu] %g, not %g", way_names[use->way], i, (double)got[i],
                      (double)want[i]);
    free(a);
    free(b);
}

static void case_transpose(struct use *use)
{
    enum { W = 45, H = 71 };
    double in[W * H], got[W * H] = {0}, want[W * H];
    for (size_t y = 0; y < H; y++)
        for (size_t x = 0; x < W; x++)
            want[x * H + y] = in[y * W + x] = (double)(y * W + x) * 1.1;
    buffer(use, "f64", 8, got, W * H);
    buffer(use, "f64", 8, in, W * H);
    arg(use, format("s32=%d", W));
    arg(use, format("s32=%d", H));
    run(use, "transpose", "2,3", "32,8", 0);
    read_back(use, 0, got, sizeof got);
    same_bytes(use, "out", got, want, sizeof got);
}

static void case_reduce(struct use *use)
{
    enum { N = 1000, BLOCKS = 4, BLOCK = 128 };
    int32_t in[N], got[BLOCKS] = {0}, want[BLOCKS] = {0};
    uint32_t seed = 4;
    for (size_t i = 0; i < N; i++) {
        in[i] = (int32_t)draw(&seed) - (1 << 23);
        want[i / (2 * BLOCK)] += in[i];
    }
    buffer(use, "s32", 4, in, N);
    buffer(use, "s32", 4, got, BLOCKS);
    arg(use, format("u32=%d", N));
    run(use, "reduce", "4", "128", BLOCK * 4);
    read_back(use, 1, got, sizeof got);
    same_bytes(use, "out", got, want, sizeof got);
}

static void case_warp_reduce(struct use *use)
{
    enum { N = 5001 };
    float *in = small_floats(N, 5), got = 1, want = 1;
    for (size_t i = 0; i < N; i++)
        want += in[i];
    buffer(use, "f32", 4, in, N);
    buffer(use, "f32", 4, &got, 1);
    arg(use, format("s32=%d", N));
    run(use, "warp_reduce", "7", "160", 0);
    read_back(use, 1, &got, sizeof got);
    same_bytes(use, "total", &got, &want, sizeof got);
    free(in);
}

static void case_histogram(struct use *use)
{
    enum { N = 5003 };
    uint8_t data[N];
    uint32_t got[256] = {0}, want[256] = {0}, seed = 6;
    for (size_t i = 0; i < N; i++) {
        data[i] = (uint8_t)(draw(&seed) % 7 * draw(&seed) % 256);
        want[data[i]]++;
    }
    buffer(use, "u8", 1, data, N);
    buffer(use, "u32", 4, got, 256);
    arg(use, format("s32=%d", N));
    run(use, "histogram", "5", "96", 0);
    read_back(use, 1, got, sizeof got);
    same_bytes(use, "bins", got, want, sizeof got);
}

static void case_scan(struct use *use)
{
    enum { N = 1000, COUNT = 256 };
    int32_t in[N], got[N] = {0}, want[N];
    uint32_t seed = 7;
    for (size_t i = 0; i < N; i++) {
        in[i] = (int32_t)(draw(&seed) % 1000) - 500;
        want[i] = i % COUNT == 0 ? 0 : want[i - 1] + in[i - 1];
    }
    buffer(use, "s32", 4, got, N);
    buffer(use, "s32", 4, in, N);
    arg(use, format("s32=%d", N));
    run(use, "scan", "4", "128", COUNT * 4);
    read_back(use, 0, got, sizeof got);
    same_bytes(use, "out", got, want, sizeof got);
}

static void case_bitonic(struct use *use)
{
    enum { N = 397 };
    uint32_t keys[N], got[N], seed = 8;
    int32_t values[N], order[N];
    for (uint32_t i = 0; i < N; i++) {
        keys[i] = draw(&seed) << 9 | i; /* no two alike */
        values[i] = (int32_t)i;
    }
    buffer(use, "u32", 4, keys, N);
    buffer(use, "s32", 4, values, N);
    arg(use, format("s32=%d", N));
    run(use, "bitonic", "1", "512", 0);
    read_back(use, 0, got, sizeof got);
    read_back(use, 1, order, sizeof order);
    for (size_t i = 0; i < N; i++) {
        ck_assert_msg(i == 0 || got[i] > got[i - 1], "bitonic, %s: [%zu]", way_names[use->way], i);
        ck_assert(order[i] >= 0 && order[i] < N);
        ck_assert_uint_eq(got[i], keys[order[i]]);
    }
}

static void case_conv2d(struct use *use)
{
    enum { W = 61, H = 43 };
    float *in = small_floats(W * H, 9), *mask = small_floats(25, 10), got[W * H] = {0}, want[W * H];
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            float sum = 0;
            for (int dy = -2; dy <= 2; dy++)
                for (int dx = -2; dx <= 2; dx++)
                    if (x + dx >= 0 && x + dx < W && y + dy >= 0 && y + dy < H)
                        sum += mask[(dy + 2) * 5 + dx + 2] * in[(y + dy) * W + x + dx];
            want[y * W + x] = sum;
        }
    buffer(use, "f32", 4, in, W * H);
    buffer(use, "f32", 4, got, W * H);
    arg(use, format("s32=%d", W));
    arg(use, format("s32=%d", H));
    raw(use, "symbol:mask", mask, 100);
    run(use, "conv2d", "4,3", "16,16", 0);
    read_back(use, 1, got, sizeof got);
    for (size_t i = 0; i < W * H; i++)
        ck_assert_msg(got[i] == want[i], "conv2d, %s: [%zu]", way_names[use->way], i);
    free(in);
    free(mask);
}

static void case_spmv(struct use *use)
{
    enum { ROWS = 101, COLUMNS = 77, MOST = ROWS * 50 };
    int32_t start_of[ROWS + 1] = {0}, column[MOST];
    float *value = small_floats(MOST, 11), *x = small_floats(COLUMNS, 12), got[ROWS], want[ROWS];
    uint32_t seed = 13;
    for (size_t r = 0; r < ROWS; r++) {
        int32_t length = (int32_t)(draw(&seed) % 50);
        start_of[r + 1] = start_of[r] + length;
        want[r] = 0;
        got[r] = -1;
        for (int32_t j = start_of[r]; j < start_of[r + 1]; j++) {
            column[j] = (int32_t)(draw(&seed) % COLUMNS);
            want[r] += value[j] * x[column[j]];
        }
    }
    size_t entries = (size_t)start_of[ROWS];
    arg(use, format("s32=%d", ROWS));
    buffer(use, "s32", 4, start_of, ROWS + 1);
    buffer(use, "s32", 4, column, entries);
    buffer(use, "f32", 4, value, entries);
    buffer(use, "f32", 4, x, COLUMNS);
    buffer(use, "f32", 4, got, ROWS);
    run(use, "spmv", "34", "96", 0);
    read_back(use, 5, got, sizeof got);
    for (size_t r = 0; r < ROWS; r++)
        ck_assert_msg(got[r] == want[r], "spmv, %s: [%zu]", way_names[use->way], r);
    free(value);
    free(x);
}

static uint16_t mandelbrot_steps(float cx, float cy, int limit)
{
    float x = 0, y = 0;
    int i = 0;
    for (; i < limit; i++) {
        volatile float xx = x * x, yy = y * y;
        volatile float sum = xx + yy, difference = xx - yy;
        if (sum > 4.0f)
            break;
        y = fmaf(2 * x, y, cy);
        x = difference + cx;
    }
    return (uint16_t)i;
}

static void case_mandelbrot(struct use *use)
{
    enum { W = 75, H = 41, LIMIT = 200 };
    uint16_t got[W * H] = {0}, want[W * H];
    float view[3] = {-2.1f, -1.2f, 0.041f};
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            want[y * W + x] =
                mandelbrot_steps(fmaf((float)x, view[2], view[0]), fmaf((float)y, view[2], view[1]), LIMIT);
    buffer(use, "u16", 2, got, W * H);
    arg(use, format("s32=%d", W));
    arg(use, format("s32=%d", H));
    raw(use, "bytes[12]", view, 12);
    arg(use, format("s32=%d", LIMIT));
    run(use, "mandelbrot", "5,6", "16,8", 0);
    read_back(use, 0, got, sizeof got);
    same_bytes(use, "out", got, want, sizeof got);
}

/* rsqrt is an approximation (2^-22.4), cubed, and 150 sums in float: 10^-5 of the sum of the terms' sizes. */
static void case_nbody(struct use *use)
{
    enum { N = 150 };
    float body[N][4], got[N][4];
    uint32_t seed = 14;
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < 4; k++) {
            body[i][k] = unit_float(&seed) * 10;
            got[i][k] = -1;
        }
    buffer(use, "f32", 4, body, N * 4);
    buffer(use, "f32", 4, got, N * 4);
    arg(use, format("s32=%d", N));
    run(use, "nbody", "3", "64", 64 * 16);
    read_back(use, 1, got, sizeof got);
    for (size_t i = 0; i < N; i++)
        for (size_t axis = 0; axis < 3; axis++) {
            double want = 0, size = 0;
            for (size_t j = 0; j < N; j++) {
                double d2 = 0.01;
                for (size_t k = 0; k < 3; k++)
                    d2 += pow((double)body[j][k] - (double)body[i][k], 2);
                double term = ((double)body[j][axis] - (double)body[i][axis]) * (double)body[j][3] / (d2 * sqrt(d2));
                want += term;
                size += fabs(term);
            }
            close_to(use, "accel", i * 4 + axis, (double)got[i][axis], want, 1e-5, size);
        }
}

static int compare_ints(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void case_search(struct use *use)
{
    enum { ROOM = 64 };
    static const char text[] =
        "The rain in Spain stays mainly in the plain. AIN'T it? again: ain ain AiNaIn, not a in.";
    const char needle[8] = "ain";
    int32_t got[ROOM], want[ROOM], length = (int32_t)sizeof text - 1, hits = 0;
    uint32_t count = 0;
    for (size_t i = 0; i < ROOM; i++)
        got[i] = INT32_MAX;
    for (int32_t i = 0; i + 3 <= length; i++) {
        bool same = true;
        for (int k = 0; k < 3; k++)
            same = same && (text[i + k] | 0x20) == needle[k];
        if (same)
            want[hits++] = i;
    }
    buffer(use, "s8", 1, text, (size_t)length);
    arg(use, format("s32=%" PRId32, length));
    arg(use, format("s32=3"));
    buffer(use, "s32", 4, got, ROOM);
    buffer(use, "u32", 4, &count, 1);
    arg(use, format("s32=%d", ROOM));
    raw(use, "symbol:needle", needle, 8);
    run(use, "search", "3", "32", 0);
    read_back(use, 3, got, sizeof got);
    read_back(use, 4, &count, 4);
    ck_assert_uint_eq(count, (uint32_t)hits);
    qsort(got, ROOM, sizeof got[0], compare_ints);
    same_bytes(use, "found", got, want, (size_t)hits * 4);
}

static void case_queens(struct use *use)
{
    enum { N = 7 };
    static const int32_t want[N] = {4, 7, 6, 6, 6, 7, 4}; /* 40 solutions, by the first queen's column */
    int32_t got[N] = {0};
    arg(use, format("s32=%d", N));
    buffer(use, "s32", 4, got, N);
    run(use, "queens", "1", "32", 0);
    read_back(use, 1, got, sizeof got);
    same_bytes(use, "counts", got, want, sizeof got);
}

static void case_dot(struct use *use)
{
    enum { N = 1777 };
    double a[N], b[N], got = 0.5, want = 0.5;
    uint32_t seed = 15;
    for (size_t i = 0; i < N; i++) {
        a[i] = (double)draw(&seed);
        b[i] = (double)(draw(&seed) % 1000) / 8; /* eighths below 2^45 in all: exact in any order */
        want += a[i] * b[i];
    }
    buffer(use, "f64", 8, a, N);
    buffer(use, "f64", 8, b, N);
    buffer(use, "f64", 8, &got, 1);
    arg(use, format("s32=%d", N));
    run(use, "dot", "5", "96", 0);
    read_back(use, 2, &got, sizeof got);
    same_bytes(use, "result", &got, &want, sizeof got);
}

static void case_sieve(struct use *use)
{
    enum { N = 2000, WORDS = N / 32 + 1, VALUES = 333 };
    uint32_t got[WORDS] = {0}, want[WORDS] = {0};
    for (uint32_t m = 4; m <= N; m++)
        for (uint32_t p = 2; p * p <= m; p++)
            if (m % p == 0)
                want[m / 32] |= 1u << (m % 32);
    buffer(use, "u32", 4, got, WORDS);
    arg(use, format("s32=%d", N));
    run(use, "sieve", "1", "64", 0);
    read_back(use, 0, got, sizeof got);
    same_bytes(use, "composite", got, want, sizeof got);

    const uint64_t first = UINT64_C(0xfedcba9876543210);
    int64_t values[VALUES] = {0}, want_values[VALUES];
    uint8_t divisor[VALUES] = {0}, want_divisor[VALUES];
    for (uint64_t i = 0; i < VALUES; i++) {
        uint64_t state = first + i;
        for (uint64_t k = 0; k <= i % 7; k++)
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        want_values[i] = (int64_t)(state >> 3) - (INT64_C(1) << 60);
        int64_t m = want_values[i] < 0 ? -want_values[i] : want_values[i];
        uint8_t d = 2;
        while (d < 100 && m % d != 0)
            d++;
        want_divisor[i] = d;
    }
    buffer(use, "s64", 8, values, VALUES);
    buffer(use, "u8", 1, divisor, VALUES);
    arg(use, format("u64=0x%" PRIx64, first));
    arg(use, format("s32=%d", VALUES));
    run(use, "lcg", "3", "128", 0);
    read_back(use, 0, values, sizeof values);
    read_back(use, 1, divisor, sizeof divisor);
    same_bytes(use, "values", values, want_values, sizeof values);
    same_bytes(use, "divisor", divisor, want_divisor, sizeof divisor);
}

/* One particle, in double. */
static void particle_step(double p[4], int kind)
{
    const double dt = 0.125;
    double ax = 0.25, ay = -0.5;
    switch (kind) {
    case 0:
        break;
    case 1:
        ay -= 9.81;
        break;
    case 2:
        ax += cos(p[0]);
        ay += sin(p[0]);
        break;
    case 3:
        ax *= exp(-fabs(p[0]));
        break;
    case 7:
        ax = pow(fabs(p[1]), 0.75);
        break;
    default:
        ax = ay = 0;
    }
    p[2] += dt * ax;
    p[3] += dt * ay;
    p[0] += dt * p[2];
    p[1] += dt * p[3];
    if (p[1] < 0) {
        p[1] = -p[1];
        p[3] = -p[3];
    }
}

/* Some ten float roundings, and functions good to 2 ulp: 10^-6 of values of the size of ten. */
static void case_particles(struct use *use)
{
    enum { N = 211 };
    static const int16_t kinds[] = {0, 1, 2, 3, 7, 4, -1};
    float state[4][N];
    int16_t kind[N];
    int32_t moved = 0;
    uint32_t seed = 16;
    for (size_t i = 0; i < N; i++) {
        kind[i] = kinds[draw(&seed) % 7];
        for (size_t k = 0; k < 4; k++)
            state[k][i] = unit_float(&seed) * 20 - 10;
    }
    struct {
        double dt;
        float wind[2];
        int32_t bounces, fill;
    } step = {0.125, {0.25f, -0.5f}, 1, 0};
    ck_assert_uint_eq(sizeof step, 24);
    for (size_t k = 0; k < 4; k++)
        buffer(use, "f32", 4, state[k], N);
    buffer(use, "s16", 2, kind, N);
    arg(use, format("s32=%d", N));
    raw(use, "bytes[24]", &step, 24);
    buffer(use, "s32", 4, &moved, 1);
    run(use, "particles_step", "2", "64", 0);
    float got[4][N];
    for (size_t k = 0; k < 4; k++)
        read_back(use, k, got[k], sizeof got[k]);
    for (size_t i = 0; i < N; i++) {
        double want[4] = {(double)state[0][i], (double)state[1][i], (double)state[2][i], (double)state[3][i]};
        particle_step(want, kind[i]);
        for (size_t k = 0; k < 4; k++)
            close_to(use, "state", k * N + i, (double)got[k][i], want[k], 1e-6, 10);
    }
    read_back(use, 7, &moved, 4);
    ck_assert_int_eq(moved, N);
}

static void case_kmeans(struct use *use)
{
    enum { N = 301, K = 5 };
    float *points = small_floats(N * 3, 17), *centres = small_floats(K * 3, 18);
    int32_t got[N] = {0}, want[N];
    double sums[K * 3] = {0}, want_sums[K * 3] = {0};
    uint64_t counts[K] = {0}, want_counts[K] = {0};
    for (size_t i = 0; i < N; i++) {
        float best = INFINITY;
        for (int c = 0; c < K; c++) {
            float d = 0;
            for (int k = 0; k < 3; k++)
                d +=
                    (points[i * 3 + (size_t)k] - centres[c * 3 + k]) * (points[i * 3 + (size_t)k] - centres[c * 3 + k]);
            if (d < best) {
                best = d;
                want[i] = c;
            }
        }
        want_counts[want[i]]++;
        for (int k = 0; k < 3; k++)
            want_sums[want[i] * 3 + k] += (double)points[i * 3 + (size_t)k];
    }
    buffer(use, "f32", 4, points, N * 3);
    arg(use, format("s32=%d", N));
    buffer(use, "f32", 4, centres, K * 3);
    arg(use, format("s32=%d", K));
    buffer(use, "s32", 4, got, N);
    buffer(use, "f64", 8, sums, K * 3);
    buffer(use, "u64", 8, counts, K);
    run(use, "kmeans", "3", "128", 0);
    read_back(use, 4, got, sizeof got);
    read_back(use, 5, sums, sizeof sums);
    read_back(use, 6, counts, sizeof counts);
    same_bytes(use, "nearest", got, want, sizeof got);
    same_bytes(use, "counts", counts, want_counts, sizeof counts);
    for (size_t i = 0; i < K * 3; i++)
        ck_assert(sums[i] == want_sums[i]);
    free(points);
    free(centres);
}

static void case_life(struct use *use)
{
    enum { W = 37, H = 23 };
    uint8_t now[W * H], got[W * H], want[W * H];
    uint32_t seed = 19;
    for (size_t i = 0; i < W * H; i++) {
        now[i] = draw(&seed) % 3 == 0;
        got[i] = 9;
    }
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            int around = -now[y * W + x];
            for (int k = 0; k < 9; k++)
                around += now[(y + k / 3 - 1 + H) % H * W + (x + k % 3 - 1 + W) % W];
            want[y * W + x] = around == 3 || (around == 2 && now[y * W + x]);
        }
    buffer(use, "u8", 1, now, W * H);
    buffer(use, "u8", 1, got, W * H);
    arg(use, format("s32=%d", W));
    arg(use, format("s32=%d", H));
    run(use, "life", "2,6", "32,4", 0);
    read_back(use, 1, got, sizeof got);
    same_bytes(use, "next", got, want, sizeof got);
}

/* Lanes print in order, blocks too. */
static void case_print(struct use *use)
{
    struct base_strbuf want = {0};
    for (unsigned block = 0; block < 2; block++) {
        base_strbuf_printf(&want, "block %u of 2: lanes\n", block);
        for (unsigned t = 0; t < 5; t++)
            base_strbuf_printf(&want, "%3u %08.3f %lld %c%%\n", t, (double)((float)t * 1.5f), (long long)t << 33,
                               (int)('a' + t));
    }
    arg(use, format("f32=1.5"));
    buffer(use, "s8", 1, "lanes", 6);
    run(use, "print", "2", "5", 0);
    char got[2048], *path = format("%s/stdout", use->folder);
    size_t size = read_file(path, got, sizeof got);
    ck_assert_uint_ge(size, want.length);
    same_bytes(use, "what it prints", got, want.data, want.length);
    base_strbuf_free(&want);
    free(path);

    int32_t data[50];
    for (int32_t i = 0; i < 50; i++)
        data[i] = i;
    buffer(use, "s32", 4, data, 50);
    arg(use, format("s32=40"));
    run(use, "check", "1", "64", 0);
    buffer(use, "s32", 4, data, 50);
    arg(use, format("s32=50"));
    ck_assert_int_eq(launch(use, "check", "1", "64", 0), 1);
}

static uint32_t reverse(uint32_t a)
{
    uint32_t r = 0;
    for (int i = 0; i < 32; i++)
        r |= (a >> i & 1) << (31 - i);
    return r;
}

/* The high 64 bits of a product, from its four partial ones. */
static uint64_t high_half(uint64_t a, uint64_t b)
{
    uint64_t low = (a & 0xffffffff) * (b & 0xffffffff), cross = (a >> 32) * (b & 0xffffffff) + (low >> 32);
    uint64_t other = (a & 0xffffffff) * (b >> 32) + (cross & 0xffffffff);
    return (a >> 32) * (b >> 32) + (cross >> 32) + (other >> 32);
}

static uint32_t float_bits(float a)
{
    uint32_t bits = 0;
    memcpy(&bits, &a, 4);
    return bits;
}

static int low_bit(uint64_t a)
{
    return a == 0 ? 0 : __builtin_ctzll(a) + 1;
}

/* a rounded towards zero or up to float. */
static float to_float(double a, bool up)
{
    float r = (float)a;
    if (up)
        return (double)r < a ? nextafterf(r, INFINITY) : r;
    return (double)r > a ? nextafterf(r, 0) : r;
}

static void intrinsics_lane(const uint32_t in[32], unsigned lane, uint32_t o[40])
{
    uint32_t a = in[lane], b = in[(lane + 1) % 32], votes = 0, sum = 0, alike = 0, zero = 0;
    uint64_t wide = (uint64_t)a << 32 | b;
    for (unsigned i = 0; i < 32; i++) {
        votes |= (in[i] & 1) << i;
        sum += in[i];
        alike |= (uint32_t)((in[i] & 3) == (a & 3)) << i;
        zero |= in[i] == 0;
    }
    uint32_t third = UINT32_C(0xb6db6db6); /* lanes that 3 does not divide */
    int32_t sa = (int32_t)a, sb = (int32_t)b;
    int64_t dot = 9;
    for (int i = 0; i < 32; i += 8)
        dot += (int64_t)(int8_t)(a >> i) * (int8_t)(b >> i);
    uint64_t next_wide =
        (uint64_t)in[(lane & 16) + (lane + 1) % 16] << 32 | in[((lane & 16) + (lane + 1) % 16 + 1) % 32];
    double below = lane + 4 < 32 ? (double)in[lane + 4] : (double)a;
    uint64_t below_bits = 0;
    memcpy(&below_bits, &below, 8);
    float milli = (float)sa * 0.001f;
    const uint32_t want[40] = {
        (uint32_t)__builtin_popcount(a),
        a == 0 ? 32 : (uint32_t)__builtin_clz(a),
        (uint32_t)low_bit(a),
        reverse(a),
        (uint32_t)__builtin_popcountll(wide),
        wide >> (a & 63) == 0 ? 64 : (uint32_t)__builtin_clzll(wide >> (a & 63)),
        (uint32_t)low_bit(wide << (a & 31)),
        (b >> 24 & 0xff) << 8 | (b >> 8 & 0xff) << 24 | (a >> 16 & 0xff) << 16 | (b & 0xff),
        (uint32_t)(((uint64_t)b << 32 | a) << (a & 31) >> 32),
        (uint32_t)(((uint64_t)b << 32 | a) >> (a & 31)),
        (uint32_t)((int64_t)((int32_t)(a << 8) >> 8) * ((int32_t)(b << 8) >> 8)),
        (uint32_t)((uint64_t)(a & 0xffffff) * (b & 0xffffff)),
        (uint32_t)((uint64_t)a * b >> 32),
        (uint32_t)((int64_t)sa * sb >> 32),
        (uint32_t)(high_half(wide, wide) >> 32),
        (uint32_t)(sa < sb ? sa : sb),
        a > b ? a : b,
        sa < 0 ? 0u - a : a,
        votes,
        1u | (uint32_t)!zero << 1,
        0xffffffffu,
        alike,
        in[5],
        in[lane % 8 < 3 ? lane : lane - 3],
        in[lane + 9 < 32 ? lane + 9 : lane],
        in[lane ^ 21],
        (uint32_t)(next_wide >> 16),
        (uint32_t)(below_bits >> 32),
        float_bits((float)in[lane ^ 1]),
        (uint32_t)__builtin_popcount(votes),
        (uint32_t)!zero | zero << 1,
        sum,
        (uint32_t)lrintf(milli),
        (uint32_t)lrintf(floorf(milli)),
        float_bits(to_float((double)(float)a + (double)0.3f, false)),
        float_bits(to_float((double)(float)a * (double)0.3f, true)),
        (a > b ? a - b : b - a) + 5,
        lane % 3 ? third : 0,
        (uint32_t)dot,
        reverse(b),
    };
    memcpy(o, want, sizeof want);
    o[39] = reverse(b); /* the high half of the reversed pair */
}

static void case_intrinsics(struct use *use)
{
    static uint32_t in[32], got[32 * 40], want[32 * 40];
    uint32_t seed = 20;
    for (size_t i = 0; i < 32; i++)
        in[i] = i == 3 ? 0 : i == 9 ? 7 : i == 11 ? 0x80000001u : draw(&seed) * 251u << (i % 5);
    for (unsigned lane = 0; lane < 32; lane++)
        intrinsics_lane(in, lane, want + lane * 40);
    buffer(use, "u32", 4, in, 32);
    buffer(use, "u32", 4, got, 32 * 40);
    run(use, "intrinsics", "1", "32", 0);
    read_back(use, 1, got, sizeof got);
    for (size_t i = 0; i < 32 * 40; i++)
        ck_assert_msg(got[i] == want[i], "intrinsics, %s: lane %zu, result %zu is %08x, not %08x", way_names[use->way],
                      i / 40, i % 40, got[i], want[i]);
}

/* Threads 0 .. 199 in whatever order: each final value but the exchanges' is the same in all. */
static void case_atomics(struct use *use)
{
    enum { N = 200, BLOCKS = 4 };
    int32_t i[11] = {5, 5, 1000, -1000, -1, 0, 0, 0, 199, 0, 0}, want_i[11];
    uint32_t u[11] = {7, 7, UINT32_MAX, 0, UINT32_MAX, 0, 0, 0, 100, 0, 0}, want_u[11];
    uint64_t l[8] = {1, UINT64_MAX, 0, UINT64_MAX, 0, 0, 0, 3}, want_l[8];
    int64_t s[2] = {0, 0}, want_s[2] = {-INT64_C(199) * (INT64_C(1) << 40), INT64_C(199) << 40};
    float f[2] = {0.5f, 0}, want_f[2] = {0.5f + 9950, 2.5f};
    double d = 0.125, want_d = 0.125 + 4975;
    memcpy(want_i, i, sizeof i);
    memcpy(want_u, u, sizeof u);
    memcpy(want_l, l, sizeof l);
    for (uint32_t t = 0; t < N; t++) {
        want_i[0] += (int32_t)t;
        want_i[1] -= (int32_t)t;
        want_i[4] = 0; /* all 31 low bits fall, and the sign stays */
        want_i[5] |= (int32_t)(1u << t % 29);
        want_i[6] ^= (int32_t)(t * 77);
        want_u[0] += t;
        want_u[1] -= t;
        want_u[4] = 0;
        want_u[5] |= 1u << t % 30;
        want_u[6] ^= t * 99;
        want_u[9] = want_u[9] >= 16 ? 0 : want_u[9] + 1;
        want_u[10] = want_u[10] == 0 || want_u[10] > 12 ? 12 : want_u[10] - 1;
        want_l[0] += (uint64_t)t << 33;
        want_l[3] = 0;
        want_l[4] |= UINT64_C(1) << t % 61;
        want_l[5] ^= t * UINT64_C(0x123456789a);
    }
    want_i[4] = INT32_MIN;
    want_i[2] = 50 - 199;
    want_i[3] = 199 - 50;
    want_i[7] = 5;
    want_i[8] = 1199;
    want_i[9] = want_i[10] = N;
    want_u[2] = 4000000000u - 199;
    want_u[3] = 4000000000u + 199;
    want_u[7] = 6;
    want_u[8] = 77;
    want_l[1] = (UINT64_C(1) << 63) - 199;
    want_l[2] = (UINT64_C(1) << 63) + 199;
    want_l[6] = 7;
    want_l[7] = 88;
    buffer(use, "s32", 4, i, 11);
    buffer(use, "u32", 4, u, 11);
    buffer(use, "u64", 8, l, 8);
    buffer(use, "s64", 8, s, 2);
    buffer(use, "f32", 4, f, 2);
    buffer(use, "f64", 8, &d, 1);
    arg(use, format("s32=%d", N));
    run(use, "atomics", "4", "50", 0);
    read_back(use, 0, i, sizeof i);
    read_back(use, 1, u, sizeof u);
    read_back(use, 2, l, sizeof l);
    read_back(use, 3, s, sizeof s);
    read_back(use, 4, f, sizeof f);
    read_back(use, 5, &d, sizeof d);
    same_bytes(use, "int", i, want_i, sizeof i);
    same_bytes(use, "unsigned", u, want_u, sizeof u);
    same_bytes(use, "unsigned long long", l, want_l, sizeof l);
    same_bytes(use, "long long", s, want_s, sizeof s);
    same_bytes(use, "float", f, want_f, sizeof f);
    same_bytes(use, "double", &d, &want_d, sizeof d);
}

/* CUDA documents at most 4 ulp for each of these in float (2 for most), clang's header less: 4 x 2^-24 x 2 of the
 * value. tan and the others near a zero of theirs are still relative; the host's own double functions are the measure.
 */
static void elementary_want(double a, double want[20])
{
    double p = (double)(fabsf((float)a) + 0.001f), tenth = (double)((float)a * 0.1f), ninth = (double)((float)a / 9);
    const double values[20] = {sin(a),
                               cos(a),
                               tan(a),
                               exp(tenth),
                               log(p),
                               log2(p),
                               log10(p),
                               pow(p, (double)1.7f),
                               sqrt(p),
                               1 / sqrt(p),
                               atan2(a, p),
                               tanh(a),
                               exp2(ninth),
                               floor(a),
                               round(a),
                               (double)fmodf((float)a, 1.3f),
                               cbrt(a),
                               hypot(a, 3),
                               sin((double)((float)a * 1e6f)),
                               fmax(a, 0.5)};
    memcpy(want, values, sizeof values);
}

static void case_elementary(struct use *use)
{
    enum { N = 157 };
    static float x[N], got[20 * N];
    static double xd[N], got_d[10 * N];
    uint32_t seed = 21;
    for (size_t i = 0; i < N; i++) {
        x[i] = unit_float(&seed) * 40 - 20;
        xd[i] = (double)x[i] * 1.234567890123;
    }
    buffer(use, "f32", 4, x, N);
    buffer(use, "f32", 4, got, 20 * N);
    arg(use, format("s32=%d", N));
    run(use, "elementary", "2", "96", 0);
    read_back(use, 1, got, sizeof got);
    for (size_t i = 0; i < N; i++) {
        double want[20];
        elementary_want((double)x[i], want);
        for (size_t k = 0; k < 20; k++)
            close_to(use, "float function", k * 1000 + i, (double)got[k * N + i], want[k], 8 * 0x1p-24, 0);
    }
    buffer(use, "f64", 8, xd, N);
    buffer(use, "f64", 8, got_d, 10 * N);
    arg(use, format("s32=%d", N));
    run(use, "elementary_double", "2", "96", 0);
    read_back(use, 1, got_d, sizeof got_d);
    for (size_t i = 0; i < N; i++) {
        double a = xd[i], p = fabs(a) + 0.001;
        const double want[10] = {sin(a),  cos(a),  exp(a),        log(p),         pow(p, 1.7),
                                 sqrt(p), atan(a), sin(a * 1e12), fma(a, a, 1.0), floor(a)};
        for (size_t k = 0; k < 10; k++)
            close_to(use, "double function", k * 1000 + i, got_d[k * N + i], want[k], 8 * 0x1p-53, 0);
    }
}

/* Which are compiled by `nvcc -G` too: it is slow. */
static const struct {
    const char *file;
    void (*run)(struct use *use);
    bool device_debug;
} cases[] = {
    {"saxpy", case_saxpy, true},
    {"matmul", case_matmul, true},
    {"transpose", case_transpose, false},
    {"reduce", case_reduce, false},
    {"warp_reduce", case_warp_reduce, true},
    {"histogram", case_histogram, false},
    {"scan", case_scan, false},
    {"bitonic", case_bitonic, true},
    {"conv2d", case_conv2d, false},
    {"spmv", case_spmv, false},
    {"mandelbrot", case_mandelbrot, false},
    {"nbody", case_nbody, false},
    {"search", case_search, false},
    {"queens", case_queens, true},
    {"dot", case_dot, false},
    {"sieve", case_sieve, false},
    {"particles", case_particles, true},
    {"kmeans", case_kmeans, false},
    {"life", case_life, false},
    {"print", case_print, true},
    {"intrinsics", case_intrinsics, true},
    {"atomics", case_atomics, false},
    {"elementary", case_elementary, true},
};
enum { CASES = sizeof(cases) / sizeof(cases[0]) };

static void remove_folder(const struct use *use)
{
    static const char *const fixed[] = {"stdout", "stderr", "clang", "debug.ptx", "cuda_runtime.h"};
    for (int i = 0; i < MAX_ARGS + (int)(sizeof fixed / sizeof fixed[0]); i++) {
        static const char *const numbered[] = {"in", "out", "raw"};
        for (size_t k = 0; k < (i < MAX_ARGS ? 3u : 1u); k++) {
            char *path = i < MAX_ARGS ? format("%s/%s%d", use->folder, numbered[k], i)
                                      : format("%s/%s", use->folder, fixed[i - MAX_ARGS]);
            unlink(path);
            free(path);
        }
    }
    rmdir(use->folder);
}

/* What is tested here: the pairs of a kernel and an installed compiler. */
static struct pair {
    size_t which;
    enum way way;
} pairs[CASES * WAYS];

START_TEST(test_cuda_case)
{
    size_t which = pairs[_i].which;
    struct use use = {.way = pairs[_i].way, .folder = "/tmp/simtlab-test.XXXXXX", .file = cases[which].file};
    ck_assert_ptr_nonnull(mkdtemp(use.folder));
    cases[which].run(&use);
    remove_folder(&use);
}
END_TEST

static int find_pairs(void)
{
    int count = 0;
    for (size_t which = 0; which < CASES; which++)
        for (enum way way = CLANG; way < WAYS; way++) {
            bool is_clang = way == CLANG || way == CLANG_DEBUG;
            if ((is_clang ? clang_path : nvcc_path) && (way != NVCC_DEBUG || cases[which].device_debug))
                pairs[count++] = (struct pair){.which = which, .way = way};
        }
    return count;
}

Suite *cuda_suite(void);

Suite *cuda_suite(void)
{
    Suite *suite = suite_create("cuda");
    TCase *tcase = tcase_create("kernels");
    clang_path = find_program("clang");
    nvcc_path = find_program("nvcc");
    if (!clang_path)
        printf("SKIP: clang not found: %d kernels\n", (int)CASES);
    if (!nvcc_path)
        printf("SKIP: nvcc not found: %d kernels\n", (int)CASES);
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, test_cuda_case, 0, find_pairs());
    suite_add_tcase(suite, tcase);
    return suite;
}
