/* The command `simtlab`: chooses the subcommand; each has its own file cmd_NAME.c. */
#include "tools/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const struct tool_command commands[] = {
    {"run", "FILE [KERNEL] --grid X[,Y[,Z]] --block X[,Y[,Z]] [--arg ARG]...", "run one launch and report on it", 1,
     tool_run},
    {"explain", "FILE [KERNEL] --grid X[,Y[,Z]] --block X[,Y[,Z]] [--arg ARG]...",
     "run one launch and say what to change, in plain words", 1024, tool_explain},
    {"batch", "LIST", "run every launch of a list, one line of JSON each", 2, tool_batch},
    {"grade", "LIST --rules FILE... [--require RULE]... [--junit FILE]",
     "hold the launches of a list to rules, for a course or CI", 2048, tool_grade},
    {"disasm", "FILE [KERNEL]", "print a program as the simulator reads it", 4, tool_disasm},
    {"occupancy", "[FILE [KERNEL]] --block N [--regs N] [--shared BYTES] [--cluster N]",
     "how many blocks an SM holds, and what would change it", 8, tool_occupancy},
    {"banks", "DECLARATION ACCESS... | EXPRESSION | --stride N | --index LIST | --kernel-line FILE:LINE FILE [KERNEL]",
     "draw which banks of shared memory the lanes meet", 64, tool_banks},
    {"sectors",
     "DECLARATION ACCESS... | EXPRESSION | --stride N | --index LIST | --kernel-line FILE:LINE FILE [KERNEL]",
     "draw which sectors of global memory the lanes fetch", 128, tool_sectors},
    {"threads", "--grid X[,Y[,Z]] --block X[,Y[,Z]] [--matrix R,C [--tile WxH]]",
     "draw a launch's blocks, warps and lanes", 256, tool_threads},
    {"compare", "SIM GPU", "a simulation beside what ncu measured, or beside another simulation", 512, tool_compare},
    {"devices", "[NAME|FILE]", "list the modelled GPUs, or all about one", 16, tool_devices},
    {"resources", "FILE [KERNEL]", "registers, stack, shared memory, constants of kernels", 32, tool_resources},
};
enum { COMMAND_COUNT = sizeof(commands) / sizeof(commands[0]) };

static enum tool_exit put(struct base_strbuf *text)
{
    struct tool_options options = {0};
    return tool_output_text(&options, text);
}

static void examples(struct base_strbuf *out, const char *command)
{
    const char *text = tool_examples(command);
    if (text)
        base_strbuf_printf(out, "\nExamples, for the folder kernels/ of the sources:\n\n%s", text);
}

static enum tool_exit overview(void)
{
    struct base_strbuf out = {0};
    base_strbuf_puts(&out,
                     "simtlab runs CUDA kernels on a modelled GPU and counts what the hardware would have done.\n\n"
                     "usage: simtlab COMMAND [OPTION]... [OPERAND]...\n\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        base_strbuf_printf(&out, "  %-10s %s\n", commands[i].name, commands[i].summary);
    base_strbuf_puts(&out, "\nsimtlab COMMAND --help tells a command's options; simtlab(1) tells everything.\n");
    examples(&out, "");
    base_strbuf_puts(
        &out,
        "\nExit status: 0 done and clean; 1 a fault, a finding of a check, or two reports that differ; 2 anything else "
        "went wrong.\n");
    enum tool_exit answer = put(&out);
    base_strbuf_free(&out);
    return answer;
}

static enum tool_exit command_help(const struct tool_command *command)
{
    struct base_strbuf out = {0};
    base_strbuf_printf(&out, "usage: simtlab %s %s\n%s\n\n", command->name, command->operands, command->summary);
    tool_options_help(command, &out);
    examples(&out, command->name);
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
        if (answer == TOOL_OK && !options.help && !options.version && !tool_outputs_check(&options))
            answer = TOOL_ERROR;
        if (answer == TOOL_OK)
            answer = options.help      ? command_help(&commands[i])
                     : options.version ? version()
                                       : commands[i].run(&options);
        tool_options_free(&options);
        return answer;
    }
    return unknown(argv[1]);
}

/* A standard stream that the caller closed would give its number to the next file opened, and what is meant for the
 * stream would land in that file. Such a stream is one that cannot be written, stderr one that nobody reads. */
static void hold_standard_streams(void)
{
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
        if (fcntl(file, F_GETFD) == -1 && errno == EBADF)
            (void)!open("/dev/null", file == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
    hold_standard_streams();
    tool_interrupt_install();
    /* A reader that leaves early, and a file at its limit, show as write errors, with message and exit status. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    return (int)command(argc, argv);
}
