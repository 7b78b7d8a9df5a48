// Signing in through an identity provider: the request and its response.

import { deleteAccount } from '../../accounts/deletion.ts';
import { markAddressVerified } from '../../accounts/email-verification.ts';
import { addDeveloper } from '../../accounts/service.ts';
import type { Context, Tx } from '../../core/context.ts';
import { type DeveloperRow, findDeveloperByEmail, isAbandoned, loadDeveloper } from '../../developers/store.ts';
import { isReply, type Reply, redirectTo } from '../../http/reply.ts';
import { notFound } from '../../lib/errors.ts';
import { insertMembership } from '../../organizations/members/store.ts';
import { domainOfAddress } from '../../saml/domain-name.ts';
import { RefusedMessage } from '../../saml/errors.ts';
import { redirectAddress, writeAuthnRequest } from '../../saml/messages.ts';
import { serviceProvider } from '../../saml/names.ts';
import { samlReaderOf } from '../../saml/reader.ts';
import {
  browserCookie,
  chooseBrowserSecret,
  isFromSameBrowser,
  mintRequestId,
  type RequestScope,
  readRequestId,
} from '../../saml/request-id.ts';
import type { SignedIdentity } from '../../saml/response.ts';
import { certificatesOf } from '../../sso/configuration.ts';
import { provideKey } from '../../sso/provider-key.ts';
import type { SsoLoginQuery, SsoResponse } from '../../sso/schema.ts';
import * as store from '../../sso/store.ts';
import { findHold } from '../../sso/trust.ts';
import { answerTokens, asDeveloper, beginSession, type SignedIn } from '../issue.ts';
import { homePath, safePath } from './return-path.ts';

/** Redirects a browser to the identity provider. Throws `not_found` if single sign-on isn't enabled. */
export async function beginSignIn(
  ctx: Context,
  organizationId: string,
  { relay_state: relayState, force_authn: isForced }: SsoLoginQuery,
): Promise<Reply> {
  const connection = findEnabled(ctx, organizationId);
  const { privateKey } = await provideKey(ctx, organizationId);
  const secret = chooseBrowserSecret(ctx);
  const envelope = {
    id: mintRequestId(ctx, scopeOf(connection), secret),
    issuedAt: ctx.clock.now().getTime(),
    destination: connection.ssoUrl,
    provider: serviceProvider(ctx, organizationId),
  };
  const message = writeAuthnRequest(envelope, isForced === true);
  const path = safePath(ctx, relayState);
  const address = redirectAddress(
    connection.ssoUrl,
    'SAMLRequest',
    message,
    path === homePath(ctx) ? undefined : path,
    privateKey,
  );
  return { ...redirectTo(address), cookies: [browserCookie(ctx, organizationId, secret)] };
}

function findEnabled(ctx: Context, organizationId: string): store.ConnectionRow {
  const connection = store.findConnection(ctx, organizationId);
  if (connection?.isEnabled !== true) throw notFound();
  return connection;
}

function scopeOf({ organizationId, entityId }: store.ConnectionRow): RequestScope {
  return { purpose: 'sso login', organizationId, entityId };
}

/**
 * Handles an identity provider's response: creates a session with cookies and redirects the browser. Throws
 * RefusedMessage, and `not_found` if single sign-on isn't enabled.
 */
export async function completeSignIn(ctx: Context, organizationId: string, body: SsoResponse): Promise<Reply> {
  const connection = findEnabled(ctx, organizationId);
  const provider = serviceProvider(ctx, organizationId);
  const identity = await samlReaderOf(ctx).readResponse(body.SAMLResponse, {
    entityId: connection.entityId,
    certificates: certificatesOf(connection),
    audience: provider.entityId,
    acsUrl: provider.acsUrl,
    now: ctx.clock.now().getTime(),
  });
  const request = readRequestId(ctx, scopeOf(connection), identity.inResponseTo);
  if (request === undefined) throw new RefusedMessage('request');
  if (!isFromSameBrowser(ctx, request.browser)) throw new RefusedMessage('browser');
  // A nested transaction records the sign-in with the signed-in user as actor.
  const signedIn = ctx.transact((tx) => admit(tx, connection, identity, request.expiresAt), {
    bookkeeping: true,
    removes: true,
  });
  const answer = await answerTokens(ctx, signedIn, true);
  const cookies = isReply(answer) ? (answer.cookies ?? []) : [];
  return { ...redirectTo(safePath(ctx, body.RelayState)), cookies };
}

/**
 * Makes all changes of a valid response in one transaction: the request is used up, and the account is found or
 * created.
 */
function admit(tx: Tx, read: store.ConnectionRow, identity: SignedIdentity, expiresAt: number): SignedIn {
  const { organizationId, entityId } = read;
  const current = store.findConnection(tx, organizationId);
  const isSame = current?.isEnabled === true && current.entityId === entityId;
  if (!isSame || current.certificates !== read.certificates) throw new RefusedMessage('configuration_changed');
  // A response never outlives its request, so the ids are stored only that long.
  const assertion = tx.secrets.hash(`${organizationId} ${entityId} ${identity.assertionId}`);
  const isFirst =
    store.useOnce(tx, `request ${identity.inResponseTo}`, expiresAt) &&
    store.useOnce(tx, `assertion ${assertion}`, expiresAt);
  if (!isFirst) throw new RefusedMessage('replayed');
  const developer = findAccount(tx, read, identity);
  joinOrganization(tx, organizationId, developer);
  return openSsoSession(tx, read, identity, developer);
}

/**
 * Returns the account of an identity: the known one, the one with its address, or a new one
 * (docs/specification/single-sign-on.md#identities).
 */
function findAccount(
  tx: Tx,
  { organizationId, entityId }: store.ConnectionRow,
  identity: SignedIdentity,
): DeveloperRow {
  checkDomain(tx, organizationId, identity.email);
  const key = { organizationId, entityId, nameId: identity.nameId };
  const known = store.findIdentity(tx, key);
  if (known !== undefined) {
    const developer = loadDeveloper(tx, known);
    // The address of the account may have changed to a domain that doesn't belong to the organization.
    checkDomain(tx, organizationId, developer.email);
    return checkAccount(tx, developer);
  }
  const existing = findDeveloperByEmail(tx, identity.email);
  if (existing !== undefined && isAbandoned(existing)) deleteAccount(tx, existing);
  const isKept = existing !== undefined && !isAbandoned(existing);
  const developer = checkAccount(tx, isKept ? existing : createAccount(tx, identity));
  store.insertIdentity(tx, key, developer.id);
  return developer;
}

function checkDomain(tx: Tx, organizationId: string, email: string): void {
  const domain = domainOfAddress(email);
  const owner = domain === undefined ? undefined : store.findDomainOwner(tx, domain);
  if (owner?.organizationId !== organizationId) throw new RefusedMessage('domain');
}

function checkAccount(tx: Tx, developer: DeveloperRow): DeveloperRow {
  if (developer.lockedAt !== null) throw new RefusedMessage('account_locked');
  return markAddressVerified(tx, developer, 'saml');
}

function createAccount(tx: Tx, { email, displayName }: SignedIdentity): DeveloperRow {
  const { developerId } = addDeveloper(tx, {
    email,
    passwordHash: null,
    displayName,
    isVerified: true,
    isOperator: false,
  });
  return loadDeveloper(tx, developerId);
}

function joinOrganization(tx: Tx, organizationId: string, { id }: DeveloperRow): void {
  if (store.isMember(tx, organizationId, id)) return;
  insertMembership(tx, { organizationId, developerId: id, role: 'member', createdAt: tx.now });
  tx.record('organization_membership.created', {
    identifier: id,
    organizationId,
    developerId: id,
    details: { developer_id: id, role: 'member', by: 'sso' },
  });
}

function openSsoSession(
  tx: Tx,
  { organizationId, entityId }: store.ConnectionRow,
  identity: SignedIdentity,
  developer: DeveloperRow,
): SignedIn {
  const sessionId = tx.ids.next();
  const signedIn = asDeveloper(tx, developer, sessionId).transact((own) =>
    beginSession(own, developer, sessionId, {
      event: 'sso.login_succeeded',
      organizationId,
      // A hijacked session can't add a provider to an account, except by replacing that of the organization.
      ...(findHold(tx, organizationId, developer) === undefined ? { factorAddedAt: 0 } : {}),
      details: {},
    }),
  );
  store.insertSsoSession(tx, {
    sessionId,
    organizationId,
    entityId,
    nameId: identity.nameId,
    nameIdFormat: identity.nameIdFormat,
    sessionIndex: identity.sessionIndex,
    createdAt: tx.now,
    // The time is limited to now, because the provider's clock may be fast.
    authenticatedAt: Math.min(tx.now, identity.authenticatedAt ?? tx.now),
  });
  return signedIn;
}
