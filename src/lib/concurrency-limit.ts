// Lets only so much of a kind of work run at once; the rest waits in line, and what finds the line full is refused.

export interface ConcurrencyBounds {
  /** Pieces of work that run at once. */
  most: number;
  mostWaiting: number;
  /** What is thrown at whom the line has no place for. */
  refusal(): Error;
}

export type Gate = <T>(work: () => Promise<T>) => Promise<T>;

/** A gate for one kind of work. Whoever finishes hands its place over, so that nobody who comes in between takes it. */
export function createConcurrencyLimit({ most, mostWaiting, refusal }: ConcurrencyBounds, onIdle = () => {}): Gate {
  const waiting: (() => void)[] = [];
  let running = 0;

  return async (work) => {
    if (running >= most) {
      if (waiting.length >= mostWaiting) throw refusal();
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

/** A gate for each key; only keys in use take memory. */
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
