// Concurrency limits: a number of running and waiting tasks, and an error for the rest.
import { describe, expect, it } from 'vitest';
import { createConcurrencyLimit, createKeyedConcurrencyLimit } from '../../src/lib/concurrency-limit.ts';

const bounds = { max: 2, maxWaiting: 3, refusal: () => new Error('full') };

/** Work that ends when it is told to, and what of it is running. */
function bench() {
  const running: (() => void)[] = [];
  let highest = 0;
  const work = async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    running.push(resolve);
    highest = Math.max(highest, running.length);
    await promise;
    running.splice(running.indexOf(resolve), 1);
  };
  return { work, running, highest: () => highest };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('a limit', () => {
  it('runs and queues a number of tasks and rejects the rest', async () => {
    const gate = createConcurrencyLimit(bounds);
    const { work, running, highest } = bench();
    const results = Array.from({ length: 7 }, () =>
      gate(work).then(
        () => 'done',
        (error: Error) => error.message,
      ),
    );
    await settle();
    expect(running.length).toBe(2);
    for (let done = 0; done < 5; done += 1) {
      running[0]?.();
      await settle();
    }
    expect(await Promise.all(results)).toEqual(['done', 'done', 'done', 'done', 'done', 'full', 'full']);
    expect(highest()).toBe(2);
  });

  it('continues after a failed task', async () => {
    const gate = createConcurrencyLimit({ ...bounds, max: 1 });
    const failed = gate(() => Promise.reject(new Error('broken')));
    const next = gate(() => Promise.resolve('done'));
    await expect(failed).rejects.toThrow('broken');
    expect(await next).toBe('done');
    expect(await gate(() => Promise.resolve('later'))).toBe('later');
  });
});

describe('a limit by key', () => {
  it('does not delay one key because of another', async () => {
    const gate = createKeyedConcurrencyLimit({ ...bounds, max: 1, maxWaiting: 0 });
    const { work, running } = bench();
    const first = gate('a', work);
    await expect(gate('a', work)).rejects.toThrow('full');
    const second = gate('b', work);
    expect(running.length).toBe(2);
    for (const end of [...running]) end();
    await Promise.all([first, second]);
    expect(await gate('a', () => Promise.resolve('again'))).toBe('again');
  });
});
