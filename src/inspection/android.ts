// Reads an .apk: manifest, resource table, icon, native libraries and signatures.
import { inspectApkSignature } from './apk-signature.ts';
import { readArchiveEntry } from './archive.ts';
import type { Archive, ArchiveEntry } from './archive-entry.ts';
import { walkCompiledXml } from './compiled-xml.ts';
import { listAndroidLibraries, measureParts } from './contents.ts';
import { UnreadableArchive } from './errors.ts';
import { type IconChoice, type InspectedIcon, pickIcon } from './icon.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { resolveFiles } from './resource-lookup.ts';
import { openResourceTable, type ResourceTable } from './resource-table.ts';
import { type ResourceValue, referenceOf } from './resource-value.ts';
import type { Inspection, InspectionWarning } from './schema.ts';
import { cleanList } from './text.ts';

const maxManifestBytes = 8 * 1024 * 1024;
const maxTableBytes = 20 * 1024 * 1024;
const maxDrawableBytes = 256 * 1024;
const maxDrawables = 16;
const drawableDepth = 3;
const library = /^lib\/([A-Za-z0-9_-]{1,32})\/[^/]/;

/** Reads the details of an .apk. Throws if the manifest can't be read. Without a readable resource table, only names are missing. */
export async function inspectAndroid(
  archive: Archive,
): Promise<{ inspection: Inspection; icon: InspectedIcon | null }> {
  const entry = archive.entries.get('AndroidManifest.xml');
  if (!entry) throw new UnreadableArchive('The archive has no AndroidManifest.xml.');
  const bytes = await readArchiveEntry(archive, entry, maxManifestBytes);
  const warnings: InspectionWarning[] = [];
  const table = await readTable(archive, warnings);
  const manifest = readManifest(bytes, table);
  const { signing, warnings: signatureWarnings } = await inspectApkSignature(archive, {
    minSdk: sdkLevel(manifest.minSdk),
    targetSdk: sdkLevel(manifest.targetSdk ?? manifest.minSdk),
  });
  warnings.push(...signatureWarnings, ...describeLimits(manifest));
  const { icon, isUnusable } = await findIcon(archive, manifest.icons, table);
  if (isUnusable)
    warnings.push({ code: 'icon_unusable', message: 'The icon is damaged or too large, so it is not shown.' });
  return {
    inspection: {
      platform: 'android',
      application_name: manifest.label,
      bundle_identifier: manifest.packageName,
      version_name: manifest.versionName,
      build_number: manifest.versionCode,
      min_os_version: manifest.minSdk,
      devices: [],
      supported_platforms: [],
      is_simulator: false,
      target_sdk: manifest.targetSdk,
      abis: cleanList(
        [...archive.entries.keys()].map((name) => library.exec(name)?.[1]),
        32,
      ),
      debuggable: manifest.isDebuggable,
      test_only: manifest.isTestOnly,
      split: manifest.split,
      needs_splits: manifest.needsSplits,
      signing,
      permissions: manifest.permissions,
      usage_descriptions: null,
      parts: measureParts(archive, 'android'),
      libraries: await listAndroidLibraries(archive),
      warnings,
    },
    icon,
  };
}

// Absent means 1. A code name means a version newer than every numbered one.
function sdkLevel(minSdk: string | null): number {
  if (minSdk === null) return 1;
  return /^\d{1,5}$/.test(minSdk) ? Number(minSdk) : 10_000;
}

function describeLimits(manifest: Manifest): InspectionWarning[] {
  const warnings: InspectionWarning[] = [];
  if (manifest.split !== null) {
    warnings.push({ code: 'split_apk', message: "Only a part of an app: it can't be installed alone." });
  } else if (manifest.needsSplits) {
    const message = "Only a part of an app: Android doesn't install it without its split packages.";
    warnings.push({ code: 'splits_missing', message });
  }
  if (manifest.isTestOnly) {
    warnings.push({ code: 'test_only', message: 'Marked as test-only: it can only be installed from a computer.' });
  }
  return warnings;
}

async function readTable(archive: Archive, warnings: InspectionWarning[]): Promise<ResourceTable | null> {
  const entry = archive.entries.get('resources.arsc');
  if (!entry) return null;
  try {
    return openResourceTable(await readArchiveEntry(archive, entry, maxTableBytes));
  } catch (error) {
    if (!(error instanceof UnreadableArchive)) throw error;
    warnings.push({
      code: 'resources_unreadable',
      message: 'The resource table cannot be read: names and icon may be missing.',
    });
    return null;
  }
}

async function findIcon(archive: Archive, values: ResourceValue[], table: ResourceTable | null): Promise<IconChoice> {
  let isUnusable = false;
  for (const value of values) {
    const files = resolveFiles(value, table).flatMap((path) => archive.entries.get(path) ?? []);
    const direct = await pickIcon(
      archive,
      files.filter((file) => !isXml(file)),
    );
    if (direct.icon) return direct;
    const drawn = await pickIcon(archive, await findDrawnImages(archive, files.filter(isXml), table));
    if (drawn.icon) return drawn;
    isUnusable ||= direct.isUnusable || drawn.isUnusable;
  }
  return { icon: null, isUnusable };
}

function isXml(entry: ArchiveEntry): boolean {
  return entry.name.endsWith('.xml');
}

// Adaptive icons and layer lists reference their images. The widest image is used.
async function findDrawnImages(
  archive: Archive,
  drawables: ArchiveEntry[],
  table: ResourceTable | null,
): Promise<ArchiveEntry[]> {
  const images = new Map<string, ArchiveEntry>();
  const seen = new Set<string>();
  let level = drawables;
  for (let depth = 0; depth < drawableDepth && level.length > 0; depth += 1) {
    const next: ArchiveEntry[] = [];
    for (const drawable of level) {
      if (seen.has(drawable.name) || seen.size >= maxDrawables) continue;
      seen.add(drawable.name);
      for (const path of await readDrawable(archive, drawable, table)) {
        const file = archive.entries.get(path);
        if (file) isXml(file) ? next.push(file) : images.set(path, file);
      }
    }
    level = next;
  }
  return [...images.values()];
}

async function readDrawable(archive: Archive, drawable: ArchiveEntry, table: ResourceTable | null): Promise<string[]> {
  const paths: string[] = [];
  try {
    walkCompiledXml(await readArchiveEntry(archive, drawable, maxDrawableBytes), (element) => {
      for (const { value } of element.attributes) {
        if (referenceOf(value) !== null && paths.length < 1_000) paths.push(...resolveFiles(value, table));
      }
    });
  } catch (error) {
    if (!(error instanceof UnreadableArchive)) throw error;
  }
  return paths;
}
