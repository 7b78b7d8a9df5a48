// What was opened together and is closed together, however much of it is open by then.

export interface Closers {
  /** Adds what closes something that was just opened. */
  add(close: () => unknown): void;
  /** Closes everything, the last first. Throws the first error after all are closed. A second call has nothing to do. */
  closeAll(): Promise<void>;
}

/** Creates an empty list of what has to be closed. */
export function createClosers(): Closers {
  const closers: (() => unknown)[] = [];
  return {
    add(close) {
      closers.push(close);
    },
    async closeAll() {
      const failures: unknown[] = [];
      for (let close = closers.pop(); close !== undefined; close = closers.pop()) {
        try {
          await close();
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}
