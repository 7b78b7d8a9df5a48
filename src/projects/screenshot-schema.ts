// Wire shapes of screenshots.
import { dateTime, id } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { MAX_SCREENSHOTS } from './screenshot-limits.ts';

export const screenshot = z
  .object({
    identifier: id(),
    url: z.string(),
    width: z.number().int(),
    height: z.number().int(),
    created_at: dateTime(),
  })
  .meta({ id: 'Screenshot', description: 'A picture of the app, in pixels' });

export const screenshots = z
  .object({ items: z.array(screenshot) })
  .meta({ id: 'Screenshots', description: 'In the order in which install pages show them' });

export const screenshotOrder = z
  .object({ screenshot_ids: z.array(id()).max(MAX_SCREENSHOTS) })
  .meta({ id: 'ScreenshotOrder' });

export const inScreenshotPath = z.object({ project_id: id(), screenshot_id: id() });

export type Screenshot = z.input<typeof screenshot>;
export type Screenshots = z.input<typeof screenshots>;
