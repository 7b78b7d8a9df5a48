// Error responses as pages for people who open an address in a browser. Programs get the JSON envelope.

import type { RequestFacts } from '../core/actor.ts';
import type { App } from '../core/context.ts';
import type { RefusalPage } from '../http/handler.ts';
import { isJsonShape, type Returns } from '../http/operation.ts';
import type { Reply } from '../http/reply.ts';
import { chooseLanguage, type Language } from '../languages.ts';
import { html } from '../lib/html.ts';
import { framedPage } from './frame.ts';
import { signOf } from './signs.ts';

interface Words {
  title: string;
  text: string;
}

interface Texts {
  statuses: Record<number, Words>;
  /** For other server errors. */
  broken: Words;
  /** For all other statuses. */
  refused: Words;
  wait(seconds: number): string;
  requestId: string;
  home: string;
}

const texts: Record<Language, Texts> = {
  en: {
    statuses: {
      401: { title: 'Sign in to continue', text: 'This page is only available when you are signed in.' },
      402: { title: 'Currently not available', text: 'Contact the person who sent you the link.' },
      403: { title: 'No access', text: 'The link may have expired. Ask the person who sent it for a new one.' },
      404: {
        title: 'Page not found',
        text: 'The address may be wrong, or the page was removed. If you followed a link, it may have expired. Ask the person who sent it for a new one.',
      },
      405: { title: 'This address can’t be opened', text: 'It is for programs only.' },
      413: { title: 'Too large', text: 'The request is larger than the server accepts.' },
      429: { title: 'Too many requests', text: 'Your network sent too many requests.' },
      503: { title: 'Service unavailable', text: 'Try again in a few minutes.' },
    },
    broken: {
      title: 'Server error',
      text: 'Try again in a few minutes. If the error persists, send the request ID to the operator of the server.',
    },
    refused: { title: 'Request failed', text: 'The server couldn’t process this request.' },
    wait: (seconds) =>
      seconds < 90 ? `Try again in ${seconds} seconds.` : `Try again in ${Math.ceil(seconds / 60)} minutes.`,
    requestId: 'Request ID',
    home: 'Home',
  },
  de: {
    statuses: {
      401: { title: 'Anmeldung erforderlich', text: 'Melden Sie sich an, um diese Seite zu öffnen.' },
      402: {
        title: 'Derzeit nicht verfügbar',
        text: 'Wenden Sie sich an die Person, die Ihnen den Link geschickt hat.',
      },
      403: {
        title: 'Kein Zugriff',
        text: 'Der Link ist möglicherweise abgelaufen. Bitten Sie die Person, die ihn geschickt hat, um einen neuen.',
      },
      404: {
        title: 'Seite nicht gefunden',
        text: 'Die Adresse ist möglicherweise falsch, oder die Seite wurde entfernt. Auch ein Link kann abgelaufen sein. Bitten Sie die Person, die ihn geschickt hat, um einen neuen.',
      },
      405: { title: 'Diese Adresse kann nicht geöffnet werden', text: 'Sie ist nur für Programme bestimmt.' },
      413: { title: 'Zu groß', text: 'Die Anfrage ist größer, als der Server erlaubt.' },
      429: { title: 'Zu viele Anfragen', text: 'Aus Ihrem Netzwerk kamen zu viele Anfragen.' },
      503: {
        title: 'Dienst nicht verfügbar',
        text: 'Versuchen Sie es in einigen Minuten erneut.',
      },
    },
    broken: {
      title: 'Serverfehler',
      text: 'Versuchen Sie es in einigen Minuten erneut. Wenn der Fehler weiterhin auftritt, senden Sie dem Betreiber des Servers die Anfrage-ID.',
    },
    refused: { title: 'Anfrage fehlgeschlagen', text: 'Der Server konnte diese Anfrage nicht verarbeiten.' },
    wait: (seconds) =>
      seconds < 90
        ? `Versuchen Sie es in ${seconds} Sekunden erneut.`
        : `Versuchen Sie es in ${Math.ceil(seconds / 60)} Minuten erneut.`,
    requestId: 'Anfrage-ID',
    home: 'Startseite',
  },
};

/** Addresses used only by programs: the API and the SDK. */
const PROGRAM_PATH = /^\/(?:api\/v\d+|sdk)(?:\/|$)/;

/**
 * Returns whether people open an address in a browser: pages and downloads of the public API, and everything else that
 * doesn't return JSON.
 */
function isForPeople(path: string, returns: Returns | undefined): boolean {
  if (PROGRAM_PATH.test(path)) return false;
  if (path.startsWith('/public/')) return returns !== undefined && isPageOrDownload(returns);
  return returns === undefined || !isJsonShape(returns);
}

function isPageOrDownload(returns: Returns): boolean {
  if (!('kind' in returns)) return false;
  return returns.kind === 'redirect' || (returns.kind === 'media' && returns.type === 'text/html');
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

/** Returns the page of a status in the reader's language. `retryAfter` is the value of that header. */
export function refusalPage(
  { config }: Pick<App, 'config'>,
  { id, acceptLanguage }: Pick<RequestFacts, 'id' | 'acceptLanguage'>,
  status: number,
  retryAfter?: string,
): Reply {
  const language = chooseLanguage(acceptLanguage);
  const t = texts[language];
  const { title, text } = t.statuses[status] ?? (status >= 500 ? t.broken : t.refused);
  const seconds = Number(retryAfter ?? Number.NaN);
  const home = status === 401 ? `${config.server.base_url}/sign-in` : `${config.server.base_url}/`;
  const main = html`<main class="alone"><section class="card">${status === 404 ? signOf('not_found') : null}<h1>${title}</h1>
<p>${text}${seconds > 0 ? ` ${t.wait(seconds)}` : ''}</p>
<p><a class="button second" href="${home}">${t.home}</a></p>
${status === 404 ? null : html`<p class="hint">${t.requestId}: <code>${id}</code></p>`}</section></main>`;
  const page = framedPage(title, main, status, { language });
  return { ...page, headers: { ...page.headers, 'cache-control': 'no-store', vary: 'Accept, Accept-Language' } };
}
