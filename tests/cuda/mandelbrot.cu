// Iterations until |z| > 2. The arithmetic is spelt out, so that compilers agree on its rounding.
struct view {
    float left, top, step;
};

extern "C" __global__ void mandelbrot(unsigned short *out, int width, int height, view v, int limit)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height)
        return;
    float cx = fmaf((float)px, v.step, v.left), cy = fmaf((float)py, v.step, v.top), x = 0, y = 0;
    int i = 0;
    while (i < limit) {
        float xx = __fmul_rn(x, x), yy = __fmul_rn(y, y);
        if (__fadd_rn(xx, yy) > 4.0f)
            break;
        y = fmaf(2 * x, y, cy);
        x = __fadd_rn(__fsub_rn(xx, yy), cx);
        i++;
    }
    out[py * width + px] = (unsigned short)i;
}
