// A server with a world in it and the dashboard before it, for tests that begin in the middle.
import { eq } from 'drizzle-orm';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { builds } from '../../../src/data/tables/tables.ts';
import { type Fixture, type FixtureOptions, startFixture } from '../../../src/testing/fixture.ts';
import { api, type Client } from '../../support/harness.ts';
import { closeContexts, keepFailure, openBrowser } from '../browser.ts';
import { openVisitor, type Visitor } from './visitor.ts';

export interface Scenario {
  fixture: Fixture;
  browser: Browser;
  /** The administrator's own requests. */
  client: Client;
  /** Where the dashboard is. */
  origin: string;
  close(): Promise<void>;
}

/** Opens it. */
export async function openScenario(options: FixtureOptions = {}): Promise<Scenario> {
  const [fixture, browser] = await Promise.all([startFixture(options), openBrowser()]);
  return {
    fixture,
    browser,
    client: api(fixture),
    origin: new URL(fixture.config.server.base_url).origin,
    async close() {
      await closeContexts(browser);
      await fixture.stop();
    },
  };
}

/**
 * Opens a page as somebody who signed in before: the cookies come from a request beside the page, which takes a fraction of
 * the time that the form takes.
 */
export async function openSignedIn(
  { fixture, origin }: Scenario,
  { page, context }: Pick<Visitor, 'page' | 'context'>,
  path: string,
  { email, password }: { email: string; password: string } = fixture.admin,
): Promise<void> {
  const answer = await context.request.post(new URL('/api/v1/login', origin).href, {
    data: { email, password, cookies: true },
    headers: { origin },
  });
  expect(answer.status(), await answer.text()).toBe(200);
  await page.goto(new URL(path, origin).href);
}

/**
 * Opens a page as the administrator, who may be at another one: from there, as a link in it does, which takes a third of the time of
 * loading the app. Loads a page that is open already, and while a message is shown, which a test could take for its own.
 */
export async function openNext(scenario: Scenario, visitor: Visitor, path: string): Promise<void> {
  const { page } = visitor;
  const { origin, pathname } = new URL(page.url());
  const isNear = origin === scenario.origin && pathname !== path && (await page.locator('.tw-toast').count()) === 0;
  if (!isNear) {
    await openSignedIn(scenario, visitor, path);
    return;
  }
  // Each page gives the window its title when it appears. One that is left for another page appears again only if the other page came.
  await visitor.settle();
  await page.evaluate(`document.title = ''; history.pushState(null, '', ${JSON.stringify(path)})`);
  await expect.poll(() => page.title(), { interval: 10 }).not.toBe('');
}

/** Ends a test. Returns the visitor of the next one: the same, unless the test failed and left its page in any state. */
export async function keepVisitor(
  { browser, origin }: Scenario,
  visitor: Visitor,
  { name, result }: { name: string; result?: { state: string } },
): Promise<Visitor> {
  if (result?.state !== 'fail') {
    await visitor.rest();
    return visitor;
  }
  await keepFailure(visitor.page, name).catch(() => undefined);
  await visitor.leave().catch(() => undefined);
  return openVisitor(browser, origin);
}

/** Signs somebody in by the form, wherever the page is led to it. */
export async function signIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Signs out by the account menu. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole('complementary').getByRole('button', { name: 'Account menu' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
}

/** Builds as rows, because how they come there is told elsewhere. Their numbers follow `before`. Answers their ids, the oldest first. */
export function addBuilds(
  { app, organization_id, android_project_id }: Fixture,
  count: number,
  before = app.db.select().from(builds).all().length,
): string[] {
  const uploadedAt = app.clock.now().getTime();
  const rows = Array.from({ length: count }, (_, offset) => {
    const index = before + offset;
    const id = app.ids.next();
    return {
      id,
      organizationId: organization_id,
      projectId: android_project_id,
      platform: 'android' as const,
      versionName: `1.${Math.floor(index / 100)}.${index % 100}`,
      buildNumber: index + 1,
      sha256: 'a'.repeat(64),
      sizeBytes: 12_400_000 + index,
      releaseNotes: index % 3 === 0 ? `What build ${index + 1} changed` : null,
      uploadedAt,
      objectKey: `builds/${id}/package.apk`,
      inspectionStatus: 'ok' as const,
      pendingUploadId: app.ids.next(),
    };
  });
  app.db.transaction((tx) => {
    for (let at = 0; at < rows.length; at += 500)
      tx.insert(builds)
        .values(rows.slice(at, at + 500))
        .run();
  });
  return rows.map(({ id }) => id);
}

/** Ids as the query of requests about the first channel. */
interface InChannel {
  organization_id: string;
  project_id: string;
  channel_id: string;
}

/** Makes the first channel private and releases the first of some builds on it. Returns where it is and the builds. */
export async function releasePrivately(
  { fixture, client }: Pick<Scenario, 'fixture' | 'client'>,
  count = 1,
): Promise<{ inChannel: InChannel; buildIds: string[] }> {
  const { app, organization_id, android_project_id: project_id, channel_id } = fixture;
  const inChannel = { organization_id, project_id, channel_id };
  expect((await client.patch(`/api/v1/channels/${channel_id}`, { public: false })).status).toBe(200);
  const buildIds = addBuilds(fixture, count);
  for (const id of buildIds) {
    const { size } = await app.storage.put(`builds/${id}/package.apk`, Buffer.from('a package'));
    app.db.update(builds).set({ sizeBytes: size }).where(eq(builds.id, id)).run();
  }
  expect((await client.post('/api/v1/releases', { build_id: buildIds[0] }, inChannel)).status).toBe(201);
  return { inChannel, buildIds };
}
