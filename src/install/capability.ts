// Install capabilities: signed tokens that allow installing one release for 15 minutes without an account or a cookie.

import type { App } from '../core/context.ts';
import { DAY } from '../lib/clock.ts';
import { CAPABILITY_LIFETIME_MS } from '../lib/lifetimes.ts';
import { uuidAt } from '../runtime/ids.ts';
import { signFields, verifyFields } from '../runtime/signing.ts';

const VISIT_LIFETIME_MS = DAY;

/** What a capability grants. */
export interface CapabilityGrant {
  /** Saved with the download, so that several requests of one phone count as one download. */
  id: string;
  releaseId: string;
  /** The channel on which the release was live when the capability was created. */
  channelId: string;
  /** The tester it was created for; null for a public link. */
  developerId: string | null;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

export interface Capability extends CapabilityGrant {
  /** Safe as a path segment: letters, digits, `-`, `_` and `.`. */
  token: string;
}

type Signer = Pick<App, 'clock' | 'ids' | 'secrets'>;
type Reader = Pick<App, 'clock' | 'secrets'>;

const PURPOSE = 'install';
const UUID_BYTES = 16;
const EXPIRY_BYTES = 6;
const MAX_CHARACTERS = 256;

/**
 * Creates a capability for one release of a channel, valid for 15 minutes. It is stateless: nothing is stored until it
 * is used. The caller checks the permission. Downloads with the same `id` count as one.
 */
export function mintCapability(
  app: Signer,
  grant: { id?: string; releaseId: string; channelId: string; developerId: string | null },
): Capability {
  const full = { id: app.ids.next(), ...grant, expiresAt: app.clock.now().getTime() + CAPABILITY_LIFETIME_MS };
  const payload = packGrant(full).toString('base64url');
  return { ...full, token: `${payload}.${signFields(app.secrets.keyring, PURPOSE, grantFields(full))}` };
}

/**
 * Returns the grant of a capability token, or undefined if the token is malformed, altered, signed for another purpose
 * or expired. Overlong input is rejected without reading it.
 */
export function readCapability(app: Reader, token: string): CapabilityGrant | undefined {
  const grant = readSigned(app, token);
  return grant !== undefined && app.clock.now().getTime() < grant.expiresAt ? grant : undefined;
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
  if (grant === undefined || grant.releaseId !== of.releaseId || grant.channelId !== of.channelId) return undefined;
  if (grant.developerId !== null) return undefined;
  return app.clock.now().getTime() < grant.expiresAt + VISIT_LIFETIME_MS ? grant.id : undefined;
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

function grantFields({ id, releaseId, channelId, developerId, expiresAt }: CapabilityGrant): string[] {
  return [id, releaseId, channelId, developerId ?? '', String(expiresAt)];
}

function packGrant({ id, releaseId, channelId, developerId, expiresAt }: CapabilityGrant): Buffer {
  const expiry = Buffer.alloc(EXPIRY_BYTES);
  expiry.writeUIntBE(expiresAt, 0, EXPIRY_BYTES);
  const ids = [id, releaseId, channelId, ...(developerId === null ? [] : [developerId])];
  return Buffer.concat([expiry, ...ids.map((uuid) => Buffer.from(uuid.replaceAll('-', ''), 'hex'))]);
}

function unpackGrant(payload: Buffer): CapabilityGrant | undefined {
  const idBytes = payload.length - EXPIRY_BYTES;
  if (idBytes !== 3 * UUID_BYTES && idBytes !== 4 * UUID_BYTES) return undefined;
  const idAt = (index: number) => uuidAt(payload, EXPIRY_BYTES + index * UUID_BYTES);
  return {
    id: idAt(0),
    releaseId: idAt(1),
    channelId: idAt(2),
    developerId: idBytes === 4 * UUID_BYTES ? idAt(3) : null,
    expiresAt: payload.readUIntBE(0, EXPIRY_BYTES),
  };
}
