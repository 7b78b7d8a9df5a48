// The picture of a developer: set, shown to its owner as it came, removed.
import type { DeveloperContext, Tx } from '../core/context.ts';
import { queueObjectDeletion } from '../core/object-deletion.ts';
import { loadDeveloper, updateDeveloper } from '../developers/store.ts';
import type { Reply } from '../http/reply.ts';
import { type ImageColumns, readImage, storeImage } from '../images/service.ts';
import { notFound } from '../lib/errors.ts';
import type { Developer } from './schema.ts';
import { toDeveloper } from './service.ts';

/** Stores the caller's picture, in place of the one before. Throws invalid_input for what is no PNG, JPEG or WebP. */
export async function setAvatar(ctx: DeveloperContext, id: string, bytes: Buffer): Promise<Developer> {
  refuseOthers(ctx, id);
  return storeImage(ctx, bytes, (image) => ctx.transact((tx) => exchangeAvatar(tx, id, image)));
}

/** The caller's picture as it was uploaded. Throws not_found without one, and for any other developer. */
export async function readAvatar(ctx: DeveloperContext, id: string): Promise<Reply> {
  refuseOthers(ctx, id);
  const { avatarKey, avatarType } = loadDeveloper(ctx, id);
  return readImage(ctx, { iconKey: avatarKey, iconType: avatarType });
}

/** Removes the caller's picture. Throws not_found without one. */
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
