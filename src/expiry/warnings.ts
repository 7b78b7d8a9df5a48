// Warnings by mail: maintainers learn 60, 30, 15, 7 and 1 days before that a profile or certificate ends.

import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { displayBuildNumber } from '../builds/build-number.ts';
import { listMaintainers } from '../builds/retention-store.ts';
import type { Context, Tx } from '../core/context.ts';
import { DAY } from '../lib/clock.ts';
import { expiryWarningMail } from '../mail/templates.ts';
import { type Expiring, findExpiring } from './expiring-items.ts';
import { claimNotice, forgetNotices, listEnding } from './store.ts';

/** Days before the end, the last first. */
const THRESHOLDS = [1, 7, 15, 30, 60] as const;

/** A run that reaches it stops; the next one goes on, as what was written is not written again. */
const MOST_MAILS_PER_RUN = 1_000;

/** How long it is remembered that a warning was written, after what it was about has ended. */
const NOTICE_LIFETIME_MS = 30 * DAY;

/**
 * Writes the warnings that are due: one mail for each person, thing and threshold, however many releases the thing signs and
 * however often this runs. Who comes late, or a server that was off, gets the one of the latest threshold. The mail and the
 * note that it was written are one transaction for each thing, so that a crash in between loses and repeats none.
 * Answers how many mails were written.
 */
export async function warnOfExpiry(ctx: Context): Promise<number> {
  const now = ctx.clock.now().getTime();
  ctx.transact((tx) => forgetNotices(tx, now - NOTICE_LIFETIME_MS), { bookkeeping: true });
  const until = now + Math.max(...THRESHOLDS) * DAY;
  const due = findExpiring(listEnding(ctx, now, until), until).filter(({ expiresAt }) => expiresAt > now);
  let written = 0;
  for (const things of groupThings(due)) {
    if (written >= MOST_MAILS_PER_RUN) break;
    written += ctx.transact((tx) => warnAbout(tx, things, now), { bookkeeping: true });
    // Requests go between the transactions.
    await yieldToOthers();
  }
  return written;
}

/** The same thing in one organization, as often as it signs a current release. */
function groupThings(due: readonly Expiring[]): Expiring[][] {
  const groups = new Map<string, Expiring[]>();
  for (const thing of due) {
    const key = `${thing.release.organizationId} ${thing.subject}`;
    groups.set(key, [...(groups.get(key) ?? []), thing]);
  }
  return [...groups.values()];
}

function warnAbout(tx: Tx, things: readonly Expiring[], now: number): number {
  const [first] = things;
  if (first === undefined) return 0;
  const { subject, expiresAt } = first;
  const { organizationId, organizationName } = first.release;
  const thresholdDays = THRESHOLDS.find((days) => expiresAt - now <= days * DAY);
  if (thresholdDays === undefined) return 0;
  let written = 0;
  for (const [developerId, { email, maintained }] of findRecipients(tx, things)) {
    if (!claimNotice(tx, { organizationId, subject, developerId, thresholdDays, expiresAt })) continue;
    const mail = expiryWarningMail(tx.config.server.base_url, {
      kind: first.kind,
      name: first.name,
      platform: first.release.platform,
      organizationName,
      expiresAt,
      now,
      places: maintained.map(({ release }) => ({ ...release, buildNumber: displayBuildNumber(release) })),
    });
    tx.mail({ kind: 'expiry_warning', to: email, ...mail });
    written += 1;
  }
  return written;
}

/** Whoever maintains one of the projects, with what there is in theirs. */
function findRecipients(tx: Tx, things: readonly Expiring[]): Map<string, { email: string; maintained: Expiring[] }> {
  const recipients = new Map<string, { email: string; maintained: Expiring[] }>();
  const organizationId = things[0]?.release.organizationId ?? '';
  for (const { developerId, email, projectId } of listMaintainers(tx, organizationId)) {
    const theirs = things.filter(({ release }) => projectId === null || projectId === release.projectId);
    if (theirs.length === 0) continue;
    const maintained = recipients.get(developerId)?.maintained ?? [];
    recipients.set(developerId, { email, maintained: [...maintained, ...theirs] });
  }
  return recipients;
}
