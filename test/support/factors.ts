// Accounts with second factors, enrolled through the API as their owners would.
import { generateSync } from 'otplib';
import type { Fixture } from '../../src/testing/fixture.ts';
import {
  type CreationOptions,
  type Credential,
  type Deviation,
  makePasskey,
  type RequestOptions,
  usePasskey,
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

/** What the owner behind a client proves themselves with. */
interface Proofs {
  account: Account;
  secret?: string;
  credential?: Credential;
}

const proofs = new WeakMap<Client, Proofs>();

/** Remembers what the owner behind a client has, for their step-ups. */
export function rememberProofs(client: Client, facts: Partial<Proofs> & { account?: Account }): void {
  const known = proofs.get(client);
  const { account = known?.account } = facts;
  if (account !== undefined) proofs.set(client, { ...known, ...facts, account });
}

/**
 * The fields of a step-up as the owner behind a client would fill them in. Moves the clock to the next step of the
 * authenticator app, so that each code is used once.
 */
export async function stepUp(fixture: Fixture, client: Client): Promise<Json> {
  const known = proofs.get(client);
  if (known === undefined) return {};
  const { account, secret, credential } = known;
  const { body } = await client.get<{ step_up: { mfa_code: boolean; passkey: boolean } }>('/api/v1/mfa');
  const fields = { current_password: account.password };
  if (body.step_up.mfa_code && secret !== undefined) {
    const mfa_code = codeOf(fixture, secret);
    goToNextStep(fixture);
    return { ...fields, mfa_code };
  }
  if (!body.step_up.passkey || credential === undefined) return fields;
  return { ...fields, ...(await assertPasskey(fixture, client, account, credential)) };
}

/** Removes a passkey, after the step-up that the account asks for. */
export async function removePasskey(fixture: Fixture, client: Client, id: string): Promise<Answer<Json>> {
  return client.send('DELETE', `/api/v1/passkeys/${id}`, { body: await stepUp(fixture, client) });
}

/** The passkey fields of a step-up. */
export async function assertPasskey(
  fixture: Fixture,
  client: Client,
  { developer_id }: Account,
  credential: Credential,
  deviation: Deviation = {},
) {
  const path = `/api/v1/developers/${developer_id}/change_email/passkey/begin`;
  const { body } = await client.post<Begun<RequestOptions>>(path);
  return {
    passkey_challenge_id: body.challenge_id,
    passkey_assertion: usePasskey(originOf(fixture), credential, body.options, deviation) as never,
  };
}

export const originOf = (fixture: Fixture) => new URL(fixture.config.server.base_url).origin;

/** An account that is signed in and has no second factor. */
export async function addOwner(fixture: Fixture): Promise<Owner> {
  const account = await createAccount(fixture);
  const { access_token, client } = await signIn(fixture, account);
  rememberProofs(client, { account });
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
  rememberProofs(client, { account });
  const begun = await client.post<{ secret: string }>('/api/v1/mfa/totp/begin', await stepUp(fixture, client));
  const { secret } = begun.body;
  const confirmed = await client.post<{ recovery_codes: string[] }>('/api/v1/mfa/totp/confirm', {
    code: codeOf(fixture, secret),
  });
  if (confirmed.status !== 200) throw new Error(`No authenticator app: ${confirmed.status} ${confirmed.text}`);
  goToNextStep(fixture);
  rememberProofs(client, { account, secret });
  return { account, client, accessToken, secret, recoveryCodes: confirmed.body.recovery_codes };
}

/** Begins the registration of a passkey, after the step-up that the account asks for. */
export async function beginRegistration(fixture: Fixture, client: Client): Promise<Begun<CreationOptions>> {
  const { status, body, text } = await client.post<Begun<CreationOptions>>(
    '/api/v1/passkeys/register/begin',
    await stepUp(fixture, client),
  );
  if (status !== 200) throw new Error(`No registration: ${status} ${text}`);
  return body;
}

/** Registers a passkey, honestly or not; answers it with the server's answer. */
export async function register(fixture: Fixture, client: Client, deviation: Deviation = {}, more: Json = {}) {
  const { challenge_id, options } = await beginRegistration(fixture, client);
  const { credential, attestation } = makePasskey(originOf(fixture), options, deviation);
  const body = { challenge_id, credential: attestation, ...more };
  const answer = await client.post<{ identifier: string; name: string }>('/api/v1/passkeys/register/finish', body);
  if (answer.status === 201) rememberProofs(client, { credential });
  return { credential, answer, body };
}

/** An account with one passkey. */
export async function addPasskeyOwner(
  fixture: Fixture,
  owner?: Owner,
): Promise<Owner & { credential: Credential; passkeyId: string }> {
  const { account, client, accessToken } = owner ?? (await addOwner(fixture));
  rememberProofs(client, { account });
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
