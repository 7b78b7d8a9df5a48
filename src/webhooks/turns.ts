// Whose delivery is sent next. Places are limited, and an endpoint that hangs keeps its places for long: so nobody has many,
// those who failed last share half of them, and organizations take turns.

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

/** The subscriptions that wait, in the order of coming, by organization. No organization is in it with an empty line. */
type Lines = Map<string, Set<string>>;

/** Turns for so many places. */
export function createTurns(places: number): Turns {
  const placesForFailing = Math.max(1, Math.floor(places / 2));
  const placesForOne = Math.max(1, Math.floor(places / 8));
  const placesForOwner = places - Math.floor(places / 8);
  const failing = new Set<string>();
  const running = new Map<string, { owner: string; count: number }>();
  const runningByOwner = new Map<string, number>();
  const healthyLines: Lines = new Map();
  const failingLines: Lines = new Map();

  const runningOf = (id: string) => running.get(id)?.count ?? 0;

  function countRunning(isCounted: (id: string) => boolean): number {
    let total = 0;
    for (const [id, { count }] of running) if (isCounted(id)) total += count;
    return total;
  }

  /** From the organization that has the fewest places, of those with as few from the one whose last turn was longest ago. */
  function takeFrom(lines: Lines, placesEach: number): string | undefined {
    for (;;) {
      let next: string | undefined;
      let fewest = placesForOwner;
      for (const owner of lines.keys()) {
        const count = runningByOwner.get(owner) ?? 0;
        if (count < fewest) [next, fewest] = [owner, count];
      }
      if (next === undefined) return undefined;
      const line = lines.get(next) ?? new Set();
      const [id] = line;
      remove(lines, next, id);
      // Whoever has as many places as allowed comes back into the line when one is given back.
      if (id === undefined || runningOf(id) >= placesEach) continue;
      if (lines.delete(next) && line.size > 0) lines.set(next, line);
      return id;
    }
  }

  function add(id: string, owner: string): void {
    const [lines, others] = failing.has(id) ? [failingLines, healthyLines] : [healthyLines, failingLines];
    remove(others, owner, id);
    const line = lines.get(owner);
    if (line === undefined) lines.set(owner, new Set([id]));
    else line.add(id);
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

function remove(lines: Lines, owner: string, id: string | undefined): void {
  const line = lines.get(owner);
  if (line === undefined) return;
  if (id !== undefined) line.delete(id);
  if (line.size === 0) lines.delete(owner);
}
