// API schemas of the server's status.
import { captchaProviders } from '../lib/captcha-providers.ts';
import { serverBackends } from '../lib/storage-backends.ts';
import * as z from '../lib/zod.ts';

export const liveness = z.object({ status: z.literal('ok') }).meta({ id: 'Liveness' });

export const readiness = z
  .object({
    status: z.enum(['ready', 'not_ready']),
    checks: z.record(z.string(), z.object({ ok: z.boolean(), detail: z.string() })),
  })
  .meta({ id: 'Readiness' });

export const versionInfo = z
  .object({ version: z.string(), commit: z.string(), built_at: z.string().nullable() })
  .meta({ id: 'Version' });

const plan = z
  .object({
    build_retention_days: z.number().int().meta({ description: '0 to keep builds forever' }),
    audit_retention_days: z.number().int().meta({ description: '0 to keep audit events forever' }),
    sso: z.boolean().meta({ description: 'Whether single sign-on can be set up' }),
  })
  .meta({ id: 'Plan' });

export const serviceInfo = z
  .object({
    name: z.string(),
    version: z.string(),
    api_versions: z.array(z.string()),
    features: z.object({
      signup: z.enum(['open', 'invited', 'closed']),
      new_organizations: z.boolean().meta({ description: 'Whether people can create organizations' }),
      billing: z.boolean(),
      online_payments: z.boolean(),
      business: z
        .enum(['available', 'coming_soon'])
        .meta({ description: 'Whether admins can order the Business plan' }),
      sso: z.boolean(),
      captcha: z.enum(captchaProviders),
      mail: z.enum(['outbox', 'smtp']),
      storage: z.enum(serverBackends),
    }),
    plans: z.object({ team: plan, business: plan }).meta({ description: 'What the plans include' }),
    setup_pending: z.boolean().meta({ description: 'Whether the server still has no operator, so nobody can sign up' }),
    limits: z.record(z.string(), z.number()).meta({ description: 'Limits by their configuration names' }),
  })
  .meta({ id: 'Service' });

export type Service = z.output<typeof serviceInfo>;
export type Readiness = z.output<typeof readiness>;
