// Amounts of money on the page about billing.
import { describe, expect, it } from 'vitest';
import { formatMoney, readMoney } from '../../src/dashboard/pages/billing/billing.ts';

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
