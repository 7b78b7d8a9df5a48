// The data stored about a developer, by subject. Small subjects are read together, unlimited ones page by page.
import { and, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { App } from '../../core/context.ts';
import { isOfAnother } from '../../core/own-actors.ts';
import {
  auditEvents,
  builds,
  developers,
  deviceEnrollments,
  devices,
  downloads,
  feedback,
  feedbackReplies,
  feedTokens,
  finishedWaits,
  memberInvitations,
  organizationMemberships,
  organizations,
  outboxMails,
  passkeys,
  personalAccessTokens,
  projectMemberships,
  projects,
  releaseNotifications,
  releases,
  sessions,
  setupMarks,
  shareLinks,
  waitingDevices,
} from '../../data/tables/tables.ts';
import { listIdentitiesOf } from '../../sso/store.ts';
import { collectTesterData } from '../../testers/personal-data.ts';

type Db = Pick<App, 'db'>;
/** The values of the order columns at the end of a page. */
type Place = (string | number)[];

interface Person {
  id: string;
  /** Empty while the address isn't verified, because its emails may be meant for another person. */
  email: string;
}

/** A page of rows of a subject, and the position of its last row; undefined if there are no more. */
interface RowPage {
  rows: unknown[];
  next: Place | undefined;
}

/** A subject that is read page by page. */
interface PagedSubject {
  name: string;
  read(app: Db, person: Person, after: Place | undefined): RowPage;
}

const ROWS_PER_PAGE = 500;
const rowId = sql<number>`rowid`;

/** `order` is unique, and an index contains it after the column of the condition, so that each page is one seek. */
function paged<Table extends SQLiteTable>(options: {
  name: string;
  table: Table;
  where: (person: Person) => SQL | undefined;
  order: (SQLiteColumn | SQL)[];
  columns?: Record<string, SQLiteColumn>;
  show?: (row: Table['$inferSelect'], person: Person, app: Db) => unknown;
}): PagedSubject {
  const { name, table, where, order, columns = getTableColumns(table), show = (row) => row } = options;
  return {
    name,
    read(app, person, after) {
      const { db } = app;
      const place = sql`(${sql.join(order, sql`, `)})`;
      const isAfter =
        after &&
        sql`${place} > (${sql.join(
          after.map((value) => sql`${value}`),
          sql`, `,
        )})`;
      const found = db
        .select({
          row: columns,
          place: Object.fromEntries(order.map((column, index) => [`place${index}`, sql`${column}`])),
        })
        .from(table)
        .where(and(where(person), isAfter))
        .orderBy(...order)
        .limit(ROWS_PER_PAGE)
        .all() as unknown as { row: Table['$inferSelect']; place: Record<string, string | number> }[];
      const last = found.at(-1);
      const next = found.length < ROWS_PER_PAGE || last === undefined ? undefined : Object.values(last.place);
      return { rows: found.map(({ row }) => show(row, person, app)), next };
    },
  };
}

const pagedSubjects: readonly PagedSubject[] = [
  paged({
    name: 'sessions',
    table: sessions,
    where: ({ id }) => eq(sessions.developerId, id),
    order: [sessions.id],
  }),
  paged({
    name: 'builds_uploaded',
    table: builds,
    where: ({ id }) => eq(builds.uploadedByDeveloperId, id),
    order: [rowId],
    columns: {
      id: builds.id,
      projectId: builds.projectId,
      versionName: builds.versionName,
      buildNumber: builds.buildNumber,
      uploadedAt: builds.uploadedAt,
    },
  }),
  paged({
    name: 'releases_created',
    table: releases,
    where: ({ id }) => eq(releases.createdBy, id),
    order: [rowId],
    columns: {
      id: releases.id,
      channelId: releases.channelId,
      buildId: releases.buildId,
      createdAt: releases.createdAt,
    },
  }),
  paged({
    name: 'share_links_created',
    table: shareLinks,
    where: ({ id }) => eq(shareLinks.createdBy, id),
    order: [rowId],
    columns: {
      id: shareLinks.id,
      channelId: shareLinks.channelId,
      buildId: shareLinks.buildId,
      note: shareLinks.note,
      createdAt: shareLinks.createdAt,
    },
  }),
  paged({
    name: 'feed_tokens',
    table: feedTokens,
    where: ({ id }) => eq(feedTokens.developerId, id),
    order: [rowId],
    columns: {
      id: feedTokens.id,
      channelId: feedTokens.channelId,
      note: feedTokens.note,
      createdAt: feedTokens.createdAt,
    },
  }),
  paged({
    name: 'downloads',
    table: downloads,
    where: ({ id }) => eq(downloads.developerId, id),
    order: [rowId],
  }),
  paged({
    name: 'feedback',
    table: feedback,
    where: ({ id }) => eq(feedback.developerId, id),
    order: [feedback.createdAt, rowId],
  }),
  paged({
    name: 'feedback_replies',
    table: feedbackReplies,
    where: ({ id }) => eq(feedbackReplies.developerId, id),
    order: [rowId],
  }),
  paged({
    name: 'release_mails',
    table: releaseNotifications,
    where: ({ id }) => eq(releaseNotifications.developerId, id),
    order: [rowId],
  }),
  paged({
    name: 'mails',
    table: outboxMails,
    where: ({ email }) => eq(outboxMails.recipient, email),
    order: [outboxMails.kind, outboxMails.createdAt, rowId],
    columns: {
      kind: outboxMails.kind,
      subject: outboxMails.subject,
      state: outboxMails.state,
      createdAt: outboxMails.createdAt,
      sentAt: outboxMails.sentAt,
    },
  }),
  paged({
    name: 'audit_trail',
    table: auditEvents,
    where: ({ id }) => eq(auditEvents.developerId, id),
    order: [auditEvents.timestamp, rowId],
    show({ chain: _chain, sequence: _sequence, hash: _hash, ...row }, { id }, app) {
      return isOfAnother(app, id, row) ? { ...row, ipAddress: null } : row;
    },
  }),
];

function findAccount({ db }: Db, developerId: string) {
  const row = db.select().from(developers).where(eq(developers.id, developerId)).get();
  if (row === undefined) return { account: {}, person: { id: developerId, email: '' } };
  const { passwordHash: _, avatarKey: __, ...account } = row;
  return { account, person: { id: developerId, email: row.emailVerifiedAt === null ? '' : row.email } };
}

/** Returns the subjects with few rows, without secrets and their hashes. */
function readSmallSubjects(app: Db, { id: developerId, email }: Person): Record<string, unknown> {
  const { db } = app;
  return {
    passkeys: db
      .select({ id: passkeys.id, name: passkeys.name, createdAt: passkeys.createdAt, lastUsedAt: passkeys.lastUsedAt })
      .from(passkeys)
      .where(eq(passkeys.developerId, developerId))
      .all(),
    single_sign_on: listIdentitiesOf(app, developerId),
    organizations: db
      .select({
        id: organizations.id,
        name: organizations.name,
        role: organizationMemberships.role,
        since: organizationMemberships.createdAt,
      })
      .from(organizationMemberships)
      .innerJoin(organizations, eq(organizations.id, organizationMemberships.organizationId))
      .where(eq(organizationMemberships.developerId, developerId))
      .all(),
    projects: db
      .select({
        id: projects.id,
        name: projects.name,
        role: projectMemberships.role,
        since: projectMemberships.createdAt,
      })
      .from(projectMemberships)
      .innerJoin(projects, eq(projects.id, projectMemberships.projectId))
      .where(eq(projectMemberships.developerId, developerId))
      .all(),
    personal_access_tokens: db
      .select()
      .from(personalAccessTokens)
      .where(eq(personalAccessTokens.developerId, developerId))
      .all()
      .map(({ tokenHash: _hash, ...token }) => token),
    invitations: db
      .select()
      .from(memberInvitations)
      .where(eq(memberInvitations.email, email))
      .all()
      .map(({ tokenHash: _hash, mailedTokenHash: _mailed, mailId: _mail, ...invitation }) => invitation),
    devices: db.select().from(devices).where(eq(devices.developerId, developerId)).all(),
    device_enrollments: db
      .select()
      .from(deviceEnrollments)
      .where(eq(deviceEnrollments.developerId, developerId))
      .all()
      .map(({ tokenHash: _hash, ...link }) => link),
    waiting_devices: db
      .select({
        deviceId: waitingDevices.deviceId,
        channelId: waitingDevices.channelId,
        createdAt: waitingDevices.createdAt,
      })
      .from(devices)
      .innerJoin(waitingDevices, eq(waitingDevices.deviceId, devices.id))
      .where(eq(devices.developerId, developerId))
      .all(),
    finished_waits: db
      .select(getTableColumns(finishedWaits))
      .from(devices)
      .innerJoin(finishedWaits, eq(finishedWaits.deviceId, devices.id))
      .where(eq(devices.developerId, developerId))
      .all(),
    setup_decisions: db.select().from(setupMarks).where(eq(setupMarks.developerId, developerId)).all(),
    ...collectTesterData(app, developerId, email),
  };
}

/** A file of the archive: a value, or rows that are read page by page on demand. */
export type PersonalSubject = { name: string; value: unknown } | { name: string; pages: () => Generator<unknown[]> };

/** Returns the data stored about a developer. Paged subjects aren't read until their pages are requested. */
export function listPersonalData(app: Db, developerId: string): PersonalSubject[] {
  const { account, person } = findAccount(app, developerId);
  const small = Object.entries(readSmallSubjects(app, person));
  return [
    { name: 'account', value: account },
    ...small.map(([name, value]) => ({ name, value })),
    ...pagedSubjects.map((subject) => ({ name: subject.name, pages: () => readPages(app, subject, person) })),
  ];
}

function* readPages(app: Db, subject: PagedSubject, person: Person): Generator<unknown[]> {
  let after: Place | undefined;
  do {
    const { rows, next } = subject.read(app, person, after);
    yield rows;
    after = next;
  } while (after !== undefined);
}

/** Returns the same as plain rows by subject. Only for tests, because the number of rows is unlimited. */
export function collectPersonalData(app: Db, developerId: string): Record<string, unknown> {
  return Object.fromEntries(
    listPersonalData(app, developerId).map((subject) => [
      subject.name,
      'pages' in subject ? [...subject.pages()].flat() : subject.value,
    ]),
  );
}
