// F-Droid repositories: index v1 and v2 as fdroidserver writes them (https://f-droid.org/docs/All_our_APIs/), signed as JAR files.
import { createHash } from 'node:crypto';
import { readBuildIcon } from '../builds/downloads.ts';
import { findInspection } from '../builds/inspections.ts';
import type { Context } from '../core/context.ts';
import type { Inspection } from '../inspection/schema.ts';
import type { Place } from '../install/store.ts';
import { type FeedContent, type FeedItem, nameApp } from './content.ts';
import { signJar } from './jar.ts';
import { openSigner } from './keys.ts';

/** The version of the formats, of fdroidserver 2. */
const VERSION = 20_002;
const LOCALE = 'en-US';

/** The files of a repository by name. */
export type RepositoryFiles = Readonly<Record<string, Buffer>>;

interface Package {
  item: FeedItem;
  inspection: Inspection;
  packageName: string;
  versionCode: number;
}

interface IconFile {
  name: string;
  sha256: string;
  size: number;
}

/**
 * Returns the packages that Android can install and that F-Droid can name.
 */
function listPackages(ctx: Context, items: readonly FeedItem[]): Package[] {
  return items.flatMap((item) => {
    const { facts, build } = item;
    if (facts === null || build.platform !== 'android') return [];
    if (facts.isPartial || facts.isTestOnly || facts.isUnsigned || facts.certificates.length === 0) return [];
    const versionCode = Number(facts.buildNumber ?? Number.NaN);
    const packageName = facts.bundleIdentifier;
    if (!Number.isSafeInteger(versionCode) || versionCode < 0) return [];
    const inspection = findInspection(ctx, build.id);
    if (inspection === null) return [];
    return [{ item, inspection, packageName, versionCode }];
  });
}

/** Returns the signed files of a channel's repository at an address. */
export async function buildRepository(
  ctx: Context,
  place: Place,
  content: FeedContent,
  address: string,
): Promise<RepositoryFiles> {
  const packages = listPackages(ctx, content.items);
  const icon = await readIcon(ctx, packages);
  const about = {
    name: `${place.projectName} · ${place.channel.name}`,
    description: place.channel.description ?? `Test builds of ${place.organizationName}`,
    address,
    timestamp: content.changedAt,
  };
  const signer = await openSigner(ctx, place.organizationId);
  const at = new Date(content.changedAt);
  const v2 = toBytes(writeIndex2(place, packages, about, icon));
  const v1 = toBytes(writeIndex1(place, packages, about, icon));
  const sha256 = createHash('sha256').update(v2).digest('hex');
  const entry = toBytes({
    timestamp: content.changedAt,
    version: VERSION,
    index: { name: '/index-v2.json', sha256, size: v2.length, numPackages: countNames(packages) },
    diffs: {},
  });
  return {
    'entry.jar': await signJar('entry.json', entry, signer, at),
    'entry.json': entry,
    'index-v2.json': v2,
    'index-v1.jar': await signJar('index-v1.json', v1, signer, at),
    'index-v1.json': v1,
  };
}

const toBytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const countNames = (packages: readonly Package[]): number => new Set(packages.map((one) => one.packageName)).size;
const localized = <Value>(value: Value): Record<string, Value> => ({ [LOCALE]: value });

/** Returns the icon of the newest package, by the name under which the repository has it. */
async function readIcon(ctx: Context, [newest]: readonly Package[]): Promise<IconFile | undefined> {
  if (newest === undefined) return undefined;
  const { build } = newest.item;
  const icon = await readBuildIcon(ctx, build);
  if (icon === undefined) return undefined;
  const sha256 = createHash('sha256').update(icon.bytes).digest('hex');
  return { name: `${build.id}.png`, sha256, size: icon.bytes.length };
}

interface About {
  name: string;
  description: string;
  address: string;
  timestamp: number;
}

function groupByName(packages: readonly Package[]): Map<string, Package[]> {
  const groups = new Map<string, Package[]>();
  for (const one of packages) groups.set(one.packageName, [...(groups.get(one.packageName) ?? []), one]);
  return groups;
}

/** API levels, where they are numbers. */
function sdkOf({ inspection: { min_os_version: least, target_sdk: target } }: Package) {
  const level = (text: string | null) => (text !== null && /^\d{1,4}$/.test(text) ? Number(text) : undefined);
  return { least: level(least) ?? 1, target: level(target) ?? level(least) ?? 1 };
}

const versionNameOf = ({ inspection, item }: Package): string => inspection.version_name ?? item.build.versionName;

function writeIndex2(place: Place, packages: readonly Package[], about: About, icon: IconFile | undefined) {
  const iconPart =
    icon === undefined
      ? {}
      : { icon: localized({ name: `/icons/${icon.name}`, sha256: icon.sha256, size: icon.size }) };
  const entries = [...groupByName(packages)].map(([name, versions]) => {
    const dates = versions.map(({ item }) => item.release.createdAt);
    const [newest] = versions;
    const metadata = {
      added: Math.min(...dates),
      lastUpdated: Math.max(...dates),
      name: localized(newest === undefined ? name : nameApp(newest.item, place)),
      summary: localized(about.name),
      description: localized(about.description),
      categories: [],
      license: 'Unknown',
      authorName: place.organizationName,
      preferredSigner: newest?.item.facts?.certificates[0],
      ...iconPart,
    };
    const files = versions.map((one) => [one.item.build.sha256.toLowerCase(), writeVersion2(one)]);
    return [name, { metadata, versions: Object.fromEntries(files) }];
  });
  const { name, description, address, timestamp } = about;
  return {
    repo: { name: localized(name), description: localized(description), ...iconPart, address, timestamp },
    packages: Object.fromEntries(entries),
  };
}

function writeVersion2(one: Package) {
  const { item, inspection } = one;
  const { build, release, facts, notes } = item;
  const { least, target } = sdkOf(one);
  return {
    added: release.createdAt,
    file: { name: `/${build.id}.apk`, sha256: build.sha256.toLowerCase(), size: build.sizeBytes },
    manifest: {
      versionName: versionNameOf(one),
      versionCode: one.versionCode,
      usesSdk: { minSdkVersion: least, targetSdkVersion: target },
      signer: { sha256: facts?.certificates ?? [] },
      ...(inspection.permissions.length === 0
        ? {}
        : { usesPermission: inspection.permissions.map((name) => ({ name })) }),
      ...(inspection.abis.length === 0 ? {} : { nativecode: inspection.abis }),
    },
    ...(notes === null ? {} : { whatsNew: localized(notes) }),
  };
}

function writeIndex1(place: Place, packages: readonly Package[], about: About, icon: IconFile | undefined) {
  const groups = [...groupByName(packages)];
  const apps = groups.flatMap(([packageName, versions]) => {
    const [newest] = versions;
    if (newest === undefined) return [];
    const dates = versions.map(({ item }) => item.release.createdAt);
    return [
      {
        packageName,
        name: nameApp(newest.item, place),
        summary: about.name,
        description: about.description,
        authorName: place.organizationName,
        categories: [],
        license: 'Unknown',
        added: Math.min(...dates),
        lastUpdated: Math.max(...dates),
        suggestedVersionCode: String(newest.versionCode),
        suggestedVersionName: versionNameOf(newest),
        ...(icon === undefined ? {} : { icon: icon.name }),
        ...(newest.item.notes === null ? {} : { localized: localized({ whatsNew: newest.item.notes }) }),
      },
    ];
  });
  const { name, description, address, timestamp } = about;
  return {
    repo: { timestamp, version: VERSION, name, description, address, ...(icon ? { icon: icon.name } : {}) },
    requests: { install: [], uninstall: [] },
    apps,
    packages: Object.fromEntries(groups.map(([of, versions]) => [of, versions.map(writeVersion1)])),
  };
}

function writeVersion1(one: Package) {
  const { item, inspection, packageName, versionCode } = one;
  const { build, release, facts } = item;
  const { least, target } = sdkOf(one);
  return {
    added: release.createdAt,
    apkName: `${build.id}.apk`,
    hash: build.sha256.toLowerCase(),
    hashType: 'sha256',
    minSdkVersion: least,
    targetSdkVersion: target,
    packageName,
    signer: facts?.certificates[0],
    size: build.sizeBytes,
    versionCode,
    versionName: versionNameOf(one),
    'uses-permission': inspection.permissions.map((name) => [name, null]),
    ...(inspection.abis.length === 0 ? {} : { nativecode: inspection.abis }),
  };
}
