// Combines the signature schemes of an APK: validity, the first Android version that accepts it, and its certificates.
import type { X509Certificate } from 'node:crypto';
import { areContentsChanged, createContentDigester, maxCheckedPackageBytes } from './apk-content-digest.ts';
import { type BlockSigner, isStripped, readSigningBlock, type SigningBlock } from './apk-signing-block.ts';
import type { Archive } from './archive-entry.ts';
import { UnreadableArchive } from './errors.ts';
import { readJarSignature } from './jar-signature.ts';
import { formatMoment } from './plist.ts';
import type { AndroidCertificate, AndroidSigning, InspectionWarning } from './schema.ts';
import { cleanText } from './text.ts';

// The first API levels that support a scheme.
const v2Sdk = 24;
const v3Sdk = 28;
/** From this API level on, devices reject apps whose target is this level or higher if they're signed with scheme v1 alone. */
const schemeLevel = 30;

interface SchemeResult {
  /** The first API level that supports the scheme. */
  readonly sdk: number;
  readonly isPresent: boolean;
  readonly certificates: X509Certificate[];
}

/**
 * Verifies the signatures of an APK like the oldest Android version that it supports, and every newer version. Signatures of
 * the signed data are always verified. Content digests are compared only for packages up to 4 MiB, because that reads every
 * byte; `contents_checked` indicates whether they were. A package with any invalid signature is never `verified`, and only
 * certificates with a valid signature are listed.
 */
export async function inspectApkSignature(
  archive: Archive,
  { minSdk, targetSdk }: { minSdk: number; targetSdk: number },
): Promise<{ signing: AndroidSigning | null; warnings: InspectionWarning[] }> {
  const isComplete = archive.reader.size <= maxCheckedPackageBytes;
  const block = await readBlock(archive);
  const unaccepted = describeSigning([], null, { minSdk, until: null }, isComplete);
  if (block === 'broken') return { signing: unaccepted, warnings: [badSignature] };
  const v2 = await verifyBlockScheme(archive, block, v2Sdk, block?.v2 ?? [], isComplete);
  const v3 = await verifyBlockScheme(archive, block, v3Sdk, [...(block?.v3 ?? []), ...(block?.v31 ?? [])], isComplete);
  const jar = await readJarSignature(archive, ['AndroidManifest.xml', 'resources.arsc'], isComplete);
  const v1: SchemeResult = { sdk: 1, isPresent: jar !== null, certificates: jar?.certificates ?? [] };
  if (!v1.isPresent && !v2.isPresent && !v3.isPresent) return { signing: null, warnings: [unsigned] };

  // A device uses the newest scheme it supports, so an old scheme matters only if the package supports old devices.
  const isV2Used = v2.isPresent && (minSdk < v3Sdk || !v3.isPresent);
  const isV1Used = v1.isPresent && (minSdk < v2Sdk || !(v2.isPresent || v3.isPresent));
  const used = [isV1Used ? v1 : null, isV2Used ? v2 : null, v3.isPresent ? v3 : null].filter(
    (scheme) => scheme !== null,
  );
  const isWithoutPromised = jar?.promisedSchemes.some((scheme) => !(scheme === 2 ? v2 : v3).isPresent) ?? false;
  const isBroken = used.some((scheme) => scheme.certificates.length === 0);
  if (isBroken || isWithoutPromised || !hasValidRotation(block, isV1Used ? v1 : null, isV2Used ? v2 : null, v3)) {
    return { signing: unaccepted, warnings: [badSignature] };
  }
  const until = targetSdk >= schemeLevel && !v2.isPresent && !v3.isPresent ? schemeLevel - 1 : null;
  if (until !== null && until < minSdk) return { signing: unaccepted, warnings: [oldSignature] };
  const holding = [v1, v2, v3].filter((scheme) => scheme.certificates.length > 0);
  const newest = used.at(-1) ?? v1;
  const signing = describeSigning(holding, newest, { minSdk, until }, isComplete);
  if (until !== null) return { signing, warnings: [oldSignature] };
  return { signing, warnings: signing.verified ? [] : [describeMinimumLevel(signing.verified_from_sdk)] };
}

const unsigned: InspectionWarning = {
  code: 'unsigned',
  message: "The package isn't signed: devices can't install it.",
};

const badSignature: InspectionWarning = {
  code: 'bad_signature',
  message: "The signature doesn't match the package: devices can't install it.",
};

const oldSignature: InspectionWarning = {
  code: 'signature_too_old',
  message:
    "The package is for API level 30 or higher, but it's signed with scheme v1 only: Android 11 and newer can't install it.",
};

function describeMinimumLevel(sdk: number | null): InspectionWarning {
  const message = `The signature requires API level ${sdk}; older devices that the package supports can't install it.`;
  return { code: 'signature_needs_newer_android', message };
}

function describeSigning(
  holding: SchemeResult[],
  newest: SchemeResult | null,
  { minSdk, until }: { minSdk: number; until: number | null },
  isComplete: boolean,
): AndroidSigning {
  const from = newest ? Math.min(...holding.map((scheme) => scheme.sdk)) : null;
  return {
    platform: 'android',
    verified: from !== null && from <= minSdk && until === null,
    verified_from_sdk: from,
    verified_until_sdk: until,
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
    const block = await readSigningBlock(archive);
    // Android supports no signing block in a zip64 archive.
    return block !== null && (archive.isWide || isStripped(block)) ? 'broken' : block;
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

// Older schemes must be signed with the same key as the newest one, or with a key in its proof of rotation.
function hasValidRotation(
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
