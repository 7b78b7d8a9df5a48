// What processes use, as the Linux kernel counts it: processor time and memory.
import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;
const MIB = 1024 * 1024;

/** Processor time of a process and all its threads so far, user and system, in milliseconds; steps of 10 ms. */
export function cpuMs(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The name in brackets may hold spaces; the numbers begin after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

/** Resident memory of a process in MiB. */
export function residentMib(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
  return (Number(kib) * 1024) / MIB;
}

/** Watches the resident memory of a process while work is under way; answers its peak in MiB. */
export async function peakMib(pid: number, work: () => Promise<unknown>): Promise<number> {
  let peak = residentMib(pid);
  const timer = setInterval(() => {
    peak = Math.max(peak, residentMib(pid));
  }, 20);
  try {
    await work();
    return Math.max(peak, residentMib(pid));
  } finally {
    clearInterval(timer);
  }
}
