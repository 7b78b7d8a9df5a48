// Signing in to the web app through a real identity provider, found by the email address.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectRealProvider } from '../../sso/connect-real-provider.ts';
import { type SimpleSamlPhp, startSimpleSamlPhp, whyNoSimpleSamlPhp } from '../../sso/simplesamlphp.ts';
import { openScenario, type Scenario } from './scenario.ts';

const missing = whyNoSimpleSamlPhp();
let scenario: Scenario | undefined;
let provider: SimpleSamlPhp | undefined;

beforeAll(async () => {
  if (missing !== undefined) return;
  [scenario, provider] = await Promise.all([openScenario(), startSimpleSamlPhp()]);
  await connectRealProvider(scenario.fixture, provider);
});
afterAll(async () => {
  await scenario?.close();
  provider?.stop();
});
beforeEach(({ skip }) => {
  if (missing !== undefined && process.env.CI === 'true') throw new Error(missing);
  skip(missing !== undefined, missing);
});

describe('single sign-on', () => {
  it('is offered for an address of the organization, and returns to the requested page', async () => {
    if (scenario === undefined) throw new Error('There is no scenario');
    // A provider lies on another origin, so this browser is not watched for staying here.
    const context = await scenario.browser.newContext({ locale: 'en-GB' });
    const page = await context.newPage();
    await page.goto(new URL('/me', scenario.origin).href);
    await page.getByLabel('Email address').fill('zoe@example.test');
    await page.getByLabel('Password', { exact: true }).focus();
    await page.getByText('Your organization uses single sign-on.').waitFor();
    expect(await page.getByLabel('Password', { exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Continue to your identity provider' }).click();
    await page.fill('input[name="username"]', 'zoe');
    await page.fill('input[name="password"]', 'pw');
    await page.press('input[name="password"]', 'Enter');
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/me');
    await context.close();
  });

  it('is not offered for any other address', async () => {
    if (scenario === undefined) throw new Error('There is no scenario');
    const context = await scenario.browser.newContext({ locale: 'en-GB' });
    const page = await context.newPage();
    await page.goto(new URL('/sign-in', scenario.origin).href);
    await page.getByLabel('Email address').fill('guest@elsewhere.example');
    const asked = page.waitForResponse(/sso\/discover/);
    await page.getByLabel('Password', { exact: true }).focus();
    await asked;
    await expect.poll(() => page.getByLabel('Password', { exact: true }).count()).toBe(1);
    await context.close();
  });
});
