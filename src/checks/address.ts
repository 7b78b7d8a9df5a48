// Checks of the address: what phones need to install, and what a proxy in front must be told.
import { isIP } from 'node:net';
import type { Config } from '../config.ts';
import { type Finding, ok, warn } from './finding.ts';

/** Says whether phones can reach the server and what iOS installs still need. */
export function checkAddress({ server }: Config): Finding[] {
  const { hostname, protocol } = new URL(server.base_url);
  const isLocal = hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
  const needs = [...(isLocal ? ['an address that phones can reach'] : []), ...(protocol === 'https:' ? [] : ['https'])];
  const address =
    needs.length === 0
      ? ok(
          'ios',
          `${server.base_url} can serve installs over the air, when phones trust its certificate`,
          'installs_ready',
          {
            address: server.base_url,
          },
        )
      : warn(
          'ios',
          `installs over the air still need ${needs.join(' and ')}: set server.base_url (now ${server.base_url})`,
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
      `${hostname} is no name: public authorities rarely certify addresses, and phones refuse others`,
      'certificate_for_address',
      { host: hostname },
    ),
  ];
}

function checkProxy(server: Config['server'], protocol: string): Finding[] {
  if (server.trusted_proxies.length > 0 || protocol !== 'https:' || server.tls.mode !== 'off') return [];
  const text =
    'a proxy does the https, and server.trusted_proxies is empty: every request seems to come from the proxy';
  return [warn('proxy', text, 'proxy_untrusted')];
}
