// Wire shapes of previews.
import { dateTime, id, page } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { channel } from './schema.ts';

const pullRequest = z
  .int()
  .min(1)
  .max(2_147_483_647)
  .meta({ description: 'Number of the pull request or merge request' });

export const preview = z
  .object({
    identifier: id(),
    pull_request: pullRequest,
    channel,
    opened_at: dateTime(),
    ends_at: dateTime().meta({ description: 'When the preview ends unless it is published to again' }),
  })
  .meta({ id: 'Preview' });

export const previewPage = page('PreviewPage', preview);

export const openPreviewBody = z
  .object({
    pull_request: pullRequest,
    template_channel_id: id()
      .nullish()
      .meta({ description: 'Channel of the project whose settings a new preview gets. Ignored for an open one' }),
  })
  .meta({ id: 'PreviewOpenRequest' });

export type Preview = z.output<typeof preview>;
export type OpenPreview = z.output<typeof openPreviewBody>;
