// Strict-Transport-Security (RFC 6797): sent only where it can't do harm.
import { isIP } from 'node:net';
import { isLoopback } from '../certificates/names.ts';
import type { Config } from '../config.ts';
import { hostnameOf } from '../lib/url-host.ts';
import type { Identity } from './identity.ts';

/** 30 days: short enough that a server can return to http later. Subdomains may belong to others. */
const VALUE = 'max-age=2592000';
/** Names that no public authority certifies. */
const LOCAL_NAMES =
  /^[^.]+$|\.(?:local|localdomain|internal|intranet|lan|home|corp|private|test|invalid|example|home\.arpa)$/;

/**
 * Returns the header's value, or undefined where it would do harm: browsers that remember it offer no way to bypass certificate
 * errors, so with an authority that some phones don't trust, people would be locked out; and they upgrade http to https for every
 * port of the host, where other services may run. Behind a TLS proxy, the header is the proxy's responsibility.
 */
export function chooseHsts({ server }: Config, { isPublic }: Pick<Identity, 'isPublic'>): string | undefined {
  const host = hostnameOf(server.base_url);
  const isUsualPort = new URL(server.base_url).port === '';
  const isPublicName = isIP(host) === 0 && !isLoopback(host) && !LOCAL_NAMES.test(host);
  return server.tls.mode !== 'off' && isPublic && isUsualPort && isPublicName ? VALUE : undefined;
}
