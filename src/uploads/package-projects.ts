// Projects that are created from a package: first a draft with a channel, then the upload, which names the project.
import { createChannelBody } from '../channels/schema.ts';
import { addChannel } from '../channels/service.ts';
import type { OrganizationContext } from '../core/context.ts';
import { platformFacts } from '../platforms.ts';
import { createDraft } from '../projects/service.ts';
import type { PackageProject, PackageProjectInput } from './package-project-schema.ts';

const CHANNEL_NAME = 'beta';

/**
 * Creates a project and its first channel for a package that will be uploaded. The project is a draft until its first
 * build: the build names it, and without one it is deleted after a day. Throws `already_exists` with the id of the
 * project that already has the app's builds, and `quota_exceeded`.
 */
export function createProjectFromPackage(ctx: OrganizationContext, input: PackageProjectInput): PackageProject {
  const { platform, bundle_identifier: identifier, name, channel } = input;
  return ctx.transact((tx) => {
    const project = createDraft(ctx, tx, {
      platform,
      name: name ?? nameByIdentifier(identifier) ?? platformFacts[platform].name,
      bundleIdentifier: identifier ?? null,
    });
    const place = { organizationId: project.organization_id, projectId: project.identifier };
    const body = createChannelBody.parse({ name: CHANNEL_NAME, ...channel });
    return { project, channel: addChannel(ctx, tx, place, body) };
  });
}

/** Returns the last part of a bundle identifier. */
function nameByIdentifier(identifier: string | null | undefined): string | undefined {
  return identifier?.split('.').findLast((part) => part !== '');
}
