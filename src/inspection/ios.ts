// Reads an .ipa: Info.plist, provisioning profile and icon of the app in Payload.
import { readArchiveEntry } from './archive.ts';
import type { Archive, ArchiveEntry } from './archive-entry.ts';
import { listFrameworks, measureParts } from './contents.ts';
import { UnreadableArchive } from './errors.ts';
import { type InspectedIcon, pickIcon } from './icon.ts';
import { dictIn, listIn, readPlist, stringIn } from './plist.ts';
import type { PlistDict } from './plist-value.ts';
import { maxProfileBytes, readProfile } from './profile.ts';
import type { Inspection, InspectionWarning, IosSigning } from './schema.ts';
import { cleanList, cleanText } from './text.ts';

const maxInfoPlistBytes = 2 * 1024 * 1024;
const maxIconNames = 64;
const MAX_USAGE_TEXT = 500;
const infoPath = /^Payload\/([^/]+\.app)\/Info\.plist$/;
const families: Readonly<Record<string, string>> = {
  1: 'iphone',
  2: 'ipad',
  3: 'apple-tv',
  4: 'apple-watch',
  7: 'vision',
};

/** Returns the folders of the apps in Payload, each with a trailing slash. */
export function findAppFolders(archive: Archive): string[] {
  const folders: string[] = [];
  for (const name of archive.entries.keys()) {
    const folder = infoPath.exec(name)?.[1];
    if (folder) folders.push(`Payload/${folder}/`);
  }
  return folders;
}

/** Reads the details of an .ipa. Throws unless it has exactly one app and a readable Info.plist. */
export async function inspectIos(archive: Archive): Promise<{ inspection: Inspection; icon: InspectedIcon | null }> {
  const folders = findAppFolders(archive);
  const [folder] = folders;
  if (folder === undefined) throw new UnreadableArchive('The archive has no app in Payload.');
  if (folders.length > 1) throw new UnreadableArchive('The archive has more than one app in Payload.');
  const infoEntry = archive.entries.get(`${folder}Info.plist`);
  if (!infoEntry) throw new UnreadableArchive('The app has no Info.plist.');
  const info = readPlist(await readArchiveEntry(archive, infoEntry, maxInfoPlistBytes));

  const warnings: InspectionWarning[] = [];
  const signing = await readSigning(archive, folder, warnings);
  const { icon, isUnusable } = await pickIcon(archive, findIconEntries(archive, folder, info));
  if (isUnusable)
    warnings.push({ code: 'icon_unusable', message: 'The icon is damaged or too large, so it is not shown.' });
  const supported = cleanList(listIn(info, 'CFBundleSupportedPlatforms'), 10, 64);
  const isSimulator =
    supported.some((name) => /simulator$/i.test(name)) || /simulator$/i.test(stringIn(info, 'DTPlatformName') ?? '');
  if (isSimulator) {
    warnings.push({ code: 'simulator_build', message: "Built for the simulator: it can't be installed on a device." });
  }
  const usageKeys = cleanList(
    [...info.keys()].filter((key) => /^NS\w+UsageDescription$/.test(key)),
    100,
  );
  return {
    inspection: {
      platform: 'ios',
      application_name: cleanText(stringIn(info, 'CFBundleDisplayName')) ?? cleanText(stringIn(info, 'CFBundleName')),
      bundle_identifier: readIdentifier(info),
      version_name: cleanText(stringIn(info, 'CFBundleShortVersionString'), 100),
      build_number: cleanText(stringIn(info, 'CFBundleVersion'), 100),
      min_os_version: cleanText(stringIn(info, 'MinimumOSVersion'), 32),
      devices: cleanList(
        listIn(info, 'UIDeviceFamily').map((family) => families[String(family)]),
        10,
      ).toSorted(),
      supported_platforms: supported,
      is_simulator: isSimulator,
      target_sdk: null,
      abis: [],
      debuggable: null,
      test_only: null,
      split: null,
      needs_splits: null,
      signing,
      permissions: usageKeys,
      usage_descriptions: Object.fromEntries(
        usageKeys.flatMap((key) => {
          const text = cleanText(stringIn(info, key), MAX_USAGE_TEXT);
          return text === null ? [] : [[key, text]];
        }),
      ),
      parts: measureParts(archive, 'ios', { folder, executable: stringIn(info, 'CFBundleExecutable') }),
      libraries: listFrameworks(archive, folder),
      warnings,
    },
    icon,
  };
}

function readIdentifier(info: PlistDict): string {
  const value = info.get('CFBundleIdentifier');
  if (typeof value !== 'string' || value === '') throw new UnreadableArchive('The app declares no bundle identifier.');
  if (!/^[A-Za-z0-9.-]{1,255}$/.test(value)) {
    throw new UnreadableArchive('The bundle identifier has characters other than letters, digits, dots and hyphens.');
  }
  return value;
}

async function readSigning(
  archive: Archive,
  folder: string,
  warnings: InspectionWarning[],
): Promise<IosSigning | null> {
  const entry = archive.entries.get(`${folder}embedded.mobileprovision`);
  if (!entry) {
    warnings.push({
      code: 'no_profile',
      message: "The app has no provisioning profile: devices can't install it.",
    });
    return null;
  }
  let signing: IosSigning;
  try {
    signing = await readProfile(await readArchiveEntry(archive, entry, maxProfileBytes));
  } catch (error) {
    if (!(error instanceof UnreadableArchive)) throw error;
    warnings.push({ code: 'bad_profile', message: "The provisioning profile can't be read." });
    return null;
  }
  if (!signing.cms_signature_valid) {
    warnings.push({
      code: 'bad_signature',
      message: "The signature of the provisioning profile doesn't match its content.",
    });
  }
  if (signing.kind === 'app-store') {
    warnings.push({
      code: 'app_store_profile',
      message: "Signed for the App Store: it can't be installed over the air.",
    });
  }
  return signing;
}

function declaredIconNames(info: PlistDict): string[] {
  const lists = [listIn(info, 'CFBundleIconFiles'), listIn(info, 'CFBundleIconFile')];
  for (const key of ['CFBundleIcons', 'CFBundleIcons~ipad']) {
    const icons = dictIn(info, key);
    const primary = icons && dictIn(icons, 'CFBundlePrimaryIcon');
    if (primary) lists.push(listIn(primary, 'CFBundleIconFiles'));
  }
  return lists
    .flat()
    .filter((name) => typeof name === 'string')
    .map((name) => name.replace(/\.png$/i, ''))
    .filter((name) => name !== '');
}

// PNG files whose name starts with a declared icon name; larger files first, because their number is limited.
function findIconEntries(archive: Archive, folder: string, info: PlistDict): ArchiveEntry[] {
  const names = declaredIconNames(info).slice(0, maxIconNames);
  const found: ArchiveEntry[] = [];
  for (const entry of archive.entries.values()) {
    const file = entry.name.startsWith(folder) ? entry.name.slice(folder.length) : '/';
    const isIcon = !file.includes('/') && /\.png$/i.test(file) && names.some((name) => file.startsWith(name));
    if (isIcon) found.push(entry);
  }
  return found.toSorted((a, b) => b.size - a.size);
}
