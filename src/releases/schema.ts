// Wire shapes of releases.

import { build } from '../builds/schema.ts';
import { MAX_RELEASE_NOTES } from '../lib/markdown/notes-limit.ts';
import { reportStates } from '../lib/report-states.ts';
import { dateTime, id, inChannel, page, prose } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';

const releaseNotes = prose(MAX_RELEASE_NOTES).nullable().meta({ description: 'Changes, for testers' });

export const reportState = z.enum(reportStates).meta({ id: 'SdkReportState' });

const releaseState = z.enum(['active', 'disabled', 'rolled_back']).meta({ id: 'ReleaseState' });

const releaseAuthor = z
  .object({
    kind: z.enum(['developer', 'project_access_token', 'system']).meta({ description: 'system: auto_distribute' }),
    name: z.string().nullable().meta({
      description: 'Present name of the developer, or the name that the token had; null for system',
    }),
  })
  .meta({ id: 'ReleasedBy' });

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
      .meta({ description: "Whether it is the newest active release of its channel whose build isn't revoked" }),
    created_at: dateTime(),
    created_by: id().nullable().meta({ description: 'Null for a project access token and for auto_distribute' }),
    released_by: releaseAuthor
      .nullable()
      .meta({ description: 'Null if the account was deleted or nothing was recorded' }),
    promoted_from: z.object({ channel_id: id(), name: z.string() }).nullable().meta({
      id: 'ReleaseSource',
      description:
        'Channel to which the same build had been released last before; null if automatic, or if none of the 100 earlier releases of the build was to another channel',
    }),
  })
  .meta({ id: 'Release' });

export const releasePage = page('ReleasePage', release);

export const rollBackQuery = z.object({
  ...inChannel,
  release_id: id()
    .optional()
    .meta({ description: 'Earlier active release that becomes current. By default the one before the current' }),
});

export const createReleaseBody = z
  .object({
    build_id: id().meta({ description: 'Build of the same project' }),
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
      .meta({ description: 'SDK installs by the last state they reported for this release' }),
  })
  .meta({ id: 'ReleaseAnalytics' });

const releaseInstall = z
  .object({
    identifier: id(),
    release_id: id(),
    build_id: id(),
    state: reportState,
    developer_id: id().nullable().meta({ description: 'Null for a public link and for SDK installs' }),
    display_name: z.string().nullable(),
    install_id: id().nullable().meta({ description: 'Id of an SDK install; null for other downloads' }),
    device_model: z.string().nullable(),
    error: z.string().nullable().meta({ description: 'Error reported by a failed install' }),
    created_at: dateTime(),
    updated_at: dateTime().meta({ description: 'Time of the last report' }),
  })
  .meta({ id: 'ReleaseInstall' });

export const releaseInstallPage = page('ReleaseInstallPage', releaseInstall);

export type Release = z.output<typeof release>;
export type CreateRelease = z.output<typeof createReleaseBody>;
export type EditRelease = z.output<typeof editReleaseBody>;
