// The install page of one build, for its team and the testers of channels on which it is live.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { downloads } from '../../src/data/tables/tables.ts';
import type { Build } from '../builds/scenario.ts';
import { buildDemoApk } from '../support/fixtures.ts';
import { ABSENT } from '../support/harness.ts';
import { addPerson, type Person, type PersonOptions } from '../support/people.ts';
import { type InstallScenario, startInstallScenario } from './scenario.ts';

const PHONE =
  'Mozilla/5.0 (Linux; Android 14; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36';

let scenario: InstallScenario;
let build: Build;
let member: Person;
let stranger: Person;
beforeAll(async () => {
  scenario = await startInstallScenario();
  build = await scenario.addBuild(scenario.android, buildDemoApk());
  member = await addMember('read_download');
  stranger = await addPerson(scenario.fixture);
});
afterAll(() => scenario?.fixture.stop());

function addMember(role: 'read' | 'read_download', options: PersonOptions = {}): Promise<Person> {
  const { fixture } = scenario;
  return addPerson(fixture, {
    organizations: { [fixture.organization_id]: 'member' },
    projects: { [fixture.android_project_id]: role },
    ...options,
  });
}

async function open(id: string, person?: Person) {
  const cookie = person === undefined ? {} : { cookie: `svc_access=${person.accessToken}` };
  const response = await fetch(`${scenario.fixture.url}/install/builds/${id}`, {
    headers: { 'user-agent': PHONE, accept: 'text/html', ...cookie },
  });
  const html = await response.text();
  const kept = [...response.headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
  const title = /<h1[^>]*>(?:<bdi>)?([^<]*)/.exec(html)?.[1];
  const button = (/<a class="button" href="([^"]*)"/.exec(html)?.[1] ?? '').replaceAll('&amp;', '&');
  return {
    status: response.status,
    title,
    html: html.replaceAll(id, 'ID'),
    headers: kept,
    button: button.replaceAll(id, 'ID'),
  };
}
const lastDownload = () => scenario.fixture.app.db.select().from(downloads).all().at(-1);

describe('the page of a build', () => {
  it('installs a build that was never released, for a member who may download it', async () => {
    const page = await open(build.identifier, member);
    expect([page.status, page.title]).toEqual([200, 'API Demos']);
    expect(page.html).toContain('Uploaded');
    expect(page.html).toContain('About this build');
    expect(page.html).toContain('This build has no notes.');
    expect(page.html).not.toContain('his release');
    expect(page.html).not.toContain('This link expires');
    await scenario.digest(page.button);
    await scenario.digest(page.button);
    expect(lastDownload()).toMatchObject({
      buildId: build.identifier,
      developerId: member.id,
      channelId: null,
      releaseId: null,
    });
    expect((await open(build.identifier.toUpperCase(), member)).status).toBe(200);
  });

  it('stops what it started when the member loses the role', async () => {
    const person = await addMember('read_download');
    const { button } = await open(build.identifier, person);
    expect((await scenario.follow(button)).status).toBe(302);
    const { $client } = scenario.fixture.app.db;
    $client.prepare("UPDATE project_memberships SET role = 'read' WHERE developer_id = ?").run(person.id);
    expect((await scenario.follow(button)).status).toBe(404);
    expect((await open(build.identifier, person)).title).toBe('You don’t have access to this app');
  });

  it('installs from their channel for testers, while the build is live there', async () => {
    const live = await scenario.addBuild(scenario.android, buildDemoApk());
    const channelId = await scenario.addChannel(scenario.android, { public: false });
    const releaseId = await scenario.addRelease(scenario.android, channelId, live.identifier);
    const tester = await addPerson(scenario.fixture);
    const added = await (await scenario.staff()).post(
      `/api/v1/projects/${scenario.fixture.android_project_id}/testers`,
      {
        email: tester.email,
      },
    );
    expect(added.status).toBe(201);
    const page = await open(live.identifier, tester);
    expect([page.status, page.title]).toEqual([200, 'API Demos']);
    await scenario.digest(page.button);
    expect(lastDownload()).toMatchObject({ channelId, releaseId, developerId: tester.id });
    await scenario.addRelease(scenario.android, channelId, build.identifier);
    expect((await open(live.identifier, tester)).title).toBe('You don’t have access to this app');
    expect((await open(build.identifier, tester)).title).toBe('API Demos');
    await (await scenario.staff()).post(
      '/api/v1/releases/rollback',
      {},
      { ...scenario.android, channel_id: channelId },
    );
    expect((await open(live.identifier, tester)).status).toBe(200);
  });

  it('is the same as of a missing build for everyone else', async () => {
    const reader = await addMember('read');
    const unverified = await addPerson(scenario.fixture, { isVerified: false });
    for (const [person, title] of [
      [undefined, 'Sign in to install'],
      [stranger, 'You don’t have access to this app'],
      [reader, 'You don’t have access to this app'],
      [unverified, 'Your email address isn’t verified'],
    ] as const) {
      const page = await open(build.identifier, person);
      expect([page.status, page.title]).toEqual([404, title]);
      for (const id of [ABSENT, 'x'.repeat(ABSENT.length)]) expect(await open(id, person)).toEqual(page);
      // Nobody can be asked for a build.
      expect(page.html).not.toContain('<form');
    }
  });

  it('does not install a revoked build', async () => {
    const revoked = await scenario.addBuild(scenario.android, buildDemoApk());
    const { button } = await open(revoked.identifier, member);
    expect((await (await scenario.staff()).post(`/api/v1/builds/${revoked.identifier}/revoke`)).status).toBe(200);
    expect((await scenario.follow(button)).status).toBe(404);
    const page = await open(revoked.identifier, member);
    expect([page.status, page.title]).toEqual([404, 'This build is no longer available']);
    expect((await open(revoked.identifier, stranger)).title).toBe('You don’t have access to this app');
  });
});
