// A server that sends email, and for each test an account and a browser that signs in by email.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { systemContext } from '../../src/core/transact.ts';
import { developers } from '../../src/data/tables/tables.ts';
import { updateDeveloper } from '../../src/developers/store.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { type EmailBrowser, openEmailBrowser, readCode, SENDS_MAIL } from '../support/email-sign-in.ts';
import { type Account, type Answer, createAccount, expectRefusal, signIn } from '../support/harness.ts';
import { recordStatements, type StatementRecorder } from '../support/statements.ts';

export let fixture: Fixture;
export let recorder: StatementRecorder;

export let account: Account;
export let browser: EmailBrowser;

export const unknownAddress = () => `${fixture.app.ids.next()}@example.com`;
export const change = (id: string, columns: Parameters<typeof updateDeveloper>[2]) =>
  systemContext(fixture.app).transact((tx) => updateDeveloper(tx, id, columns), { bookkeeping: true });
export const rowOf = (email: string) =>
  fixture.app.db.select().from(developers).where(eq(developers.email, email)).get();

/** Requests a code and reads it. */
export async function requested(email = account.email, from = browser) {
  expect((await from.request(email)).status).toBe(202);
  return readCode(fixture, email);
}

export const reasonOf = (answer: Answer<unknown>) => expectRefusal(answer, 401, 'unauthorized').reason;

export async function inviteTester(email: string): Promise<void> {
  const path = `/api/v1/projects/${fixture.android_project_id}/testers`;
  expect((await (await administrator()).post(path, { email })).status).toBe(201);
}

/** Signed in again, because the tests move the clock. */
export const administrator = async () => (await signIn(fixture)).client;

/** Starts a server for the tests of a file, and renews account and browser for each. */
export function useEmailServer(): void {
  beforeAll(async () => {
    recorder = recordStatements();
    fixture = await startFixture({ config: { mail: SENDS_MAIL } });
  });
  afterAll(async () => {
    recorder.stop();
    await fixture?.stop();
  });
  beforeEach(async () => {
    account = await createAccount(fixture);
    browser = openEmailBrowser(fixture);
  });
}
