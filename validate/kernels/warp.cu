// Warp primitives: shuffles of every kind, votes, matches, warp-wide reductions.
#include "kernel.h"

// Inclusive prefix sums: of each warp by shuffles, then of the block by the warps' totals.
KERNEL block_scan(const int *in, int *out, int n)
{
    __shared__ int warp_total[32];
    int i = global_thread(), lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int sum = i < n ? in[i] : 0;
    for (int distance = 1; distance < 32; distance *= 2) {
        int below = __shfl_up_sync(FULL_MASK, sum, distance);
        if (lane >= distance)
            sum += below;
    }
    if (lane == 31)
        warp_total[warp] = sum;
    __syncthreads();
    int before = 0;
    for (int w = 0; w < warp; w++)
        before += warp_total[w];
    if (i < n)
        out[i] = sum + before;
}

// The largest value of each warp and where it stands; the first of equals.
KERNEL warp_argmax(const int *in, int *best, int *where)
{
    int i = global_thread();
    int value = in[i], index = i;
    for (int mask = 16; mask > 0; mask /= 2) {
        int other = __shfl_xor_sync(FULL_MASK, value, mask), other_index = __shfl_xor_sync(FULL_MASK, index, mask);
        if (other > value || (other == value && other_index < index)) {
            value = other;
            index = other_index;
        }
    }
    if (threadIdx.x % 32 == 0) {
        best[i / 32] = value;
        where[i / 32] = index;
    }
}

// Each warp moves its positive values to the front of its 32 places and says how many there are.
KERNEL ballot_compact(const int *in, int *out, unsigned *count)
{
    int i = global_thread(), lane = threadIdx.x % 32;
    int value = in[i];
    unsigned keep = __ballot_sync(FULL_MASK, value > 0);
    if (value > 0)
        out[i - lane + __popc(keep & ((1u << lane) - 1))] = value;
    if (lane == 0)
        count[i / 32] = __popc(keep);
}

// A histogram in which lanes with one key send a single atomic.
KERNEL match_histogram(const unsigned *in, unsigned *bins, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    unsigned key = in[i];
    unsigned peers = __match_any_sync(__activemask(), key);
    if (threadIdx.x % 32 == (unsigned)__ffs(peers) - 1)
        atomicAdd(&bins[key], __popc(peers));
}

// The warp's leader says whether all lanes agree; 64-bit keys.
KERNEL match_all(const unsigned long long *in, unsigned *out)
{
    int i = global_thread(), agree = 0;
    unsigned lanes = __match_all_sync(FULL_MASK, in[i / 48], &agree);
    unsigned half = threadIdx.x % 32 < 16 ? 0xffffu : 0xffff0000u;
    unsigned alike = __match_any_sync(half, in[i / 24]);
    out[i] = lanes ^ alike ^ (unsigned)agree;
}

// The warp-wide reductions of sm_80 and later.
KERNEL warp_redux(const int *in, int *out)
{
    int i = global_thread(), value = in[i];
    int sum = __reduce_add_sync(FULL_MASK, value);
    int low = __reduce_min_sync(FULL_MASK, value), high = __reduce_max_sync(FULL_MASK, value);
    unsigned low_u = __reduce_min_sync(FULL_MASK, (unsigned)value),
             high_u = __reduce_max_sync(FULL_MASK, (unsigned)value);
    unsigned all = __reduce_and_sync(FULL_MASK, (unsigned)value), any = __reduce_or_sync(FULL_MASK, (unsigned)value);
    unsigned odd = __reduce_xor_sync(FULL_MASK, (unsigned)value);
    // A part of the warp alone.
    if (value & 1)
        sum -= __reduce_add_sync(__activemask(), value);
    out[i] = sum + low * 3 + high * 5 + (int)(low_u ^ high_u ^ all ^ any ^ odd);
}

// Votes of the whole warp and of those lanes that a branch has left.
KERNEL warp_votes(const int *in, int *out)
{
    int i = global_thread(), value = in[i], result = 0;
    result |= __all_sync(FULL_MASK, value >= 0) << 0;
    result |= __any_sync(FULL_MASK, value > 90) << 1;
    result |= __uni_sync(FULL_MASK, value < 50) << 2;
    if (value % 3) {
        unsigned here = __activemask();
        result |= __all_sync(here, value > 3) << 3;
        result |= __popc(__ballot_sync(here, value > 40)) << 8;
    }
    __syncwarp();
    out[i] = result;
}

// Shuffles in groups of 4, 8 and 16 lanes; a source lane out of range gives the lane's own value.
KERNEL shuffle_groups(const int *in, int *out)
{
    int i = global_thread(), value = in[i];
    int rotated = __shfl_sync(FULL_MASK, value, threadIdx.x + 1, 8);
    int down = __shfl_down_sync(FULL_MASK, value, 3, 16);
    int up = __shfl_up_sync(FULL_MASK, value, 2, 4);
    int gathered = __shfl_sync(FULL_MASK, value, in[i ^ 1]);
    out[i] = rotated + 7 * down + 31 * up + 101 * gathered;
}

// 32 numbers sorted by one warp: Batcher's bitonic network.
KERNEL warp_sort(const unsigned *in, unsigned *out)
{
    int i = global_thread(), lane = threadIdx.x % 32;
    unsigned value = in[i];
    for (int size = 2; size <= 32; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            unsigned other = __shfl_xor_sync(FULL_MASK, value, stride);
            bool rising = (lane & size) == 0, lower = (lane & stride) == 0;
            value = rising == lower ? min(value, other) : max(value, other);
        }
    out[i] = value;
}

// Values of 64 bits take two shuffles each.
KERNEL shuffle_wide(const double *in, const long long *keys, double *sums, long long *tops)
{
    int i = global_thread();
    double sum = in[i];
    long long top = keys[i];
    for (int mask = 16; mask > 0; mask /= 2) {
        sum += __shfl_xor_sync(FULL_MASK, sum, mask);
        top = max(top, __shfl_xor_sync(FULL_MASK, top, mask));
    }
    if (threadIdx.x % 32 == 0) {
        sums[i / 32] = sum;
        tops[i / 32] = top;
    }
}
