// Starts a sign-in through the identity provider of an organization, with its protocol.

import type { Context } from '../../core/context.ts';
import type { Reply } from '../../http/reply.ts';
import type { SsoLoginQuery } from '../../sso/schema.ts';
import { findEnabled } from './admission.ts';
import { beginOidcSignIn } from './oidc.ts';
import { beginSamlSignIn } from './saml.ts';

/** Redirects a browser to the identity provider. Throws `not_found` if single sign-on isn't enabled. */
export async function beginSignIn(ctx: Context, organizationId: string, query: SsoLoginQuery): Promise<Reply> {
  const connection = findEnabled(ctx, organizationId);
  return connection.kind === 'oidc' ? beginOidcSignIn(ctx, connection, query) : beginSamlSignIn(ctx, connection, query);
}
