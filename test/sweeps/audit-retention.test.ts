// The cleanup job audit-retention: old events are deleted, and the chains can still be verified.
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifyAuditTrail } from '../../src/audit/verify.ts';
import { systemContext } from '../../src/core/transact.ts';
import { auditCheckpoints, developers, organizationMemberships, organizations } from '../../src/data/tables/tables.ts';
import { DAY, MINUTE } from '../../src/lib/clock.ts';
import { MAIL_BATCH_JOB } from '../../src/mail/batches.ts';
import { formatMailDay } from '../../src/mail/dates.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { countRowsInOneTurn, countWritesInOneTurn } from '../support/turns.ts';

let fixture: Fixture;
beforeEach(async () => {
  fixture = await startFixture();
});
afterEach(() => fixture.stop());

function record(...identifiers: string[]): void {
  const { organization_id: organizationId } = fixture;
  systemContext(fixture.app).transact((tx) => {
    for (const identifier of identifiers) tx.record('channel.edited', { identifier, organizationId });
  });
}

const database = () => fixture.app.db.$client;
const announce = () => fixture.sweep('audit-retention');
/** Announces what is due, and removes it a week later. */
async function sweep(): Promise<number> {
  expect(await announce()).toBe(0);
  fixture.clock.advance(7 * DAY);
  return announce();
}
const kept = () =>
  database()
    .prepare("SELECT identifier FROM audit_events WHERE event = 'edited' AND organization_id = ? ORDER BY sequence")
    .pluck()
    .all(fixture.organization_id);
const verify = () => verifyAuditTrail(database(), fixture.app.secrets.keyring).problems;
const countRows = () => Number(database().prepare('SELECT count(*) FROM audit_events').pluck().get());
const setTier = (tier: 'team' | 'business') =>
  fixture.app.db.update(organizations).set({ tier }).where(eq(organizations.id, fixture.organization_id)).run();

describe('audit retention', () => {
  it('reads few rows before it lets other requests run, and few chains of which nothing is deleted', async () => {
    const people = 500;
    const { app } = fixture;
    for (let number = 0; number < people; number += 1)
      app.db.$client
        .prepare(
          `INSERT INTO audit_events (id, developer_id, timestamp, event, type, identifier, actor_kind, details, chain, sequence, hash)
            VALUES (@id, NULL, @now, 'edited', 'channel', 'c', 'system', '{}', @id, 1, '')`,
        )
        .run({ id: app.ids.next(), now: app.clock.now().getTime() });
    expect(await countRowsInOneTurn(database(), announce)).toBeLessThan(150);
  });

  it('deletes fewer rows in its first steps than in later ones', async () => {
    for (let n = 0; n < 5; n += 1) record(...Array.from({ length: 100 }, () => 'old'));
    fixture.clock.advance(360 * DAY);
    expect(await announce()).toBe(0);
    fixture.clock.advance(7 * DAY);
    const before = kept().length;
    let first = 0;
    const look = () => {
      first = before - kept().length;
      if (first === 0) setImmediate(look);
    };
    setImmediate(look);
    expect(await announce()).toBeGreaterThan(500);
    // Of few rows of other chains, the first steps were quick.
    expect(first).toBeLessThan(100);
  });

  it('keeps 365 days on Business and 90 on Team, to the millisecond', async () => {
    record('old');
    const start = fixture.clock.now().getTime();
    fixture.clock.set(new Date(start + 358 * DAY + 1_000));
    expect(await announce()).toBe(0);
    fixture.clock.set(new Date(start + 365 * DAY - 10_000));
    record('young');
    expect(await announce()).toBe(0);
    fixture.clock.set(new Date(start + 365 * DAY + 10_000));
    expect(await announce()).toBeGreaterThan(6);
    expect(kept()).toEqual(['young']);
    setTier('team');
    fixture.clock.set(new Date(start + (358 + 90) * DAY));
    expect(await announce()).toBe(0);
    fixture.clock.set(new Date(start + (365 + 90) * DAY - 20_000));
    expect(await announce()).toBe(0);
    fixture.clock.set(new Date(start + (365 + 90) * DAY));
    expect(await announce()).toBe(1);
    expect(kept()).toEqual([]);
    expect(verify()).toEqual([]);
  });

  it('deletes no further events when the plan is raised while it runs', async () => {
    setTier('team');
    record(...Array.from({ length: 1_000 }, () => 'old'));
    fixture.clock.advance(100 * DAY);
    expect(await announce()).toBe(0);
    fixture.clock.advance(7 * DAY);
    const raise = () => {
      if (kept().length < 1_000) setTier('business');
      else waiting = setImmediate(raise);
    };
    let waiting = setImmediate(raise);
    await announce();
    clearImmediate(waiting);
    expect(kept().length).toBeGreaterThan(500);
    expect(kept().length).toBeLessThan(1_000);
    expect(verify()).toEqual([]);
  });

  it('emails the admins of an organization a week before, once for daily deletions', async () => {
    const mails = () => fixture.mail.messages.filter(({ subject }) => subject.startsWith('Audit events'));
    record('old');
    fixture.clock.advance(400 * DAY);
    expect(await announce()).toBe(0);
    expect(kept()).toEqual(['old']);
    const removedFrom = formatMailDay(fixture.clock.now().getTime() + 7 * DAY);
    expect(mails()).toMatchObject([
      { to: fixture.admin.email, subject: 'Audit events of “Fixture Organization” will be deleted' },
    ]);
    expect(mails()[0]?.text).toContain(`Starting ${removedFrom}, audit events of “Fixture Organization”`);
    for (let day = 0; day < 6; day += 1) {
      fixture.clock.advance(DAY);
      expect(await announce()).toBe(0);
    }
    fixture.clock.advance(DAY);
    expect(await announce()).toBeGreaterThan(0);
    expect(kept()).toEqual([]);
    expect(mails()).toHaveLength(1);
  });

  it('emails the admins of a quiet organization once, and again if its plan keeps less', async () => {
    const mails = () => fixture.mail.messages.filter(({ subject }) => subject.startsWith('Audit events')).length;
    record('old');
    fixture.clock.advance(20 * DAY);
    record('after a break');
    fixture.clock.advance(338 * DAY);
    for (const days of [1, 2, 2, 2, 2, 11, 2, 2, 2, 2, 2]) {
      fixture.clock.advance(days * DAY);
      await announce();
    }
    expect([kept(), mails()]).toEqual([[], 1]);
    record('new');
    fixture.clock.advance(100 * DAY);
    setTier('team');
    await announce();
    expect([kept(), mails()]).toEqual([['new'], 2]);
  });

  it('writes the emails to many admins in batches, each once', async () => {
    const { app, organization_id: organizationId, admin } = fixture;
    const createdAt = fixture.clock.now().getTime();
    const others = Array.from({ length: 59 }, (_, number) => `admin-${number}@example.test`);
    for (const email of others) {
      const id = app.ids.next();
      const row = { id, email, displayName: 'Admin', createdAt, emailVerifiedAt: createdAt };
      app.db.insert(developers).values(row).run();
      app.db
        .insert(organizationMemberships)
        .values({ organizationId, developerId: id, role: 'admin', createdAt })
        .run();
    }
    const told = () =>
      fixture.mail.messages
        .filter(({ subject }) => subject.startsWith('Audit events'))
        .map(({ to }) => to)
        .sort();
    fixture.clock.advance(400 * DAY);
    database().exec(`CREATE TRIGGER power_cut BEFORE DELETE ON jobs WHEN old.kind = '${MAIL_BATCH_JOB}'
      BEGIN SELECT RAISE(ABORT, 'power cut'); END`);
    // Each email is a row, and so is the job that sends it.
    expect(await countWritesInOneTurn(database(), announce)).toBeLessThan(100);
    await fixture.drain();
    expect(told()).toEqual([admin.email, ...others].sort());
    database().exec('DROP TRIGGER power_cut');
    fixture.clock.advance(MINUTE);
    await fixture.drain();
    expect(told()).toEqual([admin.email, ...others].sort());
    expect(database().prepare('SELECT count(*) FROM jobs WHERE kind = ?').pluck().get(MAIL_BATCH_JOB)).toBe(0);
  });

  it('deletes nothing after a wrong reading of the clock, nor after it is corrected', async () => {
    record('kept');
    const before = countRows();
    fixture.clock.advance(12 * 365 * DAY);
    expect(await announce()).toBe(0);
    fixture.clock.advance(-12 * 365 * DAY);
    expect(await announce()).toBe(0);
    expect(countRows()).toBe(before);
  });

  it('truncates personal trails by the plan of new organizations', async () => {
    const personal = () =>
      database().prepare('SELECT count(*) FROM audit_events WHERE chain = ?').pluck().get(fixture.admin.developer_id);
    setTier('team');
    fixture.clock.advance(100 * DAY);
    await sweep();
    expect(kept()).toEqual([]);
    expect(personal()).toBeGreaterThan(0);
    fixture.clock.advance(300 * DAY);
    await sweep();
    expect(personal()).toBe(0);
    expect(verify()).toEqual([]);
  });

  it('keeps events forever if the plan has 0', async () => {
    await using own = await startFixture({
      config: { plans: { business: { audit_retention_days: 0 }, default_tier: 'business' } },
    });
    own.clock.advance(36_500 * DAY);
    expect(await own.sweep('audit-retention')).toBe(0);
  });

  it('continues the chain, also if all its events were deleted', async () => {
    record('1', '2', '3');
    fixture.clock.advance(400 * DAY);
    await sweep();
    expect(countRows()).toBe(0);
    expect(verify()).toEqual([]);
    record('4');
    const row = database().prepare("SELECT sequence FROM audit_events WHERE identifier = '4'").pluck().get();
    // Five events made the world of the fixture in this chain, one the token.
    expect(row).toBe(6 + 3 + 1);
    expect(verify()).toEqual([]);
    database().exec("UPDATE audit_events SET event = 'created' WHERE identifier = '4'");
    expect(verify()).toMatchObject([{ problem: 'altered', sequence: 10 }]);
  });

  it('deletes only the oldest events: those behind a newer one stay', async () => {
    record('first');
    fixture.clock.advance(400 * DAY);
    record('young');
    fixture.clock.advance(-20 * DAY);
    record('written while the clock was wrong');
    fixture.clock.advance(370 * DAY);
    await sweep();
    expect(kept()).toEqual(['young', 'written while the clock was wrong']);
    expect(verify()).toEqual([]);
  });

  it('seals the truncated part with all its fields', async () => {
    record('1', '2', '3');
    fixture.clock.advance(400 * DAY);
    record('4');
    await sweep();
    const chain = fixture.organization_id;
    const [point] = fixture.app.db.select().from(auditCheckpoints).where(eq(auditCheckpoints.chain, chain)).all();
    expect(point).toMatchObject({ sequence: 9, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    for (const changes of [{ sequence: 8 }, { hash: '0'.repeat(64) }, { trimmedAt: 1 }, { seal: 'x.y' }]) {
      fixture.app.db.update(auditCheckpoints).set(changes).where(eq(auditCheckpoints.chain, chain)).run();
      expect(verify().length, JSON.stringify(changes)).toBeGreaterThan(0);
      if (point !== undefined) {
        fixture.app.db.update(auditCheckpoints).set(point).where(eq(auditCheckpoints.chain, chain)).run();
      }
      expect(verify()).toEqual([]);
    }
  });

  it('continues when it is run again after an interruption', async () => {
    record(...Array.from({ length: 2_500 }, (_, index) => `n${index}`));
    const before = countRows();
    fixture.clock.advance(400 * DAY);
    record('young');
    database().exec(`CREATE TRIGGER power_cut BEFORE DELETE ON audit_events WHEN old.identifier = 'n1700'
      BEGIN SELECT RAISE(ABORT, 'power cut'); END`);
    await expect(sweep()).rejects.toThrow('power cut');
    expect(verify()).toEqual([]);
    const left = countRows();
    expect(left).toBeLessThan(before - 900);
    database().exec('DROP TRIGGER power_cut');
    expect(await announce()).toBe(left - 1);
    expect(kept()).toEqual(['young']);
    expect(await announce()).toBe(0);
    expect(verify()).toEqual([]);
  });

  it('logs the heads of all chains that have grown', async () => {
    const lines: unknown[] = [];
    const log = { ...fixture.app.log, info: (facts: unknown) => void lines.push(facts) };
    Object.assign(fixture.app, { log });
    const heads = () => lines.flatMap((line) => (line as { audit_heads?: string[] }).audit_heads ?? []).sort();
    await announce();
    const verdict = verifyAuditTrail(database(), undefined);
    const ends = verdict.heads.map(({ chain, sequence, hash }) => `${chain}:${sequence}:${hash}`);
    expect(heads()).toEqual(ends.sort());
    lines.length = 0;
    fixture.clock.advance(3 * DAY);
    await announce();
    fixture.clock.advance(3 * DAY);
    lines.length = 0;
    record('growth');
    await announce();
    expect(heads()).toEqual([expect.stringMatching(`^${fixture.organization_id}:7:[0-9a-f]{64}$`)]);
  });
});

describe('deleting an account', () => {
  it('deletes its trail, including the checkpoint', async () => {
    const { admin, app } = fixture;
    fixture.clock.advance(400 * DAY);
    await sweep();
    const count = () =>
      app.db.select().from(auditCheckpoints).where(eq(auditCheckpoints.chain, admin.developer_id)).all();
    expect(count()).toHaveLength(1);
    app.db.$client.prepare('UPDATE developers SET deletion_due_at = 1, locked_at = 1').run();
    expect(await fixture.sweep('account-deletions')).toBe(1);
    expect(count()).toEqual([]);
    expect(verify()).toEqual([]);
    const service = app.db.$client.prepare("SELECT event, identifier FROM audit_events WHERE chain = 'service'");
    expect(service.all()).toEqual([{ event: 'deleted', identifier: admin.developer_id }]);
  });
});
