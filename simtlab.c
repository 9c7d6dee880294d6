/* The embeddable library: see simtlab.h. */
#include "simtlab.h"

const char *simtlab_version(void)
{
    return SIMTLAB_VERSION;
}
