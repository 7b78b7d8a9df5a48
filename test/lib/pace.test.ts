// Rests between the steps of long work.
import { expect, it } from 'vitest';
import { createPace } from '../../src/lib/pace.ts';

function start(share: number) {
  const rests: number[] = [];
  let time = 0;
  const sleep = async (ms: number) => {
    rests.push(ms);
    time += ms;
  };
  const pace = createPace(share, { now: () => time, sleep });
  const work = (ms: number) => {
    time += ms;
    return pace.rest();
  };
  return { pace, work, rests };
}

it('rests as long as the work took, or its multiple for a smaller share', async () => {
  const half = start(0.5);
  for (const ms of [10, 40]) await half.work(ms);
  expect(half.rests).toEqual([10, 40]);
  const quarter = start(0.25);
  await quarter.work(10);
  expect(quarter.rests).toEqual([30]);
  const whole = start(1);
  await whole.work(500);
  expect(whole.rests).toEqual([]);
});

it('adds up short steps, and never rests longer than a second', async () => {
  const { work, rests } = start(0.5);
  for (const ms of [0.4, 0.4, 0.4, 60_000]) await work(ms);
  expect(rests.map((ms) => Math.round(ms * 10) / 10)).toEqual([1.2, 1_000]);
});

it('ends its rest when the signal aborts', async () => {
  let time = 0;
  const pace = createPace(0.5, { now: () => time });
  const controller = new AbortController();
  time = 10_000;
  const resting = pace.rest(controller.signal);
  controller.abort(new Error('stopped'));
  await expect(resting).rejects.toThrow('stopped');
});

it.each([0, -1, 1.1, Number.NaN])('has no share of %s', (share) => {
  expect(() => createPace(share)).toThrow(RangeError);
});
