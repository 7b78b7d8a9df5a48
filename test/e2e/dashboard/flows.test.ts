// The main task of each role on an empty server with the number of actions that it takes: on a desktop in light and on a phone in
// dark. The steps depend on the size of the screen; a scheme only changes colors, which `show` captures in both.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enrollPhone, type Laboratory, makeLaboratory, UDID } from '../../devices/phone.ts';
import { closeContexts, openBrowser } from '../browser.ts';
import { type RunningServer, startServer } from '../program.ts';
import { buildSampleApk, buildSampleIpa } from '../sample-app.ts';
import { androidAgent, desktop, openVisitor, phone, type Visitor } from './visitor.ts';

const account = { name: 'Ada Tide', email: 'ada@example.com', password: 'correct horse battery' };

const views = [
  { size: 'desktop', viewport: desktop, colorScheme: 'light' },
  { size: 'phone', viewport: phone, colorScheme: 'dark' },
] as const;

let browser: Browser;
let folder: string;
let laboratory: Laboratory;
const packages = { first: '', second: '', signed: '', unsigned: '', authority: '' };

beforeAll(async () => {
  browser = await openBrowser();
  folder = mkdtempSync(join(tmpdir(), 'taxiway-flows-'));
  laboratory = makeLaboratory();
  const files = {
    first: ['harbour-318.apk', buildSampleApk()],
    second: ['harbour-319.apk', buildSampleApk({ version: '2.4.1', build: '319' })],
    signed: ['harbour-320.ipa', buildSampleIpa({ build: '320', devices: [UDID] })],
    unsigned: ['harbour-321.ipa', buildSampleIpa({ build: '321', devices: ['00008101-000A1D2C3E4F5061'] })],
    authority: ['authority.pem', Buffer.from(laboratory.authority.pem)],
  } as const;
  for (const [name, [file, bytes]] of Object.entries(files)) {
    writeFileSync(join(folder, file), bytes);
    packages[name as keyof typeof packages] = join(folder, file);
  }
});
afterAll(async () => {
  await closeContexts(browser);
  rmSync(folder, { recursive: true, force: true });
});

describe.each(views)('on a $size in the $colorScheme', ({ size, viewport, colorScheme }) => {
  let server: RunningServer;
  let ada: Visitor;
  let origin: string;
  let installLink: string;
  beforeAll(async () => {
    server = await startServer({ TAXIWAY_APPLE_PROFILE__TRUSTED_DEVICE_CA_FILE: packages.authority });
    origin = new URL(server.setupLink).origin;
    ada = await openVisitor(browser, origin, { viewport, colorScheme });
  });
  afterAll(() => ada?.leave().finally(() => server?.remove()));

  const isPhone = size === 'phone';
  const heading = (name: string) => ada.page.getByRole('heading', { name, exact: true });
  const tray = () => ada.page.getByRole('region', { name: 'Uploads' });

  /** Goes to a page by the sidebar, which is behind the menu on a phone. Answers how many actions that took. */
  async function goTo(name: string): Promise<number> {
    const { page, actions } = ada;
    actions.count();
    if (isPhone) await actions.click('Menu');
    const place = isPhone ? page.getByRole('dialog', { name: 'Menu' }) : page.locator('.tw-shell > aside');
    await actions.click(place.getByRole('link', { name, exact: true }));
    return actions.count();
  }

  async function makeProject(name: string, platform: 'iOS' | 'Android', channel: string): Promise<void> {
    const { page, actions } = ada;
    await goTo('Home');
    await actions.click('New project');
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByText(platform, { exact: true }).last().click();
    await actions.click('Create');
    await heading('No channels yet').waitFor();
    await makeChannel(channel);
  }

  async function makeChannel(name: string): Promise<void> {
    const { page, actions } = ada;
    await actions.click('New channel');
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('switch', { name: 'Public' }).check();
    await actions.click('Create');
    await page.getByRole('link', { name, exact: true }).waitFor();
  }

  /** Brings a package in: a desktop has it dropped on the page, a phone chooses it. Then the channel, then the button. */
  async function release(path: string, version: string, channel: string): Promise<number> {
    const { page, actions } = ada;
    actions.count();
    if (isPhone) await actions.pickFile(page.getByRole('button', { name: 'Upload build' }), path);
    else await actions.drop(path);
    await tray().getByText(version).waitFor();
    await actions.choose(tray().getByLabel('Channel'), channel);
    await actions.click(tray().getByRole('button', { name: 'Release' }));
    const taken = actions.count();
    await tray().getByText(`Released to ${channel}.`).waitFor();
    await tray().getByRole('button', { name: 'Close' }).click();
    return taken;
  }

  it('an administrator sets the server up with one form', async () => {
    const { page, actions } = ada;
    await actions.open(server.setupLink);
    await actions.fill(page.getByLabel('Your name'), account.name);
    await actions.fill(page.getByLabel('Email address'), account.email);
    await actions.fill(page.getByLabel('New password'), account.password);
    await actions.fill(page.getByLabel('Organization'), 'Harbour Works');
    await actions.click('Create and sign in');
    await heading('No projects yet').waitFor();
    expect(actions.count()).toBe(6);
  });

  it('a developer releases a build to testers in three actions without filling in a field', async () => {
    await makeProject('Harbour', 'Android', 'beta');
    expect(await release(packages.first, '2.4.0 (318)', 'beta')).toBe(3);
    expect(await release(packages.second, '2.4.1 (319)', 'beta')).toBe(3);
  });

  it('a tester opens the link and taps once', async () => {
    const { page } = ada;
    await page.getByRole('link', { name: 'beta' }).click();
    await page.getByRole('img', { name: 'QR code of the install page of beta' }).waitFor();
    installLink = (await page.getByRole('link', { name: 'Open install page' }).getAttribute('href')) ?? '';
    const tester = await openVisitor(browser, origin, { viewport: phone, colorScheme, userAgent: androidAgent });
    await tester.actions.open(installLink);
    const arriving = tester.page.waitForEvent('download');
    await tester.actions.click('Download and install', 'link');
    expect((await arriving).suggestedFilename()).toMatch(/\.apk$/);
    expect(tester.actions.count()).toBe(2);
    await tester.leave();
  });

  it('a QA lead sees the releases of a channel with their adoption, and rolls back in two clicks', async () => {
    const { page, actions } = ada;
    const current = page.getByRole('region', { name: 'Current release' });
    await current.getByText('2.4.1 (319)').waitFor();
    await page.reload();
    await current.getByText('2.4.1 (319)').waitFor();
    await page.getByText(/^1 download of 2\.4\.1, last/).waitFor();
    actions.count();
    await actions.click('Roll back');
    const dialog = page.getByRole('dialog');
    // Before the second: what is served then, and how many have what is served now.
    await dialog.getByText(/returns from 2\.4\.1 \(319\) to 2\.4\.0 \(318\)\. .*1 download in total\./).waitFor();
    await actions.click('Roll back to 2.4.0 (318)');
    expect(actions.count()).toBe(2);
    await page.getByText('2.4.0 (318) is live again').waitFor();
    await current.getByText('2.4.0 (318)').waitFor();
    await ada.show(`flow-channel-${size}-${colorScheme}`);
  });

  it('a QA lead promotes a release to another channel in two clicks', async () => {
    const { page, actions } = ada;
    await page.getByRole('navigation', { name: 'Harbour' }).getByRole('link', { name: 'Channels' }).click();
    await heading('Channels').waitFor();
    await makeChannel('store');
    await page.getByRole('link', { name: 'beta' }).click();
    await page.getByRole('button', { name: 'Promote to store' }).waitFor();
    actions.count();
    await actions.click('Promote to store');
    await actions.click(page.getByRole('dialog').getByRole('button', { name: 'Release' }));
    expect(actions.count()).toBe(2);
    await page.getByText('Released to store.').waitFor();
  });

  it('a QA lead registers a phone, sees it appear, and sees what it can install and why not the rest', async () => {
    const { page, actions } = ada;
    await makeProject('Harbour for iPhone', 'iOS', 'beta');
    await makeChannel('nightly');
    expect(await release(packages.signed, '2.4.0 (320)', 'beta')).toBe(3);
    expect(await release(packages.unsigned, '2.4.0 (321)', 'nightly')).toBe(3);
    const way = await goTo('Devices');
    expect(way).toBe(isPhone ? 2 : 1);
    await actions.click('Register device');
    await actions.click('Show QR code');
    expect(actions.count()).toBe(2);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('img', { name: 'QR code of the enrollment link' }).waitFor();
    await enrollPhone(laboratory, (await dialog.locator('code').first().textContent()) ?? '');
    await dialog.getByText(/ registered$/).waitFor();
    // Without anything more to click.
    const builds = dialog.getByRole('list', { name: 'Compatibility with current releases' });
    const row = (version: string) => builds.getByRole('listitem').filter({ hasText: version });
    await row('2.4.0 (320)').getByText('Can install').waitFor();
    await row('2.4.0 (320)').getByText('The provisioning profile includes this device.').waitFor();
    await row('2.4.0 (321)').getByText('Can\x27t install').waitFor();
    await row('2.4.0 (321)')
      .getByText(/doesn't include this device\. Register it with Apple/)
      .waitFor();
    expect(actions.count()).toBe(0);
    await ada.show(`flow-phone-${size}-${colorScheme}`);
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    await page.getByRole('table', { name: 'Devices' }).waitFor();
    await page.getByRole('button', { name: /^Actions for/ }).click();
    await actions.click('Show compatible builds', 'menuitem');
    await row('2.4.0 (321)').getByText('Can\x27t install').waitFor();
    await page.keyboard.press('Escape');
  });

  it.each([
    ['people', 'Members', 'Members'],
    ['webhooks', 'Webhooks', 'Webhooks'],
    ['the audit trail', 'Audit', 'Audit'],
    ['testers', 'Testers', 'Testers'],
    ['the machine', 'System', 'System'],
  ])('an administrator finds %s from the sidebar', async (_, link, title) => {
    expect(await goTo(link)).toBe(isPhone ? 2 : 1);
    await ada.page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
  });

  it('an administrator finds the sign-in policy, roles and tokens', async () => {
    const { page, actions, expectRefusals } = ada;
    // There is no single sign-on yet.
    expectRefusals(404);
    await goTo('Settings');
    await actions.click('Security', 'link');
    await page.getByRole('heading', { name: 'Member sign-in', exact: true }).waitFor();
    expect(actions.count()).toBe(1);
    expect(await goTo('Members')).toBe(isPhone ? 2 : 1);
    await page.getByLabel('Role').first().waitFor();
    expect(await goTo(account.name)).toBe(isPhone ? 2 : 1);
    await heading('Personal access tokens').waitFor();
  });
});
