// The profile picture of a developer.
import type { DeveloperContext, Tx } from '../core/context.ts';
import { queueObjectDeletion } from '../core/object-deletion.ts';
import { loadDeveloper, updateDeveloper } from '../developers/store.ts';
import type { Reply } from '../http/reply.ts';
import { type ImageColumns, readImage, storeImage } from '../images/service.ts';
import { notFound } from '../lib/errors.ts';
import type { Developer } from './schema.ts';
import { toDeveloper } from './service.ts';

/**
 * Stores the caller's picture and replaces the previous one. Throws `invalid_input` unless it is a PNG, JPEG or WebP.
 */
export async function setAvatar(ctx: DeveloperContext, id: string, bytes: Buffer): Promise<Developer> {
  refuseOthers(ctx, id);
  return storeImage(ctx, bytes, (image) => ctx.transact((tx) => exchangeAvatar(tx, id, image)));
}

/** Returns the caller's picture as uploaded. Throws `not_found` if there is none, and for other developers. */
export async function readAvatar(ctx: DeveloperContext, id: string): Promise<Reply> {
  refuseOthers(ctx, id);
  const { avatarKey, avatarType } = loadDeveloper(ctx, id);
  return readImage(ctx, { iconKey: avatarKey, iconType: avatarType });
}

/** Removes the caller's picture. Throws `not_found` if there is none. */
export function removeAvatar(ctx: DeveloperContext, id: string): void {
  refuseOthers(ctx, id);
  ctx.transact((tx) => {
    if (loadDeveloper(tx, id).avatarKey === null) throw notFound();
    exchangeAvatar(tx, id, { iconKey: null, iconType: null });
  });
}

function exchangeAvatar(tx: Tx, id: string, { iconKey, iconType }: ImageColumns): Developer {
  const before = loadDeveloper(tx, id);
  const after = updateDeveloper(tx, id, { avatarKey: iconKey, avatarType: iconType });
  queueObjectDeletion(tx, [before.avatarKey]);
  tx.record('developer.edited', { identifier: id, organizationId: null, details: { fields: ['avatar'] } });
  return toDeveloper(tx, after);
}

function refuseOthers(ctx: DeveloperContext, id: string): void {
  if (id !== ctx.actor.id) throw notFound();
}
