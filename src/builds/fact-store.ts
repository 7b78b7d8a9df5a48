// Queries for the frequently used facts of builds' archives.
import { eq, sql } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { App, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { rowCacheOf } from '../data/row-cache.ts';
import { buildFacts } from '../data/tables/tables.ts';
import { type ArchiveFacts, gatherFacts, normalizeUdid } from '../inspection/facts.ts';
import type { Inspection } from '../inspection/schema.ts';

type Db = Pick<App, 'db'>;

const contentOf = prepared((db) =>
  db
    .select({ content: buildFacts.content })
    .from(buildFacts)
    .where(eq(buildFacts.buildId, placeholder('buildId')))
    .prepare(),
);

// SQLite searches the list, because it may contain thousands of devices and only one is needed.
const naming = prepared((db) =>
  db
    .select({ position: sql<number>`instr(${buildFacts.provisionedDevices}, ${placeholder('udid')})` })
    .from(buildFacts)
    .where(eq(buildFacts.buildId, placeholder('buildId')))
    .prepare(),
);

// Whether a column is null is stored at the beginning of the row, so a long list isn't read.
const hasList = prepared((db) =>
  db
    .select({ hasList: sql<number>`${buildFacts.provisionedDevices} is not null` })
    .from(buildFacts)
    .where(eq(buildFacts.buildId, placeholder('buildId')))
    .prepare(),
);

const devicesOf = prepared((db) =>
  db
    .select({ list: buildFacts.provisionedDevices })
    .from(buildFacts)
    .where(eq(buildFacts.buildId, placeholder('buildId')))
    .prepare(),
);

/** Saves the facts of a build with a readable archive, in the transaction that creates the build. */
export function insertFacts(tx: Tx, buildId: string, inspection: Inspection): void {
  const { facts, udids, ...moments } = gatherFacts(inspection);
  const provisionedDevices = udids.length === 0 ? null : `\n${udids.join('\n')}\n`;
  tx.db
    .insert(buildFacts)
    .values({ buildId, content: JSON.stringify(facts), ...moments, provisionedDevices })
    .run();
}

/** Returns the facts of a build's archive, or null if it could not be read. Reads one small row. */
export function findArchiveFacts(app: Db, buildId: string): ArchiveFacts | null {
  return rowCacheOf(app).getOrRead(contentOf, buildId, () => {
    const content = contentOf(app).get({ buildId })?.content;
    return content === undefined ? null : parseFacts(content);
  });
}

/** Parses the content of a row of facts, which is written only from values of this type. */
export function parseFacts(content: string): ArchiveFacts {
  return JSON.parse(content) as ArchiveFacts;
}

/** Returns whether the profile of a build contains a device, without loading the list. */
export function isProvisioned(app: Db, buildId: string, udid: string): boolean {
  const wanted = normalizeUdid(udid);
  if (wanted === '' || /\s/.test(wanted)) return false;
  return (naming(app).get({ buildId, udid: `\n${wanted}\n` })?.position ?? 0) > 0;
}

/**
 * Returns whether the profile of a build contains any device, in constant time, because lists call it for each build.
 */
export function namesDevices(app: Db, buildId: string): boolean {
  return hasList(app).get({ buildId })?.hasList === 1;
}

/** Returns all devices in the profile of a build, normalized, for checking many devices. */
export function listProvisioned(app: Db, buildId: string): Set<string> {
  const list = devicesOf(app).get({ buildId })?.list ?? '';
  return new Set(list.split('\n').filter((udid) => udid !== ''));
}
