// Transactions: synchronous, atomic, with their events.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Context, Tx } from '../../src/core/context.ts';
import { createContext } from '../../src/core/transact.ts';
import { auditEvents, jobs, outboxEvents, outboxMails, setupLinks } from '../../src/data/tables/tables.ts';
import { openTestApp } from './open-app.ts';

let opened: Awaited<ReturnType<typeof openTestApp>>;
let ctx: Context;
beforeAll(async () => {
  opened = await openTestApp();
  ctx = createContext(
    opened.app,
    {
      kind: 'project_access_token',
      id: 'token',
      name: 'CI',
      organizationId: 'o',
      projectId: 'p',
      role: 'maintainer',
      ownerId: 'd',
    },
    { ...opened.ctx.request, id: 'request', method: 'POST', ipAddress: '192.0.2.1' },
  );
});
afterAll(() => opened.close());

const change = (tx: Tx, name: string) =>
  tx.db.insert(setupLinks).values({ tokenHash: name, createdAt: tx.now, expiresAt: tx.now }).run();
const names = () =>
  opened.app.db
    .select()
    .from(setupLinks)
    .all()
    .map((row) => row.tokenHash);
const facts = { identifier: 'thing', organizationId: 'organization', data: { release_id: 'r' }, details: { a: 1 } };

describe('a transaction', () => {
  it('writes the audit row, the outbox row and the job with the change', () => {
    const mark = opened.app.clock.now().getTime();
    ctx.transact((tx) => {
      change(tx, 'recorded');
      tx.record('release.created', { ...facts, projectId: 'project' });
      tx.mail({ kind: 'note', to: 'a@example.test', content: () => ({ subject: 's', text: 't', html: 'h' }) });
    });
    expect(names()).toContain('recorded');
    const audit = opened.app.db.select().from(auditEvents).all().at(-1);
    expect(audit).toMatchObject({
      event: 'created',
      type: 'release',
      identifier: 'thing',
      organizationId: 'organization',
      developerId: null,
      actorKind: 'project_access_token',
      actorId: 'token',
      actorName: 'CI',
      ipAddress: '192.0.2.1',
      details: '{"a":1}',
    });
    expect(audit?.timestamp).toBeGreaterThanOrEqual(mark);
    expect(opened.app.db.select().from(outboxEvents).all()).toMatchObject([
      { type: 'release.created', organizationId: 'organization', projectId: 'project', data: '{"release_id":"r"}' },
    ]);
    expect(opened.app.db.select().from(outboxMails).all()).toMatchObject([
      { recipient: 'a@example.test', state: 'kept' },
    ]);
    expect(opened.app.db.select().from(jobs).all()).toMatchObject([{ kind: 'fan-out-events' }]);
  });
  it('writes nothing if its function throws', () => {
    const before = opened.app.db.select().from(auditEvents).all().length;
    expect(() =>
      ctx.transact((tx) => {
        change(tx, 'thrown');
        tx.record('release.created', facts);
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(names()).not.toContain('thrown');
    expect(opened.app.db.select().from(auditEvents).all()).toHaveLength(before);
  });
  it('rejects an asynchronous function and rolls back', () => {
    const work = (async (tx: Tx) => {
      change(tx, 'async');
    }) as unknown as (tx: Tx) => undefined;
    expect(() => ctx.transact(work)).toThrow('must be synchronous');
    expect(names()).not.toContain('async');
  });
  it('rejects a change without an event, unless it is bookkeeping', () => {
    expect(() => ctx.transact((tx) => change(tx, 'silent'))).toThrow('recorded no event');
    expect(names()).not.toContain('silent');
    ctx.transact((tx) => change(tx, 'bookkept'), { bookkeeping: true });
    expect(names()).toContain('bookkept');
    expect(ctx.transact(() => 7)).toBe(7);
  });
  it('is joined by a nested one', () => {
    expect(() =>
      ctx.transact((tx) => {
        tx.transact((inner) => change(inner, 'nested'));
        tx.record('release.created', facts);
        throw new Error('outer');
      }),
    ).toThrow('outer');
    expect(names()).not.toContain('nested');
  });
  it('has the same time throughout', () => {
    ctx.transact((tx) => {
      const { now } = tx;
      opened.clock.advance(5000);
      expect(tx.now).toBe(now);
    });
  });
});
