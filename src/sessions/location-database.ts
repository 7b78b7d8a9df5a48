// Looks up the city and country of an IP address in a MaxMind DB file provided by the operator.

import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import { ConfigError } from '../config/problem.ts';
import type { Config } from '../config.ts';
import { definePart } from '../core/parts.ts';
import { codeOf } from '../lib/error-code.ts';
import * as z from '../lib/zod.ts';

/**
 * Returns `City, Country` or `Country` in English, or null if the database doesn't contain the address. Never throws.
 */
export type FindPlace = (address: string) => string | null;

const MAX_NAME_LENGTH = 60;
// Other types, such as autonomous system databases, don't contain places.
const PLACES = /city|country|enterprise/i;

const placeName = z
  .object({ names: z.object({ en: z.string() }) })
  .transform(({ names }) => cleanName(names.en))
  .optional()
  .catch(undefined);
const placeRecord = z.object({ city: placeName, country: placeName });

const metadataShape = z.object({
  databaseType: z.string(),
  ipVersion: z.literal([4, 6]),
  nodeCount: z.int().positive(),
  searchTreeSize: z.int().positive(),
});

/** Reads a database of cities or countries into memory. Throws ConfigError if the file isn't one. */
export async function openLocationDatabase(path: string): Promise<FindPlace> {
  const bytes = await readDatabaseFile(path);
  const { Reader } = await import('maxmind');
  let reader: InstanceType<typeof Reader>;
  try {
    reader = new Reader(bytes);
  } catch {
    throw wrongFile(path, "isn't one");
  }
  const metadata = metadataShape.safeParse(reader.metadata).data;
  if (metadata === undefined || !isTreeWhole(bytes, metadata.searchTreeSize)) throw wrongFile(path, "isn't one");
  const { databaseType, ipVersion } = metadata;
  if (!PLACES.test(databaseType)) {
    throw wrongFile(path, `has the type ${JSON.stringify(databaseType.slice(0, 60))}`);
  }
  return (address) => {
    const version = isIP(address);
    // An IPv4 tree would interpret the first bits of an IPv6 address as an IPv4 address.
    if (version === 0 || version > ipVersion) return null;
    try {
      return describePlace(reader.get(address));
    } catch {
      return null;
    }
  };
}

/** Returns whether the tree is complete: sixteen zero bytes separate it from the data (MaxMind DB format 2.0). */
function isTreeWhole(bytes: Buffer, size: number): boolean {
  const separator = bytes.subarray(size, size + 16);
  return separator.length === 16 && separator.every((byte) => byte === 0);
}

async function readDatabaseFile(path: string): Promise<Buffer> {
  try {
    // Reading a pipe or a device might never end.
    if ((await stat(path)).isFile()) return await readFile(path);
  } catch (error) {
    const code = codeOf(error);
    throw wrongFile(path, code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`);
  }
  throw wrongFile(path, "isn't a file");
}

function wrongFile(path: string, reason: string): ConfigError {
  const text = `expected a MaxMind DB file (.mmdb) of cities or countries; ${path} ${reason}`;
  return new ConfigError([{ source: 'configuration', key: 'accounts.location_database', text }]);
}

function describePlace(record: unknown): string | null {
  const { city, country } = placeRecord.safeParse(record).data ?? {};
  if (country === undefined) return null;
  return city === undefined ? country : `${city}, ${country}`;
}

function cleanName(name: string): string | undefined {
  const text = name
    .slice(0, MAX_NAME_LENGTH)
    .replace(/\p{Cc}+/gu, ' ')
    .toWellFormed()
    .trim();
  return text === '' ? undefined : text;
}

/** Opens the configured location database; undefined if none is configured. Throws ConfigError as above. */
export async function openConfiguredLocations({ accounts }: Config): Promise<FindPlace | undefined> {
  return accounts.location_database === '' ? undefined : openLocationDatabase(accounts.location_database);
}

/** Finds places for the addresses of sessions. Opened by openApp before the database. */
export const locationsOf = definePart<FindPlace | undefined>({ open: ({ config }) => openConfiguredLocations(config) });
