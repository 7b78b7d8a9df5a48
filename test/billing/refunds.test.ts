// Refunds that the operator asks of the payment provider: reserved until they are approved or rejected.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { refundOrganization } from '../../src/billing/operator.ts';
import { systemContext } from '../../src/core/transact.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { AppError } from '../../src/lib/errors.ts';
import { listReservations } from './metered.ts';
import { type BillingScenario, type Organization, startBilling } from './scenario.ts';

let scenario: BillingScenario;
let organization: Organization;
let transaction: string;
beforeAll(async () => {
  scenario = await startBilling();
});
afterAll(() => scenario.stop());
beforeEach(async () => {
  organization = await scenario.newOrganization();
  transaction = await organization.open('billing/topup', { amount_cents: 5000 });
  scenario.provider.pay(transaction);
  await scenario.deliver(...scenario.provider.takeEvents());
});

const refund = (
  facts: { amountCents?: number; feeCents?: number | null } = {},
  of = organization,
  app = scenario.fixture.app,
) =>
  refundOrganization(systemContext(app), of.id, {
    cents: facts.amountCents ?? 2000,
    feeCents: facts.feeCents === undefined ? 300 : facts.feeCents,
    operatorName: 'ada',
    note: 'Asked by phone',
    transactionId: transaction,
  });
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof AppError ? error.code : error),
  );
const reserved = () =>
  listReservations(scenario.fixture.app)
    .filter((row) => row.organizationId === organization.id)
    .map(({ kind, amountUcents }) => [kind, amountUcents]);
const lastAdjustment = () => scenario.provider.adjustments().at(-1)?.id ?? '';

describe('a refund through the provider', () => {
  it('pays back the amount less the fee, and counts when it is approved', async () => {
    expect(await refund()).toMatchObject({ balance_cents: 5000, reserved_cents: 2000, available_cents: 3000 });
    const adjustmentId = lastAdjustment();
    const [line] = (scenario.provider.transaction(transaction).details as { line_items: { id: string }[] }).line_items;
    expect(scenario.provider.asked.at(-1)).toMatchObject({
      method: 'POST',
      path: '/adjustments',
      body: {
        action: 'refund',
        type: 'partial',
        tax_mode: 'external',
        transaction_id: transaction,
        reason: expect.stringMatching(/^Refund [0-9a-f-]{36}: Asked by phone$/),
        items: [{ item_id: line?.id, type: 'partial', amount: '1700' }],
      },
    });
    await scenario.deliver(...scenario.provider.takeEvents());
    expect(organization.state()).toMatchObject({ balance: 5000 });
    expect(reserved()).toEqual([['refund', 2_000_000_000]]);
    scenario.provider.settleRefund(adjustmentId, 'approved');
    const events = scenario.provider.takeEvents();
    await scenario.deliver(...events, ...events);
    expect(organization.entries()).toEqual([
      { kind: 'refund', amount: 2000, source: 'operator', operator: 'ada', fee: 300, id: adjustmentId },
      { kind: 'topup', amount: 5000, source: 'paddle', id: transaction },
    ]);
    expect(organization.state()).toMatchObject({ balance: 3000 });
    expect(reserved()).toEqual([]);
  });

  it('reserves nothing anymore when it is rejected, in any order', async () => {
    expect(await refund()).toMatchObject({ balance_cents: 5000, reserved_cents: 2000, available_cents: 3000 });
    const adjustmentId = lastAdjustment();
    scenario.provider.settleRefund(adjustmentId, 'rejected');
    await scenario.deliver(...scenario.provider.takeEvents().reverse());
    expect(organization.state()).toMatchObject({ balance: 5000 });
    expect(reserved()).toEqual([]);
  });

  it.each([
    ['is found at the provider', [], undefined],
    ['is reported later', ['broken'], 'payment_provider_unavailable'],
  ] as const)('whose answer was lost %s', async (_, further, code) => {
    scenario.provider.fail({ path: /^\/adjustments$/, how: 'lost' });
    for (const how of further) scenario.provider.fail({ path: /^\/adjustments$/, how });
    expect(await codeOf(refund())).toBe(code);
    scenario.fixture.clock.advance(2 * MINUTE);
    await scenario.fixture.drain();
    expect(reserved()).toHaveLength(1);
    scenario.provider.settleRefund(lastAdjustment(), 'approved');
    await scenario.deliver(...scenario.provider.takeEvents());
    expect(organization.entries()).toContainEqual({
      kind: 'refund',
      amount: 2000,
      source: 'operator',
      operator: 'ada',
      fee: 300,
      id: lastAdjustment(),
    });
    expect(reserved()).toEqual([]);
  });

  it.each(['cut', 'busy', 'broken', 'html', 'refused_key'] as const)(
    'reserves nothing if the provider does not have it after an answer that was %s',
    async (how) => {
      scenario.provider.fail({ path: /^\/adjustments$/, how });
      expect(await codeOf(refund())).toBe('payment_provider_unavailable');
      expect(reserved()).toEqual([]);
      expect(await refund()).toMatchObject({ balance_cents: 5000, reserved_cents: 2000 });
    },
  );

  it('reserves nothing anymore once the provider says that it does not have it', async () => {
    scenario.provider.fail({ path: /^\/adjustments$/, how: 'cut' });
    scenario.provider.fail({ path: /^\/adjustments$/, how: 'broken' });
    expect(await codeOf(refund())).toBe('payment_provider_unavailable');
    await scenario.fixture.drain();
    expect(reserved()).toHaveLength(1);
    scenario.fixture.clock.advance(MINUTE);
    await scenario.fixture.drain();
    expect(reserved()).toEqual([]);
    expect(organization.state()).toMatchObject({ balance: 5000 });
  });

  it.each([
    ['the provider rejects it immediately', 'adjustment_pending_refund_request'],
    ['the rest of the transaction is too small', 'adjustment_amount_above_remaining_allowed'],
  ])('changes nothing if %s', async (_, code) => {
    scenario.provider.fail({ path: /^\/adjustments$/, how: { code } });
    expect(await codeOf(refund())).toBe('operation_not_allowed');
    expect(reserved()).toEqual([]);
    expect(organization.state()).toMatchObject({ balance: 5000 });
  });

  it('changes nothing if the provider is away before it is asked', async () => {
    scenario.provider.fail({ path: /^\/transactions\//, how: 'broken' });
    expect(await codeOf(refund())).toBe('payment_provider_unavailable');
    expect(reserved()).toEqual([]);
  });

  it('is refused for more than is available, without asking the provider', async () => {
    scenario.provider.asked.length = 0;
    const both = [refund({ amountCents: 5000, feeCents: null }), refund({ amountCents: 1, feeCents: null })];
    expect(await Promise.all(both.map(codeOf))).toEqual([undefined, 'operation_not_allowed']);
    expect(scenario.provider.asked.filter(({ path }) => path === '/adjustments')).toHaveLength(1);
    expect(reserved()).toEqual([['refund', 5000 * 1_000_000]]);
  });

  it('is refused without online payments, whose approval would not arrive', async () => {
    const { app } = scenario.fixture;
    const config = { ...app.config, billing: { ...app.config.billing, provider: 'none' as const } };
    scenario.provider.asked.length = 0;
    expect(await codeOf(refund({}, organization, { ...app, config }))).toBe('operation_not_allowed');
    expect(scenario.provider.asked).toEqual([]);
    expect(reserved()).toEqual([]);
    expect(organization.state()).toMatchObject({ balance: 5000 });
  });

  it('is only possible for top-ups of the organization, and above the fee', async () => {
    const other = await scenario.newOrganization();
    expect(await codeOf(refund({}, other))).toBe('operation_not_allowed');
    expect(await codeOf(refund({ amountCents: 300 }))).toBe('operation_not_allowed');
    const plan = await other.open('billing/card-capture');
    transaction = plan;
    expect(await codeOf(refund({}, other))).toBe('operation_not_allowed');
    expect(reserved()).toEqual([]);
  });
});
