// One step of k-means in three dimensions: the nearest centre, and the sums that new centres are made of.
#include <float.h>

template <int D> struct point {
    float at[D];
    __device__ float distance2(const point &other) const
    {
        float sum = 0;
        for (int d = 0; d < D; d++) {
            float diff = at[d] - other.at[d];
            sum += diff * diff;
        }
        return sum;
    }
};

extern "C" __global__ void kmeans(const point<3> *points, int n, const point<3> *centres, int k, int *nearest,
                                  double *sums, unsigned long long *counts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    point<3> mine = points[i];
    float best = FLT_MAX;
    int which = 0;
    for (int c = 0; c < k; c++) {
        float d = mine.distance2(centres[c]);
        if (d < best) {
            best = d;
            which = c;
        }
    }
    nearest[i] = which;
    for (int d = 0; d < 3; d++)
        atomicAdd(&sums[which * 3 + d], (double)mine.at[d]);
    atomicAdd(&counts[which], 1ULL);
}
