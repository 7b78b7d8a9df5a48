// Counts the turns that work in bounded steps gives to others.
import { vi } from 'vitest';

/** Every look at the time finds that a step is over, so that others get a turn at every place that offers one. */
export async function countTurns(work: () => unknown): Promise<number> {
  let time = performance.now();
  const now = vi.spyOn(performance, 'now').mockImplementation(() => {
    time += 1_000;
    return time;
  });
  let turns = 0;
  let isOver = false;
  const look = () => {
    if (isOver) return;
    turns += 1;
    setImmediate(look);
  };
  setImmediate(look);
  await work();
  isOver = true;
  now.mockRestore();
  return turns;
}
