// Billing: the state in one sentence, balance, usage of this month, plan and payment method, credits and refunds.

import { Alert, Button, Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ApiError } from '../../api/errors.ts';
import { useApi, useChange, useRead, useReadPages } from '../../api/hooks.ts';
import { ErrorAlert, ErrorPage } from '../../components/errors.tsx';
import { Fact } from '../../components/fact.tsx';
import { LoadMore } from '../../components/load-more.tsx';
import { PageHeader, QueryContent, Section } from '../../components/page.tsx';
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
  type Checkout,
  type CreditEntry,
  findGates,
  formatMoney,
  formatUse,
  readMoney,
  reserveOfUpload,
  type Tier,
  type Usage,
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
  const t = useTexts().billing;
  const { lock_reason: lock } = useOrganization();
  return (
    <Section title={lock === null ? t.states.open : t.states[lock]} hint={t.memberHint}>
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

/** Returns what an upload reserves, in cents; 0 until the limits of the server are known. */
function useUploadCents({ prices }: Billing): number {
  const { data } = useRead<{ limits: { build_size_bytes?: number } }>('/service', { isAnonymous: true });
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
  const other = isTrial ? t.states.trial(day(trialEnds)) : lifecycle === 'active' ? t.states.active : t.states.open;
  return [payment === 'retrying' ? t.states.retrying : other, ...gates];
}

function State({ billing }: { billing: Billing }) {
  const t = useTexts().billing;
  const { language } = useLocale();
  const money = useMoney(billing.currency);
  const uploadCents = useUploadCents(billing);
  const gates = findGates(billing, uploadCents).map((gate) => t.gates[gate](money(uploadCents)));
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
          <span title={t.capHint}>
            {billing.effective_cap_cents === null ? t.noCap : money(billing.effective_cap_cents)}
          </span>
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
  const [error, setError] = useState<unknown>();
  const [isOpening, setOpening] = useState(false);
  async function open(body: object): Promise<void> {
    setOpening(true);
    setError(undefined);
    try {
      const { checkout_url: url } = await api.send<Checkout>('POST', path, { body });
      if (url !== null) location.assign(url);
    } catch (failure) {
      setError(failure);
    } finally {
      setOpening(false);
    }
  }
  return { open, error, isOpening };
}

function TopUp({ currency }: { currency: string }) {
  const t = useTexts().billing;
  const checkout = useCheckout(`${usePath()}/billing/topup`);
  const [text, setText] = useState('');
  const [isInvalid, setInvalid] = useState(false);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const amount = readMoney(text, currency);
        setInvalid(amount === undefined);
        if (amount !== undefined) void checkout.open({ amount_cents: amount });
      }}
    >
      <Group align="flex-end" gap="sm">
        <TextInput
          label={`${t.amount} (${currency})`}
          name="amount"
          inputMode="decimal"
          autoComplete="off"
          value={text}
          error={isInvalid ? t.amountInvalid : undefined}
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
  const { language } = useLocale();
  const money = useMoney(currency);
  const { data } = useRead<Usage>(`${usePath()}/usage`);
  if (data === undefined || data.storage === null || data.downloads === null || data.seats === null) return null;
  const rows = [
    [t.storage, t.gibMonths(formatUse(data.storage.gib_months, language)), data.storage.cost_cents],
    [t.downloads, t.gib(formatUse(data.downloads.gib, language)), data.downloads.cost_cents],
    [t.seats, t.seatMonths(formatUse(data.seats.seat_months, language)), data.seats.cost_cents],
    [t.total, '', data.total_cents],
  ] as const;
  return (
    <Section title={t.title}>
      <table className="tw-records" aria-label={t.title}>
        <TableHead titles={[t.meter, t.usage, t.cost]} ends={[t.usage, t.cost]} />
        <tbody>
          {rows.map(([name, usage, cost]) => (
            <tr key={name}>
              <td>{name}</td>
              <td className="tw-records-end" data-label={usage === '' ? undefined : t.usage}>
                {usage}
              </td>
              <td className="tw-records-end" data-label={t.cost}>
                {money(cost)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

function Plan({ billing }: { billing: Billing }) {
  const t = useTexts().billing;
  const { language } = useLocale();
  const money = useMoney(billing.currency);
  const { tier, subscription, card_on_file: hasCard } = billing;
  const fee = tier === 'business' ? billing.prices.business_month_cents : billing.prices.team_month_cents;
  // The provider begins the next period before it's paid.
  const paidUntil = billing.payment_state === 'ok' ? (subscription?.period_ends_at ?? null) : null;
  return (
    <Section title={t.plan}>
      <dl className="tw-fact-lines" data-narrow>
        <Fact label={t.planName}>{t.plans[tier]}</Fact>
        <Fact label={t.price}>{t.perMonth(money(fee))}</Fact>
        {paidUntil !== null && <Fact label={t.paidUntil}>{formatDay(Date.parse(paidUntil), language)}</Fact>}
        <Fact label={t.card}>{hasCard ? t.hasCard : t.hasNoCard}</Fact>
      </dl>
      {billing.online_payments && <PlanButtons billing={billing} />}
    </Section>
  );
}

interface TierChange extends Checkout {
  outcome: 'changed' | 'checkout_required';
  tier: Tier;
}

function PlanButtons({ billing }: { billing: Billing }) {
  const t = useTexts().billing;
  const path = usePath();
  const card = useCheckout(`${path}/billing/card-capture`);
  const change = useChange(
    (api, tier: Tier) => api.send<TierChange>('POST', `${path}/tier`, { body: { tier } }),
    [organizationsPath],
  );
  const { offersBusiness } = useServerInfo();
  const other: Tier = billing.tier === 'team' ? 'business' : 'team';
  const isOwed = billing.payment_state === 'retrying' || billing.lock_reason === 'suspended';
  const changeTier = () =>
    change.mutate(other, {
      onSuccess({ outcome, checkout_url: url, tier }) {
        if (outcome === 'changed') showSuccess(t.changedTo(t.plans[tier]));
        else if (url !== null) location.assign(url);
      },
    });
  const error = card.error ?? change.error ?? undefined;
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
          <Button variant="default" loading={change.isPending} onClick={changeTier}>
            {other === 'business' ? t.upgrade : t.downgrade}
          </Button>
        )}
      </Group>
      {error !== undefined && <ErrorAlert error={error} />}
    </>
  );
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
