// API schemas of the setup checklist of an organization.
import * as z from '../lib/zod.ts';

/** The steps in the order in which they help. The first three and the last one are the operator's. */
const setupStepNames = ['address', 'https', 'email', 'project', 'phone', 'colleague', 'backup'] as const;
export type SetupStepName = (typeof setupStepNames)[number];

const setupServer = z
  .object({
    base_url: z.string(),
    suggested_base_url: z.string().nullable().meta({
      description: 'An address of this machine in its network; null if base_url is reachable or there is none',
    }),
    tls_mode: z.string(),
    port: z.int(),
    mail_transport: z.string(),
    data_dir: z.string(),
  })
  .meta({ id: 'SetupServer', description: 'Settings of the server, for lines to copy' });

export const setupState = z
  .object({
    is_dismissed: z.boolean().meta({ description: 'Whether the caller hid the checklist' }),
    is_complete: z.boolean(),
    steps: z
      .array(z.object({ name: z.enum(setupStepNames), is_done: z.boolean() }))
      .meta({ description: 'Steps that the caller can do. Those of the server are for operators' }),
    server: setupServer.nullable().meta({ description: 'Null for people who are not operators' }),
  })
  .meta({ id: 'SetupState' });

export const setupChange = z
  .object({
    is_dismissed: z.boolean().optional(),
    has_backup: z.boolean().optional().meta({ description: 'Operators confirm that the server is backed up' }),
  })
  .meta({ id: 'SetupChange' });

export const testEmail = z.object({ recipient: z.string() }).meta({ id: 'TestEmail' });

export type SetupState = z.input<typeof setupState>;
export type SetupChange = z.output<typeof setupChange>;
