// Measures work in CPU time, which doesn't depend on the load of the machine.

/** Attempts for work that took longer: garbage collection and a shared processor delay one of them, but not all. */
const ATTEMPTS = 5;

/** Starts to measure this thread; the answer tells the milliseconds of CPU that it has used since. */
function measureThreadCpu(): () => number {
  const before = process.threadCpuUsage();
  return () => toMilliseconds(process.threadCpuUsage(before));
}

/**
 * Returns the milliseconds of CPU that work takes, for guards against costs that grow faster than its input: the least of several
 * attempts, until one is below `bound`. A bound is at least ten times what the work takes; what is fast enough for users is
 * measured in bench/.
 */
export function leastCpu(bound: number, work: () => unknown, attempts = ATTEMPTS): Promise<number> {
  return leastOf(measureThreadCpu, bound, work, attempts);
}

/** The same for all threads of this process, for work that a worker does. */
export function leastProcessCpu(bound: number, work: () => unknown): Promise<number> {
  return leastOf(measureProcessCpu, bound, work);
}

async function leastOf(
  measure: () => () => number,
  bound: number,
  work: () => unknown,
  attempts = ATTEMPTS,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts && least >= bound; attempt += 1) {
    const used = measure();
    await work();
    least = Math.min(least, used());
  }
  return least;
}

function measureProcessCpu(): () => number {
  const before = process.cpuUsage();
  return () => toMilliseconds(process.cpuUsage(before));
}

function toMilliseconds({ user, system }: { user: number; system: number }): number {
  return (user + system) / 1_000;
}
