// Uploads with problems: expired links, cancellation, simultaneous uploads, repeated builds, and closed tabs.

import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MINUTE } from '../../../src/lib/clock.ts';
import { formatBytes } from '../../../src/lib/formats.ts';
import { signIn as signInByApi } from '../../support/harness.ts';
import { buildSampleApk } from '../sample-app.ts';
import { openScenario, openSignedIn, type Scenario } from './scenario.ts';
import { openVisitor, type Visitor } from './visitor.ts';

let scenario: Scenario;
let visitor: Visitor;
let folder: string;
let project: string;
let lastBuild = 400;

beforeAll(async () => {
  scenario = await openScenario();
  folder = mkdtempSync(join(tmpdir(), 'taxiway-uploads-'));
  project = `/projects/${scenario.fixture.android_project_id}`;
});
afterAll(async () => {
  await scenario?.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  visitor = await openVisitor(scenario.browser, scenario.origin);
  await openSignedIn(scenario, visitor, project);
  await visitor.page.getByRole('heading', { name: 'Channels' }).waitFor();
});
afterEach(() => visitor?.leave());

/** A package with a number of its own. */
function makePackage(): { path: string; name: string } {
  lastBuild += 1;
  const path = join(folder, `harbour-${lastBuild}.apk`);
  writeFileSync(path, buildSampleApk({ build: String(lastBuild) }));
  return { path, name: `2.4.0 (${lastBuild})` };
}

const tray = () => visitor.page.getByRole('region', { name: 'Uploads' });

/** Keeps bytes from arriving until it is called. */
async function holdBytes(page: Page): Promise<() => void> {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/storage/v1/**', async (route) => {
    await held;
    // The tab may be gone by then.
    await route.continue().catch(() => undefined);
  });
  return release;
}

/** What is sent with PUT, and what is begun, from now on. */
function watchRequests(page: Page): { puts: string[]; begun: string[] } {
  const seen = { puts: [] as string[], begun: [] as string[] };
  page.on('request', (request) => {
    if (request.method() === 'PUT') seen.puts.push(request.url());
    if (request.url().includes('/builds/initiate')) seen.begun.push(request.url());
  });
  return seen;
}

describe('a file over the size limit', () => {
  it('is rejected with the limit before anything is sent', async () => {
    const { page, actions } = visitor;
    const { path } = makePackage();
    await page.route('**/api/v1/service', async (route) => {
      const answer = await route.fetch();
      const service = (await answer.json()) as { limits: object };
      await route.fulfill({ response: answer, json: { ...service, limits: { build_size_bytes: 1024 } } });
    });
    const sent: string[] = [];
    page.on('request', (request) => request.method() !== 'GET' && sent.push(request.url()));
    await actions.drop(path);
    await tray().getByText("This file exceeds the server's size limit of 1 kB.").waitFor();
    expect(sent).toEqual([]);
  });
});

describe('an upload', () => {
  it('gets a new link if the first one has expired, once the server has released the number', async () => {
    const { page, actions, show, expectRefusals } = visitor;
    // The session is over an hour old by then, and renews itself.
    expectRefusals(401, 403, 404, 409);
    const { path, name } = makePackage();
    const release = await holdBytes(page);
    const { puts } = watchRequests(page);
    await actions.drop(path);
    await tray().getByText(name).waitFor();
    await expect.poll(() => puts.length).toBe(1);
    scenario.fixture.clock.advance(scenario.fixture.config.limits.pending_upload_lifetime_minutes * MINUTE + 1000);
    release();
    await tray()
      .getByText(/The storage rejected the upload/)
      .waitFor();
    await show('upload-link-ended');
    await actions.click(tray().getByRole('button', { name: 'Try again' }));
    await tray().getByText('This build number is reserved for another upload').waitFor();
    await scenario.fixture.sweep('pending-uploads');
    await actions.click(tray().getByRole('button', { name: 'Try again' }));
    await tray().getByText('Uploaded').waitFor();
    // By another link than the first one.
    expect(new Set(puts).size).toBe(2);
  });

  it('shows that it failed, with a way to try again', async () => {
    const { page, actions, show, expectRefusals } = visitor;
    expectRefusals(500);
    const { path, name } = makePackage();
    const fail = { status: 500, json: { error: 'internal_error', message: 'Internal error', details: {} } };
    await page.route('**/builds/initiate?**', (route) => route.fulfill(fail), { times: 1 });
    await actions.drop(path);
    const alert = tray().getByRole('alert');
    await alert.getByText('Something went wrong on the server').waitFor();
    await show('upload-failed');
    await actions.click(alert.getByRole('button', { name: 'Try again' }));
    await tray().getByText('Uploaded').waitFor();
    await tray().getByText(name).waitFor();
  });

  it('can be canceled while it runs, and started again immediately', async () => {
    const { page, actions, show } = visitor;
    const { path, name } = makePackage();
    const release = await holdBytes(page);
    const { begun } = watchRequests(page);
    await actions.drop(path);
    await tray().getByText(name).waitFor();
    await show('upload-sending', { isLoading: true });
    await actions.click(tray().getByRole('button', { name: 'Cancel upload' }));
    await tray().waitFor({ state: 'detached' });
    release();
    await actions.drop(path);
    await tray().getByText('Uploaded').waitFor();
    // By the link of the first time, since the number is still kept for it.
    expect(begun.length).toBe(1);
  });

  it('runs next to others, each with its own progress', async () => {
    const { page, actions, show } = visitor;
    const made = [makePackage(), makePackage(), makePackage()];
    const wrong = join(folder, 'notes.txt');
    writeFileSync(wrong, 'just text');
    await actions.drop(...made.map(({ path }) => path), wrong);
    for (const { name } of made) {
      const card = page.getByRole('article').filter({ hasText: name });
      await card.getByText('Uploaded').waitFor();
    }
    await page.getByRole('article', { name: 'notes.txt' }).getByText('Not uploaded').waitFor();
    await show('upload-several');
  });

  it('says by how much the build is larger than the size budget, and nothing without one', async () => {
    const { actions } = visitor;
    const { fixture } = scenario;
    const { client } = await signInByApi(fixture);
    // Packages of other versions can have some bytes more or less.
    const [first, second] = [makePackage(), makePackage()];
    const sizeOf = ({ path }: { path: string }) => statSync(path).size;
    const setBudget = (size_budget_bytes: number | null) =>
      client.patch(`/api/v1/projects/${fixture.android_project_id}`, { size_budget_bytes });
    const card = (name: string) => tray().getByRole('article').filter({ hasText: name });
    // As large as the budget is not over it.
    await setBudget(sizeOf(first));
    await actions.drop(first.path);
    await card(first.name).getByText('Uploaded').waitFor();
    expect(
      await card(first.name)
        .getByText(/over the size budget/)
        .count(),
    ).toBe(0);
    const budget = sizeOf(second) - 1_000;
    await setBudget(budget);
    await actions.drop(second.path);
    await card(second.name).getByText('Uploaded').waitFor();
    const over = formatBytes(1_000, 'en');
    await card(second.name)
      .getByText(`${over} over the size budget of ${formatBytes(budget, 'en')}`, { exact: true })
      .waitFor();
    await setBudget(null);
  });

  it('of an existing build shows that, whether it was just uploaded or earlier', async () => {
    const { actions, expectRefusals, page } = visitor;
    expectRefusals(409);
    const { path } = makePackage();
    await actions.drop(path);
    await tray().getByText('Uploaded').waitFor();
    const { puts } = watchRequests(page);
    await actions.drop(path);
    await tray()
      .getByText(/already exist/)
      .waitFor();
    expect(puts).toEqual([]);
    await tray().getByLabel('Build number').fill('9001');
    await actions.click('Start upload');
    await expect.poll(() => tray().getByText('Uploaded').count()).toBe(2);
  });

  it('continues while the user navigates, and is released to the chosen channel', async () => {
    const { page, actions } = visitor;
    const { path, name } = makePackage();
    const release = await holdBytes(page);
    await actions.drop(path);
    await actions.choose(tray().getByLabel('Channel'), 'fixture');
    await actions.click(tray().getByRole('button', { name: 'Release' }));
    await tray().getByText('Will be released to fixture when the upload is complete.').waitFor();
    for (const place of ['Members', 'Devices', 'Webhooks']) {
      await actions.click(place, 'link');
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await tray().getByText(name).waitFor();
    }
    release();
    await tray().getByText('Released to fixture.').waitFor();
    await tray().getByRole('link', { name: 'Open channel' }).click();
    await page.getByRole('region', { name: 'Current release' }).getByText(name).waitFor();
  });

  it('asks before the tab is closed, only while it runs', async () => {
    const { page, actions } = visitor;
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.dismiss();
    });
    const release = await holdBytes(page);
    await actions.drop(makePackage().path);
    await tray().getByLabel('Channel').click();
    await page.keyboard.press('Escape');
    await page.close({ runBeforeUnload: true });
    await expect.poll(() => asked).toEqual(['beforeunload']);
    expect(page.isClosed()).toBe(false);
    release();
    await tray().getByText('Uploaded').waitFor();
    await page.close({ runBeforeUnload: true });
    await expect.poll(() => page.isClosed()).toBe(true);
    expect(asked.length).toBe(1);
  });
});

describe('a file that is dropped outside of a project', () => {
  it('is uploaded to the project with its identifier, and rejected with an explanation if it is not a package', async () => {
    const { page, actions, show } = visitor;
    const { android_project_id: earlier, organization_id } = scenario.fixture;
    // The clock was moved, so the first token has expired.
    const { client } = await signInByApi(scenario.fixture);
    await client.patch(`/api/v1/projects/${earlier}`, { bundle_identifier: 'com.example.other' });
    const made = await client.post('/api/v1/projects', { name: 'Quay', platform: 'android' }, { organization_id });
    expect(made.status, made.text).toBe(201);
    await page.goto(scenario.origin);
    await page.getByRole('heading', { level: 1, name: /^Home$|today|attention/ }).waitFor();
    // No project has the identifier, so a dialog asks; the first build sets it.
    const first = makePackage();
    await actions.drop(first.path);
    const dialog = page.getByRole('dialog', { name: basename(first.path) });
    await show('projects-drop-ask');
    await dialog.getByRole('button', { name: 'Quay' }).click();
    await tray().getByText(first.name).waitFor();
    await tray().getByText('Uploaded').waitFor();
    await page.reload();
    await page.getByRole('row', { name: /Quay.*Installs/ }).waitFor();
    const { path, name } = makePackage();
    await actions.drop(path);
    await tray().getByText(name).waitFor();
    await tray().getByText('Uploaded').waitFor();
    const wrong = join(folder, 'cut.ipa');
    writeFileSync(wrong, Buffer.from('PK\u0003\u0004 and no more'));
    await actions.drop(wrong);
    await page.getByRole('dialog').getByText('The package is damaged or incomplete.').waitFor();
    await show('projects-drop-damaged');
  });

  it('never replaces the app in the browser', async () => {
    const { page } = visitor;
    await page.goto(new URL('/members', scenario.origin).href);
    await page.getByRole('heading', { name: 'Members' }).first().waitFor();
    const isKept = await page.evaluate(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['x'], 'app.ipa'));
      return ['dragover', 'drop'].map((kind) =>
        !document.body.dispatchEvent(new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true })));
    })()`);
    expect(isKept).toEqual([true, true]);
  });
});
