import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Account, createAccount } from '../../support/harness.ts';
import { openScenario, openSignedIn, releasePrivately, type Scenario, signIn } from './scenario.ts';
import { androidAgent, openVisitor, type Visitor } from './visitor.ts';

let scenario: Scenario;
let visitor: Visitor;
let tester: Account;
let link: string;
let channelPage: string;

beforeAll(async () => {
  scenario = await openScenario();
  const { fixture, client } = scenario;
  const { inChannel } = await releasePrivately(scenario);
  channelPage = `/projects/${inChannel.project_id}/channels/${inChannel.channel_id}`;
  link = `/install/channels/${inChannel.channel_id}`;
  tester = await createAccount(fixture, { email: 'robin@example.com' });
  const testers = `/api/v1/projects/${inChannel.project_id}/testers`;
  expect((await client.post(testers, { email: tester.email })).status).toBe(201);
});
afterAll(() => scenario?.close());
beforeEach(async () => {
  visitor = await openVisitor(scenario.browser, scenario.origin, { userAgent: androidAgent });
});
afterEach(() => visitor?.leave());

const heading = (name: string) => visitor.page.getByRole('heading', { name });
const download = () => visitor.page.getByRole('link', { name: 'Download and install' });

describe('the link of a private channel', () => {
  it('takes a tester to the install page over the sign-in: three screens', async () => {
    const { page, actions, show } = visitor;
    visitor.expectRefusals(404);
    const screens: string[] = [];
    page.on('framenavigated', () => screens.push(new URL(page.url()).pathname));
    await actions.open(scenario.origin + link);
    await heading('Sign in to install').waitFor();
    await show('private-link-signed-out');
    await actions.click('Sign in', 'link');
    await signIn(page, tester);
    await download().waitFor();
    expect(screens.filter((path, at) => path !== screens[at - 1])).toEqual([link, '/sign-in', link]);
    await show('private-link-install');
    await page.reload();
    await download().waitFor();
  });

  it('asks a tester whose session is still valid for no password', async () => {
    const { page, context, actions } = visitor;
    visitor.expectRefusals(401, 404);
    await openSignedIn(scenario, visitor, '/my-apps', tester);
    await heading('My apps').waitFor();
    // A request that is on its way would renew the session, and leaving the page would lose the new cookie.
    await visitor.settle();
    // No page is left that could begin another one.
    await page.goto('about:blank');
    await context.clearCookies({ name: 'svc_access' });
    await page.goto(scenario.origin + link);
    await actions.click('Sign in', 'link');
    await download().waitFor();
  });

  it('lets other people ask the team, who answer on the page of the channel', async () => {
    const stranger = await createAccount(scenario.fixture, { email: 'kim@example.com' });
    visitor.expectRefusals(404);
    await openSignedIn(scenario, visitor, link, stranger);
    await heading('You don’t have access to this app').waitFor();
    await visitor.show('private-link-no-access');
    await visitor.actions.click('Ask for access');
    await heading('Request sent').waitFor();
    await visitor.leave();

    visitor = await openVisitor(scenario.browser, scenario.origin);
    await openSignedIn(scenario, visitor, channelPage);
    const request = visitor.page.getByRole('listitem', { name: /^Request of / });
    await request.getByText(/^kim@example\.com/).waitFor();
    await visitor.show('channel-access-requests');
    // The channel is read again after the list, so that the row is gone before the change counts as done.
    const read = Promise.withResolvers<void>();
    const isChannel = ({ pathname }: URL) => pathname === `/api/v1/channels/${channelPage.split('/').at(-1)}`;
    await visitor.page.route(isChannel, async (route) => {
      await read.promise;
      await route.continue();
    });
    await request.getByRole('button', { name: 'Give access' }).click();
    await request.waitFor({ state: 'detached' });
    read.resolve();
    await visitor.page.getByText(/can now install from this channel\.$/).waitFor();
    await visitor.leave();

    visitor = await openVisitor(scenario.browser, scenario.origin, { userAgent: androidAgent });
    await openSignedIn(scenario, visitor, link, stranger);
    await download().waitFor();
  });
});
