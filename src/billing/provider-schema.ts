// API schemas of checkouts and plans.
import { tiers } from '../lib/tiers.ts';
import * as z from '../lib/zod.ts';

const tier = z.enum(tiers);

export const cardCaptureInput = z
  .object({ tier: tier.optional().meta({ description: 'Plan of a new subscription; by default the present one' }) })
  .meta({ id: 'CardCaptureInput' });

export const topUpInput = z
  .object({ amount_cents: z.int().meta({ description: 'Between the two limits of the server' }) })
  .meta({ id: 'TopUpInput' });

export const tierInput = z.object({ tier }).meta({ id: 'TierInput' });

export const cardCaptureResponse = z
  .object({
    transaction_id: z.string(),
    checkout_url: z.string().nullable().meta({ description: 'Page of the provider for the payment' }),
  })
  .meta({ id: 'CardCaptureResponse' });

export const tierChange = z
  .object({
    outcome: z
      .enum(['changed', 'checkout_required'])
      .meta({ description: 'checkout_required: the plan changes once the checkout is paid' }),
    tier,
    transaction_id: z.string().nullable(),
    checkout_url: z.string().nullable(),
  })
  .meta({ id: 'TierChange' });

export type CardCapture = z.output<typeof cardCaptureResponse>;
export type TierChange = z.output<typeof tierChange>;
