// Resending invitations.
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { memberInvitations } from '../../src/data/tables/tables.ts';
import { DAY, MINUTE } from '../../src/lib/clock.ts';
import { startFixture } from '../../src/testing/fixture.ts';
import { ABSENT, type Answer, api, auditMark, auditRows, comparable, expectRefusal } from '../support/harness.ts';
import { signInPerson } from '../support/people.ts';
import {
  accept,
  fixture,
  type Invitation,
  invite,
  invited,
  leastRole,
  mailedToken,
  newAddress,
  useServer,
} from './kinds-scenario.ts';

useServer();

describe.each(['organization', 'project'] as const)('resending an invitation to the %s', (kind) => {
  it('is rejected for five minutes, including after the first email', async () => {
    const { admin, invitePath, guest } = await invited(kind);
    const refused = await admin.client.post(`${invitePath}/resend`);
    const { retry_after_seconds: seconds } = expectRefusal(refused, 429, 'rate_limit_exceeded');
    expect(Number(seconds)).toBeGreaterThan(290);
    expect(Number(seconds)).toBeLessThanOrEqual(300);
    expect(refused.headers.get('retry-after')).toBe(String(seconds));
    expect(fixture.mail.messages.filter(({ to }) => to === guest.email)).toHaveLength(1);
    fixture.clock.advance(5 * MINUTE - 5_000);
    expectRefusal(await admin.client.post(`${invitePath}/resend`), 429, 'rate_limit_exceeded');
    fixture.clock.advance(5_000);
    expect((await admin.client.post(`${invitePath}/resend`)).status).toBe(200);
    expectRefusal(await admin.client.post(`${invitePath}/resend`), 429, 'rate_limit_exceeded');
    expect(fixture.mail.messages.filter(({ to }) => to === guest.email)).toHaveLength(2);
  });

  it('sends a new link for another 14 days; the old one stops working', async () => {
    const { admin, invitePath, guest, invitation } = await invited(kind);
    fixture.clock.advance(13 * DAY);
    const boss = api(fixture, await signInPerson(fixture, admin));
    const after = auditMark(fixture);
    const { status, body } = await boss.post<Invitation>(`${invitePath}/resend`);
    expect(status).toBe(200);
    expect(Date.parse(body.sent_at) - Date.parse(invitation.sent_at)).toBeGreaterThanOrEqual(13 * DAY);
    expect(Date.parse(body.expires_at)).toBe(Date.parse(body.sent_at) + 14 * DAY);
    expect(auditRows(fixture, { after })).toMatchObject([
      {
        event: 'reinvited',
        type: kind === 'organization' ? 'org_invite' : 'project_invite',
        identifier: invitation.identifier,
      },
    ]);
    const token = mailedToken(guest.email);
    expect(token).not.toBe(invitation.token);
    expect(body.accept_url).not.toContain(token);
    expect(body.accept_url).not.toBe(invitation.accept_url);
    expect(JSON.stringify(auditRows(fixture, {}))).not.toContain(token);
    const client = api(fixture, await signInPerson(fixture, guest));
    expectRefusal(await accept(client, kind, invitation.token), 404, 'not_found');
    fixture.clock.advance(2 * DAY);
    const late = api(fixture, await signInPerson(fixture, guest));
    expect((await accept(late, kind, token)).status).toBe(200);
  });

  it('sends one email for fifty simultaneous requests', async () => {
    const { admin, invitePath, guest } = await invited(kind);
    fixture.clock.advance(5 * MINUTE);
    const answers = await Promise.all(Array.from({ length: 50 }, () => admin.client.post(`${invitePath}/resend`)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(49);
    expect(fixture.mail.messages.filter(({ to }) => to === guest.email)).toHaveLength(2);
  });

  it('returns the same 404 for everything that is not open, and so does revoking', async () => {
    const { admin, guest, invitation, invitePath, path } = await invited(kind);
    const elsewhere = await invited(kind);
    const revoked = await invite(admin, path[kind], { email: newAddress(), role: leastRole[kind] });
    const lapsed = await invite(admin, path[kind], { email: newAddress(), role: leastRole[kind] });
    await accept(guest.client, kind, invitation.token);
    expect((await admin.client.delete(`${path[kind]}/${revoked.identifier}`)).status).toBe(204);
    fixture.app.db
      .update(memberInvitations)
      .set({ expiresAt: fixture.clock.now().getTime() - 1 })
      .where(eq(memberInvitations.id, lapsed.identifier))
      .run();
    const targets = [
      invitePath,
      `${path[kind]}/${revoked.identifier}`,
      `${path[kind]}/${lapsed.identifier}`,
      `${path[kind]}/${elsewhere.invitation.identifier}`,
      `${path[kind]}/${ABSENT}`,
    ];
    const answers = [];
    for (const target of targets) {
      answers.push(await admin.client.post(`${target}/resend`), await admin.client.delete(target));
    }
    expect(new Set(answers.map((answer) => JSON.stringify(comparable(answer)))).size).toBe(1);
    expectRefusal(answers[0] as Answer<unknown>, 404, 'not_found');
  });
});

describe('a configured cooldown', () => {
  it('is used', async () => {
    await using own = await startFixture({ config: { limits: { member_invitation_resend_minutes: 0 } } });
    const path = `/api/v1/organizations/${own.organization_id}/invites`;
    const { body } = await api(own).post(path, { email: 'guest@example.test', role: 'member' });
    for (let count = 0; count < 3; count++) {
      expect((await api(own).post(`${path}/${body.identifier}/resend`)).status).toBe(200);
    }
    expect(own.mail.messages.filter(({ to }) => to === 'guest@example.test')).toHaveLength(4);
  });
});
