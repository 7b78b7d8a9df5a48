// Lines about the progress of a long run.
import type { CommandHost } from './host.ts';

/** How often a long run reports its progress. */
export const PROGRESS_PAUSE_MS = 10_000;

/** Returns a function that writes a line to the error output, if the last one was written at least 10 seconds ago. */
export function createProgressLines(host: CommandHost): (write: () => string) => void {
  let saidAt = host.now();
  return (write) => {
    if (host.now() - saidAt < PROGRESS_PAUSE_MS) return;
    saidAt = host.now();
    host.say(`${write()}\n`);
  };
}
