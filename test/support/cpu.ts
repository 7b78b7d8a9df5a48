// Measures work in CPU time, which doesn't depend on the load of the machine.

/** Starts to measure this thread; the answer tells the milliseconds of CPU that it has used since. */
export function measureThreadCpu(): () => number {
  const before = process.threadCpuUsage();
  return () => toMilliseconds(process.threadCpuUsage(before));
}

/** The same for all threads of this process, for work that a worker does. */
export function measureProcessCpu(): () => number {
  const before = process.cpuUsage();
  return () => toMilliseconds(process.cpuUsage(before));
}

function toMilliseconds({ user, system }: { user: number; system: number }): number {
  return (user + system) / 1_000;
}
