// A data folder with any number of builds, downloads, installs and audit rows, in a database made by the real migrations. It
// stays in .cache, because a large one takes minutes.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import QRCode from 'qrcode';
import { openApp } from '../src/app.ts';
import { configFrom } from '../src/config.ts';
import { chainStart, hashRow } from '../src/core/audit-chain.ts';
import type { App } from '../src/core/context.ts';
import { embeddedMigrations } from '../src/data/migrate.ts';
import { developers, organizationMemberships, organizations, projects } from '../src/data/tables/tables.ts';
import { repairTotals } from '../src/data/totals.ts';
import { passwordsOf } from '../src/developers/password.ts';
import { DAY } from '../src/lib/clock.ts';
import { hashUpdateToken } from '../src/sdk/credentials.ts';
import { EMAIL, PASSWORD } from './server-fixture.ts';
import { addWebhooks, listPeople } from './world-people.ts';
import { listStatements, planWorld, SPAN, type WorldPlan, type WorldSize, worldId } from './world-rows.ts';

export const APP_KEY = 'svc_app_world';
export const UPDATE_TOKEN = 'svc_upd_world-0000000000000000000000000000';
const worlds = join(import.meta.dirname, '../.cache/worlds');
const MEMBERS = { organizationId: 1, developerId: 2, androidProjectId: 3, iosProjectId: 4 } as const;

/** Fits on most disks: about 1.5 GB. */
export const DEFAULT_SIZE: WorldSize = {
  builds: 100_000,
  downloads: 1_000_000,
  installs: 10_000,
  audit: 200_000,
  people: 10_000,
};

/** What is done before each request of an operation adds to it: the path that works once, and whose request it is. */
export interface Prepared {
  path?: string;
  /** Headers instead of the owner's credential. */
  credential?: Record<string, string>;
}

export interface World {
  folder: string;
  plan: WorldPlan;
  /** Values of parameters that name things of its server (world-things.ts). */
  values?: Record<string, string>;
  /** What is done before each request of an operation (counterparts.ts). */
  preparations?: Readonly<Record<string, () => Promise<Prepared>>>;
}

/** A page of the list of builds reads up to 2,000, of which some are of other projects and branches. */
const MIN_BUILDS = 10_000;
/** A page of other lists. */
const MIN_INSTALLS = 100;
const MIN_PEOPLE = 200;

/** Returns the size of a thousandth, but not less than what a page reads: the cost of a page would grow with its rows then. */
export const thousandth = (size: WorldSize): WorldSize => ({
  builds: Math.max(MIN_BUILDS, Math.floor(size.builds / 1_000)),
  downloads: Math.max(10, Math.floor(size.downloads / 1_000)),
  installs: Math.max(MIN_INSTALLS, Math.floor(size.installs / 1_000)),
  audit: Math.max(10, Math.floor(size.audit / 1_000)),
  people: Math.max(MIN_PEOPLE, Math.floor(size.people / 1_000)),
});

export interface WorldOptions {
  say: (text: string) => void;
  isFresh: boolean;
  /** The folder of the worlds. */
  parent?: string;
}

/** Creates a world, or returns the one that exists. The measurements change it a little. */
export async function openWorld(size: WorldSize, { say, isFresh, parent = worlds }: WorldOptions) {
  const folder = join(parent, Object.values(size).join('-'));
  const file = join(folder, 'world.json');
  if (!isFresh && existsSync(file)) return { folder, plan: JSON.parse(readFileSync(file, 'utf8')) as WorldPlan };
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const end = Math.floor(Date.now() / DAY) * DAY;
  const ids = Object.fromEntries(
    Object.entries(MEMBERS).map(([name, n]) => [name, worldId('project', end - SPAN, 1000 + n)]),
  );
  const plan = planWorld(size, ids as unknown as WorldPlan['ids'], end);
  const config = configFrom({ server: { data_dir: folder, base_url: 'http://127.0.0.1:1' }, log: { level: 'silent' } });
  const { app, close } = await openApp(config);
  try {
    await addOwner(app, plan);
    fill(app.db.$client, plan, say);
    addWebhooks(app, plan);
    addAudit(app, plan, say);
    await addUsable(app, plan);
    app.db.$client.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    await close();
  }
  writeFileSync(file, JSON.stringify(plan));
  return { folder, plan };
}

async function addOwner(app: App, { ids, from }: WorldPlan): Promise<void> {
  const { db } = app;
  const { developerId, organizationId } = ids;
  const passwordHash = await passwordsOf(app).hash(PASSWORD);
  const account = { id: developerId, email: EMAIL, displayName: 'Bench', passwordHash, emailVerifiedAt: from };
  db.insert(developers)
    .values({ ...account, isOperator: true, createdAt: from })
    .run();
  db.insert(organizations).values({ id: organizationId, name: 'World', tier: 'business', createdAt: from }).run();
  db.insert(organizationMemberships).values({ organizationId, developerId, role: 'admin', createdAt: from }).run();
  const project = { organizationId, name: 'World', createdAt: from };
  db.insert(projects)
    .values([
      { ...project, id: ids.androidProjectId, platform: 'android' },
      { ...project, id: ids.iosProjectId, platform: 'ios' },
    ])
    .run();
}

/** Inserts without indexes and triggers, which are restored afterwards, in the same order. */
function fill(client: Sqlite.Database, plan: WorldPlan, say: (text: string) => void): void {
  const tables = ['builds', 'downloads', 'releases', 'sdk_reports'];
  client.pragma('journal_mode = OFF');
  client.pragma('synchronous = OFF');
  client.pragma('foreign_keys = OFF');
  client.pragma('cache_size = -1000000');
  client.pragma('temp_store = FILE');
  const kept = client
    .prepare<[], { type: string; name: string; sql: string }>(
      `SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND type IN ('index', 'trigger')
        AND tbl_name IN (${tables.map((name) => `'${name}'`).join(', ')}) AND sql NOT LIKE '%UNIQUE%' ORDER BY type`,
    )
    .all();
  const timed = (text: string, work: () => void) => {
    const begin = performance.now();
    work();
    const seconds = Math.round((performance.now() - begin) / 1000);
    if (seconds > 1) say(`  ${seconds} s: ${text.trim().slice(0, 70)}`);
  };
  for (const { type, name } of kept) client.exec(`DROP ${type} ${name}`);
  for (const sql of [...listStatements(plan), ...listPeople(plan)]) timed(sql, () => client.exec(sql));
  for (const { sql } of kept) timed(sql, () => client.exec(sql));
  // The migration fills these from rows that exist.
  for (const sql of listFills()) timed(sql, () => client.exec(sql));
  // What the triggers would have written.
  timed('the totals', () => repairTotals(client));
  client.pragma('journal_mode = WAL');
}

function listFills(): string[] {
  const statements = embeddedMigrations().find(({ name }) => name === '0032_growth_totals')?.statements ?? [];
  const fills = statements.map((sql) => sql.replace(/^--.*\n/, '')).filter((sql) => /^(?:INSERT|UPDATE) /.test(sql));
  return ['DELETE FROM build_totals', ...fills];
}

/**
 * Adds events to the chains of the organization, of the others, of all people and of the service, with the hashes that they have to have. Each
 * chain begins with the creation of its owner, without which `taxiway verify` reports that the chain was removed.
 */
function addAudit({ db }: App, { size, ids, from }: WorldPlan, say: (text: string) => void): void {
  const begin = performance.now();
  const heads = new Map<string, { sequence: number; hash: string }>();
  const insert =
    db.$client.prepare(`INSERT INTO audit_events (id, organization_id, developer_id, timestamp, event, type, identifier,
    actor_kind, actor_id, actor_name, ip_address, details, chain, sequence, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  let added = 0;
  const add = (about: { timestamp: number; type: string; identifier: string; details: string } & AuditOwner) => {
    added += 1;
    const { organizationId, developerId, timestamp, type, identifier, details } = about;
    const row = {
      id: worldId('audit', timestamp, added),
      organizationId,
      developerId,
      timestamp,
      event: 'created',
      type,
      identifier,
      actorKind: 'developer',
      actorId: ids.developerId,
      actorName: 'Bench',
      ipAddress: '192.0.2.7',
      details,
    };
    const chain = organizationId ?? developerId ?? 'service';
    const before = heads.get(chain) ?? chainStart(chain);
    const sequence = before.sequence + 1;
    const hash = hashRow(before.hash, chain, sequence, row);
    heads.set(chain, { sequence, hash });
    insert.run(...Object.values(row), chain, sequence, hash);
  };
  const listIds = (table: string) =>
    db.$client.prepare<[], string>(`SELECT id FROM ${table} ORDER BY id`).pluck().all();
  db.$client.transaction(() => {
    // Before the days that are measured.
    const birth = { timestamp: from - 2 * DAY, details: '{}' };
    for (const id of listIds('organizations'))
      add({ ...birth, organizationId: id, developerId: null, type: 'organization', identifier: id });
    for (const id of listIds('developers'))
      add({ ...birth, organizationId: null, developerId: id, type: 'developer', identifier: id });
    for (let n = 1; n <= size.audit; n += 1) {
      // The first ones are on a day of their own, which has as many in each world.
      const timestamp = n <= 100 ? from - DAY + n * 1_000 : from + Math.floor((n * SPAN) / size.audit);
      add({
        organizationId: n % 20 < 16 ? ids.organizationId : null,
        developerId: n % 20 < 19 ? ids.developerId : null,
        timestamp,
        type: 'release',
        identifier: worldId('release', timestamp, n),
        details: `{"channel":"beta","version_name":"1.2.3","build_number":${n}}`,
      });
    }
  })();
  say(`  ${Math.round((performance.now() - begin) / 1000)} s: the audit trail`);
}

interface AuditOwner {
  organizationId: string | null;
  developerId: string | null;
}

/**
 * Adds the package and the icon of the current release, a token of the first install, access of the owner as a tester, and what retention will
 * do: half of the builds that are too old were announced, and the audit trail too.
 */
async function addUsable(app: App, { buildId, from, end, ids }: WorldPlan): Promise<void> {
  const key = app.db.$client.prepare('SELECT object_key FROM builds WHERE id = ?').pluck().get(buildId);
  await app.storage.put(String(key), Buffer.from('package'));
  const iconKey = `builds/${buildId}/icon.png`;
  await app.storage.put(iconKey, await QRCode.toBuffer('an icon', { width: 64 }));
  app.db.$client
    .prepare('UPDATE sdk_tokens SET token_hash = ? WHERE token_hash = ?')
    .run(hashUpdateToken(app, APP_KEY, UPDATE_TOKEN), '1'.padStart(64, '0'));
  const run = (sql: string, ...values: (string | number)[]) => app.db.$client.prepare(sql).run(...values);
  run('UPDATE package_integrity SET sha256 = NULL, modified_at = NULL WHERE build_id = ?', buildId);
  run("UPDATE builds SET size_bytes = 7, icon_key = ?, icon_type = 'image/png' WHERE id = ?", iconKey, buildId);
  run('UPDATE organizations SET created_at = ?', from);
  run(
    `INSERT INTO tester_grants (id, organization_id, target_id, email, developer_id, created_at, attached_at, notified_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[worldId('grant', from, 0), ids.organizationId, ids.organizationId, EMAIL, ids.developerId, from, from, from],
  );
  run(
    'UPDATE builds SET retention_notice_at = uploaded_at + ? WHERE uploaded_at < ? AND rowid % 2 = 0',
    ...[358 * DAY, end - 365 * DAY],
  );
  const notice = 'INSERT INTO audit_notices (chain, cutoff, announced_at) VALUES (?, ?, ?)';
  run(notice, ids.organizationId, end - 365 * DAY, end - 10 * DAY);
}
