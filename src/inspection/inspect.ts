// Inspects a stored package with ranged reads.
import { type Platform, platformFacts, platforms } from '../platforms.ts';
import { inspectAndroid } from './android.ts';
import { openArchive } from './archive.ts';
import type { Archive } from './archive-entry.ts';
import { RejectedArchive, SourceFailure, UnreadableArchive } from './errors.ts';
import type { InspectedIcon } from './icon.ts';
import { findAppFolders, inspectIos } from './ios.ts';
import { packageFindings } from './package-findings.ts';
import type { Inspection } from './schema.ts';
import { BlockReader, type ByteSource } from './source.ts';

export type InspectionOutcome =
  | { status: 'ok'; inspection: Inspection; icon: InspectedIcon | null }
  /** The archive can't be read. The build is kept with this reason. */
  | { status: 'unreadable'; reason: string }
  /** A package of another kind. No build is created. */
  | { status: 'rejected'; reason: string };

interface PackageReader {
  isPackage(archive: Archive): boolean;
  inspect(archive: Archive): Promise<{ inspection: Inspection; icon: InspectedIcon | null }>;
}

const readers: Record<Platform, PackageReader> = {
  ios: { isPackage: (archive) => findAppFolders(archive).length > 0, inspect: inspectIos },
  android: { isPackage: ({ entries }) => entries.has('AndroidManifest.xml'), inspect: inspectAndroid },
};

/**
 * Inspects a package (docs/specification/builds.md#inspection). The cost doesn't grow with the size of the package,
 * because only its directory, manifests, signatures and icon are read. Throws only if the source fails.
 */
export async function inspectPackage(source: ByteSource, platform: Platform): Promise<InspectionOutcome> {
  try {
    const archive = await openArchive(new BlockReader(source), (opened) => rejectOtherKinds(opened, platform));
    const { inspection, icon } = await readers[platform].inspect(archive);
    return { status: 'ok', inspection, icon };
  } catch (error) {
    if (error instanceof SourceFailure) throw error;
    if (error instanceof RejectedArchive) return { status: 'rejected', reason: error.message };
    if (error instanceof UnreadableArchive) return { status: 'unreadable', reason: error.message };
    // Other errors are gaps in a reader. They're caused by the package all the same, so the build is kept.
    return { status: 'unreadable', reason: "The archive can't be read." };
  }
}

function rejectOtherKinds(archive: Archive, platform: Platform): void {
  const has = (name: string) => archive.entries.has(name);
  const names = [...archive.entries.keys()];
  if (has('BundleConfig.pb') || has('base/manifest/AndroidManifest.xml')) {
    throw new RejectedArchive(packageFindings.bundle);
  }
  const found = platforms.filter((one) => readers[one].isPackage(archive));
  const [first, second] = found;
  if (first !== undefined && second !== undefined)
    throw new UnreadableArchive(
      `The archive is both an ${platformFacts[first].name} app and an ${platformFacts[second].name} app.`,
    );
  if (first !== undefined && first !== platform)
    throw new RejectedArchive(packageFindings.wrong_platform(platform, first));
  if (first !== undefined) return;
  if (has('pack.info') && (has('module.json') || has('config.json'))) {
    throw new RejectedArchive('This is a HarmonyOS package (.hap), not an app for iOS or Android.');
  }
  if (names.some((name) => /^[^/]+\.apk$/.test(name)) || has('toc.pb')) {
    throw new RejectedArchive('This is a set of split packages (.apks, .xapk). Upload one universal .apk.');
  }
}
