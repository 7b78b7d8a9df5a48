// Install pages as responses.
import { type Reply, reply } from '../../http/reply.ts';
import type { Html } from '../../lib/html.ts';
import { formContentSecurityPolicy, formReferrerPolicy, installContentSecurityPolicy } from '../../pages/styles.ts';

/** A complete page, and whether its link is valid. */
export interface InstallPage {
  html: Html;
  isFound: boolean;
  hasForm?: boolean;
  /** The visitor has no access to the link, or it leads nowhere. */
  isRefusal?: true;
  /** The page changes without the visitor, who keeps it open. */
  isWaiting?: boolean;
  /** The status of a form that wasn't accepted, and its further headers. */
  refusal?: { status: number; headers: Record<string, string> };
}

/** How often a page that waits for a build loads itself again. A browser that was in the background does so when it returns. */
const WAITING_REFRESH_SECONDS = '120';

const headers = {
  'content-security-policy': installContentSecurityPolicy,
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex, nofollow',
  vary: 'Accept-Language, User-Agent, Cookie, Sec-CH-UA-Platform, Sec-CH-UA-Platform-Version',
  // Chrome hides the Android version in its User-Agent and sends it in this header on request. As a critical hint it
  // comes with the first request.
  'accept-ch': 'Sec-CH-UA-Platform-Version',
  'critical-ch': 'Sec-CH-UA-Platform-Version',
};

/** Returns the response with an install page: 404 if its link isn't valid, or the status of a form that wasn't accepted. */
export function sendPage({ html, isFound, hasForm, isWaiting, refusal }: InstallPage): Reply {
  const policy = hasForm === true ? { 'content-security-policy': formContentSecurityPolicy } : {};
  const refresh = isWaiting === true ? { refresh: WAITING_REFRESH_SECONDS } : {};
  const more = { ...policy, ...formReferrerPolicy(html), ...refresh, ...refusal?.headers };
  const sent = reply('text/html; charset=utf-8', html, { ...headers, ...more });
  return { ...sent, status: refusal?.status ?? (isFound ? 200 : 404) };
}
