// Previews: channels of pull requests, which end automatically (docs/specification/channels.md#previews).
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Context, ProjectContext, Sweep, Tx } from '../core/context.ts';
import { type Page, type PageRequest, readPage } from '../core/paging.ts';
import { DAY, timestamp } from '../lib/clock.ts';
import { AppError, notFound } from '../lib/errors.ts';
import type { OpenPreview, Preview } from './preview-schema.ts';
import * as store from './preview-store.ts';
import { addChannel, removeChannel, toChannel } from './service.ts';
import { loadChannel } from './store.ts';

const PREVIEWS_PER_BATCH = 20;
const BATCHES_PER_RUN = 25;

function toPreview(ctx: Pick<Context, 'config'>, { preview, channel }: store.PreviewWithChannel): Preview {
  return {
    identifier: preview.id,
    pull_request: preview.pullRequest,
    channel: toChannel(ctx, channel),
    opened_at: timestamp(preview.openedAt),
    ends_at: timestamp(preview.endsAt),
  };
}

/**
 * Opens the preview of a pull request, or moves the end of the open one. A new one has a channel with the settings of the template;
 * uploads aren't released to it automatically. Throws `quota_exceeded` if the project has too many, `already_exists` if another
 * channel has its name, and `not_found` for the template.
 */
export function openPreview(
  ctx: ProjectContext,
  { pull_request: pullRequest, template_channel_id: templateId }: OpenPreview,
): Preview {
  const { previews_per_project: most, preview_quiet_days: quietDays } = ctx.config.limits;
  return ctx.transact(
    (tx) => {
      const projectId = ctx.project.id;
      const endsAt = tx.now + quietDays * DAY;
      const open = store.findPreview(tx, projectId, pullRequest);
      if (open !== undefined) {
        store.updatePreviewEnd(tx, open.preview.id, endsAt);
        return toPreview(ctx, { ...open, preview: { ...open.preview, endsAt } });
      }
      if (store.countPreviews(tx, projectId) >= most) {
        throw new AppError(
          'quota_exceeded',
          `A project can have at most ${most} open previews. Close some, or wait until they end`,
        );
      }
      const template = typeof templateId === 'string' ? loadChannel(tx, projectId, templateId) : undefined;
      const name = `PR ${pullRequest}`;
      const place = { organizationId: ctx.organization.id, projectId };
      const { identifier: channelId } = addChannel(ctx, tx, place, {
        name,
        description: template?.description ?? null,
        auto_distribute: false,
        notify_on_release: template?.notifyOnRelease ?? false,
        public: template?.isPublic ?? false,
        allow_device_registration: template?.allowsDeviceRegistration ?? false,
      });
      const preview = { id: tx.ids.next(), projectId, channelId, pullRequest, openedAt: tx.now, endsAt };
      store.insertPreview(tx, preview);
      tx.record('preview.opened', {
        identifier: preview.id,
        ...place,
        details: { name, channel_id: channelId, pull_request: pullRequest },
      });
      return toPreview(ctx, { preview, channel: loadChannel(tx, projectId, channelId) });
    },
    // Publishing again only moves the end.
    { bookkeeping: true },
  );
}

/** Returns a page of the project's open previews, newest first. */
export function listPreviews(ctx: ProjectContext, request: PageRequest): Page<Preview> {
  return readPage(
    ctx,
    request,
    (before, limit) =>
      store.listPreviews(ctx, ctx.project.id, before, limit).map((row) => ({ ...row, id: row.preview.id })),
    (row) => toPreview(ctx, row),
  );
}

/** Ends a preview. Throws `not_found` if it isn't open. */
export function closePreview(ctx: ProjectContext, id: string): void {
  ctx.transact(
    (tx) => {
      const open = store.findPreviewById(tx, id);
      if (open?.preview.projectId !== ctx.project.id) throw notFound();
      endPreview(tx, open, 'closed');
    },
    { removes: true },
  );
}

/** Deletes the preview and its channel with its releases. The builds stay, and nothing keeps them from retention anymore. */
function endPreview(tx: Tx, { preview, channel }: store.PreviewWithChannel, reason: 'closed' | 'quiet'): void {
  const { name, organizationId, projectId } = channel;
  store.deletePreview(tx, preview.id);
  removeChannel(tx, channel);
  tx.record('preview.ended', {
    identifier: preview.id,
    organizationId,
    projectId,
    details: { name, channel_id: channel.id, pull_request: preview.pullRequest, reason },
    data: { channel_id: channel.id },
  });
}

/** Ends previews that were quiet until their end. Skipped while the clock isn't trusted. */
export const previewSweep: Sweep = {
  name: 'previews',
  deletesByAge: true,
  schedule: '*/10 * * * *',
  async run(ctx) {
    let ended = 0;
    for (let batch = 0; batch < BATCHES_PER_RUN; batch += 1) {
      const count = ctx.transact(
        (tx) => {
          const quiet = store.listQuietPreviews(tx, tx.now, PREVIEWS_PER_BATCH);
          for (const open of quiet) endPreview(tx, open, 'quiet');
          return quiet.length;
        },
        { removes: true },
      );
      ended += count;
      if (count < PREVIEWS_PER_BATCH) break;
      await yieldToOthers();
    }
    return ended;
  },
};
