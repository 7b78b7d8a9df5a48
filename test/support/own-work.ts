// Tells what a server does for some work of a test from what it does by itself at the time.
import { AsyncLocalStorage } from 'node:async_hooks';
import { Server } from 'node:http';

export interface OwnWork {
  run(work: () => unknown): Promise<void>;
  /** Whether the caller belongs to the running work, also in a request that it has sent. */
  isOwn(): boolean;
  stop(): void;
}

export function followWork(): OwnWork {
  const works = new AsyncLocalStorage<object>();
  let current: object | undefined;
  // The server gets a request outside of the context that sent it.
  const emit: (event: string, ...values: unknown[]) => boolean = Server.prototype.emit;
  Server.prototype.emit = function (event: string, ...values: unknown[]) {
    const deliver = () => emit.call(this, event, ...values);
    return event === 'request' && current !== undefined ? works.run(current, deliver) : deliver();
  };
  return {
    async run(work) {
      const own = {};
      current = own;
      try {
        await works.run(own, work);
      } finally {
        current = undefined;
      }
    },
    isOwn: () => current !== undefined && works.getStore() === current,
    stop() {
      Server.prototype.emit = emit;
    },
  };
}
