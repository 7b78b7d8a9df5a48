// Limits how many tasks of a kind run at the same time. Further tasks wait in a queue; a full queue rejects them.

export interface ConcurrencyBounds {
  /** Maximum number of tasks that run at the same time. */
  max: number;
  maxWaiting: number;
  /** Creates the error for tasks that find the queue full. */
  refusal(): Error;
}

export type Gate = <T>(work: () => Promise<T>) => Promise<T>;

/** Returns a limiter for one kind of task. A finished task passes its slot to the next in line, so no newcomer can take it. */
export function createConcurrencyLimit({ max, maxWaiting, refusal }: ConcurrencyBounds, onIdle = () => {}): Gate {
  const waiting: (() => void)[] = [];
  let running = 0;

  return async (work) => {
    if (running >= max) {
      if (waiting.length >= maxWaiting) throw refusal();
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next !== undefined) next();
      else {
        running -= 1;
        if (running === 0) onIdle();
      }
    }
  };
}

/** Returns a limiter with separate limits per key. Only keys in use take memory. */
export function createKeyedConcurrencyLimit(
  bounds: ConcurrencyBounds,
): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const gates = new Map<string, Gate>();
  return (key, work) => {
    let gate = gates.get(key);
    if (gate === undefined) {
      gate = createConcurrencyLimit(bounds, () => gates.delete(key));
      gates.set(key, gate);
    }
    return gate(work);
  };
}
