// The screenshots of the documentation are taken here, with a fictional team, and the documentation shows all of them.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { complete, initiate, sendBytes } from '../../builds/scenario.ts';
import { sha256 } from '../../support/fixtures.ts';
import type { Answer, Client, Json } from '../../support/harness.ts';
import { waitUntilDrawn } from '../browser.ts';
import { projectDir } from '../program.ts';
import { buildSampleApk, sampleApp } from '../sample-app.ts';
import { openMovingPicture } from './moving-picture.ts';
import { openScenario, openSignedIn, type Scenario } from './scenario.ts';
import {
  imageFolder,
  keepImage,
  MAX_BYTES,
  MAX_MOVING_BYTES,
  movingPicture,
  placeOnGround,
  placeSideBySide,
  type TourImage,
  tourImages,
} from './tour.ts';
import { androidAgent, openVisitor, phone, type Visitor } from './visitor.ts';

const size = { width: 1200, height: 760 };

let scenario: Scenario;
let ada: Visitor;
let folder: string;
let project: string;
let channel: string;
let nightly: string;
let organization: string;

beforeAll(async () => {
  scenario = await openScenario();
  folder = mkdtempSync(join(tmpdir(), 'taxiway-tour-'));
  const { client } = scenario;
  await made(client.patch(`/api/v1/developers/${scenario.fixture.admin.developer_id}`, { display_name: 'Ada Tide' }));
  organization = (await client.post('/api/v1/organizations', { name: 'Harbour Works' })).text;
  const here = { organization_id: organization };
  project = await made(client.post('/api/v1/projects', { name: 'Harbour', platform: 'android' }, here));
  for (const [name, platform] of [
    ['Ferry Times', 'ios'],
    ['Lighthouse', 'android'],
  ]) {
    await made(client.post('/api/v1/projects', { name, platform }, here));
  }
  const place = { ...here, project_id: project };
  const channels: Record<string, string> = {};
  for (const name of ['store', 'nightly', 'beta']) {
    channels[name] = await made(client.post('/api/v1/channels', { name, public: name !== 'store' }, place));
  }
  channel = channels.beta ?? '';
  nightly = channels.nightly ?? '';
  const first = await upload(client, place, '2.3.2', '311');
  const second = await upload(client, place, sampleApp.version, sampleApp.build);
  for (const [build, name, notes] of [
    [first, 'store', 'Berths show their depth.'],
    [first, 'beta', 'Berths show their depth.'],
    [second, 'beta', sampleApp.notes],
    [second, 'nightly', sampleApp.notes],
  ] as const) {
    const body = { build_id: build, release_notes: notes };
    await made(client.post('/api/v1/releases', body, { ...place, channel_id: channels[name] }));
  }
  for (const [name, udid] of [
    ['Bo’s iPad', '00008101-000A1D2C3E4F5061'],
    ['Cy’s iPhone', '00008110-001C2D3E4F506172'],
    ['Front desk', '00008030-000B1C2D3E4F5061'],
  ]) {
    await made(client.post('/api/v1/devices', { name, udid }, here));
  }
  ada = await openVisitor(scenario.browser, scenario.origin, { viewport: size });
  await openSignedIn(scenario, ada, '/');
  await ada.page.getByRole('button', { name: /Switch organization/ }).click();
  await ada.page.getByRole('menuitem', { name: /Harbour Works/ }).click();
  await ada.page
    .getByRole('link', { name: /Harbour/ })
    .first()
    .waitFor();
});
afterAll(async () => {
  await ada?.context.close();
  await scenario?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function made(answer: Promise<Answer<Json>>): Promise<string> {
  const { status, text, body } = await answer;
  expect(status, text).toBeLessThan(300);
  return String(body?.identifier);
}

async function upload(
  client: Client,
  place: { organization_id: string; project_id: string },
  version: string,
  build: string,
): Promise<string> {
  const bytes = buildSampleApk({ version, build });
  const pending = await initiate(client, place, { version_name: version, build_number: Number(build) });
  expect(await sendBytes(pending, bytes)).toBeLessThan(300);
  return made(complete(client, place, pending.pending_upload_id, sha256(bytes)));
}

async function open(path: string): Promise<void> {
  await ada.page.goto(new URL(path, scenario.origin).href);
  await ada.page.getByRole('heading', { level: 1 }).waitFor();
  await ada.settle();
}

function keep(name: TourImage, picture: Buffer): void {
  expect(keepImage(name, picture), `${name} is small`).toBeLessThan(MAX_BYTES);
}

describe('the tour', () => {
  it('shows a channel with its current release, link and numbers', async () => {
    await open(`/projects/${project}/channels/${channel}`);
    await ada.page.getByRole('img', { name: /^QR code/ }).waitFor();
    keep('dashboard', await ada.page.screenshot());
  });

  it('shows the confirmation of a rollback', async () => {
    await ada.page.getByRole('button', { name: 'Roll back', exact: true }).click();
    await ada.page.getByText(/The channel returns from/).waitFor();
    keep('dashboard-roll-back', await ada.page.screenshot());
    await ada.page.keyboard.press('Escape');
  });

  it('shows an upload that is released on the page it was dropped on', async () => {
    const file = join(folder, 'harbour.apk');
    writeFileSync(file, buildSampleApk({ version: '2.5.0', build: '331' }));
    await open(`/projects/${project}`);
    await ada.actions.drop(file);
    const tray = ada.page.getByRole('region', { name: 'Uploads' });
    await tray.getByText('Uploaded').waitFor();
    await tray.getByLabel('Channel').selectOption('beta');
    keep('dashboard-upload', await ada.page.screenshot());
    await tray.getByRole('button', { name: 'Close' }).click();
  });

  it('shows the devices and the registration of a phone', async () => {
    await open('/devices');
    await ada.page.getByRole('button', { name: 'Register device' }).click();
    await ada.page.getByRole('button', { name: 'Show QR code' }).click();
    await ada.page.getByText('Waiting for a device…').waitFor();
    keep('dashboard-devices', await ada.page.screenshot());
  });

  it('shows the channel on a phone, in light and dark', async () => {
    await ada.page.setViewportSize({ ...phone, height: 720 });
    await open(`/projects/${project}/channels/${channel}`);
    const light = await ada.page.screenshot();
    await ada.page.emulateMedia({ colorScheme: 'dark' });
    await waitUntilDrawn(ada.page);
    keep('dashboard-phone', await placeSideBySide(scenario.browser, [light, await ada.page.screenshot()], phone.width));
  });

  it('shows what testers see', async () => {
    const tester = await openVisitor(scenario.browser, scenario.origin, {
      viewport: { width: 340, height: 500 },
      userAgent: androidAgent,
    });
    await tester.page.goto(new URL(`/install/channels/${nightly}`, scenario.origin).href);
    await tester.page.getByRole('link', { name: 'Download and install' }).waitFor();
    const light = await tester.page.screenshot();
    await tester.page.emulateMedia({ colorScheme: 'dark' });
    keep('install-page', await placeSideBySide(scenario.browser, [light, await tester.page.screenshot()], 340));
    await tester.leave();
  });
});

describe('the moving picture', () => {
  it('shows a package that is dropped, released and installed', async () => {
    const { page } = ada;
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(size);
    // A channel without a release, because each sample package has a key of its own.
    const place = { organization_id: organization, project_id: project };
    const preview = await made(scenario.client.post('/api/v1/channels', { name: 'preview', public: true }, place));
    const file = join(folder, 'harbour-2.6.0.apk');
    writeFileSync(file, buildSampleApk({ version: '2.6.0', build: '342' }));
    await open(`/projects/${project}`);
    const picture = await openMovingPicture(scenario.browser, page);
    await picture.show(1200);
    await page.evaluate(`(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['x'], 'harbour-2.6.0.apk'));
      document.body.dispatchEvent(new DragEvent('dragenter', { dataTransfer, bubbles: true, cancelable: true }));
    })()`);
    await picture.pointAt(page.locator('body'));
    await picture.show(900);
    await ada.actions.drop(file);
    const tray = page.getByRole('region', { name: 'Uploads' });
    await tray.waitFor();
    await picture.show(500);
    await tray.getByText('Uploaded').waitFor();
    await ada.settle();
    await picture.show(1200);
    const choice = tray.getByLabel('Channel');
    await picture.pointAt(choice);
    await choice.selectOption('preview');
    await picture.show(800);
    const release = tray.getByRole('button', { name: 'Release', exact: true });
    await picture.pointAt(release);
    await picture.show(300);
    await release.click();
    await tray.getByText('Released to preview.').waitFor();
    await ada.settle();
    await picture.show(1800);
    const tester = await openVisitor(scenario.browser, scenario.origin, {
      viewport: { width: 360, height: 680 },
      userAgent: androidAgent,
    });
    await tester.page.goto(new URL(`/install/channels/${preview}`, scenario.origin).href);
    await tester.page.getByText('2.6.0').first().waitFor();
    await waitUntilDrawn(tester.page);
    const phoneOnGround = await placeOnGround(scenario.browser, await tester.page.screenshot(), size);
    await tester.leave();
    await picture.add(phoneOnGround, 3500);
    const bytes = keepImage(movingPicture, await picture.finish());
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(MAX_MOVING_BYTES);
    await tray.getByRole('button', { name: 'Close' }).click();
  });
});

describe('the documentation', () => {
  const files = ['README.md', ...readdirSync(join(projectDir, 'docs')).map((name) => `docs/${name}`)];
  const pages = files
    .filter((name) => name.endsWith('.md'))
    .map((name) => readFileSync(join(projectDir, name), 'utf8'));
  const linked = pages.flatMap((text) =>
    [...text.matchAll(/!\[([^\]]*)\]\(images\/([\w-]+)\.png\)|src="docs\/images\/([\w-]+)\.png" alt="([^"]*)"/g)].map(
      ([, alt, name, nameOfTag, altOfTag]) => ({ name: name ?? nameOfTag ?? '', alt: alt ?? altOfTag ?? '' }),
    ),
  );

  it('shows the screenshots that are taken here, and no others', () => {
    expect([...new Set(linked.map(({ name }) => name))].toSorted()).toEqual([...tourImages].toSorted());
  });

  it('has the moving picture in the README, with words for who cannot see it', () => {
    expect(statSync(join(imageFolder, movingPicture)).size).toBeLessThan(MAX_MOVING_BYTES);
    const readme = readFileSync(join(projectDir, 'README.md'), 'utf8');
    const alt = new RegExp(`src="docs/images/${movingPicture}" alt="([^"]*)"`).exec(readme)?.[1] ?? '';
    expect(alt.length).toBeGreaterThan(20);
  });

  it.each(tourImages)('has %s, small, with a text alternative', (name) => {
    const file = join(imageFolder, `${name}.png`);
    expect(existsSync(file)).toBe(true);
    expect(statSync(file).size).toBeLessThan(MAX_BYTES);
    const texts = linked.filter((image) => image.name === name).map(({ alt }) => alt.length);
    expect(Math.min(...texts)).toBeGreaterThan(20);
  });
});
