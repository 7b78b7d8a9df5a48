// Store connections in the web app: adding, errors, validation and places; devices registered with Apple; publishing.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Providers, startProviders } from '../../stores/providers.ts';
import { openScenario, openSignedIn, type Scenario } from './scenario.ts';
import { openVisitor, type Visitor } from './visitor.ts';

let scenario: Scenario;
let providers: Providers;
let visitor: Visitor;

beforeAll(async () => {
  const time = { now: () => Date.now() };
  providers = await startProviders(() => time.now());
  scenario = await openScenario({ config: { stores: providers.config.stores } });
  time.now = () => scenario.fixture.clock.now().getTime();
});
afterAll(async () => {
  await scenario?.close();
  await providers?.stop();
});
beforeEach(async () => {
  visitor = await openVisitor(scenario.browser, scenario.origin);
});
afterEach(() => visitor?.leave());

async function open(path: string): Promise<void> {
  await openSignedIn(scenario, visitor, path);
}

const item = (name: string) => visitor.page.getByRole('listitem', { name, exact: true });

/** Fills Apple's list with devices of a class. */
function fillPlaces(deviceClass: string, count: number): void {
  const before = providers.apple.devices.filter((device) => device.deviceClass !== deviceClass);
  const added = Array.from({ length: count }, (_, index) => ({
    id: `${deviceClass}${index}`,
    udid: `${deviceClass} ${index}`,
    name: `${deviceClass} ${index}`,
    deviceClass,
    status: 'ENABLED',
  }));
  providers.apple.devices.splice(0, providers.apple.devices.length, ...before, ...added);
}

describe('a connection to App Store Connect', () => {
  it('is added from its key file, with errors at their fields and in words', async () => {
    const { page, actions, show, expectRefusals } = visitor;
    const key = providers.appleKey({ keyId: 'ABCDE12345' });
    fillPlaces('IPHONE', 34);
    fillPlaces('IPAD', 92);
    await open('/');
    await actions.click('Stores', 'link');
    await page.getByRole('heading', { name: 'No store connections yet' }).waitFor();
    await expect
      .poll(() => page.locator('pre').textContent())
      .toContain(`${scenario.origin}/api/v1/store-connections?organization_id=${scenario.fixture.organization_id}`);
    await show('stores-empty');
    await actions.click('Add connection');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Our Apple team');
    await dialog.getByLabel('Private key (.p8)').fill('not a key');
    await dialog.getByLabel('Key ID').fill('short');
    await dialog.getByLabel('Issuer ID').fill('none');
    expectRefusals(400, 503);
    await actions.click('Validate and add');
    await dialog.locator('[name="private_key"][aria-invalid="true"]').waitFor();
    await dialog.locator('[name="key_id"][aria-invalid="true"]').waitFor();
    await dialog.locator('[name="issuer_id"][aria-invalid="true"]').waitFor();
    await show('stores-new');

    const chooser = page.waitForEvent('filechooser');
    await dialog.getByRole('button', { name: 'Choose file' }).click();
    const file = { name: 'AuthKey_ABCDE12345.p8', mimeType: 'text/plain', buffer: Buffer.from(key.private_key) };
    await (await chooser).setFiles(file);
    await expect.poll(() => dialog.getByLabel('Key ID').inputValue()).toBe('ABCDE12345');
    await expect.poll(() => dialog.getByLabel('Private key (.p8)').inputValue()).toBe(key.private_key);
    await dialog.getByLabel('Issuer ID').fill('57246542-96fe-1a63-e053-0824d011072a');
    await actions.click('Validate and add');
    await dialog.getByText("The store doesn't accept the key", { exact: true }).waitFor();
    await dialog.getByText('Code: NOT_AUTHORIZED.').waitFor();
    await show('stores-refused');

    providers.change(() => ({ status: 429, headers: { 'retry-after': '45' } }));
    await dialog.getByLabel('Issuer ID').fill(key.issuer_id ?? '');
    await actions.click('Validate and add');
    await dialog.getByText("The store doesn't respond", { exact: true }).waitFor();
    await dialog.getByText('Try again in 45 seconds.').waitFor();
    providers.change(undefined);
    await actions.click('Validate and add');
    await dialog.waitFor({ state: 'detached' });
    await item('Our Apple team').getByText('Valid', { exact: true }).waitFor();
    await item('Our Apple team')
      .getByText(/^Access to the account validated/)
      .waitFor();
    await item('Our Apple team').getByText('34 of 100 iPhones, 66 left this membership year').waitFor();
    await item('Our Apple team').getByText('92 of 100 iPads, 8 left this membership year').waitFor();
    await item('Our Apple team').getByText('Only 8 left').waitFor();
    await show('stores');
    expect(await page.content()).not.toContain(key.private_key.slice(40, 80));
  });

  it('is validated again, and says what to do about a rejection', async () => {
    const { page, actions, show, expectRefusals } = visitor;
    await open('/stores');
    await item('Our Apple team').waitFor();
    providers.apple.hasAgreement = false;
    await actions.click('Validate now: Our Apple team');
    await item('Our Apple team').getByText('An agreement must be accepted first.').waitFor();
    await item('Our Apple team').getByText('Action needed').waitFor();
    await show('stores-invalid');
    expectRefusals(503);
    providers.change(() => ({ status: 500, raw: '<html>' }));
    await actions.click('Validate now: Our Apple team');
    await item('Our Apple team').getByText("The store doesn't respond").waitFor();
    await item('Our Apple team').getByText('An agreement must be accepted first.').waitFor();
    providers.change(undefined);
    providers.apple.hasAgreement = true;
    await actions.click('Try again');
    await page.getByText('Our Apple team is valid').waitFor();
    await item('Our Apple team').getByText('Valid', { exact: true }).waitFor();
  });

  it('is renamed without its key, which stays secret', async () => {
    const { page, actions, show } = visitor;
    await open('/stores');
    await actions.click('Actions for Our Apple team');
    await actions.click('Edit', 'menuitem');
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Private key (.p8)').inputValue()).toBe('');
    await dialog.getByLabel('Name', { exact: true }).fill('Harbour team');
    await show('stores-edit');
    const asked = providers.requests.length;
    await actions.click('Save');
    await item('Harbour team').waitFor();
    expect(providers.requests.slice(asked).filter(({ path }) => path.startsWith('/v1/apps'))).toEqual([]);
  });
});

describe('a connection to Google Play', () => {
  it('is added from the JSON file, with the package name rejected at its field, and deleted', async () => {
    const { page, actions, show, expectRefusals } = visitor;
    await open('/stores');
    await actions.click('Add connection');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Google Play').click();
    await dialog.getByLabel('Name', { exact: true }).fill('Our Play account');
    await dialog.getByLabel('Service account key (JSON)').fill(JSON.stringify(providers.serviceAccount()));
    await dialog.getByLabel('Package name').fill('com.example.other');
    expectRefusals(400);
    await actions.click('Validate and add');
    await dialog.getByText('Google Play has no app with this package name in the account').waitFor();
    await dialog.locator('[name="package_name"][aria-invalid="true"]').waitFor();
    await show('stores-google');
    await dialog.getByLabel('Package name').fill('com.example.sample');
    await actions.click('Validate and add');
    await item('Our Play account')
      .getByText(/^Permission for the package validated/)
      .waitFor();
    await show('stores-both');
    await actions.click('Actions for Our Play account');
    await actions.click('Delete connection', 'menuitem');
    await page.getByRole('heading', { name: 'Delete the connection Our Play account?' }).waitFor();
    await page.getByText('Publish jobs keep the name of the connection.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete connection' }).click();
    await item('Our Play account').waitFor({ state: 'detached' });
  });
});

describe('people without the permission', () => {
  it('see no link, and the reason on the page', async () => {
    const { page, context } = visitor;
    await context.route('**/api/v1/organizations', async (route) => {
      const answer = await route.fetch();
      const list: { role: string }[] = await answer.json();
      await route.fulfill({ response: answer, json: list.map((one) => ({ ...one, role: 'member' })) });
    });
    await open('/stores');
    await page.getByRole('heading', { name: "Your role doesn't allow this" }).waitFor();
    expect(await page.getByRole('link', { name: 'Stores', exact: true }).count()).toBe(0);
  });
});
