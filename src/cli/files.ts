// The clients that the program contains: the shell uploader and the JavaScript client.
import { createHash } from 'node:crypto';
import type { App } from '../core/context.ts';
import { findAsset, readAsset } from '../lib/assets.ts';
import { version } from '../lib/version.ts';

export const cliPaths = {
  page: '/cli',
  uploader: '/cli/upload.sh',
  client: '/cli/taxiway.cjs',
  checksums: '/cli/SHA256SUMS',
  executables: '/cli/executables/',
};

export interface ClientFile {
  /** File name, which is also the last part of its path. */
  name: string;
  bytes: Buffer;
  /** SHA-256 in hex. */
  sha256: string;
}

/** Addresses of these characters are safe in single quotes of a shell. All others are percent-encoded in URLs anyway. */
const PLAIN_ADDRESS = /^[\w.~:/?#[\]@!$&()*+,;=%-]+$/;

/** Returns the shell uploader, with the address and the version of this server. */
export function readUploader({ config }: Pick<App, 'config'>): ClientFile {
  const address = config.server.base_url;
  const values: Record<string, string> = {
    url: PLAIN_ADDRESS.test(address) ? address : encodeURI(address).replaceAll("'", '%27'),
    version: version.version,
  };
  const script = readAsset('cli/upload.sh')
    .toString('utf8')
    .replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');
  return described('upload.sh', Buffer.from(script));
}

/** Returns the JavaScript client of this version; undefined if it wasn't built. */
export function findClient(): ClientFile | undefined {
  const bytes = findAsset('cli/taxiway.cjs');
  return bytes && described('taxiway.cjs', bytes);
}

function described(name: string, bytes: Buffer): ClientFile {
  return { name, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}
