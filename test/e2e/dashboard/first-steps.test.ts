// From an empty server to a released build, by hand, in the browser.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeContexts, openBrowser } from '../browser.ts';
import { type RunningServer, startServer } from '../program.ts';
import { buildSampleApk, sampleApp } from '../sample-app.ts';
import { dropFile } from './files.ts';
import { openVisitor, type Visitor } from './visitor.ts';

const account = {
  name: 'Ada Tide',
  email: 'ada@example.com',
  password: 'correct horse battery',
  organization: 'Harbour Works',
};

let browser: Browser;
let server: RunningServer;
let ada: Visitor;

beforeAll(async () => {
  [browser, server] = await Promise.all([openBrowser(), startServer()]);
  ada = await openVisitor(browser, new URL(server.setupLink).origin);
});
afterAll(async () => {
  await ada?.leave().finally(async () => {
    await closeContexts(browser);
    await server?.remove();
  });
});

describe('the first administrator', () => {
  it('is referred to the setup link by the home page and the sign-up page', async () => {
    const { page, show } = ada;
    const { origin } = new URL(server.setupLink);
    for (const path of ['/', '/sign-up']) {
      await page.goto(`${origin}${path}`);
      await page.getByText("This server isn't set up yet").waitFor();
      await page.getByText('taxiway setup-link').waitFor();
      expect(await page.getByRole('button', { name: 'Create account' }).count()).toBe(0);
    }
    await show('setup-pending');
  });

  it('sets the server up and is signed in', async () => {
    const { page, actions, show } = ada;
    await page.goto(server.setupLink);
    await page.getByRole('heading', { name: 'Set up Taxiway' }).waitFor();
    await show('setup');
    ada.expectRefusals(400);
    await page.getByLabel('Your name').fill(account.name);
    await page.getByLabel('Email address').fill('ada');
    await page.getByLabel('New password').fill('short');
    await page.getByLabel('Organization').fill(account.organization);
    await actions.click('Create and sign in');
    await page.getByText('Enter a valid email address').waitFor();
    await expect.poll(() => page.getByLabel('Your name').inputValue()).toBe(account.name);
    await show('setup-refused');
    await page.getByLabel('Email address').fill(account.email);
    await page.getByLabel('New password').fill(account.password);
    ada.expectRefusals(0);
    await page.route('**/setup/*', (route) => route.abort(), { times: 1 });
    await actions.click('Create and sign in');
    await page.getByText("Can't reach the server").waitFor();
    await actions.click('Create and sign in');
    await page.getByRole('heading', { name: 'No projects yet' }).waitFor();
    await show('projects-empty');
    // The link from the terminal, opened again.
    ada.expectRefusals(404);
    await page.goto(server.setupLink);
    await page.getByRole('heading', { name: 'This setup link no longer works' }).waitFor();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'No projects yet' }).waitFor();
  });

  it('creates a project and a channel', async () => {
    const { page, actions, show } = ada;
    await actions.click('New project');
    await page.getByLabel('Name', { exact: true }).fill('Harbour');
    await page.getByText('Android', { exact: true }).click();
    await show('project-new');
    await actions.click('Create');
    await page.getByRole('heading', { name: 'No channels yet' }).waitFor();
    await show('project-empty');
    await actions.click('New channel');
    await page.getByLabel('Name', { exact: true }).fill('beta');
    await page.getByLabel('Public').check();
    await show('channel-new');
    await actions.click('Create');
    await page.getByRole('link', { name: 'beta' }).waitFor();
  });

  it('releases a build to testers in three actions: drop, choose a channel, release', async () => {
    const { page, actions, show } = ada;
    actions.count();
    const file = join(server.folder, 'harbour.apk');
    writeFileSync(file, buildSampleApk());
    actions.note();
    await dropFile(page, file);
    const tray = page.getByRole('region', { name: 'Uploads' });
    await tray.getByText(`${sampleApp.version} (${sampleApp.build})`).waitFor();
    actions.note();
    await tray.getByLabel('Channel').selectOption('beta');
    await actions.click('Release');
    expect(actions.count()).toBe(3);
    await tray.getByText('Released to beta.').waitFor();
    await show('project-released');
    await tray.getByRole('link', { name: 'Open build' }).click();
    await page.getByRole('heading', { name: `${sampleApp.version} (${sampleApp.build})` }).waitFor();
    await tray.getByRole('button', { name: 'Close' }).click();
    await page.getByText(sampleApp.bundleIdentifier).first().waitFor();
    await show('build');
    await page.getByRole('link', { name: 'beta' }).click();
    await page.getByRole('img', { name: 'QR code of the install page of beta' }).waitFor();
    await show('channel-first');
    await page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: 'Home' }).click();
    await page.getByRole('heading', { name: '1 release today', exact: true }).waitFor();
    await show('home');
  });
});
