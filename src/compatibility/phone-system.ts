// Which system a browser runs on. Small enough for the web app to use too.
export type PhoneSystem = 'ios' | 'ipados' | 'android' | 'desktop';

/** Recognizes the system from a `User-Agent` of bounded length and, if sent, `Sec-CH-UA-Platform`. */
export function recogniseSystem(text: string, hintedPlatform?: string): PhoneSystem {
  // Windows phones name every other system too.
  if (/windows/i.test(text)) return 'desktop';
  if (/\biPad\b/.test(text)) return 'ipados';
  if (/\b(?:iPhone|iPod)\b/.test(text)) return 'ios';
  // Browsers that exist on iOS alone give an iPad away that asks for desktop pages.
  if (/Macintosh/.test(text) && /\b(?:CriOS|FxiOS|EdgiOS|OPiOS|OPT|DuckDuckGo|GSA)\/|Mobile\//.test(text))
    return 'ipados';
  if (/\bAndroid\b/i.test(text) || unquote(hintedPlatform) === 'Android') return 'android';
  return 'desktop';
}

/** An iPad asks for pages as a Mac does; only a script can tell them apart. */
export function looksLikeIpadAsMac(text: string): boolean {
  return /Macintosh/.test(text) && /AppleWebKit\//.test(text) && !/(?:Chrome|Chromium|Edg|OPR)\//.test(text);
}

/** A client hint without its quotes, in bounded length. */
export function unquote(header: string | undefined): string | undefined {
  return header
    ?.slice(0, 64)
    .trim()
    .replace(/^"(.*)"$/, '$1');
}
