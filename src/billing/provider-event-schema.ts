// What billing reads of the payment provider's events. Other fields aren't looked at, so that the provider can change them.
import { jsonInvalid } from '../lib/json-text.ts';
import { entriesOf, validationError } from '../lib/validation.ts';
import * as z from '../lib/zod.ts';

const providerId = z.string().regex(/^[a-z]{2,10}_[0-9A-Za-z]{1,60}$/);
/** A whole number of cents as text. */
const cents = z
  .string()
  .regex(/^-?\d{1,15}$/)
  .transform(Number);
const time = z
  .string()
  .max(40)
  .transform((text) => Date.parse(text))
  .pipe(z.number().int().nonnegative());

/** Ours if we opened the checkout; otherwise anything. */
const customData = z
  .object({ checkout_id: z.string(), organization_id: z.string(), purpose: z.string() })
  .nullish()
  .catch(null)
  .transform((value) => value ?? null);

const envelope = z.object({
  event_id: z.string().min(1).max(100),
  event_type: z.string().min(1).max(100),
  occurred_at: time,
  data: z.record(z.string(), z.unknown()),
});

export interface ProviderEvent {
  id: string;
  type: string;
  /** Milliseconds since the epoch. */
  occurredAt: number;
  data: Record<string, unknown>;
}

const transaction = z.object({
  id: providerId,
  origin: z.string(),
  subscription_id: providerId.nullish().transform((value) => value ?? null),
  customer_id: providerId.nullish().transform((value) => value ?? null),
  custom_data: customData,
  checkout: z
    .object({ url: z.string().max(2000).nullable() })
    .nullish()
    .catch(null)
    .transform((value) => value?.url ?? null),
});

/** What was paid, of transactions that fill the balance. */
const payment = z.object({
  currency_code: z.string(),
  details: z.object({ totals: z.object({ subtotal: cents, discount: cents }) }),
});

const subscription = z.object({
  id: providerId,
  status: z.enum(['active', 'trialing', 'past_due', 'paused', 'canceled']),
  current_billing_period: z
    .object({ ends_at: time })
    .nullish()
    .transform((value) => value?.ends_at ?? null),
});

const adjustment = z.object({
  id: providerId,
  action: z.string(),
  status: z.string(),
  transaction_id: providerId,
  currency_code: z.string(),
  reason: z.string().nullish().catch(null),
  totals: z.object({
    subtotal: cents,
    retained_fee: cents.nullish().catch(null),
  }),
  payout_totals: z
    .object({
      currency_code: z.string(),
      chargeback_fee: z
        .object({ amount: cents, original: z.object({ amount: cents, currency_code: z.string() }).nullish() })
        .nullish(),
    })
    .nullish()
    .catch(null),
});

export type TransactionData = z.output<typeof transaction>;
export type SubscriptionData = z.output<typeof subscription>;
export type AdjustmentData = z.output<typeof adjustment>;

function readShape<Shape extends z.ZodType>(shape: Shape, value: unknown, place: string): z.output<Shape> {
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  const entries = entriesOf('body', result.error, value);
  throw validationError(
    place === '' ? entries : entries.map((entry) => ({ ...entry, loc: ['body', place, ...entry.loc.slice(1)] })),
  );
}

/** Reads the body of a webhook. Throws `validation_error`. */
export function readProviderEvent(body: Buffer): ProviderEvent {
  const event = readShape(envelope, parse(body), '');
  return { id: event.event_id, type: event.event_type, occurredAt: event.occurred_at, data: event.data };
}

/** Plain JSON.parse, because the sender has been authenticated and its numbers of interest are texts. */
function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw jsonInvalid('The body is not JSON');
  }
}

/** Each reads the data of one kind of event. Throws `validation_error`. */
export const readTransaction = (event: Pick<ProviderEvent, 'data'>) => readShape(transaction, event.data, 'data');
export const readPayment = (event: Pick<ProviderEvent, 'data'>) => readShape(payment, event.data, 'data');
export const readSubscription = (event: Pick<ProviderEvent, 'data'>) => readShape(subscription, event.data, 'data');
export const readAdjustment = (event: Pick<ProviderEvent, 'data'>) => readShape(adjustment, event.data, 'data');
