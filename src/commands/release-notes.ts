// Release notes from the command line: a text, or a file.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describeUnreadable, UsageError } from '../lib/failure.ts';
import type { CommandHost } from './host.ts';

export interface NotesOptions {
  notes?: string;
  notesFile?: string;
}

/** Returns the text of the notes. Throws UsageError for both options, and if the file can't be read. */
export function readNotes(host: CommandHost, { notes, notesFile }: NotesOptions): string | undefined {
  if (notes !== undefined && notesFile !== undefined) throw new UsageError('--notes-file: use either this or --notes');
  if (notesFile !== undefined) return readText(host, notesFile);
  // Earlier versions read a file then. A text of a CI system may begin with @, too, and must not choose a file.
  if (notes?.startsWith('@') === true)
    host.say('Note: --notes is a text, also after @. To read a file, use --notes-file.\n');
  return notes;
}

function readText(host: CommandHost, file: string): string {
  try {
    return readFileSync(resolve(host.cwd, file), 'utf8').trimEnd();
  } catch (error) {
    throw new UsageError(`--notes-file: ${describeUnreadable(file, error)}`);
  }
}
