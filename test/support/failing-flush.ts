// A disk that can't flush a file or folder, for a program that a test starts.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCE = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int fails(int fd) {
  char link[64], path[4096];
  const char *flag = getenv("FAIL_FLAG"), *suffix = getenv("FAIL_SUFFIX");
  if (!flag || access(flag, F_OK) != 0) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0) return 0;
  path[size] = 0;
  size_t tail = strlen(suffix);
  return (size_t)size >= tail && strcmp(path + size - tail, suffix) == 0;
}
int fsync(int fd) {
  int (*next)(int) = dlsym(RTLD_NEXT, "fsync");
  if (fails(fd)) { errno = EIO; return -1; }
  return next(fd);
}
int fdatasync(int fd) {
  int (*next)(int) = dlsym(RTLD_NEXT, "fdatasync");
  if (fails(fd)) { errno = EIO; return -1; }
  return next(fd);
}`;

interface FailingFlush {
  /** Flushes fail while this file exists. */
  whileExists: string;
  /** How the path of the file or folder ends. */
  suffix: string;
}

/**
 * Returns the environment of a program whose flushes of a file or folder fail. Its files are in `folder`. Returns undefined where the
 * library can't be compiled.
 */
export function failingFlush(
  folder: string,
  { whileExists, suffix }: FailingFlush,
): Record<'LD_PRELOAD' | 'FAIL_FLAG' | 'FAIL_SUFFIX', string> | undefined {
  const library = join(folder, 'failing-flush.so');
  const source = join(folder, 'failing-flush.c');
  writeFileSync(source, SOURCE);
  const { status } = spawnSync('cc', ['-shared', '-fPIC', '-o', library, source, '-ldl']);
  if (process.platform !== 'linux' || status !== 0) return undefined;
  return { LD_PRELOAD: library, FAIL_FLAG: whileExists, FAIL_SUFFIX: suffix };
}
