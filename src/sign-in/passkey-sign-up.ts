// Sign-up with the link of an invitation and a passkey instead of a password
// (docs/specification/identity.md#sign-up-with-an-invitation).

import type { App, Context } from '../core/context.ts';
import type { Reply } from '../http/reply.ts';
import { rejectForeignOrigin } from '../http/same-origin.ts';
import type { InvitationKind } from '../invitations/schema.ts';
import { findChallenge, openChallenge, takeChallenge } from '../second-factors/challenges.ts';
import { unusableRegistration } from '../second-factors/passkeys.ts';
import type { RegistrationBegin } from '../second-factors/schema.ts';
import { creationOptions, newChallenge, verifyAttestation } from '../second-factors/webauthn.ts';
import { completeSignUp, openForSignUp } from './invited-sign-up.ts';
import { answerTokens } from './issue.ts';
import type { PasskeySignUpBegin, PasskeySignUpFinish, TokenResponse } from './schema.ts';

const KIND = 'passkey_sign_up';

/**
 * Starts a sign-up with a passkey, which the same link must finish. Creates no account. Throws the errors of
 * signUpInvited.
 */
export async function beginPasskeySignUp(
  ctx: Context,
  kind: InvitationKind,
  { invite_token: token, display_name: displayName }: PasskeySignUpBegin,
): Promise<RegistrationBegin> {
  const { email } = openForSignUp(ctx, kind, token).invitation;
  const challenge = newChallenge(ctx);
  const data = { challenge, link: ctx.secrets.hash(token) };
  const challengeId = ctx.transact((tx) => openChallenge(tx, { kind: KIND, developerId: null, data }), {
    bookkeeping: true,
  });
  const handle = handleOf(ctx, token);
  const options = await creationOptions(ctx, { challenge, handle, email, displayName, existing: [] });
  return { challenge_id: challengeId, options };
}

/**
 * Creates the account with the passkey that the browser created, accepts the invitation and signs in. Of concurrent sign-ups
 * with an invitation, by passkey or password, one succeeds. Throws the errors of signUpInvited, and `invalid_input` for an
 * invalid passkey or a challenge that isn't open or belongs to another link.
 */
export async function finishPasskeySignUp(
  ctx: Context,
  kind: InvitationKind,
  body: PasskeySignUpFinish,
): Promise<TokenResponse | Reply> {
  if (body.cookies) rejectForeignOrigin(ctx, ctx.request.header);
  const { invite_token: token, display_name: displayName, name } = body;
  openForSignUp(ctx, kind, token);
  // Only the link that opened a challenge can use it up.
  const pending = findChallenge(ctx, KIND, body.challenge_id);
  if (pending?.data.link !== ctx.secrets.hash(token)) throw unusableRegistration();
  const challenge = takeChallenge(ctx, KIND, body.challenge_id);
  if (challenge === undefined) throw unusableRegistration();
  const credential = await verifyAttestation(ctx, body.credential, String(challenge.data.challenge));
  if (credential === undefined) throw unusableRegistration();
  const passkey = { credential, handle: handleOf(ctx, token), name };
  const signedIn = completeSignUp(ctx, kind, token, { displayName, passwordHash: null, passkey });
  return answerTokens(ctx, signedIn, body.cookies);
}

/**
 * Returns the user handle of the account that a link will create. It is the same for each attempt, so that the device replaces
 * the passkey of an attempt that failed instead of keeping both.
 */
function handleOf({ secrets }: Pick<App, 'secrets'>, token: string): string {
  return Buffer.from(secrets.hash(`passkey user handle ${token}`), 'hex').toString('base64url');
}
