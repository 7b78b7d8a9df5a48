// Signed storage URLs: their content, creation and verification.
import { type Keyring, signFields, verifyFields } from '../runtime/signing.ts';

/** The path of the storage handler. */
export const STORAGE_PATH = '/storage/v1/';

/** Everything that a storage URL allows. `fileName` and `contentType` set headers of the download; '' for none. */
export type StorageGrant = {
  readonly method: 'PUT' | 'GET';
  readonly key: string;
  /** Seconds since 1970, in decimal. */
  readonly expires: string;
  readonly subject: string;
  readonly fileName: string;
  readonly contentType: string;
};

const PURPOSE = 'storage';
const MAX_QUERY_CHARACTERS = 8192;

/**
 * Returns the query of a URL for a grant: op, exp, sub, for downloads name and type, and sig
 * (docs/specification/builds.md#storage-links).
 */
export function signStorageQuery(keyring: Keyring, grant: StorageGrant): string {
  const query = new URLSearchParams({ op: grant.method.toLowerCase(), exp: grant.expires, sub: grant.subject });
  if (grant.fileName !== '') query.set('name', grant.fileName);
  if (grant.contentType !== '') query.set('type', grant.contentType);
  query.set('sig', signFields(keyring, PURPOSE, grantFields(grant)));
  // Browsers accept a plus for a space, but some proxies and phones don't.
  return query.toString().replaceAll('+', '%20');
}

/**
 * Verifies the query of a URL for a method (HEAD counts as GET), key and time. Returns the grant; 'unknown_operation' if op is
 * unknown; 'refused' if a value is altered, repeated, expired or for another method.
 */
export function verifyStorageQuery(
  keyring: Keyring,
  request: { method: string; key: string; query: string; now: Date },
): StorageGrant | 'unknown_operation' | 'refused' {
  if (request.query.length > MAX_QUERY_CHARACTERS) return 'refused';
  const query = new URLSearchParams(request.query);
  const names = ['op', 'exp', 'sub', 'name', 'type', 'sig'];
  if (names.some((name) => query.getAll(name).length > 1)) return 'refused';
  const operation = query.get('op');
  if (operation !== null && operation !== 'put' && operation !== 'get') return 'unknown_operation';
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  if ((method !== 'PUT' && method !== 'GET') || operation !== method.toLowerCase()) return 'refused';
  const grant: StorageGrant = {
    method,
    key: request.key,
    expires: query.get('exp') ?? '',
    subject: query.get('sub') ?? '',
    fileName: query.get('name') ?? '',
    contentType: query.get('type') ?? '',
  };
  if (!verifyFields(keyring, PURPOSE, grantFields(grant), query.get('sig') ?? '')) return 'refused';
  if (!/^\d{1,12}$/.test(grant.expires)) return 'refused';
  return request.now.getTime() < Number(grant.expires) * 1000 ? grant : 'refused';
}

function grantFields(grant: StorageGrant): readonly string[] {
  return [grant.method, grant.key, grant.expires, grant.subject, grant.fileName, grant.contentType];
}
