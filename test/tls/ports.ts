// Waiting until something answers.
import { connect } from 'node:net';
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

/** Waits until a program listens at a port of this machine. A connection that is refused costs little, unlike a request. */
export function waitForPort(port: number): Promise<void> {
  return waitUntil(
    () =>
      new Promise((resolve) => {
        const socket = connect(port, '127.0.0.1');
        const end = (isOpen: boolean) => {
          socket.destroy();
          resolve(isOpen);
        };
        socket.on('connect', () => end(true)).on('error', () => end(false));
      }),
  );
}
