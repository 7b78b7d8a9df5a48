// The statements that the server runs on its database, for tests that requests do the same work.
import { AsyncLocalStorage } from 'node:async_hooks';
import { Server } from 'node:http';
import Sqlite from 'better-sqlite3';

export interface StatementRecorder {
  /** Returns the statements that some work runs, also in the requests that it sends, in order. Others at the time don't count. */
  during(work: () => unknown): Promise<string[]>;
  stop(): void;
}

/** Records statements. Start it before the server: each statement copies the recorded functions when it is prepared. */
export function recordStatements(): StatementRecorder {
  interface Recording {
    statements: string[];
    isOpen: boolean;
  }
  const recordings = new AsyncLocalStorage<Recording>();
  let current: Recording | undefined;
  const prototype = Object.getPrototypeOf(new Sqlite(':memory:').prepare('SELECT 1'));
  const originals = (['run', 'get', 'all', 'iterate'] as const).map((name) => [name, prototype[name]] as const);
  for (const [name, original] of originals) {
    prototype[name] = function (this: { source: string }, ...values: unknown[]) {
      const recording = recordings.getStore();
      if (recording?.isOpen === true) recording.statements.push(this.source);
      return original.apply(this, values);
    };
  }
  // The server gets a request outside of the context that sent it.
  const emit: (event: string, ...values: unknown[]) => boolean = Server.prototype.emit;
  Server.prototype.emit = function (event: string, ...values: unknown[]) {
    const deliver = () => emit.call(this, event, ...values);
    return event === 'request' && current !== undefined ? recordings.run(current, deliver) : deliver();
  };
  return {
    async during(work) {
      const recording: Recording = { statements: [], isOpen: true };
      current = recording;
      try {
        await recordings.run(recording, work);
      } finally {
        recording.isOpen = false;
        current = undefined;
      }
      return recording.statements;
    },
    stop() {
      Server.prototype.emit = emit;
      for (const [name, original] of originals) prototype[name] = original;
    },
  };
}
