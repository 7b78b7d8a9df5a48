// Detects the operating system of a browser. Small enough for the web app.
export type PhoneSystem = 'ios' | 'ipados' | 'android' | 'desktop';

/** Recognizes the system from a `User-Agent` of bounded length and, if sent, `Sec-CH-UA-Platform`. */
export function recognizeSystem(text: string, hintedPlatform?: string): PhoneSystem {
  // Windows phones name all other systems too.
  if (/windows/i.test(text)) return 'desktop';
  if (/\biPad\b/.test(text)) return 'ipados';
  if (/\b(?:iPhone|iPod)\b/.test(text)) return 'ios';
  // Browsers that exist only on iOS reveal an iPad that requests desktop pages.
  if (/Macintosh/.test(text) && /\b(?:CriOS|FxiOS|EdgiOS|OPiOS|OPT|DuckDuckGo|GSA)\/|Mobile\//.test(text))
    return 'ipados';
  if (/\bAndroid\b/i.test(text) || unquote(hintedPlatform) === 'Android') return 'android';
  return 'desktop';
}

/** An iPad identifies itself as a Mac. Only a script can tell them apart. */
export function looksLikeIpadAsMac(text: string): boolean {
  return /Macintosh/.test(text) && /AppleWebKit\//.test(text) && !/(?:Chrome|Chromium|Edg|OPR)\//.test(text);
}

/** Returns a client hint without quotes, shortened. */
export function unquote(header: string | undefined): string | undefined {
  return header
    ?.slice(0, 64)
    .trim()
    .replace(/^"(.*)"$/, '$1');
}
