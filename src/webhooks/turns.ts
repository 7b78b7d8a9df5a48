// Whose delivery is sent next. Places are limited, and an endpoint that hangs keeps its places for long: so nobody has many,
// those who failed last share half of them, and organizations take turns.
import { joinLine, type Lines, leaveLine, takeTurn } from '../platform/turns.ts';

export interface Turns {
  /** Puts a subscription of an organization into the line, once. */
  add(id: string, owner: string): void;
  /** The subscription whose turn it is and for which there is a place, taken out of the line. */
  take(): string | undefined;
  begin(id: string, owner: string): void;
  /** Gives a place back, remembers whether it went well, and puts the subscription into the line again. */
  end(id: string, hasSucceeded: boolean): void;
  runningOf(id: string): number;
}

/** Turns for so many places. */
export function createTurns(places: number): Turns {
  const placesForFailing = Math.max(1, Math.floor(places / 2));
  const placesForOne = Math.max(1, Math.floor(places / 8));
  const placesForOwner = places - Math.floor(places / 8);
  const failing = new Set<string>();
  const running = new Map<string, { owner: string; count: number }>();
  const runningByOwner = new Map<string, number>();
  const healthyLines: Lines<string> = new Map();
  const failingLines: Lines<string> = new Map();

  const runningOf = (id: string) => running.get(id)?.count ?? 0;

  function countRunning(isCounted: (id: string) => boolean): number {
    let total = 0;
    for (const [id, { count }] of running) if (isCounted(id)) total += count;
    return total;
  }

  // Whoever has as many places as allowed comes back into the line when one is given back.
  const takeFrom = (lines: Lines<string>, placesEach: number) =>
    takeTurn(lines, {
      runningOf: (owner) => runningByOwner.get(owner) ?? 0,
      mostRunning: placesForOwner,
      mayRun: (id) => runningOf(id) < placesEach,
    });

  function add(id: string, owner: string): void {
    const [lines, others] = failing.has(id) ? [failingLines, healthyLines] : [healthyLines, failingLines];
    leaveLine(others, owner, id);
    joinLine(lines, owner, id);
  }

  return {
    add,
    take() {
      if (countRunning(() => true) >= places) return undefined;
      const id = takeFrom(healthyLines, placesForOne);
      if (id !== undefined) return id;
      if (countRunning((other) => failing.has(other)) >= placesForFailing) return undefined;
      return takeFrom(failingLines, 1);
    },
    begin(id, owner) {
      running.set(id, { owner, count: runningOf(id) + 1 });
      runningByOwner.set(owner, (runningByOwner.get(owner) ?? 0) + 1);
    },
    end(id, hasSucceeded) {
      const { owner, count } = running.get(id) ?? { owner: '', count: 0 };
      if (count <= 1) running.delete(id);
      else running.set(id, { owner, count: count - 1 });
      const left = (runningByOwner.get(owner) ?? 0) - 1;
      if (left <= 0) runningByOwner.delete(owner);
      else runningByOwner.set(owner, left);
      if (hasSucceeded) failing.delete(id);
      else failing.add(id);
      add(id, owner);
    },
    runningOf,
  };
}
