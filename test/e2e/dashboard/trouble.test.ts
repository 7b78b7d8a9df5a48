// What goes wrong, as a person meets it: refusals of every kind, a slow server, a lost connection.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { buildSampleApk } from '../sample-app.ts';
import { dropFile } from './files.ts';
import { openStage, type Stage, signIn } from './stage.ts';
import { openVisitor, type Visitor } from './visitor.ts';

let stage: Stage;
let visitor: Visitor;
let project: string;

beforeAll(async () => {
  stage = await openStage();
  project = `/projects/${stage.fixture.android_project_id}`;
});
afterAll(() => stage?.close());
beforeEach(async () => {
  visitor = await openVisitor(stage.browser, stage.origin);
});
afterEach(() => visitor?.leave());

async function open(path: string): Promise<void> {
  const { page } = visitor;
  await page.goto(new URL(path, stage.origin).href);
  await signIn(page, stage.fixture.admin);
}

interface Refusal {
  status: number;
  code: string;
  title: string;
  headers?: Record<string, string>;
  text?: string;
}

const refusals: Refusal[] = [
  { status: 402, code: 'spend_cap_exceeded', title: 'The monthly cap is reached' },
  { status: 402, code: 'billing_suspended', title: 'The organization is suspended' },
  { status: 403, code: 'insufficient_role', title: 'Your role does not allow that' },
  { status: 403, code: 'mfa_enrollment_required', title: 'The organization asks for a second factor' },
  { status: 404, code: 'not_found', title: 'There is nothing here' },
  { status: 409, code: 'dependency_exists', title: 'It is still in use' },
  { status: 413, code: 'payload_too_large', title: 'That is too large' },
  {
    status: 429,
    code: 'rate_limit_exceeded',
    title: 'Too many at once',
    headers: { 'retry-after': '20' },
    text: 'Try again in 20 seconds.',
  },
  { status: 500, code: 'internal_error', title: 'Something went wrong on the server' },
  { status: 418, code: 'something_new', title: 'That was refused' },
];

describe('a refused change', () => {
  it.each(refusals)('of $status $code says what happened and what helps, with the request id', async (refusal) => {
    const { page, actions, show, expectRefusals } = visitor;
    const { status, code, title, headers = {}, text } = refusal;
    expectRefusals(status);
    await page.route('**/api/v1/channels?**', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({
            status,
            headers: { 'content-type': 'application/json', 'x-request-id': 'request-of-this-test', ...headers },
            body: JSON.stringify({ error: code, message: `What the server says of ${code}`, details: {} }),
          })
        : route.continue(),
    );
    await open(project);
    await actions.click('New channel');
    await page.getByLabel('Name', { exact: true }).fill('weekly');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    const alert = page.getByRole('alert');
    await alert.getByText(title).waitFor();
    await alert.getByText(`What the server says of ${code}`).waitFor();
    await alert.getByText('request-of-this-test').waitFor();
    await alert.getByRole('button', { name: 'Copy Request id' }).waitFor();
    if (text !== undefined) await alert.getByText(text).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('weekly');
    await show(`refused-${status}-${code}`);
  });

  it('that belongs to a field is told there', async () => {
    const { page, actions, expectRefusals } = visitor;
    expectRefusals(409);
    await open(project);
    await actions.click('New channel');
    await page.getByLabel('Name', { exact: true }).fill('public');
    await stage.client.post(
      '/api/v1/channels',
      { name: 'public' },
      {
        organization_id: stage.fixture.organization_id,
        project_id: stage.fixture.android_project_id,
      },
    );
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByText('This is taken already').waitFor();
    expect(await page.evaluate('document.activeElement.getAttribute("name")')).toBe('name');
  });
});

describe('a page that cannot be shown', () => {
  it('is said to be nothing, and leads back', async () => {
    const { page, show, expectRefusals } = visitor;
    expectRefusals(404);
    await open('/');
    await page.getByRole('heading', { name: 'Projects' }).waitFor();
    await page.goto(new URL('/projects/01900000-0000-7000-8000-000000000000', stage.origin).href);
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
    await show('nothing-here');
    await page.goto(new URL('/settings/of/nothing', stage.origin).href);
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
  });
});

describe('a slow server', () => {
  it('shows that something is coming, and then it', async () => {
    const { page, show } = visitor;
    await open('/');
    await page.getByRole('heading', { name: 'Projects' }).waitFor();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/api/v1/channels?**', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(new URL(project, stage.origin).href);
    await page.getByText('Loading …').waitFor({ state: 'attached' });
    await show('loading');
    release();
    await page.getByRole('heading', { level: 2 }).getByRole('link').first().waitFor();
  });
});

describe('a lost connection', () => {
  it('is said at once, loses nothing, and heals by itself', async () => {
    const { page, context, actions, show, expectRefusals } = visitor;
    expectRefusals(0);
    await open(project);
    await actions.click('New channel');
    await page.getByLabel('Name', { exact: true }).fill('kept');
    await context.setOffline(true);
    await page.getByText('The connection is lost.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByText('The server does not answer').waitFor();
    await show('lost');
    await context.setOffline(false);
    await page.getByText('The connection is lost.').waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('kept');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByRole('link', { name: 'kept' }).waitFor();
  });

  it('takes up an upload again when it is back', async () => {
    const { page, context, expectRefusals } = visitor;
    expectRefusals(0);
    const folder = mkdtempSync(join(tmpdir(), 'taxiway-lost-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'harbour.apk');
    writeFileSync(file, buildSampleApk());
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
    await dropFile(page, file);
    const tray = page.getByRole('region', { name: 'Uploads' });
    await tray.getByText('The connection was lost.').waitFor();
    await context.setOffline(false);
    await tray.getByText('Uploaded.').waitFor();
  });
});
