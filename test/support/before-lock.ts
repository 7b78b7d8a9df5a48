// What happens while a request waits for a lock.
import type { App } from '../../src/core/context.ts';

/** Does something once before the next request gets its locks, as if another request had them in the meantime. */
export function beforeNextLock(app: App, act: () => Promise<unknown>): void {
  const { locks } = app;
  async function wait<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    app.locks = locks;
    await act();
    return locks(keys, work);
  }
  app.locks = Object.assign(wait, { isHeld: locks.isHeld });
}
