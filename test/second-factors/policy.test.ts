// The two-factor policy of an organization: who can change it, when it applies, and enrolling while it does.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DAY, MINUTE } from '../../src/lib/clock.ts';
import { ALL_SCOPES, scopes } from '../../src/permissions.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { addPasskeyOwner, addTotp, type Owner, removePasskey } from '../support/factors.ts';
import {
  type Account,
  api,
  auditMark,
  auditRows,
  type Client,
  createAccount,
  expectInvalid,
  expectRefusal,
  signIn,
} from '../support/harness.ts';
import { addPerson, join, personalTokenClient } from '../support/people.ts';

let fixture: Fixture;
let organizationId: string;
let admin: Owner;
const policyOf = (id: string) => `/api/v1/organizations/${id}/mfa-policy`;

beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

/** A session of now; access tokens do not outlive the days that these tests let pass. */
async function enter(account: Account): Promise<Owner> {
  const { client, access_token: accessToken } = await signIn(fixture, account);
  return { account, client, accessToken };
}

async function addMember(role: 'member' | 'manager' | 'admin'): Promise<Owner> {
  const account = await createAccount(fixture);
  join(fixture, account.developer_id, { organizations: { [organizationId]: role } });
  return enter(account);
}

beforeEach(async () => {
  admin = await enter(await createAccount(fixture));
  organizationId = (await admin.client.post('/api/v1/organizations', { name: 'Wharf' })).text;
});

const setPolicy = (client: Client, body: unknown) => client.put(policyOf(organizationId), body);
const reads = async (client: Client) => {
  const { status, body } = await client.get<{ error?: string }>(`/api/v1/organizations/${organizationId}/members`);
  return status === 200 ? 'allowed' : `${status} ${body.error}`;
};
const REFUSED = '403 mfa_enrollment_required';

describe('the two-factor policy', () => {
  it('requires nothing by default', async () => {
    expect((await admin.client.get(policyOf(organizationId))).body).toEqual({
      required: false,
      grace_period_days: 0,
      passkey_satisfies: true,
      required_since: null,
    });
  });

  it('is replaced as a whole, with its defaults, and recorded', async () => {
    const mark = auditMark(fixture);
    const wanted = { required: true, grace_period_days: 14, passkey_satisfies: false };
    const answer = await setPolicy(admin.client, wanted);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ...wanted, required_since: expect.stringMatching(/Z$/) });
    expect((await admin.client.get(policyOf(organizationId))).body).toEqual(answer.body);
    const from = { required: false, grace_period_days: 0, passkey_satisfies: true, required_since: null };
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      {
        event: 'org_mfa_policy_changed',
        type: 'org_mfa_policy',
        identifier: organizationId,
        organizationId,
        actorId: admin.account.developer_id,
        details: { from, to: answer.body },
      },
    ]);
    expect((await setPolicy(admin.client, { required: false })).body).toEqual(from);
  });

  it('keeps its start when it is saved again, and an unchanged policy is not recorded', async () => {
    const first = await setPolicy(admin.client, { required: true, grace_period_days: 14 });
    fixture.clock.advance(MINUTE);
    const mark = auditMark(fixture);
    expect((await setPolicy(admin.client, { required: true, grace_period_days: 14 })).body).toEqual(first.body);
    expect(auditRows(fixture, { after: mark })).toEqual([]);
    const longer = await setPolicy(admin.client, { required: true, grace_period_days: 30 });
    expect(longer.body).toEqual({ ...first.body, grace_period_days: 30 });
  });

  it('is rejected in an invalid form', async () => {
    expectInvalid(await setPolicy(admin.client, {}), 'body.required: missing');
    expectInvalid(
      await setPolicy(admin.client, { required: 'yes', grace_period_days: -1, passkey_satisfies: 1 }),
      'body.required: bool_type',
      'body.grace_period_days: greater_than_equal',
      'body.passkey_satisfies: bool_type',
    );
    expectInvalid(
      await setPolicy(admin.client, { required: true, grace_period_days: 366 }),
      'body.grace_period_days: less_than_equal',
    );
    expectInvalid(
      await setPolicy(admin.client, { required: true, grace_period_days: 1.5 }),
      'body.grace_period_days: int_type',
    );
  });

  it('can be changed by admins; a token requires ALL', async () => {
    for (const role of ['member', 'manager'] as const) {
      const { client } = await addMember(role);
      expectRefusal(await client.get(policyOf(organizationId)), 403, 'insufficient_role');
      expectRefusal(await setPolicy(client, { required: true }), 403, 'insufficient_role');
    }
    const stranger = await addPerson(fixture);
    expectRefusal(await stranger.client.get(policyOf(organizationId)), 404, 'not_found');
    const { developer_id: developerId } = admin.account;
    const token = (bits: bigint) => personalTokenClient(fixture, { developerId, organizationId, scopes: bits });
    expect((await token(scopes.read).get(policyOf(organizationId))).status).toBe(200);
    expectRefusal(await setPolicy(token(63n), { required: true }), 403, 'permission_denied');
    expect((await setPolicy(token(ALL_SCOPES), { required: true, grace_period_days: 1 })).status).toBe(200);
    expectRefusal(
      await api(fixture, fixture.project_access_token).get(policyOf(fixture.organization_id)),
      403,
      'permission_denied',
    );
  });
});

describe('required two-factor authentication', () => {
  it('rejects members without it after the grace period, including admins', async () => {
    const { account } = await addMember('member');
    await setPolicy(admin.client, { required: true, grace_period_days: 7 });
    fixture.clock.advance(7 * DAY - MINUTE);
    expect(await reads((await enter(account)).client)).toBe('allowed');
    fixture.clock.advance(MINUTE);
    for (const person of [account, admin.account]) expect(await reads((await enter(person)).client)).toBe(REFUSED);
    const { client } = await enter(admin.account);
    const refused = await client.get(policyOf(organizationId));
    expect(expectRefusal(refused, 403, 'mfa_enrollment_required')).toEqual({ passkey_satisfies: true });
    expectRefusal(await setPolicy(client, { required: false }), 403, 'mfa_enrollment_required');
  });

  it('applies immediately without a grace period, and to new members after theirs', async () => {
    const { client } = await addMember('member');
    await setPolicy(admin.client, { required: true });
    expect(await reads(client)).toBe(REFUSED);
    await setPolicy((await addTotp(fixture, admin)).client, { required: true, grace_period_days: 7 });
    fixture.clock.advance(30 * DAY);
    const late = await addMember('member');
    expect(await reads(late.client)).toBe('allowed');
    fixture.clock.advance(7 * DAY);
    expect(await reads((await enter(late.account)).client)).toBe(REFUSED);
  });

  it('allows enrolling, which restores access immediately', async () => {
    const member = await addMember('member');
    await setPolicy(admin.client, { required: true });
    expect(await reads(member.client)).toBe(REFUSED);
    expect((await member.client.get('/api/v1/mfa')).status).toBe(200);
    await addTotp(fixture, member);
    expect(await reads(member.client)).toBe('allowed');
    expect(await reads(admin.client)).toBe(REFUSED);
    await addPasskeyOwner(fixture, admin);
    expect(await reads(admin.client)).toBe('allowed');
  });

  it('can require an authenticator app if passkeys do not satisfy the policy', async () => {
    const member = await addMember('member');
    await addPasskeyOwner(fixture, member);
    await setPolicy(admin.client, { required: true, passkey_satisfies: false });
    const refused = await member.client.get(`/api/v1/organizations/${organizationId}/members`);
    expect(expectRefusal(refused, 403, 'mfa_enrollment_required')).toEqual({ passkey_satisfies: false });
    await addTotp(fixture, member);
    expect(await reads(member.client)).toBe('allowed');
  });

  it("also applies to the member's tokens", async () => {
    const member = await addMember('member');
    const { developer_id: developerId } = member.account;
    const token = personalTokenClient(fixture, { developerId, organizationId, scopes: scopes.read });
    await setPolicy(admin.client, { required: true });
    expect(await reads(token)).toBe(REFUSED);
    await addPasskeyOwner(fixture, member);
    expect(await reads(token)).toBe('allowed');
  });

  it('can be turned off by the member, who then loses access', async () => {
    const member = await addMember('member');
    const { passkeyId } = await addPasskeyOwner(fixture, member);
    const { recoveryCodes } = await addTotp(fixture, member);
    await setPolicy(admin.client, { required: true });
    expect((await removePasskey(fixture, member.client, passkeyId)).status).toBe(204);
    expect(await reads(member.client)).toBe('allowed');
    const body = { current_password: member.account.password, mfa_code: recoveryCodes[0] };
    expect((await member.client.post('/api/v1/mfa/disable', body)).status).toBe(204);
    expect(await reads(member.client)).toBe(REFUSED);
  });

  it('does not apply to other organizations', async () => {
    await setPolicy(admin.client, { required: true });
    expect((await admin.client.get('/api/v1/organizations')).status).toBe(200);
    const other = (await admin.client.post('/api/v1/organizations', { name: 'Elsewhere' })).text;
    expect((await admin.client.get(`/api/v1/organizations/${other}/members`)).status).toBe(200);
  });
});
