// The rules for sending feedback: who it's from, what it's about, and how much there may be.

import { displayBuildNumber } from '../builds/build-number.ts';
import type { Context } from '../core/context.ts';
import { checkWriteLock } from '../http/organization-lock.ts';
import type { Place } from '../install/store.ts';
import { isDeveloper, recognizeVisitor } from '../install/visitor.ts';
import { HOUR } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { loadOrganization } from '../organizations/store.ts';
import { loadProject } from '../projects/store.ts';
import { findCurrent } from '../releases/store.ts';
import { tooManyRequests } from '../runtime/rate-limits.ts';
import type { Install } from '../sdk/credentials.ts';
import { findInstallRow } from '../sdk/install-store.ts';
import { MAX_BYTES_PER_PROJECT, MAX_PER_HOUR, MAX_PER_PROJECT } from './limits.ts';
import { type StoredPicture, storePictures } from './pictures.ts';
import type { Received, SdkFeedback } from './schema.ts';
import { countSince, type FeedbackRow, insertFeedback, readTotal } from './store.ts';

type Draft = Omit<FeedbackRow, 'id' | 'state' | 'pictureBytes' | 'createdAt' | 'stateChangedAt'>;

/**
 * Saves what an app sends. Version and device are those of the request, or else of the install. Throws `rate_limit_exceeded` and
 * `quota_exceeded`.
 */
export function sendFromApp(
  ctx: Context,
  install: Install,
  { fields, files }: { fields: SdkFeedback; files: Buffer[] },
): Promise<Received> {
  const known = findInstallRow(ctx, install.installRowId);
  const current = findCurrent(ctx, install.app.channelId);
  const versionName = fields.version_name ?? install.versionName;
  const number = fields.build_number ?? (install.buildNumber === null ? null : String(install.buildNumber));
  // The release is only known if the app runs the one that is live.
  const shown = current === undefined ? null : displayBuildNumber(current.build);
  const numbers = current === undefined ? [] : [String(current.build.buildNumber), shown];
  const runs = current !== undefined && current.build.versionName === versionName && numbers.includes(number);
  return send(ctx, files, {
    projectId: install.app.projectId,
    developerId: null,
    channelId: install.app.channelId,
    releaseId: runs ? current.release.id : null,
    buildId: runs ? current.build.id : null,
    sdkInstallId: install.installRowId,
    source: 'sdk',
    text: fields.text,
    versionName: versionName ?? null,
    buildNumber: runs ? shown : number,
    deviceModel: fields.device_model ?? known?.deviceModel ?? null,
    osVersion: fields.os_version ?? known?.osVersion ?? null,
    contactEmail: fields.email ?? null,
  });
}

const systems = { ios: 'iPhone', ipados: 'iPad', android: 'Android', desktop: null } as const;

/**
 * Saves what a visitor of a channel's page sends, about its current release. The address is only kept for people without an
 * account. Throws like {@link sendFromApp}.
 */
export function sendFromPage(
  ctx: Context,
  place: Place,
  { text, email, files, isFromApps }: { text: string; email: string | null; files: Buffer[]; isFromApps: boolean },
): Promise<Received> {
  const current = findCurrent(ctx, place.channel.id);
  const { phone, device } = recognizeVisitor(ctx, place);
  return send(ctx, files, {
    projectId: place.projectId,
    developerId: isDeveloper(ctx) ? ctx.actor.id : null,
    channelId: place.channel.id,
    releaseId: current?.release.id ?? null,
    buildId: current?.build.id ?? null,
    sdkInstallId: null,
    source: isFromApps ? 'my_apps' : 'install_page',
    text,
    versionName: current?.build.versionName ?? null,
    buildNumber: current === undefined ? null : displayBuildNumber(current.build),
    deviceModel: device?.product ?? systems[phone.system],
    osVersion: phone.osVersion,
    contactEmail: isDeveloper(ctx) ? null : email,
  });
}

async function send(ctx: Context, files: readonly Buffer[], draft: Draft): Promise<Received> {
  // Before any work with the pictures, and again in the transaction.
  requireOpen(ctx, loadProject(ctx, draft.projectId));
  requireRoom(ctx, draft, 0);
  return await storePictures(ctx, files, (pictures) =>
    ctx.transact((tx) => {
      tx.confirmAccess();
      const bytes = pictures.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      const project = loadProject(tx, draft.projectId);
      requireOpen({ ...ctx, ...tx }, project);
      requireRoom({ ...ctx, ...tx }, draft, bytes);
      const row: FeedbackRow = {
        ...draft,
        id: tx.ids.next(),
        state: 'open',
        pictureBytes: bytes,
        createdAt: tx.now,
        stateChangedAt: null,
      };
      insertFeedback(
        tx,
        row,
        pictures.map((picture, index) => toPictureRow(tx.ids.next(), row.id, picture, index + 1)),
      );
      const ids = { channel_id: row.channelId, release_id: row.releaseId, build_id: row.buildId };
      const known = Object.entries(ids).filter((entry): entry is [string, string] => entry[1] !== null);
      tx.record('feedback.created', {
        identifier: row.id,
        organizationId: project.organizationId,
        projectId: row.projectId,
        details: {
          source: row.source,
          version_name: row.versionName,
          build_number: row.buildNumber,
          pictures: pictures.length,
        },
        data: { feedback_id: row.id, ...Object.fromEntries(known) },
      });
      return { identifier: row.id };
    }),
  );
}

function toPictureRow(id: string, feedbackId: string, picture: StoredPicture, position: number) {
  const { key, type, width, height, sizeBytes } = picture;
  return { id, feedbackId, position, imageKey: key, imageType: type, width, height, sizeBytes };
}

function requireRoom(ctx: Context, draft: Draft, bytes: number): void {
  const since = ctx.clock.time() - HOUR;
  const { developerId, sdkInstallId, projectId } = draft;
  const sender = developerId !== null ? { developerId } : sdkInstallId === null ? null : { sdkInstallId };
  if (sender !== null && countSince(ctx, sender, since, MAX_PER_HOUR) >= MAX_PER_HOUR) {
    throw tooManyRequests(HOUR, `At most ${MAX_PER_HOUR} messages can be sent in an hour`);
  }
  const total = readTotal(ctx, projectId);
  if (total.items >= MAX_PER_PROJECT) {
    throw new AppError('quota_exceeded', `A project can have at most ${MAX_PER_PROJECT} pieces of feedback`, {
      limit: MAX_PER_PROJECT,
    });
  }
  if (total.bytes + bytes > MAX_BYTES_PER_PROJECT) {
    throw new AppError('quota_exceeded', 'The pictures of a project can have at most 1 GiB', {
      limit: MAX_BYTES_PER_PROJECT,
    });
  }
}

/** Throws the code of the lock if the organization of a project or page is locked against changes. */
export function requireOpen(ctx: Context, { organizationId }: Pick<Place, 'organizationId'>): void {
  checkWriteLock(ctx, loadOrganization(ctx, organizationId));
}
