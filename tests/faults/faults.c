/* Stands between a process and the C library, below one folder: counts the calls that change files, lets one of them
 * fail or end the process, and writes down in order what each has changed.
 *
 * Loaded by LD_PRELOAD, armed by `arm`. One call happens at a time, so that the record is the order of events. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { WRITE = 1, RENAME = 2, SYNC = 4, OPEN = 8, TRUNCATE = 16, REMOVE = 32, MKDIR = 64 };
enum act { NOTHING, FAIL, SHORT, TORN, KILL_BEFORE, KILL_AFTER };

static struct {
    char folder[PATH_MAX];
    size_t length;
    int kinds, act, error, lasts, log;
    long at, seen, each[7];
} armed = {.log = -1};
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static __thread int inside;

/* `kinds` is a set; call number `at`, from 1, suffers `act`, and with `lasts` every later one as well. What happens is
 * written to the descriptor `log` unless it is negative. */
void arm(const char *folder, int kinds, long at, int act, int error, int lasts, int log) {
    armed.length = strlen(strcpy(armed.folder, folder));
    armed.kinds = kinds, armed.at = at, armed.act = act, armed.error = error, armed.lasts = lasts, armed.log = log;
    armed.seen = 0, memset(armed.each, 0, sizeof armed.each);
}

/* How many calls of kind number `bit` there were. */
long seen(int bit) { return armed.each[bit]; }

static int is_below(const char *path) {
    return armed.length && !strncmp(path, armed.folder, armed.length) &&
           (path[armed.length] == '/' || path[armed.length] == 0);
}

static int path_of(int fd, char *path) {
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(name, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return 1;
}

static void absolute(int fd, const char *name, char *path) {
    if (*name == '/') {
        snprintf(path, PATH_MAX, "%s", name);
        return;
    }
    char folder[PATH_MAX];
    if (fd == AT_FDCWD ? !getcwd(folder, sizeof folder) : !path_of(fd, folder)) *folder = 0;
    snprintf(path, PATH_MAX, "%.2000s/%.2000s", folder, name);
}

static void put(const void *data, size_t size) {
    for (const char *next = data; size;) {
        ssize_t done = syscall(SYS_write, armed.log, next, size);
        if (done < 0) return;
        next += done, size -= done;
    }
}

static void note(char what, ino_t inode, int64_t offset, const char *path, const char *other, const void *data, size_t size) {
    if (armed.log < 0) return;
    int64_t head[] = {what, inode, offset, strlen(path), strlen(other), size};
    put(head, sizeof head), put(path, head[3]), put(other, head[4]), put(data, size);
}

/* Whether this call is the one. */
static int strikes(int kind) {
    armed.each[__builtin_ctz(kind)]++;
    if (!(armed.kinds & kind)) return NOTHING;
    armed.seen++;
    int hit = armed.at && (armed.seen == armed.at || (armed.lasts && armed.seen > armed.at));
    if (hit && armed.act == KILL_BEFORE) syscall(SYS_kill, getpid(), SIGKILL);
    return hit ? armed.act : NOTHING;
}

static void begin(void) { pthread_mutex_lock(&turn), inside = 1; }

static void end(int act) {
    int error = errno;
    if (act == KILL_AFTER || act == TORN) syscall(SYS_kill, getpid(), SIGKILL);
    inside = 0, pthread_mutex_unlock(&turn);
    errno = error;
}

static ino_t inode_of(int fd) {
    struct stat status;
    return fstat(fd, &status) ? 0 : status.st_ino;
}

/* Writing. `offset` is negative where the file knows. */
static ssize_t write_at(int fd, const void *data, size_t size, int64_t offset) {
    char path[PATH_MAX];
    int is_said = fd == 1 && armed.log >= 0;
    if (inside || !armed.length || !path_of(fd, path) || !(is_below(path) || is_said))
        return offset < 0 ? syscall(SYS_write, fd, data, size) : syscall(SYS_pwrite64, fd, data, size, offset);
    begin();
    int act = is_below(path) ? strikes(WRITE) : NOTHING;
    ssize_t done = -1;
    errno = armed.error;
    if (act != FAIL) {
        if ((act == SHORT || act == TORN) && size > 1) size /= 2;
        int64_t place = offset;
        if (offset < 0) place = fcntl(fd, F_GETFL) & O_APPEND ? lseek(fd, 0, SEEK_END) : lseek(fd, 0, SEEK_CUR);
        done = offset < 0 ? syscall(SYS_write, fd, data, size) : syscall(SYS_pwrite64, fd, data, size, offset);
        if (done >= 0) note(is_below(path) ? 'w' : 'o', inode_of(fd), place, path, "", data, done);
    }
    end(act);
    return done;
}

ssize_t write(int fd, const void *data, size_t size) { return write_at(fd, data, size, -1); }
ssize_t pwrite(int fd, const void *data, size_t size, off_t offset) { return write_at(fd, data, size, offset); }
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset) { return write_at(fd, data, size, offset); }

/* As it may, this writes the first piece alone. */
ssize_t writev(int fd, const struct iovec *pieces, int count) {
    while (count > 1 && !pieces->iov_len) pieces++, count--;
    char path[PATH_MAX];
    if (inside || !armed.length || !path_of(fd, path) || !is_below(path)) return syscall(SYS_writev, fd, pieces, count);
    return write_at(fd, pieces->iov_base, pieces->iov_len, -1);
}

/* Copies within the kernel are refused, and done by reading and writing instead. */
#define REFUSED(target, real)                                         \
    char path[PATH_MAX];                                              \
    if (armed.length && path_of(target, path) && is_below(path)) {    \
        errno = ENOSYS;                                               \
        return -1;                                                    \
    }                                                                 \
    return real;

ssize_t sendfile64(int to, int from, off64_t *offset, size_t size) { REFUSED(to, syscall(SYS_sendfile, to, from, offset, size)) }
ssize_t sendfile(int to, int from, off_t *offset, size_t size) { return sendfile64(to, from, offset, size); }
ssize_t copy_file_range(int from, off64_t *place, int to, off64_t *offset, size_t size, unsigned flags) {
    REFUSED(to, syscall(SYS_copy_file_range, from, place, to, offset, size, flags))
}

/* Opening. */
static int open_file(int folder, const char *name, int flags, mode_t mode) {
    char path[PATH_MAX];
    int writes = (flags & O_ACCMODE) != O_RDONLY || flags & O_CREAT;
    if (!inside && writes && armed.length) absolute(folder, name, path);
    if (inside || !writes || !armed.length || !is_below(path)) return syscall(SYS_openat, folder, name, flags, mode);
    begin();
    int act = strikes(OPEN), fd = -1;
    errno = armed.error;
    if (act != FAIL) {
        struct stat status;
        int was_there = !stat(path, &status);
        fd = syscall(SYS_openat, folder, name, flags, mode);
        if (fd >= 0 && !was_there) note('c', inode_of(fd), 0, path, "", "", 0);
        if (fd >= 0 && was_there && flags & O_TRUNC) note('t', inode_of(fd), 0, path, "", "", 0);
    }
    end(act);
    return fd;
}

#define MODE                         \
    mode_t mode = 0;                 \
    if (flags & (O_CREAT | O_TMPFILE)) { \
        va_list given;               \
        va_start(given, flags);      \
        mode = va_arg(given, mode_t); \
        va_end(given);               \
    }

int open(const char *name, int flags, ...) { MODE return open_file(AT_FDCWD, name, flags, mode); }
int open64(const char *name, int flags, ...) { MODE return open_file(AT_FDCWD, name, flags | O_LARGEFILE, mode); }
int openat(int folder, const char *name, int flags, ...) { MODE return open_file(folder, name, flags, mode); }
int openat64(int folder, const char *name, int flags, ...) { MODE return open_file(folder, name, flags | O_LARGEFILE, mode); }
int __open_2(const char *name, int flags) { return open_file(AT_FDCWD, name, flags, 0); }
int __open64_2(const char *name, int flags) { return open_file(AT_FDCWD, name, flags | O_LARGEFILE, 0); }

/* Everything else: what is done, and how it is written down where it was done. */
#define CHANGE(kind, applies, call, noted)             \
    if (inside || !armed.length || !(applies)) return call; \
    begin();                                           \
    int act = strikes(kind), done = -1;                \
    errno = armed.error;                               \
    if (act != FAIL && (done = (call)) == 0) noted;    \
    end(act);                                          \
    return done;

static int truncate_to(int fd, off_t size) {
    char path[PATH_MAX];
    CHANGE(TRUNCATE, path_of(fd, path) && is_below(path), syscall(SYS_ftruncate, fd, size),
           note('t', inode_of(fd), size, path, "", "", 0))
}
int ftruncate(int fd, off_t size) { return truncate_to(fd, size); }
int ftruncate64(int fd, off64_t size) { return truncate_to(fd, size); }

/* No power is cut in earnest, so nobody waits for the disk. */
static int sync_file(int fd) {
    char path[PATH_MAX];
    CHANGE(SYNC, path_of(fd, path) && is_below(path), 0, note('s', inode_of(fd), 0, path, "", "", 0))
}
int fsync(int fd) { return sync_file(fd); }
int fdatasync(int fd) { return sync_file(fd); }

void sync(void) { begin(), note('a', 0, 0, "", "", "", 0), end(NOTHING); }

static int move(int folder, const char *name, int other, const char *target, unsigned flags) {
    char from[PATH_MAX], to[PATH_MAX];
    absolute(folder, name, from), absolute(other, target, to);
    CHANGE(RENAME, is_below(to) || is_below(from), syscall(SYS_renameat2, folder, name, other, target, flags),
           note('r', 0, 0, from, to, "", 0))
}
int rename(const char *name, const char *target) { return move(AT_FDCWD, name, AT_FDCWD, target, 0); }
int renameat(int folder, const char *name, int other, const char *target) { return move(folder, name, other, target, 0); }
int renameat2(int folder, const char *name, int other, const char *target, unsigned flags) {
    return move(folder, name, other, target, flags);
}

int linkat(int folder, const char *name, int other, const char *target, int flags) {
    char from[PATH_MAX], to[PATH_MAX];
    absolute(folder, name, from), absolute(other, target, to);
    CHANGE(RENAME, is_below(to), syscall(SYS_linkat, folder, name, other, target, flags), note('l', 0, 0, from, to, "", 0))
}
int link(const char *name, const char *target) { return linkat(AT_FDCWD, name, AT_FDCWD, target, 0); }

int unlinkat(int folder, const char *name, int flags) {
    char path[PATH_MAX];
    absolute(folder, name, path);
    CHANGE(REMOVE, is_below(path), syscall(SYS_unlinkat, folder, name, flags), note('u', 0, 0, path, "", "", 0))
}
int unlink(const char *name) { return unlinkat(AT_FDCWD, name, 0); }
int rmdir(const char *name) { return unlinkat(AT_FDCWD, name, AT_REMOVEDIR); }

int mkdirat(int folder, const char *name, mode_t mode) {
    char path[PATH_MAX];
    absolute(folder, name, path);
    CHANGE(MKDIR, is_below(path), syscall(SYS_mkdirat, folder, name, mode), note('m', 0, 0, path, "", "", 0))
}
int mkdir(const char *name, mode_t mode) { return mkdirat(AT_FDCWD, name, mode); }
