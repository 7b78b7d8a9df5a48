// Wire shapes of releases.
import { z } from 'zod';
import { build } from '../builds/schema.ts';
import { dateTime, id, page, prose } from '../lib/shapes.ts';

const releaseNotes = prose(10_000).nullable().meta({ description: 'What changed, for testers' });

export const reportState = z.enum(['downloaded', 'installed', 'launched', 'failed']).meta({ id: 'SdkReportState' });

const releaseState = z.enum(['active', 'disabled', 'rolled_back']).meta({ id: 'ReleaseState' });

export const release = z
  .object({
    identifier: id(),
    organization_id: id(),
    project_id: id(),
    channel_id: id(),
    build,
    release_notes: z.string().nullable(),
    mandatory: z.boolean(),
    state: releaseState,
    is_current: z
      .boolean()
      .meta({ description: 'The newest active release of its channel whose build is not revoked' }),
    created_at: dateTime(),
    created_by: id().nullable().meta({ description: 'Null for a project access token and for auto_distribute' }),
  })
  .meta({ id: 'Release' });

export const releasePage = page('ReleasePage', release);

export const createReleaseBody = z
  .object({
    build_id: id().meta({ description: 'A build of the same project; one that is on another channel is promoted' }),
    release_notes: releaseNotes.optional(),
    mandatory: z.boolean().default(false),
  })
  .meta({ id: 'ReleaseCreateRequest' });

export const editReleaseBody = z
  .object({ mandatory: z.boolean().optional(), release_notes: releaseNotes.optional() })
  .meta({ id: 'ReleaseEditRequest' });

export const releaseAnalytics = z
  .object({
    release_id: id(),
    channel_id: id(),
    total_downloads: z.int(),
    unique_testers: z.int(),
    first_downloaded_at: dateTime().nullable(),
    last_downloaded_at: dateTime().nullable(),
    installs: z
      .object({
        total: z.int(),
        downloaded: z.int(),
        installed: z.int(),
        launched: z.int(),
        failed: z.int(),
      })
      .meta({ description: 'Installs that update themselves, by what they reported of this release last' }),
  })
  .meta({ id: 'ReleaseAnalytics' });

const releaseInstall = z
  .object({
    identifier: id(),
    release_id: id(),
    build_id: id(),
    state: reportState,
    developer_id: id()
      .nullable()
      .meta({ description: 'Null for a public link and for installs that update themselves' }),
    display_name: z.string().nullable(),
    install_id: id().nullable().meta({ description: 'Of an install that updates itself; null for any other download' }),
    device_model: z.string().nullable(),
    error: z.string().nullable().meta({ description: 'What a failed install said' }),
    created_at: dateTime(),
    updated_at: dateTime().meta({ description: 'When the install reported last' }),
  })
  .meta({ id: 'ReleaseInstall' });

export const releaseInstallPage = page('ReleaseInstallPage', releaseInstall);

export type Release = z.output<typeof release>;
export type CreateRelease = z.output<typeof createReleaseBody>;
export type EditRelease = z.output<typeof editReleaseBody>;
