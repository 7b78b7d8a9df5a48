// The captcha page: the configured challenge, for embedding, opening, or use by programs.

import type { Context } from '../core/context.ts';
import { NEVER_CHANGES, type Reply, reply } from '../http/reply.ts';
import { chooseLanguage } from '../languages.ts';
import { hostedCaptchaProviders } from '../lib/captcha-providers.ts';
import { notFound } from '../lib/errors.ts';
import { type Html, html, scriptTag } from '../lib/html.ts';
import type { CaptchaTexts } from '../page-texts/captcha-texts.ts';
import { pageTexts } from '../page-texts/catalog.ts';
import { framedPage, noticePage, type PageOptions } from '../pages/frame.ts';
import { createAltchaChallenge } from './altcha.ts';
import { altchaScript, widgetScript } from './solver-script.ts';

/** Returns the page with the challenge of the configured provider, or a page saying that no captcha is required. */
export async function showCaptcha(ctx: Context): Promise<Reply> {
  const { provider, site_key: siteKey } = ctx.config.captcha;
  const language = chooseLanguage(ctx.request.acceptLanguage);
  const texts = pageTexts[language].captcha;
  if (provider === 'none') {
    return noticePage(texts.notRequired.title, texts.notRequired.text, 200, { language });
  }
  if (provider === 'altcha') {
    const challenge = JSON.stringify(await createAltchaChallenge(ctx));
    return captchaPage(
      texts,
      texts.checking,
      html`<div id="captcha" data-provider="altcha" data-challenge="${challenge}"></div>`,
      {
        language,
        scripts: [scriptTag(altchaScript.path)],
        policy: { 'script-src': "'self'" },
      },
    );
  }
  const { script, className, sources } = hostedCaptchaProviders[provider];
  const widget = html`<div id="captcha" class="${className}" data-provider="${provider}" data-sitekey="${siteKey}" data-callback="onCaptchaSolved"></div>`;
  return captchaPage(texts, texts.challenge, widget, {
    language,
    scripts: [scriptTag(widgetScript.path), scriptTag(script)],
    policy: {
      'script-src': `'self' ${sources}`,
      'frame-src': sources,
      'connect-src': sources,
      'style-src': `'self' 'unsafe-inline' ${sources}`,
    },
  });
}

/** `status` is what the page shows until the challenge is solved. */
function captchaPage(texts: CaptchaTexts, status: string, challenge: Html, options: Required<PageOptions>): Reply {
  const main = html`<main class="alone"><section class="card"><h1>${texts.title}</h1>
<p id="captcha-status" role="status" data-solved="${texts.solved}" data-solved-alone="${texts.solvedAlone}">${status}</p>
${challenge}
<label>${texts.token}<input id="captcha-token" name="captcha_token" type="text" readonly></label>
<noscript><p class="problem">${texts.noScript}</p></noscript></section></main>`;
  // Pages of this server can embed it and read the token.
  const policy = { ...options.policy, 'frame-ancestors': "'self'" };
  return framedPage(texts.title, main, 200, { ...options, policy });
}

/** A script of the page. Its name is a hash of its content, so it can be cached forever. */
export function showCaptchaAsset(name: string): Reply {
  const asset = [altchaScript, widgetScript].find((candidate) => candidate.name === name);
  if (asset === undefined) throw notFound();
  const headers = { 'cache-control': NEVER_CHANGES };
  return reply('text/javascript; charset=utf-8', asset.content, headers);
}
