// Sign-in and sign-out through a real identity provider with a real browser and its rules for cookies, forms and redirects.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { connectRealProvider } from '../sso/connect-real-provider.ts';
import { type SimpleSamlPhp, startSimpleSamlPhp, whyNoSimpleSamlPhp } from '../sso/simplesamlphp.ts';
import { closeContexts, openBrowser } from './browser.ts';

const missing = whyNoSimpleSamlPhp();
let fixture: Fixture | undefined;
let provider: SimpleSamlPhp | undefined;
let browser: Browser | undefined;
let base = '';

beforeAll(async () => {
  if (missing !== undefined) return;
  [fixture, provider, browser] = [await startFixture(), await startSimpleSamlPhp(), await openBrowser()];
  base = await connectRealProvider(fixture, provider);
});
afterAll(async () => {
  await closeContexts(browser);
  provider?.stop();
  await fixture?.stop();
});
beforeEach(({ skip }) => {
  if (missing !== undefined && process.env.CI === 'true') throw new Error(missing);
  skip(missing !== undefined, missing);
});

async function openPage(): Promise<Page> {
  if (browser === undefined) throw new Error('There is no browser');
  return (await browser.newContext()).newPage();
}

/** Begins here, and fills in the form of the provider, which lies on another site. */
async function signIn(page: Page): Promise<void> {
  await page.goto(`${base}/login?relay_state=/api/docs`);
  expect(new URL(page.url()).origin).toBe(provider?.url);
  await page.fill('input[name="username"]', 'zoe');
  await page.fill('input[name="password"]', 'pw');
  await page.press('input[name="password"]', 'Enter');
  await page.waitForURL(`${new URL(base).origin}/docs/api.html`);
}

/** What the server says to the cookies of a page; pages of the product let nothing else be asked. */
async function readMe(page: Page): Promise<{ email?: string; error?: string }> {
  return (await page.context().request.get(`${new URL(base).origin}/api/v1/developers/me`)).json();
}

describe('a browser', () => {
  it('signs in with the form that the provider posts across sites', async () => {
    const page = await openPage();
    await signIn(page);
    expect(await readMe(page)).toMatchObject({ email: 'zoe@example.test' });
    const cookies = await page.context().cookies(base);
    const credentials = cookies.filter(({ name }) => name === 'svc_access');
    expect(credentials).toMatchObject([{ httpOnly: true, sameSite: 'Lax' }]);
    await page.context().close();
  });

  it('is signed out on both sides by a link here', async () => {
    const page = await openPage();
    await signIn(page);
    await page.goto(`${base}/logout`);
    expect(new URL(page.url()).origin).toBe(new URL(base).origin);
    expect(['/', '/sign-in']).toContain(new URL(page.url()).pathname);
    expect(await readMe(page)).toMatchObject({ error: 'unauthorized' });
    await page.context().close();
  });

  it('that did not start the sign-in is not signed in by a response for another one', async () => {
    const attacker = await openPage();
    await attacker.route(`${base}/acs`, (route) => route.abort());
    await attacker.goto(`${base}/login`);
    await attacker.fill('input[name="username"]', 'zoe');
    await attacker.fill('input[name="password"]', 'pw');
    const [sent] = await Promise.all([
      attacker.waitForRequest(`${base}/acs`),
      attacker.press('input[name="password"]', 'Enter'),
    ]);
    const answer = new URLSearchParams(sent.postData() ?? '').get('SAMLResponse') ?? '';
    expect(answer).not.toBe('');

    const victim = await openPage();
    await victim.goto(`${provider?.url}/`);
    await victim.setContent(
      `<form method="post" action="${base}/acs"><input type="hidden" name="SAMLResponse" value="${answer}"><button>Win a prize</button></form>`,
    );
    await victim.click('button');
    await victim.waitForURL(`${base}/acs`);
    expect(await victim.textContent('h1')).toBe('Sign-in failed');
    expect(await victim.context().cookies(base)).toEqual([]);
    await Promise.all([attacker.context().close(), victim.context().close()]);
  });
});
