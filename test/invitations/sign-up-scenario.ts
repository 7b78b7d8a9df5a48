// A server that sends email and one that does not, and sign-up with the links of invitations.
import { afterAll, beforeAll, expect } from 'vitest';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api, type Json } from '../support/harness.ts';

export const PASSWORD = 'a long enough password';

export let sending: Fixture;
export let silent: Fixture;

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
