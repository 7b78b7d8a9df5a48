// Sign-in and sign-out through an identity provider. Operations that receive the provider's messages are anonymous, because
// the message's signature is the credential (docs/specification/single-sign-on.md).
import { anonymous, empty, interactive, type Operation, operation, redirect } from '../../http/operation.ts';
import { inOrganizationPath } from '../../lib/shapes.ts';
import { oidcCallbackQuery, oidcLogout, ssoLoginQuery, ssoLogoutQuery, ssoResponse } from '../../sso/schema.ts';
import { withErrorPage } from './error-page.ts';
import { beginLogout, handleBackchannelLogout, handleLogout } from './logout.ts';
import { completeOidcSignIn } from './oidc.ts';
import { completeSamlSignIn } from './saml.ts';
import { beginSignIn } from './service.ts';

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
    errors: [401, 404],
    handle: (ctx, { params: { organization_id: id }, query }) =>
      withErrorPage(ctx, id, () => beginSignIn(ctx, id, query)),
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
      withErrorPage(ctx, id, () => completeSamlSignIn(ctx, id, body)),
  }),
  operation({
    id: 'completeOidcLogin',
    tag,
    summary: 'Redirect URI of OpenID Connect: receives the code or the error of the provider',
    description:
      'Only answers to our own requests are accepted, once and in the same browser. The audit trail of the organization ' +
      'contains the reason of failures.',
    method: 'get',
    path: `${path}/callback`,
    rateLimit: 'token_exchange',
    access: anonymous,
    params,
    query: oidcCallbackQuery,
    returns: redirect,
    status: 302,
    errors: [401, 404],
    handle: (ctx, { params: { organization_id: id } }) => withErrorPage(ctx, id, () => completeOidcSignIn(ctx, id)),
  }),
  operation({
    id: 'handleOidcLogout',
    tag,
    summary: 'Back-channel logout of OpenID Connect: ends the sessions that a logout token names',
    description: 'Sent by the provider as a form.',
    method: 'post',
    path: `${path}/backchannel-logout`,
    access: anonymous,
    params,
    body: oidcLogout,
    maximumBodyBytes: 128 * 1024,
    acceptsForm: true,
    returns: empty,
    status: 204,
    errors: [400, 404],
    handle: (ctx, { params: { organization_id: id }, body }) =>
      withErrorPage(ctx, id, () => handleBackchannelLogout(ctx, id, body.logout_token), {
        purpose: 'logout',
        code: 'invalid_input',
      }),
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
    handle: (ctx, { params: { organization_id: id } }) =>
      withErrorPage(ctx, id, () => handleLogout(ctx, id), { purpose: 'logout' }),
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
