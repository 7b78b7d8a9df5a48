// Free ports, and waiting until something answers there.
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A TCP port of the loopback that is free now. */
export function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

/** Waits until something is so, 10 s at most; what throws is not so yet. */
export async function waitUntil(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 10_000;
  for (;;) {
    try {
      if (await isSo()) return;
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    if (Date.now() > end) throw new Error('it did not come about within 10 s');
    await sleep(20);
  }
}
