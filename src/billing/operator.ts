// What the operator does to the billing of organizations, by command.

import { eq } from 'drizzle-orm';
import type { Context, Tx } from '../core/context.ts';
import { billingAccounts } from '../data/tables/tables.ts';
import { DAY } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { LockReason } from '../lib/lock-reasons.ts';
import type { Tier } from '../lib/tiers.ts';
import { loadOrganization } from '../organizations/store.ts';
import {
  type Account,
  applyFacts,
  type BillingFacts,
  hasCardOnFile,
  requireBilling,
  setTier,
  useAccount,
} from './accounts.ts';
import { toCents } from './costs.ts';
import { readFunds } from './gates.ts';
import { addEntry } from './ledger.ts';
import { forgetPlanChanges } from './plan-confirmation.ts';
import { requestRefund } from './refund-requests.ts';
import type { BillingState } from './schema.ts';
import { readBilling } from './service.ts';

const by = (operator: string) => ({ operator_name: operator });

interface Movement {
  cents: number;
  note: string | null;
  operatorName: string;
}

/** Runs a change of an account. Throws `operation_not_allowed` with billing off, and `not_found`. */
function change(ctx: Context, id: string, work: (tx: Tx, account: Account) => void): BillingState {
  requireBilling(ctx);
  ctx.transact(
    (tx) => {
      loadOrganization(tx, id);
      work(tx, useAccount(tx, id));
    },
    { bookkeeping: true },
  );
  return readBilling(ctx, id);
}

/**
 * Sets the plan without a payment, also if an upgrade is waiting for its confirmation. With `isCommitted`, the organization is locked
 * until it has a card.
 */
export function assignTier(ctx: Context, id: string, tier: Tier, isCommitted: boolean, operator: string): BillingState {
  return change(ctx, id, (tx) => {
    forgetPlanChanges(tx, id);
    setTier(tx, id, tier, by(operator));
    if (isCommitted) applyFacts(tx, id, { committedAt: tx.now }, by(operator));
  });
}

/** Locks an organization until `unlockOrganization`. */
export function lockOrganization(ctx: Context, id: string, reason: LockReason, operator: string): BillingState {
  return change(ctx, id, (tx) => void applyFacts(tx, id, { operatorLock: reason }, by(operator)));
}

/** Removes the operator's lock and the causes of others: a failed payment counts as paid, and an ended trial continues. */
export function unlockOrganization(
  ctx: Context,
  id: string,
  trialDays: number | undefined,
  operator: string,
): BillingState {
  return change(ctx, id, (tx, account) => {
    const facts: BillingFacts = { operatorLock: null, committedAt: null };
    const isOwed = (account.paymentFailedAt ?? 0) > (account.paymentOkAt ?? 0);
    const hasEnded = (account.endedAt ?? 0) > (account.paymentOkAt ?? 0);
    // Later than what it settles, also if the provider's clock is ahead.
    if (isOwed || hasEnded) {
      facts.paymentOkAt = Math.max(tx.now, (account.paymentFailedAt ?? 0) + 1, (account.endedAt ?? 0) + 1);
    }
    const isTrial = account.lifecycle === 'trial' && !hasCardOnFile(account);
    const isOver = account.trialEndsAt === null || account.trialEndsAt <= tx.now;
    if (isTrial && (isOver || trialDays !== undefined)) {
      facts.trialEndsAt = tx.now + (trialDays ?? Math.max(1, tx.config.billing.trial_days)) * DAY;
    }
    applyFacts(tx, id, facts, by(operator));
  });
}

/** Adds to the balance. */
export function creditOrganization(ctx: Context, id: string, { cents, note, operatorName }: Movement): BillingState {
  return change(ctx, id, (tx) => {
    addEntry(tx, { organizationId: id, kind: 'topup', amountCents: cents, source: 'operator', operatorName, note });
  });
}

/**
 * Takes from the balance what was paid back. With a transaction, the provider is asked to pay it back, and the balance changes when
 * it approves. Throws `operation_not_allowed` for more than what is available.
 */
export async function refundOrganization(
  ctx: Context,
  id: string,
  movement: Movement & { feeCents: number | null; transactionId: string | undefined },
): Promise<BillingState> {
  const { cents: amountCents, feeCents, note, operatorName, transactionId } = movement;
  const request = { organizationId: id, amountCents, feeCents, note, operatorName };
  if ((feeCents ?? 0) > amountCents)
    throw new AppError('operation_not_allowed', 'The fee must not be higher than the amount');
  if (transactionId === undefined) {
    return change(ctx, id, (tx, account) => {
      requireAvailable(tx, account, amountCents);
      addEntry(tx, { ...request, kind: 'refund', source: 'operator' });
    });
  }
  requireBilling(ctx);
  loadOrganization(ctx, id);
  await requestRefund(ctx, transactionId, request, (tx) => requireAvailable(tx, useAccount(tx, id), amountCents));
  return readBilling(ctx, id);
}

function requireAvailable(ctx: Context, account: Account, cents: number): void {
  const available = toCents(readFunds(ctx, account).available);
  if (cents > available) {
    throw new AppError('operation_not_allowed', `Only ${Math.max(0, available)} cents are available`);
  }
}

/** Sets or removes the highest monthly cost that the operator allows. */
export function setCeiling(
  ctx: Context,
  id: string,
  accountCeilingCents: number | null,
  operator: string,
): BillingState {
  return change(ctx, id, (tx, account) => {
    if (account.accountCeilingCents === accountCeilingCents) return;
    tx.db.update(billingAccounts).set({ accountCeilingCents }).where(eq(billingAccounts.organizationId, id)).run();
    tx.record('organization.spend_cap_changed', {
      identifier: id,
      organizationId: id,
      details: { ceiling: { from: account.accountCeilingCents, to: accountCeilingCents }, ...by(operator) },
    });
  });
}
