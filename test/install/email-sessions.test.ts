// The install page of a private channel for people who signed in by email, and its offer of a passkey.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEmailBrowser, readCode, SENDS_MAIL } from '../support/email-sign-in.ts';
import { buildDemoApk } from '../support/fixtures.ts';
import { ABSENT } from '../support/harness.ts';
import { type InstallScenario, startInstallScenario } from './scenario.ts';

const PHONE =
  'Mozilla/5.0 (Linux; Android 14; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36';

let scenario: InstallScenario;
let channelId: string;
beforeAll(async () => {
  scenario = await startInstallScenario({ config: { mail: SENDS_MAIL } });
  const app = await scenario.publish(scenario.android, buildDemoApk());
  channelId = await scenario.addChannel(scenario.android, { public: false });
  await scenario.addRelease(scenario.android, channelId, app.build.identifier);
});
afterAll(() => scenario?.fixture.stop());

/** A person who signed in by email, as a tester of the project or not; answers the cookie of their session. */
async function signInByEmail(email: string, isTester: boolean): Promise<string> {
  const { fixture } = scenario;
  const staff = await scenario.staff();
  const project = isTester ? scenario.android.project_id : fixture.ios_project_id;
  expect((await staff.post(`/api/v1/projects/${project}/testers`, { email })).status).toBe(201);
  const browser = openEmailBrowser(fixture);
  await browser.request(email);
  expect((await browser.confirm({ code: (await readCode(fixture, email)).code, cookies: true })).status).toBe(200);
  return `svc_access=${browser.cookies.get('svc_access')}`;
}

async function open(
  cookie: string,
  id = channelId,
): Promise<{ status: number; title: string | undefined; html: string }> {
  const response = await fetch(`${scenario.fixture.url}/install/channels/${id}`, {
    headers: { 'user-agent': PHONE, cookie },
  });
  const html = await response.text();
  return { status: response.status, title: /<h1[^>]*>(?:<bdi>)?([^<]*)/.exec(html)?.[1], html };
}

const policy = async (isAllowed: boolean) => {
  const path = `/api/v1/organizations/${scenario.fixture.organization_id}`;
  const answer = await (await scenario.staff()).patch(path, { email_sign_in_allowed: isAllowed });
  expect(answer.status).toBe(200);
};

describe('an organization that does not allow signing in by email', () => {
  it('asks its testers to sign in another way, and shows strangers nothing', async () => {
    const [tester, stranger] = [
      await signInByEmail('tester@example.com', true),
      await signInByEmail('stranger@example.com', false),
    ];
    expect((await open(tester)).status).toBe(200);
    await policy(false);
    const refused = await open(tester);
    expect([refused.status, refused.title]).toEqual([404, 'Sign in another way']);
    expect(refused.html).toContain(
      `href="${scenario.base}/sign-in?back=%2Finstall%2Fchannels%2F${channelId}&amp;account=other"`,
    );
    expect(refused.html).toContain(`href="${scenario.base}/me"`);
    const [hidden, absent] = [await open(stranger), await open(stranger, ABSENT)];
    expect(hidden.title).toBe('You don’t have access to this app');
    expect(hidden.html.replaceAll(channelId, 'ID')).toBe(absent.html.replaceAll(ABSENT, 'ID'));
    await policy(true);
    expect((await open(tester)).status).toBe(200);
  });

  it('lets nobody who signed in by email join with a link', async () => {
    const cookie = await signInByEmail('joins@example.com', false);
    const path = `/api/v1/channels/${channelId}/join-links`;
    const link = await (await scenario.staff()).post<{ join_url: string }>(path, {});
    const { pathname } = new URL(link.body.join_url);
    const join = () =>
      fetch(scenario.fixture.url + pathname, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie, 'sec-fetch-site': 'same-origin' },
      });
    await policy(false);
    const refused = await join();
    expect([refused.status, /<h1[^>]*>([^<]*)/.exec(await refused.text())?.[1]]).toEqual([403, 'Sign in another way']);
    await policy(true);
    expect((await join()).headers.get('location')).toBe(`${scenario.base}/install/channels/${channelId}`);
  });
});

describe('the offer of a passkey', () => {
  it('is on the page after the first download, not before', async () => {
    const cookie = await signInByEmail('installs@example.com', true);
    const before = await open(cookie);
    expect(before.html).not.toContain('/me/passkey');
    const download = /href="([^"]*\/download[^"]*)"/.exec(before.html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const { pathname, search } = new URL(download, scenario.base);
    const response = await fetch(scenario.fixture.url + pathname + search, { redirect: 'manual' });
    expect(response.status).toBe(302);
    const after = await open(cookie);
    const back = encodeURIComponent(`/install/channels/${channelId}`);
    expect(after.html).toContain(`href="${scenario.base}/me/passkey?back=${back}"`);
  });
});
