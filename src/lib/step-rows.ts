// How many rows a step of long work takes. A fixed number would be too many when nothing is cached and the disk is busy, as after a start.

/** How long a step may take before the next one has fewer rows. */
const LONG_MS = 5;

export interface StepRows {
  /** Runs a step with as many rows as fit in its time, as earlier steps show. */
  take<T>(work: (rows: number) => T): T;
}

/** Returns steps of `min` rows at first. Each has twice as many as a quick one before it, up to `max`, or half of a long one's. */
export function createStepRows({ min, max }: { min: number; max: number }): StepRows {
  let rows = min;
  return {
    take(work) {
      const beganAt = performance.now();
      const result = work(rows);
      const tookMs = performance.now() - beganAt;
      if (tookMs > LONG_MS) rows = Math.max(min, Math.floor(rows / 2));
      else if (tookMs < LONG_MS / 2) rows = Math.min(max, rows * 2);
      return result;
    },
  };
}
