// Emails about a new release. The release queues them, and a job writes them in batches. The progress is saved in the
// same transaction as the emails, so that after a crash nobody is emailed twice or skipped.

import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { displayBuildNumber } from '../../builds/build-number.ts';
import { listNotified } from '../../channels/audience.ts';
import type { Context, Tx } from '../../core/context.ts';
import { languageFor } from '../../core/mail-language.ts';
import { deleteInSteps } from '../../core/transact-steps.ts';
import { findPlace } from '../../install/store.ts';
import { DAY, HOUR } from '../../lib/clock.ts';
import { OPEN_LINK_MS } from '../../lib/lifetimes.ts';
import { releaseMail } from '../../mail/templates/builds.ts';
import { findRelease } from '../../releases/store.ts';
import { signLink } from '../mail-links.ts';
import * as store from './store.ts';

export const ANNOUNCE_JOB = 'announce-release';
export const ANNOUNCE_LANE = 'announcements';

export const OPEN_PATH = '/testers/releases';
export const MUTE_PATH = '/testers/mute';

/** A transaction of this size blocks the server for a few milliseconds. */
export const BATCH = 50;
const STALLED_MS = HOUR;
const MAX_STALLED = 100;
const KEPT_MS = 30 * DAY;

/** Queues the emails about a release in the transaction that creates it. */
export function announceRelease(tx: Tx, releaseId: string): void {
  store.insertAnnouncement(tx, releaseId);
  enqueueNextBatch(tx, releaseId);
}

function enqueueNextBatch(tx: Tx, releaseId: string): void {
  tx.enqueue({ kind: ANNOUNCE_JOB, payload: { release_id: releaseId }, dedupeKey: `${ANNOUNCE_JOB} ${releaseId}` });
}

/** The job: emails one batch. It can run twice. */
export async function runAnnounceJob(ctx: Context, payload: Record<string, unknown>): Promise<void> {
  // Batches follow each other immediately, so other requests must run in between.
  await yieldToOthers();
  ctx.transact((tx) => mailBatch(tx, String(payload.release_id)), { bookkeeping: true });
}

function mailBatch(tx: Tx, releaseId: string): void {
  const announcement = store.findOpenAnnouncement(tx, releaseId);
  if (announcement === undefined) return;
  const found = findRelease(tx, releaseId);
  const place = found && findPlace(tx, found.release.channelId);
  const isServed = found?.release.state === 'active' && found.build.revokedAt === null;
  if (!isServed || place === undefined) {
    store.updateAnnouncement(tx, releaseId, { finishedAt: tx.now });
    return;
  }
  const { channel } = place;
  const people = listNotified(tx, channel, { after: announcement.afterDeveloperId, limit: BATCH });
  let { mailed } = announcement;
  for (const person of people) {
    // An unverified address may belong to another person, and couldn't install anything.
    const wantsIt = person.mutedAt === null && person.lockedAt === null && person.emailVerifiedAt !== null;
    if (!wantsIt || !store.claimNotification(tx, releaseId, person.id)) continue;
    mailed += 1;
    const { release, build } = found;
    const mute = signLink(tx, 'tester mute', { developerId: person.id, subjectId: channel.id, expiresAt: 0 });
    const open = signLink(tx, 'tester release', {
      developerId: person.id,
      subjectId: releaseId,
      expiresAt: release.createdAt + OPEN_LINK_MS,
    });
    const { base_url: baseUrl } = tx.config.server;
    const muteUrl = `${baseUrl}${MUTE_PATH}/${mute}`;
    tx.mail({
      kind: 'release',
      to: person.email,
      language: languageFor(tx, person.locale),
      isBulk: true,
      // RFC 8058: mail programs show a button that unsubscribes without opening a page.
      headers: { 'List-Unsubscribe': `<${muteUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
      content: releaseMail({
        projectName: place.projectName,
        organizationName: place.organizationName,
        channelName: channel.name,
        versionName: build.versionName,
        buildNumber: displayBuildNumber(build),
        isMandatory: release.mandatory,
        notes: release.releaseNotes ?? build.releaseNotes,
        installUrl: `${baseUrl}${OPEN_PATH}/${open}`,
        muteUrl,
      }),
    });
  }
  const isLast = people.length < BATCH;
  store.updateAnnouncement(tx, releaseId, {
    afterDeveloperId: people.at(-1)?.id ?? announcement.afterDeveloperId,
    mailed,
    finishedAt: isLast ? tx.now : null,
  });
  if (!isLast) enqueueNextBatch(tx, releaseId);
}

/**
 * Resumes announcements whose job has failed, and deletes old notification rows. Returns the number of rows deleted.
 */
export function tidyAnnouncements(ctx: Context, max: number): Promise<number> {
  ctx.transact(
    (tx) => {
      for (const row of store.listStalled(tx, tx.now - STALLED_MS, MAX_STALLED)) enqueueNextBatch(tx, row.releaseId);
    },
    { bookkeeping: true },
  );
  return deleteInSteps(ctx, max, (tx, rows) => store.deleteOldNotifications(tx, tx.now - KEPT_MS, rows));
}
