// What processes use, as the Linux kernel counts it: processor time and memory.
import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;
const MEGABYTE = 1_000_000;

/** Processor time of a process and all its threads so far, user and system, in milliseconds; steps of 10 ms. */
export function cpuMs(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The name in brackets may hold spaces; the numbers begin after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

/** Resident memory of a process in megabytes. */
export function residentMb(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
  return (Number(kib) * 1024) / MEGABYTE;
}

/** Watches the resident memory of a process while work is under way; answers its peak in megabytes. */
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
