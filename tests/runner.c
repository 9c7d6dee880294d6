/* The unit tests' main: every suite of tests/suites.def in one run. CK_FORK, CK_RUN_SUITE, CK_VERBOSITY and the other
 * variables of Check work as usual. */
#include <check.h>
#include <stdlib.h>

#define SUITE(module) Suite *module##_suite(void);
#include "tests/suites.def"
#undef SUITE

int main(void)
{
    SRunner *runner = srunner_create(NULL);
#define SUITE(module) srunner_add_suite(runner, module##_suite());
#include "tests/suites.def"
#undef SUITE
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
