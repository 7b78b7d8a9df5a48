// Queries for authenticator apps, recovery codes, passkeys and their user handles.
import { and, count, desc, eq, gt, isNotNull, isNull, lt, lte, or, sql } from 'drizzle-orm';
import type { App, Tx } from '../core/context.ts';
import { deleteUpTo } from '../data/queries.ts';
import { passkeyHandles, passkeys, recoveryCodes, totpFactors } from '../data/tables/tables.ts';
import { notFound } from '../lib/errors.ts';

export type TotpRow = typeof totpFactors.$inferSelect;
export type PasskeyRow = typeof passkeys.$inferSelect;
type Db = Pick<App, 'db'>;

/** Returns the authenticator app of an account, confirmed or not. */
export function findTotp(app: Db, developerId: string): TotpRow | undefined {
  return app.db.select().from(totpFactors).where(eq(totpFactors.developerId, developerId)).get();
}

/** Replaces an unconfirmed secret. Returns false if a confirmed one exists. */
export function replaceUnconfirmedTotp(
  tx: Tx,
  developerId: string,
  secretEncrypted: string,
  begunBySession: string,
): boolean {
  const row = { secretEncrypted, confirmedAt: null, lastStep: 0, createdAt: tx.now, begunBySession };
  const { changes } = tx.db
    .insert(totpFactors)
    .values({ developerId, ...row })
    .onConflictDoUpdate({ target: totpFactors.developerId, set: row, setWhere: isNull(totpFactors.confirmedAt) })
    .run();
  return changes === 1;
}

/** Confirms a secret with one conditional update. Returns false if it was already confirmed or replaced. */
export function confirmTotp(tx: Tx, { developerId, secretEncrypted }: TotpRow, step: number): boolean {
  const { changes } = tx.db
    .update(totpFactors)
    .set({ confirmedAt: tx.now, lastStep: step, begunBySession: null })
    .where(
      and(
        eq(totpFactors.developerId, developerId),
        eq(totpFactors.secretEncrypted, secretEncrypted),
        isNull(totpFactors.confirmedAt),
      ),
    )
    .run();
  return changes === 1;
}

/**
 * A step that was used this long after the current one, an hour, was used while the clock was ahead, and prevents no other.
 * Otherwise nobody could sign in until the clock catches up.
 */
export const AHEAD_STEPS = 120;

/** Uses a time step with one conditional update. Returns false if it or a later one was already used. */
export function useTotpStep(tx: Tx, developerId: string, step: number): boolean {
  const { changes } = tx.db
    .update(totpFactors)
    .set({ lastStep: step })
    .where(
      and(
        eq(totpFactors.developerId, developerId),
        isNotNull(totpFactors.confirmedAt),
        or(lt(totpFactors.lastStep, step), gt(totpFactors.lastStep, step + AHEAD_STEPS)),
      ),
    )
    .run();
  return changes === 1;
}

export function deleteTotp(tx: Tx, developerId: string): void {
  tx.db.delete(totpFactors).where(eq(totpFactors.developerId, developerId)).run();
}

/** Deletes up to `max` unconfirmed secrets created before a moment. Returns the number deleted. */
export function deleteUnconfirmedTotp(tx: Tx, before: number, max: number): number {
  const isOld = and(isNull(totpFactors.confirmedAt), lte(totpFactors.createdAt, before));
  return deleteUpTo(tx, totpFactors.developerId, isOld, max);
}

/** Replaces the recovery codes of an account. */
export function replaceRecoveryCodes(tx: Tx, developerId: string, codeHashes: readonly string[]): void {
  tx.db.delete(recoveryCodes).where(eq(recoveryCodes.developerId, developerId)).run();
  if (codeHashes.length === 0) return;
  tx.db
    .insert(recoveryCodes)
    .values(codeHashes.map((codeHash) => ({ id: tx.ids.next(), developerId, codeHash })))
    .run();
}

/** Consumes a recovery code with one conditional update. Returns false if no unused code matches. */
export function consumeRecoveryCode(tx: Tx, developerId: string, codeHash: string): boolean {
  const { changes } = tx.db
    .update(recoveryCodes)
    .set({ consumedAt: tx.now })
    .where(
      and(
        eq(recoveryCodes.developerId, developerId),
        eq(recoveryCodes.codeHash, codeHash),
        isNull(recoveryCodes.consumedAt),
      ),
    )
    .run();
  return changes === 1;
}

/** Returns the id of an unused recovery code of an account. All codes of a set are created together. */
export function findUnusedRecoveryCode(app: Db, developerId: string): string | undefined {
  return app.db
    .select({ id: recoveryCodes.id })
    .from(recoveryCodes)
    .where(and(eq(recoveryCodes.developerId, developerId), isNull(recoveryCodes.consumedAt)))
    .limit(1)
    .get()?.id;
}

export function countUnusedRecoveryCodes(app: Db, developerId: string): number {
  const row = app.db
    .select({ count: count() })
    .from(recoveryCodes)
    .where(and(eq(recoveryCodes.developerId, developerId), isNull(recoveryCodes.consumedAt)))
    .get();
  return row?.count ?? 0;
}

/** Returns the user handle for an account's passkeys. Saves `fresh` as the handle if there is none. */
export function provideHandle(tx: Tx, developerId: string, fresh: string): string {
  tx.db.insert(passkeyHandles).values({ developerId, handle: fresh }).onConflictDoNothing().run();
  return findHandle(tx, developerId) ?? fresh;
}

/** Replaces the user handle of an account, whose earlier passkeys were removed. */
export function replaceHandle(tx: Tx, developerId: string, handle: string): void {
  tx.db
    .insert(passkeyHandles)
    .values({ developerId, handle })
    .onConflictDoUpdate({ target: passkeyHandles.developerId, set: { handle } })
    .run();
}

export function findHandle(app: Db, developerId: string): string | undefined {
  return app.db.select().from(passkeyHandles).where(eq(passkeyHandles.developerId, developerId)).get()?.handle;
}

export function countPasskeys(app: Db, developerId: string): number {
  const row = app.db.select({ count: count() }).from(passkeys).where(eq(passkeys.developerId, developerId)).get();
  return row?.count ?? 0;
}

/** Returns all passkeys of an account, at most as many as the limit. */
export function listAllPasskeys(app: Db, developerId: string): PasskeyRow[] {
  return app.db.select().from(passkeys).where(eq(passkeys.developerId, developerId)).orderBy(desc(passkeys.id)).all();
}

/** Returns a page of an account's passkeys, newest first. */
export function listPasskeys(app: Db, developerId: string, before: string, limit: number): PasskeyRow[] {
  return app.db
    .select()
    .from(passkeys)
    .where(and(eq(passkeys.developerId, developerId), lt(passkeys.id, before)))
    .orderBy(desc(passkeys.id))
    .limit(limit)
    .all();
}

export function findPasskeyByCredential(app: Db, credentialId: string): PasskeyRow | undefined {
  return app.db.select().from(passkeys).where(eq(passkeys.credentialId, credentialId)).get();
}

/** Returns a passkey of an account. Throws `not_found` for any other. */
export function loadPasskey(app: Db, developerId: string, id: string): PasskeyRow {
  const row = app.db
    .select()
    .from(passkeys)
    .where(and(eq(passkeys.id, id), eq(passkeys.developerId, developerId)))
    .get();
  if (row === undefined) throw notFound();
  return row;
}

export function insertPasskey(tx: Tx, row: PasskeyRow): void {
  tx.db.insert(passkeys).values(row).run();
}

export function renamePasskey(tx: Tx, id: string, name: string): void {
  tx.db.update(passkeys).set({ name }).where(eq(passkeys.id, id)).run();
}

/**
 * Saves the use of a passkey with one conditional update. The signature counter must increase, unless the authenticator
 * has none and always sends 0 (WebAuthn Level 3, 7.2 step 22). Returns false if it didn't, as with a copied
 * authenticator.
 */
export function advancePasskey(tx: Tx, id: string, use: { counter: number; isBackedUp: boolean }): boolean {
  const keepsNone = use.counter === 0 ? eq(passkeys.counter, 0) : sql`false`;
  const { changes } = tx.db
    .update(passkeys)
    .set({ ...use, lastUsedAt: tx.now })
    .where(and(eq(passkeys.id, id), sql`(${lt(passkeys.counter, use.counter)} OR ${keepsNone})`))
    .run();
  return changes === 1;
}

/** Prevents a passkey from signing in on its own. */
export function suspendPasskey(tx: Tx, id: string): void {
  tx.db.update(passkeys).set({ suspendedAt: tx.now }).where(eq(passkeys.id, id)).run();
}

/** Allows one or all passkeys of an account to sign in on their own again. */
export function resumePasskeys(tx: Tx, developerId: string, id?: string): void {
  const one = id === undefined ? undefined : eq(passkeys.id, id);
  tx.db
    .update(passkeys)
    .set({ suspendedAt: null })
    .where(and(eq(passkeys.developerId, developerId), isNotNull(passkeys.suspendedAt), one))
    .run();
}

export function deletePasskey(tx: Tx, id: string): void {
  tx.db.delete(passkeys).where(eq(passkeys.id, id)).run();
}

export function deleteAllPasskeys(tx: Tx, developerId: string): number {
  return tx.db.delete(passkeys).where(eq(passkeys.developerId, developerId)).run().changes;
}
