// API schemas of billing.
import { lockReasons } from '../lib/lock-reasons.ts';
import { dateTime, id, page } from '../lib/shapes.ts';
import { tiers } from '../lib/tiers.ts';
import * as z from '../lib/zod.ts';

const MAX_CAP = 2 ** 40;
const cents = () => z.int();
const lockReason = z.enum(lockReasons).nullable();

export const billingState = z
  .object({
    organization_id: id(),
    enabled: z.boolean(),
    provider: z.enum(['none', 'paddle']),
    online_payments: z.boolean(),
    currency: z.string().nullable(),
    tier: z.enum(tiers).nullable(),
    lifecycle: z.enum(['trial', 'active', 'ended']).nullable(),
    trial_ends_at: dateTime().nullable(),
    lock_reason: lockReason,
    locked_at: dateTime().nullable(),
    downloads_until: dateTime()
      .nullable()
      .meta({ description: 'Until when a suspended organization can serve downloads' }),
    payment_state: z.enum(['none', 'ok', 'retrying', 'failed']),
    card_on_file: z.boolean().nullable(),
    subscription: z
      .object({
        status: z.enum(['trialing', 'active', 'past_due', 'paused', 'canceled']).nullable(),
        period_ends_at: dateTime().nullable(),
      })
      .nullable(),
    balance_cents: cents().meta({ description: 'Balance less the cost of months that are not billed yet' }),
    reserved_cents: cents(),
    available_cents: cents(),
    month_to_date_cents: cents(),
    monthly_cap_cents: cents().nullable(),
    account_ceiling_cents: cents().nullable(),
    effective_cap_cents: cents().nullable(),
    has_service_side_cap: z.boolean().nullable(),
    prices: z
      .object({
        storage_gib_month_cents: cents(),
        download_gib_cents: cents(),
        seat_month_cents: cents(),
        team_month_cents: cents(),
        business_month_cents: cents(),
      })
      .nullable(),
  })
  .meta({ id: 'BillingState' });

const decimalCents = () => z.string().meta({ description: 'Cents as decimal text with six places, rounded down' });

export const usageDays = z
  .object({
    organization_id: id(),
    enabled: z.boolean(),
    month: z.string(),
    currency: z.string().nullable(),
    days: z.array(
      z.object({
        day: z.string().meta({ description: 'YYYY-MM-DD, UTC' }),
        stored_byte_hours: z.string().meta({ description: 'Whole number as text' }),
        downloaded_bytes: z.int(),
        storage_cents: decimalCents(),
        downloads_cents: decimalCents(),
        seats_cents: decimalCents(),
      }),
    ),
  })
  .meta({ id: 'UsageDays' });

export const largestBuilds = z
  .object({
    builds: z.array(
      z.object({
        build_id: id(),
        project_id: id(),
        project_name: z.string(),
        version_name: z.string(),
        build_number: z.int(),
        size_bytes: z.int(),
        uploaded_at: dateTime(),
        is_released: z.boolean().meta({ description: 'Whether it has a release that is not rolled back' }),
      }),
    ),
  })
  .meta({ id: 'LargestBuilds' });

export const usageQuery = z.object({
  month: z
    .string()
    .regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'Input should be a month such as 2026-11')
    .optional()
    .meta({ description: 'YYYY-MM, in UTC; by default this month' }),
});

const amount = () => z.string().meta({ description: 'Decimal text with six places, rounded down' });

export const usage = z
  .object({
    organization_id: id(),
    enabled: z.boolean(),
    month: z.string(),
    begins_at: dateTime(),
    ends_at: dateTime(),
    is_closed: z.boolean(),
    currency: z.string().nullable(),
    storage: z
      .object({ gib_months: amount(), byte_hours: z.string(), stored_bytes: z.int(), cost_cents: cents() })
      .nullable(),
    downloads: z.object({ gib: amount(), bytes: z.int(), cost_cents: cents() }).nullable(),
    seats: z.object({ seat_months: amount(), seats: z.int(), cost_cents: cents() }).nullable(),
    total_cents: cents(),
  })
  .meta({ id: 'Usage' });

const creditEntry = z
  .object({
    identifier: id(),
    amount_cents: cents().meta({ description: 'Always positive; the kind says in which direction' }),
    created_at: dateTime(),
    source: z.enum(['operator', 'paddle']),
    operator_name: z.string().nullable(),
    note: z.string().nullable(),
    kind: z.enum(['topup', 'refund']),
    fee_cents: cents().nullable(),
  })
  .meta({ id: 'CreditLedgerEntryResponse' });

export const creditPage = page('CreditLedgerPage', creditEntry);

export const spendCapInput = z
  .object({
    monthly_cap_cents: z.int().min(0).max(MAX_CAP).nullable().meta({ description: 'Null removes the limit' }),
  })
  .meta({ id: 'SpendCapInput' });

export const spendCap = z
  .object({
    monthly_cap_cents: cents().nullable(),
    account_ceiling_cents: cents().nullable(),
    effective_cap_cents: cents().nullable(),
  })
  .meta({ id: 'SpendCap' });

export type BillingState = z.infer<typeof billingState>;
export type Usage = z.infer<typeof usage>;
export type CreditEntry = z.infer<typeof creditEntry>;
export type SpendCap = z.infer<typeof spendCap>;
export type UsageDays = z.input<typeof usageDays>;
export type LargestBuilds = z.input<typeof largestBuilds>;
