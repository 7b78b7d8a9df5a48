// Emails that anyone can request for an address: the response takes the same work whether or not the address has an account.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestPasswordReset } from '../../src/accounts/password-reset.ts';
import { resendVerification } from '../../src/accounts/sign-up.ts';
import type { Context } from '../../src/core/context.ts';
import { systemContext } from '../../src/core/transact.ts';
import { updateDeveloper } from '../../src/developers/store.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api, createAccount } from '../support/harness.ts';
import { mailKinds } from '../support/mailbox.ts';
import { recordStatements, type StatementRecorder } from '../support/statements.ts';

let fixture: Fixture;
let recorder: StatementRecorder;
beforeAll(async () => {
  recorder = recordStatements();
  fixture = await startFixture();
});
afterAll(async () => {
  recorder.stop();
  await fixture?.stop();
});

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
])('requesting %s', (_what, request, path, expected) => {
  it('runs the same statements for every address, also on repetition', async () => {
    const ctx = systemContext(fixture.app);
    const kinds = await addresses();
    request(ctx, { email: 'prepares.the.statements@example.com' });
    const runs: string[][] = [];
    for (const email of Object.values(kinds)) runs.push(await recorder.during(() => request(ctx, { email })));
    expect(runs[0]?.some((sql) => /insert into "?jobs/i.test(sql))).toBe(true);
    for (const run of runs) expect(run).toEqual(runs[0]);
    const again: string[][] = [];
    for (const email of Object.values(kinds)) again.push(await recorder.during(() => request(ctx, { email })));
    for (const run of again) expect(run).toEqual(again[0]);
  });

  it('emails the right recipients once within the cooldown', async () => {
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
