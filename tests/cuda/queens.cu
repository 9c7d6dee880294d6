// Solutions of the n queens problem by recursion; a thread takes a place of the first queen.
__device__ int place(int n, unsigned columns, unsigned left, unsigned right)
{
    unsigned all = (1u << n) - 1;
    if (columns == all)
        return 1;
    int count = 0;
    for (unsigned free = all & ~(columns | left | right); free != 0; free &= free - 1) {
        unsigned bit = free & (0u - free);
        count += place(n, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return count;
}

extern "C" __global__ void queens(int n, int *counts)
{
    int i = threadIdx.x;
    if (i < n) {
        unsigned bit = 1u << i;
        counts[i] = place(n, bit, bit << 1, bit >> 1);
    }
}
