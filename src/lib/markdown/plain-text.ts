// Release notes as plain text, for chats, text parts of emails and other places without formatting.
import { type NoteBlock, type NoteInline, readNote } from './notes.ts';

/**
 * Returns release notes as plain text: bullets as "•", links as "text (address)", no marks of Markdown. Longer texts than
 * `maxLength` UTF-16 units are cut with "…". The result is untrusted text, so its receiver must escape it.
 */
export function notesToPlainText(notes: string, maxLength = 20_000): string {
  const { blocks, isCut } = readNote(notes);
  const text = writeBlocks(blocks).trim();
  if (text.length <= maxLength) return isCut ? cutTo(`${text}…`, maxLength) : text;
  return cutTo(text, maxLength);
}

/** Returns the first line of release notes as plain text of at most `maxLength` units; null if they say nothing. */
export function firstLineOfNotes(notes: string, maxLength = 200): string | null {
  // The first line is near the start, so the rest isn't read.
  const [block] = readNote(notes.trimStart().slice(0, 4 * maxLength)).blocks;
  const text = block === undefined ? '' : writeBlocks([block]);
  const line = text.split('\n').find((one) => one.trim() !== '') ?? '';
  const shown = line.replace(/^(?:[\u2022>]|\d{1,9}\.) /, '').trim();
  return shown === '' ? null : cutTo(shown, maxLength);
}

function cutTo(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text
    .slice(0, Math.max(0, maxLength - 1))
    .toWellFormed()
    .replace(/\ufffd$/, '')
    .trimEnd()}…`;
}

function writeBlocks(blocks: readonly NoteBlock[]): string {
  return blocks.map(writeBlock).join('\n\n');
}

function writeBlock(block: NoteBlock): string {
  switch (block.kind) {
    case 'paragraph':
    case 'heading':
      return writeInlines(block.children);
    case 'code':
      return block.text;
    case 'quote':
      return prefix(writeBlocks(block.children), '> ', '> ');
    case 'list': {
      const { start } = block;
      return block.items
        .map((item, index) => {
          const mark = start === null ? '• ' : `${start + index}. `;
          // The parts of an item follow each other without empty lines, as the items do.
          return prefix(item.map(writeBlock).join('\n'), mark, ' '.repeat(mark.length));
        })
        .join('\n');
    }
  }
}

function prefix(text: string, first: string, others: string): string {
  return text
    .split('\n')
    .map((line, index) => `${index === 0 ? first : others}${line}`.trimEnd())
    .join('\n');
}

function writeInlines(nodes: readonly NoteInline[]): string {
  return nodes.map(writeInline).join('');
}

function writeInline(node: NoteInline): string {
  switch (node.kind) {
    case 'text':
    case 'code':
      return node.text;
    case 'break':
      return '\n';
    case 'link': {
      const text = writeInlines(node.children);
      const address = node.href.replace(/^mailto:/i, '');
      return text === address || text === node.href || text === '' ? address : `${text} (${address})`;
    }
    default:
      return writeInlines(node.children);
  }
}
