// Accounts, money and the payment provider. Rows of money outlive their organization, so they don't reference it.
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
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
    operatorLock: text('operator_lock', { enum: ['suspended', 'awaiting_payment', 'grace'] }),
    lockedAt: moment('locked_at'),
    monthlyCapCents: integer('monthly_cap_cents'),
    accountCeilingCents: integer('account_ceiling_cents'),
    balanceCents: integer('balance_cents').notNull().default(0),
  },
  (table) => [index('billing_accounts_subscription').on(table.subscriptionId)],
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
    providerId: text('provider_id'),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    index('credit_entries_organization').on(table.organizationId, table.id),
    uniqueIndex('credit_entries_provider').on(table.providerId),
  ],
);

export const reservations = sqliteTable(
  'reservations',
  {
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id').notNull(),
    kind: text('kind', { enum: ['upload', 'download', 'refund'] }).notNull(),
    subjectId: text('subject_id').notNull(),
    amountUcents: integer('amount_ucents').notNull(),
    /** Of refunds: what the operator asked for, as JSON. */
    details: text('details'),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [uniqueIndex('reservations_subject').on(table.kind, table.subjectId)],
);

export const providerCheckouts = sqliteTable(
  'provider_checkouts',
  {
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id').notNull(),
    purpose: text('purpose', { enum: ['subscription', 'payment_method', 'topup'] }).notNull(),
    tier: text('tier', { enum: ['team', 'business'] }),
    amountCents: integer('amount_cents'),
    transactionId: text('transaction_id'),
    checkoutUrl: text('checkout_url'),
    state: text('state', { enum: ['opening', 'open', 'completed', 'failed'] }).notNull(),
    createdAt: moment('created_at').notNull(),
    /** Of paid plans: the subscription that began, and when the provider was paid. */
    subscriptionId: text('subscription_id'),
    completedAt: moment('completed_at'),
  },
  (table) => [
    uniqueIndex('provider_checkouts_transaction').on(table.transactionId),
    index('provider_checkouts_organization').on(table.organizationId, table.createdAt),
  ],
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
