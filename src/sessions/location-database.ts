// Tells the city and country of an address from a MaxMind DB file that the operator gives.

import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import * as z from 'zod';
import { ConfigError } from '../config/problem.ts';
import type { Config } from '../config.ts';
import { definePart } from '../core/parts.ts';

/** `City, Country` or `Country` in English; null where the database knows nothing of the address. Never throws. */
export type FindPlace = (address: string) => string | null;

const MAX_NAME_LENGTH = 60;
// Others, such as those of autonomous systems, answer every address with something that is no place.
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

/** Reads a database of cities or countries into memory. Throws ConfigError where the file is no such database. */
export async function openLocationDatabase(path: string): Promise<FindPlace> {
  const bytes = await readDatabaseFile(path);
  const { Reader } = await import('maxmind');
  let reader: InstanceType<typeof Reader>;
  try {
    reader = new Reader(bytes);
  } catch {
    throw wrongFile(path, 'is none');
  }
  const metadata = metadataShape.safeParse(reader.metadata).data;
  if (metadata === undefined || !isTreeWhole(bytes, metadata.searchTreeSize)) throw wrongFile(path, 'is none');
  const { databaseType, ipVersion } = metadata;
  if (!PLACES.test(databaseType)) {
    throw wrongFile(path, `is of the type ${JSON.stringify(databaseType.slice(0, 60))}`);
  }
  return (address) => {
    const version = isIP(address);
    // A tree of IPv4 addresses would read the first bits of an IPv6 one as if they were one of its own.
    if (version === 0 || version > ipVersion) return null;
    try {
      return describePlace(reader.get(address));
    } catch {
      return null;
    }
  };
}

/** Sixteen zeros stand between the tree and the data (MaxMind DB format 2.0). */
function isTreeWhole(bytes: Buffer, size: number): boolean {
  const separator = bytes.subarray(size, size + 16);
  return separator.length === 16 && separator.every((byte) => byte === 0);
}

async function readDatabaseFile(path: string): Promise<Buffer> {
  try {
    // A pipe or a device might never end.
    if ((await stat(path)).isFile()) return await readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw wrongFile(path, code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`);
  }
  throw wrongFile(path, 'is no file');
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
