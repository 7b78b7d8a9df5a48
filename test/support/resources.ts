// One resource of each kind that paths of operations refer to, so that requests fail only for the tested reason.

import {
  accessRequests,
  builds,
  channelInvitations,
  channels,
  devices,
  feedback,
  feedbackPictures,
  feedTokens,
  joinLinks,
  pendingUploads,
  personalAccessTokens,
  previews,
  projectAccessTokens,
  projectScreenshots,
  publishJobs,
  releases,
  sdkApps,
  shareLinks,
  storeConnections,
  waitingDevices,
  webhookSubscriptions,
} from '../../src/data/tables/tables.ts';
import type { Operation } from '../../src/http/operation.ts';
import type { Fixture } from '../../src/testing/fixture.ts';
import { sealSubscription } from '../../src/webhooks/service.ts';

export interface Resources {
  /** The id (or other value) for a path parameter of an operation. Throws for a name it does not know. */
  pathId(row: Operation, name: string): string;
  /** The id for a path parameter of this name. */
  id(name: string): string;
  queryId(name: string): string | undefined;
}

/** Returns the address of an operation with real ids, and with the query parameters that name something. `ids` replace some. */
export function addressOf(resources: Resources, row: Operation, ids: Readonly<Record<string, string>> = {}): string {
  const path = row.path.replace(/\{(\w+)\}/g, (_match, name: string) => ids[name] ?? resources.pathId(row, name));
  const query = new URLSearchParams();
  for (const name of Object.keys(row.query?.shape ?? {})) {
    const value = resources.queryId(name);
    if (value !== undefined) query.set(name, value);
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

/** Adds a channel, a build, a release, a pending upload and a token to the fixture's Android project. */
export async function addResources({ app, ...world }: Fixture): Promise<Resources> {
  const createdAt = app.clock.now().getTime();
  const inProject = { organizationId: world.organization_id, projectId: world.android_project_id };
  const channelId = app.ids.next();
  const buildId = app.ids.next();
  const releaseId = app.ids.next();
  const pendingUploadId = app.ids.next();
  const tokenId = app.ids.next();
  const bytes = Buffer.from('a package');
  await app.storage.put(`builds/${buildId}/package.apk`, bytes);
  app.db
    .insert(channels)
    .values({
      ...inProject,
      id: channelId,
      name: `matrix ${channelId}`,
      autoDistribute: false,
      notifyOnRelease: false,
      isPublic: true,
      createdAt,
    })
    .run();
  const previewId = app.ids.next();
  const previewChannelId = app.ids.next();
  const pullRequest = app.db.select().from(previews).all().length + 1;
  app.db
    .insert(channels)
    .values({
      ...inProject,
      id: previewChannelId,
      name: `preview ${previewChannelId}`,
      autoDistribute: false,
      notifyOnRelease: false,
      isPublic: false,
      createdAt,
    })
    .run();
  const endsAt = createdAt + 86_400_000;
  app.db
    .insert(previews)
    .values({ ...inProject, id: previewId, channelId: previewChannelId, pullRequest, openedAt: createdAt, endsAt })
    .run();
  app.db
    .insert(builds)
    .values({
      ...inProject,
      id: buildId,
      platform: 'android',
      versionName: buildId,
      buildNumber: 1,
      sha256: '0'.repeat(64),
      sizeBytes: bytes.length,
      uploadedAt: createdAt,
      objectKey: `builds/${buildId}/package.apk`,
      inspectionStatus: 'unreadable',
      pendingUploadId: app.ids.next(),
    })
    .run();
  app.db
    .insert(releases)
    .values({ ...inProject, id: releaseId, channelId, buildId, mandatory: false, state: 'active', createdAt })
    .run();
  app.db
    .insert(pendingUploads)
    .values({
      ...inProject,
      id: pendingUploadId,
      versionName: pendingUploadId,
      buildNumber: 2,
      objectKey: `pending/${pendingUploadId}`,
      createdAt,
      expiresAt: createdAt + 3_600_000,
    })
    .run();
  app.db
    .insert(projectAccessTokens)
    .values({ ...inProject, id: tokenId, name: 'matrix', role: 'read', tokenHash: app.ids.next(), createdAt })
    .run();

  const inviteId = app.ids.next();
  app.db
    .insert(channelInvitations)
    .values({
      ...inProject,
      id: inviteId,
      channelId,
      tokenHash: inviteId,
      createdAt,
      expiresAt: createdAt + 600_000,
    })
    .run();

  const joinLinkId = app.ids.next();
  app.db
    .insert(joinLinks)
    .values({
      ...inProject,
      id: joinLinkId,
      channelId,
      tokenHash: joinLinkId,
      joined: 0,
      backedBy: world.admin.developer_id,
      createdAt,
    })
    .run();

  const requestId = app.ids.next();
  app.db
    .insert(accessRequests)
    .values({
      id: requestId,
      targetId: channelId,
      channelId,
      organizationId: world.organization_id,
      developerId: world.admin.developer_id,
      createdAt,
    })
    .run();

  const patId = app.ids.next();
  app.db
    .insert(personalAccessTokens)
    .values({
      id: patId,
      organizationId: world.organization_id,
      developerId: world.admin.developer_id,
      name: 'matrix',
      scopes: '1',
      tokenHash: app.ids.next(),
      createdAt,
    })
    .run();

  const webhookId = app.ids.next();
  app.db
    .insert(webhookSubscriptions)
    .values({
      id: webhookId,
      organizationId: world.organization_id,
      ...sealSubscription(app, webhookId, { url: 'https://hook.example.com/', secret: 'unknown' }),
      events: '[]',
      format: 'svc',
      active: false,
      createdAt,
    })
    .run();

  const deviceId = app.ids.next();
  app.db
    .insert(devices)
    .values({
      id: deviceId,
      organizationId: world.organization_id,
      udid: `00008030-${deviceId.replaceAll('-', '').slice(-16).toUpperCase()}`,
      name: 'matrix',
      registeredAt: createdAt,
    })
    .run();

  app.db
    .insert(waitingDevices)
    .values({ id: app.ids.next(), organizationId: world.organization_id, channelId, deviceId, createdAt })
    .run();

  const storeConnectionId = app.ids.next();
  app.db
    .insert(storeConnections)
    .values({
      id: storeConnectionId,
      organizationId: world.organization_id,
      provider: 'google_play',
      name: 'matrix',
      clientEmail: 'matrix@example.com',
      sealedSecret: `v0.${storeConnectionId}`,
      status: 'invalid',
      checkedAt: createdAt,
      scope: 'token',
      createdAt,
    })
    .run();

  const publishJobId = app.ids.next();
  app.db
    .insert(publishJobs)
    .values({
      ...inProject,
      id: publishJobId,
      buildId,
      storeConnectionId,
      storeConnectionName: 'matrix',
      provider: 'google_play',
      state: 'failed',
      createdAt,
    })
    .run();

  const sdkAppId = app.ids.next();
  const sdkAppRow = { ...inProject, id: sdkAppId, channelId, name: 'matrix', createdAt };
  app.db
    .insert(sdkApps)
    .values({ ...sdkAppRow, appKey: app.ids.next(), secretHash: app.ids.next() })
    .run();

  const shareLinkId = app.ids.next();
  app.db
    .insert(shareLinks)
    .values({
      ...inProject,
      id: shareLinkId,
      channelId,
      tokenHash: app.secrets.hash(shareLinkId),
      createdBy: world.admin.developer_id,
      createdAt,
    })
    .run();

  const feedTokenId = app.ids.next();
  app.db
    .insert(feedTokens)
    .values({
      ...inProject,
      id: feedTokenId,
      channelId,
      developerId: world.admin.developer_id,
      tokenHash: app.secrets.hash(feedTokenId),
      createdAt,
    })
    .run();

  const screenshotId = app.ids.next();
  const imageKey = `icons/${app.ids.next()}`;
  await app.storage.put(imageKey, Buffer.from('a picture'));
  app.db
    .insert(projectScreenshots)
    .values({
      id: screenshotId,
      projectId: world.android_project_id,
      position: 1,
      imageKey,
      imageType: 'image/png',
      width: 1,
      height: 1,
      createdAt,
    })
    .run();

  const feedbackId = app.ids.next();
  const pictureId = app.ids.next();
  const pictureKey = `feedback/${app.ids.next()}`;
  await app.storage.put(pictureKey, Buffer.from('a picture'));
  app.db
    .insert(feedback)
    .values({
      id: feedbackId,
      projectId: world.android_project_id,
      source: 'install_page',
      state: 'open',
      text: 'matrix',
      pictureBytes: 9,
      contactEmail: 'matrix@example.com',
      createdAt,
    })
    .run();
  app.db
    .insert(feedbackPictures)
    .values({
      id: pictureId,
      feedbackId,
      position: 1,
      imageKey: pictureKey,
      imageType: 'image/png',
      width: 1,
      height: 1,
      sizeBytes: 9,
    })
    .run();

  const pathIds: Record<string, string> = {
    feedback_id: feedbackId,
    picture_id: pictureId,
    signature: 'unknown',
    preview_id: previewId,
    screenshot_id: screenshotId,
    webhook_id: webhookId,
    delivery_id: app.ids.next(),
    organization_id: world.organization_id,
    project_id: world.android_project_id,
    developer_id: world.admin.developer_id,
    id: world.admin.developer_id,
    session_id: app.ids.next(),
    passkey_id: app.ids.next(),
    channel_id: channelId,
    build_id: buildId,
    other_id: buildId,
    release_id: releaseId,
    sdk_app_id: sdkAppId,
    store_connection_id: storeConnectionId,
    job_id: publishJobId,
    pending_upload_id: pendingUploadId,
    token_id: tokenId,
    pat_id: patId,
    invite_id: inviteId,
    join_link_id: joinLinkId,
    request_id: requestId,
    share_link_id: shareLinkId,
    share_token: shareLinkId,
    feed_token_id: feedTokenId,
    feed: channelId,
    file: 'unknown',
    slug: 'unknown',
    grant_id: app.ids.next(),
    group_id: app.ids.next(),
    member_id: app.ids.next(),
    kind: 'organization',
    export_id: app.ids.next(),
    domain_id: app.ids.next(),
    device_id: deviceId,
    proof: 'unknown',
    token: 'unknown',
    capability: 'unknown',
    name: 'unknown',
    version: app.ids.next(),
  };
  const queryIds: Record<string, string> = {
    query: 'a',
    organization_id: world.organization_id,
    project_id: world.android_project_id,
    channel_id: channelId,
    build_ids: buildId,
  };
  return {
    id: (name) => pathIds[name] ?? '',
    pathId(row, name) {
      const value = pathIds[name];
      if (value === undefined) throw new Error(`Nothing is there for {${name}} of ${row.path}`);
      return value;
    },
    queryId: (name) => queryIds[name],
  };
}
