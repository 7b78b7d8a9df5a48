// A queue that is fair among owners: each owner has their own line, so adding many items doesn't delay other owners.

/** Waiting items by owner, oldest first. Owners without items have no entry. */
export type Lines<Item> = Map<string, Set<Item>>;

/** Adds an item to the end of its owner's line, unless the line contains it. */
export function addToQueue<Item>(lines: Lines<Item>, owner: string, item: Item): void {
  const line = lines.get(owner);
  if (line === undefined) lines.set(owner, new Set([item]));
  else line.add(item);
}

/** Removes an item from its owner's line, if the line contains it. */
export function removeFromQueue<Item>(lines: Lines<Item>, owner: string, item: Item): void {
  const line = lines.get(owner);
  if (line === undefined) return;
  line.delete(item);
  if (line.size === 0) lines.delete(owner);
}

export interface QueueRules<Item> {
  /** Returns the number of running items of an owner. */
  runningOf(owner: string): number;
  /** Owners with this many running items get no turn. */
  maxRunning: number;
  /** Items for which this returns false are skipped and keep their position. */
  mayBegin?(item: Item, owner: string): boolean;
  /** Items for which this returns false are dropped. */
  mayRun?(item: Item): boolean;
}

/**
 * Removes and returns the next item: from the owner with the fewest running items, and among equals from the owner whose last
 * turn is the longest ago. Returns undefined if no item may run.
 */
export function takeNext<Item>(lines: Lines<Item>, rules: QueueRules<Item>): Item | undefined {
  const passedOver = new Set<string>();
  for (;;) {
    let next: string | undefined;
    let fewest = rules.maxRunning;
    for (const owner of lines.keys()) {
      const count = rules.runningOf(owner);
      if (count < fewest && !passedOver.has(owner)) [next, fewest] = [owner, count];
    }
    const line = next === undefined ? undefined : lines.get(next);
    if (next === undefined || line === undefined) return undefined;
    const owner = next;
    const [found] = line
      .values()
      .filter((item) => rules.mayBegin?.(item, owner) !== false)
      .take(1)
      .toArray();
    if (found === undefined) {
      passedOver.add(owner);
      continue;
    }
    removeFromQueue(lines, owner, found);
    if (rules.mayRun?.(found) === false) continue;
    // The owner moves behind all others.
    if (lines.delete(owner) && line.size > 0) lines.set(owner, line);
    return found;
  }
}
