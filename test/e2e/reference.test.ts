// The API reference in a browser: samples with the reader's own server in three languages, search and links to operations, and
// requests with the session of the reader.
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api } from '../support/harness.ts';
import { expectAccessible } from './accessibility.ts';
import { closeContexts, keepScreenshot, openBrowser } from './browser.ts';

let fixture: Fixture;
let browser: Browser;
beforeAll(async () => {
  [fixture, browser] = [await startFixture(), await openBrowser()];
});
afterAll(async () => {
  await closeContexts(browser);
  await fixture?.stop();
});

let context: BrowserContext;
let page: Page;
let complaints: string[];
beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  page = await context.newPage();
  page.setDefaultTimeout(20_000);
  complaints = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
});
afterEach(async () => {
  await context.close();
  expect(complaints).toEqual([]);
});

const open = (path: string) => page.goto(`${fixture.config.server.base_url}${path}`);

/** Gives the browser the cookie of a session, as the sign-in of the web app does. */
async function signIn(): Promise<void> {
  await context.addCookies([
    { name: 'svc_access', value: fixture.admin.access_token, url: fixture.config.server.base_url, httpOnly: true },
  ]);
}

/** The form of an operation, opened. */
async function openTry(operationId: string, path: string) {
  await open(`/docs/api/${path}.html#${operationId}`);
  const section = page.locator(`h2[id="${operationId}"] ~ .try`).first();
  await section.getByText('Try it', { exact: true }).click();
  return section;
}

describe('the API reference', () => {
  it('opens the operation that an address names', async () => {
    await open('/api/docs#createWebhook');
    await page.waitForURL('**/docs/api/webhooks.html#createWebhook');
    expect(
      await page.getByRole('heading', { name: 'Create a webhook for events of an organization' }).isVisible(),
    ).toBe(true);
  });

  it('finds an operation by its summary, its path and its id', async () => {
    await open('/api/docs');
    for (const words of ['send a test delivery', 'POST webhooks webhook_id test', 'testWebhook']) {
      await page.getByRole('combobox').fill(words);
      await page.getByRole('option').first().waitFor();
      expect([words, await page.getByRole('option').first().textContent()]).toEqual([
        words,
        expect.stringContaining('Webhooks › Send a test delivery'),
      ]);
    }
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/api/webhooks.html#testWebhook');
  });

  it("has samples for the reader's own server, and remembers their language", async () => {
    await open('/docs/api/projects.html#createProject');
    const samples = page.locator('h2[id="createProject"] ~ .samples').first();
    const { base_url: server } = fixture.config.server;
    const shown = () => samples.locator('.sample:visible code').allTextContents();
    expect(await shown()).toEqual([expect.stringContaining(`-X POST '${server}/api/v1/projects?organization_id=`)]);
    await samples.getByRole('button', { name: 'Python' }).click();
    expect(await shown()).toEqual([
      expect.stringMatching(/^import requests\n\nresponse = requests\.post\(\n {4}"http/),
    ]);
    await open('/docs/api/builds.html');
    const pressed = page.locator('.samples').first().locator('[aria-pressed=true]');
    expect(await pressed.allTextContents()).toEqual(['Python']);
    expect(await page.locator('body').textContent()).not.toContain('builds.example.com');
  });
});

describe('a request from the reference', () => {
  it('asks to sign in without a session', async () => {
    const section = await openTry('listProjects', 'projects');
    await section.getByText("You aren't signed in.").waitFor();
    expect(await section.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe(
      `${fixture.config.server.base_url}/login`,
    );
    // The browser reports the 401 that was expected.
    expect(complaints.splice(0)).toEqual([expect.stringContaining('401')]);
  });

  it("reads with the reader's session, without showing the token", async () => {
    await signIn();
    const section = await openTry('listProjects', 'projects');
    await section.getByText(`as ${fixture.admin.email}`).waitFor();
    expect(await section.getByLabel('organization_id').inputValue()).toBe(fixture.organization_id);
    await section.getByLabel('limit').fill('1');
    await section.getByRole('button', { name: 'Send' }).click();
    await section
      .getByRole('status')
      .filter({ hasText: /^200 OK after \d+ ms$/ })
      .waitFor();
    const body = JSON.parse((await section.locator('.output code').textContent()) ?? '');
    expect(body.items.map((one: { name: string }) => one.name)).toEqual(['Fixture Android']);
    const cookies = await context.cookies();
    const token = cookies.find(({ name }) => name === 'svc_access')?.value ?? '';
    expect(token).toMatch(/^eyJ/);
    expect(await page.content()).not.toContain(token);
    // What was entered is there for the next operation.
    const next = await openTry('listWebhooks', 'webhooks');
    await next.getByText(`as ${fixture.admin.email}`).waitFor();
    expect(await next.getByLabel('organization_id').inputValue()).toBe(fixture.organization_id);
  });

  it('changes data only after a yes to each change, and hides secrets', async () => {
    await signIn();
    const section = await openTry('createProjectAccessToken', 'project-access-tokens');
    await section.getByText(`as ${fixture.admin.email}`).waitFor();
    await section.getByLabel('project_id').fill(fixture.android_project_id);
    await section.getByLabel('body').fill('{"name": "From the reference", "role": "read"');
    const button = section.getByRole('button', { name: 'Send and change data' });
    await button.click();
    const names = async () => {
      const query = { organization_id: fixture.organization_id, project_id: fixture.android_project_id };
      const { body } = await api(fixture).get<{ items: { name: string }[] }>('/api/v1/project-access-tokens', query);
      return body.items.map(({ name }) => name).filter((name) => name === 'From the reference');
    };
    expect(
      await section.getByRole('checkbox').evaluate((box) => (box as { validity?: { valid: boolean } }).validity?.valid),
    ).toBe(false);
    expect(await names()).toEqual([]);
    await section.getByRole('checkbox').check();
    await button.click();
    await section.getByText("The body isn't JSON.").waitFor();
    await section.getByLabel('body').fill('{"name": "From the reference", "role": "read"}');
    await button.click();
    await section
      .getByRole('status')
      .filter({ hasText: /^201 Created after \d+ ms\. Secrets/ })
      .waitFor();
    expect(JSON.parse((await section.locator('.output code').textContent()) ?? '').token).toBe('••••••••');
    expect(await names()).toEqual(['From the reference']);
    expect(await section.getByRole('checkbox').isChecked()).toBe(false);
    await button.click();
    expect(await names()).toEqual(['From the reference']);
  });

  it('shows the refusal of the server', async () => {
    await signIn();
    const section = await openTry('getBuild', 'builds');
    await section.getByText(`as ${fixture.admin.email}`).waitFor();
    await section.getByLabel('build_id').fill(fixture.organization_id);
    await section.getByRole('button', { name: 'Send' }).click();
    await section
      .getByRole('status')
      .filter({ hasText: /^404 Not Found/ })
      .waitFor();
    expect(await section.locator('.output code').textContent()).toContain('"error": "not_found"');
    expect(complaints.splice(0)).toEqual([expect.stringContaining('404')]);
  });

  it('fits a phone and is accessible in both themes', async () => {
    await signIn();
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto('about:blank');
      const section = await openTry('createWebhook', 'webhooks');
      await section.getByText(`as ${fixture.admin.email}`).waitFor();
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      await expectAccessible(page, 'layout');
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await expectAccessible(page, 'colors');
        await keepScreenshot(page, `reference-try-${width}-${colorScheme}`);
      }
    }
  });
});
