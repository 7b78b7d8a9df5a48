// Signed values of an enrollment: the challenge in each profile, the proof for the result page, and the token of a link that an
// install page creates.

import type { App } from '../core/context.ts';
import { MINUTE } from '../lib/clock.ts';
import { isUuid } from '../runtime/ids.ts';
import { signFields, verifyFields } from '../runtime/signing.ts';

type Signer = Pick<App, 'secrets'>;

const CHALLENGE = 'device-challenge';
const RESULT = 'device-result';
const PAGE = 'device-page-link';
const RESULT_LIFETIME_MS = 15 * MINUTE;
const MAX_CHARACTERS = 200;

/**
 * Creates a challenge for an enrollment. It is signed instead of stored, so that loading a profile doesn't write to the
 * database. Its id is stored when it is used.
 */
export function mintChallenge(app: Signer & Pick<App, 'ids'>, enrollmentId: string): string {
  const id = app.ids.next();
  return `${id}.${signFields(app.secrets.keyring, CHALLENGE, [enrollmentId, id])}`;
}

/**
 * Returns the id of a challenge of this enrollment, or undefined if it is malformed, altered or of another enrollment.
 */
export function readChallenge(app: Signer, enrollmentId: string, challenge: string): string | undefined {
  const [id = '', ...signature] = split(challenge);
  if (!isUuid(id)) return undefined;
  return verifyFields(app.secrets.keyring, CHALLENGE, [enrollmentId, id], signature.join('.')) ? id : undefined;
}

/** Creates a proof that a device has just enrolled, valid for 15 minutes. It is safe as a path segment. */
export function mintResultProof(app: Signer & Pick<App, 'clock'>, enrollmentId: string, deviceId: string): string {
  const expiresAt = String(app.clock.time() + RESULT_LIFETIME_MS);
  const signature = signFields(app.secrets.keyring, RESULT, [enrollmentId, deviceId, expiresAt]);
  return `${deviceId}.${expiresAt}.${signature}`;
}

/** Returns the device of a proof, or undefined if it is altered, expired or of another enrollment. */
export function readResultProof(
  app: Signer & Pick<App, 'clock'>,
  enrollmentId: string,
  proof: string,
): string | undefined {
  const [deviceId = '', expiresAt = '', ...signature] = split(proof);
  if (!isUuid(deviceId) || !/^\d{1,15}$/.test(expiresAt)) return undefined;
  const fields = [enrollmentId, deviceId, expiresAt];
  if (!verifyFields(app.secrets.keyring, RESULT, fields, signature.join('.'))) return undefined;
  return app.clock.time() < Number(expiresAt) ? deviceId : undefined;
}

/**
 * Returns the token of a link that an install page creates, the same for `fields` within a minute: repeated requests, and all
 * visitors without an account, share a link instead of using up the limits.
 */
export function pageToken(app: Signer & Pick<App, 'clock'>, fields: readonly string[]): string {
  const minute = Math.floor(app.clock.time() / MINUTE);
  const signature = signFields(app.secrets.keyring, PAGE, [...fields, String(minute)]);
  return signature.slice(signature.lastIndexOf('.') + 1);
}

function split(text: string): string[] {
  return text.length > MAX_CHARACTERS ? [] : text.split('.');
}
