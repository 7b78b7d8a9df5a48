// What of the machine's state needs somebody, and how soon it is looked at again.
import type { SystemFindings, SystemState } from '../../../system/schema.ts';

export type Severity = 'ok' | 'warn' | 'fail';
export type Finding = SystemFindings['findings'][number];

export interface Attention {
  kind: 'jobs_given_up' | 'jobs_late' | 'mail_failed' | 'mail_stuck' | 'sweep_failed' | 'deliveries_late';
  severity: Exclude<Severity, 'ok'>;
  count: number;
  /** The program's own words about it. */
  detail: string | null;
}

const MINUTE_MS = 60_000;
const LATE_MS = 5 * MINUTE_MS;
const MANY_DELIVERIES = 10_000;

/** What the numbers say; what needs more than a look at them is among the findings. */
export function judge({ now, jobs, mail, sweeps, webhook_deliveries: deliveries }: SystemState): Attention[] {
  const found: Attention[] = [];
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

/** The worst of some. */
export function worstOf(severities: readonly Severity[]): Severity {
  if (severities.includes('fail')) return 'fail';
  return severities.includes('warn') ? 'warn' : 'ok';
}

/** What would be news in a state: all that is counted, without the clock. */
export function newsOf({ jobs, mail, sweeps, accounts, storage, webhook_deliveries: deliveries }: SystemState): string {
  const runs = sweeps.map(({ last_run: run }) => run?.started_at ?? null);
  return JSON.stringify([jobs, mail, accounts, storage.builds, storage.ok, deliveries, runs]);
}
