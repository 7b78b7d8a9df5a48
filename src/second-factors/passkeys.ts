// The rules for passkeys: registering, renaming and removing them.

import type { App, DeveloperContext, SteppedUpContext, Tx } from '../core/context.ts';
import { type Page, type PageRequest, readPage } from '../core/paging.ts';
import { sendsEmailCodes } from '../developers/email-codes.ts';
import { loadDeveloper } from '../developers/store.ts';
import { timestamp } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { findProviderOf } from '../sso/store.ts';
import { openChallenge, takeChallenge } from './challenges.ts';
import { notePasskeys } from './factors.ts';
import { notifyOwner } from './notices.ts';
import type { Passkey, PasskeyChange, RegistrationBegin, RegistrationFinish } from './schema.ts';
import { resumeStepUp } from './step-up.ts';
import * as store from './store.ts';
import { creationOptions, type NewCredential, newChallenge, verifyAttestation } from './webauthn.ts';

function toPasskey(row: store.PasskeyRow): Passkey {
  return {
    identifier: row.id,
    name: row.name,
    transports: JSON.parse(row.transports),
    backed_up: row.isBackedUp,
    created_at: timestamp(row.createdAt),
    last_used_at: row.lastUsedAt === null ? null : timestamp(row.lastUsedAt),
    suspended: row.suspendedAt !== null,
  };
}

/** Returns the caller's passkeys, newest first. */
export function listPasskeys(ctx: DeveloperContext, request: PageRequest): Page<Passkey> {
  return readPage(ctx, request, (before, limit) => store.listPasskeys(ctx, ctx.actor.id, before, limit), toPasskey);
}

/** Throws `quota_exceeded` if the caller has the maximum number of passkeys. */
export function checkPasskeyLimit(ctx: DeveloperContext): void {
  checkLimit(ctx, ctx.actor.id);
}

function checkLimit(app: App, developerId: string): void {
  const max = app.config.limits.passkeys_per_developer;
  if (store.countPasskeys(app, developerId) < max) return;
  throw new AppError('quota_exceeded', `An account can have at most ${max} passkeys`, { limit: max });
}

/** Starts the registration of a passkey, which the same session must finish. Throws `quota_exceeded`. */
export async function beginRegistration(ctx: SteppedUpContext): Promise<RegistrationBegin> {
  const { id: developerId, email, displayName, sessionId } = ctx.actor;
  checkPasskeyLimit(ctx);
  const challenge = newChallenge(ctx);
  const opened = ctx.transact(
    (tx) => ({
      handle: store.provideHandle(tx, developerId, tx.secrets.token()),
      challengeId: openChallenge(tx, { kind: 'passkey_register', developerId, data: { challenge, sessionId } }),
    }),
    { bookkeeping: true },
  );
  const options = await creationOptions(ctx, {
    challenge,
    handle: opened.handle,
    email,
    displayName,
    existing: store.listAllPasskeys(ctx, developerId),
  });
  return { challenge_id: opened.challengeId, options };
}

/**
 * Registers the passkey created by the browser, in the session that started the registration with a step-up. The
 * challenge is consumed in any case. Throws `invalid_input` for an invalid credential, `already_exists` for a
 * registered one, and `quota_exceeded` at the limit, also for concurrent requests.
 */
export async function finishRegistration(ctx: DeveloperContext, body: RegistrationFinish): Promise<Passkey> {
  const challenge = takeChallenge(ctx, 'passkey_register', body.challenge_id);
  if (challenge === undefined || challenge.developerId !== ctx.actor.id) throw unusableRegistration();
  const own = resumeStepUp(ctx, challenge.data.sessionId);
  if (own === undefined) throw unusableRegistration();
  const credential = await verifyAttestation(ctx, body.credential, String(challenge.data.challenge));
  if (credential === undefined) throw unusableRegistration();
  return own.transact((tx) => toPasskey(addPasskey(tx, ctx.actor, credential, body.name)));
}

/**
 * Adds a verified passkey to an account in a transaction, records it and emails the owner. Throws `already_exists` for a
 * registered one and `quota_exceeded` at the limit.
 */
export function addPasskey(
  tx: Tx,
  owner: { id: string; email: string },
  credential: NewCredential,
  name: string,
): store.PasskeyRow {
  checkLimit(tx, owner.id);
  if (store.findPasskeyByCredential(tx, credential.credentialId) !== undefined) {
    throw new AppError('already_exists', 'This passkey is already registered');
  }
  const row: store.PasskeyRow = {
    ...credential,
    id: tx.ids.next(),
    developerId: owner.id,
    name,
    transports: JSON.stringify(credential.transports),
    createdAt: tx.now,
    lastUsedAt: null,
    suspendedAt: null,
  };
  store.insertPasskey(tx, row);
  notePasskeys(tx, owner.id);
  record(tx, 'passkey.registered', row);
  notifyOwner(tx, owner, 'passkey_registered', name);
  return row;
}

/** The error for a registration that is invalid, has expired or was started by another session or link. */
export function unusableRegistration(): AppError {
  return new AppError('invalid_input', 'The passkey registration is invalid or has expired. Start over', {
    field: 'credential',
  });
}

function record(
  tx: Tx,
  event: 'passkey.registered' | 'passkey.edited' | 'passkey.removed',
  { id, developerId, name }: store.PasskeyRow,
): void {
  tx.record(event, { identifier: developerId, organizationId: null, developerId, details: { passkey_id: id, name } });
}

/** Throws `not_found` for a passkey of another account. */
export function requireOwnPasskey(ctx: DeveloperContext, id: string): void {
  store.loadPasskey(ctx, ctx.actor.id, id);
}

/**
 * Throws `not_found` for a passkey of another account, and `operation_not_allowed` if nothing else would sign the caller in:
 * without a password and an identity provider, on a server that sends no email.
 */
export function checkPasskeyRemoval(ctx: DeveloperContext, id: string): void {
  requireOwnPasskey(ctx, id);
  const { passwordHash, passkeyCount } = loadDeveloper(ctx, ctx.actor.id);
  if (passwordHash !== null || passkeyCount > 1) return;
  if (sendsEmailCodes(ctx) || findProviderOf(ctx, ctx.actor.id) !== undefined) return;
  throw new AppError(
    'operation_not_allowed',
    'This passkey is your only way to sign in. Add another one, or set a password with a password reset',
    { reason: 'only_sign_in_method' },
  );
}

/** Renames a passkey. Nothing is recorded if nothing changes. */
export function changePasskey(ctx: SteppedUpContext, id: string, change: PasskeyChange): Passkey {
  return ctx.transact((tx) => {
    const row = store.loadPasskey(tx, ctx.actor.id, id);
    const { name = row.name } = change;
    if (name === row.name) return toPasskey(row);
    store.renamePasskey(tx, id, name);
    record(tx, 'passkey.edited', { ...row, name });
    return toPasskey({ ...row, name });
  });
}

/**
 * Removes a passkey. If it was the last two-factor method, organizations that require one reject the account until it
 * has one again. Throws the errors of checkPasskeyRemoval.
 */
export function removePasskey(ctx: SteppedUpContext, id: string): void {
  ctx.transact((tx) => {
    checkPasskeyRemoval(ctx, id);
    dropPasskey(tx, ctx.actor, store.loadPasskey(tx, ctx.actor.id, id));
  });
}

/** Removes a passkey in a transaction, records it and emails the owner. */
export function dropPasskey(tx: Tx, owner: { email: string }, row: store.PasskeyRow): void {
  store.deletePasskey(tx, row.id);
  notePasskeys(tx, row.developerId);
  record(tx, 'passkey.removed', row);
  notifyOwner(tx, owner, 'passkey_removed', row.name);
}
