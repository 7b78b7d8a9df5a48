// Reads a package before it is uploaded: its platform and version, or why it can't be uploaded.
import { deriveBuildNumber } from '../../builds/build-number.ts';
import { classifyUnreadable } from '../../inspection/package-findings.ts';
import type { Platform } from '../../platforms.ts';
import { readAndroidManifest } from './android-manifest.ts';
import { UnreadableFile } from './bytes.ts';
import { readPlistTexts } from './plist.ts';
import { RejectedFile } from './rejected-file.ts';
import { listZip, readZipEntry, type ZipEntry } from './zip.ts';

export interface PackageInfo {
  platform: Platform;
  name: string | undefined;
  bundleIdentifier: string | undefined;
  versionName: string | undefined;
  /** The build number as text in the package, which is shown on iOS. */
  packageBuildNumber: string | undefined;
  /** The build number for the API; undefined to use the project's next free number. */
  buildNumber: number | undefined;
}

const LARGEST_PART = 8 * 1024 * 1024;
const INFO_PLIST = /^Payload\/[^/]+\.app\/Info\.plist$/;

/** The platforms whose packages can be read here. */
const readablePlatforms: readonly Platform[] = ['ios', 'android'];

/** Reads a package for a project's platform, or for any platform if undefined. Throws RejectedFile. */
export async function readPackage(file: File, platform: Platform | undefined, mostBytes: number): Promise<PackageInfo> {
  if (file.size > mostBytes) throw new RejectedFile('too_large', { maxBytes: mostBytes });
  let entries: ZipEntry[];
  try {
    entries = await listZip(file);
  } catch (error) {
    if (error instanceof UnreadableFile) {
      const head = new Uint8Array(await file.slice(0, 4).arrayBuffer());
      throw new RejectedFile(classifyUnreadable(head));
    }
    throw error;
  }
  const named = (name: string) => entries.find((entry) => entry.name === name);
  if (named('BundleConfig.pb') !== undefined || named('base/manifest/AndroidManifest.xml') !== undefined) {
    throw new RejectedFile('bundle');
  }
  // Packages of other platforms are read by the server, and the user enters the version.
  if (platform !== undefined && !readablePlatforms.includes(platform)) return withoutDetails(platform);
  const plist = entries.find(({ name }) => INFO_PLIST.test(name));
  const manifest = named('AndroidManifest.xml');
  const found: Platform | undefined = plist !== undefined ? 'ios' : manifest !== undefined ? 'android' : undefined;
  if (found === undefined) throw new RejectedFile('no_app');
  if (platform !== undefined && found !== platform) throw new RejectedFile('wrong_platform', { found });
  try {
    if (plist !== undefined) return readIos(await readZipEntry(file, plist, LARGEST_PART));
    if (manifest !== undefined) return readAndroid(await readZipEntry(file, manifest, LARGEST_PART));
  } catch (error) {
    // Hardened packages may be unreadable here but valid, so the user enters the version.
    if (!(error instanceof UnreadableFile)) throw error;
  }
  return withoutDetails(found);
}

function withoutDetails(platform: Platform): PackageInfo {
  return {
    platform,
    name: undefined,
    bundleIdentifier: undefined,
    versionName: undefined,
    packageBuildNumber: undefined,
    buildNumber: undefined,
  };
}

function readIos(bytes: Uint8Array): PackageInfo {
  const texts = readPlistTexts(bytes);
  const build = texts.get('CFBundleVersion');
  return {
    platform: 'ios',
    name: texts.get('CFBundleDisplayName') ?? texts.get('CFBundleName'),
    bundleIdentifier: texts.get('CFBundleIdentifier'),
    versionName: texts.get('CFBundleShortVersionString') ?? build,
    packageBuildNumber: build,
    buildNumber: deriveBuildNumber(build),
  };
}

function readAndroid(bytes: Uint8Array): PackageInfo {
  const { packageName, versionCode, versionName } = readAndroidManifest(bytes);
  return {
    platform: 'android',
    name: undefined,
    bundleIdentifier: packageName,
    versionName,
    packageBuildNumber: versionCode === undefined ? undefined : String(versionCode),
    buildNumber: versionCode,
  };
}

/** Returns the build number if the text is one that the API accepts. */
export function parseBuildNumber(text: string | undefined): number | undefined {
  const number = /^\d{1,16}$/.test(text ?? '') ? Number(text) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}
