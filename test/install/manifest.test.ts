// The property list that iOS reads before it installs, and the link to it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPlist } from '../../src/inspection/plist.ts';
import { itmsLink, type ManifestContent, manifestMediaType, renderManifest } from '../../src/install/manifest.ts';
import { toPlainValue } from '../inspection/build-plist.ts';
import { anyText } from '../support/any-text.ts';

const content: ManifestContent = {
  packageUrl: 'https://builds.example.com/public/v1/install/cap/download',
  displayImageUrl: 'https://builds.example.com/public/v1/icons/1?size=57&format=png',
  fullSizeImageUrl: 'https://builds.example.com/public/v1/icons/1',
  bundleIdentifier: 'com.example.harbour',
  version: '1.4.2',
  title: 'Harbour',
};

function read(manifest: string): unknown {
  return toPlainValue(readPlist(Buffer.from(manifest)));
}

function shown(manifest: string): Record<string, unknown> {
  const root = read(manifest) as { items: { metadata: Record<string, unknown> }[] };
  return root.items[0]?.metadata ?? {};
}

describe('the install manifest', () => {
  it('contains the package, both icons and the app', () => {
    expect(read(renderManifest(content))).toEqual({
      items: [
        {
          assets: [
            { kind: 'software-package', url: content.packageUrl },
            { kind: 'display-image', 'needs-shine': false, url: content.displayImageUrl },
            { kind: 'full-size-image', 'needs-shine': false, url: content.fullSizeImageUrl },
          ],
          metadata: {
            'bundle-identifier': 'com.example.harbour',
            'bundle-version': '1.4.2',
            kind: 'software',
            'platform-identifier': 'com.apple.platform.iphoneos',
            title: 'Harbour',
          },
        },
      ],
    });
  });

  it('omits the icons of an app without icons', () => {
    const { packageUrl, bundleIdentifier, version, title } = content;
    const root = read(renderManifest({ packageUrl, bundleIdentifier, version, title })) as {
      items: { assets: unknown }[];
    };
    expect(root.items[0]?.assets).toEqual([{ kind: 'software-package', url: packageUrl }]);
  });

  it('is sent as a property list', () => {
    expect(manifestMediaType).toBe('application/x-plist');
  });

  it.each([
    ['markup', '</string><key>x</key><string>', '</string><key>x</key><string>'],
    ['entities', 'Tom & "Jerry\'s" &amp;', 'Tom & "Jerry\'s" &amp;'],
    ['the end of a CDATA section', ']]><!ENTITY x "y">', ']]><!ENTITY x "y">'],
    ['control characters', 'a\u0000b\u0008c\u001bd\u007fe\u0085f', 'abcdef'],
    ['characters XML does not have', 'a\ufffeb\uffffc', 'abc'],
    ['half a surrogate pair', 'a\ud83db', 'a\ufffdb'],
    ['other scripts', '港湾 🚢 مرفأ', '港湾 🚢 مرفأ'],
  ])('contains %s in a name as text', (_, title, expected) => {
    expect(shown(renderManifest({ ...content, title })).title).toBe(expected);
  });

  it('contains any name unchanged', () => {
    const names = anyText({ minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(names, names, names, (title, version, bundleIdentifier) => {
        const metadata = shown(renderManifest({ ...content, title, version, bundleIdentifier }));
        expect(Object.keys(metadata)).toHaveLength(5);
        const printable = (text: string) => text.toWellFormed().replace(/[\p{Cc}\u2028\u2029\ufffe\uffff]/gu, '');
        expect(metadata).toMatchObject({
          title: printable(title),
          'bundle-version': printable(version),
          'bundle-identifier': printable(bundleIdentifier),
        });
      }),
    );
  });
});

describe('the link that starts an installation', () => {
  it('contains the whole address of the manifest, percent-encoded', () => {
    expect(itmsLink('https://builds.example.com/public/v1/install/a_b-c/manifest.plist?x=1&y=2#z')).toBe(
      'itms-services://?action=download-manifest&url=https%3A%2F%2Fbuilds.example.com%2Fpublic%2Fv1%2Finstall%2Fa_b-c%2Fmanifest.plist%3Fx%3D1%26y%3D2%23z',
    );
  });

  it('is decoded to the same address, without a second parameter', () => {
    fc.assert(
      fc.property(anyText(), anyText(), anyText(), (path, query, fragment) => {
        const address = `https://builds.example.com/${path}?x=${query}&y=1#${fragment}`;
        const parameters = new URLSearchParams(itmsLink(address).split('?')[1] ?? '');
        expect([...parameters]).toEqual([
          ['action', 'download-manifest'],
          ['url', address],
        ]);
      }),
    );
  });

  it('accepts half a surrogate pair', () => {
    expect(itmsLink('https://a.example/\ud800')).toContain('%EF%BF%BD');
  });
});
