// Store connections in the web app: adding, errors, validation and places; devices registered with Apple; publishing.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MINUTE } from '../../../src/lib/clock.ts';
import { type Build, complete, initiate, sendBytes } from '../../builds/scenario.ts';
import { type Providers, startProviders } from '../../stores/providers.ts';
import { buildIpa, sha256 } from '../../support/fixtures.ts';
import { keepVisitor, openNext, openScenario, openSignedIn, type Scenario } from './scenario.ts';
import { openVisitor, type Visitor } from './visitor.ts';

let scenario: Scenario;
let providers: Providers;
let visitor: Visitor;

beforeAll(async () => {
  const time = { now: () => Date.now() };
  providers = await startProviders(() => time.now());
  scenario = await openScenario({
    config: { stores: providers.config.stores },
  });
  time.now = () => scenario.fixture.clock.now().getTime();
  visitor = await openVisitor(scenario.browser, scenario.origin);
});
afterAll(async () => {
  await visitor?.leave();
  await scenario?.close();
  await providers?.stop();
});
afterEach(async ({ task }) => {
  visitor = await keepVisitor(scenario, visitor, task);
});

async function open(path: string): Promise<void> {
  await openNext(scenario, visitor, path);
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
    const large = { name: 'notes.p8', mimeType: 'text/plain', buffer: Buffer.alloc(20_000, 'x') };
    await dialog.locator('input[type=file]').setInputFiles(large);
    await dialog.getByText('This file is too large to be a key.').waitFor();
    await dialog.getByLabel('Private key (.p8)').fill('not a key');
    await dialog.getByText('This file is too large to be a key.').waitFor({ state: 'detached' });
    await dialog.getByLabel('Key ID').fill('short');
    await dialog.getByLabel('Issuer ID').fill('none');
    expectRefusals(400, 503);
    await actions.click('Validate and add');
    await dialog.locator('[name="private_key"][aria-invalid="true"]').waitFor();
    await dialog.locator('[name="key_id"][aria-invalid="true"]').waitFor();
    await dialog.locator('[name="issuer_id"][aria-invalid="true"]').waitFor();
    // The first of the form, not of the server.
    await dialog.locator('[name="private_key"]:focus').waitFor();
    await show('stores-new');

    const chooser = page.waitForEvent('filechooser');
    await dialog.getByRole('button', { name: 'Choose file' }).click();
    const file = { name: 'AuthKey_ABCDE12345.p8', mimeType: 'text/plain', buffer: Buffer.from(key.private_key) };
    await (await chooser).setFiles(file);
    await expect.poll(() => dialog.getByLabel('Key ID').inputValue()).toBe('ABCDE12345');
    await expect.poll(() => dialog.getByLabel('Private key (.p8)').inputValue()).toBe('AuthKey_ABCDE12345.p8');
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

  it('is validated again, and shows what to do about a rejection', async () => {
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
    const account = providers.serviceAccount();
    await dialog.getByLabel('Service account key (JSON)').fill(JSON.stringify({ ...account, client_email: '' }));
    await dialog.getByLabel('Package name').fill('com.example.other');
    expectRefusals(400);
    await actions.click('Validate and add');
    await dialog.getByText('This is no key of a service account: “client_email” is missing or invalid').waitFor();
    await dialog.getByLabel('Service account key (JSON)').fill(JSON.stringify(account));
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

const row = (name: string) => visitor.page.getByRole('row').filter({ hasText: name });
const here = () => ({ organization_id: scenario.fixture.organization_id });
const project = () => ({ ...here(), project_id: scenario.fixture.ios_project_id });

async function addDevice(name: string, udid: string): Promise<string> {
  const answer = await scenario.client.post<{ identifier: string }>('/api/v1/devices', { name, udid }, here());
  expect(answer.status, answer.text).toBe(201);
  return answer.body.identifier;
}

/** Uploads a build whose profile includes some devices. */
async function upload(udids: readonly string[], number: string): Promise<string> {
  const bytes = buildIpa({ name: 'Lighthouse', build: number, profile: { ProvisionedDevices: [...udids] } });
  const pending = await initiate(scenario.client, project());
  expect(await sendBytes(pending, bytes)).toBe(201);
  const done = await complete(scenario.client, project(), pending.pending_upload_id, sha256(bytes));
  expect(done.status, done.text).toBe(201);
  return (done.body as Build).identifier;
}

describe('devices', () => {
  const [MANUAL, OTHER, BAD] = ['00008101-000A1D2C3E4F5061', '00008101-000A1D2C3E4F5062', '0'.repeat(40)];

  it('are registered with Apple, one or several, after the places that are left were shown', async () => {
    const { page, actions, show } = visitor;
    await addDevice('Front desk', MANUAL);
    await addDevice('Blue phone', OTHER);
    await addDevice('Wrong phone', BAD);
    await open('/devices');
    await row('Front desk').getByText('Not registered').waitFor();
    await actions.click('Actions for Front desk');
    await actions.click('Register with Apple', 'menuitem');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('It takes a place of its class for up to a year').waitFor();
    await dialog.getByText('66 of 100 places for iPhones are left.').waitFor();
    await dialog.getByText('8 of 100 places for iPads are left.').waitFor();
    await show('devices-register');
    await dialog.getByRole('button', { name: 'Register with Apple' }).click();
    await page.getByText('Front desk registered with Apple').waitFor();
    await row('Front desk').getByText('Registered', { exact: true }).waitFor();
    expect(providers.apple.devices.at(-1)).toMatchObject({ udid: MANUAL, name: 'Front desk' });

    await page.getByLabel('Select all shown devices').check();
    await page.getByText('2 devices selected').waitFor();
    await show('devices-selected');
    await actions.click('Register with Apple');
    await dialog.getByText('65 of 100 places for iPhones are left.').waitFor();
    providers.apple.nextStatus = 'PROCESSING';
    let answerNow: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answerNow = resolve;
    });
    providers.change(async (_, answer) => held.then(() => answer));
    // Apple finishes after the page could have read the devices, and before it reads that none is pending.
    await page.route('**/api/v1/store-connections?*', async (route) => {
      answerNow();
      for (let round = 0; round < 5; round += 1) await scenario.fixture.drain();
      await route.continue();
    });
    await page.keyboard.press('Control+Enter');
    await page.getByText('2 devices are being registered').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    providers.change(undefined);
    await row('Blue phone').getByText('Processing').waitFor();
    await row('Wrong phone').getByText('Refused').waitFor();
    await row('Wrong phone').getByText("Apple doesn't accept the identifier of this device").waitFor();
    await show('devices-states');
    providers.apple.nextStatus = 'ENABLED';
  });

  it('are filtered by their state, which is read from Apple again and shown with the details', async () => {
    const { page, actions, show } = visitor;
    await open('/devices');
    await row('Blue phone').waitFor();
    await page.getByLabel('State with Apple').selectOption('processing');
    await row('Front desk').waitFor({ state: 'detached' });
    const blue = providers.apple.devices.find(({ name }) => name === 'Blue phone');
    if (blue !== undefined) blue.status = 'DISABLED';
    await actions.click('Actions for Blue phone');
    await actions.click('Read state from Apple', 'menuitem');
    await page.getByText('Blue phone: Disabled').waitFor();
    await page.getByText('No devices match.').waitFor();
    await page.getByLabel('State with Apple').selectOption('disabled');
    await actions.click('Actions for Blue phone');
    await actions.click('Show details', 'menuitem');
    const states = page.getByRole('list', { name: 'State with Apple' });
    await states.getByText('It takes a place and works in no profile').waitFor();
    await show('device-details');
  });

  it('show on a build which ones are registered and which ones are not', async () => {
    const { page, show } = visitor;
    const build = await upload([], '7');
    await addDevice('Green phone', '00008101-000A1D2C3E4F5063');
    await open(`/projects/${scenario.fixture.ios_project_id}/builds/${build}`);
    const devices = page.getByRole('region', { name: 'Devices' });
    await devices.getByRole('heading', { name: 'Registered, waiting for a build 1' }).waitFor();
    await devices.getByRole('heading', { name: 'Not registered with Apple 2' }).waitFor();
    await devices.getByRole('heading', { name: 'Disabled at Apple 1' }).waitFor();
    await show('build-apple-states');
    await devices.getByRole('button', { name: 'Register with Apple' }).click();
    await page.getByRole('dialog').getByText('places for iPhones are left').waitFor();
  });

  it('are refused when their class has no place left, which the dialog shows then', async () => {
    const { page, actions, show, expectRefusals } = visitor;
    const before = [...providers.apple.devices];
    fillPlaces('IPHONE', 100);
    // Loaded, because the app may have read the list less than ten seconds ago, when the phone wasn't in it.
    await openSignedIn(scenario, visitor, '/devices');
    await actions.click('Actions for Green phone');
    await actions.click('Register with Apple', 'menuitem');
    expectRefusals(400);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Register with Apple' }).click();
    await dialog.getByText('No place left: all 100 places for iPhones are used').waitFor();
    await dialog.getByText('0 of 100 places for iPhones are left.').waitFor();
    await row('Green phone').getByText('Refused').waitFor();
    await show('devices-no-place');
    providers.apple.devices.splice(0, providers.apple.devices.length, ...before);
  });
});

describe('a build', () => {
  it('is sent to publishing, which fails in words', async () => {
    const { page, actions, show } = visitor;
    const build = await upload([], '8');
    await open(`/projects/${scenario.fixture.ios_project_id}/builds/${build}`);
    await actions.click('More');
    await actions.click('Publish to store', 'menuitem');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Publishing to app stores is not operational').waitFor();
    await dialog.getByLabel('Track').fill('beta');
    await show('publish');
    await dialog.getByRole('button', { name: 'Publish to store' }).click();
    const jobs = page.getByRole('list', { name: 'Store publishing' });
    await jobs.getByText('Failed').waitFor();
    await jobs.getByText('Nothing was sent to the store.').waitFor();
    await jobs.getByText('beta').waitFor();
    await show('publish-failed');
    const { organization_id, ios_project_id: project_id } = scenario.fixture;
    const stored = await scenario.client.get<{ items: object[]; next_cursor: null }>('/api/v1/publish', {
      organization_id,
      project_id,
    });
    const ofOther = { ...stored.body.items[0], identifier: 'newer', build_id: 'another' };
    await page.route('**/api/v1/publish?**', (route) =>
      route.fulfill({
        json: route.request().url().includes('cursor=') ? stored.body : { items: [ofOther], next_cursor: 'older' },
      }),
    );
    await page.reload();
    await jobs.getByText('beta').waitFor();
  });
});

describe('new devices', () => {
  it('are registered automatically above a reserve, and all others in the background', async () => {
    const { page, actions, show } = visitor;
    const { fixture, client } = scenario;
    await open('/stores');
    await page.getByRole('switch', { name: 'Register new devices automatically: Harbour team' }).click();
    await page.getByText('until only 10 places of their class are left').waitFor();
    await page.getByLabel('Places of each class to keep free').fill('20');
    await page.getByRole('region', { name: 'Register new devices automatically' }).getByText('Save').click();
    await page.getByText('until only 20 places of their class are left').waitFor();
    await show('stores-automatic');
    fillPlaces('IPAD', 5);
    await addDevice('Lab phone', '00008101-000A1D2C3E4F5070');
    await fixture.drain();
    await expect.poll(() => providers.apple.devices.at(-1)).toMatchObject({ name: 'Lab phone', status: 'ENABLED' });
    let answerNow: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answerNow = resolve;
    });
    await actions.click('Register all devices: Harbour team');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Each takes a place of its class for up to a year').waitFor();
    await dialog.getByText('places for iPhones are left').waitFor();
    await show('stores-register-all');
    providers.change(async (_, answer) => held.then(() => answer));
    await dialog.getByRole('button', { name: 'Register all devices' }).click();
    await page.getByText('2 devices are being registered').waitFor();
    await page.getByText('Registering 2 devices with Apple…').waitFor();
    await show('stores-registering', { isLoading: true });
    answerNow();
    providers.change(undefined);
    for (let round = 0; round < 5; round += 1) await fixture.drain();
    await page.getByText('Those of the organization that Apple does not have yet.').waitFor();
    const { body } = await client.get<{ items: { name: string; apple_registrations: { state: string }[] }[] }>(
      '/api/v1/devices',
      here(),
    );
    expect(body.items.map(({ name, apple_registrations: [one] }) => [name, one?.state])).toEqual([
      ['Lab phone', 'registered'],
      ['Green phone', 'registered'],
      ['Wrong phone', 'refused'],
      ['Blue phone', 'disabled'],
      ['Front desk', 'registered'],
    ]);
  });
});

describe('profiles', () => {
  it('are listed with the builds that they have changed since, and what a rebuild adds', async () => {
    const { page, actions, show } = visitor;
    const { client, fixture } = scenario;
    const channel = await client.post<{ identifier: string }>('/api/v1/channels', { name: 'Beta' }, project());
    const build = await upload([], '30');
    const query = { ...project(), channel_id: channel.body.identifier };
    expect((await client.post('/api/v1/releases', { build_id: build }, query)).status).toBe(201);
    const profile = (id: string, name: string, profileState: string, profileType: string) => ({
      type: 'profiles',
      id,
      attributes: {
        name,
        uuid: `${id}-uuid`,
        profileType,
        profileState,
        createdDate: '2026-01-02T03:04:05.000+00:00',
        expirationDate: '2030-01-02T03:04:05.000+00:00',
      },
    });
    providers.change(({ path }) => {
      if (path.startsWith('/v1/profiles?')) {
        const data = [
          profile('P1', 'Sample Ad Hoc', 'ACTIVE', 'IOS_APP_ADHOC'),
          profile('P2', 'Harbour Development', 'INVALID', 'IOS_APP_DEVELOPMENT'),
        ];
        return { status: 200, body: { data } };
      }
      if (!path.startsWith('/v1/profiles/P1/'))
        return path.startsWith('/v1/profiles/') ? { status: 200, body: { data: [] } } : undefined;
      return {
        status: 200,
        body: { data: providers.apple.devices.slice(-3).map(({ id }) => ({ type: 'devices', id })) },
      };
    });
    await open('/stores');
    await actions.click('Show provisioning profiles: Harbour team');
    const table = page.getByRole('table', { name: 'Provisioning profiles' });
    const changed = table.getByRole('row').filter({ hasText: 'Sample Ad Hoc' });
    await changed.getByRole('link', { name: 'Fixture iOS 1.2.3 (30)' }).waitFor();
    await changed.getByText('The profile has changed since the build was created: a rebuild adds 3 devices').waitFor();
    await table.getByRole('row').filter({ hasText: 'Harbour Development' }).getByText('Invalid').waitFor();
    await show('stores-profiles');
    providers.change(undefined);

    await open('/devices');
    const rebuilds = page.getByRole('list', { name: 'Builds to rebuild' });
    await rebuilds.getByText('Rebuild to include 3 devices: ').waitFor();
    await show('devices-rebuilds');
    await rebuilds.getByRole('link', { name: 'Fixture iOS 1.2.3 (30)' }).click();
    await page.getByRole('heading', { name: 'Registered, waiting for a build 3' }).waitFor();
    await actions.open(`${scenario.origin}/projects/${fixture.ios_project_id}/channels/${channel.body.identifier}`);
    await page.getByText('Rebuild to include 3 devices').waitFor();
    await show('channel-rebuild');
  });
});

describe('in German', () => {
  it('connections, devices and a build are translated', async () => {
    const german = await openVisitor(scenario.browser, scenario.origin, { locale: 'de-DE' });
    await openSignedIn(scenario, german, '/stores');
    await german.page.getByText(/^38 von 100 iPhones, 62 frei in diesem Mitgliedschaftsjahr/).waitFor();
    await german.page.getByText(/^Zugriff auf das Konto geprüft/).waitFor();
    const second = await scenario.client.post<{ identifier: string }>(
      '/api/v1/store-connections',
      { provider: 'app_store_connect', name: 'Zweites Team', ...providers.appleKey({ isIndividual: true }) },
      here(),
    );
    expect(second.status, second.text).toBe(201);
    await german.page.reload();
    await german.page.getByText('individueller Schlüssel').waitFor();
    await german.show('stores-german');
    await scenario.client.delete(`/api/v1/store-connections/${second.body.identifier}`);
    german.expectRefusals(400);
    await german.page.getByRole('button', { name: 'Verbindung hinzufügen' }).click();
    const dialog = german.page.getByRole('dialog');
    await dialog.getByText('Google Play').click();
    await dialog.getByLabel('Name', { exact: true }).fill('Play');
    await dialog.locator('[name="service_account_json"]').fill('{}');
    await dialog.getByRole('button', { name: 'Prüfen und hinzufügen' }).click();
    const problem = dialog.getByText('Das ist kein Schlüssel eines Dienstkontos: „type“ fehlt oder ist ungültig');
    await problem.waitFor();
    expect(await dialog.locator('[lang="en"]').count()).toBe(0);
    await german.page.goto(`${scenario.origin}/devices`);
    await german.page.getByRole('row').filter({ hasText: 'Blue phone' }).getByText('Deaktiviert').waitFor();
    await german.show('devices-apple-german');
    await german.leave();
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
    await openSignedIn(scenario, visitor, '/stores');
    await page.getByRole('heading', { name: "Your role doesn't allow this" }).waitFor();
    expect(await page.getByRole('link', { name: 'Stores', exact: true }).count()).toBe(0);
  });
});

describe('the number of places', () => {
  it('that is read again shows if Apple does not respond', async () => {
    const { page, expectRefusals } = visitor;
    expectRefusals(503);
    scenario.fixture.clock.advance(11 * MINUTE);
    providers.change(() => ({ status: 503 }));
    await openSignedIn(scenario, visitor, '/stores');
    const places = page.getByRole('region', { name: 'Devices registered with Apple' });
    await places.getByText("The store doesn't respond").waitFor();
    providers.change(undefined);
    await places.getByRole('button', { name: 'Try again' }).click();
    await places.getByText('38 of 100 iPhones, 62 left this membership year').waitFor();
  });
});
