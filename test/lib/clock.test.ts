// The wire form of times.
import { describe, expect, it } from 'vitest';
import { createMovableClock, timestamp } from '../../src/lib/clock.ts';

describe('a time in the API', () => {
  it.each([
    [0, '1970-01-01T00:00:00.000Z'],
    [Date.UTC(2000, 1, 29, 23, 59, 59, 999), '2000-02-29T23:59:59.999Z'],
    [Date.UTC(2026, 0, 31, 12, 0, 0, 7), '2026-01-31T12:00:00.007Z'],
    [Date.UTC(2100, 2, 1), '2100-03-01T00:00:00.000Z'],
    [Date.UTC(9999, 11, 31, 23, 59, 59, 99), '9999-12-31T23:59:59.099Z'],
    [Date.UTC(10_000, 0, 1), '+010000-01-01T00:00:00.000Z'],
    [-1, '1969-12-31T23:59:59.999Z'],
  ])('%d is %s', (milliseconds, written) => {
    expect(timestamp(milliseconds)).toBe(written);
  });

  it('is rejected if it is invalid', () => {
    expect(() => timestamp(Number.NaN)).toThrow(RangeError);
  });
});

describe('the clock of a test', () => {
  it('stays where it is if the time is not valid', () => {
    const clock = createMovableClock(new Date(0));
    expect(() => clock.set(new Date('tomorrow'))).toThrow(RangeError);
    expect(() => clock.advance(Number.NaN)).toThrow(RangeError);
    expect(() => clock.jump(Number.POSITIVE_INFINITY)).toThrow(RangeError);
    clock.advance(5);
    expect(clock.time()).toBe(5);
  });

  it('stays before the year 10000, whose times and ids the API has no form for', () => {
    const clock = createMovableClock(new Date(0));
    clock.set(new Date('9999-12-31T23:59:59.999Z'));
    for (const move of [() => clock.advance(1), () => clock.jump(1), () => clock.set(new Date('+012000-01-01'))])
      expect(move).toThrow(RangeError);
    expect(clock.now().toISOString()).toBe('9999-12-31T23:59:59.999Z');
  });

  it('is set to a date exactly, also after a part of a millisecond and before 1970', () => {
    const clock = createMovableClock(new Date(0));
    clock.advance(1.5);
    for (const date of ['1969-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z']) {
      clock.set(new Date(date));
      expect(clock.now().toISOString()).toBe(date);
    }
  });
});
