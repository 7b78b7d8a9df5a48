// User delegation keys, and signed URLs (SAS) made with them: one blob, one method, a short life.
import { createHmac } from 'node:crypto';
import { StorageError } from '../../core/storage.ts';
import { DAY, HOUR, MINUTE } from '../../lib/clock.ts';
import { escapeXml } from '../../lib/xml-text.ts';
import { textOf } from '../s3/xml.ts';
import { type AzureClient, SERVICE_VERSION } from './client.ts';
import type { ContainerLocation } from './location.ts';

/** As the service returned it; a signature covers all texts but the key. */
type DelegationKey = {
  readonly objectId: string;
  readonly tenantId: string;
  readonly start: string;
  readonly expiry: string;
  readonly service: string;
  readonly version: string;
  /** Base64. */
  readonly value: string;
};

type SignedUrlRequest = {
  readonly key: string;
  readonly method: 'GET' | 'HEAD' | 'PUT';
  readonly expiresAt: Date;
  /** Headers of the response to GET and HEAD. */
  readonly disposition?: string | undefined;
  readonly contentType?: string | undefined;
  readonly cacheControl?: string | undefined;
};

export type Delegation = {
  /** Returns a signed URL. It expires at most a day later. Throws StorageError `unavailable`. */
  sign(request: SignedUrlRequest): Promise<URL>;
  /** Requests a new key, for checks. */
  renew(): Promise<DelegationKey>;
};

/** The service allows seven days. */
const KEY_LIFETIME_MS = 2 * DAY;
const MAX_URL_LIFETIME_MS = DAY;
/** The customer can revoke keys at any time. Only those who use its URLs would learn that, so the server tries one now and then. */
const CHECK_AFTER_MS = 5 * MINUTE;
/** For clocks that differ: a key isn't valid before its start. */
const SKEW_MS = 15 * MINUTE;

/** Signs URLs with a key that is requested when it's needed, and replaced before it expires or after it was revoked. */
export function createDelegation(client: AzureClient): Delegation {
  const { location, clock } = client;
  let current: { key: DelegationKey; expiresAt: number; checkedAt: number } | undefined;
  let loading: Promise<DelegationKey> | undefined;

  async function request(): Promise<DelegationKey> {
    const now = clock.now().getTime();
    const [start, expiry] = [now - SKEW_MS, now + KEY_LIFETIME_MS].map((time) => inSeconds(new Date(time)));
    const body = Buffer.from(
      `<?xml version="1.0" encoding="utf-8"?><KeyInfo><Start>${escapeXml(start ?? '')}</Start><Expiry>${escapeXml(expiry ?? '')}</Expiry></KeyInfo>`,
    );
    const answer = await client.call(
      {
        method: 'POST',
        isForAccount: true,
        query: { restype: 'service', comp: 'userdelegationkey' },
        headers: { 'content-type': 'application/xml' },
        body,
      },
      [200],
    );
    const key = readKey(answer.body.toString());
    current = { key, expiresAt: Date.parse(key.expiry), checkedAt: now };
    return key;
  }

  /** Returns a key for URLs of this blob. */
  async function keyFor(name: string, expiresAt: Date): Promise<DelegationKey> {
    const known = current;
    if (known === undefined || known.expiresAt < expiresAt.getTime() + HOUR) return requestOnce();
    const now = clock.now().getTime();
    if (now - known.checkedAt < CHECK_AFTER_MS) return known.key;
    known.checkedAt = now;
    const url = signUrl(location, known.key, { key: name, method: 'HEAD', expiresAt });
    // Without a response, nothing is known about the key.
    const status = await client.headSigned(url).catch(() => undefined);
    if (status !== 403) return known.key;
    if (current === known) current = undefined;
    return requestOnce();
  }

  function requestOnce(): Promise<DelegationKey> {
    loading ??= request().finally(() => {
      loading = undefined;
    });
    return loading;
  }

  return {
    async sign(given) {
      const latest = clock.now().getTime() + MAX_URL_LIFETIME_MS;
      const expiresAt = new Date(Math.min(given.expiresAt.getTime(), latest));
      return signUrl(location, await keyFor(given.key, expiresAt), { ...given, expiresAt });
    },
    renew: request,
  };
}

/** Throws StorageError `unavailable` for a response that isn't a key. Its texts become lines of what is signed. */
function readKey(xml: string): DelegationKey {
  const read = (name: string, form: RegExp): string => {
    const text = textOf(xml, name) ?? '';
    if (!form.test(text)) throw new StorageError('unavailable', "the response to a request for a key isn't a key");
    return text;
  };
  const id = /^[\w-]{1,64}$/;
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,7})?Z$/;
  return {
    objectId: read('SignedOid', id),
    tenantId: read('SignedTid', id),
    start: read('SignedStart', time),
    expiry: read('SignedExpiry', time),
    service: read('SignedService', /^b$/),
    version: read('SignedVersion', /^\d{4}-\d\d-\d\d$/),
    value: read('Value', /^[A-Za-z0-9+/]{20,200}={0,2}$/),
  };
}

/** Returns the URL of a blob with a signature by a key. */
function signUrl(
  location: ContainerLocation,
  key: DelegationKey,
  { key: name, method, expiresAt, ...response }: SignedUrlRequest,
): URL {
  const permissions = method === 'PUT' ? 'w' : 'r';
  const expiry = inSeconds(expiresAt);
  const protocol = location.isSecure ? 'https' : 'https,http';
  const { disposition: rscd = '', contentType: rsct = '', cacheControl: rscc = '' } = method === 'PUT' ? {} : response;
  // The format since version 2025-07-05.
  const lines = [
    permissions,
    '', // start
    expiry,
    location.resourceOf(name),
    key.objectId,
    key.tenantId,
    key.start,
    key.expiry,
    key.service,
    key.version,
    ...['', '', ''], // authorized user, unauthorized user, correlation id
    ...['', ''], // tenant and id of the user that the URL is for
    '', // IP addresses
    protocol,
    SERVICE_VERSION,
    'b',
    '', // snapshot
    '', // encryption scope
    rscc,
    rscd,
    ...['', ''], // Content-Encoding, Content-Language
    rsct,
  ];
  const signature = createHmac('sha256', Buffer.from(key.value, 'base64')).update(lines.join('\n')).digest('base64');
  const url = location.urlOf(name);
  const parameters: Record<string, string> = {
    sv: SERVICE_VERSION,
    sr: 'b',
    sp: permissions,
    se: expiry,
    spr: protocol,
    skoid: key.objectId,
    sktid: key.tenantId,
    skt: key.start,
    ske: key.expiry,
    sks: key.service,
    skv: key.version,
    ...(rscc === '' ? {} : { rscc }),
    ...(rscd === '' ? {} : { rscd }),
    ...(rsct === '' ? {} : { rsct }),
    sig: signature,
  };
  const query = Object.entries(parameters).map(([field, value]) => `${field}=${encodeURIComponent(value)}`);
  url.search = query.join('&');
  return url;
}

function inSeconds(time: Date): string {
  return time.toISOString().replace(/\.\d{3}Z$/, 'Z');
}
