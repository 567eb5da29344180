/* Faults of the file system, for bench.attack: preloaded, it lets calls fail.

   FAULT_CALL   the call: open, write, rename, unlink, mkdir, sync, lock, truncate, chmod, read
   FAULT_ERRNO  the error that it fails with
   FAULT_PATH   only for files whose path has this in it
   FAULT_FROM   the number of the first such call that fails, from 1
   FAULT_COUNT  how many fail; all from there on, if it is 0
*/
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static int number(const char *name) {
    const char *text = getenv(name);
    return text == NULL ? 0 : atoi(text);
}

static int fails(const char *call, const char *path) {
    static int seen;
    const char *wanted = getenv("FAULT_CALL"), *part = getenv("FAULT_PATH");
    if (wanted == NULL || strcmp(wanted, call) != 0 || path == NULL) return 0;
    if (part != NULL && strstr(path, part) == NULL) return 0;
    int at = __sync_add_and_fetch(&seen, 1), from = number("FAULT_FROM"), count = number("FAULT_COUNT");
    if (at < from || (count > 0 && at >= from + count)) return 0;
    errno = number("FAULT_ERRNO");
    return 1;
}

static int fails_file(const char *call, int file) {
    char name[64], path[PATH_MAX];
    const char *wanted = getenv("FAULT_CALL");
    if (wanted == NULL || strcmp(wanted, call) != 0) return 0;
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    ssize_t length = readlink(name, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return fails(call, path);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int writes(int flags) { return (flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0; }

#define OPEN(name)                                                          \
    int name(const char *path, int flags, ...) {                            \
        va_list rest; va_start(rest, flags);                                \
        mode_t mode = va_arg(rest, mode_t); va_end(rest);                   \
        if (writes(flags) && fails("open", path)) return -1;                \
        return REAL(name)(path, flags, mode);                               \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                        \
    int name(int folder, const char *path, int flags, ...) {                \
        va_list rest; va_start(rest, flags);                                \
        mode_t mode = va_arg(rest, mode_t); va_end(rest);                   \
        if (writes(flags) && fails("open", path)) return -1;                \
        return REAL(name)(folder, path, flags, mode);                       \
    }
OPENAT(openat)
OPENAT(openat64)

ssize_t write(int file, const void *data, size_t size) {
    return fails_file("write", file) ? -1 : REAL(write)(file, data, size);
}
ssize_t pwrite64(int file, const void *data, size_t size, off64_t at) {
    return fails_file("write", file) ? -1 : REAL(pwrite64)(file, data, size, at);
}
ssize_t pwrite(int file, const void *data, size_t size, off_t at) {
    return fails_file("write", file) ? -1 : REAL(pwrite)(file, data, size, at);
}
ssize_t read(int file, void *data, size_t size) {
    return fails_file("read", file) ? -1 : REAL(read)(file, data, size);
}
int rename(const char *old, const char *new) {
    return fails("rename", new) ? -1 : REAL(rename)(old, new);
}
int unlink(const char *path) { return fails("unlink", path) ? -1 : REAL(unlink)(path); }
int mkdir(const char *path, mode_t mode) {
    return fails("mkdir", path) ? -1 : REAL(mkdir)(path, mode);
}
int chmod(const char *path, mode_t mode) {
    return fails("chmod", path) ? -1 : REAL(chmod)(path, mode);
}
int fchmod(int file, mode_t mode) {
    return fails_file("chmod", file) ? -1 : REAL(fchmod)(file, mode);
}
int fsync(int file) { return fails_file("sync", file) ? -1 : REAL(fsync)(file); }
int fdatasync(int file) { return fails_file("sync", file) ? -1 : REAL(fdatasync)(file); }
int ftruncate(int file, off_t size) {
    return fails_file("truncate", file) ? -1 : REAL(ftruncate)(file, size);
}
int ftruncate64(int file, off64_t size) {
    return fails_file("truncate", file) ? -1 : REAL(ftruncate64)(file, size);
}
int flock(int file, int what) { return fails_file("lock", file) ? -1 : REAL(flock)(file, what); }

#define FCNTL(name)                                                         \
    int name(int file, int command, ...) {                                  \
        va_list rest; va_start(rest, command);                              \
        void *argument = va_arg(rest, void *); va_end(rest);                \
        if ((command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK) \
            && fails_file("lock", file)) return -1;                         \
        return REAL(name)(file, command, argument);                         \
    }
FCNTL(fcntl)
FCNTL(fcntl64)
