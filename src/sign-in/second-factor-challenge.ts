// Two-factor authentication during a sign-in: starts after a correct password or emailed code and must be completed
// within five minutes.

import type { App, Tx } from '../core/context.ts';
import { type DeveloperRow, findDeveloper } from '../developers/store.ts';
import type { SignInMethod } from '../lib/sign-in-methods.ts';
import { findChallenge, findChallengeByToken, openChallenge } from '../second-factors/challenges.ts';
import { listMethods } from '../second-factors/factors.ts';
import type { SecondFactorMethod } from '../second-factors/schema.ts';

const MFA_TOKEN_PREFIX = 'svc_mfa_';

/** What was verified before the two-factor method. */
type FirstMethod = Extract<SignInMethod, 'password' | 'email'>;

export interface PendingTwoFactor {
  challengeId: string;
  developer: DeveloperRow;
  byCookie: boolean;
  method: FirstMethod;
}

/**
 * Starts two-factor authentication for an account after a correct password or emailed code. Returns undefined if the
 * account doesn't use it. The token is returned once and stored as a hash.
 */
export function startTwoFactor(
  tx: Tx,
  developer: DeveloperRow,
  byCookie: boolean,
  method: FirstMethod = 'password',
): { mfa_required: true; mfa_token: string; methods: SecondFactorMethod[] } | undefined {
  const methods = listMethods(tx, developer);
  if (methods.length === 0) return undefined;
  const token = tx.secrets.token(MFA_TOKEN_PREFIX);
  openChallenge(tx, {
    kind: 'mfa_login',
    developerId: developer.id,
    token,
    data: { byCookie, method, first: firstMark(tx, developer, method) },
  });
  return { mfa_required: true, mfa_token: token, methods };
}

/**
 * Returns a value that changes with what was verified: the password, and the address of an emailed code. So pending sign-ins end
 * when it changes.
 */
function firstMark(app: App, { passwordHash, email }: DeveloperRow, method: FirstMethod): string {
  return app.secrets.hash(`${passwordHash ?? ''} ${method === 'email' ? email : ''}`);
}

/**
 * Returns the pending sign-in of a token, or undefined if it is unknown, used or expired, or if the password or the address of
 * the code was changed.
 */
export function findPendingTwoFactor(app: App, mfaToken: string): PendingTwoFactor | undefined {
  return toPendingTwoFactor(app, findChallengeByToken(app, 'mfa_login', mfaToken));
}

/** Returns the pending sign-in of an id. */
export function findPendingTwoFactorById(app: App, id: string): PendingTwoFactor | undefined {
  return toPendingTwoFactor(app, findChallenge(app, 'mfa_login', id));
}

function toPendingTwoFactor(app: App, challenge: ReturnType<typeof findChallenge>): PendingTwoFactor | undefined {
  const developer = challenge?.developerId == null ? undefined : findDeveloper(app, challenge.developerId);
  if (challenge === undefined || developer === undefined) return undefined;
  const method = challenge.data.method === 'email' ? 'email' : 'password';
  if (challenge.data.first !== firstMark(app, developer, method)) return undefined;
  return { challengeId: challenge.id, developer, byCookie: challenge.data.byCookie === true, method };
}
