// What metered use costs, in millionths of a cent, rounded down (docs/specification/billing.md#cost).

export interface UnitPrices {
  storageGibMonthCents: number;
  downloadGibCents: number;
  seatMonthCents: number;
}

export interface MeteredUse {
  /** YYYY-MM. */
  month: string;
  storedByteMs: bigint;
  seatMs: bigint;
  downloadedBytes: bigint;
}

export interface Costs {
  storage: bigint;
  downloads: bigint;
  seats: bigint;
}

/** Millionths of a cent. */
export const UCENTS = 1_000_000n;
export const GIB = 1n << 30n;

/** Returns the UTC month of a time as YYYY-MM. */
export function monthOf(time: number): string {
  return new Date(time).toISOString().slice(0, 7);
}

/** Returns the first millisecond of a UTC month. */
export function beginningOf(month: string): number {
  return Date.parse(`${month}-01T00:00:00.000Z`);
}

/** The ends and lengths of the months that were asked for, because every link for a download asks for the current one. */
const known = new Map<string, { end: number; length: bigint }>();
const MAX_KNOWN = 1_000;

function measure(month: string): { end: number; length: bigint } {
  let found = known.get(month);
  if (found === undefined) {
    const begin = beginningOf(month);
    const date = new Date(begin);
    const end = date.setUTCMonth(date.getUTCMonth() + 1);
    found = { end, length: BigInt(end - begin) };
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(month, found);
  }
  return found;
}

/** Returns the first millisecond after a month. */
export const endOf = (month: string): number => measure(month).end;

export const lengthOf = (month: string): bigint => measure(month).length;

/** Returns the cost of the use of a month, in millionths of a cent. */
export function costsOf(use: MeteredUse, prices: UnitPrices): Costs {
  const length = lengthOf(use.month);
  return {
    storage: (use.storedByteMs * BigInt(prices.storageGibMonthCents) * UCENTS) / (GIB * length),
    downloads: costOfDownload(use.downloadedBytes, prices),
    seats: (use.seatMs * BigInt(prices.seatMonthCents) * UCENTS) / length,
  };
}

/** Returns the cost of downloaded bytes, in millionths of a cent. */
export function costOfDownload(bytes: bigint, { downloadGibCents }: UnitPrices): bigint {
  return (bytes * BigInt(downloadGibCents) * UCENTS) / GIB;
}

/** Returns the cost of storing bytes for 30 days of a month. */
export function costOfStorage(bytes: bigint, month: string, prices: UnitPrices): bigint {
  const storedByteMs = bytes * 30n * 86_400_000n;
  return costsOf({ month, storedByteMs, seatMs: 0n, downloadedBytes: 0n }, prices).storage;
}

export const totalOf = ({ storage, downloads, seats }: Costs): bigint => storage + downloads + seats;

/** Returns whole cents, rounded down, also below zero. */
export function toCents(ucents: bigint): number {
  const cents = ucents / UCENTS;
  return Number(ucents < 0n && cents * UCENTS !== ucents ? cents - 1n : cents);
}
