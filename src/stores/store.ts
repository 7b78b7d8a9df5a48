// Queries for store connections and what Apple says about devices.
import { and, count, desc, eq, gt, lt, ne, sql } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { App, Tx } from '../core/context.ts';
import { isNotRemoved } from '../core/removal.ts';
import { prepared } from '../data/database.ts';
import { appleRegistrations, devices, queuedRegistrations, storeConnections } from '../data/tables/tables.ts';
import type { DeviceRow } from '../devices/store.ts';
import type { Location } from '../http/operation.ts';
import { notFound } from '../lib/errors.ts';

export type ConnectionRow = typeof storeConnections.$inferSelect;
export type RegistrationRow = typeof appleRegistrations.$inferSelect;
type Db = Pick<App, 'db'>;

const byId = prepared((db) =>
  db
    .select()
    .from(storeConnections)
    .where(eq(storeConnections.id, placeholder('id')))
    .prepare(),
);

/** Returns the location of a connection, for access declarations. */
export function locateConnection(app: Db, id: string): Location | undefined {
  const row = byId(app).get({ id });
  return row && { organizationId: row.organizationId };
}

/** Returns a connection of an organization. Throws `not_found` if it doesn't exist there. */
export function loadConnection(app: Db, organizationId: string, id: string): ConnectionRow {
  const row = byId(app).get({ id });
  if (row === undefined || row.organizationId !== organizationId) throw notFound();
  return row;
}

/** Returns a connection of any organization, or undefined. */
export function findConnection(app: Db, id: string): ConnectionRow | undefined {
  return byId(app).get({ id });
}

/** Whether a connection still has the credentials of a row that was read before a provider was asked. */
export function hasCredentialsOf(app: Db, row: ConnectionRow): boolean {
  const current = findConnection(app, row.id);
  return current?.sealedSecret === row.sealedSecret && current.keyId === row.keyId && current.issuerId === row.issuerId;
}

/** Whether two issuers are different accounts. An individual key doesn't name its account. */
export function isOtherAccount(one: Pick<ConnectionRow, 'issuerId'>, other: Pick<ConnectionRow, 'issuerId'>): boolean {
  return one.issuerId !== null && other.issuerId !== null && one.issuerId !== other.issuerId;
}

/** Whether a connection has got the key of another account since a row was read. */
export function hasOtherAccount(app: Db, row: ConnectionRow): boolean {
  const current = findConnection(app, row.id);
  return current !== undefined && isOtherAccount(current, row);
}

/** Returns a page of an organization's connections, newest first. */
export function listConnectionRows(app: Db, organizationId: string, before: string, limit: number): ConnectionRow[] {
  return app.db
    .select()
    .from(storeConnections)
    .where(and(eq(storeConnections.organizationId, organizationId), lt(storeConnections.id, before)))
    .orderBy(desc(storeConnections.id))
    .limit(limit)
    .all();
}

/** Returns the number of connections of an organization. */
export function countConnections(app: Db, organizationId: string): number {
  const row = app.db
    .select({ total: count() })
    .from(storeConnections)
    .where(eq(storeConnections.organizationId, organizationId))
    .get();
  return row?.total ?? 0;
}

export function insertConnection(tx: Tx, row: ConnectionRow): void {
  tx.db.insert(storeConnections).values(row).run();
}

export function updateConnection(tx: Tx, id: string, change: Partial<ConnectionRow>): void {
  tx.db.update(storeConnections).set(change).where(eq(storeConnections.id, id)).run();
}

/** Returns what Apple said about a device through a connection, or undefined if it was never asked. */
export function findRegistration(app: Db, deviceId: string, connectionId: string): RegistrationRow | undefined {
  return app.db
    .select()
    .from(appleRegistrations)
    .where(and(eq(appleRegistrations.deviceId, deviceId), eq(appleRegistrations.storeConnectionId, connectionId)))
    .get();
}

/** Returns a registration by its id, or undefined. */
export function findRegistrationById(app: Db, id: string): RegistrationRow | undefined {
  return app.db.select().from(appleRegistrations).where(eq(appleRegistrations.id, id)).get();
}

/** Inserts a registration or replaces the one of the same device and connection. */
export function saveRegistration(tx: Tx, row: RegistrationRow): void {
  const { id: _, ...change } = row;
  tx.db
    .insert(appleRegistrations)
    .values(row)
    .onConflictDoUpdate({ target: [appleRegistrations.deviceId, appleRegistrations.storeConnectionId], set: change })
    .run();
}

/** Makes all registrations of a connection refused. A list of the account's devices shows those that it has. */
export function refuseRegistrations(tx: Tx, connectionId: string, message: string): void {
  tx.db
    .update(appleRegistrations)
    .set({ state: 'refused', deviceClass: null, registeredAt: null, checkedAt: tx.now, message })
    .where(and(eq(appleRegistrations.storeConnectionId, connectionId), ne(appleRegistrations.state, 'refused')))
    .run();
}

/** A registration with what identifies its device. */
export interface KnownRegistration {
  /** Its position in the list. */
  position: number;
  registration: RegistrationRow;
  device: Pick<DeviceRow, 'id' | 'organizationId' | 'udid' | 'name' | 'developerId'>;
}

const registrationsAfter = prepared((db) =>
  db
    .select({
      position: sql<number>`${appleRegistrations}.rowid`,
      registration: appleRegistrations,
      device: {
        id: devices.id,
        organizationId: devices.organizationId,
        udid: devices.udid,
        name: devices.name,
        developerId: devices.developerId,
      },
    })
    .from(appleRegistrations)
    .innerJoin(devices, eq(devices.id, appleRegistrations.deviceId))
    .where(
      and(
        eq(appleRegistrations.storeConnectionId, placeholder('connectionId')),
        sql`${appleRegistrations}.rowid > ${placeholder('after')}`,
      ),
    )
    .orderBy(sql`${appleRegistrations}.rowid`)
    .limit(placeholder('limit'))
    .prepare(),
);

/** Returns the registrations of a connection after a position, in a stable order. */
export function listRegistrations(app: Db, connectionId: string, after: number, limit: number): KnownRegistration[] {
  return registrationsAfter(app).all({ connectionId, after, limit });
}

export type QueuedRow = typeof queuedRegistrations.$inferSelect;

const queuedCount = prepared((db) =>
  db.$client
    .prepare<[string], number>('SELECT count(*) FROM queued_registrations WHERE store_connection_id = ?')
    .pluck(),
);

/** Returns the number of devices that wait to be registered through a connection. */
export function countQueued(app: Db, connectionId: string): number {
  return queuedCount(app).get(connectionId) ?? 0;
}

/** Adds a device to the queue of a connection. Returns whether it wasn't there. */
export function insertQueued(tx: Tx, row: QueuedRow): boolean {
  return tx.db.insert(queuedRegistrations).values(row).onConflictDoNothing().run().changes === 1;
}

export function deleteQueued(tx: Tx, { storeConnectionId, deviceId }: QueuedRow): void {
  tx.db
    .delete(queuedRegistrations)
    .where(
      and(eq(queuedRegistrations.storeConnectionId, storeConnectionId), eq(queuedRegistrations.deviceId, deviceId)),
    )
    .run();
}

/** Returns the queued devices of a connection with ids above `after`, the oldest device first. */
export function listQueued(app: Db, connectionId: string, limit: number, after = ''): QueuedRow[] {
  return app.db
    .select()
    .from(queuedRegistrations)
    .where(and(eq(queuedRegistrations.storeConnectionId, connectionId), gt(queuedRegistrations.deviceId, after)))
    .orderBy(queuedRegistrations.deviceId)
    .limit(limit)
    .all();
}

/** Returns the queued device of a connection that follows a device, or the first one after the last; undefined if there is none. */
export function findQueued(app: Db, connectionId: string, after: string): QueuedRow | undefined {
  return listQueued(app, connectionId, 1, after)[0] ?? listQueued(app, connectionId, 1)[0];
}

/** Returns the connections of an organization that register new devices automatically. */
export function listAutomatic(app: Db, organizationId: string): ConnectionRow[] {
  return app.db
    .select()
    .from(storeConnections)
    .where(
      and(
        eq(storeConnections.organizationId, organizationId),
        eq(storeConnections.automaticRegistration, true),
        isNotRemoved(storeConnections.id),
      ),
    )
    .all();
}

const unregisteredAfter = prepared((db) =>
  db.$client
    .prepare<{ organizationId: string; connectionId: string; after: string; limit: number }, string>(
      `SELECT id FROM devices WHERE organization_id = @organizationId AND id > @after AND NOT EXISTS (
          SELECT 1 FROM apple_registrations
          WHERE device_id = devices.id AND store_connection_id = @connectionId AND state <> 'refused')
        ORDER BY id LIMIT @limit`,
    )
    .pluck(),
);

/** Returns devices of an organization that Apple doesn't have through a connection, oldest first. */
export function listUnregistered(
  app: Db,
  { organizationId, id }: Pick<ConnectionRow, 'organizationId' | 'id'>,
  after: string,
  limit: number,
): string[] {
  return unregisteredAfter(app).all({ organizationId, connectionId: id, after, limit });
}
