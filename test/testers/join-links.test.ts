// Join links: creating, listing and revoking them, their page and their end.
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { auditEvents, developers, joinLinks } from '../../src/data/tables/tables.ts';
import { DAY, HOUR } from '../../src/lib/clock.ts';
import { collectTesterData } from '../../src/testers/personal-data.ts';
import { auditMark, auditRows, expectInvalid, expectRefusal, type Page } from '../support/harness.ts';
import { addOrganization, addPerson, personalTokenClient } from '../support/people.ts';
import {
  addMember,
  channel,
  DEAD,
  installUrl,
  type JoinLink,
  join,
  linksPath,
  listed,
  makeLink,
  open,
  pathOf,
  person,
  reaches,
  type Shown,
  SIGNED_IN,
  scenario,
  useChannel,
} from './join-link-scenario.ts';

useChannel();

describe('a join link', () => {
  it('is created with its token in the response only', async () => {
    const mark = auditMark(scenario.fixture);
    const expires = new Date(scenario.fixture.clock.now().getTime() + 7 * DAY).toISOString();
    const made = await makeLink({
      label: ' Meetup ',
      expires_at: expires,
      max_people: 5,
      email_domain: 'Example.COM.',
    });
    expect(made).toEqual({
      identifier: expect.any(String),
      organization_id: scenario.fixture.organization_id,
      project_id: scenario.fixture.android_project_id,
      channel_id: channel.id,
      label: 'Meetup',
      state: 'open',
      email_domain: 'example.com',
      max_people: 5,
      joined: 0,
      created_at: expect.any(String),
      created_by_developer_id: scenario.fixture.admin.developer_id,
      expires_at: expires,
      revoked_at: null,
      join_url: expect.stringMatching(/\/join\/svc_join_[\w-]{43}$/),
    });
    const { join_url: url, ...rest } = made;
    expect(await listed()).toEqual([rest]);
    expect(auditRows(scenario.fixture, { after: mark })).toMatchObject([
      {
        event: 'created',
        type: 'join_link',
        identifier: made.identifier,
        details: {
          channel_id: channel.id,
          label: 'Meetup',
          expires_at: expires,
          max_people: 5,
          email_domain: 'example.com',
        },
      },
    ]);
    const { db } = scenario.fixture.app;
    const kept = JSON.stringify([db.select().from(joinLinks).all(), db.select().from(auditEvents).all()]);
    expect(kept).not.toContain(url.split('/').at(-1));
  });

  it('rejects values that it could not keep, with the name of the field', async () => {
    for (const [body, expected] of [
      [{ expires_at: '2001-01-01T00:00:00.000Z' }, 'body.expires_at: datetime_future'],
      [{ max_people: 0 }, 'body.max_people: greater_than_equal'],
      [{ max_people: 100_001 }, 'body.max_people: less_than_equal'],
      [{ label: 'a'.repeat(101) }, 'body.label: string_too_long'],
      [{ email_domain: 'localhost' }, 'body.email_domain: value_error'],
      [{ email_domain: 'a@example.com' }, 'body.email_domain: value_error'],
      [{ email_domain: '*.example.com' }, 'body.email_domain: value_error'],
    ] as const) {
      expectInvalid(await scenario.admin.post(linksPath(), body), expected);
    }
  });

  it('is limited to 100 links of a channel that are neither revoked nor expired', async () => {
    const [first] = await Promise.all(Array.from({ length: 100 }, () => makeLink()));
    const refused = await scenario.admin.post(linksPath(), {});
    expectRefusal(refused, 400, 'quota_exceeded');
    expect((await scenario.admin.delete(`${linksPath()}/${first?.identifier}`)).status).toBe(204);
    await makeLink();
    const page = await scenario.admin.get<Page<JoinLink>>(linksPath(), { limit: 60 });
    expect([page.body.items.length, typeof page.body.next_cursor]).toEqual([60, 'string']);
  });

  it('is created and revoked by maintainers and tokens with manage_testers, and listed by readers', async () => {
    const { organization_id: organizationId } = scenario.fixture;
    const [reader, maintainer] = [await addMember('read'), await addMember('maintainer')];
    const made = await makeLink({}, maintainer.client);
    expect((await reader.client.get<Page>(linksPath())).body.items).toHaveLength(1);
    expectRefusal(await reader.client.post(linksPath(), {}), 404, 'not_found');
    expectRefusal(await reader.client.delete(`${linksPath()}/${made.identifier}`), 404, 'not_found');
    expectRefusal(await person.client.get(linksPath()), 404, 'not_found');
    const withScopes = (scopes: bigint) =>
      personalTokenClient(scenario.fixture, { organizationId, developerId: maintainer.id, scopes });
    await makeLink({}, withScopes(16n));
    expectRefusal(await withScopes(1n).post(linksPath(), {}), 403, 'permission_denied');
    const stranger = await addPerson(scenario.fixture);
    await addOrganization(stranger, 'Elsewhere');
    expectRefusal(await stranger.client.delete(`${linksPath()}/${made.identifier}`), 404, 'not_found');
    const other = await scenario.makeChannel();
    expectRefusal(await scenario.admin.delete(`${other.path}/join-links/${made.identifier}`), 404, 'not_found');
  });
});

describe('the page of a join link', () => {
  it('shows its channel to anyone with the link, and leads back from signing in and signing up', async () => {
    const link = await makeLink();
    const page = await open(pathOf(link));
    expect([page.status, page.title]).toEqual([200, SIGNED_IN]);
    expect(page.html).toContain('Fixture Organization invites you to install and test this app.');
    const back = encodeURIComponent(pathOf(link));
    const base = scenario.fixture.config.server.base_url;
    expect(page.html).toContain(`href="${base}/sign-in?back=${back}"`);
    expect(page.html).toContain(`href="${base}/sign-up?back=${back}"`);
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self'");
    expect((await listed())[0]).toMatchObject({ joined: 0 });
    expect((await open(pathOf(link), undefined, { headers: { 'accept-language': 'de' } })).title).toBe(
      'Fixture Android testen',
    );
  });

  it('is one page for links that are unknown, expired, revoked, full or of a deleted channel', async () => {
    const soon = new Date(scenario.fixture.clock.now().getTime() + HOUR).toISOString();
    const [expired, revoked, full] = [
      await makeLink({ expires_at: soon }),
      await makeLink(),
      await makeLink({ max_people: 1 }),
    ];
    const gone = await scenario.makeChannel();
    const answer = await scenario.admin.post<JoinLink>(`${gone.path}/join-links`, {});
    await scenario.admin.delete(gone.path);
    await scenario.admin.delete(`${linksPath()}/${revoked.identifier}`);
    expect((await join(full, person)).status).toBe(302);
    scenario.fixture.clock.advance(HOUR);
    const stranger = await scenario.person();
    const unknown = '/join/svc_join_unknown';
    for (const who of [undefined, stranger]) {
      const expected = await open(unknown, who);
      expect([expected.status, expected.title]).toEqual([404, DEAD]);
      const comparable = ({ headers, ...shown }: Shown) => ({
        ...shown,
        headers: Object.fromEntries([...headers].filter(([name]) => !/date|request-id/.test(name))),
      });
      for (const link of [expired, revoked, full, answer.body]) {
        expect(comparable(await open(pathOf(link), who))).toEqual(comparable(expected));
        expect(comparable(await join(link, who))).toEqual(comparable(await join({ join_url: unknown }, who)));
      }
    }
    expect((await listed()).map(({ state }) => state).sort()).toEqual(['expired', 'full', 'revoked']);
    expect(reaches(stranger)).toBe(false);
    expectRefusal(await scenario.admin.delete(`${linksPath()}/${expired.identifier}`), 404, 'not_found');
  });
});

describe('the creator of a join link', () => {
  it('backs it: it is revoked when they lose the role maintainer', async () => {
    const maintainer = await addMember('maintainer');
    const link = await makeLink({}, maintainer.client);
    const byOther = await makeLink();
    const mark = auditMark(scenario.fixture);
    const demote = await scenario.admin.patch(`${scenario.projectPath}/members/${maintainer.id}`, {
      role: 'read_download_upload',
    });
    expect(demote.status).toBe(200);
    expect(auditRows(scenario.fixture, { after: mark })).toMatchObject([
      { event: 'revoked', type: 'join_link', identifier: link.identifier, details: { reason: 'sender_role' } },
      { event: 'edited', type: 'project_membership' },
    ]);
    expect((await open(pathOf(link), person)).title).toBe(DEAD);
    await scenario.admin.patch(`${scenario.projectPath}/members/${maintainer.id}`, { role: 'maintainer' });
    expect((await join(link, person)).title).toBe(DEAD);
    expect((await join(byOther, person)).location).toBe(installUrl());
    expect((await listed()).map(({ state }) => state)).toEqual(['open', 'revoked']);
  });

  it('is checked on use too, such as after the account was locked or deleted', async () => {
    const maintainer = await addMember('maintainer');
    const link = await makeLink({}, maintainer.client);
    const { db } = scenario.fixture.app;
    const lock = (lockedAt: number | null) =>
      db.update(developers).set({ lockedAt }).where(eq(developers.id, maintainer.id)).run();
    lock(1);
    expect([(await join(link, person)).title, (await listed())[0]?.state]).toEqual([DEAD, 'revoked']);
    lock(null);
    db.update(joinLinks).set({ backedBy: null }).where(eq(joinLinks.id, link.identifier)).run();
    expect((await join(link, person)).title).toBe(DEAD);
  });
});

describe('the archive of personal data', () => {
  it('contains the links that a person created, without their tokens, and their removals', async () => {
    const maintainer = await addMember('maintainer');
    await makeLink();
    const link = await makeLink({ label: 'Meetup' }, maintainer.client);
    expect((await scenario.admin.delete(`${scenario.projectPath}/members/${maintainer.id}`)).status).toBe(204);
    const data = collectTesterData(scenario.fixture.app, maintainer.id, maintainer.email);
    expect(data.join_links).toMatchObject([{ id: link.identifier, label: 'Meetup', createdBy: maintainer.id }]);
    expect(data.join_links[0]).not.toHaveProperty('tokenHash');
    expect(data.tester_removals).toMatchObject([
      { targetId: scenario.fixture.android_project_id, developerId: maintainer.id },
    ]);
  });
});

describe('the cleanup job', () => {
  /** A run deletes a limited number of links. */
  async function sweepAll(): Promise<void> {
    while ((await scenario.fixture.sweep('invitations')) > 0);
  }

  it('deletes links 90 days after they expired or were revoked, and keeps the access', async () => {
    const soon = new Date(scenario.fixture.clock.now().getTime() + HOUR).toISOString();
    const [expiring, revoked, endless] = [await makeLink({ expires_at: soon }), await makeLink(), await makeLink()];
    await join(expiring, person);
    await scenario.admin.delete(`${linksPath()}/${revoked.identifier}`);
    const ids = async () => (await listed()).map(({ identifier }) => identifier);
    scenario.fixture.clock.advance(90 * DAY);
    await sweepAll();
    expect(await ids()).toEqual([endless.identifier, expiring.identifier]);
    scenario.fixture.clock.advance(HOUR);
    await sweepAll();
    expect(await ids()).toEqual([endless.identifier]);
    expect(reaches(person)).toBe(true);
    const testers = await scenario.admin.get<Page<{ grants: unknown[] }>>(`${channel.path}/testers`);
    expect(testers.body.items[0]?.grants).toMatchObject([{ join_link_id: null, join_link_label: null }]);
  });
});
