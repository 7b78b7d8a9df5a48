// The visitor of an install page: their session, their phone, and the device that it is registered as.
import { type Phone, recognizePhone } from '../compatibility/phone.ts';
import type { Context, DeveloperContext } from '../core/context.ts';
import { factsOfPhone, isIpad } from '../devices/compatibility-facts.ts';
import { readDeviceCookie } from '../devices/cookie.ts';
import { type DeviceRow, findDevice, findDeviceByUdid } from '../devices/store.ts';
import type { Platform } from '../platforms.ts';
import type { InstallFacts } from './page/state.ts';
import type { ProjectPlace } from './store.ts';

export function isDeveloper(ctx: Context): ctx is DeveloperContext {
  return ctx.actor.kind === 'developer';
}

/** Returns the platform of the visitor's phone, or null for a computer. */
export function platformOfVisitor(ctx: Context): Platform | null {
  return factsOfPhone(recognizeBrowser(ctx).phone, null).platform;
}

/** Returns the phone by its headers, and the device that its browser was registered as, in any organization. */
function recognizeBrowser(ctx: Context): { phone: Phone; device: DeviceRow | undefined } {
  const phone = recognizePhone(ctx.request.userAgent, {
    platform: ctx.request.header('sec-ch-ua-platform'),
    platformVersion: ctx.request.header('sec-ch-ua-platform-version'),
  });
  const deviceId = readDeviceCookie(ctx);
  const device = deviceId === undefined ? undefined : findDevice(ctx, deviceId);
  const isKnownIpad = phone.couldBeIpad && device !== undefined && isIpad(device.product);
  return { phone: isKnownIpad ? { ...phone, system: 'ipados', couldBeIpad: false } : phone, device };
}

/**
 * Returns the phone, the device that its browser was registered as in any organization, and that device in the organization of a
 * channel or build.
 */
export function recognizeVisitor(
  ctx: Context,
  { organizationId }: ProjectPlace,
): { phone: Phone; registration: InstallFacts['registration']; device: DeviceRow | undefined } {
  const { phone, device: known } = recognizeBrowser(ctx);
  if (known === undefined) return { phone, registration: null, device: undefined };
  const device = known.organizationId === organizationId ? known : findDeviceByUdid(ctx, organizationId, known.udid);
  return { phone, registration: { udid: known.udid, isRegisteredHere: device !== undefined }, device };
}
