// The capability in the URL of an install manifest, because iOS loads the manifest without the app's headers.
import type { App } from '../core/context.ts';
import { isUuid } from '../runtime/ids.ts';
import { signFields, verifyFields } from '../runtime/signing.ts';

/** The grant: the manifest of one release, while its SDK app isn't revoked. */
export interface ManifestGrant {
  /** Id under which the download counts once, for any number of requests by iOS. */
  downloadId: string;
  releaseId: string;
  sdkAppId: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

type Signer = Pick<App, 'clock' | 'secrets'>;

const PURPOSE = 'sdk manifest';
const MAX_CHARACTERS = 300;

/** Signs a grant. Safe in a query: letters, digits, `-`, `_` and `.`. */
export function signManifestGrant(app: Signer, grant: ManifestGrant): string {
  const fields = fieldsOf(grant);
  return [...fields, signFields(app.secrets.keyring, PURPOSE, fields)].join('.');
}

/** Returns the grant of a token, or undefined if it is malformed, altered, signed for another purpose or expired. */
export function readManifestGrant(app: Signer, text: string): ManifestGrant | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const [downloadId = '', releaseId = '', sdkAppId = '', expires = '', ...signature] = text.split('.');
  const isWhole = [downloadId, releaseId, sdkAppId].every(isUuid) && /^\d{1,15}$/.test(expires);
  if (!isWhole) return undefined;
  const grant = { downloadId, releaseId, sdkAppId, expiresAt: Number(expires) };
  if (!verifyFields(app.secrets.keyring, PURPOSE, fieldsOf(grant), signature.join('.'))) return undefined;
  return app.clock.time() < grant.expiresAt ? grant : undefined;
}

function fieldsOf({ downloadId, releaseId, sdkAppId, expiresAt }: ManifestGrant): string[] {
  return [downloadId, releaseId, sdkAppId, String(expiresAt)];
}
