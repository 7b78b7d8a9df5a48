// States of refresh tokens, sessions and accounts.
import { expect } from 'vitest';
import { DAY, SECOND } from '../../../src/lib/clock.ts';
import { type Account, api, createAccount, expectRefusal, signIn } from '../../support/harness.ts';
import { mailKinds, newestToken } from '../../support/mailbox.ts';
import type { TesterScenario } from '../../testers/scenario.ts';
import type { Shows } from './move.ts';

type Tokens = { access_token: string; refresh_token: string };

const refresh = ({ fixture }: TesterScenario, token: string) =>
  api(fixture, null).post<Tokens>('/api/v1/login/refresh', { refresh_token: token });
const statusOf = async ({ fixture }: TesterScenario, token: string) =>
  (await api(fixture, token).get('/api/v1/developers/me')).status;
const makeAccount = ({ fixture }: TesterScenario) => createAccount(fixture);
const trySignIn = ({ fixture }: TesterScenario, { email, password }: Account) =>
  api(fixture, null).post('/api/v1/login', { email, password });
const cancel = ({ fixture }: TesterScenario, token: string) =>
  api(fixture, null).post('/api/v1/developers/cancel_deletion', { token });

/** Whether neither token of a session does anything anymore. Spends the refresh token where it still would. */
async function isOver(scenario: TesterScenario, tokens: Tokens): Promise<boolean> {
  if ((await statusOf(scenario, tokens.access_token)) !== 401) return false;
  return (await refresh(scenario, tokens.refresh_token)).status === 401;
}

async function requestDeletion(scenario: TesterScenario, account: Account, password = account.password) {
  const { client } = await signIn(scenario.fixture, account);
  const path = `/api/v1/developers/${account.developer_id}`;
  return { client, answer: await client.send('DELETE', path, { body: { current_password: password } }) };
}

async function leavingAccount(scenario: TesterScenario) {
  const account = await makeAccount(scenario);
  expect((await requestDeletion(scenario, account)).answer.status).toBe(204);
  return { account, token: newestToken(scenario.fixture, account.email) };
}

export const accountShows: Shows = {
  'Refresh token: unused, exchange': {
    moves: {
      'to consumed, and a new pair works': async (scenario) => {
        const first = await signIn(scenario.fixture, await makeAccount(scenario));
        const second = await refresh(scenario, first.refresh_token);
        expect(second.status).toBe(200);
        expect(second.body.refresh_token).not.toBe(first.refresh_token);
        expect(await statusOf(scenario, second.body.access_token)).toBe(200);
        expect((await refresh(scenario, second.body.refresh_token)).status).toBe(200);
      },
    },
    stays: {
      'for all but one of many simultaneous requests': async (scenario) => {
        const { refresh_token } = await signIn(scenario.fixture, await makeAccount(scenario));
        const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(scenario, refresh_token)));
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      },
      'when it has expired': async (scenario) => {
        const { refresh_token } = await signIn(scenario.fixture, await makeAccount(scenario));
        scenario.fixture.clock.advance(30 * DAY);
        expectRefusal(await refresh(scenario, refresh_token), 401, 'unauthorized');
      },
    },
  },

  'Refresh token: used, exchange': {
    moves: {
      'to the end of every token of that sign-in; signing in again works': async (scenario) => {
        const account = await makeAccount(scenario);
        const first = await signIn(scenario.fixture, account);
        const second = (await refresh(scenario, first.refresh_token)).body;
        const third = (await refresh(scenario, second.refresh_token)).body;
        expectRefusal(await refresh(scenario, first.refresh_token), 401, 'unauthorized');
        for (const tokens of [first, second, third]) expect(await isOver(scenario, tokens)).toBe(true);
        expect((await trySignIn(scenario, account)).status).toBe(200);
      },
    },
    stays: {
      'for other sign-ins of the same account': async (scenario) => {
        const account = await makeAccount(scenario);
        const other = await signIn(scenario.fixture, account);
        const first = await signIn(scenario.fixture, account);
        await refresh(scenario, first.refresh_token);
        await refresh(scenario, first.refresh_token);
        expect(await statusOf(scenario, other.access_token)).toBe(200);
        expect((await refresh(scenario, other.refresh_token)).status).toBe(200);
      },
    },
  },

  'Session: active, revoke, revoke all or sign out': {
    moves: {
      'by revoking one': async (scenario) => {
        const account = await makeAccount(scenario);
        const [lost, kept] = [await signIn(scenario.fixture, account), await signIn(scenario.fixture, account)];
        expect((await kept.client.delete(`/api/v1/sessions/${lost.session_id}`)).status).toBe(204);
        expect(await isOver(scenario, lost)).toBe(true);
        expect(await statusOf(scenario, kept.access_token)).toBe(200);
      },
      'by revoking all, and outstanding access tokens with them': async (scenario) => {
        const account = await makeAccount(scenario);
        const [one, two] = [await signIn(scenario.fixture, account), await signIn(scenario.fixture, account)];
        const newer = (await refresh(scenario, one.refresh_token)).body;
        expect((await two.client.delete('/api/v1/sessions')).status).toBe(204);
        for (const token of [one.access_token, newer.access_token, two.access_token]) {
          expect(await statusOf(scenario, token)).toBe(401);
        }
        for (const tokens of [newer, two]) expect(await isOver(scenario, tokens)).toBe(true);
      },
      'by signing out, that one alone': async (scenario) => {
        const account = await makeAccount(scenario);
        const [ended, kept] = [await signIn(scenario.fixture, account), await signIn(scenario.fixture, account)];
        expect((await ended.client.post('/api/v1/login/logout')).status).toBe(204);
        expect(await isOver(scenario, ended)).toBe(true);
        expect(await statusOf(scenario, kept.access_token)).toBe(200);
      },
    },
    stays: {
      'when another person revokes theirs': async (scenario) => {
        const victim = await signIn(scenario.fixture, await makeAccount(scenario));
        const { client } = await signIn(scenario.fixture, await makeAccount(scenario));
        expectRefusal(await client.delete(`/api/v1/sessions/${victim.session_id}`), 404, 'not_found');
        expect((await client.delete('/api/v1/sessions')).status).toBe(204);
        expect(await statusOf(scenario, victim.access_token)).toBe(200);
      },
    },
  },

  'Account: active, request deletion': {
    moves: {
      'to locked and scheduled, with an email': async (scenario) => {
        const account = await makeAccount(scenario);
        const { answer, client } = await requestDeletion(scenario, account);
        expect(answer.status).toBe(204);
        expectRefusal(await client.get('/api/v1/developers/me'), 401, 'unauthorized');
        expectRefusal(await trySignIn(scenario, account), 401, 'unauthorized');
        expect(mailKinds(scenario.fixture, account.email)).toContain('deletion_requested');
        await cancel(scenario, newestToken(scenario.fixture, account.email));
      },
    },
    stays: {
      'for the only administrator of an organization': async (scenario) => {
        const { fixture } = scenario;
        const account = { ...fixture.admin };
        expectRefusal((await requestDeletion(scenario, account)).answer, 400, 'operation_not_allowed');
        expect((await trySignIn(scenario, account)).status).toBe(200);
      },
      'with a wrong password': async (scenario) => {
        const account = await makeAccount(scenario);
        expectRefusal((await requestDeletion(scenario, account, 'wrong')).answer, 403, 'permission_denied');
        expect((await trySignIn(scenario, account)).status).toBe(200);
        expect(mailKinds(scenario.fixture, account.email)).not.toContain('deletion_requested');
      },
    },
  },

  'Account: locked for deletion, cancel': {
    moves: {
      'to active, once': async (scenario) => {
        const { account, token } = await leavingAccount(scenario);
        expect((await cancel(scenario, token)).body).toEqual({ status: 'active' });
        expect((await trySignIn(scenario, account)).status).toBe(200);
        expectRefusal(await cancel(scenario, token), 400, 'invalid_input');
        scenario.fixture.clock.advance(400 * DAY);
        expect(await scenario.fixture.sweep('account-deletions')).toBe(0);
      },
    },
    stays: {
      'with a wrong token, and with one of a deletion before': async (scenario) => {
        const { account, token } = await leavingAccount(scenario);
        await cancel(scenario, token);
        expect((await requestDeletion(scenario, account)).answer.status).toBe(204);
        for (const wrong of [token, 'x'.repeat(43)]) {
          expectRefusal(await cancel(scenario, wrong), 400, 'invalid_input');
        }
        expectRefusal(await trySignIn(scenario, account), 401, 'unauthorized');
        await cancel(scenario, newestToken(scenario.fixture, account.email));
      },
      'after the grace period': async (scenario) => {
        const { account, token } = await leavingAccount(scenario);
        scenario.fixture.clock.advance(scenario.fixture.config.accounts.deletion_grace_days * DAY);
        expectRefusal(await cancel(scenario, token), 400, 'invalid_input');
        expectRefusal(await trySignIn(scenario, account), 401, 'unauthorized');
        expect(await scenario.fixture.sweep('account-deletions')).toBe(1);
      },
    },
  },

  'Account: locked for deletion, the grace period ends': {
    moves: {
      'to deleted, and its address is free': async (scenario) => {
        const { account } = await leavingAccount(scenario);
        scenario.fixture.clock.advance(scenario.fixture.config.accounts.deletion_grace_days * DAY);
        expect(await scenario.fixture.sweep('account-deletions')).toBe(1);
        const { email, password } = account;
        const body = { email, password, display_name: 'Newcomer' };
        expect((await api(scenario.fixture, null).post('/api/v1/developers', body)).status).toBe(202);
        const token = newestToken(scenario.fixture, email);
        expect((await api(scenario.fixture, null).post('/api/v1/developers/verify_email', { token })).status).toBe(200);
        expect((await trySignIn(scenario, account)).status).toBe(200);
      },
    },
    stays: {
      before: async (scenario) => {
        const { account, token } = await leavingAccount(scenario);
        scenario.fixture.clock.advance(scenario.fixture.config.accounts.deletion_grace_days * DAY - SECOND);
        expect(await scenario.fixture.sweep('account-deletions')).toBe(0);
        expect((await cancel(scenario, token)).status).toBe(200);
        expect((await trySignIn(scenario, account)).status).toBe(200);
      },
    },
  },
};
