// The rules for devices that wait for a build of a channel: the list of the team, and the emails to their owners. A change of the
// current release queues a job, which removes the devices that the build includes. A step removes its devices and writes
// their emails in one transaction, so that after a crash nobody is emailed twice or skipped. A second job lets devices wait
// again whose build was revoked, deleted, disabled or rolled back.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { displayBuildNumber } from '../../builds/build-number.ts';
import { loadBuildFactsForMany } from '../../builds/compatibility-facts.ts';
import { reachesChannel } from '../../channels/audience.ts';
import { channelPageUrl } from '../../channels/install-links.ts';
import { loadChannel } from '../../channels/store.ts';
import { includesDevice } from '../../compatibility/verdict.ts';
import type { Context, ProjectContext, Tx } from '../../core/context.ts';
import { languageFor } from '../../core/mail-language.ts';
import { type Page, type PageRequest, readPageTogether } from '../../core/paging.ts';
import { ownerTrail, showDevices } from '../../devices/service.ts';
import {
  findNotifiedOwner,
  findWaiting,
  finishWaiting,
  hasFinishedWaits,
  hasWaiting,
  isFullForStrangers,
  listFinishedAfter,
  listWaiting,
  listWaitingAfter,
  listWaitingOf,
  removeWaiting,
  resumeWaiting,
  type WaitingDevice as WaitingRow,
} from '../../devices/waiting.ts';
import { mayOpen } from '../../install/registration.ts';
import { findPlace, type Place } from '../../install/store.ts';
import { timestamp } from '../../lib/clock.ts';
import { notFound } from '../../lib/errors.ts';
import { deviceReadyMail } from '../../mail/templates/builds.ts';
import { findCurrent, hasServable, type ReleaseWithBuild } from '../../releases/store.ts';
import { MUTE_PATH } from '../announcements/service.ts';
import { claimNotification } from '../announcements/store.ts';
import { signLink } from '../mail-links.ts';
import type { WaitingDevice } from './schema.ts';

export const WAITING_DEVICES_JOB = 'check-waiting-devices';
export const RESUME_WAITS_JOB = 'resume-waits';

/** A transaction of this size blocks the server for a few milliseconds. */
export const BATCH = 25;

/** Returns a page of the devices that wait on a channel, newest first. */
export function listWaitingDevices(ctx: ProjectContext, channelId: string, request: PageRequest): Page<WaitingDevice> {
  loadChannel(ctx, ctx.project.id, channelId);
  return readPageTogether(
    ctx,
    request,
    (before, limit) => listWaiting(ctx, channelId, { before, limit }),
    (rows) => {
      const devices = showDevices(
        ctx,
        rows.map(({ device }) => device),
      );
      return rows.flatMap(({ ownerName, createdAt }, index) => {
        const device = devices[index];
        return device === undefined ? [] : [{ device, owner_name: ownerName, since: timestamp(createdAt) }];
      });
    },
  );
}

/** Removes a device from those that wait on a channel. Throws `not_found` if it doesn't. */
export function removeWaitingDevice(ctx: ProjectContext, channelId: string, deviceId: string): void {
  ctx.transact((tx) => {
    const channel = loadChannel(tx, ctx.project.id, channelId);
    const row = findWaiting(tx, channelId, deviceId);
    if (row === undefined) throw notFound();
    removeWaiting(tx, row);
    tx.record('waiting_device.deleted', {
      identifier: deviceId,
      organizationId: channel.organizationId,
      projectId: channel.projectId,
      ...ownerTrail(row.device),
      details: { name: row.device.name, channel_id: channelId, channel: channel.name },
    });
  });
}

/** Queues the checks of the devices that wait or waited on a channel, in the transaction that changes its current release. */
export function checkWaitingDevices(tx: Tx, channelId: string): void {
  if (hasWaiting(tx, channelId)) enqueueStep(tx, WAITING_DEVICES_JOB, channelId, '');
  if (hasFinishedWaits(tx, channelId)) enqueueStep(tx, RESUME_WAITS_JOB, channelId, '');
}

function enqueueStep(tx: Tx, kind: string, channelId: string, after: string): void {
  tx.enqueue({ kind, payload: { channel_id: channelId, after }, dedupeKey: `${kind} ${channelId} ${after}` });
}

/** The job: one step. It can run twice. */
export async function runWaitingDevicesJob(ctx: Context, payload: Record<string, unknown>): Promise<void> {
  // Steps follow each other immediately, so other requests must run in between.
  await yieldToOthers();
  const { channel_id: channelId, after } = payload;
  ctx.transact((tx) => settleStep(tx, String(channelId), String(after)), { bookkeeping: true });
}

function settleStep(tx: Tx, channelId: string, after: string): void {
  const place = findPlace(tx, channelId);
  const current = findCurrent(tx, channelId);
  if (place === undefined || current === undefined) return;
  const facts = loadBuildFactsForMany(tx, current.build);
  const isIncluded = ({ device }: WaitingRow) => includesDevice(facts, device.udid, tx.now);
  const rows = listWaitingAfter(tx, channelId, after, BATCH);
  const done = new Set<string>();
  for (const row of rows.filter(isIncluded)) {
    if (done.has(row.id)) continue;
    const { developerId } = row.device;
    // All devices of an owner are in one email, and those of later steps too.
    const theirs = developerId === null ? [row] : listWaitingOf(tx, channelId, developerId).filter(isIncluded);
    for (const { id } of theirs) done.add(id);
    const { id: buildId } = current.build;
    finishWaiting(tx, theirs, buildId);
    // The email about a build that the channel lost for a while isn't sent again.
    const unannounced = theirs.filter(({ earlierBuildId }) => earlierBuildId !== buildId);
    if (unannounced.length > 0) notifyOwner(tx, place, current, unannounced);
  }
  const last = rows.at(-1);
  if (last !== undefined && rows.length === BATCH) enqueueStep(tx, WAITING_DEVICES_JOB, channelId, last.id);
}

/** The job: one step. It can run twice. */
export async function runResumeWaitsJob(ctx: Context, payload: Record<string, unknown>): Promise<void> {
  await yieldToOthers();
  const { channel_id: channelId, after } = payload;
  ctx.transact((tx) => resumeStep(tx, String(channelId), String(after)), { bookkeeping: true });
}

function resumeStep(tx: Tx, channelId: string, after: string): void {
  const place = findPlace(tx, channelId);
  if (place === undefined) return;
  const current = findCurrent(tx, channelId);
  const facts = current && loadBuildFactsForMany(tx, current.build);
  const rows = listFinishedAfter(tx, channelId, after, BATCH);
  const offered = new Map<string, boolean>();
  for (const { device, buildId } of rows) {
    if (facts !== undefined && includesDevice(facts, device.udid, tx.now)) continue;
    const isOffered = offered.get(buildId) ?? hasServable(tx, channelId, buildId);
    offered.set(buildId, isOffered);
    // A newer build without the device is the decision of the team.
    if (isOffered) continue;
    const { developerId } = device;
    const mayWait = developerId === null ? !isFullForStrangers(tx, channelId) : mayOpen(tx, developerId, place);
    if (mayWait) resumeWaiting(tx, place.channel, device.id);
  }
  const last = rows.at(-1);
  if (last !== undefined && rows.length === BATCH) enqueueStep(tx, RESUME_WAITS_JOB, channelId, last.device.id);
}

/** Emails the owner of devices that a build includes, unless the email about the release has already reached them. */
function notifyOwner(tx: Tx, place: Place, { release, build }: ReleaseWithBuild, rows: readonly WaitingRow[]): void {
  const { channel } = place;
  const [first] = rows;
  const owner = first && findNotifiedOwner(tx, channel.id, first.device);
  if (owner === undefined || !mayOpen(tx, owner.id, place)) return;
  // A device that began to wait later was told nothing by the email about the release.
  const isAnnounced = channel.notifyOnRelease && rows.every(({ createdAt }) => createdAt <= release.createdAt);
  if (isAnnounced && !claimNotification(tx, release.id, owner.id)) return;
  const { base_url: baseUrl } = tx.config.server;
  const muteUrl = reachesChannel(tx, owner.id, channel.id)
    ? `${baseUrl}${MUTE_PATH}/${signLink(tx, 'tester mute', { developerId: owner.id, subjectId: channel.id, expiresAt: 0 })}`
    : null;
  tx.mail({
    kind: 'device_ready',
    to: owner.email,
    language: languageFor(tx, owner.locale),
    isBulk: true,
    ...(muteUrl === null
      ? {}
      : {
          headers: { 'List-Unsubscribe': `<${muteUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
        }),
    content: deviceReadyMail({
      projectName: place.projectName,
      organizationName: place.organizationName,
      channelName: channel.name,
      versionName: build.versionName,
      buildNumber: displayBuildNumber(build),
      deviceNames: rows.map(({ device }) => device.name),
      installUrl: channelPageUrl(baseUrl, channel.id),
      muteUrl,
    }),
  });
}
