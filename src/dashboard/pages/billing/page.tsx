// Billing: the state in one sentence, balance, usage of this month, plan and payment method, credits and refunds.

import { Alert, Button, Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { CardCapture, TierChange } from '../../../billing/provider-schema.ts';
import type { CreditEntry, Usage } from '../../../billing/schema.ts';
import type { Tier } from '../../../lib/tiers.ts';
import type { Service } from '../../../service/schema.ts';
import { ApiError, PageError } from '../../api/errors.ts';
import { useApi, useChange, useRead, useReadPages } from '../../api/hooks.ts';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { ErrorAlert, ErrorPage } from '../../components/errors.tsx';
import { Fact } from '../../components/fact.tsx';
import { LoadMore } from '../../components/load-more.tsx';
import { FactsSkeleton, PageHeader, QueryContent, Section } from '../../components/page.tsx';
import { TableHead } from '../../components/table-head.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { formatDay } from '../../components/times.ts';
import { showSuccess } from '../../components/toasts.ts';
import { mayInOrganization, organizationsPath, useOrganization } from '../../shell/current-user.ts';
import { useServerInfo } from '../../shell/server-info.ts';
import type { Texts } from '../../texts/en.ts';
import { useLocale, useTexts } from '../../texts/locale.ts';
import {
  type Billing,
  findGates,
  formatAmount,
  formatMoney,
  formatUse,
  isCappedByOperator,
  isShorter,
  readMoney,
  reserveOfUpload,
} from './billing.ts';
import { StorageUse, UseByDay } from './use-by-day.tsx';

export function Page() {
  const t = useTexts().billing;
  const organization = useOrganization();
  const { hasBilling } = useServerInfo();
  // Without billing, there is no such page.
  if (!hasBilling) return <ErrorPage error={new ApiError(404, undefined, new Headers())} />;
  return (
    <>
      <PageHeader title={t.title} />
      {mayInOrganization(organization, 'billing.manage') ? <AdminView /> : <MemberView />}
    </>
  );
}

/** People without the right see the state without amounts. */
function MemberView() {
  const { billing: t, shell } = useTexts();
  const { lock_reason: lock } = useOrganization();
  const { hasOnlinePayments } = useServerInfo();
  const state = (reason: NonNullable<typeof lock>) =>
    hasOnlinePayments ? t.states[reason] : shell.locked.offline[reason].text;
  return (
    <Section title={lock === null ? t.states.open : state(lock)} hint={t.memberHint}>
      {null}
    </Section>
  );
}

function AdminView() {
  const path = usePath();
  const read = useRead<Billing>(`${path}/billing`);
  return (
    <QueryContent read={read}>
      {(billing) => (
        <>
          <State billing={billing} />
          <div className="tw-columns tw-billing">
            {/* First on a phone. */}
            <div className="tw-column">
              <Balance billing={billing} />
              <Plan billing={billing} />
            </div>
            <div className="tw-column">
              <Meters currency={billing.currency} />
              <UseByDay path={path} currency={billing.currency} />
              <StorageUse path={path} />
              <Ledger currency={billing.currency} />
            </div>
          </div>
        </>
      )}
    </QueryContent>
  );
}

function usePath(): string {
  return `${organizationsPath}/${useOrganization().identifier}`;
}

function useMoney(currency: string): (cents: number) => string {
  const { language } = useLocale();
  return (cents) => formatMoney(cents, currency, language);
}

/** Reads the limits and plans of the server. */
function useService() {
  return useRead<Service>('/service', { isAnonymous: true });
}

/** Returns what an upload reserves, in cents; 0 until the limits of the server are known. */
function useUploadCents({ prices }: Billing): number {
  const { data } = useService();
  return reserveOfUpload(data?.limits.build_size_bytes ?? 0, prices.storage_gib_month_cents, new Date());
}

/** Describes the state in sentences. A lock itself is shown above every page. */
function describeState(billing: Billing, gates: readonly string[], t: Texts['billing'], language: string): string[] {
  const { lock_reason: lock, payment_state: payment, lifecycle, trial_ends_at: trialEnds } = billing;
  const day = (time: string) => formatDay(Date.parse(time), language);
  const { downloads_until: until } = billing;
  if (lock !== null && until === null) return [];
  if (until !== null) return [(Date.parse(until) > Date.now() ? t.downloadsUntil : t.downloadsEnded)(day(until))];
  const isTrial = lifecycle === 'trial' && trialEnds !== null && !billing.card_on_file;
  const trial = billing.online_payments ? t.states.trial : t.states.trialOffline;
  const other = isTrial ? trial(day(trialEnds)) : lifecycle === 'active' ? t.states.active : t.states.open;
  return [payment === 'retrying' ? t.states.retrying : other, ...gates];
}

function State({ billing }: { billing: Billing }) {
  const t = useTexts().billing;
  const { language } = useLocale();
  const money = useMoney(billing.currency);
  const uploadCents = useUploadCents(billing);
  const isOperators = isCappedByOperator(billing);
  const gates = findGates(billing, uploadCents).map((gate) => t.gates[gate](money(uploadCents), isOperators));
  const sentences = describeState(billing, gates, t, language);
  if (sentences.length === 0) return null;
  const isBad = billing.lock_reason !== null || billing.payment_state === 'retrying' || gates.length > 0;
  return (
    <Alert color={isBad ? 'red' : 'gray'} variant="light">
      {sentences.map((sentence) => (
        <div key={sentence}>{sentence}</div>
      ))}
    </Alert>
  );
}

function Balance({ billing }: { billing: Billing }) {
  const t = useTexts().billing;
  const money = useMoney(billing.currency);
  return (
    <Section title={t.balance}>
      <dl className="tw-fact-lines" data-narrow>
        <Fact label={t.balance}>{money(billing.balance_cents)}</Fact>
        {billing.reserved_cents > 0 && (
          <Fact label={t.reserved}>
            <span title={t.reservedHint}>{money(billing.reserved_cents)}</span>
          </Fact>
        )}
        <Fact label={t.available}>{money(billing.available_cents)}</Fact>
        <Fact label={t.monthToDate}>{money(billing.month_to_date_cents)}</Fact>
        <Fact label={t.cap}>
          <div>
            {billing.effective_cap_cents === null ? t.noCap : money(billing.effective_cap_cents)}
            <div className="tw-small">{isCappedByOperator(billing) ? t.ceilingHint : t.capHint}</div>
          </div>
        </Fact>
      </dl>
      {billing.online_payments ? (
        <TopUp currency={billing.currency} />
      ) : (
        <Text size="sm" c="dimmed">
          {t.offline}
        </Text>
      )}
    </Section>
  );
}

/** Opens a checkout of the provider in this window. */
function useCheckout(path: string) {
  const api = useApi();
  const t = useTexts().billing;
  const [error, setError] = useState<unknown>();
  const [isOpening, setOpening] = useState(false);
  async function open(body: object): Promise<void> {
    setOpening(true);
    setError(undefined);
    try {
      openPage(await api.send<CardCapture>('POST', path, { body }), t);
    } catch (failure) {
      setError(failure);
    } finally {
      setOpening(false);
    }
  }
  return { open, error, isOpening };
}

/** Opens the page of a checkout. Throws if the provider has none, which only the operator can change. */
function openPage({ checkout_url: url }: Pick<CardCapture, 'checkout_url'>, t: Texts['billing']): void {
  if (url === null) throw new PageError(t.noPaymentPage);
  location.assign(url);
}

function TopUp({ currency }: { currency: string }) {
  const t = useTexts().billing;
  const checkout = useCheckout(`${usePath()}/billing/topup`);
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const { language } = useLocale();
  const money = useMoney(currency);
  const [least, most] = useServerInfo().topUpCents;
  function findProblem(amount: number | undefined): string | undefined {
    if (amount === undefined) return t.amountInvalid(formatAmount(25, currency, language));
    if (amount < least) return t.amountAtLeast(money(least));
    return amount > most ? t.amountAtMost(money(most)) : undefined;
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const amount = readMoney(text, currency);
        const found = findProblem(amount);
        setProblem(found);
        if (found === undefined) void checkout.open({ amount_cents: amount });
        else event.currentTarget.querySelector('input')?.focus();
      }}
    >
      <Group align="flex-end" gap="sm">
        <TextInput
          label={`${t.amount} (${currency})`}
          name="amount"
          inputMode="decimal"
          autoComplete="off"
          value={text}
          error={problem}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit" loading={checkout.isOpening}>
          {t.topUp}
        </Button>
      </Group>
      {checkout.error !== undefined && <ErrorAlert error={checkout.error} />}
    </form>
  );
}

function Meters({ currency }: { currency: string }) {
  const t = useTexts().billing.meters;
  const read = useRead<Usage>(`${usePath()}/usage`);
  const { data } = read;
  if (data?.storage === null || data?.downloads === null || data?.seats === null) return null;
  return (
    <Section title={t.title}>
      <QueryContent read={read} loading={<FactsSkeleton rows={4} />}>
        {(usage) => <MeterTable usage={usage} currency={currency} />}
      </QueryContent>
    </Section>
  );
}

function MeterTable({
  usage: { storage, downloads, seats, total_cents },
  currency,
}: {
  usage: Usage;
  currency: string;
}) {
  const t = useTexts().billing.meters;
  const { language } = useLocale();
  const money = useMoney(currency);
  if (storage === null || downloads === null || seats === null) return null;
  const rows = [
    [t.storage, t.gibMonths(formatUse(storage.gib_months, language)), storage.cost_cents],
    [t.downloads, t.gib(formatUse(downloads.gib, language)), downloads.cost_cents],
    [t.seats, t.seatMonths(formatUse(seats.seat_months, language)), seats.cost_cents],
    [t.total, '', total_cents],
  ] as const;
  return (
    <table className="tw-records" aria-label={t.title}>
      <TableHead titles={[t.meter, t.usage, t.cost]} ends={[t.usage, t.cost]} />
      <tbody>
        {rows.map(([name, use, cost]) => (
          <tr key={name}>
            <td>{name}</td>
            <td className="tw-records-end" data-label={use === '' ? undefined : t.usage}>
              {use}
            </td>
            <td className="tw-records-end" data-label={t.cost}>
              {money(cost)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function feeOf({ prices }: Billing, tier: Tier): number {
  return tier === 'business' ? prices.business_month_cents : prices.team_month_cents;
}

function Plan({ billing }: { billing: Billing }) {
  const t = useTexts().billing;
  const { language } = useLocale();
  const money = useMoney(billing.currency);
  const { tier, subscription, card_on_file: hasCard } = billing;
  // The provider begins the next period before it's paid.
  const paidUntil = billing.payment_state === 'ok' ? (subscription?.period_ends_at ?? null) : null;
  return (
    <Section title={t.plan}>
      <dl className="tw-fact-lines" data-narrow>
        <Fact label={t.planName}>{t.plans[tier]}</Fact>
        <Fact label={t.price}>{t.perMonth(money(feeOf(billing, tier)))}</Fact>
        {paidUntil !== null && <Fact label={t.paidUntil}>{formatDay(Date.parse(paidUntil), language)}</Fact>}
        <Fact label={t.card}>{hasCard ? t.hasCard : t.hasNoCard}</Fact>
      </dl>
      {billing.online_payments && <PlanButtons billing={billing} />}
    </Section>
  );
}

function PlanButtons({ billing }: { billing: Billing }) {
  const t = useTexts().billing;
  const path = usePath();
  const card = useCheckout(`${path}/billing/card-capture`);
  const change = useChange(
    (api, tier: Tier) => api.send<TierChange>('POST', `${path}/tier`, { body: { tier } }),
    [organizationsPath],
  );
  const [failure, setFailure] = useState<unknown>();
  const { offersBusiness } = useServerInfo();
  const money = useMoney(billing.currency);
  const { data: service } = useService();
  const [isAsking, setAsking] = useState(false);
  const other: Tier = billing.tier === 'team' ? 'business' : 'team';
  const isOwed = billing.payment_state === 'retrying' || billing.lock_reason === 'suspended';
  const action = other === 'business' ? t.upgrade : t.downgrade;
  // Without a card, an upgrade only opens the page for the payment.
  const isAsked = other === 'team' || billing.card_on_file;
  async function changeTier(): Promise<void> {
    const answer = await change.mutateAsync(other);
    if (answer.outcome === 'changed') showSuccess(t.changedTo(t.plans[answer.tier]));
    else openPage(answer, t);
  }
  async function open(): Promise<void> {
    setFailure(undefined);
    if (isAsked) return setAsking(true);
    await changeTier().catch(setFailure);
  }
  const error = card.error ?? failure;
  return (
    <>
      <Group gap="sm">
        <Button loading={card.isOpening} onClick={() => void card.open({})}>
          {isOwed ? t.payNow : billing.card_on_file ? t.changeCard : t.addCard}
        </Button>
        {other === 'business' && !offersBusiness ? (
          <Button variant="default" disabled>
            {t.comingSoon}
          </Button>
        ) : (
          // A locked organization can only pay.
          billing.lock_reason === null && (
            <Button variant="default" loading={change.isPending && !isAsking} onClick={() => void open()}>
              {action}
            </Button>
          )
        )}
      </Group>
      {error !== undefined && <ErrorAlert error={error} />}
      <ConfirmDialog
        isOpen={isAsking}
        title={t.changeTitle(t.plans[other])}
        action={action}
        isHarmless={other === 'business'}
        isReady={service !== undefined}
        onConfirm={changeTier}
        onClose={() => setAsking(false)}
      >
        {service !== undefined &&
          listEffects(t, other, service.plans, money(feeOf(billing, other))).map((effect) => (
            <p key={effect} className="tw-bare">
              {effect}
            </p>
          ))}
      </ConfirmDialog>
    </>
  );
}

/** Returns what changes with the plan, in sentences. */
function listEffects(t: Texts['billing'], other: Tier, { team, business }: Service['plans'], price: string): string[] {
  if (other === 'business') return [t.effects.charged(price)];
  return [
    t.effects.nextPeriod(price),
    ...(isShorter(team.build_retention_days, business.build_retention_days)
      ? [t.effects.builds(team.build_retention_days, business.build_retention_days)]
      : []),
    ...(isShorter(team.audit_retention_days, business.audit_retention_days)
      ? [t.effects.audit(team.audit_retention_days, business.audit_retention_days)]
      : []),
    ...(business.sso && !team.sso ? [t.effects.sso] : []),
  ];
}

function Ledger({ currency }: { currency: string }) {
  const t = useTexts().billing;
  const money = useMoney(currency);
  const list = useReadPages<CreditEntry>(`${usePath()}/credits`);
  return (
    <Section title={t.ledger}>
      <QueryContent read={{ ...list, data: list.rows }}>
        {(rows) =>
          rows.length === 0 ? (
            <Text size="sm" c="dimmed">
              {t.noEntries}
            </Text>
          ) : (
            <table className="tw-records" aria-label={t.ledger}>
              <TableHead titles={[t.date, t.type, t.source, t.note, t.amount]} ends={[t.amount]} />
              <tbody>
                {rows.map((row) => (
                  <tr key={row.identifier}>
                    <td>
                      <RelativeTime at={row.created_at} />
                    </td>
                    <td data-label={t.type}>{t.kinds[row.kind]}</td>
                    <td data-label={t.source}>{row.operator_name ?? t.sources[row.source]}</td>
                    <td data-label={t.note}>{row.note ?? '–'}</td>
                    <td className="tw-records-end" data-label={t.amount}>
                      {money(row.kind === 'topup' ? row.amount_cents : -row.amount_cents)}
                      {row.fee_cents !== null && <div className="tw-small">{t.fee(money(row.fee_cents))}</div>}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </QueryContent>
      <LoadMore list={list} />
    </Section>
  );
}
