// Signed texts of an enrollment: the challenge in each profile, and the proof with which a phone comes to its result page.

import type { App } from '../core/context.ts';
import { MINUTE } from '../lib/clock.ts';
import { isUuid } from '../runtime/ids.ts';
import { signFields, verifyFields } from '../runtime/signing.ts';

type Signer = Pick<App, 'secrets'>;

const CHALLENGE = 'device-challenge';
const RESULT = 'device-result';
const RESULT_LIFETIME_MS = 15 * MINUTE;
const MOST_CHARACTERS = 200;

/**
 * A new challenge of one enrollment. It is signed instead of kept, so that looking at a profile costs no write; answering it
 * uses its id up.
 */
export function mintChallenge(app: Signer & Pick<App, 'ids'>, enrollmentId: string): string {
  const id = app.ids.next();
  return `${id}.${signFields(app.secrets.keyring, CHALLENGE, [enrollmentId, id])}`;
}

/** The id of a challenge of this enrollment; undefined for one that is altered, of another enrollment, or no challenge at all. */
export function readChallenge(app: Signer, enrollmentId: string, challenge: string): string | undefined {
  const [id = '', ...signature] = split(challenge);
  if (!isUuid(id)) return undefined;
  return verifyFields(app.secrets.keyring, CHALLENGE, [enrollmentId, id], signature.join('.')) ? id : undefined;
}

/** Proves for 15 minutes that a device has just enrolled; fits one segment of a path. */
export function mintResultProof(app: Signer & Pick<App, 'clock'>, enrollmentId: string, deviceId: string): string {
  const expiresAt = String(app.clock.now().getTime() + RESULT_LIFETIME_MS);
  const signature = signFields(app.secrets.keyring, RESULT, [enrollmentId, deviceId, expiresAt]);
  return `${deviceId}.${expiresAt}.${signature}`;
}

/** The device that a proof speaks of; undefined for one that is altered, expired or of another enrollment. */
export function readResultProof(
  app: Signer & Pick<App, 'clock'>,
  enrollmentId: string,
  proof: string,
): string | undefined {
  const [deviceId = '', expiresAt = '', ...signature] = split(proof);
  if (!isUuid(deviceId) || !/^\d{1,15}$/.test(expiresAt)) return undefined;
  const fields = [enrollmentId, deviceId, expiresAt];
  if (!verifyFields(app.secrets.keyring, RESULT, fields, signature.join('.'))) return undefined;
  return app.clock.now().getTime() < Number(expiresAt) ? deviceId : undefined;
}

function split(text: string): string[] {
  return text.length > MOST_CHARACTERS ? [] : text.split('.');
}
