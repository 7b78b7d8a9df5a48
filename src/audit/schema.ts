// API schemas of the audit trail.
import { dateTime } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';

/** The actor, one of the four kinds of the specification. */
const actor = z
  .object({
    kind: z.enum(['developer', 'personal_access_token', 'project_access_token', 'system']),
    identifier: z.string().nullable(),
    name: z.string().nullable().meta({ description: 'Name at the time of the event' }),
  })
  .meta({
    id: 'AuditActor',
    description: 'Events without a signed-in actor, such as a failed sign-in, have the actor system',
  });

export const auditRow = z
  .object({
    timestamp: dateTime(),
    event: z.string().meta({ description: 'Event name, such as `created`; the list is open' }),
    type: z.string().meta({ description: 'Type of the object, such as `release`; the list is open' }),
    identifier: z.string().meta({ description: 'Id of the object' }),
    actor,
    ip_address: z.string().nullable(),
    details: z.record(z.string(), z.unknown()).meta({ description: 'Details of the event; never contains secrets' }),
    event_type_label: z.string(),
    data_type_label: z.string(),
  })
  .meta({ id: 'AuditEvent' });

const day = (text: string) => z.iso.date().optional().meta({ description: text });

export const auditQuery = z.object({
  day: day('One UTC day, `YYYY-MM-DD`; today by default'),
  from: day('First day of a range, with `to`'),
  to: day('Last day of a range, inclusive'),
});

export type AuditRow = z.input<typeof auditRow>;
export type AuditQuery = z.output<typeof auditQuery>;
