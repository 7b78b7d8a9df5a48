// What a place of backups does: a part of a storage, which folders, buckets and single files have.
import type { Storage } from '../core/storage.ts';

/** A place of backups. Its objects are the files of backups (format.ts). */
export type BackupPlace = Pick<Storage, 'put' | 'head' | 'read' | 'list' | 'deleteMany'> & {
  /** The folder, the URL of the bucket, or the file. */
  readonly name: string;
  /** Deletes what a killed backup has written of a file before a time, if the place doesn't do it by itself. */
  deleteParts?(before: Date): Promise<unknown>;
  close(): void;
};
