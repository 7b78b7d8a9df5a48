// Relative times name the day of the calendar.
import { describe, expect, it } from 'vitest';
import { formatRelative } from '../../src/dashboard/components/times.ts';

const now = new Date('2026-11-18T01:00:00').getTime();
const hour = 3_600_000;
const day = 24 * hour;

describe('a relative time', () => {
  it.each([
    [-20_000, 'now', 'jetzt'],
    [-5 * 60_000, '5 minutes ago', 'vor 5 Minuten'],
    [-23 * hour, '23 hours ago', 'vor 23 Stunden'],
    [-24 * hour, 'yesterday', 'gestern'],
    [-47 * hour, '2 days ago', 'vorgestern'],
    [25 * hour, 'tomorrow', 'morgen'],
    [46 * hour, 'tomorrow', 'morgen'],
    [47 * hour, 'in 2 days', 'übermorgen'],
    [-6 * day, '6 days ago', 'vor 6 Tagen'],
    [-8 * day, '1 week ago', 'vor 1 Woche'],
    [14 * day - 5_000, 'in 14 days', 'in 14 Tagen'],
    [59 * day, 'in 59 days', 'in 59 Tagen'],
    [60 * day, 'in 2 months', 'in 2 Monaten'],
    [90 * day - 5_000, 'in 3 months', 'in 3 Monaten'],
    [365 * day - 5_000, 'in 12 months', 'in 12 Monaten'],
    [3650 * day - 5_000, 'in 10 years', 'in 10 Jahren'],
    [-40 * day, '1 month ago', 'vor 1 Monat'],
    [-700 * day, '1 year ago', 'vor 1 Jahr'],
  ])('of %d ms is %s', (distance, english, german) => {
    const moment = now + distance;
    expect([formatRelative(moment, now, 'en'), formatRelative(moment, now, 'de')]).toEqual([english, german]);
  });
});
