// Twin of kernels/local.ptx: what cannot stay in registers. G 239-249.

// An array with an index that the compiler does not know.
extern "C" __global__ void local_array(const int *idx, float *out, int n)
{
    float a[64];
    for (int i = 0; i < 64; i++)
        a[i] = i * 0.25f + threadIdx.x;
    float v = 0;
    for (int k = 0; k < n; k++) {
        int j = idx[k] & 63;
        a[j] += 1.0f;
        v += a[(j * 7 + k) & 63];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

// The worst index: another one in each lane.
extern "C" __global__ void local_lanes(unsigned *out)
{
    unsigned words[64], v = 0;
    for (unsigned i = 0; i < 64; i++)
        words[i] = i;
    for (unsigned i = 0; i < 64; i++)
        v += words[(i + threadIdx.x) & 63];
    out[threadIdx.x] = v;
}

struct large {
    int head;
    double body[30];
    int tail;
};

// A large structure whose member only the launch knows.
extern "C" __global__ void large_struct(double *out, unsigned which)
{
    large l;
    l.head = threadIdx.x;
    l.tail = -1;
    for (int i = 0; i < 30; i++)
        l.body[i] = i * 1.5;
    out[threadIdx.x] = l.body[which] + (l.head + l.tail);
}
