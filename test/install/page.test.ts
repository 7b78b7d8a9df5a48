// The text of the install page in every state.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderInstallPage } from '../../src/install/page/render.ts';
import { hasForm, type InstallState } from '../../src/install/page/view.ts';
import { languages } from '../../src/languages.ts';
import { font } from '../../src/pages/font.ts';
import { installStylesheet } from '../../src/pages/styles.ts';
import type { Platform } from '../../src/platforms.ts';
import { anyText } from '../support/any-text.ts';
import {
  androidTarget,
  app,
  iosTarget,
  itms,
  now,
  onDesktop,
  pageUrl,
  readyAndroid,
  readyIos,
  refused,
  render,
  wordsOf,
} from './page-states.ts';

const day = 24 * 60 * 60 * 1000;
const inDays = (days: number) => new Date(now.getTime() + days * day);

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
  ['signed for older phones', 'android', { kind: 'not_installable', reason: 'signature_too_old' }],
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
    expect(await render(readyIos, app('ios'))).toContain('<p dir="auto">Faster start<br>\nFewer crashes</p>');
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

describe('names from a package', () => {
  const tags = (page: string) => page.match(/<[a-z/!][^>]*>/gi)?.length;
  const text = fc.oneof(
    anyText({ maxLength: 300 }),
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
    const plain = renderInstallPage({ now, pageUrl, qrCode: null, app: app('ios'), state: readyIos }, 'en')
      .toString()
      .replace(/<div class="notes">[\s\S]*?<\/div>/, '');
    fc.assert(
      fc.property(text, text, text, (name, version, notes) => {
        const named = app('ios', { name, organizationName: version, projectName: notes, channelName: name });
        const release = named.release && { ...named.release, versionName: version, releaseNotes: `x${notes}` };
        const whole = renderInstallPage(
          { now, pageUrl, qrCode: null, app: { ...named, release }, state: readyIos },
          'en',
        ).toString();
        // The notes have elements of their own (test/lib/notes.test.ts).
        const [markup = ''] = /<div class="notes">[\s\S]*?<\/div>/.exec(whole) ?? [];
        expect(markup).not.toMatch(/<(?!\/?(?:div|p|h3|ul|ol|li|blockquote|pre|code|strong|em|del|a|br)\b)/);
        const page = whole.replace(markup, () => '');
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
