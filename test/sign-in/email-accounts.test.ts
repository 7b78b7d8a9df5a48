// Accounts that are created by the first sign-in by email.
import { describe, expect, it } from 'vitest';
import { MINUTE } from '../../src/lib/clock.ts';
import { startFixture } from '../../src/testing/fixture.ts';
import { openEmailBrowser, SENDS_MAIL } from '../support/email-sign-in.ts';
import type { Tokens } from '../support/factors.ts';
import { api, auditMark, auditRows, createAccount, type Json, signIn } from '../support/harness.ts';
import { mailKinds, mailsTo } from '../support/mailbox.ts';
import {
  account,
  administrator,
  browser,
  change,
  fixture,
  inviteTester,
  reasonOf,
  requested,
  rowOf,
  unknownAddress,
  useEmailServer,
} from './email-scenario.ts';

useEmailServer();

describe('the first sign-in of an address', () => {
  it('creates the account of an invited tester, verified and without a password', async () => {
    const email = unknownAddress();
    await inviteTester(email);
    const { code } = await requested(email);
    expect(mailsTo(fixture, email)[0]?.text).toContain("You don't need a password");
    expect(rowOf(email)).toBeUndefined();
    const mark = auditMark(fixture);
    const { status, body } = await browser.confirm<Tokens>({ code });
    expect(status).toBe(200);
    const row = rowOf(email);
    expect(row).toMatchObject({ passwordHash: null, displayName: email.split('@')[0], isOperator: false });
    expect(row?.emailVerifiedAt).not.toBeNull();
    expect(auditRows(fixture, { after: mark }).map(({ event }) => event)).toEqual([
      'created',
      'accepted',
      'login_succeeded',
    ]);
    const mine = await api(fixture, body.access_token).get<{ items: Json[] }>('/api/v1/testers/me/organizations');
    expect(mine.body.items).toMatchObject([{ identifier: fixture.organization_id }]);
  });

  it('creates no account for addresses without an invitation, nor if the invitation was revoked after the email', async () => {
    const email = unknownAddress();
    await inviteTester(email);
    const { code } = await requested(email);
    const path = `/api/v1/projects/${fixture.android_project_id}/testers`;
    const client = await administrator();
    const { body } = await client.get<{ items: { identifier: string; email: string }[] }>(path);
    const grant = body.items.find((item) => item.email === email);
    expect((await client.delete(`${path}/${grant?.identifier}`)).status).toBe(204);
    expect(reasonOf(await browser.confirm({ code }))).toBe('unusable_code');
    expect(rowOf(email)).toBeUndefined();
  });

  it('creates no account while sign-up is closed', async () => {
    await using closed = await startFixture({
      config: { mail: SENDS_MAIL, accounts: { signup: 'closed' } },
    });
    const path = `/api/v1/projects/${closed.android_project_id}/testers`;
    await api(closed).post(path, { email: 'new@example.com' });
    await openEmailBrowser(closed).request('new@example.com');
    await closed.app.jobs.drain();
    expect(mailKinds(closed, 'new@example.com')).toEqual(['tester_grant']);
    expect(mailsTo(closed, 'new@example.com')[0]?.text).toContain('ask the operator of the server for an account');
  });

  it('removes what another person may have prepared in an unverified account', async () => {
    const squatter = await createAccount(fixture, { isVerified: false });
    const held = await signIn(fixture, squatter);
    change(squatter.developer_id, { totpEnabledAt: fixture.clock.now().getTime() });
    const { code } = await requested(squatter.email);
    const answer = await browser.confirm<Tokens>({ code });
    expect(answer.status).toBe(200);
    expect(rowOf(squatter.email)).toMatchObject({ passwordHash: null, totpEnabledAt: null });
    expect((await held.client.get('/api/v1/developers/me')).status).toBe(401);
    expect((await api(fixture, answer.body.access_token).get('/api/v1/developers/me')).status).toBe(200);
    const verified = auditRows(fixture, { identifier: squatter.developer_id }).find(
      ({ event }) => event === 'email_verified',
    );
    expect(verified?.details).toMatchObject({ how: 'email_sign_in' });
  });

  it('takes the address of an abandoned account', async () => {
    const email = unknownAddress();
    const abandoned = await createAccount(fixture, { email, isVerified: false });
    const now = fixture.clock.now().getTime();
    change(abandoned.developer_id, { lockedAt: now, deletionDueAt: now + MINUTE });
    await inviteTester(email);
    const { code } = await requested(email);
    expect((await browser.confirm({ code })).status).toBe(200);
    expect(rowOf(email)?.id).not.toBe(abandoned.developer_id);
  });

  it('is refused if the account was locked in between', async () => {
    const { code } = await requested();
    change(account.developer_id, { lockedAt: fixture.clock.now().getTime() });
    expect(reasonOf(await browser.confirm({ code }))).toBe('unusable_code');
  });
});
