// Health checks of the address: requirements of phones and the proxy configuration.
import { isIP } from 'node:net';
import type { Config } from '../config.ts';
import { isLoopbackUrl } from '../lib/url-host.ts';
import { type Finding, ok, warn } from './finding.ts';

/** Checks whether phones can reach the server, and what iOS installs require. */
export function checkAddress({ server }: Config): Finding[] {
  const { hostname, protocol } = new URL(server.base_url);
  const isLocal = isLoopbackUrl(server.base_url);
  const needs = [...(isLocal ? ['an address that phones can reach'] : []), ...(protocol === 'https:' ? [] : ['https'])];
  const address =
    needs.length === 0
      ? ok(
          'ios',
          `${server.base_url} supports over-the-air installs if phones trust its certificate`,
          'installs_ready',
          {
            address: server.base_url,
          },
        )
      : warn(
          'ios',
          `over-the-air installs require ${needs.join(' and ')}: set server.base_url (now ${server.base_url})`,
          isLocal
            ? protocol === 'https:'
              ? 'address_not_reachable'
              : 'address_not_reachable_no_https'
            : 'address_no_https',
          { address: server.base_url },
        );
  return [address, ...checkCertificate(hostname, server), ...checkProxy(server, protocol)];
}

function checkCertificate(hostname: string, { base_url: baseUrl, tls }: Config['server']): Finding[] {
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
  if (!isAddress || !baseUrl.startsWith('https:') || tls.mode === 'internal') return [];
  return [
    warn(
      'certificate',
      `${hostname} is an IP address: public authorities rarely issue certificates for IP addresses, and phones reject others`,
      'certificate_for_address',
      { host: hostname },
    ),
  ];
}

function checkProxy(server: Config['server'], protocol: string): Finding[] {
  if (server.trusted_proxies.length > 0 || protocol !== 'https:' || server.tls.mode !== 'off') return [];
  const text = 'a proxy handles https, but server.trusted_proxies is empty: all requests seem to come from the proxy';
  return [warn('proxy', text, 'proxy_untrusted')];
}
