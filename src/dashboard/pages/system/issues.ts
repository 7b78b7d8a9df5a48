// Issues in the server's status that need attention.

import type { SystemFindings, SystemState } from '../../../system/schema.ts';
import { minuteMs } from '../../components/times.ts';

export type Severity = 'ok' | 'warn' | 'fail';
export type Finding = SystemFindings['findings'][number];

export interface Issue {
  kind: 'jobs_given_up' | 'jobs_late' | 'mail_failed' | 'mail_stuck' | 'sweep_failed' | 'deliveries_late';
  severity: Exclude<Severity, 'ok'>;
  count: number;
  /** The server's message. */
  detail: string | null;
}

const LATE_MS = 5 * minuteMs;
const MANY_DELIVERIES = 10_000;

/** Returns the issues that the numbers show. Other issues are health checks. */
export function findIssues({ now, jobs, mail, sweeps, webhook_deliveries: deliveries }: SystemState): Issue[] {
  const found: Issue[] = [];
  const waitedMs = jobs.oldest_due_at === null ? 0 : Date.parse(now) - Date.parse(jobs.oldest_due_at);
  if (waitedMs >= LATE_MS) {
    found.push({ kind: 'jobs_late', severity: 'fail', count: jobs.waiting, detail: jobs.last_error });
  }
  if (jobs.dead > 0) found.push({ kind: 'jobs_given_up', severity: 'warn', count: jobs.dead, detail: jobs.last_error });
  const isMailTroubled = mail.last_error !== null;
  if (isMailTroubled && mail.pending > 0) {
    found.push({ kind: 'mail_stuck', severity: 'fail', count: mail.pending, detail: mail.last_error });
  } else if (mail.failed > 0) {
    found.push({ kind: 'mail_failed', severity: 'warn', count: mail.failed, detail: mail.last_error });
  }
  const failed = sweeps.flatMap(({ name, last_run: run }) => (run?.error != null ? [`${name}: ${run.error}`] : []));
  if (failed.length > 0) {
    found.push({ kind: 'sweep_failed', severity: 'warn', count: failed.length, detail: failed.join('\n') });
  }
  const unsent = deliveries.pending + deliveries.retrying;
  if (unsent >= MANY_DELIVERIES) {
    found.push({ kind: 'deliveries_late', severity: 'warn', count: unsent, detail: null });
  }
  return found;
}

/** Returns the worst severity. */
export function worstOf(severities: readonly Severity[]): Severity {
  if (severities.includes('fail')) return 'fail';
  return severities.includes('warn') ? 'warn' : 'ok';
}

/** Returns a fingerprint of the counted values, without the clock and free disk space, for detecting changes. */
export function stateFingerprint({
  jobs,
  mail,
  sweeps,
  accounts,
  storage,
  webhook_deliveries: deliveries,
}: SystemState): string {
  const runs = sweeps.map(({ last_run: run }) => run?.started_at ?? null);
  return JSON.stringify([
    jobs,
    mail,
    accounts,
    storage.builds,
    storage.ok,
    storage.move,
    storage.problems.count,
    deliveries,
    runs,
  ]);
}
