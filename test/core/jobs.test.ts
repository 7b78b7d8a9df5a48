// The job queue: persistence, retries with increasing delays, and dedupe keys.
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JobRequest, Tx } from '../../src/core/context.ts';
import { cancelJobs, hasJob } from '../../src/core/job-store.ts';
import { jobs } from '../../src/data/tables/tables.ts';
import { DAY, MINUTE, SECOND } from '../../src/lib/clock.ts';
import { plansOf, stepsOn } from '../support/plans.ts';
import { countRowsInOneTurn } from '../support/turns.ts';
import { openTestApp } from './open-app.ts';

let opened: Awaited<ReturnType<typeof openTestApp>>;
beforeEach(async () => {
  opened = await openTestApp();
});
afterEach(() => opened.close());

const enqueue = (job: JobRequest) => opened.ctx.transact((tx) => tx.enqueue(job), { bookkeeping: true });
const rows = () => opened.app.db.select().from(jobs).all();

describe('jobs', () => {
  it('run with their payload and are deleted', async () => {
    const seen: unknown[] = [];
    opened.app.jobs.register('note', (_ctx, payload) => {
      seen.push(payload);
    });
    enqueue({ kind: 'note', payload: { a: 1 } });
    await opened.app.jobs.drain();
    expect(seen).toEqual([{ a: 1 }]);
    expect(rows()).toEqual([]);
  });
  it('run when they are due', async () => {
    let runs = 0;
    opened.app.jobs.register('later', () => {
      runs += 1;
    });
    enqueue({ kind: 'later', delayMs: 60_000 });
    await opened.app.jobs.drain();
    expect(runs).toBe(0);
    opened.clock.advance(60_001);
    await opened.app.jobs.drain();
    expect(runs).toBe(1);
  });
  it('merge with a waiting one with the same key, but not with a running one', async () => {
    let runs = 0;
    opened.app.jobs.register('keyed', () => {
      runs += 1;
      if (runs === 1) enqueue({ kind: 'keyed', dedupeKey: 'k' });
    });
    enqueue({ kind: 'keyed', dedupeKey: 'k' });
    enqueue({ kind: 'keyed', dedupeKey: 'k' });
    expect(rows()).toHaveLength(1);
    await opened.app.jobs.drain();
    expect(runs).toBe(2);
  });
  it('are retried with increasing pauses, then kept as dead with their error', async () => {
    let runs = 0;
    opened.app.jobs.register('failing', () => {
      runs += 1;
      throw new Error(`broken ${runs}`);
    });
    enqueue({ kind: 'failing', maxAttempts: 3 });
    const pauses: number[] = [];
    for (let attempt = 1; attempt <= 3; attempt++) {
      await opened.app.jobs.drain();
      expect(runs).toBe(attempt);
      const row = rows()[0];
      pauses.push((row?.runAt ?? 0) - opened.clock.now().getTime());
      opened.clock.advance(3_600_000);
    }
    expect(pauses[1]).toBeGreaterThan(pauses[0] ?? 0);
    await opened.app.jobs.drain();
    expect(runs).toBe(3);
    expect(rows()).toMatchObject([{ state: 'dead', attempts: 3, lastError: 'broken 3', leasedUntil: null }]);
  });
  it('are taken over when the lease of a killed process expires', async () => {
    let runs = 0;
    opened.app.jobs.register('orphan', () => {
      runs += 1;
    });
    enqueue({ kind: 'orphan' });
    // What a process leaves that was killed in the middle of a job.
    opened.app.db
      .update(jobs)
      .set({ leasedUntil: opened.clock.now().getTime() + 30_000, attempts: 1 })
      .run();
    await opened.app.jobs.drain();
    expect(runs).toBe(0);
    opened.clock.advance(30_001);
    await opened.app.jobs.drain();
    expect(runs).toBe(1);
  });
  it('are run after a clock that was ahead is corrected, each with its delay', async () => {
    const runs: string[] = [];
    const ahead = 30 * DAY;
    opened.app.jobs.register('failing', (_ctx, { name }) => {
      runs.push(`failing ${name}`);
      if (runs.length === 1) throw new Error('the certificate has expired');
    });
    opened.app.jobs.register('later', () => void runs.push('later'));
    opened.app.jobs.register('early', () => void runs.push('early'));
    enqueue({ kind: 'early', delayMs: MINUTE });
    enqueue({ kind: 'failing', payload: { name: 'before' } });
    opened.clock.jump(ahead);
    await opened.app.jobs.drain();
    expect(runs).toEqual(['failing before', 'early']);
    enqueue({ kind: 'later', delayMs: 20 * MINUTE });
    enqueue({ kind: 'failing', payload: { name: 'ahead' } });
    opened.clock.jump(-ahead);
    await opened.app.jobs.drain();
    expect(runs.slice(2).toSorted()).toEqual(['failing ahead', 'failing before']);
    opened.clock.advance(20 * MINUTE - 1);
    await opened.app.jobs.drain();
    expect(runs).toHaveLength(4);
    opened.clock.advance(1);
    await opened.app.jobs.drain();
    expect(runs).toHaveLength(5);
    expect(rows()).toEqual([]);
  });
  it('are rescheduled in steps after the clock was set back', async () => {
    opened.app.jobs.register('delayed', () => undefined);
    opened.clock.jump(DAY);
    const enqueueAll = (tx: Tx) => {
      for (let count = 0; count < 1_200; count += 1) tx.enqueue({ kind: 'delayed', delayMs: MINUTE });
    };
    opened.ctx.transact(enqueueAll, { bookkeeping: true });
    await opened.app.jobs.drain();
    opened.clock.jump(-DAY);
    const now = opened.clock.now().getTime();
    expect(await countRowsInOneTurn(opened.app.db.$client, () => opened.app.jobs.drain())).toBeLessThan(600);
    expect(new Set(rows().map(({ runAt, createdAt }) => [runAt - now, createdAt - now].join()))).toEqual(
      new Set([`${MINUTE},0`]),
    );
  });
  it('keep their pauses and delays when the clock is set back a little', async () => {
    const runs: string[] = [];
    opened.app.jobs.register('failing', () => {
      runs.push('failing');
      throw new Error('broken');
    });
    opened.app.jobs.register('later', () => void runs.push('later'));
    enqueue({ kind: 'failing' });
    enqueue({ kind: 'later', delayMs: MINUTE });
    opened.clock.advance(SECOND);
    await opened.app.jobs.drain();
    const due = rows().map(({ kind, runAt }) => [kind, runAt]);
    opened.clock.jump(-SECOND);
    await opened.app.jobs.drain();
    expect(rows().map(({ kind, runAt }) => [kind, runAt])).toEqual(due);
    expect(runs).toEqual(['failing']);
  });
  it('of a process that was killed while the clock was ahead are taken over after it is corrected', async () => {
    let runs = 0;
    opened.app.jobs.register('orphan', () => {
      runs += 1;
    });
    enqueue({ kind: 'orphan' });
    const leasedUntil = opened.clock.now().getTime() + 30 * DAY + MINUTE;
    opened.app.db.update(jobs).set({ leasedUntil, attempts: 1 }).run();
    await opened.app.jobs.drain();
    expect(runs).toBe(1);
  });
  it('of a lane run in the order of their due times', async () => {
    const seen: [keyof typeof kinds, unknown][] = [];
    const kinds = { odd: 'numbers', even: 'numbers', plain: undefined, other: undefined } as const;
    for (const [kind, lane] of Object.entries(kinds)) {
      opened.app.jobs.register(kind, (_ctx, { number }) => void seen.push([kind as keyof typeof kinds, number]), lane);
    }
    for (const [kind, delayMs, number] of [
      ['odd', 3_000, 3],
      ['even', 2_000, 2],
      ['odd', 1_000, 1],
      ['odd', 2_000, 2],
      ['plain', 2_000, 2],
      ['other', 1_000, 1],
    ] as const) {
      enqueue({ kind, payload: { number }, delayMs });
    }
    opened.clock.advance(2_000);
    await opened.app.jobs.drain();
    const inLane = (lane: string | undefined) => seen.filter(([kind]) => kinds[kind] === lane);
    expect(inLane('numbers')).toEqual([
      ['odd', 1],
      ['even', 2],
      ['odd', 2],
    ]);
    expect(inLane(undefined)).toEqual([
      ['other', 1],
      ['plain', 2],
    ]);
    expect(rows()).toMatchObject([{ kind: 'odd', payload: '{"number":3}' }]);
  });
  it('of an unknown kind fail with an error', async () => {
    enqueue({ kind: 'unheard-of' });
    await opened.app.jobs.drain();
    expect(rows()).toMatchObject([{ lastError: 'No handler for jobs of kind unheard-of', attempts: 1 }]);
  });
});

describe('thousands of waiting jobs', () => {
  const BY_KIND = /^SEARCH jobs USING INDEX jobs_due \(state=\? AND kind=\?/;
  const KINDS = /^SEARCH jobs USING COVERING INDEX jobs_due \(state=\?/;

  it('are not read by other lanes', async () => {
    opened.app.jobs.register('note', () => {}, 'notes');
    opened.app.jobs.register('plain', () => {});
    enqueue({ kind: 'note' });
    enqueue({ kind: 'plain' });
    const plans = await plansOf(opened.app.db.$client, () => opened.app.jobs.drain());
    expect(rows()).toEqual([]);
    const steps = stepsOn('jobs', plans).filter((step) => !step.includes('(id=?)'));
    expect(steps.length).toBeGreaterThan(4);
    const scans = steps.filter((step) => !BY_KIND.test(step) && !KINDS.test(step));
    expect(scans).toEqual([]);
  });

  it('of other kinds are not read to find or cancel those of an organization', async () => {
    const organizationId = opened.app.ids.next();
    const other = opened.app.ids.next();
    for (const id of [organizationId, other]) enqueue({ kind: 'of-organization', payload: { organization_id: id } });
    enqueue({ kind: 'else', payload: { organization_id: organizationId } });
    const exist = () => [organizationId, other].map((id) => hasJob(opened.app, 'of-organization', id));
    const plans = await plansOf(opened.app.db.$client, () => {
      expect(exist()).toEqual([true, true]);
      opened.ctx.transact((tx) => cancelJobs(tx, 'of-organization', organizationId), { bookkeeping: true });
      expect(exist()).toEqual([false, true]);
    });
    expect(rows().map(({ kind, payload }) => [kind, payload])).toEqual([
      ['of-organization', `{"organization_id":"${other}"}`],
      ['else', `{"organization_id":"${organizationId}"}`],
    ]);
    const steps = stepsOn('jobs', plans);
    expect(steps).toHaveLength(5);
    expect(steps.filter((step) => !BY_KIND.test(step))).toEqual([]);
  });
});

describe('jobs next to another process that writes', () => {
  const openOther = () => new Sqlite(opened.app.config.database.file, { timeout: 0 });

  it('are claimed if it commits between reading and claiming', async () => {
    const other = openOther();
    const { db } = opened.app;
    let runs = 0;
    opened.app.jobs.register('note', () => {
      runs += 1;
    });
    enqueue({ kind: 'note' });
    const update = db.update.bind(db);
    vi.spyOn(db, 'update').mockImplementationOnce((table) => {
      other.exec("INSERT INTO object_walks (prefix, after) VALUES ('other/', '')");
      return update(table);
    });
    await opened.app.jobs.drain();
    other.close();
    expect(runs).toBe(1);
    expect(rows()).toEqual([]);
  });

  it('wait while it has the write lock, without an error in the log', async () => {
    await opened.close();
    opened = await openTestApp({ busyTimeoutMs: 1 });
    const other = openOther();
    const { log } = opened.app;
    const errors = vi.spyOn(log, 'error');
    const waits = vi.spyOn(log, 'debug');
    let runs = 0;
    opened.app.jobs.register('note', () => {
      runs += 1;
    });
    enqueue({ kind: 'note' });
    other.exec('BEGIN IMMEDIATE');
    await expect.poll(() => waits.mock.calls.at(-1)?.[1]).toBe('job run postponed: database busy');
    other.exec('COMMIT');
    other.close();
    expect([runs, rows().length]).toEqual([0, 1]);
    await opened.app.jobs.drain();
    expect([runs, rows().length, errors.mock.calls.length]).toEqual([1, 0, 0]);
  });
});
