// The argument of commands for a place of backups, with the rules of backup.directory.
import { InvalidArgumentError } from 'commander';
import { isBackupPlace } from '../config/storage-schema.ts';

/** Returns the argument unchanged. Throws InvalidArgumentError if no backup can be there. */
export function readPlace(text: string): string {
  if (isBackupPlace(text)) return text;
  throw new InvalidArgumentError(
    'It must be a folder, a file that ends with .backup, or an address such as s3://bucket/taxiway.',
  );
}
