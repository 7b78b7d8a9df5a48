// Takes turns between owners: a line for each of them, so that nobody who adds many items delays the others.

/** Waiting items by owner, oldest first. No owner is in it with an empty line. */
export type Lines<Item> = Map<string, Set<Item>>;

/** Puts an item at the end of its owner's line, once. */
export function addToQueue<Item>(lines: Lines<Item>, owner: string, item: Item): void {
  const line = lines.get(owner);
  if (line === undefined) lines.set(owner, new Set([item]));
  else line.add(item);
}

/** Takes an item out of its owner's line, if it is in it. */
export function removeFromQueue<Item>(lines: Lines<Item>, owner: string, item: Item): void {
  const line = lines.get(owner);
  if (line === undefined) return;
  line.delete(item);
  if (line.size === 0) lines.delete(owner);
}

export interface QueueRules<Item> {
  /** How many items of an owner are running. */
  runningOf(owner: string): number;
  /** An owner with this many running gets no turn. */
  mostRunning: number;
  /** An item for which this is false keeps its place in the line and gets no turn now. */
  mayBegin?(item: Item, owner: string): boolean;
  /** An item for which this is false leaves its line without a turn. */
  mayRun?(item: Item): boolean;
}

/**
 * Takes the next item out of the lines: of the owner with the fewest running, and among equals of the one whose last turn
 * was the longest ago. Returns undefined if nobody may run.
 */
export function takeNext<Item>(lines: Lines<Item>, rules: QueueRules<Item>): Item | undefined {
  const passedOver = new Set<string>();
  for (;;) {
    let next: string | undefined;
    let fewest = rules.mostRunning;
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
    // Its owner goes behind all the others.
    if (lines.delete(owner) && line.size > 0) lines.set(owner, line);
    return found;
  }
}
