// The rules of enrollment: a link that works for an hour, a profile with a challenge, and the device's signed response.

import { developerIdOf } from '../core/actor.ts';
import type { Context, DeveloperContext, OrganizationContext, Tx } from '../core/context.ts';
import { findDeveloper } from '../developers/store.ts';
import { nameModel } from '../devices/models.ts';
import { belongsToOrganization, checkOwner } from '../devices/owners.ts';
import type { EnrollmentAnswer, EnrollmentInput } from '../devices/schema.ts';
import { checkRoom, ownerTrail, recordRegistration } from '../devices/service.ts';
import { type DeviceRow, findDeviceByUdid, insertDevice, updateDevice } from '../devices/store.ts';
import { addWaiting, isFullForStrangers, isWaitingOn } from '../devices/waiting.ts';
import { authorize, checkSignInMethod } from '../http/access.ts';
import { fromQuery } from '../http/operation.ts';
import { checkWriteLock, lockOf } from '../http/organization-lock.ts';
import { mayOpen, needsBuild } from '../install/registration.ts';
import { findPlace } from '../install/store.ts';
import { timestamp } from '../lib/clock.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { ENROLLMENT_LIFETIME_MS } from '../lib/lifetimes.ts';
import { presentRoles } from '../organizations/members/roles.ts';
import { findMember } from '../organizations/members/store.ts';
import { loadOrganization } from '../organizations/store.ts';
import { type OrganizationRole, organizationRoleAllows, organizationRoleReaches } from '../permissions.ts';
import { DeviceAuthorityError, loadDeviceAuthorities } from './authorities.ts';
import { type DeviceAnswer, readDeviceAnswer } from './device-response.ts';
import { enrollmentUrl, resultUrl } from './links.ts';
import { mintResultProof, pageToken, readChallenge } from './proofs.ts';
import {
  consumeChallenge,
  countOpenEnrollments,
  countOpenEnrollmentsOf,
  type Enrollment,
  type EnrollmentRow,
  findEnrollment,
  insertEnrollment,
  isForAnyone,
} from './store.ts';

/** Limit for each tester, so that a single one can't use up the organization's limit. */
const MAX_OPEN_OF_TESTER = 20;

/** The install page on which a link is created. */
interface Origin {
  channelId: string;
  isShort: boolean;
}

interface Wanted {
  organizationId: string;
  name: string | null;
  developerId: string | null;
  origin?: Origin;
}

/**
 * Creates an enrollment link of an organization. Members can create it for themselves or without an owner, managers for
 * everyone who belongs to the organization. Throws `quota_exceeded` if too many are open.
 */
export function createEnrollment(ctx: OrganizationContext, input: EnrollmentInput): EnrollmentAnswer {
  const { id: organizationId, role } = ctx.organization;
  const developerId = input.developer_id ?? null;
  const isForOther = developerId !== null && developerId !== developerIdOf(ctx.actor);
  if (isForOther && (role === undefined || !mayEnroll(role, developerId))) {
    throw new AppError(
      'insufficient_role',
      'Only managers of the organization can create enrollment links for other people',
    );
  }
  return ctx.transact((tx) => {
    checkOwner(tx, organizationId, developerId);
    return startEnrollment(tx, { organizationId, name: input.name ?? null, developerId });
  });
}

/**
 * Creates a link for a device of the caller, who must be a tester or member of the organization. Throws `not_found` for
 * others, `quota_exceeded` if too many are open, and the error of a locked organization.
 */
export function createOwnEnrollment(
  ctx: DeveloperContext,
  organizationId: string,
  name: string | null,
): EnrollmentAnswer {
  return ctx.transact((tx) => {
    checkOwnEnrollment(ctx, tx, organizationId);
    return startEnrollment(tx, { organizationId, name, developerId: ctx.actor.id });
  });
}

/**
 * Creates a link on the install page of a channel and returns its URL: for a device of the caller, or without an owner if the
 * channel allows it, which the caller of this function has checked. Repeated calls within a minute return the same link.
 */
export function createPageEnrollment(
  ctx: Context,
  { channelId, organizationId, isShort }: Origin & { organizationId: string },
  owner: DeveloperContext | null,
): string {
  const developerId = owner?.actor.id ?? null;
  const token = pageToken(ctx, [channelId, String(isShort), developerId ?? '']);
  const url = enrollmentUrl(ctx.config.server.base_url, token);
  if (findOpenEnrollment(ctx, token) !== undefined) return url;
  ctx.transact((tx) => {
    if (findEnrollment(tx, tx.secrets.hash(token)) !== undefined) return;
    if (owner !== null) checkOwnEnrollment(owner, tx, organizationId);
    startEnrollment(tx, { organizationId, name: null, developerId, origin: { channelId, isShort } }, token);
  });
  return url;
}

/** Throws if the caller can't create another link for a device of their own. */
function checkOwnEnrollment(ctx: DeveloperContext, tx: Tx, organizationId: string): void {
  // The rules for members, such as two-factor authentication, apply to members on this path too.
  if (findMember(ctx, organizationId, ctx.actor.id) !== undefined) {
    const access = { kind: 'organization', permission: 'device.enroll', tenant: fromQuery } as const;
    authorize(access, ctx, {}, { organization_id: organizationId });
  }
  if (!belongsToOrganization(tx, organizationId, ctx.actor.id)) throw notFound();
  const organization = loadOrganization(tx, organizationId);
  checkSignInMethod(ctx.actor, organization);
  checkWriteLock(ctx, organization);
  if (countOpenEnrollmentsOf(tx, { organizationId, developerId: ctx.actor.id }, tx.now) >= MAX_OPEN_OF_TESTER) {
    const message = `You can have at most ${MAX_OPEN_OF_TESTER} open enrollment links`;
    throw new AppError('quota_exceeded', message, { limit: MAX_OPEN_OF_TESTER });
  }
}

function startEnrollment(
  tx: Tx,
  { organizationId, name, developerId, origin }: Wanted,
  token = tx.secrets.token(),
): EnrollmentAnswer {
  const channelId = origin?.channelId ?? null;
  const row: EnrollmentRow = {
    id: tx.ids.next(),
    organizationId,
    tokenHash: tx.secrets.hash(token),
    name,
    developerId,
    // Several people share a link that anyone can create.
    createdBy: isForAnyone({ channelId, developerId }) ? null : developerIdOf(tx.actor),
    channelId,
    isShort: origin?.isShort ?? false,
    createdAt: tx.now,
    expiresAt: tx.now + ENROLLMENT_LIFETIME_MS,
  };
  // Links that anyone can create don't count against the organization. A channel gets at most two a minute.
  if (!isForAnyone(row)) checkOpenLinks(tx, organizationId);
  insertEnrollment(tx, row);
  tx.record('device_enrollment.created', {
    identifier: row.id,
    organizationId,
    details: { name, developer_id: developerId, ...(channelId === null ? {} : { channel_id: channelId }) },
  });
  return {
    identifier: row.id,
    organization_id: organizationId,
    name,
    developer_id: developerId,
    token,
    url: enrollmentUrl(tx.config.server.base_url, token),
    created_at: timestamp(row.createdAt),
    expires_at: timestamp(row.expiresAt),
  };
}

function checkOpenLinks(tx: Tx, organizationId: string): void {
  const max = tx.config.limits.open_device_enrollments_per_organization;
  if (countOpenEnrollments(tx, organizationId, tx.now) < max) return;
  throw new AppError('quota_exceeded', `The organization can have at most ${max} open enrollment links`, {
    limit: max,
  });
}

/**
 * Returns the enrollment of an open link, or undefined if it has expired or doesn't exist. It also closes when the
 * organization is locked, when its owner leaves the organization or is locked, when the person who created it may no longer create
 * it, and when its channel is deleted or no longer lets anyone register a device.
 */
export function findOpenEnrollment(ctx: Context, token: string): Enrollment | undefined {
  const enrollment = findEnrollment(ctx, ctx.secrets.hash(token));
  if (enrollment === undefined || ctx.clock.time() >= enrollment.expiresAt) return undefined;
  const { organizationId, developerId } = enrollment;
  if (lockOf(ctx, enrollment) !== null) return undefined;
  if (enrollment.channelId !== null && enrollment.isOpenToAll === null) return undefined;
  if (isForAnyone(enrollment) && enrollment.isOpenToAll !== true) return undefined;
  if (!isBackedByCreator(ctx, enrollment)) return undefined;
  if (developerId === null) return enrollment;
  const isLockedOut = findDeveloper(ctx, developerId)?.lockedAt !== null;
  return isLockedOut || !belongsToOrganization(ctx, organizationId, developerId) ? undefined : enrollment;
}

/** Returns whether the person who created a link may still create it. Links of owners depend on the owners alone. */
function isBackedByCreator(ctx: Context, { createdBy, developerId, organizationId }: EnrollmentRow): boolean {
  if (createdBy === null || createdBy === developerId) return true;
  const { organizationRole } = presentRoles(ctx, createdBy, { organizationId, projectId: null });
  return organizationRole !== undefined && mayEnroll(organizationRole, developerId);
}

/** Returns whether a role is enough for a link without an owner (null) or with another person as its owner. */
function mayEnroll(role: OrganizationRole, developerId: string | null): boolean {
  return developerId === null
    ? organizationRoleAllows(role, 'device.enroll')
    : organizationRoleReaches(role, 'manager');
}

/**
 * Registers the device that responded to a profile, or updates its data. Returns the URL of the result page. Throws the
 * same `not_found` for an invalid link, message, signature or challenge, and writes nothing then.
 */
export async function enrollDevice(ctx: Context, token: string, bytes: Buffer): Promise<string> {
  const enrollment = findOpenEnrollment(ctx, token);
  if (enrollment === undefined) throw notFound();
  const answer = await readDeviceAnswer(bytes, loadAuthorities(ctx));
  const challengeId = answer && readChallenge(ctx, enrollment.id, answer.challenge);
  if (answer === undefined || challengeId === undefined) throw notFound();
  const deviceId = ctx.transact((tx) => {
    // The link may expire while the message is read.
    if (findOpenEnrollment(tx, token) === undefined) throw notFound();
    if (!consumeChallenge(tx, challengeId, enrollment.id)) throw notFound();
    return keepDevice(tx, enrollment, answer);
  });
  return resultUrl(ctx.config.server.base_url, token, mintResultProof(ctx, enrollment.id, deviceId));
}

/** Apple's devices must be able to enroll even if the configured file can't be used. */
function loadAuthorities(ctx: Context) {
  try {
    return loadDeviceAuthorities(ctx.config.apple_profile);
  } catch (error) {
    if (!(error instanceof DeviceAuthorityError)) throw error;
    ctx.log.error({ err: error }, 'apple_profile.trusted_device_ca_file ignored');
    return loadDeviceAuthorities({ ...ctx.config.apple_profile, trusted_device_ca_file: '' });
  }
}

function keepDevice(tx: Tx, enrollment: Enrollment, answer: DeviceAnswer): string {
  const place = enrollment.channelId === null ? undefined : findPlace(tx, enrollment.channelId);
  const known = findDeviceByUdid(tx, enrollment.organizationId, answer.udid);
  const waits = place !== undefined && needsBuild(tx, place, answer.udid);
  if (waits && isForAnyone(enrollment) && !mayWaitUnowned(tx, place.channel.id, known)) {
    tx.log.warn({ channel_id: place.channel.id }, 'device rejected: too many devices wait on the channel');
    throw notFound();
  }
  const device =
    known === undefined ? registerDevice(tx, enrollment, answer) : renewDevice(tx, known, enrollment, answer);
  const { developerId } = enrollment;
  if (waits && (developerId === null || mayOpen(tx, developerId, place))) addWaiting(tx, place.channel, device);
  return device.id;
}

/** Whether a device that was registered by anyone can wait on a channel. Those with an owner don't count. */
function mayWaitUnowned(tx: Tx, channelId: string, known: DeviceRow | undefined): boolean {
  if (known !== undefined && (known.developerId !== null || isWaitingOn(tx, channelId, known.id))) return true;
  return !isFullForStrangers(tx, channelId);
}

function registerDevice(tx: Tx, enrollment: Enrollment, answer: DeviceAnswer): DeviceRow {
  const { organizationId, developerId } = enrollment;
  try {
    checkRoom(tx, organizationId);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    tx.log.warn({ organization_id: organizationId }, 'device rejected: device limit of the organization reached');
    throw notFound();
  }
  const row: DeviceRow = {
    id: tx.ids.next(),
    organizationId,
    udid: answer.udid,
    name: enrollment.name ?? nameDevice(tx, developerId, answer.product),
    product: answer.product,
    osBuild: answer.osBuild,
    developerId,
    registeredAt: tx.now,
    enrolledAt: tx.now,
  };
  insertDevice(tx, row);
  recordRegistration(tx, row, 'enrollment');
  return row;
}

/** Updates a known device with its response. Name and owner change only if the link has them. */
function renewDevice(tx: Tx, known: DeviceRow, enrollment: Enrollment, answer: DeviceAnswer): DeviceRow {
  const developerId = enrollment.developerId ?? known.developerId;
  const renewed = {
    name: enrollment.name ?? known.name,
    product: answer.product ?? known.product,
    osBuild: answer.osBuild ?? known.osBuild,
    developerId,
    enrolledAt: tx.now,
  };
  updateDevice(tx, known.id, renewed);
  tx.record('device.enrolled_again', {
    identifier: known.id,
    organizationId: known.organizationId,
    ...ownerTrail({ developerId }),
    details: { how: 'enrollment', developer_id: developerId },
  });
  return { ...known, ...renewed };
}

/** Names a device without a given name after its owner and model. The phone's own name isn't requested. */
function nameDevice(tx: Tx, developerId: string | null, product: string | null): string {
  const model = product === null ? 'Device' : nameModel(product);
  const owner = developerId === null ? undefined : findDeveloper(tx, developerId);
  return owner === undefined ? model : `${owner.displayName} ${model}`;
}
