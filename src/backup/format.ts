// The files of a backup. A place has many backups, which share the contents of objects:
//
//   backups/ID/manifest      JSON and its checksum; written last, so a backup without one is incomplete
//   backups/ID/database      the database, compressed
//   backups/ID/objects       the key and content of each stored object, compressed lines of JSON
//   backups/ID/files         the contents that the backup needs, with the checksums of their files, compressed lines of JSON
//   backups/ID/secret-key    the server's secret key
//   backups/ID/audit-heads   the heads of the audit chains before the database was copied
//   contents/AB/HASH         the content of objects, by its SHA-256
//
// With public keys, all of them but the manifest and `files` are encrypted in the format of age (age-encryption.org/v1) and end with
// `.age`; a content's name then also has the recipients, because others can't read it.
import { createHash } from 'node:crypto';
import * as z from '../lib/zod.ts';
import { isObjectKey } from '../storage/object-key.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const bytes = z.number().int().min(0);

/** A file as it's stored, which can be verified without a key. */
const storedFile = z.object({ file: z.string().refine(isObjectKey), size: bytes, sha256 });

/** A stored file and its plain content. */
const packedFile = storedFile.extend({ plain_size: bytes, plain_sha256: sha256 });

/** One that is read into memory. */
const smallFile = (most: number) => packedFile.extend({ plain_size: bytes.max(most) });
const MAX_KEY_BYTES = 4096;
/** Of some 500,000 organizations. */
const MAX_HEADS_BYTES = 64 * 1024 * 1024;

const manifest = z.object({
  format: z.literal(1),
  id: z.string(),
  created_at: z.iso.datetime(),
  taxiway: z.string(),
  /** Which server made it. Backups of 0.2.0 and earlier don't have it. */
  server: z.string().optional(),
  recipients: z.array(z.string()),
  database: packedFile,
  objects: packedFile.extend({ count: bytes, bytes }),
  files: packedFile.extend({ count: bytes, bytes }),
  /** Null if it's left out, or in the configuration. */
  secret_key: smallFile(MAX_KEY_BYTES).nullable(),
  /** The heads of the audit chains, which show a chain whose end was cut off; null if the server has written none yet. */
  audit_heads: smallFile(MAX_HEADS_BYTES).nullable(),
  /** Objects in buckets and containers, which aren't part of the backup. */
  elsewhere: bytes,
  /** Objects that were missing or damaged on the server. */
  missing: bytes,
  /** Objects that were deleted between the copy of the database and theirs. Earlier versions didn't count them. */
  deleted: bytes.optional(),
});

export type StoredFile = z.infer<typeof storedFile>;
export type PackedFile = z.infer<typeof packedFile>;
export type Manifest = z.infer<typeof manifest>;

/** Returns the bytes that a restore of a backup reads, which every command and the API show as its size. */
export function backupBytes({ database, objects, files, secret_key: key, audit_heads: heads }: Manifest): number {
  return files.bytes + database.size + objects.size + files.size + (key?.size ?? 0) + (heads?.size ?? 0);
}

/** A backup's content is damaged, incomplete, or not one of this program. */
export class BackupDamaged extends Error {}

export const BACKUPS = 'backups/';
export const CONTENTS = 'contents/';
export const MAX_MANIFEST_BYTES = 64 * 1024;
const ID = /^\d{8}T\d{6}\.\d{3}Z-[0-9a-f]{8}$/;

/** Returns the id of a backup: the time in UTC, so that ids sort by it, and random characters. */
export function backupId(now: Date, random: string): string {
  return `${now.toISOString().replace(/[-:]/g, '')}-${random}`;
}

/** Whether a text has the form of a backup's id. */
export function isBackupId(text: string): boolean {
  return ID.test(text);
}

/** Returns the name of a backup's manifest. */
export function manifestName(id: string): string {
  return `${BACKUPS}${id}/manifest`;
}

/** Returns the name of a content's file. `recipients` is '' for plain files. */
export function contentName(hash: string, recipients: string): string {
  return `${CONTENTS}${hash.slice(0, 2)}/${hash}${recipients === '' ? '' : `.${recipients}.age`}`;
}

/** Whether a name can be that of a content's file, so that a list can't name other files. */
export function isContentName(name: string): boolean {
  return /^contents\/[0-9a-f]{2}\/[0-9a-f]{64}(?:\.[0-9a-f]{8}\.age)?$/.test(name);
}

/** Returns the bytes of a manifest: JSON and the checksum of it. */
export function writeManifest(value: Manifest): Buffer {
  const json = JSON.stringify(value, null, 2);
  return Buffer.from(`${json}\n${createHash('sha256').update(json).digest('hex')}\n`);
}

/** Reads a manifest. Throws BackupDamaged. */
export function readManifest(id: string, content: Buffer): Manifest {
  const text = content.toString('utf8');
  const [, json = '', sum] = /^(\{.*\})\n([0-9a-f]{64})\n$/s.exec(text) ?? [];
  if (sum === undefined || createHash('sha256').update(json).digest('hex') !== sum) {
    throw new BackupDamaged(`the manifest of the backup ${id} is damaged`);
  }
  const read = manifest.safeParse(readJson(json));
  if (read.success && read.data.id === id) return read.data;
  throw new BackupDamaged(`the manifest of the backup ${id} can't be read by this version`);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
