// Actions of people on their accounts, with the audit rows of each.
import { dataExports } from '../../src/data/tables/tables.ts';
import { usePasskey } from '../support/authenticator.ts';
import {
  addOwner,
  beginLogin,
  beginPasskeyLogin,
  codeOf,
  finishLogin,
  finishPasskeyLogin,
  goToNextStep,
  type Owner,
  originOf,
  register,
  removePasskey,
  stepUp,
  type Tokens,
} from '../support/factors.ts';
import { api, type Json, signIn } from '../support/harness.ts';
import { newestToken } from '../support/mailbox.ts';
import { type Act, done, made, type Stage, sendPicture } from './scenario.ts';

const EMAIL = 'lin@example.com';
const PASSWORD = 'a staple of horses';
const account = (password = PASSWORD) => ({ email: EMAIL, password });
const anonymous = ({ fixture }: Stage) => api(fixture, null);
const signedIn = async ({ fixture }: Stage, password = PASSWORD) => signIn(fixture, account(password));
const owners = new WeakMap<Stage, Owner & { secret?: string }>();

async function ownerOf(stage: Stage): Promise<Owner & { secret?: string }> {
  const known = owners.get(stage) ?? (await addOwner(stage.fixture));
  owners.set(stage, known);
  return known;
}

export const accountActs: Act[] = [
  [
    'sign up',
    ['created developer'],
    async (stage) => done(anonymous(stage).post('/api/v1/developers', { ...account(), display_name: 'Lin' })),
  ],
  [
    'verify the address',
    ['email_verified developer'],
    async (stage) =>
      done(anonymous(stage).post('/api/v1/developers/verify_email', { token: newestToken(stage.fixture, EMAIL) })),
  ],
  [
    'sign up again',
    ['redundant_action developer'],
    async (stage) => done(anonymous(stage).post('/api/v1/developers', { ...account(), display_name: 'Lin' })),
  ],
  ['sign in', ['login_succeeded developer'], signedIn],
  [
    'sign in with a wrong password',
    ['login_failed developer'],
    (stage) => anonymous(stage).post('/api/v1/login', account('not this one')),
  ],
  [
    'sign in to an address without an account',
    ['login_failed developer'],
    (stage) => anonymous(stage).post('/api/v1/login', { email: 'nobody@example.com', password: 'whatever it is' }),
  ],
  [
    'refresh, and refresh again with the used token',
    ['login_succeeded developer', 'session_refreshed developer', 'refresh_token_reuse_detected developer'],
    async (stage) => {
      const { refresh_token } = await signedIn(stage);
      await done(anonymous(stage).post('/api/v1/login/refresh', { refresh_token }));
      await anonymous(stage).post('/api/v1/login/refresh', { refresh_token });
    },
  ],
  [
    'sign out',
    ['login_succeeded developer', 'logged_out developer'],
    async (stage) => done((await signedIn(stage)).client.post('/api/v1/login/logout')),
  ],
  [
    'end one session',
    ['login_succeeded developer', 'login_succeeded developer', 'session_revoked developer'],
    async (stage) => {
      const other = await signedIn(stage);
      await done((await signedIn(stage)).client.delete(`/api/v1/sessions/${other.session_id}`));
    },
  ],
  [
    'end all sessions',
    ['login_succeeded developer', 'all_sessions_revoked developer'],
    async (stage) => done((await signedIn(stage)).client.delete('/api/v1/sessions')),
  ],
  [
    'edit the account, with a picture',
    ['login_succeeded developer', 'edited developer', 'edited developer'],
    async (stage) => {
      const { client } = await signedIn(stage);
      const { identifier } = await done(client.get('/api/v1/developers/me'));
      stage.kept.developer = String(identifier);
      await done(client.patch(`/api/v1/developers/${identifier}`, { display_name: 'Lin Yao' }));
      await done(sendPicture(client, `/api/v1/developers/${identifier}/avatar`));
    },
  ],
  [
    'change the password',
    ['login_succeeded developer', 'password_changed developer'],
    async (stage) => {
      const body = { current_password: PASSWORD, new_password: 'another staple of horses' };
      const { client } = await signedIn(stage);
      await done(client.post(`/api/v1/developers/${stage.kept.developer}/change_password`, body));
    },
  ],
  [
    'reset the password',
    ['all_sessions_revoked developer', 'password_changed developer'],
    async (stage) => {
      await signInQuietly(stage);
      await done(anonymous(stage).post('/api/v1/login/password_reset', { email: EMAIL }));
      const token = newestToken(stage.fixture, EMAIL, /Reset your password/);
      await done(anonymous(stage).post('/api/v1/login/password_reset/confirm', { token, new_password: PASSWORD }));
    },
  ],
  [
    'change the address',
    ['login_succeeded developer', 'edited developer', 'email_verified developer'],
    async (stage) => {
      const { client } = await signedIn(stage);
      const body = { new_email: 'lin.yao@example.com', current_password: PASSWORD };
      await done(client.post(`/api/v1/developers/${stage.kept.developer}/change_email`, body));
      const token = newestToken(stage.fixture, body.new_email);
      await done(anonymous(stage).post('/api/v1/developers/change_email/confirm', { token }));
      stage.fixture.app.db.$client
        .prepare('UPDATE developers SET email = ? WHERE email = ?')
        .run(EMAIL, body.new_email);
    },
  ],
  ['make another account', ['created developer', 'login_succeeded developer'], ownerOf],
  [
    'enrol an authenticator app',
    ['mfa_enabled developer'],
    async (stage) => {
      const owner = await ownerOf(stage);
      const { secret } = await done(
        owner.client.post('/api/v1/mfa/totp/begin', await stepUp(stage.fixture, owner.client)),
      );
      owner.secret = String(secret);
      await done(owner.client.post('/api/v1/mfa/totp/confirm', { code: codeOf(stage.fixture, owner.secret) }));
      goToNextStep(stage.fixture);
    },
  ],
  [
    'sign in with its code',
    ['mfa_login_succeeded developer'],
    async (stage) => {
      const { account: own, secret = '' } = await ownerOf(stage);
      const answer = finishLogin(stage.fixture, await beginLogin(stage.fixture, own), codeOf(stage.fixture, secret));
      await done<Tokens>(answer);
      goToNextStep(stage.fixture);
    },
  ],
  [
    'sign in with a wrong code',
    ['login_failed developer'],
    async (stage) => {
      const { account: own } = await ownerOf(stage);
      await finishLogin(stage.fixture, await beginLogin(stage.fixture, own), 'wrong-code', 'recovery_code');
    },
  ],
  [
    'make new recovery codes',
    ['mfa_recovery_codes_regenerated developer'],
    async (stage) => {
      const { client, secret = '', account: own } = await ownerOf(stage);
      const mfa_code = codeOf(stage.fixture, secret);
      await done(client.post('/api/v1/mfa/recovery-codes', { current_password: own.password, mfa_code }));
      goToNextStep(stage.fixture);
    },
  ],
  [
    'disable the authenticator app',
    ['mfa_disabled developer'],
    async (stage) => {
      const { client, secret = '', account: own } = await ownerOf(stage);
      const mfa_code = codeOf(stage.fixture, secret);
      await done(client.post('/api/v1/mfa/disable', { current_password: own.password, mfa_code }));
    },
  ],
  [
    'register, name and use a passkey, and remove it',
    [
      'passkey_registered developer',
      'edited developer',
      'passkey_login_succeeded developer',
      'passkey_removed developer',
    ],
    async (stage) => {
      const { fixture } = stage;
      const { client } = await ownerOf(stage);
      const { credential, answer } = await register(fixture, client);
      const path = `/api/v1/passkeys/${answer.body.identifier}`;
      await done(client.patch(path, { name: 'Phone', ...(await stepUp(fixture, client)) }));
      const { challenge_id, options } = await beginPasskeyLogin(fixture);
      await done<Tokens>(finishPasskeyLogin(fixture, challenge_id, usePasskey(originOf(fixture), credential, options)));
      await done(removePasskey(fixture, client, String(answer.body.identifier)));
    },
  ],
  [
    'ask for an export, and download it',
    ['data_export_requested data_export', 'data_export_completed data_export', 'data_export_downloaded data_export'],
    async (stage) => {
      const { client, account: own } = await ownerOf(stage);
      const id = await made(client.post(`/api/v1/developers/${own.developer_id}/exports`));
      await stage.fixture.drain();
      await done(client.get(`/api/v1/exports/${id}/download`));
    },
  ],
  [
    'an export that is never finished',
    ['data_export_failed data_export'],
    async (stage) => {
      const { fixture } = stage;
      const { account: own } = await ownerOf(stage);
      const row = { id: fixture.app.ids.next(), developerId: own.developer_id, state: 'preparing' as const };
      fixture.app.db
        .insert(dataExports)
        .values({ ...row, createdAt: 1 })
        .run();
      await fixture.sweep('exports');
    },
  ],
  [
    'ask to be deleted, and take it back',
    ['account_deletion_requested developer', 'all_sessions_revoked developer', 'account_deletion_cancelled developer'],
    async (stage) => {
      const { client, account: own } = await ownerOf(stage);
      const body = { body: { current_password: own.password } };
      await done(client.send('DELETE', `/api/v1/developers/${own.developer_id}`, body));
      const token = newestToken(stage.fixture, own.email, /will be deleted/);
      await done(anonymous(stage).post('/api/v1/developers/cancel_deletion', { token }));
    },
  ],
  [
    'an account whose grace period is over',
    ['deleted developer'],
    async (stage) => {
      const { account: own } = await ownerOf(stage);
      stage.fixture.app.db.$client
        .prepare('UPDATE developers SET locked_at = 1, deletion_due_at = 1 WHERE id = ?')
        .run(own.developer_id);
      await stage.fixture.sweep('account-deletions');
    },
  ],
];

/** A session that a reset can end, made past the API so that it leaves no row. */
async function signInQuietly({ fixture, kept }: Stage): Promise<Json> {
  const now = fixture.app.clock.now().getTime();
  fixture.app.db.$client
    .prepare('INSERT INTO sessions (id, developer_id, created_at, last_used_at, expires_at) VALUES (?, ?, ?, ?, ?)')
    .run(fixture.app.ids.next(), kept.developer, now, now, now + 1_000_000);
  return {};
}
