// All cleanup jobs have unique names, are described in docs/operations.md, and can run twice.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Cron } from 'croner';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sweeps } from '../../src/sweeps.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

const names = sweeps.map(({ name }) => name);

describe('all cleanup jobs', () => {
  it('are described in docs/operations.md, each once', () => {
    const text = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
    const [, table = ''] = /^\| Name \| Does \|\n\|---\|---\|\n((?:\|.*\n)*)/m.exec(text) ?? [];
    const told = [...table.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name);
    expect(told.sort()).toEqual([...names].sort());
  });

  it.each(sweeps.map((sweep) => [sweep.name, sweep] as const))(
    '%s has a schedule, and runs twice',
    async (name, { schedule }) => {
      const next = new Cron(schedule, { timezone: 'UTC', paused: true }).nextRuns(2, new Date('2026-01-01T00:00:00Z'));
      const [first = new Date(0), second = new Date(0)] = next;
      expect(second.getTime() - first.getTime()).toBeLessThanOrEqual(24 * 3_600_000);
      await fixture.sweep(name);
      expect(await fixture.sweep(name)).toBe(0);
    },
  );
});
