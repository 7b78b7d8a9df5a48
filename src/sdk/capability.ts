// The capability in the address of an install manifest: iOS fetches it without any header of the app that asked.
import type { App } from '../core/context.ts';
import { isUuid } from '../runtime/ids.ts';
import { signFields, verifyFields } from '../runtime/signing.ts';

/** What it grants: the manifest of one release, while its SDK app is not revoked. */
export interface ManifestGrant {
  /** Under which the download is counted once, however often iOS asks. */
  downloadId: string;
  releaseId: string;
  sdkAppId: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

type Signer = Pick<App, 'clock' | 'secrets'>;

const PURPOSE = 'sdk manifest';
const MOST_CHARACTERS = 300;

/** Signs a grant; safe in a query: letters, digits, `-`, `_` and `.`. */
export function signManifestGrant(app: Signer, grant: ManifestGrant): string {
  const fields = fieldsOf(grant);
  return [...fields, signFields(app.secrets.keyring, PURPOSE, fields)].join('.');
}

/** What a presented text grants; undefined when it is malformed, altered, signed for something else or expired. */
export function readManifestGrant(app: Signer, text: string): ManifestGrant | undefined {
  if (text.length > MOST_CHARACTERS) return undefined;
  const [downloadId = '', releaseId = '', sdkAppId = '', expires = '', ...signature] = text.split('.');
  const isWhole = [downloadId, releaseId, sdkAppId].every(isUuid) && /^\d{1,15}$/.test(expires);
  if (!isWhole) return undefined;
  const grant = { downloadId, releaseId, sdkAppId, expiresAt: Number(expires) };
  if (!verifyFields(app.secrets.keyring, PURPOSE, fieldsOf(grant), signature.join('.'))) return undefined;
  return app.clock.now().getTime() < grant.expiresAt ? grant : undefined;
}

function fieldsOf({ downloadId, releaseId, sdkAppId, expiresAt }: ManifestGrant): string[] {
  return [downloadId, releaseId, sdkAppId, String(expiresAt)];
}
