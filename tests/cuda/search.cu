// Where a word stands in a text, capitals and small letters being the same.
__constant__ char needle[8];

__device__ char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

extern "C" __global__ void search(const char *text, int length, int needle_length, int *found, unsigned *count,
                                  int room)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > length - needle_length)
        return;
    int k = 0;
    do {
        if (lower(text[i + k]) != needle[k])
            return;
    } while (++k < needle_length);
    unsigned place = atomicInc(count, 0xffffffffu);
    if ((int)place < room)
        found[place] = i;
}
