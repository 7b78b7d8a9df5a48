// APK signature scheme v1 (signed JAR): META-INF/*.SF with its signature, and the digests of MANIFEST.MF.
import { createHash, type X509Certificate } from 'node:crypto';
import { readArchiveEntry } from './archive.ts';
import type { Archive, ArchiveEntry } from './archive-entry.ts';
import { UnreadableArchive } from './errors.ts';
import { maxMessageNodes, readSignedMessage, type VerificationBudget, verifySigner } from './signed-message.ts';

const maxManifestBytes = 8 * 1024 * 1024;
const maxSignatureBytes = 1024 * 1024;
const maxSigners = 10;
const maxSections = 70_000;
const maxCheckedBytes = 48 * 1024 * 1024;
/** Maximum total size of a package's .SF files. */
const maxSignedBytes = 2 * maxManifestBytes;
/** Real packages have one for each signer. */
const maxVerifications = 32;
const signatureFile = /^META-INF\/([^/]+)\.SF$/i;
const signatureRelated = /^META-INF\/([^/]+\.(SF|RSA|DSA|EC)|MANIFEST\.MF|SIG-[^/]*)$/i;
// Strongest first, like Android.
const digestNames = [
  ['SHA-512', 'sha512'],
  ['SHA-384', 'sha384'],
  ['SHA-256', 'sha256'],
  ['SHA1', 'sha1'],
  ['SHA-1', 'sha1'],
] as const;

export interface JarSignature {
  /** The signers' certificates if everything checked is valid, otherwise empty. */
  readonly certificates: X509Certificate[];
  /** Schemes that the signer declares for the package (2, 3). A package without them was tampered with. */
  readonly promisedSchemes: number[];
}

// Attributes are parsed on access, because a manifest may have tens of thousands of sections.
interface Section {
  readonly name: string | null;
  readonly raw: Buffer;
}

/**
 * Verifies scheme v1. Returns null if the package has no such signature. Checks the signatures of the .SF files, their digests of
 * the manifest, and that every entry is listed; checks the digests of the entries in `alwaysChecked`, or of all entries with
 * `isComplete`.
 */
export async function readJarSignature(
  archive: Archive,
  alwaysChecked: readonly string[],
  isComplete: boolean,
): Promise<JarSignature | null> {
  const files = [...archive.entries.values()].filter((entry) => signatureFile.test(entry.name));
  if (files.length === 0) return null;
  const failed = { certificates: [], promisedSchemes: [] };
  try {
    const manifestEntry = archive.entries.get('META-INF/MANIFEST.MF');
    if (!manifestEntry || files.length > maxSigners) return failed;
    if (files.reduce((total, { size }) => total + size, 0) > maxSignedBytes) return failed;
    const manifest = await readArchiveEntry(archive, manifestEntry, maxManifestBytes);
    const sections = readSections(manifest);
    if (!(await hasListedEntries(archive, sections, isComplete ? null : new Set(alwaysChecked)))) return failed;
    const certificates: X509Certificate[] = [];
    const promisedSchemes: number[] = [];
    // All signers of a package share these.
    const budget = { nodes: Math.floor(maxMessageNodes / files.length), verifications: maxVerifications };
    for (const file of files) {
      const signer = await verifySignatureFile(archive, file, manifest, sections, budget);
      if (!signer) return failed;
      certificates.push(signer.certificate);
      promisedSchemes.push(...signer.promisedSchemes);
    }
    return { certificates, promisedSchemes };
  } catch (error) {
    if (error instanceof UnreadableArchive) return failed;
    throw error;
  }
}

async function verifySignatureFile(
  archive: Archive,
  file: ArchiveEntry,
  manifest: Buffer,
  sections: Section[],
  budget: VerificationBudget & { readonly nodes: number },
): Promise<{ certificate: X509Certificate; promisedSchemes: number[] } | null> {
  const stem = file.name.slice(0, -3);
  const block = ['RSA', 'DSA', 'EC']
    .map((kind) => archive.entries.get(`${stem}.${kind}`))
    .find((entry) => entry !== undefined);
  if (!block) return null;
  const bytes = await readArchiveEntry(archive, file, maxManifestBytes);
  const message = await readSignedMessage(await readArchiveEntry(archive, block, maxSignatureBytes), budget);
  const certificate = message.signers
    .map((signer) => verifySigner(message, signer, bytes, budget))
    .find((found) => found !== null);
  if (!certificate) return null;
  const [main, ...named] = readSections(bytes);
  if (!main || !coversManifest(main, named, manifest, sections)) return null;
  const promised = readAttributes(main.raw).get('X-Android-APK-Signed') ?? '';
  return {
    certificate,
    promisedSchemes: promised
      .split(',')
      .map(Number)
      .filter((scheme) => scheme === 2 || scheme === 3),
  };
}

// Either the digest of the whole manifest matches, or those of its main section and every named section.
function coversManifest(main: Section, named: Section[], manifest: Buffer, sections: Section[]): boolean {
  if (hasDigest(main.raw, '-Digest-Manifest', manifest) === true) return true;
  const [manifestMain, ...manifestNamed] = sections;
  if (!manifestMain || hasDigest(main.raw, '-Digest-Manifest-Main-Attributes', manifestMain.raw) === false)
    return false;
  const signed = new Map(named.map((section) => [section.name, section]));
  return manifestNamed.every((section) => {
    const digests = signed.get(section.name)?.raw;
    return digests !== undefined && hasDigest(digests, '-Digest', section.raw) === true;
  });
}

// Whether the section's strongest digest with `suffix` matches; null if it has none.
function hasDigest(section: Buffer, suffix: string, data: Buffer): boolean | null {
  const attributes = readAttributes(section);
  for (const [prefix, hash] of digestNames) {
    const expected = attributes.get(`${prefix}${suffix}`);
    if (expected !== undefined) return createHash(hash).update(data).digest('base64') === expected.trim();
  }
  return null;
}

async function hasListedEntries(archive: Archive, sections: Section[], checked: Set<string> | null): Promise<boolean> {
  const listed = new Map(sections.slice(1).map((section) => [section.name, section.raw]));
  let budget = maxCheckedBytes;
  for (const entry of archive.entries.values()) {
    if (entry.name.endsWith('/') || signatureRelated.test(entry.name)) continue;
    const section = listed.get(entry.name);
    if (!section) return false;
    if (checked && !checked.has(entry.name)) continue;
    budget -= entry.size;
    if (budget < 0) return false;
    const bytes = await readArchiveEntry(archive, entry, maxCheckedBytes);
    if (hasDigest(section, '-Digest', bytes) !== true) return false;
  }
  return true;
}

// Sections end with an empty line. A line that starts with a space continues the previous one (JAR specification).
function readSections(bytes: Buffer): Section[] {
  const sections: Section[] = [];
  let start = 0;
  while (start < bytes.length) {
    const end = findSectionEnd(bytes, start);
    const raw = bytes.subarray(start, end);
    const name = readAttributes(raw).get('Name') ?? null;
    if (name !== null || sections.length === 0) sections.push({ name, raw });
    if (sections.length > maxSections) throw new UnreadableArchive('The manifest of the signature is too long.');
    start = end;
  }
  return sections;
}

function readAttributes(section: Buffer): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const line of section
    .toString('utf8')
    .replace(/\r\n?|\n/g, '\n')
    .replaceAll('\n ', '')
    .split('\n')) {
    const colon = line.indexOf(': ');
    if (colon > 0) attributes.set(line.slice(0, colon), line.slice(colon + 2));
  }
  return attributes;
}

function findSectionEnd(bytes: Buffer, start: number): number {
  let line = start;
  while (line < bytes.length) {
    const feed = bytes.indexOf(10, line);
    const next = feed < 0 ? bytes.length : feed + 1;
    const isBlank = next - line === 1 || (next - line === 2 && bytes[line] === 13);
    if (isBlank && line > start) return next;
    line = next;
  }
  return bytes.length;
}
