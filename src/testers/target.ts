// The target of a grant: an organization, a project or a channel, and its name in the audit trail and in emails.
import { findChannel } from '../channels/store.ts';
import type { Context } from '../core/context.ts';
import { quoteName } from '../mail/templates/names.ts';
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

/**
 * Returns the target as text for an email, and the name of its organization. The names in the text were chosen by users and are
 * quoted.
 */
export function describeTarget(ctx: Context, target: Target): { place: string; organizationName: string } {
  const { name: organizationName } = loadOrganization(ctx, target.organizationId);
  return { place: nameTarget(ctx, target, quoteName(organizationName)), organizationName };
}

function nameTarget(ctx: Context, target: Target, organization: string): string {
  if (target.projectId === null) return `the apps of ${organization}`;
  const project = quoteName(loadProject(ctx, target.projectId).name);
  const channel = target.channelId === null ? undefined : findChannel(ctx, target.channelId);
  return channel === undefined
    ? `${project} of ${organization}`
    : `${project} of ${organization}, channel ${quoteName(channel.name)}`;
}
