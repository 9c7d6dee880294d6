/* simtlab devices: the profiles, or every parameter of one. */
#include "tools/tool.h"

static void list_devices(struct base_strbuf *out)
{
    base_strbuf_printf(out, "%-12s %-4s %5s %8s  %s\n", "NAME", "CC", "SMs", "warps/SM", "PRODUCT");
    for (size_t i = 0; i < sim_device_count(); i++) {
        const struct sim_device *device = sim_device_at(i);
        base_strbuf_printf(out, "%-12s %u.%u  %5u %8u  %s\n", device->name, device->compute_major,
                           device->compute_minor, device->sm_count, device->max_warps_per_sm, device->product);
    }
}

enum tool_exit tool_devices(const struct tool_options *options)
{
    struct sim_device device;
    struct base_strbuf out = {0};
    if (options->operand_count > 1) {
        tool_error("devices takes one NAME or FILE, or none");
        return TOOL_ERROR;
    }
    if (options->operand_count == 0) {
        list_devices(&out);
    } else {
        if (tool_device_load(options->operands[0], &device) != BASE_OK)
            return TOOL_ERROR;
        sim_device_print(&device, &out);
    }
    enum tool_exit answer = tool_output_text(options, &out);
    base_strbuf_free(&out);
    return answer;
}
