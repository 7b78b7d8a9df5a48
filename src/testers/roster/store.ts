// Queries for the grants of testers and their downloads from a channel.
import { and, desc, eq, inArray } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { ReachableChannel } from '../../channels/audience.ts';
import type { App } from '../../core/context.ts';
import { prepared } from '../../data/database.ts';
import {
  builds,
  downloads,
  joinLinks,
  testerGrants,
  testerGroupGrants,
  testerGroupMembers,
  testerGroups,
} from '../../data/tables/tables.ts';

type Db = Pick<App, 'db'>;

const grantsOf = prepared((db) =>
  db
    .select({
      id: testerGrants.id,
      projectId: testerGrants.projectId,
      channelId: testerGrants.channelId,
      since: testerGrants.attachedAt,
      joinLinkId: joinLinks.id,
      joinLinkLabel: joinLinks.label,
    })
    .from(testerGrants)
    .leftJoin(joinLinks, eq(joinLinks.id, testerGrants.joinLinkId))
    .where(
      and(
        eq(testerGrants.developerId, placeholder('developerId')),
        inArray(testerGrants.targetId, [
          placeholder('organizationId'),
          placeholder('projectId'),
          placeholder('channelId'),
        ]),
      ),
    )
    .orderBy(testerGrants.id)
    .prepare(),
);

const groupsOf = prepared((db) =>
  db
    .selectDistinct({
      id: testerGroupMembers.id,
      groupId: testerGroups.id,
      groupName: testerGroups.name,
      since: testerGroupMembers.attachedAt,
    })
    .from(testerGroupMembers)
    .innerJoin(testerGroups, eq(testerGroups.id, testerGroupMembers.groupId))
    .innerJoin(testerGroupGrants, eq(testerGroupGrants.groupId, testerGroups.id))
    .where(
      and(
        eq(testerGroupMembers.developerId, placeholder('developerId')),
        inArray(testerGroupGrants.targetId, [placeholder('projectId'), placeholder('channelId')]),
      ),
    )
    .orderBy(testerGroupMembers.id)
    .prepare(),
);

const newestDownload = prepared((db) =>
  db
    .select({
      releaseId: downloads.releaseId,
      buildId: downloads.buildId,
      build: {
        versionName: builds.versionName,
        platform: builds.platform,
        buildNumber: builds.buildNumber,
        packageBuildNumber: builds.packageBuildNumber,
      },
      userAgent: downloads.userAgent,
      at: downloads.createdAt,
    })
    .from(downloads)
    .leftJoin(builds, eq(builds.id, downloads.buildId))
    .where(
      and(eq(downloads.channelId, placeholder('channelId')), eq(downloads.developerId, placeholder('developerId'))),
    )
    .orderBy(desc(downloads.id))
    .limit(1)
    .prepare(),
);

const asValues = ({ id, projectId, organizationId }: ReachableChannel, developerId: string) => ({
  channelId: id,
  projectId,
  organizationId,
  developerId,
});

/** Returns the grants of a tester that include a channel. */
export function listGrantsTo(app: Db, channel: ReachableChannel, developerId: string) {
  return grantsOf(app).all(asValues(channel, developerId));
}

/** Returns the groups of a tester that include a channel. */
export function listGroupsTo(app: Db, channel: ReachableChannel, developerId: string) {
  return groupsOf(app).all(asValues(channel, developerId));
}

/** Returns the last download of a tester from a channel, or undefined. */
export function findNewestDownload(app: Db, channel: ReachableChannel, developerId: string) {
  return newestDownload(app).get({ channelId: channel.id, developerId });
}
