/* What the kernels of kernels/ must compute, in plain C.
 *
 * A reference gets the launch as the kernel does: buffers as they were before it, scalars, grid and block. It changes
 * the buffers to what they must be after it, to the bit: sums in the kernel's order, fmaf() where the kernel has fma.
 */
#ifndef TESTS_KERNEL_REFERENCE_H
#define TESTS_KERNEL_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

enum { REFERENCE_ARGS_MAX = 8 };

struct reference_buffer {
    void *data;
    uint64_t size_bytes, count; /* count: elements */
};
struct reference_call {
    uint32_t grid[3], block[3];
    uint64_t blocks, threads; /* of the grid; of a block */
    struct reference_buffer buffers[REFERENCE_ARGS_MAX];
    uint64_t scalars[REFERENCE_ARGS_MAX];
    size_t buffer_count, scalar_count;
};

typedef void reference_function(struct reference_call *call);

/* By the kernel's name in the launch list; NULL: there is none. */
reference_function *reference_find(const char *kernel);

/* C = A B for the first `rows` x `columns` elements of C, which is M x N. Used for products that stop short, too. */
void reference_product(const float *a, const float *b, float *c, size_t rows, size_t columns, size_t n, size_t k);

#endif
