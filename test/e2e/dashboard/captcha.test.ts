// A server that asks for a captcha: the first administrator, and signing in.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { closeContexts, openBrowser } from '../browser.ts';
import { type RunningServer, startServer } from '../program.ts';
import { signOut } from './scenario.ts';
import { openVisitor, type Visitor } from './visitor.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
let browser: Browser;
let server: RunningServer;
let visitor: Visitor;

beforeAll(async () => {
  [browser, server] = await Promise.all([openBrowser(), startServer({ TAXIWAY_CAPTCHA__PROVIDER: 'altcha' })]);
  visitor = await openVisitor(browser, new URL(server.setupLink).origin);
}, 120_000);
afterAll(async () => {
  await visitor?.leave();
  await closeContexts(browser);
  await server?.remove();
});

const home = () => visitor.page.getByRole('heading', { name: 'Home' });
const passwordField = () => visitor.page.getByLabel('Password', { exact: true });
const isVerified = () => visitor.page.getByText('Verified.').waitFor();

it('creates the first administrator, who then signs in on the same page', async () => {
  const { page, actions } = visitor;
  visitor.expectRefusals(400);
  await actions.open(server.setupLink);
  await actions.fill(page.getByLabel('Your name'), 'Ada');
  await actions.fill(page.getByLabel('Email address'), ada.email);
  await actions.fill(page.getByLabel('New password'), ada.password);
  await actions.click('Create and sign in');
  await page.getByRole('heading', { name: 'Your account was created' }).waitFor();
  expect(await page.getByLabel('Email address').inputValue()).toBe(ada.email);
  await isVerified();
  await visitor.show('captcha-after-setup');
  await actions.fill(passwordField(), ada.password);
  await actions.click('Sign in');
  await home().waitFor();
});

it('asks for a new challenge after an incorrect password, because a solved one works once', async () => {
  const { page, actions } = visitor;
  visitor.expectRefusals(401);
  await signOut(page);
  const challenge = page.frameLocator('iframe');
  await challenge.getByText('Solved.').waitFor();
  expect(await challenge.getByLabel('Token').isVisible()).toBe(false);
  await isVerified();
  await actions.fill(page.getByLabel('Email address'), ada.email);
  await actions.fill(passwordField(), 'another password');
  await actions.click('Sign in');
  await page.getByText('Incorrect email address or password.').waitFor();
  await isVerified();
  await actions.fill(passwordField(), ada.password);
  await actions.click('Sign in');
  await home().waitFor();
});
