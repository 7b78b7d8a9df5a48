// Accounts with second factors, enrolled through the API as their owners would.
import { generateSync } from 'otplib';
import type { Fixture } from '../src/testing.ts';
import {
  type CreationOptions,
  type Credential,
  type Deviation,
  makePasskey,
  type RequestOptions,
} from './authenticator.ts';
import { type Account, type Answer, api, type Client, createAccount, type Json, signIn } from './harness.ts';

export interface Tokens extends Json {
  access_token: string;
  refresh_token: string;
  session_id: string;
}

export interface FirstStep extends Json {
  mfa_required: true;
  mfa_token: string;
  methods: string[];
}

export interface Begun<Options> extends Json {
  challenge_id: string;
  options: Options;
}

export interface Owner {
  account: Account;
  /** Signed in before the factors were enrolled. */
  client: Client;
  accessToken: string;
}

export interface TotpOwner extends Owner {
  secret: string;
  recoveryCodes: string[];
}

export const originOf = (fixture: Fixture) => new URL(fixture.config.server.base_url).origin;

/** An account that is signed in and has no second factor. */
export async function addOwner(fixture: Fixture): Promise<Owner> {
  const account = await createAccount(fixture);
  const { access_token, client } = await signIn(fixture, account);
  return { account, client, accessToken: access_token };
}

/** The first step: e-mail and password. */
export function login(fixture: Fixture, { email, password }: Account, more: Json = {}): Promise<Answer<FirstStep>> {
  return api(fixture, null).post<FirstStep>('/api/v1/login', { email, password, ...more });
}

/** The token of a first step that was right. */
export async function beginLogin(fixture: Fixture, account: Account, more: Json = {}): Promise<string> {
  const { status, body, text } = await login(fixture, account, more);
  if (status !== 200 || body.mfa_required !== true) throw new Error(`No second step: ${status} ${text}`);
  return body.mfa_token;
}

export function finishLogin(
  fixture: Fixture,
  mfa_token: string,
  code: string,
  method = 'totp',
): Promise<Answer<Tokens>> {
  return api(fixture, null).post<Tokens>('/api/v1/login/mfa', { mfa_token, method, code });
}

/** The code that an authenticator app shows now, or some steps away from now. */
export function codeOf({ clock }: Pick<Fixture, 'clock'>, secret: string, steps = 0): string {
  return generateSync({ secret, epoch: Math.floor(clock.now().getTime() / 1000) + 30 * steps });
}

/** Moves the clock into the next time step, to its beginning: real time goes on and must not reach the one after it. */
export function goToNextStep({ clock }: Pick<Fixture, 'clock'>): void {
  clock.advance(31_000 - (clock.now().getTime() % 30_000));
}

/** Enrols an authenticator app, and moves on to the next step so that the confirming code is in nobody's way. */
export async function addTotp(fixture: Fixture, owner?: Owner): Promise<TotpOwner> {
  const { account, client, accessToken } = owner ?? (await addOwner(fixture));
  const begun = await client.post<{ secret: string }>('/api/v1/mfa/totp/begin');
  const { secret } = begun.body;
  const confirmed = await client.post<{ recovery_codes: string[] }>('/api/v1/mfa/totp/confirm', {
    code: codeOf(fixture, secret),
  });
  if (confirmed.status !== 200) throw new Error(`No authenticator app: ${confirmed.status} ${confirmed.text}`);
  goToNextStep(fixture);
  return { account, client, accessToken, secret, recoveryCodes: confirmed.body.recovery_codes };
}

export async function beginRegistration(client: Client): Promise<Begun<CreationOptions>> {
  const { status, body, text } = await client.post<Begun<CreationOptions>>('/api/v1/passkeys/register/begin');
  if (status !== 200) throw new Error(`No registration: ${status} ${text}`);
  return body;
}

/** Registers a passkey, honestly or not; answers it with the server's answer. */
export async function register(fixture: Fixture, client: Client, deviation: Deviation = {}, more: Json = {}) {
  const { challenge_id, options } = await beginRegistration(client);
  const { credential, attestation } = makePasskey(originOf(fixture), options, deviation);
  const body = { challenge_id, credential: attestation, ...more };
  const answer = await client.post<{ identifier: string; name: string }>('/api/v1/passkeys/register/finish', body);
  return { credential, answer, body };
}

/** An account with one passkey. */
export async function addPasskeyOwner(
  fixture: Fixture,
  owner?: Owner,
): Promise<Owner & { credential: Credential; passkeyId: string }> {
  const { account, client, accessToken } = owner ?? (await addOwner(fixture));
  const { credential, answer } = await register(fixture, client);
  if (answer.status !== 201) throw new Error(`No passkey: ${answer.status} ${answer.text}`);
  return { account, client, accessToken, credential, passkeyId: answer.body.identifier };
}

/** Opens a sign-in without password. */
export async function beginPasskeyLogin(fixture: Fixture, body?: Json): Promise<Begun<RequestOptions>> {
  const answer = await api(fixture, null).post<Begun<RequestOptions>>('/api/v1/login/passkey/begin', body);
  if (answer.status !== 200) throw new Error(`No exchange: ${answer.status} ${answer.text}`);
  return answer.body;
}

export function finishPasskeyLogin(
  fixture: Fixture,
  challenge_id: string,
  credential: unknown,
): Promise<Answer<Tokens>> {
  return api(fixture, null).post<Tokens>('/api/v1/login/passkey/finish', { challenge_id, credential });
}
