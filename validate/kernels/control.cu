// Control flow: switch tables, recursion, function pointers, virtual functions, calls, early exits, irregular loops.
#include "kernel.h"

// A machine of eight operations on one register and a small stack: a dense switch in a loop.
KERNEL interpreter(const unsigned char *program, int length, const int *in, int *out, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    int accumulator = in[i], other = i;
    for (int pc = 0; pc < length; pc++) {
        switch (program[(pc + i % 4) % length] % 9) {
        case 0:
            accumulator += other;
            break;
        case 1:
            accumulator -= 3 * other;
            break;
        case 2:
            accumulator ^= other << 3;
            break;
        case 3:
            accumulator = accumulator * 17 + 1;
            break;
        case 4:
            accumulator = (accumulator >> 2) + other;
            break;
        case 5:
            accumulator = ~accumulator;
            break;
        case 6:
            other += accumulator & 0xff;
            break;
        case 7:
            other = accumulator % 1001;
            break;
        default:
            accumulator = max(accumulator, other);
            break;
        }
    }
    out[i] = accumulator + other;
}

// Scattered labels, fall-through, a default.
KERNEL sparse_switch(const int *in, int *out, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    int value = in[i], result = 0;
    switch (value) {
    case -5:
        result = 1;
        break;
    case 3:
        result += 10;
    case 4:
        result += value;
        break;
    case 100:
    case 101:
        result = value * i;
        break;
    case 1000:
        result = i % 7 ? -i : i;
        break;
    case 65537:
        return;
    default:
        result = value < 0 ? -1 : value / 3;
    }
    out[i] = result;
}

__device__ __noinline__ unsigned fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
KERNEL recursion_fibonacci(unsigned *out)
{
    int i = global_thread();
    out[i] = fibonacci(i % 11);
}

// Moves of the tower of Hanoi, each a bit pattern.
__device__ __noinline__ void hanoi(int discs, int from, int to, int via, unsigned &checksum)
{
    if (discs == 0)
        return;
    hanoi(discs - 1, from, via, to, checksum);
    checksum = checksum * 31 + discs * 9 + from * 3 + to;
    hanoi(discs - 1, via, to, from, checksum);
}
KERNEL recursion_hanoi(const int *discs, unsigned *out)
{
    int i = global_thread();
    unsigned checksum = i;
    hanoi(discs[i], 0, 2, 1, checksum);
    out[i] = checksum;
}

// Functions chosen by data.
typedef int operation(int, int);
__device__ __noinline__ int op_add(int a, int b)
{
    return a + b;
}
__device__ __noinline__ int op_sub(int a, int b)
{
    return a - b * 2;
}
__device__ __noinline__ int op_mix(int a, int b)
{
    return (a ^ b) * 0x45d9f3b;
}
__device__ __noinline__ int op_gcd(int a, int b)
{
    while (b) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
__device__ operation *const operations[4] = {op_add, op_sub, op_mix, op_gcd};
KERNEL function_pointers(const int *which, const int *in, int *out, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    int value = in[i];
    for (int k = 0; k < 4; k++)
        value = operations[which[(i / 8 + k) % n] & 3](value, k + i % 5 + 1);
    out[i] = value;
}

// Objects with virtual functions, made in the kernel.
struct shape {
    __device__ virtual int area() const = 0;
    __device__ virtual int corners() const
    {
        return 0;
    }
};
struct square : shape {
    int side;
    __device__ square(int side) : side(side)
    {
    }
    __device__ int area() const override
    {
        return side * side;
    }
    __device__ int corners() const override
    {
        return 4;
    }
};
struct disc : shape {
    int radius;
    __device__ disc(int radius) : radius(radius)
    {
    }
    __device__ int area() const override
    {
        return radius * radius * 22 / 7;
    }
};
KERNEL virtual_functions(const int *in, int *out, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    square a(in[i] % 50);
    disc b(in[i] % 30);
    const shape *chosen = in[i] & 64 ? (const shape *)&a : (const shape *)&b;
    out[i] = chosen->area() * 8 + chosen->corners();
}

// A call with a structure by value, in and out, through memory.
struct state {
    int a[6];
    long long total;
};
__device__ __noinline__ state step(state s, int k)
{
    for (int j = 0; j < 6; j++)
        s.a[j] = s.a[(j + 1) % 6] * 3 + k;
    s.total += s.a[k % 6];
    return s;
}
KERNEL struct_calls(const int *in, long long *out)
{
    int i = global_thread();
    state s = {{in[i], 1, 2, 3, 4, i}, 0};
    for (int k = 0; k < in[i] % 7 + 2; k++)
        s = step(s, k);
    out[i] = s.total + s.a[i % 6];
}

// Each thread leaves as soon as it has found its value; -1 when it has none.
KERNEL linear_search(const int *in, int *out, int n, int wanted_range)
{
    int i = global_thread();
    int wanted = i % wanted_range;
    for (int k = 0; k < n; k++)
        if (in[(k + i) % n] == wanted) {
            out[i] = k;
            return;
        }
    out[i] = -1;
}

KERNEL binary_search(const int *sorted, int length, const int *wanted, int *out, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    int low = 0, high = length;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (sorted[middle] == wanted[i]) {
            out[i] = middle;
            return;
        }
        if (sorted[middle] < wanted[i])
            low = middle + 1;
        else
            high = middle;
    }
    out[i] = ~low;
}

// A sparse matrix by rows of uneven length, whole numbers.
KERNEL spmv(const int *row_length, const int *column, const int *value, const int *x, int *y, int rows, int stride)
{
    int row = global_thread();
    if (row >= rows)
        return;
    int sum = 0;
    for (int k = 0; k < row_length[row]; k++)
        sum += value[row * stride + k] * x[column[row * stride + k]];
    y[row] = sum;
}

// One level of a breadth-first search: the smallest distance wins, whoever comes first.
KERNEL bfs_level(const int *neighbour, int degree, int *distance, int level, int n)
{
    int v = global_thread();
    if (v >= n || v % 7 != level % 7)
        return;
    for (int k = 0; k < degree; k++) {
        int w = neighbour[v * degree + k];
        if (w == v)
            continue;
        atomicMin(&distance[w], level + 1);
        if (w % 11 == 3)
            break;
    }
}

// Solutions of the queens' problem below each first row, by backtracking with bit sets on a small stack.
KERNEL queens(int size, int *out)
{
    int i = global_thread();
    if (i >= size)
        return;
    unsigned all = (1u << size) - 1, column[12], left[12], right[12], open[12];
    int depth = 1, solutions = 0;
    column[1] = 1u << i;
    left[1] = 1u << i << 1;
    right[1] = 1u << i >> 1;
    open[1] = all & ~(column[1] | left[1] | right[1]);
    while (depth > 0) {
        if (open[depth] == 0) {
            depth--;
            continue;
        }
        unsigned bit = open[depth] & (0u - open[depth]);
        open[depth] ^= bit;
        if (depth + 1 == size) {
            solutions++;
            continue;
        }
        column[depth + 1] = column[depth] | bit;
        left[depth + 1] = (left[depth] | bit) << 1;
        right[depth + 1] = (right[depth] | bit) >> 1;
        depth++;
        open[depth] = all & ~(column[depth] | left[depth] | right[depth]);
    }
    out[i] = solutions;
}

// Finds a word in text: a state machine with jumps out of and back into loops.
KERNEL match_word(const unsigned char *text, int length, int *out, int pieces)
{
    int piece = global_thread();
    if (piece >= pieces)
        return;
    int at = piece * length, end = at + length, hits = 0;
restart:
    for (; at < end; at++) {
        if (text[at] != 1)
            continue;
        if (at + 2 >= end)
            goto done;
        if (text[at + 1] == 2 && text[at + 2] <= 2) {
            hits++;
            at += 3;
            goto restart;
        }
    }
done:
    out[piece] = hits * 1000 + (at - piece * length);
}

// Loops of different length in lanes side by side, one inside the other, with breaks.
KERNEL ragged_loops(const int *in, int *out, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    int sum = 0;
    for (int a = 0; a < in[i] % 9; a++) {
        for (int b = a; b < 12; b++) {
            if ((a * b + i) % 5 == 4)
                break;
            sum += a * b + 1;
        }
        if (sum > 150)
            break;
        __syncwarp(__activemask());
    }
    out[i] = sum;
}

// Branches that the compiler turns into predicated instructions and selections.
KERNEL clamp_mix(const float *in, float *out, float low, float high, int n)
{
    int i = global_thread();
    if (i < n) {
        float x = in[i];
        if (x < low)
            x = low;
        else if (x > high)
            x = high;
        if (i & 1)
            x = -x;
        if (x != 0.5f && (i & 2 || x > 0))
            out[i] = x;
    }
}

// Insertion sort of eight numbers a thread, in place.
KERNEL insertion_sort(int *data)
{
    int *mine = data + global_thread() * 8;
    for (int k = 1; k < 8; k++) {
        int value = mine[k], at = k;
        for (; at > 0 && mine[at - 1] > value; at--)
            mine[at] = mine[at - 1];
        mine[at] = value;
    }
}
