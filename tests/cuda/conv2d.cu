// 5 x 5 convolution with the mask in constant memory and a halo in shared memory.
#define RADIUS 2
#define TILE   16

__constant__ float mask[(2 * RADIUS + 1) * (2 * RADIUS + 1)];

extern "C" __global__ void conv2d(const float *in, float *out, int width, int height)
{
    __shared__ float tile[TILE + 2 * RADIUS][TILE + 2 * RADIUS];
    int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    for (int y = threadIdx.y; y < TILE + 2 * RADIUS; y += TILE)
        for (int x = threadIdx.x; x < TILE + 2 * RADIUS; x += TILE) {
            int gx = (int)(blockIdx.x * TILE) + x - RADIUS, gy = (int)(blockIdx.y * TILE) + y - RADIUS;
            bool inside = gx >= 0 && gx < width && gy >= 0 && gy < height;
            tile[y][x] = inside ? in[gy * width + gx] : 0.0f;
        }
    __syncthreads();
    if (col >= width || row >= height)
        return;
    float sum = 0;
    for (int y = 0; y < 2 * RADIUS + 1; y++)
        for (int x = 0; x < 2 * RADIUS + 1; x++)
            sum += mask[y * (2 * RADIUS + 1) + x] * tile[threadIdx.y + y][threadIdx.x + x];
    out[row * width + col] = sum;
}
