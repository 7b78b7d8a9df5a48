// The install page of a channel that isn't public: sign in, ask for access, install.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemContext } from '../../src/core/transact.ts';
import { organizations } from '../../src/data/tables/tables.ts';
import { updateDeveloper } from '../../src/developers/store.ts';
import { DAY, MINUTE } from '../../src/lib/clock.ts';
import { attachPendingGrants } from '../../src/testers/pending-access.ts';
import { buildDemoApk } from '../support/fixtures.ts';
import { ABSENT, api, auditMark, auditRows, type Client, expectRefusal, type Page } from '../support/harness.ts';
import { mailKinds, mailsTo } from '../support/mailbox.ts';
import { addOrganization, addPerson, type Person, type PersonOptions, signInPerson } from '../support/people.ts';
import { type InstallScenario, type Published, startInstallScenario } from './scenario.ts';

const PHONE =
  'Mozilla/5.0 (Linux; Android 14; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36';

let scenario: InstallScenario;
let app: Published;
beforeAll(async () => {
  scenario = await startInstallScenario();
  app = await scenario.publish(scenario.android, buildDemoApk());
});
afterAll(() => scenario?.fixture.stop());

let channelId: string;
beforeEach(async () => {
  channelId = await scenario.addChannel(scenario.android, { public: false });
  await scenario.addRelease(scenario.android, channelId, app.build.identifier);
});

const pagePath = (id = channelId) => `/install/channels/${id}`;

interface Shown {
  status: number;
  title: string | undefined;
  html: string;
  headers: Headers;
}

/** Opens a page in the browser of a person, or of nobody. */
async function open(path: string, person?: Person, init: RequestInit = {}): Promise<Shown> {
  const cookie = person === undefined ? {} : { cookie: `svc_access=${person.accessToken}` };
  const headers = { 'user-agent': PHONE, ...cookie, ...(init.headers as Record<string, string>) };
  const response = await fetch(scenario.fixture.url + path, { redirect: 'manual', ...init, headers });
  const html = await response.text();
  return {
    status: response.status,
    title: /<h1[^>]*>(?:<bdi>)?([^<]*)/.exec(html)?.[1],
    html,
    headers: response.headers,
  };
}

const ask = (id: string, person?: Person, headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' }) =>
  open(`${pagePath(id)}/access-request`, person, { method: 'POST', headers });

async function addTester(id = channelId): Promise<Person> {
  const person = await addPerson(scenario.fixture);
  const staff = await scenario.staff();
  const invite = await staff.post<{ invite_token: string }>(
    '/api/v1/channel-invites',
    {},
    {
      ...scenario.android,
      channel_id: id,
    },
  );
  const accepted = await person.client.post('/api/v1/testers/invites/accept', {
    invite_token: invite.body.invite_token,
  });
  expect(accepted.status).toBe(200);
  return person;
}

const addMember = (role: 'read' | 'read_download' | 'maintainer', options: PersonOptions = {}) => {
  const { organization_id: organizationId, project_id: projectId } = scenario.android;
  return addPerson(scenario.fixture, {
    organizations: { [organizationId]: 'member' },
    projects: { [projectId]: role },
    ...options,
  });
};

/** What the page of a channel is, with its id replaced, so that pages of several channels can be compared. */
const withoutId = ({ status, html, headers }: Shown, id: string) => ({
  status,
  html: html.replaceAll(id, 'ID'),
  headers: [...headers].filter(([name]) => !['date', 'x-request-id', 'content-length'].includes(name)),
});

async function addDeletedChannel(): Promise<string> {
  const id = await scenario.addChannel(scenario.android, { public: false });
  expect((await (await scenario.staff()).delete(`/api/v1/channels/${id}`)).status).toBe(204);
  return id;
}

describe('the page of a private channel, signed out', () => {
  it('asks to sign in and returns to itself', async () => {
    const page = await open(pagePath());
    expect([page.status, page.title]).toEqual([404, 'Sign in to install']);
    expect(page.html).toContain(`href="${scenario.base}/sign-in?back=%2Finstall%2Fchannels%2F${channelId}"`);
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self'");
  });

  it('is the same for channels that are missing, deleted or malformed, and for their releases', async () => {
    const expected = withoutId(await open(pagePath()), channelId);
    for (const id of [ABSENT, await addDeletedChannel(), 'nothing']) {
      expect(withoutId(await open(pagePath(id)), id)).toEqual(expected);
      expect(withoutId(await open(`${pagePath(id)}/releases/${ABSENT}`), id)).toEqual(expected);
    }
    expect(withoutId(await open(`${pagePath()}/releases/${ABSENT}`), channelId)).toEqual(expected);
  });

  it('is the same with a revoked session, two sessions, or a bearer token', async () => {
    const expected = withoutId(await open(pagePath()), channelId);
    const ended = await addPerson(scenario.fixture, { ended: 'revoked' });
    expect(withoutId(await open(pagePath(), ended), channelId)).toEqual(expected);
    const tester = await addTester();
    const two = { headers: { cookie: `svc_access=${tester.accessToken}; svc_access=${ended.accessToken}` } };
    expect(withoutId(await open(pagePath(), undefined, two), channelId)).toEqual(expected);
    const bearer = { headers: { authorization: `Bearer ${tester.accessToken}` } };
    expect(withoutId(await open(pagePath(), undefined, bearer), channelId)).toEqual(expected);
  });

  it('changes nothing about a public channel, whose page needs no session', async () => {
    const page = await open(pagePath(app.channelId));
    expect([page.status, page.html.includes('Download and install')]).toEqual([200, true]);
  });

  it('speaks German', async () => {
    const page = await open(pagePath(), undefined, { headers: { 'accept-language': 'de' } });
    expect(page.title).toBe('Zum Installieren anmelden');
  });
});

describe('the page of a private channel, signed in', () => {
  const downloadOf = ({ html }: Shown) =>
    /href="([^"]*\/public\/v1\/install\/[^"]*\/download)"/.exec(html)?.[1]?.replace(scenario.base, '') ?? '';

  it('installs for a tester, whose download is counted', async () => {
    const tester = await addTester();
    const page = await open(pagePath(), tester);
    expect([page.status, page.html.includes('Download and install')]).toEqual([200, true]);
    expect(page.html).not.toContain('expires in');
    expect(await scenario.digest(scenario.base + downloadOf(page))).toBe(app.digest);
    expect(await scenario.analytics(channelId)).toMatchObject({ total_downloads: 1, unique_testers: 1 });
  });

  it('installs for members who may download builds, and only for them', async () => {
    for (const role of ['read_download', 'maintainer'] as const) {
      expect((await open(pagePath(), await addMember(role))).status).toBe(200);
    }
    const reader = await open(pagePath(), await addMember('read'));
    expect([reader.status, reader.title]).toEqual([404, 'You don’t have access to this app']);
  });

  it('shows one release of the channel, and for another the link to the current one', async () => {
    const tester = await addTester();
    const { body } = await (await scenario.staff()).get<Page<{ identifier: string }>>('/api/v1/releases', {
      ...scenario.android,
      channel_id: channelId,
    });
    const current = await open(`${pagePath()}/releases/${body.items[0]?.identifier}`, tester);
    expect([current.status, current.html.includes('Download and install')]).toEqual([200, true]);
    const other = await open(`${pagePath()}/releases/${ABSENT}`, tester);
    expect(other.html).toContain(`href="${scenario.base}${pagePath()}"`);
  });

  it('stops working, with its links, when the tester loses access', async () => {
    const tester = await addTester();
    const link = downloadOf(await open(pagePath(), tester));
    const staff = await scenario.staff();
    const testers = await staff.get<Page<{ grants: { identifier: string }[] }>>(
      `/api/v1/channels/${channelId}/testers`,
    );
    const grant = testers.body.items[0]?.grants[0]?.identifier;
    expect((await staff.delete(`/api/v1/channels/${channelId}/testers/${grant}`)).status).toBe(204);
    expect((await open(pagePath(), tester)).title).toBe('You don’t have access to this app');
    expect((await scenario.follow(scenario.base + link)).status).toBe(404);
  });

  it('asks an unverified account to verify its address, whether the channel exists or not', async () => {
    const person = await addPerson(scenario.fixture, { isVerified: false });
    const page = await open(pagePath(), person);
    expect([page.status, page.title]).toEqual([404, 'Your email address isn’t verified']);
    expect(withoutId(await open(pagePath(ABSENT), person), ABSENT)).toEqual(withoutId(page, channelId));
  });

  it('asks a member who lacks the required second factor to set one up', async () => {
    const member = await addMember('read_download');
    const organizationId = scenario.android.organization_id;
    const admin = await addPerson(scenario.fixture, { organizations: { [organizationId]: 'admin' }, hasTotp: true });
    const edit = (required: boolean) =>
      admin.client.put(`/api/v1/organizations/${organizationId}/mfa-policy`, { required, grace_period_days: 0 });
    expect((await edit(true)).status).toBe(200);
    expect((await open(pagePath(), member)).title).toBe('Set up two-factor authentication');
    expect((await edit(false)).status).toBe(200);
    expect((await open(pagePath(), member)).status).toBe(200);
  });
});

describe('asking for access', () => {
  const requestsOf = (client: Client, id = channelId) =>
    client.get<Page<{ identifier: string; email: string; channel_id: string; developer_id: string }>>(
      `/api/v1/channels/${id}/access-requests`,
    );
  const answer = (client: Client, id: string | undefined, verb: 'grant' | 'decline') =>
    client.post(`/api/v1/channel-access-requests/${id}/${verb}`);

  it('is offered to a person without access, in the same way for a missing channel', async () => {
    const person = await addPerson(scenario.fixture);
    const page = await open(pagePath(), person);
    expect([page.status, page.title]).toEqual([404, 'You don’t have access to this app']);
    expect(page.html).toContain(`<form method="post" action="${scenario.base}${pagePath()}/access-request">`);
    expect(withoutId(await open(pagePath(ABSENT), person), ABSENT)).toEqual(withoutId(page, channelId));
    const asked = await ask(channelId, person);
    expect([asked.status, asked.title]).toEqual([200, 'Request sent']);
    expect(withoutId(await ask(ABSENT, person), ABSENT)).toEqual(withoutId(asked, channelId));
    expect(withoutId(await open(pagePath(ABSENT), person), ABSENT)).toEqual(
      withoutId(await open(pagePath(), person), channelId),
    );
  });

  it('promises an email only if the server sends email', async () => {
    const { app } = scenario.fixture;
    const { config } = app;
    const person = await addPerson(scenario.fixture);
    expect((await ask(channelId, person)).html).toContain('Open this page again later');
    app.config = { ...config, mail: { ...config.mail, transport: 'smtp' } };
    try {
      const { html } = await open(pagePath(), person);
      expect(html).toContain('You’ll get an email');
      expect(html).not.toContain('Open this page again later');
    } finally {
      app.config = config;
    }
  });

  it('leaves the same trace in the log of the person, and tells only the team', async () => {
    const { fixture } = scenario;
    const [person, maintainer] = [await addPerson(fixture, { name: 'Ada' }), await addMember('maintainer')];
    const after = auditMark(fixture);
    await ask(channelId, person);
    await ask(ABSENT, person);
    await ask(channelId, person);
    const facts = { event: 'created', type: 'access_request', organizationId: null, developerId: person.id };
    expect(auditRows(fixture, { after })).toMatchObject([
      { ...facts, details: { address: pagePath() } },
      { ...facts, details: { address: pagePath(ABSENT) } },
    ]);
    fixture.clock.advance(MINUTE);
    await fixture.app.jobs.drain();
    const mail = mailsTo(fixture, maintainer.email).find(({ text }) => text.includes(channelId));
    expect(mail?.subject).toMatch(/^A person asks for access to “/);
    expect(mail?.text).toContain(`“Ada” (${person.email})`);
    expect(mail?.text).toContain(`${scenario.base}/projects/${scenario.android.project_id}/channels/${channelId}`);
    expect(mailKinds(fixture, person.email)).toEqual([]);
  });

  it('names the requests of a minute in one email', async () => {
    const { fixture } = scenario;
    const maintainer = await addMember('maintainer');
    for (let number = 0; number < 12; number += 1) await ask(channelId, await addPerson(fixture));
    fixture.clock.advance(MINUTE);
    await fixture.app.jobs.drain();
    const [mail, ...others] = mailsTo(fixture, maintainer.email).filter(({ text }) => text.includes(channelId));
    expect(others).toEqual([]);
    expect(mail?.subject).toMatch(/^People ask for access to “/);
    expect(mail?.text.match(/@people\.example/g)).toHaveLength(10);
    expect(mail?.text).toContain('and more');
  });

  it('is emailed later if the team was just emailed about another one', async () => {
    const { fixture } = scenario;
    const maintainer = await addMember('maintainer');
    const [first, second] = [await addPerson(fixture), await addPerson(fixture)];
    const mails = () => mailsTo(fixture, maintainer.email).filter(({ text }) => text.includes(channelId));
    await ask(channelId, first);
    fixture.clock.advance(MINUTE);
    await fixture.app.jobs.drain();
    expect(mails()).toHaveLength(1);
    await ask(channelId, second);
    fixture.clock.advance(MINUTE);
    await fixture.app.jobs.drain();
    expect(mails()).toHaveLength(1);
    fixture.clock.advance(5 * MINUTE);
    await fixture.app.jobs.drain();
    const [, later] = mails();
    expect(later?.text).toContain(second.email);
    expect(later?.text).not.toContain(first.email);
    fixture.clock.advance(DAY);
    await fixture.app.jobs.drain();
    expect(mails()).toHaveLength(2);
  });

  it.each([
    'a channel invitation',
    'access to the project',
    'access to the organization',
    'access that waited for another address, to the project',
  ])('is done when the person gets %s', async (way) => {
    const { fixture } = scenario;
    const staff = await scenario.staff();
    const { organization_id: organizationId, project_id: projectId } = scenario.android;
    const elsewhere = await scenario.addChannel(scenario.ios, { public: false });
    const person = await addPerson(fixture);
    await ask(channelId, person);
    await ask(elsewhere, person);
    if (way === 'a channel invitation') {
      const { body } = await staff.post<{ invite_token: string }>(
        '/api/v1/channel-invites',
        {},
        { ...scenario.android, channel_id: channelId },
      );
      const accepted = await person.client.post('/api/v1/testers/invites/accept', {
        invite_token: body.invite_token,
      });
      expect(accepted.status).toBe(200);
    } else {
      const place = way.endsWith('project') ? `projects/${projectId}` : `organizations/${organizationId}`;
      const email = way.includes('another address') ? `new-${person.email}` : person.email;
      expect((await staff.post(`/api/v1/${place}/testers`, { email })).status).toBe(201);
      if (email !== person.email) {
        systemContext(fixture.app).transact((tx) => attachPendingGrants(tx, updateDeveloper(tx, person.id, { email })));
      }
    }
    expect((await requestsOf(staff)).body.items).toEqual([]);
    const others = await requestsOf(staff, elsewhere);
    expect(others.body.items).toHaveLength(way.endsWith('organization') ? 0 : 1);
  });

  it('is kept in a locked organization, whose channels look like missing ones, and can only be answered afterwards', async () => {
    const { fixture } = scenario;
    const person = await addPerson(fixture);
    const lock = (lockReason: 'suspended' | null) =>
      fixture.app.db
        .update(organizations)
        .set({ lockReason })
        .where(eq(organizations.id, scenario.android.organization_id))
        .run();
    lock('suspended');
    try {
      const asked = await ask(channelId, person);
      expect([asked.status, asked.title]).toEqual([200, 'Request sent']);
      expect(withoutId(await ask(ABSENT, person), ABSENT)).toEqual(withoutId(asked, channelId));
      const staff = await scenario.staff();
      const id = (await requestsOf(staff)).body.items[0]?.identifier;
      for (const verb of ['grant', 'decline'] as const) {
        expectRefusal(await answer(staff, id, verb), 402, 'billing_suspended');
      }
    } finally {
      lock(null);
    }
    const staff = await scenario.staff();
    const { body } = await requestsOf(staff);
    expect(body.items).toMatchObject([{ developer_id: person.id }]);
    expect((await answer(staff, body.items[0]?.identifier, 'grant')).status).toBe(204);
  });

  it('is listed for the people who manage testers, and answered once', async () => {
    const { fixture } = scenario;
    const person = await addPerson(fixture);
    await ask(channelId, person);
    const staff = await scenario.staff();
    const { body } = await requestsOf(staff);
    expect(body).toEqual({
      items: [
        {
          identifier: expect.any(String),
          organization_id: scenario.android.organization_id,
          project_id: scenario.android.project_id,
          channel_id: channelId,
          developer_id: person.id,
          email: person.email,
          display_name: `Person ${person.id}`,
          created_at: expect.any(String),
        },
      ],
      next_cursor: null,
    });
    const id = body.items[0]?.identifier;
    expectRefusal(await requestsOf(person.client), 404, 'not_found');
    expectRefusal(await requestsOf((await addMember('read_download')).client), 404, 'not_found');
    expectRefusal(await answer(person.client, id, 'grant'), 404, 'not_found');
    expectRefusal(await answer((await addMember('read')).client, id, 'grant'), 404, 'not_found');
    const after = auditMark(fixture);
    expect((await answer(staff, id, 'grant')).status).toBe(204);
    expect(auditRows(fixture, { after })).toMatchObject([
      { event: 'accepted', type: 'access_request', identifier: id, details: { email: person.email } },
      { event: 'created', type: 'channel_tester_grant', details: { channel_id: channelId, developer_id: person.id } },
    ]);
    expectRefusal(await answer(staff, id, 'grant'), 404, 'not_found');
    await fixture.app.jobs.drain();
    expect(mailKinds(fixture, person.email)).toEqual(['access_granted']);
    expect(mailsTo(fixture, person.email)[0]?.text).toContain(`${scenario.base}${pagePath()}`);
    const signedIn = { ...person, accessToken: await signInPerson(fixture, person) };
    expect((await open(pagePath(), signedIn)).status).toBe(200);
    expect((await requestsOf(staff)).body.items).toEqual([]);
  });

  it('is declined silently, and can be repeated after a month', async () => {
    const { fixture } = scenario;
    const person = await addPerson(fixture);
    await ask(channelId, person);
    const staff = await scenario.staff();
    const id = (await requestsOf(staff)).body.items[0]?.identifier;
    const after = auditMark(fixture);
    expect((await answer(staff, id, 'decline')).status).toBe(204);
    expect(auditRows(fixture, { after })).toMatchObject([{ event: 'revoked', type: 'access_request', identifier: id }]);
    expectRefusal(await answer(staff, id, 'decline'), 404, 'not_found');
    expectRefusal(await answer(staff, id, 'grant'), 404, 'not_found');
    await fixture.app.jobs.drain();
    expect(mailKinds(fixture, person.email)).toEqual([]);
    expect((await ask(channelId, person)).title).toBe('Request sent');
    expect((await requestsOf(staff)).body.items).toEqual([]);
    fixture.clock.advance(31 * DAY);
    await fixture.sweep('invitations');
    const later = { ...person, accessToken: await signInPerson(fixture, person) };
    await ask(channelId, later);
    expect((await requestsOf(await scenario.staff())).body.items).toMatchObject([{ developer_id: person.id }]);
  });

  it('stays declined at the other addresses of the channel, until a month after the first request', async () => {
    const { fixture } = scenario;
    const staff = await scenario.staff();
    const slugs = ['former', 'short'].map((name) => `${name}-${channelId.slice(-8)}`);
    for (const slug of slugs) expect((await staff.patch(`/api/v1/channels/${channelId}`, { slug })).status).toBe(200);
    const person = await addPerson(fixture);
    await ask(channelId, person);
    expect((await answer(staff, (await requestsOf(staff)).body.items[0]?.identifier, 'decline')).status).toBe(204);
    fixture.clock.advance(DAY);
    const at = async (slug: string | undefined, who: Person) =>
      (await open(`/i/${slug}/access-request`, who, { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } }))
        .title;
    const nextDay = { ...person, accessToken: await signInPerson(fixture, person) };
    for (const slug of slugs) expect(await at(slug, nextDay)).toBe('Request sent');
    expect((await requestsOf(await scenario.staff())).body.items).toEqual([]);
    fixture.clock.advance(29 * DAY);
    await fixture.sweep('invitations');
    const later = { ...person, accessToken: await signInPerson(fixture, person) };
    expect(await at(slugs[1], later)).toBe('Request sent');
    expect((await requestsOf(await scenario.staff())).body.items).toMatchObject([{ developer_id: person.id }]);
  });

  it('ends with the channel', async () => {
    const person = await addPerson(scenario.fixture);
    await ask(channelId, person);
    const staff = await scenario.staff();
    const id = (await requestsOf(staff)).body.items[0]?.identifier;
    expect((await staff.delete(`/api/v1/channels/${channelId}`, { force: true })).status).toBe(204);
    expectRefusal(await answer(staff, id, 'grant'), 404, 'not_found');
    expectRefusal(await requestsOf(staff), 404, 'not_found');
    // As for a channel that never existed.
    expect((await open(pagePath(), person)).title).toBe('Request sent');
  });

  it('is limited to 20 channels for each account, whether they exist or not', async () => {
    const person = await addPerson(scenario.fixture);
    for (let number = 0; number < 20; number += 1) {
      expect((await ask(scenario.fixture.app.ids.next(), person)).status).toBe(200);
    }
    const refused = await ask(channelId, person);
    expect([refused.status, refused.title]).toEqual([429, 'You have asked for access to 20 apps']);
    expect(refused.headers.get('retry-after')).toBe('86400');
    expect(refused.html).not.toContain('<form');
    expect(withoutId(await ask(ABSENT, person), ABSENT)).toEqual(withoutId(refused, channelId));
    const german = await open(`${pagePath()}/access-request`, person, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin', 'accept-language': 'de' },
    });
    expect(german.title).toBe('Sie haben um Zugriff auf 20 Apps gebeten');
    expect((await requestsOf(await scenario.staff())).body.items).toEqual([]);
  });

  it('is refused from a foreign page, and does nothing for people who are signed out or already have access', async () => {
    const person = await addPerson(scenario.fixture);
    expect((await ask(channelId, person, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await ask(channelId, person, {})).status).toBe(403);
    expect((await ask(channelId)).title).toBe('Sign in to install');
    expect((await ask(channelId, await addTester())).status).toBe(200);
    expect((await ask('nothing', person)).title).toBe('You don’t have access to this app');
    expect((await requestsOf(await scenario.staff())).body.items).toEqual([]);
  });

  it('gives nothing to a member of another organization', async () => {
    const person = await addPerson(scenario.fixture);
    await ask(channelId, person);
    const id = (await requestsOf(await scenario.staff())).body.items[0]?.identifier;
    const stranger = await addPerson(scenario.fixture);
    await addOrganization(stranger, 'Elsewhere');
    for (const verb of ['grant', 'decline'] as const)
      expectRefusal(await answer(stranger.client, id, verb), 404, 'not_found');
    expectRefusal(await answer(api(scenario.fixture, null), id, 'grant'), 401, 'unauthorized');
  });
});
