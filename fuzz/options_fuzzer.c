/* libFuzzer's entry for command lines: the first byte chooses what the options are read for, the rest is split at
 * newlines into arguments. What they say of it goes to stderr (-close_fd_mask=2 keeps it quiet). */
#include "tools/tool.h"

#include <getopt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS_MAX = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *argv[ARGUMENTS_MAX + 2] = {(char *)(uintptr_t) "simtlab"};
    int argc = 1;
    if (size == 0)
        return 0;
    struct tool_command command = {.name = "run", .operands = "FILE", .summary = "", .bit = 1U << (data[0] % 16)};
    char *text = malloc(size);
    if (text == NULL)
        return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    for (char *at = strtok(text, "\n"); at != NULL && argc <= ARGUMENTS_MAX; at = strtok(NULL, "\n"))
        argv[argc++] = at;
    struct tool_options options;
    optind = 0; /* getopt begins anew */
    (void)tool_options_parse(&command, argc, argv, &options);
    tool_options_free(&options);
    free(text);
    return 0;
}
