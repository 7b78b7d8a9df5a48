// The platform of the device that the web app is open on.
import { describe, expect, it } from 'vitest';
import { detectPlatform, isForOtherPlatform } from '../../src/dashboard/components/phone-platform.ts';

const webkit = 'AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15';
const browsers = {
  iphone: { userAgent: `Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) ${webkit}`, maxTouchPoints: 5 },
  ipad: { userAgent: `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webkit}`, maxTouchPoints: 5 },
  mac: { userAgent: `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webkit}`, maxTouchPoints: 0 },
  android: {
    userAgent: 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/138.0.0.0 Mobile Safari/537.36',
    maxTouchPoints: 5,
  },
  touchLaptop: {
    userAgent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/138.0.0.0 Safari/537.36',
    maxTouchPoints: 10,
  },
};

describe('a browser', () => {
  it.each([
    ['iphone', 'ios', false, true],
    ['ipad', 'ios', false, true],
    ['mac', undefined, false, false],
    ['android', 'android', true, false],
    ['touchLaptop', undefined, false, false],
  ] as const)('of the kind %s can install from %s', (name, own, refusesIos, refusesAndroid) => {
    const browser = browsers[name];
    expect(detectPlatform(browser)).toBe(own);
    expect(isForOtherPlatform('ios', browser)).toBe(refusesIos);
    expect(isForOtherPlatform('android', browser)).toBe(refusesAndroid);
  });
});
