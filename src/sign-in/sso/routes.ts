// Sign-in and sign-out through an identity provider. Operations that receive the provider's messages are anonymous, because
// the message's signature is the credential (docs/specification/single-sign-on.md).
import { anonymous, interactive, type Operation, operation, redirect } from '../../http/operation.ts';
import { inOrganizationPath } from '../../lib/shapes.ts';
import { ssoLoginQuery, ssoLogoutQuery, ssoResponse } from '../../sso/schema.ts';
import { withErrorPage } from './error-page.ts';
import { beginLogout, handleLogout } from './logout.ts';
import { beginSignIn, completeSignIn } from './service.ts';

const tag = 'Single sign-on';
const path = '/api/v1/organizations/{organization_id}/sso';
const params = inOrganizationPath;

export const ssoSignInRoutes: Operation[] = [
  operation({
    id: 'beginSsoLogin',
    tag,
    summary: 'Redirect to the identity provider for signing in',
    method: 'get',
    path: `${path}/login`,
    rateLimit: 'token_exchange',
    access: anonymous,
    params,
    query: ssoLoginQuery,
    returns: redirect,
    status: 302,
    errors: [404],
    handle: (ctx, { params: { organization_id: id }, query }) => beginSignIn(ctx, id, query),
  }),
  operation({
    id: 'completeSsoLogin',
    tag,
    summary: 'Assertion consumer service: receives the response of the identity provider',
    description:
      'Sent by the browser as a form. Only responses to our own requests are accepted, once. All others get the ' +
      'same error. The audit trail of the organization contains the reason.',
    method: 'post',
    path: `${path}/acs`,
    rateLimit: 'token_exchange',
    access: anonymous,
    params,
    body: ssoResponse,
    maximumBodyBytes: 256 * 1024,
    acceptsForm: true,
    returns: redirect,
    status: 302,
    errors: [401, 404],
    handle: (ctx, { params: { organization_id: id }, body }) =>
      withErrorPage(ctx, id, () => completeSignIn(ctx, id, body)),
  }),
  operation({
    id: 'handleSsoLogout',
    tag,
    summary: 'Single logout service: receives requests and responses of the identity provider',
    description: 'Redirect binding, always signed.',
    method: 'get',
    path: `${path}/slo`,
    access: anonymous,
    params,
    query: ssoLogoutQuery,
    returns: redirect,
    status: 302,
    errors: [401, 404],
    handle: (ctx, { params: { organization_id: id } }) => withErrorPage(ctx, id, () => handleLogout(ctx, id)),
  }),
  operation({
    id: 'beginSsoLogout',
    tag,
    summary: 'Sign out here and at the identity provider',
    method: 'get',
    path: `${path}/logout`,
    access: interactive,
    params,
    returns: redirect,
    status: 302,
    errors: [404],
    handle: (ctx, { params: { organization_id: id } }) => beginLogout(ctx, id),
  }),
];
