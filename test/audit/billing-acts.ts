// What the payment provider reports, with the audit rows of each.
import { loadAccount, pauseAccount } from '../../src/billing/accounts.ts';
import { insertCheckout } from '../../src/billing/checkout-store.ts';
import { addEntry } from '../../src/billing/ledger.ts';
import { setCeiling } from '../../src/billing/operator.ts';
import { receiveProviderEvent } from '../../src/billing/provider-events.ts';
import { systemContext } from '../../src/core/transact.ts';
import type { Json } from '../support/harness.ts';
import type { Act, AuditScenario } from './scenario.ts';

let count = 0;

function report({ fixture: { app } }: AuditScenario, type: string, data: Json): void {
  count += 1;
  const occurredAt = app.clock.now().getTime() + count;
  receiveProviderEvent(systemContext(app), { id: `evt_${count}`, type, occurredAt, data });
}

function openCheckout({ fixture }: AuditScenario, purpose: 'subscription' | 'topup', transactionId: string): void {
  const ctx = systemContext(fixture.app);
  loadAccount(ctx, fixture.organization_id);
  ctx.transact(
    (tx) =>
      insertCheckout(tx, {
        id: tx.ids.next(),
        organizationId: fixture.organization_id,
        purpose,
        tier: purpose === 'subscription' ? 'team' : null,
        amountCents: 5000,
        currency: 'USD',
        transactionId,
        checkoutUrl: null,
        state: 'open',
        createdAt: tx.now,
        subscriptionId: null,
        completedAt: null,
      }),
    { bookkeeping: true },
  );
}

const paid = {
  origin: 'api',
  customer_id: 'ctm_1',
  currency_code: 'USD',
  details: { totals: { subtotal: '5000', discount: '0' } },
};

export const billingActs: Act[] = [
  [
    'pay for a plan, fail to pay the next month, and pay then',
    [
      'org_card_on_file org_card_on_file',
      'org_subscription_created org_subscription',
      'org_payment_state_changed org_payment_state',
      'org_lifecycle_changed org_lifecycle',
      'org_tier_changed org_tier',
      'org_payment_state_changed org_payment_state',
      'org_payment_state_changed org_payment_state',
    ],
    async (scenario) => {
      openCheckout(scenario, 'subscription', 'txn_plan');
      report(scenario, 'transaction.completed', { ...paid, id: 'txn_plan', subscription_id: 'sub_1' });
      const renewal = { ...paid, id: 'txn_renewal', origin: 'subscription_recurring', subscription_id: 'sub_1' };
      report(scenario, 'transaction.payment_failed', renewal);
      report(scenario, 'transaction.completed', renewal);
    },
  ],
  [
    'top up, and refund it',
    ['credited credit', 'prepaid_enabled prepaid', 'refunded credit'],
    async (scenario) => {
      openCheckout(scenario, 'topup', 'txn_topup');
      report(scenario, 'transaction.completed', { ...paid, id: 'txn_topup', subscription_id: null });
      report(scenario, 'adjustment.updated', {
        id: 'adj_1',
        action: 'refund',
        status: 'approved',
        transaction_id: 'txn_topup',
        currency_code: 'USD',
        totals: { subtotal: '5000' },
      });
    },
  ],
  [
    'forfeit credit, and change a spend cap',
    ['credited credit', 'credit_forfeited credit', 'org_spend_cap_changed org_spend_cap'],
    async ({ fixture }) => {
      const ctx = systemContext(fixture.app);
      const { organization_id: organizationId } = fixture;
      const entry = { organizationId, amountCents: 100, source: 'operator' as const, operatorName: 'Dana' };
      ctx.transact((tx) => {
        addEntry(tx, { ...entry, kind: 'topup' });
        addEntry(tx, { ...entry, kind: 'forfeit' });
      });
      const config = { ...ctx.config, billing: { ...ctx.config.billing, enabled: true } };
      setCeiling(Object.assign(Object.create(ctx), { config }), organizationId, 5000, 'Dana');
      ctx.transact((tx) => pauseAccount(tx, organizationId), { bookkeeping: true });
    },
  ],
];
