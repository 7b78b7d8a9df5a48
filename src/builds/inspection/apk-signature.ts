// Brings the signature schemes of an APK together: what holds, from which Android version on, and by which certificate.
import type { X509Certificate } from 'node:crypto';
import { hasSignedContents, largestCheckedPackage } from './apk-content-digest.ts';
import { type BlockSigner, readSigningBlock, type SigningBlock } from './apk-signing-block.ts';
import type { Archive } from './archive.ts';
import { readJarSignature } from './jar-signature.ts';
import { formatMoment } from './plist.ts';
import { UnreadableArchive } from './refusal.ts';
import type { AndroidCertificate, AndroidSigning, InspectionWarning } from './schema.ts';
import { cleanText } from './text.ts';

// Android versions that first know a scheme.
const v2Sdk = 24;
const v3Sdk = 28;

interface SchemeResult {
  readonly isPresent: boolean;
  readonly certificates: X509Certificate[];
}

/**
 * Verifies the signatures of an APK as the oldest Android version it claims to run on, and every newer one, would.
 * Signatures over the signed data are always verified. The digests of the contents are compared only for packages up to
 * 4 MiB, since that reads every byte; `contents_checked` says whether they were. A package with any signature that is
 * known not to hold is never `verified`, and only certificates whose signature holds are listed.
 */
export async function inspectApkSignature(
  archive: Archive,
  minSdk: number,
): Promise<{ signing: AndroidSigning | null; warnings: InspectionWarning[] }> {
  const isComplete = archive.reader.size <= largestCheckedPackage;
  const block = await readBlock(archive);
  if (block === 'broken') return { signing: unverified(isComplete), warnings: [badSignature] };
  const v2 = await verifyBlockScheme(archive, block, block?.v2 ?? null, isComplete);
  const v3 = await verifyBlockScheme(archive, block, [...(block?.v3 ?? []), ...(block?.v31 ?? [])], isComplete);
  const jar = await readJarSignature(archive, ['AndroidManifest.xml', 'resources.arsc'], isComplete);
  const v1: SchemeResult = { isPresent: jar !== null, certificates: jar?.certificates ?? [] };
  if (!v1.isPresent && !v2.isPresent && !v3.isPresent) {
    return {
      signing: null,
      warnings: [{ code: 'unsigned', message: 'The package is not signed: devices refuse to install it.' }],
    };
  }
  const isStripped = jar?.promisedSchemes.some((scheme) => !(scheme === 2 ? v2 : v3).isPresent) ?? false;
  const isRotationSound = hasSoundRotation(block, v1, v2, v3);
  const isBroken = [v1, v2, v3].some((scheme) => scheme.isPresent && scheme.certificates.length === 0) || isStripped;
  if (isBroken || !isRotationSound) return { signing: unverified(isComplete), warnings: [badSignature] };
  const from = v1.isPresent ? 1 : v2.isPresent ? v2Sdk : v3Sdk;
  const isVerified = from <= minSdk;
  const signing: AndroidSigning = {
    platform: 'android',
    verified: isVerified,
    verified_from_sdk: from,
    contents_checked: isComplete,
    schemes: { v1: v1.isPresent, v2: v2.isPresent, v3: v3.isPresent },
    certificates: describe(v3.isPresent ? v3 : v2.isPresent ? v2 : v1),
  };
  const late = `The signature is accepted from API level ${from} on only; older devices the package claims to support refuse it.`;
  return { signing, warnings: isVerified ? [] : [{ code: 'signature_needs_newer_android', message: late }] };
}

const badSignature: InspectionWarning = {
  code: 'bad_signature',
  message: 'The signature does not fit the package: devices refuse to install it.',
};

function unverified(isComplete: boolean): AndroidSigning {
  return {
    platform: 'android',
    verified: false,
    verified_from_sdk: null,
    contents_checked: isComplete,
    schemes: { v1: false, v2: false, v3: false },
    certificates: [],
  };
}

async function readBlock(archive: Archive): Promise<SigningBlock | 'broken' | null> {
  try {
    return await readSigningBlock(archive);
  } catch (error) {
    if (error instanceof UnreadableArchive) return 'broken';
    throw error;
  }
}

async function verifyBlockScheme(
  archive: Archive,
  block: SigningBlock | null,
  signers: BlockSigner[] | null,
  isComplete: boolean,
): Promise<SchemeResult> {
  if (!block || !signers || signers.length === 0) return { isPresent: false, certificates: [] };
  const certificates: X509Certificate[] = [];
  for (const signer of signers) {
    const isChanged = isComplete && (await hasSignedContents(archive, block.offset, signer.digests)) === false;
    if (!signer.certificate || isChanged) return { isPresent: true, certificates: [] };
    certificates.push(signer.certificate);
  }
  return { isPresent: true, certificates };
}

// Older schemes must be signed by the same key as the newest one, or by one that its proof of rotation names.
function hasSoundRotation(block: SigningBlock | null, v1: SchemeResult, v2: SchemeResult, v3: SchemeResult): boolean {
  const prints = (scheme: SchemeResult) =>
    new Set(scheme.certificates.map((certificate) => certificate.fingerprint256));
  if (v1.isPresent && v2.isPresent && prints(v1).symmetricDifference(prints(v2)).size > 0) return false;
  if (!v3.isPresent) return true;
  const lineage = [...(block?.v3 ?? []), ...(block?.v31 ?? [])].flatMap((signer) => signer.lineage);
  const accepted = prints(v3).union(new Set(lineage.map((certificate) => certificate.fingerprint256)));
  return prints(v1).isSubsetOf(accepted) && prints(v2).isSubsetOf(accepted);
}

function describe(scheme: SchemeResult): AndroidCertificate[] {
  const byPrint = new Map(scheme.certificates.map((certificate) => [certificate.fingerprint256, certificate]));
  return [...byPrint].map(([fingerprint, certificate]) => ({
    sha256: fingerprint.replaceAll(':', '').toLowerCase(),
    subject: cleanText(certificate.subject.replaceAll('\n', ', '), 512),
    not_after: formatMoment(certificate.validToDate),
  }));
}
