// API schemas for signed-in testers.

import { displayBuildNumber } from '../../builds/schema.ts';
import { dateTime, id, page, platform } from '../../lib/shapes.ts';
import * as z from '../../lib/zod.ts';

const testerOrganization = z.object({ identifier: id(), name: z.string() }).meta({ id: 'TesterOrganization' });

const testerProject = z
  .object({
    identifier: id(),
    organization_id: id(),
    name: z.string(),
    description: z.string().nullable(),
    platform,
    sibling_ids: z
      .array(id())
      .meta({ description: 'Projects of the same app for other platforms in which you are a tester too' }),
  })
  .meta({ id: 'TesterProject' });

const testerRelease = z
  .object({
    identifier: id(),
    organization_id: id(),
    project_id: id(),
    channel_id: id(),
    build_id: id(),
    platform,
    version_name: z.string(),
    build_number: z.int(),
    display_build_number: displayBuildNumber,
    size_bytes: z.int(),
    sha256: z.string().meta({ description: 'SHA-256 of the package, for checking the download' }),
    min_os_version: z.string().nullable(),
    release_notes: z.string().nullable().meta({ description: 'Notes of the release, or of its build if it has none' }),
    mandatory: z.boolean(),
    is_current: z.boolean(),
    icon_url: z.string().nullable(),
    created_at: dateTime().meta({ description: 'Time of the release' }),
  })
  .meta({ id: 'TesterRelease' });

const testerChannel = z
  .object({
    identifier: id(),
    organization_id: id(),
    project_id: id(),
    name: z.string(),
    description: z.string().nullable(),
    muted: z.boolean().meta({ description: 'Whether emails about its releases are muted' }),
    current_release: testerRelease.nullable(),
    sibling_ids: z
      .array(id())
      .meta({ description: 'Channels for other platforms with the same link that you can install from too' }),
  })
  .meta({ id: 'TesterChannel' });

export const testerOrganizationPage = page('TesterOrganizationPage', testerOrganization);
export const testerProjectPage = page('TesterProjectPage', testerProject);
export const testerChannelPage = page('TesterChannelPage', testerChannel);
export const testerReleasePage = page('TesterReleasePage', testerRelease);

export const notificationPreference = z
  .object({ muted: z.boolean().meta({ description: 'Whether emails about new releases of the channel are muted' }) })
  .meta({ id: 'ChannelNotificationPreference' });

export const inChannelPath = z.object({ channel_id: id() });
export const inReleasePath = z.object({ release_id: id() });

export type TesterOrganization = z.input<typeof testerOrganization>;
export type TesterProject = z.input<typeof testerProject>;
export type TesterChannel = z.input<typeof testerChannel>;
export type TesterRelease = z.input<typeof testerRelease>;
export type NotificationPreference = z.output<typeof notificationPreference>;
