// The rows of a step.
import { afterEach, expect, it, vi } from 'vitest';
import { createStepRows } from '../../src/lib/step-rows.ts';

afterEach(() => {
  vi.useRealTimers();
});

it('has few rows at first, twice as many after a quick step, and half after a long one', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const steps = createStepRows({ min: 10, max: 100 });
  const after = (ms: number) =>
    steps.take((rows) => {
      vi.advanceTimersByTime(ms);
      return rows;
    });
  expect([0, 2, 2, 1, 0, 3, 5, 6, 7, 90, 400, 0, 0].map(after)).toEqual([
    10, 20, 40, 80, 100, 100, 100, 100, 50, 25, 12, 10, 20,
  ]);
});

it('has the same rows after a step that failed', () => {
  const steps = createStepRows({ min: 10, max: 100 });
  expect(() =>
    steps.take(() => {
      throw new Error('the disk is full');
    }),
  ).toThrow('the disk is full');
  expect(steps.take((rows) => rows)).toBe(10);
});
