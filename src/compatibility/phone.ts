// Detects the phone, system and browser of a request from its headers.
import Bowser from 'bowser';
import { looksLikeIpadAsMac, type PhoneSystem, recognizeSystem, unquote } from './phone-system.ts';

export type { PhoneSystem };

/** Client hint headers. Browsers send the version only after `Accept-CH` requested it. */
export interface PhoneHints {
  /** `Sec-CH-UA-Platform` */
  platform?: string | undefined;
  /** `Sec-CH-UA-Platform-Version` */
  platformVersion?: string | undefined;
}

export interface Phone {
  system: PhoneSystem;
  /** Dotted version of the phone's system; null if the browser hides it. Always null on a desktop. */
  osVersion: string | null;
  /** The app whose in-app browser shows the page, `unknownApp` if unknown; null in a real browser. */
  inAppBrowser: string | null;
  browser: string | null;
  /** An iPad identifies itself as a Mac. Only a script could count its touch points. */
  couldBeIpad: boolean;
}

export const unknownApp = 'unknown';

const maxUserAgentLength = 1024;

/** The first match wins, so apps that contain the token of another app come first. */
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
 * Detects the phone of a request from its `User-Agent` and client hints. Both are untrusted and shortened here. Unknown
 * clients are treated as a desktop without a version, whose page offers all options.
 */
export function recognizePhone(userAgent: string | null | undefined, hints: PhoneHints = {}): Phone {
  const text = (userAgent ?? '').slice(0, maxUserAgentLength);
  const parsed = text.trim() === '' ? null : Bowser.parse(text);
  const system = recognizeSystem(text, hints.platform);
  return {
    system,
    osVersion: recognizeVersion(text, system, hints, parsed?.os.version),
    inAppBrowser: system === 'desktop' ? null : recognizeApp(text, system),
    browser: parsed?.browser.name?.slice(0, 60) || null,
    couldBeIpad: system === 'desktop' && looksLikeIpadAsMac(text),
  };
}

function recognizeVersion(
  text: string,
  system: PhoneSystem,
  hints: PhoneHints,
  parsed: string | undefined,
): string | null {
  if (system === 'android') {
    const hinted = readVersion(unquote(hints.platformVersion));
    if (hinted !== null && hinted !== '0.0.0') return hinted;
    const named = readVersion(parsed);
    // Chromium ("Android 10; K") and Firefox report 10 for all newer versions.
    return named === '10' && /Android 10; (?:K\b|Mobile|Tablet)/.test(text) ? null : named;
  }
  if (system === 'desktop' || /Macintosh/.test(text)) return null;
  const named = readVersion(parsed);
  const safari = readVersion(/\bVersion\/([\d.]{1,12})/.exec(text)?.[1]);
  // From iOS 26 on, Safari always reports iOS 18.6 or 18.7, but its own version still matches the system's.
  if (safari !== null && Number.parseInt(safari, 10) >= 26) return safari;
  return safari === null && named !== null && /^18\.(?:[6-9]|\d\d)/.test(named) ? null : named;
}

function recognizeApp(text: string, system: PhoneSystem): string | null {
  for (const [pattern, app] of appsWithBrowsers) if (pattern.test(text)) return app;
  if (system === 'android') return /; wv\)/.test(text) ? unknownApp : null;
  // All browsers on iOS end with Safari/…, but a plain web view in an app doesn't.
  return /AppleWebKit\//.test(text) && !/Safari\//.test(text) ? unknownApp : null;
}

function readVersion(text: string | undefined): string | null {
  return text !== undefined && /^\d{1,4}(?:\.\d{1,4}){0,3}$/.test(text) ? text : null;
}
