// Queries for single sign-on: connections, domains, identities and sessions.

import { and, count, desc, eq, inArray, isNotNull, lt, lte, ne, sql } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { App, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { deleteUpTo } from '../data/queries.ts';
import {
  organizationMemberships,
  organizations,
  sessions,
  ssoConnections,
  ssoDomains,
  ssoIdentities,
  ssoKeys,
  ssoReplays,
  ssoSessions,
} from '../data/tables/tables.ts';
import { notFound } from '../lib/errors.ts';
import type { Tier } from '../lib/tiers.ts';

type Db = Pick<App, 'db'>;
export type ConnectionRow = typeof ssoConnections.$inferSelect;
export type DomainRow = typeof ssoDomains.$inferSelect;
export type SsoSessionRow = typeof ssoSessions.$inferSelect;

const connectionOf = prepared((db) =>
  db
    .select()
    .from(ssoConnections)
    .where(eq(ssoConnections.organizationId, placeholder('organizationId')))
    .prepare(),
);

export function findConnection(app: Db, organizationId: string): ConnectionRow | undefined {
  return connectionOf(app).get({ organizationId });
}

/** Returns the connection of an organization. Throws `not_found`. */
export function loadConnection(app: Db, organizationId: string): ConnectionRow {
  const row = findConnection(app, organizationId);
  if (row === undefined) throw notFound();
  return row;
}

export function putConnection(tx: Tx, row: ConnectionRow): void {
  const { organizationId: _organizationId, createdAt: _createdAt, ...change } = row;
  tx.db
    .insert(ssoConnections)
    .values(row)
    .onConflictDoUpdate({ target: ssoConnections.organizationId, set: change })
    .run();
}

/** Deletes a connection. Its identities and sessions no longer count. Domains and the signing key stay. */
export function deleteConnection(tx: Tx, organizationId: string): void {
  tx.db.delete(ssoConnections).where(eq(ssoConnections.organizationId, organizationId)).run();
}

export function findTier(app: Db, organizationId: string): Tier | undefined {
  return app.db
    .select({ tier: organizations.tier })
    .from(organizations)
    .where(eq(organizations.id, organizationId))
    .get()?.tier;
}

export function findKey(app: Db, organizationId: string) {
  return app.db.select().from(ssoKeys).where(eq(ssoKeys.organizationId, organizationId)).get();
}

export function insertKey(tx: Tx, row: typeof ssoKeys.$inferInsert): void {
  tx.db.insert(ssoKeys).values(row).onConflictDoNothing().run();
}

/** Returns domains of an organization with ids below `before`, newest first. */
export function listDomains(app: Db, organizationId: string, before: string, limit: number): DomainRow[] {
  return app.db
    .select()
    .from(ssoDomains)
    .where(and(eq(ssoDomains.organizationId, organizationId), lt(ssoDomains.id, before)))
    .orderBy(desc(ssoDomains.id))
    .limit(limit)
    .all();
}

export function countDomains(app: Db, organizationId: string): number {
  const isOwn = eq(ssoDomains.organizationId, organizationId);
  return app.db.select({ total: count() }).from(ssoDomains).where(isOwn).get()?.total ?? 0;
}

export function findDomainByName(app: Db, organizationId: string, domain: string): DomainRow | undefined {
  return app.db
    .select()
    .from(ssoDomains)
    .where(and(eq(ssoDomains.organizationId, organizationId), eq(ssoDomains.domain, domain)))
    .get();
}

/** Returns a domain of an organization. Throws `not_found`. */
export function loadDomain(app: Db, organizationId: string, id: string): DomainRow {
  const row = app.db
    .select()
    .from(ssoDomains)
    .where(and(eq(ssoDomains.organizationId, organizationId), eq(ssoDomains.id, id)))
    .get();
  if (row === undefined) throw notFound();
  return row;
}

export function insertDomain(tx: Tx, row: DomainRow): void {
  tx.db.insert(ssoDomains).values(row).run();
}

/** Returns whether another organization has verified the domain. */
export function isVerifiedElsewhere(app: Db, organizationId: string, domain: string): boolean {
  const row = app.db
    .select({ id: ssoDomains.id })
    .from(ssoDomains)
    .where(
      and(
        eq(ssoDomains.domain, domain),
        isNotNull(ssoDomains.verifiedAt),
        ne(ssoDomains.organizationId, organizationId),
      ),
    )
    .get();
  return row !== undefined;
}

export function markDomainVerified(tx: Tx, id: string): void {
  tx.db.update(ssoDomains).set({ verifiedAt: tx.now }).where(eq(ssoDomains.id, id)).run();
}

export function deleteDomain(tx: Tx, id: string): void {
  tx.db.delete(ssoDomains).where(eq(ssoDomains.id, id)).run();
}

const ownerOfDomain = prepared((db) =>
  db
    .select({
      organizationId: ssoDomains.organizationId,
      isEnabled: ssoConnections.isEnabled,
      isRequired: ssoConnections.isRequired,
    })
    .from(ssoDomains)
    .leftJoin(ssoConnections, eq(ssoConnections.organizationId, ssoDomains.organizationId))
    .where(and(eq(ssoDomains.domain, placeholder('domain')), isNotNull(ssoDomains.verifiedAt)))
    .prepare(),
);

/** Returns the organization that has verified a domain, with the state of its connection; null values without one. */
export function findDomainOwner(app: Db, domain: string) {
  return ownerOfDomain(app).get({ domain });
}

export function isMember(app: Db, organizationId: string, developerId: string): boolean {
  const row = app.db
    .select({ role: organizationMemberships.role })
    .from(organizationMemberships)
    .where(
      and(
        eq(organizationMemberships.organizationId, organizationId),
        eq(organizationMemberships.developerId, developerId),
      ),
    )
    .get();
  return row !== undefined;
}

/** What identities and sessions are stored under. */
type Origin = Pick<ConnectionRow, 'organizationId' | 'entityId' | 'identityKey' | 'sessionKey'>;

/** Rows with another key than the connection's don't count. Without a key, the entity id is stored alone. */
const storedEntity = (key: string | null, entityId: string) => (key === null ? entityId : `${key} ${entityId}`);
const STORED_KEY = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12} /;

/** Returns the developer of an identity (docs/specification/single-sign-on.md#identities), or undefined. */
export function findIdentity(app: Db, origin: Origin, nameId: string): string | undefined {
  return app.db
    .select({ developerId: ssoIdentities.developerId })
    .from(ssoIdentities)
    .where(
      and(
        eq(ssoIdentities.organizationId, origin.organizationId),
        eq(ssoIdentities.entityId, storedEntity(origin.identityKey, origin.entityId)),
        eq(ssoIdentities.nameId, nameId),
      ),
    )
    .get()?.developerId;
}

/** Returns the identities of a developer at all providers, also at those that have been removed since. */
export function listIdentitiesOf({ db }: Db, developerId: string) {
  return db
    .select()
    .from(ssoIdentities)
    .where(eq(ssoIdentities.developerId, developerId))
    .all()
    .map((row) => ({ ...row, entityId: row.entityId.replace(STORED_KEY, '') }));
}

export function insertIdentity(tx: Tx, origin: Origin, nameId: string, developerId: string): void {
  const { organizationId, entityId, identityKey } = origin;
  tx.db
    .insert(ssoIdentities)
    .values({
      organizationId,
      entityId: storedEntity(identityKey, entityId),
      nameId,
      developerId,
      createdAt: tx.now,
    })
    .run();
}

/** Records the use of an id. Returns false if it was already used. */
export function useOnce(tx: Tx, id: string, expiresAt: number): boolean {
  return tx.db.insert(ssoReplays).values({ id, expiresAt }).onConflictDoNothing().run().changes === 1;
}

export function insertSsoSession(
  tx: Tx,
  { organizationId, entityId, sessionKey }: Origin,
  row: Omit<SsoSessionRow, 'organizationId' | 'entityId'>,
): void {
  tx.db
    .insert(ssoSessions)
    .values({ ...row, organizationId, entityId: storedEntity(sessionKey, entityId) })
    .run();
}

/** Returns the origin of a session if it is an identity provider of the organization. */
export function findSsoSession(app: Db, organizationId: string, sessionId: string): SsoSessionRow | undefined {
  const found = findOwnSsoSession(app, sessionId);
  return found?.organizationId === organizationId ? found : undefined;
}

/** Returns the origin of a session if it is any identity provider, unless its connection has been removed since. */
export function findOwnSsoSession(app: Db, sessionId: string): SsoSessionRow | undefined {
  const row = app.db.select().from(ssoSessions).where(eq(ssoSessions.sessionId, sessionId)).get();
  const connection = row === undefined ? undefined : findConnection(app, row.organizationId);
  if (connection === undefined) return undefined;
  const { sessionKey } = connection;
  return sessionKey === null || row?.entityId.startsWith(`${sessionKey} `) === true ? row : undefined;
}

/** Returns whether a session began at the identity provider that a connection has now. */
export function isSessionOf({ entityId, sessionKey }: Origin, session: SsoSessionRow): boolean {
  return session.entityId === storedEntity(sessionKey, entityId);
}

/** Returns the organization whose enabled identity provider has known an account the longest, or undefined. */
export function findProviderOf(app: Db, developerId: string): string | undefined {
  return app.db
    .select({ organizationId: ssoIdentities.organizationId })
    .from(ssoIdentities)
    .innerJoin(
      ssoConnections,
      and(
        eq(ssoConnections.organizationId, ssoIdentities.organizationId),
        eq(
          ssoIdentities.entityId,
          sql`coalesce(${ssoConnections.identityKey} || ' ', '') || ${ssoConnections.entityId}`,
        ),
        eq(ssoConnections.isEnabled, true),
      ),
    )
    .where(eq(ssoIdentities.developerId, developerId))
    .orderBy(ssoIdentities.createdAt)
    .limit(1)
    .get()?.organizationId;
}

/**
 * Returns the sessions of an identity with their developers, limited to the given session indexes if there are any.
 * Without `nameId`, those of all identities with these indexes.
 */
export function listSsoSessions(
  app: Db,
  { organizationId, entityId, sessionKey }: Origin,
  nameId: string | undefined,
  sessionIndexes: readonly string[],
) {
  return app.db
    .select({ sessionId: ssoSessions.sessionId, developerId: sessions.developerId })
    .from(ssoSessions)
    .innerJoin(sessions, eq(sessions.id, ssoSessions.sessionId))
    .where(
      and(
        eq(ssoSessions.organizationId, organizationId),
        eq(ssoSessions.entityId, storedEntity(sessionKey, entityId)),
        nameId === undefined ? undefined : eq(ssoSessions.nameId, nameId),
        sessionIndexes.length === 0 ? undefined : inArray(ssoSessions.sessionIndex, [...sessionIndexes]),
      ),
    )
    .all();
}

/** The rows before those with a key, and the rows after them: the character after the space is "!". */
const leftoversOf = (table: 'sso_identities' | 'sso_sessions') =>
  ['<', '>='].map((operator) =>
    prepared((db) =>
      db.$client.prepare<[string, string, number]>(
        `DELETE FROM ${table} WHERE rowid IN (
          SELECT rowid FROM ${table} WHERE organization_id = ? AND entity_id ${operator} ? LIMIT ?)`,
      ),
    ),
  );
const identityLeftovers = leftoversOf('sso_identities');
const sessionLeftovers = leftoversOf('sso_sessions');

/**
 * Deletes up to `max` identities and sessions of an organization that don't count, because their connection was removed or the
 * protocol changed. Returns whether none is left.
 */
export function deleteLeftovers(tx: Tx, organizationId: string, max: number): boolean {
  const connection = findConnection(tx, organizationId);
  let left = max;
  for (const [key, statements] of [
    [connection?.identityKey, identityLeftovers],
    [connection?.sessionKey, sessionLeftovers],
  ] as const) {
    // Rows of a connection without a key all count.
    if (key === null) continue;
    const bounds = key === undefined ? ['', ''] : [`${key} `, `${key}!`];
    for (const [index, statement] of statements.entries()) {
      left -= statement(tx).run(organizationId, bounds[index] ?? '', left).changes;
      if (left <= 0) return false;
    }
  }
  return true;
}

/** Deletes up to `max` used ids that have expired. Returns the number deleted. */
export function deleteExpiredReplays(tx: Tx, now: number, max: number): number {
  return deleteUpTo(tx, ssoReplays.id, lte(ssoReplays.expiresAt, now), max);
}

const ssoSessionsAfter = prepared((db) =>
  db.$client.prepare<[string, number], { id: string; isOrphaned: 0 | 1 }>(
    `SELECT session_id AS id, NOT EXISTS (SELECT 1 FROM sessions WHERE id = session_id) AS isOrphaned FROM sso_sessions
      WHERE session_id > +? ORDER BY session_id LIMIT +?`,
  ),
);

/** Returns up to `limit` rows of sessions with ids above `after`, in the order of their ids. Those of deleted sessions are orphaned. */
export function listSsoSessionsAfter(app: Db, after: string, limit: number): { id: string; isOrphaned: 0 | 1 }[] {
  return ssoSessionsAfter(app).all(after, limit);
}

export function deleteSsoSessions(tx: Tx, sessionIds: readonly string[]): void {
  tx.db
    .delete(ssoSessions)
    .where(inArray(ssoSessions.sessionId, [...sessionIds]))
    .run();
}
