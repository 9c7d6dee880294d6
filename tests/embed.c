/* A user's program: it sees only simtlab.h and links the library as installed. */
#include "simtlab.h"

int main(void)
{
    return simtlab_version()[0] == '\0';
}
