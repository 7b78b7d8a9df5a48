// Help for Android phones that refuse an app.
import { describe, expect, it } from 'vitest';
import { install as de } from '../../src/page-texts/de/install.ts';
import { install as en } from '../../src/page-texts/en/install.ts';

describe('the help for "App not installed"', () => {
  it.each([
    ['en', en, /older than the installed one.*rolled back a release.*different key.*uninstall/s],
    ['de', de, /älter als der installierte.*zurückgerollt.*anderen Schlüssel.*Deinstallieren/s],
  ] as const)('names the older build and the other key: %s', (_language, texts, words) => {
    expect(texts.androidTrouble[0]?.text).toMatch(words);
  });
});
