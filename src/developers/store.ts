// Queries for developers and the first-run setup link.
import { and, eq, gt, isNull, lte, ne } from 'drizzle-orm';
import { placeholder, sql } from 'drizzle-orm/sql/sql';
import type { App, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { developers, setupLinks } from '../data/tables/tables.ts';
import { notFound } from '../lib/errors.ts';

export type DeveloperRow = typeof developers.$inferSelect;
type Db = Pick<App, 'db'>;

const byId = prepared((db) =>
  db
    .select()
    .from(developers)
    .where(eq(developers.id, placeholder('id')))
    .prepare(),
);

const byEmail = prepared((db) =>
  db
    .select()
    .from(developers)
    .where(eq(developers.email, placeholder('email')))
    .prepare(),
);

export function findDeveloper(app: Db, id: string): DeveloperRow | undefined {
  return byId(app).get({ id });
}

export function loadDeveloper(app: Db, id: string): DeveloperRow {
  const row = findDeveloper(app, id);
  if (row === undefined) throw notFound();
  return row;
}

/** Returns the developer with a normalized address (trimmed, lower case). */
export function findDeveloperByEmail(app: Db, email: string): DeveloperRow | undefined {
  return byEmail(app).get({ email });
}

/** Returns the default name of an account: the part of the address before the @. */
export function nameOfAddress(email: string): string {
  return email.slice(0, email.indexOf('@'));
}

/** Returns all developers, oldest first, for the operator. */
export function listDevelopers(app: Db): DeveloperRow[] {
  return app.db.select().from(developers).orderBy(developers.id).all();
}

const anyOperator = prepared((db) =>
  db
    .select({ id: developers.id })
    .from(developers)
    // SQLite uses the partial index only if the value is a literal, so it isn't bound as a parameter.
    .where(sql`is_operator = 1`)
    .limit(1)
    .prepare(),
);

/** Returns whether any account is an operator of this installation. */
export function hasOperator(app: Db): boolean {
  return anyOperator(app).get() !== undefined;
}

export function insertDeveloper(tx: Tx, row: DeveloperRow): void {
  tx.db.insert(developers).values(row).run();
}

export function updateDeveloper(tx: Tx, id: string, changes: Partial<DeveloperRow>): DeveloperRow {
  const row = tx.db.update(developers).set(changes).where(eq(developers.id, id)).returning().get();
  if (row === undefined) throw notFound();
  return row;
}

/** Replaces a password hash if it is still the verified one. */
export function replacePasswordHash(tx: Tx, id: string, from: string, to: string): void {
  tx.db
    .update(developers)
    .set({ passwordHash: to })
    .where(and(eq(developers.id, id), eq(developers.passwordHash, from)))
    .run();
}

/** Saves the newest setup link and deletes all others. */
export function replaceSetupLink(tx: Tx, tokenHash: string, expiresAt: number): void {
  tx.db.delete(setupLinks).where(ne(setupLinks.tokenHash, tokenHash)).run();
  tx.db.insert(setupLinks).values({ tokenHash, createdAt: tx.now, expiresAt }).run();
}

const usable = (tokenHash: string, now: number) =>
  and(eq(setupLinks.tokenHash, tokenHash), isNull(setupLinks.consumedAt), gt(setupLinks.expiresAt, now));

/** Returns whether any setup link is valid at `now`. */
export function hasUsableSetupLink(app: Db, now: number): boolean {
  const isUsable = and(isNull(setupLinks.consumedAt), gt(setupLinks.expiresAt, now));
  return app.db.select({ expiresAt: setupLinks.expiresAt }).from(setupLinks).where(isUsable).get() !== undefined;
}

export function isSetupLinkUsable(app: Db, tokenHash: string, now: number): boolean {
  return app.db.select().from(setupLinks).where(usable(tokenHash, now)).get() !== undefined;
}

/** Consumes a link with one conditional update. Returns false if it was no longer valid. */
export function consumeSetupLink(tx: Tx, tokenHash: string): boolean {
  return tx.db.update(setupLinks).set({ consumedAt: tx.now }).where(usable(tokenHash, tx.now)).run().changes === 1;
}

/** Deletes expired setup links. Returns the number deleted. */
export function deleteEndedSetupLinks(tx: Tx, before: number): number {
  return tx.db.delete(setupLinks).where(lte(setupLinks.expiresAt, before)).run().changes;
}

/**
 * Returns whether an account is scheduled for deletion and never verified its address. People who show that they read the address
 * get a new account.
 */
export function isAbandoned({ emailVerifiedAt, deletionDueAt }: DeveloperRow): boolean {
  return emailVerifiedAt === null && deletionDueAt !== null;
}

/**
 * Returns whether anyone can sign up with the address of an account: it is abandoned, and nobody vouched for it. The owner of one
 * that was vouched for can still cancel the deletion.
 */
export function isUnclaimed(developer: DeveloperRow): boolean {
  return isAbandoned(developer) && developer.vouchedAt === null;
}
