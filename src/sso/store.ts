// Queries for single sign-on: connections, domains, identities and sessions.
import { and, desc, eq, inArray, isNotNull, lt, lte, ne } from 'drizzle-orm';
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

/** Deletes a connection and its known identities. Domains and the signing key stay. */
export function deleteConnection(tx: Tx, organizationId: string): void {
  tx.db.delete(ssoConnections).where(eq(ssoConnections.organizationId, organizationId)).run();
  deleteIdentities(tx, organizationId);
  tx.db.delete(ssoSessions).where(eq(ssoSessions.organizationId, organizationId)).run();
}

/** Deletes the known identities of an organization. */
export function deleteIdentities(tx: Tx, organizationId: string): void {
  tx.db.delete(ssoIdentities).where(eq(ssoIdentities.organizationId, organizationId)).run();
}

export function findTier(app: Db, organizationId: string): 'team' | 'business' | undefined {
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
  return app.db.$count(ssoDomains, eq(ssoDomains.organizationId, organizationId)) as unknown as number;
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

export interface IdentityKey {
  organizationId: string;
  entityId: string;
  nameId: string;
}

/** Returns the developer of an identity (docs/specification/single-sign-on.md#identities), or undefined. */
export function findIdentity(app: Db, { organizationId, entityId, nameId }: IdentityKey): string | undefined {
  return app.db
    .select({ developerId: ssoIdentities.developerId })
    .from(ssoIdentities)
    .where(
      and(
        eq(ssoIdentities.organizationId, organizationId),
        eq(ssoIdentities.entityId, entityId),
        eq(ssoIdentities.nameId, nameId),
      ),
    )
    .get()?.developerId;
}

export function insertIdentity(tx: Tx, key: IdentityKey, developerId: string): void {
  tx.db
    .insert(ssoIdentities)
    .values({ ...key, developerId, createdAt: tx.now })
    .run();
}

/** Records the use of an id. Returns false if it was already used. */
export function useOnce(tx: Tx, id: string, expiresAt: number): boolean {
  return tx.db.insert(ssoReplays).values({ id, expiresAt }).onConflictDoNothing().run().changes === 1;
}

export function insertSsoSession(tx: Tx, row: SsoSessionRow): void {
  tx.db.insert(ssoSessions).values(row).run();
}

/** Returns the origin of a session if it is an identity provider of the organization. */
export function findSsoSession(app: Db, organizationId: string, sessionId: string): SsoSessionRow | undefined {
  return app.db
    .select()
    .from(ssoSessions)
    .where(and(eq(ssoSessions.sessionId, sessionId), eq(ssoSessions.organizationId, organizationId)))
    .get();
}

/** Returns the origin of a session if it is any identity provider. */
export function findOwnSsoSession(app: Db, sessionId: string): SsoSessionRow | undefined {
  return app.db.select().from(ssoSessions).where(eq(ssoSessions.sessionId, sessionId)).get();
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
        eq(ssoConnections.entityId, ssoIdentities.entityId),
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
  key: Omit<IdentityKey, 'nameId'> & { nameId: string | undefined },
  sessionIndexes: readonly string[],
) {
  return app.db
    .select({ sessionId: ssoSessions.sessionId, developerId: sessions.developerId })
    .from(ssoSessions)
    .innerJoin(sessions, eq(sessions.id, ssoSessions.sessionId))
    .where(
      and(
        eq(ssoSessions.organizationId, key.organizationId),
        eq(ssoSessions.entityId, key.entityId),
        key.nameId === undefined ? undefined : eq(ssoSessions.nameId, key.nameId),
        sessionIndexes.length === 0 ? undefined : inArray(ssoSessions.sessionIndex, [...sessionIndexes]),
      ),
    )
    .all();
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
