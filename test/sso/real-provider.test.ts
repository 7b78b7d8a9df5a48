// The whole sign-in and sign-out with a real identity provider, SimpleSAMLphp, configured from its metadata.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { type Browser, openBrowser, type Page, readSignedIn } from './browser.ts';
import { connectRealProvider } from './connect-real-provider.ts';
import { type SimpleSamlPhp, startSimpleSamlPhp, whyNoSimpleSamlPhp } from './simplesamlphp.ts';

const missing = whyNoSimpleSamlPhp();
let fixture: Fixture | undefined;
let provider: SimpleSamlPhp | undefined;
let base = '';

beforeAll(async () => {
  if (missing !== undefined) return;
  fixture = await startFixture();
  provider = await startSimpleSamlPhp();
  base = await connectRealProvider(fixture, provider);
});
afterAll(async () => {
  provider?.stop();
  await fixture?.stop();
});
beforeEach(({ skip }) => {
  if (missing !== undefined && process.env.CI === 'true') throw new Error(missing);
  skip(missing !== undefined, missing);
});

/** Walks from our sign-in through the provider's form to our server again. */
async function walkIn(browser: Browser): Promise<Page> {
  const form = await browser.open(`${base}/login?relay_state=/api/docs`);
  expect(form.text).toContain('name="username"');
  const answer = await browser.submit(form, { username: 'zoe', password: 'pw' });
  expect(answer.text).toContain('name="SAMLResponse"');
  return browser.submit(answer, {}, '/api/docs');
}

describe('SimpleSAMLphp', () => {
  it('signs someone in without an account', async () => {
    const browser = openBrowser();
    const landed = await walkIn(browser);
    expect([landed.status, new URL(landed.url).pathname]).toEqual([302, '/api/docs']);
    expect(await readSignedIn(browser, base)).toMatchObject({
      status: 200,
      email: 'zoe@example.test',
      display_name: 'Zoe of the Tests',
    });
  });

  it('signs out when we request it, and responds', async () => {
    const browser = openBrowser();
    await walkIn(browser);
    const before = browser.visited.length;
    const landed = await browser.open(`${base}/logout`);
    expect(new URL(landed.url).pathname).toBe('/');
    const steps = browser.visited.slice(before).map((url) => url.split('?')[0]);
    expect(steps).toContain(`${provider?.url}/saml2/idp/SingleLogoutService.php`);
    expect(steps).toContain(`${base}/slo`);
    expect((await readSignedIn(browser, base)).status).toBe(401);
    // It has forgotten the person too: the next sign-in asks for the password again.
    expect((await browser.open(`${base}/login`)).text).toContain('name="username"');
  });

  it('signs someone out here', async () => {
    const browser = openBrowser();
    await walkIn(browser);
    const stolen = browser.cookie(new URL(base).hostname);
    const done = `${provider?.url}/done`;
    const landed = await browser.open(
      `${provider?.url}/saml2/idp/SingleLogoutService.php?ReturnTo=${encodeURIComponent(done)}`,
      '/done',
    );
    expect(landed.url).toBe(done);
    expect(browser.visited.map((url) => url.split('?')[0])).toContain(`${base}/slo`);
    expect(browser.cookie(new URL(base).hostname)).not.toContain('svc_access');
    const response = await fetch(new URL('/api/v1/developers/me', base), { headers: { cookie: stolen } });
    expect(response.status).toBe(401);
  });
});
