// API schemas of the server's state, for the operator.

import { backupState } from '../backup/schema.ts';
import { cleanupJobNames } from '../cleanup-jobs.ts';
import { dateTime } from '../lib/shapes.ts';
import { storageBackends } from '../lib/storage-backends.ts';
import * as z from '../lib/zod.ts';
import { replicationState } from '../replication/schema.ts';

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

const storageBackendState = z
  .object({
    backend: z.enum(storageBackends),
    location: z.string().meta({ description: 'Folder, or URL of the bucket' }),
    ok: z.boolean(),
    detail: z.string(),
    builds: count().meta({ description: 'Packages in this backend' }),
    build_bytes: count(),
    unavailable_since: dateTime().nullable().meta({ description: 'First failure since the last success' }),
    last_error: z.string().nullable(),
  })
  .meta({ id: 'StorageBackendState' });

const storageMove = z
  .object({
    to: z.enum(storageBackends),
    organization_id: z.string().nullable().meta({ description: 'Null for the objects of all organizations' }),
    state: z
      .enum(['running', 'interrupted', 'finished'])
      .meta({ description: 'An interrupted move continues when it is started again' }),
    started_at: dateTime(),
    finished_at: dateTime().nullable(),
    objects: count(),
    done: count(),
    moved: count(),
    bytes: count(),
    failed: count(),
  })
  .meta({ id: 'StorageMove' });

const objectProblem = z
  .object({
    object: z.string().meta({ description: 'What it is, such as "package"' }),
    key: z.string(),
    backend: z.string(),
    build_id: z.string().nullable(),
    project_id: z.string().nullable(),
    problem: z.string(),
    found_at: dateTime(),
  })
  .meta({ id: 'ObjectProblem' });

const ownContainer = z
  .object({
    organization_id: z.string().nullable().meta({ description: 'Null after the organization was deleted' }),
    organization_name: z.string().nullable(),
    storage_account: z.string(),
    container: z.string(),
    is_active: z.boolean().meta({ description: 'Whether new packages of the organization are stored in it' }),
    builds: count(),
    build_bytes: count(),
    unavailable_since: dateTime().nullable(),
    last_error: z.string().nullable(),
  })
  .meta({ id: 'OwnContainerState' });

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
      backends: z
        .array(storageBackendState)
        .meta({ description: 'Every backend in use; the first one is for new objects' }),
      containers: z.object({ count: count(), items: z.array(ownContainer) }).meta({
        description: 'Containers of organizations, up to 50 of them, those that can not be used first',
      }),
      move: storageMove.nullable().meta({ description: 'The last move of objects to another backend' }),
      problems: z.object({ count: count(), objects: z.array(objectProblem) }).meta({
        description: 'Objects that are missing or damaged, up to 20 of them. Packages among them are not delivered',
      }),
    }),
    backup: backupState,
    replication: replicationState.nullable().meta({ description: 'Null if it is off' }),
    disk: z
      .object({ free_bytes: count(), total_bytes: count() })
      .nullable()
      .meta({ description: "Null while the data folder can't be reached" }),
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
