// What a valid response of an identity provider leads to, with either protocol: the account is found or created, joins the
// organization, and gets a session.

import { deleteAccount } from '../../accounts/deletion.ts';
import { endSessions, markAddressVerified } from '../../accounts/email-verification.ts';
import { addDeveloper } from '../../accounts/service.ts';
import type { Context, Tx } from '../../core/context.ts';
import { type DeveloperRow, findDeveloperByEmail, isAbandoned, loadDeveloper } from '../../developers/store.ts';
import { lockOf } from '../../http/organization-lock.ts';
import { isReply, type Reply, redirectTo } from '../../http/reply.ts';
import { notFound } from '../../lib/errors.ts';
import { insertMembership } from '../../organizations/members/store.ts';
import { loadOrganization } from '../../organizations/store.ts';
import { domainOfAddress } from '../../saml/domain-name.ts';
import { RefusedMessage } from '../../saml/errors.ts';
import { requiresSso } from '../../sso/requirement.ts';
import * as store from '../../sso/store.ts';
import { findHold, isOtherProvider } from '../../sso/trust.ts';
import { answerTokens, asDeveloper, beginSession, type SignedIn } from '../issue.ts';
import { safePath } from './return-path.ts';

/** A person as a verified response describes them. */
export interface ProvenIdentity {
  /** The NameID of SAML, the subject of OpenID Connect. */
  nameId: string;
  nameIdFormat: string | null;
  sessionIndex: string | null;
  /** When the provider authenticated the person, in milliseconds since the epoch. */
  authenticatedAt: number;
  email: string;
  displayName: string | undefined;
  /** Encrypted, for logout with OpenID Connect. */
  idTokenEncrypted: string | null;
}

/**
 * Returns when the person authenticated. If a provider doesn't report it, only a sign-in for which we asked it to
 * authenticate the person again counts as one.
 */
export function authenticationTime(
  ctx: Context,
  { authenticatedAt }: { authenticatedAt: number | null },
  isForced: boolean,
): number {
  return authenticatedAt ?? (isForced ? ctx.clock.time() : 0);
}

/** Returns an enabled connection. Throws `not_found` if single sign-on isn't enabled, or uses another protocol. */
export function findEnabled(
  ctx: Context,
  organizationId: string,
  kind?: store.ConnectionRow['kind'],
): store.ConnectionRow {
  const connection = store.findConnection(ctx, organizationId);
  if (connection?.isEnabled !== true || (kind !== undefined && connection.kind !== kind)) throw notFound();
  return connection;
}

/**
 * Signs a person in: creates a session with cookies and redirects the browser. All changes are in one transaction; `spend`
 * runs at its start. `read` is the connection that the response was verified with. Throws RefusedMessage.
 */
export async function admitIdentity(
  ctx: Context,
  read: store.ConnectionRow,
  identity: ProvenIdentity,
  returnPath: string | undefined,
  spend: (tx: Tx) => void,
): Promise<Reply> {
  // A nested transaction records the sign-in with the signed-in user as actor.
  const signedIn = ctx.transact(
    (tx) => {
      const connection = loadSameProvider(tx, read);
      spend(tx);
      const developer = findAccount(tx, connection, identity);
      joinOrganization(tx, connection.organizationId, developer);
      return openSsoSession(tx, connection, identity, developer);
    },
    { bookkeeping: true, removes: true },
  );
  const answer = await answerTokens(ctx, signedIn, true);
  const cookies = isReply(answer) ? (answer.cookies ?? []) : [];
  return { ...redirectTo(safePath(ctx, returnPath)), cookies };
}

/** Returns the connection as it is now. Throws RefusedMessage if it isn't enabled or trusts another provider than before. */
function loadSameProvider(tx: Tx, read: store.ConnectionRow): store.ConnectionRow {
  const current = store.findConnection(tx, read.organizationId);
  if (current?.isEnabled !== true || isOtherProvider(current, read)) throw new RefusedMessage('configuration_changed');
  return current;
}

/**
 * Returns the account of an identity: the known one, the one with its address, or a new one
 * (docs/specification/single-sign-on.md#identities).
 */
function findAccount(tx: Tx, connection: store.ConnectionRow, identity: ProvenIdentity): DeveloperRow {
  const { organizationId, kind } = connection;
  checkDomain(tx, organizationId, identity.email);
  const known = store.findIdentity(tx, connection, identity.nameId);
  if (known !== undefined) {
    const developer = loadDeveloper(tx, known);
    // The address of the account may have changed to a domain that doesn't belong to the organization.
    checkDomain(tx, organizationId, developer.email);
    return checkAccount(tx, developer, kind);
  }
  const existing = findDeveloperByEmail(tx, identity.email);
  if (existing !== undefined && isAbandoned(existing)) deleteAccount(tx, existing);
  const isKept = existing !== undefined && !isAbandoned(existing);
  const developer = checkAccount(tx, isKept ? existing : createAccount(tx, identity), kind);
  store.insertIdentity(tx, connection, identity.nameId, developer.id);
  return developer;
}

function checkDomain(tx: Tx, organizationId: string, email: string): void {
  const domain = domainOfAddress(email);
  const owner = domain === undefined ? undefined : store.findDomainOwner(tx, domain);
  if (owner?.organizationId !== organizationId) throw new RefusedMessage('domain');
}

function checkAccount(tx: Tx, developer: DeveloperRow, kind: store.ConnectionRow['kind']): DeveloperRow {
  if (developer.lockedAt !== null) throw new RefusedMessage('account_locked');
  return markAddressVerified(tx, developer, kind);
}

function createAccount(tx: Tx, { email, displayName }: ProvenIdentity): DeveloperRow {
  const { developerId } = addDeveloper(tx, {
    email,
    passwordHash: null,
    displayName,
    isVerified: true,
    isOperator: false,
  });
  return loadDeveloper(tx, developerId);
}

/**
 * Makes the developer a member. If the organization requires single sign-on, sessions that began in other ways end. A locked
 * organization gets no new members, but its members still sign in.
 */
function joinOrganization(tx: Tx, organizationId: string, { id, email }: DeveloperRow): void {
  if (store.isMember(tx, organizationId, id)) return;
  if (lockOf(tx, loadOrganization(tx, organizationId)) !== null) throw new RefusedMessage('organization_locked');
  insertMembership(tx, { organizationId, developerId: id, role: 'member', createdAt: tx.now });
  tx.record('organization_membership.created', {
    identifier: id,
    organizationId,
    developerId: id,
    details: { developer_id: id, role: 'member', by: 'sso' },
  });
  if (requiresSso(tx, organizationId, email)) endSessions(tx, id, { reason: 'sso_required' });
}

function openSsoSession(
  tx: Tx,
  connection: store.ConnectionRow,
  identity: ProvenIdentity,
  developer: DeveloperRow,
): SignedIn {
  const { organizationId } = connection;
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
  store.insertSsoSession(tx, connection, {
    sessionId,
    nameId: identity.nameId,
    nameIdFormat: identity.nameIdFormat,
    sessionIndex: identity.sessionIndex,
    createdAt: tx.now,
    // The time is limited to now, because the provider's clock may be fast.
    authenticatedAt: Math.min(tx.now, identity.authenticatedAt),
    idTokenEncrypted: identity.idTokenEncrypted,
  });
  return signedIn;
}
