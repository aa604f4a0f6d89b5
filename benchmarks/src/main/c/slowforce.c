/*
 * Makes every force slower, for measurements: a library to be preloaded below a program. It adds
 * FIRN_SLOW_FORCE_US microseconds to each fsync, fdatasync and msync(MS_SYNC), after the call. The
 * threads that force at once wait at once, as on a device with a queue. With FIRN_SLOW_FORCE_ONE=1
 * they wait one after another, as on a device that does one force at a time.
 *
 * At the end of the program it prints the number of forces, if there were any, if FIRN_SLOW_FORCE_COUNT
 * is set.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_msync)(void *, size_t, int);
static struct timespec delay;
static int one;
static atomic_long forces;
static pthread_mutex_t device = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void) {
    real_fsync = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    real_fdatasync = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    real_msync = (int (*)(void *, size_t, int))dlsym(RTLD_NEXT, "msync");
    const char *us = getenv("FIRN_SLOW_FORCE_US");
    long long ns = us == NULL ? 0 : atoll(us) * 1000LL;
    delay.tv_sec = (time_t)(ns / 1000000000LL);
    delay.tv_nsec = (long)(ns % 1000000000LL);
    const char *alone = getenv("FIRN_SLOW_FORCE_ONE");
    one = alone != NULL && alone[0] == '1';
}

__attribute__((destructor)) static void end(void) {
    if (getenv("FIRN_SLOW_FORCE_COUNT") != NULL && atomic_load(&forces) > 0) {
        fprintf(stderr, "slowforce: %ld forces\n", atomic_load(&forces));
    }
}

static int slow(int result) {
    int error = errno;
    atomic_fetch_add(&forces, 1);
    if (delay.tv_sec > 0 || delay.tv_nsec > 0) {
        if (one) {
            pthread_mutex_lock(&device);
        }
        struct timespec left = delay;
        while (nanosleep(&left, &left) != 0 && errno == EINTR) {
        }
        if (one) {
            pthread_mutex_unlock(&device);
        }
    }
    errno = error;
    return result;
}

int fsync(int file) {
    return slow(real_fsync(file));
}

int fdatasync(int file) {
    return slow(real_fdatasync(file));
}

int msync(void *from, size_t length, int flags) {
    int result = real_msync(from, length, flags);
    return (flags & MS_SYNC) != 0 ? slow(result) : result;
}
