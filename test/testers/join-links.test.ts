// Join links: reusable links to a channel with an expiry, a limit of people and a domain.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { reachesChannel } from '../../src/channels/audience.ts';
import {
  accessRequests,
  auditEvents,
  developers,
  joinLinks,
  organizations,
  outboxMails,
  testerGrants,
  testerRemovals,
} from '../../src/data/tables/tables.ts';
import { DAY, HOUR } from '../../src/lib/clock.ts';
import { findLinkByToken, takePlace } from '../../src/testers/join-links/store.ts';
import { collectTesterData } from '../../src/testers/personal-data.ts';
import { auditMark, auditRows, expectInvalid, expectRefusal, type Page } from '../support/harness.ts';
import { addOrganization, addPerson, type Person, personalTokenClient, signInPerson } from '../support/people.ts';
import { type Channel, startTesterScenario, type TesterScenario } from './scenario.ts';

interface JoinLink {
  identifier: string;
  state: string;
  joined: number;
  join_url: string;
}

let scenario: TesterScenario;
let channel: Channel;
let person: Person;

beforeAll(async () => {
  scenario = await startTesterScenario();
});
afterAll(() => scenario?.fixture.stop());
beforeEach(async () => {
  channel = await scenario.makeChannel();
  person = await scenario.person();
});

const linksPath = () => `${channel.path}/join-links`;

async function makeLink(body: Record<string, unknown> = {}, client = scenario.admin): Promise<JoinLink> {
  const answer = await client.post<JoinLink>(linksPath(), body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

const listed = async () => (await scenario.admin.get<Page<JoinLink>>(linksPath())).body.items;
const pathOf = ({ join_url: url }: { join_url: string }) => url.replace(scenario.fixture.config.server.base_url, '');

interface Shown {
  status: number;
  title: string | undefined;
  location: string | null;
  html: string;
  headers: Headers;
}

async function open(path: string, who?: Person, init: RequestInit = {}): Promise<Shown> {
  const cookie = who === undefined ? {} : { cookie: `svc_access=${who.accessToken}` };
  const headers = { ...cookie, ...(init.headers as Record<string, string>) };
  const response = await fetch(scenario.fixture.url + path, { redirect: 'manual', ...init, headers });
  const html = await response.text();
  const title = /<h1[^>]*>([^<]*)/.exec(html)?.[1];
  return {
    status: response.status,
    title,
    location: response.headers.get('location'),
    html,
    headers: response.headers,
  };
}

const join = (
  link: { join_url: string },
  who?: Person,
  headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' },
) => open(pathOf(link), who, { method: 'POST', headers });

const installUrl = () => `${scenario.fixture.config.server.base_url}/install/channels/${channel.id}`;
const reaches = ({ id }: Person) => reachesChannel(scenario.fixture.app, id, channel.id);
const DEAD = 'This link no longer works';
const SIGNED_IN = 'Test Fixture Android';

/** A person whose address has this domain. */
async function personAt(domain: string): Promise<Person> {
  const added = await scenario.person();
  const email = `${added.id}@${domain}`;
  scenario.fixture.app.db.update(developers).set({ email }).where(eq(developers.id, added.id)).run();
  return { ...added, email, accessToken: await signInPerson(scenario.fixture, { id: added.id, email }) };
}

const addMember = (role: 'read' | 'read_download' | 'maintainer') =>
  addPerson(scenario.fixture, {
    organizations: { [scenario.fixture.organization_id]: 'member' },
    projects: { [scenario.fixture.android_project_id]: role },
  });

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

describe('joining', () => {
  it('gives access and leads to the install page, with one click', async () => {
    const link = await makeLink({ label: 'Meetup' });
    const { db } = scenario.fixture.app;
    const mails = () => db.select().from(outboxMails).all().length;
    const before = mails();
    const asked = await open(pathOf(link), person);
    expect([asked.status, asked.title]).toEqual([200, SIGNED_IN]);
    expect(asked.html).toContain(`<form method="post" action="${link.join_url}">`);
    expect(asked.html).toContain(`You’re signed in as ${person.email}.`);
    const mark = auditMark(scenario.fixture);
    const joined = await join(link, person);
    expect([joined.status, joined.location]).toEqual([302, installUrl()]);
    expect(reaches(person)).toBe(true);
    const place = { channel_id: channel.id, project_id: scenario.fixture.android_project_id };
    const who = { email: person.email, developer_id: person.id };
    expect(auditRows(scenario.fixture, { after: mark })).toMatchObject([
      {
        event: 'accepted',
        type: 'join_link',
        identifier: link.identifier,
        actorId: person.id,
        details: { ...place, ...who, label: 'Meetup' },
      },
      { event: 'created', type: 'channel_tester_grant', details: { ...place, ...who } },
    ]);
    expect(mails()).toBe(before);
    const testers = await scenario.admin.get<Page<{ grants: unknown[] }>>(`${channel.path}/testers`);
    expect(testers.body.items[0]?.grants).toMatchObject([
      { level: 'channel', join_link_id: link.identifier, join_link_label: 'Meetup' },
    ]);
    const csv = await scenario.admin.get(`${channel.path}/testers`, { format: 'csv' });
    expect(csv.text).toContain(',Meetup,');
    expect(await listed()).toMatchObject([{ joined: 1, state: 'open' }]);
  });

  it('is refused from a foreign page, and does nothing for people who are signed out', async () => {
    const link = await makeLink();
    expect((await join(link, person, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await join(link, person, {})).status).toBe(403);
    expect((await join(link)).title).toBe(SIGNED_IN);
    expect(reaches(person)).toBe(false);
    expect(await listed()).toMatchObject([{ joined: 0 }]);
  });

  it('leads testers and members who can install there without taking a place, also when the link no longer works', async () => {
    const link = await makeLink({ max_people: 1 });
    const member = await addMember('read_download');
    await scenario.admit(person, channel);
    for (const who of [person, member]) {
      for (const shown of [await open(pathOf(link), who), await join(link, who)]) {
        expect([shown.status, shown.location]).toEqual([302, installUrl()]);
      }
    }
    expect(await listed()).toMatchObject([{ joined: 0, state: 'open' }]);
    const last = await scenario.person();
    expect((await join(link, last)).status).toBe(302);
    expect((await join(link, last)).location).toBe(installUrl());
    await scenario.admin.delete(`${linksPath()}/${link.identifier}`);
    expect((await open(pathOf(link), last)).location).toBe(installUrl());
    expect(await listed()).toMatchObject([{ joined: 1, state: 'revoked' }]);
    const grants = scenario.fixture.app.db.select().from(testerGrants).where(eq(testerGrants.channelId, channel.id));
    expect(
      grants
        .all()
        .map(({ developerId }) => developerId)
        .sort(),
    ).toEqual([person.id, last.id].sort());
  });

  it('takes exactly as many people as allowed from fifty simultaneous requests', async () => {
    const link = await makeLink({ max_people: 3 });
    const people = await Promise.all(Array.from({ length: 10 }, () => scenario.person()));
    const tries = Array.from({ length: 50 }, (_, index) => join(link, people[index % 10]));
    await Promise.all(tries);
    expect(people.filter(reaches)).toHaveLength(3);
    expect(await listed()).toMatchObject([{ joined: 3, state: 'full' }]);
  });

  it('takes places with one conditional update', async () => {
    const { app } = scenario.fixture;
    const link = await makeLink({ max_people: 1 });
    const token = link.join_url.split('/').at(-1) ?? '';
    const row = findLinkByToken(app, app.secrets.hash(token));
    const taken: boolean[] = [];
    for (const _time of [1, 2]) {
      app.db.transaction((db) => {
        taken.push(takePlace({ db, now: app.clock.now().getTime() } as never, row?.id ?? ''));
      });
    }
    expect(taken).toEqual([true, false]);
  });

  it('checks the domain of the verified address: exactly, in any case and spelling', async () => {
    const link = await makeLink({ email_domain: 'BÜCHER.example' });
    expect((await listed())[0]).toMatchObject({ email_domain: 'xn--bcher-kva.example' });
    for (const domain of [
      'sub.xn--bcher-kva.example',
      'bucher.example',
      'xn--bcher-kva.example.org',
      'notxn--bcher-kva.example',
    ]) {
      const other = await personAt(domain);
      for (const shown of [await open(pathOf(link), other), await join(link, other)]) {
        expect([shown.status, shown.title]).toEqual([403, 'Use another email address']);
        expect(shown.html).toContain('addresses at xn--bcher-kva.example.');
      }
      expect(reaches(other)).toBe(false);
    }
    const insider = await personAt('xn--bcher-kva.example');
    expect((await join(link, insider)).location).toBe(installUrl());
    expect((await open(pathOf(link))).html).not.toContain('xn--bcher-kva');
  });

  it('requires a verified address first', async () => {
    const link = await makeLink({ email_domain: 'people.example' });
    const unverified = await scenario.person({ isVerified: false });
    for (const shown of [await open(pathOf(link), unverified), await join(link, unverified)]) {
      expect([shown.status, shown.title]).toEqual([403, 'Your email address isn’t verified']);
    }
    const { db } = scenario.fixture.app;
    db.update(developers).set({ emailVerifiedAt: 1 }).where(eq(developers.id, unverified.id)).run();
    expect((await join(link, unverified)).location).toBe(installUrl());
  });

  it('asks vouched people to have their address verified, since that is what the team sees', async () => {
    const link = await makeLink();
    const vouched = await scenario.person({ isVerified: false });
    const { db } = scenario.fixture.app;
    db.update(developers).set({ vouchedAt: 1 }).where(eq(developers.id, vouched.id)).run();
    for (const shown of [await open(pathOf(link), vouched), await join(link, vouched)]) {
      expect([shown.status, shown.title]).toEqual([403, 'Your email address isn’t verified']);
      expect(shown.html).toContain('This server doesn’t send email. Ask its operator to verify');
    }
    expect(reaches(vouched)).toBe(false);
  });

  it('names the email that was sent on a server that sends email', async () => {
    const smtp = { host: 'localhost', port: 9, security: 'none' } as const;
    await using sending = await startTesterScenario({ config: { mail: { transport: 'smtp', smtp } } });
    const { path } = await sending.makeChannel();
    const made = await sending.admin.post<{ join_url: string }>(`${path}/join-links`, {});
    const { accessToken } = await sending.person({ isVerified: false });
    const page = await fetch(sending.fixture.url + new URL(made.body.join_url).pathname, {
      headers: { cookie: `svc_access=${accessToken}` },
    });
    expect(await page.text()).toContain('Open the link in the email that was sent to');
  });

  it('asks a member who lacks the required second factor to set one up', async () => {
    const link = await makeLink();
    const member = await addMember('read');
    const admin = await addPerson(scenario.fixture, {
      organizations: { [scenario.fixture.organization_id]: 'admin' },
      hasTotp: true,
    });
    const edit = (required: boolean) =>
      admin.client.put(`${scenario.organizationPath}/mfa-policy`, { required, grace_period_days: 0 });
    expect((await edit(true)).status).toBe(200);
    const refused = await join(link, member);
    expect((await edit(false)).status).toBe(200);
    expect([refused.status, refused.title]).toEqual([403, 'Set up two-factor authentication']);
    expect((await join(link, member)).location).toBe(installUrl());
  });

  it('is impossible while the organization is locked, and takes no place', async () => {
    const link = await makeLink();
    const { db } = scenario.fixture.app;
    const lock = (lockReason: 'suspended' | null) =>
      db.update(organizations).set({ lockReason }).where(eq(organizations.id, scenario.fixture.organization_id)).run();
    lock('suspended');
    const refused = await join(link, person);
    const created = await scenario.admin.post(linksPath(), {});
    lock(null);
    expect([refused.status, refused.title]).toEqual([403, 'You can’t join right now']);
    expectRefusal(created, 402, 'billing_suspended');
    expect(await listed()).toMatchObject([{ joined: 0 }]);
    expect((await join(link, person)).status).toBe(302);
  });

  it('answers an open request for access', async () => {
    const link = await makeLink();
    await open(`/install/channels/${channel.id}/access-request`, person, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    const requests = () =>
      scenario.fixture.app.db.select().from(accessRequests).where(eq(accessRequests.channelId, channel.id)).all()
        .length;
    expect(requests()).toBe(1);
    await join(link, person);
    expect(requests()).toBe(0);
  });

  it('fails when the link is revoked while its page is open', async () => {
    const link = await makeLink();
    expect((await open(pathOf(link), person)).title).toBe(SIGNED_IN);
    const mark = auditMark(scenario.fixture);
    expect((await scenario.admin.delete(`${linksPath()}/${link.identifier}`)).status).toBe(204);
    expect(auditRows(scenario.fixture, { after: mark })).toMatchObject([
      { event: 'revoked', type: 'join_link', identifier: link.identifier },
    ]);
    expect([(await join(link, person)).title, reaches(person)]).toEqual([DEAD, false]);
    expectRefusal(await scenario.admin.delete(`${linksPath()}/${link.identifier}`), 404, 'not_found');
  });
});

describe('a person whose access the team removed', () => {
  async function removeFromChannel({ id }: Person): Promise<void> {
    const { body } = await scenario.admin.get<Page<{ developer_id: string; grants: { identifier: string }[] }>>(
      `${channel.path}/testers`,
    );
    const grant = body.items.find(({ developer_id }) => developer_id === id)?.grants[0]?.identifier;
    expect((await scenario.admin.delete(`${channel.path}/testers/${grant}`)).status).toBe(204);
  }

  const expectRefused = async (link: JoinLink, who: Person) => {
    for (const shown of [await open(pathOf(link), who), await join(link, who)]) {
      expect([shown.status, shown.title]).toEqual([403, 'You can’t join with this link']);
    }
    expect(reaches(who)).toBe(false);
  };

  it('can join with a newer link only', async () => {
    const [used, other] = [await makeLink(), await makeLink()];
    await join(used, person);
    await removeFromChannel(person);
    await expectRefused(used, person);
    await expectRefused(other, person);
    scenario.fixture.clock.advance(1);
    const newer = await makeLink();
    const again = { ...person, accessToken: await signInPerson(scenario.fixture, person) };
    expect((await join(newer, again)).location).toBe(installUrl());
    expect((await join(used, await scenario.person())).location).toBe(installUrl());
  });

  it('is refused after a removal from the project, the organization, a group, or as a member', async () => {
    const link = await makeLink();
    const people = await Promise.all(Array.from({ length: 3 }, () => scenario.person()));
    const [ofProject, ofOrganization, ofGroup] = people as [Person, Person, Person];
    const project = await scenario.grant(ofProject, 'project');
    const organization = await scenario.grant(ofOrganization, 'organization');
    const group = await scenario.group(ofGroup, { channel_id: channel.id });
    const members = await scenario.admin.get<Page<{ identifier: string }>>(`${group}/members`);
    const [former, demoted] = [await addMember('maintainer'), await addMember('read_download')];
    for (const path of [
      `${scenario.projectPath}/testers/${project}`,
      `${scenario.organizationPath}/testers/${organization}`,
      `${group}/members/${members.body.items[0]?.identifier}`,
      `${scenario.organizationPath}/members/${former.id}`,
      `${scenario.projectPath}/members/${demoted.id}`,
    ]) {
      expect((await scenario.admin.delete(path)).status).toBe(204);
    }
    for (const who of [...people, former, demoted]) await expectRefused(link, who);
  });

  it('is not meant: a member who left themselves can join', async () => {
    const link = await makeLink();
    const member = await addMember('read_download');
    expect((await member.client.delete(`${scenario.organizationPath}/members/${member.id}`)).status).toBe(204);
    expect((await join(link, member)).location).toBe(installUrl());
  });

  it('is remembered only as long as a link from before could be used', async () => {
    const removals = () =>
      scenario.fixture.app.db.select().from(testerRemovals).where(eq(testerRemovals.developerId, person.id)).all()
        .length;
    const link = await makeLink();
    await join(link, person);
    await removeFromChannel(person);
    expect(removals()).toBe(1);
    await scenario.fixture.sweep('invitations');
    expect(removals()).toBe(1);
    const { db, clock } = scenario.fixture.app;
    db.update(joinLinks).set({ revokedAt: clock.now().getTime() }).run();
    await scenario.fixture.sweep('invitations');
    expect(removals()).toBe(0);
    await scenario.admit(person, channel);
    await removeFromChannel(person);
    expect(removals()).toBe(0);
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
