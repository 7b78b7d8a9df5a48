// Enrollment links stop working when the organization is locked, or when their owner leaves or is locked.
import { and, eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  developers,
  deviceEnrollments,
  devices,
  organizationMemberships,
  organizations,
} from '../../src/data/tables/tables.ts';
import { HOUR } from '../../src/lib/clock.ts';
import type { Fixture } from '../../src/testing/fixture.ts';
import { api, comparable, expectRefusal } from '../support/harness.ts';
import { addPerson } from '../support/people.ts';
import { type DeviceScenario, type Link, startDeviceScenario } from './scenario.ts';

let scenario: DeviceScenario;
let fixture: Fixture;

beforeAll(async () => {
  scenario = await startDeviceScenario();
  fixture = scenario.fixture;
});
afterAll(() => scenario?.stop());
afterEach(() => {
  lock(null);
  fixture.app.db.delete(deviceEnrollments).run();
});

const here = () => ({ organization_id: fixture.organization_id });
const own = '/api/v1/testers/me/devices/enrollments';
const member = () => addPerson(fixture, { organizations: { [fixture.organization_id]: 'member' } });
const lock = (lockReason: 'suspended' | 'awaiting_payment' | 'grace' | null) =>
  fixture.app.db.update(organizations).set({ lockReason }).where(eq(organizations.id, fixture.organization_id)).run();

/** Page, profile and answer are those of a link that never was, and nothing is registered. */
async function expectDead(link: Link, challenge: string): Promise<void> {
  const anyone = api(fixture, null);
  const paths = (token: string) => [`/public/v1/enroll/${token}`, `/public/v1/enroll/${token}/profile`];
  const [dead, never] = [link.token, 'x'.repeat(43)].map((token) => paths(token).map((path) => anyone.get(path)));
  const answers = (await Promise.all(dead ?? [])).map(comparable);
  expect(answers).toEqual((await Promise.all(never ?? [])).map(comparable));
  expect(answers.map(({ status }) => status)).toEqual([404, 404]);
  expect((await scenario.answer(link, challenge)).status).toBe(404);
  expect(fixture.app.db.select().from(devices).all()).toEqual([]);
}

describe('a locked organization', () => {
  it.each([
    ['suspended', 'billing_suspended'],
    ['awaiting_payment', 'payment_required'],
    ['grace', 'trial_ended'],
  ] as const)('that is %s rejects links for testers and members', async (reason, code) => {
    const { client } = await member();
    lock(reason);
    expectRefusal(await client.post(own, {}, here()), 402, code);
    expectRefusal(await client.post('/api/v1/devices/enrollments', {}, here()), 402, code);
    const stranger = await addPerson(fixture);
    expectRefusal(await stranger.client.post(own, {}, here()), 404, 'not_found');
  });

  it('registers no devices through existing links', async () => {
    const link = await scenario.link();
    const challenge = await scenario.challenge(link);
    lock('awaiting_payment');
    await expectDead(link, challenge);
    lock(null);
    expect((await scenario.answer(link, challenge)).status).toBe(301);
    fixture.app.db.delete(devices).run();
  });
});

describe('an organization that requires two-factor authentication', () => {
  it('requires it from members for every kind of link', async () => {
    const require = (mfaRequiredAt: number | null) =>
      fixture.app.db.update(organizations).set({ mfaRequiredAt, mfaGracePeriodDays: 0 }).run();
    const { client } = await member();
    require(1);
    try {
      fixture.clock.advance(1);
      expectRefusal(await client.post('/api/v1/devices/enrollments', {}, here()), 403, 'mfa_enrollment_required');
      expectRefusal(await client.post(own, {}, here()), 403, 'mfa_enrollment_required');
    } finally {
      require(null);
    }
    expect((await client.post(own, {}, here())).status).toBe(201);
  });
});

describe('the link that a person created for others', () => {
  const manager = () => addPerson(fixture, { organizations: { [fixture.organization_id]: 'manager' } });
  const memberPath = ({ id }: { id: string }) => `/api/v1/organizations/${fixture.organization_id}/members/${id}`;

  it('expires when the person is removed from the organization', async () => {
    const person = await member();
    const link = await scenario.link({}, person.client);
    const challenge = await scenario.challenge(link);
    expect((await (await scenario.installScenario.staff()).delete(memberPath(person))).status).toBe(204);
    await expectDead(link, challenge);
  });

  it('expires when the account of the person is locked', async () => {
    const person = await member();
    const link = await scenario.link({}, person.client);
    const challenge = await scenario.challenge(link);
    fixture.app.db.update(developers).set({ lockedAt: 1 }).where(eq(developers.id, person.id)).run();
    await expectDead(link, challenge);
  });

  it('expires with the role manager only if it has an owner', async () => {
    const person = await manager();
    const owner = await member();
    const owned = await scenario.link({ developer_id: owner.id }, person.client);
    const unowned = await scenario.link({}, person.client);
    const challenge = await scenario.challenge(owned);
    const staff = await scenario.installScenario.staff();
    expect((await staff.patch(memberPath(person), { role: 'member' })).status).toBe(200);
    await expectDead(owned, challenge);
    await scenario.enroll(unowned);
    fixture.app.db.delete(devices).run();
  });
});

describe('the link for a person', () => {
  it('expires when they leave the organization', async () => {
    const person = await member();
    const link = await scenario.link({ developer_id: person.id });
    const challenge = await scenario.challenge(link);
    const { organizationId, developerId } = organizationMemberships;
    fixture.app.db
      .delete(organizationMemberships)
      .where(and(eq(organizationId, fixture.organization_id), eq(developerId, person.id)))
      .run();
    await expectDead(link, challenge);
  });

  it('expires when their account is locked', async () => {
    const person = await member();
    const link = await scenario.link({ developer_id: person.id });
    const challenge = await scenario.challenge(link);
    fixture.app.db.update(developers).set({ lockedAt: 1 }).where(eq(developers.id, person.id)).run();
    await expectDead(link, challenge);
  });

  it('counts towards their limit of 20 open links', async () => {
    const { client } = await member();
    const made = await Promise.all(Array.from({ length: 30 }, () => client.post(own, {}, here())));
    expect(made.filter(({ status }) => status === 201)).toHaveLength(20);
    const refused = await client.post(own, {}, here());
    expectRefusal(refused, 400, 'quota_exceeded');
    expect(refused.body).toMatchObject({ details: { limit: 20 } });
    expect((await (await member()).client.post(own, {}, here())).status).toBe(201);
    fixture.clock.advance(HOUR);
    try {
      expect(
        (await (await scenario.installScenario.staff()).post('/api/v1/devices/enrollments', {}, here())).status,
      ).toBe(201);
    } finally {
      fixture.clock.set(new Date());
    }
  });
});
