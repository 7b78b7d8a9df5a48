// Waiting until something answers.
import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until something is so, 50 s at most; what throws is not so yet. */
export async function waitUntil(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 50_000;
  for (;;) {
    try {
      if (await isSo()) return;
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    if (Date.now() > end) throw new Error('it did not come about within 50 s');
    await sleep(20);
  }
}
