// The backups of a place, and their lists.
import { systemClock } from '../lib/clock.ts';
import * as z from '../lib/zod.ts';
import { isObjectKey } from '../storage/object-key.ts';
import type { Unseal } from './encryption.ts';
import type { IndexedObject } from './file-index.ts';
import {
  BACKUPS,
  BackupDamaged,
  isBackupId,
  isContentName,
  MAX_MANIFEST_BYTES,
  type Manifest,
  manifestName,
  readManifest,
  type StoredFile,
} from './format.ts';
import { unpack } from './packing.ts';
import type { BackupPlace } from './place.ts';
import { readLines } from './streams.ts';

const LIST_PAGE = 1_000;

type BackupFolder = { id: string; files: string[]; isComplete: boolean };

/** Lists the backups of a place, oldest first, complete or not. */
export async function listBackups(place: BackupPlace): Promise<BackupFolder[]> {
  const folders = new Map<string, BackupFolder>();
  for await (const { key } of listAll(place, BACKUPS)) {
    const id = key.split('/')[1] ?? '';
    if (!isBackupId(id)) continue;
    const folder = folders.get(id) ?? { id, files: [], isComplete: false };
    folders.set(id, folder);
    folder.files.push(key);
    if (key === manifestName(id)) folder.isComplete = true;
  }
  return [...folders.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** Returns the time that an id begins with, in milliseconds since the epoch. */
export function startOf(id: string): number {
  return Date.parse(id.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)([\d.]+)Z.*$/, '$1-$2-$3T$4:$5:$6Z'));
}

/**
 * Orders backups from the oldest on. One from the future was made while the clock was wrong: it isn't newer than those with a time that
 * has passed, so it comes first.
 */
export function oldestFirst<Folder extends Pick<BackupFolder, 'id'>>(
  backups: readonly Folder[],
  now: number,
): Folder[] {
  const isMisdated = ({ id }: Folder) => startOf(id) > now;
  return [...backups.filter(isMisdated), ...backups.filter((backup) => !isMisdated(backup))];
}

/** Lists all objects of a place below a prefix. */
export async function* listAll(place: BackupPlace, prefix: string) {
  let after: string | undefined;
  for (;;) {
    const { items, next } = await place.list(prefix, { after, limit: LIST_PAGE });
    yield* items;
    if (next === undefined) return;
    after = next;
  }
}

/** Returns the newest complete backup, or undefined. */
export async function findNewest(place: BackupPlace): Promise<BackupFolder | undefined> {
  return oldestFirst(await listBackups(place), systemClock.now().getTime()).findLast(({ isComplete }) => isComplete);
}

/** Returns a backup by its id, or the newest complete one. Throws BackupDamaged, also if there is none. */
export async function loadManifest(place: BackupPlace, id?: string): Promise<Manifest> {
  const chosen = id ?? (await findNewest(place))?.id;
  if (chosen === undefined) throw new BackupDamaged(`${place.name} has no complete backup`);
  if (!isBackupId(chosen)) throw new BackupDamaged(`there is no backup with the id ${chosen}`);
  const name = manifestName(chosen);
  const found = await place.head(name);
  if (found === undefined) throw new BackupDamaged(`${place.name} has no complete backup ${chosen}`);
  if (found.size > MAX_MANIFEST_BYTES) throw new BackupDamaged(`the manifest of the backup ${chosen} is damaged`);
  return readManifest(chosen, await place.read(name, 0, found.size));
}

const fileLine = z.tuple([z.string(), z.number().int().min(0), z.string().regex(/^[0-9a-f]{64}$/)]);
const objectLine = z.tuple([z.string(), ...fileLine.def.items]);

/** Reads the list of a backup's contents. Throws BackupDamaged. */
export async function* readFileList(place: BackupPlace, { files }: Manifest): AsyncIterable<StoredFile> {
  for await (const line of readLines(unpack(place, files, { isCompressed: true }))) {
    const [file, size, sha256] = parse(fileLine, line);
    if (!isContentName(file)) throw new BackupDamaged('the list of files has an invalid name');
    yield { file, size, sha256 };
  }
}

/** Reads the list of a backup's objects. Throws BackupDamaged. */
export async function* readObjectList(
  place: BackupPlace,
  { objects }: Manifest,
  unseal: Unseal | undefined,
): AsyncIterable<IndexedObject> {
  for await (const line of readLines(unpack(place, objects, { unseal, isCompressed: true }))) {
    const [key, file, size, sha256] = parse(objectLine, line);
    if (!isContentName(file) || !isObjectKey(key)) throw new BackupDamaged('the list of objects has an invalid name');
    yield { key, file, size, sha256 };
  }
}

/** Returns a line of each list. */
export const toFileLine = ({ file, size, sha256 }: StoredFile): string => `${JSON.stringify([file, size, sha256])}\n`;
export const toObjectLine = ({ key, file, size, sha256 }: IndexedObject): string =>
  `${JSON.stringify([key, file, size, sha256])}\n`;

function parse<Shape extends z.ZodType>(shape: Shape, line: string): z.output<Shape> {
  try {
    return shape.parse(JSON.parse(line));
  } catch {
    throw new BackupDamaged('a list has an invalid line');
  }
}
