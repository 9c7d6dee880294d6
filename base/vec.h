/* Growable arrays of any element type: BASE_VEC(int) v = {0}; base_vec_push(&v, 3).
 *
 * base_vec_push() is true when the element was stored, false without memory (the array stays as it was).
 * base_vec_reserve() makes room for `n` more. Elements are owned by the array; free with base_vec_free().
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>

#define BASE_VEC(T)                                                                                                    \
    struct {                                                                                                           \
        T *data;                                                                                                       \
        size_t count, capacity;                                                                                        \
    }

bool base_vec_grow(void **data, size_t *capacity, size_t count, size_t more, size_t element_bytes);

#define base_vec_reserve(v, n)                                                                                         \
    base_vec_grow((void **)(void *)&(v)->data, &(v)->capacity, (v)->count, (n), sizeof(*(v)->data))
#define base_vec_push(v, element) (base_vec_reserve((v), 1) ? ((v)->data[(v)->count++] = (element), true) : false)
#define base_vec_free(v)          (free((v)->data), (v)->data = NULL, (v)->count = (v)->capacity = 0)

#endif
