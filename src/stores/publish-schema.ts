// API schemas of publish jobs (docs/specification/stores.md#publishing).
import { dateTime, id, line, page } from '../lib/shapes.ts';
import { storeProviders } from '../lib/store-providers.ts';
import * as z from '../lib/zod.ts';

export const publishInput = z
  .object({
    build_id: id(),
    store_connection_id: id(),
    track: line(50).nullish().meta({ description: 'The track or group in the store' }),
  })
  .meta({ id: 'PublishInput' });

export const publishJob = z
  .object({
    identifier: id(),
    organization_id: id(),
    project_id: id(),
    build_id: id(),
    store_connection_id: id(),
    store_connection_name: z.string().meta({ description: 'The name when the job was created' }),
    provider: z.enum(storeProviders),
    track: z.string().nullable(),
    state: z.enum(['created', 'running', 'failed']),
    failure: z.object({ code: z.literal('publishing_not_operational'), message: z.string() }).nullable(),
    created_at: dateTime(),
    created_by: id().nullable(),
    started_at: dateTime().nullable(),
    finished_at: dateTime().nullable(),
  })
  .meta({ id: 'PublishJob' });

export const publishPage = page('PublishJobPage', publishJob);

export type PublishInput = z.output<typeof publishInput>;
export type PublishJob = z.input<typeof publishJob>;
