// What operations ask for besides the rows of a world: links, tokens, previews, feedback, groups and images, created through the API of
// its server, a few of each. Links in emails and messages are read from the database, or signed with the server's key.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { desc, eq } from 'drizzle-orm';
import QRCode from 'qrcode';
import { MESSAGE_ICON_PURPOSE } from '../src/channels/install-links.ts';
import type { App } from '../src/core/context.ts';
import { outboxMails, publishJobs, storeConnections } from '../src/data/tables/tables.ts';
import { mintResultProof } from '../src/enrollment/proofs.ts';
import { signFields } from '../src/runtime/signing.ts';
import { signLink } from '../src/testers/mail-links.ts';
import { EMAIL, PASSWORD } from './server-fixture.ts';
import { APP_KEY, UPDATE_TOKEN, type World } from './world.ts';
import { worldId } from './world-rows.ts';

const EXPORT_PATIENCE_MS = 10 * 60_000;

/** Sends a request. Returns the body of its response; undefined if it was refused, with a message. */
export type Ask = (
  method: string,
  path: string,
  body?: object | FormData,
  headers?: Record<string, string>,
) => Promise<Record<string, unknown> | undefined>;

/** A build that was uploaded before the current one, for comparisons. */
function earlierBuild({ from, end, size, releases }: World['plan']): string {
  const n = releases * 10 - 10;
  return worldId('build', from + Math.floor((n * (end - from)) / size.builds), n);
}

/** Creates things, and returns the values of the parameters that name them. */
export async function createThings(world: World, ask: Ask, app: App): Promise<Record<string, string>> {
  const { plan } = world;
  const { organizationId, androidProjectId, developerId } = plan.ids;
  const api = '/api/v1';
  const inProject = `organization_id=${organizationId}&project_id=${androidProjectId}`;
  const picture = await QRCode.toBuffer('a picture', { width: 64 });
  const formWith = (field: string, fields: Record<string, string> = {}) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set(field, new Blob([new Uint8Array(picture)], { type: 'image/png' }), 'picture.png');
    return form;
  };
  const unique = Date.now() % 1_000_000_000;
  const idOf = (answer: Record<string, unknown> | undefined, field = 'identifier') => {
    const value = answer?.[field];
    return typeof value === 'string' ? value : '';
  };

  const organization = `${api}/organizations/${organizationId}`;
  const project = `${api}/projects/${androidProjectId}`;
  const channel = `${api}/channels/${plan.mainChannelId}`;
  const install = { authorization: `Bearer ${UPDATE_TOKEN}`, 'x-svc-app-key': APP_KEY };
  const share = await ask('POST', `${api}/share-links?${inProject}`, { channel_id: plan.mainChannelId });
  const join = await ask('POST', `${channel}/join-links`, { label: 'Meetup' });
  const feed = await ask('POST', `${channel}/feed-tokens`, {});
  const group = idOf(await ask('POST', `${organization}/tester-groups`, { name: `Group ${unique}` }));
  const member = await ask('POST', `${organization}/tester-groups/${group}/members`, {
    email: 'tester-2@example.test',
  });
  const groupGrant = await ask('POST', `${organization}/tester-groups/${group}/grants`, {
    channel_id: plan.mainChannelId,
  });
  const webhook = await ask('POST', `${api}/webhooks?organization_id=${organizationId}`, {
    url: 'https://hooks.example.com/hook',
    events: ['release.created'],
    active: false,
  });
  const text = { text: 'It crashes when I sign in', email: 'tess@example.test' };
  const feedback = idOf(await ask('POST', '/sdk/v1/feedback', formWith('pictures', text), install));
  const whole = await ask('GET', `${project}/feedback/${feedback}`);
  const [stored] = (whole?.pictures ?? []) as { identifier: string }[];
  const screenshot = await ask('POST', `${project}/screenshots`, formWith('file'));
  await ask('POST', `${project}/icon`, formWith('file'));
  await ask('POST', `${organization}/icon`, formWith('file'));
  await ask('POST', `${api}/developers/${developerId}/avatar`, formWith('file'));
  await ask('PATCH', channel, { slug: 'world-beta', keep_last: 1000 });
  for (let number = 1; number <= 30; number += 1) {
    await ask('POST', `${api}/previews?${inProject}`, { pull_request: number });
  }
  const release = `/public/v1/channels/${plan.mainChannelId}/releases/${plan.releaseId}`;
  const capability = await ask('POST', `${release}/install-link`);
  const { icon_url: icon } = (await ask('GET', organization)) ?? {};
  return Object.fromEntries(
    Object.entries({
      ...(await createIosThings(world, ask, app)),
      ...(await createLinks(world, ask, app)),
      ...addStoreRows(world, app),
      ...(await createContainerRequest(world, ask)),
      ...(await createExport(world, ask)),
      other_id: earlierBuild(plan),
      share_token:
        String(share?.url ?? '')
          .split('/')
          .at(-1) ?? '',
      join_token:
        String(join?.join_url ?? '')
          .split('/')
          .at(-1) ?? '',
      feed: idOf(feed, 'token'),
      group_id: group,
      member_id: idOf(member),
      group_grant_id: idOf(groupGrant),
      webhook_id: idOf(webhook),
      feedback_id: feedback,
      picture_id: stored?.identifier ?? '',
      screenshot_id: idOf(screenshot),
      slug: 'world-beta',
      capability: idOf(capability, 'capability'),
      version: new URL(String(icon ?? 'http://x/?v='), 'http://x').searchParams.get('v') ?? '',
    }).filter(([, value]) => value !== ''),
  );
}

/** The files of a feed that a world has. */
export function fileOf(id: string, { buildId }: World['plan']): string {
  if (id === 'getRepositoryFile') return 'index-v2.json';
  return id.endsWith('Icon') ? `${buildId}.png` : `${buildId}.apk`;
}

const lastPart = (url: unknown): string => (typeof url === 'string' ? (url.split(/[/=]/).at(-1) ?? '') : '');
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The feed, links and installs of the other platform. */
async function createIosThings({ plan }: World, ask: Ask, app: App): Promise<Record<string, string>> {
  const { iosProjectId, organizationId } = plan.ids;
  const inProject = `organization_id=${organizationId}&project_id=${iosProjectId}`;
  const channel = plan.iosChannelId;
  const feed = await ask('POST', `/api/v1/channels/${channel}/feed-tokens`, {});
  const releases = await ask('GET', `/api/v1/releases?${inProject}&channel_id=${channel}&limit=1`);
  const release = textOf((releases?.items as { identifier: string }[] | undefined)?.[0]?.identifier);
  await addPackage(app, release);
  const link = await ask('POST', `/public/v1/channels/${channel}/releases/${release}/install-link`);
  const sdkApp = await ask('POST', `/api/v1/sdk-apps?${inProject}`, { name: 'World', channel_id: channel });
  const key = { 'x-svc-app-key': textOf(sdkApp?.app_key) };
  const installed = await ask('POST', '/sdk/v1/enroll', { app_secret: textOf(sdkApp?.app_secret) }, key);
  const authorization = `Bearer ${textOf(installed?.update_token)}`;
  const update = await ask('GET', `/sdk/v1/releases/${release}/download`, undefined, { ...key, authorization });
  const enrollment = await ask('POST', `/api/v1/devices/enrollments?organization_id=${organizationId}`, {});
  const enrollToken = lastPart(enrollment?.url);
  return {
    ios_channel_id: channel,
    ios_release_id: release,
    ios_feed: textOf(feed?.token),
    ios_capability: textOf(link?.capability),
    update_capability: textOf(update?.capability),
    enroll_token: enrollToken,
    proof: proveResult(app, enrollToken, plan.deviceId),
  };
}

/** The proof that a device has just enrolled. It would send its signature. */
function proveResult(app: App, token: string, deviceId: string): string {
  const found = app.db.$client
    .prepare<[string], string>('SELECT id FROM device_enrollments WHERE token_hash = ?')
    .pluck()
    .get(app.secrets.hash(token));
  return found === undefined ? '' : mintResultProof(app, found, deviceId);
}

/** Gives the build of a release a package. */
async function addPackage({ db, storage }: App, releaseId: string): Promise<void> {
  const client = db.$client;
  const find = 'SELECT id, object_key AS key FROM builds WHERE id = (SELECT build_id FROM releases WHERE id = ?)';
  const build = client.prepare<[string], { id: string; key: string }>(find).get(releaseId);
  if (build === undefined) return;
  await storage.put(build.key, Buffer.from('package'));
  client.prepare('UPDATE package_integrity SET sha256 = NULL, modified_at = NULL WHERE build_id = ?').run(build.id);
  client.prepare('UPDATE builds SET size_bytes = 7 WHERE id = ?').run(build.id);
}

/** The links that people get by email and in messages. */
async function createLinks({ plan }: World, ask: Ask, app: App): Promise<Record<string, string>> {
  const { organizationId, androidProjectId, developerId } = plan.ids;
  const unique = Date.now();
  const api = '/api/v1';
  const readToken = (address: string) => {
    const { recipient, id } = outboxMails;
    const mail = app.db.select().from(outboxMails).where(eq(recipient, address)).orderBy(desc(id)).get();
    return lastPart(/https?:\/\/\S*(?:token=|\/invite\/\w+\/)\S+/.exec(mail?.text ?? '')?.[0]);
  };
  const account = (name: string) => ({
    email: `${name}-${unique}@example.test`,
    password: PASSWORD,
    display_name: 'New',
  });
  const added = account('added');
  await ask('POST', `${api}/developers`, added);
  const verification = readToken(added.email);
  await ask('POST', `${api}/login/password_reset`, { email: EMAIL });
  const reset = readToken(EMAIL);
  const changed = account('changed').email;
  const stepUp = { current_password: PASSWORD };
  await ask('POST', `${api}/developers/${developerId}/change_email`, { new_email: changed, ...stepUp });
  const left = account('left');
  await ask('POST', `${api}/developers`, left);
  await ask('POST', `${api}/developers/verify_email`, { token: readToken(left.email) });
  const session = await ask('POST', `${api}/login`, { email: left.email, password: PASSWORD });
  const authorization = `Bearer ${textOf(session?.access_token)}`;
  const own = await ask('GET', `${api}/developers/me`, undefined, { authorization });
  await ask('DELETE', `${api}/developers/${textOf(own?.identifier)}`, stepUp, { authorization });
  const invited = account('invited').email;
  await ask('POST', `${api}/organizations/${organizationId}/invites`, { email: invited, role: 'member' });
  const inChannel = `organization_id=${organizationId}&project_id=${androidProjectId}&channel_id=${plan.mainChannelId}`;
  const invite = await ask('POST', `${api}/channel-invites?${inChannel}`, {});
  return {
    verification_token: verification,
    reset_token: reset,
    change_token: readToken(changed),
    cancel_token: readToken(left.email),
    invite_token: readToken(invited),
    channel_invite_token: textOf(invite?.invite_token),
    mute_token: signLink(app, 'tester mute', { developerId, subjectId: plan.mainChannelId, expiresAt: 0 }),
    icon_signature: signFields(app.secrets.keyring, MESSAGE_ICON_PURPOSE, [plan.buildId]),
  };
}

/** Something published. No store is asked. */
function addStoreRows({ plan }: World, app: App): Record<string, string> {
  const { organizationId, androidProjectId: projectId } = plan.ids;
  const now = app.clock.now().getTime();
  const [store, job] = [app.ids.next(), app.ids.next()];
  const row = { provider: 'google_play', createdAt: now } as const;
  app.db
    .insert(storeConnections)
    .values({
      ...row,
      id: store,
      organizationId,
      name: 'Play',
      sealedSecret: '',
      status: 'valid',
      checkedAt: now,
      scope: 'package',
    })
    .run();
  const of = {
    organizationId,
    projectId,
    buildId: plan.buildId,
    storeConnectionId: store,
    storeConnectionName: 'Play',
  };
  app.db
    .insert(publishJobs)
    .values({ ...row, ...of, id: job, state: 'failed' })
    .run();
  return { job_id: job };
}

/** The request for a container. */
async function createContainerRequest({ plan }: World, ask: Ask): Promise<Record<string, string>> {
  const path = `/api/v1/organizations/${plan.ids.organizationId}`;
  const [tenant, client] = [randomUUID(), randomUUID()];
  const container = { storage_account: 'worldbuilds', container: 'test-builds', client_secret: 'a-secret' };
  await ask('POST', `${path}/byosa/onboarding-request`, { tenant_id: tenant, client_id: client, ...container });
  return {};
}

/** An archive of the owner's data, which takes as long as there are rows. */
async function createExport({ plan }: World, ask: Ask): Promise<Record<string, string>> {
  const path = `/api/v1/developers/${plan.ids.developerId}/exports`;
  const asked = await ask('POST', path);
  const exported = textOf(asked?.identifier);
  const endsAt = Date.now() + EXPORT_PATIENCE_MS;
  while (exported !== '' && Date.now() < endsAt) {
    const found = await ask('GET', `/api/v1/exports/${exported}`);
    if (found?.state !== 'preparing') break;
    await sleep(500);
  }
  return { export_id: exported };
}
