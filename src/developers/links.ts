// Single-use links sent by email: random tokens, stored as hashes, consumed with one conditional update.
import { and, eq, gt, inArray, isNull, lte } from 'drizzle-orm';
import type { App, Context, Tx } from '../core/context.ts';
import { deleteUpTo } from '../data/queries.ts';
import { accountLinks } from '../data/tables/tables.ts';
import { HOUR } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { endCooldown } from '../mail/cooldowns.ts';

export type LinkRow = typeof accountLinks.$inferSelect;
export type LinkKind = LinkRow['kind'];

/** The lifetime of the token for the review after a password reset. */
export const REVIEW_LINK_MS = HOUR;

export interface NewLink {
  kind: LinkKind;
  developerId: string;
  /** The recipient's address. */
  email: string;
  lifetimeMs: number;
}

/** Longest accepted token. */
export const MAX_LINK_TOKEN_LENGTH = 512;

/** Creates the error for a link that is unknown, used, replaced or expired. */
export function deadLink(): AppError {
  return new AppError(
    'invalid_input',
    "This link doesn't work: it was already used, has expired or is incomplete. Request a new one",
    { field: 'token' },
  );
}

/** Creates a link. Returns its token, which isn't stored. */
export function mintLink(tx: Tx, { lifetimeMs, ...link }: NewLink): string {
  const token = tx.secrets.token();
  tx.db
    .insert(accountLinks)
    .values({ ...link, tokenHash: tx.secrets.hash(token), createdAt: tx.now, expiresAt: tx.now + lifetimeMs })
    .run();
  return token;
}

const isUsable = (app: App, kind: LinkKind, token: string, now: number) =>
  and(
    eq(accountLinks.tokenHash, app.secrets.hash(token)),
    eq(accountLinks.kind, kind),
    isNull(accountLinks.consumedAt),
    gt(accountLinks.expiresAt, now),
  );

/** Returns whether a link still works, without using it. */
export function isLinkUsable(app: App, kind: LinkKind, token: string): boolean {
  const condition = isUsable(app, kind, token, app.clock.time());
  return app.db.select({ kind: accountLinks.kind }).from(accountLinks).where(condition).get() !== undefined;
}

/** Consumes a link. Of concurrent calls, one gets it and the others undefined. */
export function consumeLink(tx: Tx, kind: LinkKind, token: string): LinkRow | undefined {
  return tx.db
    .update(accountLinks)
    .set({ consumedAt: tx.now })
    .where(isUsable(tx, kind, token, tx.now))
    .returning()
    .get();
}

/** Ends the open links of an account with the given kinds, and with them the cooldowns of their emails. */
export function endLinks(tx: Tx, developerId: string, kinds: readonly LinkKind[]): void {
  const ended = tx.db
    .update(accountLinks)
    .set({ consumedAt: tx.now })
    .where(
      and(
        eq(accountLinks.developerId, developerId),
        inArray(accountLinks.kind, [...kinds]),
        isNull(accountLinks.consumedAt),
      ),
    )
    .returning()
    .all();
  // Otherwise the next request would send nothing, with no link that works.
  for (const { kind, email, createdAt } of ended) endCooldown(tx, kind, email, createdAt);
}

/** Deletes up to `max` links that expired before a moment. Returns the number deleted. */
export function deleteExpiredLinks(ctx: Context, before: number, max: number): number {
  return ctx.transact((tx) => deleteUpTo(tx, accountLinks.tokenHash, lte(accountLinks.expiresAt, before), max), {
    bookkeeping: true,
  });
}

/** Returns the URL of a link's page, where a person confirms with a button. */
export function linkUrl({ config }: Pick<App, 'config'>, path: string, token: string): string {
  return `${config.server.base_url}${path}?token=${encodeURIComponent(token)}`;
}
