// The captcha page: the configured challenge, for embedding, opening, or use by programs.

import type { Context } from '../core/context.ts';
import { type Reply, reply } from '../http/reply.ts';
import { notFound } from '../lib/errors.ts';
import { type Html, html, scriptTag } from '../lib/html.ts';
import { framedPage, type PageOptions } from '../pages/frame.ts';
import { createAltchaChallenge } from './altcha.ts';
import type { HostedProvider } from './hosted.ts';
import { altchaScript, widgetScript } from './solver-script.ts';

const YEAR_SECONDS = 31_536_000;

interface Widget {
  script: string;
  className: string;
  /** The origin of the widget's files. */
  sources: string;
}

const widgets: Record<HostedProvider, Widget> = {
  turnstile: {
    script: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
    className: 'cf-turnstile',
    sources: 'https://challenges.cloudflare.com',
  },
  hcaptcha: {
    script: 'https://js.hcaptcha.com/1/api.js',
    className: 'h-captcha',
    sources: 'https://hcaptcha.com https://*.hcaptcha.com',
  },
};

/** Returns the page with the challenge of the configured provider, or a page saying that no captcha is required. */
export async function showCaptcha(ctx: Context): Promise<Reply> {
  const { provider, site_key: siteKey } = ctx.config.captcha;
  if (provider === 'none') {
    return framedPage('No captcha', card('No captcha', html`<p>This server doesn't require a captcha.</p>`), 200);
  }
  if (provider === 'altcha') {
    const challenge = JSON.stringify(await createAltchaChallenge(ctx));
    return captchaPage(html`<div id="captcha" data-provider="altcha" data-challenge="${challenge}"></div>`, {
      scripts: [scriptTag(altchaScript.path)],
      policy: { 'script-src': "'self'" },
    });
  }
  const { script, className, sources } = widgets[provider];
  const widget = html`<div id="captcha" class="${className}" data-provider="${provider}" data-sitekey="${siteKey}" data-callback="onCaptchaSolved"></div>`;
  return captchaPage(widget, {
    scripts: [scriptTag(widgetScript.path), scriptTag(script)],
    policy: {
      'script-src': `'self' ${sources}`,
      'frame-src': sources,
      'connect-src': sources,
      'style-src': `'self' 'unsafe-inline' ${sources}`,
    },
  });
}

function captchaPage(challenge: Html, { scripts, policy }: Required<Pick<PageOptions, 'scripts' | 'policy'>>): Reply {
  const main = card(
    'Are you human?',
    html`<p id="captcha-status" role="status">One moment: this shows that no program fills in forms by the thousand.</p>
${challenge}
<label>Token<input id="captcha-token" name="captcha_token" type="text" readonly></label>
<noscript><p class="problem">This needs JavaScript.</p></noscript>`,
  );
  // Pages of this server can embed it and read the token.
  return framedPage('Captcha', main, 200, { scripts, policy: { ...policy, 'frame-ancestors': "'self'" } });
}

function card(title: string, content: Html): Html {
  return html`<main class="alone"><section class="card"><h1>${title}</h1>
${content}</section></main>`;
}

/** A script of the page. Its name is a hash of its content, so it can be cached forever. */
export function showCaptchaAsset(name: string): Reply {
  const asset = [altchaScript, widgetScript].find((candidate) => candidate.name === name);
  if (asset === undefined) throw notFound();
  const headers = { 'cache-control': `public, max-age=${YEAR_SECONDS}, immutable` };
  return reply('text/javascript; charset=utf-8', asset.content, headers);
}
