// Queries for the setup checklist. Each stops at the first row that answers it.
import { and, eq, sql } from 'drizzle-orm';
import type { App, Tx } from '../core/context.ts';
import { notRemoved } from '../core/removal.ts';
import { prepared } from '../data/database.ts';
import { setupMarks } from '../data/tables/tables.ts';

type Db = Pick<App, 'db'>;
type Mark = (typeof setupMarks.$inferSelect)['mark'];

export interface OrganizationFacts {
  hasProject: boolean;
  hasInstall: boolean;
  hasColleague: boolean;
}

const factsOfOrganization = prepared((db) =>
  db.$client.prepare<[{ organization: string; now: number }], Record<keyof OrganizationFacts, 0 | 1>>(
    `SELECT
      EXISTS (SELECT 1 FROM projects WHERE organization_id = @organization AND is_draft = 0) AS hasProject,
      EXISTS (SELECT 1 FROM downloads WHERE organization_id = @organization AND channel_id IS NOT NULL) AS hasInstall,
      ((SELECT COUNT(*) FROM (SELECT 1 FROM organization_memberships WHERE organization_id = @organization LIMIT 2)) > 1
        OR EXISTS (SELECT 1 FROM member_invitations WHERE organization_id = @organization AND accepted_at IS NULL
          AND expires_at > @now AND ${notRemoved('project_id')})) AS hasColleague`,
  ),
);

/** Returns which steps of an organization are done. Downloads with a channel are those of install pages and of apps that update themselves. */
export function readOrganizationFacts(app: Db, organization: string, now: number): OrganizationFacts {
  const row = factsOfOrganization(app).get({ organization, now });
  return {
    hasProject: row?.hasProject === 1,
    hasInstall: row?.hasInstall === 1,
    hasColleague: row?.hasColleague === 1,
  };
}

const mailFacts = prepared((db) =>
  db.$client.prepare<[], { wasSent: 0 | 1 }>(
    "SELECT EXISTS (SELECT 1 FROM outbox_mails WHERE state = 'sent') AS wasSent",
  ),
);

/** Returns whether the mail server accepted an email in the last month. Older emails aren't kept. */
export function wasMailSent(app: Db): boolean {
  return mailFacts(app).get()?.wasSent === 1;
}

const backupMark = prepared((db) => db.$client.prepare("SELECT 1 FROM setup_marks WHERE mark = 'backup' LIMIT 1"));
/** The table has few rows. */
const createdBackup = prepared((db) =>
  db.$client.prepare("SELECT 1 FROM backup_runs WHERE state = 'succeeded' LIMIT 1"),
);

/** Returns whether a backup was created, or an operator confirmed one by another program. */
export function isBackupConfirmed(app: Db): boolean {
  return backupMark(app).get() !== undefined || createdBackup(app).get() !== undefined;
}

const markOf = prepared((db) =>
  db.$client.prepare<[string, string, Mark]>(
    'SELECT 1 FROM setup_marks WHERE organization_id = ? AND developer_id = ? AND mark = ?',
  ),
);

/** Returns whether a person set a mark in an organization. */
export function hasMark(app: Db, organizationId: string, developerId: string, mark: Mark): boolean {
  return markOf(app).get(organizationId, developerId, mark) !== undefined;
}

export function insertMark(tx: Tx, row: typeof setupMarks.$inferInsert): void {
  tx.db.insert(setupMarks).values(row).onConflictDoNothing().run();
}

export function deleteMark(tx: Tx, organizationId: string, developerId: string, mark: Mark): void {
  tx.db
    .delete(setupMarks)
    .where(
      and(
        eq(setupMarks.organizationId, organizationId),
        eq(setupMarks.developerId, developerId),
        eq(setupMarks.mark, mark),
      ),
    )
    .run();
}

/** Deletes all confirmations that the server is backed up. */
export function deleteBackupMarks(tx: Tx): void {
  // SQLite uses the partial index only if the mark is a literal, so it isn't bound as a parameter.
  tx.db.delete(setupMarks).where(sql`${setupMarks.mark} = 'backup'`).run();
}
