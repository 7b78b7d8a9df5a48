// Whose delivery is sent next. Places are limited, and an endpoint that hangs keeps its places for long: so nobody has many,
// and those who failed last share half of them.

export interface Turns {
  /** Puts a subscription into the line, once. */
  add(id: string): void;
  /** The subscription whose turn it is and for which there is a place, taken out of the line. */
  take(): string | undefined;
  begin(id: string): void;
  /** Gives a place back, remembers whether it went well, and puts the subscription into the line again. */
  end(id: string, hasSucceeded: boolean): void;
  runningOf(id: string): number;
}

/** Turns for so many places. */
export function createTurns(places: number): Turns {
  const placesForFailing = Math.max(1, Math.floor(places / 2));
  const placesForOne = Math.max(1, Math.floor(places / 8));
  const failing = new Set<string>();
  const running = new Map<string, number>();
  /** Two lines in the order of coming. Whoever fails stands in the second. */
  const healthyLine = new Set<string>();
  const failingLine = new Set<string>();

  const runningOf = (id: string) => running.get(id) ?? 0;

  function countRunning(isCounted: (id: string) => boolean): number {
    let total = 0;
    for (const [id, count] of running) if (isCounted(id)) total += count;
    return total;
  }

  function takeFrom(line: Set<string>, placesEach: number): string | undefined {
    for (const id of line) {
      line.delete(id);
      // Whoever has as many places as allowed comes back into the line when one is given back.
      if (runningOf(id) < placesEach) return id;
    }
    return undefined;
  }

  function add(id: string): void {
    const [line, other] = failing.has(id) ? [failingLine, healthyLine] : [healthyLine, failingLine];
    other.delete(id);
    line.add(id);
  }

  return {
    add,
    take() {
      if (countRunning(() => true) >= places) return undefined;
      const id = takeFrom(healthyLine, placesForOne);
      if (id !== undefined) return id;
      if (countRunning((other) => failing.has(other)) >= placesForFailing) return undefined;
      return takeFrom(failingLine, 1);
    },
    begin: (id) => void running.set(id, runningOf(id) + 1),
    end(id, hasSucceeded) {
      if (runningOf(id) <= 1) running.delete(id);
      else running.set(id, runningOf(id) - 1);
      if (hasSucceeded) failing.delete(id);
      else failing.add(id);
      add(id);
    },
    runningOf,
  };
}
