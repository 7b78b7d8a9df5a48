// Where things lie in a chart of days: pure arithmetic. Lengths are in pixels, positions of days count from the left.

/** Of an axis: not more lines than this between the ground and the top. */
const MOST_STEPS = 4;

/** Marks of an axis for whole numbers from 0 to something not below `most`, a round number apart; the last is the top. */
export function countTicks(most: number): number[] {
  const rough = Math.max(1, most) / MOST_STEPS;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? 10 * power;
  const steps = Math.max(1, Math.ceil(most / step));
  return Array.from({ length: steps + 1 }, (_, index) => index * step);
}

/** How many of all, between 0 and 1; none of none is 0. Whoever has it and is counted no more makes it no more than 1. */
export function shareOf(have: number, all: number): number {
  return all <= 0 ? 0 : Math.min(1, have / all);
}

/** The day under a place, the nearest one where the place lies outside. */
export function dayAt(x: number, width: number, count: number): number {
  return Math.max(0, Math.min(count - 1, Math.floor((x / Math.max(1, width)) * count)));
}

/** The middle of a day. */
export function middleOf(day: number, width: number, count: number): number {
  return ((day + 0.5) * width) / count;
}

/** Which days have their date written below so that none touches the next, the last one always. */
export function labelledDays(width: number, count: number, labelWidth: number): number[] {
  const each = Math.max(1, Math.ceil((labelWidth * count) / Math.max(1, width)));
  const days: number[] = [];
  for (let day = count - 1; day >= 0; day -= each) days.push(day);
  // The first may not stick out over the axis.
  return days.filter((day) => middleOf(day, width, count) >= labelWidth / 2 || days.length === 1).reverse();
}

/** The day that a key leads to; undefined for any other key. */
export function dayByKey(key: string, day: number, count: number): number | undefined {
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
