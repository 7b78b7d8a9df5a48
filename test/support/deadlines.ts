// For tests that something ends by itself and not because of a deadline, without measuring time.
import { Socket } from 'node:net';
import { vi } from 'vitest';

/** Deadlines are at least as long. Shorter pauses belong to the work. */
const SHORTEST_MS = 1_000;

/** Disables timeouts of a second or longer that start during the work, so that work that waits for one never ends. */
export async function withoutDeadlines<T>(work: () => Promise<T>): Promise<T> {
  const { setTimeout: startTimer } = globalThis;
  const { timeout } = AbortSignal;
  const { setTimeout: limitSilence } = Socket.prototype;
  const timers = vi
    .spyOn(globalThis, 'setTimeout')
    .mockImplementation(((callback: (...values: unknown[]) => void, milliseconds = 0, ...values: unknown[]) =>
      startTimer(
        milliseconds < SHORTEST_MS ? callback : () => undefined,
        milliseconds,
        ...values,
      )) as typeof startTimer);
  const signals = vi
    .spyOn(AbortSignal, 'timeout')
    .mockImplementation((milliseconds) =>
      milliseconds < SHORTEST_MS ? timeout.call(AbortSignal, milliseconds) : new AbortController().signal,
    );
  const sockets = vi.spyOn(Socket.prototype, 'setTimeout').mockImplementation(function (
    this: Socket,
    milliseconds,
    callback,
  ) {
    return milliseconds < SHORTEST_MS ? limitSilence.call(this, milliseconds, callback) : this;
  });
  try {
    return await work();
  } finally {
    for (const spy of [timers, signals, sockets]) spy.mockRestore();
  }
}
