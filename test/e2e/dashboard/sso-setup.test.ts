// Setting up single sign-on with a real identity provider: metadata in both directions, a domain by DNS, testing, requiring and
// removing it.
import { readFileSync } from 'node:fs';
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { organizations } from '../../../src/data/tables/tables.ts';
import { makeCertifiedKey } from '../../../src/sso/certified-key.ts';
import { type NameServer, startNameServer } from '../../sso/name-server.ts';
import { ssoPath } from '../../sso/scenario.ts';
import { type SimpleSamlPhp, startSimpleSamlPhp, whyNoSimpleSamlPhp } from '../../sso/simplesamlphp.ts';
import { openScenario, openSignedIn, type Scenario } from './scenario.ts';
import { openVisitor, type Visitor } from './visitor.ts';

let scenario: Scenario;
let names: NameServer;
let provider: SimpleSamlPhp | undefined;
let visitor: Visitor;
const missing = whyNoSimpleSamlPhp();

beforeAll(async () => {
  names = await startNameServer();
  scenario = await openScenario({ config: { sso: { dns_servers: [names.address] } } });
  if (missing === undefined) provider = await startSimpleSamlPhp();
});
afterAll(async () => {
  provider?.stop();
  await scenario?.close();
  await names?.stop();
});
beforeEach(async () => {
  visitor = await openVisitor(scenario.browser, scenario.origin);
  // Nothing is configured at first, and a record that is not there yet is refused.
  visitor.expectRefusals(404, 400);
});
afterEach(() => visitor?.leave());

async function open(): Promise<void> {
  await openSignedIn(scenario, visitor, '/settings/sso');
  await visitor.page.getByRole('heading', { name: '1. Add Taxiway to the identity provider' }).waitFor();
}
/** Pictures from the top of the page. */
async function show(name: string): Promise<void> {
  await visitor.page.evaluate('scrollTo(0, 0)');
  await visitor.show(name);
}
const dialog = () => visitor.page.getByRole('dialog');
const base = () => `${scenario.origin}${ssoPath(scenario.fixture.organization_id)}`;
const shownAddresses = () => visitor.page.locator('.tw-facts code').allTextContents();

describe('single sign-on', () => {
  it('is set up and required', async ({ skip }) => {
    if (missing !== undefined && process.env.CI === 'true') throw new Error(missing);
    if (provider === undefined) return skip(true, missing);
    const { page, actions } = visitor;
    await open();
    await page.getByText('Not set up').waitFor();
    await page.getByText('Add the identity provider first.').waitFor();
    await expect.poll(shownAddresses).toEqual([`${base()}/metadata`, `${base()}/acs`, `${base()}/slo`]);
    await show('sso-empty');

    const download = page.waitForEvent('download');
    await actions.click('Download metadata');
    const ours = readFileSync((await (await download).path()) ?? '', 'utf8');
    const read = (pattern: RegExp) => pattern.exec(ours)?.[1] ?? '';
    provider.trust({
      entityId: read(/entityID="([^"]+)"/),
      acsUrl: read(/AssertionConsumerService [^>]*Location="([^"]+)"/),
      sloUrl: read(/SingleLogoutService [^>]*Location="([^"]+)"/),
      certificate: read(/<ds:X509Certificate>([^<]+)</),
    });

    await page.getByLabel('Metadata (XML)').fill('https://idp.example.com/metadata');
    await page.getByRole('link', { name: 'Open link' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await page.getByLabel('Metadata (XML)').fill('<nothing/>');
    await actions.click('Save');
    await page.locator('[name="metadata_xml"][aria-invalid="true"]').waitFor();
    await show('sso-provider-wrong');
    const metadata = await provider.metadata();
    await page
      .locator('input[type="file"]')
      .setInputFiles({ name: 'idp.xml', mimeType: 'text/xml', buffer: Buffer.from(metadata) });
    await expect.poll(() => page.getByLabel('Metadata (XML)').inputValue()).toBe(metadata);
    await actions.click('Save');
    await page.getByText('Off').waitFor();
    await page.getByText(`${provider.url}/metadata`, { exact: true }).waitFor();
    await page
      .getByRole('list', { name: 'Signing certificates' })
      .getByText(/expires in \d+ years/)
      .waitFor();

    await page.getByRole('textbox', { name: 'Domain' }).fill('example');
    await actions.click('Add domain');
    await page.locator('[name="domain"][aria-invalid="true"]').waitFor();
    await page.getByRole('textbox', { name: 'Domain' }).fill('Example.TEST');
    await actions.click('Add domain');
    const name = '_taxiway-challenge.example.test';
    await page.getByText(name).waitFor();
    await actions.click('Check now');
    await page.getByText("We couldn't find the record yet.").waitFor();
    await show('sso-domain-checking');
    const value = (await page.getByText(/^taxiway-domain-verification=/).textContent()) ?? '';
    names.records.set(name, [[value]]);
    await page.getByText('Verified', { exact: true }).waitFor();

    await actions.click('Turn on');
    await page.getByText('On').first().waitFor();
    await page.getByText('No sign-ins yet.').waitFor();
    await actions.click('Require');
    await dialog().getByText('Nobody has signed in through the identity provider in the last day.').waitFor();
    await actions.click('Cancel');

    // Somebody else, in a window of their own that goes to the provider and back.
    const window = await scenario.browser.newContext({ locale: 'en-GB' });
    const other = await window.newPage();
    await other.goto((await page.getByText(`${base()}/login`, { exact: true }).textContent()) ?? '');
    await other.fill('input[name="username"]', 'zoe');
    await other.fill('input[name="password"]', 'pw');
    await other.press('input[name="password"]', 'Enter');
    await other.getByRole('heading', { name: 'Home', exact: true }).waitFor();
    await window.close();
    await page.getByText('Zoe of the Tests signed in').waitFor();
    await show('sso-enabled');

    await actions.click('Require');
    await dialog().getByText('zoe@example.test').waitFor();
    expect(await dialog().getByText('Nobody has signed in').count()).toBe(0);
    await show('sso-require');
    await dialog().getByRole('button', { name: 'Require' }).click();
    await page.getByText('Members in a verified domain can sign in only through the identity provider.').waitFor();
    await page.getByText(`taxiway organization disable-sso ${scenario.fixture.organization_id}`).waitFor();
    await show('sso-required');
    expect((await scenario.client.get(ssoPath(scenario.fixture.organization_id))).body).toMatchObject({
      enabled: true,
      required: true,
    });
  });

  it('is no longer required, turned off and removed', async ({ skip }) => {
    if (provider === undefined) return skip(true, missing);
    const { page, actions } = visitor;
    await open();
    await actions.click('Stop requiring');
    await dialog().getByRole('button', { name: 'Stop requiring' }).click();
    await page.getByText('On').first().waitFor();
    await actions.click('Remove example.test');
    await dialog().getByText('1 member has an email address in this domain').waitFor();
    await show('sso-domain-remove');
    await actions.click('Cancel');
    await actions.click('Turn off');
    await dialog().getByText('Sessions stay active.').waitFor();
    await show('sso-disable');
    await dialog().getByRole('button', { name: 'Turn off' }).click();
    await page.getByText('Off').first().waitFor();
    await actions.click('Remove');
    await dialog()
      .getByRole('heading', { name: `Remove ${provider.url}/metadata?` })
      .waitFor();
    await show('sso-remove');
    await dialog().getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Not set up').waitFor();
    await actions.click('Remove example.test');
    await dialog().getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No domains yet. Without one, nobody can sign in.').waitFor();
  });

  it('is entered field by field, and shows when its certificates expire', async () => {
    const { page, actions } = visitor;
    const { certificate: old } = await makeCertifiedKey(new Date(Date.now() - 21 * 366 * 86_400_000));
    const { certificate: current } = await makeCertifiedKey(new Date());
    await open();
    await page.getByText('Manual').click();
    await actions.click('Save');
    await page.locator('[name="entity_id"][aria-invalid="true"]').waitFor();
    await page.getByRole('textbox', { name: 'Entity ID' }).fill('https://idp.example.com/');
    await page.getByLabel('Single sign-on URL (HTTP-Redirect)').fill('https://idp.example.com/sso');
    await page.getByRole('textbox', { name: 'Signing certificates' }).fill(`${old}\n${current}`);
    await show('sso-fields');
    await actions.click('Save');
    const certificates = page.getByRole('list', { name: 'Signing certificates' }).getByRole('listitem');
    await certificates.first().getByText('expired').waitFor();
    await certificates.nth(1).getByText('expires').waitFor();
    await page.getByText('Certificates that were entered manually are accepted after they expire').waitFor();
    await show('sso-certificates');
    await actions.click('Replace');
    await page.getByText('Manual').click();
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Entity ID' }).inputValue())
      .toBe('https://idp.example.com/');
    await actions.click('Cancel');
    await scenario.client.delete(ssoPath(scenario.fixture.organization_id));
  });

  it('explains the limits of the plan, and keeps the input', async () => {
    const { page, actions } = visitor;
    const { app, organization_id: id } = scenario.fixture;
    app.db.update(organizations).set({ tier: 'team' }).where(eq(organizations.id, id)).run();
    await open();
    await page.getByRole('textbox', { name: 'Domain' }).fill('example.org');
    await actions.click('Add domain');
    await page.getByText("The Team plan doesn't include single sign-on.").waitFor();
    await expect.poll(() => page.getByRole('textbox', { name: 'Domain' }).inputValue()).toBe('example.org');
    await show('sso-plan');
    app.db.update(organizations).set({ tier: 'business' }).where(eq(organizations.id, id)).run();
  });
});
