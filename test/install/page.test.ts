// The text of the install page in every state.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unknownApp } from '../../src/compatibility/phone.ts';
import { browserLink } from '../../src/install/page/links.ts';
import { drawQrCode } from '../../src/install/page/qr-code.ts';
import { renderInstallPage } from '../../src/install/page/render.ts';
import {
  type AppView,
  hasForm,
  type InstallState,
  type InstallView,
  showsQrCode,
} from '../../src/install/page/view.ts';
import { type Language, languages } from '../../src/languages.ts';
import { accentIn } from '../../src/pages/accent.ts';
import { font } from '../../src/pages/font.ts';
import { darkPalette, installAssets, installStylesheet, lightPalette } from '../../src/pages/styles.ts';
import type { Platform } from '../../src/platforms.ts';

const now = new Date('2026-03-10T12:00:00Z');
const day = 24 * 60 * 60 * 1000;
const inDays = (days: number) => new Date(now.getTime() + days * day);
const pageUrl = 'https://builds.example.com/install/token';
const iosTarget = {
  platform: 'ios',
  manifestUrl: 'https://builds.example.com/public/v1/install/t/manifest.plist',
} as const;
const androidTarget = {
  platform: 'android',
  downloadUrl: 'https://builds.example.com/public/v1/install/t/download',
} as const;
const itms =
  'itms-services://?action=download-manifest&amp;url=https%3A%2F%2Fbuilds.example.com%2Fpublic%2Fv1%2Finstall%2Ft%2Fmanifest.plist';

function app(platform: Platform, changes: Partial<AppView> = {}): AppView {
  return {
    name: 'Harbour',
    organizationName: 'Northwind',
    organizationIconUrl: null,
    color: null,
    projectName: 'Harbour app',
    channelName: 'Nightly',
    platform,
    iconUrl: '/public/v1/icons/1',
    release: {
      versionName: '1.4.2',
      buildNumber: '88',
      sizeBytes: 48_312_332,
      minimumOsVersion: platform === 'ios' ? '15.0' : '26',
      releaseNotes: 'Faster start\nFewer crashes',
      isReleased: true,
      releasedAt: new Date(now.getTime() - 2 * 60 * 60 * 1000),
      profileKind: platform === 'ios' ? 'ad-hoc' : null,
      isDebuggable: false,
    },
    ...changes,
  };
}

const ready = { kind: 'ready', hasOldSettings: false, notices: [] } as const;
const readyIos: InstallState = { ...ready, target: iosTarget, device: 'iphone', provisioning: 'unknown' };
const readyAndroid: InstallState = { ...ready, target: androidTarget, device: 'android', provisioning: 'anybody' };
const onDesktop = { kind: 'desktop', target: iosTarget, provisioning: 'unknown', notices: [] } as const;
const refused = { kind: 'not_provisioned', target: iosTarget, device: 'iphone' } as const;

const registering = { kind: 'form', url: `${pageUrl}/register-device` } as const;
const signingIn = { kind: 'sign_in', url: 'https://builds.example.com/sign-in' } as const;
const unreleased = { kind: 'nothing_released', device: 'iphone' } as const;

/** Every state there is, with the app it is shown for. */
const states: readonly (readonly [string, Platform, InstallState])[] = [
  ['ready on an iPhone', 'ios', readyIos],
  ['ready on Android', 'android', readyAndroid],
  ['ready on a registered iPhone', 'ios', { ...readyIos, provisioning: 'named' }],
  ['ready on an old Android', 'android', { ...readyAndroid, hasOldSettings: true }],
  [
    'no update of what was there',
    'android',
    { ...readyAndroid, notices: [{ kind: 'reinstall', reason: 'certificate', versionName: '1.4.1' }] },
  ],
  [
    'older than what was there',
    'android',
    { ...readyAndroid, notices: [{ kind: 'reinstall', reason: 'downgrade', versionName: '1.4.1' }] },
  ],
  ['of another team', 'ios', { ...readyIos, notices: [{ kind: 'reinstall', reason: 'team', versionName: '1.4.1' }] }],
  ['not registered', 'ios', { ...refused, isRegistered: false }],
  ['not in the profile', 'ios', { ...refused, isRegistered: true }],
  ['ready on an iPhone that can be registered', 'ios', { ...readyIos, register: registering }],
  ['to be registered', 'ios', { ...refused, isRegistered: false, register: registering }],
  ['ready on an iPhone whose owner can sign in', 'ios', { ...readyIos, register: signingIn }],
  ['to be registered after signing in', 'ios', { ...refused, isRegistered: false, register: signingIn }],
  ['asking for a build', 'ios', { ...refused, isRegistered: true, register: registering }],
  ['waiting for a build', 'ios', { ...refused, isRegistered: true, register: registering, waits: 'unmailed' }],
  [
    'waiting for a build and an email',
    'ios',
    { ...refused, isRegistered: true, register: registering, waits: 'emailed' },
  ],
  ['desktop, iOS', 'ios', { ...onDesktop, couldBeIpad: true }],
  [
    'desktop, Android',
    'android',
    { ...onDesktop, target: androidTarget, couldBeIpad: false, notices: [{ kind: 'unreadable' }] },
  ],
  ['in another app', 'ios', { kind: 'in_app_browser', target: iosTarget, app: 'Instagram', notices: [] }],
  ['in another app on Android', 'android', { kind: 'in_app_browser', target: androidTarget, app: 'LINE', notices: [] }],
  ['OS too old', 'ios', { kind: 'os_too_old', needed: 'iOS 15.0', actual: 'iOS 12.5.7', device: 'iphone' }],
  ['wrong platform', 'android', { kind: 'wrong_platform', device: 'iphone' }],
  ['for iPad only', 'ios', { kind: 'wrong_family', device: 'iphone' }],
  ['for no iPad', 'ios', { kind: 'wrong_family', device: 'ipad' }],
  ['profile expired', 'ios', { kind: 'profile_expired', expiredAt: inDays(-3) }],
  ['App Store profile', 'ios', { kind: 'not_installable', reason: 'app_store_profile' }],
  ['simulator', 'ios', { kind: 'not_installable', reason: 'simulator' }],
  ['unsigned', 'android', { kind: 'not_installable', reason: 'unsigned' }],
  ['split', 'android', { kind: 'not_installable', reason: 'partial' }],
  ['test only', 'android', { kind: 'not_installable', reason: 'test_only' }],
  ['another processor', 'android', { kind: 'not_installable', reason: 'abi_missing' }],
  ['unreadable on iOS', 'ios', { kind: 'not_installable', reason: 'unreadable' }],
  ['https needed', 'ios', { kind: 'https_needed' }],
  ['locked', 'ios', { kind: 'locked' }],
  ['superseded', 'ios', { kind: 'superseded', currentUrl: 'https://builds.example.com/install/channels/c' }],
  ['nothing released', 'ios', { kind: 'nothing_released' }],
  ['to be registered before a release', 'ios', { ...unreleased, register: registering }],
  ['asking for the first build', 'ios', { ...unreleased, isRegistered: true, register: registering }],
  [
    'waiting for the first build',
    'ios',
    { ...unreleased, isRegistered: true, register: registering, waits: 'emailed' },
  ],
  ['link expired', 'ios', { kind: 'link_expired' }],
];

async function render(state: InstallState, shown: AppView | null, locale: Language = 'en'): Promise<string> {
  const qrCode = showsQrCode(state) ? await drawQrCode(pageUrl) : null;
  const view: InstallView = { now, pageUrl, qrCode, app: shown, state };
  return renderInstallPage(view, locale).toString();
}

/** The words of a page without its tags. */
function wordsOf(page: string): string {
  const body = page.slice(page.indexOf('<body>')).replace(/<[^>]*>/g, ' ');
  return body.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&').replace(/\s+/g, ' ').trim();
}

describe('every state, in every language', () => {
  const cases = states.flatMap(([name, platform, state]) =>
    languages.map((locale) => [name, locale, platform, state] as const),
  );

  it.each(cases)('%s (%s) is a complete, small page without scripts', async (_, locale, platform, state) => {
    const page = await render(state, app(platform), locale);
    expect(Buffer.byteLength(page)).toBeLessThan(30 * 1024);
    expect(page).toMatch(new RegExp(`^<!doctype html>\n<html lang="${locale}" dir="ltr">`));
    expect(page).toContain(`<link rel="stylesheet" href="${installStylesheet.path}">`);
    expect(page).toContain(`<link rel="preload" href="${font.path}" as="font" type="font/woff2" crossorigin>`);
    expect(page).toContain('<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">');
    expect(page.match(/<h1>/g)).toHaveLength(1);
    expect(page.match(/<main/g)).toHaveLength(1);
    expect(page).not.toMatch(/<script|<style|<iframe|\son[a-z]+=|\sstyle=|javascript:|undefined|null|\[object/i);
    for (const [form] of page.matchAll(/<form[^>]*>/g)) {
      expect([hasForm(state), form.replace('?again=true', '')]).toEqual([
        true,
        `<form method="post" action="${registering.url}">`,
      ]);
    }
    for (const [, address = ''] of page.matchAll(/<(?:img|link|script|source)[^>]*(?:src|href)="([^"]*)"/g)) {
      expect(address, 'is loaded from this server').toMatch(/^\/[^/]/);
    }
  });

  it.each(states)('%s has its own text', async (name, platform, state) => {
    const own = wordsOf(await render(state, app(platform)));
    for (const [other, otherPlatform, otherState] of states) {
      if (other !== name) expect(wordsOf(await render(otherState, app(otherPlatform)))).not.toBe(own);
    }
    expect(wordsOf(await render(state, app(platform), 'de'))).not.toBe(own);
  });
});

describe('a release that can be installed', () => {
  it('is shown with all facts for testers', async () => {
    const words = wordsOf(await render(readyIos, app('ios')));
    for (const part of ['Northwind', 'Harbour', 'Version 1.4.2 (88)', '48.3 MB', '2 hours ago', 'March 10, 2026'])
      expect(words).toContain(part);
    for (const part of ['iOS 15.0 or later', 'Faster start', 'Harbour app', 'Nightly']) expect(words).toContain(part);
  });

  it('is translated to German with German numbers and dates', async () => {
    const words = wordsOf(await render(readyAndroid, app('android'), 'de'));
    for (const part of ['48,3 MB', 'vor 2 Stunden', '10. März 2026', 'Android 8.0 oder neuer'])
      expect(words).toContain(part);
  });

  it('has one large button: an itms-services link on iOS, the download on Android', async () => {
    const ios = await render(readyIos, app('ios'));
    expect(ios).toContain(`<a class="button" href="${itms}">Install</a>`);
    expect(ios.match(/class="button/g)).toHaveLength(1);
    const android = await render(readyAndroid, app('android'));
    expect(android).toContain(`<a class="button" href="${androidTarget.downloadUrl}">Download and install</a>`);
    expect(android).not.toContain('itms-services');
    expect(wordsOf(android)).toContain('isn’t allowed to install unknown apps');
  });

  it('explains what happens after the tap, and what to check otherwise', async () => {
    const words = wordsOf(await render(readyIos, app('ios')));
    expect(words).toContain('Next steps');
    expect(words).toContain('Your iPhone asks whether to install “Harbour”. Tap Install.');
    expect(words).toContain('Nothing happens after tapping Install');
  });

  it.each([
    ['ad-hoc', 'VPN & Device Management', false],
    ['enterprise', 'VPN & Device Management', true],
    ['development', 'Developer Mode', true],
    [null, 'Developer Mode', false],
  ] as const)(
    'with a profile of kind %s and the words "%s": whether they are shown is %s',
    async (profileKind, words, isThere) => {
      const shown = app('ios');
      const release = shown.release && { ...shown.release, profileKind };
      expect(wordsOf(await render(readyIos, { ...shown, release })).includes(words)).toBe(isThere);
    },
  );

  it.each([
    [
      'unknown',
      ['This build runs only on registered devices. If this iPhone isn’t registered yet,', 'Unable to install'],
      ['is registered'],
    ],
    ['named', ['This iPhone is registered for this build.'], ['registered devices only', 'Unable to install']],
    ['anybody', [], ['registered']],
  ] as const)('shows what its profile says about the device: %s', async (provisioning, there, absent) => {
    const words = wordsOf(await render({ ...readyIos, provisioning }, app('ios')));
    for (const part of there) expect(words).toContain(part);
    for (const part of absent) expect(words).not.toContain(part);
  });

  it('shows old Android versions their switch, and marks a debug build', async () => {
    const old = wordsOf(await render({ ...readyAndroid, hasOldSettings: true }, app('android')));
    expect(old).toContain('Open Settings › Security and turn on Unknown sources.');
    expect(old).not.toContain('allow this source');
    const shown = app('android');
    const release = shown.release && { ...shown.release, isDebuggable: true };
    expect(wordsOf(await render(readyAndroid, { ...shown, release }))).toContain('Kind Debug build');
    expect(wordsOf(await render(readyAndroid, shown))).not.toContain('Debug build');
  });

  it.each([
    [
      'certificate',
      'signed with a different key than 1.4.1, which was previously available here',
      'uninstall the app first',
    ],
    ['downgrade', 'older than 1.4.1, which was previously available here', 'uninstall the app first'],
    ['team', 'a different developer team than 1.4.1, which was previously available here', 'delete the app first'],
  ] as const)('has a warning that it cannot update the installed app: %s', async (reason, why, what) => {
    const notices = [{ kind: 'reinstall', reason, versionName: '1.4.1' }] as const;
    const page = await render({ ...readyAndroid, notices }, app('android'));
    for (const part of ['Uninstall the installed version first', why, what, 'This deletes its data'])
      expect(wordsOf(page)).toContain(part);
    expect(page.indexOf('Not an update')).toBeLessThan(page.indexOf('class="button"'));
  });

  it('keeps the line breaks of its notes, and shows when there are none', async () => {
    expect(await render(readyIos, app('ios'))).toContain('<p class="notes" dir="auto">Faster start\nFewer crashes</p>');
    const shown = app('ios');
    const release = shown.release && { ...shown.release, releaseNotes: '  \n ' };
    expect(wordsOf(await render(readyIos, { ...shown, release }))).toContain('This release has no notes.');
  });

  it('shows its icon, or the first letter of its name', async () => {
    expect(await render(readyIos, app('ios'))).toContain(
      '<img class="icon" src="/public/v1/icons/1" alt="" width="80" height="80">',
    );
    const page = await render(readyIos, app('ios', { iconUrl: null, name: '«élan»' }));
    expect(page).toContain('<span class="icon letter" aria-hidden="true">É</span>');
  });

  it('has a warning about a profile that expires soon, an unreadable package and a link that expires', async () => {
    const notices = [
      { kind: 'profile_expires', expiresAt: inDays(5.5) },
      { kind: 'unreadable' },
      { kind: 'link_expires', expiresAt: inDays(0.01) },
    ] as const;
    const words = wordsOf(await render({ ...readyIos, notices }, app('ios')));
    expect(words).toContain('This build expires in 5 days');
    expect(words).toContain('March 16, 2026');
    expect(words).toContain('We couldn’t read this package');
    expect(words).toContain('This link expires in 14 minutes.');
  });
});

describe('drawings of what to tap', () => {
  const shown = (platform: Platform, profileKind: 'ad-hoc' | 'enterprise' | 'development' | null = null) => {
    const one = app(platform);
    return { ...one, release: one.release && { ...one.release, profileKind } };
  };
  const labels = (page: string) => [...page.matchAll(/<svg class="pic"[^>]* role="img" aria-label="([^"]*)"/g)];

  it.each<[string, Platform, InstallState, 'ad-hoc' | 'enterprise' | 'development' | null, string[]]>([
    [
      'iOS',
      'ios',
      readyIos,
      'ad-hoc',
      ['“builds.example.com”', 'would like to install', '“Harbour”', 'Cancel', 'Loading…'],
    ],
    ['a company', 'ios', readyIos, 'enterprise', ['Device Management', 'Trust “Company”']],
    ['a developer', 'ios', readyIos, 'development', ['Developer Mode', 'Restart required.']],
    [
      'Android',
      'android',
      readyAndroid,
      null,
      [
        'File might be harmful',
        'Download anyway',
        'Harbour.apk',
        'Install unknown apps',
        'Allow from this',
        'Do you want to install this',
      ],
    ],
  ])('show the words of the system: %s', async (_name, platform, state, kind, words) => {
    const page = await render(state, shown(platform, kind));
    const drawn = [...page.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => text);
    for (const part of words) expect(drawn).toContain(part);
  });

  it.each([
    ['ios', readyIos, 'ad-hoc', 3],
    ['ios', readyIos, 'enterprise', 4],
    ['ios', readyIos, 'development', 4],
    ['android', readyAndroid, null, 4],
    ['android', { ...readyAndroid, hasOldSettings: true }, null, 0],
    ['ios', { ...refused, isRegistered: false }, 'ad-hoc', 0],
  ] as const)('are described in every language: %s, case %#', async (platform, state, kind, count) => {
    const [english, german] = await Promise.all(
      (['en', 'de'] as const).map(async (locale) =>
        labels(await render(state, shown(platform, kind), locale)).map(([, label = '']) => label),
      ),
    );
    expect([english?.length, german?.length]).toEqual([count, count]);
    for (const label of english ?? []) {
      expect(label.length).toBeGreaterThan(20);
      expect(german).not.toContain(label);
    }
  });

  it('show the icon of the app, or its letter', async () => {
    expect(await render(readyIos, app('ios'))).toContain('<image href="/public/v1/icons/1"');
    const page = await render(readyIos, app('ios', { iconUrl: null }));
    expect(page).not.toContain('<image');
    expect(page).toMatch(/<text [^>]*class="b m w l">H<\/text>/);
  });

  it('keep their size with the longest names', async () => {
    const name = 'Wide WWW '.repeat(20);
    for (const [state, platform] of [
      [readyIos, 'ios'],
      [readyAndroid, 'android'],
    ] as const) {
      const page = await render(state, app(platform, { name }), 'de');
      for (const [, height] of page.matchAll(/viewBox="6 0 228 ([\d.]+)"/g)) expect(Number(height)).toBeLessThan(280);
      for (const [, text = ''] of page.matchAll(/<text[^>]*>([^<]*)<\/text>/g)) expect(text.length).toBeLessThan(32);
    }
  });
});

describe('the look of an app', () => {
  it('has its color, or that of the service', async () => {
    const page = await render(readyIos, app('ios', { color: '#0e7c72' }));
    const sheets = [...page.matchAll(/<link rel="stylesheet" href="([^"]*)">/g)].map(([, address]) => address);
    expect(sheets).toEqual([installStylesheet.path, '/install/assets/accent-0e7c72.css']);
    const tops = (one: string) =>
      [...one.matchAll(/<meta name="theme-color" content="([^"]*)"/g)].map(([, top]) => top);
    expect(tops(page)).toEqual([accentIn(lightPalette, '#0e7c72').wash, accentIn(darkPalette, '#0e7c72').wash]);
    expect(tops(await render(readyIos, app('ios')))).toEqual([lightPalette.wash, darkPalette.wash]);
  });

  it('has the organization at the top, with its icon or letter', async () => {
    const letter = '<p class="org"><span class="orgmark" aria-hidden="true">N</span><bdi>Northwind</bdi>';
    expect(await render(readyIos, app('ios'))).toContain(letter);
    const page = await render(readyIos, app('ios', { organizationIconUrl: '/public/v1/organizations/1/icon/2' }));
    expect(page).toContain(
      '<img class="orgmark" src="/public/v1/organizations/1/icon/2" alt="" width="28" height="28">',
    );
  });

  it('turns lines with bullets into a list', async () => {
    const shown = app('ios');
    const notes = 'Tides:\n- Work offline\n* Open <b>faster</b>\n\nThanks!\n-5 degrees';
    const page = await render(readyIos, {
      ...shown,
      release: shown.release && { ...shown.release, releaseNotes: notes },
    });
    expect(page).toContain(
      '<p class="notes" dir="auto">Tides:</p><ul dir="auto"><li>Work offline</li><li>Open &lt;b&gt;faster&lt;/b&gt;</li></ul><p class="notes" dir="auto">Thanks!\n-5 degrees</p>',
    );
  });

  it('explains on Android what the browser does, before and after the tap', async () => {
    const page = await render(readyAndroid, app('android'));
    expect(page).toContain('<p class="quiet swap"><span>Your browser downloads the app.');
    expect(installStylesheet.content).toContain('.bare:focus-within>.swap>:last-child{visibility:visible}');
    expect(await render(readyIos, app('ios'))).not.toContain('swap');
  });
});

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

describe('names from a package', () => {
  const tags = (page: string) => page.match(/<[a-z/!][^>]*>/gi)?.length;
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc
      .array(
        fc.constantFrom(
          '<script>',
          '"',
          "'",
          '</title>',
          '<!--',
          '&#60;',
          ' onerror=x',
          'javascript:',
          '\u202e',
          '\u0000',
          '\ud800',
          '<',
          'é',
          '\n',
        ),
        { maxLength: 60 },
      )
      .map((parts) => parts.join('')),
  );

  it('add no tag, attribute or address to the page', async () => {
    const plain = renderInstallPage({ now, pageUrl, qrCode: null, app: app('ios'), state: readyIos }, 'en').toString();
    fc.assert(
      fc.property(text, text, text, (name, version, notes) => {
        const named = app('ios', { name, organizationName: version, projectName: notes, channelName: name });
        const release = named.release && { ...named.release, versionName: version, releaseNotes: `x${notes}` };
        const page = renderInstallPage(
          { now, pageUrl, qrCode: null, app: { ...named, release }, state: readyIos },
          'en',
        ).toString();
        // A project of the app's own name is not shown twice.
        expect(tags(page)).toBe((tags(plain) ?? 0) - (name === notes ? 8 : 0));
        expect(page.match(/(?:href|src)="[^"]*"/g)).toEqual(plain.match(/(?:href|src)="[^"]*"/g));
        expect(page).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
        expect(page.isWellFormed()).toBe(true);
      }),
    );
  });

  it('keep the page small with any length', async () => {
    const endless = '"&<é🚢\n'.repeat(20_000);
    const shown = app('ios', {
      name: endless,
      organizationName: endless,
      projectName: `x${endless}`,
      channelName: endless,
    });
    const release = shown.release && { ...shown.release, versionName: endless, releaseNotes: endless };
    const state: InstallState = {
      ...onDesktop,
      couldBeIpad: true,
      notices: [{ kind: 'unreadable' }, { kind: 'profile_expires', expiresAt: inDays(1) }],
    };
    expect(Buffer.byteLength(await render(state, { ...shown, release }, 'de'))).toBeLessThan(30 * 1024);
  });
});

describe('the color schemes', () => {
  const pairs = [
    ['text', 'ground'],
    ['text', 'card'],
    ['quiet', 'ground'],
    ['quiet', 'card'],
    ['link', 'ground'],
    ['link', 'card'],
    ['buttonText', 'button'],
    ['warningText', 'warning'],
    ['tileText', 'tile'],
  ] as const;

  it.each(pairs)('%s is readable on %s in sunlight, light and dark', (front, ground) => {
    for (const palette of [lightPalette, darkPalette])
      expect(contrast(palette[front], palette[ground])).toBeGreaterThanOrEqual(7);
  });

  it('load nothing from other hosts and are named after their content', () => {
    for (const asset of installAssets) {
      expect(asset.path).toMatch(/^\/install\/assets\/(?:[0-9a-f]{16}\.(?:css|svg)|inter-[0-9a-f]{16}\.woff2)$/);
      if (asset === font) continue;
      expect(asset.content).not.toMatch(/@import|<script/);
      const links = [...String(asset.content).matchAll(/url\(([^)]*)\)/g)].map(([, link]) => link);
      expect(links).toEqual(asset === installStylesheet ? [`"../..${font.path}"`] : []);
    }
    expect(new Set(installAssets.map((asset) => asset.path)).size).toBe(installAssets.length);
  });
});

/** Contrast of two colours by WCAG 2. */
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const channels = [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16) / 255);
  const [red = 0, green = 0, blue = 0] = channels.map((value) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
