// What the machinery itself keeps: audit rows, outboxes, jobs and sweep runs.

import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { actorKinds } from '../../events.ts';
import { mailStates } from '../../lib/mail-states.ts';
import { moment, uuid } from './columns.ts';

export const auditEvents = sqliteTable(
  'audit_events',
  {
    id: uuid('id').primaryKey(),
    /** The organization whose audit trail contains the event; null for personal events. */
    organizationId: uuid('organization_id'),
    /** The developer whose personal audit trail contains the event; null for none. */
    developerId: uuid('developer_id'),
    timestamp: moment('timestamp').notNull(),
    event: text('event').notNull(),
    type: text('type').notNull(),
    identifier: text('identifier').notNull(),
    actorKind: text('actor_kind', {
      enum: actorKinds,
    }).notNull(),
    actorId: text('actor_id'),
    actorName: text('actor_name'),
    ipAddress: text('ip_address'),
    details: text('details').notNull(),
    /** The hash chain of the event: its organization's, else its developer's, else the service's (core/audit-chain.ts). */
    chain: text('chain').notNull(),
    /** The position in the chain, from 1 without gaps. */
    sequence: integer('sequence').notNull(),
    /** SHA-256 in hex of the previous hash and all columns above. */
    hash: text('hash').notNull(),
  },
  (table) => [
    uniqueIndex('audit_events_chain').on(table.chain, table.sequence),
    index('audit_events_organization').on(table.organizationId, table.timestamp),
    index('audit_events_developer').on(table.developerId, table.timestamp),
  ],
);

/** The start of the retained part of an audit chain: the last event that retention deleted. */
export const auditCheckpoints = sqliteTable('audit_checkpoints', {
  chain: text('chain').primaryKey(),
  sequence: integer('sequence').notNull(),
  hash: text('hash').notNull(),
  trimmedAt: moment('trimmed_at').notNull(),
  /** Signature of the row, so that rows deleted by hand can't pass for retention. */
  seal: text('seal').notNull(),
});

/** Announced retention: events of an audit chain before `cutoff` are deleted a week after the announcement. */
export const auditNotices = sqliteTable(
  'audit_notices',
  {
    chain: text('chain').notNull(),
    cutoff: moment('cutoff').notNull(),
    announcedAt: moment('announced_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.chain, table.cutoff] })],
);

/** The last clock reading, and how long age-based deletion is paused after a clock jump (runtime/clock-guard.ts). One row. */
export const clockState = sqliteTable('clock_state', {
  id: integer('id').primaryKey(),
  /** The clock's reading. */
  wall: moment('wall').notNull(),
  /** Id of the boot that `sinceBootMs` counts from. */
  bootId: text('boot_id').notNull(),
  sinceBootMs: integer('since_boot_ms').notNull(),
  /** The deviation of the clock from the expected time; 0 if the clock is trusted. */
  skewMs: integer('skew_ms').notNull(),
  /** Running time in milliseconds until age-based deletion resumes. */
  holdMs: integer('hold_ms').notNull(),
  /** The last jump: the expected time and the clock's reading. */
  jumpedFrom: moment('jumped_from'),
  jumpedTo: moment('jumped_to'),
});

/** Events for subscribers; written with the action, fanned out to deliveries after commit. */
export const outboxEvents = sqliteTable(
  'outbox_events',
  {
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id').notNull(),
    projectId: uuid('project_id'),
    type: text('type').notNull(),
    data: text('data').notNull(),
    /** The details of the audit row, which contain names even after deletion. */
    details: text('details').notNull(),
    createdAt: moment('created_at').notNull(),
    fannedOutAt: moment('fanned_out_at'),
  },
  (table) => [
    index('outbox_events_open').on(table.fannedOutAt, table.id),
    index('outbox_events_age').on(table.createdAt),
  ],
);

/** Emails; written with the action that causes them. The transport `outbox` keeps them here for the operator. */
export const outboxMails = sqliteTable(
  'outbox_mails',
  {
    id: uuid('id').primaryKey(),
    kind: text('kind').notNull(),
    recipient: text('recipient').notNull(),
    subject: text('subject').notNull(),
    text: text('text').notNull(),
    html: text('html').notNull(),
    /** JSON of extra headers, such as List-Unsubscribe. */
    headers: text('headers').notNull().default('{}'),
    state: text('state', { enum: mailStates }).notNull(),
    attempts: integer('attempts').notNull().default(0),
    nextAttemptAt: moment('next_attempt_at').notNull(),
    lastError: text('last_error'),
    createdAt: moment('created_at').notNull(),
    sentAt: moment('sent_at'),
  },
  (table) => [
    index('outbox_mails_state').on(table.state, table.nextAttemptAt),
    index('outbox_mails_recipient').on(table.recipient, table.kind, table.createdAt),
  ],
);

export const jobs = sqliteTable(
  'jobs',
  {
    id: uuid('id').primaryKey(),
    kind: text('kind').notNull(),
    payload: text('payload').notNull(),
    /** Unique among waiting jobs. Enqueueing the same key again keeps the waiting job. */
    dedupeKey: text('dedupe_key'),
    runAt: moment('run_at').notNull(),
    attempts: integer('attempts').notNull().default(0),
    maxAttempts: integer('max_attempts').notNull(),
    leasedUntil: moment('leased_until'),
    lastError: text('last_error'),
    state: text('state', { enum: ['waiting', 'dead'] }).notNull(),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    // By kind, so that a lane doesn't read what other lanes have due.
    index('jobs_due').on(table.state, table.kind, table.runAt),
    index('jobs_failed').on(table.id).where(sql`last_error is not null`),
    uniqueIndex('jobs_dedupe').on(table.dedupeKey),
  ],
);

/** Backups that were started, by schedule or by command, newest last. */
export const backupRuns = sqliteTable('backup_runs', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  startedAt: moment('started_at').notNull(),
  finishedAt: moment('finished_at'),
  /** The folder or bucket, as it was named. */
  place: text('place').notNull(),
  state: text('state', { enum: ['running', 'succeeded', 'failed'] }).notNull(),
  backupId: text('backup_id'),
  /** Bytes that this backup wrote, and that it needs in total. */
  addedBytes: integer('added_bytes'),
  totalBytes: integer('total_bytes'),
  objects: integer('objects'),
  /** Why it failed, or what is missing in it. */
  problem: text('problem'),
});

/** The last run of each cleanup job. */
export const sweepRuns = sqliteTable('sweep_runs', {
  name: text('name').primaryKey(),
  startedAt: moment('started_at').notNull(),
  durationMs: integer('duration_ms').notNull(),
  removed: integer('removed').notNull(),
  error: text('error'),
});
