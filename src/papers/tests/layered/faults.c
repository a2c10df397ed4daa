/* Preloaded into viewcell by faults.rs: ends the process, or lets the call fail, at the N-th write or sync. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Whether this call is the one. Does not return if it is to be killed there. */
static int is_due(void) {
    static int calls;
    const char *at = getenv("FAULT_AT");
    if (!at || ++calls != atoi(at)) return 0;
    if (getenv("FAULT_KILLS")) _exit(137);
    errno = EIO;
    return 1;
}

int fsync(int fd) {
    int (*original)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    return is_due() ? -1 : original(fd);
}

ssize_t write(int fd, const void *bytes, size_t count) {
    ssize_t (*original)(int, const void *, size_t) =
        (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    return fd > 2 && is_due() ? -1 : original(fd, bytes, count);
}
