// Health checks of billing: levels, balances and reservations against a recount, what organizations owe, and the provider.
import type Sqlite from 'better-sqlite3';
import { COUNT_BYTES, COUNT_SEATS } from '../billing/meters.ts';
import { type PaddleCaller, probePaddle, usesPaddle } from '../billing/paddle.ts';
import { COUNT_BELOW_ZERO } from '../billing/totals.ts';
import type { Config } from '../config.ts';
import { hasTable } from '../data/has-table.ts';
import { SUMS_AT } from '../data/tables/tables.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const NAME = 'billing';
const PROVIDER = 'payment provider';
const SHOWN = 3;

/** The newest row of each account that is metered, with a recount. */
const LEVELS = `SELECT a.organization_id FROM billing_accounts a
  JOIN organizations o ON o.id = a.organization_id
  JOIN usage_months u ON u.rowid = (SELECT rowid FROM usage_months WHERE organization_id = a.organization_id
    ORDER BY month DESC, price_list_id DESC LIMIT 1)
  WHERE a.paused_at IS NULL
    AND (u.level_bytes <> (${COUNT_BYTES.replace('?', 'o.id')}) OR u.level_seats <> (${COUNT_SEATS.replace('?', 'o.id')}))`;

const BALANCES = `SELECT a.organization_id FROM billing_accounts a
  WHERE a.balance_cents <> (SELECT coalesce(sum(CASE WHEN kind = 'topup' THEN amount_cents ELSE -amount_cents END), 0)
    FROM credit_entries e WHERE e.organization_id = a.organization_id)`;

/** Accounts of which a sum of reservations differs from the reservations. */
const RESERVED = `SELECT DISTINCT organization_id FROM (
    SELECT organization_id FROM reservations GROUP BY organization_id, kind
      HAVING sum(CASE WHEN expires_at = ${SUMS_AT} THEN -amount_ucents ELSE amount_ucents END) <> 0)`;

/** Recounts what organizations store, their members, balances and reservations. Reads all builds, so only the command does. */
export function recountBilling({ billing }: Pick<Config, 'billing'>, client: Sqlite.Database): Finding[] {
  if (!billing.enabled || !hasTable(client, 'billing_accounts')) return [];
  const wrong = (sql: string) => client.prepare<[], string>(sql).pluck().all();
  // One transaction, so that a server that runs changes nothing in between.
  const [levels, balances, reserved] = client.transaction(() => [wrong(LEVELS), wrong(BALANCES), wrong(RESERVED)])();
  const found: Finding[] = [];
  const add = (ids: string[], what: string, sum: string) => {
    if (ids.length === 0) return;
    const shown = ids.slice(0, SHOWN).join(', ');
    const more = ids.length > SHOWN ? ` and ${ids.length - SHOWN} more` : '';
    found.push(fail(NAME, `${what} differs from ${sum} for the organizations ${shown}${more}; report this as a bug`));
  };
  add(levels ?? [], 'what is metered', 'a recount of builds and members');
  add(balances ?? [], 'the balance', 'the sum of its credit entries');
  add(reserved ?? [], 'what is reserved', 'the sum of reservations');
  return found.length > 0 ? found : [ok(NAME, 'meters, balances and reservations equal a recount')];
}

/** Warns about fees of nothing and balances below zero. */
export function checkBilling({ billing }: Pick<Config, 'billing'>, client: Sqlite.Database | undefined): Finding[] {
  if (!billing.enabled) return [];
  const found: Finding[] = [];
  const { team_month_cents: team, business_month_cents: business } = billing.prices;
  if (billing.provider === 'paddle') {
    const plans = [...(team === 0 ? ['Team'] : []), ...(business === 0 ? ['Business'] : [])].join(', ');
    if (plans !== '') {
      const detail = `the monthly fee of a plan is 0 (${plans}), so the provider may not ask for a card`;
      found.push(warn(NAME, detail, 'billing_fee_zero', { plans }));
    }
  }
  const count =
    client !== undefined && hasTable(client, 'billing_accounts')
      ? client.prepare<[], number>(COUNT_BELOW_ZERO).pluck().get()
      : 0;
  if (count !== undefined && count > 0) {
    const detail = `organizations with a balance below zero: ${count}`;
    found.push(warn(NAME, detail, 'billing_below_zero', { count }));
  }
  return found;
}

/** Asks the provider once: for a payment that it must reject, so that nothing is opened there. */
export async function checkPaymentProvider(caller: PaddleCaller): Promise<Finding[]> {
  if (!usesPaddle(caller)) return [];
  const { environment } = caller.config.billing.paddle;
  const outcome = await probePaddle(caller);
  if (outcome.reason !== undefined) {
    const { reason } = outcome;
    return [fail(PROVIDER, `not usable: ${reason}`, 'payment_provider_unusable', { reason })];
  }
  if (outcome.code === 'transaction_default_checkout_url_not_set') {
    const detail =
      'the account has no default payment link, so no checkout can be opened: set one, or billing.paddle.checkout_url';
    return [warn(PROVIDER, detail, 'payment_provider_no_link')];
  }
  return [ok(PROVIDER, `responds and accepts the key (${environment})`, 'payment_provider_reached', { environment })];
}
