import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openScenario, openSignedIn, releasePrivately, type Scenario } from './scenario.ts';
import { androidAgent, openVisitor, type Visitor } from './visitor.ts';

let scenario: Scenario;
let visitor: Visitor;
let channelPage: string;
let buildPage: string;
let buildId: string;

beforeAll(async () => {
  scenario = await openScenario();
  const { inChannel, buildIds } = await releasePrivately(scenario, 2);
  channelPage = `/projects/${inChannel.project_id}/channels/${inChannel.channel_id}`;
  buildId = buildIds[1] ?? '';
  buildPage = `/projects/${inChannel.project_id}/builds/${buildId}`;
});
afterAll(() => scenario?.close());
beforeEach(async () => {
  visitor = await openVisitor(scenario.browser, scenario.origin);
});
afterEach(() => visitor?.leave());

const heading = (name: string) => visitor.page.getByRole('heading', { name });
const download = () => visitor.page.getByRole('link', { name: 'Download and install' });
const dialog = () => visitor.page.getByRole('dialog');

/** The link of the dialog that shows it once. */
async function readLink(): Promise<string> {
  const text = dialog().getByText(/\/s\/[\w-]{43}$/);
  await text.waitFor();
  return (await text.textContent()) ?? '';
}

describe('sharing a channel', () => {
  it('takes a person without an account to the install page: two actions for the team, one screen for the phone', async () => {
    await openSignedIn(scenario, visitor, channelPage);
    await heading('Install link').waitFor();
    await visitor.show('channel-with-share');
    visitor.actions.count();
    await visitor.actions.click('Share');
    await heading('For people without an account').waitFor();
    await visitor.show('share-channel');
    await visitor.actions.click(/^Create link/);
    const link = await readLink();
    await dialog().getByText("Phones can't open this address.").waitFor();
    expect(visitor.actions.count()).toBe(2);
    await visitor.show('share-created');
    await visitor.leave();

    visitor = await openVisitor(scenario.browser, scenario.origin, { userAgent: androidAgent });
    await visitor.actions.open(link);
    await download().waitFor();
    await visitor.show('share-install');
    const button = (await download().getAttribute('href')) ?? '';
    expect((await fetch(button, { redirect: 'manual' })).status).toBe(302);
    await visitor.leave();

    visitor = await openVisitor(scenario.browser, scenario.origin);
    await openSignedIn(scenario, visitor, channelPage);
    await visitor.actions.click('Share');
    const row = dialog().getByRole('listitem').filter({ hasText: 'Share link' });
    await row.getByText('1 install').waitFor();
    await row.getByRole('button', { name: 'Revoke Share link' }).click();
    await visitor.show('share-revoke');
    await visitor.page
      .getByRole('dialog', { name: /^Revoke the link/ })
      .getByRole('button', { name: /^Revoke/ })
      .click();
    await row.getByText('Revoked', { exact: true }).waitFor();
    await visitor.leave();

    visitor = await openVisitor(scenario.browser, scenario.origin, { userAgent: androidAgent });
    visitor.expectRefusals(404);
    await visitor.actions.open(link);
    await heading('This link doesn’t work').waitFor();
    await visitor.show('share-dead');
  });

  it('asks for the password that was chosen, and shows the app after it', async () => {
    await openSignedIn(scenario, visitor, channelPage);
    await visitor.actions.click('Share');
    await visitor.actions.choose(dialog().getByLabel('Expires'), 'In 1 hour');
    await visitor.actions.fill(dialog().getByLabel('Maximum installs'), '1');
    await visitor.actions.fill(dialog().getByLabel(/^Password/), 'short');
    await visitor.actions.fill(dialog().getByLabel(/^Note/), 'Review');
    visitor.expectRefusals(400);
    await visitor.actions.click(/^Create link/);
    await dialog().locator('[id$="-error"]').getByText('At least 8 characters').waitFor();
    await expect.poll(() => dialog().getByText('At least 8 characters').count()).toBe(1);
    await visitor.actions.fill(dialog().getByLabel(/^Password/), 'orange submarine');
    await visitor.actions.click(/^Create link/);
    const link = await readLink();
    await visitor.actions.click('Done');
    const row = dialog().getByRole('listitem').filter({ hasText: 'Review' });
    await row.getByText(/^0 of 1 install/).waitFor();
    await visitor.leave();

    visitor = await openVisitor(scenario.browser, scenario.origin, { userAgent: androidAgent });
    visitor.expectRefusals(403);
    const { page, actions } = visitor;
    await actions.open(link);
    await heading('Enter the password').waitFor();
    await visitor.show('share-password');
    await actions.fill(page.getByLabel('Password'), 'orange');
    await actions.click('Continue');
    await page.getByText('Incorrect password').waitFor();
    await visitor.show('share-password-incorrect');
    await actions.fill(page.getByLabel('Password'), 'orange submarine');
    await actions.click('Continue');
    await download().waitFor();
    await page.reload();
    await download().waitFor();
  });
});

describe('sharing a build', () => {
  it('shows the link for the team, which members open', async () => {
    await openSignedIn(scenario, visitor, buildPage);
    await visitor.actions.click('Share');
    await heading('For your team').waitFor();
    const path = `/install/builds/${buildId}`;
    await dialog()
      .getByText(scenario.origin.replace(/^https?:\/\//, '') + path)
      .waitFor();
    await visitor.show('share-build');
    await visitor.leave();

    visitor = await openVisitor(scenario.browser, scenario.origin, { userAgent: androidAgent });
    visitor.expectRefusals(404);
    await visitor.actions.open(scenario.origin + path);
    await heading('Sign in to install').waitFor();
    await openSignedIn(scenario, visitor, path);
    await download().waitFor();
  });
});
