// Rows of personal data exports, and the rows that go into one.
import { and, desc, eq, gt, lt, lte, ne, sql } from 'drizzle-orm';
import type { App, Tx } from '../../platform/context.ts';
import { notFound } from '../../platform/errors.ts';
import {
  auditEvents,
  builds,
  dataExports,
  developers,
  deviceEnrollments,
  devices,
  downloads,
  memberInvitations,
  organizationMemberships,
  organizations,
  outboxMails,
  passkeys,
  personalAccessTokens,
  projectMemberships,
  projects,
  releases,
  sessions,
} from '../../platform/tables/tables.ts';
import { collectTesterData } from '../../testers/personal-data.ts';

export type ExportRow = typeof dataExports.$inferSelect;
type Db = Pick<App, 'db'>;

/** An export of one developer; not_found when it is absent or somebody else's. */
export function loadExport(app: Db, developerId: string, id: string): ExportRow {
  const row = findExport(app, id);
  if (row === undefined || row.developerId !== developerId) throw notFound();
  return row;
}

export function findExport(app: Db, id: string): ExportRow | undefined {
  return app.db.select().from(dataExports).where(eq(dataExports.id, id)).get();
}

export function findPreparing(app: Db, developerId: string): ExportRow | undefined {
  return app.db
    .select()
    .from(dataExports)
    .where(and(eq(dataExports.developerId, developerId), eq(dataExports.state, 'preparing')))
    .get();
}

/** When the exports that count against the limits were asked for, newest first. A failed one costs nothing. */
export function listRequestsSince(app: Db, developerId: string, since: number): number[] {
  return app.db
    .select({ createdAt: dataExports.createdAt })
    .from(dataExports)
    .where(
      and(eq(dataExports.developerId, developerId), gt(dataExports.createdAt, since), ne(dataExports.state, 'failed')),
    )
    .orderBy(desc(dataExports.createdAt))
    .all()
    .map((row) => row.createdAt);
}

export function listExports(app: Db, developerId: string, before: string, limit: number): ExportRow[] {
  return app.db
    .select()
    .from(dataExports)
    .where(and(eq(dataExports.developerId, developerId), lt(dataExports.id, before)))
    .orderBy(desc(dataExports.id))
    .limit(limit)
    .all();
}

export function insertExport(tx: Tx, row: ExportRow): void {
  tx.db.insert(dataExports).values(row).run();
}

/** Moves an export on, only while it is still in the state that was looked at; false when it was not. */
export function moveExport(tx: Tx, id: string, from: ExportRow['state'], changes: Partial<ExportRow>): boolean {
  const where = and(eq(dataExports.id, id), eq(dataExports.state, from));
  return tx.db.update(dataExports).set(changes).where(where).run().changes === 1;
}

/** Takes one of the downloads of a ready archive; false when none is left or its time is over. */
export function takeDownload(tx: Tx, id: string, most: number): boolean {
  const isOpen = and(
    eq(dataExports.id, id),
    eq(dataExports.state, 'ready'),
    lt(dataExports.downloads, most),
    gt(dataExports.expiresAt, tx.now),
  );
  const taken = tx.db
    .update(dataExports)
    .set({ downloads: sql`${dataExports.downloads} + 1` })
    .where(isOpen)
    .run();
  return taken.changes === 1;
}

/** Exports that have been in preparation since before a moment. */
export function listStale(app: Db, before: number, limit: number): ExportRow[] {
  return app.db
    .select()
    .from(dataExports)
    .where(and(eq(dataExports.state, 'preparing'), lt(dataExports.createdAt, before)))
    .limit(limit)
    .all();
}

export function listDue(app: Db, now: number, limit: number): ExportRow[] {
  return app.db
    .select()
    .from(dataExports)
    .where(and(eq(dataExports.state, 'ready'), lte(dataExports.expiresAt, now)))
    .limit(limit)
    .all();
}

/** Everything kept about one developer, as plain rows by subject. Secrets and their hashes are left out. */
export function collectPersonalData(app: Db, developerId: string): Record<string, unknown> {
  const { db } = app;
  const {
    passwordHash: _,
    avatarKey: __,
    ...account
  } = db.select().from(developers).where(eq(developers.id, developerId)).get() ?? {
    passwordHash: null,
    avatarKey: null,
  };
  // What was sent to an address that is not proven may be meant for somebody else.
  const email = 'email' in account && account.emailVerifiedAt !== null ? account.email : '';
  return {
    account,
    sessions: db.select().from(sessions).where(eq(sessions.developerId, developerId)).all(),
    passkeys: db
      .select({ id: passkeys.id, name: passkeys.name, createdAt: passkeys.createdAt, lastUsedAt: passkeys.lastUsedAt })
      .from(passkeys)
      .where(eq(passkeys.developerId, developerId))
      .all(),
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
      .map(({ tokenHash: _hash, ...invitation }) => invitation),
    builds_uploaded: db
      .select({
        id: builds.id,
        projectId: builds.projectId,
        versionName: builds.versionName,
        buildNumber: builds.buildNumber,
        uploadedAt: builds.uploadedAt,
      })
      .from(builds)
      .where(eq(builds.uploadedByDeveloperId, developerId))
      .all(),
    releases_created: db
      .select({
        id: releases.id,
        channelId: releases.channelId,
        buildId: releases.buildId,
        createdAt: releases.createdAt,
      })
      .from(releases)
      .where(eq(releases.createdBy, developerId))
      .all(),
    devices: db.select().from(devices).where(eq(devices.developerId, developerId)).all(),
    device_enrollments: db
      .select()
      .from(deviceEnrollments)
      .where(eq(deviceEnrollments.developerId, developerId))
      .all()
      .map(({ tokenHash: _hash, ...link }) => link),
    downloads: db.select().from(downloads).where(eq(downloads.developerId, developerId)).all(),
    ...collectTesterData(app, developerId, email),
    mails: db
      .select({
        kind: outboxMails.kind,
        subject: outboxMails.subject,
        state: outboxMails.state,
        createdAt: outboxMails.createdAt,
        sentAt: outboxMails.sentAt,
      })
      .from(outboxMails)
      .where(eq(outboxMails.recipient, email))
      .all(),
    audit_trail: db
      .select()
      .from(auditEvents)
      .where(eq(auditEvents.developerId, developerId))
      .all()
      .map(({ chain: _chain, sequence: _sequence, hash: _hash, ...row }) => {
        // From where another person acted is that person's own.
        const isOfAnother = row.actorKind === 'developer' && row.actorId !== developerId;
        return isOfAnother ? { ...row, ipAddress: null } : row;
      }),
  };
}
