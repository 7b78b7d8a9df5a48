// Codes of six digits in emails, each with a link beside it or not. A code works once, for the browser or session that
// requested it, and not after five incorrect ones (docs/specification/identity.md#sign-in-by-email).
import { randomInt } from 'node:crypto';
import { and, between, count, desc, eq, gt, isNull, lt, lte, sql } from 'drizzle-orm';
import { sendsEmail } from '../config/sends-email.ts';
import type { App, Context, Tx } from '../core/context.ts';
import { deleteUpTo } from '../data/queries.ts';
import { emailCodes } from '../data/tables/tables.ts';
import { MINUTE } from '../lib/clock.ts';
import { EMAIL_CODE_MS } from '../lib/lifetimes.ts';
import { networkOf } from '../lib/network.ts';
import { signFields, verifyFields } from '../runtime/signing.ts';

export type EmailCodeRow = typeof emailCodes.$inferSelect;
type Purpose = EmailCodeRow['purpose'];

/** Who can use a code: the token of the browser's cookie, or the id of the session. */
export interface Holder {
  purpose: Purpose;
  holder: string;
}

const MAX_FAILURES = 5;
const DIGITS = 6;
/** Emails to an address within the lifetime of a code, from one network and from all. */
const MAX_PER_NETWORK = 5;
const MAX_PER_ADDRESS = 15;
const SIGNATURE = 'email code';

/** Returns whether people can sign in by email. Emails that stay in the outbox reach nobody in time. */
export function sendsEmailCodes({ config }: Pick<App, 'config'>): boolean {
  return sendsEmail(config);
}

/** Returns whether the first sign-in of an invited address creates its account. */
export function joinsByEmail(app: Pick<App, 'config'>): boolean {
  return sendsEmailCodes(app) && app.config.accounts.signup !== 'closed';
}

function hashHolder(app: App, { purpose, holder }: Holder): string {
  return app.secrets.hash(`${purpose} ${holder}`);
}

const isOpen = (now: number) =>
  and(isNull(emailCodes.consumedAt), gt(emailCodes.expiresAt, now), lt(emailCodes.failures, MAX_FAILURES));

/** Returns the newest code of a holder that can still be used, whether or not its email was written. */
export function findEmailCode(app: App, holder: Holder): EmailCodeRow | undefined {
  return app.db
    .select()
    .from(emailCodes)
    .where(and(eq(emailCodes.holderHash, hashHolder(app, holder)), isOpen(app.clock.time())))
    .orderBy(desc(emailCodes.id))
    .limit(1)
    .get();
}

/** Returns whether a code for an address was requested within the cooldown, so that a repetition sends no other one. */
export function isWithinCooldown(tx: Tx, row: EmailCodeRow | undefined, email: string): boolean {
  if (row?.email !== email) return false;
  const cooldownMs = tx.config.limits.transactional_email_minutes * MINUTE;
  // A request in the future was made while the clock was ahead.
  return row.createdAt > tx.now - cooldownMs && row.createdAt <= tx.now;
}

/** Returns a code by its id while it can still be used. */
function findOpen(app: App, id: string): EmailCodeRow | undefined {
  return app.db
    .select()
    .from(emailCodes)
    .where(and(eq(emailCodes.id, id), isOpen(app.clock.time())))
    .get();
}

/**
 * Requests a code for an address, whether or not it has an account. Returns its id, or undefined if too many were
 * requested for the address. Limited for each network too, so that one network can't keep others from getting theirs.
 */
export function openEmailCode(tx: Tx, email: string, holder: Holder): string | undefined {
  const { ipAddress } = tx.request;
  const networkHash = tx.secrets.hash(`email code ${email} ${ipAddress === null ? '' : networkOf(ipAddress)}`);
  const recent = tx.db
    .select({ all: count(), own: sql<number>`coalesce(sum(${emailCodes.networkHash} = ${networkHash}), 0)` })
    .from(emailCodes)
    .where(
      and(
        eq(emailCodes.email, email),
        eq(emailCodes.purpose, holder.purpose),
        // Requests in the future were made while the clock was ahead.
        between(emailCodes.createdAt, tx.now - EMAIL_CODE_MS + 1, tx.now),
      ),
    )
    .get();
  if (recent !== undefined && (recent.all >= MAX_PER_ADDRESS || recent.own >= MAX_PER_NETWORK)) return undefined;
  const id = tx.ids.next();
  tx.db
    .insert(emailCodes)
    .values({
      id,
      purpose: holder.purpose,
      email,
      holderHash: hashHolder(tx, holder),
      networkHash,
      createdAt: tx.now,
      expiresAt: tx.now + EMAIL_CODE_MS,
    })
    .run();
  return id;
}

/** Returns the address of a code whose email isn't written yet, or undefined if it is or the code can't be used. */
export function findUnwritten(tx: Tx, id: string): string | undefined {
  const row = findOpen(tx, id);
  return row === undefined || row.codeHash !== null ? undefined : row.email;
}

/** Creates the code and the token of the link. Neither is stored. */
export function writeEmailCode(tx: Tx, id: string): { code: string; token: string } {
  const code = String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0');
  const token = tx.secrets.token();
  const codeHash = hashCode(tx, id, code);
  tx.db
    .update(emailCodes)
    .set({ codeHash, tokenHash: tx.secrets.hash(token) })
    .where(eq(emailCodes.id, id))
    .run();
  return { code, token };
}

/** Keyed with the server's secret: the database alone doesn't reveal a code. */
function hashCode({ secrets }: App, id: string, code: string): string {
  return signFields(secrets.keyring, SIGNATURE, [id, code]);
}

/**
 * Uses up a code, whose digits may be separated. An incorrect one is counted. Of concurrent uses, one succeeds. Returns
 * the address that the code was sent to, or undefined.
 */
export function spendEmailCode(tx: Tx, { id, codeHash }: EmailCodeRow, typed: string): string | undefined {
  const code = typed.replace(/[\s-]/g, '');
  // Compared with this hash while there is no code, so that all addresses take the same time.
  const other = hashCode(tx, id, '');
  const isRight = verifyFields(tx.secrets.keyring, SIGNATURE, [id, code], codeHash ?? other);
  if (isRight && codeHash !== null) return consume(tx, id);
  tx.db
    .update(emailCodes)
    .set({ failures: sql`${emailCodes.failures} + 1` })
    .where(and(eq(emailCodes.id, id), isOpen(tx.now)))
    .run();
  return undefined;
}

/** Returns the code of a link and whether the holder requested it, or undefined if it can't be used. */
export function findEmailLink(
  app: App,
  token: string,
  holder: Holder,
): { row: EmailCodeRow; isOwn: boolean } | undefined {
  const row = findByToken(app, token);
  return row === undefined ? undefined : { row, isOwn: row.holderHash === hashHolder(app, holder) };
}

function findByToken(app: App, token: string): EmailCodeRow | undefined {
  return app.db
    .select()
    .from(emailCodes)
    .where(and(eq(emailCodes.tokenHash, app.secrets.hash(token)), isOpen(app.clock.time())))
    .get();
}

/** Uses up a code that was verified by its link. Of concurrent uses, one succeeds. Returns its address, or undefined. */
export function spendEmailLink(tx: Tx, { id }: EmailCodeRow): string | undefined {
  return consume(tx, id);
}

function consume(tx: Tx, id: string): string | undefined {
  return tx.db
    .update(emailCodes)
    .set({ consumedAt: tx.now })
    .where(and(eq(emailCodes.id, id), isOpen(tx.now)))
    .returning({ email: emailCodes.email })
    .get()?.email;
}

/** Ends the open codes of an address. */
export function endEmailCodes(tx: Tx, email: string): void {
  tx.db
    .update(emailCodes)
    .set({ consumedAt: tx.now })
    .where(and(eq(emailCodes.email, email), isNull(emailCodes.consumedAt)))
    .run();
}

/** Deletes the codes of an address, with its account. */
export function deleteEmailCodes(tx: Tx, email: string): void {
  tx.db.delete(emailCodes).where(eq(emailCodes.email, email)).run();
}

/** Deletes up to `max` codes that expired before a moment. Returns the number deleted. */
export function deleteExpiredEmailCodes(ctx: Context, before: number, max: number): number {
  return ctx.transact((tx) => deleteUpTo(tx, emailCodes.id, lte(emailCodes.expiresAt, before), max), {
    bookkeeping: true,
  });
}
