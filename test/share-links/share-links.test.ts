// Share links: creating, listing and revoking them through the API.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { passwordsOf } from '../../src/developers/password.ts';
import { DAY, HOUR } from '../../src/lib/clock.ts';
import { type InstallScenario, type Published, startInstallScenario } from '../install/scenario.ts';
import { buildDemoApk } from '../support/fixtures.ts';
import {
  ABSENT,
  auditMark,
  auditRows,
  expectInvalid,
  expectRefusal,
  type Json,
  outboxRows,
  type Page,
} from '../support/harness.ts';
import { addPerson } from '../support/people.ts';
import { browser, type CreatedLink, share } from './scenario.ts';

let scenario: InstallScenario;
let app: Published;
beforeAll(async () => {
  scenario = await startInstallScenario();
  app = await scenario.publish(scenario.android, buildDemoApk());
});
afterAll(() => scenario?.fixture.stop());

const query = () => ({ ...scenario.android });
const post = async (body: Json) => (await scenario.staff()).post<CreatedLink>('/api/v1/share-links', body, query());
async function list(filter: Record<string, string> = {}) {
  const answer = await (await scenario.staff()).get<Page>('/api/v1/share-links', { ...query(), ...filter });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}
const revoke = async (id: string) => (await scenario.staff()).post(`/api/v1/share-links/${id}/revoke`);

describe('creating a share link', () => {
  it('returns the link once, stores a hash of its token, and is recorded', async () => {
    const { fixture } = scenario;
    const after = auditMark(fixture);
    const expiresAt = new Date(fixture.clock.now().getTime() + 2 * DAY).toISOString();
    const input = {
      channel_id: app.channelId,
      note: 'Press',
      expires_at: expiresAt,
      max_installs: 3,
      password: 'a long secret',
    };
    const created = await post(input);
    expect(created.status).toBe(201);
    const { url, ...item } = created.body;
    expect(item).toEqual({
      identifier: expect.any(String),
      ...scenario.android,
      channel_id: app.channelId,
      build_id: null,
      note: 'Press',
      has_password: true,
      expires_at: expiresAt,
      max_installs: 3,
      installs: 0,
      state: 'active',
      created_at: expect.any(String),
      created_by: scenario.adminId,
      revoked_at: null,
    });
    expect(url).toMatch(new RegExp(`^${scenario.base}/s/[\\w-]{43}$`));
    expect((await list({ channel_id: app.channelId })).items[0]).toEqual(item);
    const token = url.split('/s/')[1] ?? '';
    const row = fixture.app.db.$client.prepare('SELECT * FROM share_links WHERE id = ?').get(item.identifier);
    expect(row).toMatchObject({
      token_hash: fixture.app.secrets.hash(token),
      password_hash: expect.stringMatching(/^\$argon2id\$/),
    });
    expect(JSON.stringify(row)).not.toContain(token);
    const rows = auditRows(fixture, { after });
    expect(rows).toMatchObject([
      {
        event: 'created',
        type: 'share_link',
        identifier: item.identifier,
        details: {
          project_id: scenario.android.project_id,
          channel_id: app.channelId,
          note: 'Press',
          expires_at: expiresAt,
          max_installs: 3,
          has_password: true,
        },
      },
    ]);
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(JSON.stringify(rows)).not.toContain('a long secret');
    expect(outboxRows(fixture, 'share_link.created')).toEqual([]);
  });

  it.each([
    [{}, 'body.channel_id: missing'],
    [{ channel_id: ABSENT, build_id: ABSENT }, 'body.build_id: value_error'],
    [{ build_id: ABSENT, max_installs: 0 }, 'body.max_installs: greater_than_equal'],
    [{ build_id: ABSENT, max_installs: 1.5 }, 'body.max_installs: int_type'],
    [{ build_id: ABSENT, password: 'short' }, 'body.password: string_too_short'],
    [{ build_id: ABSENT, note: 'x'.repeat(101) }, 'body.note: string_too_long'],
  ])('rejects %j', async (body, problem) => {
    expectInvalid(await post(body), problem);
  });

  it('rejects a time in the past, targets elsewhere, and a revoked build', async () => {
    const past = new Date(scenario.fixture.clock.now().getTime() - 1).toISOString();
    expectInvalid(await post({ channel_id: app.channelId, expires_at: past }), 'body.expires_at: datetime_future');
    const elsewhere = await scenario.addChannel(scenario.ios);
    for (const body of [{ channel_id: ABSENT }, { build_id: ABSENT }, { channel_id: elsewhere }]) {
      expectRefusal(await post(body), 404, 'not_found');
    }
    const build = await scenario.addBuild(scenario.android, buildDemoApk());
    expect((await (await scenario.staff()).post(`/api/v1/builds/${build.identifier}/revoke`)).status).toBe(200);
    expectRefusal(await post({ build_id: build.identifier }), 400, 'operation_not_allowed');
  });

  it('is limited to 100 open links of a channel or build', async () => {
    const channelId = await scenario.addChannel(scenario.android);
    const links: CreatedLink[] = [];
    for (let number = 0; number < 100; number += 1) {
      links.push(await share(scenario, scenario.android, { channel_id: channelId }));
    }
    const refused = expectRefusal(await post({ channel_id: channelId }), 400, 'quota_exceeded');
    expect(refused).toEqual({ limit: 100 });
    const elsewhere = `/api/v1/share-links/${links[0]?.identifier}/revoke`;
    expectRefusal(await (await scenario.staff()).post(elsewhere, {}, { channel_id: ABSENT }), 404, 'not_found');
    await revoke(links[0]?.identifier ?? '');
    await share(scenario, scenario.android, { channel_id: channelId });
  });

  it('is rejected if the build is revoked or the access ends while the password is hashed', async () => {
    const { fixture } = scenario;
    const person = await addPerson(fixture, {
      organizations: { [fixture.organization_id]: 'member' },
      projects: { [fixture.android_project_id]: 'maintainer' },
    });
    const build = await scenario.addBuild(scenario.android, buildDemoApk());
    const passwords = passwordsOf(fixture.app);
    const { hash } = passwords;
    const createWhile = async (statement: string, id: string) => {
      passwords.hash = (...input) => {
        fixture.app.db.$client.prepare(statement).run(id);
        return hash(...input);
      };
      const body = { build_id: build.identifier, password: 'a long secret' };
      return person.client.post('/api/v1/share-links', body, query());
    };
    try {
      const revoked = await createWhile('UPDATE builds SET revoked_at = 1 WHERE id = ?', build.identifier);
      expectRefusal(revoked, 400, 'operation_not_allowed');
      fixture.app.db.$client.prepare('UPDATE builds SET revoked_at = NULL WHERE id = ?').run(build.identifier);
      const left = await createWhile('DELETE FROM project_memberships WHERE developer_id = ?', person.id);
      expectRefusal(left, 404, 'not_found');
    } finally {
      passwords.hash = hash;
    }
    expect((await list({ build_id: build.identifier })).items).toEqual([]);
  });

  it('requires the role maintainer, and the scope manage_testers of a token', async () => {
    const { fixture } = scenario;
    for (const [role, status] of [
      ['read_download_upload', 404],
      ['maintainer', 201],
    ] as const) {
      const person = await addPerson(fixture, {
        organizations: { [fixture.organization_id]: 'member' },
        projects: { [fixture.android_project_id]: role },
      });
      const answer = await person.client.post('/api/v1/share-links', { channel_id: app.channelId }, query());
      expect(answer.status).toBe(status);
      expect((await person.client.get('/api/v1/share-links', query())).status).toBe(200);
    }
    const byToken = await scenario.ci.post<CreatedLink>(
      '/api/v1/share-links',
      { build_id: app.build.identifier },
      query(),
    );
    expect(byToken.status).toBe(201);
    // The owner of a project access token backs its links.
    expect(byToken.body.created_by).toBe(scenario.adminId);
  });
});

describe('the list of share links', () => {
  it('is paged, newest first, for the project, a channel or a build', async () => {
    const channelId = await scenario.addChannel(scenario.android);
    const ids: string[] = [];
    for (const note of ['one', 'two', 'three']) {
      ids.unshift((await share(scenario, scenario.android, { channel_id: channelId, note })).identifier);
    }
    const first = await list({ channel_id: channelId, limit: '2' });
    expect(first.items.map(({ identifier }) => identifier)).toEqual(ids.slice(0, 2));
    const rest = await list({ channel_id: channelId, cursor: first.next_cursor ?? '' });
    expect([rest.items.map(({ identifier }) => identifier), rest.next_cursor]).toEqual([ids.slice(2), null]);
    expect((await list()).items.map(({ identifier }) => identifier)).toEqual(expect.arrayContaining(ids));
    expect((await list({ build_id: ABSENT })).items).toEqual([]);
    const both = await (await scenario.staff()).get('/api/v1/share-links', {
      ...query(),
      channel_id: channelId,
      build_id: ABSENT,
    });
    expectInvalid(both, 'query.build_id: value_error');
    expect(JSON.stringify(first)).not.toContain('/s/');
  });

  it('shows the state of each link', async () => {
    const { fixture } = scenario;
    const maintainer = await addPerson(fixture, {
      organizations: { [fixture.organization_id]: 'member' },
      projects: { [fixture.android_project_id]: 'maintainer' },
    });
    const build = await scenario.addBuild(scenario.android, buildDemoApk());
    const buildId = build.identifier;
    const inAnHour = new Date(fixture.clock.now().getTime() + HOUR).toISOString();
    const of = (body: Json, client?: typeof maintainer.client) =>
      share(scenario, scenario.android, { build_id: buildId, ...body }, client);
    const links = {
      active: await of({}),
      used_up: await of({ max_installs: 1 }),
      expired: await of({ expires_at: inAnHour }),
      revoked: await of({}),
      creator_lacks_role: await of({}, maintainer.client),
    };
    const states = async () =>
      new Map((await list({ build_id: buildId })).items.map(({ identifier, state }) => [identifier, state]));
    await scenario.digest(await browser(scenario).button(links.used_up.url));
    const after = auditMark(fixture);
    expect((await revoke(links.revoked.identifier)).status).toBe(204);
    expect((await revoke(links.revoked.identifier)).status).toBe(204);
    expect(auditRows(fixture, { after })).toMatchObject([
      { event: 'revoked', type: 'share_link', identifier: links.revoked.identifier, details: { build_id: buildId } },
    ]);
    const setRole = fixture.app.db.$client.prepare('UPDATE project_memberships SET role = ? WHERE developer_id = ?');
    setRole.run('read', maintainer.id);
    fixture.clock.advance(HOUR);
    const shown = await states();
    expect(Object.values(links).map(({ identifier }) => shown.get(identifier))).toEqual(Object.keys(links));
    setRole.run('maintainer', maintainer.id);
    expect((await states()).get(links.creator_lacks_role.identifier)).toBe('active');
    expect((await (await scenario.staff()).post(`/api/v1/builds/${buildId}/revoke`)).status).toBe(200);
    expect((await states()).get(links.active.identifier)).toBe('build_revoked');
  });

  it('keeps revoked and expired links for 30 days', async () => {
    const { fixture } = scenario;
    const channelId = await scenario.addChannel(scenario.android);
    const soon = new Date(fixture.clock.now().getTime() + HOUR).toISOString();
    const kept = await share(scenario, scenario.android, { channel_id: channelId });
    await share(scenario, scenario.android, { channel_id: channelId, expires_at: soon });
    const revoked = await share(scenario, scenario.android, { channel_id: channelId });
    await revoke(revoked.identifier);
    fixture.clock.advance(30 * DAY - HOUR);
    await fixture.sweep('sessions');
    expect((await list({ channel_id: channelId })).items).toHaveLength(3);
    fixture.clock.advance(3 * HOUR);
    // Within the day in which deletions pause after a jump of the clock, nothing is deleted.
    fixture.clock.advance(2 * DAY);
    await fixture.sweep('sessions');
    expect((await list({ channel_id: channelId })).items.map(({ identifier }) => identifier)).toEqual([
      kept.identifier,
    ]);
  });

  it('ends with the channel', async () => {
    const channelId = await scenario.addChannel(scenario.android);
    const { identifier, url } = await share(scenario, scenario.android, { channel_id: channelId });
    expect((await (await scenario.staff()).delete(`/api/v1/channels/${channelId}`)).status).toBe(204);
    expect((await browser(scenario).open(url)).title).toBe('This link doesn’t work');
    expectRefusal(await revoke(identifier), 404, 'not_found');
  });
});
