// Reads the archives of a release, independently of the code that writes them.
export interface ArchiveEntry {
  mode: number;
  owner: number;
  seconds: number;
  content: string;
}

/** Returns the members of an ar archive by name. */
export function readAr(archive: Buffer): Map<string, Buffer> {
  if (archive.toString('latin1', 0, 8) !== '!<arch>\n') throw new Error('no ar archive');
  const members = new Map<string, Buffer>();
  for (let at = 8; at < archive.length; ) {
    const size = Number(archive.toString('latin1', at + 48, at + 58));
    if (archive.toString('latin1', at + 58, at + 60) !== '`\n') throw new Error(`no member at ${at}`);
    members.set(archive.toString('latin1', at, at + 16).trim(), archive.subarray(at + 60, at + 60 + size));
    at += 60 + size + (size % 2);
  }
  return members;
}

/** Returns the entries of a tar archive by path, in their order. Throws if a header has a wrong checksum. */
export function readTar(archive: Buffer): Map<string, ArchiveEntry> {
  const entries = new Map<string, ArchiveEntry>();
  for (let at = 0; archive[at] !== 0; ) {
    const header = Buffer.from(archive.subarray(at, at + 512));
    const octal = (offset: number, length: number) =>
      Number.parseInt(header.toString('latin1', offset, offset + length), 8);
    const expected = octal(148, 8);
    const size = octal(124, 12);
    const path = header.toString('utf8', 0, 100).replace(/\0+$/, '');
    header.fill(' ', 148, 156);
    if (header.reduce((sum, byte) => sum + byte, 0) !== expected) throw new Error(`wrong checksum of ${path}`);
    const content = archive.toString('utf8', at + 512, at + 512 + size);
    entries.set(path, { mode: octal(100, 8), owner: octal(108, 8), seconds: octal(136, 12), content });
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return entries;
}
