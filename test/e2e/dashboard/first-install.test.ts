// From the setup link of an empty server to an installed build on an Android phone, and the packages that lead elsewhere.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildZip } from '../../inspection/build-zip.ts';
import { closeContexts, openBrowser } from '../browser.ts';
import { type RunningServer, startServer } from '../program.ts';
import { buildSampleApk, buildSampleIpa, sampleApp } from '../sample-app.ts';
import { androidAgent, openVisitor, type Visitor } from './visitor.ts';

const account = { name: 'Ada Tide', email: 'ada@example.com', password: 'correct horse battery' };

/** What the same path took before, with a project and a public channel created by hand. */
const ACTIONS_BEFORE = 20;

let browser: Browser;
let server: RunningServer;
let ada: Visitor;
let origin: string;
const write = (name: string, bytes: Buffer): string => {
  const path = join(server.folder, name);
  writeFileSync(path, bytes);
  return path;
};

beforeAll(async () => {
  [browser, server] = await Promise.all([openBrowser(), startServer()]);
  ({ origin } = new URL(server.setupLink));
  ada = await openVisitor(browser, origin);
});
afterAll(async () => {
  await ada?.leave().finally(async () => {
    await closeContexts(browser);
    await server?.remove();
  });
});

const heading = (name: string | RegExp) => ada.page.getByRole('heading', { name, exact: typeof name === 'string' });
const tray = () => ada.page.getByRole('region', { name: 'Uploads' });
const checklist = () => ada.page.getByRole('region', { name: 'Setup' });

describe('the first start', () => {
  it('leads from the setup link to an installed Android build in 8 actions', async () => {
    const { page, actions } = ada;
    const package_ = write('release.apk', buildSampleApk());
    actions.count();
    await actions.open(server.setupLink);
    await heading('Set up Taxiway').waitFor();
    await actions.fill(page.getByLabel('Your name'), account.name);
    await actions.fill(page.getByLabel('Email address'), account.email);
    await actions.fill(page.getByLabel('New password'), account.password);
    await actions.click('Create and sign in');
    await heading('No projects yet').waitFor();
    await expect
      .poll(() => page.getByRole('switch', { name: 'Anyone with the link can install' }).isChecked())
      .toBe(true);
    await actions.drop(package_);
    await page.waitForURL(/\/projects\/[\w-]+\/channels\/[\w-]+$/);
    await page.getByRole('img', { name: 'QR code of the install page of beta' }).waitFor();
    const open = page.getByRole('link', { name: 'Open install page' });
    const link = new URL((await open.getAttribute('href')) ?? '', origin).href;
    const desktop = actions.count();

    const visitor = await openVisitor(browser, origin, { userAgent: androidAgent });
    await visitor.actions.open(link);
    await visitor.page.getByRole('heading', { name: sampleApp.name }).waitFor();
    await visitor.show('first-install');
    const download = visitor.page.waitForEvent('download');
    await visitor.actions.click('Download and install', 'link');
    expect((await download).suggestedFilename()).toBe('Harbour-2.4.0-318.apk');
    const total = desktop + visitor.actions.count();
    expect(total).toBe(8);
    expect(total).toBeLessThan(ACTIONS_BEFORE);
    await visitor.leave();
  });

  it('names the project after the app, and shows the channel with its link', async () => {
    const { page, show } = ada;
    await page.getByRole('link', { name: sampleApp.name }).first().waitFor();
    await page.getByText('Anyone with the link can install, without an account.').waitFor();
    await show('first-channel');
  });

  it('names the organization after its admin', async () => {
    await ada.page.getByText("Ada Tide's team").first().waitFor();
  });
});

describe('the setup checklist', () => {
  it('knows what is done, and shows the lines for the rest', async () => {
    const { page, show } = ada;
    await page.goto(origin);
    await checklist().getByText('2 of 7 done').waitFor();
    await expect
      .poll(() => checklist().getByRole('listitem').allInnerTexts())
      .toEqual([
        expect.stringContaining('Address for phones'),
        expect.stringContaining('HTTPS'),
        expect.stringContaining('Email'),
        expect.stringMatching(/First project\s+Done/),
        expect.stringMatching(/First build on a phone\s+Done/),
        expect.stringContaining('First colleague'),
        expect.stringContaining('Backup'),
      ]);
    await checklist().getByText('host = "0.0.0.0"').first().waitFor();
    await show('home-setup');
    for (const name of ['HTTPS', 'Email', 'Backup']) await checklist().locator('summary', { hasText: name }).click();
    await checklist().getByText('mode = "internal"').waitFor();
    await checklist().getByText('transport = "smtp"').waitFor();
    await checklist().getByText('directory = "/mnt/backups/taxiway"').waitFor();
    await show('home-setup-open');
    const links = await checklist().getByRole('link').all();
    for (const link of links) {
      const address = new URL((await link.getAttribute('href')) ?? '', origin);
      expect((await page.request.get(address.href)).status(), address.href).toBe(200);
    }
  });

  it('confirms the backup, with undo', async () => {
    const { page, actions } = ada;
    await actions.click('Backups are set up');
    await checklist().getByText('3 of 7 done').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await checklist().getByText('2 of 7 done').waitFor();
  });

  it('is hidden with the keyboard, and shown again', async () => {
    const { page } = ada;
    const hide = checklist().getByRole('button', { name: 'Hide checklist' });
    await hide.focus();
    await page.keyboard.press('Enter');
    await checklist().waitFor({ state: 'detached' });
    await page.reload();
    const show = page.getByRole('button', { name: 'Show setup checklist' });
    await show.focus();
    await page.keyboard.press('Enter');
    await checklist().waitFor();
  });
});

describe('a package on the home page', () => {
  it('of an unsupported kind is refused without a project', async () => {
    const { page, actions, show } = ada;
    await page.goto(origin);
    await heading(/release today$/).waitFor();
    await actions.drop(write('bundle.aab', buildZip([{ name: 'BundleConfig.pb', data: Buffer.from('bundle') }])));
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await show('drop-refused');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => page.getByRole('table', { name: 'Apps' }).getByRole('row').count()).toBe(2);
  });

  it('of a known app goes to its project', async () => {
    const { page, actions } = ada;
    await actions.drop(write('next.apk', buildSampleApk({ build: '319' })));
    await tray().getByText('Uploaded').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await expect.poll(() => page.getByRole('table', { name: 'Apps' }).getByRole('row').count()).toBe(2);
    await tray().getByRole('button', { name: 'Close' }).click();
  });

  it('of another app creates a project after a question, by keyboard', async () => {
    const { page, actions, show } = ada;
    await actions.pickFile(page.getByRole('button', { name: 'Upload build' }), write('phone.ipa', buildSampleIpa()));
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`No project has the app ${sampleApp.bundleIdentifier}.`, { exact: false }).waitFor();
    await expect.poll(() => dialog.getByRole('switch').isChecked()).toBe(false);
    await show('drop-question');
    await dialog.getByRole('button', { name: 'Create project and release' }).focus();
    await page.keyboard.press('Enter');
    await tray()
      .getByText(/Uploaded|Released/)
      .first()
      .waitFor();
    await page.goto(origin);
    await page.getByRole('row', { name: /Harbour\s*iOS/ }).waitFor();
  });
});
