// What installs say in passing, that they were here and how a release went, gathered in memory and written in small batches.

import type { Logger } from 'pino';
import { definePart } from '../core/parts.ts';
import { type Db, prepared } from '../data/database.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../runtime/ids.ts';
import type { ReportRow } from './install-store.ts';
import type { Version } from './versions.ts';

export interface InstallReport {
  installRowId: string;
  /** The project whose releases it may speak of. */
  projectId: string;
  /** Empty where it names none. */
  releaseId: string;
  state: ReportRow['state'];
  error: string | null;
}

export interface InstallJournal {
  /** Notes that an install asked for something now by one of its tokens, and the build that it says it runs. */
  noteSeen(by: { installRowId: string; tokenHash: string }, version?: Version): void;
  noteReport(report: InstallReport): void;
  /** Writes what was gathered, at once. */
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

/** Entries that wait at most; what comes beyond them is lost, as what nobody waits for may be. */
const MOST_WAITING = 20_000;
/** Entries that are written in one go: about a millisecond during which nobody else is answered. */
const BATCH = 100;
/** Releases of which the last report of an install is kept. */
const MOST_REPORTS_PER_INSTALL = 10;

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
 * Gathers for `intervalMs` and then writes batch after batch, letting others be answered in between; the timer keeps no process
 * alive. Of one install and release the last report counts. What the database does not take is lost.
 */
export function createInstallJournal({ db, clock, ids, log, intervalMs = 1_000 }: InstallJournalParts): InstallJournal {
  const seen = new Map<string, Seen>();
  const reports = new Map<string, Reported>();
  let timer: NodeJS.Timeout | undefined;
  let following: NodeJS.Immediate | undefined;
  let lost = 0;

  function hasPlace(isKnown: boolean): boolean {
    if (isKnown || seen.size + reports.size < MOST_WAITING) return true;
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

  function take<Entry>(entries: Map<string, Entry>, most: number): Entry[] {
    const taken: Entry[] = [];
    for (const [key, entry] of entries) {
      if (taken.length >= most) break;
      taken.push(entry);
      entries.delete(key);
    }
    return taken;
  }

  function write(most: number): void {
    const visits = take(seen, most);
    const said = take(reports, most - visits.length);
    if (lost > 0) log.warn({ lost }, 'more came from installs than is written: some of it is lost');
    lost = 0;
    try {
      withoutWaitingForDisk(db, () => {
        for (const visit of visits) {
          writeSeen({ db }).run(visit);
          writeSeenByToken({ db }).run(visit);
        }
        for (const report of said) writeReport(db, ids, report);
      });
    } catch (error) {
      log.warn({ err: error, entries: visits.length + said.length }, 'what installs said was not written');
    }
  }

  function flush(): void {
    clearTimeout(timer);
    clearImmediate(following);
    timer = undefined;
    following = undefined;
    while (seen.size + reports.size > 0) write(MOST_WAITING);
  }

  return {
    noteSeen({ installRowId, tokenHash }, version) {
      if (!hasPlace(seen.has(tokenHash))) return;
      const before = seen.get(tokenHash);
      const versionName = version?.versionName ?? before?.versionName ?? null;
      const buildNumber = version?.buildNumber ?? before?.buildNumber ?? null;
      seen.set(tokenHash, { installRowId, tokenHash, at: clock.now().getTime(), versionName, buildNumber });
      schedule();
    },
    noteReport(report) {
      const key = `${report.installRowId} ${report.releaseId}`;
      if (!hasPlace(reports.has(key))) return;
      // Put at the end: reports are written in the order in which they came.
      reports.delete(key);
      reports.set(key, { ...report, at: clock.now().getTime() });
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
  if (added.changes > 0) forgetOldReports(ctx).run(report.installRowId, MOST_REPORTS_PER_INSTALL);
}

/**
 * One transaction that does not wait for the disk: nobody was promised what it holds, and everybody would stand still
 * meanwhile. The next commit that is waited for brings it to the disk as well.
 */
function withoutWaitingForDisk({ $client: client }: Db, work: () => void): void {
  const usual = client.pragma('synchronous', { simple: true });
  client.pragma('synchronous = NORMAL');
  try {
    client.transaction(work).immediate();
  } finally {
    client.pragma(`synchronous = ${Number(usual)}`);
  }
}

/** Gathers what installs report. */
export const installJournalOf = definePart<InstallJournal>({
  open: createInstallJournal,
  close: (journal) => journal.stop(),
});
