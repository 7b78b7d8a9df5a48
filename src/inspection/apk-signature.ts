// Brings the signature schemes of an APK together: what holds, from which Android version on, and by which certificate.
import type { X509Certificate } from 'node:crypto';
import { areContentsChanged, createContentDigester, largestCheckedPackage } from './apk-content-digest.ts';
import { type BlockSigner, readSigningBlock, type SigningBlock } from './apk-signing-block.ts';
import type { Archive } from './archive-entry.ts';
import { UnreadableArchive } from './errors.ts';
import { readJarSignature } from './jar-signature.ts';
import { formatMoment } from './plist.ts';
import type { AndroidCertificate, AndroidSigning, InspectionWarning } from './schema.ts';
import { cleanText } from './text.ts';

// Android versions that first know a scheme.
const v2Sdk = 24;
const v3Sdk = 28;

interface SchemeResult {
  /** The first API level that knows the scheme. */
  readonly sdk: number;
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
  if (block === 'broken') return { signing: describeSigning([], null, minSdk, isComplete), warnings: [badSignature] };
  const v2 = await verifyBlockScheme(archive, block, v2Sdk, block?.v2 ?? [], isComplete);
  const v3 = await verifyBlockScheme(archive, block, v3Sdk, [...(block?.v3 ?? []), ...(block?.v31 ?? [])], isComplete);
  const jar = await readJarSignature(archive, ['AndroidManifest.xml', 'resources.arsc'], isComplete);
  const v1: SchemeResult = { sdk: 1, isPresent: jar !== null, certificates: jar?.certificates ?? [] };
  if (!v1.isPresent && !v2.isPresent && !v3.isPresent) return { signing: null, warnings: [unsigned] };

  // A device reads the newest scheme it knows, so an old scheme matters only down to the oldest version supported.
  const isV2Used = v2.isPresent && (minSdk < v3Sdk || !v3.isPresent);
  const isV1Used = v1.isPresent && (minSdk < v2Sdk || !(v2.isPresent || v3.isPresent));
  const used = [isV1Used ? v1 : null, isV2Used ? v2 : null, v3.isPresent ? v3 : null].filter(
    (scheme) => scheme !== null,
  );
  const isStripped = jar?.promisedSchemes.some((scheme) => !(scheme === 2 ? v2 : v3).isPresent) ?? false;
  const isBroken = used.some((scheme) => scheme.certificates.length === 0);
  if (isBroken || isStripped || !hasSoundRotation(block, isV1Used ? v1 : null, isV2Used ? v2 : null, v3)) {
    return { signing: describeSigning([], null, minSdk, isComplete), warnings: [badSignature] };
  }
  const holding = [v1, v2, v3].filter((scheme) => scheme.certificates.length > 0);
  const newest = used.at(-1) ?? v1;
  const signing = describeSigning(holding, newest, minSdk, isComplete);
  return { signing, warnings: signing.verified ? [] : [describeLateness(signing.verified_from_sdk)] };
}

const unsigned: InspectionWarning = {
  code: 'unsigned',
  message: 'The package is not signed: devices refuse to install it.',
};

const badSignature: InspectionWarning = {
  code: 'bad_signature',
  message: 'The signature does not fit the package: devices refuse to install it.',
};

function describeLateness(sdk: number | null): InspectionWarning {
  const message = `The signature is accepted from API level ${sdk} on; older devices the package claims to support refuse it.`;
  return { code: 'signature_needs_newer_android', message };
}

function describeSigning(
  holding: SchemeResult[],
  newest: SchemeResult | null,
  minSdk: number,
  isComplete: boolean,
): AndroidSigning {
  const from = newest ? Math.min(...holding.map((scheme) => scheme.sdk)) : null;
  return {
    platform: 'android',
    verified: from !== null && from <= minSdk,
    verified_from_sdk: from,
    contents_checked: isComplete,
    schemes: {
      v1: holding.some((scheme) => scheme.sdk === 1),
      v2: holding.some((scheme) => scheme.sdk === v2Sdk),
      v3: holding.some((scheme) => scheme.sdk === v3Sdk),
    },
    certificates: newest ? describeCertificates(newest) : [],
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
  sdk: number,
  signers: BlockSigner[],
  isComplete: boolean,
): Promise<SchemeResult> {
  if (!block || signers.length === 0) return { sdk, isPresent: false, certificates: [] };
  const digestOf = createContentDigester(archive, block.offset);
  const certificates: X509Certificate[] = [];
  for (const signer of signers) {
    const isChanged = isComplete && (await areContentsChanged(digestOf, signer.digests));
    if (!signer.certificate || isChanged) return { sdk, isPresent: true, certificates: [] };
    certificates.push(signer.certificate);
  }
  return { sdk, isPresent: true, certificates };
}

// Older schemes must be signed by the same key as the newest one, or by one that its proof of rotation names.
function hasSoundRotation(
  block: SigningBlock | null,
  v1: SchemeResult | null,
  v2: SchemeResult | null,
  v3: SchemeResult,
): boolean {
  const first = fingerprintsOf(v1);
  const second = fingerprintsOf(v2);
  if (v1 && v2 && first.symmetricDifference(second).size > 0) return false;
  if (!v3.isPresent) return true;
  const lineage = [...(block?.v3 ?? []), ...(block?.v31 ?? [])].flatMap((signer) => signer.lineage);
  const accepted = fingerprintsOf(v3).union(new Set(lineage.map((certificate) => certificate.fingerprint256)));
  return first.isSubsetOf(accepted) && second.isSubsetOf(accepted);
}

function fingerprintsOf(scheme: SchemeResult | null): Set<string> {
  return new Set(scheme?.certificates.map((certificate) => certificate.fingerprint256));
}

function describeCertificates(scheme: SchemeResult): AndroidCertificate[] {
  const byPrint = new Map(scheme.certificates.map((certificate) => [certificate.fingerprint256, certificate]));
  return [...byPrint].map(([fingerprint, certificate]) => ({
    sha256: fingerprint.replaceAll(':', '').toLowerCase(),
    subject: cleanText(certificate.subject.replaceAll('\n', ', '), 512),
    not_after: formatMoment(certificate.validToDate),
  }));
}
