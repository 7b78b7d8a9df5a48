// Geometry of charts by day. Lengths are in pixels, days are indexes from the left.

/** The maximum number of steps between the baseline and the top of an axis. */
const MAX_STEPS = 4;

/** Returns the ticks of an axis for whole numbers: evenly spaced round numbers from 0 to at least `most`. */
export function axisTicks(most: number): number[] {
  const rough = Math.max(1, most) / MAX_STEPS;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? 10 * power;
  const steps = Math.max(1, Math.ceil(most / step));
  return Array.from({ length: steps + 1 }, (_, index) => index * step);
}

/** In the units of the drawing. Figures are 6.8 wide, separators less than half of that. */
const CHARACTER_WIDTH = 6.5;
const LABEL_GAP = 10;
const LEAST_AXIS_WIDTH = 40;

/** Returns the width of an axis with these labels. */
export function axisWidth(labels: readonly string[]): number {
  const longest = Math.max(0, ...labels.map(({ length }) => length));
  return Math.max(LEAST_AXIS_WIDTH, Math.ceil(longest * CHARACTER_WIDTH) + LABEL_GAP);
}

/**
 * Returns `have` as a share of `all`, from 0 to 1; 0 if `all` is 0. `have` can be larger, because it may count people
 * who have left since.
 */
export function share(have: number, all: number): number {
  return all <= 0 ? 0 : Math.min(1, have / all);
}

/** Returns the day at an x coordinate, or the nearest day if the coordinate is outside of the chart. */
export function dayAt(x: number, width: number, count: number): number {
  return Math.max(0, Math.min(count - 1, Math.floor((x / Math.max(1, width)) * count)));
}

/** Returns the x coordinate of the center of a day. */
export function dayCenter(day: number, width: number, count: number): number {
  return ((day + 0.5) * width) / count;
}

/** Returns the days whose dates are written below the axis: always the last one, and as many as fit without overlap. */
export function labelledDays(width: number, count: number, labelWidth: number): number[] {
  const each = Math.max(1, Math.ceil((labelWidth * count) / Math.max(1, width)));
  const days: number[] = [];
  for (let day = count - 1; day >= 0; day -= each) days.push(day);
  // The first label must not extend beyond the axis.
  return days.filter((day) => dayCenter(day, width, count) >= labelWidth / 2 || days.length === 1).reverse();
}

/** Returns the day that a key moves to, or undefined for other keys. */
export function dayForKey(key: string, day: number, count: number): number | undefined {
  const moves: Record<string, number> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowDown: -1,
    ArrowUp: 1,
    PageDown: -7,
    PageUp: 7,
  };
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  const move = moves[key];
  return move === undefined ? undefined : Math.max(0, Math.min(count - 1, day + move));
}
