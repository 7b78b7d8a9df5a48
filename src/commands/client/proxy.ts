// The proxies that the environment names, as curl and other clients use them.
import type { ProxyEnv } from 'node:http';
import { Refusal } from '../../lib/failure.ts';
import type { CommandHost } from '../host.ts';

/** The variables of a proxy. The first one with a value counts. */
const VARIABLES = {
  https_proxy: ['https_proxy', 'HTTPS_PROXY'],
  http_proxy: ['http_proxy', 'HTTP_PROXY'],
} as const;

/**
 * Returns the proxies of the environment as Node.js expects them, or undefined if there is none. Throws Refusal for a value that isn't
 * an address; the message doesn't contain it, because it may have a password.
 */
export function readProxies({ env }: Pick<CommandHost, 'env'>): ProxyEnv | undefined {
  const proxies: Record<string, string> = {};
  for (const [kind, names] of Object.entries(VARIABLES)) {
    const name = names.find((one) => (env[one]?.trim() ?? '') !== '');
    const value = name === undefined ? '' : (env[name]?.trim() ?? '');
    if (name !== undefined) proxies[kind] = readAddress(name, value);
  }
  if (Object.keys(proxies).length === 0) return undefined;
  const direct = env.no_proxy ?? env.NO_PROXY;
  return { ...proxies, ...(direct === undefined ? {} : { no_proxy: direct }) };
}

/** An address without a scheme is that of an http proxy. */
function readAddress(name: string, value: string): string {
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`);
  if (url !== null && url.hostname !== '' && ['http:', 'https:'].includes(url.protocol)) return url.href;
  throw new Refusal(`${name} must be the address of an http or https proxy, such as http://proxy.example.com:3128`);
}

/** Sends the requests of this process through the proxies of the environment. Returns false if this version of Node.js can't. */
export function useProxies(host: CommandHost): boolean {
  const proxies = readProxies(host);
  return proxies === undefined || host.useProxies(proxies);
}
