// Writes tar archives (ustar) that depend on nothing but their entries: no owner names, order or times of this machine.
export interface TarEntry {
  /** Relative, without `./`; folders end with `/`. */
  path: string;
  mode: number;
  content?: Buffer | string;
  /** Owner and group; 0 by default. */
  owner?: number;
}

const BLOCK = 512;

/** Returns an archive of the entries in their order. `seconds` is the modification time of all of them. */
export function writeTar(entries: readonly TarEntry[], seconds: number): Buffer {
  const blocks = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? '');
    return [writeHeader(entry, content.length, seconds), content, padding(content.length, BLOCK)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

/** Returns the folders above the entries, each once and before its content. */
export function withFolders(entries: readonly TarEntry[]): TarEntry[] {
  const known = new Set<string>();
  return entries.flatMap((entry) => {
    const parts = entry.path.replace(/\/$/, '').split('/').slice(0, -1);
    const folders = parts.map((_, index) => `${parts.slice(0, index + 1).join('/')}/`);
    const missing = folders.filter((folder) => !known.has(folder));
    for (const path of [...missing, entry.path]) known.add(path);
    return [...missing.map((path) => ({ path, mode: 0o755 })), entry];
  });
}

/** Returns the zero bytes that complete a block. */
function padding(length: number, block: number): Buffer {
  return Buffer.alloc((block - (length % block)) % block);
}

function writeHeader({ path, mode, owner = 0 }: TarEntry, size: number, seconds: number): Buffer {
  if (Buffer.byteLength(path) > 100) throw new Error(`${path} is too long for a tar header`);
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, offset: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, offset, 'latin1');
  header.write(path, 0, 'utf8');
  octal(mode, 100, 8);
  octal(owner, 108, 8);
  octal(owner, 116, 8);
  octal(size, 124, 12);
  octal(seconds, 136, 12);
  header.fill(' ', 148, 156);
  header.write(path.endsWith('/') ? '5' : '0', 156, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}
