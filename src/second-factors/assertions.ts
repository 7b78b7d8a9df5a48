// Proofs by passkey: a challenge is opened, the browser answers once, and the use is noted with its counter.
import type { Context, Tx } from '../core/context.ts';
import { type Challenge, type ChallengeKind, openChallenge, takeChallenge } from './challenges.ts';
import type { AuthenticationBegin, AuthenticationFinish } from './schema.ts';
import { advancePasskey, findHandle, findPasskeyByCredential, listAllPasskeys, type PasskeyRow } from './store.ts';
import { newChallenge, type ProvenUse, requestOptions, verifyAssertion } from './webauthn.ts';

type AssertionKind = Extract<ChallengeKind, 'passkey_login' | 'passkey_mfa' | 'passkey_step_up'>;

export interface Proof {
  challenge: Challenge;
  passkey: PasskeyRow;
  use: ProvenUse;
}

/** Opens an exchange: for the passkeys of one account, or without one for any passkey of this service. */
export async function beginAssertion(
  ctx: Context,
  { kind, developerId, data = {} }: { kind: AssertionKind; developerId: string | null; data?: Record<string, unknown> },
): Promise<AuthenticationBegin> {
  const challenge = newChallenge(ctx);
  const options = await requestOptions(ctx, {
    challenge,
    ...(developerId === null ? {} : { passkeys: listAllPasskeys(ctx, developerId) }),
  });
  const challengeId = ctx.transact((tx) => openChallenge(tx, { kind, developerId, data: { ...data, challenge } }), {
    bookkeeping: true,
  });
  return { challenge_id: challengeId, options };
}

/**
 * What the browser's answer to an exchange proves; undefined when nothing. The challenge is consumed either way. The use
 * counts only once `spendProof` has noted it.
 */
export async function checkAssertion(
  ctx: Context,
  kind: AssertionKind,
  { challenge_id, credential }: AuthenticationFinish,
): Promise<Proof | undefined> {
  const challenge = takeChallenge(ctx, kind, challenge_id);
  const passkey = findPasskeyByCredential(ctx, credential.id);
  if (challenge === undefined || passkey === undefined) return undefined;
  if (challenge.developerId !== null && challenge.developerId !== passkey.developerId) return undefined;
  const handle = credential.response.userHandle ?? undefined;
  // Without an account named beforehand, the authenticator names it (WebAuthn Level 3, 7.2 step 6).
  const needsHandle = challenge.developerId === null;
  if ((needsHandle || handle !== undefined) && handle !== findHandle(ctx, passkey.developerId)) return undefined;
  const use = await verifyAssertion(ctx, credential, String(challenge.data.challenge), passkey);
  return use === undefined ? undefined : { challenge, passkey, use };
}

/** Notes the use of a passkey; false when it was removed or its counter did not grow, as that of a copy does not. */
export function spendProof(tx: Tx, { passkey, use }: Proof): boolean {
  return advancePasskey(tx, passkey.id, use);
}
