// The cookie that identifies the device of a browser: the signed id of the device, kept as long as browsers allow.

import { basePathOf } from '../config/base-path.ts';
import type { App, Context } from '../core/context.ts';
import { cookieValue } from '../http/credentials.ts';
import { DAY } from '../lib/clock.ts';
import { isUuid } from '../runtime/ids.ts';
import { signFields, verifyFields } from '../runtime/signing.ts';
import { type DeviceRow, findDevice, findDeviceByUdid } from './store.ts';

const COOKIE = 'svc_device';
const PURPOSE = 'device-cookie';
/** Browsers keep cookies for at most 400 days. */
const LIFETIME_MS = 400 * DAY;
const MAX_CHARACTERS = 200;

/** Returns the Set-Cookie value that identifies the device of a browser. */
export function deviceCookie(app: Pick<App, 'clock' | 'config' | 'secrets'>, deviceId: string): string {
  const expiresAt = String(app.clock.time() + LIFETIME_MS);
  const signature = signFields(app.secrets.keyring, PURPOSE, [deviceId, expiresAt]);
  const secure = app.config.server.base_url.startsWith('https:') ? '; Secure' : '';
  const value = `${deviceId}.${expiresAt}.${signature}`;
  return `${COOKIE}=${value}; Path=${basePathOf(app.config) || '/'}; Max-Age=${LIFETIME_MS / 1000}; HttpOnly; SameSite=Lax${secure}`;
}

/**
 * Returns the id of the device in the browser's cookie; undefined if there is none, or if it is altered or expired. The
 * device may have been deleted since, and may belong to any organization: see `findBrowserDevice`.
 */
export function readDeviceCookie(ctx: Context): string | undefined {
  const value = cookieValue(ctx.request.header('cookie'), COOKIE);
  if (value === undefined || value.length > MAX_CHARACTERS) return undefined;
  const [deviceId = '', expiresAt = '', ...signature] = value.split('.');
  if (!isUuid(deviceId) || !/^\d{1,15}$/.test(expiresAt)) return undefined;
  if (!verifyFields(ctx.secrets.keyring, PURPOSE, [deviceId, expiresAt], signature.join('.'))) return undefined;
  return ctx.clock.time() < Number(expiresAt) ? deviceId : undefined;
}

/**
 * Returns the device of this browser in an organization, or undefined if it has no cookie or the organization doesn't
 * have the device. A phone has one cookie for all organizations.
 */
export function findBrowserDevice(ctx: Context, organizationId: string): DeviceRow | undefined {
  const deviceId = readDeviceCookie(ctx);
  const device = deviceId === undefined ? undefined : findDevice(ctx, deviceId);
  if (device === undefined || device.organizationId === organizationId) return device;
  return findDeviceByUdid(ctx, organizationId, device.udid);
}
