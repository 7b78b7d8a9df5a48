// A channel for tests of builds, which have no business with how channels are made.
import { channels } from '../../src/platform/tables/tables.ts';
import type { Fixture } from '../../src/testing.ts';
import type { Project } from './scene.ts';

/** Adds a channel to a project; answers its id. */
export function createChannel({ app }: Fixture, project: Project, facts: { autoDistribute: boolean }): string {
  const id = app.ids.next();
  app.db
    .insert(channels)
    .values({
      id,
      organizationId: project.organization_id,
      projectId: project.project_id,
      name: id,
      notifyOnRelease: false,
      isPublic: false,
      createdAt: app.clock.now().getTime(),
      ...facts,
    })
    .run();
  return id;
}
