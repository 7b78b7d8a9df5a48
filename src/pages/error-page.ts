// Error responses as pages for people who open an address in a browser. Programs get the JSON envelope.

import type { RequestFacts } from '../core/actor.ts';
import type { App } from '../core/context.ts';
import type { RefusalPage } from '../http/handler.ts';
import { isJsonShape, type Returns } from '../http/operation.ts';
import type { Reply } from '../http/reply.ts';
import { chooseLanguage } from '../languages.ts';
import { formatWait } from '../lib/formats.ts';
import { html } from '../lib/html.ts';
import { pageTexts } from '../page-texts/catalog.ts';
import { framedPage } from './frame.ts';
import { signOf } from './signs.ts';

/** Addresses of programs: the API and the SDK. Single sign-on leads browsers through some of them. */
const PROGRAM_PATH = /^\/(?:api\/v\d+|sdk)(?:\/|$)/;

/**
 * Returns whether people open an address in a browser: pages and downloads of the public API, redirects of the API, and
 * everything else that doesn't return JSON.
 */
function isForPeople(path: string, returns: Returns | undefined): boolean {
  if (PROGRAM_PATH.test(path)) return isRedirect(returns);
  if (path.startsWith('/public/')) return returns !== undefined && isPageOrDownload(returns);
  return returns === undefined || !isJsonShape(returns);
}

function isRedirect(returns: Returns | undefined): boolean {
  return returns !== undefined && 'kind' in returns && returns.kind === 'redirect';
}

function isPageOrDownload(returns: Returns): boolean {
  return isRedirect(returns) || ('kind' in returns && returns.kind === 'media' && returns.type === 'text/html');
}

/** Returns whether a request is a browser navigation: only those accept text/html. */
export function isNavigation({ header }: Pick<RequestFacts, 'header'>): boolean {
  return (header('accept') ?? '').toLowerCase().includes('text/html');
}

/**
 * Returns the error page for an address, by the return type of its operation (undefined if there is no operation).
 * Addresses of programs have none.
 */
export function createRefusalPages(app: App): (path: string, returns?: Returns) => RefusalPage | undefined {
  const show: RefusalPage = (facts, { status, headers }) =>
    isNavigation(facts) ? refusalPage(app, facts, status, headers['retry-after']) : undefined;
  return (path, returns) => (isForPeople(path, returns) ? show : undefined);
}

/** Returns whether the same request may succeed later. */
const isTemporary = (status: number): boolean => status === 429 || status === 503;

/** Returns the page of a status in the reader's language. `retryAfter` is the value of that header. */
export function refusalPage(
  { config }: Pick<App, 'config'>,
  { id, method, acceptLanguage }: Pick<RequestFacts, 'id' | 'method' | 'acceptLanguage'>,
  status: number,
  retryAfter?: string,
): Reply {
  const language = chooseLanguage(acceptLanguage);
  const t = pageTexts[language].errors;
  const { title, text } = t.statuses[status] ?? (status >= 500 ? t.broken : t.refused);
  const seconds = Number(retryAfter ?? Number.NaN);
  const { base_url: baseUrl } = config.server;
  const [next, label] = status === 401 ? [`${baseUrl}/sign-in`, t.signIn] : [`${baseUrl}/`, t.home];
  // Most people with a link have no account, so the home page is no help to them.
  const isSamePage = isTemporary(status) && method === 'GET';
  const link = isSamePage
    ? html`<a class="button second" href="">${t.tryAgain}</a>`
    : html`<a class="button second" href="${next}">${label}</a>`;
  const main = html`<main class="alone"><section class="card">${status === 404 ? signOf('not_found') : null}<h1>${title}</h1>
<p>${text}${seconds > 0 ? ` ${t.wait(formatWait(seconds, language))}` : ''}</p>
<p>${link}</p>
${status === 404 ? null : html`<p class="hint">${t.requestId}: <code>${id}</code></p>`}</section></main>`;
  const page = framedPage(title, main, status, { language });
  return { ...page, headers: { ...page.headers, 'cache-control': 'no-store', vary: 'Accept, Accept-Language' } };
}
