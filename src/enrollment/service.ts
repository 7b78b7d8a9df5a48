// The rules of enrollment: a link that works for an hour, a profile with a challenge, and the device's signed response.

import { developerIdOf } from '../core/actor.ts';
import type { Context, DeveloperContext, OrganizationContext, Tx } from '../core/context.ts';
import { findDeveloper } from '../developers/store.ts';
import { nameModel } from '../devices/models.ts';
import { belongsToOrganization, checkOwner } from '../devices/owners.ts';
import type { EnrollmentAnswer, EnrollmentInput } from '../devices/schema.ts';
import { checkRoom, ownerTrail, recordRegistration } from '../devices/service.ts';
import { type DeviceRow, findDeviceByUdid, insertDevice, updateDevice } from '../devices/store.ts';
import { authorize, checkSignInMethod } from '../http/access.ts';
import { fromQuery } from '../http/operation.ts';
import { checkWriteLock } from '../http/organization-lock.ts';
import { timestamp } from '../lib/clock.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { ENROLLMENT_LIFETIME_MS } from '../lib/lifetimes.ts';
import { findMember } from '../organizations/members/store.ts';
import { loadOrganization } from '../organizations/store.ts';
import { organizationRoleReaches } from '../permissions.ts';
import { DeviceAuthorityError, loadDeviceAuthorities } from './authorities.ts';
import { type DeviceAnswer, readDeviceAnswer } from './device-response.ts';
import { enrollmentUrl, resultUrl } from './links.ts';
import { mintResultProof, readChallenge } from './proofs.ts';
import {
  consumeChallenge,
  countOpenEnrollments,
  countOpenEnrollmentsOf,
  type Enrollment,
  type EnrollmentRow,
  findEnrollment,
  insertEnrollment,
} from './store.ts';

/** Limit for each tester, so that a single one can't use up the organization's limit. */
const MAX_OPEN_OF_TESTER = 20;

interface Wanted {
  organizationId: string;
  name: string | null;
  developerId: string | null;
}

/**
 * Creates an enrollment link of an organization. Members can create it for themselves or without an owner, managers for
 * everyone who belongs to the organization. Throws `quota_exceeded` if too many are open.
 */
export function createEnrollment(ctx: OrganizationContext, input: EnrollmentInput): EnrollmentAnswer {
  const { id: organizationId, role } = ctx.organization;
  const developerId = input.developer_id ?? null;
  const isManager = role !== undefined && organizationRoleReaches(role, 'manager');
  if (developerId !== null && developerId !== developerIdOf(ctx.actor) && !isManager) {
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
  // The rules for members, such as two-factor authentication, apply to members on this path too.
  if (findMember(ctx, organizationId, ctx.actor.id) !== undefined) {
    const access = { kind: 'organization', permission: 'device.enroll', tenant: fromQuery } as const;
    authorize(access, ctx, {}, { organization_id: organizationId });
  }
  return ctx.transact((tx) => {
    if (!belongsToOrganization(tx, organizationId, ctx.actor.id)) throw notFound();
    const organization = loadOrganization(tx, organizationId);
    checkSignInMethod(ctx.actor, organization);
    checkWriteLock(organization.lockReason);
    if (countOpenEnrollmentsOf(tx, { organizationId, developerId: ctx.actor.id }, tx.now) >= MAX_OPEN_OF_TESTER) {
      const message = `You can have at most ${MAX_OPEN_OF_TESTER} open enrollment links`;
      throw new AppError('quota_exceeded', message, { limit: MAX_OPEN_OF_TESTER });
    }
    return startEnrollment(tx, { organizationId, name, developerId: ctx.actor.id });
  });
}

function startEnrollment(tx: Tx, { organizationId, name, developerId }: Wanted): EnrollmentAnswer {
  const max = tx.config.limits.open_device_enrollments_per_organization;
  if (countOpenEnrollments(tx, organizationId, tx.now) >= max) {
    throw new AppError('quota_exceeded', `The organization can have at most ${max} open enrollment links`, {
      limit: max,
    });
  }
  const token = tx.secrets.token();
  const row: EnrollmentRow = {
    id: tx.ids.next(),
    organizationId,
    tokenHash: tx.secrets.hash(token),
    name,
    developerId,
    createdBy: developerIdOf(tx.actor),
    createdAt: tx.now,
    expiresAt: tx.now + ENROLLMENT_LIFETIME_MS,
  };
  insertEnrollment(tx, row);
  tx.record('device_enrollment.created', {
    identifier: row.id,
    organizationId,
    details: { name, developer_id: developerId },
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

/**
 * Returns the enrollment of an open link, or undefined if it has expired or doesn't exist. It also closes when the
 * organization is locked, or when its owner leaves the organization or is locked.
 */
export function findOpenEnrollment(ctx: Context, token: string): Enrollment | undefined {
  const enrollment = findEnrollment(ctx, ctx.secrets.hash(token));
  if (enrollment === undefined || ctx.clock.now().getTime() >= enrollment.expiresAt) return undefined;
  const { organizationId, developerId, lockReason } = enrollment;
  if (lockReason !== null) return undefined;
  if (developerId === null) return enrollment;
  const isLockedOut = findDeveloper(ctx, developerId)?.lockedAt !== null;
  return isLockedOut || !belongsToOrganization(ctx, organizationId, developerId) ? undefined : enrollment;
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
  const known = findDeviceByUdid(tx, enrollment.organizationId, answer.udid);
  return known === undefined ? registerDevice(tx, enrollment, answer) : renewDevice(tx, known, enrollment, answer);
}

function registerDevice(tx: Tx, enrollment: Enrollment, answer: DeviceAnswer): string {
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
  return row.id;
}

/** Updates a known device with its response. Name and owner change only if the link has them. */
function renewDevice(tx: Tx, known: DeviceRow, enrollment: Enrollment, answer: DeviceAnswer): string {
  const developerId = enrollment.developerId ?? known.developerId;
  updateDevice(tx, known.id, {
    name: enrollment.name ?? known.name,
    product: answer.product ?? known.product,
    osBuild: answer.osBuild ?? known.osBuild,
    developerId,
    enrolledAt: tx.now,
  });
  tx.record('device.enrolled_again', {
    identifier: known.id,
    organizationId: known.organizationId,
    ...ownerTrail({ developerId }),
    details: { how: 'enrollment', developer_id: developerId },
  });
  return known.id;
}

/** Names a device without a given name after its owner and model. The phone's own name isn't requested. */
function nameDevice(tx: Tx, developerId: string | null, product: string | null): string {
  const model = product === null ? 'Device' : nameModel(product);
  const owner = developerId === null ? undefined : findDeveloper(tx, developerId);
  return owner === undefined ? model : `${owner.displayName} ${model}`;
}
