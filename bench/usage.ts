// Resource usage of processes according to the Linux kernel: CPU time and memory.
import { readdirSync, readFileSync } from 'node:fs';

const MEGABYTE = 1_000_000;

/** Returns the CPU time of a process and its living threads so far, in milliseconds. */
export function cpuMs(pid: number): number {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0]);
    } catch {
      // The thread has ended.
    }
  }
  return nanoseconds / 1_000_000;
}

/** Returns the resident memory of a process in megabytes. */
export function residentMb(pid: number): number {
  return statusMb(pid, 'VmRSS');
}

/** Returns the resident memory of a process that isn't pages of files, in megabytes. */
export function anonymousMb(pid: number): number {
  return statusMb(pid, 'RssAnon');
}

function statusMb(pid: number, field: string): number {
  const [, kib] = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
  return (Number(kib) * 1024) / MEGABYTE;
}

/** Returns the peak resident memory of a process during work, in megabytes. */
export async function peakMb(pid: number, work: () => Promise<unknown>): Promise<number> {
  let peak = residentMb(pid);
  const timer = setInterval(() => {
    peak = Math.max(peak, residentMb(pid));
  }, 20);
  try {
    await work();
    return Math.max(peak, residentMb(pid));
  } finally {
    clearInterval(timer);
  }
}
