// The release notes that testers see, and their first line, for lists.
import type { Release } from '../../releases/schema.ts';

/** Returns the notes that testers see of a release: its own, or those of its build if it has none. Empty notes are notes, too. */
export function notesOf({ release_notes: notes, build }: Pick<Release, 'release_notes' | 'build'>): string {
  return notes ?? build.release_notes ?? '';
}

/**
 * Returns the first line of the notes without marks of Markdown; undefined if there is none. Lists show many notes, so
 * this is simpler than what the server renders.
 */
export function firstLine(notes: string | null): string | undefined {
  return (notes ?? '')
    .split(/\r?\n/, 50)
    .filter((line) => !/^\s*(?:```|~~~)/.test(line))
    .map(withoutMarks)
    .find((line) => line !== '');
}

function withoutMarks(line: string): string {
  return line
    .slice(0, 500)
    .replace(/^\s*(?:>\s?)*(?:#{1,6}\s+|[-*+\u2022\u2013]\s+|\d{1,9}[.)]\s+)?/, '')
    .replace(/!?\[([^[\]]{0,200})\]\([^()\s]{0,400}\)/g, '$1')
    .replace(/(\*\*|__|~~|`)(?=\S)([^*_~`]{1,200})\1/g, '$2')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .trim();
}
