// States of refresh tokens, sessions and accounts.
import { expect } from 'vitest';
import { DAY, SECOND } from '../../../src/lib/clock.ts';
import { type Account, api, createAccount, expectRefusal, signIn } from '../../support/harness.ts';
import { mailKinds, newestToken } from '../../support/mailbox.ts';
import type { TesterFixture } from '../../testers/scenario.ts';
import type { Shows } from './move.ts';

type Tokens = { access_token: string; refresh_token: string };

const refresh = ({ fixture }: TesterFixture, token: string) =>
  api(fixture, null).post<Tokens>('/api/v1/login/refresh', { refresh_token: token });
const statusOf = async ({ fixture }: TesterFixture, token: string) =>
  (await api(fixture, token).get('/api/v1/developers/me')).status;
const makeAccount = ({ fixture }: TesterFixture) => createAccount(fixture);
const trySignIn = ({ fixture }: TesterFixture, { email, password }: Account) =>
  api(fixture, null).post('/api/v1/login', { email, password });
const cancel = ({ fixture }: TesterFixture, token: string) =>
  api(fixture, null).post('/api/v1/developers/cancel_deletion', { token });

/** Whether neither token of a session does anything any more. Spends the refresh token where it still would. */
async function isOver(stand: TesterFixture, tokens: Tokens): Promise<boolean> {
  if ((await statusOf(stand, tokens.access_token)) !== 401) return false;
  return (await refresh(stand, tokens.refresh_token)).status === 401;
}

async function requestDeletion(stand: TesterFixture, account: Account, password = account.password) {
  const { client } = await signIn(stand.fixture, account);
  const path = `/api/v1/developers/${account.developer_id}`;
  return { client, answer: await client.send('DELETE', path, { body: { current_password: password } }) };
}

async function leavingAccount(stand: TesterFixture) {
  const account = await makeAccount(stand);
  expect((await requestDeletion(stand, account)).answer.status).toBe(204);
  return { account, token: newestToken(stand.fixture, account.email) };
}

export const accountShows: Shows = {
  'Refresh token: unused, exchange': {
    moves: {
      'to consumed, and a new pair works': async (stand) => {
        const first = await signIn(stand.fixture, await makeAccount(stand));
        const second = await refresh(stand, first.refresh_token);
        expect(second.status).toBe(200);
        expect(second.body.refresh_token).not.toBe(first.refresh_token);
        expect(await statusOf(stand, second.body.access_token)).toBe(200);
        expect((await refresh(stand, second.body.refresh_token)).status).toBe(200);
      },
    },
    stays: {
      'for one of many at once only': async (stand) => {
        const { refresh_token } = await signIn(stand.fixture, await makeAccount(stand));
        const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(stand, refresh_token)));
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      },
      'when it has expired': async (stand) => {
        const { refresh_token } = await signIn(stand.fixture, await makeAccount(stand));
        stand.fixture.clock.advance(30 * DAY);
        expectRefusal(await refresh(stand, refresh_token), 401, 'unauthorized');
      },
    },
  },

  'Refresh token: used, exchange': {
    moves: {
      'to the end of every token of that sign-in; signing in again works': async (stand) => {
        const account = await makeAccount(stand);
        const first = await signIn(stand.fixture, account);
        const second = (await refresh(stand, first.refresh_token)).body;
        const third = (await refresh(stand, second.refresh_token)).body;
        expectRefusal(await refresh(stand, first.refresh_token), 401, 'unauthorized');
        for (const tokens of [first, second, third]) expect(await isOver(stand, tokens)).toBe(true);
        expect((await trySignIn(stand, account)).status).toBe(200);
      },
    },
    stays: {
      'for other sign-ins of the same account': async (stand) => {
        const account = await makeAccount(stand);
        const other = await signIn(stand.fixture, account);
        const first = await signIn(stand.fixture, account);
        await refresh(stand, first.refresh_token);
        await refresh(stand, first.refresh_token);
        expect(await statusOf(stand, other.access_token)).toBe(200);
        expect((await refresh(stand, other.refresh_token)).status).toBe(200);
      },
    },
  },

  'Session: active, revoke, revoke all or sign out': {
    moves: {
      'by revoking one': async (stand) => {
        const account = await makeAccount(stand);
        const [lost, kept] = [await signIn(stand.fixture, account), await signIn(stand.fixture, account)];
        expect((await kept.client.delete(`/api/v1/sessions/${lost.session_id}`)).status).toBe(204);
        expect(await isOver(stand, lost)).toBe(true);
        expect(await statusOf(stand, kept.access_token)).toBe(200);
      },
      'by revoking all, and outstanding access tokens with them': async (stand) => {
        const account = await makeAccount(stand);
        const [one, two] = [await signIn(stand.fixture, account), await signIn(stand.fixture, account)];
        const newer = (await refresh(stand, one.refresh_token)).body;
        expect((await two.client.delete('/api/v1/sessions')).status).toBe(204);
        for (const token of [one.access_token, newer.access_token, two.access_token]) {
          expect(await statusOf(stand, token)).toBe(401);
        }
        for (const tokens of [newer, two]) expect(await isOver(stand, tokens)).toBe(true);
      },
      'by signing out, that one alone': async (stand) => {
        const account = await makeAccount(stand);
        const [ended, kept] = [await signIn(stand.fixture, account), await signIn(stand.fixture, account)];
        expect((await ended.client.post('/api/v1/login/logout')).status).toBe(204);
        expect(await isOver(stand, ended)).toBe(true);
        expect(await statusOf(stand, kept.access_token)).toBe(200);
      },
    },
    stays: {
      'whatever somebody else revokes': async (stand) => {
        const victim = await signIn(stand.fixture, await makeAccount(stand));
        const { client } = await signIn(stand.fixture, await makeAccount(stand));
        expectRefusal(await client.delete(`/api/v1/sessions/${victim.session_id}`), 404, 'not_found');
        expect((await client.delete('/api/v1/sessions')).status).toBe(204);
        expect(await statusOf(stand, victim.access_token)).toBe(200);
      },
    },
  },

  'Account: active, request deletion': {
    moves: {
      'to locked out and scheduled, with a mail': async (stand) => {
        const account = await makeAccount(stand);
        const { answer, client } = await requestDeletion(stand, account);
        expect(answer.status).toBe(204);
        expectRefusal(await client.get('/api/v1/developers/me'), 401, 'unauthorized');
        expectRefusal(await trySignIn(stand, account), 401, 'unauthorized');
        expect(mailKinds(stand.fixture, account.email)).toContain('deletion_requested');
        await cancel(stand, newestToken(stand.fixture, account.email));
      },
    },
    stays: {
      'for the only administrator of an organization': async (stand) => {
        const { fixture } = stand;
        const account = { ...fixture.admin };
        expectRefusal((await requestDeletion(stand, account)).answer, 400, 'operation_not_allowed');
        expect((await trySignIn(stand, account)).status).toBe(200);
      },
      'with a wrong password': async (stand) => {
        const account = await makeAccount(stand);
        expectRefusal((await requestDeletion(stand, account, 'wrong')).answer, 403, 'permission_denied');
        expect((await trySignIn(stand, account)).status).toBe(200);
        expect(mailKinds(stand.fixture, account.email)).not.toContain('deletion_requested');
      },
    },
  },

  'Account: locked for deletion, cancel': {
    moves: {
      'to active, once': async (stand) => {
        const { account, token } = await leavingAccount(stand);
        expect((await cancel(stand, token)).body).toEqual({ status: 'active' });
        expect((await trySignIn(stand, account)).status).toBe(200);
        expectRefusal(await cancel(stand, token), 400, 'invalid_input');
        stand.fixture.clock.advance(400 * DAY);
        expect(await stand.fixture.sweep('account-deletions')).toBe(0);
      },
    },
    stays: {
      'with a wrong token, and with one of a deletion before': async (stand) => {
        const { account, token } = await leavingAccount(stand);
        await cancel(stand, token);
        expect((await requestDeletion(stand, account)).answer.status).toBe(204);
        for (const wrong of [token, 'x'.repeat(43)]) {
          expectRefusal(await cancel(stand, wrong), 400, 'invalid_input');
        }
        expectRefusal(await trySignIn(stand, account), 401, 'unauthorized');
        await cancel(stand, newestToken(stand.fixture, account.email));
      },
      'after the grace period': async (stand) => {
        const { account, token } = await leavingAccount(stand);
        stand.fixture.clock.advance(stand.fixture.config.accounts.deletion_grace_days * DAY);
        expectRefusal(await cancel(stand, token), 400, 'invalid_input');
        expectRefusal(await trySignIn(stand, account), 401, 'unauthorized');
        expect(await stand.fixture.sweep('account-deletions')).toBe(1);
      },
    },
  },

  'Account: locked for deletion, the grace period ends': {
    moves: {
      'to deleted, and its address is free': async (stand) => {
        const { account } = await leavingAccount(stand);
        stand.fixture.clock.advance(stand.fixture.config.accounts.deletion_grace_days * DAY);
        expect(await stand.fixture.sweep('account-deletions')).toBe(1);
        const { email, password } = account;
        const body = { email, password, display_name: 'Newcomer' };
        expect((await api(stand.fixture, null).post('/api/v1/developers', body)).status).toBe(202);
        const token = newestToken(stand.fixture, email);
        expect((await api(stand.fixture, null).post('/api/v1/developers/verify_email', { token })).status).toBe(200);
        expect((await trySignIn(stand, account)).status).toBe(200);
      },
    },
    stays: {
      before: async (stand) => {
        const { account, token } = await leavingAccount(stand);
        stand.fixture.clock.advance(stand.fixture.config.accounts.deletion_grace_days * DAY - SECOND);
        expect(await stand.fixture.sweep('account-deletions')).toBe(0);
        expect((await cancel(stand, token)).status).toBe(200);
        expect((await trySignIn(stand, account)).status).toBe(200);
      },
    },
  },
};
