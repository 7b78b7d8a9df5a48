// Reads a signed JAR as strictly as F-Droid's clients do, with node:crypto for the signature.
import { createHash, verify, X509Certificate } from 'node:crypto';
import * as pki from 'pkijs';
import { fromBuffer } from 'yauzl';

/** The entries of a ZIP file in their order. */
function readEntries(bytes: Buffer): Promise<Map<string, Buffer>> {
  return new Promise((resolve, reject) => {
    fromBuffer(bytes, { lazyEntries: true }, (error, zip) => {
      if (error !== null || zip === undefined) return reject(error);
      const entries = new Map<string, Buffer>();
      zip.on('entry', (entry) => {
        zip.openReadStream(entry, (failure, stream) => {
          if (failure !== null || stream === undefined) return reject(failure);
          const chunks: Buffer[] = [];
          stream.on('data', (chunk: Buffer) => chunks.push(chunk));
          stream.on('end', () => {
            entries.set(entry.fileName, Buffer.concat(chunks));
            zip.readEntry();
          });
        });
      });
      zip.on('end', () => resolve(entries));
      zip.on('error', reject);
      zip.readEntry();
    });
  });
}

const digest = (content: string | Buffer): string => createHash('sha256').update(content).digest('base64');

/** The attributes of the sections of a manifest, and the text of each section with its empty line. */
function readSections(text: string): { attributes: Map<string, string>; raw: string }[] {
  return text
    .split(/(?<=\r\n\r\n)/)
    .filter((raw) => raw.trim() !== '')
    .map((raw) => {
      const lines = raw.split('\r\n').filter((line) => line !== '');
      if (lines.some((line) => Buffer.byteLength(line) > 72)) throw new Error('a line of the manifest is too long');
      return { raw, attributes: new Map(lines.map((line) => line.split(': ', 2) as [string, string])) };
    });
}

/** Verifies the file of a JAR; returns its content and the SHA-256 of the certificate. Throws if anything is wrong. */
export async function readSignedJar(bytes: Buffer, name: string): Promise<{ content: Buffer; fingerprint: string }> {
  const entries = await readEntries(bytes);
  const names = [...entries.keys()];
  if (names[0] !== 'META-INF/MANIFEST.MF') throw new Error('the manifest must be first');
  const content = entries.get(name);
  const signatures = names.filter((one) => /^META-INF\/[^/]+\.SF$/.test(one));
  const blocks = names.filter((one) => /^META-INF\/[^/]+\.RSA$/.test(one));
  if (content === undefined || signatures.length !== 1 || blocks.length !== 1 || names.length !== 4) {
    throw new Error(`the entries aren't those of a signed file: ${names.join(', ')}`);
  }
  const manifest = entries.get('META-INF/MANIFEST.MF')?.toString() ?? '';
  const signature = entries.get(signatures[0] ?? '') ?? Buffer.alloc(0);
  const listed = readSections(manifest).find(({ attributes }) => attributes.get('Name') === name);
  if (listed?.attributes.get('SHA-256-Digest') !== digest(content)) throw new Error('the file was changed');
  const [main, section] = readSections(signature.toString());
  if (main?.attributes.get('SHA-256-Digest-Manifest') !== digest(manifest)) throw new Error('the manifest was changed');
  if (section?.attributes.get('SHA-256-Digest') !== digest(listed.raw)) throw new Error('the section was changed');

  const info = pki.ContentInfo.fromBER(Uint8Array.from(entries.get(blocks[0] ?? '') ?? []).buffer);
  const message = new pki.SignedData({ schema: info.content });
  const [signer, ...otherSigners] = message.signerInfos;
  const [own, ...otherCertificates] = message.certificates ?? [];
  if (signer === undefined || own === undefined || otherSigners.length + otherCertificates.length > 0) {
    throw new Error('the message must have one signer and one certificate');
  }
  const certificate = new X509Certificate(Buffer.from((own as pki.Certificate).toSchema(true).toBER()));
  const signed = Buffer.from(signer.signature.valueBlock.valueHexView);
  if (!verify('sha256', signature, certificate.publicKey, signed)) throw new Error('the signature is invalid');
  if (!certificate.verify(certificate.publicKey)) throw new Error('the certificate must be signed by its own key');
  return { content, fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase() };
}
