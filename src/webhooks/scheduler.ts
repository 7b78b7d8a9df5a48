// Whose delivery is sent next. Places are limited, and an endpoint that hangs keeps its places for long: so nobody has many,
// those who failed last share half of them, some are for endpoints that answered last, and organizations take turns. Whatever
// lasts goes on in a second set of places, so that endpoints that were never tried don't wait for it.
import { addToQueue, type Lines, removeFromQueue, takeNext } from '../lib/fair-queue.ts';

export interface Turns {
  /** Puts a subscription of an organization into the line, once. */
  add(id: string, owner: string): void;
  /** The subscription whose turn it is and for which there is a place, taken out of the line. */
  take(): string | undefined;
  begin(id: string, owner: string): void;
  /** Moves one running delivery to the places for slow ones. Returns false when it has to keep its place. */
  slowDown(id: string): boolean;
  /** Gives a place back, remembers whether it went well, and puts the subscription into the line again. */
  end(id: string, hasSucceeded: boolean, isSlow?: boolean): void;
  /** Notes how the last delivery of a subscription went before the start. */
  remember(id: string, hasSucceeded: boolean): void;
  runningOf(id: string): number;
}

/** Turns for so many places. */
export function createDeliveryScheduler(places: number): Turns {
  const placesForFailing = Math.max(1, Math.floor(places / 2));
  const placesForOne = Math.max(1, Math.floor(places / 8));
  const placesForOwner = places - Math.floor(places / 8);
  /** The rest is for endpoints that answered last: an eighth of all places, and as much of those of each organization. */
  const placesForUnproven = places - Math.floor(places / 8);
  const placesForUnprovenOfOwner = placesForOwner - Math.floor(places / 8);
  const failing = new Set<string>();
  const answering = new Set<string>();
  const running = new Map<string, { owner: string; count: number }>();
  const runningByOwner = new Map<string, number>();
  const slow = new Map<string, { owner: string; count: number }>();
  const healthyLines: Lines<string> = new Map();
  const failingLines: Lines<string> = new Map();

  const runningOf = (id: string) => (running.get(id)?.count ?? 0) + (slow.get(id)?.count ?? 0);

  function countRunning(isCounted: (id: string, owner: string) => boolean): number {
    let total = 0;
    for (const [id, { owner, count }] of running) if (isCounted(id, owner)) total += count;
    return total;
  }

  /** Whether a subscription may have a place besides those that are for endpoints that answered last. */
  function mayBegin(id: string, owner: string): boolean {
    if (answering.has(id)) return true;
    if (countRunning((other) => !answering.has(other)) >= placesForUnproven) return false;
    return countRunning((other, its) => its === owner && !answering.has(other)) < placesForUnprovenOfOwner;
  }

  // Whoever has as many places as allowed comes back into the line when one is given back.
  const takeFrom = (lines: Lines<string>, placesEach: number) =>
    takeNext(lines, {
      runningOf: (owner) => runningByOwner.get(owner) ?? 0,
      mostRunning: placesForOwner,
      mayBegin,
      mayRun: (id) => runningOf(id) < placesEach,
    });

  function add(id: string, owner: string): void {
    const [lines, others] = failing.has(id) ? [failingLines, healthyLines] : [healthyLines, failingLines];
    removeFromQueue(others, owner, id);
    addToQueue(lines, owner, id);
  }

  function remember(id: string, hasSucceeded: boolean): void {
    const [to, from] = hasSucceeded ? [answering, failing] : [failing, answering];
    to.add(id);
    from.delete(id);
  }

  function giveBack(id: string): string {
    const { owner, count } = running.get(id) ?? { owner: '', count: 0 };
    if (count <= 1) running.delete(id);
    else running.set(id, { owner, count: count - 1 });
    const left = (runningByOwner.get(owner) ?? 0) - 1;
    if (left <= 0) runningByOwner.delete(owner);
    else runningByOwner.set(owner, left);
    return owner;
  }

  function giveBackSlow(id: string): string {
    const { owner, count } = slow.get(id) ?? { owner: '', count: 0 };
    if (count <= 1) slow.delete(id);
    else slow.set(id, { owner, count: count - 1 });
    return owner;
  }

  return {
    add,
    remember,
    take() {
      if (countRunning(() => true) >= places) return undefined;
      const id = takeFrom(healthyLines, placesForOne);
      if (id !== undefined) return id;
      if (countRunning((other) => failing.has(other)) >= placesForFailing) return undefined;
      return takeFrom(failingLines, 1);
    },
    slowDown(id) {
      const { owner } = running.get(id) ?? {};
      // Those that failed last have a share of their own.
      if (owner === undefined || failing.has(id)) return false;
      let [total, ofOwner] = [0, 0];
      for (const other of slow.values()) {
        total += other.count;
        if (other.owner === owner) ofOwner += other.count;
      }
      if (total >= places || ofOwner >= placesForOwner) return false;
      giveBack(id);
      slow.set(id, { owner, count: (slow.get(id)?.count ?? 0) + 1 });
      return true;
    },
    begin(id, owner) {
      running.set(id, { owner, count: (running.get(id)?.count ?? 0) + 1 });
      runningByOwner.set(owner, (runningByOwner.get(owner) ?? 0) + 1);
    },
    end(id, hasSucceeded, isSlow = false) {
      const owner = isSlow ? giveBackSlow(id) : giveBack(id);
      remember(id, hasSucceeded);
      add(id, owner);
    },
    runningOf,
  };
}
