// The archive of personal data: a ZIP of one JSON file per subject.
import { buffer } from 'node:stream/consumers';

/** Writes the archive; every entry carries the same time, so that the same data makes the same bytes. */
export async function buildArchive(subjects: Record<string, unknown>, now: Date): Promise<Buffer> {
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  const readme =
    'Everything this service keeps about your account, one file per subject.\n' +
    'Times are milliseconds since 1970-01-01 UTC. Passwords and the secrets of tokens are kept as hashes only and are not included.\n';
  zip.addBuffer(Buffer.from(readme), 'README.txt', { mtime: now });
  for (const [name, rows] of Object.entries(subjects)) {
    zip.addBuffer(Buffer.from(`${JSON.stringify(rows, null, 2)}\n`), `${name}.json`, { mtime: now });
  }
  zip.end();
  return buffer(zip.outputStream);
}
