/* Shift the wall clock of a process and of all processes that it starts. The monotonic clock keeps its time.
 *
 * Loaded by LD_PRELOAD; WHORL_TEST_CLOCK is the shift in seconds. Both are passed on even to processes with an
 * environment of their own, such as crawlers and parsers. */

#define _GNU_SOURCE
#include <alloca.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t shift;
static char *passed[3];

__attribute__((constructor)) static void begin(void) {
    char **variable = environ;
    int count = 0;
    for (; variable && *variable; variable++) {
        if (!strncmp(*variable, "LD_PRELOAD=", 11) || !strncmp(*variable, "WHORL_TEST_CLOCK=", 17)) {
            passed[count++] = strdup(*variable);
            if (count == 2) break;
        }
    }
    const char *text = getenv("WHORL_TEST_CLOCK");
    shift = text ? atoll(text) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = (int)syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec += shift;
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec, time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}

int execve(const char *path, char *const arguments[], char *const variables[]) {
    int count = 0;
    while (variables[count]) count++;
    char **all = alloca((size_t)(count + 3) * sizeof *all);
    memcpy(all, variables, (size_t)count * sizeof *all);
    for (int place = 0; passed[place]; place++) all[count++] = passed[place];
    all[count] = NULL;
    return (int)syscall(SYS_execve, path, arguments, all);
}
