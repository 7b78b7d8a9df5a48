// Mails that anybody can ask for by an address: the work of the answer is the same whether or not the address has an account.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LINK_MAIL_JOB } from '../src/accounts/link-mails.ts';
import { requestPasswordReset } from '../src/accounts/password-reset.ts';
import { resendVerification } from '../src/accounts/sign-up.ts';
import type { Context } from '../src/core/context.ts';
import { systemContext } from '../src/core/transact.ts';
import { jobs } from '../src/data/tables/tables.ts';
import { updateDeveloper } from '../src/developers/store.ts';
import { MINUTE } from '../src/lib/clock.ts';
import { type Fixture, startFixture } from '../src/testing/fixture.ts';
import { api, createAccount } from './harness.ts';
import { mailKinds } from './mailbox.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

/** The statements that some work runs on the database, in order. */
function statementsOf(work: () => void): string[] {
  const seen: string[] = [];
  const statement = fixture.app.db.$client.prepare('SELECT 1');
  const prototype = Object.getPrototypeOf(statement);
  const names = ['run', 'get', 'all', 'iterate'] as const;
  const originals = names.map((name) => [name, prototype[name]] as const);
  for (const [name, original] of originals) {
    prototype[name] = function (this: { source: string }, ...values: unknown[]) {
      seen.push(this.source);
      return original.apply(this, values);
    };
  }
  try {
    work();
  } finally {
    for (const [name, original] of originals) prototype[name] = original;
  }
  return seen;
}

async function addresses() {
  const [verified, waiting, locked] = [
    await createAccount(fixture),
    await createAccount(fixture, { isVerified: false }),
    await createAccount(fixture),
  ];
  systemContext(fixture.app).transact((tx) => updateDeveloper(tx, locked.developer_id, { lockedAt: tx.now }), {
    bookkeeping: true,
  });
  const unknown = `${fixture.app.ids.next()}@example.com`;
  return { verified: verified.email, waiting: waiting.email, locked: locked.email, unknown };
}

describe.each<[string, (ctx: Context, body: { email: string }) => unknown, string, Record<string, string[]>]>([
  [
    'a password reset',
    requestPasswordReset,
    '/api/v1/login/password_reset',
    { verified: ['password_reset'], waiting: ['password_reset'], locked: [], unknown: [] },
  ],
  [
    'another verification link',
    resendVerification,
    '/api/v1/developers/resend_verification',
    { verified: [], waiting: ['verify_email'], locked: [], unknown: [] },
  ],
])('asking for %s', (_what, request, path, expected) => {
  it('runs the same statements for every address, first and again', async () => {
    const ctx = systemContext(fixture.app);
    const kinds = await addresses();
    request(ctx, { email: 'prepares.the.statements@example.com' });
    const runs = Object.values(kinds).map((email) => statementsOf(() => void request(ctx, { email })));
    expect(runs[0]?.some((sql) => /insert into "mail_cooldowns/i.test(sql))).toBe(true);
    const queued = fixture.app.db.select().from(jobs).where(eq(jobs.kind, LINK_MAIL_JOB)).all();
    expect(queued).toHaveLength(runs.length + 1);
    for (const run of runs) expect(run).toEqual(runs[0]);
    const again = Object.values(kinds).map((email) => statementsOf(() => void request(ctx, { email })));
    for (const run of again) expect(run).toEqual(again[0]);
  });

  it('mails whoever is to get it, once within the cooldown', async () => {
    const kinds = await addresses();
    for (let round = 0; round < 2; round += 1) {
      for (const email of Object.values(kinds)) {
        expect((await api(fixture, null).post(path, { email })).status).toBe(202);
      }
    }
    await fixture.drain();
    const mails = () =>
      Object.fromEntries(Object.entries(kinds).map(([kind, email]) => [kind, mailKinds(fixture, email)]));
    expect(mails()).toEqual(expected);
    fixture.clock.advance(6 * MINUTE);
    for (const email of Object.values(kinds)) await api(fixture, null).post(path, { email });
    await fixture.drain();
    const twice = Object.fromEntries(Object.entries(expected).map(([kind, list]) => [kind, [...list, ...list]]));
    expect(mails()).toEqual(twice);
  });
});
