// Amounts of money and use on the page about billing.
import { describe, expect, it } from 'vitest';
import { costOfStorage, UCENTS } from '../../src/billing/costs.ts';
import {
  findGates,
  formatAmount,
  formatMoney,
  formatUse,
  isCappedByOperator,
  isShorter,
  readMoney,
  reserveOfUpload,
} from '../../src/dashboard/pages/billing/billing.ts';
import { costChart, formatMonth, totalCents } from '../../src/dashboard/pages/billing/days.ts';
import { de } from '../../src/dashboard/texts/de.ts';
import { en } from '../../src/dashboard/texts/en.ts';

describe('an amount', () => {
  it.each([
    [123_456, 'USD', 'en', '$1,234.56'],
    [-50, 'USD', 'en', '-$0.50'],
    [1234, 'JPY', 'en', '\u00a51,234'],
    [0, 'EUR', 'en', '\u20ac0.00'],
  ])('of %i in %s is shown in %s as %s', (cents, currency, language, shown) => {
    expect(formatMoney(cents, currency, language)).toBe(shown);
  });

  it.each([
    ['25', 'USD', 2500],
    ['25.5', 'USD', 2550],
    [' 25,05 ', 'USD', 2505],
    ['0.07', 'USD', 7],
    ['1234', 'JPY', 1234],
    ['1.234', 'KWD', 1234],
    ['', 'USD', undefined],
    ['25.', 'USD', undefined],
    ['.50', 'USD', undefined],
    ['25.001', 'USD', undefined],
    ['12.5', 'JPY', undefined],
    ['1,234.50', 'USD', undefined],
    ['-5', 'USD', undefined],
    ['1e3', 'USD', undefined],
    ['9999999999', 'USD', undefined],
  ])('%j in %s is read as %s', (text, currency, cents) => {
    expect(readMoney(text, currency)).toBe(cents);
  });
});

describe('the example of an amount', () => {
  it.each([
    ['USD', 'en', '25.00'],
    ['EUR', 'de', '25,00'],
    ['JPY', 'en', '25'],
    ['KWD', 'de', '25,000'],
  ])('in %s is one that can be entered, in %s %s', (currency, language, shown) => {
    expect(formatAmount(25, currency, language)).toBe(shown);
    expect(formatMoney(readMoney(shown, currency) ?? 0, currency, language)).toBe(
      new Intl.NumberFormat(language, { style: 'currency', currency }).format(25),
    );
  });
});

describe('what rejects uploads and downloads', () => {
  const open = { available_cents: 1, month_to_date_cents: 5, effective_cap_cents: null, has_service_side_cap: true };
  it.each([
    [{}, []],
    [{ available_cents: 0 }, ['credit']],
    [{ available_cents: -3 }, ['credit']],
    [{ effective_cap_cents: 6 }, []],
    [{ effective_cap_cents: 5 }, ['cap']],
    [{ month_to_date_cents: 0, effective_cap_cents: 0 }, ['cap']],
    [{ available_cents: 0, effective_cap_cents: 5 }, ['credit', 'cap']],
    [{ available_cents: 0, effective_cap_cents: 5, has_service_side_cap: false }, []],
  ])('with %o is %o', (billing, gates) => {
    expect(findGates({ ...open, ...billing })).toEqual(gates);
  });

  it.each([
    [{ available_cents: 5 }, []],
    [{ available_cents: 4 }, ['uploadCredit']],
    [{ available_cents: 0 }, ['credit']],
    [{ available_cents: 5, effective_cap_cents: 10 }, []],
    [{ available_cents: 5, effective_cap_cents: 9 }, ['uploadCap']],
    [{ available_cents: 4, effective_cap_cents: 5 }, ['uploadCredit', 'cap']],
    [{ available_cents: 4, effective_cap_cents: 9, has_service_side_cap: false }, []],
  ])('with %o and 5 cents for an upload is %o', (billing, gates) => {
    expect(findGates({ ...open, ...billing }, 5)).toEqual(gates);
  });

  it.each([
    [524_288_000, 10, '2026-11'],
    [524_288_000, 10, '2028-02'],
    [524_288_000, 10, '2026-12'],
    [2 ** 40, 100, '2027-02'],
    [2 ** 30, 7, '2026-11'],
    [2 ** 30, 0, '2026-11'],
  ])('is what the server reserves for %i bytes at %i cents in %s', (bytes, storageGibMonthCents, month) => {
    const prices = { storageGibMonthCents, downloadGibCents: 0, seatMonthCents: 0 };
    const reserved = Number(costOfStorage(BigInt(bytes), month, prices)) / Number(UCENTS);
    const shown = reserveOfUpload(bytes, storageGibMonthCents, new Date(`${month}-15T12:00:00Z`));
    expect(shown).toBe(Math.ceil(reserved));
  });
});

describe('an amount of use', () => {
  it.each([
    ['0.000000', 'en', '0'],
    ['0.000277', 'en', '< 0.001'],
    ['0.001000', 'en', '0.001'],
    ['1234.567890', 'en', '1,234.568'],
    ['1234.567890', 'de', '1.234,568'],
    ['0.000001', 'de', '< 0,001'],
  ])('%s is shown in %s as %s', (amount, language, shown) => {
    expect(formatUse(amount, language)).toBe(shown);
  });
});

describe('the days of a month', () => {
  const day = (name: string, cents: [storage: string, seats: string, downloads: string]) => ({
    day: name,
    stored_byte_hours: '0',
    downloaded_bytes: 0,
    storage_cents: cents[0],
    seats_cents: cents[1],
    downloads_cents: cents[2],
  });
  const usage = {
    organization_id: 'o',
    enabled: true,
    month: '2026-11',
    currency: 'USD',
    days: [
      day('2026-11-01', ['1.250000', '2.000000', '0.500000']),
      day('2026-11-03', ['0.250000', '0.000000', '10.000000']),
    ],
  };

  it('have a total and a title', () => {
    expect(totalCents(usage)).toBe(14);
    expect(totalCents({ ...usage, days: [] })).toBe(0);
    expect([formatMonth('2026-11', 'en'), formatMonth('2026-03', 'de')]).toEqual(['November 2026', 'M\u00e4rz 2026']);
  });

  it('are all in the chart, up to today', () => {
    const { days, series, text } = costChart(usage, '2026-11-04', String, en.billing.days);
    expect(days).toEqual(['2026-11-01', '2026-11-02', '2026-11-03', '2026-11-04']);
    expect(series.map(({ values }) => values)).toEqual([
      [3.25, 0, 0.25, 0],
      [0.5, 0, 10, 0],
    ]);
    expect(text).toBe('14 this month');
  });
});

describe('the cap of a month', () => {
  it.each([
    [null, null, false],
    [500, null, false],
    [500, 500, true],
    [500, 600, false],
    [0, 0, true],
  ])('of %j below a ceiling of %j is that of the operator: %s', (cap, ceiling, isOperators) => {
    const billing = { effective_cap_cents: cap, account_ceiling_cents: ceiling };
    expect(isCappedByOperator(billing)).toBe(isOperators);
  });
});

describe('a plan that keeps something', () => {
  it.each([
    [30, 365, true],
    [365, 365, false],
    [365, 30, false],
    [30, 0, true],
    [0, 30, false],
    [0, 0, false],
  ])('%i days instead of %i keeps it shorter: %s', (days, than, shorter) => {
    expect(isShorter(days, than)).toBe(shorter);
  });

  it.each([
    [en, 'Builds are kept for 1 day instead', 'Audit events are kept for 1 day instead'],
    [de, 'Builds werden 1 Tag aufbewahrt', 'Ereignisse im Protokoll werden 1 Tag aufbewahrt'],
  ])('for a day says so', ({ billing: { effects } }, builds, audit) => {
    expect(effects.builds(1, 365)).toContain(builds);
    expect(effects.audit(1, 365)).toContain(audit);
  });
});
