// The cleanup job mfa-reminders: members get reminders before the grace period ends.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAY } from '../../src/lib/clock.ts';
import { formatMailDay } from '../../src/mail/dates.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api } from '../support/harness.ts';
import { addPerson } from '../support/people.ts';

let fixture: Fixture;
let start: number;
beforeEach(async () => {
  fixture = await startFixture();
  start = fixture.clock.now().getTime();
});
afterEach(() => fixture.stop());

const sweep = () => fixture.sweep('mfa-reminders');
const moveTo = (days: number) => fixture.clock.set(new Date(start + days * DAY));
const mailsTo = (email: string) => fixture.mail.messages.filter(({ to }) => to === email);

async function setPolicy(policy: { required: boolean; grace_period_days: number; passkey_satisfies: boolean }) {
  const path = `/api/v1/organizations/${fixture.organization_id}/mfa-policy`;
  expect((await api(fixture).put(path, policy)).status).toBe(200);
}

describe('reminders of required two-factor authentication', () => {
  it('are sent at the start, and a week and a day before the end', async () => {
    await setPolicy({ required: true, grace_period_days: 30, passkey_satisfies: true });
    const sent: number[] = [];
    for (let day = 0; day <= 40; day += 1) {
      moveTo(day + 0.5);
      for (let count = await sweep(); count > 0; count -= 1) sent.push(day);
      expect(await sweep()).toBe(0);
    }
    expect(sent).toEqual([0, 23, 29]);
    const mails = mailsTo(fixture.admin.email);
    expect(mails).toHaveLength(3);
    const end = formatMailDay(start + 30 * DAY);
    expect(mails[0]?.subject).toBe(`Set up two-factor authentication before ${end}`);
    expect(mails[0]?.text).toContain('The organization “Fixture Organization” at http');
    expect(mails[0]?.text).toContain('You can add an authenticator app or a passkey');
  });

  it('are combined if the period is short', async () => {
    await setPolicy({ required: true, grace_period_days: 1, passkey_satisfies: true });
    moveTo(0.5);
    expect(await sweep()).toBe(1);
    moveTo(0.9);
    expect(await sweep()).toBe(0);
  });

  it('are not sent without a grace period or a policy', async () => {
    expect(await sweep()).toBe(0);
    await setPolicy({ required: false, grace_period_days: 30, passkey_satisfies: true });
    expect(await sweep()).toBe(0);
    await setPolicy({ required: true, grace_period_days: 0, passkey_satisfies: true });
    expect(await sweep()).toBe(0);
  });

  it('are sent to members without a method that satisfies the policy', async () => {
    const member = { organizations: { [fixture.organization_id]: 'member' as const } };
    const people = {
      bare: await addPerson(fixture, member),
      totp: await addPerson(fixture, { ...member, hasTotp: true }),
      passkey: await addPerson(fixture, member),
      locked: await addPerson(fixture, { ...member, isLocked: true }),
      unverified: await addPerson(fixture, { ...member, isVerified: false }),
      stranger: await addPerson(fixture),
    };
    fixture.app.db.$client.prepare('UPDATE developers SET passkey_count = 1 WHERE id = ?').run(people.passkey.id);
    const counts = () =>
      Object.fromEntries(Object.entries(people).map(([name, { email }]) => [name, mailsTo(email).length]));
    const expected = { bare: 1, totp: 0, passkey: 0, locked: 0, unverified: 0, stranger: 0 };
    await setPolicy({ required: true, grace_period_days: 30, passkey_satisfies: true });
    expect(await sweep()).toBe(2);
    expect(counts()).toEqual(expected);
    await setPolicy({ required: true, grace_period_days: 30, passkey_satisfies: false });
    expect(await sweep()).toBe(1);
    expect(counts()).toEqual({ ...expected, passkey: 1 });
    const [mail] = mailsTo(people.passkey.email);
    for (const body of [mail?.text, mail?.html]) {
      expect(body).toContain('You can add an authenticator app in your account settings.');
      expect(body).toContain(`${fixture.config.server.base_url}/me`);
      expect(body).not.toContain('or a passkey');
    }
  });

  it('count from the time a member joined, and restart when the end changes', async () => {
    await setPolicy({ required: true, grace_period_days: 30, passkey_satisfies: true });
    await sweep();
    moveTo(20);
    const late = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'member' } });
    expect(await sweep()).toBe(1);
    const end = formatMailDay(start + 50 * DAY);
    expect(mailsTo(late.email)[0]?.text).toContain(`before ${end}`);
    fixture.app.db.$client.exec('UPDATE organizations SET mfa_grace_period_days = 60');
    expect(await sweep()).toBe(2);
    expect(await sweep()).toBe(0);
  });

  it('continue when they are run again after an interruption', async () => {
    const people = [];
    for (let number = 0; number < 450; number += 1) {
      people.push(await addPerson(fixture, { organizations: { [fixture.organization_id]: 'member' } }));
    }
    await setPolicy({ required: true, grace_period_days: 30, passkey_satisfies: true });
    const { $client: client } = fixture.app.db;
    client.exec(`CREATE TRIGGER power_cut BEFORE INSERT ON mfa_reminders WHEN new.developer_id = '${people[300]?.id}'
      BEGIN SELECT RAISE(ABORT, 'power cut'); END`);
    await expect(sweep()).rejects.toThrow('power cut');
    client.exec('DROP TRIGGER power_cut');
    await sweep();
    const recipients = fixture.mail.messages.map(({ to }) => to);
    expect(recipients).toHaveLength(451);
    expect(new Set(recipients).size).toBe(451);
  });
});
