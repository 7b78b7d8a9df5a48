// The account of an address when access is granted to it.

import { mayWrite } from '../core/actor.ts';
import type { App } from '../core/context.ts';
import { joinsByEmail } from '../developers/email-codes.ts';
import { type DeveloperRow, findDeveloperByEmail, isAbandoned } from '../developers/store.ts';
import type { WayIn } from '../mail/texts/texts.ts';

/**
 * Returns the account of an address, verified or not (docs/specification/testers.md#tester-grants). An unverified
 * account can't use the access before its address is verified. It doesn't count if it can do that already, because an
 * inviter vouched for it, or if it is scheduled for deletion: the access is for the person who verifies the address.
 */
export function findAccountByEmail(app: Pick<App, 'db'>, email: string): DeveloperRow | undefined {
  const developer = findDeveloperByEmail(app, email);
  if (developer === undefined || isAbandoned(developer)) return undefined;
  return developer.emailVerifiedAt === null && mayWrite(developer) ? undefined : developer;
}

/**
 * Returns how a person who was granted access gets in. While sign-up is closed, only the operator and the first single sign-on create
 * accounts.
 */
export function wayInOf(app: Pick<App, 'config'>, { hasAccount }: { hasAccount: boolean }): WayIn {
  if (hasAccount) return 'account';
  if (joinsByEmail(app)) return 'email_code';
  return app.config.accounts.signup === 'closed' ? 'operator' : 'sign_up';
}
