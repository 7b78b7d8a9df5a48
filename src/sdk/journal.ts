// The activity and reports of installs, collected in memory and saved in small batches.

import type { Logger } from 'pino';
import { definePart } from '../core/parts.ts';
import { type Db, prepared } from '../data/database.ts';
import { keepRowCache } from '../data/row-cache.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../runtime/ids.ts';
import { forgetHeldToken, type ReportRow } from './install-store.ts';
import type { Version } from './versions.ts';

interface InstallReport {
  installRowId: string;
  /** The project whose releases it can report about. */
  projectId: string;
  /** Empty if it names none. */
  releaseId: string;
  state: ReportRow['state'];
  error: string | null;
}

export interface InstallJournal {
  /** Notes a request of an install with one of its tokens, and the build that it reports. */
  noteSeen(by: { installRowId: string; tokenHash: string }, version?: Version): void;
  noteReport(report: InstallReport): void;
  /** Saves everything collected immediately. */
  flush(): void;
  stop(): void;
}

export interface InstallJournalParts {
  db: Db;
  clock: Clock;
  ids: Ids;
  log: Pick<Logger, 'warn'>;
  intervalMs?: number;
}

/** Most waiting entries. More are lost, which is acceptable for this data. */
const MAX_WAITING = 20_000;
/** Entries saved in one transaction: about a millisecond without other requests. */
const BATCH = 100;
/** Number of releases for which the last report of an install is stored. */
const MAX_REPORTS_PER_INSTALL = 10;

type Seen = Version & { installRowId: string; tokenHash: string; at: number };
type Reported = InstallReport & { at: number };

const writeSeen = prepared((db) =>
  db.$client.prepare<[Seen]>(
    `UPDATE sdk_installs SET last_seen_at = max(last_seen_at, @at), version_name = coalesce(@versionName, version_name),
      build_number = coalesce(@buildNumber, build_number) WHERE id = @installRowId`,
  ),
);

const writeSeenByToken = prepared((db) =>
  db.$client.prepare<[Seen]>(
    `UPDATE sdk_tokens SET seen_at = max(seen_at, @at), version_name = coalesce(@versionName, version_name),
      build_number = coalesce(@buildNumber, build_number) WHERE token_hash = @tokenHash`,
  ),
);

const changeReport = prepared((db) =>
  db.$client.prepare<[Reported]>(
    `UPDATE sdk_reports SET state = @state, error = @error, updated_at = @at
    WHERE install_row_id = @installRowId AND release_id = @releaseId`,
  ),
);

const addReport = prepared((db) =>
  db.$client.prepare<[Reported & { id: string }]>(
    `INSERT INTO sdk_reports (id, install_row_id, release_id, state, error, follows_download, created_at, updated_at)
    SELECT @id, id, @releaseId, @state, @error,
      EXISTS (SELECT 1 FROM downloads WHERE sdk_install_id = @installRowId AND release_id = @releaseId), @at, @at
    FROM sdk_installs WHERE id = @installRowId`,
  ),
);

const projectOfRelease = prepared((db) =>
  db.$client.prepare<[string], string>('SELECT project_id FROM releases WHERE id = ?').pluck(),
);

const forgetOldReports = prepared((db) =>
  db.$client.prepare<[string, number]>(
    `DELETE FROM sdk_reports WHERE id IN (
      SELECT id FROM sdk_reports WHERE install_row_id = ? ORDER BY updated_at DESC, id DESC LIMIT -1 OFFSET ?)`,
  ),
);

/**
 * Collects for `intervalMs` and then saves batch after batch, so that other requests can run in between. The timer
 * doesn't keep the process alive. The last report of an install and release counts. Data that the database rejects is
 * lost.
 */
export function createInstallJournal({ db, clock, ids, log, intervalMs = 1_000 }: InstallJournalParts): InstallJournal {
  const seen = new Map<string, Seen>();
  const reports = new Map<string, Reported>();
  let timer: NodeJS.Timeout | undefined;
  let following: NodeJS.Immediate | undefined;
  let lost = 0;

  function hasPlace(isKnown: boolean): boolean {
    if (isKnown || seen.size + reports.size < MAX_WAITING) return true;
    lost += 1;
    return false;
  }

  function schedule(): void {
    if (following === undefined) timer ??= setTimeout(writeOn, intervalMs).unref();
  }

  function writeOn(): void {
    timer = undefined;
    following = undefined;
    write(BATCH);
    if (seen.size + reports.size > 0) following = setImmediate(writeOn).unref();
  }

  function take<Entry>(entries: Map<string, Entry>, max: number): Entry[] {
    const taken: Entry[] = [];
    for (const [key, entry] of entries) {
      if (taken.length >= max) break;
      taken.push(entry);
      entries.delete(key);
    }
    return taken;
  }

  function write(max: number): void {
    const visits = take(seen, max);
    const said = take(reports, max - visits.length);
    if (lost > 0) log.warn({ lost }, 'install reports dropped: too many waiting');
    lost = 0;
    try {
      withoutWaitingForDisk(db, () => {
        for (const visit of visits) {
          writeSeen({ db }).run(visit);
          writeSeenByToken({ db }).run(visit);
        }
        for (const report of said) writeReport(db, ids, report);
      });
      for (const { tokenHash } of visits) forgetHeldToken({ db }, tokenHash);
    } catch (error) {
      log.warn({ err: error, entries: visits.length + said.length }, 'saving install reports failed');
    }
  }

  function flush(): void {
    clearTimeout(timer);
    clearImmediate(following);
    timer = undefined;
    following = undefined;
    while (seen.size + reports.size > 0) write(MAX_WAITING);
  }

  return {
    noteSeen({ installRowId, tokenHash }, version) {
      if (!hasPlace(seen.has(tokenHash))) return;
      const before = seen.get(tokenHash);
      const versionName = version?.versionName ?? before?.versionName ?? null;
      const buildNumber = version?.buildNumber ?? before?.buildNumber ?? null;
      seen.set(tokenHash, { installRowId, tokenHash, at: clock.time(), versionName, buildNumber });
      schedule();
    },
    noteReport(report) {
      const key = `${report.installRowId} ${report.releaseId}`;
      if (!hasPlace(reports.has(key))) return;
      // Added at the end, because reports are saved in the order of their arrival.
      reports.delete(key);
      reports.set(key, { ...report, at: clock.time() });
      schedule();
    },
    flush,
    stop: flush,
  };
}

function writeReport(db: Db, ids: Ids, report: Reported): void {
  const ctx = { db };
  if (changeReport(ctx).run(report).changes > 0) return;
  const isOfProject = report.releaseId !== '' && projectOfRelease(ctx).get(report.releaseId) === report.projectId;
  const known = isOfProject ? report : { ...report, releaseId: '' };
  if (known !== report && changeReport(ctx).run(known).changes > 0) return;
  const added = addReport(ctx).run({ ...known, id: ids.next() });
  if (added.changes > 0) forgetOldReports(ctx).run(report.installRowId, MAX_REPORTS_PER_INSTALL);
}

/**
 * Runs a transaction that doesn't wait for the disk, because this data isn't critical and waiting would block all
 * requests. The next durable commit writes it too.
 */
function withoutWaitingForDisk(db: Db, work: () => void): void {
  const { $client: client } = db;
  const usual = client.pragma('synchronous', { simple: true });
  client.pragma('synchronous = NORMAL');
  try {
    keepRowCache({ db }, () => client.transaction(work).immediate());
  } finally {
    client.pragma(`synchronous = ${Number(usual)}`);
  }
}

/** Collects the reports of installs. */
export const installJournalOf = definePart<InstallJournal>({
  open: createInstallJournal,
  close: (journal) => journal.stop(),
});
