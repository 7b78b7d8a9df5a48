// Wire shapes of personal data exports.
import { dateTime, id, page } from '../../lib/shapes.ts';
import * as z from '../../lib/zod.ts';

export const dataExport = z
  .object({
    identifier: id(),
    state: z.enum(['preparing', 'ready', 'failed', 'expired']),
    size_bytes: z.int().nullable(),
    downloads_left: z.int().nullable().meta({ description: 'Null until the archive is ready' }),
    created_at: dateTime(),
    ready_at: dateTime().nullable(),
    expires_at: dateTime().nullable().meta({ description: 'Expiry of the archive' }),
  })
  .meta({ id: 'DataExport' });

export const dataExportPage = page('DataExportPage', dataExport);

export const dataExportDownload = z
  .object({ download_url: z.string().meta({ description: 'Signed link to the archive' }), expires_at: dateTime() })
  .meta({ id: 'DataExportDownload' });

export type DataExport = z.output<typeof dataExport>;
