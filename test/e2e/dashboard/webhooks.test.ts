// The webhooks page: creating with a secret that is shown once, testing, deliveries, resending, editing and deleting.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../../webhooks/receiver.ts';
import { openScenario, openSignedIn, type Scenario } from './scenario.ts';
import { openVisitor, type Visitor } from './visitor.ts';

let scenario: Scenario;
let receiver: Receiver;
let visitor: Visitor;
let host: string;

beforeAll(async () => {
  [scenario, receiver] = await Promise.all([openScenario(), startReceiver()]);
  host = new URL(receiver.url).host;
});
afterAll(async () => {
  await scenario?.close();
  await receiver?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  visitor = await openVisitor(scenario.browser, scenario.origin);
});
afterEach(() => visitor?.leave());

async function open(path: string): Promise<void> {
  await openSignedIn(scenario, visitor, path);
}

async function openWebhook(): Promise<void> {
  await open('/webhooks');
  await visitor.actions.click(host, 'link');
  await visitor.page.getByRole('heading', { name: host }).waitFor();
}

const delivery = (text: string) => visitor.page.getByRole('table', { name: 'Deliveries' }).getByText(text).first();

describe('a webhook', () => {
  it('is created with errors at their fields, and closing its secret requires a confirmation', async () => {
    const { page, actions, show, expectRefusals } = visitor;
    await open('/webhooks');
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
    await expect
      .poll(() => page.locator('pre').textContent())
      .toContain(`${scenario.origin}/api/v1/webhooks?organization_id=${scenario.fixture.organization_id}`);
    await show('webhooks-empty');
    await actions.click('New webhook');
    await page.getByLabel('URL').fill('nowhere');
    await page.getByLabel('Project').selectOption(scenario.fixture.android_project_id);
    await page.getByLabel('Build uploaded').uncheck();
    await page.getByLabel('New release', { exact: true }).uncheck();
    await page.getByText('Choose at least one event.').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Create', exact: true }).isDisabled()).toBe(true);
    await page.getByLabel('New release', { exact: true }).check();
    expectRefusals(400);
    await actions.click('Create');
    await page.locator('[name="url"][aria-invalid="true"]').waitFor();
    await show('webhook-new');
    await page.getByLabel('URL').fill(`${receiver.url}/hook`);
    await page.getByLabel('Description').fill('The build server');
    await actions.click('Create');
    const dialog = page.getByRole('dialog', { name: 'Signing secret' });
    await dialog.waitFor();
    await show('webhook-secret');
    await expect.poll(() => dialog.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    expect(await dialog.isVisible()).toBe(true);
    await dialog.getByLabel("I've saved it in a safe place").check();
    await actions.click('Done');
    await page.getByRole('heading', { name: host }).waitFor();
    await page.getByText('No deliveries yet.').waitFor();
    await page.getByRole('main').getByText('Fixture Android').waitFor();
  });

  it('is tested, and the result appears automatically', async () => {
    const { page, actions, show } = visitor;
    await openWebhook();
    await actions.click('Send test');
    await delivery('Delivered').waitFor();
    expect(receiver.at('/hook').map(({ headers }) => headers['x-svc-event'])).toEqual(['webhook.test']);
    receiver.answer('/hook', 503);
    await actions.click('Resend Test');
    await delivery('responded with 503').waitFor();
    await delivery('Retrying').waitFor();
    await show('webhook');
    await page.getByText('Failed', { exact: true }).click();
    await page.getByText('No deliveries with this status.').waitFor();
    receiver.answer('/hook', 200);
  });

  it('gets a new secret, is paused, and deleted', async () => {
    const { page, actions, show } = visitor;
    await openWebhook();
    await actions.click('More');
    await actions.click('Rotate secret', 'menuitem');
    await page.getByText('Let the receiver accept both').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByLabel("I've saved it in a safe place").check();
    await actions.click('Done');
    await page.getByText('Secret rotated').waitFor();
    await actions.click('Edit');
    await page.getByRole('dialog').getByLabel('Active').uncheck();
    await actions.click('Save');
    await page.getByText('A paused webhook sends nothing').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Send test', exact: true }).isDisabled()).toBe(true);
    await page.goto(new URL('/webhooks', scenario.origin).href);
    await page.getByRole('listitem').filter({ hasText: host }).getByText('Paused').waitFor();
    await show('webhooks');
    await actions.click(host, 'link');
    await actions.click('More');
    await actions.click('Delete webhook', 'menuitem');
    await page.getByRole('heading', { name: `Delete the webhook to ${host}?` }).waitFor();
    await show('webhook-delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
  });

  it('that was deleted shows that', async () => {
    const { page, expectRefusals } = visitor;
    expectRefusals(404);
    await open('/webhooks/01900000-0000-7000-8000-000000000000');
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
  });
});
