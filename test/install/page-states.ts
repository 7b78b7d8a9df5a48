// States of the install page, and the words of a page.
import { drawQrCode } from '../../src/install/page/qr-code.ts';
import { renderInstallPage } from '../../src/install/page/render.ts';
import { type AppView, type InstallState, type InstallView, showsQrCode } from '../../src/install/page/view.ts';
import type { Language } from '../../src/languages.ts';
import type { Platform } from '../../src/platforms.ts';

export const now = new Date('2026-03-10T12:00:00Z');

export const pageUrl = 'https://builds.example.com/install/token';
export const iosTarget = {
  platform: 'ios',
  manifestUrl: 'https://builds.example.com/public/v1/install/t/manifest.plist',
} as const;
export const androidTarget = {
  platform: 'android',
  downloadUrl: 'https://builds.example.com/public/v1/install/t/download',
} as const;
export const itms =
  'itms-services://?action=download-manifest&amp;url=https%3A%2F%2Fbuilds.example.com%2Fpublic%2Fv1%2Finstall%2Ft%2Fmanifest.plist';

export function app(platform: Platform, changes: Partial<AppView> = {}): AppView {
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
export const readyIos = {
  ...ready,
  target: iosTarget,
  device: 'iphone',
  provisioning: 'unknown',
} as const satisfies InstallState;
export const readyAndroid = {
  ...ready,
  target: androidTarget,
  device: 'android',
  provisioning: 'anybody',
} as const satisfies InstallState;
export const onDesktop = { kind: 'desktop', target: iosTarget, provisioning: 'unknown', notices: [] } as const;
export const refused = { kind: 'not_provisioned', target: iosTarget, device: 'iphone' } as const;

export async function render(
  state: InstallState,
  shown: AppView | null,
  locale: Language = 'en',
  address = pageUrl,
): Promise<string> {
  const qrCode = showsQrCode(state) ? await drawQrCode(address) : null;
  const view: InstallView = { now, pageUrl: address, qrCode, app: shown, state };
  return renderInstallPage(view, locale).toString();
}

/** The words of a page without its tags. */
export function wordsOf(page: string): string {
  const body = page.slice(page.indexOf('<body>')).replace(/<[^>]*>/g, ' ');
  return body.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&').replace(/\s+/g, ' ').trim();
}
