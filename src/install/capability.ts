// Install capabilities: signed tokens that allow installing one release or build for 15 minutes without an account or a cookie.

import type { App } from '../core/context.ts';
import { DAY } from '../lib/clock.ts';
import { CAPABILITY_LIFETIME_MS } from '../lib/lifetimes.ts';
import { uuidAt } from '../runtime/ids.ts';
import { signFields, verifyFields } from '../runtime/signing.ts';

const VISIT_LIFETIME_MS = DAY;

/** What a capability allows to install: a release with the channel on which it was live, or a single build. */
export type CapabilityTarget = { releaseId: string; channelId: string } | { buildId: string };

/**
 * Who received a capability, and whose access is checked at each use: a developer, the visitor of a share link, an install of an
 * SDK app, or with none of them the visitor of a public channel.
 */
export interface CapabilityHolder {
  developerId: string | null;
  shareLinkId?: string;
  sdkAppId?: string;
}

/** What a capability grants. */
export type CapabilityGrant = CapabilityTarget &
  CapabilityHolder & {
    /** Saved with the download, so that several requests of one phone count as one download. */
    id: string;
    /** Milliseconds since the epoch. */
    expiresAt: number;
  };

export type Capability = CapabilityGrant & {
  /** Safe as a path segment: letters, digits, `-`, `_` and `.`. */
  token: string;
};

type Signer = Pick<App, 'clock' | 'ids' | 'secrets'>;
type Reader = Pick<App, 'clock' | 'secrets'>;

const PURPOSE = 'install';
const UUID_BYTES = 16;
const EXPIRY_BYTES = 6;
const MAX_CHARACTERS = 256;

/**
 * Creates a capability, valid for 15 minutes. It is stateless: nothing is stored until it is used. The caller checks the
 * permission. Downloads with the same `id` count as one.
 */
export function mintCapability(app: Signer, grant: CapabilityTarget & CapabilityHolder & { id?: string }): Capability {
  const expiresAt = app.clock.time() + CAPABILITY_LIFETIME_MS;
  const full: CapabilityGrant = { ...grant, id: grant.id ?? app.ids.next(), expiresAt };
  const payload = packGrant(full).toString('base64url');
  return { ...full, token: `${payload}.${signFields(app.secrets.keyring, PURPOSE, grantFields(full))}` };
}

/**
 * Returns the grant of a capability token, or undefined if the token is malformed, altered, signed for another purpose
 * or expired. Overlong input is rejected without reading it.
 */
export function readCapability(app: Reader, token: string): CapabilityGrant | undefined {
  const grant = readSigned(app, token);
  return grant !== undefined && app.clock.time() < grant.expiresAt ? grant : undefined;
}

/**
 * Returns the id under which downloads through a public link count as one: the id of the capability that its page
 * created for the same release. It is valid for a day, so that a long download that is resumed or restarted counts
 * once. It doesn't grant anything.
 */
export function readVisitId(
  app: Reader,
  token: string,
  of: { releaseId: string; channelId: string },
): string | undefined {
  const grant = readSigned(app, token);
  if (grant === undefined || 'buildId' in grant || grant.releaseId !== of.releaseId) return undefined;
  if (grant.channelId !== of.channelId) return undefined;
  if (grant.developerId !== null || formOf(grant) !== undefined) return undefined;
  return app.clock.time() < grant.expiresAt + VISIT_LIFETIME_MS ? grant.id : undefined;
}

function readSigned(app: Reader, token: string): CapabilityGrant | undefined {
  if (token.length > MAX_CHARACTERS) return undefined;
  const end = token.indexOf('.');
  if (end < 0) return undefined;
  const text = token.slice(0, end);
  const payload = Buffer.from(text, 'base64url');
  // Several strings decode to the same bytes. Only the canonical one is valid.
  if (payload.toString('base64url') !== text) return undefined;
  const grant = unpackGrant(payload);
  if (grant === undefined) return undefined;
  return verifyFields(app.secrets.keyring, PURPOSE, grantFields(grant), token.slice(end + 1)) ? grant : undefined;
}

/** The ids of a grant in the order of its form. */
function idsOf(grant: CapabilityGrant): string[] {
  const { id, developerId, shareLinkId, sdkAppId } = grant;
  const target = 'buildId' in grant ? [grant.buildId] : [grant.releaseId, grant.channelId];
  const holder = shareLinkId ?? sdkAppId ?? developerId;
  return [id, ...target, ...(holder === null ? [] : [holder])];
}

/**
 * Forms that a last byte names. Grants without one are for a release, held by a developer if there is a fourth id: they are
 * written as in earlier versions, so that links from before an upgrade work after it.
 */
const namedForms = { releaseOfShareLink: 1, buildOfShareLink: 2, buildOfDeveloper: 3, releaseOfSdkApp: 4 } as const;

function formOf(grant: CapabilityGrant): number | undefined {
  if (grant.shareLinkId !== undefined) {
    return 'buildId' in grant ? namedForms.buildOfShareLink : namedForms.releaseOfShareLink;
  }
  if ('buildId' in grant) return namedForms.buildOfDeveloper;
  return grant.sdkAppId === undefined ? undefined : namedForms.releaseOfSdkApp;
}

/** No two forms have the same fields: the second one is an id or the number of a form. */
function grantFields(grant: CapabilityGrant): string[] {
  const form = formOf(grant);
  const [id = '', ...ids] = idsOf(grant);
  const expiresAt = String(grant.expiresAt);
  if (form !== undefined) return [id, String(form), ...ids, expiresAt];
  const [releaseId = '', channelId = '', developerId = ''] = ids;
  return [id, releaseId, channelId, developerId, expiresAt];
}

function packGrant(grant: CapabilityGrant): Buffer {
  const expiry = Buffer.alloc(EXPIRY_BYTES);
  expiry.writeUIntBE(grant.expiresAt, 0, EXPIRY_BYTES);
  const form = formOf(grant);
  return Buffer.concat([
    expiry,
    ...idsOf(grant).map((uuid) => Buffer.from(uuid.replaceAll('-', ''), 'hex')),
    Buffer.from(form === undefined ? [] : [form]),
  ]);
}

function unpackGrant(payload: Buffer): CapabilityGrant | undefined {
  const idCount = Math.floor((payload.length - EXPIRY_BYTES) / UUID_BYTES);
  const rest = payload.length - EXPIRY_BYTES - idCount * UUID_BYTES;
  if (idCount < 3 || idCount > 4 || rest > 1) return undefined;
  const idAt = (index: number) => uuidAt(payload, EXPIRY_BYTES + index * UUID_BYTES);
  const shared = { id: idAt(0), expiresAt: payload.readUIntBE(0, EXPIRY_BYTES) };
  const target = () => ({ releaseId: idAt(1), channelId: idAt(2) });
  if (rest === 0) return { ...shared, ...target(), developerId: idCount === 4 ? idAt(3) : null };
  const form = payload.at(-1);
  if (idCount === 4) {
    const held = { ...shared, ...target(), developerId: null };
    if (form === namedForms.releaseOfShareLink) return { ...held, shareLinkId: idAt(3) };
    return form === namedForms.releaseOfSdkApp ? { ...held, sdkAppId: idAt(3) } : undefined;
  }
  if (form === namedForms.buildOfShareLink) {
    return { ...shared, buildId: idAt(1), developerId: null, shareLinkId: idAt(2) };
  }
  if (form === namedForms.buildOfDeveloper) return { ...shared, buildId: idAt(1), developerId: idAt(2) };
  return undefined;
}
