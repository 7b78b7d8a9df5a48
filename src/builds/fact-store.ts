// Rows of what is asked again and again of builds' archives.
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

// The list is searched where it lies: it may name thousands, and only one is asked for.
const naming = prepared((db) =>
  db
    .select({ position: sql<number>`instr(${buildFacts.provisionedDevices}, ${placeholder('udid')})` })
    .from(buildFacts)
    .where(eq(buildFacts.buildId, placeholder('buildId')))
    .prepare(),
);

// Whether the column is null stands in front of the row: the list, which may be long, is not read.
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

/** Keeps the facts of a build whose archive could be read; in the transaction that makes the build. */
export function insertFacts(tx: Tx, buildId: string, inspection: Inspection): void {
  const { facts, udids, ...moments } = gatherFacts(inspection);
  const provisionedDevices = udids.length === 0 ? null : `\n${udids.join('\n')}\n`;
  tx.db
    .insert(buildFacts)
    .values({ buildId, content: JSON.stringify(facts), ...moments, provisionedDevices })
    .run();
}

/** What the archive of a build says; null when it could not be read. Costs a look at one small row. */
export function findArchiveFacts(app: Db, buildId: string): ArchiveFacts | null {
  return rowCacheOf(app).getOrRead(contentOf, buildId, () => {
    const content = contentOf(app).get({ buildId })?.content;
    // Written from these facts and changed by nobody.
    return content === undefined ? null : (JSON.parse(content) as ArchiveFacts);
  });
}

/** Whether the profile of a build names a device, without reading the list into the program. */
export function isProvisioned(app: Db, buildId: string, udid: string): boolean {
  const wanted = normalizeUdid(udid);
  if (wanted === '' || /\s/.test(wanted)) return false;
  return (naming(app).get({ buildId, udid: `\n${wanted}\n` })?.position ?? 0) > 0;
}

/** Whether the profile of a build names any device. Costs the same however many it names: lists ask it of every build. */
export function namesDevices(app: Db, buildId: string): boolean {
  return hasList(app).get({ buildId })?.hasList === 1;
}

/** Every device that the profile of a build names, normalized; for who asks about many. */
export function listProvisioned(app: Db, buildId: string): Set<string> {
  const list = devicesOf(app).get({ buildId })?.list ?? '';
  return new Set(list.split('\n').filter((udid) => udid !== ''));
}
