// Credentials of programs: SDK apps for in-app updates, and access tokens of build servers.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { promisify } from 'node:util';
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { projectAccessTokens } from '../../../src/data/tables/organizations.ts';
import { DAY } from '../../../src/lib/clock.ts';
import { api, createAccount } from '../../support/harness.ts';
import { addPerson, join } from '../../support/people.ts';
import { buildSampleIpa } from '../sample-app.ts';
import { openScenario, openSignedIn, type Scenario } from './scenario.ts';
import { openVisitor, type Visitor } from './visitor.ts';

const run = promisify(execFile);

let scenario: Scenario;
let visitor: Visitor;
let project: string;
/** It has no token yet. */
let iosProject: string;
let inProject: { organization_id: string; project_id: string };

beforeAll(async () => {
  scenario = await openScenario();
  inProject = { organization_id: scenario.fixture.organization_id, project_id: scenario.fixture.android_project_id };
  project = `/projects/${inProject.project_id}`;
  iosProject = `/projects/${scenario.fixture.ios_project_id}`;
});
afterAll(() => scenario?.close());
beforeEach(async () => {
  visitor = await openVisitor(scenario.browser, scenario.origin);
});
afterEach(() => visitor?.leave());

async function open(path: string): Promise<void> {
  await openSignedIn(scenario, visitor, path);
}

/** Reads a secret off its dialog and lets it go. */
async function takeSecret(title: string): Promise<string> {
  const { page, actions } = visitor;
  const dialog = page.getByRole('dialog', { name: title });
  const secret = (await dialog.locator('pre').first().textContent()) ?? '';
  await dialog.getByLabel("I've saved it in a safe place").check();
  await actions.click('Done');
  await dialog.waitFor({ state: 'hidden' });
  return secret;
}

interface SdkApp {
  identifier: string;
  app_key: string;
}

async function enroll(secret: string, more: object = {}): Promise<Response> {
  const { body } = await scenario.client.get<{ items: SdkApp[] }>('/api/v1/sdk-apps', inProject);
  return fetch(`${scenario.fixture.url}/sdk/v1/enroll`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-svc-app-key': body.items[0]?.app_key ?? '' },
    body: JSON.stringify({ app_secret: secret, ...more }),
  });
}

describe('an SDK app', () => {
  let first: string;

  it('is created with a secret that is shown once, with the first request of an app', async () => {
    const { page, actions, show } = visitor;
    await open(`${project}/sdk`);
    await page.getByRole('heading', { name: 'No SDK apps yet' }).waitFor();
    await expect
      .poll(() => page.locator('pre').textContent())
      .toContain(
        `${scenario.origin}/api/v1/sdk-apps?organization_id=${inProject.organization_id}&project_id=${inProject.project_id}`,
      );
    await show('sdk-empty');
    await actions.click('New SDK app');
    await page.getByLabel('Name').fill('Harbour');
    await actions.click('Create');
    const dialog = page.getByRole('dialog', { name: 'Secret of Harbour' });
    await dialog.waitFor();
    await expect
      .poll(() => dialog.locator('pre').nth(1).textContent())
      .toContain(`curl -X POST '${scenario.origin}/sdk/v1/enroll'`);
    await page.keyboard.press('Escape');
    expect(await dialog.isVisible()).toBe(true);
    await show('sdk-secret');
    const [enrollLine = ''] = await dialog.locator('pre').nth(1).allTextContents();
    const { stdout } = await run('sh', ['-c', enrollLine.replace('curl', 'curl -sS --fail-with-body')]);
    expect(JSON.parse(stdout)).toMatchObject({ update_token: expect.any(String) });
    first = await takeSecret('Secret of Harbour');
    await page.getByRole('heading', { name: 'Harbour', exact: true }).waitFor();
    const installs = page.getByRole('heading', { name: 'Installs', exact: true }).locator('..');
    await installs.getByText('1', { exact: true }).waitFor();
  });

  it('shows the version of each install, page by page', async () => {
    const { page, actions, show } = visitor;
    for (let number = 1; number <= 55; number += 1) {
      const answer = await enroll(first, {
        device_model: 'Pixel 9',
        os_version: 'Android 16',
        version_name: '2.1',
        build_number: 200 + number,
      });
      expect(answer.status).toBe(201);
    }
    await open(`${project}/sdk`);
    await page.getByText('56 installs').waitFor();
    await show('sdk-apps');
    await actions.click('Harbour', 'link');
    const table = page.getByRole('table', { name: 'Installs' });
    await table.getByText('2.1 (255)').waitFor();
    await expect.poll(() => table.getByRole('row').count()).toBe(51);
    await show('sdk-app');
    await actions.click('Load more');
    await table.getByText('2.1 (201)').waitFor();
    await expect.poll(() => table.getByRole('row').count()).toBe(57);
  });

  it('gets another name and channel, and a new secret that replaces the old one', async () => {
    const { page, actions, show } = visitor;
    const { body } = await scenario.client.post<{ identifier: string }>(
      '/api/v1/channels',
      { name: 'nightly' },
      inProject,
    );
    await open(`${project}/sdk`);
    await actions.click('Harbour', 'link');
    await actions.click('Edit');
    await page.getByText('Changing the channel moves all 56 installs to it').waitFor();
    await page.getByLabel('Channel').selectOption(body.identifier);
    await page.getByLabel('Name').fill('Harbour 2');
    await actions.click('Save');
    await page.getByRole('heading', { name: 'Harbour 2', exact: true }).waitFor();
    await page.getByRole('link', { name: 'nightly' }).waitFor();
    await actions.click('Rotate secret');
    await page.getByText('The 56 installs already enrolled stay enrolled').waitFor();
    await show('sdk-rotate');
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
    const second = await takeSecret('Secret of Harbour 2');
    expect([(await enroll(first)).status, (await enroll(second)).status]).toEqual([401, 201]);
    await page.getByText('Secret rotated').waitFor();
    first = second;
  });

  it('is revoked after showing the number of its installs, and then deleted', async () => {
    const { page, actions, show } = visitor;
    await open(`${project}/sdk`);
    await actions.click('Harbour 2', 'link');
    await actions.click('Revoke');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Its 57 installs can\x27t check for updates anymore').waitFor();
    await expect.poll(() => dialog.getByRole('button', { name: 'Revoke' }).isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('Harbour 2');
    await show('sdk-revoke');
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText("Its installs can't check for updates anymore.").waitFor();
    expect((await enroll(first)).status).toBe(401);
    expect(await page.getByRole('button', { name: 'Rotate secret' }).count()).toBe(0);
    await show('sdk-revoked');
    await actions.click('Delete');
    await dialog.getByRole('textbox').fill('Harbour 2');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'No SDK apps yet' }).waitFor();
  });
});

describe('a member with read access', () => {
  it('sees the SDK apps without actions, and no tokens', async () => {
    const { page, show } = visitor;
    const reader = await createAccount(scenario.fixture, { email: 'reader@example.com' });
    join(scenario.fixture, reader.developer_id, {
      organizations: { [inProject.organization_id]: 'member' },
      projects: { [inProject.project_id]: 'read' },
    });
    await openSignedIn(scenario, visitor, `${project}/sdk`, reader);
    await page.getByText('Ask a maintainer of the project to create one.').waitFor();
    expect(await page.getByRole('button', { name: 'New SDK app' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Tokens' }).count()).toBe(0);
    await show('sdk-reader');
    await page.goto(new URL(`${project}/tokens`, scenario.origin).href);
    await page.getByRole('heading', { level: 1, name: "Your role doesn't allow this" }).waitFor();
  });
});

describe('an access token of a project', () => {
  it('is created with an expiry, and its commands upload a build', async () => {
    const { page, actions, show, expectRefusals } = visitor;
    await open(`${iosProject}/tokens`);
    await page.getByRole('heading', { name: 'No access tokens yet' }).waitFor();
    await show('project-tokens-empty');
    await actions.click('New token');
    await expect.poll(() => page.getByLabel('Expires').inputValue()).toBe('90');
    await expect
      .poll(() => page.getByLabel('Expires').locator('option').allTextContents())
      .toEqual(['Never', 'In 7 days', 'In 30 days', 'In 60 days', 'In 90 days', 'On a custom date']);
    expectRefusals(400);
    await actions.click('Create');
    await page.locator('[name="name"][aria-invalid="true"]').waitFor();
    await page.getByLabel('Name').fill('Build server');
    await page.getByLabel('Role').selectOption('maintainer');
    await page.getByLabel('Expires').selectOption('custom');
    await show('project-token-new');
    await page.getByLabel('Expires').selectOption('30');
    await actions.click('Create');
    const dialog = page.getByRole('dialog', { name: 'Your access token' });
    await dialog.waitFor();
    const token = await dialog.locator('pre').first().textContent();
    await expect
      .poll(() => dialog.locator('pre').nth(1).textContent())
      .toBe(
        `export TAXIWAY_URL='${scenario.origin}'\nexport TAXIWAY_TOKEN='${token}'\ntaxiway upload app.ipa --channel beta`,
      );
    await show('project-token-secret');
    await dialog.getByText('The same with curl').click();
    const script = (await dialog.locator('pre').nth(2).textContent()) ?? '';
    const folder = mkdtempSync(joinPath(tmpdir(), 'taxiway-ci-'));
    try {
      writeFileSync(joinPath(folder, 'app.ipa'), buildSampleIpa());
      const { stdout } = await run('bash', ['-euc', script], { cwd: folder });
      expect(JSON.parse(stdout)).toMatchObject({ version_name: '1.0.1', build_number: 101 });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    await takeSecret('Your access token');
    const row = page.getByRole('list', { name: 'Access tokens' }).getByRole('listitem');
    await row.getByText('Build server').waitFor();
    await expect.poll(() => row.textContent()).toMatch(/Maintainer · expires in 30 days.*by /);
  });

  it('that has expired says so, and is only revoked and deleted', async () => {
    const { page } = visitor;
    const { fixture, client } = scenario;
    const query = { organization_id: inProject.organization_id, project_id: fixture.ios_project_id };
    const made = await client.post<{ identifier: string }>(
      '/api/v1/project-access-tokens',
      { name: 'Last summer', role: 'read', expires_at: '2099-01-01' },
      query,
    );
    expect(made.status, made.text).toBe(201);
    const { identifier: id } = made.body;
    // The browser decides by its own clock, which the one of the fixture doesn't move.
    const expiresAt = Date.now() - 3 * DAY;
    fixture.app.db.update(projectAccessTokens).set({ expiresAt }).where(eq(projectAccessTokens.id, id)).run();
    await open(`${iosProject}/tokens`);
    const row = page
      .getByRole('list', { name: 'Access tokens' })
      .getByRole('listitem')
      .filter({ hasText: 'Last summer' });
    await row.getByText('Expired', { exact: true }).waitFor();
    await row.getByText('expired 3 days ago').waitFor();
    expect(await row.getByRole('button').allTextContents()).toEqual(['Revoke']);
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await row.waitFor({ state: 'detached' });
  });

  it('that stopped with its owner is taken over in one click', async () => {
    const { page, show } = visitor;
    const { fixture } = scenario;
    const owner = await addPerson(fixture, {
      name: 'Olga Owner',
      organizations: { [inProject.organization_id]: 'manager' },
    });
    const query = { organization_id: inProject.organization_id, project_id: fixture.ios_project_id };
    const { body } = await owner.client.post<{ token: string }>(
      '/api/v1/project-access-tokens',
      { name: 'Nightly', role: 'read' },
      query,
    );
    await api(fixture).delete(`/api/v1/organizations/${inProject.organization_id}/members/${owner.id}`);
    const ask = async () => (await api(fixture, body.token).get(`/api/v1/projects/${fixture.ios_project_id}`)).status;
    expect(await ask()).toBe(401);
    await open(`${iosProject}/tokens`);
    const row = page.getByRole('list', { name: 'Access tokens' }).getByRole('listitem').filter({ hasText: 'Nightly' });
    await row.getByText('Stopped', { exact: true }).waitFor();
    await show('project-token-stopped');
    visitor.expectRefusals(500);
    const failing = '**/take-over';
    await page.route(failing, (route) =>
      route.fulfill({ status: 500, json: { error: 'internal_error', message: '', details: {} } }),
    );
    await row.getByRole('button', { name: 'Take over' }).click();
    await row.getByRole('alert').getByText('Something went wrong on the server').waitFor();
    await show('project-token-not-taken-over');
    await page.unroute(failing);
    await row.getByRole('button', { name: 'Take over' }).click();
    await page.getByText('You now own Nightly').waitFor();
    expect(await row.getByText('Stopped', { exact: true }).count()).toBe(0);
    expect(await ask()).toBe(200);
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('Revoked', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await row.waitFor({ state: 'detached' });
  });

  it('is rotated, revoked and deleted after a confirmation with the effect', async () => {
    const { page, actions, show } = visitor;
    await open(`${iosProject}/tokens`);
    await page.getByText(/used/).first().waitFor();
    await show('project-tokens');
    await actions.click('Rotate');
    await page.getByText('The old one stops working immediately').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    const token = await takeSecret('Your access token');
    const ask = () =>
      fetch(`${scenario.fixture.url}/api/v1/projects/${scenario.fixture.ios_project_id}`, {
        headers: { authorization: `Bearer ${token}` },
      });
    expect((await ask()).status).toBe(200);
    await actions.click('Revoke');
    await page.getByText('Anything that uses it stops working immediately.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Revoked', { exact: true }).waitFor();
    expect((await ask()).status).toBe(401);
    await show('project-tokens-revoked');
    await actions.click('Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'No access tokens yet' }).waitFor();
  });
});
