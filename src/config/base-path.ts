// The path of a server that shares its host with others: `/taxiway` for https://example.org/taxiway.
import type { Config } from './types.ts';

/** Returns the path of base_url without a trailing slash; '' for none. */
export function basePathOf({ server }: Pick<Config, 'server'>): string {
  const { base_url: baseUrl } = server;
  const slash = baseUrl.indexOf('/', baseUrl.indexOf('//') + 2);
  return slash < 0 ? '' : baseUrl.slice(slash);
}

/**
 * Removes the path of base_url from a request target; proxies keep or strip it, depending on their configuration. Returns other
 * targets unchanged. Keeps the beginning of the absolute form (RFC 9112 section 3.2.2).
 */
export function withoutBasePath(target: string, base: string): string {
  const start = target.startsWith('/') ? 0 : (/^https?:\/\/[^/?#]*/i.exec(target)?.[0].length ?? 0);
  if (base === '' || !target.startsWith(base, start)) return target;
  const rest = target.slice(start + base.length);
  if (rest !== '' && !/^[/?#]/.test(rest)) return target;
  return `${target.slice(0, start)}${rest.startsWith('/') ? '' : '/'}${rest}`;
}
