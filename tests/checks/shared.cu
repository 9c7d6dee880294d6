// Shared memory within a block: barriers that are missing, in the wrong place, or there. README.md tells how to read this.

#define BLOCK 128

// A value is read where another warp wrote it: the barrier between the two is missing.
//! reverse_bad | races | race in a block | @reverse.write @reverse.read
extern "C" __global__ void reverse_bad(float *out, const float *in)
{
    __shared__ float s[BLOCK];
    s[threadIdx.x] = in[threadIdx.x]; // @reverse.write
    out[threadIdx.x] = s[BLOCK - 1 - threadIdx.x]; // @reverse.read
}

extern "C" __global__ void reverse_good(float *out, const float *in)
{
    __shared__ float s[BLOCK];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[BLOCK - 1 - threadIdx.x];
}

// The tile is filled anew while slow warps still read it: the barrier at the end of the round is missing.
//! rounds_bad | races | race in a block | @rounds.write @rounds.read
extern "C" __global__ void rounds_bad(float *out, const float *in, int rounds)
{
    __shared__ float tile[BLOCK];
    float sum = 0;
    for (int r = 0; r < rounds; r++) {
        tile[threadIdx.x] = in[r * BLOCK + threadIdx.x]; // @rounds.write
        __syncthreads();
        sum += tile[(threadIdx.x + 37) % BLOCK]; // @rounds.read
    }
    out[threadIdx.x] = sum;
}

extern "C" __global__ void rounds_good(float *out, const float *in, int rounds)
{
    __shared__ float tile[BLOCK];
    float sum = 0;
    for (int r = 0; r < rounds; r++) {
        tile[threadIdx.x] = in[r * BLOCK + threadIdx.x];
        __syncthreads();
        sum += tile[(threadIdx.x + 37) % BLOCK];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

// A tree whose barrier stands before the loop, not in it.
//! tree_bad | races | race in a block | @tree.add
//! tree_bad | races | race in a warp | @tree.add
extern "C" __global__ void tree_bad(float *out, const float *in)
{
    __shared__ float s[BLOCK];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int step = BLOCK / 2; step > 0; step /= 2)
        if (threadIdx.x < step)
            s[threadIdx.x] += s[threadIdx.x + step]; // @tree.add
    if (threadIdx.x == 0)
        out[0] = s[0];
}

extern "C" __global__ void tree_good(float *out, const float *in)
{
    __shared__ float s[BLOCK];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int step = BLOCK / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            s[threadIdx.x] += s[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[0] = s[0];
}

// A scan in place: each round reads a neighbour's element and overwrites its own, with one barrier instead of two.
//! scan_bad | races | race in a block | @scan.read @scan.write
//! scan_bad | races | race in a warp | @scan.read @scan.write
extern "C" __global__ void scan_bad(int *out, const int *in)
{
    __shared__ int s[BLOCK];
    unsigned t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (unsigned step = 1; step < BLOCK; step *= 2) {
        int left = 0;
        if (t >= step)
            left = s[t - step]; // @scan.read
        s[t] += left; // @scan.write
        __syncthreads();
    }
    out[t] = s[t];
}

extern "C" __global__ void scan_good(int *out, const int *in)
{
    __shared__ int s[BLOCK];
    unsigned t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (unsigned step = 1; step < BLOCK; step *= 2) {
        int left = 0;
        if (t >= step)
            left = s[t - step];
        __syncthreads();
        s[t] += left;
        __syncthreads();
    }
    out[t] = s[t];
}

// All threads add to one word, one after the other as they believe.
//! sum_bad | races | race in a block | @sum.add
//! sum_bad | races | race in a warp | @sum.add
//! sum_bad | races | lanes write different values | @sum.add
extern "C" __global__ void sum_bad(int *out, const int *in)
{
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    sum += in[threadIdx.x]; // @sum.add
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = sum;
}

extern "C" __global__ void sum_good(int *out, const int *in)
{
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = sum;
}

// Everyone reads what thread 0 is still computing.
//! first_bad | races | race in a block | @first.write @first.read
//! first_bad | races | race in a warp | @first.write @first.read
extern "C" __global__ void first_bad(float *out, const float *in)
{
    __shared__ float mean;
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int i = 0; i < BLOCK; i++)
            sum += in[i];
        mean = sum / BLOCK; // @first.write
    }
    out[threadIdx.x] = in[threadIdx.x] - mean; // @first.read
}

extern "C" __global__ void first_good(float *out, const float *in)
{
    __shared__ float mean;
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int i = 0; i < BLOCK; i++)
            sum += in[i];
        mean = sum / BLOCK;
    }
    __syncthreads();
    out[threadIdx.x] = in[threadIdx.x] - mean;
}

// The index of the last element is one too small: two threads write one word.
//! index_bad | races | race in a block | @index.write
extern "C" __global__ void index_bad(float *out, const float *in)
{
    __shared__ float s[BLOCK];
    s[threadIdx.x % (BLOCK - 1)] = in[threadIdx.x]; // @index.write
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x % (BLOCK - 1)];
}

extern "C" __global__ void index_good(float *out, const float *in)
{
    __shared__ float s[BLOCK];
    s[threadIdx.x % BLOCK] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x % BLOCK];
}

// Two buffers take turns, and one barrier a round is enough; but only when they do take turns.
//! buffers_bad | races | race in a block | @buffers.write @buffers.read
extern "C" __global__ void buffers_bad(float *out, const float *in, int rounds)
{
    __shared__ float s[2][BLOCK];
    float sum = 0;
    for (int r = 0; r < rounds; r++) {
        s[r / 2 % 2][threadIdx.x] = in[r * BLOCK + threadIdx.x]; // @buffers.write
        __syncthreads();
        sum += s[r / 2 % 2][(threadIdx.x + 64) % BLOCK]; // @buffers.read
    }
    out[threadIdx.x] = sum;
}

extern "C" __global__ void buffers_good(float *out, const float *in, int rounds)
{
    __shared__ float s[2][BLOCK];
    float sum = 0;
    for (int r = 0; r < rounds; r++) {
        s[r % 2][threadIdx.x] = in[r * BLOCK + threadIdx.x];
        __syncthreads();
        sum += s[r % 2][(threadIdx.x + 64) % BLOCK];
    }
    out[threadIdx.x] = sum;
}

// Bytes side by side in one word are different places; the same byte is not.
//! bytes_bad | races | race in a block | @bytes.write
extern "C" __global__ void bytes_bad(unsigned char *out, const unsigned char *in)
{
    __shared__ unsigned char s[BLOCK];
    unsigned t = threadIdx.x, warp = t / 32, lane = t % 32;
    s[lane * 4 + warp / 2] = in[t]; // @bytes.write
    s[lane * 4 + 2] = 7;
    s[lane * 4 + 3] = 9;
    __syncthreads();
    out[t] = s[t];
}

extern "C" __global__ void bytes_good(unsigned char *out, const unsigned char *in)
{
    __shared__ unsigned char s[BLOCK];
    unsigned t = threadIdx.x, warp = t / 32, lane = t % 32;
    s[lane * 4 + warp] = in[t];
    __syncthreads();
    out[t] = s[t];
}

// A histogram counted without atomics.
//! counts_bad | races | race in a block | @counts.add
//! counts_bad | races | race in a warp | @counts.add
//! counts_bad | races | lanes write different values | @counts.add
extern "C" __global__ void counts_bad(int *out, const int *in)
{
    __shared__ int bins[32];
    if (threadIdx.x < 32)
        bins[threadIdx.x] = 0;
    __syncthreads();
    bins[in[threadIdx.x] % 32] += in[threadIdx.x]; // @counts.add
    __syncthreads();
    if (threadIdx.x < 32)
        out[threadIdx.x] = bins[threadIdx.x];
}

extern "C" __global__ void counts_good(int *out, const int *in)
{
    __shared__ int bins[32];
    if (threadIdx.x < 32)
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[in[threadIdx.x] % 32], in[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x < 32)
        out[threadIdx.x] = bins[threadIdx.x];
}

// The sum is complete when all have added, not when this thread has.
//! added_bad | races | race in a block | @added.add @added.read
//! added_bad | races | race in a warp | @added.add @added.read
extern "C" __global__ void added_bad(int *out, const int *in)
{
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[threadIdx.x]); // @added.add
    out[threadIdx.x] = in[threadIdx.x] * sum; // @added.read
}

extern "C" __global__ void added_good(int *out, const int *in)
{
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[threadIdx.x]);
    __syncthreads();
    out[threadIdx.x] = in[threadIdx.x] * sum;
}
