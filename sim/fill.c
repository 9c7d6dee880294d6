/* The contents of buffers, going in and coming out: INIT's sequences, and the hash that stands for a buffer in a
 * report.
 *
 * A sequence is written once per element type, as a loop without calls. */
#include "sim/args.h"

#include <string.h>

#define GAMMA UINT64_C(0x9e3779b97f4a7c15)

/* Draw number `index` (from 0) of splitmix64: its state is a sum, so any draw can be had alone. */
static inline uint64_t draw(uint64_t seed, uint64_t index)
{
    uint64_t z = seed + (index + 1) * GAMMA;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* x mod modulus, for many x and one modulus: `inverse` is (2^64 - 1) / modulus, and the quotient it gives is at most
 * two too small. */
static inline uint64_t reduce(uint64_t x, uint64_t modulus, uint64_t inverse)
{
    const uint64_t quotient = (uint64_t)((__extension__(unsigned __int128) x * inverse) >> 64);
    uint64_t rest = x - quotient * modulus;
    while (rest >= modulus)
        rest -= modulus;
    return rest;
}

/* Values below 2^31 by way of int32_t, whose conversion is one instruction. */
#define FILL_FLOAT(type)                                                                                               \
    static void iota_##type(type *data, uint64_t count)                                                                \
    {                                                                                                                  \
        const uint64_t small = count < INT32_MAX ? count : INT32_MAX;                                                  \
        for (uint64_t i = 0; i < small; i++)                                                                           \
            data[i] = (type)(int32_t)i;                                                                                \
        for (uint64_t i = small; i < count; i++)                                                                       \
            data[i] = (type)i;                                                                                         \
    }                                                                                                                  \
    static void rand_##type(type *data, uint64_t count, uint64_t seed)                                                 \
    {                                                                                                                  \
        for (uint64_t i = 0; i < count; i++)                                                                           \
            data[i] = (type)(int32_t)(draw(seed, i) >> 40) * (type)0x1p-24;                                            \
    }                                                                                                                  \
    FILL_COMMON(type)

#define FILL_INTEGER(type)                                                                                             \
    static void iota_##type(type *data, uint64_t count)                                                                \
    {                                                                                                                  \
        for (uint64_t i = 0; i < count; i++)                                                                           \
            data[i] = (type)i;                                                                                         \
    }                                                                                                                  \
    static void rand_##type(type *data, uint64_t count, uint64_t seed)                                                 \
    {                                                                                                                  \
        for (uint64_t i = 0; i < count; i++)                                                                           \
            data[i] = (type)draw(seed, i);                                                                             \
    }                                                                                                                  \
    FILL_COMMON(type)

#define FILL_COMMON(type)                                                                                              \
    static void randmod_##type(type *data, uint64_t count, uint64_t seed, uint64_t modulus)                            \
    {                                                                                                                  \
        const uint64_t inverse = UINT64_MAX / modulus;                                                                 \
        for (uint64_t i = 0; i < count; i++)                                                                           \
            data[i] = (type)reduce(draw(seed, i), modulus, inverse);                                                   \
    }                                                                                                                  \
    static void const_##type(type *data, uint64_t count, uint64_t bits)                                                \
    {                                                                                                                  \
        type value = 0;                                                                                                \
        memcpy(&value, &bits, sizeof value);                                                                           \
        for (uint64_t i = 0; i < count; i++)                                                                           \
            data[i] = value;                                                                                           \
    }                                                                                                                  \
    static void fill_##type(const struct sim_init *init, type *data, uint64_t count)                                   \
    {                                                                                                                  \
        if (init->kind == SIM_INIT_IOTA)                                                                               \
            iota_##type(data, count);                                                                                  \
        else if (init->kind == SIM_INIT_RAND)                                                                          \
            rand_##type(data, count, init->seed);                                                                      \
        else if (init->kind == SIM_INIT_RANDMOD)                                                                       \
            randmod_##type(data, count, init->seed, init->modulus);                                                    \
        else if (init->kind == SIM_INIT_CONST && init->value != 0)                                                     \
            const_##type(data, count, init->value);                                                                    \
    }

FILL_INTEGER(uint8_t)
FILL_INTEGER(uint16_t)
FILL_INTEGER(uint32_t)
FILL_INTEGER(uint64_t)
FILL_FLOAT(float)
FILL_FLOAT(double)

void sim_init_fill(const struct sim_init *init, uint8_t type, uint64_t count, uint8_t *data)
{
    void *elements = data;
    if (isa_types[type].class == ISA_CLASS_FLOAT && isa_types[type].bits == 32)
        fill_float(init, elements, count);
    else if (isa_types[type].class == ISA_CLASS_FLOAT && isa_types[type].bits == 64)
        fill_double(init, elements, count);
    else if (isa_types[type].bits == 8)
        fill_uint8_t(init, elements, count);
    else if (isa_types[type].bits == 16)
        fill_uint16_t(init, elements, count);
    else if (isa_types[type].bits == 32)
        fill_uint32_t(init, elements, count);
    else
        fill_uint64_t(init, elements, count);
}

#define FNV_PRIME UINT64_C(0x100000001b3)

/* 64 bytes that are all zero only multiply by FNV_PRIME^64. */
static bool is_zero64(const uint8_t *data)
{
    uint64_t words[8];
    memcpy(words, data, sizeof words);
    return (words[0] | words[1] | words[2] | words[3] | words[4] | words[5] | words[6] | words[7]) == 0;
}

static inline uint64_t fnv_word(uint64_t hash, const uint8_t *data)
{
    uint64_t word = 0;
    memcpy(&word, data, sizeof word);
    for (unsigned i = 0; i < 8; i++)
        hash = (hash ^ (uint8_t)(word >> (8 * i))) * FNV_PRIME;
    return hash;
}

uint64_t sim_fnv1a64(const uint8_t *data, uint64_t size_bytes)
{
    uint64_t prime_to_64 = FNV_PRIME;
    for (unsigned i = 0; i < 6; i++)
        prime_to_64 *= prime_to_64;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    uint64_t at = 0;
    for (; size_bytes - at >= 64; at += 64) {
        if (is_zero64(data + at)) {
            hash *= prime_to_64;
            continue;
        }
        for (unsigned word = 0; word < 8; word++)
            hash = fnv_word(hash, data + at + 8 * word);
    }
    for (; at < size_bytes; at++)
        hash = (hash ^ data[at]) * FNV_PRIME;
    return hash;
}
