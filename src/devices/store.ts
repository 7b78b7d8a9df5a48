// Queries for devices. Their identifiers are personal data.
import { and, count, desc, eq, lt, sql } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { App, Tx } from '../core/context.ts';
import { isNotRemoved } from '../core/removal.ts';
import { prepared } from '../data/database.ts';
import { appleRegistrations, devices } from '../data/tables/tables.ts';
import type { Location } from '../http/operation.ts';
import { notFound } from '../lib/errors.ts';

export type DeviceRow = typeof devices.$inferSelect;
export type AppleRegistrationRow = typeof appleRegistrations.$inferSelect;
type Db = Pick<App, 'db'>;

const byId = prepared((db) =>
  db
    .select()
    .from(devices)
    .where(eq(devices.id, placeholder('id')))
    .prepare(),
);

const byUdid = prepared((db) =>
  db
    .select()
    .from(devices)
    .where(and(eq(devices.organizationId, placeholder('organizationId')), eq(devices.udid, placeholder('udid'))))
    .prepare(),
);

const pageOfOrganization = prepared((db) =>
  db
    .select()
    .from(devices)
    .where(and(eq(devices.organizationId, placeholder('organizationId')), lt(devices.id, placeholder('before'))))
    .orderBy(desc(devices.id))
    .limit(placeholder('limit'))
    .prepare(),
);

const registrationsOf = prepared((db) =>
  db
    .select()
    .from(appleRegistrations)
    .where(
      and(
        sql`${appleRegistrations.deviceId} IN (SELECT value FROM json_each(${placeholder('ids')}))`,
        isNotRemoved(appleRegistrations.storeConnectionId),
      ),
    )
    .orderBy(appleRegistrations.storeConnectionId)
    .prepare(),
);

/** Returns a device of any organization by its id, or undefined. */
export function findDevice(app: Db, id: string): DeviceRow | undefined {
  return byId(app).get({ id });
}

/** Returns the device of an organization with an identifier, as normalized by `readUdid`. */
export function findDeviceByUdid(app: Db, organizationId: string, udid: string): DeviceRow | undefined {
  return byUdid(app).get({ organizationId, udid });
}

/** Returns the location of a device, for access declarations. */
export function locateDevice(app: Db, id: string): Location | undefined {
  const row = findDevice(app, id);
  return row && { organizationId: row.organizationId };
}

/** Returns a device of an organization. Throws `not_found` if it doesn't exist there. */
export function loadDevice(app: Db, organizationId: string, id: string): DeviceRow {
  const row = findDevice(app, id);
  if (row === undefined || row.organizationId !== organizationId) throw notFound();
  return row;
}

/** Returns a page of an organization's devices with ids below `before`, newest first. */
export function listDevicesOfOrganization(app: Db, organizationId: string, before: string, limit: number): DeviceRow[] {
  return pageOfOrganization(app).all({ organizationId, before, limit });
}

/** How many devices an organization has. */
export function countDevices(app: Db, organizationId: string): number {
  const row = app.db.select({ total: count() }).from(devices).where(eq(devices.organizationId, organizationId)).get();
  return row?.total ?? 0;
}

/** Returns what Apple says about devices, by device, in the order of the connections. */
export function listAppleRegistrations(app: Db, deviceIds: readonly string[]): Map<string, AppleRegistrationRow[]> {
  const rows = registrationsOf(app).all({ ids: JSON.stringify(deviceIds) });
  return Map.groupBy(rows, ({ deviceId }) => deviceId);
}

/** Whether Apple has a device, so that a new provisioning profile can include it. */
export function isRegisteredWithApple(app: Db, deviceId: string): boolean {
  const known = listAppleRegistrations(app, [deviceId]).get(deviceId) ?? [];
  return known.some(({ state }) => state === 'registered');
}

export function insertDevice(tx: Tx, row: DeviceRow): void {
  tx.db.insert(devices).values(row).run();
}

export function updateDevice(tx: Tx, id: string, changes: Partial<DeviceRow>): void {
  tx.db.update(devices).set(changes).where(eq(devices.id, id)).run();
}

export function deleteDevice(tx: Tx, id: string): void {
  tx.db.delete(devices).where(eq(devices.id, id)).run();
}
