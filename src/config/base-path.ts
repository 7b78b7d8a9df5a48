// The path under which the server lies when it shares its host with others: `/taxiway` of https://example.org/taxiway.
import type { Config } from './types.ts';

/** The path of base_url, without a slash at its end; '' where it has none. */
export function basePathOf({ server }: Pick<Config, 'server'>): string {
  const { base_url: baseUrl } = server;
  const slash = baseUrl.indexOf('/', baseUrl.indexOf('//') + 2);
  return slash < 0 ? '' : baseUrl.slice(slash);
}

/**
 * The target of a request without the path of base_url, which proxies keep or take away as they are set up. What lies
 * elsewhere stays as it is, and so does the absolute form's beginning (RFC 9112 section 3.2.2).
 */
export function withoutBasePath(target: string, base: string): string {
  const start = target.startsWith('/') ? 0 : (/^https?:\/\/[^/?#]*/i.exec(target)?.[0].length ?? 0);
  if (base === '' || !target.startsWith(base, start)) return target;
  const rest = target.slice(start + base.length);
  if (rest !== '' && !/^[/?#]/.test(rest)) return target;
  return `${target.slice(0, start)}${rest.startsWith('/') ? '' : '/'}${rest}`;
}
