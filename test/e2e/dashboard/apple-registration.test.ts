// A phone enrolls, the team registers it with Apple, and its page offers the build that includes it.
import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerOf, attributesOf, readProfile, sendAnswer } from '../../devices/phone.ts';
import { type DeviceScenario, startDeviceScenario } from '../../devices/scenario.ts';
import { newUdid, releaseFor } from '../../devices/self-registration.ts';
import { type Providers, startProviders } from '../../stores/providers.ts';
import { api } from '../../support/harness.ts';
import { closeContexts, openBrowser } from '../browser.ts';
import { type HttpsFront, startHttpsFront } from '../https-front.ts';
import { openSignedIn, type Scenario } from './scenario.ts';
import { iphoneAgent, openVisitor, phone } from './visitor.ts';

const onPhone = { userAgent: iphoneAgent, viewport: phone, isMobile: true, hasTouch: true, ignoreHTTPSErrors: true };

let browser: Browser;
let front: HttpsFront;
let providers: Providers;
let lab: DeviceScenario;
let scenario: Scenario;

beforeAll(async () => {
  const time = { now: () => Date.now() };
  [browser, front, providers] = await Promise.all([openBrowser(), startHttpsFront(), startProviders(() => time.now())]);
  lab = await startDeviceScenario({
    config: { ...providers.config, server: { base_url: front.url, trusted_proxies: ['127.0.0.1'] } },
  });
  const { fixture } = lab;
  time.now = () => fixture.clock.now().getTime();
  front.passTo(fixture.url);
  scenario = { fixture, browser, client: api(fixture), origin: front.url, close: () => lab.stop() };
});
afterAll(async () => {
  await closeContexts(browser);
  await lab?.stop();
  await providers?.stop();
  await front?.stop();
});

describe('a phone', () => {
  it('enrolls, is registered with Apple on the channel, and installs the build that includes it', async () => {
    const { installScenario: shelf, fixture } = lab;
    const key = providers.appleKey();
    const connection = await (await shelf.staff()).post(
      '/api/v1/store-connections',
      { provider: 'app_store_connect', name: 'Our Apple team', ...key },
      { organization_id: fixture.organization_id },
    );
    expect(connection.status, connection.text).toBe(201);
    const channelId = await shelf.addChannel(shelf.ios, { public: true, allow_device_registration: true });
    await releaseFor(lab, channelId, newUdid());
    const udid = newUdid();

    const visitor = await openVisitor(browser, front.url, onPhone);
    const { page, actions, show } = visitor;
    await page.goto(`${front.url}/install/channels/${channelId}`);
    await actions.click('Register this iPhone');
    const download = page.waitForEvent('download');
    await actions.click('Download profile', 'link');
    const { url, challenge } = await readProfile(readFileSync(await (await download).path()));
    const answer = answerOf(lab.laboratory, attributesOf(challenge, { UDID: udid }));
    const answered = await sendAnswer(lab.reach(url), answer);
    await page.goto(answered.headers.get('location') ?? '');
    await page.getByRole('heading', { name: 'This iPhone is waiting for a new build' }).waitFor();
    await page.getByText('It is registered, and your team sees that it is waiting.').waitFor();

    const team = await openVisitor(browser, front.url, { ignoreHTTPSErrors: true });
    await openSignedIn(scenario, team, `/projects/${shelf.ios.project_id}/channels/${channelId}`);
    const card = team.page.getByRole('region', { name: '1 phone is waiting for a build' });
    await card.getByText('Not registered', { exact: true }).waitFor();
    await team.show('channel-waiting-unregistered');
    await card.getByRole('button', { name: 'Register with Apple' }).click();
    const dialog = team.page.getByRole('dialog');
    await dialog.getByText('100 of 100 places for iPhones are left.').waitFor();
    await dialog.getByRole('button', { name: 'Register with Apple' }).click();
    await card.getByText('Registered', { exact: true }).waitFor();
    await team.page.getByText('Rebuild to include 1 device').waitFor();
    await team.show('channel-waiting-registered');
    expect(providers.apple.devices).toMatchObject([{ udid, status: 'ENABLED' }]);

    await page.reload();
    await page.getByText('It is registered with Apple, so the next build can include it.').waitFor();
    await show('phone-registered-with-apple');
    await releaseFor(lab, channelId, udid);
    await page.reload();
    await page.getByText('This iPhone is registered for this build.').waitFor();
    await page.getByRole('link', { name: 'Install', exact: true }).waitFor();
    await team.page.reload();
    await team.page.getByRole('heading', { name: 'History' }).waitFor();
    await card.waitFor({ state: 'detached' });
    await team.settle();
    expect(await team.page.getByText('Rebuild to include 1 device').count()).toBe(0);
    await team.leave();
    await visitor.leave();
  });
});
