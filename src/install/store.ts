// Queries of the public pages: a channel with the names of its project and organization, and the public channels of a
// build.

import { and, desc, eq, ne } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import { parseFacts } from '../builds/fact-store.ts';
import type { App } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import {
  buildFacts,
  builds,
  channels,
  developers,
  organizations,
  previews,
  projects,
  releases,
  sdkApps,
} from '../data/tables/tables.ts';
import type { EarlierCopy } from './updates.ts';

type Db = Pick<App, 'db'>;

const projectColumns = {
  organizationId: projects.organizationId,
  projectId: projects.id,
  projectName: projects.name,
  platform: projects.platform,
  bundleIdentifier: projects.bundleIdentifier,
  organizationName: organizations.name,
  organizationIconKey: organizations.iconKey,
  organizationIconColor: organizations.iconColor,
  lockReason: organizations.lockReason,
  lockAdvancesAt: organizations.lockAdvancesAt,
};

const projectPlaceById = prepared((db) =>
  db
    .select(projectColumns)
    .from(projects)
    .innerJoin(organizations, eq(organizations.id, projects.organizationId))
    .where(eq(projects.id, placeholder('projectId')))
    .prepare(),
);

const placeById = prepared((db) =>
  db
    .select({ channel: channels, pullRequest: previews.pullRequest, ...projectColumns })
    .from(channels)
    .innerJoin(projects, eq(projects.id, channels.projectId))
    .innerJoin(organizations, eq(organizations.id, channels.organizationId))
    .leftJoin(previews, eq(previews.channelId, channels.id))
    .where(eq(channels.id, placeholder('channelId')))
    .prepare(),
);

const publicChannelsOfBuild = prepared((db) =>
  db
    .selectDistinct({ id: channels.id })
    .from(releases)
    .innerJoin(channels, eq(channels.id, releases.channelId))
    .where(and(eq(releases.buildId, placeholder('buildId')), eq(releases.state, 'active'), eq(channels.isPublic, true)))
    .prepare(),
);

const earlierOnChannel = prepared((db) =>
  db
    .select({ versionName: builds.versionName, content: buildFacts.content })
    .from(releases)
    .innerJoin(builds, eq(builds.id, releases.buildId))
    .innerJoin(buildFacts, eq(buildFacts.buildId, releases.buildId))
    .where(and(eq(releases.channelId, placeholder('channelId')), ne(releases.buildId, placeholder('buildId'))))
    .orderBy(desc(releases.id))
    .limit(1)
    .prepare(),
);

const developerById = prepared((db) =>
  db
    .select({ lockedAt: developers.lockedAt })
    .from(developers)
    .where(eq(developers.id, placeholder('id')))
    .prepare(),
);

const sdkAppById = prepared((db) =>
  db
    .select({ channelId: sdkApps.channelId, revokedAt: sdkApps.revokedAt })
    .from(sdkApps)
    .where(eq(sdkApps.id, placeholder('id')))
    .prepare(),
);

/** Returns a project with its organization. It doesn't check permissions; the service does. */
export function findProjectPlace(app: Db, projectId: string) {
  return projectPlaceById(app).get({ projectId });
}

/** What a page shows around an app. */
export type ProjectPlace = NonNullable<ReturnType<typeof findProjectPlace>>;

/** Returns a channel with its project and organization. It doesn't check permissions; the service does. */
export function findPlace(app: Db, channelId: string) {
  return placeById(app).get({ channelId });
}

export type Place = NonNullable<ReturnType<typeof findPlace>>;

/** Returns public channels with an active release of the build, which may not be their current one. */
export function listPublicChannelsOf(app: Db, buildId: string): string[] {
  return publicChannelsOfBuild(app)
    .all({ buildId })
    .map(({ id }) => id);
}

/**
 * Returns the newest other build released on a channel, in any state: the version that its testers most likely have.
 * Builds that could not be read are skipped.
 */
export function findEarlierCopy(app: Db, channelId: string, buildId: string): EarlierCopy | undefined {
  const row = earlierOnChannel(app).get({ channelId, buildId });
  return row && { versionName: row.versionName, archive: parseFacts(row.content) };
}

/** Returns whether an SDK app exists, isn't revoked, and has this channel. */
export function isServedBySdkApp(app: Db, id: string, channelId: string): boolean {
  const row = sdkAppById(app).get({ id });
  return row?.revokedAt === null && row.channelId === channelId;
}

/** Returns whether the account exists and isn't locked. */
export function isDeveloperActive(app: Db, id: string): boolean {
  return developerById(app).get({ id })?.lockedAt === null;
}
