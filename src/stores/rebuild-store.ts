// Queries for the current iOS builds of channels, and the devices that Apple has.
import { parseFacts } from '../builds/fact-store.ts';
import type { App } from '../core/context.ts';
import { notRemoved } from '../core/removal.ts';
import { prepared } from '../data/database.ts';
import type { ArchiveFacts } from '../inspection/facts.ts';

type Db = Pick<App, 'db'>;

export interface CurrentBuild {
  channelId: string;
  channelName: string;
  projectId: string;
  projectName: string;
  buildId: string;
  versionName: string;
  buildNumber: number;
  packageBuildNumber: string | null;
  /** Null if the package couldn't be read or has none. */
  profile: ArchiveFacts['profile'];
}

export interface RegisteredDevice {
  id: string;
  udid: string;
  name: string;
}

const currentBuilds = (scope: string) =>
  prepared((db) =>
    db.$client.prepare<[string, string, number], Omit<CurrentBuild, 'profile'> & { content: string | null }>(
      `SELECT channels.id AS channelId, channels.name AS channelName, projects.id AS projectId, projects.name AS projectName,
          builds.id AS buildId, builds.version_name AS versionName,
          builds.build_number AS buildNumber, builds.package_build_number AS packageBuildNumber,
          build_facts.content
        FROM channels JOIN projects ON projects.id = channels.project_id
        LEFT JOIN releases ON releases.id = (
          SELECT r.id FROM releases r JOIN builds b ON b.id = r.build_id
          WHERE r.channel_id = channels.id AND r.state = 'active' AND b.revoked_at IS NULL ORDER BY r.id DESC LIMIT 1)
        LEFT JOIN builds ON builds.id = releases.build_id
        LEFT JOIN build_facts ON build_facts.build_id = builds.id
        WHERE ${scope} = ? AND channels.id < ? AND projects.platform = 'ios'
        ORDER BY channels.id DESC LIMIT ?`,
    ),
  );
const ofOrganization = currentBuilds('channels.organization_id');
const ofProject = currentBuilds('channels.project_id');

/** Returns iOS channels with ids below `before`, newest first, with their current builds. */
export function listCurrentBuilds(
  app: Db,
  { organizationId, projectId }: { organizationId: string; projectId?: string | undefined },
  before: string,
  limit: number,
): CurrentBuild[] {
  const rows =
    projectId === undefined
      ? ofOrganization(app).all(organizationId, before, limit)
      : ofProject(app).all(projectId, before, limit);
  return rows.map(({ content, ...row }) => ({
    ...row,
    profile: content === null ? null : parseFacts(content).profile,
  }));
}

const registered = prepared((db) =>
  db.$client.prepare<[string], RegisteredDevice>(
    `SELECT id, udid, name FROM devices WHERE organization_id = ? AND EXISTS (
        SELECT 1 FROM apple_registrations WHERE device_id = devices.id AND state = 'registered'
          AND ${notRemoved('store_connection_id')}
          AND coalesce(device_class, '') NOT IN ('MAC', 'APPLE_TV', 'APPLE_VISION_PRO'))
      ORDER BY id`,
  ),
);

/** Returns the devices of an organization that can be put into profiles for iOS, oldest first. */
export function listRegisteredDevices(app: Db, organizationId: string): RegisteredDevice[] {
  return registered(app).all(organizationId);
}
