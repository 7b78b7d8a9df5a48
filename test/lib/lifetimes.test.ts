// Lifetimes in words, as texts mention them.
import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/lib/clock.ts';
import { englishLifetime, germanLifetime, listWarningDays } from '../../src/lib/lifetimes.ts';

describe('a lifetime', () => {
  it.each<[number, string, string]>([
    [MINUTE, '1 minute', '1 Minute'],
    [15 * MINUTE, '15 minutes', '15 Minuten'],
    [HOUR, '1 hour', '1 Stunde'],
    [90 * MINUTE, '90 minutes', '90 Minuten'],
    [DAY, '24 hours', '24 Stunden'],
    [14 * DAY, '14 days', '14 Tagen'],
  ])('of %i ms is "%s" and "%s"', (milliseconds, english, german) => {
    expect([englishLifetime(milliseconds), germanLifetime(milliseconds)]).toEqual([english, german]);
  });
});

describe('the days of expiry warnings', () => {
  it('are listed from the first warning to the last', () => {
    expect(listWarningDays('and')).toBe('60, 30, 15, 7 and 1');
  });
});
