// Registering a phone from the page of a channel: who may, and whether the phone then waits for a build.

import { loadBuildFacts } from '../builds/compatibility-facts.ts';
import { channelPageUrl } from '../channels/install-links.ts';
import { includesDevice } from '../compatibility/verdict.ts';
import { sendsEmail } from '../config/sends-email.ts';
import type { Context, DeveloperContext } from '../core/context.ts';
import { belongsToOrganization } from '../devices/owners.ts';
import { type DeviceRow, isRegisteredWithApple } from '../devices/store.ts';
import { findNotifiedOwner, isFullForStrangers, isWaitingOn } from '../devices/waiting.ts';
import { lockOf } from '../http/organization-lock.ts';
import { AppError } from '../lib/errors.ts';
import { checkMemberRequirements } from '../organizations/member-requirements.ts';
import { findCurrent } from '../releases/store.ts';
import { mayInstall } from './offers.ts';
import type { InstallState, Registration } from './page/view.ts';
import type { Place } from './store.ts';

/** How a visitor of a channel's page can register their phone. */
export type RegistrationWay =
  /** As its owner. */
  | 'own'
  /** Without an owner, because the channel allows it to anyone with the link. */
  | 'unowned'
  /** After signing in, if they belong to the organization. */
  | 'sign_in'
  | 'none';

/** Returns how the visitor can register a phone. They may install from the channel. */
export function findRegistrationWay(ctx: Context, place: Place): RegistrationWay {
  const { channel, platform } = place;
  if (platform !== 'ios' || lockOf(ctx, place) !== null) return 'none';
  if (ctx.actor.kind === 'developer' && canOwn(ctx as DeveloperContext, channel.organizationId)) return 'own';
  if (!channel.isPublic) return 'none';
  if (channel.allowsDeviceRegistration && !isFullForStrangers(ctx, channel.id)) return 'unowned';
  return ctx.actor.kind === 'developer' ? 'none' : 'sign_in';
}

/** The person must set up two-factor authentication, or sign in another way. */
const refusals: ReadonlySet<string> = new Set(['mfa_enrollment_required', 'permission_denied']);

/** Whether a developer can register their own devices with an organization. */
function canOwn(ctx: DeveloperContext, organizationId: string): boolean {
  if (!ctx.actor.mayWrite || !belongsToOrganization(ctx, organizationId, ctx.actor.id)) return false;
  try {
    checkMemberRequirements(ctx, organizationId);
    return true;
  } catch (error) {
    if (error instanceof AppError && refusals.has(error.code)) return false;
    throw error;
  }
}

/** Returns whether the current build of a channel doesn't include a device, so that the device would wait for another. */
export function needsBuild(ctx: Context, { channel }: Place, udid: string): boolean {
  const build = findCurrent(ctx, channel.id)?.build;
  return build === undefined || !includesDevice(loadBuildFacts(ctx, build), udid, ctx.clock.time());
}

/** The page on which a phone can be registered. */
export interface PageRegistration {
  place: Place;
  /** The path of the channel's page; undefined on other pages, which link to that page instead. */
  channelPath: string | undefined;
  /** The device of this browser in the organization. */
  device: DeviceRow | undefined;
}

/** Adds to a state that concerns the registration of the phone what the visitor can do about it. */
export function addRegistration(ctx: Context, state: InstallState, page: PageRegistration): InstallState {
  const { place, device } = page;
  switch (state.kind) {
    case 'ready':
    case 'desktop':
      return state.provisioning === 'unknown' ? { ...state, register: offerRegistration(ctx, page) } : state;
    case 'nothing_released':
      if (state.device === undefined || place.platform !== 'ios') return state;
      return { ...state, isRegistered: device !== undefined, ...waitOf(ctx, page) };
    case 'not_provisioned':
      return { ...state, ...waitOf(ctx, page) };
    default:
      return state;
  }
}

function waitOf(
  ctx: Context,
  page: PageRegistration,
): { register: Registration | null; waits?: 'emailed' | 'unmailed'; isAtApple?: boolean } {
  const register = offerRegistration(ctx, page);
  const { place, device } = page;
  if (device === undefined || !isWaitingOn(ctx, place.channel.id, device.id)) return { register };
  return {
    register,
    isAtApple: isRegisteredWithApple(ctx, device.id),
    waits: willBeEmailed(ctx, place, device) ? 'emailed' : 'unmailed',
  };
}

function offerRegistration(ctx: Context, { place, channelPath }: PageRegistration): Registration | null {
  const { base_url: baseUrl } = ctx.config.server;
  if (channelPath === undefined) return { kind: 'link', url: channelPageUrl(baseUrl, place.channel.id) };
  switch (findRegistrationWay(ctx, place)) {
    case 'own':
    case 'unowned':
      return { kind: 'form', url: `${channelPath}/register-device` };
    case 'sign_in':
      return { kind: 'sign_in', url: `${baseUrl}/sign-in?back=${encodeURIComponent(channelPath)}` };
    case 'none':
      return null;
  }
}

/** Returns whether the owner of a device gets an email when a build of a channel includes it. */
function willBeEmailed(ctx: Context, place: Place, device: DeviceRow): boolean {
  const owner = findNotifiedOwner(ctx, place.channel.id, device);
  return sendsEmail(ctx.config) && owner !== undefined && mayOpen(ctx, owner.id, place);
}

/** Returns whether a developer can open the page of a channel. */
export function mayOpen(ctx: Context, developerId: string, place: Place): boolean {
  return place.channel.isPublic || mayInstall(ctx, developerId, place);
}
