// Which phone, system and browser opened a page, as far as its request headers tell.
import Bowser from 'bowser';
import { looksLikeIpadAsMac, type PhoneSystem, recogniseSystem, unquote } from './phone-system.ts';

export type { PhoneSystem };

/** Client hint headers as received; a browser sends the version only once it was asked by `Accept-CH`. */
export interface PhoneHints {
  /** `Sec-CH-UA-Platform` */
  platform?: string | undefined;
  /** `Sec-CH-UA-Platform-Version` */
  platformVersion?: string | undefined;
}

export interface Phone {
  system: PhoneSystem;
  /** Dotted version of the phone's system; null when the browser hides or freezes it. Always null on a desktop. */
  osVersion: string | null;
  /** The app whose built-in browser shows the page, `unknownApp` when it does not say which; null in a real browser. */
  inAppBrowser: string | null;
  browser: string | null;
  /** An iPad asks for pages as a Mac does; only a script could count its touch points. */
  couldBeIpad: boolean;
}

export const unknownApp = 'unknown';

const longestUserAgent = 1024;

/** First match wins, so an app that borrows another's token stands before it. */
const appsWithBrowsers: readonly (readonly [RegExp, string])[] = [
  [/wxwork\//i, 'WeCom'],
  [/MicroMessenger\//i, 'WeChat'],
  [/\bQQ\/\d/, 'QQ'],
  [/DingTalk\//i, 'DingTalk'],
  [/\b(?:Lark|Feishu)\//i, 'Lark'],
  [/AlipayClient\//i, 'Alipay'],
  [/\bWeibo\b|__weibo__/i, 'Weibo'],
  [/KAKAOTALK/i, 'KakaoTalk'],
  [/NAVER\(inapp/i, 'Naver'],
  [/\bLine\/\d/i, 'LINE'],
  [/Barcelona \d/, 'Threads'],
  [/Instagram/i, 'Instagram'],
  [/MessengerForiOS|MessengerLiteForiOS|com\.facebook\.orca|FB_IAB\/(?:MESSENGER|Orca)/i, 'Messenger'],
  [/\bFBA[NV]\/|\bFB_IAB\/|\[FB/, 'Facebook'],
  [/musical_ly|BytedanceWebview|TikTok|trill_/i, 'TikTok'],
  [/Twitter for (?:iPhone|iPad)|TwitterAndroid/i, 'X'],
  [/LinkedInApp/i, 'LinkedIn'],
  [/Pinterest\//i, 'Pinterest'],
  [/Snapchat/i, 'Snapchat'],
  [/\bSlack(?:_SSB)?\//i, 'Slack'],
  [/\bTeams(?:Mobile)?[-/]/i, 'Microsoft Teams'],
  [/Telegram(?:-Android)?\//i, 'Telegram'],
  [/WhatsApp\//i, 'WhatsApp'],
  [/Discord\//i, 'Discord'],
  [/Viber\//i, 'Viber'],
  [/\bZalo\b/i, 'Zalo'],
  [/Outlook-(?:iOS|Android)/i, 'Outlook'],
  [/\bGSA\//, 'Google'],
];

/**
 * Recognises the phone behind a request from its `User-Agent` and client hints. Both are untrusted and bounded here.
 * What cannot be told is answered as a desktop without a version, whose page offers every way on.
 */
export function recognisePhone(userAgent: string | null | undefined, hints: PhoneHints = {}): Phone {
  const text = (userAgent ?? '').slice(0, longestUserAgent);
  const parsed = text.trim() === '' ? null : Bowser.parse(text);
  const system = recogniseSystem(text, hints.platform);
  return {
    system,
    osVersion: recogniseVersion(text, system, hints, parsed?.os.version),
    inAppBrowser: system === 'desktop' ? null : recogniseApp(text, system),
    browser: parsed?.browser.name?.slice(0, 60) || null,
    couldBeIpad: system === 'desktop' && looksLikeIpadAsMac(text),
  };
}

function recogniseVersion(
  text: string,
  system: PhoneSystem,
  hints: PhoneHints,
  parsed: string | undefined,
): string | null {
  if (system === 'android') {
    const hinted = readVersion(unquote(hints.platformVersion));
    if (hinted !== null && hinted !== '0.0.0') return hinted;
    const named = readVersion(parsed);
    // Chromium ("Android 10; K") and Firefox say 10 on every newer version.
    return named === '10' && /Android 10; (?:K\b|Mobile|Tablet)/.test(text) ? null : named;
  }
  if (system === 'desktop' || /Macintosh/.test(text)) return null;
  const named = readVersion(parsed);
  const safari = readVersion(/\bVersion\/([\d.]{1,12})/.exec(text)?.[1]);
  // From iOS 26 on Safari names iOS 18.6 or 18.7 for ever, while its own version still follows the system's.
  if (safari !== null && Number.parseInt(safari, 10) >= 26) return safari;
  return safari === null && named !== null && /^18\.(?:[6-9]|\d\d)/.test(named) ? null : named;
}

function recogniseApp(text: string, system: PhoneSystem): string | null {
  for (const [pattern, app] of appsWithBrowsers) if (pattern.test(text)) return app;
  if (system === 'android') return /; wv\)/.test(text) ? unknownApp : null;
  // Every browser on iOS ends in Safari/…; a bare web view inside an app does not.
  return /AppleWebKit\//.test(text) && !/Safari\//.test(text) ? unknownApp : null;
}

function readVersion(text: string | undefined): string | null {
  return text !== undefined && /^\d{1,4}(?:\.\d{1,4}){0,3}$/.test(text) ? text : null;
}
