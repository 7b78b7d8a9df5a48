// Share links: what each leads to, whether it works, and how its installs are counted.
import { and, desc, eq, isNotNull, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { App, Context, Tx } from '../core/context.ts';
import { type Db, prepared } from '../data/database.ts';
import { countCurrent, deleteUpTo, isBelow, isCurrent } from '../data/queries.ts';
import {
  builds,
  channels,
  developers,
  organizationMemberships,
  organizations,
  projectMemberships,
  projects,
  shareLinks,
} from '../data/tables/tables.ts';
import type { Location } from '../http/operation.ts';
import { DAY } from '../lib/clock.ts';
import { effectiveProjectRole, projectRoleAllows } from '../permissions.ts';
import type { ShareLinkState } from './share-link-states.ts';

export type ShareLinkRow = typeof shareLinks.$inferSelect;

const columns = {
  link: shareLinks,
  buildRevokedAt: builds.revokedAt,
  // Null for a locked account, and for one that left.
  developerId: developers.id,
  organizationRole: organizationMemberships.role,
  projectRole: projectMemberships.role,
};

/** One query for every link, so that links that don't work are read like those that do. */
const linksWhere = (db: Db, condition: SQL | undefined) =>
  db
    .select(columns)
    .from(shareLinks)
    .innerJoin(projects, eq(projects.id, shareLinks.projectId))
    .innerJoin(organizations, eq(organizations.id, shareLinks.organizationId))
    .leftJoin(channels, eq(channels.id, shareLinks.channelId))
    .leftJoin(builds, eq(builds.id, shareLinks.buildId))
    .leftJoin(developers, and(eq(developers.id, shareLinks.createdBy), isNull(developers.lockedAt)))
    .leftJoin(
      organizationMemberships,
      and(
        eq(organizationMemberships.organizationId, shareLinks.organizationId),
        eq(organizationMemberships.developerId, shareLinks.createdBy),
      ),
    )
    .leftJoin(
      projectMemberships,
      and(
        eq(projectMemberships.projectId, shareLinks.projectId),
        eq(projectMemberships.developerId, shareLinks.createdBy),
      ),
    )
    // What belongs to a deleted channel or build is removed in steps, and its links with it.
    .where(and(condition, or(isNotNull(channels.id), isNotNull(builds.id))));

const byHash = prepared((db) => linksWhere(db, eq(shareLinks.tokenHash, placeholder('hash'))).prepare());
const byId = prepared((db) => linksWhere(db, eq(shareLinks.id, placeholder('id'))).prepare());

type FoundRow = NonNullable<ReturnType<ReturnType<typeof byId>['get']>>;

/** A link with its state. */
export interface ShareLink {
  id: string;
  row: ShareLinkRow;
  state: ShareLinkState;
}

function judge(app: Pick<App, 'clock'>, found: FoundRow): ShareLink {
  return { id: found.link.id, row: found.link, state: stateOf(found, app.clock.time()) };
}

function stateOf({ link, buildRevokedAt, ...creator }: FoundRow, now: number): ShareLinkState {
  if (link.revokedAt !== null) return 'revoked';
  if (link.expiresAt !== null && link.expiresAt <= now) return 'expired';
  if (buildRevokedAt !== null) return 'build_revoked';
  if (!isBacked(creator)) return 'creator_lacks_role';
  return link.maxInstalls !== null && link.installs >= link.maxInstalls ? 'used_up' : 'active';
}

/** A link never grants more than its creator could grant now. */
function isBacked({
  developerId,
  organizationRole,
  projectRole,
}: Pick<FoundRow, 'developerId' | 'organizationRole' | 'projectRole'>): boolean {
  if (developerId === null) return false;
  const role = effectiveProjectRole(organizationRole ?? undefined, projectRole ?? undefined);
  return role !== undefined && projectRoleAllows(role, 'share_link.manage');
}

/** A link that may still be used. Used-up links work for browsers whose install was counted. */
function keepUsable(app: Pick<App, 'clock'>, found: FoundRow | undefined): ShareLink | undefined {
  if (found === undefined) return undefined;
  const link = judge(app, found);
  return link.state === 'active' || link.state === 'used_up' ? link : undefined;
}

/** Returns the link of a token, or undefined if it is unknown or doesn't work, for any reason. */
export function findShareLink(app: App, token: string): ShareLink | undefined {
  return keepUsable(app, byHash(app).get({ hash: app.secrets.hash(token) }));
}

/** Returns a link by its id, as capabilities name it, under the same conditions. */
export function findShareLinkById(app: Pick<App, 'db' | 'clock'>, id: string): ShareLink | undefined {
  return keepUsable(app, byId(app).get({ id }));
}

/** Counts an install. Returns false if the link no longer admits one. */
export function countShareInstall(tx: Tx, id: string): boolean {
  const { changes } = tx.db
    .update(shareLinks)
    .set({ installs: sql`${shareLinks.installs} + 1` })
    .where(
      and(eq(shareLinks.id, id), isCurrent(shareLinks, tx.now), isBelow(shareLinks.installs, shareLinks.maxInstalls)),
    )
    .run();
  return changes === 1;
}

/** A channel or a build. */
export type ShareTarget = { channelId: string } | { buildId: string };

const isFor = (target: ShareTarget) =>
  'buildId' in target ? eq(shareLinks.buildId, target.buildId) : eq(shareLinks.channelId, target.channelId);

/** Returns the number of links of a channel or build that are neither revoked nor expired. */
export function countOpenShareLinks(tx: Tx, target: ShareTarget): number {
  return countCurrent(tx, shareLinks, isFor(target), tx.now);
}

export function insertShareLink(tx: Tx, row: ShareLinkRow): void {
  tx.db.insert(shareLinks).values(row).run();
}

/** Returns the links of a project with ids below `before`, newest first; only those of one channel or build if given. */
export function listShareLinks(
  app: Pick<App, 'db' | 'clock'>,
  projectId: string,
  target: ShareTarget | undefined,
  { before, limit }: { before: string; limit: number },
): ShareLink[] {
  const condition = and(eq(shareLinks.projectId, projectId), target && isFor(target), lt(shareLinks.id, before));
  return linksWhere(app.db, condition)
    .orderBy(desc(shareLinks.id))
    .limit(limit)
    .all()
    .map((found) => judge(app, found));
}

/** Returns the location of a link, for access declarations. */
export function locateShareLink({ db }: Pick<App, 'db'>, id: string): Location | undefined {
  const { organizationId, projectId, channelId } = shareLinks;
  const row = db.select({ organizationId, projectId, channelId }).from(shareLinks).where(eq(shareLinks.id, id)).get();
  if (row === undefined) return undefined;
  const { channelId: channel, ...place } = row;
  return channel === null ? place : { ...place, channelId: channel };
}

/** Revokes a link of a project. Returns it as it was; undefined if it doesn't exist or was revoked. */
export function takeShareLink(tx: Tx, projectId: string, id: string): ShareLinkRow | undefined {
  const isOpen = and(eq(shareLinks.id, id), eq(shareLinks.projectId, projectId), isNull(shareLinks.revokedAt));
  return tx.db.update(shareLinks).set({ revokedAt: tx.now }).where(isOpen).returning().get();
}

/** Revokes the links that a person backs. Returns them as they are now. */
export function revokeShareLinksOf(tx: Tx, developerId: string): ShareLinkRow[] {
  const isOpen = and(eq(shareLinks.createdBy, developerId), isNull(shareLinks.revokedAt));
  return tx.db.update(shareLinks).set({ revokedAt: tx.now }).where(isOpen).returning().all();
}

/** How long revoked and expired links stay listed. */
const ENDED_LINK_KEPT_MS = 30 * DAY;

/** Deletes up to `max` links that were revoked or have expired 30 days ago. Returns the number deleted. */
export function deleteEndedShareLinks(ctx: Context, now: number, max: number): number {
  const before = now - ENDED_LINK_KEPT_MS;
  return ctx.transact(
    (tx) =>
      deleteUpTo(tx, shareLinks.id, or(lte(shareLinks.revokedAt, before), lte(shareLinks.expiresAt, before)), max),
    { bookkeeping: true },
  );
}
