// Accounts, money and the payment provider. Rows of money outlive their organization, so they don't reference it.

import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { lockReasons } from '../../lib/lock-reasons.ts';
import { tiers } from '../../lib/tiers.ts';
import { moment, uuid } from './columns.ts';

export const billingAccounts = sqliteTable(
  'billing_accounts',
  {
    organizationId: uuid('organization_id').primaryKey(),
    lifecycle: text('lifecycle', { enum: ['trial', 'active', 'ended'] }).notNull(),
    trialEndsAt: moment('trial_ends_at'),
    committedAt: moment('committed_at'),
    cardAt: moment('card_at'),
    customerId: text('customer_id'),
    subscriptionId: text('subscription_id'),
    subscriptionStatus: text('subscription_status', {
      enum: ['trialing', 'active', 'past_due', 'paused', 'canceled'],
    }),
    statusAt: moment('status_at'),
    periodEndsAt: moment('period_ends_at'),
    paymentFailedAt: moment('payment_failed_at'),
    paymentOkAt: moment('payment_ok_at'),
    endedAt: moment('ended_at'),
    operatorLock: text('operator_lock', { enum: lockReasons }),
    lockedAt: moment('locked_at'),
    monthlyCapCents: integer('monthly_cap_cents'),
    accountCeilingCents: integer('account_ceiling_cents'),
    balanceCents: integer('balance_cents').notNull().default(0),
    /** Since when nothing is metered, because billing is off or the organization was deleted. */
    pausedAt: moment('paused_at'),
  },
  (table) => [
    index('billing_accounts_subscription').on(table.subscriptionId),
    index('billing_accounts_negative').on(table.balanceCents).where(sql`balance_cents < 0`),
  ],
);

export const creditEntries = sqliteTable(
  'credit_entries',
  {
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id').notNull(),
    kind: text('kind', { enum: ['topup', 'refund', 'usage', 'forfeit'] }).notNull(),
    amountCents: integer('amount_cents').notNull(),
    source: text('source', { enum: ['operator', 'paddle'] }).notNull(),
    operatorName: text('operator_name'),
    note: text('note'),
    feeCents: integer('fee_cents'),
    /** The id of a transaction or an adjustment of the provider, or that of the starter credit. */
    providerId: text('provider_id'),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    index('credit_entries_organization').on(table.organizationId, table.id),
    uniqueIndex('credit_entries_provider').on(table.providerId),
  ],
);

/** The unit prices, in cents. A server that starts with other ones adds a row. */
export const priceLists = sqliteTable('price_lists', {
  id: uuid('id').primaryKey(),
  storageGibMonthCents: integer('storage_gib_month_cents').notNull(),
  downloadGibCents: integer('download_gib_cents').notNull(),
  seatMonthCents: integer('seat_month_cents').notNull(),
  effectiveAt: moment('effective_at').notNull(),
});

/** What an organization used in a UTC month, at one price list. The newest row has the current levels. */
export const usageMonths = sqliteTable(
  'usage_months',
  {
    organizationId: uuid('organization_id').notNull(),
    /** YYYY-MM. */
    month: text('month').notNull(),
    priceListId: uuid('price_list_id').notNull(),
    levelBytes: integer('level_bytes').notNull(),
    levelSeats: integer('level_seats').notNull(),
    /** Until when the levels are counted in the sums below. */
    levelSince: moment('level_since').notNull(),
    /** Decimal text, because it exceeds the integers of SQLite. */
    storedByteMs: text('stored_byte_ms').notNull(),
    seatMs: integer('seat_ms').notNull(),
    downloadedBytes: integer('downloaded_bytes').notNull(),
    closedAt: moment('closed_at'),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.month, table.priceListId] }),
    index('usage_months_open').on(table.month, table.organizationId).where(sql`closed_at is null`),
  ],
);

/** The same by UTC day, for a chart. Days are deleted after 400 days. */
export const usageDays = sqliteTable(
  'usage_days',
  {
    organizationId: uuid('organization_id').notNull(),
    /** YYYY-MM-DD. */
    day: text('day').notNull(),
    priceListId: uuid('price_list_id').notNull(),
    storedByteMs: text('stored_byte_ms').notNull(),
    seatMs: integer('seat_ms').notNull(),
    downloadedBytes: integer('downloaded_bytes').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.day, table.priceListId] }),
    index('usage_days_day').on(table.day),
  ],
);

/** The expiry of the rows of `reservations` that have sums: later than any other, so that they follow the newest reservations. */
export const SUMS_AT = Number.MAX_SAFE_INTEGER;

/**
 * Amounts set aside. Every link for a download adds one, so the row is its own index: `scripts/new-migration` makes the table
 * WITHOUT ROWID. The ids of downloads are new ones, so no index checks that they are unique.
 *
 * The last row of each kind has the sum of an organization's rows of that kind, expired ones too; its subject is the organization.
 * Triggers of the migration keep it. It's in this table and directly behind the newest row, because a link for a download then
 * changes one page instead of two. So the kind precedes the expiry: uploads expire later than downloads.
 */
export const reservations = sqliteTable(
  'reservations',
  {
    organizationId: uuid('organization_id').notNull(),
    kind: text('kind', { enum: ['upload', 'download', 'refund'] }).notNull(),
    expiresAt: moment('expires_at').notNull(),
    subjectId: text('subject_id').notNull(),
    amountUcents: integer('amount_ucents').notNull(),
    /** Of refunds: what the operator asked for, as JSON. */
    details: text('details'),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.kind, table.expiresAt, table.subjectId] }),
    uniqueIndex('reservations_subject').on(table.kind, table.subjectId).where(sql`kind <> 'download'`),
  ],
);

/** Links to a bucket whose first use was counted, so that a restart counts none twice. */
export const countedLinks = sqliteTable(
  'counted_links',
  {
    reservationId: uuid('reservation_id').primaryKey(),
    /** When the link no longer works. */
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [index('counted_links_expiry').on(table.expiresAt)],
);

export const providerCheckouts = sqliteTable(
  'provider_checkouts',
  {
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id').notNull(),
    purpose: text('purpose', { enum: ['subscription', 'payment_method', 'topup'] }).notNull(),
    tier: text('tier', { enum: tiers }),
    amountCents: integer('amount_cents'),
    /** Of what is paid; null for the card of a subscription, which has its own. */
    currency: text('currency'),
    transactionId: text('transaction_id'),
    checkoutUrl: text('checkout_url'),
    state: text('state', { enum: ['opening', 'open', 'completed', 'failed'] }).notNull(),
    createdAt: moment('created_at').notNull(),
    /** The subscription whose card changes, or that began with a paid plan; and when the provider was paid for the plan. */
    subscriptionId: text('subscription_id'),
    completedAt: moment('completed_at'),
  },
  (table) => [
    uniqueIndex('provider_checkouts_transaction').on(table.transactionId),
    index('provider_checkouts_organization').on(table.organizationId, table.createdAt),
  ],
);

/**
 * Adjustments that say that a chargeback was taken back: the chargeback itself, and a further one that doesn't name it. A chargeback
 * is given back once, whichever of them is reported.
 */
export const takenBackChargebacks = sqliteTable(
  'taken_back_chargebacks',
  {
    adjustmentId: text('adjustment_id').primaryKey(),
    transactionId: text('transaction_id').notNull(),
    /** Of the chargeback. */
    action: text('action', { enum: ['chargeback', 'chargeback_warning'] }).notNull(),
    amountCents: integer('amount_cents').notNull(),
    /** Whether it's the chargeback itself. */
    isItself: integer('is_itself', { mode: 'boolean' }).notNull(),
  },
  (table) => [index('taken_back_chargebacks_transaction').on(table.transactionId)],
);

export const providerEvents = sqliteTable(
  'provider_events',
  {
    eventId: text('event_id').primaryKey(),
    type: text('type').notNull(),
    occurredAt: moment('occurred_at').notNull(),
    receivedAt: moment('received_at').notNull(),
    organizationId: uuid('organization_id'),
    outcome: text('outcome', { enum: ['applied', 'stale', 'ignored'] }).notNull(),
    /** Of ignored events about a subscription that may turn out to be ours: its id, and what the event says. */
    subscriptionId: text('subscription_id'),
    held: text('held'),
  },
  (table) => [
    index('provider_events_received').on(table.receivedAt),
    index('provider_events_subscription').on(table.subscriptionId),
  ],
);
