// Cleanup jobs with many rows let other requests run between their steps.
import { eq } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listDueAccounts } from '../../src/accounts/deletion-store.ts';
import { CANCEL_SUBSCRIPTION_JOB } from '../../src/billing/cancellation.ts';
import { CONFIRM_PLAN_JOB } from '../../src/billing/plan-confirmation.ts';
import { deleteDeadJobs } from '../../src/core/job-store.ts';
import { systemContext } from '../../src/core/transact.ts';
import {
  accountLinks,
  challenges,
  developers,
  jobs,
  knownNetworks,
  mailCooldowns,
  memberInvitations,
  organizationMemberships,
  organizations,
  outboxMails,
  passwordGuesses,
  pendingUploads,
  refreshTokens,
  sessions,
  ssoSessions,
} from '../../src/data/tables/tables.ts';
import { DAY } from '../../src/lib/clock.ts';
import { DELETE_OLD_MAILS } from '../../src/mail/outbox.ts';
import { MEMBERSHIPS_AFTER } from '../../src/second-factors/reminders.ts';
import { deleteExpiredSessions } from '../../src/sessions/service.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { insertRows } from '../support/insert-rows.ts';
import { plansOf, stepsOn } from '../support/plans.ts';

let fixture: Fixture;
let old: number;
beforeEach(async () => {
  fixture = await startFixture();
  old = fixture.clock.now().getTime();
});
afterEach(() => fixture.stop());

/** Inserts so many rows, all with the same columns. */
function fill<Table extends SQLiteTable>(
  table: Table,
  count: number,
  make: (number: number) => Table['$inferInsert'],
): void {
  insertRows(
    fixture.app.db,
    table,
    Array.from({ length: count }, (_, number) => make(number)),
  );
}

function letGrowOld(): void {
  fixture.clock.advance(400 * DAY);
}

/** What a sweep removed, and how many rows of a table it deleted or added at most while nothing else could run. */
async function sweepInTurns(name: string, table: string): Promise<{ removed: number; atOnce: number }> {
  const count = fixture.app.db.$client.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck();
  let before = count.get() ?? 0;
  let atOnce = 0;
  let isOver = false;
  const look = () => {
    if (isOver) return;
    const now = count.get() ?? 0;
    atOnce = Math.max(atOnce, Math.abs(before - now));
    before = now;
    setImmediate(look);
  };
  setImmediate(look);
  const removed = await fixture.sweep(name);
  look();
  isOver = true;
  return { removed, atOnce };
}

describe('a cleanup job with many rows', () => {
  it('reads no emails that are kept', () => {
    const { $client } = fixture.app.db;
    const parameters = { firstKept: '0', before: 0, max: 1 };
    const plan = $client.prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${DELETE_OLD_MAILS}`);
    const searches = plan.all(parameters).map(({ detail }) => detail);
    expect(searches.filter((detail) => detail.includes('outbox_mails'))).toEqual([
      expect.stringMatching(/^SEARCH .*autoindex\S* \(id=\?\)$/),
      expect.stringMatching(/^SEARCH .*autoindex\S* \(id<\?\)$/),
    ]);
  });

  it('lets other requests run after fifty uploads', async () => {
    const { app, organization_id: organizationId, android_project_id: projectId } = fixture;
    const place = { organizationId, projectId, versionName: '1', createdAt: old, expiresAt: old };
    fill(pendingUploads, 500, (buildNumber) => {
      const id = app.ids.next();
      return { ...place, id, buildNumber, objectKey: `pending/${id}` };
    });
    letGrowOld();
    expect(await sweepInTurns('pending-uploads', 'pending_uploads')).toEqual({ removed: 500, atOnce: 50 });
  });

  it('lets other requests run after each account', async () => {
    const { app } = fixture;
    fill(developers, 20, (number) => {
      const email = `leaver-${number}@example.test`;
      const row = { email, displayName: 'Leaver', createdAt: old, lockedAt: old, deletionDueAt: old };
      return { ...row, id: app.ids.next() };
    });
    letGrowOld();
    expect(await sweepInTurns('account-deletions', 'developers')).toEqual({ removed: 20, atOnce: 1 });
  });

  it('lets other requests run between organizations without old builds', async () => {
    const { app } = fixture;
    fill(organizations, 1_000, (number) => {
      return { id: app.ids.next(), name: `Organization ${number}`, tier: 'team' as const, createdAt: old };
    });
    letGrowOld();
    let turns = 0;
    let next = setImmediate(function count() {
      turns += 1;
      next = setImmediate(count);
    });
    expect(await fixture.sweep('build-retention')).toBe(0);
    clearImmediate(next);
    // A thousand organizations take over 30 ms on any machine, and a step 5 ms.
    expect(turns).toBeGreaterThan(2);
  });

  it('lets other requests run between its first reminders and the next ones', async () => {
    const { app, organization_id: organizationId } = fixture;
    const ids = Array.from({ length: 100 }, () => app.ids.next());
    fill(developers, ids.length, (number) => {
      const email = `member-${number}@example.test`;
      return { id: ids[number] ?? '', email, displayName: 'Member', createdAt: old, emailVerifiedAt: old };
    });
    fill(organizationMemberships, ids.length, (number) => {
      return { organizationId, developerId: ids[number] ?? '', role: 'member' as const, createdAt: old };
    });
    letGrowOld();
    const now = fixture.clock.now().getTime();
    const policy = { mfaRequiredAt: now, mfaGracePeriodDays: 30 };
    app.db.update(organizations).set(policy).where(eq(organizations.id, organizationId)).run();
    const { removed, atOnce } = await sweepInTurns('mfa-reminders', 'mfa_reminders');
    expect(removed).toBe(101);
    // Steps of 10, 20 and 40 reminders at most, and the rest.
    expect(atOnce).toBeLessThanOrEqual(40);
    expect(await fixture.sweep('mfa-reminders')).toBe(0);
  });

  it('lets other requests run while it deletes invitations', async () => {
    const { app, organization_id: organizationId } = fixture;
    const invitedBy = fixture.admin.developer_id;
    fill(memberInvitations, 400, (number) => {
      const id = app.ids.next();
      const row = { id, organizationId, email: `invited-${number}@example.test`, tokenHash: `invitation ${number}` };
      const people = { role: 'member' as const, invitedBy, backedBy: invitedBy };
      return { ...row, ...people, createdAt: old, sentAt: old, expiresAt: old };
    });
    letGrowOld();
    const { removed, atOnce } = await sweepInTurns('invitations', 'member_invitations');
    expect(removed).toBe(400);
    // Steps of 25, 50, 100 and 200 rows at most, and the rest.
    expect(atOnce).toBeLessThanOrEqual(200);
  });

  it('finds the next members to remind with one query', () => {
    const { $client } = fixture.app.db;
    const plan = $client.prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${MEMBERSHIPS_AFTER}`);
    const steps = plan.all({ organizationId: '', developerId: '', limit: 1 }).map(({ detail }) => detail);
    expect(steps).toEqual([
      expect.stringMatching(/^SEARCH .*autoindex\S* \(\(organization_id,developer_id\)>\(\?,\?\)\)$/),
    ]);
  });

  const developerId = () => fixture.admin.developer_id;
  it('reads no sessions that have not ended', async () => {
    const context = systemContext(fixture.app);
    const plans = await plansOf(fixture.app.db.$client, () => deleteExpiredSessions(context, old, 1));
    expect(stepsOn('sessions', plans).filter((step) => / sessions USING /.test(step))).toEqual([
      expect.stringMatching(/^SEARCH sessions USING .*autoindex\S* \(id=\?\)$/),
      expect.stringMatching(/^SEARCH sessions USING .*sessions_expires_at \(expires_at<\?\)$/),
      expect.stringMatching(/^SEARCH sessions USING .*sessions_revoked_at \(revoked_at>\? AND revoked_at<\?\)$/),
    ]);
  });

  it('deletes jobs a week after they failed, except those that a plan or a subscription depends on', async () => {
    const { app } = fixture;
    const job = (kind: string, state: 'waiting' | 'dead', runAt: number) => {
      return { id: app.ids.next(), kind, payload: '{}', maxAttempts: 1, state, runAt, createdAt: old };
    };
    const addJob = (...facts: Parameters<typeof job>) =>
      app.db
        .insert(jobs)
        .values(job(...facts))
        .run();
    const step = { before: old, kept: [], max: 1 };
    const plans = await plansOf(app.db.$client, () => deleteDeadJobs(systemContext(app), step));
    expect(stepsOn('jobs', plans)).toContainEqual(
      expect.stringMatching(/^SEARCH jobs USING INDEX jobs_due \(state=\?\)$/),
    );
    fill(jobs, 1_200, (number) => job('no-handler', 'dead', old + number));
    letGrowOld();
    addJob('no-handler', 'dead', fixture.clock.now().getTime() - 6 * DAY);
    addJob('no-handler', 'waiting', fixture.clock.now().getTime() + DAY);
    addJob(CONFIRM_PLAN_JOB, 'dead', old);
    addJob(CANCEL_SUBSCRIPTION_JOB, 'dead', old);
    expect((await sweepInTurns('sessions', 'jobs')).atOnce).toBe(1_000);
    const left = app.db.select({ kind: jobs.kind, state: jobs.state }).from(jobs).orderBy(jobs.id).all();
    expect(left).toEqual([
      { kind: 'no-handler', state: 'dead' },
      { kind: 'no-handler', state: 'waiting' },
      { kind: CONFIRM_PLAN_JOB, state: 'dead' },
      { kind: CANCEL_SUBSCRIPTION_JOB, state: 'dead' },
    ]);
  });

  it('reads no accounts that are not scheduled for deletion', async () => {
    const plans = await plansOf(fixture.app.db.$client, () => listDueAccounts(fixture.app, old, 1));
    expect(stepsOn('developers', plans)).toEqual([
      expect.stringMatching(/^SEARCH developers USING INDEX developers_deletion_due /),
    ]);
  });

  it('lets other requests run while it looks for single sign-on data of deleted sessions', async () => {
    const { app, organization_id: organizationId } = fixture;
    const ids = Array.from({ length: 1_200 }, () => app.ids.next());
    fill(sessions, ids.length / 2, (number) => {
      const times = { createdAt: old, lastUsedAt: old, expiresAt: old + 10_000 * DAY };
      return { ...times, id: ids[number * 2] ?? '', developerId: developerId() };
    });
    fill(ssoSessions, ids.length, (number) => {
      const sessionId = ids[number] ?? '';
      return { sessionId, organizationId, entityId: 'https://idp.example', nameId: 'x', createdAt: old };
    });
    letGrowOld();
    expect((await sweepInTurns('sessions', 'sso_sessions')).atOnce).toBe(250);
    expect(app.db.select().from(ssoSessions).all()).toHaveLength(600);
    expect(await fixture.sweep('sessions')).toBe(0);
  });

  const MANY = 5_000;
  it.each<[string, () => void]>([
    [
      'challenges',
      () =>
        fill(challenges, MANY, () => {
          const row = { id: fixture.app.ids.next(), kind: 'captcha' as const, data: '{}' };
          return { ...row, createdAt: old, expiresAt: old };
        }),
    ],
    [
      'account_links',
      () =>
        fill(accountLinks, MANY, (number) => {
          const row = { kind: 'password_reset' as const, developerId: developerId(), email: 'a@b.example' };
          return { ...row, tokenHash: `link ${number}`, createdAt: old, expiresAt: old };
        }),
    ],
    [
      'mail_cooldowns',
      () =>
        fill(mailCooldowns, MANY, (number) => {
          return { kind: 'password_reset', recipient: `r-${number}@example.test`, sentAt: old };
        }),
    ],
    [
      'password_guesses',
      () => {
        fill(passwordGuesses, MANY, (number) => ({ subject: `s ${number}`, failures: 1, lastFailureAt: old }));
        fill(knownNetworks, MANY, (number) => {
          return { developerId: developerId(), networkHash: `n ${number}`, seenAt: old };
        });
      },
    ],
    [
      'outbox_mails',
      () =>
        fill(outboxMails, MANY, () => {
          const text = { kind: 'x', recipient: 'a@b.example', subject: 's', text: 't', html: 'h' };
          return { ...text, id: fixture.app.ids.next(), state: 'sent' as const, nextAttemptAt: old, createdAt: old };
        }),
    ],
    [
      'sessions',
      () => {
        const ids = Array.from({ length: MANY }, () => fixture.app.ids.next());
        const times = { createdAt: old, expiresAt: old };
        fill(sessions, MANY, (number) => {
          return { ...times, id: ids[number] ?? '', developerId: developerId(), lastUsedAt: old };
        });
        fill(refreshTokens, MANY, (number) => {
          return { ...times, tokenHash: `refresh ${number}`, sessionId: ids[number] ?? '' };
        });
      },
    ],
  ])('lets other requests run after a thousand rows of %s, and leaves none', async (table, make) => {
    make();
    letGrowOld();
    const { removed, atOnce } = await sweepInTurns('sessions', table);
    expect(removed).toBeGreaterThanOrEqual(MANY);
    expect(atOnce).toBeLessThanOrEqual(1_000);
    expect(await fixture.sweep('sessions')).toBe(0);
  });
});
