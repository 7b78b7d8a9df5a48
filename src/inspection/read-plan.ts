// Reads many small parts of a package in few reads: parts that are close together share one, and several run concurrently.

/** The bytes from `start` to `end`, exclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Joined ranges are at most this long, so that several can be read at the same time. */
const MAX_JOINED_BYTES = 1024 * 1024;
/** Reading more unneeded bytes takes longer than another request. */
const MAX_GAP_BYTES = 256 * 1024;
/** Remote storage takes a while for each read. */
const CONCURRENT_READS = 48;
/** Bytes that are being read or kept. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024;

/**
 * Joins sorted ranges into as few as possible, if no more than `budget` unneeded bytes are read for it: the smallest gaps are
 * closed first.
 */
export function joinRanges(wanted: readonly ByteRange[], budget: number): ByteRange[] {
  const widest = widestClosedGap(wanted, budget);
  let left = budget;
  const joined: { start: number; end: number }[] = [];
  for (const { start, end } of wanted) {
    const last = joined.at(-1);
    const gap = last === undefined ? 0 : Math.max(0, start - last.end);
    if (last === undefined || gap > widest || gap > left || end - last.start > MAX_JOINED_BYTES) {
      joined.push({ start, end });
      continue;
    }
    left -= gap;
    last.end = Math.max(last.end, end);
  }
  return joined;
}

/** Returns the size of the largest gap for which the budget suffices if smaller ones are closed first. */
function widestClosedGap(wanted: readonly ByteRange[], budget: number): number {
  const gaps: number[] = [];
  let end = 0;
  for (const [index, range] of wanted.entries()) {
    if (index > 0) gaps.push(Math.max(0, range.start - end));
    end = Math.max(end, range.end);
  }
  let widest = 0;
  let spent = 0;
  for (const gap of gaps.sort((a, b) => a - b)) {
    spent += gap;
    if (gap > MAX_GAP_BYTES || spent > budget) break;
    widest = gap;
  }
  return widest;
}

/** Reads of sorted ranges, each of which is begun once, some before they're needed. */
export class PlannedReads {
  readonly #ranges: readonly ByteRange[];
  readonly #read: (start: number, length: number) => Promise<Buffer>;
  /** By index in the ranges, the oldest first. */
  readonly #kept = new Map<number, Promise<Buffer>>();
  #keptBytes = 0;
  /** Index of the first range that wasn't begun or skipped. */
  #next = 0;

  constructor(ranges: readonly ByteRange[], read: (start: number, length: number) => Promise<Buffer>) {
    this.#ranges = ranges;
    this.#read = read;
  }

  /** Returns the bytes if they're in a range that is next or still kept, and begins to read the following ranges. */
  find(start: number, end: number): Promise<Buffer> | undefined {
    const index = this.#indexOf(end);
    const range = this.#ranges[index];
    if (range === undefined || start < range.start) return undefined;
    this.#begin(index);
    return this.#kept.get(index)?.then((bytes) => bytes.subarray(start - range.start, end - range.start));
  }

  /** Returns the index of the first range that reaches `end`. */
  #indexOf(end: number): number {
    let low = 0;
    let high = this.#ranges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ranges[middle]?.end ?? 0) < end) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #begin(current: number): void {
    this.#next = Math.max(this.#next, current);
    for (; this.#next < current + CONCURRENT_READS; this.#next += 1) {
      const range = this.#ranges[this.#next];
      if (range === undefined) return;
      const length = range.end - range.start;
      this.#makeRoom(length, current);
      if (this.#next > current && this.#keptBytes + length > MAX_KEPT_BYTES) return;
      const reading = this.#read(range.start, length);
      // The inspection may end before this range is needed.
      reading.catch(() => undefined);
      this.#kept.set(this.#next, reading);
      this.#keptBytes += length;
    }
  }

  #makeRoom(length: number, current: number): void {
    for (const index of this.#kept.keys()) {
      const range = this.#ranges[index];
      if (index >= current || range === undefined || this.#keptBytes + length <= MAX_KEPT_BYTES) return;
      this.#kept.delete(index);
      this.#keptBytes -= range.end - range.start;
    }
  }
}
