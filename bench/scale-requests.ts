// The requests of the scale benchmark: every GET operation, derived from the declarations, and the writes that matter most.
import { altchaScript } from '../src/captcha/solver-script.ts';
import { checkoutScript } from '../src/checkout/script.ts';
import { encodeCursor } from '../src/core/paging.ts';
import { DAY } from '../src/lib/clock.ts';
import { operations } from '../src/operations.ts';
import { pageStylesheet } from '../src/pages/frame.ts';
import { installAssets } from '../src/pages/styles.ts';
import { APP_KEY, UPDATE_TOKEN, type World } from './world.ts';
import { worldCommit, worldId } from './world-rows.ts';
import { fileOf } from './world-things.ts';

interface ScaleRequest {
  name: string;
  method: string;
  path: string;
  body?: unknown;
  form?: FormData;
  /** Whether a browser in which someone is signed in sends it. */
  isInBrowser?: boolean;
  headers?: Record<string, string>;
}

/** Returns the request of a sample. Its number makes names unique. */
export type RequestMaker = (world: World, sample: number) => ScaleRequest;

/** As long as notes may be. */
const LONG_NOTES = '- **Faster** start of [the app](https://example.com) with `code`\n'.repeat(150);
const NOBODY = '00000000-0000-7000-8000-000000000000';
const install = { authorization: `Bearer ${UPDATE_TOKEN}`, 'x-svc-app-key': APP_KEY };

/** Values of parameters by name; others get an id that doesn't exist. */
function valuesOf({ plan, values }: World): Record<string, string> {
  return {
    organization_id: plan.ids.organizationId,
    developer_id: plan.ids.developerId,
    project_id: plan.ids.androidProjectId,
    channel_id: plan.mainChannelId,
    build_id: plan.buildId,
    build_ids: plan.buildId,
    release_id: plan.releaseId,
    sdk_app_id: plan.sdkAppId,
    device_id: plan.deviceId,
    grant_id: worldId('grant', plan.from, 1),
    day: new Date(plan.from - 1).toISOString().slice(0, 10),
    days: '365',
    limit: '100',
    query: 'World',
    kind: 'organization',
    token: 'missing',
    _ptxn: 'txn_01h2b0qpjc0xt8k5aw6nsdec4p',
    build_number: '1',
    ...values,
  };
}

/** Operations whose parameters have other values than those of the same name. */
const ownValues: Record<string, Record<string, string>> = {
  showJoinPage: { token: 'join_token' },
  getTesterGroupGrant: { grant_id: 'group_grant_id' },
  showEmailVerification: { token: 'verification_token' },
  showPasswordReset: { token: 'reset_token' },
  showEmailChange: { token: 'change_token' },
  showDeletionCancellation: { token: 'cancel_token' },
  previewInvite: { token: 'invite_token' },
  showInvite: { token: 'invite_token' },
  previewChannelInvite: { token: 'channel_invite_token' },
  showChannelInvite: { token: 'channel_invite_token' },
  showMute: { token: 'mute_token' },
  getMessageIcon: { signature: 'icon_signature' },
  getAltStoreSource: { feed: 'ios_feed' },
  getPublicManifest: { channel_id: 'ios_channel_id', release_id: 'ios_release_id' },
  getCapabilityManifest: { capability: 'ios_capability' },
  getUpdateManifest: { release_id: 'ios_release_id', capability: 'update_capability' },
  showEnrollPage: { token: 'enroll_token' },
  getEnrollProfile: { token: 'enroll_token' },
  showEnrollResult: { token: 'enroll_token' },
};

/** Files of pages. */
const assets: Record<string, string> = {
  getSetupAsset: pageStylesheet.name,
  getCheckoutAsset: checkoutScript.name,
  getCaptchaAsset: altchaScript.name,
  getInstallAsset: installAssets[0]?.path.split('/').at(-1) ?? '',
};

/** Operations that exist with a configuration of their own: the server's authority, and payments. */
export const configured: ReadonlySet<string> = new Set([
  'showTrustPage',
  'getTrustProfile',
  'getTrustCertificate',
  'getTrustCertificatePem',
  'showCheckout',
]);

/** Operations that aren't measured, with the reason. */
export const unmeasured: Readonly<Record<string, string>> = {
  showSetup: 'only a server without an operator has a setup link, and its database is empty',
};

/** Parameters that lists don't need. */
const leftOut = new Set([
  'cursor',
  'include',
  'status',
  'include_revoked',
  'from',
  'to',
  'format',
  'version_name',
  'month',
]);

/** Returns a request for each GET operation, and for each filter of the list of builds. */
export function listReads(): RequestMaker[] {
  return [...listOperations(), ...listFilters()];
}

/**
 * The filters of the list of builds: with common, rare and missing values, in pairs, in both orders, with a page in the middle of the list,
 * and the worst cases, which read as many builds as a page may.
 */
function listFilters(): RequestMaker[] {
  const middle = ({ from, end }: World['plan']) => Math.floor((from + end) / 2);
  const at = (ms: number) => new Date(ms).toISOString();
  const deep = (plan: World['plan']) => encodeCursor(worldId('build', middle(plan), 0));
  const deepVersion = ({ size }: World['plan']) => {
    const thousand = String(Math.floor(size.builds / 2_000));
    const key = `0011$${String(thousand.length).padStart(3, '0')}${thousand}"`;
    return encodeCursor(`${key}${'0'.repeat(16)}\n${NOBODY}`);
  };
  const queries: Record<string, (plan: World['plan']) => Record<string, string>> = {
    all: () => ({}),
    deep: (plan) => ({ cursor: deep(plan) }),
    revoked: () => ({ status: 'revoked' }),
    branch: () => ({ branch: 'main' }),
    rareBranch: () => ({ branch: 'feature/1' }),
    missingBranch: () => ({ branch: 'missing' }),
    deepBranch: (plan) => ({ branch: 'main', cursor: deep(plan) }),
    commit: ({ size }) => ({ commit: worldCommit(Math.floor(size.builds / 2)).slice(0, 12) }),
    // Of the 256 oldest builds.
    commonCommit: () => ({ commit: '000000' }),
    missingCommit: () => ({ commit: 'ffff' }),
    pullRequest: () => ({ pull_request: '2' }),
    missingPullRequest: () => ({ pull_request: '999999999' }),
    label: () => ({ label: 'nightly' }),
    missingLabel: () => ({ label: 'missing' }),
    deepLabel: (plan) => ({ label: 'nightly', cursor: deep(plan) }),
    bundle: () => ({ bundle_identifier: 'com.example.app' }),
    missingBundle: () => ({ bundle_identifier: 'com.example.missing' }),
    uploader: ({ ids }) => ({ uploaded_by: ids.developerId }),
    missingUploader: () => ({ uploaded_by: NOBODY }),
    text: () => ({ text: 'sign-in' }),
    missingText: () => ({ text: 'nothing has this text' }),
    installable: () => ({ installable: 'true' }),
    notInstallable: () => ({ installable: 'false' }),
    until: (plan) => ({ uploaded_until: at(middle(plan)) }),
    dates: (plan) => ({ uploaded_from: at(middle(plan) - 40 * DAY), uploaded_until: at(middle(plan)) }),
    datesBefore: ({ from }) => ({ uploaded_until: at(from - DAY) }),
    datesAfter: ({ end }) => ({ uploaded_from: at(end + DAY) }),
    branchAndLabel: () => ({ branch: 'main', label: 'nightly' }),
    rareBranchAndLabel: () => ({ branch: 'feature/2', label: 'nightly' }),
    branchAndMissingLabel: () => ({ branch: 'main', label: 'missing' }),
    disjointBranchAndPullRequest: () => ({ branch: 'main', pull_request: '2' }),
    labelAndUploader: ({ ids }) => ({ label: 'nightly', uploaded_by: ids.developerId }),
    labelAndMissingText: () => ({ label: 'nightly', text: 'nothing has this text' }),
    branchAndNotInstallable: () => ({ branch: 'main', installable: 'false' }),
    revokedBranch: () => ({ branch: 'main', status: 'revoked' }),
    datesAndLabel: (plan) => ({
      label: 'nightly',
      uploaded_from: at(middle(plan) - 40 * DAY),
      uploaded_until: at(middle(plan)),
    }),
    version: () => ({ sort: 'version' }),
    versionDeep: (plan) => ({ sort: 'version', cursor: deepVersion(plan) }),
    versionOfBranch: () => ({ sort: 'version', branch: 'main' }),
    versionOfRareBranch: () => ({ sort: 'version', branch: 'feature/1' }),
    versionOfMissingText: () => ({ sort: 'version', text: 'nothing has this text' }),
    versionOfDates: (plan) => ({ sort: 'version', uploaded_until: at(middle(plan)) }),
  };
  return Object.entries(queries).map(([name, query]) => ({ plan }) => {
    const { organizationId, androidProjectId } = plan.ids;
    const values = { organization_id: organizationId, project_id: androidProjectId, limit: '20', ...query(plan) };
    return { name: `listBuilds:${name}`, method: 'GET', path: `/api/v1/builds?${new URLSearchParams(values)}` };
  });
}

function listOperations(): RequestMaker[] {
  return operations
    .filter(({ id, method }) => method === 'get' && !(id in unmeasured))
    .map(({ id, path, query, access }) => (world) => {
      const values = valuesOf(world);
      if (id === 'listRecentReleases') values.limit = '20';
      const names = Object.keys((query as { shape?: object } | undefined)?.shape ?? {}).filter(
        (name) => !leftOut.has(name),
      );
      if (id === 'listShareLinks') values.build_id = '';
      for (const [name, own] of Object.entries(ownValues[id] ?? {})) values[name] = values[own] ?? '';
      values.name = assets[id] ?? 'style.css';
      // The owner's, which is of the whole organization.
      if (id === 'getOrganizationTester') values.grant_id = worldId('grant', world.plan.from, 0);
      if (path.includes('{file}')) values.file = fileOf(id, world.plan);
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? NOBODY);
      const search = names.flatMap((name) =>
        (values[name] ?? '') === '' ? [] : [`${name}=${encodeURIComponent(values[name] ?? '')}`],
      );
      const url = search.length === 0 ? filled : `${filled}?${search.join('&')}`;
      const isOfInstall = 'credential' in access && access.credential === 'sdk_install';
      const isInBrowser = id === 'showBuildPage';
      return { name: id, method: 'GET', path: url, isInBrowser, ...(isOfInstall ? { headers: install } : {}) };
    });
}

const json = (name: string, method: string, path: string, body?: unknown): ScaleRequest => ({
  name,
  method,
  path,
  ...(body === undefined ? {} : { body }),
});

/** Returns the writes, in the order in which they are sent for each sample. */
export function listWrites(): RequestMaker[] {
  const inProject = ({ plan }: World) =>
    `organization_id=${plan.ids.organizationId}&project_id=${plan.ids.androidProjectId}`;
  const api = '/api/v1';
  const key = `${Date.now() % 1_000_000_000}`;
  return [
    (world, n) =>
      json('initiateBuild', 'POST', `${api}/builds/initiate?${inProject(world)}`, {
        version_name: `scale-${key}`,
        build_number: n + 1,
      }),
    ({ plan }, n) =>
      json('editBuild', 'PATCH', `${api}/builds/${plan.buildId}`, { release_notes: `Notes ${key} ${n}` }),
    ({ plan }) => json('revokeBuild', 'POST', `${api}/builds/${worldBuild(plan, 5)}/revoke`),
    ({ plan }, n) =>
      json(
        'deleteBuild',
        'DELETE',
        `${api}/builds/${worldBuild(plan, 11 + 10 * ((n + Number(key)) % (Math.floor(plan.size.builds / 10) - 2)))}?force=true`,
      ),
    (world, n) => json('createChannel', 'POST', `${api}/channels?${inProject(world)}`, { name: `scale-${key}-${n}` }),
    (world) =>
      json('createRelease', 'POST', `${api}/releases?${inProject(world)}&channel_id=${world.plan.mainChannelId}`, {
        build_id: world.plan.buildId,
      }),
    (world) =>
      json(
        'rollBackRelease',
        'POST',
        `${api}/releases/rollback?${inProject(world)}&channel_id=${world.plan.mainChannelId}`,
      ),
    ({ plan }) => json('disableRelease', 'POST', `${api}/releases/${plan.releaseId}/disable`),
    ({ plan }) => json('enableRelease', 'POST', `${api}/releases/${plan.releaseId}/enable`),
    ({ plan }, n) =>
      json('addProjectTester', 'POST', `${api}/projects/${plan.ids.androidProjectId}/testers`, {
        email: `scale-${key}-${n}@example.test`,
      }),
    ({ plan }, n) =>
      json('createProject', 'POST', `${api}/projects?organization_id=${plan.ids.organizationId}`, {
        name: `scale-${key}-${n}`,
        platform: 'android',
      }),
    ({ plan }, n) =>
      json('updateProject', 'PATCH', `${api}/projects/${plan.ids.androidProjectId}`, { description: `${key} ${n}` }),
    ({ plan }, n) =>
      json('createDevice', 'POST', `${api}/devices?organization_id=${plan.ids.organizationId}`, {
        udid: `${String(n).padStart(8, '0')}-${key.padStart(16, '0')}`,
        name: 'iPhone',
      }),
    ({ plan }) =>
      json(
        'createPublicInstallLink',
        'POST',
        `/public/v1/channels/${plan.mainChannelId}/releases/${plan.releaseId}/install-link`,
      ),
    () => json('renderReleaseNotes', 'POST', `${api}/release-notes/render`, { release_notes: LONG_NOTES }),
    (world) => json('openPreview', 'POST', `${api}/previews?${inProject(world)}`, { pull_request: 1 }),
    ({ plan }, n) => json('pinBuild', 'POST', `${api}/builds/${plan.buildId}/${n % 2 === 0 ? 'pin' : 'unpin'}`),
    (_, n) => {
      const form = new FormData();
      form.set('text', `It crashes ${n}`);
      return { name: 'sendFeedbackFromApp', method: 'POST', path: '/sdk/v1/feedback', form, headers: install };
    },
    ({ plan }, n) => ({
      ...json('reportInstall', 'POST', '/sdk/v1/installs/report', {
        release_id: plan.releaseId,
        state: n % 2 === 0 ? 'installed' : 'launched',
      }),
      headers: install,
    }),
  ];
}

function worldBuild(plan: World['plan'], n: number): string {
  const { from, end, size } = plan;
  return worldId('build', from + Math.floor((n * (end - from)) / size.builds), n);
}
