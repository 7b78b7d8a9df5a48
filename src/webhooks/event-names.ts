// The names of what the ids of an event refer to.
import { eq } from 'drizzle-orm';
import type { App } from '../core/context.ts';
import { builds, channels, developers, feedback, organizations, projects, releases } from '../data/tables/tables.ts';

type Db = Pick<App, 'db'>;

interface NamedIds {
  organizationId: string;
  projectId: string | null;
  channelId: string | null;
  buildId: string | null;
  releaseId: string | null;
  feedbackId: string | null;
  developerId: string | null;
}

/** Returns what the ids of an event refer to, if it still exists. */
export function findNames({ db }: Db, ids: NamedIds) {
  const byId = <Row>(id: string | null, read: (id: string) => Row | undefined) => (id === null ? undefined : read(id));
  return {
    organization: byId(ids.organizationId, (id) =>
      db.select({ name: organizations.name }).from(organizations).where(eq(organizations.id, id)).get(),
    ),
    project: byId(ids.projectId, (id) =>
      db.select({ name: projects.name, platform: projects.platform }).from(projects).where(eq(projects.id, id)).get(),
    ),
    channel: byId(ids.channelId, (id) =>
      db.select({ name: channels.name }).from(channels).where(eq(channels.id, id)).get(),
    ),
    build: byId(ids.buildId, (id) =>
      db
        .select({
          id: builds.id,
          versionName: builds.versionName,
          platform: builds.platform,
          buildNumber: builds.buildNumber,
          packageBuildNumber: builds.packageBuildNumber,
          sizeBytes: builds.sizeBytes,
          releaseNotes: builds.releaseNotes,
          iconKey: builds.iconKey,
        })
        .from(builds)
        .where(eq(builds.id, id))
        .get(),
    ),
    release: byId(ids.releaseId, (id) =>
      db.select({ releaseNotes: releases.releaseNotes }).from(releases).where(eq(releases.id, id)).get(),
    ),
    feedback: byId(ids.feedbackId, (id) =>
      db.select({ text: feedback.text }).from(feedback).where(eq(feedback.id, id)).get(),
    ),
    developer: byId(ids.developerId, (id) =>
      db.select({ displayName: developers.displayName }).from(developers).where(eq(developers.id, id)).get(),
    ),
  };
}
