// How long a thread has waited for a processor that other programs of the machine had.
import { closeSync, openSync, readSync } from 'node:fs';

export interface RunQueue {
  /** Milliseconds for which the thread that opened it has waited so far. */
  read(): number;
  close(): void;
}

/** Opens the times of the calling thread. They're read often, so the file stays open. */
export function openRunQueue(): RunQueue {
  const schedule = openSync('/proc/thread-self/schedstat', 'r');
  const bytes = Buffer.alloc(100);
  return {
    read() {
      const length = readSync(schedule, bytes, 0, bytes.length, 0);
      return Number(bytes.toString('latin1', 0, length).split(' ')[1]) / 1_000_000;
    },
    close: () => closeSync(schedule),
  };
}
