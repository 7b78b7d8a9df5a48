/* Preloaded into a server: each flush of a file of a database takes FLUSH_DELAY_MS longer, as on a slow disk. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void delay(int fd) {
  char link[64], path[4096];
  const char *delay_ms = getenv("FLUSH_DELAY_MS");
  if (delay_ms == NULL) return;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0) return;
  path[size] = 0;
  if (strstr(path, ".db") != NULL) usleep(1000 * (unsigned)atoi(delay_ms));
}

int fsync(int fd) {
  int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  int result = next(fd);
  delay(fd);
  return result;
}

int fdatasync(int fd) {
  int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  int result = next(fd);
  delay(fd);
  return result;
}
