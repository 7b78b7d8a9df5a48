// What organizations see of their billing, and their spend cap (docs/specification/billing.md#accounts).
import { eq } from 'drizzle-orm';
import type { App, Context, OrganizationContext } from '../core/context.ts';
import { type Page, type PageRequest, readPage } from '../core/paging.ts';
import { billingAccounts } from '../data/tables/tables.ts';
import { lockOf } from '../http/organization-lock.ts';
import { timestamp, timestampOrNull } from '../lib/clock.ts';
import { validationError } from '../lib/validation.ts';
import { loadOrganization } from '../organizations/store.ts';
import { type Account, findAccount, hasCardOnFile, loadAccount, paymentStateOf, requireBilling } from './accounts.ts';
import { beginningOf, endOf, GIB, lengthOf, monthOf, toCents, totalOf, UCENTS } from './costs.ts';
import { effectiveCap, hasOwnStorage, readFunds, shownFunds } from './gates.ts';
import { listShownEntries } from './ledger.ts';
import { meteredTime } from './meters.ts';
import { usesPaddle } from './paddle.ts';
import type { BillingState, CreditEntry, SpendCap, Usage, UsageDays } from './schema.ts';
import { findFirstMonth, readDays, readMonth } from './usage.ts';

const noMoney = { balance_cents: 0, reserved_cents: 0, available_cents: 0, month_to_date_cents: 0 };

/** Returns the state of an organization's billing. With billing off, it says only that. */
export function readBilling(ctx: Context, organizationId: string): BillingState {
  const { billing } = ctx.config;
  if (!billing.enabled) {
    return {
      organization_id: organizationId,
      enabled: false,
      provider: 'none',
      online_payments: false,
      currency: null,
      tier: null,
      lifecycle: null,
      trial_ends_at: null,
      lock_reason: null,
      locked_at: null,
      downloads_until: null,
      payment_state: 'none',
      card_on_file: null,
      subscription: null,
      ...noMoney,
      monthly_cap_cents: null,
      account_ceiling_cents: null,
      effective_cap_cents: null,
      has_service_side_cap: null,
      prices: null,
    };
  }
  const account = loadAccount(ctx, organizationId);
  const organization = loadOrganization(ctx, organizationId);
  const lock = lockOf(ctx, organization);
  const { subscriptionId, subscriptionStatus } = account;
  // A trial that has just ended isn't stored as a lock yet.
  const lockedAt = lock === null ? null : (account.lockedAt ?? organization.lockAdvancesAt);
  return {
    organization_id: organizationId,
    enabled: true,
    provider: billing.provider,
    online_payments: usesPaddle(ctx),
    currency: billing.currency,
    tier: organization.tier,
    lifecycle: account.lifecycle,
    trial_ends_at: timestampOrNull(account.trialEndsAt),
    lock_reason: lock,
    locked_at: timestampOrNull(lockedAt),
    downloads_until: lock === 'suspended' ? timestampOrNull(organization.lockAdvancesAt) : null,
    payment_state: paymentStateOf(account),
    card_on_file: hasCardOnFile(account),
    subscription:
      subscriptionId === null
        ? null
        : { status: subscriptionStatus, period_ends_at: timestampOrNull(account.periodEndsAt) },
    ...shownFunds(readFunds(ctx, account)),
    ...toSpendCap(account),
    has_service_side_cap: !hasOwnStorage(ctx, account.organizationId),
    prices: { ...billing.prices },
  };
}

/** Returns the balance of an organization as `readBilling` does, without creating its account. */
export function readBalance(app: Pick<App, 'db' | 'clock' | 'clockGuard'>, organizationId: string): number {
  const account = findAccount(app, organizationId);
  return account === undefined ? 0 : shownFunds(readFunds(app, account)).balance_cents;
}

/**
 * Returns what was used in a month. Throws `validation_error` for a month before the first one or after this one.
 */
export function readUsage(ctx: OrganizationContext, asked: string | undefined): Usage {
  const { id } = ctx.organization;
  const isOn = ctx.config.billing.enabled;
  if (isOn) loadAccount(ctx, id);
  const month = checkMonth(ctx, id, asked);
  const frame = {
    organization_id: id,
    enabled: isOn,
    month,
    begins_at: timestamp(beginningOf(month)),
    ends_at: timestamp(endOf(month)),
  };
  if (!isOn) {
    return { ...frame, is_closed: false, currency: null, storage: null, downloads: null, seats: null, total_cents: 0 };
  }
  const { rows, costs } = readMonth(ctx, id, month, meteredTime(ctx));
  const sum = (of: (row: (typeof rows)[number]) => bigint) => rows.reduce((total, row) => total + of(row), 0n);
  const byteMs = sum((row) => BigInt(row.storedByteMs));
  const seatMs = sum((row) => BigInt(row.seatMs));
  const bytes = sum((row) => BigInt(row.downloadedBytes));
  const last = rows.at(-1);
  const isClosed = rows.length > 0 && rows.every(({ closedAt }) => closedAt !== null);
  // Each meter of a closed month was charged in whole cents.
  const totalCents = isClosed
    ? toCents(costs.storage) + toCents(costs.downloads) + toCents(costs.seats)
    : toCents(totalOf(costs));
  return {
    ...frame,
    is_closed: isClosed,
    currency: ctx.config.billing.currency,
    storage: {
      gib_months: decimal(byteMs, GIB * lengthOf(month)),
      byte_hours: String(byteMs / 3_600_000n),
      stored_bytes: last?.levelBytes ?? 0,
      cost_cents: toCents(costs.storage),
    },
    downloads: { gib: decimal(bytes, GIB), bytes: Number(bytes), cost_cents: toCents(costs.downloads) },
    seats: {
      seat_months: decimal(seatMs, lengthOf(month)),
      seats: last?.levelSeats ?? 0,
      cost_cents: toCents(costs.seats),
    },
    total_cents: totalCents,
  };
}

/** Returns the asked month, by default the current one. Throws `validation_error` for one before the first or after this one. */
function checkMonth(ctx: OrganizationContext, id: string, asked: string | undefined): string {
  const now = meteredTime(ctx);
  const month = asked ?? monthOf(now);
  const first = ctx.config.billing.enabled ? (findFirstMonth(ctx, id) ?? month) : month;
  if (month < first || month > monthOf(now)) {
    throw validationError([
      {
        type: month < first ? 'greater_than_equal' : 'less_than_equal',
        loc: ['query', 'month'],
        msg: month < first ? `Input should be ${first} or later` : `Input should be ${monthOf(now)} or earlier`,
      },
    ]);
  }
  return month;
}

/** Returns the use of each day of a month. Throws like `readUsage`. */
export function readUsageDays(ctx: OrganizationContext, asked: string | undefined): UsageDays {
  const { id } = ctx.organization;
  const { enabled, currency } = ctx.config.billing;
  if (enabled) loadAccount(ctx, id);
  const month = checkMonth(ctx, id, asked);
  if (!enabled) return { organization_id: id, enabled, month, currency: null, days: [] };
  const days = readDays(ctx, id, month, meteredTime(ctx));
  return {
    organization_id: id,
    enabled,
    month,
    currency,
    days: days.map(({ day, storedByteMs, downloadedBytes, costs }) => ({
      day,
      stored_byte_hours: String(storedByteMs / 3_600_000n),
      downloaded_bytes: Number(downloadedBytes),
      storage_cents: decimal(costs.storage, UCENTS),
      downloads_cents: decimal(costs.downloads, UCENTS),
      seats_cents: decimal(costs.seats, UCENTS),
    })),
  };
}

/** Returns a quotient with six places, rounded down. */
function decimal(amount: bigint, unit: bigint): string {
  const scaled = (amount * 1_000_000n) / unit;
  return `${scaled / 1_000_000n}.${String(scaled % 1_000_000n).padStart(6, '0')}`;
}

/** Returns a page of top-ups and refunds, newest first. */
export function listCredits(ctx: OrganizationContext, request: PageRequest): Page<CreditEntry> {
  return readPage(
    ctx,
    request,
    (before, limit) => listShownEntries(ctx, ctx.organization.id, before, limit),
    (row) => ({
      identifier: row.id,
      amount_cents: row.amountCents,
      created_at: timestamp(row.createdAt),
      source: row.source,
      operator_name: row.operatorName,
      note: row.note,
      kind: row.kind as CreditEntry['kind'],
      fee_cents: row.feeCents,
    }),
  );
}

function toSpendCap(account: Pick<Account, 'monthlyCapCents' | 'accountCeilingCents'>): SpendCap {
  return {
    monthly_cap_cents: account.monthlyCapCents,
    account_ceiling_cents: account.accountCeilingCents,
    effective_cap_cents: effectiveCap(account),
  };
}

/** Returns the spend cap. It exists with billing off too, without an effect. */
export function readSpendCap(ctx: OrganizationContext): SpendCap {
  const account = findAccount(ctx, ctx.organization.id);
  return toSpendCap(account ?? { monthlyCapCents: null, accountCeilingCents: null });
}

/** Sets or removes the organization's own limit. Recorded only if it changes. Throws `operation_not_allowed` with billing off. */
export function setSpendCap(ctx: OrganizationContext, monthlyCapCents: number | null): SpendCap {
  const { id } = ctx.organization;
  requireBilling(ctx);
  loadAccount(ctx, id);
  return ctx.transact((tx) => {
    const account = loadAccount(tx, id);
    const after = { ...account, monthlyCapCents };
    if (account.monthlyCapCents === monthlyCapCents) return toSpendCap(account);
    tx.db.update(billingAccounts).set({ monthlyCapCents }).where(eq(billingAccounts.organizationId, id)).run();
    tx.record('organization.spend_cap_changed', {
      identifier: id,
      organizationId: id,
      details: { from: account.monthlyCapCents, to: monthlyCapCents },
    });
    return toSpendCap(after);
  });
}
