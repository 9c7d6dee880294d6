/* What a signal that ends the command must not leave behind: temporary files, and programs that it started.
 *
 * SIGINT, SIGTERM and SIGHUP end the started program, remove the files, and then end the command as they would have.
 * The handler may run at any moment and in any thread, so it calls nothing that is not safe then, and all it looks at
 * stands in the static storage below, the only one of this folder. A file that is being made and that nobody knows of
 * yet is guarded by tool_interrupt_hold(): the signal then waits for tool_interrupt_release().
 */
#include "tools/tool.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KEPT_MAX = 32, GRACE_STEPS = 200, GRACE_STEP_NS = 10000000 };

/* Names behind `used` are whole; a name is written while it is not. */
static struct {
    atomic_bool used;
    char path[PATH_MAX];
} kept[KEPT_MAX];
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER; /* of those who write; the handler does not */
static atomic_int holders, waiting_signal;
static atomic_long started_program;

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNAL_COUNT = sizeof(signals) / sizeof(signals[0]) };

/* It has its own process group, so that its own helpers go too. It gets two seconds to tidy up. */
static void end_program(pid_t program)
{
    const struct timespec step = {.tv_nsec = GRACE_STEP_NS};
    kill(-program, SIGTERM);
    for (int i = 0; i < GRACE_STEPS; i++) {
        if (waitpid(program, NULL, WNOHANG) != 0)
            return;
        nanosleep(&step, NULL);
    }
    kill(-program, SIGKILL);
    waitpid(program, NULL, 0);
}

static void handle(int number)
{
    const int was = errno;
    if (atomic_load(&holders) > 0) {
        atomic_store(&waiting_signal, number);
        errno = was;
        return;
    }
    const pid_t program = (pid_t)atomic_load(&started_program);
    if (program > 0)
        end_program(program);
    for (size_t i = 0; i < KEPT_MAX; i++)
        if (atomic_load(&kept[i].used))
            unlink(kept[i].path);
    for (size_t i = 0; i < KEPT_MAX; i++) /* what is still there is a folder, empty by now */
        if (atomic_load(&kept[i].used))
            rmdir(kept[i].path);
    signal(number, SIG_DFL);
    raise(number); /* it comes when this handler ends */
}

void tool_interrupt_install(void)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART}, old;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        sigaddset(&action.sa_mask, signals[i]);
    for (size_t i = 0; i < SIGNAL_COUNT; i++) /* nohup, and shells for what runs in the background, ignore some */
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
}

void tool_interrupt_hold(void)
{
    atomic_fetch_add(&holders, 1);
}

void tool_interrupt_release(void)
{
    if (atomic_fetch_sub(&holders, 1) > 1)
        return;
    const int number = atomic_exchange(&waiting_signal, 0);
    if (number != 0)
        raise(number);
}

void tool_interrupt_keep(const char *path)
{
    size_t length = strlen(path);
    pthread_mutex_lock(&kept_lock);
    for (size_t i = 0; i < KEPT_MAX && length < PATH_MAX; i++) {
        if (atomic_load(&kept[i].used))
            continue;
        memcpy(kept[i].path, path, length + 1);
        atomic_store(&kept[i].used, true);
        break;
    }
    pthread_mutex_unlock(&kept_lock);
}

void tool_interrupt_forget(const char *path)
{
    pthread_mutex_lock(&kept_lock);
    for (size_t i = 0; i < KEPT_MAX; i++)
        if (atomic_load(&kept[i].used) && strcmp(kept[i].path, path) == 0)
            atomic_store(&kept[i].used, false);
    pthread_mutex_unlock(&kept_lock);
}

void tool_interrupt_started(pid_t program)
{
    atomic_store(&started_program, program);
}
