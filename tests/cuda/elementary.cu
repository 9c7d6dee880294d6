// The elementary functions, a row of results each.
extern "C" __global__ void elementary(const float *x, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float a = x[i], p = fabsf(a) + 0.001f;
    float results[] = {sinf(a),        cosf(a),   tanf(a),       expf(a * 0.1f), logf(p),
                       log2f(p),       log10f(p), powf(p, 1.7f), sqrtf(p),       rsqrtf(p),
                       atan2f(a, p),   tanhf(a),  exp2f(a / 9),  floorf(a),      roundf(a),
                       fmodf(a, 1.3f), cbrtf(a),  hypotf(a, 3),  sin(a * 1e6f),  fmaxf(a, 0.5f)};
    for (int k = 0; k < 20; k++)
        out[k * n + i] = results[k];
}

extern "C" __global__ void elementary_double(const double *x, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double a = x[i], p = fabs(a) + 0.001;
    double results[] = {sin(a),  cos(a),  exp(a),        log(p),         pow(p, 1.7),
                        sqrt(p), atan(a), sin(a * 1e12), fma(a, a, 1.0), floor(a)};
    for (int k = 0; k < 10; k++)
        out[k * n + i] = results[k];
}
