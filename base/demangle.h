/* C++ names as a person writes them: _Z6vecAddPKfS0_Pfi is vecAdd(float const*, float const*, float*, int).
 *
 * The names of functions by the Itanium C++ ABI, as nvcc, clang and gcc make them, spelled as c++filt spells them. A
 * name that is not mangled, or holds what is not known here, stays as it is: whole or not at all. */
#ifndef BASE_DEMANGLE_H
#define BASE_DEMANGLE_H

#include "base/strbuf.h"

/* Appends the name of a function. Any bytes may come; time and memory are bounded. */
void base_demangle(const char *name, struct base_strbuf *out);

#endif
