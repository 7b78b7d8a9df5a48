// What the API returns about billing, and amounts of money.
import type { BillingState } from '../../../billing/schema.ts';
import { dayMs } from '../../components/times.ts';

/** Not null on a server with billing, and the page exists only there. */
type Known = 'currency' | 'tier' | 'lifecycle' | 'prices';

/** `GET /organizations/{organization_id}/billing`. */
export type Billing = BillingState & { [Name in Known]: NonNullable<BillingState[Name]> };

const GIB = 2 ** 30;
const RESERVED_MS = 30 * dayMs;

/** Returns what an upload reserves until it is complete, in cents, rounded up: its largest size, stored for 30 days. */
export function reserveOfUpload(maxBytes: number, storageGibMonthCents: number, now: Date): number {
  const month = (offset: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset);
  return Math.ceil(((maxBytes / GIB) * storageGibMonthCents * RESERVED_MS) / (month(1) - month(0)));
}

type Gate = 'credit' | 'cap' | 'uploadCredit' | 'uploadCap';

/** Returns whether the operator's ceiling is what limits the use of a month. Then a higher cap of the organization changes nothing. */
export function isCappedByOperator({
  account_ceiling_cents: ceiling,
  effective_cap_cents: cap,
}: Pick<Billing, 'account_ceiling_cents' | 'effective_cap_cents'>): boolean {
  return cap !== null && cap === ceiling;
}

/** Returns whether a plan keeps something shorter than another one. */
export function isShorter(days: number, than: number): boolean {
  return days !== 0 && (than === 0 || days < than);
}

/**
 * Returns what rejects uploads and downloads of an organization that isn't locked: missing credit, or its spend cap. If it is only
 * less than what an upload reserves, that rejects uploads. Neither applies to organizations with a container of their own.
 */
export function findGates(
  billing: Pick<Billing, 'available_cents' | 'month_to_date_cents' | 'effective_cap_cents' | 'has_service_side_cap'>,
  uploadCents = 0,
): Gate[] {
  const { available_cents: available, month_to_date_cents: used, effective_cap_cents: cap } = billing;
  if (!billing.has_service_side_cap) return [];
  const gates: Gate[] = [];
  if (available <= 0) gates.push('credit');
  else if (available < uploadCents) gates.push('uploadCredit');
  if (cap !== null && used >= cap) gates.push('cap');
  else if (cap !== null && used + uploadCents > cap) gates.push('uploadCap');
  return gates;
}

/** Returns the number of digits after the decimal point in a currency. */
function digitsOf(currency: string): number {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

/** Formats an amount that is given in the smallest unit of its currency. */
export function formatMoney(cents: number, currency: string, language: string): string {
  const amount = cents / 10 ** digitsOf(currency);
  return new Intl.NumberFormat(language, { style: 'currency', currency }).format(amount);
}

/** Formats an amount as a person enters it, without its currency. */
export function formatAmount(amount: number, currency: string, language: string): string {
  const digits = digitsOf(currency);
  return new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(
    amount,
  );
}

/** Formats an amount of use, which the API gives with six decimal places. */
export function formatUse(amount: string, language: string): string {
  const value = Number(amount);
  const least = 0.001;
  const format = new Intl.NumberFormat(language, { maximumFractionDigits: 3 });
  return value > 0 && value < least ? `< ${format.format(least)}` : format.format(value);
}

/** Reads an amount that a person entered, as whole smallest units. Returns undefined for anything else. */
export function readMoney(text: string, currency: string): number | undefined {
  const digits = digitsOf(currency);
  const [, whole = '', , fraction = ''] =
    /^\s*(\d{1,9})([.,](\d{1,3}))?\s*$/.exec(text)?.map((part) => part ?? '') ?? [];
  if (whole === '' || fraction.length > digits) return undefined;
  return Number(whole) * 10 ** digits + Number(fraction.padEnd(digits, '0') || 0);
}
