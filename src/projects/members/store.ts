// Queries for project memberships. Managers and admins of the organization have access to all projects without one.
import { and, desc, eq, sql } from 'drizzle-orm';
import type { Context, Tx } from '../../core/context.ts';
import type { TimePosition } from '../../core/paging.ts';
import { developers, projectMemberships } from '../../data/tables/tables.ts';
import type { ProjectRole } from '../../permissions.ts';

export interface ProjectMemberRow {
  /** Id of the developer. */
  id: string;
  email: string;
  displayName: string;
  role: ProjectRole;
  createdAt: number;
}

const memberColumns = {
  id: developers.id,
  email: developers.email,
  displayName: developers.displayName,
  role: projectMemberships.role,
  createdAt: projectMemberships.createdAt,
};

const isMembership = (projectId: string, developerId: string) =>
  and(eq(projectMemberships.projectId, projectId), eq(projectMemberships.developerId, developerId));

/** Returns a member of the project, or undefined. */
export function findProjectMember(ctx: Context, projectId: string, developerId: string): ProjectMemberRow | undefined {
  return ctx.db
    .select(memberColumns)
    .from(projectMemberships)
    .innerJoin(developers, eq(developers.id, projectMemberships.developerId))
    .where(isMembership(projectId, developerId))
    .get();
}

/** Returns members before a position, newest first. */
export function listProjectMemberRows(
  ctx: Context,
  { projectId, before, limit }: { projectId: string; before: TimePosition; limit: number },
): ProjectMemberRow[] {
  const { createdAt, developerId } = projectMemberships;
  return ctx.db
    .select(memberColumns)
    .from(projectMemberships)
    .innerJoin(developers, eq(developers.id, developerId))
    .where(
      and(
        eq(projectMemberships.projectId, projectId),
        sql`(${createdAt}, ${developerId}) < (${before.at}, ${before.id})`,
      ),
    )
    .orderBy(desc(createdAt), desc(developerId))
    .limit(limit)
    .all();
}

export function insertProjectMembership(tx: Tx, row: typeof projectMemberships.$inferInsert): void {
  tx.db.insert(projectMemberships).values(row).run();
}

export function updateProjectMembership(tx: Tx, projectId: string, developerId: string, role: ProjectRole): void {
  tx.db.update(projectMemberships).set({ role }).where(isMembership(projectId, developerId)).run();
}

export function deleteProjectMembership(tx: Tx, projectId: string, developerId: string): void {
  tx.db.delete(projectMemberships).where(isMembership(projectId, developerId)).run();
}
