// Navigation: the palette, keys, the focus after navigating, unknown addresses, and printing.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { keepScreenshot } from '../browser.ts';
import { addBuilds, keepVisitor, openNext, openScenario, openSignedIn, type Scenario, signIn } from './scenario.ts';
import { openVisitor, type Visitor } from './visitor.ts';

let scenario: Scenario;
let visitor: Visitor;
let project: string;

beforeAll(async () => {
  scenario = await openScenario();
  project = `/projects/${scenario.fixture.android_project_id}`;
  addBuilds(scenario.fixture, 30);
  const place = { organization_id: scenario.fixture.organization_id, project_id: scenario.fixture.ios_project_id };
  await scenario.client.post('/api/v1/channels', { name: 'Nightly harbour' }, place);
  visitor = await openVisitor(scenario.browser, scenario.origin);
});
afterAll(async () => {
  await visitor?.leave();
  await scenario?.close();
});
afterEach(async ({ task }) => {
  visitor = await keepVisitor(scenario, visitor, task);
});

const heading = (name: string) => visitor.page.getByRole('heading', { name, exact: true });
const focused = () => visitor.page.evaluate<string>('document.activeElement.textContent');
async function open(path: string): Promise<void> {
  await openNext(scenario, visitor, path);
}

describe('the palette', () => {
  it('opens any channel and build of the organization with the keyboard, with one request per search', async () => {
    const { page, show } = visitor;
    await open('/');
    await heading('Home').waitFor();
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname.startsWith('/api/v1/')) asked.push(`${pathname.split('/').at(-1)}${search}`);
    });
    await page.keyboard.press('ControlOrMeta+k');
    const field = page.getByPlaceholder('Project, build, channel, person or page');
    await field.waitFor();
    await show('palette-pages');
    await field.fill('nightly');
    await page.getByRole('button', { name: 'Nightly harbour' }).waitFor();
    expect(asked.filter((one) => one.startsWith('search'))).toEqual(['search?query=nightly']);
    await show('palette-found');
    await page.keyboard.press('Enter');
    await heading('Nightly harbour').waitFor();
    await expect.poll(focused).toBe('Nightly harbour');

    await page.keyboard.press('ControlOrMeta+k');
    await field.fill('1.0.7 (8)');
    await page.getByRole('button', { name: '1.0.7 (8)' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /1\.0\.7/ }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(new RegExp(`^${project}/builds/`));
  });

  it.each([
    ['webhook', '/webhooks'],
    ['passkey', '/me'],
    ['saml', '/settings/sso'],
    ['operator', '/system'],
    ['devices', '/devices'],
    ['trail', '/audit'],
    ['my apps', '/my-apps'],
  ])('opens the page for "%s"', async (text, path) => {
    const { page } = visitor;
    await open('/members');
    await heading('Members').first().waitFor();
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByPlaceholder('Project, build, channel, person or page').fill(text);
    await page.locator('[data-action][data-selected]').waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).pathname).toBe(path);
  });

  it('shows when nothing matches, finds people, and is translated to German', async () => {
    const { page, show } = visitor;
    await open(project);
    await heading('Channels').waitFor();
    await page.keyboard.press('ControlOrMeta+k');
    const field = page.getByPlaceholder('Project, build, channel, person or page');
    await field.fill('nothing like it');
    await page.getByText('No results for “nothing like it”.').waitFor();
    await show('palette-nothing');
    await field.fill(scenario.fixture.admin.email);
    await page.getByRole('button', { name: scenario.fixture.admin.email }).waitFor();
    await page.keyboard.press('Enter');
    await heading('Members').first().waitFor();
    const search = page.getByRole('searchbox', { name: 'Search by name or email' });
    await expect.poll(() => search.inputValue()).toBe(scenario.fixture.admin.email);
    await page.getByRole('status').getByText('1 person found', { exact: true }).waitFor();
    await search.press('End');
    await search.pressSequentially('x');
    await page.getByRole('status').getByText('No one matches.', { exact: true }).waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe('');
    expect(await search.inputValue()).toBe(`${scenario.fixture.admin.email}x`);
    await search.fill('');
    await page.getByRole('list', { name: 'Members' }).getByRole('listitem').first().waitFor();

    const german = await openVisitor(scenario.browser, scenario.origin, { locale: 'de-DE' });
    await openSignedIn(scenario, german, project);
    await german.page.getByRole('heading', { name: 'Kanäle' }).waitFor();
    await german.page.keyboard.press('ControlOrMeta+k');
    await german.page.getByPlaceholder('Projekt, Build, Kanal, Person oder Seite').fill('gerate');
    await german.page.getByRole('button', { name: 'Geräte' }).waitFor();
    await german.show('palette-german');
    await german.page.keyboard.press('Enter');
    await german.page.getByRole('heading', { name: 'Geräte', exact: true }).first().waitFor();
    await german.leave();
  });
});

describe('keys', () => {
  it('are listed by ?, which is a normal letter in fields', async () => {
    const { page, show } = visitor;
    await open('/me');
    await heading('Your account').waitFor();
    const name = page.getByLabel('Your name');
    await name.press('End');
    await name.press('?');
    await expect.poll(() => name.inputValue()).toMatch(/\?$/);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await name.evaluate('document.activeElement.blur()');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await show('keys');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('close a dialog that was just loaded, and continue where it was opened', async () => {
    const { page } = visitor;
    const opened = async (name: string, press: string, dialog: string | RegExp) => {
      await page.getByRole('button', { name, exact: true }).focus();
      await page.keyboard.press(press);
      await page.getByRole('dialog', { name: dialog }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await expect.poll(focused).toBe(name);
    };
    await openSignedIn(scenario, visitor, '/');
    await heading('Home').waitFor();
    await opened('New project', 'Enter', 'New project');
    await opened('New project', '?', 'Keyboard shortcuts');
    // So does a click beside it, but not the second one of a double click on its button.
    const { x, y } = (await page.getByRole('button', { name: 'New project' }).boundingBox()) ?? { x: 0, y: 0 };
    await page.mouse.click(x + 8, y + 8);
    await page.getByRole('dialog', { name: 'New project' }).waitFor();
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await visitor.settle();
    expect(await page.getByRole('dialog', { name: 'New project' }).isVisible()).toBe(true);
    await page.mouse.click(x + 8, y + 8);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // Nor one that would lose what was typed.
    await page.getByRole('button', { name: 'New project' }).click();
    const name = page.getByRole('dialog', { name: 'New project' }).getByLabel('Name');
    await name.fill('Lighthouse');
    await page.mouse.click(x + 8, y + 8);
    await visitor.settle();
    expect(await name.inputValue()).toBe('Lighthouse');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await open(`${project}/settings`);
    await opened('Delete project', 'Enter', /^Delete /);
    await open(`${project}/channels/${scenario.fixture.channel_id}`);
    await opened('Share', 'Enter', /^Share /);
    // A form that its dialog waits for starts at its first field, not at the button that closes it.
    await page.getByRole('button', { name: 'Release build' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByLabel('Build', { exact: true }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('continue from the button of a menu when a dialog that it opened is closed, and from the heading when a row is gone', async () => {
    const { page } = visitor;
    const { organization_id } = scenario.fixture;
    const device = { udid: '00008030-001A35E11A88003A', name: 'Quay phone' };
    expect((await scenario.client.post('/api/v1/devices', device, { organization_id })).status).toBe(201);
    const choose = async (button: string, item: string) => {
      await page.getByRole('button', { name: button, exact: true }).focus();
      await page.keyboard.press('Enter');
      await page.locator('[role="menu"]:focus, [role="menu"] :focus').waitFor({ state: 'attached' });
      while ((await focused()) !== item) await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
    };
    const named = () => page.evaluate<string | null>('document.activeElement.getAttribute("aria-label")');
    const closed = async (button: string) => {
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await expect.poll(named).toBe(button);
    };
    await open(`${project}/channels/${scenario.fixture.channel_id}`);
    for (const item of ['Edit', 'Delete channel']) {
      await choose('More', item);
      await closed('More');
    }
    await open('/devices');
    await choose('Actions for Quay phone', 'Edit name or owner');
    await closed('Actions for Quay phone');
    await choose('Actions for Quay phone', 'Remove');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Quay phone removed').waitFor();
    await expect.poll(focused).toBe('Devices');
  });

  it('close the palette above a dialog, which keeps its input', async () => {
    const { page, actions } = visitor;
    await open(project);
    await actions.click('New channel');
    const field = page.getByRole('dialog').getByLabel('Name', { exact: true });
    await field.fill('kept');
    await page.keyboard.press('ControlOrMeta+k');
    const search = page.getByPlaceholder('Project, build, channel, person or page');
    await expect.poll(() => search.evaluate((one) => one.matches(':focus'))).toBe(true);
    await page.keyboard.press('Escape');
    await search.waitFor({ state: 'detached' });
    expect(await field.inputValue()).toBe('kept');
    await expect.poll(() => field.evaluate((one) => one.matches(':focus'))).toBe(true);
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
  });

  it('press a button that has the focus again when its action is done', async () => {
    const { page } = visitor;
    await open('/me');
    await page.getByLabel('Your name').fill('Ada Tide');
    await page.keyboard.press('Tab');
    const save = page.getByRole('button', { name: /^Save/ }).first();
    expect(await save.evaluate((one) => one.matches(':focus'))).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByText('Saved', { exact: true }).waitFor();
    await expect.poll(() => save.evaluate((one) => one.matches(':focus'))).toBe(true);
  });

  it('skip the sidebar, and continue from the heading of the next page', async () => {
    const { page } = visitor;
    await open('/members');
    await heading('Members').first().waitFor();
    await page.reload();
    await heading('Members').first().waitFor();
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Skip to content');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('content');
    const devices = page.getByRole('link', { name: 'Devices', exact: true });
    await devices.focus();
    await page.keyboard.press('Enter');
    await heading('Devices').first().waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1');
    await expect.poll(focused).toBe('Devices');
    await page.goBack();
    await expect.poll(focused).toBe('Members');
  });
});

describe('an unknown address', () => {
  it('shows an explanation, within the app and outside of it', async () => {
    const { page, show, expectRefusals, leave } = await openVisitor(scenario.browser, scenario.origin);
    const title = (name: string) => page.getByRole('heading', { name, exact: true });
    expectRefusals(404, 400);
    const answer = await page.goto(new URL('/nothing-here', scenario.origin).href);
    expect(answer?.status()).toBe(404);
    await title('Page not found').waitFor();
    await show('nothing-outside');
    await page.getByRole('link', { name: 'Home' }).click();
    await signIn(page, scenario.fixture.admin);
    await title('Home').waitFor();
    for (const path of ['/projects/unknown', '/me/nothing', `${project}/nothing`]) {
      await page.goto(new URL(path, scenario.origin).href);
      await title('Not found').waitFor();
    }
    // Early answers that the app doesn't read never end, so the page doesn't settle.
    await show('nothing-inside', { isLoading: true });
    await leave();
  });
});

describe('the printed QR code', () => {
  it('is one page, black on white also in the dark scheme', async () => {
    const { page } = visitor;
    await scenario.client.send('PATCH', `/api/v1/channels/${scenario.fixture.channel_id}`, { body: { public: true } });
    await open(`${project}/channels/${scenario.fixture.channel_id}`);
    await page.getByRole('img', { name: /^QR code/ }).waitFor();
    await page.evaluate('window.print = () => { window.printed = true; }');
    await visitor.actions.click('Print');
    await expect.poll(() => page.evaluate('window.printed')).toBe(true);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const look = (of: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${of}')).backgroundColor`);
    await expect.poll(() => look('body')).toBe('rgb(255, 255, 255)');
    expect(await page.evaluate<string>("getComputedStyle(document.querySelector('.tw-sheet h1')).color")).toBe(
      'rgb(0, 0, 0)',
    );
    expect(await page.locator('#app').isVisible()).toBe(false);
    await keepScreenshot(page, 'dashboard/channel-print');
    const pages = async () =>
      (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type\s*\/Page[^s]/g)?.length;
    expect(await pages()).toBe(1);
    // Afterwards the page is there again, and printed by the browser's own way it is light as well.
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
    await page.locator('.tw-sheet').waitFor({ state: 'detached' });
    expect(await page.locator('#app').isVisible()).toBe(true);
    await expect.poll(() => look('body')).toBe('rgb(255, 255, 255)');
    await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
  });
});
