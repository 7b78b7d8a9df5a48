// Rows of devices. Identifiers are personal data: whoever reads them says what for.
import { and, count, desc, eq, lt } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { App, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { devices } from '../data/tables/tables.ts';
import type { Location } from '../http/operation.ts';
import { notFound } from '../lib/errors.ts';

export type DeviceRow = typeof devices.$inferSelect;
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

/** A device by its id, in whatever organization; undefined when there is none. */
export function findDevice(app: Db, id: string): DeviceRow | undefined {
  return byId(app).get({ id });
}

/** The device of an organization that has an identifier, in the spelling of `normaliseUdid`. */
export function findDeviceByUdid(app: Db, organizationId: string, udid: string): DeviceRow | undefined {
  return byUdid(app).get({ organizationId, udid });
}

/** Where a device lies; for the access declarations. */
export function locateDevice(app: Db, id: string): Location | undefined {
  const row = findDevice(app, id);
  return row && { organizationId: row.organizationId };
}

/** A device of one organization; not_found when it is absent or elsewhere. */
export function loadDevice(app: Db, organizationId: string, id: string): DeviceRow {
  const row = findDevice(app, id);
  if (row === undefined || row.organizationId !== organizationId) throw notFound();
  return row;
}

/** One page of an organization's devices below an id, newest first. */
export function listDevicesOfOrganization(app: Db, organizationId: string, before: string, limit: number): DeviceRow[] {
  return pageOfOrganization(app).all({ organizationId, before, limit });
}

/** How many devices an organization has. */
export function countDevices(app: Db, organizationId: string): number {
  const row = app.db.select({ total: count() }).from(devices).where(eq(devices.organizationId, organizationId)).get();
  return row?.total ?? 0;
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
