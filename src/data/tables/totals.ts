// Totals that triggers keep in the transaction of each change (migrations 0032 and 0046), so that nothing that grows is counted for an
// answer. They have no foreign keys, like the rows that they count. data/totals.ts compares them with a recount.

import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { reportStates } from '../../lib/report-states.ts';
import { moment, uuid } from './columns.ts';

/** What was downloaded of a release or from a channel. */
export const downloadSums = sqliteTable('download_sums', {
  subjectId: uuid('subject_id').primaryKey(),
  downloads: integer('downloads').notNull(),
  builds: integer('builds').notNull(),
  /** Developers with an account who downloaded, each once. */
  takers: integer('takers').notNull(),
  firstAt: moment('first_at').notNull(),
  lastAt: moment('last_at').notNull(),
});

/** Downloads from a channel on a day, in days since the epoch. */
export const downloadDays = sqliteTable(
  'download_days',
  {
    channelId: uuid('channel_id').notNull(),
    day: integer('day').notNull(),
    downloads: integer('downloads').notNull(),
  },
  (table) => [primaryKey({ columns: [table.channelId, table.day] })],
);

/** Reports of SDK installs about a release, or about the releases of a channel, by the day of the first report and the last state. */
export const reportDays = sqliteTable(
  'report_days',
  {
    subjectId: uuid('subject_id').notNull(),
    day: integer('day').notNull(),
    state: text('state', { enum: reportStates }).notNull(),
    reports: integer('reports').notNull(),
  },
  (table) => [primaryKey({ columns: [table.subjectId, table.day, table.state] })],
);

/** The builds of a project and their bytes, by the backend that object_places has for them; empty for none. */
export const buildTotals = sqliteTable(
  'build_totals',
  {
    projectId: uuid('project_id').notNull(),
    backend: text('backend').notNull(),
    organizationId: uuid('organization_id').notNull(),
    builds: integer('builds').notNull(),
    bytes: integer('bytes').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.backend] }),
    index('build_totals_organization').on(table.organizationId),
  ],
);

/** The members of a tester group, including pending ones. A group without members has no row. */
export const groupTotals = sqliteTable('group_totals', {
  groupId: uuid('group_id').primaryKey(),
  members: integer('members').notNull(),
});

/** Rises with each change of who has access as a tester, so that counts of testers are kept until then. */
export const accessVersions = sqliteTable('access_versions', {
  organizationId: uuid('organization_id').primaryKey(),
  version: integer('version').notNull(),
});

/**
 * What an upgrade left to be filled while the server runs, because it concerns millions of rows (data/background-fills.ts). A row is
 * deleted when its fill is complete.
 */
export const backgroundFills = sqliteTable('background_fills', {
  name: text('name', { enum: ['downloads', 'download_sums', 'version_keys'] }).primaryKey(),
  /** The last key that is filled. */
  position: text('position').notNull(),
  /** The last key that is to be filled; what is added later is counted when it's added. */
  until: text('until').notNull(),
  done: integer('done').notNull(),
  total: integer('total').notNull(),
});
