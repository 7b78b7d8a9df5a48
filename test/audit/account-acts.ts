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
import { type Act, type AuditScenario, done, made, sendPicture } from './scenario.ts';

const EMAIL = 'lin@example.com';
const PASSWORD = 'a staple of horses';
const account = (password = PASSWORD) => ({ email: EMAIL, password });
const anonymous = ({ fixture }: AuditScenario) => api(fixture, null);
const signedIn = async ({ fixture }: AuditScenario, password = PASSWORD) => signIn(fixture, account(password));
const owners = new WeakMap<AuditScenario, Owner & { secret?: string }>();

async function ownerOf(scenario: AuditScenario): Promise<Owner & { secret?: string }> {
  const known = owners.get(scenario) ?? (await addOwner(scenario.fixture));
  owners.set(scenario, known);
  return known;
}

export const accountActs: Act[] = [
  [
    'sign up',
    ['created developer'],
    async (scenario) => done(anonymous(scenario).post('/api/v1/developers', { ...account(), display_name: 'Lin' })),
  ],
  [
    'verify the address',
    ['email_verified developer'],
    async (scenario) =>
      done(
        anonymous(scenario).post('/api/v1/developers/verify_email', { token: newestToken(scenario.fixture, EMAIL) }),
      ),
  ],
  [
    'sign up again',
    ['redundant_action developer'],
    async (scenario) => done(anonymous(scenario).post('/api/v1/developers', { ...account(), display_name: 'Lin' })),
  ],
  ['sign in', ['login_succeeded developer'], signedIn],
  [
    'sign in with a wrong password',
    ['login_failed developer'],
    (scenario) => anonymous(scenario).post('/api/v1/login', account('not this one')),
  ],
  [
    'sign in to an address without an account',
    ['login_failed developer'],
    (scenario) =>
      anonymous(scenario).post('/api/v1/login', { email: 'nobody@example.com', password: 'whatever it is' }),
  ],
  [
    'refresh, and refresh again with the used token',
    ['login_succeeded developer', 'session_refreshed developer', 'refresh_token_reuse_detected developer'],
    async (scenario) => {
      const { refresh_token } = await signedIn(scenario);
      await done(anonymous(scenario).post('/api/v1/login/refresh', { refresh_token }));
      await anonymous(scenario).post('/api/v1/login/refresh', { refresh_token });
    },
  ],
  [
    'sign out',
    ['login_succeeded developer', 'logged_out developer'],
    async (scenario) => done((await signedIn(scenario)).client.post('/api/v1/login/logout')),
  ],
  [
    'end one session',
    ['login_succeeded developer', 'login_succeeded developer', 'session_revoked developer'],
    async (scenario) => {
      const other = await signedIn(scenario);
      await done((await signedIn(scenario)).client.delete(`/api/v1/sessions/${other.session_id}`));
    },
  ],
  [
    'end all sessions',
    ['login_succeeded developer', 'all_sessions_revoked developer'],
    async (scenario) => done((await signedIn(scenario)).client.delete('/api/v1/sessions')),
  ],
  [
    'edit the account, with a picture',
    ['login_succeeded developer', 'edited developer', 'edited developer'],
    async (scenario) => {
      const { client } = await signedIn(scenario);
      const { identifier } = await done(client.get('/api/v1/developers/me'));
      scenario.kept.developer = String(identifier);
      await done(client.patch(`/api/v1/developers/${identifier}`, { display_name: 'Lin Yao' }));
      await done(sendPicture(client, `/api/v1/developers/${identifier}/avatar`));
    },
  ],
  [
    'change the password',
    ['login_succeeded developer', 'password_changed developer'],
    async (scenario) => {
      const body = { current_password: PASSWORD, new_password: 'another staple of horses' };
      const { client } = await signedIn(scenario);
      await done(client.post(`/api/v1/developers/${scenario.kept.developer}/change_password`, body));
    },
  ],
  [
    'reset the password',
    ['all_sessions_revoked developer', 'password_changed developer'],
    async (scenario) => {
      await signInQuietly(scenario);
      await done(anonymous(scenario).post('/api/v1/login/password_reset', { email: EMAIL }));
      const token = newestToken(scenario.fixture, EMAIL, /Reset your password/);
      await done(anonymous(scenario).post('/api/v1/login/password_reset/confirm', { token, new_password: PASSWORD }));
    },
  ],
  [
    'change the address',
    ['login_succeeded developer', 'edited developer', 'email_verified developer'],
    async (scenario) => {
      const { client } = await signedIn(scenario);
      const body = { new_email: 'lin.yao@example.com', current_password: PASSWORD };
      await done(client.post(`/api/v1/developers/${scenario.kept.developer}/change_email`, body));
      const token = newestToken(scenario.fixture, body.new_email);
      await done(anonymous(scenario).post('/api/v1/developers/change_email/confirm', { token }));
      scenario.fixture.app.db.$client
        .prepare('UPDATE developers SET email = ? WHERE email = ?')
        .run(EMAIL, body.new_email);
    },
  ],
  ['create another account', ['created developer', 'login_succeeded developer'], ownerOf],
  [
    'enroll an authenticator app',
    ['mfa_enabled developer'],
    async (scenario) => {
      const owner = await ownerOf(scenario);
      const { secret } = await done(
        owner.client.post('/api/v1/mfa/totp/begin', await stepUp(scenario.fixture, owner.client)),
      );
      owner.secret = String(secret);
      await done(owner.client.post('/api/v1/mfa/totp/confirm', { code: codeOf(scenario.fixture, owner.secret) }));
      goToNextStep(scenario.fixture);
    },
  ],
  [
    'sign in with its code',
    ['mfa_login_succeeded developer'],
    async (scenario) => {
      const { account: own, secret = '' } = await ownerOf(scenario);
      const answer = finishLogin(
        scenario.fixture,
        await beginLogin(scenario.fixture, own),
        codeOf(scenario.fixture, secret),
      );
      await done<Tokens>(answer);
      goToNextStep(scenario.fixture);
    },
  ],
  [
    'sign in with a wrong code',
    ['login_failed developer'],
    async (scenario) => {
      const { account: own } = await ownerOf(scenario);
      await finishLogin(scenario.fixture, await beginLogin(scenario.fixture, own), 'wrong-code', 'recovery_code');
    },
  ],
  [
    'create new recovery codes',
    ['mfa_recovery_codes_regenerated developer'],
    async (scenario) => {
      const { client, secret = '', account: own } = await ownerOf(scenario);
      const mfa_code = codeOf(scenario.fixture, secret);
      await done(client.post('/api/v1/mfa/recovery-codes', { current_password: own.password, mfa_code }));
      goToNextStep(scenario.fixture);
    },
  ],
  [
    'disable the authenticator app',
    ['mfa_disabled developer'],
    async (scenario) => {
      const { client, secret = '', account: own } = await ownerOf(scenario);
      const mfa_code = codeOf(scenario.fixture, secret);
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
    async (scenario) => {
      const { fixture } = scenario;
      const { client } = await ownerOf(scenario);
      const { credential, answer } = await register(fixture, client);
      const path = `/api/v1/passkeys/${answer.body.identifier}`;
      await done(client.patch(path, { name: 'Phone', ...(await stepUp(fixture, client)) }));
      const { challenge_id, options } = await beginPasskeyLogin(fixture);
      await done<Tokens>(finishPasskeyLogin(fixture, challenge_id, usePasskey(originOf(fixture), credential, options)));
      await done(removePasskey(fixture, client, String(answer.body.identifier)));
    },
  ],
  [
    'request an export, and download it',
    ['data_export_requested data_export', 'data_export_completed data_export', 'data_export_downloaded data_export'],
    async (scenario) => {
      const { client, account: own } = await ownerOf(scenario);
      const id = await made(client.post(`/api/v1/developers/${own.developer_id}/exports`));
      await scenario.fixture.drain();
      await done(client.get(`/api/v1/exports/${id}/download`));
    },
  ],
  [
    'request an export that fails',
    ['data_export_failed data_export'],
    async (scenario) => {
      const { fixture } = scenario;
      const { account: own } = await ownerOf(scenario);
      const row = { id: fixture.app.ids.next(), developerId: own.developer_id, state: 'preparing' as const };
      fixture.app.db
        .insert(dataExports)
        .values({ ...row, createdAt: 1 })
        .run();
      await fixture.sweep('exports');
    },
  ],
  [
    'request the deletion of the account, and cancel it',
    ['account_deletion_requested developer', 'all_sessions_revoked developer', 'account_deletion_cancelled developer'],
    async (scenario) => {
      const { client, account: own } = await ownerOf(scenario);
      const body = { body: { current_password: own.password } };
      await done(client.send('DELETE', `/api/v1/developers/${own.developer_id}`, body));
      const token = newestToken(scenario.fixture, own.email, /will be deleted/);
      await done(anonymous(scenario).post('/api/v1/developers/cancel_deletion', { token }));
    },
  ],
  [
    'delete an account after its grace period',
    ['deleted developer'],
    async (scenario) => {
      const { account: own } = await ownerOf(scenario);
      scenario.fixture.app.db.$client
        .prepare('UPDATE developers SET locked_at = 1, deletion_due_at = 1 WHERE id = ?')
        .run(own.developer_id);
      await scenario.fixture.sweep('account-deletions');
    },
  ],
];

/** A session that a reset can end, made past the API so that it leaves no row. */
async function signInQuietly({ fixture, kept }: AuditScenario): Promise<Json> {
  const now = fixture.app.clock.now().getTime();
  fixture.app.db.$client
    .prepare('INSERT INTO sessions (id, developer_id, created_at, last_used_at, expires_at) VALUES (?, ?, ?, ?, ?)')
    .run(fixture.app.ids.next(), kept.developer, now, now, now + 1_000_000);
  return {};
}
