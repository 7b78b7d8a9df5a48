// Work that only one process at a time does, tried with both sides in one process: SQLite's locks work there, too.
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { exclusively } from '../../scripts/lib/exclusive.ts';
import { cacheDir } from '../../scripts/lib/project.ts';

const name = `test-${randomUUID()}`;
afterAll(() => rmSync(join(cacheDir, `${name}.lock`), { force: true }));

it('exclusive work waits for other work of the same name, also for work that fails', async () => {
  const events: string[] = [];
  const first = Promise.withResolvers<void>();
  const failing = exclusively(name, async () => {
    events.push('first');
    await first.promise;
    events.push('first failed');
    throw new Error('on purpose');
  });
  const second = exclusively(name, async () => events.push('second'));
  await exclusively(`${name}-other`, async () => events.push('other'));
  rmSync(join(cacheDir, `${name}-other.lock`));
  first.resolve();
  await expect(failing).rejects.toThrow('on purpose');
  await second;
  expect(events).toEqual(['first', 'other', 'first failed', 'second']);
});
