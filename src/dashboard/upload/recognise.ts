// Tells what a file is before a byte of it is sent: an iOS or Android package with its version, or why it cannot be uploaded.
import { deriveBuildNumber } from '../../builds/build-number.ts';
import { type ArchiveProblem, classifyUnreadable } from '../../inspection/package-findings.ts';
import type { Project } from '../../projects/schema.ts';
import { readAndroidManifest } from './android-manifest.ts';
import { UnreadableFile } from './bytes.ts';
import { readPlistTexts } from './plist.ts';
import { listZip, readZipEntry, type ZipEntry } from './zip.ts';

export type Platform = Project['platform'];

export interface Recognised {
  platform: Platform;
  name: string | undefined;
  bundleIdentifier: string | undefined;
  versionName: string | undefined;
  /** The package's own text, which is shown on iOS. */
  ownBuildNumber: string | undefined;
  /** What the API takes for it; undefined when the next free number of the project is to be taken. */
  buildNumber: number | undefined;
}

export type RefusalReason = ArchiveProblem | 'bundle' | 'no_app' | 'unreadable' | 'wrong_platform' | 'too_large';

/** Why a file is not uploaded. */
export class WrongFile extends Error {
  readonly reason: RefusalReason;
  /** The platform of the package, if it is known. */
  readonly found: Platform | undefined;
  constructor(reason: RefusalReason, found?: Platform) {
    super(reason);
    this.reason = reason;
    this.found = found;
  }
}

const LARGEST_PART = 8 * 1024 * 1024;
const INFO_PLIST = /^Payload\/[^/]+\.app\/Info\.plist$/;

/** Recognizes a file for a project, or for any if `platform` is undefined. Throws WrongFile. */
export async function recognise(file: File, platform: Platform | undefined, mostBytes: number): Promise<Recognised> {
  if (file.size > mostBytes) throw new WrongFile('too_large');
  let entries: ZipEntry[];
  try {
    entries = await listZip(file);
  } catch (error) {
    if (error instanceof UnreadableFile) {
      const head = new Uint8Array(await file.slice(0, 4).arrayBuffer());
      throw new WrongFile(classifyUnreadable(head));
    }
    throw error;
  }
  const named = (name: string) => entries.find((entry) => entry.name === name);
  if (named('BundleConfig.pb') !== undefined || named('base/manifest/AndroidManifest.xml') !== undefined) {
    throw new WrongFile('bundle');
  }
  const plist = entries.find(({ name }) => INFO_PLIST.test(name));
  const manifest = named('AndroidManifest.xml');
  const found: Platform | undefined = plist !== undefined ? 'ios' : manifest !== undefined ? 'android' : undefined;
  if (found === undefined) throw new WrongFile('no_app');
  if (platform !== undefined && found !== platform) throw new WrongFile('wrong_platform', found);
  try {
    if (plist !== undefined) return readIos(await readZipEntry(file, plist, LARGEST_PART));
    if (manifest !== undefined) return readAndroid(await readZipEntry(file, manifest, LARGEST_PART));
  } catch (error) {
    // Hardened packages may be unreadable here and still be fine: the person says what they are.
    if (!(error instanceof UnreadableFile)) throw error;
  }
  return {
    platform: found,
    name: undefined,
    bundleIdentifier: undefined,
    versionName: undefined,
    ownBuildNumber: undefined,
    buildNumber: undefined,
  };
}

function readIos(bytes: Uint8Array): Recognised {
  const texts = readPlistTexts(bytes);
  const build = texts.get('CFBundleVersion');
  return {
    platform: 'ios',
    name: texts.get('CFBundleDisplayName') ?? texts.get('CFBundleName'),
    bundleIdentifier: texts.get('CFBundleIdentifier'),
    versionName: texts.get('CFBundleShortVersionString') ?? build,
    ownBuildNumber: build,
    buildNumber: deriveBuildNumber(build),
  };
}

function readAndroid(bytes: Uint8Array): Recognised {
  const { packageName, versionCode, versionName } = readAndroidManifest(bytes);
  return {
    platform: 'android',
    name: undefined,
    bundleIdentifier: packageName,
    versionName,
    ownBuildNumber: versionCode === undefined ? undefined : String(versionCode),
    buildNumber: versionCode,
  };
}

/** The number that was typed, when it is one that the API takes. */
export function toBuildNumber(text: string | undefined): number | undefined {
  const number = /^\d{1,16}$/.test(text ?? '') ? Number(text) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}
