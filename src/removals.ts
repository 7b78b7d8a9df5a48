// Domain rules for rows that are deleted because of another row, by table (core/removal.ts).
import { deleteTraces } from './accounts/deletion-store.ts';
import { releaseUpload } from './billing/gates.ts';
import { deleteDownloadsOf } from './builds/download-store.ts';
import { objectsOfUpload } from './builds/objects.ts';
import { recordRemovedBuild } from './builds/removal.ts';
import { forgetAccessVersion } from './channels/audience.ts';
import type { RawRow, RemovalRules } from './core/context.ts';
import { queueObjectDeletion } from './core/object-deletion.ts';
import { recordRemovedRelease } from './releases/service.ts';
import { recordRemovedSdkApp } from './sdk/apps.ts';

const textOrNull = (row: RawRow, column: string): string | null => {
  const value = row[column];
  return typeof value === 'string' ? value : null;
};

export const removalRules: RemovalRules = {
  rows: {
    releases: recordRemovedRelease,
    sdk_apps: recordRemovedSdkApp,
    builds: recordRemovedBuild,
    pending_uploads: (tx, row) => {
      const id = String(row.id);
      releaseUpload(tx, id);
      queueObjectDeletion(tx, objectsOfUpload({ id, objectKey: String(row.object_key) }));
    },
    project_screenshots: (tx, row) => queueObjectDeletion(tx, [textOrNull(row, 'image_key')]),
    feedback_pictures: (tx, row) => queueObjectDeletion(tx, [textOrNull(row, 'image_key')]),
    data_exports: (tx, row) => queueObjectDeletion(tx, [textOrNull(row, 'object_key')]),
  },
  // The number of members and the version of access.
  costs: { tester_group_members: 2 },
  // The phone's user agent is personal data and is cleared with the developer; the download itself still counts.
  clearedWith: { 'downloads.developer_id': ['user_agent'] },
  unreferenced: { developers: deleteTraces, organizations: forgetAccessVersion, projects: deleteDownloadsOf },
  first: [
    'sdk_apps',
    'sso_domains',
    'sso_connections',
    'sso_identities',
    'sessions',
    'personal_access_tokens',
    'project_access_tokens',
    'passkeys',
    'organization_memberships',
    'project_memberships',
    'tester_group_grants',
  ],
  claims: ['sso_domains', 'sso_connections', 'sso_identities', 'passkeys'],
};
