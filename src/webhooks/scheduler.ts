// Selects the next delivery. Slots are limited, and slow endpoints keep theirs for long, so the number per organization
// is limited, endpoints that failed last share half of the slots, some are reserved for endpoints that succeeded last,
// and organizations take turns. Slow deliveries move to a second set of slots, so that untested endpoints don't wait
// for them.
import { addToQueue, type Lines, removeFromQueue, takeNext } from '../lib/fair-queue.ts';

/** Endpoints whose last result is remembered. Beyond it the oldest are dropped, because those of deleted subscriptions have no other end. */
export const MAX_REMEMBERED = 20_000;

export interface DeliveryScheduler {
  /** Adds a subscription of an organization to the queue, once. */
  add(id: string, owner: string): void;
  /** Removes and returns the next subscription for which there is a slot. */
  take(): string | undefined;
  begin(id: string, owner: string): void;
  /** Moves a running delivery to the slots for slow ones. Returns false if it must keep its slot. */
  slowDown(id: string): boolean;
  /** Releases a slot, remembers the result and adds the subscription to the queue again. */
  end(id: string, hasSucceeded: boolean, isSlow?: boolean): void;
  /** Sets the result of a subscription's last delivery, as the database has it. */
  remember(id: string, hasSucceeded: boolean): void;
  /** Whether the result of a subscription's last delivery is remembered. */
  isKnown(id: string): boolean;
  runningOf(id: string): number;
}

/** Creates a scheduler with the given number of slots. */
export function createDeliveryScheduler(slots: number): DeliveryScheduler {
  const slotsForFailing = Math.max(1, Math.floor(slots / 2));
  const slotsForOne = Math.max(1, Math.floor(slots / 8));
  const slotsForOwner = slots - Math.floor(slots / 8);
  /**
   * The rest is reserved for endpoints that succeeded last: an eighth of all slots, and the same share per
   * organization.
   */
  const slotsForUnproven = slots - Math.floor(slots / 8);
  const slotsForUnprovenOfOwner = slotsForOwner - Math.floor(slots / 8);
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

  /** Returns whether a subscription may use a slot that isn't reserved for endpoints that succeeded last. */
  function mayBegin(id: string, owner: string): boolean {
    if (answering.has(id)) return true;
    if (countRunning((other) => !answering.has(other)) >= slotsForUnproven) return false;
    return countRunning((other, its) => its === owner && !answering.has(other)) < slotsForUnprovenOfOwner;
  }

  // Organizations at their limit return to the queue when they release a slot.
  const takeFrom = (lines: Lines<string>, slotsEach: number) =>
    takeNext(lines, {
      runningOf: (owner) => runningByOwner.get(owner) ?? 0,
      maxRunning: slotsForOwner,
      mayBegin,
      mayRun: (id) => runningOf(id) < slotsEach,
    });

  function add(id: string, owner: string): void {
    const [lines, others] = failing.has(id) ? [failingLines, healthyLines] : [healthyLines, failingLines];
    removeFromQueue(others, owner, id);
    addToQueue(lines, owner, id);
  }

  function remember(id: string, hasSucceeded: boolean): void {
    const [to, from] = hasSucceeded ? [answering, failing] : [failing, answering];
    from.delete(id);
    // Added at the end, so that the first is the oldest.
    to.delete(id);
    to.add(id);
    const [oldest] = to.size > MAX_REMEMBERED / 2 ? to : [];
    if (oldest !== undefined) to.delete(oldest);
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
    isKnown: (id) => answering.has(id) || failing.has(id),
    take() {
      if (countRunning(() => true) >= slots) return undefined;
      const id = takeFrom(healthyLines, slotsForOne);
      if (id !== undefined) return id;
      if (countRunning((other) => failing.has(other)) >= slotsForFailing) return undefined;
      return takeFrom(failingLines, 1);
    },
    slowDown(id) {
      const { owner } = running.get(id) ?? {};
      // Endpoints that failed last have a share of their own.
      if (owner === undefined || failing.has(id)) return false;
      let [total, ofOwner] = [0, 0];
      for (const other of slow.values()) {
        total += other.count;
        if (other.owner === owner) ofOwner += other.count;
      }
      if (total >= slots || ofOwner >= slotsForOwner) return false;
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
