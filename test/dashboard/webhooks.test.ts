// The host that a list of webhooks shows for each URL.
import { describe, expect, it } from 'vitest';
import { hostOf } from '../../src/lib/url-host.ts';

describe('a URL', () => {
  it.each([
    ['https://hooks.slack.com/services/T0/B0/secret', 'hooks.slack.com'],
    ['http://192.0.2.7:8080/hook?key=secret', '192.0.2.7:8080'],
    ['no URL', undefined],
  ])('%s shows %s', (url, host) => {
    expect(hostOf(url)).toBe(host);
  });
});
