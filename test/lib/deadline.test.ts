// Deadlines in parts: exact while the process runs. A pause is tested with inspections.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startDeadline } from '../../src/lib/deadline.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('ends after its time, once', () => {
  const end = vi.fn();
  startDeadline(2_000, end);
  vi.advanceTimersByTime(1_999);
  expect(end).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(end).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(10_000);
  expect(end).toHaveBeenCalledOnce();
});

it('can be cleared', () => {
  const end = vi.fn();
  const timer = startDeadline(2_000, end);
  vi.advanceTimersByTime(1_900);
  clearTimeout(timer);
  vi.advanceTimersByTime(10_000);
  expect(end).not.toHaveBeenCalled();
});
