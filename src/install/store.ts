// Rows that public pages show: a channel with the names around it, and on which public channels a build is.
import { and, eq } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { App } from '../platform/context.ts';
import { prepared } from '../platform/database.ts';
import { channels, developers, organizations, projects, releases } from '../platform/tables/tables.ts';

type Db = Pick<App, 'db'>;

const placeById = prepared((db) =>
  db
    .select({
      channel: channels,
      projectName: projects.name,
      platform: projects.platform,
      bundleIdentifier: projects.bundleIdentifier,
      organizationName: organizations.name,
      lockReason: organizations.lockReason,
    })
    .from(channels)
    .innerJoin(projects, eq(projects.id, channels.projectId))
    .innerJoin(organizations, eq(organizations.id, channels.organizationId))
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

const developerById = prepared((db) =>
  db
    .select({ lockedAt: developers.lockedAt })
    .from(developers)
    .where(eq(developers.id, placeholder('id')))
    .prepare(),
);

/** A channel with its project and organization, whoever asks and public or not: the service decides what is shown. */
export function findPlace(app: Db, channelId: string) {
  return placeById(app).get({ channelId });
}

export type Place = NonNullable<ReturnType<typeof findPlace>>;

/** Public channels with an active release of the build; it need not be their current one. */
export function listPublicChannelsOf(app: Db, buildId: string): string[] {
  return publicChannelsOfBuild(app)
    .all({ buildId })
    .map(({ id }) => id);
}

/** Whether the account is there and not locked out. */
export function isDeveloperActive(app: Db, id: string): boolean {
  return developerById(app).get({ id })?.lockedAt === null;
}
