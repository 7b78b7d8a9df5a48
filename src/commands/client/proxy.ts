// The proxies that the environment names, as curl and other clients use them.
import type { ProxyEnv } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { Refusal } from '../../lib/failure.ts';
import type { CommandHost } from '../host.ts';

/**
 * Returns the proxies of the environment as Node.js expects them, or undefined if there is none. Variables without a value don't count.
 * Throws Refusal for a value that isn't an address; the message doesn't contain it, because it may have a password.
 */
function readProxies({ env }: Pick<CommandHost, 'env'>): ProxyEnv | undefined {
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

/** Returns the proxies for requests to an address; undefined if there is none, or `no_proxy` names the host. */
export function readProxiesFor(host: Pick<CommandHost, 'env'>, url: URL): ProxyEnv | undefined {
  const proxies = readProxies(host);
  if (proxies === undefined || isDirect(url, proxies.no_proxy)) return undefined;
  const { no_proxy: _, ...others } = proxies;
  return others;
}

/**
 * Whether `no_proxy` names the host of an address, as curl reads it: a domain with those below it, with or without a dot before it, an
 * address or network, or `*`. node:http only knows exact hosts, and fetch no networks.
 */
function isDirect({ hostname, port, protocol }: URL, list = ''): boolean {
  const name = withoutBrackets(hostname).replace(/\.$/, '');
  const numbers = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === '*') return true;
      const [, stated = '', only = numbers] = /^(\[.+\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? [entry, entry];
      const wanted = withoutBrackets(stated.replace(/^\*?\./, '').replace(/\.$/, ''));
      if (wanted === '' || only !== numbers) return false;
      return name === wanted || (isIP(name) === 0 ? name.endsWith(`.${wanted}`) : isInNetwork(name, wanted));
    });
}

const withoutBrackets = (name: string) => name.replace(/^\[(.+)\]$/, '$1');

function isInNetwork(address: string, network: string): boolean {
  const [base = '', bits = ''] = network.split('/');
  const family = isIP(base);
  if (family !== isIP(address) || !/^\d{1,3}$/.test(bits) || Number(bits) > (family === 6 ? 128 : 32)) return false;
  const type = family === 6 ? 'ipv6' : 'ipv4';
  const list = new BlockList();
  list.addSubnet(base, Number(bits), type);
  return list.check(address, type);
}

/**
 * Sends the requests of this process through the proxies of the environment, except for those to hosts of `no_proxy`, of which `url` may
 * be one. Returns false if this version of Node.js can't.
 */
export function useProxies(host: CommandHost, url: string): boolean {
  const proxies = readProxies(host);
  if (proxies === undefined) return true;
  const server = new URL(url);
  if (!isDirect(server, proxies.no_proxy)) return host.useProxies(proxies);
  return host.useProxies({ ...proxies, no_proxy: `${proxies.no_proxy},${server.hostname}` });
}
