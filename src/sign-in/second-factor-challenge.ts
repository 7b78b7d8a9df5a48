// The second step of a sign-in by password: opened when the password was right, finished by a factor, within five minutes.

import type { App, Tx } from '../core/context.ts';
import { type DeveloperRow, findDeveloper } from '../developers/store.ts';
import { findChallenge, findChallengeByToken, openChallenge } from '../second-factors/challenges.ts';
import { listMethods } from '../second-factors/factors.ts';
import type { SecondFactorMethod } from '../second-factors/schema.ts';

const MFA_TOKEN_PREFIX = 'svc_mfa_';

export interface SecondStep {
  challengeId: string;
  developer: DeveloperRow;
  byCookie: boolean;
}

/**
 * Opens the second step for an account whose password was right; undefined for one without a second factor. The token is
 * answered once and kept as a hash.
 */
export function openSecondStep(
  tx: Tx,
  developer: DeveloperRow,
  byCookie: boolean,
): { mfa_required: true; mfa_token: string; methods: SecondFactorMethod[] } | undefined {
  const methods = listMethods(tx, developer);
  if (methods.length === 0) return undefined;
  const token = tx.secrets.token(MFA_TOKEN_PREFIX);
  openChallenge(tx, {
    kind: 'mfa_login',
    developerId: developer.id,
    token,
    data: { byCookie, password: passwordMark(tx, developer) },
  });
  return { mfa_required: true, mfa_token: token, methods };
}

/** Changes with the password, so that a step opened by an old one ends with it. */
function passwordMark(app: App, { passwordHash }: DeveloperRow): string {
  return app.secrets.hash(passwordHash ?? '');
}

/** The open second step that a token names; undefined when it is unknown, used or expired, or the password changed since. */
export function findSecondStep(app: App, mfaToken: string): SecondStep | undefined {
  return toSecondStep(app, findChallengeByToken(app, 'mfa_login', mfaToken));
}

/** The open second step of an id. */
export function findSecondStepById(app: App, id: string): SecondStep | undefined {
  return toSecondStep(app, findChallenge(app, 'mfa_login', id));
}

function toSecondStep(app: App, challenge: ReturnType<typeof findChallenge>): SecondStep | undefined {
  const developer = challenge?.developerId == null ? undefined : findDeveloper(app, challenge.developerId);
  if (challenge === undefined || developer === undefined) return undefined;
  if (challenge.data.password !== passwordMark(app, developer)) return undefined;
  return { challengeId: challenge.id, developer, byCookie: challenge.data.byCookie === true };
}
