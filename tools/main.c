/* The command `simtlab`: chooses the subcommand; each has its own file cmd_NAME.c. */
#include "tools/tool.h"

#include <signal.h>
#include <string.h>

static const struct tool_command commands[] = {
    {"run", "FILE [KERNEL] --grid X[,Y[,Z]] --block X[,Y[,Z]] [--arg ARG]...", "run one launch and report on it", 1,
     tool_run},
    {"batch", "LIST", "run every launch of a list, one line of JSON each", 2, tool_batch},
    {"disasm", "FILE [KERNEL]", "print a program as the simulator reads it", 4, tool_disasm},
    {"occupancy", "[FILE [KERNEL]] --block N [--regs N] [--shared BYTES] [--cluster N]",
     "how many blocks an SM holds, and what would change it", 8, tool_occupancy},
    {"devices", "[NAME|FILE]", "list the modelled GPUs, or all about one", 16, tool_devices},
    {"resources", "FILE [KERNEL]", "registers, stack, shared memory, constants of kernels", 32, tool_resources},
};
enum { COMMAND_COUNT = sizeof(commands) / sizeof(commands[0]) };

/* Commands of the manual page that a later version will have. */
static const char *const later[] = {"compare", "banks", "sectors", "threads"};

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
