// The names that certificates of this server are for: host names and addresses, in one form each.

import { isIP } from 'node:net';
import type { Config } from '../config.ts';
import { hostnameOf } from '../lib/url-host.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '::1'];

/** Whether a host is this machine itself, which nobody else reaches under that name. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127\./.test(host);
}

/**
 * Returns the names that the server's own authority certifies: the host of base_url and the configured domains; for a loopback
 * address, all of its usual names. Sorted, without duplicates.
 */
export function internalNames({ server }: Config): string[] {
  const host = hostnameOf(server.base_url);
  const names = [host, ...(isLoopback(host) ? LOOPBACK : []), ...server.tls.acme_domains.map(normalizeName)];
  return [...new Set(names)].sort();
}

/** Returns a name in certificate form: lower case, international names in ASCII. */
export function normalizeName(name: string): string {
  const host = URL.parse(`https://${isIP(name) === 6 ? `[${name}]` : name}`)?.hostname ?? name;
  return host.replace(/^\[|\]$/g, '');
}

/** Returns the bytes of an IP address: 4 or 16. */
export function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  // The URL parser converts a dotted quad at the end to two groups.
  const bare = normalizeName(address);
  const [head = '', tail] = bare.split('::');
  const groupsOf = (part: string) => (part === '' ? [] : part.split(':'));
  const before = groupsOf(head);
  const after = groupsOf(tail ?? '');
  const zeros = new Array<string>(8 - before.length - after.length).fill('0');
  const bytes = Buffer.alloc(16);
  for (const [index, group] of [...before, ...zeros, ...after].entries()) {
    bytes.writeUInt16BE(Number.parseInt(group, 16), index * 2);
  }
  return bytes;
}
