// The feeds that aren't signed: the source of AltStore and SideStore, Atom, and what Obtainium reads.
import { displayBuildNumber } from '../builds/build-number.ts';
import { nameFile } from '../builds/downloads.ts';
import { findInspection } from '../builds/inspections.ts';
import { channelPageUrl } from '../channels/install-links.ts';
import type { Context } from '../core/context.ts';
import type { Place } from '../install/store.ts';
import { timestamp } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { type Html, html } from '../lib/html.ts';
import { escapeXml, toXmlText } from '../lib/xml-text.ts';
import type { Platform } from '../platforms.ts';
import { type Feed, type FeedContent, type FeedItem, feedUrl, nameApp } from './content.ts';
import { feedFacts } from './kinds.ts';

/** Entitlements of every signed app, which AltStore doesn't count as permissions. */
const OWN_ENTITLEMENTS = new Set([
  'application-identifier',
  'com.apple.developer.team-identifier',
  'get-task-allow',
  'keychain-access-groups',
  'beta-reports-active',
]);

/** Returns the source of AltStore and SideStore (https://faq.altstore.io/developers/make-a-source). */
function writeAltStoreSource(ctx: Context, { place, key }: Feed, { items }: FeedContent): string {
  const url = feedUrl(ctx, key);
  const website = channelPageUrl(ctx.config.server.base_url, place.channel.id);
  const about = place.channel.description ?? `Test builds of ${place.organizationName}`;
  const groups = new Map<string, FeedItem[]>();
  for (const item of items) {
    const { facts, build } = item;
    if (build.platform !== 'ios' || facts === null || facts.isSimulatorBuild) continue;
    groups.set(facts.bundleIdentifier, [...(groups.get(facts.bundleIdentifier) ?? []), item]);
  }
  const apps = [...groups].flatMap(([bundleIdentifier, versions]) => {
    const [newest] = versions;
    if (newest === undefined) return [];
    return [
      {
        name: nameApp(newest, place),
        bundleIdentifier,
        developerName: place.organizationName,
        subtitle: place.channel.name,
        localizedDescription: about,
        ...(newest.build.iconKey === null ? {} : { iconURL: `${url}/icons/${newest.build.id}.png` }),
        versions: versions.map(({ build, facts, release, notes }) => ({
          version: facts?.versionName ?? build.versionName,
          buildVersion: displayBuildNumber(build),
          date: timestamp(release.createdAt),
          localizedDescription: notes ?? '',
          downloadURL: `${url}/packages/${build.id}.ipa`,
          size: build.sizeBytes,
          sha256: build.sha256.toLowerCase(),
          ...(build.minOsVersion === null ? {} : { minOSVersion: build.minOsVersion }),
        })),
        appPermissions: readPermissions(ctx, newest),
      },
    ];
  });
  const [first] = apps;
  return JSON.stringify({
    name: `${place.projectName} · ${place.channel.name}`,
    identifier: `taxiway.${place.channel.id}`,
    subtitle: place.organizationName,
    description: about,
    website,
    sourceURL: `${url}/altstore.json`,
    ...(first?.iconURL === undefined ? {} : { iconURL: first.iconURL }),
    apps,
    news: [],
  });
}

/** The entitlements of the package, and what it says when it asks for permissions, as far as its inspection recorded it. */
function readPermissions(ctx: Context, { build }: FeedItem) {
  const inspection = findInspection(ctx, build.id);
  const signing = inspection?.signing?.platform === 'ios' ? inspection.signing : null;
  const entitlements = Object.keys(signing?.entitlements ?? {}).filter((name) => !OWN_ENTITLEMENTS.has(name));
  return {
    entitlements,
    privacy: inspection?.usage_descriptions ?? {},
  };
}

/** Returns the releases as an Atom feed (RFC 4287). */
function writeAtom(ctx: Context, { place, key }: Feed, { items, changedAt }: FeedContent): string {
  const page = channelPageUrl(ctx.config.server.base_url, place.channel.id);
  const entries = items.map((item) => {
    const { release, build, notes } = item;
    const title = `${nameApp(item, place)} ${build.versionName} (${displayBuildNumber(build)})`;
    return `  <entry>
    <id>urn:uuid:${release.id}</id>
    <title>${toXmlText(title)}</title>
    <updated>${timestamp(release.createdAt)}</updated>
    <link rel="alternate" type="text/html" href="${escapeXml(page)}"/>
    <content type="text">${toLines(notes ?? '')}</content>
  </entry>
`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>urn:uuid:${place.channel.id}</id>
  <title>${toXmlText(`${place.projectName} · ${place.channel.name}`)}</title>
  <updated>${timestamp(changedAt)}</updated>
  <author><name>${toXmlText(place.organizationName)}</name></author>
  <link rel="self" type="application/atom+xml" href="${escapeXml(`${feedUrl(ctx, key)}/atom.xml`)}"/>
  <link rel="alternate" type="text/html" href="${escapeXml(page)}"/>
${entries.join('')}</feed>
`;
}

/** Escapes text of several lines. */
const toLines = (text: string): string => text.split(/\r?\n/).map(toXmlText).join('\n');

/** Returns the newest Android package of a channel. Throws `not_found` if it has none. */
export function requireLatest({ items }: Pick<FeedContent, 'items'>): FeedItem {
  const [latest] = items;
  if (latest === undefined || latest.build.platform !== 'android') throw new AppError('not_found');
  return latest;
}

/** Returns the version that a phone shows for the app: the package's own, which may differ from the build's. */
const versionOf = ({ facts, build }: FeedItem): string => facts?.versionName ?? build.versionName;

/** The address of a package for Obtainium, which reads the version from it. */
function packageUrl(ctx: Context, key: string, item: FeedItem): string {
  const { build } = item;
  const query = new URLSearchParams({ version: versionOf(item), build: displayBuildNumber(build) });
  return `${feedUrl(ctx, key)}/packages/${build.id}.apk?${query}`;
}

/** Returns what scripts need to know about the newest package. */
function writeLatest(ctx: Context, { place, key }: Feed, content: FeedContent): string {
  const item = requireLatest(content);
  const { build, facts, release } = item;
  return JSON.stringify({
    package_name: facts?.bundleIdentifier ?? build.bundleIdentifier,
    name: nameApp(item, place),
    version_name: versionOf(item),
    version_code: Number(facts?.buildNumber ?? build.buildNumber),
    released_at: timestamp(release.createdAt),
    sha256: build.sha256.toLowerCase(),
    size_bytes: build.sizeBytes,
    file_name: nameFile(build, place.projectName),
    download_url: packageUrl(ctx, key, item),
  });
}

/** Returns the page whose link Obtainium reads: that of the newest package, with its version. */
function writeObtainiumPage(ctx: Context, { place, key }: Feed, content: FeedContent): Html {
  const item = requireLatest(content);
  const label = nameFile(item.build, place.projectName);
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${nameApp(item, place)}</title></head><body><a href="${packageUrl(ctx, key, item)}">${label}</a></body></html>`;
}

/** Returns a link that adds the channel to Obtainium, or null without an Android package. */
export function writeObtainiumLink(ctx: Context, feed: { place: Place; key: string }, items: readonly FeedItem[]) {
  const [latest] = items;
  if (latest === undefined || latest.build.platform !== 'android') return null;
  const settings = { versionExtractionRegEx: 'version=([^&]+)', matchGroupToUse: '1', versionDetection: true };
  const app = {
    id: latest.facts?.bundleIdentifier ?? latest.build.bundleIdentifier ?? '',
    url: `${feedUrl(ctx, feed.key)}/obtainium`,
    author: feed.place.organizationName,
    name: nameApp(latest, feed.place),
    preferredApkIndex: 0,
    additionalSettings: JSON.stringify(settings),
    overrideSource: 'HTML',
  };
  return `obtainium://app/${encodeURIComponent(JSON.stringify(app))}`;
}

/** A document that is written from the content of a feed and served at a path below its address. */
export interface FeedDocument {
  operation: string;
  summary: string;
  path: string;
  /** Channels of other platforms don't have the document. */
  platform: Platform | null;
  type: string;
  headers?: Readonly<Record<string, string>>;
  write: (ctx: Context, feed: Feed, content: FeedContent) => string | Html;
}

export const feedDocuments: readonly FeedDocument[] = [
  {
    ...feedFacts.atom,
    operation: 'getAtomFeed',
    summary: 'Releases of a channel as an Atom feed',
    type: 'application/atom+xml; charset=utf-8',
    write: writeAtom,
  },
  {
    ...feedFacts.altstore,
    operation: 'getAltStoreSource',
    summary: 'Source of AltStore and SideStore of an iOS channel',
    type: 'application/json',
    write: writeAltStoreSource,
  },
  {
    path: 'latest.json',
    platform: feedFacts.latest_apk.platform,
    operation: 'getLatestPackage',
    summary: 'Version, size and hash of the newest package of an Android channel',
    type: 'application/json',
    write: writeLatest,
  },
  {
    ...feedFacts.obtainium,
    operation: 'showObtainiumPage',
    summary: 'Page with a link to the newest package, for Obtainium',
    type: 'text/html; charset=utf-8',
    headers: { 'content-security-policy': "default-src 'none'" },
    write: writeObtainiumPage,
  },
];
