// Required single sign-on: members who may only sign in through the identity provider
// (docs/specification/single-sign-on.md#required-single-sign-on).
import type { DeveloperActor } from '../core/actor.ts';
import type { App, Context } from '../core/context.ts';
import { AppError } from '../lib/errors.ts';
import { domainOfAddress } from '../saml/domain-name.ts';
import { serviceProvider } from '../saml/names.ts';
import { findDomainOwner, findSsoSession, isMember } from './store.ts';

type Person = Pick<DeveloperActor, 'id' | 'email'>;

/** Returns the organization that requires single sign-on for an address, or undefined. */
export function findRequiringOrganization(app: App, email: string): string | undefined {
  const domain = domainOfAddress(email);
  const owner = domain === undefined ? undefined : findDomainOwner(app, domain);
  return owner?.isEnabled === true && owner.isRequired === true ? owner.organizationId : undefined;
}

/** Returns whether an organization requires single sign-on for an address. */
export function requiresSso(app: App, organizationId: string, email: string): boolean {
  return findRequiringOrganization(app, email) === organizationId;
}

/**
 * Returns the error for a sign-in by password, passkey or email of a member whose address is in a verified domain of an
 * organization that requires single sign-on. Returns undefined for all others, including guests with other addresses.
 * Call it only after the user is authenticated.
 */
export function findSsoRefusal(app: App, { id, email }: Person): AppError | undefined {
  const organizationId = findRequiringOrganization(app, email);
  if (organizationId === undefined || !isMember(app, organizationId, id)) return undefined;
  return refusal(app, organizationId);
}

/**
 * Throws the same error for a person who joins an organization that requires single sign-on for their address with a session that
 * didn't begin with its identity provider.
 */
export function checkSsoOfNewMember(app: Context, organizationId: string, email: string): void {
  if (!requiresSso(app, organizationId, email)) return;
  const sessionId = app.actor.kind === 'developer' ? app.actor.sessionId : '';
  if (findSsoSession(app, organizationId, sessionId) === undefined) throw refusal(app, organizationId);
}

const refusal = (app: App, organizationId: string): AppError =>
  ssoRequired(serviceProvider(app, organizationId).loginUrl);

/** Returns the error for people whose organization requires single sign-on, with the address at which they can sign in. */
export function ssoRequired(loginUrl: string): AppError {
  return new AppError('permission_denied', 'Your organization requires signing in through its identity provider', {
    reason: 'sso_required',
    login_url: loginUrl,
  });
}
