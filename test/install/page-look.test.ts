// The look of the install page: drawings, the look of an app and the color schemes.
import { describe, expect, it } from 'vitest';
import type { InstallState } from '../../src/install/page/view.ts';
import { accentIn } from '../../src/pages/accent.ts';
import { font } from '../../src/pages/font.ts';
import { darkPalette, installAssets, installStylesheet, lightPalette } from '../../src/pages/styles.ts';
import type { Platform } from '../../src/platforms.ts';
import { app, readyAndroid, readyIos, refused, render } from './page-states.ts';

/** Contrast of two colors by WCAG 2. */
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const channels = [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16) / 255);
  const [red = 0, green = 0, blue = 0] = channels.map((value) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

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
      '<div class="notes"><p dir="auto">Tides:</p><ul dir="auto"><li>Work offline</li><li>Open &lt;b&gt;faster&lt;/b&gt;</li></ul><p dir="auto">Thanks!<br>\n-5 degrees</p></div>',
    );
  });

  it('explains on Android what the browser does, before and after the tap', async () => {
    const page = await render(readyAndroid, app('android'));
    expect(page).toContain('<p class="quiet swap"><span>Your browser downloads the app.');
    expect(installStylesheet.content).toContain('.bare:focus-within>.swap>:last-child{visibility:visible}');
    expect(await render(readyIos, app('ios'))).not.toContain('swap');
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
