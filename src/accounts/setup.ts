// The first run: while there is no account, a link that works once creates the first administrator. No default password.
import { MINUTE } from '../platform/clock.ts';
import type { App, Context } from '../platform/context.ts';
import { AppError, notFound } from '../platform/errors.ts';
import { createContext, systemContext } from '../platform/transact.ts';
import type { Setup } from './schema.ts';
import { addDeveloper, type CreatedDeveloper, checkNewPassword } from './service.ts';
import * as store from './store.ts';

const LIFETIME_MS = 30 * MINUTE;

/** Whether anybody has an account yet. */
export function hasAccounts(app: App): boolean {
  return store.hasDevelopers(app);
}

/**
 * A link that creates the first administrator: one use, 30 minutes; links made before end. Throws operation_not_allowed
 * once there is an account.
 */
export function createSetupLink(app: App): string {
  const token = app.secrets.token();
  systemContext(app).transact(
    (tx) => {
      if (hasAccounts(tx)) throw new AppError('operation_not_allowed', 'There is an account already');
      store.replaceSetupLink(tx, tx.secrets.hash(token), tx.now + LIFETIME_MS);
    },
    { bookkeeping: true },
  );
  return `${app.config.server.base_url}/setup/${token}`;
}

/** Whether a link would still work. */
export function isSetupOpen(app: App, token: string): boolean {
  return !hasAccounts(app) && store.isSetupLinkUsable(app, app.secrets.hash(token), app.clock.now().getTime());
}

/**
 * Creates the first administrator, verified and operator, and the organization. Throws not_found for a link that is
 * unknown, used or expired: of any number of uses at once, one wins.
 */
export async function completeSetup(
  ctx: Context,
  token: string,
  body: Setup,
): Promise<CreatedDeveloper & { organizationId: string }> {
  if (!isSetupOpen(ctx, token)) throw notFound();
  const { email, display_name: displayName, organization_name: organizationName } = body;
  checkNewPassword(ctx, body.password, { email, displayName, organizationName });
  const passwordHash = await ctx.passwords.hash(body.password);
  // Nobody is signed in yet; the program itself makes the account for whoever holds the link.
  return createContext(ctx, { kind: 'system' }, ctx.request).transact((tx) => {
    if (hasAccounts(tx) || !store.consumeSetupLink(tx, tx.secrets.hash(token))) throw notFound();
    const { developerId, organizationId } = addDeveloper(tx, {
      email: body.email,
      passwordHash,
      displayName: body.display_name,
      isVerified: true,
      isOperator: true,
      organizationName: body.organization_name,
    });
    if (organizationId === null) throw new Error('The setup made no organization');
    return { developerId, organizationId };
  });
}

/** Deletes links that have expired; answers how many. */
export function forgetEndedSetupLinks(ctx: Context, before: number): number {
  return ctx.transact((tx) => store.deleteEndedSetupLinks(tx, before), { bookkeeping: true });
}
