// Required single sign-on: members who may only sign in through the identity provider
// (docs/specification/single-sign-on.md#required-single-sign-on).
import type { App } from '../core/context.ts';
import { AppError } from '../lib/errors.ts';
import { domainOfAddress } from '../saml/domain-name.ts';
import { serviceProvider } from '../saml/names.ts';
import { findDomainOwner, isMember } from './store.ts';

/**
 * Returns the error for a sign-in by password, passkey or email of a member whose address is in a verified domain of an
 * organization that requires single sign-on. Returns undefined for all others, including guests with other addresses.
 * Call it only after the user is authenticated.
 */
export function findSsoRefusal(app: App, developer: { id: string; email: string }): AppError | undefined {
  const domain = domainOfAddress(developer.email);
  const owner = domain === undefined ? undefined : findDomainOwner(app, domain);
  if (owner === undefined || owner.isEnabled !== true || owner.isRequired !== true) return undefined;
  if (!isMember(app, owner.organizationId, developer.id)) return undefined;
  return new AppError('permission_denied', 'Your organization requires signing in through its identity provider', {
    reason: 'sso_required',
    login_url: serviceProvider(app, owner.organizationId).loginUrl,
  });
}
