// Release notes as paragraphs and bullets.

export type NoteBlock = { kind: 'text'; text: string } | { kind: 'list'; items: string[] };

const BULLET = /^\s*[-*•–]\s+/;

/** Divides notes into paragraphs and lists. Lines that start with a hyphen, an asterisk or a bullet are list items. */
export function readNotes(notes: string): NoteBlock[] {
  const blocks: NoteBlock[] = [];
  let isNew = true;
  for (const line of notes.split(/\r?\n/)) {
    const text = line.trim();
    const last = isNew ? undefined : blocks.at(-1);
    isNew = text === '';
    if (isNew) continue;
    if (BULLET.test(line)) {
      const item = line.replace(BULLET, '').trim();
      // A blank line between items doesn't start another list.
      const list = last ?? blocks.at(-1);
      if (list?.kind === 'list') list.items.push(item);
      else blocks.push({ kind: 'list', items: [item] });
    } else if (last?.kind === 'text') {
      last.text += `\n${text}`;
    } else if (last?.kind === 'list' && /^\s/.test(line)) {
      // An indented line continues the item.
      last.items.push(`${last.items.pop() ?? ''} ${text}`);
    } else {
      blocks.push({ kind: 'text', text });
    }
  }
  return blocks;
}

/** Returns the first line without its bullet, for lists of builds. */
export function firstNote(notes: string | null): string {
  const [block] = readNotes(notes ?? '');
  if (block === undefined) return '';
  return block.kind === 'list' ? (block.items[0] ?? '') : (block.text.split('\n', 1)[0] ?? '');
}

export function ReleaseNotes({ notes }: { notes: string }) {
  return (
    <div className="tw-note-blocks">
      {readNotes(notes).map((block, index) =>
        block.kind === 'text' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the notes are static text
          <p key={index}>{block.text}</p>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the notes are static text
          <ul key={index}>
            {block.items.map((item, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the notes are static text
              <li key={place}>{item}</li>
            ))}
          </ul>
        ),
      )}
    </div>
  );
}
