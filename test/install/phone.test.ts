// The phone that a request comes from.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recognizePhone, unknownApp } from '../../src/compatibility/phone.ts';
import { anyText } from '../support/any-text.ts';
import { leastCpu } from '../support/cpu.ts';

const iphone = (version: string, rest: string) =>
  `Mozilla/5.0 (iPhone; CPU iPhone OS ${version} like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) ${rest}`;
const mac = (rest: string) =>
  `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)${rest}`;
const android = (system: string, rest: string) =>
  `Mozilla/5.0 (Linux; ${system}) AppleWebKit/537.36 (KHTML, like Gecko) ${rest}`;
const chrome = 'Chrome/140.0.0.0 Mobile Safari/537.36';

describe('the system and its version', () => {
  it.each([
    ['iPhone', iphone('17_5_1', 'Version/17.5 Mobile/15E148 Safari/604.1'), 'ios', '17.5.1', 'Safari'],
    ['iPhone on 18.6', iphone('18_6', 'Version/18.6 Mobile/15E148 Safari/604.1'), 'ios', '18.6', 'Safari'],
    [
      'iPhone on 26, which says 18.6',
      iphone('18_6', 'Version/26.0 Mobile/15E148 Safari/604.1'),
      'ios',
      '26.0',
      'Safari',
    ],
    [
      'iPhone on 26.3, which says 18.7',
      iphone('18_7', 'Version/26.3 Mobile/15E148 Safari/604.1'),
      'ios',
      '26.3',
      'Safari',
    ],
    [
      'iPhone whose version may be frozen',
      iphone('18_7', 'CriOS/140.0 Mobile/15E148 Safari/604.1'),
      'ios',
      null,
      'Chrome',
    ],
    ['Chrome on an iPhone', iphone('16_2', 'CriOS/120.0 Mobile/15E148 Safari/604.1'), 'ios', '16.2', 'Chrome'],
    [
      'iPad that says so',
      'Mozilla/5.0 (iPad; CPU OS 12_5_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/12.1.2 Mobile/15E148 Safari/604.1',
      'ipados',
      '12.5.7',
      'Safari',
    ],
    [
      'Chrome on an iPad asking for desktop pages',
      mac(' CriOS/120.0 Version/11.1.1 Safari/605.1.15'),
      'ipados',
      null,
      'Chrome',
    ],
    [
      'Android',
      android('Android 14; SM-S921B', 'SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36'),
      'android',
      '14',
      'Samsung Internet for Android',
    ],
    ['Android 7', android('Android 7.1.1; Moto G', chrome), 'android', '7.1.1', 'Chrome'],
    ['a real Android 10', android('Android 10; Pixel 3', chrome), 'android', '10', 'Chrome'],
    ['Android frozen at 10', android('Android 10; K', chrome), 'android', null, 'Chrome'],
    [
      'Firefox frozen at 10',
      'Mozilla/5.0 (Android 10; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0',
      'android',
      null,
      'Firefox',
    ],
    [
      'Windows',
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
      'desktop',
      null,
      'Chrome',
    ],
    [
      'a Windows phone that names every other',
      'Mozilla/5.0 (Windows Phone 10.0; Android 6.0.1; Microsoft; Lumia 950; like iPhone) Edge/15',
      'desktop',
      null,
      'Microsoft Edge',
    ],
    ['Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'desktop', null, 'Firefox'],
    ['curl', 'curl/8.5.0', 'desktop', null, null],
  ])('recognizes %s', (_, userAgent, system, osVersion, browser) => {
    expect(recognizePhone(userAgent)).toEqual({ system, osVersion, browser, inAppBrowser: null, couldBeIpad: false });
  });

  it.each([null, undefined, '', '   '])('treats a missing user agent (%j) as a desktop', (userAgent) => {
    expect(recognizePhone(userAgent)).toEqual({
      system: 'desktop',
      osVersion: null,
      browser: null,
      inAppBrowser: null,
      couldBeIpad: false,
    });
  });

  it.each([
    ['"15.0.0"', '15.0.0'],
    ['"8.1"', '8.1'],
    ['"0.0.0"', null],
    ['"fifteen"', null],
    ['"', null],
    [`"${'9'.repeat(500)}"`, null],
  ])('uses the version hint %s of a browser that hides it', (platformVersion, osVersion) => {
    const phone = recognizePhone(android('Android 10; K', chrome), { platform: '"Android"', platformVersion });
    expect(phone.osVersion).toBe(osVersion);
  });

  it('trusts the platform hint of an Android browser that requests desktop pages', () => {
    const userAgent =
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
    expect(recognizePhone(userAgent, { platform: '"Android"' }).system).toBe('android');
  });
});

describe('a Mac that may be an iPad', () => {
  it.each([
    ['Safari', mac(' Version/17.4 Safari/605.1.15'), true],
    ['a web view', mac(''), true],
    ['Chrome', mac(' Chrome/140.0.0.0 Safari/537.36'), false],
    ['Edge', mac(' Chrome/140.0.0.0 Safari/537.36 Edg/140.0'), false],
    ['Firefox', 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0', false],
  ])('%s', (_, userAgent, couldBeIpad) => {
    expect(recognizePhone(userAgent)).toMatchObject({
      system: 'desktop',
      couldBeIpad,
      osVersion: null,
      inAppBrowser: null,
    });
  });
});

describe('a browser inside another app', () => {
  it.each([
    [iphone('17_5', 'Mobile/15E148 MicroMessenger/8.0.49(0x18003137) NetType/WIFI Language/en'), 'WeChat'],
    [iphone('17_5', 'Mobile/15E148 wxwork/4.1 MicroMessenger/7.0.1 Language/zh'), 'WeCom'],
    [iphone('17_5', 'Mobile/15E148 Instagram 335.0.8.32 (iPhone15,2; iOS 17_5; en_US)'), 'Instagram'],
    [iphone('17_5', 'Mobile/15E148 [FBAN/FBIOS;FBAV/466.0.0;FBDV/iPhone15,2]'), 'Facebook'],
    [iphone('17_5', 'Mobile/15E148 [FBAN/MessengerForiOS;FBAV/460.0]'), 'Messenger'],
    [iphone('17_5', 'Mobile/15E148 Safari Line/14.8.0'), 'LINE'],
    [iphone('17_5', 'Mobile/15E148 KAKAOTALK 10.8.0'), 'KakaoTalk'],
    [iphone('17_5', 'Version/17.0 Mobile/15E148 Safari/604.1 [LinkedInApp]/9.29'), 'LinkedIn'],
    [iphone('17_5', 'Mobile/15E148 Twitter for iPhone/10.44'), 'X'],
    [iphone('17_5', 'Mobile/15E148 Slack/24.05'), 'Slack'],
    [iphone('17_5', 'GSA/318.0 Mobile/15E148 Safari/604.1'), 'Google'],
    [iphone('17_5', 'Mobile/15E148'), unknownApp],
    [
      android('Android 14; Pixel 8; wv', 'Version/4.0 Chrome/125.0 Mobile Safari/537.36 Instagram 334.0 Android'),
      'Instagram',
    ],
    [
      android('Android 14; Pixel 8; wv', 'Version/4.0 Chrome/125.0 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/464.0;]'),
      'Facebook',
    ],
    [android('Android 14; Pixel 8; wv', 'Version/4.0 Chrome/125.0 Mobile Safari/537.36 musical_ly_2023'), 'TikTok'],
    [android('Android 14; Pixel 8; wv', 'Version/4.0 Chrome/125.0 Mobile Safari/537.36'), unknownApp],
  ])('%s', (userAgent, app) => {
    expect(recognizePhone(userAgent).inAppBrowser).toBe(app);
  });

  it('is not detected on a desktop, where the page shows its code anyway', () => {
    expect(recognizePhone('Mozilla/5.0 (Windows NT 10.0) MicroMessenger/7.0').inAppBrowser).toBeNull();
  });
});

describe('hostile headers', () => {
  it('are processed quickly', () => {
    const tokens = fc.constantFrom(
      'Android ',
      'iPhone',
      'Mac OS X',
      'Version/',
      '1.2.3',
      '(',
      ';',
      'Safari/',
      '[FB',
      '\u0000',
      '9'.repeat(80),
    );
    const text = fc.oneof(
      anyText({ maxLength: 400 }),
      fc.array(tokens, { maxLength: 80 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, text, (userAgent, hint) => {
        const phone = recognizePhone(userAgent, { platform: hint, platformVersion: hint });
        expect(['ios', 'ipados', 'android', 'desktop']).toContain(phone.system);
        if (phone.osVersion !== null) expect(phone.osVersion).toMatch(/^\d{1,4}(\.\d{1,4}){0,3}$/);
      }),
    );
  });

  it('are read up to their first kilobyte', async () => {
    expect(recognizePhone(`${'x'.repeat(1024)} iPhone`).system).toBe('desktop');
    const [userAgent, platform] = ['Android 1.'.repeat(1_000_000), 'x'.repeat(1_000_000)];
    expect(await leastCpu(200, () => recognizePhone(userAgent, { platform }))).toBeLessThan(200);
  });
});
