// Memory of the start is given back once, when the server has nothing to do.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { releaseStartMemory } from '../../src/runtime/start-memory.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it('collects garbage once, in the first second without much work', () => {
  const shares = [1, 0.06, 0.05, 0];
  const collect = vi.fn();
  releaseStartMemory({ collect, busyShare: () => shares.shift() ?? 0 });
  vi.advanceTimersByTime(2_999);
  expect(collect).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(collect).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(10_000);
  expect(collect).toHaveBeenCalledTimes(1);
});

it('frees what nothing refers to', async () => {
  const reference = new WeakRef({});
  // A new reference holds its object until the end of the turn.
  await new Promise((resolve) => setImmediate(resolve));
  releaseStartMemory({ busyShare: () => 0 });
  vi.advanceTimersByTime(1_000);
  expect(reference.deref()).toBeUndefined();
});
