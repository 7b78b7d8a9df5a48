// Strict-Transport-Security (RFC 6797): told to browsers only where it can do no harm.
import { isIP } from 'node:net';
import { isLoopback } from '../certificates/names.ts';
import type { Config } from '../config.ts';
import { hostnameOf } from '../lib/url-host.ts';
import type { Identity } from './identity.ts';

/** 30 days: short enough that a server can go back to http some day. Subdomains are somebody else's. */
const VALUE = 'max-age=2592000';
/** Names that no public authority certifies. */
const LOCAL_NAMES =
  /^[^.]+$|\.(?:local|localdomain|internal|intranet|lan|home|corp|private|test|invalid|example|home\.arpa)$/;

/**
 * The header's value, or undefined where it would do harm: browsers that remember it offer no way around an error of the
 * certificate, so an authority that not every phone knows would lock people out; and they turn http into https for every
 * port of the host, where other services may live. With a proxy in front that does the TLS, it is the proxy's to say.
 */
export function chooseHsts({ server }: Config, { isPublic }: Pick<Identity, 'isPublic'>): string | undefined {
  const host = hostnameOf(server.base_url);
  const isUsualPort = new URL(server.base_url).port === '';
  const isPublicName = isIP(host) === 0 && !isLoopback(host) && !LOCAL_NAMES.test(host);
  return server.tls.mode !== 'off' && isPublic && isUsualPort && isPublicName ? VALUE : undefined;
}
