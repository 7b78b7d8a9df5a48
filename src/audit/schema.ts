// Wire shapes of the audit trail.
import { z } from 'zod';
import { dateTime } from '../lib/shapes.ts';

/** Who did it. */
const actor = z
  .object({
    kind: z.enum(['developer', 'personal_access_token', 'project_access_token', 'system']),
    identifier: z.string().nullable(),
    name: z.string().nullable().meta({ description: 'As it was when it happened' }),
  })
  .meta({
    id: 'AuditActor',
    description: 'What nobody was signed in for, such as a failed sign-in, is told by the system',
  });

export const auditRow = z
  .object({
    timestamp: dateTime(),
    event: z.string().meta({ description: 'What happened, such as `created`; the list is open' }),
    type: z.string().meta({ description: 'To what sort of thing, such as `release`; the list is open' }),
    identifier: z.string().meta({ description: 'Of the thing it happened to' }),
    actor,
    ip_address: z.string().nullable(),
    details: z.record(z.string(), z.unknown()).meta({ description: 'Facts of the event; never a secret' }),
    event_type_label: z.string(),
    data_type_label: z.string(),
  })
  .meta({ id: 'AuditEvent' });

const day = (text: string) => z.iso.date().optional().meta({ description: text });

export const auditQuery = z.object({
  day: day('One UTC day, `YYYY-MM-DD`; today when no period is given'),
  from: day('First day of a range, with `to`'),
  to: day('Last day of a range, itself included'),
});

export type AuditRow = z.input<typeof auditRow>;
export type AuditQuery = z.output<typeof auditQuery>;
