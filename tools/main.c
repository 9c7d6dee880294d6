/* The command `simtlab`: chooses the subcommand; each has its own file cmd_NAME.c. */
#include "tools/tool.h"

#include <signal.h>
#include <string.h>

static const char banks_examples[] =
    "A column of a 32 x 32 tile, and what cures it:\n"
    "  simtlab banks 'float tile[32][32]' 'tile[threadIdx.x][0]'\n"
    "The store and the load of a transpose, cured together, as an SVG:\n"
    "  simtlab banks 'float s[32][32]' 's[tid.x][tid.y]' 's[tid.y][tid.x]' --block 32,32 --format svg -o banks.svg\n"
    "Lanes two words apart; doubles; a permutation by hand:\n"
    "  simtlab banks --stride 2\n"
    "  simtlab banks 'tid.x * 3 % 32' --width 8\n"
    "  simtlab banks --index 5,0-4,6-31\n"
    "Names of your kernel's own:\n"
    "  simtlab banks 'float s[64 * 33]' 's[row * 33 + col]' -D row=threadIdx.x/2 -D col=threadIdx.x%2\n"
    "What line 42 of a kernel really does:\n"
    "  simtlab banks --kernel-line tile.cu:42 tile.ptx transpose --grid 4,4 --block 32,32 --arg f32[16384]=iota ...\n";
static const char sectors_examples[] =
    "Neighbours, every eighth word, and neighbours that begin one word late:\n"
    "  simtlab sectors 'float *a' 'a[threadIdx.x]'\n"
    "  simtlab sectors --stride 8\n"
    "  simtlab sectors --stride 1 --offset 1\n"
    "The columns that a transpose writes, as an SVG:\n"
    "  simtlab sectors 'float c[1024][1024]' 'c[threadIdx.x][threadIdx.y]' --format svg -o sectors.svg\n";
static const char threads_examples[] =
    "A grid of 3 x 2 one-dimensional blocks:\n"
    "  simtlab threads --grid 3,2 --block 96\n"
    "The tiles of a matrix, and where a transpose puts one of them:\n"
    "  simtlab threads --grid 4,4 --block 32,32 --matrix 128,128 --at 2,1 --transpose --format svg -o tiles.svg\n";

static const struct tool_command commands[] = {
    {"run", "FILE [KERNEL] --grid X[,Y[,Z]] --block X[,Y[,Z]] [--arg ARG]...", "run one launch and report on it", NULL,
     1, tool_run},
    {"batch", "LIST", "run every launch of a list, one line of JSON each", NULL, 2, tool_batch},
    {"disasm", "FILE [KERNEL]", "print a program as the simulator reads it", NULL, 4, tool_disasm},
    {"occupancy", "[FILE [KERNEL]] --block N [--regs N] [--shared BYTES] [--cluster N]",
     "how many blocks an SM holds, and what would change it", NULL, 8, tool_occupancy},
    {"banks", "DECLARATION ACCESS... | EXPRESSION | --stride N | --index LIST | --kernel-line FILE:LINE FILE [KERNEL]",
     "draw which banks of shared memory the lanes meet", banks_examples, 64, tool_banks},
    {"sectors",
     "DECLARATION ACCESS... | EXPRESSION | --stride N | --index LIST | --kernel-line FILE:LINE FILE [KERNEL]",
     "draw which sectors of global memory the lanes fetch", sectors_examples, 128, tool_sectors},
    {"threads", "--grid X[,Y[,Z]] --block X[,Y[,Z]] [--matrix R,C [--tile WxH]]",
     "draw a launch's blocks, warps and lanes", threads_examples, 256, tool_threads},
    {"devices", "[NAME|FILE]", "list the modelled GPUs, or all about one", NULL, 16, tool_devices},
    {"resources", "FILE [KERNEL]", "registers, stack, shared memory, constants of kernels", NULL, 32, tool_resources},
};
enum { COMMAND_COUNT = sizeof(commands) / sizeof(commands[0]) };

/* Commands of the manual page that a later version will have. */
static const char *const later[] = {"compare"};

static const char examples[] =
    "Run a kernel on 1,000 elements and read what the hardware would have done:\n"
    "  simtlab run vec.ptx vecAdd --grid 4 --block 256 \\\n"
    "      --arg f32[1000]=rand:1 --arg f32[1000]=rand:2 --arg f32[1000]=zero --arg s32=1000\n"
    "Keep the result and a machine-readable report:\n"
    "  simtlab run vec.ptx vecAdd --grid 4 --block 256 --format json -o report.json --dump 2=sum.bin \\\n"
    "      --arg f32[1000]=file:a.bin --arg f32[1000]=file:b.bin --arg f32[1000]=zero --arg s32=1000\n"
    "Run a list of launches, two at a time, and look at one number of each:\n"
    "  simtlab batch launches.txt -j 2 | jq '[.name, .metrics.memory_l1_wavefronts_shared]'\n"
    "Ask why only so many blocks fit:\n"
    "  simtlab occupancy --block 256 --regs 64 --shared 32768\n";

static enum tool_exit put(const struct base_strbuf *text)
{
    struct tool_options options = {0};
    return tool_output_text(&options, text);
}

static enum tool_exit overview(void)
{
    struct base_strbuf out = {0};
    base_strbuf_puts(&out,
                     "simtlab runs CUDA kernels on a modelled GPU and counts what the hardware would have done.\n\n"
                     "usage: simtlab COMMAND [OPTION]... [OPERAND]...\n\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        base_strbuf_printf(&out, "  %-10s %s\n", commands[i].name, commands[i].summary);
    base_strbuf_puts(&out, "\nsimtlab COMMAND --help tells a command's options; simtlab(1) tells everything.\n\n");
    base_strbuf_puts(&out, examples);
    base_strbuf_puts(&out, "\nExit status: 0 done and clean, 1 the kernel faulted, 2 anything else went wrong.\n");
    enum tool_exit answer = put(&out);
    base_strbuf_free(&out);
    return answer;
}

static enum tool_exit command_help(const struct tool_command *command)
{
    struct base_strbuf out = {0};
    base_strbuf_printf(&out, "usage: simtlab %s %s\n%s\n\n", command->name, command->operands, command->summary);
    tool_options_help(command, &out);
    if (command->examples)
        base_strbuf_printf(&out, "\n%s", command->examples);
    enum tool_exit answer = put(&out);
    base_strbuf_free(&out);
    return answer;
}

static enum tool_exit version(void)
{
    struct base_strbuf out = {0};
    base_strbuf_puts(&out, "simtlab " SIMTLAB_VERSION "\n");
    enum tool_exit answer = put(&out);
    base_strbuf_free(&out);
    return answer;
}

static enum tool_exit unknown(const char *name)
{
    for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); i++) {
        if (strcmp(name, later[i]) == 0) {
            tool_error("%s: not yet in this version", name);
            return TOOL_ERROR;
        }
    }
    tool_error("no command '%s'; see simtlab --help", name);
    return TOOL_ERROR;
}

static enum tool_exit command(int argc, char **argv)
{
    if (argc < 2) {
        tool_error("which command? See simtlab --help");
        return TOOL_ERROR;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
        return overview();
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
        return version();
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(argv[1], commands[i].name) != 0)
            continue;
        struct tool_options options;
        enum tool_exit answer = tool_options_parse(&commands[i], argc - 1, argv + 1, &options);
        if (answer == TOOL_OK)
            answer = options.help      ? command_help(&commands[i])
                     : options.version ? version()
                                       : commands[i].run(&options);
        tool_options_free(&options);
        return answer;
    }
    return unknown(argv[1]);
}

int main(int argc, char **argv)
{
    /* A reader that leaves early shows as a write error, which has its message and exit status. */
    signal(SIGPIPE, SIG_IGN);
    return (int)command(argc, argv);
}
