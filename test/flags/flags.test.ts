// Feature flags: the flags of an organization, and the effect of the server-wide flag.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemContext } from '../../src/core/transact.ts';
import { archiveFlag, describeFlags, type FlagKey, isFlagKey, setFlag } from '../../src/flags/service.ts';
import { ALL_SCOPES } from '../../src/permissions.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api, auditMark, auditRows, createAccount, expectRefusal } from '../support/harness.ts';
import { addOrganization, addPerson, personalTokenClient } from '../support/people.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

const path = (organizationId: string) => `/api/v1/organizations/${organizationId}/feature-flags`;
const read = (organizationId = fixture.organization_id) => api(fixture).get(path(organizationId));
const set = (key: FlagKey, organizationId: string | null, enabled: boolean) =>
  systemContext(fixture.app).transact((tx) => setFlag(tx, key, organizationId, enabled));
const archive = (key: FlagKey, isArchived: boolean) =>
  systemContext(fixture.app).transact((tx) => archiveFlag(tx, key, isArchived));

describe('the flags of an organization', () => {
  it('has both flags with their defaults', async () => {
    const answer = await read();
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        organization_id: fixture.organization_id,
        flags: { new_org_signups_enabled: true, beta_dashboard: false },
      },
    ]);
  });

  it('can be read by all members and their tokens, and by nobody else', async () => {
    const member = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'member' } });
    expect((await member.client.get(path(fixture.organization_id))).status).toBe(200);
    const token = { developerId: member.id, organizationId: fixture.organization_id };
    expect(
      (await personalTokenClient(fixture, { ...token, scopes: 1n }).get(path(fixture.organization_id))).status,
    ).toBe(200);
    expectRefusal(
      await personalTokenClient(fixture, { ...token, scopes: 2n }).get(path(fixture.organization_id)),
      403,
      'permission_denied',
    );
    const stranger = await addPerson(fixture);
    expectRefusal(await stranger.client.get(path(fixture.organization_id)), 404, 'not_found');
    expectRefusal(await api(fixture, null).get(path(fixture.organization_id)), 401, 'unauthorized');
    const all = personalTokenClient(fixture, { ...token, scopes: ALL_SCOPES });
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expectRefusal(await all.send(method, path(fixture.organization_id)), 405, 'method_not_allowed');
    }
  });

  it('can differ for flags that allow it', async () => {
    const person = await addPerson(fixture);
    const organizationId = await addOrganization(person);
    set('beta_dashboard', fixture.organization_id, true);
    expect((await read()).body).toMatchObject({ flags: { beta_dashboard: true } });
    expect((await person.client.get(path(organizationId))).body).toMatchObject({ flags: { beta_dashboard: false } });
    set('beta_dashboard', null, true);
    set('beta_dashboard', fixture.organization_id, false);
    expect((await read()).body).toMatchObject({ flags: { beta_dashboard: false } });
    expect((await person.client.get(path(organizationId))).body).toMatchObject({ flags: { beta_dashboard: true } });
    set('beta_dashboard', null, false);
  });

  it('omits archived flags until they are restored', async () => {
    set('beta_dashboard', fixture.organization_id, true);
    archive('beta_dashboard', true);
    expect((await read()).body).toMatchObject({ flags: { new_org_signups_enabled: true } });
    expect(Object.keys((await read()).body.flags as object)).toEqual(['new_org_signups_enabled']);
    archive('beta_dashboard', false);
    expect((await read()).body).toMatchObject({ flags: { beta_dashboard: true } });
  });

  it('is a fixed list, stored once for each organization', () => {
    expect(isFlagKey('beta_dashboard')).toBe(true);
    expect(['unknown', 'toString', '__proto__'].map(isFlagKey)).toEqual([false, false, false]);
    set('beta_dashboard', null, true);
    set('beta_dashboard', null, false);
    expect(describeFlags(fixture.app)).toEqual([
      { key: 'new_org_signups_enabled', default: true, enabled: null, isArchived: false, organizations: [] },
      {
        key: 'beta_dashboard',
        default: false,
        enabled: false,
        isArchived: false,
        organizations: [{ organizationId: fixture.organization_id, enabled: true }],
      },
    ]);
  });

  it('is recorded when the operator changes it', () => {
    const mark = auditMark(fixture);
    set('beta_dashboard', fixture.organization_id, false);
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      {
        event: 'edited',
        type: 'feature_flag',
        identifier: expect.stringMatching(/^[\da-f-]{36}$/),
        organizationId: fixture.organization_id,
        actorKind: 'system',
        details: { key: 'beta_dashboard', enabled: false },
      },
    ]);
    // The id is that of the flag in the organization, the same for every change.
    set('beta_dashboard', fixture.organization_id, true);
    const [first, second] = auditRows(fixture, { after: mark });
    expect(second?.identifier).toBe(first?.identifier);
  });
});

describe('creating organizations', () => {
  const found = async () => {
    const person = await addPerson(fixture);
    return person.client.post('/api/v1/organizations', { name: 'Slipway' });
  };

  it('can be turned off for everyone, but not for a single organization', async () => {
    set('new_org_signups_enabled', null, false);
    expectRefusal(await found(), 400, 'operation_not_allowed');
    // People without an organization can't read flags.
    const service = () => api(fixture, null).get<{ features: object }>('/api/v1/service');
    expect((await service()).body.features).toMatchObject({ new_organizations: false });
    expect((await read()).body).toMatchObject({ flags: { new_org_signups_enabled: false } });
    for (const enabled of [true, false]) {
      expect(() => set('new_org_signups_enabled', fixture.organization_id, enabled)).toThrow('whole server');
    }
    // The operator's own ways are not gated.
    await createAccount(fixture, { organizationName: 'Made by the operator' });
    set('new_org_signups_enabled', null, true);
    expect((await service()).body.features).toMatchObject({ new_organizations: true });
    expect((await found()).status).toBe(201);
  });

  it('is off while the flag is archived, because a missing flag is false', async () => {
    archive('new_org_signups_enabled', true);
    expectRefusal(await found(), 400, 'operation_not_allowed');
    archive('new_org_signups_enabled', false);
    expect((await found()).status).toBe(201);
  });
});
