// First-run setup: while the installation has no operator, a single-use link creates one. There is no default password.

import type { App, Context, Tx } from '../core/context.ts';
import { createContext, systemContext } from '../core/transact.ts';
import { passwordsOf } from '../developers/password.ts';
import * as store from '../developers/store.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { SETUP_LINK_LIFETIME_MS } from '../lib/lifetimes.ts';
import { programName } from '../lib/process.ts';
import { fieldError } from '../lib/validation.ts';
import { MAX_ORGANIZATION_NAME } from '../organizations/schema.ts';
import type { Setup } from './schema.ts';
import { addDeveloper, type CreatedDeveloper, checkNewPassword } from './service.ts';
import { makeOperator } from './setup-takeover.ts';

/** Returns whether the server must still be set up: it has no operator, regardless of other accounts. */
export function isSetupPending(app: Pick<App, 'db'>): boolean {
  return !store.hasOperator(app);
}

/** Throws `operation_not_allowed` until the server is set up, so that nobody gets an account before its owner. */
export function requireSetupDone(app: Pick<App, 'db'>): void {
  if (!isSetupPending(app)) return;
  throw new AppError(
    'operation_not_allowed',
    `This server isn't set up yet. The output of the server contains the setup link. Run \`${programName()} setup-link\` for a new one`,
  );
}

/**
 * Creates a link for creating the operator and an organization. It works once and expires in 30 minutes. Earlier links
 * stop working. Throws `operation_not_allowed` if there is an operator.
 */
export function createSetupLink(app: App): string {
  const token = app.secrets.token();
  systemContext(app).transact(
    (tx) => {
      if (!isSetupPending(tx)) {
        const more =
          'Create accounts with "taxiway developer create", and set passwords with "taxiway developer reset-password"';
        throw new AppError('operation_not_allowed', `This server is already set up. ${more}`);
      }
      store.replaceSetupLink(tx, tx.secrets.hash(token), tx.now + SETUP_LINK_LIFETIME_MS);
    },
    { bookkeeping: true },
  );
  return `${app.config.server.base_url}/setup/${token}`;
}

/** Creates a setup link if the server must be set up and no valid link exists. Otherwise returns undefined. */
export function renewSetupLink(app: App): string | undefined {
  if (!isSetupPending(app) || store.hasUsableSetupLink(app, app.clock.time())) return undefined;
  return createSetupLink(app);
}

/** Returns whether a setup link still works. */
export function isSetupOpen(app: App, token: string): boolean {
  return isSetupPending(app) && store.isSetupLinkUsable(app, app.secrets.hash(token), app.clock.time());
}

/**
 * Creates the operator, with a verified address, and the organization. If the address already has an account, that
 * account becomes the operator: a verified one with its current password, an unverified one with the new password,
 * because anyone may have created it. Throws `not_found` for a link that is unknown, used or expired (of concurrent
 * uses, one succeeds), and `validation_error` for a password that is incorrect or too weak.
 */
export async function completeSetup(
  ctx: Context,
  token: string,
  body: Setup,
): Promise<CreatedDeveloper & { organizationId: string }> {
  if (!isSetupOpen(ctx, token)) throw notFound();
  const existing = store.findDeveloperByEmail(ctx, body.email);
  const isKept = existing !== undefined && existing.emailVerifiedAt !== null;
  const passwordHash = isKept
    ? await requireCurrentPassword(ctx, body.password, existing.passwordHash)
    : await hashNewPassword(ctx, body);
  // Nobody is signed in yet, so the program itself creates the account.
  return createContext(ctx, { kind: 'system' }, ctx.request).transact((tx) => {
    if (!isSetupPending(tx) || !store.consumeSetupLink(tx, tx.secrets.hash(token))) throw notFound();
    return createOperator(tx, body, passwordHash);
  });
}

function createOperator(tx: Tx, body: Setup, passwordHash: string): CreatedDeveloper & { organizationId: string } {
  const { email, display_name: displayName } = body;
  const organizationName = body.organization_name ?? nameOrganization(displayName);
  const existing = store.findDeveloperByEmail(tx, email);
  if (existing !== undefined) return makeOperator(tx, existing, { passwordHash, displayName, organizationName });
  const facts = { email, passwordHash, displayName, organizationName, isVerified: true, isOperator: true };
  const { developerId, organizationId } = addDeveloper(tx, facts);
  if (organizationId === null) throw new Error('The setup created no organization');
  return { developerId, organizationId };
}

/** Returns the default name of a person's organization. */
function nameOrganization(displayName: string): string {
  const end = "'s team";
  return `${displayName
    .slice(0, MAX_ORGANIZATION_NAME - end.length)
    .toWellFormed()
    .trim()}${end}`;
}

function hashNewPassword(ctx: Context, body: Setup): Promise<string> {
  const { email, display_name: displayName, organization_name: organizationName } = body;
  checkNewPassword(ctx, body.password, { email, displayName, organizationName });
  return passwordsOf(ctx).hash(body.password);
}

async function requireCurrentPassword(ctx: Context, password: string, stored: string | null): Promise<string> {
  if (stored !== null && (await passwordsOf(ctx).verify(password, stored))) return stored;
  const message = 'This address already has an account. Enter its current password, or use another address';
  throw fieldError('body', ['password'], 'value_error', message);
}

/** Deletes links that expired before a moment. Returns the number deleted. */
export function deleteExpiredSetupLinks(ctx: Context, before: number): number {
  return ctx.transact((tx) => store.deleteEndedSetupLinks(tx, before), { bookkeeping: true });
}
