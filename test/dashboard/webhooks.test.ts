// What a list of webhooks shows of an address, and how long a list of deliveries renews itself.
import { describe, expect, it } from 'vitest';
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
