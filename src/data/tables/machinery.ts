// What the machinery itself keeps: audit rows, outboxes, jobs and sweep runs.

import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { actorKinds } from '../../events.ts';
import { moment, uuid } from './columns.ts';

export const auditEvents = sqliteTable(
  'audit_events',
  {
    id: uuid('id').primaryKey(),
    /** The organization whose trail it is in; null for personal events. */
    organizationId: uuid('organization_id'),
    /** The developer whose personal trail it is in; null when it belongs to none. */
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
    /** The hash chain it is a link of: its organization's, else its developer's, else the service's (core/audit-chain.ts). */
    chain: text('chain').notNull(),
    /** Its place in the chain, from 1 on without gaps. */
    sequence: integer('sequence').notNull(),
    /** SHA-256 in hex over the link before it and everything above. */
    hash: text('hash').notNull(),
  },
  (table) => [
    uniqueIndex('audit_events_chain').on(table.chain, table.sequence),
    index('audit_events_organization').on(table.organizationId, table.timestamp),
    index('audit_events_developer').on(table.developerId, table.timestamp),
  ],
);

/** Where the retained part of an audit chain begins: the last link that retention removed. */
export const auditCheckpoints = sqliteTable('audit_checkpoints', {
  chain: text('chain').primaryKey(),
  sequence: integer('sequence').notNull(),
  hash: text('hash').notNull(),
  trimmedAt: moment('trimmed_at').notNull(),
  /** Signature over all of it, so that rows taken away by hand cannot pass for retention. */
  seal: text('seal').notNull(),
});

/** What retention will remove from an audit chain: events before `cutoff`, a week after it was announced. */
export const auditNotices = sqliteTable(
  'audit_notices',
  {
    chain: text('chain').notNull(),
    cutoff: moment('cutoff').notNull(),
    announcedAt: moment('announced_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.chain, table.cutoff] })],
);

/** The last reading of the clock, and how long nothing is deleted by age because it jumped (runtime/clock-guard.ts). One row. */
export const clockState = sqliteTable('clock_state', {
  id: integer('id').primaryKey(),
  /** What the clock showed. */
  wall: moment('wall').notNull(),
  /** Which start of the machine `sinceBootMs` counts from. */
  bootId: text('boot_id').notNull(),
  sinceBootMs: integer('since_boot_ms').notNull(),
  /** How far the clock is from what it should show; 0 when it is believed. */
  skewMs: integer('skew_ms').notNull(),
  /** Running time in milliseconds until deletion by age resumes. */
  holdMs: integer('hold_ms').notNull(),
  /** The last jump: what the clock should have shown, and what it showed. */
  jumpedFrom: moment('jumped_from'),
  jumpedTo: moment('jumped_to'),
});

/** Events that other systems subscribe to; written with the action, fanned out to deliveries after commit. */
export const outboxEvents = sqliteTable(
  'outbox_events',
  {
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id').notNull(),
    projectId: uuid('project_id'),
    type: text('type').notNull(),
    data: text('data').notNull(),
    /** The audit row's details, which name things to people even when they are gone. */
    details: text('details').notNull(),
    createdAt: moment('created_at').notNull(),
    fannedOutAt: moment('fanned_out_at'),
  },
  (table) => [
    index('outbox_events_open').on(table.fannedOutAt, table.id),
    index('outbox_events_age').on(table.createdAt),
  ],
);

/** Mails; written with the action that causes them. Transport `outbox` keeps them here for the operator. */
export const outboxMails = sqliteTable(
  'outbox_mails',
  {
    id: uuid('id').primaryKey(),
    kind: text('kind').notNull(),
    recipient: text('recipient').notNull(),
    subject: text('subject').notNull(),
    text: text('text').notNull(),
    html: text('html').notNull(),
    /** JSON of header lines of its own, such as List-Unsubscribe. */
    headers: text('headers').notNull().default('{}'),
    state: text('state', { enum: ['pending', 'kept', 'sent', 'failed'] }).notNull(),
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
    /** At most one waiting job holds a given key; enqueueing it again collapses onto that one. */
    dedupeKey: text('dedupe_key'),
    runAt: moment('run_at').notNull(),
    attempts: integer('attempts').notNull().default(0),
    maxAttempts: integer('max_attempts').notNull(),
    leasedUntil: moment('leased_until'),
    lastError: text('last_error'),
    state: text('state', { enum: ['waiting', 'dead'] }).notNull(),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [index('jobs_due').on(table.state, table.runAt), uniqueIndex('jobs_dedupe').on(table.dedupeKey)],
);

/** The last run of each sweep, for the operator. */
export const sweepRuns = sqliteTable('sweep_runs', {
  name: text('name').primaryKey(),
  startedAt: moment('started_at').notNull(),
  durationMs: integer('duration_ms').notNull(),
  removed: integer('removed').notNull(),
  error: text('error'),
});
