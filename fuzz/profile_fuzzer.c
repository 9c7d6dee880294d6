/* libFuzzer's entry for device profiles: any bytes are read as one; a profile that is accepted must answer every
 * occupancy question without a division by zero or an overflow. Seed: fuzz/corpus/profile. */
#include "sim/device.h"
#include "sim/occupancy.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t threads[] = {1, 32, 96, 256, 1000, 1024}, registers[] = {16, 32, 65, 255};
    struct base_source source = {.name = "profile", .text = (const char *)data, .size = size};
    struct sim_device device;
    struct base_diags diags = {0};
    if (sim_device_read(&source, &device, &diags) == BASE_OK)
        for (size_t t = 0; t < sizeof(threads) / sizeof(threads[0]); t++)
            for (size_t r = 0; r < sizeof(registers) / sizeof(registers[0]); r++) {
                struct sim_occupancy_query query = {.block_threads = threads[t],
                                                    .registers_per_thread = registers[r],
                                                    .shared_static_bytes = 1024 * t,
                                                    .shared_dynamic_bytes = 48000 * r,
                                                    .carveout_percent = -1,
                                                    .barriers = 1};
                struct sim_occupancy answer;
                sim_occupancy_compute(&device, &query, &answer);
            }
    base_diags_free(&diags);
    return 0;
}
