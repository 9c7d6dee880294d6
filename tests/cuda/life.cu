// A generation of the game of life on a torus.
#include <stdint.h>

extern "C" __global__ void life(const uint8_t *now, uint8_t *next, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int neighbours = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                neighbours += now[(y + dy + height) % height * width + (x + dx + width) % width];
    switch (neighbours) {
    case 2:
        next[y * width + x] = now[y * width + x];
        break;
    case 3:
        next[y * width + x] = 1;
        break;
    default:
        next[y * width + x] = 0;
    }
}
