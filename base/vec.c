/* The growth of BASE_VEC arrays: by doubling, so that pushing n elements costs O(n). */
#include "base/vec.h"

#include <stdint.h>
#include <stdlib.h>

bool base_vec_grow(void **data, size_t *capacity, size_t count, size_t more, size_t element_bytes)
{
    if (more > SIZE_MAX - count)
        return false;
    const size_t need = count + more;
    if (need <= *capacity)
        return true;
    size_t grown = *capacity ? *capacity : 8;
    while (grown < need)
        grown = grown > SIZE_MAX / 2 ? need : grown * 2;
    size_t bytes = 0;
    if (__builtin_mul_overflow(grown, element_bytes, &bytes))
        return false;
    void *moved = realloc(*data, bytes ? bytes : 1);
    if (!moved)
        return false;
    *data = moved;
    *capacity = grown;
    return true;
}
