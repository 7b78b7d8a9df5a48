// What a list of webhooks shows of an address, and how long a list of deliveries renews itself.
import { describe, expect, it } from 'vitest';
import { pauseBeforeRenewal } from '../../src/dashboard/pages/webhook/polling.ts';
import { hostOf } from '../../src/lib/url-host.ts';

describe('an address', () => {
  it.each([
    ['https://hooks.slack.com/services/T0/B0/secret', 'hooks.slack.com'],
    ['http://192.0.2.7:8080/hook?key=secret', '192.0.2.7:8080'],
    ['no address', undefined],
  ])('%s shows %s', (url, host) => {
    expect(hostOf(url)).toBe(host);
  });
});

describe('the pause before deliveries are read again', () => {
  it.each([
    [0, 1000],
    [20_000, 5000],
    [200_000, 20_000],
    [299_999, 20_000],
    [300_000, undefined],
  ])('after %d ms is %s', (waited, pause) => {
    expect(pauseBeforeRenewal(waited)).toBe(pause);
  });
});
