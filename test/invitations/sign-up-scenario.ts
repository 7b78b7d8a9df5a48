// A server that sends email and one that does not, and sign-up with the links of invitations.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect } from 'vitest';
import { developers } from '../../src/data/tables/tables.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api, type Json } from '../support/harness.ts';
import { addTeam, type Person } from '../support/people.ts';

export const PASSWORD = 'a long enough password';

export interface Invitation extends Json {
  identifier: string;
  email: string;
  expires_at: string;
  accept_url: string;
  state: string;
  email_state: string | null;
  projects: { project_id: string; role: string }[];
}

export let sending: Fixture;
export let silent: Fixture;

export const newAddress = (fixture: Fixture) => `guest-${fixture.app.ids.next()}@guests.example`;
export const tokenOf = (url: string) => url.split('/').at(-1) ?? '';

export function mailedToken({ mail }: Fixture, email: string): string {
  const message = mail.messages.findLast(({ to }) => to === email);
  return /\/invite\/\w+\/([\w-]+)/.exec(message?.text ?? '')?.[1] ?? '';
}

/** Invites an address to the organization, and returns both tokens. */
export async function invite(
  fixture: Fixture,
  { client }: Pick<Person, 'client'>,
  path: string,
  body: { email: string; role: string; projects?: object[] },
) {
  const answer = await client.post<Invitation>(`${path}/invites`, body);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return { ...answer.body, mailed: mailedToken(fixture, body.email), copied: tokenOf(answer.body.accept_url) };
}

export async function scene(fixture: Fixture) {
  const team = await addTeam(fixture);
  const email = newAddress(fixture);
  const projects = [{ project_id: team.projectId, role: 'maintainer' }];
  const invitation = await invite(fixture, team.admin, team.organizationPath, { email, role: 'member', projects });
  return { ...team, email, invitation };
}

export interface Tokens extends Json {
  access_token: string;
}

export const signUp = (fixture: Fixture, token: string, more: object = {}, kind = 'organization') =>
  api(fixture, null).post<Tokens>(`/api/v1/invites/${kind}/sign-up`, {
    invite_token: token,
    display_name: 'Nia Newcomer',
    password: PASSWORD,
    ...more,
  });
export const preview = (fixture: Fixture, token: string) =>
  api(fixture, null).get(`/api/v1/invites/organization/${token}/preview`);
export const logIn = (fixture: Fixture, email: string, password = PASSWORD) =>
  api(fixture, null).post<Tokens>('/api/v1/login', { email, password });
export const startAccount = (fixture: Fixture, email: string) =>
  api(fixture, null).post('/api/v1/developers', { email, password: 'an early bird password', display_name: 'Early' });

export function accountOf({ app }: Fixture, email: string) {
  return app.db.select().from(developers).where(eq(developers.email, email)).get();
}

export async function signedUp(fixture: Fixture, token: string) {
  const answer = await signUp(fixture, token);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return api(fixture, answer.body.access_token);
}

/** Starts both servers for the tests of a file. */
export function useServers(): void {
  beforeAll(async () => {
    // Nothing listens there, so that emails stay pending.
    const mail = { transport: 'smtp', from: 'builds@taxiway.example', smtp: { host: 'localhost', port: 1 } } as const;
    [sending, silent] = await Promise.all([startFixture({ config: { mail } }), startFixture()]);
  });
  afterAll(async () => {
    await Promise.all([sending?.stop(), silent?.stop()]);
  });
}
