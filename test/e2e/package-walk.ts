// The way of a package whose bytes aren't stored by the server: uploaded in the web app, installed from a page, and offered to an
// installed app as an update.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startSdkScenario } from '../sdk/scenario.ts';
import type { Json } from '../support/harness.ts';
import { dropFile } from './dashboard/files.ts';
import { openSignedIn, type Scenario } from './dashboard/scenario.ts';
import { buildSampleApk } from './sample-app.ts';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Walks it. `storage` is the origin that has the bytes, which allows uploads by browsers only after `allowUploads`. */
export async function walkPackage(
  scenario: Scenario,
  { folder, storage, allowUploads }: { folder: string; storage: string; allowUploads(): Promise<void> },
): Promise<void> {
  const { fixture, browser, client, origin } = scenario;
  const path = join(folder, 'harbour.apk');
  writeFileSync(path, buildSampleApk({ build: '77' }));
  const context = await browser.newContext();
  const page = await context.newPage();
  const puts: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PUT') puts.push(new URL(request.url()).origin);
  });
  await openSignedIn(scenario, { page, context }, `/projects/${fixture.android_project_id}`);
  await page.getByRole('heading', { name: 'Channels' }).waitFor();
  const tray = page.getByRole('region', { name: 'Uploads' });

  await dropFile(page, path);
  await tray.getByRole('button', { name: 'Try again' }).waitFor();
  await allowUploads();
  await tray.getByRole('button', { name: 'Try again' }).click();
  await tray.getByText('Uploaded').waitFor();
  expect(new Set(puts)).toEqual(new Set([storage]));

  const query = { organization_id: fixture.organization_id, project_id: fixture.android_project_id };
  const build = (await client.get<{ items: Json[] }>('/api/v1/builds', query)).body.items[0];
  const channel = await client.post('/api/v1/channels', { name: 'walk', public: true }, query);
  const channelId = String(channel.body.identifier);
  const release = async (channel_id: string) => {
    const answer = await client.post('/api/v1/releases', { build_id: build?.identifier }, { ...query, channel_id });
    expect(answer.status, answer.text).toBe(201);
    return String(answer.body.identifier);
  };
  const releaseId = await release(channelId);

  const phone = await browser.newContext({ acceptDownloads: true });
  const visit = await phone.newPage();
  const asked: string[] = [];
  visit.on('request', (request) => asked.push(new URL(request.url()).origin));
  await visit.goto(`${origin}/install/channels/${channelId}`);
  expect(new Set(asked)).toEqual(new Set([origin]));
  const address = `${origin}/public/v1/channels/${channelId}/releases/${releaseId}/download`;
  const [download] = await Promise.all([visit.waitForEvent('download'), visit.goto(address).catch(() => undefined)]);
  expect(download.suggestedFilename()).toMatch(/\.apk$/);
  expect(sha256(readFileSync(await download.path()))).toBe(build?.sha256);

  const sdk = await startSdkScenario(fixture);
  const updateId = await release(sdk.channelId);
  const { update_token: token } = await sdk.enroll();
  const latest = await sdk.latest(token);
  expect(latest.body, latest.text).toMatchObject({ update_available: true, release: { identifier: updateId } });
  const held = { key: sdk.app.app_key, token };
  const answer = await sdk.ask<{ download_url: string }>(`/releases/${updateId}/download`, held);
  expect(answer.status, answer.text).toBe(200);
  const bytes = await fetch(answer.body.download_url);
  expect(new URL(bytes.url).origin).toBe(storage);
  expect(sha256(Buffer.from(await bytes.arrayBuffer()))).toBe(build?.sha256);
  await context.close();
  await phone.close();
}
