// The proxies that the environment names, as curl and other clients use them.
import type { ProxyEnv } from 'node:http';
import { Refusal } from '../../lib/failure.ts';
import type { CommandHost } from '../host.ts';

/**
 * Returns the proxies of the environment as Node.js expects them, or undefined if there is none. Variables without a value don't count.
 * Throws Refusal for a value that isn't an address; the message doesn't contain it, because it may have a password.
 */
export function readProxies({ env }: Pick<CommandHost, 'env'>): ProxyEnv | undefined {
  const find = (kind: string) => [kind, kind.toUpperCase()].find((name) => env[name]?.trim());
  const proxies: Record<string, string | undefined> = {};
  for (const kind of ['https_proxy', 'http_proxy']) {
    const name = find(kind);
    if (name !== undefined) proxies[kind] = readAddress(name, env[name]?.trim());
  }
  if (Object.keys(proxies).length === 0) return undefined;
  const direct = find('no_proxy');
  return direct === undefined ? proxies : { ...proxies, no_proxy: env[direct] };
}

/** An address without a scheme is that of an http proxy. */
function readAddress(name: string, value = ''): string {
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`);
  if (url !== null && url.hostname !== '' && ['http:', 'https:'].includes(url.protocol)) return url.href;
  throw new Refusal(`${name} must be the address of an http or https proxy, such as http://proxy.example.com:3128`);
}

/** Sends the requests of this process through the proxies of the environment. Returns false if this version of Node.js can't. */
export function useProxies(host: CommandHost): boolean {
  const proxies = readProxies(host);
  return proxies === undefined || host.useProxies(proxies);
}
