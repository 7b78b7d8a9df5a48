// Warnings by email: maintainers get several before a profile or certificate expires.

import { displayBuildNumber } from '../builds/build-number.ts';
import { listMaintainers } from '../builds/retention-store.ts';
import type { Context, Tx } from '../core/context.ts';
import { transactInSteps } from '../core/transact-steps.ts';
import { DAY } from '../lib/clock.ts';
import { EXPIRY_WARNING_DAYS } from '../lib/lifetimes.ts';
import { createStepRows } from '../lib/step-rows.ts';
import { startSteps } from '../lib/steps.ts';
import { expiryWarningMail } from '../mail/templates/builds.ts';
import { type Expiring, findExpiring } from './expiring-items.ts';
import { claimNotice, deleteOldWarnings, findEnding, listChannelIds, type SignedRelease } from './store.ts';

/** A run stops at this number; the next one continues, because sent warnings are skipped. */
const MAX_MAILS_PER_RUN = 1_000;

const CHANNELS_PER_READ = 100;
/** Composing a warning takes about half a millisecond. */
const RECIPIENTS = { min: 4, max: 100 };

/** How long sent warnings are remembered after the expiry. */
const NOTICE_LIFETIME_MS = 30 * DAY;

/**
 * Sends the due warnings: one email per person, item and threshold, regardless of the number of releases and runs. If
 * the server was off, only the latest threshold is sent. The email and its record are one transaction, so that a crash
 * neither loses nor repeats one. Returns the number of emails.
 */
export async function warnOfExpiry(ctx: Context): Promise<number> {
  const now = ctx.clock.time();
  ctx.transact((tx) => deleteOldWarnings(tx, now - NOTICE_LIFETIME_MS), { bookkeeping: true });
  const until = now + Math.max(...EXPIRY_WARNING_DAYS) * DAY;
  const due = findExpiring(await collectEnding(ctx, until), until).filter(({ expiresAt }) => expiresAt > now);
  const step = startSteps();
  let written = 0;
  for (const items of groupItems(due)) {
    if (written >= MAX_MAILS_PER_RUN) break;
    const sent = await warnAbout(ctx, items, now);
    written += sent;
    // Other requests have run between emails.
    if (sent === 0) await step();
  }
  return written;
}

/** Reads one channel after the other, so that other requests can run in between. */
async function collectEnding(ctx: Context, until: number): Promise<SignedRelease[]> {
  const step = startSteps();
  const found: SignedRelease[] = [];
  for (let after = ''; ; ) {
    const ids = listChannelIds(ctx, after, CHANNELS_PER_READ);
    for (const id of ids) {
      await step();
      const release = findEnding(ctx, id, until);
      if (release !== undefined) found.push(release);
    }
    const last = ids.at(-1);
    if (last === undefined || ids.length < CHANNELS_PER_READ) return found;
    after = last;
  }
}

/** An item in an organization, with all current releases signed by it. */
function groupItems(due: readonly Expiring[]): Expiring[][] {
  const groups = new Map<string, Expiring[]>();
  for (const thing of due) {
    const key = `${thing.release.organizationId} ${thing.subject}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [thing]);
    else group.push(thing);
  }
  return [...groups.values()];
}

async function warnAbout(ctx: Context, items: readonly Expiring[], now: number): Promise<number> {
  const [first] = items;
  if (first === undefined) return 0;
  const { subject, expiresAt } = first;
  const { organizationId, organizationName } = first.release;
  const thresholdDays = EXPIRY_WARNING_DAYS.find((days) => expiresAt - now <= days * DAY);
  if (thresholdDays === undefined) return 0;
  const warn = (tx: Tx, { developerId, email, maintained }: Recipient): boolean => {
    if (!claimNotice(tx, { organizationId, subject, developerId, thresholdDays, expiresAt })) return false;
    const content = expiryWarningMail(tx.config.server.base_url, {
      kind: first.kind,
      name: first.name,
      platform: first.release.platform,
      organizationName,
      expiresAt,
      now,
      places: maintained.map(({ release }) => ({ ...release, buildNumber: displayBuildNumber(release) })),
    });
    tx.mail({ kind: 'expiry_warning', to: email, content });
    return true;
  };
  let written = 0;
  await transactInSteps(ctx, findRecipients(ctx, items), createStepRows(RECIPIENTS), (tx, batch) => {
    written += batch.filter((recipient) => warn(tx, recipient)).length;
  });
  return written;
}

interface Recipient {
  developerId: string;
  email: string;
  /** The affected releases in projects that they maintain. */
  maintained: Expiring[];
}

/** Returns the maintainers of the projects with affected releases. */
function findRecipients(ctx: Context, items: readonly Expiring[]): Recipient[] {
  const recipients = new Map<string, Recipient>();
  const organizationId = items[0]?.release.organizationId ?? '';
  for (const { developerId, email, projectId } of listMaintainers(ctx, organizationId)) {
    const theirs = items.filter(({ release }) => projectId === null || projectId === release.projectId);
    if (theirs.length === 0) continue;
    const recipient = recipients.get(developerId);
    if (recipient === undefined) recipients.set(developerId, { developerId, email, maintained: theirs });
    else recipient.maintained.push(...theirs);
  }
  return [...recipients.values()];
}
