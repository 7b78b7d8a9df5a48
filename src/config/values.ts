// The types of values in config.toml.
import { isIP } from 'node:net';
import * as z from 'zod';
import { isLoopbackUrl } from '../lib/url-host.ts';

// Every command builds all of these schemas, so they share what they can, and each set of checks copies a schema only once.
const anyWholeNumber = z.int();
const anyText = z.string().max(4096);
const anySecret = z.string().max(65_536).meta({ secret: true }).default('');
const on = z.boolean().default(true);
const off = z.boolean().default(false);

/** A whole number within bounds. Here and below, `value` is the default. */
export const wholeNumber = (minimum: number, maximum: number, value: number) =>
  anyWholeNumber.check(z.gte(minimum), z.lte(maximum)).default(value);
/** A limit of at least one. */
export const count = (value: number) => wholeNumber(1, 1_000_000_000, value);
/** A number of days. The meaning of 0 depends on the key. */
export const days = (value: number) => wholeNumber(0, 36_500, value);
export const flag = (value: boolean) => (value ? on : off);
export const text = (value = '') => checkedText('a text', () => true, value);
export const choice = <const T extends string>(values: readonly T[], value: NoInfer<T>) =>
  z.enum(values).default(value as z.core.util.ToEnum<T>[T]);

/** A text that may be given as `{ file = "…" }` or `{ env = "…" }` and is never printed. */
export const secret = () => anySecret;

/**
 * A text checked by a rule. `expected` completes the message "expected …". The system accepts no path with a NUL character, and no other
 * text needs one.
 */
export const checkedText = (expected: string, isRight: (value: string) => boolean, value = '') =>
  anyText
    .refine((given) => !given.includes('\0') && isRight(given))
    .meta({ expected })
    .default(value);

/** An http or https URL, or none. */
export const httpAddress = (value = '') =>
  checkedText('an http or https address', (address) => address === '' || isHttpAddress(address), value);

/** An http or https URL, or none, for requests and links that can't have a user name and password. */
export const plainHttpAddress = (value = '') => httpAddress(value).refine(hasNoAccount, NO_ACCOUNT);

/** An http or https URL for requests that can't be empty. */
export const requiredHttpAddress = (value: string) =>
  checkedText('an http or https address', isHttpAddress, value).refine(hasNoAccount, NO_ACCOUNT);

/** The URL of the server: http or https, a host, and a path that proxies don't modify. */
export const serverAddress = (value: string) =>
  checkedText(`an http or https address, with a plain path or none, such as ${examples}`, isServerAddress, value);

/** A host of a cloud with an optional port, or its URL, which may begin with http only on this machine. */
export const cloudHost = (value: string) =>
  checkedText(`a host such as "${value}", or its https address`, isCloudHost, value);

/** The path of a folder or file; can't be empty. */
export const filePath = (kind: 'folder' | 'file', value: string) =>
  checkedText(`a ${kind}`, (given) => given !== '', value);

/** IP addresses and networks. */
export const addressesAndNetworks = () =>
  z
    .array(z.string().refine(isAddressOrNetwork))
    .max(100)
    .meta({ expected: 'a list of IP addresses or networks, such as ["10.0.0.0/8"]' })
    .default([]);

/** Name servers with an optional port, in the resolver's format: 10.0.0.53, 10.0.0.53:5353, fd00::53, [fd00::53]:5353. */
export const dnsServers = () =>
  z
    .array(z.string().refine(isDnsServer))
    .max(8)
    .meta({ expected: 'a list of addresses such as ["10.0.0.53"] or ["10.0.0.53:5353"]' })
    .default([]);

/** Port numbers. Values from the environment are text. */
export const portNumbers = () =>
  z
    .array(
      z
        .union([
          z.int(),
          z
            .string()
            .regex(/^\d{1,5}$/)
            .transform(Number),
        ])
        .refine((port) => port >= 1 && port <= 65_535),
    )
    .max(100)
    .meta({ expected: 'a list of ports, such as [6000]' })
    .default([]);

/** Names for certificates: host names without wildcards, or IP addresses. */
export const hostNames = () =>
  z
    .array(z.string().max(253).refine(isHostName))
    .max(100)
    .meta({ expected: 'a list of host names such as ["builds.example.com"]' })
    .default([]);

function isHostName(value: string): boolean {
  if (isIP(value) !== 0) return true;
  const ascii = URL.parse(`https://${value}/`)?.hostname ?? '';
  const isWhole = !/[/:@?#\\\s]/.test(value);
  return (
    isWhole &&
    isIP(ascii) === 0 &&
    /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(ascii)
  );
}

function isHttpAddress(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '';
}

const NO_ACCOUNT = { params: { expected: 'an address without a user name and password' } };

/** One without http or https is already rejected. */
function hasNoAccount(value: string): boolean {
  if (!isHttpAddress(value)) return true;
  const { username, password } = new URL(value);
  return username + password === '';
}

const examples = '"https://builds.example.com" or "https://example.com/taxiway"';
/** Excludes encoded characters, which have several spellings, and `//`, `.` and `..`, which some programs remove. */
const PLAIN_ADDRESS = /^https?:\/\/[^\s/\\?#@]+((?:\/(?!\.\.?(?:\/|$))[\w.~-]+)*)\/*$/i;
/** Browsers reject cookies with longer paths. */
const MAX_PATH_LENGTH = 200;

function isCloudHost(value: string): boolean {
  const url = URL.parse(/^https?:\/\//.test(value) ? value : `https://${value}`);
  if (url === null || !/^(?:https?:\/\/)?[a-z0-9.:[\]-]+$/i.test(value)) return false;
  return url.protocol === 'https:' || isLoopbackUrl(value);
}

/** Whether a text is a valid server URL. */
export function isServerAddress(value: string): boolean {
  const path = PLAIN_ADDRESS.exec(value)?.[1];
  return path !== undefined && path.length <= MAX_PATH_LENGTH && isHttpAddress(value);
}

/** Returns a server URL without a trailing slash, as the beginning of links. */
export function normalizeServerAddress(value: string): string {
  const { origin, pathname } = new URL(value);
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

function isAddressOrNetwork(value: string): boolean {
  const [address = '', bits, ...rest] = value.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

function isDnsServer(value: string): boolean {
  if (isIP(value) !== 0) return true;
  const [, bracketed, bare, port] = /^(?:\[(.+)\]|([^:]+)):(\d{1,5})$/.exec(value) ?? [];
  return isIP(bracketed ?? bare ?? '') !== 0 && Number(port) >= 1 && Number(port) <= 65_535;
}
