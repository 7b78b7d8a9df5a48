// Tester groups: members, grants and notifications.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { markAddressVerified } from '../../src/accounts/email-verification.ts';
import { systemContext } from '../../src/core/transact.ts';
import { updateDeveloper } from '../../src/developers/store.ts';
import {
  ABSENT,
  auditMark,
  auditRows,
  expectInvalid,
  expectRefusal,
  type Json,
  walkPages,
} from '../support/harness.ts';
import { mailKinds } from '../support/mailbox.ts';
import { addOrganization, addProject } from '../support/people.ts';
import { type Channel, startTesterScenario, type TesterScenario } from './scenario.ts';

interface Named extends Json {
  identifier: string;
}

let scenario: TesterScenario;
let groups: string;
let channel: Channel;

beforeAll(async () => {
  scenario = await startTesterScenario();
  groups = `${scenario.organizationPath}/tester-groups`;
  channel = await scenario.makeChannel();
});
afterAll(() => scenario?.fixture.stop());

async function makeGroup(body: Json = {}): Promise<{ id: string; path: string }> {
  const wanted = { name: `group ${scenario.fixture.app.ids.next()}`, ...body };
  const { body: made } = await scenario.admin.post<Named>(groups, wanted);
  return { id: made.identifier, path: `${groups}/${made.identifier}` };
}

const trail = (mark: string) =>
  auditRows(scenario.fixture, { after: mark }).map(({ event, type }) => `${type} ${event}`);

describe('a tester group', () => {
  it('is created, read, edited and deleted', async () => {
    const mark = auditMark(scenario.fixture);
    const made = await scenario.admin.post<Named>(groups, { name: ' QA ' });
    const { identifier: id } = made.body;
    const group = {
      identifier: id,
      organization_id: scenario.fixture.organization_id,
      name: 'QA',
      notify_on_release: true,
      member_count: 0,
      grant_count: 0,
      created_at: expect.any(String),
    };
    expect([made.status, made.body]).toEqual([201, group]);
    expect((await scenario.admin.get(`${groups}/${id}`)).body).toEqual(group);
    const edited = await scenario.admin.patch(`${groups}/${id}`, { notify_on_release: false });
    expect(edited.body).toEqual({ ...group, notify_on_release: false });
    expect((await scenario.admin.patch(`${groups}/${id}`, { name: 'QA' })).status).toBe(200);
    expect((await scenario.admin.delete(`${groups}/${id}`)).status).toBe(204);
    expectRefusal(await scenario.admin.get(`${groups}/${id}`), 404, 'not_found');
    expect(trail(mark)).toEqual(['tester_group created', 'tester_group edited', 'tester_group deleted']);
  });

  it('has a unique name in its organization', async () => {
    await makeGroup({ name: 'Beta' });
    expectRefusal(await scenario.admin.post(groups, { name: 'Beta' }), 409, 'already_exists');
    const other = await makeGroup({ name: 'Gamma' });
    expectRefusal(await scenario.admin.patch(other.path, { name: 'Beta' }), 409, 'already_exists');
    expectInvalid(await scenario.admin.post(groups, {}), 'body.name: missing');
    expectInvalid(await scenario.admin.post(groups, { name: '' }), 'body.name: string_too_short');
    expectInvalid(
      await scenario.admin.post(groups, { name: 'x', notify_on_release: 'yes' }),
      'body.notify_on_release: bool_type',
    );
  });

  it('counts members and grants, and is listed newest first', async () => {
    const group = await makeGroup();
    const person = await scenario.person();
    await scenario.admin.post(`${group.path}/members`, { email: person.email });
    await scenario.admin.post(`${group.path}/members`, { email: 'waits@elsewhere.example' });
    await scenario.admin.post(`${group.path}/grants`, { channel_id: channel.id });
    const [first] = (await walkPages<Named>(scenario.admin, groups, { limit: 2 })).flat();
    expect(first).toMatchObject({ identifier: group.id, member_count: 2, grant_count: 1 });
  });
});

describe('members of a group', () => {
  it('get access immediately if an account has the address, and otherwise when one verifies it', async () => {
    const group = await makeGroup();
    const members = `${group.path}/members`;
    const mark = auditMark(scenario.fixture);
    const there = await scenario.person({ name: 'Robin' });
    const added = await scenario.admin.post<Named>(members, { email: there.email });
    expect([added.status, added.body]).toEqual([
      201,
      {
        identifier: expect.any(String),
        group_id: group.id,
        email: there.email,
        status: 'active',
        is_verified: true,
        developer_id: there.id,
        display_name: 'Robin',
        created_at: expect.any(String),
        attached_at: expect.any(String),
      },
    ]);
    const email = 'later@elsewhere.example';
    const waiting = await scenario.admin.post<Named>(members, { email });
    expect(waiting.body).toMatchObject({
      email,
      status: 'pending',
      is_verified: false,
      developer_id: null,
      attached_at: null,
    });
    expect(mailKinds(scenario.fixture, email)).toEqual(['tester_group']);
    const later = await scenario.person({ isVerified: false });
    systemContext(scenario.fixture.app).transact((tx) => {
      markAddressVerified(tx, updateDeveloper(tx, later.id, { email }), 'verification_link');
    });
    expect((await scenario.admin.get(`${members}/${waiting.body.identifier}`)).body).toMatchObject({
      status: 'active',
      is_verified: true,
      developer_id: later.id,
    });
    for (const address of [there.email, email]) {
      expectRefusal(await scenario.admin.post(members, { email: address }), 409, 'already_exists');
    }
    expect((await scenario.admin.delete(`${members}/${added.body.identifier}`)).status).toBe(204);
    expectRefusal(await scenario.admin.delete(`${members}/${added.body.identifier}`), 404, 'not_found');
    expect((await walkPages<Named>(scenario.admin, members, { limit: 1 })).flat()).toHaveLength(1);
    expect(trail(mark)).toEqual([
      'tester_group_member created',
      'tester_group_member created',
      'developer email_verified',
      'tester_group_member accepted',
      'tester_group_member deleted',
    ]);
  });

  it('are found only in their own group', async () => {
    const [one, two] = [await makeGroup(), await makeGroup()];
    const { body } = await scenario.admin.post<Named>(`${one.path}/members`, { email: 'one@elsewhere.example' });
    expectRefusal(await scenario.admin.get(`${two.path}/members/${body.identifier}`), 404, 'not_found');
    expectRefusal(await scenario.admin.delete(`${two.path}/members/${body.identifier}`), 404, 'not_found');
    const { email } = await scenario.person();
    const people = [`${one.path} two@elsewhere.example`, `${two.path} one@elsewhere.example`];
    for (const person of [...people, `${one.path} ${email}`, `${two.path} ${email}`]) {
      const [path, address] = person.split(' ');
      expect((await scenario.admin.post(`${path}/members`, { email: address })).status).toBe(201);
    }
    for (const path of [`${groups}/${ABSENT}/members`, `${groups}/${ABSENT}/grants`]) {
      expectRefusal(await scenario.admin.get(path), 404, 'not_found');
    }
  });
});

describe('grants of a group', () => {
  it('contain a project or a channel of the organization', async () => {
    const group = await makeGroup();
    const grants = `${group.path}/grants`;
    const mark = auditMark(scenario.fixture);
    const project_id = scenario.fixture.android_project_id;
    const { status, body } = await scenario.admin.post<Named>(grants, { project_id });
    const grant = {
      identifier: expect.any(String),
      group_id: group.id,
      organization_id: scenario.fixture.organization_id,
      project_id,
      channel_id: null,
      created_at: expect.any(String),
    };
    expect([status, body]).toEqual([201, grant]);
    const narrow = await scenario.admin.post<Named>(grants, { channel_id: channel.id });
    expect(narrow.body).toEqual({ ...grant, channel_id: channel.id });
    expect((await scenario.admin.get(`${grants}/${body.identifier}`)).body).toEqual(body);
    expect((await walkPages<Named>(scenario.admin, grants, { limit: 1 })).flat()).toEqual([narrow.body, body]);
    expectRefusal(await scenario.admin.post(grants, { project_id }), 409, 'already_exists');
    expectRefusal(await scenario.admin.post(grants, { channel_id: channel.id }), 409, 'already_exists');
    expect((await scenario.admin.delete(`${grants}/${body.identifier}`)).status).toBe(204);
    expectRefusal(await scenario.admin.get(`${grants}/${body.identifier}`), 404, 'not_found');
    expect(trail(mark)).toEqual([
      'tester_group_grant created',
      'tester_group_grant created',
      'tester_group_grant deleted',
    ]);
  });

  it('contain exactly one of them, and none of another organization', async () => {
    const { path } = await makeGroup();
    const grants = `${path}/grants`;
    expectInvalid(await scenario.admin.post(grants, {}), 'body.project_id: missing');
    const both = { project_id: scenario.fixture.android_project_id, channel_id: channel.id };
    expectInvalid(await scenario.admin.post(grants, both), 'body.channel_id: value_error');
    expectInvalid(await scenario.admin.post(grants, { channel_id: 'x' }), 'body.channel_id: uuid_parsing');
    const owner = await scenario.person();
    const foreign = await addOrganization(owner);
    const project_id = await addProject(owner.client, foreign, { name: 'Elsewhere' });
    const inForeign = { organization_id: foreign, project_id };
    const made = await owner.client.post<Named>('/api/v1/channels', { name: 'theirs' }, inForeign);
    for (const target of [
      { project_id },
      { project_id: ABSENT },
      { channel_id: made.body.identifier },
      { channel_id: ABSENT },
    ]) {
      expectRefusal(await scenario.admin.post(grants, target), 404, 'not_found');
    }
    const throughForeign = `/api/v1/organizations/${foreign}/tester-groups/${path.split('/').at(-1)}`;
    for (const refused of [
      await owner.client.get(throughForeign),
      await owner.client.post(`${throughForeign}/members`, { email: owner.email }),
      await owner.client.post(`${throughForeign}/grants`, { project_id }),
    ]) {
      expectRefusal(refused, 404, 'not_found');
    }
    expect((await scenario.admin.get(path)).body).toMatchObject({ member_count: 0, grant_count: 0 });
    const name = 'in both organizations';
    await makeGroup({ name });
    expect((await owner.client.post(`/api/v1/organizations/${foreign}/tester-groups`, { name })).status).toBe(201);
  });
});
