// The steps of concurrent work.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startSteps } from '../../src/lib/steps.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Runs work as if its requests had arrived in one turn. Returns its items, by turn of the event loop. */
async function run(works: Readonly<Record<string, readonly number[]>>): Promise<string[]> {
  const turns = [''];
  let isOver = false;
  const count = () => {
    turns.push('');
    if (!isOver) setImmediate(count);
  };
  const begun = Object.entries(works).map(
    ([name, items]) =>
      new Promise<void>((resolve, reject) => {
        setImmediate(() => {
          const work = async () => {
            const step = startSteps();
            for (const ms of items) {
              await step();
              vi.advanceTimersByTime(ms);
              turns.push(`${turns.pop()}${name}`);
            }
          };
          work().then(resolve, reject);
        });
      }),
  );
  setImmediate(count);
  await Promise.all(begun);
  isOver = true;
  return turns;
}

it('are in turns of their own, one after the other, except for the first of each', async () => {
  expect(await run({ a: [6, 6, 6], b: [6], c: [6, 6], d: [6, 6] })).toEqual(['abcd', 'a', 'c', 'd', 'a']);
});

it('have as many items as fit in their time, at first in a short time if other work waits', async () => {
  expect(await run({ a: [2, 2, 2, 2, 2, 2], b: [1, 1, 1, 1] })).toEqual(['aaabb', 'aaa', 'bb']);
});

it('are one if everything is quick', async () => {
  expect(await run({ a: [1, 1], b: [1], c: [0] })).toEqual(['aabc']);
});
