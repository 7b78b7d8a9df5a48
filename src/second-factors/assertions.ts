// Verification of passkeys: a challenge is created, the browser signs it once, and the use is saved with its counter.
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

/** Creates a challenge for the passkeys of one account, or without an account for any passkey of this server. */
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
 * Verifies the browser's response to a challenge and returns the proof, or undefined if it is invalid. The challenge is
 * consumed in either case. The use counts only after `spendProof`.
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
  // Without a known account, the authenticator identifies it (WebAuthn Level 3, 7.2 step 6).
  const needsHandle = challenge.developerId === null;
  if ((needsHandle || handle !== undefined) && handle !== findHandle(ctx, passkey.developerId)) return undefined;
  const use = await verifyAssertion(ctx, credential, String(challenge.data.challenge), passkey);
  return use === undefined ? undefined : { challenge, passkey, use };
}

/**
 * Saves the use of a passkey. Returns false if the passkey was removed or its counter didn't increase, as with a copied
 * passkey.
 */
export function spendProof(tx: Tx, { passkey, use }: Proof): boolean {
  return advancePasskey(tx, passkey.id, use);
}
