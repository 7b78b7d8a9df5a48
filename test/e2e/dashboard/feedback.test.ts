// Feedback from the install page, with a picture, and its reply in the web app.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPng } from '../../support/fixtures.ts';
import { type Account, createAccount } from '../../support/harness.ts';
import { openScenario, openSignedIn, releasePrivately, type Scenario } from './scenario.ts';
import { androidAgent, openVisitor } from './visitor.ts';

let scenario: Scenario;
let tester: Account;
let channelId: string;
let projectId: string;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'feedback-'));
  writeFileSync(join(folder, 'screen.png'), buildPng(90, 160));
  scenario = await openScenario();
  const { inChannel } = await releasePrivately(scenario);
  channelId = inChannel.channel_id;
  projectId = inChannel.project_id;
  tester = await createAccount(scenario.fixture, { email: 'robin@example.com' });
  const added = await scenario.client.post(`/api/v1/projects/${projectId}/testers`, { email: tester.email });
  expect(added.status).toBe(201);
});
afterAll(async () => {
  await scenario?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('feedback', () => {
  it('is sent from the install page, answered and marked as done', async () => {
    const phone = await openVisitor(scenario.browser, scenario.origin, { userAgent: androidAgent });
    await openSignedIn(scenario, phone, `/install/channels/${channelId}`, tester);
    await phone.actions.click('Send feedback', 'link');
    await phone.page.getByRole('heading', { name: 'Send feedback' }).waitFor();
    await phone.show('feedback-form');
    await phone.page.getByLabel('What happened?').fill('The map stays empty\nafter I sign in');
    await phone.page.getByLabel('Pictures (optional)').setInputFiles(join(folder, 'screen.png'));
    await phone.actions.click('Send');
    await phone.page.getByRole('heading', { name: 'Thank you' }).waitFor();
    await phone.show('feedback-sent');
    await phone.leave();

    const desk = await openVisitor(scenario.browser, scenario.origin);
    await openSignedIn(scenario, desk, `/projects/${projectId}/feedback`);
    const item = desk.page.getByRole('article', { name: /^Feedback from / });
    await item.getByText('The map stays empty').waitFor();
    const picture = item.getByRole('img', { name: 'Picture 1' });
    await expect
      .poll(() => picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(90);
    await desk.show('feedback-open');
    const focused = () => desk.page.evaluate<string>('document.activeElement.innerText');
    await item.getByRole('button', { name: 'Reply' }).press('Enter');
    await desk.page.keyboard.type('Never mind');
    expect(await item.getByLabel(/^Reply to /).inputValue()).toBe('Never mind');
    await item.getByRole('button', { name: 'Cancel' }).press('Enter');
    await expect.poll(focused).toBe('Reply');
    await desk.page.keyboard.press('Enter');
    await item.getByLabel(/^Reply to /).fill('Fixed in the next build.');
    await item.getByRole('button', { name: 'Send reply' }).click();
    await item.getByText('Fixed in the next build.').waitFor();
    await expect.poll(focused).toBe('Reply');
    await item.getByRole('button', { name: 'Mark as done' }).press('Enter');
    await expect.poll(focused).toBe('Feedback');
    await desk.page.getByRole('heading', { name: 'No open feedback' }).waitFor();
    await desk.show('feedback-none');
    await desk.actions.click('Done', 'link');
    await item.getByText('Fixed in the next build.').waitFor();
    expect(new URL(desk.page.url()).search).toBe('?state=done');
    await desk.show('feedback-done');

    // The access cookie has expired since the page was loaded; the session has not.
    desk.expectRefusals(401);
    await desk.context.clearCookies({ name: 'svc_access' });
    for (const [format, beginning] of [
      ['CSV', 'created_at,state,'],
      ['JSON', '[\n  {\n    "identifier":'],
    ] as const) {
      await desk.actions.click('Export');
      const saved = desk.page.waitForEvent('download');
      await desk.actions.click(format, 'menuitem');
      const file = await saved;
      expect(file.suggestedFilename()).toBe(`feedback.${format.toLowerCase()}`);
      const text = readFileSync(await file.path(), 'utf8');
      expect(text).toContain('The map stays empty');
      expect(text.slice(0, beginning.length)).toBe(beginning);
    }

    const { body } = await scenario.client.get<{ items: { identifier: string }[] }>(
      `/api/v1/projects/${projectId}/feedback`,
    );
    await desk.page.goto(`${scenario.origin}/projects/${projectId}/feedback?feedback=${body.items[0]?.identifier}`);
    await item.getByRole('button', { name: 'Delete' }).click();
    await desk.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await desk.page.getByRole('heading', { name: 'No open feedback' }).waitFor();
    expect(new URL(desk.page.url()).search).toBe('');
    await desk.leave();

    const mail = scenario.fixture.mail.messages.findLast(({ to }) => to === tester.email);
    expect(mail?.subject).toMatch(/^Reply to your feedback on /);
    expect(mail?.text).toContain('Fixed in the next build.');
  });

  it('is offered in my apps', async () => {
    const phone = await openVisitor(scenario.browser, scenario.origin, { userAgent: androidAgent });
    await openSignedIn(scenario, phone, '/my-apps', tester);
    await phone.actions.click('Send feedback', 'link');
    await phone.page.getByRole('heading', { name: 'Send feedback' }).waitFor();
    expect(new URL(phone.page.url()).search).toBe('?from=my-apps');
    await phone.leave();
  });
});
