// Registering a phone, and managing registered devices.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Build, complete, initiate, sendBytes } from '../../builds/scenario.ts';
import { enrollPhone, type Laboratory, makeLaboratory, UDID } from '../../devices/phone.ts';
import { buildIpa, sha256 } from '../../support/fixtures.ts';
import { openScenario, openSignedIn, type Scenario } from './scenario.ts';
import { openVisitor, type Visitor } from './visitor.ts';

const BY_HAND = '00008101-000A1D2C3E4F5061';

let folder: string;
let laboratory: Laboratory;
let scenario: Scenario;
let visitor: Visitor;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'taxiway-devices-'));
  laboratory = makeLaboratory();
  const file = join(folder, 'authority.pem');
  writeFileSync(file, laboratory.authority.pem);
  scenario = await openScenario({ config: { apple_profile: { trusted_device_ca_file: file } } });
});
afterAll(async () => {
  await scenario?.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  visitor = await openVisitor(scenario.browser, scenario.origin);
});
afterEach(() => visitor?.leave());

async function open(path: string): Promise<void> {
  await openSignedIn(scenario, visitor, path);
}

const row = (name: string) => visitor.page.getByRole('row').filter({ hasText: name });

describe('devices', () => {
  it('are registered with a QR code and appear automatically', async () => {
    const { page, actions, show } = visitor;
    const { promise: listed, resolve: list } = Promise.withResolvers<void>();
    await page.route('**/api/v1/devices?**', async (route) => {
      await listed;
      await route.continue();
    });
    await open('/devices');
    await page.getByRole('button', { name: 'Enter manually' }).waitFor();
    // It would move below the title when the list turns out to be empty, and a click at that moment would be lost.
    expect(await page.getByRole('button', { name: 'Register device' }).count()).toBe(0);
    list();
    await page.getByRole('heading', { name: 'No devices yet' }).waitFor();
    await expect
      .poll(() => page.locator('pre').textContent())
      .toContain(`${scenario.origin}/api/v1/devices/enrollments?organization_id=${scenario.fixture.organization_id}`);
    await show('devices-empty');
    actions.count();
    await actions.click('Register device');
    await actions.click('Show QR code');
    expect(actions.count()).toBe(2);
    await page.getByRole('img', { name: 'QR code of the enrollment link' }).waitFor();
    await page.getByText('Waiting for a device…').waitFor();
    await show('devices-waiting');
    await enrollPhone(laboratory, (await page.getByRole('dialog').locator('code').first().textContent()) ?? '');
    await page.getByText(/ registered$/).waitFor();
    await show('devices-seen');
    await page.getByRole('button', { name: 'Close', exact: true }).last().click();
    await page.getByRole('table', { name: 'Devices' }).waitFor();
    await row('iPhone').waitFor();
  });

  it('are entered by hand, with errors at their fields', async () => {
    const { page, actions, show, expectRefusals } = visitor;
    await open('/devices');
    await row('iPhone').waitFor();
    await actions.click('Enter manually');
    await page.getByLabel('Identifier (UDID)').fill('none');
    await page.getByLabel('Name').fill('Front desk');
    await page.getByLabel('Owner').selectOption(scenario.fixture.admin.developer_id);
    expectRefusals(400, 409);
    await actions.click('Create');
    await page.getByText('Input should be 40 hexadecimal digits').waitFor();
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Front desk');
    await page.getByLabel('Identifier (UDID)').fill(UDID);
    await actions.click('Create');
    await page.getByText('Already taken').waitFor();
    await show('devices-by-hand');
    await page.getByLabel('Identifier (UDID)').fill(BY_HAND);
    await actions.click('Create');
    await row('Front desk').getByText('Entered manually').waitFor();
    await show('devices');
  });

  it('are found, renamed and removed with the keyboard, and exported for Apple', async () => {
    const { page, actions } = visitor;
    await open('/devices');
    await row('Front desk').waitFor();
    await page.getByLabel('Search devices').fill('front');
    await row('iPhone').waitFor({ state: 'detached' });
    await page.getByLabel('Search devices').fill('');
    const waiting = page.waitForEvent('download');
    await actions.click('Export for Apple');
    const lines = readFileSync(await (await waiting).path(), 'utf8')
      .trim()
      .split('\n');
    expect(lines[0]).toBe('Device ID\tDevice Name\tDevice Platform');
    expect(lines[2]).toBe(`${BY_HAND}\tFront desk\tios`);
    await page.getByRole('button', { name: 'Actions for Front desk' }).focus();
    await page.keyboard.press('Enter');
    await actions.click('Edit name or owner', 'menuitem');
    await page.getByRole('dialog').getByLabel('Name').fill('Reception');
    await page.keyboard.press('Enter');
    await row('Reception').waitFor();
    await actions.click('Actions for Reception');
    await actions.click('Remove', 'menuitem');
    await page.getByText('It stays registered with Apple').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await row('Reception').waitFor({ state: 'detached' });
  });

  it('are all searched, also those that are not loaded yet', async () => {
    const { page, actions } = visitor;
    const { organization_id } = scenario.fixture;
    await scenario.client.post('/api/v1/devices', { udid: BY_HAND, name: 'Window' }, { organization_id });
    await page.route('**/api/v1/devices?**limit=200**', (route) =>
      route.continue({ url: route.request().url().replace('limit=200', 'limit=1') }),
    );
    await open('/devices');
    await row('Window').waitFor();
    expect(await row('iPhone').count()).toBe(0);
    await page.getByLabel('Search devices').fill('iphone');
    await row('iPhone').waitFor();
    await row('Window').waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Load more' }).count()).toBe(0);
    await page.getByLabel('Search devices').fill('none like it');
    await page.getByText('No devices match.').waitFor();
    await page.getByLabel('Search devices').fill('');
    await row('Window').waitFor();
    await actions.click('Load more');
    await row('iPhone').waitFor();
    const { items } = (
      await scenario.client.get<{ items: { identifier: string }[] }>('/api/v1/devices', { organization_id })
    ).body;
    expect((await scenario.client.delete(`/api/v1/devices/${items[0]?.identifier}`)).status).toBe(204);
  });

  it('show on the page of a build whether they can install it, and why not', async () => {
    const { page, show } = visitor;
    await scenario.client.post(
      '/api/v1/devices',
      { udid: BY_HAND, name: 'Shelf' },
      {
        organization_id: scenario.fixture.organization_id,
      },
    );
    const project = scenario.fixture.ios_project_id;
    const place = { organization_id: scenario.fixture.organization_id, project_id: project };
    const bytes = buildIpa({ name: 'Lighthouse', profile: { ProvisionedDevices: [UDID] } });
    const pending = await initiate(scenario.client, place);
    expect(await sendBytes(pending, bytes)).toBe(201);
    const done = await complete(scenario.client, place, pending.pending_upload_id, sha256(bytes));
    await open(`/projects/${project}/builds/${(done.body as Build).identifier}`);
    const devices = page.getByRole('region', { name: 'Devices' });
    await devices.getByText('1 of 2 devices can install this').waitFor();
    await devices.getByRole('heading', { name: 'Not in the profile 1' }).waitFor();
    await devices.getByRole('listitem').filter({ hasText: 'Shelf' }).waitFor();
    await devices.getByText('The profile left them out. Add them, then build again.').waitFor();
    await devices.getByRole('button', { name: 'Export for Apple' }).waitFor();
    await show('build-devices');
  });

  it('show members no buttons for missing permissions', async () => {
    const { page, context, show } = visitor;
    await open('/devices');
    await row('Shelf').waitFor();
    await context.route('**/api/v1/organizations', async (route) => {
      const answer = await route.fetch();
      const list: { role: string }[] = await answer.json();
      await route.fulfill({ response: answer, json: list.map((one) => ({ ...one, role: 'member' })) });
    });
    await page.reload();
    await row('Shelf').waitFor();
    await page.getByRole('button', { name: 'Register device' }).waitFor();
    for (const name of ['Export for Apple', 'Enter manually']) {
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    }
    await show('devices-member');
    await page.getByRole('button', { name: 'Actions for Shelf' }).click();
    await expect.poll(() => page.getByRole('menuitem').allInnerTexts()).toEqual(['Show compatible builds']);
  });

  it('are translated to German', async () => {
    const german = await openVisitor(scenario.browser, scenario.origin, { locale: 'de-DE' });
    await openSignedIn(scenario, german, '/devices');
    await german.page.getByRole('heading', { name: 'Geräte' }).waitFor();
    await german.page.getByRole('row').filter({ hasText: 'Shelf' }).waitFor();
    await german.show('devices-german');
    await german.leave();
  });
});
