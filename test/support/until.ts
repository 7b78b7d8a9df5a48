// Waiting for a condition in real time, also while a test has fake timers: `expect.poll` would advance those.
import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until a condition holds. The time limit of the test ends it otherwise. */
export async function until(isMet: () => boolean): Promise<void> {
  while (!isMet()) await sleep(2);
}
