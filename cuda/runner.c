/* Runs a launch list on a real GPU: runner [OPTION]... LIST (usage[] says the options).
 *
 * A worker process takes one launch after the other. When a kernel fails, its context is of no use any more, so the
 * worker ends and another goes on with the launch behind it. With --one-process there is no worker: for profilers.
 *
 * Exit status: 0 all launches done, 1 a kernel failed, 2 wrong usage, an unreadable list, or a launch that is none. */
#include "cuda/launch.h"

#include "base/strbuf.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_FAULT = 1, EXIT_INVALID = 2, WORKER_FAULT = 17, MESSAGE_BYTES = 4096, REPEAT_MAX = 1000000 };

static const char usage[] = "usage: runner [OPTION]... LIST\n"
                            "  --only NAME      this launch alone (may be given more than once)\n"
                            "  --form EXT       FILE's extension becomes EXT: ptx, cubin\n"
                            "  --repeat N       run each launch N times, buffers filled anew\n"
                            "  --dump FOLDER    write each buffer to FOLDER/NAME.argI.bin\n"
                            "  --one-process    no worker process: stops at a kernel that fails\n";

/* What the workers and their parent share. */
struct progress {
    size_t current;
    bool invalid;
};

struct runner {
    struct gpu_options options;
    const char *list_path;
    const char **only;
    size_t only_count;
    bool one_process;
    struct sim_launch_list *list;
    struct gpu_named *named;
    size_t named_count;
    struct progress *progress;
};

static bool parse_repeat(const char *text, unsigned *repeat)
{
    char *end = NULL;
    unsigned long value = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || value < 1 || value > REPEAT_MAX)
        return false;
    *repeat = (unsigned)value;
    return true;
}

static bool parse_options(struct runner *r, int argc, char **argv)
{
    static const struct option options[] = {{"only", 1, NULL, 'o'},        {"form", 1, NULL, 'f'},
                                            {"repeat", 1, NULL, 'r'},      {"dump", 1, NULL, 'd'},
                                            {"one-process", 0, NULL, '1'}, {NULL, 0, NULL, 0}};
    r->options.repeat = 1;
    r->only = calloc((size_t)argc, sizeof(*r->only));
    if (!r->only)
        return false;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'o')
            r->only[r->only_count++] = optarg;
        else if (option == 'f')
            r->options.form = optarg;
        else if (option == 'd')
            r->options.dump = optarg;
        else if (option == '1')
            r->one_process = true;
        else if (option != 'r' || !parse_repeat(optarg, &r->options.repeat))
            return false;
    }
    r->list_path = argv[optind];
    return optind + 1 == argc;
}

static bool read_list(struct runner *r)
{
    char message[MESSAGE_BYTES];
    size_t size = 0;
    struct base_diags diags = {0};
    struct base_strbuf text = {0};
    char *list = gpu_file_read(r->list_path, &size, message, sizeof message);
    if (!list) {
        fprintf(stderr, "runner: %s\n", message);
        return false;
    }
    enum base_status status = sim_launch_list_parse(r->list_path, list, size, &r->list, &diags);
    base_diags_print(&diags, &text);
    fputs(text.data ? text.data : "", stderr);
    base_strbuf_free(&text);
    base_diags_free(&diags);
    free(list);
    const char *slash = strrchr(r->list_path, '/');
    r->options.folder = strndup(r->list_path, slash ? (size_t)(slash - r->list_path) + 1 : 0);
    return status == BASE_OK && r->options.folder;
}

static bool chosen(const struct runner *r, const char *name)
{
    for (size_t i = 0; i < r->only_count; i++)
        if (strcmp(r->only[i], name) == 0)
            return true;
    return r->only_count == 0;
}

static void *shared_memory(uint64_t size_bytes)
{
    void *memory = mmap(NULL, (size_t)size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static bool add_named(struct runner *r, const struct sim_arg *arg)
{
    for (size_t i = 0; i < r->named_count; i++)
        if (strcmp(r->named[i].name, arg->name) == 0)
            return true;
    struct gpu_named *more = realloc(r->named, (r->named_count + 1) * sizeof(*more));
    if (!more)
        return false;
    r->named = more;
    struct gpu_named *named = &more[r->named_count++];
    *named = (struct gpu_named){
        .name = arg->name, .first = arg, .size_bytes = arg->count * (isa_types[arg->type].bits / 8u)};
    named->contents = shared_memory(named->size_bytes);
    named->filled = shared_memory(sizeof(bool));
    return named->contents && named->filled;
}

/* The shared buffers of all launches, before there are workers to share them. */
static bool find_named(struct runner *r)
{
    for (size_t i = 0; i < r->list->count; i++) {
        const struct sim_launch_text *launch = &r->list->items[i];
        for (size_t a = 0; a < launch->arg_count; a++)
            if (launch->args[a].kind != SIM_ARG_SYMBOL && launch->args[a].name && chosen(r, launch->name) &&
                !add_named(r, &launch->args[a]))
                return false;
    }
    return true;
}

static bool open_device(void)
{
    CUdevice device;
    CUcontext context;
    const char *name = NULL;
    CUresult result = cuInit(0);
    if (result == CUDA_SUCCESS)
        result = cuDeviceGet(&device, 0);
    if (result == CUDA_SUCCESS)
        result = cuDevicePrimaryCtxRetain(&context, device);
    if (result == CUDA_SUCCESS)
        result = cuCtxSetCurrent(context);
    if (result == CUDA_SUCCESS)
        return true;
    cuGetErrorName(result, &name);
    fprintf(stderr, "runner: no GPU: %s\n", name ? name : "an error without a name");
    return false;
}

/* Launches from the current one on. Returns a worker's exit status. */
static int work(struct runner *r)
{
    char message[MESSAGE_BYTES];
    if (!open_device())
        return EXIT_INVALID;
    for (; r->progress->current < r->list->count; r->progress->current++) {
        const struct sim_launch_text *launch = &r->list->items[r->progress->current];
        if (!chosen(r, launch->name))
            continue;
        enum gpu_outcome outcome =
            gpu_launch_run(&r->options, launch, r->named, r->named_count, message, sizeof message);
        if (outcome == GPU_FAULT)
            printf("%s fault: %s\n", launch->name, message);
        if (outcome == GPU_INVALID)
            fprintf(stderr, "runner: %s: %s\n", launch->name, message);
        fflush(stdout);
        r->progress->invalid = r->progress->invalid || outcome == GPU_INVALID;
        if (outcome == GPU_FAULT)
            return WORKER_FAULT;
    }
    return 0;
}

/* One worker's exit status: -1 when it could not be started. */
static int start_worker(struct runner *r)
{
    int status = 0;
    fflush(stdout);
    pid_t worker = fork();
    if (worker == 0) {
        int code = work(r);
        fflush(stdout);
        _exit(code);
    }
    if (worker < 0 || waitpid(worker, &status, 0) != worker)
        return -1;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    printf("%s fault: the process was ended by signal %d\n", r->list->items[r->progress->current].name,
           WTERMSIG(status));
    return WORKER_FAULT;
}

static int run_all(struct runner *r)
{
    bool faulted = false;
    while (r->progress->current < r->list->count) {
        int status = r->one_process ? work(r) : start_worker(r);
        if (status != 0 && status != WORKER_FAULT)
            return EXIT_INVALID;
        faulted = faulted || status == WORKER_FAULT;
        if (status == WORKER_FAULT)
            r->progress->current++;
        if (faulted && r->one_process)
            break;
    }
    if (r->progress->invalid)
        return EXIT_INVALID;
    return faulted ? EXIT_FAULT : 0;
}

int main(int argc, char **argv)
{
    struct runner r = {0};
    int status = EXIT_INVALID;
    if (!parse_options(&r, argc, argv)) {
        fputs(usage, stderr);
        free(r.only);
        return EXIT_INVALID;
    }
    r.progress = shared_memory(sizeof(*r.progress));
    if (r.progress && read_list(&r) && find_named(&r))
        status = run_all(&r);
    if (fflush(stdout) != 0)
        status = EXIT_INVALID;
    sim_launch_list_free(r.list);
    free((char *)(uintptr_t)r.options.folder);
    free(r.named);
    free(r.only);
    return status;
}
