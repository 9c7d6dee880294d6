// Sorts up to 512 keys with their values in one block; the rest of the network is filled with the largest key.
struct item {
    unsigned key;
    int value;
};

__device__ void exchange(item &a, item &b, bool ascending)
{
    if ((a.key > b.key) == ascending) {
        item t = a;
        a = b;
        b = t;
    }
}

extern "C" __global__ void bitonic(unsigned *keys, int *values, int n)
{
    __shared__ item s[512];
    int i = threadIdx.x;
    s[i].key = i < n ? keys[i] : 0xffffffffu;
    s[i].value = i < n ? values[i] : -1;
    for (int k = 2; k <= 512; k <<= 1) {
        for (int j = k >> 1; j > 0; j >>= 1) {
            __syncthreads();
            int other = i ^ j;
            if (other > i)
                exchange(s[i], s[other], (i & k) == 0);
        }
    }
    __syncthreads();
    if (i < n) {
        keys[i] = s[i].key;
        values[i] = s[i].value;
    }
}
