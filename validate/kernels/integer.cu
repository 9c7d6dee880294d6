// Integer arithmetic: 64 and 128 bits, division, bit operations, hashes, random numbers, packed bytes.
#include "kernel.h"

// The modulus is not known to the compiler: quotients take the routine that nvcc calls for each type.
KERNEL divide_32(const int *a, const unsigned *b, int *out, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    int x = a[i], y = (int)(b[i] >> 20) - 2000;
    unsigned z = b[i] | 1;
    if (y == 0)
        y = 7;
    out[4 * i] = x / y;
    out[4 * i + 1] = x % y;
    out[4 * i + 2] = (int)((unsigned)x / z + (unsigned)x % z);
    out[4 * i + 3] = x / 10 + x % 1000 - (int)((unsigned)x / 7u) + x / 64;
}

KERNEL divide_64(const long long *a, const long long *b, long long *out, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    long long x = a[i], y = b[i] >> (i % 60);
    if (y == 0)
        y = 3;
    unsigned long long ux = (unsigned long long)x, uy = (unsigned long long)y;
    out[4 * i] = x / y;
    out[4 * i + 1] = x % y;
    out[4 * i + 2] = (long long)(ux / uy ^ ux % uy);
    out[4 * i + 3] = x / 1000000007ll + x % 37;
}

// Products of 128 bits, sums with carry, shifts over word borders.
KERNEL wide_multiply(const unsigned long long *a, const unsigned long long *b, unsigned long long *out, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    unsigned long long x = a[i], y = b[i];
    unsigned __int128 product = (unsigned __int128)x * y + x;
    product += (unsigned __int128)y << 60;
    out[4 * i] = (unsigned long long)product;
    out[4 * i + 1] = (unsigned long long)(product >> 64);
    out[4 * i + 2] = __umul64hi(x, y) ^ (unsigned long long)__mul64hi((long long)x, (long long)y);
    out[4 * i + 3] =
        (x >> (i % 64)) + (y << (i % 61)) + (unsigned long long)((long long)x >> (i % 17)) - __umulhi(i, (unsigned)x);
}

// x^e mod m with 64-bit numbers below 2^32.
KERNEL modular_power(const unsigned *base, unsigned *out, unsigned modulus, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    unsigned long long x = base[i] % modulus, result = 1;
    for (unsigned e = i + 3; e; e >>= 1) {
        if (e & 1)
            result = result * x % modulus;
        x = x * x % modulus;
    }
    out[i] = (unsigned)result;
}

// Euclid: as many turns as the numbers need.
KERNEL gcd(const unsigned *a, const unsigned *b, unsigned *out, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    unsigned x = a[i], y = b[i];
    while (y) {
        unsigned rest = x % y;
        x = y;
        y = rest;
    }
    out[i] = x;
}

KERNEL collatz(unsigned *steps, unsigned long long *peak, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    unsigned long long x = i + 1, top = x;
    unsigned count = 0;
    while (x != 1) {
        x = x % 2 ? 3 * x + 1 : x / 2;
        top = max(top, x);
        count++;
    }
    steps[i] = count;
    peak[i] = top;
}

KERNEL bit_tricks(const unsigned *in, const unsigned long long *wide, unsigned *out, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    unsigned x = in[i], y = in[n - 1 - i];
    unsigned long long z = wide[i];
    unsigned sum = __popc(x) + 3 * __clz(x) + 5 * __ffs(y) + __brev(x) + __byte_perm(x, y, 0x6240 + i % 8);
    sum ^= __funnelshift_l(x, y, i) + __funnelshift_r(x, y, i * 3) + __funnelshift_lc(x, y, i % 40);
    sum += __popcll(z) + 7 * __clzll((long long)z) + 11 * __ffsll((long long)z) + (unsigned)__brevll(z);
    sum += (x >> 5 & 0x3ff) + ((int)(x << 7) >> 19) + (x & y | ~x & z) + (x ^ y & (unsigned)z);
    sum ^= __fns(x, 0, i % 5 + 1);
    out[i] = sum;
}

// Interleaves the bits of two coordinates, and back.
KERNEL morton(const unsigned *in, unsigned *code, unsigned *back, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    unsigned parts[2] = {in[i] & 0xffff, in[i] >> 16};
#pragma unroll
    for (int k = 0; k < 2; k++) {
        unsigned v = parts[k];
        v = (v | v << 8) & 0x00ff00ff;
        v = (v | v << 4) & 0x0f0f0f0f;
        v = (v | v << 2) & 0x33333333;
        parts[k] = (v | v << 1) & 0x55555555;
    }
    unsigned both = parts[0] | parts[1] << 1, low = both & 0x55555555;
    low = (low | low >> 1) & 0x33333333;
    low = (low | low >> 2) & 0x0f0f0f0f;
    low = (low | low >> 4) & 0x00ff00ff;
    code[i] = both;
    back[i] = (low | low >> 8) & 0xffff;
}

// A checksum through a table that a symbol of the launch list fills.
__constant__ unsigned crc_table[256];
KERNEL crc32(const unsigned char *in, unsigned *out, int bytes_each, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    unsigned crc = FULL_MASK;
    for (int k = 0; k < bytes_each; k++)
        crc = crc >> 8 ^ crc_table[(crc ^ in[i * bytes_each + k]) & 0xff];
    out[i] = ~crc;
}

// The compression function of SHA-256 on one block of 16 words a thread: rotations, three-input logic, many registers.
__constant__ unsigned sha_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
static __device__ unsigned rotate(unsigned x, int by)
{
    return x >> by | x << (32 - by);
}
KERNEL sha256(const unsigned *in, unsigned *out, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    unsigned w[16],
        s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (int k = 0; k < 16; k++)
        w[k] = in[i * 16 + k];
#pragma unroll
    for (int round = 0; round < 64; round++) {
        if (round >= 16) {
            unsigned a = w[(round + 1) % 16], b = w[(round + 14) % 16];
            w[round % 16] += (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[(round + 9) % 16] +
                             (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
        }
        unsigned t1 = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) + (s[4] & s[5] ^ ~s[4] & s[6]) +
                      sha_constants[round] + w[round % 16];
        unsigned t2 =
            (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) + (s[0] & s[1] ^ s[0] & s[2] ^ s[1] & s[2]);
        for (int k = 7; k > 0; k--)
            s[k] = s[k - 1];
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int k = 0; k < 8; k++)
        out[i * 8 + k] = s[k];
}

// Counter-based random numbers (Philox 4x32, ten rounds).
KERNEL philox(uint4 *out, unsigned seed, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    uint4 c = make_uint4(i, 0, 0x12345, 7);
    unsigned k0 = seed, k1 = ~seed;
    for (int round = 0; round < 10; round++) {
        unsigned h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x;
        unsigned h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
        c = make_uint4(h1 ^ c.y ^ k0, l1, h0 ^ c.w ^ k1, l0);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[i] = c;
}

// Four bytes or two shorts in a word.
KERNEL packed(const unsigned *a, const unsigned *b, int *out, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    unsigned x = a[i], y = b[i];
    int sum = __dp4a((int)x, (int)y, i) + (int)__dp4a(x, y, 3u) + __dp2a_lo((int)x, (int)y, 5) +
              (int)__sad((int)x, (int)y, 9u);
    unsigned mix =
        __vadd4(x, y) ^ __vabsdiffu4(x, y) ^ __vmaxs2(x, y) ^ __vminu4(x, y) ^ __vaddus4(x, y) ^ __vcmpgtu4(x, y);
    out[2 * i] = sum + __mul24((int)x, (int)y) + __hadd((int)x, (int)y) + __rhadd((int)x, (int)y) + abs((int)x);
    out[2 * i + 1] = (int)mix + min((int)x, (int)y) * max((int)x, (int)y) + (int)umin(x, y);
}

// Trial division, left at the first divisor.
KERNEL primes(unsigned char *is_prime, int n)
{
    int i = global_thread();
    if (i >= n)
        return;
    if (i < 2) {
        is_prime[i] = 0;
        return;
    }
    for (int d = 2; d * d <= i; d++)
        if (i % d == 0) {
            is_prime[i] = 0;
            return;
        }
    is_prime[i] = 1;
}
