// The rules for devices that people add, read, change and delete.

import { developerIdOf } from '../core/actor.ts';
import type { Context, OrganizationContext, Tx } from '../core/context.ts';
import { FIRST_PAGE, type Page, type PageRequest, readPageTogether } from '../core/paging.ts';
import { type Reply, reply } from '../http/reply.ts';
import { timestamp, timestampOrNull } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { startSteps } from '../lib/steps.ts';
import { fieldError } from '../lib/validation.ts';
import { organizationRoleReaches } from '../permissions.ts';
import { toImportLine, writeImportFile } from './import-file.ts';
import { nameModel } from './models.ts';
import { checkOwner } from './owners.ts';
import type { Device, DeviceChange, DeviceInput } from './schema.ts';
import {
  type AppleRegistrationRow,
  countDevices,
  type DeviceRow,
  deleteDevice,
  findDeviceByUdid,
  insertDevice,
  listAppleRegistrations,
  listDevicesOfOrganization,
  loadDevice,
  updateDevice,
} from './store.ts';
import { maskUdid, readUdid } from './udid.ts';

function toRegistration(row: AppleRegistrationRow): NonNullable<Device['apple_registrations']>[number] {
  return {
    store_connection_id: row.storeConnectionId,
    state: row.state,
    device_class: row.deviceClass,
    registered_at: timestampOrNull(row.registeredAt),
    checked_at: timestamp(row.checkedAt),
    message: row.message,
  };
}

/** Returns the API shape with the full identifier. `registrations` are undefined for callers who may not see them. */
function toDevice(row: DeviceRow, registrations: readonly AppleRegistrationRow[] | undefined): Device {
  return {
    identifier: row.id,
    organization_id: row.organizationId,
    udid: row.udid,
    name: row.name,
    platform: 'ios',
    product: row.product,
    model: row.product === null ? null : nameModel(row.product),
    os_version: row.osBuild,
    developer_id: row.developerId,
    registered_at: timestamp(row.registeredAt),
    enrolled_at: timestampOrNull(row.enrolledAt),
    ...(registrations === undefined ? {} : { apple_registrations: registrations.map(toRegistration) }),
  };
}

/**
 * Returns the device as visible to the caller: only managers, who register devices with Apple, see full identifiers of
 * other people's devices.
 */
export function showDevices(ctx: OrganizationContext, rows: readonly DeviceRow[]): Device[] {
  const { role } = ctx.organization;
  const isManager = role !== undefined && organizationRoleReaches(role, 'manager');
  if (isManager) return toDevices(ctx, rows);
  const developerId = developerIdOf(ctx.actor);
  return rows.map((row) => {
    const isOwn = row.developerId !== null && row.developerId === developerId;
    const shown = toDevice(row, undefined);
    return isOwn ? shown : { ...shown, udid: maskUdid(row.udid) };
  });
}

/** Same as `showDevices`, for one device. */
function showDevice(ctx: OrganizationContext, row: DeviceRow): Device {
  const [shown] = showDevices(ctx, [row]);
  return shown as Device;
}

/** Returns devices as visible to managers. */
function toDevices(ctx: Context, rows: readonly DeviceRow[]): Device[] {
  const ids = rows.map(({ id }) => id);
  const registrations = listAppleRegistrations(ctx, ids);
  return rows.map((row) => toDevice(row, registrations.get(row.id) ?? []));
}

/** Returns the organization's devices, newest first. */
export function listDevices(ctx: OrganizationContext, request: PageRequest): Page<Device> {
  return readPageTogether(
    ctx,
    request,
    (before, limit) => listDevicesOfOrganization(ctx, ctx.organization.id, before, limit),
    (rows) => showDevices(ctx, rows),
  );
}

/** Returns a device. Throws `not_found` if it doesn't exist in the organization. */
export function readDevice(ctx: OrganizationContext, id: string): Device {
  return showDevice(ctx, loadDevice(ctx, ctx.organization.id, id));
}

/**
 * Registers a device by its identifier. Throws `validation_error` for an invalid identifier, `already_exists` if the
 * organization already has it, and `quota_exceeded` at the configured limit.
 */
export function addDevice(ctx: OrganizationContext, input: DeviceInput): Device {
  const udid = readUdid(input.udid);
  if (udid === undefined) {
    const msg = 'Input should be 40 hexadecimal digits, or 8, a hyphen and 16';
    throw fieldError('body', ['udid'], 'string_pattern_mismatch', msg);
  }
  return ctx.transact((tx) => {
    const organizationId = ctx.organization.id;
    checkOwner(tx, organizationId, input.developer_id);
    if (findDeviceByUdid(tx, organizationId, udid) !== undefined) {
      throw new AppError('already_exists', 'The organization already has this device');
    }
    checkRoom(tx, organizationId);
    const row: DeviceRow = {
      id: tx.ids.next(),
      organizationId,
      udid,
      name: input.name,
      product: null,
      osBuild: null,
      developerId: input.developer_id ?? null,
      registeredAt: tx.now,
      enrolledAt: null,
    };
    insertDevice(tx, row);
    recordRegistration(tx, row, 'by_hand');
    return toDevice(row, []);
  });
}

/** Throws `quota_exceeded` at the device limit. */
export function checkRoom(tx: Tx, organizationId: string): void {
  const max = tx.config.limits.devices_per_organization;
  if (countDevices(tx, organizationId) < max) return;
  throw new AppError('quota_exceeded', `An organization can have at most ${max} devices`, { limit: max });
}

/** Records a new device in the audit trails of the organization and the owner, without its identifier. */
export function recordRegistration(tx: Tx, row: DeviceRow, how: 'by_hand' | 'enrollment'): void {
  tx.record('device.registered', {
    identifier: row.id,
    organizationId: row.organizationId,
    ...ownerTrail(row),
    details: { name: row.name, product: row.product, how, developer_id: row.developerId },
  });
  for (const hook of tx.hooks.deviceAdded) hook(tx, row);
}

/** Returns the owner as the developer of an audit event; without an owner, the actor is used. */
export function ownerTrail({ developerId }: Pick<DeviceRow, 'developerId'>): { developerId?: string } {
  return developerId === null ? {} : { developerId };
}

/** Changes the name or owner. */
export function changeDevice(ctx: OrganizationContext, id: string, change: DeviceChange): Device {
  return ctx.transact((tx) => {
    const row = loadDevice(tx, ctx.organization.id, id);
    checkOwner(tx, row.organizationId, change.developer_id);
    const wanted = {
      ...(change.name === undefined ? {} : { name: change.name }),
      ...(change.developer_id === undefined ? {} : { developerId: change.developer_id }),
    };
    const changed = { ...row, ...wanted };
    if (changed.name === row.name && changed.developerId === row.developerId) return showDevice(ctx, row);
    updateDevice(tx, id, wanted);
    const details = {
      ...(changed.name === row.name ? {} : { name: { from: row.name, to: changed.name } }),
      ...(changed.developerId === row.developerId
        ? {}
        : { developer_id: { from: row.developerId, to: changed.developerId } }),
    };
    tx.record('device.edited', {
      identifier: id,
      organizationId: row.organizationId,
      ...ownerTrail(changed),
      details,
    });
    return showDevice(ctx, changed);
  });
}

/** Deletes a device. It stays registered with Apple. */
export function removeDevice(ctx: OrganizationContext, id: string): void {
  ctx.transact((tx) => {
    const row = loadDevice(tx, ctx.organization.id, id);
    deleteDevice(tx, id);
    tx.record('device.deleted', {
      identifier: id,
      organizationId: row.organizationId,
      ...ownerTrail(row),
      details: { name: row.name },
    });
  });
}

const EXPORTED_AT_ONCE = 200;

/** Returns all devices of the organization as a file for Apple's website, oldest first. Other requests run in between. */
export async function exportDevices(ctx: OrganizationContext): Promise<Reply> {
  const step = startSteps();
  const lines: string[] = [];
  let part = listDevicesOfOrganization(ctx, ctx.organization.id, FIRST_PAGE, EXPORTED_AT_ONCE);
  while (part.length > 0) {
    lines.push(...part.map(toImportLine));
    await step();
    part = listDevicesOfOrganization(ctx, ctx.organization.id, part.at(-1)?.id ?? '', EXPORTED_AT_ONCE);
  }
  return reply('text/plain; charset=utf-8', writeImportFile(lines.reverse()), {
    'content-disposition': 'attachment; filename="devices.txt"',
  });
}
