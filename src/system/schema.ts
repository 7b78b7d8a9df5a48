// API schemas of the server's state, for the operator.

import { z } from 'zod';
import { cleanupJobNames } from '../cleanup-jobs.ts';
import { dateTime } from '../lib/shapes.ts';

const count = () => z.number().int().min(0);

const sweepState = z
  .object({
    name: z.enum(cleanupJobNames),
    schedule: z.string().meta({ description: 'Cron pattern, UTC' }),
    next_run_at: dateTime().nullable(),
    last_run: z
      .object({ started_at: dateTime(), duration_ms: count(), removed: count(), error: z.string().nullable() })
      .nullable(),
  })
  .meta({ id: 'SweepState' });

export const systemState = z
  .object({
    version: z.string(),
    commit: z.string(),
    built_at: dateTime().nullable(),
    started_at: dateTime(),
    now: dateTime(),
    base_url: z.string(),
    data_dir: z.string().meta({ description: 'Folder to back up, besides the configuration' }),
    database: z.object({ size_bytes: count(), pending_migrations: count() }),
    storage: z.object({
      backend: z.string(),
      ok: z.boolean(),
      detail: z.string(),
      builds: count(),
      build_bytes: count(),
    }),
    disk: z.object({ free_bytes: count(), total_bytes: count() }),
    accounts: z.object({ developers: count(), organizations: count(), projects: count() }),
    jobs: z.object({
      waiting: count(),
      dead: count(),
      oldest_due_at: dateTime()
        .nullable()
        .meta({ description: 'Due time of the oldest waiting job; a time long ago means that the queue is stuck' }),
      last_error: z.string().nullable(),
    }),
    webhook_deliveries: z.object({
      pending: count(),
      retrying: count(),
      dead: count(),
      last_error: z.string().nullable().meta({ description: 'Last failed attempt since the start' }),
      last_error_at: dateTime().nullable(),
    }),
    mail: z.object({
      transport: z.string(),
      from: z.string(),
      pending: count(),
      kept: count(),
      sent: count(),
      failed: count(),
      last_error: z.string().nullable(),
      last_error_at: dateTime().nullable().meta({ description: 'Time at which the failed mail was created' }),
    }),
    certificate: z.object({
      mode: z.string(),
      is_https: z.boolean(),
      names: z.array(z.string()),
      expires_at: dateTime().nullable().meta({ description: 'Certificate of the server; null if a proxy provides it' }),
    }),
    clock_hold: z
      .object({ jumped_from: dateTime(), jumped_to: dateTime(), may_be_off: z.boolean(), left_ms: count() })
      .optional()
      .meta({ description: 'Only after a clock jump: nothing is deleted by age until then' }),
    sweeps: z.array(sweepState),
  })
  .meta({ id: 'SystemState' });

export const systemFindings = z
  .object({
    checked_at: dateTime(),
    findings: z.array(
      z.object({
        name: z.string(),
        status: z.enum(['ok', 'warn', 'fail']),
        detail: z.string().meta({ description: 'Text of the finding in English, with the next step if there is one' }),
        code: z.string().meta({ description: 'Stable code of the finding, for clients with their own texts' }),
        values: z.record(z.string(), z.union([z.string(), z.number()])),
      }),
    ),
  })
  .meta({ id: 'SystemFindings' });

export type SystemState = z.input<typeof systemState>;
export type SystemFindings = z.input<typeof systemFindings>;
