// The target of a grant: an organization, a project or a channel, and its names in emails.
import { findChannel } from '../channels/store.ts';
import type { Context } from '../core/context.ts';
import type { TestedPlace } from '../mail/texts/texts.ts';
import { loadOrganization } from '../organizations/store.ts';
import { loadProject } from '../projects/store.ts';

/** Ids below the narrowest one are null. */
export interface Target {
  organizationId: string;
  projectId: string | null;
  channelId: string | null;
}

export type Tier = 'organization' | 'project' | 'channel';

/** Returns the id of the target in rows. */
export function targetIdOf({ organizationId, projectId, channelId }: Target): string {
  return channelId ?? projectId ?? organizationId;
}

/** Returns the level of the target. */
export function tierOf({ projectId, channelId }: Target): Tier {
  if (channelId !== null) return 'channel';
  return projectId === null ? 'organization' : 'project';
}

/** Returns the names of the target for an email. */
export function describeTarget(ctx: Context, target: Target): TestedPlace {
  const { organizationId, projectId, channelId } = target;
  return {
    organizationName: loadOrganization(ctx, organizationId).name,
    projectName: projectId === null ? null : loadProject(ctx, projectId).name,
    channelName: channelId === null ? null : (findChannel(ctx, channelId)?.name ?? null),
  };
}
