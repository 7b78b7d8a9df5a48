// The page on which people pay: the default payment link of the Paddle account, to which the address of each checkout leads. Card
// data goes to frames of Paddle only (developer.paddle.com/build/transactions/default-payment-link).
import type { Context } from '../core/context.ts';
import { NEVER_CHANGES, type Reply, reply } from '../http/reply.ts';
import { chooseLanguage } from '../languages.ts';
import { notFound } from '../lib/errors.ts';
import { html, scriptTag } from '../lib/html.ts';
import { pageTexts } from '../page-texts/catalog.ts';
import { framedPage, noticePage } from '../pages/frame.ts';
import { checkoutScript } from './script.ts';

const SCRIPT_ORIGIN = 'https://cdn.paddle.com';
const PADDLE_SCRIPT = `${SCRIPT_ORIGIN}/paddle/v2/paddle.js`;
const TRANSACTION = /^txn_[a-z0-9]{10,40}$/;

/** Paddle.js writes styles of its own into the page, and opens the checkout in a frame. */
const frames = {
  production: 'https://buy.paddle.com',
  sandbox: 'https://sandbox-buy.paddle.com',
} as const;

/**
 * Returns the page that opens a transaction. Throws `not_found` if nobody can pay online. It shows nothing about the transaction,
 * so it needs no credential: anyone who has the id can pay.
 */
export function showCheckout(ctx: Context, transactionId: string | undefined): Reply {
  const { enabled, provider, paddle } = ctx.config.billing;
  if (!enabled || provider !== 'paddle') throw notFound();
  const language = chooseLanguage(ctx.request.acceptLanguage);
  const t = pageTexts[language].checkout;
  if (paddle.client_token === '') return noticePage(t.notSetUp.title, t.notSetUp.text, 503, { language });
  if (transactionId === undefined || !TRANSACTION.test(transactionId)) {
    return noticePage(t.invalid.title, t.invalid.text, 400, { language });
  }
  const { base_url: baseUrl } = ctx.config.server;
  const main = html`<main class="alone"><section class="card"><h1>${t.title}</h1>
<div id="checkout" data-transaction="${transactionId}" data-token="${paddle.client_token}" data-environment="${paddle.environment}" data-opening="${t.opening}" data-closed="${t.closed}" data-completed="${t.completed}" data-failed="${t.failed}"></div>
<p id="checkout-status" role="status">${t.opening}</p>
<noscript><p class="problem">${t.noScript}</p></noscript>
<p><button id="checkout-again" class="button" type="button" hidden>${t.again}</button></p>
<p><a id="checkout-back" href="${baseUrl}/billing" hidden>${t.back}</a></p></section></main>`;
  const frame = frames[paddle.environment];
  return framedPage(t.title, main, 200, {
    language,
    // Both in their order, once the page is parsed.
    scripts: [scriptTag(PADDLE_SCRIPT), scriptTag(checkoutScript.path)],
    policy: {
      'script-src': `'self' ${SCRIPT_ORIGIN}`,
      'style-src': `'self' 'unsafe-inline' ${SCRIPT_ORIGIN}`,
      'img-src': `'self' data: ${SCRIPT_ORIGIN}`,
      'connect-src': frame,
      'frame-src': frame,
      'form-action': "'none'",
    },
  });
}

/** Returns the script of the page. Throws `not_found` for another name. */
export function showCheckoutAsset(name: string): Reply {
  if (name !== checkoutScript.name) throw notFound();
  const headers = { 'cache-control': NEVER_CHANGES };
  return reply('text/javascript; charset=utf-8', checkoutScript.content, headers);
}
