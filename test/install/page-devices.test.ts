// The install page on devices that cannot install.
import { describe, expect, it } from 'vitest';
import { unknownApp } from '../../src/compatibility/phone.ts';
import { browserLink } from '../../src/install/page/links.ts';
import { drawQrCode } from '../../src/install/page/qr-code.ts';
import { installStylesheet } from '../../src/pages/styles.ts';
import { androidTarget, app, iosTarget, itms, onDesktop, pageUrl, refused, render, wordsOf } from './page-states.ts';

describe('a device that is not in the profile', () => {
  it.each([
    [
      'without a registration',
      false,
      ['This iPhone isn’t registered', 'Ask the person who sent you this link for a registration link.'],
    ],
    [
      'after its registration',
      true,
      ['This build doesn’t include this iPhone yet', 'Keep this link. The new build appears on this page.'],
    ],
  ] as const)('gets instructions %s', async (_when, isRegistered, there) => {
    const page = await render({ ...refused, isRegistered }, app('ios'));
    for (const part of there) expect(wordsOf(page)).toContain(part);
    expect(page).toContain(`<a class="button second" href="${itms}">Try here anyway</a>`);
    expect(page).not.toContain('class="button" ');
  });
});

describe('a desktop', () => {
  it('shows a QR code of this page, its address, and a link to continue on an iPad that identifies as a Mac', async () => {
    const page = await render({ ...onDesktop, couldBeIpad: true }, app('ios'));
    expect(page).toContain('<div class="qr" role="img" aria-label="QR code with the address of this page"><svg');
    expect(page).toContain(`<code class="address" dir="ltr">${pageUrl}</code>`);
    expect(page).toContain(`<a class="button second" href="${itms}">On an iPad? Install here</a>`);
  });

  it.each([
    ['http://localhost:8080/install/channels/a', true],
    ['http://127.0.0.1:8080/install/channels/a', true],
    ['http://[::1]:8080/install/channels/a', true],
    ['http://192.168.0.20:8080/install/channels/a', false],
    [pageUrl, false],
  ])('warns that phones cannot open %s: %s', async (address, isWarned) => {
    const page = wordsOf(await render({ ...onDesktop, couldBeIpad: false }, app('ios'), 'en', address));
    const warning =
      'Phones can’t open this address. In config.toml, set an address that they can reach: server.base_url';
    expect(page.includes(warning)).toBe(isWarned);
  });

  it('also contains the page for an iPad, which the style sheet shows with a touch screen', async () => {
    const page = await render({ ...onDesktop, couldBeIpad: true }, app('ios'));
    const touched = page.slice(page.indexOf('<div class="touched">'), page.indexOf('<section class="card untouched">'));
    expect(touched).toContain(`<a class="button" href="${itms}">Install</a>`);
    expect(wordsOf(`<body>${touched}`)).toContain('Your iPad asks whether to install “Harbour”. Tap Install.');
    expect(installStylesheet.content).toContain(
      '@media (any-pointer:coarse){.touched{display:block}.untouched{display:none}}',
    );
    expect(await render({ ...onDesktop, couldBeIpad: false }, app('ios'))).not.toMatch(/touched/);
  });

  it('that cannot be an iPad gets no install link for iOS', async () => {
    const page = await render({ ...onDesktop, couldBeIpad: false }, app('ios'));
    expect(page).not.toContain('itms-services');
  });

  it('can download the package of an Android app', async () => {
    const page = await render({ ...onDesktop, target: androidTarget, couldBeIpad: false }, app('android'));
    expect(page).toContain(`<a class="button second" href="${androidTarget.downloadUrl}">Download package (APK)</a>`);
  });

  it('shows a QR code whose size fits its content', async () => {
    const code = (await drawQrCode(pageUrl)).toString();
    expect(code).toMatch(/^<svg [^>]*viewBox="0 0 37 37"/);
    expect(code).toContain('M4 4.5h7');
    expect(Buffer.byteLength((await drawQrCode(`${pageUrl}${'x'.repeat(400)}`)).toString())).toBeLessThan(16_000);
  });
});

describe('a browser inside another app', () => {
  it('is named, and the page asks to open it in Safari', async () => {
    const page = await render({ kind: 'in_app_browser', target: iosTarget, app: 'Instagram', notices: [] }, app('ios'));
    expect(wordsOf(page)).toContain('This page is open inside Instagram');
    expect(page).toContain(
      '<a class="button" href="x-safari-https://builds.example.com/install/token">Open in Safari</a>',
    );
    expect(page).toContain(`href="${itms}">Try here anyway</a>`);
  });

  it('is not named if it is unknown', async () => {
    const words = wordsOf(
      await render({ kind: 'in_app_browser', target: androidTarget, app: unknownApp, notices: [] }, app('android')),
    );
    expect(words).toContain('inside another app');
    expect(words).not.toContain(unknownApp);
  });

  it.each([
    ['https://a.example/i/1', 'ios', 'Slack', 'x-safari-https://a.example/i/1'],
    ['http://a.example:8080/i', 'ios', 'Slack', 'x-safari-http://a.example:8080/i'],
    [
      'https://a.example/i',
      'android',
      'Slack',
      'intent://a.example/i#Intent;scheme=https;package=com.android.chrome;end',
    ],
    [
      'https://a.example/i;component=evil#x',
      'android',
      'Slack',
      'intent://a.example/i#Intent;scheme=https;package=com.android.chrome;end',
    ],
    ['https://a.example/i', 'ios', 'WeChat', null],
    ['javascript:alert(1)', 'ios', 'Slack', null],
  ] as const)('opens %s on %s from %s by %s', (address, platform, name, expected) => {
    expect(browserLink(address, platform, name)?.toString() ?? null).toBe(expected);
  });
});

describe('a link that has expired', () => {
  it('shows nothing of an app, even when one is passed', async () => {
    const page = await render({ kind: 'link_expired' }, app('ios', { name: 'Secret', organizationName: 'Hidden' }));
    expect(page).toBe(await render({ kind: 'link_expired' }, null));
    expect(page).not.toMatch(/Secret|Hidden|1\.4\.2|icons/);
    expect(page).not.toContain(pageUrl);
  });
});
