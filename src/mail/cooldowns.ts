// The silent cooldowns of transactional mail: about one per kind and recipient in five minutes
// (docs/specification/identity.md#email-cooldowns).
import { and, eq, gt, lte, notBetween } from 'drizzle-orm/sql';
import { sendsEmail } from '../config/sends-email.ts';
import { accountOf, responsibleIdOf } from '../core/actor.ts';
import type { Context, LocalizedMail, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { mailCooldowns } from '../data/tables/tables.ts';
import { MINUTE, SECOND } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';

function cooldownMs({ config }: Pick<Context, 'config'>): number {
  return config.limits.transactional_email_minutes * MINUTE;
}

/**
 * Claims the right to send one email of a kind to an address. Returns false during the cooldown of an earlier one.
 * Addresses without an account have cooldowns too, so that both cases write the same.
 */
export function claimMail(tx: Tx, kind: string, recipient: string): boolean {
  const { changes } = tx.db
    .insert(mailCooldowns)
    .values({ kind, recipient, sentAt: tx.now })
    .onConflictDoUpdate({
      target: [mailCooldowns.kind, mailCooldowns.recipient],
      set: { sentAt: tx.now },
      // An email in the future was sent while the clock was ahead.
      setWhere: notBetween(mailCooldowns.sentAt, tx.now - cooldownMs(tx) + 1, tx.now),
    })
    .run();
  return changes === 1;
}

/** Emails that a person can have sent to one address within the cooldown by inviting it. */
const MAX_OF_SENDER = 20;

/** The earliest of the emails that withhold another one, and when the next one can be sent. */
interface SenderLimit {
  earliestAt: number;
  availableAt: number;
}

/**
 * Claims the right to send one email to an address that the caller chose: an invitation, or the notice of access. Returns undefined,
 * or the limit if the person responsible had 20 sent to the address within the cooldown. They count together, whatever each is about,
 * so that creating and deleting projects or invitations doesn't send any number. Throws `rate_limit_exceeded` like countSenderMail.
 */
export function claimSenderMail(tx: Tx, recipient: string): SenderLimit | undefined {
  const sender = responsibleIdOf(tx.actor) ?? tx.actor.kind;
  const places = Array.from({ length: MAX_OF_SENDER }, (_, index) => `sender ${sender} ${index}`);
  if (places.some((kind) => claimMail(tx, kind, recipient))) {
    countSenderMail(tx);
    return undefined;
  }
  const earliestAt = Math.min(...places.map((kind) => lastMailAt(tx, kind, recipient)));
  return { earliestAt, availableAt: earliestAt + cooldownMs(tx) };
}

/**
 * Counts an email to an address that the caller chose. Throws `rate_limit_exceeded` after too many, to any addresses: mail providers
 * would reject the emails of the whole server if one account sent them to thousands of strangers. A server that sends none has no limit.
 */
export function countSenderMail({ actor, config, rateLimits }: Pick<Tx, 'actor' | 'config' | 'rateLimits'>): void {
  if (sendsEmail(config)) rateLimits.admitAccount('emails', responsibleIdOf(actor) ?? accountOf(actor));
}

/**
 * Claims the right to send one email of a kind to an address that the caller chose. Returns undefined, or the time of the email that
 * withholds it: an earlier one of the kind, or the earliest of too many that the person responsible had sent to the address.
 */
export function claimChosenMail(tx: Tx, kind: string, recipient: string): number | undefined {
  if (!claimMail(tx, kind, recipient)) return lastMailAt(tx, kind, recipient);
  const limit = claimSenderMail(tx, recipient);
  if (limit === undefined) return undefined;
  // Nothing is sent, so the emails of other people aren't withheld.
  tx.db
    .delete(mailCooldowns)
    .where(and(eq(mailCooldowns.kind, kind), eq(mailCooldowns.recipient, recipient)))
    .run();
  return limit.earliestAt;
}

/** Creates the error for an email that can be sent again at a time. The message says what can be done then. */
export function emailedTooOften(tx: Tx, availableAt: number, message: string): AppError {
  const seconds = Math.ceil((availableAt - tx.now) / SECOND);
  return new AppError(
    'rate_limit_exceeded',
    `${message} in ${seconds} s`,
    { retry_after_seconds: seconds },
    { 'retry-after': String(seconds) },
  );
}

/** Records an email that is sent regardless of the cooldown. */
export function recordMail(tx: Tx, kind: string, recipient: string): void {
  tx.db
    .insert(mailCooldowns)
    .values({ kind, recipient, sentAt: tx.now })
    .onConflictDoUpdate({ target: [mailCooldowns.kind, mailCooldowns.recipient], set: { sentAt: tx.now } })
    .run();
}

/** Returns the time of the email that withholds another one of its kind. */
function lastMailAt(tx: Tx, kind: string, recipient: string): number {
  const row = tx.db
    .select({ sentAt: mailCooldowns.sentAt })
    .from(mailCooldowns)
    .where(and(eq(mailCooldowns.kind, kind), eq(mailCooldowns.recipient, recipient)))
    .get();
  return row?.sentAt ?? tx.now;
}

/** Returns when the cooldown ends that withholds an email of a kind. */
export function cooldownEnd(tx: Tx, kind: string, recipient: string): number {
  return lastMailAt(tx, kind, recipient) + cooldownMs(tx);
}

/** Sends an email unless its recipient got one of the same kind within the cooldown. Returns whether it was sent. */
export function mailOnce(tx: Tx, kind: string, to: string, write: () => LocalizedMail): boolean {
  if (!claimMail(tx, kind, to)) return false;
  tx.mail({ kind, to, content: write() });
  return true;
}

/**
 * Ends the cooldown of an email whose link was ended, if it was written at `writtenAt`. Happens once within a cooldown for a kind
 * and recipient. An account that requests a change to a stranger's address and ends the link in turns could send any
 * number of emails otherwise.
 */
export function endCooldown(tx: Tx, kind: string, recipient: string, writtenAt: number): void {
  // A later email has a cooldown of its own, and may be that of another account.
  const isOfEmail = and(
    eq(mailCooldowns.kind, kind),
    eq(mailCooldowns.recipient, recipient),
    lte(mailCooldowns.sentAt, writtenAt),
    gt(mailCooldowns.sentAt, tx.now - cooldownMs(tx)),
  );
  const running = tx.db.select({ kind: mailCooldowns.kind }).from(mailCooldowns).where(isOfEmail).get();
  if (running === undefined || !claimMail(tx, `${kind}.released`, recipient)) return;
  tx.db.delete(mailCooldowns).where(isOfEmail).run();
}

/** Deletes the cooldowns of an address that had no account until now, so that its first emails aren't suppressed. */
export function clearCooldowns(tx: Tx, recipient: string): void {
  tx.db.delete(mailCooldowns).where(eq(mailCooldowns.recipient, recipient)).run();
}

const deleteOver = prepared((db) =>
  db.$client.prepare<[number, number]>(
    'DELETE FROM mail_cooldowns WHERE rowid IN (SELECT rowid FROM mail_cooldowns WHERE sent_at <= ? LIMIT ?)',
  ),
);

/** Deletes up to `max` expired cooldowns. Returns the number deleted. */
export function deleteOldCooldowns(ctx: Context, now: number, max: number): number {
  return ctx.transact((tx) => deleteOver(tx).run(now - cooldownMs(tx), max).changes, { bookkeeping: true });
}
