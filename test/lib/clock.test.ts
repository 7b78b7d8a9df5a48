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
});
