// The names in audit events: from three lists of the organization, and from the events themselves.
import { useMemo } from 'react';
import type { AuditRow } from '../../audit/schema.ts';
import type { ProjectActivity } from '../../overviews/activity-schema.ts';
import type { ProjectOverview } from '../../overviews/project-schema.ts';
import { useReadAll } from '../api/hooks.ts';
import { type EventNames, readVersion } from './event-sentence.ts';
import { useMemberNamesById } from './member-names.ts';

/**
 * The lists are read once, regardless of the number of events. Objects that are in none are named by their records. Without
 * an organization nothing is read.
 */
export function useEventNames(organizationId: string | undefined, rows: readonly AuditRow[]): EventNames {
  const options = { query: { organization_id: organizationId }, isEnabled: organizationId !== undefined };
  const projects = useReadAll<ProjectOverview>('/projects/overview', options).data;
  const activity = useReadAll<ProjectActivity>('/projects/activity', options).data;
  const { data: members } = useMemberNamesById(organizationId);
  return useMemo(() => collectNames(rows, { projects, activity, members }), [rows, projects, activity, members]);
}

interface Known {
  projects: readonly ProjectOverview[] | undefined;
  activity: readonly ProjectActivity[] | undefined;
  members: ReadonlyMap<string, string> | undefined;
}

/** Returns the names of what still exists, and otherwise those that the events recorded. */
export function collectNames(rows: readonly AuditRow[], { projects = [], activity = [], members }: Known): EventNames {
  const projectNames = new Map(projects.map(({ project: { identifier, name } }) => [identifier, name]));
  const channels = new Map(
    activity.flatMap(({ project_id: projectId, channels: list }) =>
      list.map(({ channel_id: id, name }) => [id, { name, projectId }] as const),
    ),
  );
  const people = new Map<string, string>();
  const builds = new Map<string, { version: string; projectId: string | undefined }>();
  const groups = new Map<string, string>();
  for (const { type, identifier, actor, details } of rows) {
    if (actor.kind === 'developer' && actor.identifier !== null && actor.name !== null) {
      people.set(actor.identifier, actor.name);
    }
    if (type === 'tester_group' && typeof details.name === 'string') groups.set(identifier, details.name);
    const version = readVersion(details);
    const buildId = type === 'build' ? identifier : details.build_id;
    if (version !== undefined && typeof buildId === 'string') {
      const projectId = channels.get(String(details.channel_id))?.projectId ?? builds.get(buildId)?.projectId;
      builds.set(buildId, { version, projectId });
    }
  }
  return {
    person: (id) => members?.get(id) ?? people.get(id),
    project: (id) => projectNames.get(id),
    channel: (id) => channels.get(id),
    build: (id) => builds.get(id),
    group: (id) => groups.get(id),
  };
}
