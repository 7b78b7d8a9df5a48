// Signed JAR files with one entry, as F-Droid's clients read their index (JAR File Specification, "Signed JAR File").
import { createHash } from 'node:crypto';
import { type Signer, signDetached } from '../certificates/cms.ts';

const LINE = '\r\n';

const digest = (text: string | Buffer): string => createHash('sha256').update(text).digest('base64');

/** Returns a JAR with the file, signed with SHA-256 and RSA. The same input always gives the same bytes of the file. */
export async function signJar(name: string, content: Buffer, signer: Signer, at: Date): Promise<Buffer> {
  const section = ['Name: '.concat(name), `SHA-256-Digest: ${digest(content)}`, '', ''].join(LINE);
  const manifest = ['Manifest-Version: 1.0', 'Created-By: Taxiway', '', section].join(LINE);
  const signature = [
    'Signature-Version: 1.0',
    'Created-By: Taxiway',
    `SHA-256-Digest-Manifest: ${digest(manifest)}`,
    '',
    `Name: ${name}`,
    `SHA-256-Digest: ${digest(section)}`,
    '',
    '',
  ].join(LINE);
  const block = await signDetached(Buffer.from(signature), signer);
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  // Readers of streams require the manifest first.
  zip.addBuffer(Buffer.from(manifest), 'META-INF/MANIFEST.MF', { mtime: at });
  zip.addBuffer(Buffer.from(signature), 'META-INF/TAXIWAY.SF', { mtime: at });
  zip.addBuffer(block, 'META-INF/TAXIWAY.RSA', { mtime: at });
  zip.addBuffer(content, name, { mtime: at });
  zip.end();
  const chunks: Uint8Array[] = [];
  for await (const chunk of zip.outputStream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
