// The property list that iOS reads before an over-the-air installation, and the link that starts the installation.
import { PLIST_BEGIN, plistEntry } from '../lib/xml-text.ts';

export interface ManifestContent {
  /** Absolute URL of the .ipa. iOS requires https. */
  packageUrl: string;
  /** Icon of about 57 × 57 pixels, shown while the app loads. */
  displayImageUrl?: string | undefined;
  /** Icon of about 512 × 512 pixels. */
  fullSizeImageUrl?: string | undefined;
  bundleIdentifier: string;
  version: string;
  /** Name shown in the question of iOS: "… would like to install «title»". */
  title: string;
}

/** Media type of the manifest. */
export const manifestMediaType = 'application/x-plist';

/**
 * Returns Apple's over-the-air manifest as an XML property list. Names in it are untrusted: they are escaped, and
 * control characters are removed.
 */
export function renderManifest(content: ManifestContent): string {
  const assets = [
    asset('software-package', content.packageUrl),
    content.displayImageUrl === undefined ? '' : asset('display-image', content.displayImageUrl),
    content.fullSizeImageUrl === undefined ? '' : asset('full-size-image', content.fullSizeImageUrl),
  ].join('');
  const metadata =
    plistEntry('bundle-identifier', content.bundleIdentifier) +
    plistEntry('bundle-version', content.version) +
    plistEntry('kind', 'software') +
    plistEntry('platform-identifier', 'com.apple.platform.iphoneos') +
    plistEntry('title', content.title);
  return `${PLIST_BEGIN}<dict><key>items</key><array><dict><key>assets</key><array>${assets}</array><key>metadata</key><dict>${metadata}</dict></dict></array></dict></plist>
`;
}

/** Returns the link that starts the installation on iOS. It contains the percent-encoded URL of the manifest. */
export function itmsLink(manifestUrl: string): string {
  return `itms-services://?action=download-manifest&url=${encodeURIComponent(manifestUrl.toWellFormed())}`;
}

function asset(kind: string, url: string): string {
  const needsShine = kind === 'software-package' ? '' : '<key>needs-shine</key><false/>';
  return `<dict>${plistEntry('kind', kind)}${needsShine}${plistEntry('url', url)}</dict>`;
}
