// Feeds of a channel, the rules of its retention, and pinned builds.
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { builds } from '../../../src/data/tables/tables.ts';
import { DAY } from '../../../src/lib/clock.ts';
import { openScenario, openSignedIn, releasePrivately, type Scenario } from './scenario.ts';
import { openVisitor, type Visitor } from './visitor.ts';

let scenario: Scenario;
let visitor: Visitor;
let projectPage: string;
let channelPage: string;
let buildPage: string;
beforeAll(async () => {
  scenario = await openScenario();
  const { inChannel, buildIds } = await releasePrivately(scenario, 2);
  projectPage = `/projects/${inChannel.project_id}`;
  channelPage = `${projectPage}/channels/${inChannel.channel_id}`;
  buildPage = `${projectPage}/builds/${buildIds[0]}`;
});
afterAll(() => scenario?.close());
beforeEach(async () => {
  visitor = await openVisitor(scenario.browser, scenario.origin);
});
afterEach(() => visitor?.leave());

const dialog = (name?: RegExp) => visitor.page.getByRole('dialog', name === undefined ? {} : { name });

it('a tester of a private channel creates addresses for F-Droid, and revokes them', async () => {
  await openSignedIn(scenario, visitor, channelPage);
  await visitor.actions.click('Show addresses');
  await dialog().getByText('This channel is private.').waitFor();
  await dialog().getByLabel('What it is for (optional)').fill('Pixel 9');
  await visitor.show('feeds-private');
  await visitor.actions.click(/^Create addresses/);
  await dialog().getByText('These addresses are only shown now.').waitFor();
  await dialog().getByRole('img', { name: 'QR code that adds the repository to F-Droid' }).waitFor();
  await dialog().getByText("Phones can't open this address.").waitFor();
  const address =
    (await dialog()
      .getByText(/fdroid\/repo$/)
      .textContent()) ?? '';
  expect(address).toMatch(/\/feeds\/svc_feed_[\w-]{43}\/fdroid\/repo$/);
  const link = await dialog().getByRole('link', { name: 'Add to F-Droid' }).getAttribute('href');
  expect(link).toMatch(/^fdroidrepos?:\/\/.+\?fingerprint=[0-9a-f]{64}$/);
  // Where it was, a tooltip would appear.
  await visitor.page.mouse.move(0, 0);
  await visitor.show('feeds-created');
  expect((await fetch(`${address}/entry.jar`)).status).toBe(200);
  await visitor.actions.click('Done');
  await dialog().getByRole('button', { name: 'Revoke Pixel 9' }).click();
  await dialog(/^Revoke Pixel 9/)
    .getByRole('button', { name: /^Revoke/ })
    .click();
  await dialog().getByText('Pixel 9', { exact: true }).waitFor({ state: 'detached' });
  expect((await fetch(`${address}/entry.jar`)).status).toBe(404);
});

it('a maintainer limits what a channel keeps, and pins a build', async () => {
  await openSignedIn(scenario, visitor, channelPage);
  await visitor.page.getByRole('main').getByRole('button', { name: 'More' }).first().click();
  await visitor.page.getByRole('menuitem', { name: 'Edit' }).click();
  await dialog().getByLabel('Releases to keep').fill('1');
  await dialog().getByLabel('Days to keep releases').fill('30');
  await visitor.show('channel-rules');
  await dialog().getByRole('button', { name: /^Save/ }).click();
  await dialog().waitFor({ state: 'detached' });

  await visitor.actions.open(scenario.origin + buildPage);
  await visitor.page.getByRole('button', { name: 'More' }).last().click();
  await visitor.page.getByRole('menuitem', { name: 'Pin' }).click();
  await dialog(/^Pin /).getByRole('button', { name: /^Pin/ }).click();
  await visitor.page.getByText('Pinned', { exact: true }).waitFor();
  await visitor.actions.open(`${scenario.origin}${projectPage}/builds`);
  await visitor.page.getByText('Pinned', { exact: true }).waitFor();

  const now = scenario.fixture.app.clock.now().getTime();
  scenario.fixture.app.db
    .update(builds)
    .set({ uploadedAt: now - 400 * DAY, retentionNoticeAt: now })
    .where(eq(builds.versionName, '1.0.1'))
    .run();
  await visitor.page.reload();
  await visitor.page.getByText('1 build will be deleted within a week').waitFor();
  // A list that was narrowed down answers a question, so it begins with its rows.
  await visitor.page.getByLabel('Search builds').fill('1.0.1');
  await visitor.page.getByText('1 build will be deleted within a week').waitFor({ state: 'detached' });
  await visitor.page.getByText('1 build', { exact: true }).waitFor();
  await visitor.page.getByLabel('Search builds').fill('');
  await visitor.actions.click('Show');
  await visitor.show('builds-leaving');
  await visitor.actions.click('Pin 1.0.1 (2)');
  await visitor.page.getByText('1 build will be deleted within a week').waitFor({ state: 'detached' });
  await expect.poll(() => visitor.page.getByText('Pinned', { exact: true }).count()).toBe(2);
});
