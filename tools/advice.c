/* A launch watched, and explained: what run and explain say after it. */
#include "tools/tool.h"

#include <stdlib.h>
#include <string.h>

enum advise_language tool_language(const struct tool_options *options)
{
    static const char *const variables[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    if (options->has_language)
        return options->language;
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        const char *value = getenv(variables[i]);
        if (value && value[0] != '\0')
            return advise_language_of(value) == ADVISE_ZH ? ADVISE_ZH : ADVISE_EN;
    }
    return ADVISE_EN;
}

void tool_advice_begin(struct tool_advice *advice, struct tool_launch *launch)
{
    *advice = (struct tool_advice){.watch = {.device = launch->device}};
    launch->access_hook = advise_watch_access;
    launch->access_user = &advice->watch;
}

bool tool_advice_make(struct tool_advice *advice, const struct tool_launch *launch, const struct sim_report *report)
{
    int32_t carveout = launch->text->carveout_percent;
    struct advise_explain_query query = {.report = report,
                                         .device = launch->device,
                                         .module = launch->module,
                                         .watch = &advice->watch,
                                         .carveout_percent =
                                             carveout >= 0 ? carveout : launch->options->carveout_percent,
                                         .max_registers = launch->options->max_registers};
    bool good = advise_explain(&query, &advice->findings) == BASE_OK;
    if (!good)
        tool_error("out of memory: nothing can be explained");
    advice->shown = (struct report_advice){.findings = &advice->findings, .language = tool_language(launch->options)};
    return good;
}

void tool_advice_free(struct tool_advice *advice)
{
    advise_findings_free(&advice->findings);
    advise_watch_free(&advice->watch);
}
