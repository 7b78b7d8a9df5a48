// Short addresses of channels.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY } from '../../src/lib/clock.ts';
import { collectTesterData } from '../../src/testers/personal-data.ts';
import { buildDemoApk } from '../support/fixtures.ts';
import { auditMark, auditRows, expectInvalid, expectRefusal, type Json, type Page } from '../support/harness.ts';
import { addPerson, type Person } from '../support/people.ts';
import { type InstallScenario, type Published, startInstallScenario } from './scenario.ts';

let scenario: InstallScenario;
let app: Published;
beforeAll(async () => {
  scenario = await startInstallScenario();
  app = await scenario.publish(scenario.android, buildDemoApk());
});
afterAll(() => scenario?.fixture.stop());

async function edit(channelId: string, body: Json) {
  return (await scenario.staff()).patch<Json>(`/api/v1/channels/${channelId}`, body);
}
async function open(path: string, person?: Person, init: RequestInit = {}) {
  const headers = person === undefined ? {} : { cookie: `svc_access=${person.accessToken}` };
  const response = await fetch(scenario.fixture.url + path, {
    redirect: 'manual',
    ...init,
    headers: { ...headers, ...(init.headers as Record<string, string>) },
  });
  const html = await response.text();
  const title = /<h1[^>]*>(?:<bdi>)?([^<]*)/.exec(html)?.[1];
  return { status: response.status, location: response.headers.get('location'), html, title };
}

describe('the slug of a channel', () => {
  it('gives the channel a short address, and is recorded', async () => {
    const after = auditMark(scenario.fixture);
    const edited = await edit(app.channelId, { slug: ' Harbor-Beta ' });
    expect(edited.body).toMatchObject({ slug: 'harbor-beta', short_url: `${scenario.base}/i/harbor-beta` });
    expect(auditRows(scenario.fixture, { after })).toMatchObject([
      { event: 'edited', type: 'channel', identifier: app.channelId, details: { fields: ['slug'] } },
    ]);
    const page = await open('/i/harbor-beta');
    expect([page.status, page.html.includes('ApiDemos') || page.html.includes('API Demos')]).toEqual([200, true]);
    expect((await open('/i/HARBOR-beta')).status).toBe(200);
    const location = `${scenario.base}/i/harbor-beta`;
    expect(await open('/i/harbor-beta/')).toMatchObject({ status: 308, location });
    expect(await open('/i/harbor-beta/?from=poster')).toMatchObject({
      status: 308,
      location: `${location}?from=poster`,
    });
    expect(await open('/i/harbor-beta//')).toMatchObject({ status: 404, location: null });
    expect(await open('/i/harbor-beta/', undefined, { method: 'POST' })).toMatchObject({ status: 404, location: null });
    expect((await edit(app.channelId, { slug: 'harbor-beta' })).status).toBe(200);
    expect(auditRows(scenario.fixture, { after })).toHaveLength(1);
  });

  it.each([
    ['ab', 'string_too_short'],
    ['x'.repeat(41), 'string_too_long'],
    ['two--hyphens', 'string_pattern_mismatch'],
    ['-start', 'string_pattern_mismatch'],
    ['with space', 'string_pattern_mismatch'],
    ['ümlaut', 'string_pattern_mismatch'],
    ['a/../b', 'string_pattern_mismatch'],
  ])('is refused as %s', async (slug, type) => {
    expectInvalid(await edit(app.channelId, { slug }), `body.slug: ${type}`);
  });

  it('is unique on the server, also when a channel is created', async () => {
    const staff = await scenario.staff();
    const created = await staff.post<{ identifier: string }>(
      '/api/v1/channels',
      { name: 'With slug', slug: 'unique-one' },
      { ...scenario.ios },
    );
    expect(created.body).toMatchObject({ slug: 'unique-one', short_url: `${scenario.base}/i/unique-one` });
    const refused = await edit(app.channelId, { slug: 'unique-one' });
    expect(expectRefusal(refused, 409, 'already_exists')).toEqual({ field: 'slug' });
    const again = await staff.post('/api/v1/channels', { name: 'Another', slug: 'unique-one' }, { ...scenario.ios });
    expectRefusal(again, 409, 'already_exists');
    const { body } = await staff.get<Page<{ name: string }>>('/api/v1/channels', { ...scenario.ios });
    expect(body.items.map(({ name }) => name)).not.toContain('Another');
  });

  it('redirects after a change for a year, and is free after that', async () => {
    const { fixture } = scenario;
    const channelId = await scenario.addChannel(scenario.android);
    const other = await scenario.addChannel(scenario.android);
    await edit(channelId, { slug: 'first-name' });
    await edit(channelId, { slug: 'second-name' });
    expect((await open('/i/first-name')).location).toBe(`${scenario.base}/i/second-name`);
    expect((await open('/i/first-name')).status).toBe(302);
    await edit(channelId, { slug: null });
    expect((await open('/i/second-name')).location).toBe(`${scenario.base}/install/channels/${channelId}`);
    expectRefusal(await edit(other, { slug: 'first-name' }), 409, 'already_exists');
    expect((await edit(channelId, { slug: 'first-name' })).status).toBe(200);
    expect((await open('/i/first-name')).status).toBe(200);
    fixture.clock.advance(365 * DAY - 1);
    expect((await open('/i/second-name')).status).toBe(302);
    fixture.clock.advance(1);
    expect((await open('/i/second-name')).title).toBe('Sign in to install');
    expect((await edit(other, { slug: 'second-name' })).status).toBe(200);
    await edit(other, { slug: null });
    fixture.clock.advance(366 * DAY);
    expect(await fixture.sweep('sessions')).toBeGreaterThanOrEqual(1);
    expect((await edit(channelId, { slug: 'second-name' })).status).toBe(200);
  });

  it('keeps twenty former ones of a channel', async () => {
    const channelId = await scenario.addChannel(scenario.android);
    for (let number = 0; number <= 21; number += 1) {
      scenario.fixture.clock.advance(1000);
      expect((await edit(channelId, { slug: `number-${number}` })).status).toBe(200);
    }
    expect((await open('/i/number-0')).title).toBe('Sign in to install');
    expect((await open('/i/number-1')).status).toBe(302);
  });

  it('ends with the channel', async () => {
    const channelId = await scenario.addChannel(scenario.android);
    await edit(channelId, { slug: 'before-end' });
    await edit(channelId, { slug: 'at-the-end' });
    expect((await (await scenario.staff()).delete(`/api/v1/channels/${channelId}`)).status).toBe(204);
    for (const slug of ['before-end', 'at-the-end']) {
      expect((await open(`/i/${slug}`)).title).toBe('Sign in to install');
      const next = await scenario.addChannel(scenario.android);
      expect((await edit(next, { slug })).status).toBe(200);
    }
  });
});

describe('the short address of a private channel', () => {
  const withoutSlug = ({ html, ...page }: Awaited<ReturnType<typeof open>>, slug: string) => ({
    ...page,
    html: html.replaceAll(slug, 'SLUG'),
  });
  const ask = (slug: string, person: Person) =>
    open(`/i/${slug}/access-request`, person, { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } });

  it('is the same as one that no channel has: signed out, signed in, asked, and after a change', async () => {
    const channelId = await scenario.addChannel(scenario.android, { public: false });
    await edit(channelId, { slug: 'secret-old' });
    await edit(channelId, { slug: 'secret-new' });
    const person = await addPerson(scenario.fixture);
    for (const slug of ['secret-new', 'secret-old']) {
      const unknown = `unknown-${slug}`;
      expect(withoutSlug(await open(`/i/${slug}`), slug)).toEqual(withoutSlug(await open(`/i/${unknown}`), unknown));
    }
    const signedIn = await open('/i/secret-new', person);
    expect(signedIn.title).toBe('You don’t have access to this app');
    expect(withoutSlug(await open('/i/secret-old', person), 'secret-old')).toEqual(withoutSlug(signedIn, 'secret-new'));
    expect(withoutSlug(await open('/i/not-there', person), 'not-there')).toEqual(withoutSlug(signedIn, 'secret-new'));
    const asked = await ask('secret-new', person);
    expect(asked.title).toBe('Request sent');
    expect(withoutSlug(await ask('not-there', person), 'not-there')).toEqual(withoutSlug(asked, 'secret-new'));
    expect((await open('/i/not-there', person)).title).toBe('Request sent');
    expect((await open('/i/not-there-either', person)).title).toBe('You don’t have access to this app');
    // Neither the person's trail nor another address shows which of them leads to a channel.
    const trail = auditRows(scenario.fixture).filter(
      ({ type, developerId }) => type === 'access_request' && developerId === person.id,
    );
    expect(trail.map(({ details }) => details)).toEqual([{ address: '/i/secret-new' }, { address: '/i/not-there' }]);
    expect((await open(`/install/channels/${channelId}`, person)).title).toBe('You don’t have access to this app');
    const data = collectTesterData(scenario.fixture.app, person.id, person.email).access_requests;
    expect(data.map((row) => Object.keys(row))).toEqual([
      ['id', 'createdAt'],
      ['id', 'createdAt'],
    ]);
    const requests = await (await scenario.staff()).get<Page<{ developer_id: string }>>(
      `/api/v1/channels/${channelId}/access-requests`,
    );
    expect(requests.body.items.map((request) => request.developer_id)).toEqual([person.id]);
  });
});
