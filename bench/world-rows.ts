// The rows of a world (world.ts), as SQL that computes each row from its number. The same sizes and day give the same rows.
import { DAY } from '../src/lib/clock.ts';

export interface WorldSize {
  builds: number;
  downloads: number;
  installs: number;
  audit: number;
  /** Members of the organization, with what grows with them (world-people.ts). */
  people: number;
}

/** Everything is this old at most, so that some of it is older than the plans keep it. */
export const SPAN = 400 * DAY;
const RELEASED_EVERY = 10;
const IOS_RELEASED_EVERY = 100;
const DOWNLOADS_OF_A_TESTER = 1_000;
const REPORTED_RELEASES = 3;
const OTHER_PROJECTS = 18;
const OTHER_CHANNELS = 9;
const DEVICES = 200;
/** Of a world with any number of builds, so that a page of a branch is full in each. */
const BUILDS_OF_A_BRANCH = 50;
const AUTHORS = 50;
/** Packages are read once a month. None is due, because a world has no packages. */
const READ_WITHIN = 20 * DAY;

/** What a row is, in its id. */
const kinds = {
  tester: '001',
  grant: '002',
  project: '003',
  channel: '004',
  build: '005',
  pending: '006',
  release: '007',
  iosRelease: '008',
  download: '009',
  sdkApp: '00a',
  install: '00b',
  client: '00c',
  report: '00d',
  device: '00e',
  audit: '00f',
  member: '010',
  organization: '011',
  otherProject: '012',
  group: '013',
  groupGrant: '014',
  groupMember: '015',
  session: '016',
  token: '017',
  invitation: '018',
  request: '019',
  export: '01a',
  mail: '01b',
  webhook: '01c',
  event: '01d',
  delivery: '01e',
} as const;

/** SQL of an id like those of the service: it begins with its time, and its end is the number of the row. */
export const idSql = (kind: keyof typeof kinds, ms: string, n: string) =>
  `printf('%08x-%04x-7000-8${kinds[kind]}-%012x', (${ms}) >> 16, (${ms}) & 65535, ${n})`;

/** The same id, computed here. */
export function worldId(kind: keyof typeof kinds, ms: number, n: number): string {
  const time = Math.floor(ms).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8${kinds[kind]}-${n.toString(16).padStart(12, '0')}`;
}

/** Of a version 1.x with the build number n, as lib/version-key.ts computes it. */
const VERSION_KEY = `'0011$' || printf('%03d', length(n / 1000)) || (n / 1000) || '"' || printf('%016d', n)`;

/** The first digits are those of the number of the build, so that prefixes find one build. */
const commitSql = (n: string) => `printf('%08x%032x', ${n}, ${n})`;

/** The commit of a build, computed here. */
export const worldCommit = (n: number): string =>
  `${n.toString(16).padStart(8, '0')}${n.toString(16).padStart(32, '0')}`;

export const numbers = (count: number) =>
  `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})`;

/** The ids that measurements ask for. */
export interface WorldIds {
  organizationId: string;
  developerId: string;
  androidProjectId: string;
  iosProjectId: string;
}

/** Times, counts and ids of a world that ends at `end`. */
export function planWorld(size: WorldSize, ids: WorldIds, end: number) {
  const from = end - SPAN;
  const at = (n: number, count: number) => from + Math.floor((n * SPAN) / count);
  const releases = Math.max(2, Math.floor(size.builds / RELEASED_EVERY / 2) * 2);
  const iosReleases = Math.max(1, Math.floor(size.builds / IOS_RELEASED_EVERY));
  // A page of testers has as many in each world.
  const testers = Math.max(200, Math.floor(size.downloads / DOWNLOADS_OF_A_TESTER));
  const lastBuild = releases * RELEASED_EVERY;
  return {
    size,
    ids,
    from,
    end,
    releases,
    iosReleases,
    testers,
    mainChannelId: worldId('channel', from, 0),
    iosChannelId: worldId('channel', from, 100),
    sdkAppId: worldId('sdkApp', from, 1),
    buildId: worldId('build', at(lastBuild, size.builds), lastBuild),
    releaseId: worldId('release', at(lastBuild, size.builds) + 1_000, releases),
    testerId: worldId('tester', from, 1),
    deviceId: worldId('device', from, 1),
  };
}

export type WorldPlan = ReturnType<typeof planWorld>;

/** Returns the statements of all tables but the audit trail, whose hashes SQL can't compute. */
export function listStatements(plan: WorldPlan): string[] {
  const { size, from, end, ids, releases, iosReleases, testers } = plan;
  const branches = Math.max(2, Math.floor(size.builds / BUILDS_OF_A_BRANCH));
  const org = `'${ids.organizationId}'`;
  const admin = `'${ids.developerId}'`;
  const android = `'${ids.androidProjectId}'`;
  const ios = `'${ids.iosProjectId}'`;
  const zeros = `'${'0'.repeat(64)}'`;
  const main = `'${plan.mainChannelId}'`;
  const iosMain = `'${plan.iosChannelId}'`;
  const buildAt = (n: string) => `(${from} + (${n}) * ${SPAN} / ${size.builds})`;
  const buildId = (n: string) => idSql('build', buildAt(n), n);
  const releaseAt = (k: string) => `(${buildAt(`(${k}) * ${RELEASED_EVERY}`)} + 1000)`;
  const releaseId = (k: string) => idSql('release', releaseAt(k), k);
  const iosBuild = (k: string) => `((${k}) * ${IOS_RELEASED_EVERY} - 2)`;
  const iosReleaseId = (k: string) => idSql('iosRelease', `${buildAt(iosBuild(k))} + 1000`, k);
  const testerId = (n: string) => idSql('tester', String(from), n);
  const installId = (n: string) => idSql('install', String(from), n);
  const projectOf = (n: string) =>
    `CASE WHEN (${n}) % 10 = 8 THEN ${ios} WHEN (${n}) % 10 = 9 THEN ${idSql('project', String(from), `(${n}) / 10 % ${OTHER_PROJECTS}`)}
      ELSE ${android} END`;
  // Even releases are those of the main channel.
  const channelOf = (k: string) =>
    `CASE WHEN (${k}) % 2 = 0 THEN ${main} ELSE ${idSql('channel', String(from), `(${k}) / 2 % ${OTHER_CHANNELS} + 1`)} END`;
  const facts = `'{"applicationName":"World","bundleIdentifier":"com.example.app","versionName":"1.0","buildNumber":"1",' ||
    '"isSimulatorBuild":false,"isPartial":false,"isTestOnly":false,"isDebuggable":false,"isUnsigned":false,"families":[],' ||
    '"abis":[],"verifiedFromSdk":null,"certificates":[],"profile":' ||
    iif(n % 10 = 8, '{"kind":"ad_hoc","uuid":null,"name":"World","expiresAt":' || (${buildAt('n')} + ${420 * DAY}) || ',"teamPrefix":null}', 'null') || '}'`;
  // One of ten downloads is of the current release of the main channel, the others of the release of their time.
  const releaseOf = `max(2, CASE WHEN n % 10 = 0 THEN ${releases}
    WHEN n % 10 < 6 THEN n * ${releases} / ${size.downloads} / 2 * 2 ELSE max(1, n * ${releases} / ${size.downloads} / 2 * 2 - 1) END)`;
  const iosOf = `max(1, n * ${iosReleases} / ${size.downloads})`;
  return [
    `INSERT INTO developers (id, email, email_verified_at, display_name, created_at)
      ${numbers(testers)} SELECT ${testerId('n')}, 'tester-' || n || '@example.test', ${from}, 'Tester ' || n, ${from} FROM numbers`,
    `INSERT INTO tester_grants (id, organization_id, project_id, target_id, email, developer_id, created_at, attached_at, notified_at)
      ${numbers(testers)} SELECT ${idSql('grant', String(from), 'n')}, ${org}, ${android}, ${android},
      'tester-' || n || '@example.test', ${testerId('n')}, ${from}, ${from}, ${from} FROM numbers`,
    `INSERT INTO projects (id, organization_id, name, platform, created_at)
      ${numbers(OTHER_PROJECTS)} SELECT ${idSql('project', String(from), 'n - 1')}, ${org}, 'Project ' || n, 'android', ${from} FROM numbers`,
    `INSERT INTO channels (id, organization_id, project_id, name, auto_distribute, notify_on_release, public, created_at)
      VALUES (${main}, ${org}, ${android}, 'beta', 0, 0, 1, ${from}), (${iosMain}, ${org}, ${ios}, 'beta', 0, 0, 1, ${from})`,
    `INSERT INTO channels (id, organization_id, project_id, name, auto_distribute, notify_on_release, public, created_at)
      ${numbers(OTHER_CHANNELS)} SELECT ${idSql('channel', String(from), 'n')}, ${org}, ${android}, 'channel-' || n, 0, 0, 0, ${from} FROM numbers`,
    `INSERT INTO devices (id, organization_id, udid, name, registered_at)
      ${numbers(DEVICES)} SELECT ${idSql('device', String(from), 'n')}, ${org}, printf('%08X-%016X', n, n), 'iPhone ' || n, ${from} FROM numbers`,
    `INSERT INTO builds (id, organization_id, project_id, platform, version_name, build_number, sha256, size_bytes, uploaded_at,
        bundle_identifier, original_filename, release_notes, min_os_version, object_key, inspection_status, revoked_at,
        uploaded_by_developer_id, pending_upload_id, version_key, source_commit, source_branch, source_pull_request,
        source_repository_url, source_run_url, source_author)
      ${numbers(size.builds)} SELECT ${buildId('n')}, ${org}, ${projectOf('n')}, iif(n % 10 = 8, 'ios', 'android'), '1.' || (n / 1000), n,
        ${zeros}, 20000000 + n * 7919 % 100000000, ${buildAt('n')}, 'com.example.app', 'app-release.apk',
        'Fixes the sign-in.', '26', 'builds/' || n || '/package', 'ok', iif(n % 50 = 1, ${buildAt('n')}, NULL), ${admin},
        ${idSql('pending', buildAt('n'), 'n')}, ${VERSION_KEY}, ${commitSql('n')}, iif(n % 3 = 0, 'main', 'feature/' || (n % ${branches})),
        iif(n % 3 = 0, NULL, n % ${branches} + 1), 'https://git.example.test/world/app', 'https://ci.example.test/runs/' || n,
        'Author ' || (n % ${AUTHORS}) FROM numbers`,
    `INSERT INTO build_labels (build_id, key, label, project_id)
      ${numbers(size.builds)} SELECT ${buildId('n')}, 'nightly', 'Nightly', ${projectOf('n')} FROM numbers WHERE n % 2 = 0`,
    `INSERT INTO build_labels (build_id, key, label, project_id)
      ${numbers(size.builds)} SELECT ${buildId('n')}, 'candidate', 'candidate', ${projectOf('n')} FROM numbers WHERE n % ${RELEASED_EVERY} = 0`,
    `INSERT INTO build_facts (build_id, content, profile_expires_at)
      ${numbers(size.builds)} SELECT ${buildId('n')}, ${facts}, iif(n % 10 = 8, ${buildAt('n')} + ${420 * DAY}, NULL) FROM numbers`,
    `INSERT INTO build_inspections (build_id, content)
      ${numbers(size.builds)} SELECT ${buildId('n')}, '{"permissions":["android.permission.INTERNET"]}' FROM numbers`,
    `INSERT INTO package_integrity (build_id, sha256, modified_at, verified_at)
      ${numbers(size.builds)} SELECT ${buildId('n')}, ${zeros}, ${from}, ${end} - n * 7919 % ${READ_WITHIN} FROM numbers`,
    `INSERT INTO releases (id, organization_id, project_id, channel_id, build_id, mandatory, state, created_at, created_by)
      ${numbers(releases)} SELECT ${releaseId('n')}, ${org}, ${android}, ${channelOf('n')}, ${buildId(`n * ${RELEASED_EVERY}`)}, 0,
        iif(n % 10 = 3, 'disabled', 'active'), ${releaseAt('n')}, ${admin} FROM numbers`,
    `INSERT INTO releases (id, organization_id, project_id, channel_id, build_id, mandatory, state, created_at, created_by)
      ${numbers(iosReleases)} SELECT ${iosReleaseId('n')}, ${org}, ${ios}, ${iosMain}, ${buildId(iosBuild('n'))}, 0, 'active',
        ${buildAt(iosBuild('n'))} + 1000, ${admin} FROM numbers WHERE ${iosBuild('n')} <= ${size.builds}`,
    `INSERT INTO sdk_apps (id, organization_id, project_id, channel_id, name, app_key, secret_hash, install_count, created_at)
      VALUES ('${plan.sdkAppId}', ${org}, ${android}, ${main}, 'World', 'svc_app_world', ${zeros}, ${size.installs}, ${from})`,
    `INSERT INTO sdk_installs (id, sdk_app_id, install_id, bundle_identifier, device_model, os_version, version_name, build_number,
        enrolled_at, last_seen_at)
      ${numbers(size.installs)} SELECT ${installId('n')}, '${plan.sdkAppId}', ${idSql('client', String(from), 'n')}, 'com.example.app',
        'Pixel 9', '16', '1.0', n, ${from}, ${end} FROM numbers`,
    `INSERT INTO sdk_tokens (token_hash, install_row_id, created_at, expires_at, seen_at)
      ${numbers(size.installs)} SELECT printf('%064x', n), ${installId('n')}, ${from}, ${end} + ${60 * DAY}, ${end} FROM numbers`,
    `INSERT INTO sdk_reports (id, install_row_id, release_id, state, follows_download, created_at, updated_at)
      ${numbers(size.installs * REPORTED_RELEASES)} SELECT ${idSql('report', `${end} - ${30 * DAY} + n * ${30 * DAY} / ${size.installs * REPORTED_RELEASES}`, 'n')},
        ${installId(`(n - 1) / ${REPORTED_RELEASES} + 1`)}, ${releaseId(`max(2, ${releases} - 2 * ((n - 1) % ${REPORTED_RELEASES}))`)},
        CASE n % 7 WHEN 0 THEN 'downloaded' WHEN 1 THEN 'failed' WHEN 2 THEN 'launched' ELSE 'installed' END, 0,
        ${end} - ${30 * DAY} + n * ${30 * DAY} / ${size.installs * REPORTED_RELEASES}, ${end} FROM numbers
        WHERE true ON CONFLICT DO NOTHING`,
    `INSERT INTO downloads (id, organization_id, project_id, build_id, channel_id, release_id, developer_id, capability_id,
        sdk_install_id, user_agent, created_at)
      ${numbers(size.downloads)} SELECT ${idSql('download', `${from} + n * ${SPAN} / ${size.downloads}`, 'n')}, ${org},
        iif(n % 10 = 8, ${ios}, ${android}),
        CASE n % 10 WHEN 8 THEN ${buildId(iosBuild(iosOf))} WHEN 9 THEN ${buildId(`max(10, ${releases * RELEASED_EVERY} / 2 * n / ${size.downloads} / 10 * 10)`)}
          ELSE ${buildId(`${releaseOf} * ${RELEASED_EVERY}`)} END,
        CASE n % 10 WHEN 8 THEN ${iosMain} WHEN 9 THEN NULL ELSE ${channelOf(releaseOf)} END,
        CASE n % 10 WHEN 8 THEN ${iosReleaseId(iosOf)} WHEN 9 THEN NULL ELSE ${releaseId(releaseOf)} END,
        CASE WHEN n % 1000 = 9 THEN ${admin} WHEN n % 2 = 0 THEN ${testerId(`(n / 10 * 7919 + n) % ${testers} + 1`)} END,
        iif(n % 10 = 3, printf('%032x', n), NULL), iif(n % 10 = 1, ${installId(`n % ${size.installs} + 1`)}, NULL),
        iif(n % 2 = 0, 'Mozilla/5.0 (Linux; Android 16)', NULL), ${from} + n * ${SPAN} / ${size.downloads} FROM numbers`,
  ];
}
