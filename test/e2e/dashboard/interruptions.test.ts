// Requests of the web app that take long, fail or are cut off: while a page loads, when a dialog is closed, without a connection.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { addPerson } from '../../support/people.ts';
import { expectAccessible } from '../accessibility.ts';
import { buildSampleApk } from '../sample-app.ts';
import { dropFile } from './files.ts';
import { addBuilds, openScenario, openSignedIn, type Scenario } from './scenario.ts';
import { openVisitor, type Visitor } from './visitor.ts';

let scenario: Scenario;
let visitor: Visitor;
let project: string;

beforeAll(async () => {
  scenario = await openScenario();
  project = `/projects/${scenario.fixture.android_project_id}`;
});
afterAll(() => scenario?.close());
beforeEach(async () => {
  visitor = await openVisitor(scenario.browser, scenario.origin);
});
afterEach(() => visitor?.leave());

async function open(path: string): Promise<void> {
  await openSignedIn(scenario, visitor, path);
}

describe('a slow server', () => {
  it('shows a loading state, then the content', async () => {
    const { page, show } = visitor;
    await open('/');
    await page.getByRole('heading', { level: 1, name: /^Home$|today|attention/ }).waitFor();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/api/v1/channels/overview?**', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(new URL(project, scenario.origin).href);
    await page.getByText('Loading…').waitFor({ state: 'attached' });
    await show('loading', { isLoading: true });
    release();
    await page.getByRole('heading', { level: 2 }).getByRole('link').first().waitFor();
  });
});

describe('an app whose scripts do not load', () => {
  it('says so instead of waiting forever, and starts when the page is reloaded', async () => {
    const { page, actions, show, expectRefusals } = visitor;
    expectRefusals(503);
    let isDown = true;
    await page.route('**/assets/*.js', (route) => {
      const isApp = !route.request().url().includes('/prefetch-');
      return isDown && isApp ? route.fulfill({ status: 503 }) : route.continue();
    });
    await page.goto(new URL('/sign-in', scenario.origin).href);
    await page.getByRole('alert').getByRole('heading', { name: "This page couldn't be loaded" }).waitFor();
    await show('not-started', { isLoading: true });
    isDown = false;
    await actions.click('Reload', 'link');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});

const refuse = { status: 403, json: { error: 'insufficient_role', message: '', details: {} } };

describe('what a dialog or a page needs and cannot read', () => {
  it('is said in the dialog that releases a build, with a way to try again', async () => {
    const { page, actions, expectRefusals } = visitor;
    expectRefusals(403);
    addBuilds(scenario.fixture, 1);
    let isRefused = true;
    await page.route('**/api/v1/builds?**', (route) => (isRefused ? route.fulfill(refuse) : route.continue()));
    await open(`${project}/channels/${scenario.fixture.channel_id}`);
    await actions.click('Release build');
    const dialog = page.getByRole('dialog', { name: /^Release to / });
    await dialog.getByRole('alert').getByText("Your role doesn't allow this").waitFor();
    isRefused = false;
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await dialog.getByLabel('Build', { exact: true }).waitFor();
    await expectAccessible(page);
  });

  it('is said on the page of a build and before several builds are released, and nothing is said to be live nowhere', async () => {
    const { page, actions, expectRefusals } = visitor;
    expectRefusals(403);
    const [build] = addBuilds(scenario.fixture, 1);
    let isRefused = true;
    let count = 0;
    await page.route('**/api/v1/channels/overview?**', (route) => {
      count += 1;
      return isRefused ? route.fulfill(refuse) : route.continue();
    });
    await open(`${project}/builds/${build}`);
    await page.getByRole('alert').getByText("Your role doesn't allow this").waitFor();
    await visitor.settle();
    expect(count).toBe(1);
    isRefused = false;
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('region', { name: 'Channels' }).getByText('fixture').waitFor();

    isRefused = true;
    await page.goto(new URL(`${project}/builds`, scenario.origin).href);
    await page
      .getByRole('checkbox', { name: /^Select / })
      .nth(1)
      .check();
    const dialog = page.getByRole('dialog');
    await actions.click('Revoke');
    await dialog.getByText('Channels where it is live return to their previous release, if they have one.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await actions.click('Release', 'button');
    await dialog.getByRole('alert').getByText("Your role doesn't allow this").waitFor();
    isRefused = false;
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await dialog.getByLabel('Channel').selectOption({ label: 'fixture' });
  });
});

describe('a list whose next page is rejected', () => {
  it('shows why beside its rows, and loads the page when it is retried', async () => {
    const { page, actions, expectRefusals } = visitor;
    expectRefusals(403);
    let isRefused = true;
    await page.route('**/api/v1/project-access-tokens?**', async (route) => {
      const isFirst = !new URL(route.request().url()).searchParams.has('cursor');
      if (isRefused && !isFirst) return route.fulfill(refuse);
      const response = await route.fetch();
      const json = (await response.json()) as object;
      const more = isFirst ? { next_cursor: 'next' } : { items: [] };
      return route.fulfill({ response, json: { ...json, ...more } });
    });
    await open(`${project}/tokens`);
    const rows = page.getByRole('list', { name: 'Access tokens' }).getByRole('listitem');
    await rows.waitFor();
    await actions.click('Load more');
    await page.getByRole('alert').getByText("Your role doesn't allow this").waitFor();
    expect(await rows.count()).toBe(1);
    isRefused = false;
    await actions.click('Load more');
    await page.getByRole('button', { name: 'Load more' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});

describe('a server that asks for a long pause', () => {
  it.each([
    { status: 429, title: 'Too many requests' },
    { status: 503, title: 'Temporarily unavailable' },
  ])('is said with $status, with a way to try again, instead of loading all the time', async ({ status, title }) => {
    const { page, actions, expectRefusals } = visitor;
    expectRefusals(status);
    let isRefused = true;
    await page.route('**/api/v1/devices?**', (route) =>
      isRefused
        ? route.fulfill({ status, headers: { 'retry-after': '60' }, json: { error: '', message: '', details: {} } })
        : route.continue(),
    );
    await open('/devices');
    const alert = page.getByRole('alert').filter({ hasText: title });
    await alert.getByText('Wait a moment. Try again in 60 seconds.').waitFor();
    isRefused = false;
    await actions.click('Try again');
    await alert.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Register device' }).first().waitFor();
  });
});

describe('devices without the Apple developer accounts', () => {
  it('are listed, and the accounts are not read again and again', async () => {
    const { page, expectRefusals, settle } = visitor;
    expectRefusals(403);
    const { organization_id } = scenario.fixture;
    const device = { udid: '00008030-001A35E11A88003A', name: 'Quay phone' };
    expect((await scenario.client.post('/api/v1/devices', device, { organization_id })).status).toBe(201);
    let count = 0;
    await page.route('**/api/v1/store-connections?**', (route) => {
      count += 1;
      return route.fulfill({ status: 403, json: { error: 'insufficient_role', message: '', details: {} } });
    });
    await open('/devices');
    await page.getByRole('row').filter({ hasText: 'Quay phone' }).waitFor();
    await settle();
    expect(count).toBe(1);
  });
});

describe('a confirmation that is closed while its action is sent', () => {
  it('leaves a message if the action fails, and the dialog that was opened since', async () => {
    const { page, actions, expectRefusals } = visitor;
    expectRefusals(409);
    const [build] = addBuilds(scenario.fixture, 1);
    const path = `/api/v1/builds/${build}/pin`;
    const answers: (() => void)[] = [];
    await page.route(`**${path}`, async (route) => {
      await new Promise<void>((resolve) => answers.push(resolve));
      if (answers.length > 1) await route.continue();
      else await route.fulfill({ status: 409, json: { error: 'dependency_exists', message: '', details: {} } });
    });
    await open(`${project}/builds/${build}`);
    const dialog = page.getByRole('dialog');
    const pin = async () => {
      await actions.click('More');
      await actions.click('Pin', 'menuitem');
      const asked = page.waitForRequest(`**${path}`);
      await dialog.getByRole('button', { name: 'Pin' }).click();
      await asked;
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    };
    await pin();
    await expect.poll(() => answers.length).toBe(1);
    answers[0]?.();
    await page.getByText('Pin: Still in use').waitFor();

    await pin();
    await expect.poll(() => answers.length).toBe(2);
    await actions.click('More');
    await actions.click('Edit labels', 'menuitem');
    await dialog.getByLabel('Labels').fill('kept');
    answers[1]?.();
    await page.getByText('Pinned', { exact: true }).waitFor();
    expect(await dialog.getByLabel('Labels').inputValue()).toBe('kept');
  });
});

describe('a confirmation of what was changed elsewhere since the page was read', () => {
  it('names a release made since, and says in a message that the channel was rolled back already', async () => {
    const { page, expectRefusals } = visitor;
    expectRefusals(400);
    const { client, fixture } = scenario;
    const { organization_id, android_project_id: project_id } = fixture;
    const inProject = { organization_id, project_id };
    const { identifier: channel_id } = (
      await client.post<{ identifier: string }>('/api/v1/channels', { name: 'elsewhere' }, inProject)
    ).body;
    const [one = '', two = '', three = '', four = ''] = addBuilds(fixture, 4);
    const release = async (build_id: string) => {
      const query = { ...inProject, channel_id };
      return (await client.post<{ identifier: string }>('/api/v1/releases', { build_id }, query)).body.identifier;
    };
    const first = await release(one);
    await release(two);
    await release(three);
    await open(`${project}/channels/${channel_id}`);
    const links = page.getByRole('listitem').getByRole('link', { name: /\(\d+\)$/ });
    await links.nth(2).waitFor();
    const names = await links.allInnerTexts();
    await release(four);
    await page.getByRole('button', { name: `Roll back to this: ${names[2]}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`This also rolls back 2 releases in between: ${names[0]}, ${names[1]}.`).waitFor();
    const rolledBack = await client.post('/api/v1/releases/rollback', undefined, {
      ...inProject,
      channel_id,
      release_id: first,
    });
    expect(rolledBack.status, rolledBack.text).toBe(200);
    await dialog.getByRole('button', { name: `Roll back to ${names[2]}` }).click();
    await page.getByText(`Roll back to ${names[2]}: This isn't possible right now`).waitFor();
    await dialog.waitFor({ state: 'detached' });
    const current = page.getByRole('listitem').filter({ hasText: 'Current' });
    await current.filter({ hasText: names[2] ?? '' }).waitFor();
  });

  it('says in a message that a member was removed, who is not listed anymore', async () => {
    const { page, expectRefusals } = visitor;
    expectRefusals(404);
    const { client, fixture } = scenario;
    const { organization_id } = fixture;
    const { id, email } = await addPerson(fixture, { organizations: { [organization_id]: 'member' } });
    await open('/members');
    const row = page.getByRole('listitem').filter({ hasText: email });
    await row.getByRole('button', { name: /^Remove/ }).click();
    const removed = await client.delete(`/api/v1/organizations/${organization_id}/members/${id}`);
    expect(removed.status).toBe(204);
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Remove: Not found').waitFor();
    await row.waitFor({ state: 'detached' });
  });
});

describe('a form that is closed while it is sent', () => {
  it('leaves a message if it fails, and the dialog that was opened since', async () => {
    const { page, actions, expectRefusals } = visitor;
    expectRefusals(409);
    const [build] = addBuilds(scenario.fixture, 1);
    const path = `/api/v1/builds/${build}`;
    const answers: (() => void)[] = [];
    await page.route(`**${path}`, async (route) => {
      if (route.request().method() !== 'PATCH') return route.continue();
      await new Promise<void>((resolve) => answers.push(resolve));
      if (answers.length > 1) return route.continue();
      return route.fulfill({ status: 409, json: { error: 'dependency_exists', message: '', details: {} } });
    });
    await open(`${project}/builds/${build}`);
    const dialog = page.getByRole('dialog');
    const edit = async (item: string, text: string) => {
      await actions.click('More');
      await actions.click(item, 'menuitem');
      await dialog.getByRole('textbox').fill(text);
    };
    const saveAndLeave = async () => {
      const asked = page.waitForRequest((request) => request.url().endsWith(path) && request.method() === 'PATCH');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await asked;
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    };
    await edit('Edit release notes', 'Lost');
    await saveAndLeave();
    await expect.poll(() => answers.length).toBe(1);
    answers[0]?.();
    await page.getByText('Save: Still in use').waitFor();

    await edit('Edit release notes', 'For the crew');
    await saveAndLeave();
    await expect.poll(() => answers.length).toBe(2);
    // The same dialog once more: which one it was can't be told by its name.
    await edit('Edit release notes', 'kept');
    answers[1]?.();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await dialog.getByRole('textbox').inputValue()).toBe('kept');
    expect((await scenario.client.get(path)).body).toMatchObject({ release_notes: 'For the crew' });
  });

  it('opens no page when its answer comes', async () => {
    const { page, actions } = visitor;
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/api/v1/projects?**', async (route) => {
      if (route.request().method() === 'POST') await held;
      await route.continue();
    });
    await open('/');
    const dialog = page.getByRole('dialog');
    await actions.click('New project');
    await dialog.getByLabel('Name').fill('Left Quay');
    const asked = page.waitForRequest((one) => one.url().includes('/projects?') && one.method() === 'POST');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await asked;
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await actions.click('New project');
    await dialog.getByLabel('Name').fill('kept');
    answer();
    await page.getByRole('navigation').getByText('Left Quay').waitFor();
    await visitor.settle();
    expect(await dialog.getByLabel('Name').inputValue()).toBe('kept');
    expect(new URL(page.url()).pathname).toBe('/');
  });
});

describe('a lost connection', () => {
  it('leaves the menus that were loaded while the browser was idle', async () => {
    await visitor.leave();
    visitor = await openVisitor(scenario.browser, scenario.origin, { preloads: true });
    const { page, context, actions, expectRefusals } = visitor;
    expectRefusals(0);
    const devtools = await context.newCDPSession(page);
    await devtools.send('Network.enable');
    await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
    await page.addInitScript(`{
      globalThis.idleTimes = 0;
      const { requestIdleCallback } = globalThis;
      globalThis.requestIdleCallback = (run) => requestIdleCallback(() => {
        idleTimes += 1;
        run();
      });
    }`);
    await open(project);
    await page.getByRole('heading', { name: 'Channels' }).waitFor();
    // The menu of the account is the fourth, so it is complete when the fifth begins.
    await expect.poll(() => page.evaluate('idleTimes')).toBeGreaterThan(4);
    await context.setOffline(true);
    await page.getByText('Connection lost.').waitFor();
    await actions.click(page.getByRole('complementary').getByRole('button', { name: 'Account menu' }));
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    await context.setOffline(false);
    await page.getByText('Connection lost.').waitFor({ state: 'detached' });
  });

  it('is shown immediately, loses nothing, and recovers automatically', async () => {
    const { page, context, actions, show, expectRefusals } = visitor;
    expectRefusals(0);
    await open(project);
    await actions.click('New channel');
    await page.getByLabel('Name', { exact: true }).fill('kept');
    await context.setOffline(true);
    await page.getByText('Connection lost.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    const problem = page.getByRole('dialog').getByRole('alert');
    await problem.getByText('Your input is still here. Try again when the connection is back.').waitFor();
    await show('lost');
    await context.setOffline(false);
    await page.getByText('Connection lost.').waitFor({ state: 'detached' });
    await problem.waitFor({ state: 'detached' });
    await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('kept');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByRole('link', { name: 'kept' }).waitFor();
  });

  it('resumes an upload when it is back, and one that was cut although the server responds', async () => {
    const { page, context, expectRefusals } = visitor;
    expectRefusals(0);
    const folder = mkdtempSync(join(tmpdir(), 'taxiway-lost-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const write = (name: string, bytes: Buffer) => {
      writeFileSync(join(folder, name), bytes);
      return join(folder, name);
    };
    await open(project);
    await page.getByRole('heading', { name: 'Channels' }).waitFor();
    await page.route(
      '**/storage/v1/**',
      async (route) => {
        await context.setOffline(true);
        await route.abort('internetdisconnected');
      },
      { times: 1 },
    );
    await dropFile(page, write('harbour.apk', buildSampleApk()));
    const tray = page.getByRole('region', { name: 'Uploads' });
    await tray.getByText('Connection lost.').waitFor();
    await context.setOffline(false);
    await tray.getByText('Uploaded').waitFor();
    await tray.getByRole('button', { name: 'Close' }).click();
    await page.route('**/storage/v1/**', (route) => route.abort('connectionreset'), { times: 1 });
    await dropFile(page, write('next.apk', buildSampleApk({ build: '319' })));
    await tray.getByText('Uploaded').waitFor();
  });
});
