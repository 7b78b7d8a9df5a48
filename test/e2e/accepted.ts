// What a run has found to be accessible. Its processes share it by a file.
import { appendFileSync, closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';

/** Traits that were found to be accessible. */
export const accepted = new Set<string>();

/** Names the file by which the processes of a run tell each other what they accepted, one trait a line. */
export const ACCEPTED_FILE_VARIABLE = 'TAXIWAY_TEST_ACCEPTED';
const acceptedFile = process.env[ACCEPTED_FILE_VARIABLE];
let read = 0;

/** Reads what other processes accepted. */
export function readAccepted(): void {
  if (acceptedFile === undefined || !existsSync(acceptedFile)) return;
  const size = statSync(acceptedFile).size;
  if (size === read) return;
  const bytes = Buffer.alloc(size - read);
  const file = openSync(acceptedFile, 'r');
  readSync(file, bytes, 0, bytes.length, read);
  closeSync(file);
  // Another process may be writing the last line.
  const end = bytes.lastIndexOf('\n') + 1;
  for (const trait of bytes.toString('utf8', 0, end).split('\n')) if (trait !== '') accepted.add(trait);
  read += end;
}

/** Remembers traits as accessible, for all processes. */
export function accept(traits: Iterable<string | null | undefined>): void {
  const fresh = new Set<string>();
  for (const trait of traits) if (trait !== null && trait !== undefined && !accepted.has(trait)) fresh.add(trait);
  for (const trait of fresh) accepted.add(trait);
  if (acceptedFile !== undefined && fresh.size > 0) appendFileSync(acceptedFile, `${[...fresh].join('\n')}\n`);
}
