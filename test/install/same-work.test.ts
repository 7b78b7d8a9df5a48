// Requests about what a visitor has no access to run the same statements as those about what doesn't exist, so that the
// time of a response shows nothing either.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { organizations } from '../../src/data/tables/tables.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { browser, share } from '../share-links/scenario.ts';
import { buildDemoApk, buildIpa } from '../support/fixtures.ts';
import { ABSENT, type Json } from '../support/harness.ts';
import { addPerson, type Person } from '../support/people.ts';
import { recordStatements, type StatementRecorder } from '../support/statements.ts';
import { type InstallScenario, type Published, startInstallScenario } from './scenario.ts';

const webKit = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
const agents = {
  iphone: `Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) ${webKit} Version/17.5 Mobile/15E148 Safari/604.1`,
  android: 'Mozilla/5.0 (Linux; Android 14; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile',
  desktop: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0',
};
type Agent = keyof typeof agents;
const allAgents = Object.keys(agents) as Agent[];

let recorder: StatementRecorder;
let scenario: InstallScenario;
let app: Published;
let iosApp: Published;
beforeAll(async () => {
  // What the server writes by itself ends what it remembers about people, so that the next request reads more.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  recorder = recordStatements();
  scenario = await startInstallScenario();
  // They are written a second later, on a busy machine during the same request.
  vi.spyOn(scenario.fixture.app.credentialUse, 'noteUse').mockImplementation(() => undefined);
  app = await scenario.publish(scenario.android, buildDemoApk());
  iosApp = await scenario.publish(scenario.ios, buildIpa());
  const path = `/api/v1/projects/${scenario.ios.project_id}/sibling`;
  const linked = await (await scenario.staff()).put(path, { sibling_project_id: scenario.android.project_id });
  expect(linked.status, linked.text).toBe(200);
});
afterAll(async () => {
  recorder.stop();
  await scenario?.fixture.stop();
  vi.useRealTimers();
});

interface Sent {
  status: number;
  statements: string[];
}

/** Sends a request of a browser. The work of other requests is done before, so that only its own statements are recorded. */
async function send(path: string, agent: Agent, person?: Person, init: RequestInit = {}): Promise<Sent> {
  const { fixture } = scenario;
  await fixture.app.jobs.drain();
  let status = 0;
  const statements = await recorder.during(async () => {
    const response = await fetch(fixture.url + path, {
      redirect: 'manual',
      ...init,
      headers: {
        'user-agent': agents[agent],
        ...(person === undefined ? {} : { cookie: `svc_access=${person.accessToken}` }),
        ...(init.method === 'POST' ? { 'sec-fetch-site': 'same-origin' } : {}),
        ...(init.headers as Record<string, string>),
      },
    });
    await response.text();
    ({ status } = response);
  });
  // The queue looks for work after a response that queued a job.
  return { status, statements: statements.filter((sql) => !/^\s*SELECT[^;]*FROM jobs/i.test(sql)) };
}

/** Asserts that requests get the same status by the same statements. The first of them also fills the caches. */
async function expectSame(requests: Record<string, () => Promise<Sent>>): Promise<void> {
  const [warmUp] = Object.values(requests);
  await warmUp?.();
  const results: Record<string, Sent> = {};
  for (const [name, request] of Object.entries(requests)) results[name] = await request();
  const [expected] = Object.values(results);
  expect(expected?.statements).not.toEqual([]);
  for (const [name, result] of Object.entries(results)) expect({ name, ...result }).toEqual({ name, ...expected });
}

const post = { method: 'POST' };

interface Target {
  id: string;
  slug: string;
}

let number = 0;
async function addChannel(project: 'ios' | 'android', body: Json = {}): Promise<Target> {
  number += 1;
  const slug = `same-work-${number}`;
  const id = await scenario.addChannel(scenario[project], { public: false, name: slug, ...body });
  const { identifier } = project === 'ios' ? iosApp.build : app.build;
  await scenario.addRelease(scenario[project], id, identifier);
  await edit(id, { slug });
  return { id, slug };
}
async function edit(id: string, body: Json): Promise<void> {
  const answer = await (await scenario.staff()).patch(`/api/v1/channels/${id}`, body);
  expect(answer.status, answer.text).toBe(200);
}

/** Channels that nobody of the visitors may install from, of all kinds, and one that doesn't exist. */
async function addTargets(): Promise<Record<string, Target>> {
  const targets: Record<string, Target> = {
    missing: { id: ABSENT, slug: 'same-work-missing' },
    android: await addChannel('android'),
    ios: await addChannel('ios'),
  };
  for (const isPublic of [true, false]) {
    const kind = isPublic ? 'public' : 'private';
    const name = `pair ${++number}`;
    targets[`android with a ${kind} sibling`] = await addChannel('android', { name });
    await addChannel('ios', { name, public: isPublic });
    const other = `pair ${++number}`;
    targets[`ios with a ${kind} sibling`] = await addChannel('ios', { name: other });
    await addChannel('android', { name: other, public: isPublic });
  }
  const former = await addChannel('android');
  await edit(former.id, { slug: `${former.slug}-new` });
  targets.former = former;
  const deleted = await addChannel('android');
  const staff = await scenario.staff();
  expect((await staff.delete(`/api/v1/channels/${deleted.id}`, { force: true })).status).toBe(204);
  targets.deleted = deleted;
  return targets;
}

/** People without access, of all kinds. */
async function addVisitors(): Promise<Record<string, Person | undefined>> {
  const { organization_id: organizationId, project_id: projectId } = scenario.android;
  return {
    nobody: undefined,
    stranger: await addPerson(scenario.fixture),
    unverified: await addPerson(scenario.fixture, { isVerified: false }),
    member: await addPerson(scenario.fixture, {
      organizations: { [organizationId]: 'member' },
      projects: { [projectId]: 'read', [scenario.ios.project_id]: 'read' },
    }),
  };
}

const lock = (lockReason: 'suspended' | null) =>
  scenario.fixture.app.db
    .update(organizations)
    .set({ lockReason })
    .where(eq(organizations.id, scenario.android.organization_id))
    .run();

describe('a visitor without access', () => {
  it('gets the pages of channels by the same statements, whether they exist or not', async () => {
    const targets = await addTargets();
    for (const person of Object.values(await addVisitors())) {
      for (const agent of allAgents) {
        const each = (pathOf: (target: Target) => string, init?: RequestInit) =>
          Object.fromEntries(
            Object.entries(targets).map(([name, target]) => [name, () => send(pathOf(target), agent, person, init)]),
          );
        await expectSame(each(({ id }) => `/install/channels/${id}`));
        await expectSame(each(({ id }) => `/install/channels/${id}/releases/${ABSENT}`));
        await expectSame(each(({ slug }) => `/i/${slug}`));
        const form = { ...post, headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: '' };
        await expectSame(each(({ id }) => `/install/channels/${id}/register-device`, form));
        await expectSame(each(({ slug }) => `/i/${slug}/register-device`, form));
      }
    }
  });

  it('gets them by the same statements while the organization is locked', async () => {
    const { missing, android, ios } = await addTargets();
    const stranger = await addPerson(scenario.fixture);
    lock('suspended');
    try {
      for (const person of [undefined, stranger]) {
        const open = (target: Target | undefined) => () => send(`/i/${target?.slug}`, 'desktop', person);
        await expectSame({ missing: open(missing), android: open(android), ios: open(ios) });
      }
    } finally {
      lock(null);
    }
  });

  it('asks for access by the same statements, whether the channel exists or not', async () => {
    const targets = await addTargets();
    for (const agent of allAgents) {
      for (const pathOf of [
        ({ id }: Target) => `/install/channels/${id}/access-request`,
        ({ slug }: Target) => `/i/${slug}/access-request`,
      ]) {
        const first = await addPerson(scenario.fixture);
        await send(pathOf({ id: scenario.fixture.app.ids.next(), slug: 'nothing-here' }), agent, first, post);
        const people = await Promise.all(Object.keys(targets).map(() => addPerson(scenario.fixture)));
        const sent: Record<string, () => Promise<Sent>> = {};
        const again: Record<string, () => Promise<Sent>> = {};
        for (const [at, [name, target]] of Object.entries(targets).entries()) {
          sent[name] = () => send(pathOf(target), agent, people[at], post);
          again[name] = () => {
            // Any write: each visitor's session is read again.
            scenario.fixture.app.db.$client.exec('DELETE FROM sessions WHERE false');
            return send(pathOf(target), agent, people[at], post);
          };
        }
        const results = [];
        for (const [name, request] of Object.entries(sent)) results.push({ name, ...(await request()) });
        const [{ status, statements } = { status: 0, statements: [] }] = results;
        expect(statements.some((sql) => /insert into "?access_requests/i.test(sql))).toBe(true);
        for (const result of results) expect(result).toEqual({ name: result.name, status, statements });
        await expectSame(again);
      }
    }
  });

  it('gets the pages of builds by the same statements, regardless of the number of channels they are live on', async () => {
    const build = await scenario.addBuild(scenario.android, buildDemoApk(), { version_name: '8.0.0' });
    const live = await scenario.addBuild(scenario.android, buildDemoApk(), { version_name: '8.0.1' });
    for (let at = 0; at < 3; at += 1) {
      const id = await scenario.addChannel(scenario.android, { public: false });
      await scenario.addRelease(scenario.android, id, live.identifier);
    }
    const visitors = await addVisitors();
    for (const person of Object.values(visitors)) {
      const open = (id: string) => () => send(`/install/builds/${id}`, 'android', person);
      await expectSame({ missing: open(ABSENT), build: open(build.identifier), live: open(live.identifier) });
    }
  });

  it('gets a public channel by the same statements, whether it has a private sibling or not', async () => {
    for (const [own, other] of [
      ['android', 'ios'],
      ['ios', 'android'],
    ] as const) {
      const name = `pair ${++number}`;
      const alone = await addChannel(own, { public: true });
      const paired = await addChannel(own, { public: true, name });
      await addChannel(other, { name });
      for (const person of Object.values(await addVisitors())) {
        for (const agent of allAgents) {
          const open =
            ({ id }: Target) =>
            () =>
              send(`/install/channels/${id}`, agent, person);
          await expectSame({ alone: open(alone), paired: open(paired) });
        }
      }
    }
  });
});

describe('a link that does not work', () => {
  it('runs the same statements as an unknown one if it is a share link', async () => {
    const { fixture } = scenario;
    const { id: channel_id } = await addChannel('android');
    const token = (url: string) => `/s/${url.split('/s/')[1]}`;
    const make = async (body: Json = {}) => share(scenario, scenario.android, { channel_id, ...body });
    const revoked = await make({ password: 'orange submarine' });
    expect((await (await scenario.staff()).post(`/api/v1/share-links/${revoked.identifier}/revoke`)).status).toBe(204);
    const usedUp = await make({ max_installs: 1 });
    await scenario.digest(await browser(scenario).button(usedUp.url));
    const expired = await make({ expires_at: new Date(fixture.clock.now().getTime() + MINUTE).toISOString() });
    const maker = await addPerson(fixture, {
      organizations: { [scenario.android.organization_id]: 'member' },
      projects: { [scenario.android.project_id]: 'maintainer' },
    });
    const left = await share(scenario, scenario.android, { channel_id }, maker.client);
    fixture.app.db.$client.prepare("UPDATE project_memberships SET role = 'read' WHERE developer_id = ?").run(maker.id);
    fixture.clock.advance(2 * MINUTE);
    const urls = {
      unknown: '/s/nothing',
      revoked: token(revoked.url),
      usedUp: token(usedUp.url),
      expired: token(expired.url),
      left: token(left.url),
    };
    const open = (init?: RequestInit) =>
      Object.fromEntries(
        Object.entries(urls).map(([name, path]) => [name, () => send(path, 'android', undefined, init)]),
      );
    await expectSame(open());
    await expectSame(
      open({
        ...post,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'password=orange+submarine',
      }),
    );
  });

  it('runs the same statements as an unknown one if it is a join link', async () => {
    const { fixture } = scenario;
    const { id } = await addChannel('android');
    const make = async (body: Json = {}, client?: Person['client']) => {
      const path = `/api/v1/channels/${id}/join-links`;
      const answer = await (client ?? (await scenario.staff())).post<{ identifier: string; join_url: string }>(
        path,
        body,
      );
      expect(answer.status, answer.text).toBe(201);
      return { ...answer.body, path: `/join/${answer.body.join_url.split('/join/')[1]}` };
    };
    const revoked = await make();
    const staff = await scenario.staff();
    expect((await staff.delete(`/api/v1/channels/${id}/join-links/${revoked.identifier}`)).status).toBe(204);
    const full = await make({ max_people: 1 });
    const joining = await send(full.path, 'android', await addPerson(fixture), post);
    expect(joining.status).toBe(302);
    const expired = await make({ expires_at: new Date(fixture.clock.now().getTime() + MINUTE).toISOString() });
    const maker = await addPerson(fixture, {
      organizations: { [scenario.android.organization_id]: 'member' },
      projects: { [scenario.android.project_id]: 'maintainer' },
    });
    const left = await make({}, maker.client);
    fixture.app.db.$client.prepare("UPDATE project_memberships SET role = 'read' WHERE developer_id = ?").run(maker.id);
    fixture.clock.advance(2 * MINUTE);
    const paths = {
      unknown: '/join/nothing',
      revoked: revoked.path,
      full: full.path,
      expired: expired.path,
      left: left.path,
    };
    for (const person of [undefined, await addPerson(fixture)]) {
      for (const init of [{}, post]) {
        await expectSame(
          Object.fromEntries(
            Object.entries(paths).map(([name, path]) => [name, () => send(path, 'android', person, init)]),
          ),
        );
      }
    }
  });
});
