// A phone that isn't in the profile: registered on the install page, seen by the team, and installing when a build includes it.
import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { answerOf, attributesOf, readProfile, sendAnswer } from '../../devices/phone.ts';
import { type DeviceScenario, startDeviceScenario } from '../../devices/scenario.ts';
import { newUdid, releaseFor } from '../../devices/self-registration.ts';
import { type Account, api, createAccount } from '../../support/harness.ts';
import { mailKinds } from '../../support/mailbox.ts';
import { closeContexts, openBrowser } from '../browser.ts';
import { type HttpsFront, startHttpsFront } from '../https-front.ts';
import { openSignedIn, type Scenario } from './scenario.ts';
import { iphoneAgent, openVisitor, phone, type Visitor } from './visitor.ts';

const onPhone = { userAgent: iphoneAgent, viewport: phone, isMobile: true, hasTouch: true, ignoreHTTPSErrors: true };

let browser: Browser;
let front: HttpsFront;
let lab: DeviceScenario;
let scenario: Scenario;
let tester: Account;
let visitors: Visitor[] = [];

beforeAll(async () => {
  [browser, front] = await Promise.all([openBrowser(), startHttpsFront()]);
  lab = await startDeviceScenario({ config: { server: { base_url: front.url, trusted_proxies: ['127.0.0.1'] } } });
  const { fixture } = lab;
  front.passTo(fixture.url);
  scenario = { fixture, browser, client: api(fixture), origin: front.url, close: () => lab.stop() };
  tester = await createAccount(fixture, { email: 'robin@example.com' });
  const { installScenario: shelf } = lab;
  const testers = `/api/v1/projects/${shelf.ios.project_id}/testers`;
  expect((await (await shelf.staff()).post(testers, { email: tester.email })).status).toBe(201);
});
afterEach(async () => {
  for (const visitor of visitors) await visitor.leave();
  visitors = [];
});
afterAll(async () => {
  await closeContexts(browser);
  await lab?.stop();
  await front?.stop();
});

async function open(options: Parameters<typeof openVisitor>[2]): Promise<Visitor> {
  const visitor = await openVisitor(browser, front.url, options);
  visitors.push(visitor);
  return visitor;
}

/** What iOS does in Settings: answers the profile, and opens the address that it gets in Safari. */
async function installProfile({ page, actions }: Visitor, udid: string): Promise<void> {
  const download = page.waitForEvent('download');
  await actions.click('Download profile', 'link');
  const { url, challenge } = await readProfile(readFileSync(await (await download).path()));
  const answer = answerOf(lab.laboratory, attributesOf(challenge, { UDID: udid }));
  const answered = await sendAnswer(lab.reach(url), answer);
  expect(answered.status).toBe(301);
  await page.goto(answered.headers.get('location') ?? '');
}

describe('an iPhone that is not in the profile', () => {
  it('waits for a build after three screens and two taps on the way, and then installs it', async () => {
    const { installScenario: shelf, fixture } = lab;
    const channelId = await shelf.addChannel(shelf.ios, { public: false });
    await releaseFor(lab, channelId);
    const link = `/install/channels/${channelId}`;
    const channelPage = `/projects/${shelf.ios.project_id}/channels/${channelId}`;
    const udid = newUdid();

    const visitor = await open(onPhone);
    const { page, actions, show } = visitor;
    await openSignedIn(scenario, visitor, link, tester);
    const screens = [link];
    page.on('framenavigated', () => screens.push(new URL(page.url()).pathname.replace(/[\w-]{43}$/, 'TOKEN')));
    await page.getByRole('link', { name: 'Install', exact: true }).waitFor();
    await show('register-iphone-offered');
    actions.count();
    await actions.click('Register this iPhone');
    await page.getByRole('heading', { name: 'Register this iPhone' }).waitFor();
    await installProfile(visitor, udid);
    await page.getByRole('heading', { name: 'This iPhone is waiting for a new build' }).waitFor();
    expect(actions.count()).toBe(2);
    expect(screens.filter((path, at) => path !== screens[at - 1])).toEqual([link, '/public/v1/enroll/TOKEN', link]);
    await show('register-iphone-waiting');

    const team = await open({ ignoreHTTPSErrors: true });
    await openSignedIn(scenario, team, '/');
    await team.page.getByRole('link', { name: 'Open: 1 phone is waiting for a build' }).click();
    await team.page.waitForURL(`**${channelPage}`);
    const card = team.page.getByRole('region', { name: '1 phone is waiting for a build' });
    await card.getByRole('listitem').getByText('iPhone 13 Pro', { exact: false }).first().waitFor();
    const file = team.page.waitForEvent('download');
    await card.getByRole('button', { name: 'Export for Apple' }).click();
    expect(readFileSync(await (await file).path(), 'utf8')).toContain(udid);
    await team.show('channel-phones-waiting');

    await releaseFor(lab, channelId, udid);
    expect(mailKinds(fixture, tester.email).at(-1)).toBe('device_ready');
    const reloaded = page.waitForResponse((response) => new URL(response.url()).pathname === link);
    await page.reload();
    expect((await reloaded).headers().refresh).toBeUndefined();
    await page.getByText('This iPhone is registered for this build.').waitFor();
    await page.getByRole('link', { name: 'Install', exact: true }).waitFor();
    await team.page.reload();
    await team.page.getByRole('heading', { name: 'History' }).waitFor();
    await card.waitFor({ state: 'detached' });
  });

  it('is registered by anyone with the link of a public channel that allows it, and removed by the team', async () => {
    const { installScenario: shelf } = lab;
    const channelId = await shelf.addChannel(shelf.ios, { public: true });
    await releaseFor(lab, channelId);
    const channelPage = `/projects/${shelf.ios.project_id}/channels/${channelId}`;
    const team = await open({ ignoreHTTPSErrors: true });
    await openSignedIn(scenario, team, channelPage);
    await team.page.getByRole('button', { name: 'More', exact: true }).click();
    await team.page.getByRole('menuitem', { name: 'Edit' }).click();
    const dialog = team.page.getByRole('dialog');
    await dialog.getByRole('switch', { name: 'Anyone can register iPhones' }).click();
    await team.show('channel-form-registration');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });

    const visitor = await open(onPhone);
    const { page, actions } = visitor;
    await page.goto(`${front.url}/install/channels/${channelId}`);
    await actions.click('Register this iPhone');
    await installProfile(visitor, newUdid());
    await page.getByRole('heading', { name: 'This iPhone is waiting for a new build' }).waitFor();
    await page.getByText('Keep this link, and open it again later.').waitFor();

    await team.page.reload();
    await team.page.getByRole('button', { name: 'Remove iPhone 13 Pro' }).click();
    await team.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await team.page.getByText('iPhone 13 Pro is no longer waiting for a build.').waitFor();
    await team.page.getByRole('region', { name: '1 phone is waiting for a build' }).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('button', { name: 'Ask for a build' }).click();
    await page.getByRole('heading', { name: 'This iPhone is waiting for a new build' }).waitFor();
  });
});
