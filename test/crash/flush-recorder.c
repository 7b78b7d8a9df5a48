/*
 * Preloaded into a process: records what it writes to a database (RECORDED_FILE) and its log, and when it flushes them, in a
 * trace (RECORDED_TRACE). A power cut can then be simulated at any byte of the trace. Each flush takes FLUSH_DELAY_MS longer.
 *
 * A record is 24 bytes and the data: kind (W, T for truncated, B and E for the beginning and end of a flush), file (0 database,
 * 1 log, 2 folder), 2 bytes unused, length of the data, offset (size for T), number of the flush (B and E).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <libgen.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

struct record { char kind; char file; uint16_t unused; uint32_t length; uint64_t offset; uint64_t flush; };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int trace = -1;
static uint64_t flushes = 0;

static int file_of(int fd) {
  char link[64], path[4096], folder[4096];
  const char *database = getenv("RECORDED_FILE");
  if (database == NULL) return -1;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0) return -1;
  path[size] = 0;
  size_t length = strlen(database);
  if (strncmp(path, database, length) == 0) {
    if (path[length] == 0) return 0;
    if (strcmp(path + length, "-wal") == 0) return 1;
    return -1;
  }
  snprintf(folder, sizeof folder, "%s", database);
  return strcmp(path, dirname(folder)) == 0 ? 2 : -1;
}

static void record(char kind, int file, uint64_t offset, uint64_t flush, const void *data, uint32_t length) {
  struct record head = { kind, (char)file, 0, length, offset, flush };
  struct iovec parts[2] = { { &head, sizeof head }, { (void *)data, length } };
  pthread_mutex_lock(&lock);
  if (trace < 0) trace = (int)syscall(SYS_openat, AT_FDCWD, getenv("RECORDED_TRACE"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  syscall(SYS_writev, trace, parts, length > 0 ? 2 : 1);
  pthread_mutex_unlock(&lock);
}

#define NEXT(function, name) __typeof__(function) *next = (__typeof__(function) *)dlsym(RTLD_NEXT, name)

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset) {
  NEXT(pwrite64, "pwrite64");
  ssize_t written = next(fd, data, length, offset);
  int file = written > 0 ? file_of(fd) : -1;
  if (file >= 0) record('W', file, (uint64_t)offset, 0, data, (uint32_t)written);
  return written;
}
ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) { return pwrite64(fd, data, length, offset); }

ssize_t write(int fd, const void *data, size_t length) {
  NEXT(write, "write");
  ssize_t written = next(fd, data, length);
  int file = written > 0 ? file_of(fd) : -1;
  if (file >= 0) record('W', file, (uint64_t)(lseek(fd, 0, SEEK_CUR) - written), 0, data, (uint32_t)written);
  return written;
}

int ftruncate64(int fd, off64_t size) {
  NEXT(ftruncate64, "ftruncate64");
  int result = next(fd, size);
  int file = result == 0 ? file_of(fd) : -1;
  if (file >= 0) record('T', file, (uint64_t)size, 0, NULL, 0);
  return result;
}
int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

static int flush(const char *name, int fd) {
  NEXT(fsync, name);
  int file = file_of(fd);
  uint64_t number = ((uint64_t)getpid() << 32) + __atomic_add_fetch(&flushes, 1, __ATOMIC_SEQ_CST);
  if (file >= 0) record('B', file, 0, number, NULL, 0);
  int result = next(fd);
  const char *delay = getenv("FLUSH_DELAY_MS");
  if (file >= 0 && delay != NULL) usleep(1000 * (unsigned)atoi(delay));
  if (file >= 0 && result == 0) record('E', file, 0, number, NULL, 0);
  return result;
}
int fsync(int fd) { return flush("fsync", fd); }
int fdatasync(int fd) { return flush("fdatasync", fd); }
