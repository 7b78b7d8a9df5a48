// The review of additions to an account after a password reset. It requires a token from the response to the reset.
import type { Context, Tx } from '../core/context.ts';
import { consumeLink, deadLink, mintLink, REVIEW_LINK_MS } from '../developers/links.ts';
import { findDeveloper, loadDeveloper } from '../developers/store.ts';
import { AppError } from '../lib/errors.ts';
import { fieldError } from '../lib/validation.ts';
import { type Additions, keepAdditions, listAdditions, removeAddition, suspendPasskeys } from './additions.ts';
import type { Addition, AdditionReview, ReviewRequest } from './schema.ts';

export const REVIEW_PATH = '/api/v1/login/password_reset/review';

interface PendingReview {
  added: Addition[];
  review_token: string | null;
}

/** Lists the additions to an account and creates the token of its review. */
export function openReview(tx: Tx, developerId: string): PendingReview {
  const developer = loadDeveloper(tx, developerId);
  const { items } = listAdditions(tx, developer);
  suspendPasskeys(tx, items);
  return toPending(tx, developer, items, REVIEW_LINK_MS);
}

function toPending(
  tx: Tx,
  { id: developerId, email }: { id: string; email: string },
  added: Addition[],
  lifetimeMs: number,
): PendingReview {
  if (added.length === 0) return { added, review_token: null };
  return { added, review_token: mintLink(tx, { kind: 'review_additions', developerId, email, lifetimeMs }) };
}

/**
 * Removes additions and keeps the rest if requested. A token works once. While something is left to review, the
 * response contains a new token that expires no later. Throws `validation_error` if nothing is chosen, and
 * `invalid_input` for an invalid token or an identifier that isn't listed. Nothing is removed then, and the token still
 * works.
 */
export function reviewAdditions(ctx: Context, body: ReviewRequest): AdditionReview {
  refuseNoChoice(body);
  return ctx.transact((tx) => {
    const link = consumeLink(tx, 'review_additions', body.review_token);
    const developer = link === undefined ? undefined : findDeveloper(tx, link.developerId);
    if (link === undefined || developer === undefined) throw unusable();
    if (developer.lockedAt !== null || developer.email !== link.email) throw unusable();
    const listed = listAdditions(tx, developer);
    const removed = chosen(listed, body);
    for (const item of removed) removeAddition(tx, developer, item);
    const left = listAdditions(tx, loadDeveloper(tx, developer.id));
    const isDone = isTrue(body.keep_rest) || left.items.length === 0;
    // The rest may include what the owner hasn't seen yet.
    if (isDone) keepAdditions(tx, developer, { isCut: listed.isCut && left.items.length > 0 });
    const rest = isDone ? [] : left.items;
    return { status: 'reviewed', removed: removed.length, ...toPending(tx, developer, rest, link.expiresAt - tx.now) };
  });
}

const isTrue = (value: boolean | 'true' | undefined) => value === true || value === 'true';

function refuseNoChoice({ remove = [], remove_all, keep_rest }: ReviewRequest): void {
  if (remove.length > 0 || isTrue(remove_all) || isTrue(keep_rest)) return;
  throw fieldError('body', ['remove'], 'missing', 'Choose items to remove, or keep the rest');
}

function chosen({ items }: Additions, { remove = [], remove_all }: ReviewRequest): Addition[] {
  if (isTrue(remove_all)) return items;
  const names = new Set(typeof remove === 'string' ? [remove] : remove);
  const found = items.filter(({ identifier }) => names.has(identifier));
  if (found.length === names.size) return found;
  throw new AppError('invalid_input', "`remove` contains an identifier that isn't in the list", { field: 'remove' });
}

function unusable(): AppError {
  const { code, message } = deadLink();
  return new AppError(code, message, { field: 'review_token' });
}
