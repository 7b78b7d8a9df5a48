// Divides release notes into paragraphs and lists, as people and tools write them.

export interface NotesBlock {
  kind: 'text' | 'list';
  lines: string[];
}

const BULLET = /^\s*[-*•–]\s+/;

/**
 * Returns the blocks of the notes. Lines that start with a bullet are lists. Notes of several lines without bullets and
 * without empty lines are a list too, because each line is one change.
 */
export function divideNotes(notes: string): NotesBlock[] {
  const lines = notes.split(/\r?\n/).map((line) => line.trimEnd());
  const filled = lines.filter((line) => line !== '');
  const isPlainList =
    filled.length > 1 && filled.length === notes.trim().split(/\r?\n/).length && !filled.some(isBullet);
  const blocks: NotesBlock[] = [];
  let isBroken = true;
  for (const line of lines) {
    if (line === '') {
      isBroken = true;
      continue;
    }
    const kind = isPlainList || isBullet(line) ? 'list' : 'text';
    const last = blocks.at(-1);
    if (last === undefined || last.kind !== kind || (isBroken && kind === 'text')) blocks.push({ kind, lines: [] });
    blocks.at(-1)?.lines.push(line.replace(BULLET, '').trim());
    isBroken = false;
  }
  return blocks;
}

/** Returns the first line of the notes without its bullet; undefined if there is none. */
export function firstLine(notes: string | null): string | undefined {
  return divideNotes(notes ?? '')[0]?.lines[0];
}

function isBullet(line: string): boolean {
  return BULLET.test(line);
}
